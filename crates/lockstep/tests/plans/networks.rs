//! Networks from files, under every model.

use std::num::NonZeroU32;

use lockstep::schedule::Ports;
use lockstep::{Budget, CollectiveName, CommunicationModel, PlanOptions, Planner, Problem, Verdict, verify};

use crate::network;

/// Every collective, wormhole and store-and-forward switching, all ports or one, full and half duplex.
#[test]
fn every_collective_is_planned_under_every_model() {
    let mut plans = 0;
    for file in ["directed.edges", "indirect.edges", "irregular.edges"] {
        let full = network(file);
        for topology in [full.half_duplex(), full] {
            for name in CollectiveName::ALL {
                let root = name.has_root().then(|| topology.terminals()[1]);
                let collective = name.with_root(root).unwrap();
                for base in [CommunicationModel::wormhole(), CommunicationModel::store_and_forward()] {
                    for ports in [Ports::All, Ports::Limit(NonZeroU32::MIN)] {
                        let model = CommunicationModel { ports, ..base };
                        let problem = Problem::new(&topology, &collective, model).unwrap();
                        let planner = Planner::new(problem, PlanOptions::auto(1));
                        let plan = planner.run(&Budget::evaluations(1 << 10), |_| {}).unwrap();
                        verify(&problem, plan.schedule()).unwrap();
                        plan.lower_bound().check(&problem).unwrap();
                        let gap = plan.step_count() - plan.lower_bound().steps;
                        let verdict = if gap == 0 { Verdict::Optimal } else { Verdict::Gap(gap.into()) };
                        assert_eq!(plan.verdict(), verdict, "{file} {name} {model}");
                        plans += 1;
                    }
                }
            }
        }
    }
    assert_eq!(plans, 3 * 2 * CollectiveName::ALL.len() * 2 * 2);
}
