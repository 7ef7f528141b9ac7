//! Standard collectives of groups of terminals.

use std::num::NonZeroU32;

use lockstep_topology::{NodeId, Topology};

use crate::collective::Collective;
use crate::messages::Message;
use crate::name::CollectiveName;

/// Why groups and roots make no collective.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// A group of fewer than two terminals.
    #[error("group {group} has {members} member(s); a group needs at least 2")]
    TooSmall {
        /// Number of the group, from 1.
        group: usize,
        /// Number of its members.
        members: usize,
    },
    /// A terminal that is listed twice.
    #[error("group {group} lists '{name}' twice; list each terminal once")]
    MemberTwice {
        /// Number of the group, from 1.
        group: usize,
        /// Name of the terminal.
        name: String,
    },
    /// A member or root that the network does not have.
    #[error("node {node} is unknown; the nodes are 0 to {}", .node_count - 1)]
    UnknownNode {
        /// The number given.
        node: u32,
        /// Number of nodes.
        node_count: usize,
    },
    /// A root that is in no group, or given twice.
    #[error("root '{name}' {why}")]
    Root {
        /// Name of the root.
        name: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A group without a root, in a collective with roots.
    #[error("{collective} needs a root in every group; group {group} has none")]
    MissingRoot {
        /// The collective.
        collective: CollectiveName,
        /// Number of the group, from 1.
        group: usize,
    },
    /// A root of a collective without roots.
    #[error("{collective} has no root; leave it out")]
    NeedlessRoot {
        /// The collective.
        collective: CollectiveName,
    },
}

impl CollectiveName {
    /// Returns the collective that every group performs on its own, all at the same time.
    ///
    /// Without groups, all terminals form one. A collective with roots takes one root or more from every group: each of
    /// them is the root of a broadcast, scatter, gather or reduction in its group. Groups may overlap. The order of the
    /// messages is by group, then as in the standard collective of the sorted members; one group of all terminals and
    /// at most one root give the [standard collective](Self::with_root) itself.
    ///
    /// Memory: one entry per message and receiver.
    ///
    /// ```
    /// use lockstep_schedule::CollectiveName;
    /// use lockstep_topology::{NodeId, Topology};
    ///
    /// let mesh: Topology = "mesh:4x4".parse()?;
    /// let [top, bottom] = [0, 12].map(|first| (first..first + 4).map(NodeId::new).collect::<Vec<_>>());
    /// let all_gather = CollectiveName::AllGather.in_groups(&mesh, &[top, bottom], &[])?;
    /// assert_eq!(all_gather.listed().map(<[_]>::len), Some(8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first [`GroupError`]. [`Problem::new`](crate::Problem::new) verifies that the members are terminals.
    pub fn in_groups(
        self,
        topology: &Topology,
        groups: &[Vec<NodeId>],
        roots: &[NodeId],
    ) -> Result<Collective, GroupError> {
        let node_count = topology.node_count();
        let unknown = groups.iter().flatten().chain(roots).find(|node| node.index() >= node_count);
        if let Some(node) = unknown {
            return Err(GroupError::UnknownNode { node: node.number(), node_count });
        }
        if !self.has_root() && !roots.is_empty() {
            return Err(GroupError::NeedlessRoot { collective: self });
        }
        let name = |node: NodeId| topology.node_name(node).to_owned();
        let all = [topology.terminals().to_vec()];
        let groups = if groups.is_empty() { &all[..] } else { groups };
        let is_member = |root: &NodeId| groups.iter().any(|group| group.contains(root));
        if let Some(&root) = roots.iter().find(|root| !is_member(root)) {
            return Err(GroupError::Root { name: name(root), why: "is in no group; choose a member of a group" });
        }
        let roots = sorted(roots);
        if let Some(root) = repeated(&roots) {
            return Err(GroupError::Root { name: name(root), why: "is given twice; give it once" });
        }
        if let [group] = groups
            && roots.len() == usize::from(self.has_root())
            && sorted(group) == topology.terminals()
            && let Ok(standard) = self.with_root(roots.first().copied())
        {
            return Ok(standard);
        }
        check_groups(topology, groups)?;
        let mut messages = Vec::new();
        for (number, group) in (1..).zip(groups) {
            let members = sorted(group);
            let sources: Vec<NodeId> = if self.has_root() {
                roots.iter().copied().filter(|root| members.contains(root)).collect()
            } else {
                members.clone()
            };
            if sources.is_empty() {
                return Err(GroupError::MissingRoot { collective: self, group: number });
            }
            if self.pattern().is_scatter() {
                messages.extend(Message::scatters(&sources, &members));
            } else {
                messages.extend(Message::broadcasts(&sources, &members));
            }
        }
        Ok(Collective::listed_as(self.pattern(), messages))
    }
}

impl Collective {
    /// Returns the all-reduce of every group, each in `blocks` blocks. Without groups, all terminals form one.
    ///
    /// A group has one message in `blocks` chunks. One group of all terminals and a multiple of their number is the standard
    /// [`all_reduce`](Self::all_reduce) in chunks.
    ///
    /// ```
    /// use std::num::NonZeroU32;
    ///
    /// use lockstep_schedule::Collective;
    /// use lockstep_topology::Topology;
    ///
    /// let ring: Topology = "ring:4".parse()?;
    /// let small = Collective::all_reduce_in_blocks(&ring, &[], NonZeroU32::MIN)?;
    /// assert_eq!(small.messages(&ring).map(|messages| messages.len()), Some(1));
    /// let large = Collective::all_reduce_in_blocks(&ring, &[], 8.try_into()?)?;
    /// assert_eq!(large, Collective::all_reduce().with_chunks(2.try_into()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first [`GroupError`]. [`Problem::new`](crate::Problem::new) verifies that the members are terminals.
    pub fn all_reduce_in_blocks(
        topology: &Topology,
        groups: &[Vec<NodeId>],
        blocks: NonZeroU32,
    ) -> Result<Self, GroupError> {
        let standard = CollectiveName::AllReduce.in_groups(topology, groups, &[])?;
        let terminals = topology.terminal_count() as u32;
        let chunks = blocks.get().checked_div(terminals).and_then(NonZeroU32::new);
        if let (None, Some(chunks)) = (standard.listed(), chunks)
            && blocks.get().is_multiple_of(terminals)
        {
            return Ok(standard.with_chunks(chunks));
        }
        let all = [topology.terminals().to_vec()];
        let groups = if groups.is_empty() { &all[..] } else { groups };
        let message = |group: &Vec<NodeId>| {
            let members = sorted(group);
            Message { source: members[0], receivers: members[1..].to_vec() }
        };
        Ok(Self::listed_as(CollectiveName::AllReduce.pattern(), groups.iter().map(message).collect())
            .with_chunks(blocks))
    }
}

fn sorted(nodes: &[NodeId]) -> Vec<NodeId> {
    let mut nodes = nodes.to_vec();
    nodes.sort_unstable();
    nodes
}

/// Checks that every group has two members or more, each once.
fn check_groups(topology: &Topology, groups: &[Vec<NodeId>]) -> Result<(), GroupError> {
    for (group, members) in (1..).zip(groups) {
        let members = sorted(members);
        if members.len() < 2 {
            return Err(GroupError::TooSmall { group, members: members.len() });
        }
        if let Some(member) = repeated(&members) {
            return Err(GroupError::MemberTwice { group, name: topology.node_name(member).to_owned() });
        }
    }
    Ok(())
}

/// Returns a node that a sorted list has twice.
fn repeated(sorted: &[NodeId]) -> Option<NodeId> {
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(numbers: &[u32]) -> Vec<NodeId> {
        numbers.iter().copied().map(NodeId::new).collect()
    }

    #[test]
    fn one_group_of_all_terminals_is_the_standard_collective() {
        let mesh: Topology = "mesh:2x2".parse().unwrap();
        let all = nodes(&[3, 1, 0, 2]);
        for name in CollectiveName::ALL {
            let root = name.has_root().then(|| NodeId::new(2));
            let roots: Vec<NodeId> = root.into_iter().collect();
            let standard = name.with_root(root).unwrap();
            assert_eq!(name.in_groups(&mesh, std::slice::from_ref(&all), &roots), Ok(standard.clone()));
            assert_eq!(name.in_groups(&mesh, &[], &roots), Ok(standard));
        }
    }

    #[test]
    fn every_group_has_the_messages_of_its_own_collective() {
        let mesh: Topology = "mesh:2x3".parse().unwrap();
        let groups = [nodes(&[4, 0]), nodes(&[5, 1, 3])];
        let ends = |name: CollectiveName, roots: &[u32]| -> Vec<(u32, Vec<u32>)> {
            let collective = name.in_groups(&mesh, &groups, &nodes(roots)).unwrap();
            let numbers = |nodes: &[NodeId]| nodes.iter().map(|node| node.number()).collect();
            let messages = collective.listed().unwrap().iter();
            messages.map(|message| (message.source.number(), numbers(&message.receivers))).collect()
        };
        let all_gather = [(0, vec![4]), (4, vec![0]), (1, vec![3, 5]), (3, vec![1, 5]), (5, vec![1, 3])];
        assert_eq!(ends(CollectiveName::AllGather, &[]), all_gather);
        assert_eq!(ends(CollectiveName::AllReduce, &[]), all_gather);
        let gather = [(4, vec![0]), (1, vec![3]), (1, vec![5])];
        assert_eq!(ends(CollectiveName::Gather, &[4, 1]), gather);
        let several_roots = [(0, vec![4]), (1, vec![3, 5]), (5, vec![1, 3])];
        assert_eq!(ends(CollectiveName::Broadcast, &[0, 5, 1]), several_roots);
    }

    #[test]
    fn wrong_groups_and_roots_are_named() {
        use CollectiveName::{AllGather, Broadcast};

        let mesh: Topology = "mesh:2x3".parse().unwrap();
        let error = |name: CollectiveName, groups: &[&[u32]], roots: &[u32]| {
            let groups: Vec<Vec<NodeId>> = groups.iter().map(|group| nodes(group)).collect();
            name.in_groups(&mesh, &groups, &nodes(roots)).unwrap_err().to_string()
        };
        assert_eq!(error(AllGather, &[&[0, 1], &[2]], &[]), "group 2 has 1 member(s); a group needs at least 2");
        assert_eq!(error(AllGather, &[&[0, 1, 0]], &[]), "group 1 lists '00' twice; list each terminal once");
        assert_eq!(error(AllGather, &[&[0, 9]], &[]), "node 9 is unknown; the nodes are 0 to 5");
        assert_eq!(error(AllGather, &[&[0, 1]], &[0]), "all-gather has no root; leave it out");
        assert_eq!(error(Broadcast, &[&[0, 1]], &[2]), "root '02' is in no group; choose a member of a group");
        assert_eq!(error(Broadcast, &[&[0, 1]], &[1, 1]), "root '01' is given twice; give it once");
        let expected = "broadcast needs a root in every group; group 2 has none";
        assert_eq!(error(Broadcast, &[&[0, 1], &[2, 3]], &[1]), expected);
    }
}
