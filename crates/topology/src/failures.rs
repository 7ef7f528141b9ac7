//! Failed nodes and channels, which keep their numbers.

use std::sync::Arc;

use crate::adjacency::Adjacency;
use crate::buses::buses;
use crate::{ChannelId, NodeId, ResourceId, Topology};

impl Topology {
    /// Returns true if the channel exists and has not failed.
    #[inline]
    pub fn is_working(&self, channel: ChannelId) -> bool {
        self.resource.get(channel.index()).is_some_and(|&resource| resource != Self::NO_RESOURCE)
    }

    /// Returns the failed channels, ascending, including the channels of failed nodes.
    pub fn failed_channels(&self) -> impl Iterator<Item = ChannelId> + Clone {
        self.channel_numbers().filter(|&channel| !self.is_working(channel))
    }

    /// Returns true if the node has failed. Takes `O(log F)` time for `F` failed nodes.
    pub fn has_failed(&self, node: NodeId) -> bool {
        self.failed.binary_search(&node).is_ok()
    }

    /// Returns the failed nodes, ascending.
    pub fn failed_nodes(&self) -> &[NodeId] {
        &self.failed
    }

    /// Returns the network after these additional nodes and channels have failed.
    ///
    /// The channels of a failed node fail with it. Node and channel numbers do not change; resources are numbered
    /// again. Takes `O(N + M)` time.
    ///
    /// ```
    /// use lockstep_topology::Topology;
    ///
    /// let ring: Topology = "ring:4".parse()?;
    /// let broken = ring.with_failures([ring.terminals()[0]], []);
    /// assert_eq!((broken.node_count(), broken.terminal_count()), (4, 3));
    /// assert_eq!((broken.channel_bound(), broken.channel_count()), (8, 4));
    /// assert!(broken.channels().all(|channel| broken.tail(channel) == ring.tail(channel)));
    /// # Ok::<(), lockstep_topology::SpecError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If a node or channel does not exist.
    #[must_use]
    pub fn with_failures(
        &self,
        nodes: impl IntoIterator<Item = NodeId>,
        channels: impl IntoIterator<Item = ChannelId>,
    ) -> Self {
        let mut failed: Vec<NodeId> = self.failed.iter().copied().chain(nodes).collect();
        failed.sort_unstable();
        failed.dedup();
        let mut works = vec![false; self.channel_bound()];
        for channel in self.channels() {
            let is_at = |node: NodeId| failed.binary_search(&node).is_ok();
            works[channel.index()] = !is_at(self.tail(channel)) && !is_at(self.head(channel));
        }
        for channel in channels {
            works[channel.index()] = false;
        }
        let working: Arc<[ChannelId]> = self.channels().filter(|channel| works[channel.index()]).collect();

        let (mut terminal_rank, mut routes) = (vec![Self::NO_RANK; self.node_count()], self.routes.clone());
        for &node in &failed {
            routes[node.index()] = false;
        }
        let is_left = |node: &NodeId| failed.binary_search(node).is_err();
        let terminals: Box<[NodeId]> = self.terminals.iter().copied().filter(is_left).collect();
        for (rank, terminal) in (0..).zip(&terminals) {
            terminal_rank[terminal.index()] = rank;
        }
        let (mut new_resource, mut resource_count) = (vec![Self::NO_RESOURCE; self.resource_count()], 0);
        let mut resource = vec![Self::NO_RESOURCE; self.channel_bound()];
        for channel in working.iter() {
            let new = &mut new_resource[self.resource(*channel).index()];
            if *new == Self::NO_RESOURCE {
                *new = ResourceId::new(resource_count);
                resource_count += 1;
            }
            resource[channel.index()] = *new;
        }
        let buses = buses(&working, &self.tail, &self.head, &resource, resource_count);
        let resource_capacity = self.rates.of_resources(&working, &resource, resource_count);
        Self {
            name: self.name.clone(),
            names: self.names.clone(),
            terminals,
            terminal_rank: terminal_rank.into(),
            routes,
            failed: failed.into(),
            out: Adjacency::new(self.node_count(), &working, &self.tail),
            into: Adjacency::new(self.node_count(), &working, &self.head),
            working,
            tail: self.tail.clone(),
            head: self.head.clone(),
            resource: resource.into(),
            resource_count,
            buses,
            rates: self.rates.clone(),
            resource_capacity,
            hosts: self.hosts.clone(),
            positions: self.positions.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::strategy::any_topology;

    proptest! {
        #[test]
        fn numbers_stay_and_what_has_failed_is_not_used(
            topology in any_topology(9), nodes in prop::collection::vec(any::<Index>(), 0..3),
            channels in prop::collection::vec(any::<Index>(), 0..4),
        ) {
            let nodes: Vec<NodeId> = nodes.iter().map(|i| NodeId::from_index(i.index(topology.node_count()))).collect();
            let channels: Vec<ChannelId> =
                channels.iter().map(|i| ChannelId::from_index(i.index(topology.channel_bound()))).collect();
            let broken = topology.with_failures(nodes.clone(), channels.clone());
            let is_lost = |channel: ChannelId| {
                channels.contains(&channel)
                    || [topology.tail(channel), topology.head(channel)].iter().any(|end| nodes.contains(end))
            };
            prop_assert_eq!(broken.node_count(), topology.node_count());
            prop_assert_eq!(broken.channel_bound(), topology.channel_bound());
            for channel in topology.channels() {
                prop_assert_eq!(broken.is_working(channel), !is_lost(channel));
                prop_assert_eq!((broken.tail(channel), broken.head(channel)), (topology.tail(channel), topology.head(channel)));
            }
            let working: Vec<ChannelId> = topology.channels().filter(|&channel| !is_lost(channel)).collect();
            prop_assert!(broken.channels().eq(working.iter().copied()));
            prop_assert!(broken.failed_channels().eq(topology.channel_numbers().filter(|&c| !topology.is_working(c) || is_lost(c))));
            for node in topology.nodes() {
                let has_failed = nodes.contains(&node) || topology.has_failed(node);
                prop_assert_eq!(broken.has_failed(node), has_failed);
                prop_assert_eq!(broken.is_terminal(node), topology.is_terminal(node) && !has_failed);
                prop_assert_eq!(broken.routes(node), topology.routes(node) && !has_failed);
                let left = |row: &[ChannelId]| row.iter().copied().filter(|&channel| !is_lost(channel)).collect::<Vec<_>>();
                prop_assert_eq!(broken.out_channels(node), &left(topology.out_channels(node))[..]);
                prop_assert_eq!(broken.in_channels(node), &left(topology.in_channels(node))[..]);
            }
            for (rank, &terminal) in broken.terminals().iter().enumerate() {
                prop_assert_eq!(broken.terminal_rank(terminal), Some(rank));
            }
            for (&one, &other) in working.iter().flat_map(|one| working.iter().map(move |other| (one, other))) {
                let share = |network: &Topology| network.resource(one) == network.resource(other);
                prop_assert_eq!(share(&broken), share(&topology));
            }
            prop_assert!(working.iter().all(|&channel| broken.resource(channel).index() < broken.resource_count()));
        }

        #[test]
        fn failures_one_after_the_other_are_failures_at_once(
            topology in any_topology(9), first: Index, second: Index, lost: Index,
        ) {
            let [first, second] = [first, second].map(|i| NodeId::from_index(i.index(topology.node_count())));
            let lost = ChannelId::from_index(lost.index(topology.channel_bound()));
            let at_once = topology.with_failures([first, second], [lost]);
            let one_by_one = topology.with_failures([second], []).with_failures([first], [lost]);
            prop_assert_eq!(&at_once, &one_by_one);
            prop_assert_eq!(at_once.digest() == topology.digest(), at_once == topology);
        }
    }
}
