//! The exact number of steps of a broadcast by packets over a tree.

use std::cmp::Reverse;

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;

use crate::bfs::{Bfs, Neighbours};
use crate::demand::Demand;
use crate::request::BoundRequest;
use crate::transfer_rules::TransferRules;

/// Computes the number of steps of the fastest broadcast over a tree.
///
/// A terminal that holds the message forwards it to its neighbours that lead to receivers. It uses all its ports, and
/// serves the neighbours with the slowest subtrees first. Applies to one message under store-and-forward if the links
/// form a tree. It is the optimum if no two links share a resource. Takes `O(N log N)` time.
///
/// # Source
///
/// Slater, Cockayne and Hedetniemi, "Information dissemination in trees", *SIAM J. Computing* 10 (1981); here for
/// any ports and receivers.
pub(crate) fn bound(problem: &Problem<'_>, _request: &BoundRequest<'_>) -> Option<LowerBound> {
    let (topology, rules) = (problem.topology(), TransferRules::new(problem));
    if problem.model().switching != Switching::StoreAndForward || problem.messages().len() != 1 {
        return None;
    }
    let demand = Demand::new(problem);
    let source = *demand.sources().first()?;
    let neighbours = Neighbours::new(topology);
    let mut bfs = Bfs::default();
    bfs.everywhere(&neighbours, source);
    let roots = bfs.order.iter().filter(|node| bfs.distance[node.index()] == 0).count();
    if neighbours.pairs().len() + roots != topology.node_count() {
        return None;
    }
    // `None` for a subtree without receivers.
    let mut steps = vec![None; topology.node_count()];
    demand.receivers().iter().for_each(|receiver| steps[receiver.index()] = Some(0));
    for &node in bfs.order.iter().rev() {
        let farther = |child: &&_| bfs.distance[NodeId::index(**child)] > bfs.distance[node.index()];
        let below = neighbours.at(node).iter().filter(farther);
        let mut below: Vec<u32> = below.filter_map(|child| steps[child.index()]).collect();
        below.sort_unstable_by_key(|&steps| Reverse(steps));
        let ports = rules.send_limit(node).max(1) as usize;
        let served = below.iter().enumerate().map(|(place, steps)| (place / ports) as u32 + 1 + steps);
        steps[node.index()] = served.max().or(steps[node.index()]);
    }
    let steps = steps[source.index()]?;
    let certificate = Certificate::TreePackets { source, steps };
    Some(LowerBound { steps, rule: Rule::TreePackets, certificate })
}
