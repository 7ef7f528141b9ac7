//! Distances of messages, by a breadth-first search that no rule uses.

use lockstep_schedule::{Problem, Routing, Switching};
use lockstep_topology::NodeId;

use super::capacity::is_usable;
use super::refusal::Checked;

/// Computes the smallest number of channels by which a message gets from a terminal to each node, in `O(N + M)` time.
pub(super) fn distances_from(problem: &Problem<'_>, source: NodeId) -> Vec<Option<u32>> {
    distances(problem, source, false)
}

/// Computes the smallest number of channels by which a message gets from each node to a terminal, in `O(N + M)` time.
pub(super) fn distances_to(problem: &Problem<'_>, receiver: NodeId) -> Vec<Option<u32>> {
    distances(problem, receiver, true)
}

/// Visits of nodes and channels that the searches of one check may take: about a minute. No rule makes a certificate
/// that takes more than half of it.
const MAX_VISITS: u64 = 1 << 31;

/// Refuses a check that needs a search from too many sources.
pub(super) fn expect_few_searches(problem: &Problem<'_>, sources: usize) -> Checked {
    let size = (problem.topology().node_count() + problem.topology().channel_count()) as u64;
    if size.saturating_mul(sources as u64) > MAX_VISITS {
        return Err("the distances from all sources take too long to compute again".into());
    }
    Ok(())
}

/// Returns true if every legal path of a direct message has the fewest channels of all paths to its end.
///
/// Minimal routing requires it, unless channels between different pairs of nodes share a resource. Then a path with the
/// fewest channels may use a resource twice, which is illegal, and legal paths can be longer.
pub(super) fn takes_fewest_channels(problem: &Problem<'_>) -> bool {
    let (topology, model) = (problem.topology(), problem.model());
    let mut joined = vec![None; topology.resource_count()];
    let mut is_link = |channel| {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        let ends = (tail.min(head), tail.max(head));
        *joined[topology.resource(channel).index()].get_or_insert(ends) == ends
    };
    model.is_direct() && model.routing == Routing::Minimal && topology.channels().all(&mut is_link)
}

fn distances(problem: &Problem<'_>, start: NodeId, backwards: bool) -> Vec<Option<u32>> {
    let topology = problem.topology();
    let is_direct = problem.model().is_direct() && problem.messages().is_scatter();
    let mut distance = vec![None; topology.node_count()];
    distance[start.index()] = Some(0);
    let (mut reached, mut searched) = (vec![start], 0);
    while reached.len() != topology.node_count()
        && let Some(&node) = reached.get(searched)
    {
        searched += 1;
        let is_routed = problem.model().switching == Switching::Wormhole && topology.routes(node);
        let is_relayed = topology.is_terminal(node) && !is_direct;
        if node != start && !is_routed && !is_relayed {
            continue;
        }
        let next = distance[node.index()].map(|channels: u32| channels + 1);
        let leaving = if backwards { topology.in_channels(node) } else { topology.out_channels(node) };
        for &channel in leaving.iter().filter(|&&channel| is_usable(problem, channel)) {
            let end = if backwards { topology.tail(channel) } else { topology.head(channel) };
            if distance[end.index()].is_none() {
                distance[end.index()] = next;
                reached.push(end);
            }
        }
    }
    distance
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};
    use lockstep_topology::Topology;

    use super::{MAX_VISITS, expect_few_searches};

    #[test]
    fn searches_may_take_the_most_visits_and_no_more() {
        let pair: Topology = "complete:2".parse().unwrap();
        let (exchange, model) = (Collective::all_gather(), CommunicationModel::store_and_forward());
        let problem = Problem::new(&pair, &exchange, model).unwrap();
        let sources = (MAX_VISITS / 4) as usize;
        assert!(expect_few_searches(&problem, sources).is_ok());
        assert!(expect_few_searches(&problem, sources + 1).is_err());
    }
}
