//! The load of the best fractional packing of trees of transfers, proved by lengths of resources and ports.

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::Problem;

use crate::demand::Demand;
use crate::length_search::{LengthSearch, MAX_ENTRIES, Packing, entries_of_network};
use crate::multicasts::Multicasts;
use crate::request::BoundRequest;
use crate::transfer_rules::TransferRules;
use crate::transfers::Ends;
use crate::trees::{entries_of_tree, shortest_tree};

pub(crate) const BUILDS_ON: &[Rule] = &[Rule::Ports, Rule::Volume, Rule::Cut, Rule::Reception, Rule::ArcForwarding];

/// Computes a lower bound on the largest load in any fractional packing of trees: for each message, transfers that bring
/// it from its source to all receivers.
///
/// It follows from the duality of linear programs. Give a length to every resource and to the ports of every terminal. A
/// transfer is as long as its path and the ports at its ends. Then the number of steps is at least the total length of
/// the shortest trees of all messages, divided by the total length of all resources and ports. Lengths of the channels
/// of a [cut](super::cut) give that cut; equal lengths of all ports give the [volume](super::volume).
///
/// First, equal lengths of all resources or of all ports are tried. Then a [linear program](LengthProgram) finds lengths
/// that prove one step more: the shortest trees by the lengths of its solution are new inequalities, until there is no
/// solution. Transfers and steps may count by whole [units](lockstep_certificate::Certificate::Lengths) of length: seven hosts
/// with half-duplex links to a switch make three transfers in a step, not three and a half. The bound must exceed those of the
/// rules that it builds on. Applies to two or more messages. The tree of a direct message is one transfer.
///
/// Takes `O(N^2)` time per source and evaluation for `N` terminals, within a fixed amount of work.
///
/// # Source
///
/// Lockstep. The duality: Edmonds, "Edge-disjoint branchings", *Combinatorial Algorithms* (1973); in undirected networks,
/// Nash-Williams (1961) and Tutte (1961).
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let proved = request.proved_by(BUILDS_ON);
    if problem.messages().len() == 1 || proved >= request.enough {
        return None;
    }
    let packing = Trees::new(problem, request)?;
    LengthSearch::new(problem, packing, proved, request).bound(Rule::TreePacking)
}

/// The trees of all messages.
struct Trees {
    terminals: usize,
    /// Whether the tree of every message is one transfer.
    is_direct: bool,
    multicasts: Vec<Multicasts>,
    entries: usize,
}

impl Trees {
    /// `None` if the problem is too large, or once the time of the request is over.
    fn new(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<Self> {
        let (demand, terminals) = (Demand::new(problem), problem.topology().terminal_count());
        let is_direct = TransferRules::new(problem).is_direct();
        let mut entries = entries_of_network(problem)?;
        for source in demand.sources() {
            if request.is_over() {
                return None;
            }
            for multicast in demand.from(source) {
                entries += if is_direct { 1 } else { entries_of_tree(terminals, multicast.count) };
                if entries > MAX_ENTRIES {
                    return None;
                }
            }
        }
        Some(Self { terminals, is_direct, multicasts: Multicasts::all(problem, &demand, request)?, entries })
    }

    /// Returns the messages of each source.
    fn by_source(&self) -> impl Iterator<Item = &[Multicasts]> {
        self.multicasts.chunk_by(|a, b| a.source == b.source)
    }
}

impl Packing for Trees {
    fn parts(&self) -> usize {
        self.by_source().count()
    }

    fn entries(&self) -> usize {
        self.entries
    }

    fn distance(
        &self,
        transfer: &[f64],
        request: &BoundRequest<'_>,
        visit: &mut dyn FnMut(usize, &[Ends], f64),
    ) -> Option<f64> {
        let (mut total, mut tree) = (0.0, Vec::new());
        for (place, of_source) in self.by_source().enumerate() {
            for Multicasts { source, receivers, count } in of_source {
                if request.is_over() {
                    return None;
                }
                tree.clear();
                let length = if self.is_direct {
                    tree.push([*source, receivers[0]]);
                    transfer[source * self.terminals + receivers[0]]
                } else {
                    shortest_tree(transfer, self.terminals, *source, receivers, &mut tree)?
                };
                total += count * length;
                visit(place, &tree, *count);
            }
        }
        Some(total)
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Budget, Collective, CommunicationModel};
    use lockstep_topology::Topology;

    use super::*;
    use crate::request::ProvedSteps;
    use crate::transfers::{TransferNetwork, Transfers};

    /// Millions of messages take seconds before the first evaluation of lengths.
    #[test]
    fn the_preparation_ends_with_the_time() {
        let torus: Topology = "torus:4x4".parse().unwrap();
        let exchange = Collective::all_to_all();
        let problem = Problem::new(&torus, &exchange, CommunicationModel::wormhole()).unwrap();
        let (proved, ended) = (ProvedSteps::default(), Budget::seconds(0));
        let network = TransferNetwork::new(&problem);
        let lengths = vec![1.0; network.capacity.len()];
        let results = [BoundRequest::unlimited(&proved), BoundRequest::new(u32::MAX, &proved, &ended)].map(|request| {
            let multicasts = Multicasts::all(&problem, &Demand::new(&problem), &request);
            let transfers = Transfers::default().compute(&network, &lengths, &request);
            [Trees::new(&problem, &request).is_some(), multicasts.is_some(), transfers.is_some()]
        });
        assert_eq!(results, [[true; 3], [false; 3]]);
    }
}
