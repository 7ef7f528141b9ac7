use lockstep_topology::{Topology, strategy};
use proptest::prelude::*;

use super::*;
use crate::picks;

/// A gap of 0.1 %.
const GOAL: ThroughputGoal = ThroughputGoal { gap: 1e-3, searches: 20_000 };

fn of(graph: &Graph) -> Throughput {
    ThroughputSearch::default().measure(graph, &[], GOAL).unwrap()
}

#[test]
fn the_picks_have_the_throughput_of_the_document() {
    for (pick, expected) in [(0, 1.676), (1, 0.954), (3, 3.875), (4, 7.15), (5, 6.64)] {
        let t = std::time::Instant::now();
        let found = of(&picks::graph(&picks::ALL[pick]));
        println!("{found:?} {:?}", t.elapsed());
        assert!(found.gap() <= GOAL.gap);
        let rounding = 5e-3;
        assert!(found.lower <= expected + rounding && found.upper >= expected - rounding, "{found:?}, not {expected}");
    }
}
