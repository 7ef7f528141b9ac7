//! Networks under other node numbers.

use crate::{ChannelId, NodeId, Topology, TopologyBuilder};

impl Topology {
    /// Returns the same network with other node numbers: node `v` becomes node `place[v]`.
    ///
    /// Names and positions stay with their nodes. Channels get new numbers, by tail, then by head. Use it to test that
    /// an algorithm does not depend on numbers.
    ///
    /// ```
    /// use lockstep_topology::{NodeId, Topology};
    ///
    /// let ring: Topology = "ring:3".parse()?;
    /// let rotated = ring.relabelled(&[1, 2, 0].map(NodeId::new));
    /// assert_eq!(rotated.node_name(NodeId::new(1)), "0");
    /// # Ok::<(), lockstep_topology::SpecError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `place` is not a permutation of the nodes.
    #[must_use]
    pub fn relabelled(&self, place: &[NodeId]) -> Self {
        let mut old = vec![None; self.node_count()];
        for (node, new) in self.nodes().zip(place) {
            assert!(old[new.index()].replace(node).is_none(), "two nodes get the number {new:?}");
        }
        let old: Vec<NodeId> = old.into_iter().map(|node| node.expect("`place` has one entry per node")).collect();
        let mut builder = TopologyBuilder::new(self.name());
        for &node in &old {
            builder.node(self.node_name(node), self.is_terminal(node), Some(self.routes(node)));
        }
        let mut order: Vec<ChannelId> = self.channel_numbers().collect();
        let ends = |channel| (place[self.tail(channel).index()], place[self.head(channel).index()]);
        order.sort_by_key(|&channel| ends(channel));
        let mut new_channel = vec![ChannelId::new(0); self.channel_bound()];
        for &channel in &order {
            let (tail, head) = ends(channel);
            new_channel[channel.index()] = builder.channel(tail, head);
        }
        for channel in self.channel_numbers() {
            let new = [new_channel[channel.index()]];
            builder.set_capacity(new, self.capacity(channel).into());
            builder.set_latency(new, self.latency_ps(channel));
        }
        if let Some(unit) = self.unit_bytes_per_second() {
            builder.set_unit(unit);
        }
        for &node in &old {
            if let Some(host) = self.host(node) {
                builder.set_host(place[node.index()], host);
            }
        }
        for &node in self.failed_nodes() {
            builder.fail_node(place[node.index()]);
        }
        for channel in self.failed_channels() {
            builder.fail_channel(new_channel[channel.index()]);
        }
        for group in self.shared_groups() {
            builder.share(group.iter().map(|channel| new_channel[channel.index()]));
        }
        if let Some(positions) = self.positions() {
            builder.positions(old.iter().map(|node| positions[node.index()]));
        }
        builder.build().expect("relabelling keeps all invariants")
    }
}
