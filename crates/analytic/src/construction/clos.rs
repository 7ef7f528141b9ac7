//! Clos's three-stage networks.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::Construction;
use crate::kit::cyclic_shifts::{CyclicShifts, by_shifts};
use crate::kit::edge_colouring::bipartite_edge_colouring;
use crate::kit::path_list::PathList;
use crate::kit::stages::stages;

/// Rearrangeable Clos networks.
pub(crate) const CLOS: Construction = Construction {
    name: "clos",
    about: "cyclic shifts on three-stage Clos networks with no fewer middle switches than inputs a switch",
    construct: |problem, _, budget| by_shifts(problem, budget, ClosNetwork::recognise),
};

/// A one-way network of three stages where each outer switch has one channel from or to each middle switch, of which
/// there are no fewer than terminals at an outer switch.
///
/// It passes every permutation: transfers are edges between their input and output switches, and a colour of edges that
/// do not meet is a middle switch. The groups of terminals at input and at output switches may differ.
///
/// **Source**: the Slepian-Duguid theorem; Beneš, *Mathematical Theory of Connecting Networks and Telephone Traffic*
/// (1965), by König's theorem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ClosNetwork {
    /// The ranks `0..`: any order will do.
    ranks: Vec<u32>,
    /// The place of the switch behind and before each terminal in its stage.
    input: Vec<u32>,
    output: Vec<u32>,
    injection: Vec<ChannelId>,
    ejection: Vec<ChannelId>,
    middle_count: usize,
    /// By input switch and middle switch.
    first: Vec<ChannelId>,
    /// By middle switch and output switch.
    second: Vec<ChannelId>,
    output_count: usize,
}

impl ClosNetwork {
    /// The Clos network that this network is, or `None`.
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

/// The channels from each switch of a stage to the switches of the next in their order, if there is one to each.
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

    /// Takes the pairs of any permutation.
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
