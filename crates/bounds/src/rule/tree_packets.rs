//! How fast packets can be passed on over a tree, exactly.

use std::cmp::Reverse;

use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;

use super::BoundRequest;
use crate::demand::Demand;
use crate::legal::Legal;
use crate::search::{Links, Search};
use lockstep_certificate::{Certificate, LowerBound, Rule};

/// The steps of the fastest broadcast over a tree: a terminal that has got the message passes it on to its neighbours that
/// have receivers behind them, as many at once as it has ports, first to those whose subtrees take longest. Takes
/// O(N log N) time.
///
/// Applies to one message under store-and-forward where links form a tree. It is the optimum where each is a wire of its
/// own, or two.
///
/// Source: Slater, Cockayne and Hedetniemi, "Information dissemination in trees", *SIAM J. Computing* 10 (1981); here for
/// any ports and receivers.
pub(crate) fn bound(problem: &Problem<'_>, _ask: &BoundRequest<'_>) -> Option<LowerBound> {
    let (topology, legal) = (problem.topology(), Legal::new(problem));
    if problem.model().switching != Switching::StoreAndForward || problem.messages().len() != 1 {
        return None;
    }
    let demand = Demand::new(problem);
    let source = *demand.sources().first()?;
    let links = Links::new(topology);
    let mut search = Search::default();
    search.everywhere(&links, source);
    let roots = search.order.iter().filter(|node| search.distance[node.index()] == 0).count();
    if links.pairs().len() + roots != topology.node_count() {
        return None;
    }
    // `None` where nobody waits for the message.
    let mut steps = vec![None; topology.node_count()];
    demand.receivers().iter().for_each(|receiver| steps[receiver.index()] = Some(0));
    for &node in search.order.iter().rev() {
        let farther = |child: &&_| search.distance[NodeId::index(**child)] > search.distance[node.index()];
        let below = links.at(node).iter().filter(farther);
        let mut below: Vec<u32> = below.filter_map(|child| steps[child.index()]).collect();
        below.sort_unstable_by_key(|&steps| Reverse(steps));
        let ports = legal.send_limit(node).max(1) as usize;
        let served = below.iter().enumerate().map(|(place, steps)| (place / ports) as u32 + 1 + steps);
        steps[node.index()] = served.max().or(steps[node.index()]);
    }
    let steps = steps[source.index()]?;
    let certificate = Certificate::TreePackets { source, steps };
    Some(LowerBound { steps, rule: Rule::TreePackets, certificate })
}
