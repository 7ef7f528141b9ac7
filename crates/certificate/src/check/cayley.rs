//! Certificates about a network that looks the same from every node.

use std::collections::VecDeque;

use lockstep_schedule::{CollectiveName, CommunicationModel, Switching};
use lockstep_topology::{CayleyGraph, NodeId};

use super::{CertificateError, Checked, expect};
use crate::certificate::{Certificate, Direction, LowerBound, Rule};

/// Larger networks are not searched.
const MAX_NODES: u64 = 1 << 24;

impl LowerBound {
    /// Whether the certificate of [`symmetric`] proves the bound, computed afresh.
    ///
    /// Takes time in proportion to the node set of a cut, or to the channels of the network for distances, of which there
    /// may be 2^24 times the degree.
    ///
    /// # Errors
    ///
    /// [`CertificateError`] as for [`check`](Self::check).
    pub fn check_symmetric(
        &self,
        graph: &CayleyGraph,
        collective: CollectiveName,
        model: CommunicationModel,
    ) -> Result<(), CertificateError> {
        let nodes = graph.node_count();
        let is_scatter = match collective {
            CollectiveName::AllToAllBroadcast => false,
            CollectiveName::AllToAllScatter => true,
            _ => return Err(self.not_applicable("the collective is no all-gather and no all-to-all")),
        };
        let ports = model.ports.of_degree(graph.degree()) as u64;
        let known = |node: NodeId| {
            let node_count = usize::try_from(nodes).unwrap_or(usize::MAX);
            let unknown = CertificateError::UnknownNode { node: node.number(), node_count };
            if u64::from(node.number()) < nodes { Ok(()) } else { Err(unknown) }
        };
        let steps = match (self.rule, &self.certificate) {
            (Rule::Ports | Rule::Cut, Certificate::Cut { nodes: set, direction, messages, per_step }) => {
                set.iter().try_for_each(|&node| known(node))?;
                if let Some(pair) = set.windows(2).find(|pair| pair[0] >= pair[1]) {
                    return Err(CertificateError::NodeOrder { node: pair[1] });
                }
                if self.rule == Rule::Ports && set.len() != 1 {
                    return Err(self.not_applicable("the set must be one terminal"));
                }
                if set.len() > 1 && nodes > MAX_NODES {
                    return Err(self.not_applicable("the network is too large for a cut"));
                }
                let (inside, outside) = (set.len() as u64, nodes - set.len() as u64);
                let (into, out) = if is_scatter {
                    (inside * outside, inside * outside)
                } else {
                    (outside * inside.min(1), inside * outside.min(1))
                };
                // As many channels lead in as out, generator by generator.
                let channels = leaving(graph, set);
                let limit = if set.len() == 1 { channels.min(ports) } else { channels };
                let (crossing, limit) = match direction {
                    Direction::In => (into, limit),
                    Direction::Out => (out, limit),
                    Direction::Both => (into + out, 2 * limit),
                };
                expect("messages that must cross", *messages, crossing)?;
                expect("crossings in one step", *per_step, limit)?;
                self.quotient(crossing, limit)?
            }
            (Rule::Eccentricity, Certificate::Eccentricity { node, direction, distance, messages, ports: claimed }) => {
                known(*node)?;
                if model.switching != Switching::StoreAndForward {
                    return Err(self.not_applicable("a wormhole transfer crosses many channels in one step"));
                }
                if *direction == Direction::Both {
                    return Err(self.not_applicable("messages go one way"));
                }
                let far = self.distances(graph)?.iter().filter(|&channels| channels >= distance).count() as u64;
                // A source has one message for all in an all-gather.
                let is_one = !is_scatter && *direction == Direction::Out;
                let travelling = if is_one { far.min(1) } else { far };
                expect("messages that go this far", *messages, travelling)?;
                expect("ports of the terminal", *claimed, ports)?;
                self.quotient(travelling, ports)? + u64::from(distance.saturating_sub(1))
            }
            (Rule::DistanceSum, Certificate::DistanceSum { channel_uses, per_step }) if is_scatter => {
                let sum: u64 = self.distances(graph)?.iter().map(|&channels| u64::from(channels)).sum();
                let Some(crossed) = sum.checked_mul(nodes) else {
                    return Err(self.not_applicable("there are too many channels to cross"));
                };
                expect("channels crossed", *channel_uses, crossed)?;
                let crossings = match model.switching {
                    Switching::Wormhole => graph.degree() as u64,
                    Switching::StoreAndForward => ports,
                };
                expect("channels crossed in one step", *per_step, nodes * crossings)?;
                self.quotient(crossed, *per_step)?
            }
            _ => return Err(self.not_applicable("its facts belong to another rule or collective")),
        };
        self.expect_steps(steps)
    }

    /// The distances of all nodes from element 0, which are those of all nodes from any other, in another order.
    fn distances(&self, graph: &CayleyGraph) -> Checked<Vec<u32>> {
        if graph.node_count() > MAX_NODES {
            return Err(self.not_applicable("the network is too large to be searched"));
        }
        let mut distance = vec![u32::MAX; graph.node_count() as usize];
        distance[0] = 0;
        let mut queue = VecDeque::from([0]);
        while let Some(node) = queue.pop_front() {
            for &generator in graph.generators() {
                let next = graph.add(node, generator);
                if distance[next as usize] == u32::MAX {
                    distance[next as usize] = distance[node as usize] + 1;
                    queue.push_back(next);
                }
            }
        }
        if distance.contains(&u32::MAX) {
            return Err(self.not_applicable("the generators do not reach every node"));
        }
        Ok(distance)
    }
}

/// Number of channels out of a node set.
fn leaving(graph: &CayleyGraph, set: &[NodeId]) -> u64 {
    let is_inside = |node: u64| u32::try_from(node).is_ok_and(|node| set.binary_search(&NodeId::new(node)).is_ok());
    let heads = set
        .iter()
        .flat_map(|node| graph.generators().iter().map(|&generator| graph.add(u64::from(node.number()), generator)));
    heads.filter(|&head| !is_inside(head)).count() as u64
}
