//! The partition of the terminals that limits an all-reduce most.

use fixedbitset::FixedBitSet;
use lockstep_schedule::Problem;
use lockstep_topology::NodeId;

use crate::groups;
use crate::resource_flow::ResourceFlow;
use crate::transfer_rules::TransferRules;

/// The largest number of parts, times nodes and channels.
const MAX_WORK: usize = 1 << 22;

/// The largest number of partitions that are compared.
const MAX_ROUNDS: usize = 16;

/// Units per transfer: quotients are rounded up to a multiple of its inverse.
const MAX_UNITS: u64 = 1 << 10;

/// A capacity that no cut reaches.
const UNLIMITED: u32 = u32::MAX;

/// Returns the partition with the smallest quotient of the channels out of its groups and the number of groups without one. Returns
/// `None` if single [parts](finest_parts) have the smallest one.
///
/// Each group has the nodes of a minimum cut around its terminals. In networks whose channels are as wide in both directions, no
/// partition into unions of parts has a smaller quotient, apart from rounding; in others, it may not be the smallest.
///
/// Dinkelbach's method: a partition is better than a quotient `q` if its cuts less `q` per group are less than `-q`. The sum of
/// the cuts, each less `q`, is smallest for the partition that the greedy algorithm of Dilworth truncation finds, with a flow
/// per part. Takes a few rounds of `2 P` flows for `P` parts.
///
/// # Source
///
/// Cunningham, "Optimal attack and reinforcement of a network", *J. ACM* 32 (1985); Frank and Tardos, "Generalized polymatroids
/// and submodular flows", *Mathematical Programming* 42 (1988).
pub(crate) fn tightest(problem: &Problem<'_>, rules: TransferRules<'_>) -> Option<Vec<Vec<NodeId>>> {
    let mut search = Search::new(problem, rules)?;
    let mut quotient = search.quotient(&search.parts)?;
    let mut best = None;
    for _ in 0..MAX_ROUNDS {
        let groups = search.groups(quotient);
        let Some(smaller) = search.quotient(&groups).filter(|&found| is_less(found, quotient)) else { break };
        (quotient, best) = (smaller, Some(groups));
    }
    best
}

/// A numerator and a denominator.
type Quotient = [u64; 2];

fn is_less(one: Quotient, other: Quotient) -> bool {
    u128::from(one[0]) * u128::from(other[1]) < u128::from(other[0]) * u128::from(one[1])
}

/// Returns the terminals, or else the terminals of each host, or else those that wide channels connect: the first with little
/// work.
fn finest_parts(problem: &Problem<'_>, rules: TransferRules<'_>) -> Option<Vec<Vec<NodeId>>> {
    let topology = problem.topology();
    let size = topology.node_count() + topology.channel_count();
    let terminals_of = |group: Vec<NodeId>| group.into_iter().filter(|&node| topology.is_terminal(node)).collect();
    let single = topology.terminals().iter().map(|&terminal| vec![terminal]).collect();
    let by_capacity = groups::by_capacity(problem, rules).into_iter().rev();
    let by_capacity = by_capacity.map(|groups| groups.into_iter().map(terminals_of).collect());
    let mut partitions = [single, groups::by_host(topology)].into_iter().chain(by_capacity);
    partitions.find(|parts: &Vec<_>| parts.len() > 2 && parts.len().saturating_mul(size) <= MAX_WORK)
}

/// Terminals that are divided into groups.
struct Search<'a> {
    rules: TransferRules<'a>,
    /// The sets of terminals that are not divided further.
    parts: Vec<Vec<NodeId>>,
    /// The nodes of a part are one vertex: its first node. Each part can supply and demand.
    flow: ResourceFlow,
    /// Units per transfer.
    units: u32,
}

impl<'a> Search<'a> {
    fn new(problem: &Problem<'a>, rules: TransferRules<'a>) -> Option<Self> {
        let topology = problem.topology();
        let parts = finest_parts(problem, rules)?;
        let mut vertex: Vec<NodeId> = topology.nodes().collect();
        for part in &parts {
            for node in part {
                vertex[node.index()] = part[0];
            }
        }
        let mut flow = ResourceFlow::new(topology, |channel| {
            let ends = [topology.tail(channel), topology.head(channel)].map(|node| vertex[node.index()]);
            [Some(ends.map(ResourceFlow::at)).filter(|_| ends[0] != ends[1] && rules.carries(channel)), None]
        });
        for part in &parts {
            flow.supply(part[0], 0);
            flow.demand(part[0], 0);
        }
        let out_of =
            |part: &Vec<NodeId>| rules.room(part.iter().flat_map(|&node| topology.out_channels(node)).copied());
        let most = parts.iter().map(out_of).max()?;
        // Twice a cut is less than the capacity of an arc.
        let units = (u64::from(UNLIMITED) / 4 / most.max(1)).clamp(1, MAX_UNITS) as u32;
        Some(Self { rules, parts, flow, units })
    }

    /// Returns the transfers out of these groups in one step, and the number of groups without one. `None` for one group.
    fn quotient(&self, groups: &[Vec<NodeId>]) -> Option<Quotient> {
        let others = groups.len().checked_sub(1).filter(|&others| others > 0)?;
        Some([groups::room_between(self.rules, groups), others as u64])
    }

    /// Returns the groups with the smallest sum of their cuts, each less a quotient.
    fn groups(&mut self, [cuts, others]: Quotient) -> Vec<Vec<NodeId>> {
        let price = (u128::from(cuts) * u128::from(self.units)).div_ceil(others.into());
        let blocks = self.blocks(price.min(UNLIMITED.into()) as i64);
        let mut groups: Vec<Vec<NodeId>> = Vec::with_capacity(blocks.len());
        let mut is_taken = FixedBitSet::with_capacity(self.rules.topology.node_count());
        for block in &blocks {
            let is_inside = |part: usize| block.binary_search(&part).is_ok();
            let ends = (0..self.parts.len()).map(|part| if is_inside(part) { [UNLIMITED, 0] } else { [0, UNLIMITED] });
            let (_, side) = self.cut(ends.flatten().collect());
            let topology = self.rules.topology;
            let of_block = block.iter().flat_map(|&part| self.parts[part].iter().copied());
            let between = topology.nodes().filter(|&node| !topology.is_terminal(node) && side.contains(node.index()));
            let mut group: Vec<NodeId> = of_block.chain(between).filter(|node| !is_taken.put(node.index())).collect();
            group.sort_unstable();
            groups.push(group);
        }
        groups
    }

    /// Returns the blocks of parts with the smallest sum of their cuts, each less a price, in units. One part after the other gets
    /// the largest weight with which no set of parts weighs more than its cut less the price.
    fn blocks(&mut self, price: i64) -> Vec<Vec<usize>> {
        let count = self.parts.len();
        let mut weight: Vec<i64> = Vec::with_capacity(count);
        let mut block: Vec<usize> = (0..count).collect();
        for part in 0..count {
            let of_earlier = weight.iter().map(|&weight| {
                let size = |weight: i64| u32::try_from(weight).unwrap_or(if weight < 0 { 0 } else { UNLIMITED });
                [size(weight), size(-weight)]
            });
            let of_later = std::iter::repeat_n([0, UNLIMITED], count - part - 1);
            let ends = of_earlier.chain([[UNLIMITED, 0]]).chain(of_later);
            let (flow, side) = self.cut(ends.flatten().collect());
            let positive: i64 = weight.iter().filter(|&&weight| weight > 0).sum();
            weight.push(flow - positive - price);
            let joined: Vec<usize> = (0..part)
                .filter(|&other| side.contains(self.parts[other][0].index()))
                .map(|other| block[other])
                .collect();
            for block in block[..part].iter_mut().filter(|block| joined.contains(block)) {
                *block = part;
            }
        }
        let mut blocks = vec![Vec::new(); count];
        for (part, &block) in block.iter().enumerate() {
            blocks[block].push(part);
        }
        blocks.retain(|block| !block.is_empty());
        blocks
    }

    /// Returns the size of a minimum cut for the supply and the demand of each part, and the nodes that the supplies reach.
    fn cut(&mut self, ends: Vec<u32>) -> (i64, FixedBitSet) {
        let topology = self.rules.topology;
        self.flow.replace_ends(ends);
        let flow = self.flow.flow(self.units, ResourceFlow::source(topology), ResourceFlow::sink(topology));
        let mut side = self.flow.far_side();
        side.toggle_range(..);
        (i64::try_from(flow).unwrap_or(i64::MAX / 4), side)
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel};
    use lockstep_topology::{Topology, TopologyBuilder};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;

    /// Returns the smallest quotient of all partitions of the terminals into groups with all divisions of the other nodes.
    fn least_quotient(topology: &Topology, rules: TransferRules<'_>) -> Quotient {
        let mut best = [u64::MAX, 1];
        let mut group = vec![0_usize; topology.node_count()];
        loop {
            let mut groups: Vec<Vec<NodeId>> = vec![Vec::new(); topology.node_count() + 1];
            for node in topology.nodes() {
                groups[group[node.index()]].push(node);
            }
            groups.retain(|nodes| nodes.iter().any(|&node| topology.is_terminal(node)));
            if groups.len() > 1 {
                let found = [groups::room_between(rules, &groups), groups.len() as u64 - 1];
                if is_less(found, best) {
                    best = found;
                }
            }
            // The next sequence in which each number is at most one more than those before it.
            let Some(last) = (1..group.len()).rev().find(|&node| group[node] <= *group[..node].iter().max().unwrap())
            else {
                return best;
            };
            group[last] += 1;
            group[last + 1..].fill(0);
        }
    }

    /// Generates connected networks of 3 to 8 nodes, 3 or more of them terminals. All links are as wide in both directions.
    fn network() -> impl Strategy<Value = Topology> {
        let node = (any::<Index>(), 1..6_u64, any::<bool>());
        let link = (any::<Index>(), any::<Index>(), 1..6_u64);
        (vec(node, 3..=8), vec(link, 0..10)).prop_map(|(nodes, links)| {
            let mut network = TopologyBuilder::new("links");
            let link = |network: &mut TopologyBuilder, ends: [NodeId; 2], capacity| {
                let channels = network.link(ends[0], ends[1]);
                network.set_capacity(channels, capacity);
            };
            let mut all: Vec<NodeId> = Vec::new();
            for (place, (before, capacity, is_terminal)) in nodes.into_iter().enumerate() {
                let node = network.node(place.to_string(), is_terminal || place < 3, Some(true));
                if place > 0 {
                    link(&mut network, [*before.get(&all), node], capacity);
                }
                all.push(node);
            }
            for (one, other, capacity) in links {
                let ends = [*one.get(&all), *other.get(&all)];
                if ends[0] != ends[1] {
                    link(&mut network, ends, capacity);
                }
            }
            network.build().unwrap()
        })
    }

    proptest! {
        /// The enumeration has nodes outside of all groups, too: those of groups without terminals.
        #[test]
        fn no_partition_has_a_smaller_quotient(topology in network()) {
            let collective = Collective::all_reduce();
            let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
            let rules = TransferRules::new(&problem);
            let search = Search::new(&problem, rules).unwrap();
            let found = tightest(&problem, rules).unwrap_or_else(|| search.parts.clone());
            let (found, least) = (search.quotient(&found).unwrap(), least_quotient(&topology, rules));
            prop_assert!(!is_less(least, found), "{least:?} is less than {found:?}");
        }
    }

    /// Three servers of eight GPUs: 300 GB/s between them, PCIe of 24 GB/s to four network cards of 25 GB/s. The order of the
    /// nodes is `shift`.
    fn servers(shift: usize) -> Topology {
        let mut network = TopologyBuilder::new("servers");
        let mut names: Vec<String> = Vec::new();
        for server in 0..3 {
            names.extend((0..8).map(|gpu| format!("gpu {server} {gpu}")));
            names.extend((0..4).flat_map(|card| [format!("pcie {server} {card}"), format!("card {server} {card}")]));
            names.push(format!("nvswitch {server}"));
        }
        names.extend((0..4).map(|rail| format!("rail {rail}")));
        let count = names.len();
        let mut nodes = vec![NodeId::new(0); count];
        for place in (0..count).map(|place| place * shift % count) {
            let is_terminal = names[place].starts_with("gpu");
            nodes[place] = network.node(place.to_string(), is_terminal, Some(true));
        }
        let at = |name: String| nodes[names.iter().position(|known| *known == name).unwrap()];
        let mut link = |one: String, other: String, capacity| {
            let channels = network.link(at(one), at(other));
            network.set_capacity(channels, capacity);
        };
        for server in 0..3 {
            for gpu in 0..8 {
                link(format!("gpu {server} {gpu}"), format!("nvswitch {server}"), 300);
                link(format!("gpu {server} {gpu}"), format!("pcie {server} {}", gpu / 2), 24);
            }
            for card in 0..4 {
                link(format!("pcie {server} {card}"), format!("card {server} {card}"), 25);
                link(format!("card {server} {card}"), format!("rail {card}"), 25);
            }
        }
        network.build().unwrap()
    }

    #[test]
    fn servers_are_found_behind_thin_paths_to_their_cards() {
        for shift in [1, 7, 31] {
            let topology = servers(shift);
            let collective = Collective::all_reduce();
            let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
            let rules = TransferRules::new(&problem);
            let groups = tightest(&problem, rules).unwrap();
            assert_eq!(Search::new(&problem, rules).unwrap().quotient(&groups), Some([300, 2]));
        }
    }
}
