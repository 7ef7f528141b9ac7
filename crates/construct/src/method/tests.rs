//! Schedules that only a change of a method may change: the first attempt of every method.

use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, Schedule};
use lockstep_topology::Topology;

use super::METHODS;
use crate::kit::request::MethodRequest;

/// Returns the FNV-1a hash of the steps, messages and paths of a schedule.
fn fingerprint(schedule: &Schedule) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |number: u32| {
        for byte in number.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for (step, transfers) in schedule.steps() {
        for transfer in transfers.iter() {
            add(step as u32);
            add(transfer.message.number());
            transfer.path.iter().for_each(|channel| add(channel.number()));
        }
    }
    hash
}

/// A commit that changes the schedules of a method on purpose changes its fingerprints here. No other commit does.
#[test]
fn the_same_seed_gives_the_same_schedules_as_before() {
    let kautz: Topology = "kautz:2,3".parse().unwrap();
    let cluster: Topology = "cluster:nodes=3,gpus=4,nvlink=300GB/s,rails=4,nic=25GB/s".parse().unwrap();
    let torus: Topology = "torus:4x4".parse().unwrap();
    let large: Topology = "random-regular:96,4,1".parse().unwrap();
    let root = kautz.terminals()[0];
    let all_gather = Collective::all_gather();
    let all_to_all = Collective::all_to_all();
    let broadcast = Collective::broadcast(root);
    let scatter = Collective::scatter(root);
    let chunked = Collective::broadcast(kautz.terminals()[1]).with_chunks(3.try_into().unwrap());
    let (wormhole, stored) = (CommunicationModel::wormhole(), CommunicationModel::store_and_forward());
    let cases = [
        (&cluster, "hierarchical", &all_gather, wormhole, 3, 0x9af3_a56d_a78c_6e65),
        (&kautz, "flooding", &broadcast, stored, 3, 0x0dbe_5d26_26a9_f20c),
        (&kautz, "scatter-flow", &scatter, wormhole, 7, 0xd862_d3ee_0145_afc6),
        (&kautz, "scatter-flow", &scatter, stored, 6, 0x54ae_c140_0958_63c6),
        (&kautz, "layered-flow", &broadcast, wormhole, 3, 0x0dbe_5d26_26a9_f20c),
        (&kautz, "arborescences", &chunked, wormhole, 4, 0xc3d4_af3c_2c74_d1c9),
        (&kautz, "symmetric", &all_gather, stored, 6, 0x13be_6b0c_055f_8c85),
        (&torus, "symmetric", &all_to_all, wormhole, 8, 0x4ee9_ffd9_cc39_bea5),
        (&kautz, "rarest-first", &all_gather, wormhole, 6, 0xf02b_3b51_37a7_c3bd),
        (&kautz, "rarest-first", &all_gather, stored, 6, 0xeae5_a2be_6b17_2dad),
        (&kautz, "step-dissolving", &all_to_all, wormhole, 15, 0xeb9e_bd36_62c8_b801),
        (&kautz, "first-fit", &all_to_all, wormhole, 17, 0xdcf8_74fe_2674_e929),
        (&kautz, "first-fit", &all_to_all, stored, 15, 0xdea5_0cc6_4d7a_b074),
        (&kautz, "balanced-routes", &all_to_all, stored, 15, 0x4a2c_343b_f63d_4a01),
        (&kautz, "negotiated-trees", &all_gather, wormhole, 6, 0x2ca5_3547_cf02_b7bd),
        (&kautz, "negotiated-trees", &chunked, stored, 4, 0xaf34_81ac_1dde_1057),
        (&kautz, "path-colouring", &all_to_all, wormhole, 15, 0x35cd_0862_a6ed_5687),
        (&large, "window-packing", &all_to_all, wormhole, 98, 0x9750_7782_2433_537d),
        (&kautz, "satisfiability", &broadcast, stored, 3, 0x0dbe_5d26_26a9_f20c),
    ];
    for method in METHODS {
        assert!(cases.iter().any(|case| case.1 == method.name), "no case of {}", method.name);
    }
    for (topology, name, collective, model, steps, expected) in cases {
        let problem = Problem::new(topology, collective, model).unwrap();
        let budget = Budget::unlimited();
        let request = MethodRequest { seed: 7, ..MethodRequest::first(&problem, &budget) };
        let find = |name: &str, best: Option<&Schedule>| {
            let method = METHODS.iter().find(|method| method.name == name).unwrap();
            let below = best.map_or(u32::MAX, |best| best.step_count() as u32);
            (method.find)(&MethodRequest { below, best, ..request.clone() })
        };
        let start = (name == "step-dissolving").then(|| find("first-fit", None).unwrap());
        let schedule = find(name, start.as_ref()).unwrap();
        assert_eq!((schedule.step_count(), fingerprint(&schedule)), (steps, expected), "{name}");
    }
}
