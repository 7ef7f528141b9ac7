//! The check of bounds on Cayley graphs, in which all nodes are alike.

use std::collections::VecDeque;

use lockstep_schedule::{CollectiveName, CommunicationModel, Switching};
use lockstep_topology::{CayleyGraph, NodeId};

use super::refusal::{Checked, expect, steps_of};
use crate::certificate::{Certificate, Direction, LowerBound};
use crate::error::CertificateError;
use crate::rule::Rule;

/// Larger graphs are not searched: the search takes 4 bytes per node.
const MAX_SEARCHED_NODES: u64 = 1 << 24;

impl LowerBound {
    /// Verifies that the certificate proves the bound for an all-gather or all-to-all on a Cayley graph.
    ///
    /// Takes time linear in the node set for a cut. For distances, it takes time linear in the channels of the graph,
    /// which may have up to 2^24 nodes.
    ///
    /// # Errors
    ///
    /// [`CertificateError`] as for [`check`](Self::check).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockstep_certificate::{Certificate, Direction, LowerBound, Rule};
    /// use lockstep_schedule::{CollectiveName, CommunicationModel};
    /// use lockstep_topology::{CayleyGraph, NodeId};
    ///
    /// let cube: CayleyGraph = "hypercube:10".parse()?;
    /// let (nodes, direction) = (vec![NodeId::new(0)], Direction::In);
    /// let certificate = Certificate::Cut { nodes, direction, messages: 1023, per_step: 10 };
    /// let bound = LowerBound { steps: 103, rule: Rule::Ports, certificate };
    /// bound.check_symmetric(&cube, CollectiveName::AllGather, CommunicationModel::wormhole())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_symmetric(
        &self,
        graph: &CayleyGraph,
        collective: CollectiveName,
        model: CommunicationModel,
    ) -> Result<(), CertificateError> {
        let steps = CayleyProblem::new(graph, collective, model).and_then(|problem| problem.steps_proved(self));
        let checked = steps.and_then(|steps| expect("steps", self.steps.into(), steps.min(u32::MAX.into())));
        checked.map_err(|refusal| refusal.by(self.rule))
    }
}

/// An all-gather or all-to-all on a Cayley graph.
struct CayleyProblem<'a> {
    graph: &'a CayleyGraph,
    node_count: u64,
    is_scatter: bool,
    switching: Switching,
    /// Number of transfers that a node can start or finish in one step.
    ports: u64,
}

impl<'a> CayleyProblem<'a> {
    fn new(graph: &'a CayleyGraph, collective: CollectiveName, model: CommunicationModel) -> Checked<Self> {
        let is_scatter = match collective {
            CollectiveName::AllGather => false,
            CollectiveName::AllToAll => true,
            _ => return Err("the collective must be an all-gather or an all-to-all".into()),
        };
        let ports = model.ports.of_degree(graph.degree()) as u64;
        Ok(Self { graph, node_count: graph.node_count(), is_scatter, switching: model.switching, ports })
    }

    fn steps_proved(&self, bound: &LowerBound) -> Checked<u64> {
        match (bound.rule, &bound.certificate) {
            (Rule::Ports | Rule::Cut, Certificate::Cut { nodes, direction, messages, per_step }) => {
                self.cut(bound.rule, nodes, *direction, [*messages, *per_step])
            }
            (Rule::Eccentricity, Certificate::Eccentricity { node, direction, distance, messages, ports }) => {
                self.eccentricity(*node, *direction, *distance, [*messages, *ports])
            }
            (Rule::DistanceSum, Certificate::DistanceSum { channel_uses, per_step }) if self.is_scatter => {
                self.distance_sum([*channel_uses, *per_step])
            }
            _ => Err("the facts belong to another rule or collective".into()),
        }
    }

    fn cut(&self, rule: Rule, set: &[NodeId], direction: Direction, claimed: [u64; 2]) -> Checked<u64> {
        set.iter().try_for_each(|&node| self.expect_node(node))?;
        if let Some(pair) = set.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(CertificateError::NodeOrder { node: pair[1] }.into());
        }
        if rule == Rule::Ports && set.len() != 1 {
            return Err("the set must be one terminal".into());
        }
        if set.len() > 1 && self.node_count > MAX_SEARCHED_NODES {
            return Err("the network is too large for a cut".into());
        }
        let (inside, outside) = (set.len() as u64, self.node_count - set.len() as u64);
        let [into, out] =
            if self.is_scatter { [inside * outside; 2] } else { [outside * inside.min(1), inside * outside.min(1)] };
        // For each generator, the same number of channels leads into the set and out of it.
        let channels = self.leaving(set);
        let limit = if set.len() == 1 { channels.min(self.ports) } else { channels };
        let (crossing, limit) = match direction {
            Direction::In => (into, limit),
            Direction::Out => (out, limit),
            // A Cayley graph has at most 2^63 nodes, so the sum does not overflow.
            Direction::Both => (into + out, 2 * limit),
        };
        expect("messages that must cross", claimed[0], crossing)?;
        expect("crossings in one step", claimed[1], limit)?;
        steps_of(crossing, limit)
    }

    fn eccentricity(&self, node: NodeId, direction: Direction, distance: u32, claimed: [u64; 2]) -> Checked<u64> {
        self.expect_node(node)?;
        if self.switching != Switching::StoreAndForward {
            return Err("a wormhole transfer crosses many channels in one step".into());
        }
        if direction == Direction::Both {
            return Err("the direction must be in or out".into());
        }
        if distance == 0 {
            return Err("a message crosses one channel or more".into());
        }
        let far = self.distances()?.iter().filter(|&&channels| channels >= distance).count() as u64;
        // In an all-gather, a source has one message for all receivers.
        let is_one = !self.is_scatter && direction == Direction::Out;
        let travelling = if is_one { far.min(1) } else { far };
        expect("messages that travel this far", claimed[0], travelling)?;
        expect("ports of the terminal", claimed[1], self.ports)?;
        Ok(steps_of(travelling, self.ports)? + u64::from(distance) - 1)
    }

    fn distance_sum(&self, [channel_uses, per_step]: [u64; 2]) -> Checked<u64> {
        let sum: u64 = self.distances()?.iter().map(|&channels| u64::from(channels)).sum();
        let crossed = sum.checked_mul(self.node_count).ok_or("the sum of distances is too large")?;
        expect("channels crossed", channel_uses, crossed)?;
        let crossings = match self.switching {
            Switching::Wormhole => self.graph.degree() as u64,
            Switching::StoreAndForward => self.ports,
        };
        expect("channels crossed in one step", per_step, self.node_count * crossings)?;
        steps_of(crossed, per_step)
    }

    fn expect_node(&self, node: NodeId) -> Checked {
        if u64::from(node.number()) < self.node_count {
            return Ok(());
        }
        let node_count = usize::try_from(self.node_count).unwrap_or(usize::MAX);
        Err(CertificateError::UnknownNode { node: node.number(), node_count }.into())
    }

    /// Returns the distances of all nodes from element 0. From any other node, they are the same in another order.
    fn distances(&self) -> Checked<Vec<u32>> {
        if self.node_count > MAX_SEARCHED_NODES {
            return Err("the network is too large to be searched".into());
        }
        let mut distance = vec![u32::MAX; self.node_count as usize];
        distance[0] = 0;
        let mut queue = VecDeque::from([0]);
        while let Some(node) = queue.pop_front() {
            for &generator in self.graph.generators() {
                let next = self.graph.add(node, generator);
                if distance[next as usize] == u32::MAX {
                    distance[next as usize] = distance[node as usize] + 1;
                    queue.push_back(next);
                }
            }
        }
        if distance.contains(&u32::MAX) {
            return Err("the generators do not reach every node".into());
        }
        Ok(distance)
    }

    /// Returns the number of channels out of a node set.
    fn leaving(&self, set: &[NodeId]) -> u64 {
        let is_inside = |node: u64| u32::try_from(node).is_ok_and(|node| set.binary_search(&NodeId::new(node)).is_ok());
        let generators = self.graph.generators();
        let heads = set
            .iter()
            .flat_map(|node| generators.iter().map(|&generator| self.graph.add(u64::from(node.number()), generator)));
        heads.filter(|&head| !is_inside(head)).count() as u64
    }
}
