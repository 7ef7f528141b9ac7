//! The last step as a maximum flow.

use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::Budget;

use crate::kit::plane_torus::{PORTS, PlaneTorus};

/// Returns paths of one or two channels, as slots, that share no channel, from holders to all other places; `None` if
/// there are none.
///
/// A unit flows to a holder, to a neighbour without the message, and ends there or at a neighbour of this place. So a
/// channel is the first of a path if its tail is a holder, and the second one otherwise. Second channels along a cycle
/// of three nodes are left out, so that all paths are shortest. Takes one maximum flow of unit capacities: `O(N sqrt N)`
/// time.
pub(super) fn last_step(torus: PlaneTorus, is_holder: &[bool], budget: &Budget) -> Option<Vec<Vec<usize>>> {
    let nodes = torus.node_count();
    // Node `v` of the flow is the place `v` as a holder or on the way, and node `nodes + v` the place as a receiver.
    let (source, sink) = (2 * nodes, 2 * nodes + 1);
    let mut network = FlowNetwork::new(2 * nodes + 2);
    let mut arc_of_slot: Vec<Option<ArcId>> = vec![None; PORTS * nodes];
    let mut ending_arc: Vec<Option<ArcId>> = vec![None; nodes];
    for place in 0..nodes {
        // The first arcs of a place are preferred: most paths have one channel.
        if is_holder[place] {
            network.add_arc(source, place, PORTS as u32);
        } else {
            ending_arc[place] = Some(network.add_arc(place, nodes + place, 1));
            network.add_arc(nodes + place, sink, 1);
        }
        let first_end = if is_holder[place] { 0 } else { nodes };
        for port in 0..PORTS {
            let head = torus.neighbour(place, port);
            let is_shortest = is_holder[place] || torus.sides()[port / 2] > 3;
            if !is_holder[head] && is_shortest {
                arc_of_slot[PORTS * place + port] = Some(network.add_arc(place, first_end + head, 1));
            }
        }
    }
    while network.augment(source, sink).is_some() {
        if budget.interruption().is_some() {
            return None;
        }
    }
    let carries = |arc: Option<ArcId>| arc.is_some_and(|arc| network.flow(arc) > 0);
    let mut paths = Vec::new();
    for place in (0..nodes).filter(|&place| !is_holder[place]) {
        let enters = |port: usize| {
            let tail = torus.neighbour(place, port);
            let slot = PORTS * tail + (port ^ 1);
            (is_holder[tail] && carries(arc_of_slot[slot])).then_some(slot)
        };
        let mut entering = (0..PORTS).filter_map(enters);
        if carries(ending_arc[place]) {
            paths.push(vec![entering.next()?]);
        }
        for slot in (PORTS * place..).take(PORTS).filter(|&slot| carries(arc_of_slot[slot])) {
            paths.push(vec![entering.next()?, slot]);
        }
    }
    let receivers = is_holder.iter().filter(|&&holds| !holds).count();
    (paths.len() == receivers).then_some(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(sides: [u32; 2], holders: &[[i64; 2]]) -> Option<Vec<Vec<usize>>> {
        let torus = PlaneTorus::new(sides).unwrap();
        let mut is_holder = vec![false; torus.node_count()];
        for &holder in holders {
            is_holder[torus.place(holder)] = true;
        }
        last_step(torus, &is_holder, &Budget::unlimited())
    }

    #[test]
    fn a_perfect_code_reaches_all_neighbours() {
        let code: Vec<[i64; 2]> = (0..5).flat_map(|x| (0..2).map(move |y| [x, 2 * x + 5 * y])).collect();
        let paths = last([5, 10], &code).unwrap();
        assert_eq!(paths.len(), 40);
        assert!(paths.iter().all(|path| path.len() == 1));
    }

    #[test]
    fn holders_in_one_place_do_not_reach_the_others() {
        assert_eq!(last([5, 5], &[[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]), None);
        assert_eq!(last([5, 5], &[[0, 0]]), None);
    }

    #[test]
    fn no_path_goes_around_a_cycle_of_three_nodes() {
        let torus = PlaneTorus::new([3, 4]).unwrap();
        for path in last([3, 4], &[[0, 0], [1, 2], [2, 1]]).unwrap() {
            let axes: Vec<usize> = path.iter().map(|slot| slot % PORTS / 2).collect();
            assert!(axes != [0, 0] && path.iter().all(|&slot| slot < PORTS * torus.node_count()));
        }
    }
}
