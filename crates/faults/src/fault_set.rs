//! Faults by name, independent of a network.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::fault::{number_suffix, upward};
use crate::neighbours::{neighbours, network_card_links, unreadable};
use crate::{Fault, FaultError, Faults};

/// A set of faults by the names or numbers of nodes. [`of`](Self::of) looks them up in a network.
///
/// ```
/// use lockstep_faults::FaultSet;
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let broken = FaultSet::new().link("00", "01").channel("01", "11").node("22").apply_to(&mesh)?;
/// assert_eq!(broken.name(), "mesh:4x4 without link 00-01, channel 01->11 and node 22");
///
/// let named = FaultSet::new().link_named("00-01").channel_named("01->11").node("10");
/// assert_eq!(named.of(&mesh)?.name(&mesh), "00-01, 01->11, 10");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FaultSet {
    faults: Vec<NamedFault>,
}

/// A fault by the names or numbers of its nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
enum NamedFault {
    Link(NodePair),
    Channel(NodePair),
    Node(String),
    NetworkCards(String),
}

/// Two nodes by name or number.
#[derive(Clone, PartialEq, Eq, Debug)]
enum NodePair {
    Separate {
        from: String,
        to: String,
    },
    /// One text such as `01-10`. The names of a network decide where to split it.
    Combined(String),
}

/// An interpretation of a pair: its nodes, and the number of a parallel link or channel, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Interpretation {
    from: NodeId,
    to: NodeId,
    number: Option<usize>,
}

impl FaultSet {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds all links between two nodes, and all other channels between them.
    #[must_use]
    pub fn link(self, one: impl Into<String>, other: impl Into<String>) -> Self {
        self.and(NamedFault::Link(NodePair::Separate { from: one.into(), to: other.into() }))
    }

    /// Adds all channels from one node to another.
    #[must_use]
    pub fn channel(self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.and(NamedFault::Channel(NodePair::Separate { from: from.into(), to: to.into() }))
    }

    /// Adds a terminal or switch with all its channels.
    #[must_use]
    pub fn node(self, node: impl Into<String>) -> Self {
        self.and(NamedFault::Node(node.into()))
    }

    /// Adds all links of the network cards of a node: those that lead to other hosts, or to switches between hosts.
    ///
    /// ```
    /// use lockstep_faults::FaultSet;
    /// use lockstep_topology::Topology;
    ///
    /// let servers: Topology = "dgx-a100:2".parse()?;
    /// let broken = FaultSet::new().network_cards("g0_3").apply_to(&servers)?;
    /// assert_eq!(broken.name(), "dgx-a100:2 without link g0_3-R3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn network_cards(self, node: impl Into<String>) -> Self {
        self.and(NamedFault::NetworkCards(node.into()))
    }

    /// Adds a link written as `01-10`, or `01-10#2` for the second of parallel links. Names can contain hyphens if
    /// exactly one hyphen splits the text into two nodes.
    #[must_use]
    pub fn link_named(self, word: impl Into<String>) -> Self {
        self.and(NamedFault::Link(NodePair::Combined(word.into())))
    }

    /// Adds a channel written as `01->10`, `01>10`, `01-10`, or `01->10#2` for the second of parallel channels.
    #[must_use]
    pub fn channel_named(self, word: impl Into<String>) -> Self {
        self.and(NamedFault::Channel(NodePair::Combined(word.into())))
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    fn and(mut self, fault: NamedFault) -> Self {
        self.faults.push(fault);
        self
    }

    /// Looks up the faults in a network.
    ///
    /// # Errors
    ///
    /// [`FaultError::UnknownNode`], [`FaultError::Unreadable`], [`FaultError::SingleNode`], [`FaultError::UnknownPart`],
    /// [`FaultError::Ambiguous`], [`FaultError::NotJoined`], [`FaultError::OneWay`], [`FaultError::Unpaired`],
    /// [`FaultError::UnknownParallel`] or [`FaultError::NoNetworkCard`] for the first fault that is not in the network.
    pub fn of(&self, topology: &Topology) -> Result<Faults, FaultError> {
        let mut faults = Vec::new();
        for fault in &self.faults {
            match fault {
                NamedFault::Link(ends) => faults.extend(links(topology, ends)?),
                NamedFault::Channel(ends) => faults.extend(channels(topology, ends)?),
                NamedFault::Node(name) => faults.push(Fault::Node(find(topology, name)?)),
                NamedFault::NetworkCards(name) => faults.extend(network_card_links(topology, find(topology, name)?)?),
            }
        }
        Ok(faults.into())
    }

    /// Returns the network after these faults, see [`Faults::apply_to`].
    ///
    /// # Errors
    ///
    /// As [`of`](Self::of).
    pub fn apply_to(&self, topology: &Topology) -> Result<Topology, FaultError> {
        self.of(topology)?.apply_to(topology)
    }
}

/// Returns the links between two nodes, and the other channels between them.
fn links(topology: &Topology, ends: &NodePair) -> Result<Vec<Fault>, FaultError> {
    let interpretation = ends.read(topology, "link such as 01-10", &["-"])?;
    let Interpretation { from, to, number } = interpretation;
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
    if let Some(number) = number {
        let has_number = |fault: &Fault| {
            let channel = number.checked_sub(1).and_then(|place| up.get(place));
            channel.is_some_and(|channel| fault.channels().contains(channel))
        };
        faults.retain(has_number);
        if !faults.is_empty() {
            return Ok(faults);
        }
        return Err(match number.checked_sub(1).and_then(|place| up.get(place)) {
            Some(&channel) => {
                FaultError::Unpaired { word: ends.text(), channel: Fault::Channel(channel).name(topology) }
            }
            None => unknown_parallel(ends, number, up.len()),
        });
    }
    let is_alone = |channel: &&ChannelId| !faults.iter().any(|fault| fault.channels().contains(channel));
    let alone: Vec<Fault> = there.iter().chain(&back).filter(is_alone).copied().map(Fault::Channel).collect();
    faults.extend(alone);
    Ok(faults)
}

/// Returns the channels from one node to another.
fn channels(topology: &Topology, ends: &NodePair) -> Result<Vec<Fault>, FaultError> {
    let Interpretation { from, to, number } = ends.read(topology, "channel such as '01->10'", &["->", ">", "-"])?;
    let channels = channels_between(topology, from, to);
    if channels.is_empty() {
        return Err(not_joined(topology, "channel", from, to));
    }
    let Some(number) = number else { return Ok(channels.into_iter().map(Fault::Channel).collect()) };
    match number.checked_sub(1).and_then(|place| channels.get(place)) {
        Some(&channel) => Ok(vec![Fault::Channel(channel)]),
        None => Err(unknown_parallel(ends, number, channels.len())),
    }
}

fn channels_between(topology: &Topology, from: NodeId, to: NodeId) -> Vec<ChannelId> {
    topology.out_channels(from).iter().copied().filter(|&channel| topology.head(channel) == to).collect()
}

impl NodePair {
    fn read(&self, topology: &Topology, form: &'static str, separators: &[&str]) -> Result<Interpretation, FaultError> {
        let word = match self {
            Self::Separate { from, to } => {
                return Ok(Interpretation { from: find(topology, from)?, to: find(topology, to)?, number: None });
            }
            Self::Combined(word) => word,
        };
        let marked = word.rsplit_once('#').and_then(|(pair, number)| Some((pair, Some(number.parse().ok()?))));
        let mut interpretations: Vec<Interpretation> = Vec::new();
        for (pair, number) in [(&word[..], None)].into_iter().chain(marked) {
            for separator in separators {
                for (place, _) in pair.match_indices(separator) {
                    let sides = [&pair[..place], &pair[place + separator.len()..]];
                    let [Some(from), Some(to)] = sides.map(|side| topology.find_node(side)) else { continue };
                    let interpretation = Interpretation { from, to, number };
                    if !interpretations.contains(&interpretation) {
                        interpretations.push(interpretation);
                    }
                }
            }
        }
        match interpretations[..] {
            [] => Err(unreadable(topology, word, form, separators)),
            [interpretation] => Ok(interpretation),
            [first, second, ..] => {
                let [first, second] = [first, second].map(|interpretation| interpretation.with_numbers(separators[0]));
                Err(FaultError::Ambiguous { word: word.clone(), first, second })
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Separate { from, to } => format!("{from}-{to}"),
            Self::Combined(word) => word.clone(),
        }
    }
}

impl Interpretation {
    fn with_numbers(self, separator: &str) -> String {
        format!("{}{separator}{}{}", self.from, self.to, number_suffix(self.number))
    }
}

fn find(topology: &Topology, name: &str) -> Result<NodeId, FaultError> {
    let unknown = || {
        let numbers = || {
            let (example, count) = (topology.node_name(NodeId::new(0)), topology.node_count());
            format!("use a name such as '{example}', or a number below {count}")
        };
        let advice = topology.similar_nodes(name).unwrap_or_else(numbers);
        FaultError::UnknownNode { name: name.to_owned(), advice }
    };
    topology.find_node(name).ok_or_else(unknown)
}

fn unknown_parallel(ends: &NodePair, number: usize, count: usize) -> FaultError {
    FaultError::UnknownParallel { word: ends.text(), number, count }
}

fn not_joined(topology: &Topology, form: &'static str, from: NodeId, to: NodeId) -> FaultError {
    let [from_name, to_name] = [from, to].map(|node| name(topology, node));
    let neighbours = neighbours(topology, from, "channels");
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

    /// Parallel links, a one-way channel, and names with hyphens.
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
    fn names_numbers_and_all_notations_are_equivalent() {
        let kautz: Topology = "kautz:3,2".parse().unwrap();
        let expected = FaultSet::new().channel("01", "10").of(&kautz).unwrap();
        assert_eq!(expected.iter().len(), 1);
        let number = |name: &str| kautz.find_node(name).unwrap().to_string();
        for word in ["01->10".into(), "01>10".into(), "01-10".into(), format!("{}->{}", number("01"), number("10"))] {
            assert_eq!(FaultSet::new().channel_named(word).of(&kautz).unwrap(), expected);
        }
        assert_eq!(FaultSet::new().channel(number("01"), number("10")).of(&kautz).unwrap(), expected);
        assert_eq!(named(&kautz, &FaultSet::new().link_named("10-01").node("01").node("01")), "01-10, 01");
    }

    #[test]
    fn a_link_is_all_parallel_links_and_other_channels() {
        let odd = odd();
        assert_eq!(named(&odd, &FaultSet::new().link("a", "a-b")), "a-a-b#1, a-b-a#2, a-b->a#3");
        assert_eq!(named(&odd, &FaultSet::new().channel("a-b", "a")), "a-b->a#1, a-b->a#2, a-b->a#3");
        assert_eq!(named(&odd, &FaultSet::new().link_named("a-a-b#2")), "a-b-a#2");
        assert_eq!(
            refused(&odd, &FaultSet::new().link_named("0-1#3")),
            "'0-1#3' has number 3, but there are 2 parallel ones; they are numbered from #1"
        );
        // Both names of the nodes in both orders of their numbers.
        for [one, other] in [["a", "b"], ["b", "a"]] {
            let mut network = TopologyBuilder::new("unpaired");
            let nodes = [one, other].map(|name| network.terminal(name));
            network.link(nodes[0], nodes[1]);
            network.channel(nodes[0], nodes[1]);
            let unpaired = network.build().unwrap();
            assert_eq!(named(&unpaired, &FaultSet::new().link_named("a-b#1")), format!("{one}-{other}#1"));
            assert_eq!(
                refused(&unpaired, &FaultSet::new().link_named(format!("{one}-{other}#2"))),
                format!(
                    "'{one}-{other}#2' has no opposite channel, so it is not a link; use the channel {one}->{other}#2 as the fault"
                )
            );
            assert_eq!(
                named(&unpaired, &FaultSet::new().channel_named(format!("{one}->{other}#2"))),
                format!("{one}->{other}#2")
            );
        }
        assert_eq!(named(&odd, &FaultSet::new().link_named("c-x#1")), "c-x#1");
        let broken = FaultSet::new().link("a", "a-b").apply_to(&odd).unwrap();
        assert_eq!(odd.channel_count() - broken.channel_count(), 5);
    }

    #[test]
    fn faults_of_another_network_are_refused_with_a_message() {
        let kautz: Topology = "kautz:3,2".parse().unwrap();
        let odd = odd();
        assert_eq!(
            refused(&odd, &FaultSet::new().link_named("a-b-c")),
            "'a-b-c' can mean 0-2 or 1-3; use the numbers of the nodes"
        );
        assert_eq!(named(&odd, &FaultSet::new().link_named("1-3")), "a-b-c");
        assert_eq!(
            refused(&kautz, &FaultSet::new().link("01", "12")),
            "'01' and '12' are joined in one direction only, which is not a link; use the channel 01->12 as the fault"
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
            "there is no node '44'; use a name such as '01', or a number below 12"
        );
        assert_eq!(
            refused(&kautz, &FaultSet::new().link_named("01+10")),
            "'01+10' is not a link such as 01-10: it does not split into two nodes; use their names or numbers"
        );
        let pair: Topology = "ring:2".parse().unwrap();
        let cut = FaultSet::new().link("0", "1").apply_to(&pair).unwrap();
        assert_eq!(refused(&cut, &FaultSet::new().link("0", "1")), "no link joins '0' and '1'; no channel leaves '0'");
    }
}
