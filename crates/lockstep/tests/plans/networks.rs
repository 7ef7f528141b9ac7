//! Networks from files, under every model.

use std::num::NonZeroU32;

use lockstep::schedule::Ports;
use lockstep::{Budget, CollectiveName, CommunicationModel, PlanOptions, Planner, Problem, Verdict, verify};

use crate::network;

/// Every collective, wormhole and store-and-forward switching, all ports or one, full and half duplex. The networks take
/// turns, so that every collective and every model meets each of them.
#[test]
fn every_collective_is_planned_under_every_model() {
    let files = ["directed.edges", "indirect.edges", "irregular.edges"];
    let networks = files.map(network);
    let mut models = Vec::new();
    for base in [CommunicationModel::wormhole(), CommunicationModel::store_and_forward()] {
        for ports in [Ports::All, Ports::Limit(NonZeroU32::MIN)] {
            models.extend([true, false].map(|is_half_duplex| (CommunicationModel { ports, ..base }, is_half_duplex)));
        }
    }
    assert_eq!(models.len(), 8);
    for (turn, name) in CollectiveName::ALL.into_iter().enumerate() {
        for (place, &(model, is_half_duplex)) in models.iter().enumerate() {
            let (file, network) = (files[(turn + place) % 3], &networks[(turn + place) % 3]);
            let topology = if is_half_duplex { network.half_duplex() } else { network.clone() };
            let root = name.has_root().then(|| topology.terminals()[1]);
            let collective = name.with_root(root).unwrap();
            let problem = Problem::new(&topology, &collective, model).unwrap();
            let planner = Planner::new(problem, PlanOptions::auto(1));
            let plan = planner.run(&Budget::evaluations(1 << 10), |_| {}).unwrap();
            verify(&problem, plan.schedule()).unwrap();
            plan.lower_bound().check(&problem).unwrap();
            let gap = plan.step_count() - plan.lower_bound().steps;
            let verdict = if gap == 0 { Verdict::Optimal } else { Verdict::Gap(gap.into()) };
            assert_eq!(plan.verdict(), verdict, "{file} {name} {model}");
        }
    }
}
