//! Wires: the channels of a network that carry a transfer together, and their classes.

use std::collections::{BTreeMap, VecDeque};

use lockstep_topology::{ChannelId, NodeId, Quantity, Topology};

/// The channels that carry a transfer together: parallel channels between the same ends, and channels that share a resource.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    /// Ascending.
    pub(super) channels: Vec<ChannelId>,
    /// The number of its resources.
    pub(super) lanes: u32,
    /// Its place in [`Wires::classes`].
    pub(super) class: u32,
    /// The wire in the other direction, if there is one.
    pub(super) opposite: Option<u32>,
}

/// A kind of node, found from the structure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Terminal,
    /// A switch by its level: its distance from the nearest terminal.
    Switch(u32),
    /// A switch of a host with a channel that leaves the host, such as a network card.
    Card,
}

/// Whether a channel stays in a host. `Unknown` if no end has a host.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reach {
    Unknown,
    Inside,
    Between,
}

/// What the wires of a class have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct ClassKey {
    ends: [Place; 2],
    reach: Reach,
    /// The capacity of a lane.
    capacity: u32,
    is_shared: bool,
}

/// Wires of equal bandwidth, if none is slow.
#[derive(Clone, Debug)]
pub(super) struct Class {
    key: ClassKey,
    /// The wires, ascending.
    pub(super) wires: Vec<u32>,
    /// The number of channels.
    pub(super) channels: u32,
}

/// The wires of a network with their classes. Classes are ordered by structure, so that they do not depend on numbers.
#[derive(Clone, Debug)]
pub(super) struct Wires<'a> {
    pub(super) topology: &'a Topology,
    pub(super) list: Vec<Wire>,
    pub(super) classes: Vec<Class>,
    /// The wire of each channel; `None` for a failed one.
    of_channel: Vec<Option<u32>>,
    /// The distinct wires out of each node, with their heads.
    out: Vec<Vec<(u32, NodeId)>>,
}

impl<'a> Wires<'a> {
    /// Groups the channels of a network. Takes `O(M log M)` time.
    pub(super) fn new(topology: &'a Topology) -> Self {
        let of_channel = components(topology);
        let count = of_channel.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut channels = vec![Vec::new(); count];
        for channel in topology.channels() {
            if let Some(wire) = of_channel[channel.index()] {
                channels[wire as usize].push(channel);
            }
        }
        let places = places(topology);
        let mut by_key: BTreeMap<ClassKey, Vec<u32>> = BTreeMap::new();
        let mut lanes = Vec::with_capacity(count);
        for (wire, channels) in channels.iter().enumerate() {
            let (key, width) = class_key(topology, &places, channels);
            by_key.entry(key).or_default().push(wire as u32);
            lanes.push(width);
        }
        let mut class_of = vec![0; count];
        let mut classes = Vec::with_capacity(by_key.len());
        for (place, (key, wires)) in by_key.into_iter().enumerate() {
            for &wire in &wires {
                class_of[wire as usize] = place as u32;
            }
            let size = wires.iter().map(|&wire| channels[wire as usize].len() as u32).sum();
            classes.push(Class { key, wires, channels: size });
        }
        let mut out = vec![Vec::new(); topology.node_count()];
        for channel in topology.channels() {
            if let Some(wire) = of_channel[channel.index()] {
                out[topology.tail(channel).index()].push((wire, topology.head(channel)));
            }
        }
        for row in &mut out {
            row.sort_unstable();
            row.dedup();
        }
        let opposites = opposites(topology, &channels);
        let wires = (channels.into_iter().zip(lanes).zip(class_of).zip(opposites))
            .map(|(((channels, lanes), class), opposite)| Wire { channels, lanes, class, opposite })
            .collect();
        Self { topology, list: wires, classes, of_channel, out }
    }

    /// Returns the distinct wires out of a node, with the nodes that they enter.
    pub(super) fn out(&self, node: NodeId) -> &[(u32, NodeId)] {
        &self.out[node.index()]
    }

    pub(super) fn wire(&self, wire: u32) -> &Wire {
        &self.list[wire as usize]
    }

    /// Returns the class and the lanes of the wires into a node, if they are of one class and carry nothing else.
    pub(super) fn entrance(&self, node: NodeId) -> Option<(u32, u32)> {
        let enters = |wire: &&Wire| wire.channels.iter().any(|&channel| self.topology.head(channel) == node);
        let near = self.topology.in_channels(node).iter().filter_map(|&channel| self.of_channel[channel.index()]);
        let mut near: Vec<u32> = near.collect();
        near.sort_unstable();
        near.dedup();
        let near = || near.iter().map(|&wire| self.wire(wire)).filter(enters);
        let class = near().next()?.class;
        near().all(|wire| wire.class == class).then(|| (class, near().map(|wire| wire.lanes).sum()))
    }

    /// Returns the nominal bandwidth of a lane of a class in bytes per second, if the network knows it.
    pub(super) fn nominal(&self, class: u32) -> Option<u64> {
        let unit = self.topology.unit_bytes_per_second()?;
        unit.checked_mul(u64::from(self.classes[class as usize].key.capacity))
    }

    /// Returns the capacity of a lane of a class.
    pub(super) fn capacity(&self, class: u32) -> u32 {
        self.classes[class as usize].key.capacity
    }

    /// Returns what a class is, such as `terminal to switch, 450GB/s, such as g0->V0 (16 channels)`.
    pub(super) fn class_name(&self, class: u32) -> String {
        let Class { key, wires, channels } = &self.classes[class as usize];
        let [from, to] = key.ends.map(place_name);
        let reach = match key.reach {
            Reach::Unknown => "",
            Reach::Inside => " of a host",
            Reach::Between => " of another host",
        };
        let width = match self.nominal(class) {
            Some(bandwidth) => format!(", {}", Quantity::Bandwidth.format(bandwidth)),
            None if key.capacity > 1 => format!(", capacity {}", key.capacity),
            None => String::new(),
        };
        let plural = if *channels == 1 { "" } else { "s" };
        let example = wires.first().map_or_else(String::new, |&wire| self.wire_name(wire));
        format!("{from} to {to}{reach}{width}, such as {example} ({channels} channel{plural})")
    }

    /// Returns the name of a wire: `g3->g5`, or `g3-g5` if it carries both directions.
    pub(super) fn wire_name(&self, wire: u32) -> String {
        let wire = self.wire(wire);
        let Some(&first) = wire.channels.first() else { return String::new() };
        let (tail, head) = (self.topology.tail(first), self.topology.head(first));
        let is_both = wire.channels.iter().any(|&channel| self.topology.tail(channel) != tail);
        let arrow = if is_both { "-" } else { "->" };
        format!("{}{arrow}{}", self.topology.node_name(tail), self.topology.node_name(head))
    }
}

fn place_name(place: Place) -> String {
    match place {
        Place::Terminal => "terminal".to_owned(),
        Place::Switch(1) => "switch".to_owned(),
        Place::Switch(level) => format!("level-{level} switch"),
        Place::Card => "switch at the edge of a host".to_owned(),
    }
}

/// Returns the first channel of the component of a channel, and shortens the way to it.
fn root(parent: &mut [u32], mut channel: u32) -> u32 {
    while parent[channel as usize] != channel {
        parent[channel as usize] = parent[parent[channel as usize] as usize];
        channel = parent[channel as usize];
    }
    channel
}

/// Returns the number of the wire of each channel; `None` for a failed one. Wires are numbered by their first channel.
fn components(topology: &Topology) -> Vec<Option<u32>> {
    let mut parent: Vec<u32> = (0..topology.channel_bound() as u32).collect();
    let mut first_of_resource: Vec<Option<u32>> = vec![None; topology.resource_count()];
    let mut first_of_ends: BTreeMap<[NodeId; 2], u32> = BTreeMap::new();
    for channel in topology.channels() {
        let number = channel.number();
        let of_resource = *first_of_resource[topology.resource(channel).index()].get_or_insert(number);
        let of_ends = *first_of_ends.entry([topology.tail(channel), topology.head(channel)]).or_insert(number);
        for other in [of_resource, of_ends] {
            let [one, two] = [root(&mut parent, other), root(&mut parent, number)];
            parent[one.max(two) as usize] = one.min(two);
        }
    }
    let mut number_of: Vec<Option<u32>> = vec![None; topology.channel_bound()];
    let mut wires = 0;
    for channel in topology.channels() {
        let first = root(&mut parent, channel.number()) as usize;
        let number = *number_of[first].get_or_insert_with(|| {
            wires += 1;
            wires - 1
        });
        number_of[channel.index()] = Some(number);
    }
    number_of
}

/// Returns the kind of each node.
fn places(topology: &Topology) -> Vec<Place> {
    let mut distance = vec![u32::MAX; topology.node_count()];
    let mut queue: VecDeque<NodeId> = topology.terminals().iter().copied().collect();
    topology.terminals().iter().for_each(|terminal| distance[terminal.index()] = 0);
    while let Some(node) = queue.pop_front() {
        let heads = topology.out_channels(node).iter().map(|&channel| topology.head(channel));
        let tails = topology.in_channels(node).iter().map(|&channel| topology.tail(channel));
        for near in heads.chain(tails) {
            if distance[near.index()] == u32::MAX {
                distance[near.index()] = distance[node.index()] + 1;
                queue.push_back(near);
            }
        }
    }
    let leaves_host = |node: NodeId| {
        let host = topology.host(node);
        let heads = topology.out_channels(node).iter().map(|&channel| topology.head(channel));
        host.is_some() && heads.into_iter().any(|head| topology.host(head) != host)
    };
    let place = |node: NodeId| match distance[node.index()] {
        0 => Place::Terminal,
        _ if leaves_host(node) => Place::Card,
        distance => Place::Switch(distance),
    };
    topology.nodes().map(place).collect()
}

/// Returns the key of the class of a wire, and its number of lanes.
fn class_key(topology: &Topology, places: &[Place], channels: &[ChannelId]) -> (ClassKey, u32) {
    let mut resources: Vec<_> = channels.iter().map(|&channel| topology.resource(channel)).collect();
    resources.sort_unstable();
    resources.dedup();
    let capacities = || resources.iter().map(|&resource| topology.resource_capacity(resource));
    let widest = capacities().max().unwrap_or(1);
    let is_even = capacities().all(|capacity| capacity == widest);
    let (capacity, lanes) =
        if is_even { (widest, resources.len() as u32) } else { (capacities().fold(0, u32::saturating_add), 1) };
    let ends = channels.iter().map(|&channel| {
        let [tail, head] = [topology.tail(channel), topology.head(channel)];
        let mut ends = [places[tail.index()], places[head.index()]];
        ends.sort_unstable();
        let reach = match [topology.host(tail), topology.host(head)] {
            [None, None] => Reach::Unknown,
            [one, two] if one == two => Reach::Inside,
            _ => Reach::Between,
        };
        (ends, reach)
    });
    let (ends, reach) = ends.min().unwrap_or(([Place::Terminal; 2], Reach::Unknown));
    (ClassKey { ends, reach, capacity, is_shared: resources.len() < channels.len() }, lanes)
}

/// Returns the wire in the other direction of each wire. A wire that shares its resource has none.
fn opposites(topology: &Topology, wires: &[Vec<ChannelId>]) -> Vec<Option<u32>> {
    let ends = |channel: &ChannelId| [topology.tail(*channel), topology.head(*channel)];
    let one_way = |channels: &[ChannelId]| channels.iter().all(|channel| ends(channel) == ends(&channels[0]));
    let mut by_ends: BTreeMap<[NodeId; 2], u32> = BTreeMap::new();
    for (wire, channels) in wires.iter().enumerate() {
        if one_way(channels) {
            channels.first().map(|channel| by_ends.insert(ends(channel), wire as u32));
        }
    }
    let opposite = |channels: &Vec<ChannelId>| {
        let [tail, head] = channels.first().filter(|_| one_way(channels)).map(ends)?;
        by_ends.get(&[head, tail]).copied()
    };
    wires.iter().map(opposite).collect()
}
