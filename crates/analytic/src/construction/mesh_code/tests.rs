use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
use lockstep_topology::strategy::shuffled;
use lockstep_topology::{NodeId, Topology};
use proptest::prelude::*;

use super::MESH_CODE;
use super::code::Code;
use super::division::{begin_at_different_ports, ports, reach};
use crate::kit::broadcast_checks::supports_only_wormhole_all_port_broadcasts;
use crate::kit::plane_torus::{PORTS, PlaneTorus};

/// Returns the number of steps of a verified broadcast and the least number, by the growth of the holders.
fn steps_and_bound(topology: &Topology, root: u32) -> Option<(usize, usize)> {
    let root = NodeId::new(root);
    let broadcast = Collective::broadcast(root);
    let problem = Problem::new(topology, &broadcast, CommunicationModel::wormhole()).unwrap();
    let schedule = MESH_CODE.schedule(&problem, 0, &Budget::unlimited())?;
    let (verification, nodes) = (verify(&problem, &schedule).unwrap(), topology.node_count());
    assert_eq!((verification.transfers, verification.redundant), (nodes - 1, 0));
    let ports = topology.out_channels(root).len();
    Some((verification.steps, (0..13).find(|&steps| 1 + reach(ports, steps) >= nodes as u64).unwrap() as usize))
}

/// Roots at a corner, at the border, next to a corner and in the middle.
#[test]
fn small_meshes_take_one_step_more_than_the_bound_at_most() {
    let mut at_bound = 0;
    for first in 3..=24u32 {
        for second in first..=24 {
            let mesh: Topology = format!("mesh:{first}x{second}").parse().unwrap();
            for root in [0, second / 2, second + 1, first / 2 * second + second / 2] {
                let (steps, bound) = steps_and_bound(&mesh, root).unwrap();
                assert!(steps <= bound + 1, "{first}x{second} from {root}: {steps} steps, {bound} by growth");
                at_bound += u32::from(steps == bound);
            }
        }
    }
    assert_eq!(at_bound, 495, "of 1012");
}

/// Squares, long meshes, and sizes just below a power of 5.
#[test]
fn large_meshes_take_few_steps() {
    for (spec, root, expected) in [
        ("31x33", 518, (5, 5)),
        ("50x50", 0, (6, 6)),
        ("64x64", 2055, (6, 6)),
        ("122x128", 5, (7, 7)),
        ("122x128", 7815, (7, 6)),
        ("30x1000", 5, (8, 7)),
        ("256x256", 0, (8, 8)),
    ] {
        let mesh: Topology = format!("mesh:{spec}").parse().unwrap();
        assert_eq!(steps_and_bound(&mesh, root), Some(expected), "{spec} from {root}");
    }
}

/// In few rows, paths to several parts on one side are in each other's way.
#[test]
fn long_meshes_of_few_rows_take_more_steps() {
    for (spec, root, expected) in
        [("3x100", 161, (5, 4)), ("4x100", 215, (6, 4)), ("5x700", 1884, (7, 6)), ("6x2000", 6461, (9, 6))]
    {
        let mesh: Topology = format!("mesh:{spec}").parse().unwrap();
        assert_eq!(steps_and_bound(&mesh, root), Some(expected), "{spec} from {root}");
    }
}

#[test]
fn other_problems_are_not_supported() {
    supports_only_wormhole_all_port_broadcasts(MESH_CODE, &"mesh:6x7".parse().unwrap());
    for spec in ["torus:6x7", "mesh:2x8", "mesh:9", "mesh:3x3x3", "ring:9", "full-b-tree:15", "complete:5"] {
        assert_eq!(steps_and_bound(&spec.parse().unwrap(), 0), None, "{spec}");
    }
}

#[test]
fn codes_reach_all_other_nodes_at_once() {
    for sides in [[3, 3], [3, 8], [4, 5], [7, 12], [20, 21]] {
        let mesh = PlaneTorus::new(sides).unwrap();
        for root in [0, mesh.node_count() / 2] {
            let code = Code::smallest(mesh, root);
            let mut is_reached = vec![false; mesh.node_count()];
            for &place in code.places.iter().chain([&root]) {
                assert!(!std::mem::replace(&mut is_reached[place], true), "no place is twice in the code");
            }
            for path in code.last_step(mesh) {
                let [slot] = path[..] else { panic!("a path of one channel") };
                assert!(code.places.contains(&(slot / PORTS)) || slot / PORTS == root);
                let head = mesh.inner_neighbour(slot / PORTS, slot % PORTS).unwrap();
                assert!(!std::mem::replace(&mut is_reached[head], true));
            }
            assert!(!is_reached.contains(&false), "{sides:?}");
            // A fifth of the nodes, and of the places around the mesh.
            let around: u32 = sides.iter().map(|side| 2 * side).sum();
            assert!(code.places.len() as u32 <= (mesh.node_count() as u32 + around).div_ceil(5), "{sides:?}");
        }
    }
}

#[test]
fn corners_have_two_ports_and_borders_three() {
    let mesh = PlaneTorus::new([4, 5]).unwrap();
    let counts: Vec<usize> = (0..20).map(|place| ports(mesh, place)).collect();
    assert_eq!(counts, [2, 3, 3, 3, 2, 3, 4, 4, 4, 3, 3, 4, 4, 4, 3, 2, 3, 3, 3, 2]);
    assert_eq!([0, 1, 2, 3].map(|steps| reach(2, steps)), [0, 2, 12, 62]);
}

/// Returns true if some assignment gives each path a port of its own.
fn can_begin(masks: &[u8], used: u8) -> bool {
    let Some((&mask, rest)) = masks.split_first() else { return true };
    (0..PORTS).map(|port| 1 << port).any(|port| mask & !used & port != 0 && can_begin(rest, used | port))
}

#[test]
fn ports_are_different_if_an_assignment_exists() {
    for code in 0..1u32 << 16 {
        let masks = [0, 4, 8, 12].map(|shift| (code >> shift & 15) as u8);
        for count in 0..=PORTS {
            assert_eq!(begin_at_different_ports(&masks[..count]), can_begin(&masks[..count], 0), "{masks:?}");
        }
    }
    assert!(!begin_at_different_ports(&[15; 5]));
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(24))]

    #[test]
    fn the_numbering_does_not_matter(
        (topology, root) in (3u32..25, 3u32..25)
            .prop_flat_map(|(first, second)| shuffled(lockstep_topology::mesh(&[first, second]).unwrap()))
            .prop_flat_map(|topology| { let nodes = topology.node_count() as u32; (Just(topology), 0..nodes) }),
    ) {
        let (steps, bound) = steps_and_bound(&topology, root).unwrap();
        prop_assert!(steps <= bound + 1);
    }
}
