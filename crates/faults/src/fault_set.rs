//! Faults as a person names them.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::fault::upward;
use crate::list::beginning;
use crate::{Fault, FaultError, Faults};

/// Faults by the names or numbers of nodes, of whatever network they are [asked](Self::of).
///
/// ```
/// use lockstep_faults::FaultSet;
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let broken = FaultSet::new().link("00", "01").channel("01", "11").node("22").apply_to(&mesh)?;
/// assert_eq!(broken.name(), "mesh:4x4 without link 00-01, channel 01->11 and node 22");
///
/// let written = FaultSet::new().link_written("00-01").channel_written("01->11").node("10");
/// assert_eq!(written.of(&mesh)?.name(&mesh), "00-01, 01->11, 10");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FaultSet {
    entries: Vec<Entry>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Entry {
    Link(Ends),
    Channel(Ends),
    Node(String),
}

/// Two nodes by name or number.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Ends {
    Apart {
        from: String,
        to: String,
    },
    /// In one word, which only the names of a network can split.
    Written(String),
}

/// A pair of nodes, and one of the parallel wires between them, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Reading {
    from: NodeId,
    to: NodeId,
    wire: Option<usize>,
}

impl FaultSet {
    /// No fault.
    pub fn new() -> Self {
        Self::default()
    }

    /// And every wire between two nodes, in both directions.
    #[must_use]
    pub fn link(self, one: impl Into<String>, other: impl Into<String>) -> Self {
        self.and(Entry::Link(Ends::Apart { from: one.into(), to: other.into() }))
    }

    /// And every channel from one node to another.
    #[must_use]
    pub fn channel(self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.and(Entry::Channel(Ends::Apart { from: from.into(), to: to.into() }))
    }

    /// And a terminal or switch with all its channels.
    #[must_use]
    pub fn node(self, node: impl Into<String>) -> Self {
        self.and(Entry::Node(node.into()))
    }

    /// And a link as a person writes it: `01-10`, or one of parallel wires `01-10#2`. Names may have hyphens as long as
    /// one place alone splits the word into two nodes.
    #[must_use]
    pub fn link_written(self, word: impl Into<String>) -> Self {
        self.and(Entry::Link(Ends::Written(word.into())))
    }

    /// And a channel as a person writes it: `01->10`, `01>10`, `01-10`, or one of parallel wires `01->10#2`.
    #[must_use]
    pub fn channel_written(self, word: impl Into<String>) -> Self {
        self.and(Entry::Channel(Ends::Written(word.into())))
    }

    /// Whether nothing fails.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn and(mut self, entry: Entry) -> Self {
        self.entries.push(entry);
        self
    }

    /// The faults of this network that are meant.
    ///
    /// # Errors
    ///
    /// A [`FaultError`] that quotes what is no node, link or channel of the network.
    pub fn of(&self, topology: &Topology) -> Result<Faults, FaultError> {
        let mut faults = Vec::new();
        for entry in &self.entries {
            match entry {
                Entry::Link(ends) => faults.extend(links(topology, ends)?),
                Entry::Channel(ends) => faults.extend(channels(topology, ends)?),
                Entry::Node(name) => faults.push(Fault::Node(find(topology, name)?)),
            }
        }
        Ok(faults.into())
    }

    /// The network after these faults; see [`Faults::apply_to`].
    ///
    /// # Errors
    ///
    /// As [`of`](Self::of).
    pub fn apply_to(&self, topology: &Topology) -> Result<Topology, FaultError> {
        self.of(topology)?.apply_to(topology)
    }
}

/// The links between two nodes, and the channels between them that are part of no link.
fn links(topology: &Topology, ends: &Ends) -> Result<Vec<Fault>, FaultError> {
    let reading = ends.read(topology, "link such as 01-10", &["-"])?;
    let Reading { from, to, wire } = reading;
    let [there, back] = [channels_between(topology, from, to), channels_between(topology, to, from)];
    match (there.is_empty(), back.is_empty()) {
        (true, true) => return Err(not_joined(topology, "link", from, to)),
        (false, false) => {}
        (_, is_there) => {
            let [from, to] = if is_there { [from, to] } else { [to, from] };
            return Err(FaultError::OneWay { from: name(topology, from), to: name(topology, to) });
        }
    }
    let up = if from < to { &there } else { &back };
    let links = topology.links().into_iter().filter(|&link| up.contains(&upward(topology, link)));
    let mut faults: Vec<Fault> = links.map(Fault::Link).collect();
    if let Some(wire) = wire {
        let is_meant = |fault: &Fault| {
            let channel = wire.checked_sub(1).and_then(|place| up.get(place));
            channel.is_some_and(|channel| fault.channels().contains(channel))
        };
        faults.retain(is_meant);
        return if faults.is_empty() { Err(unknown_wire(ends, wire, up.len())) } else { Ok(faults) };
    }
    let is_alone = |channel: &&ChannelId| !faults.iter().any(|fault| fault.channels().contains(channel));
    let alone: Vec<Fault> = there.iter().chain(&back).filter(is_alone).copied().map(Fault::Channel).collect();
    faults.extend(alone);
    Ok(faults)
}

/// The channels from one node to another.
fn channels(topology: &Topology, ends: &Ends) -> Result<Vec<Fault>, FaultError> {
    let Reading { from, to, wire } = ends.read(topology, "channel such as '01->10'", &["->", ">", "-"])?;
    let channels = channels_between(topology, from, to);
    if channels.is_empty() {
        return Err(not_joined(topology, "channel", from, to));
    }
    let Some(wire) = wire else { return Ok(channels.into_iter().map(Fault::Channel).collect()) };
    match wire.checked_sub(1).and_then(|place| channels.get(place)) {
        Some(&channel) => Ok(vec![Fault::Channel(channel)]),
        None => Err(unknown_wire(ends, wire, channels.len())),
    }
}

fn channels_between(topology: &Topology, from: NodeId, to: NodeId) -> Vec<ChannelId> {
    topology.out_channels(from).iter().copied().filter(|&channel| topology.head(channel) == to).collect()
}

impl Ends {
    fn read(&self, topology: &Topology, form: &'static str, separators: &[&str]) -> Result<Reading, FaultError> {
        let word = match self {
            Self::Apart { from, to } => {
                return Ok(Reading { from: find(topology, from)?, to: find(topology, to)?, wire: None });
            }
            Self::Written(word) => word,
        };
        let marked = word.rsplit_once('#').and_then(|(pair, wire)| Some((pair, Some(wire.parse().ok()?))));
        let mut readings: Vec<Reading> = Vec::new();
        for (pair, wire) in [(&word[..], None)].into_iter().chain(marked) {
            for separator in separators {
                for (place, _) in pair.match_indices(separator) {
                    let sides = [&pair[..place], &pair[place + separator.len()..]];
                    let [Some(from), Some(to)] = sides.map(|side| topology.find_node(side)) else { continue };
                    let reading = Reading { from, to, wire };
                    if !readings.contains(&reading) {
                        readings.push(reading);
                    }
                }
            }
        }
        match readings[..] {
            [] => Err(FaultError::Unreadable { word: word.clone(), form }),
            [reading] => Ok(reading),
            [first, second, ..] => {
                let [first, second] = [first, second].map(|reading| reading.in_numbers(separators[0]));
                Err(FaultError::Ambiguous { word: word.clone(), first, second })
            }
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Apart { from, to } => format!("{from}-{to}"),
            Self::Written(word) => word.clone(),
        }
    }
}

impl Reading {
    fn in_numbers(self, separator: &str) -> String {
        format!("{}{separator}{}{}", self.from, self.to, self.wire.map_or(String::new(), |wire| format!("#{wire}")))
    }
}

fn find(topology: &Topology, name: &str) -> Result<NodeId, FaultError> {
    topology.find_node(name).ok_or_else(|| FaultError::UnknownNode {
        name: name.to_owned(),
        example: topology.node_name(NodeId::new(0)).to_owned(),
        node_count: topology.node_count(),
    })
}

fn unknown_wire(ends: &Ends, wire: usize, wires: usize) -> FaultError {
    FaultError::UnknownWire { word: ends.words(), wire, wires }
}

fn not_joined(topology: &Topology, form: &'static str, from: NodeId, to: NodeId) -> FaultError {
    let mut heads: Vec<NodeId> = topology.out_channels(from).iter().map(|&channel| topology.head(channel)).collect();
    heads.sort_unstable();
    heads.dedup();
    let [from_name, to_name] = [from, to].map(|node| name(topology, node));
    let neighbours = if heads.is_empty() {
        format!("no channel leaves '{from_name}'")
    } else {
        let names = beginning(heads.iter().map(|&node| topology.node_name(node)));
        format!("channels lead from '{from_name}' to {names}")
    };
    FaultError::NotJoined { form, from: from_name, to: to_name, neighbours }
}

fn name(topology: &Topology, node: NodeId) -> String {
    topology.node_name(node).to_owned()
}

#[cfg(test)]
mod tests {
    use lockstep_topology::TopologyBuilder;

    use super::*;

    fn named(topology: &Topology, faults: &FaultSet) -> String {
        faults.of(topology).unwrap().name(topology)
    }

    fn refused(topology: &Topology, faults: &FaultSet) -> String {
        faults.of(topology).unwrap_err().to_string()
    }

    /// Three wires, of which one goes there only; names with hyphens.
    fn odd() -> Topology {
        let mut network = TopologyBuilder::new("odd");
        let nodes = ["a", "a-b", "b-c", "c", "x#1"].map(|name| network.terminal(name));
        network.link(nodes[0], nodes[1]);
        network.link(nodes[1], nodes[0]);
        network.channel(nodes[1], nodes[0]);
        network.link(nodes[0], nodes[2]);
        network.link(nodes[1], nodes[3]);
        network.channel(nodes[2], nodes[3]);
        network.link(nodes[3], nodes[4]);
        network.build().unwrap()
    }

    #[test]
    fn names_numbers_and_every_way_to_write_them_mean_the_same() {
        let kautz: Topology = "kautz:3,2".parse().unwrap();
        let expected = FaultSet::new().channel("01", "10").of(&kautz).unwrap();
        assert_eq!(expected.iter().len(), 1);
        let number = |name: &str| kautz.find_node(name).unwrap().to_string();
        for word in ["01->10".into(), "01>10".into(), "01-10".into(), format!("{}->{}", number("01"), number("10"))] {
            assert_eq!(FaultSet::new().channel_written(word).of(&kautz).unwrap(), expected);
        }
        assert_eq!(FaultSet::new().channel(number("01"), number("10")).of(&kautz).unwrap(), expected);
        assert_eq!(named(&kautz, &FaultSet::new().link_written("10-01").node("01").node("01")), "01-10, 01");
    }

    #[test]
    fn a_link_is_every_wire_and_what_has_no_opposite() {
        let odd = odd();
        assert_eq!(named(&odd, &FaultSet::new().link("a", "a-b")), "a-a-b#1, a-b-a#2, a-b->a#3");
        assert_eq!(named(&odd, &FaultSet::new().channel("a-b", "a")), "a-b->a#1, a-b->a#2, a-b->a#3");
        assert_eq!(named(&odd, &FaultSet::new().link_written("a-a-b#2")), "a-b-a#2");
        assert_eq!(
            refused(&odd, &FaultSet::new().link_written("0-1#3")),
            "'0-1#3' asks for wire 3, but there are 2; they count from #1"
        );
        assert_eq!(named(&odd, &FaultSet::new().link_written("c-x#1")), "c-x#1");
        let broken = FaultSet::new().link("a", "a-b").apply_to(&odd).unwrap();
        assert_eq!(odd.channel_count() - broken.channel_count(), 5);
    }

    #[test]
    fn what_is_no_fault_of_the_network_is_refused_in_words() {
        let kautz: Topology = "kautz:3,2".parse().unwrap();
        let odd = odd();
        assert_eq!(
            refused(&odd, &FaultSet::new().link_written("a-b-c")),
            "'a-b-c' may be 0-2 or 1-3; give the numbers of the nodes"
        );
        assert_eq!(named(&odd, &FaultSet::new().link_written("1-3")), "a-b-c");
        assert_eq!(
            refused(&kautz, &FaultSet::new().link("01", "12")),
            "'01' and '12' are joined in one direction only, which is no link; let the channel 01->12 fail"
        );
        assert_eq!(
            refused(&kautz, &FaultSet::new().link("12", "01")),
            refused(&kautz, &FaultSet::new().link("01", "12"))
        );
        assert_eq!(
            refused(&kautz, &FaultSet::new().channel("01", "20")),
            "no channel joins '01' and '20'; channels lead from '01' to 10, 12 and 13"
        );
        assert_eq!(
            refused(&kautz, &FaultSet::new().node("44")),
            "there is no node '44'; give a name such as '01', or a number below 12"
        );
        assert_eq!(
            refused(&kautz, &FaultSet::new().link_written("01+10")),
            "'01+10' is no link such as 01-10: no place splits it into two nodes; give their names or numbers"
        );
        let pair: Topology = "ring:2".parse().unwrap();
        let cut = FaultSet::new().link("0", "1").apply_to(&pair).unwrap();
        assert_eq!(refused(&cut, &FaultSet::new().link("0", "1")), "no link joins '0' and '1'; no channel leaves '0'");
    }
}
