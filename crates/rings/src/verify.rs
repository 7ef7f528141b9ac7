//! The verifier of ring sets. It shares no code with any search.

use lockstep_files::one_line;
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::rational::Rational;
use crate::ring_set::{MAX_RINGS, RingKind, RingSet};

/// The load of a verified ring set.
///
/// Bandwidths are in units of the capacities of the network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RingLoad {
    kind: RingKind,
    rings: u64,
    terminals: u64,
    channel_load: Vec<u64>,
    resource_load: Vec<u64>,
    rho: Rational,
    busiest: Vec<ChannelId>,
}

impl RingLoad {
    /// Returns the number of hops that use a channel.
    pub fn channel_load(&self, channel: ChannelId) -> u64 {
        self.channel_load[channel.index()]
    }

    /// Returns the number of hops that use each resource, by number. Channels of a half-duplex link, and of a bus, share one.
    pub fn resource_loads(&self) -> &[u64] {
        &self.resource_load
    }

    /// Returns the greatest load of a resource divided by its capacity.
    pub fn rho(&self) -> Rational {
        self.rho
    }

    /// Returns the channels that are used and whose resource has the greatest load divided by its capacity, ascending.
    pub fn busiest(&self) -> &[ChannelId] {
        &self.busiest
    }

    /// Returns the number of rings divided by [`rho`](Self::rho).
    pub fn bandwidth(&self) -> Rational {
        // A ring has a hop, so the load is not zero.
        self.rho.reciprocal().and_then(|inverse| inverse.checked_scale(self.rings.into(), 1)).unwrap_or(Rational::ZERO)
    }

    /// Returns the bus bandwidth that nccl-tests defines: that of all collectives for rings, and that of an all-reduce for
    /// chains.
    ///
    /// It is [`bandwidth`](Self::bandwidth) for rings, and `2 (N - 1) / N` times that for chains of `N` terminals.
    pub fn bus_bandwidth(&self) -> Rational {
        let (bandwidth, terminals) = (self.bandwidth(), u128::from(self.terminals));
        match self.kind {
            RingKind::Ring => bandwidth,
            RingKind::Chain => bandwidth.checked_scale(2 * (terminals - 1), terminals).unwrap_or(bandwidth),
        }
    }
}

/// The first rule that a ring set breaks. Rings and hops are numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RingViolation {
    /// No ring, or too many.
    #[error("the set has {found} rings; a set has 1 to {MAX_RINGS}")]
    Count {
        /// The number of rings.
        found: usize,
    },
    /// Fewer than two terminals.
    #[error("the set has {found} terminals; a ring needs two or more")]
    FewTerminals {
        /// The number of terminals.
        found: usize,
    },
    /// A node of the set that is not a terminal of the network.
    #[error("node {node} of the set is not a terminal of the network; name terminals only")]
    NotTerminal {
        /// The node.
        node: NodeId,
    },
    /// A ring that visits another node.
    #[error("ring {ring} visits node {node}, which is not a terminal of the set; remove it from the ring")]
    Foreign {
        /// The ring.
        ring: usize,
        /// The node.
        node: NodeId,
    },
    /// A ring that visits a terminal twice.
    #[error("ring {ring} visits '{}' twice; visit each terminal once", one_line(.name))]
    Twice {
        /// The ring.
        ring: usize,
        /// The name of the terminal.
        name: String,
    },
    /// A ring that does not visit a terminal.
    #[error("ring {ring} does not visit '{}'; visit each terminal once", one_line(.name))]
    Missing {
        /// The ring.
        ring: usize,
        /// The name of the terminal.
        name: String,
    },
    /// A hop whose path is wrong.
    #[error("ring {ring}, hop {hop} from '{}' to '{}': {why}", one_line(.from), one_line(.to))]
    Hop {
        /// The ring.
        ring: usize,
        /// The hop, which begins at the terminal of this place of the order.
        hop: usize,
        /// The name of the terminal at its beginning.
        from: String,
        /// The name of the terminal at its end.
        to: String,
        /// What is wrong with the path.
        why: HopViolation,
    },
}

/// What is wrong with the path of a hop.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HopViolation {
    /// A path without channels.
    #[error("the path is empty; name its channels")]
    Empty,
    /// A number that is no channel, or a failed channel.
    #[error("channel {channel} does not exist or has failed; choose another path")]
    NoChannel {
        /// The number of the channel.
        channel: ChannelId,
    },
    /// A channel that does not begin where the path is.
    #[error("channel {channel} begins at '{}', but the path is at '{}'", one_line(.begins), one_line(.at))]
    Broken {
        /// The channel.
        channel: ChannelId,
        /// The name of the node where the channel begins.
        begins: String,
        /// The name of the node where the path is.
        at: String,
    },
    /// A path that does not end at the next terminal.
    #[error("the path ends at '{}'", one_line(.at))]
    End {
        /// The name of the last node.
        at: String,
    },
    /// A path that visits a node twice.
    #[error("the path visits '{}' twice", one_line(.node))]
    NodeTwice {
        /// The name of the node.
        node: String,
    },
    /// A path that uses two channels of one resource.
    #[error("the path uses channel {channel}, which shares its wire with an earlier one")]
    ResourceTwice {
        /// The later channel.
        channel: ChannelId,
    },
    /// A node inside the path that does not route.
    #[error("'{}' inside the path does not route", one_line(.node))]
    DoesNotRoute {
        /// The name of the node.
        node: String,
    },
    /// Too many terminals inside the path.
    #[error("the path crosses {found} terminals, and the set allows {allowed}; choose another path, or a larger relay")]
    Relay {
        /// The number of terminals inside the path.
        found: u32,
        /// The number that the set allows.
        allowed: u32,
    },
    /// A hop of a chain over a channel without an opposite one.
    #[error("channel {channel} has no opposite channel, which a chain needs; choose another path")]
    OneWay {
        /// The channel.
        channel: ChannelId,
    },
}

/// Verifies a ring set, and returns its load.
///
/// Each ring must visit every terminal of the set once, and each hop must be a legal path: a simple path of working channels
/// through nodes that route, without a resource twice, and with at most [`RingSet::relay`] terminals inside. Each hop of a chain
/// also loads the opposite channels of its path, as [`Topology::links`] pairs them. Takes `O(M log M + N K)` time, for `K` rings,
/// and the length of their paths.
///
/// # Errors
///
/// The first [`RingViolation`].
pub fn verify(topology: &Topology, set: &RingSet) -> Result<RingLoad, RingViolation> {
    if !(1..=MAX_RINGS).contains(&set.len()) {
        return Err(RingViolation::Count { found: set.len() });
    }
    if set.terminals().len() < 2 {
        return Err(RingViolation::FewTerminals { found: set.terminals().len() });
    }
    let is_known = |node: NodeId| node.index() < topology.node_count() && topology.is_terminal(node);
    if let Some(&node) = set.terminals().iter().find(|&&node| !is_known(node)) {
        return Err(RingViolation::NotTerminal { node });
    }
    let mut verifier = Verifier::new(topology, set);
    for ring in 0..set.len() {
        verifier.check_order(ring)?;
        verifier.check_hops(ring)?;
    }
    Ok(verifier.load())
}

/// The tables of a verification.
struct Verifier<'a> {
    topology: &'a Topology,
    set: &'a RingSet,
    /// By node: the last ring that visited it, counted from 1; `None` for other nodes than the terminals of the set.
    last_ring: Vec<Option<usize>>,
    /// By node and by resource: the last hop that used it, counted from 1 over all rings.
    node_hop: Vec<u64>,
    resource_hop: Vec<u64>,
    hop: u64,
    /// By channel: the opposite one.
    opposite: Vec<Option<ChannelId>>,
    channel_load: Vec<u64>,
}

impl<'a> Verifier<'a> {
    fn new(topology: &'a Topology, set: &'a RingSet) -> Self {
        let mut last_ring = vec![None; topology.node_count()];
        for &node in set.terminals() {
            last_ring[node.index()] = Some(0);
        }
        let mut opposite = vec![None; topology.channel_bound()];
        if set.kind() == RingKind::Chain {
            for [there, back] in topology.links() {
                (opposite[there.index()], opposite[back.index()]) = (Some(back), Some(there));
            }
        }
        Self {
            topology,
            set,
            last_ring,
            node_hop: vec![0; topology.node_count()],
            resource_hop: vec![0; topology.resource_count()],
            hop: 0,
            opposite,
            channel_load: vec![0; topology.channel_bound()],
        }
    }

    fn name(&self, node: NodeId) -> String {
        self.topology.node_name(node).to_owned()
    }

    fn check_order(&mut self, ring: usize) -> Result<(), RingViolation> {
        for &node in self.set.order(ring) {
            let last = self.last_ring.get_mut(node.index()).and_then(Option::as_mut);
            let last = last.ok_or(RingViolation::Foreign { ring, node })?;
            if *last == ring + 1 {
                return Err(RingViolation::Twice { ring, name: self.name(node) });
            }
            *last = ring + 1;
        }
        let is_missing = |node: &&NodeId| self.last_ring[node.index()] != Some(ring + 1);
        match self.set.terminals().iter().find(is_missing) {
            Some(&node) => Err(RingViolation::Missing { ring, name: self.name(node) }),
            None => Ok(()),
        }
    }

    fn check_hops(&mut self, ring: usize) -> Result<(), RingViolation> {
        let order = self.set.order(ring);
        for (hop, path) in self.set.hops(ring).enumerate() {
            let ends = [order[hop], order[(hop + 1) % order.len()]];
            self.check_path(ends, path).map_err(|why| {
                let [from, to] = ends.map(|node| self.name(node));
                RingViolation::Hop { ring, hop, from, to, why }
            })?;
        }
        Ok(())
    }

    /// Checks a path, and counts its channels.
    fn check_path(&mut self, [from, to]: [NodeId; 2], path: &[ChannelId]) -> Result<(), HopViolation> {
        let topology = self.topology;
        self.hop += 1;
        let (mut at, mut relays) = (from, 0);
        self.node_hop[from.index()] = self.hop;
        for (place, &channel) in path.iter().enumerate() {
            let is_working = channel.index() < topology.channel_bound()
                && topology.resource(channel).index() < topology.resource_count();
            if !is_working {
                return Err(HopViolation::NoChannel { channel });
            }
            if topology.tail(channel) != at {
                let begins = self.name(topology.tail(channel));
                return Err(HopViolation::Broken { channel, begins, at: self.name(at) });
            }
            if place > 0 {
                if !topology.routes(at) {
                    return Err(HopViolation::DoesNotRoute { node: self.name(at) });
                }
                relays += u32::from(topology.is_terminal(at));
            }
            at = topology.head(channel);
            if std::mem::replace(&mut self.node_hop[at.index()], self.hop) == self.hop {
                return Err(HopViolation::NodeTwice { node: self.name(at) });
            }
            if std::mem::replace(&mut self.resource_hop[topology.resource(channel).index()], self.hop) == self.hop {
                return Err(HopViolation::ResourceTwice { channel });
            }
            self.channel_load[channel.index()] += 1;
            if self.set.kind() == RingKind::Chain {
                let opposite = self.opposite[channel.index()].ok_or(HopViolation::OneWay { channel })?;
                self.channel_load[opposite.index()] += 1;
            }
        }
        if path.is_empty() {
            return Err(HopViolation::Empty);
        }
        if at != to {
            return Err(HopViolation::End { at: self.name(at) });
        }
        let allowed = self.set.relay();
        if relays > allowed { Err(HopViolation::Relay { found: relays, allowed }) } else { Ok(()) }
    }

    fn load(self) -> RingLoad {
        let topology = self.topology;
        let mut resource_load = vec![0; topology.resource_count()];
        for channel in topology.channels() {
            resource_load[topology.resource(channel).index()] += self.channel_load[channel.index()];
        }
        let relative = |channel: ChannelId| {
            let resource = topology.resource(channel);
            Rational::new(resource_load[resource.index()].into(), topology.resource_capacity(resource).into())
        };
        let rho = topology.channels().map(relative).max().unwrap_or(Rational::ZERO);
        let is_busiest = |channel: &ChannelId| self.channel_load[channel.index()] > 0 && relative(*channel) == rho;
        let busiest = topology.channels().filter(is_busiest).collect();
        RingLoad {
            kind: self.set.kind(),
            rings: self.set.len() as u64,
            terminals: self.set.terminals().len() as u64,
            channel_load: self.channel_load,
            resource_load,
            rho,
            busiest,
        }
    }
}
