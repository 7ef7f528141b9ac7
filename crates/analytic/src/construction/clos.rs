//! Three-stage Clos networks.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::Construction;
use crate::kit::cyclic_shifts::{CyclicShifts, by_shifts};
use crate::kit::edge_colouring::bipartite_edge_colouring;
use crate::kit::path_list::PathList;
use crate::kit::stages::stages;

/// Cyclic shifts on rearrangeable Clos networks, under any numbering.
///
/// Takes `ceil(log2 N)` steps for a broadcast, and `N - 1` for a scatter, all-gather or all-to-all. See [`ClosNetwork`]
/// for the idea and the source.
pub(crate) const CLOS: Construction = Construction {
    name: "clos",
    about: "three-stage Clos networks with enough middle switches: broadcast, scatter, all-gather and all-to-all",
    construct: |problem, _, budget| by_shifts(problem, budget, ClosNetwork::recognise),
};

/// A one-way network of three stages.
///
/// Each outer switch has one channel from or to each middle switch. The number of middle switches is at least the
/// number of terminals at an outer switch. The groups of terminals at input and at output switches may differ.
///
/// The network passes every permutation: transfers are edges between their input and output switches, and a colour of
/// edges that share no switch is a middle switch.
///
/// Recognition takes `O(M log M)` time. Memory: 16 bytes per terminal and 4 bytes per channel. A permutation takes `O(N
/// log N)` time.
///
/// # Source
///
/// The Slepian-Duguid theorem; Beneš, *Mathematical Theory of Connecting Networks and Telephone Traffic* (1965), by
/// König's theorem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ClosNetwork {
    /// The ranks `0..`: any order is suitable.
    ranks: Vec<u32>,
    /// The index of the input switch of each terminal in its stage.
    input: Vec<u32>,
    /// The index of the output switch of each terminal in its stage.
    output: Vec<u32>,
    injection: Vec<ChannelId>,
    ejection: Vec<ChannelId>,
    middle_count: usize,
    /// The channels by input switch and middle switch.
    first: Vec<ChannelId>,
    /// The channels by middle switch and output switch.
    second: Vec<ChannelId>,
    output_count: usize,
}

impl ClosNetwork {
    /// Returns the Clos network that this network is, or `None`.
    pub(crate) fn recognise(topology: &Topology) -> Option<Self> {
        let stages: [Vec<NodeId>; 3] = stages(topology)?.try_into().ok()?;
        let mut place = vec![0; topology.node_count()];
        for stage in &stages {
            (0..).zip(stage).for_each(|(index, switch)| place[switch.index()] = index);
        }
        let [inputs, middles, outputs] = stages.each_ref().map(Vec::len);
        let degrees_fit =
            |stage: &[NodeId], degree| stage.iter().all(|&switch| topology.out_channels(switch).len() == degree);
        if !degrees_fit(&stages[0], middles) || !degrees_fit(&stages[1], outputs) {
            return None;
        }
        let terminals = topology.terminals();
        let injection: Vec<ChannelId> = terminals.iter().map(|&node| topology.out_channels(node)[0]).collect();
        let ejection: Vec<ChannelId> = terminals.iter().map(|&node| topology.in_channels(node)[0]).collect();
        let input: Vec<u32> = injection.iter().map(|&channel| place[topology.head(channel).index()]).collect();
        let output: Vec<u32> = ejection.iter().map(|&channel| place[topology.tail(channel).index()]).collect();
        let crowded = |switch_of: &[u32], count: usize| {
            let mut size = vec![0; count];
            for &switch in switch_of {
                size[switch as usize] += 1;
            }
            size.into_iter().any(|size| size > middles)
        };
        if crowded(&input, inputs) || crowded(&output, outputs) {
            return None;
        }
        Some(Self {
            ranks: (0..terminals.len() as u32).collect(),
            input,
            output,
            injection,
            ejection,
            middle_count: middles,
            first: one_to_each(topology, &stages[0], middles, &place)?,
            second: one_to_each(topology, &stages[1], outputs, &place)?,
            output_count: outputs,
        })
    }

    fn input_count(&self) -> usize {
        self.first.len() / self.middle_count
    }
}

/// Returns the channels from each switch of a stage to the switches of the next, in order, if there is exactly one to
/// each.
fn one_to_each(topology: &Topology, stage: &[NodeId], degree: usize, place: &[u32]) -> Option<Vec<ChannelId>> {
    let mut channels = Vec::with_capacity(stage.len() * degree);
    for &switch in stage {
        let start = channels.len();
        channels.extend_from_slice(topology.out_channels(switch));
        let row = &mut channels[start..];
        let head = |channel: &ChannelId| place[topology.head(*channel).index()];
        row.sort_unstable_by_key(head);
        if !row.iter().map(head).eq(0..degree as u32) {
            return None;
        }
    }
    Some(channels)
}

impl CyclicShifts for ClosNetwork {
    fn senders(&self) -> &[u32] {
        &self.ranks
    }

    fn receivers(&self) -> &[u32] {
        &self.ranks
    }

    fn longest_path(&self) -> usize {
        4
    }

    /// Accepts the pairs of any permutation.
    fn route(&self, pairs: &[(u32, u32)], paths: &mut PathList) {
        let edges: Vec<(u32, u32)> =
            pairs.iter().map(|&(from, to)| (self.input[from as usize], self.output[to as usize])).collect();
        let middle = bipartite_edge_colouring(self.input_count(), self.output_count, &edges, self.middle_count);
        for ((&(from, to), &(input, output)), &middle) in pairs.iter().zip(&edges).zip(&middle) {
            let [input, output, middle] = [input, output, middle].map(|place| place as usize);
            paths.push([
                self.injection[from as usize],
                self.first[input * self.middle_count + middle],
                self.second[middle * self.output_count + output],
                self.ejection[to as usize],
            ]);
        }
    }
}
