//! Problems: a network, a collective and a model that fit together.

use lockstep_topology::{NodeId, Topology};

use crate::collective::Collective;
use crate::messages::Messages;
use crate::model::{CommunicationModel, Routing, ScatterRule, Switching};
use crate::parts::Parts;
use crate::pattern::Phase;
use crate::reach::{ReachSearch, SearchTooLong, UNREACHED, max_search_steps};
use crate::transport::Transport;

/// The reason why a network, a collective and a model form no valid problem.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// Fewer than two terminals.
    #[error("the network has {terminals} terminal(s); a collective needs at least 2")]
    TooFewTerminals {
        /// Number of terminals.
        terminals: usize,
    },
    /// A root, source or receiver that is not a node.
    #[error("{role} {node} is not a node of the network; the nodes are 0 to {}", .node_count - 1)]
    UnknownNode {
        /// "root", "source" or "receiver".
        role: &'static str,
        /// The number given.
        node: u32,
        /// Number of nodes.
        node_count: usize,
    },
    /// A root, source or receiver that is a switch.
    #[error("{role} '{name}' is a switch and holds no messages; choose a terminal, for example '{example}'")]
    NotATerminal {
        /// "root", "source" or "receiver".
        role: &'static str,
        /// Name of the switch.
        name: String,
        /// Name of a terminal.
        example: String,
    },
    /// A root, source or receiver that has failed.
    #[error("{role} '{name}' has failed; choose a terminal that works")]
    HasFailed {
        /// "root", "source" or "receiver".
        role: &'static str,
        /// Name of the node.
        name: String,
    },
    /// A message without receivers, with its own source as receiver, or with a repeated receiver.
    #[error("message {message} {fault}; list each receiver once and leave out the source")]
    Receivers {
        /// The number of the message in the list.
        message: usize,
        /// The fault of the receivers.
        fault: &'static str,
    },
    /// A message of a scatter or gather with several receivers.
    #[error("message {message} has {receivers} receivers; list one for each message of a scatter or gather")]
    SeveralReceivers {
        /// The number of the message in the list.
        message: usize,
        /// Number of receivers.
        receivers: usize,
    },
    /// A collective without messages.
    #[error("the collective has no message; give at least one source and one receiver")]
    NoMessage,
    /// A collective with more messages than message numbers.
    #[error("the collective has more than 2^32 - 2 messages on {terminals} terminals; use fewer terminals or chunks")]
    TooManyMessages {
        /// Number of terminals.
        terminals: usize,
    },
    /// A network whose legal paths are too hard to find, because channels between different nodes share resources.
    #[error(
        "the search for the legal paths of '{terminal}' takes more than {steps} steps, because a path may not use a shared \
         resource twice; let fewer channels share a resource"
    )]
    SearchTooLong {
        /// Name of the terminal where the paths begin or end.
        terminal: String,
        /// The maximum number of steps.
        steps: u64,
    },
    /// A receiver without a legal path from the source.
    #[error("no {switching} path leads from '{from}' to '{to}'{}", remedy(*.relays_help, parts.as_deref()))]
    Unreachable {
        /// Name of the terminal that holds the message.
        from: String,
        /// Name of the terminal that must receive it.
        to: String,
        /// The switching technique; store-and-forward has no path through a switch.
        switching: Switching,
        /// True if relayed messages can reach all receivers.
        relays_help: bool,
        /// The parts of the network, if there are several.
        parts: Option<Box<Parts>>,
    },
}

fn remedy(relays_help: bool, parts: Option<&Parts>) -> String {
    match parts {
        Some(parts) => format!(", because the network has {parts}; join them, or plan one part"),
        None if relays_help => ", but terminals between them can relay messages; choose relay scatter".to_owned(),
        None => "; connect them or remove one of them".to_owned(),
    }
}

/// A network, a collective and the rules of the network: the input of every engine and lower bound.
///
/// Invariants: the problem has at least two terminals and one message. Every root, source and receiver is a terminal.
/// Every receiver can be reached from the source of its message. In a gather or reduction the direction is reversed; in an
/// all-reduce, both hold.
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::TopologyBuilder;
///
/// let mut pair = TopologyBuilder::new("pair");
/// let (a, b) = (pair.terminal("a"), pair.terminal("b"));
/// pair.link(a, b);
/// let pair = pair.build()?;
/// let exchange = Collective::all_to_all();
/// let problem = Problem::new(&pair, &exchange, CommunicationModel::wormhole())?;
/// assert_eq!(problem.messages().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    topology: &'a Topology,
    collective: &'a Collective,
    model: CommunicationModel,
    messages: Messages<'a>,
}

impl<'a> Problem<'a> {
    /// Returns the problem after checking it. O(channels) if one node connects all terminals, otherwise O(channels) per
    /// source. No budget ends it.
    ///
    /// # Errors
    ///
    /// The first [`ProblemError`]: terminals, then nodes and receivers, then reachability.
    pub fn new(
        topology: &'a Topology,
        collective: &'a Collective,
        model: CommunicationModel,
    ) -> Result<Self, ProblemError> {
        let terminals = topology.terminal_count();
        if terminals < 2 {
            return Err(ProblemError::TooFewTerminals { terminals });
        }
        if let Some(root) = collective.root() {
            check_terminal(topology, "root", root)?;
        }
        if let Some(messages) = collective.listed() {
            for (number, message) in messages.iter().enumerate() {
                check_terminal(topology, "source", message.source)?;
                for &receiver in &message.receivers {
                    check_terminal(topology, "receiver", receiver)?;
                }
                let mut receivers = message.receivers.clone();
                receivers.sort_unstable();
                let fault = if receivers.is_empty() {
                    "has no receiver"
                } else if receivers.contains(&message.source) {
                    "has its own source as receiver"
                } else if receivers.windows(2).any(|pair| pair[0] == pair[1]) {
                    "names a receiver twice"
                } else if collective.pattern().is_scatter() && receivers.len() > 1 {
                    return Err(ProblemError::SeveralReceivers { message: number, receivers: receivers.len() });
                } else {
                    continue;
                };
                return Err(ProblemError::Receivers { message: number, fault });
            }
        }
        let messages = collective.messages(topology).ok_or(ProblemError::TooManyMessages { terminals })?;
        if messages.is_empty() {
            return Err(ProblemError::NoMessage);
        }
        let problem = Self { topology, collective, model: model.on(topology), messages };
        problem.check_reachable().map_err(|error| problem.with_relay(error))?;
        Ok(problem)
    }

    /// Completes the error that a terminal is out of reach: whether relayed messages can reach all terminals, and the parts
    /// of the network.
    fn with_relay(mut self, error: ProblemError) -> ProblemError {
        self.model.scatter = ScatterRule::Relay;
        match error {
            ProblemError::Unreachable { from, to, switching, .. } => {
                let (relays_help, parts) = (self.check_reachable().is_ok(), Parts::of(self.topology));
                ProblemError::Unreachable { from, to, switching, relays_help, parts }
            }
            error => error,
        }
    }

    /// Returns the problem of parts that are already checked.
    pub(crate) fn checked(topology: &'a Topology, collective: &'a Collective, model: CommunicationModel) -> Self {
        let messages = collective.messages(topology).expect("a checked problem has messages");
        Self { topology, collective, model: model.on(topology), messages }
    }

    /// Returns the network.
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// Returns the collective.
    pub fn collective(&self) -> &'a Collective {
        self.collective
    }

    /// Returns the communication model. Store-and-forward switching [over switches](Switching::StoreAndForward) is said in
    /// the words of wormhole switching.
    pub fn model(&self) -> CommunicationModel {
        self.model
    }

    /// Returns the messages of the collective on this network.
    pub fn messages(&self) -> Messages<'a> {
        self.messages
    }

    /// Returns the nodes that the messages can pass through.
    pub fn transport(&self) -> Transport {
        Transport::of(self.collective.pattern(), self.model)
    }

    fn check_reachable(&self) -> Result<(), ProblemError> {
        for phase in self.collective.phases() {
            self.check_phase(*phase)?;
        }
        Ok(())
    }

    fn check_phase(&self, phase: Phase) -> Result<(), ProblemError> {
        let Self { topology, messages, model, .. } = self;
        let (transport, backwards) = (self.transport(), phase == Phase::Collect);
        let crosses = |node| transport.crosses(topology, node);
        let search = ReachSearch { topology, backwards, crosses, forwards: transport != Transport::Direct };
        // Terminals of indirect networks do not route, but a switch next to a terminal may connect all terminals.
        let first = topology.terminals()[0];
        let beside = topology.out_channels(first).first().map(|&channel| topology.head(channel));
        let mut hubs = [Some(first), beside].into_iter().flatten();
        let may_have_hub = self.collective.root().is_none() && !topology.has_buses();
        if may_have_hub && hubs.any(|hub| search.connects_all_through(hub)) {
            return Ok(());
        }
        let (mut distance, mut queue) = (vec![UNREACHED; topology.node_count()], Vec::new());
        let mut searched = None;
        // All chunks of a message have the same ends.
        for message in messages.first_chunks() {
            let source = messages.source(message);
            if searched != Some(source) {
                self.search(search, source, &mut distance, &mut queue)?;
                searched = Some(source);
            }
            if let Some(receiver) = messages.receivers_iter(message).find(|node| distance[node.index()] == UNREACHED) {
                let (from, to) = if backwards { (receiver, source) } else { (source, receiver) };
                let [from, to] = [from, to].map(|node| topology.node_name(node).to_owned());
                let switching = model.switching;
                return Err(ProblemError::Unreachable { from, to, switching, relays_help: false, parts: None });
            }
        }
        if topology.has_buses() && model.switching == Switching::Wormhole && model.routing == Routing::Minimal {
            // The verifier searches for shortest paths from any sender, and the engines in the direction of the phase.
            for &backwards in if backwards { &[false, true][..] } else { &[false] } {
                let crosses = |node| topology.routes(node);
                let search = ReachSearch { topology, backwards, crosses, forwards: false };
                for &terminal in topology.terminals() {
                    self.search(search, terminal, &mut distance, &mut queue)?;
                }
            }
        }
        Ok(())
    }

    fn search<F: Fn(NodeId) -> bool + Copy>(
        &self,
        search: ReachSearch<'_, F>,
        source: NodeId,
        distance: &mut [u32],
        queue: &mut Vec<NodeId>,
    ) -> Result<(), ProblemError> {
        search.distances(source, distance, queue).map_err(|SearchTooLong| ProblemError::SearchTooLong {
            terminal: self.topology.node_name(source).to_owned(),
            steps: max_search_steps(self.topology),
        })
    }
}

fn check_terminal(topology: &Topology, role: &'static str, node: NodeId) -> Result<(), ProblemError> {
    if node.index() >= topology.node_count() {
        return Err(ProblemError::UnknownNode { role, node: node.number(), node_count: topology.node_count() });
    }
    if topology.has_failed(node) {
        return Err(ProblemError::HasFailed { role, name: topology.node_name(node).to_owned() });
    }
    if !topology.is_terminal(node) {
        let example = topology.node_name(topology.terminals()[0]).to_owned();
        return Err(ProblemError::NotATerminal { role, name: topology.node_name(node).to_owned(), example });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use lockstep_topology::TopologyBuilder;
    use lockstep_topology::strategy::any_topology;
    use proptest::prelude::*;

    use super::*;
    use crate::messages::Message;
    use crate::model::Ports;

    /// a -> b -> c -> a over one-way channels, and the switch s behind c.
    fn network() -> Topology {
        let mut network = TopologyBuilder::new("three and a switch");
        let nodes = ["a", "b", "c"].map(|name| network.node(name, true, Some(true)));
        let switch = network.switch("s");
        for place in 0..3 {
            network.channel(nodes[place], nodes[(place + 1) % 3]);
        }
        network.channel(nodes[2], switch);
        network.build().unwrap()
    }

    fn refused(collective: &Collective) -> String {
        Problem::new(&network(), collective, CommunicationModel::wormhole()).unwrap_err().to_string()
    }

    fn custom(source: u32, receivers: &[u32]) -> Collective {
        let receivers = receivers.iter().copied().map(NodeId::new).collect();
        Collective::custom(vec![Message { source: NodeId::new(source), receivers }])
    }

    #[test]
    fn roots_sources_and_receivers_must_be_terminals() {
        let scatter = |root| Collective::scatter(NodeId::new(root));
        assert_eq!(refused(&scatter(9)), "root 9 is not a node of the network; the nodes are 0 to 3");
        let switch = "'s' is a switch and holds no messages; choose a terminal, for example 'a'";
        assert_eq!(refused(&scatter(3)), format!("root {switch}"));
        assert_eq!(refused(&custom(3, &[0])), format!("source {switch}"));
        assert_eq!(refused(&custom(0, &[3])), format!("receiver {switch}"));
        assert_eq!(
            refused(&custom(0, &[u32::MAX])),
            "receiver 4294967295 is not a node of the network; the nodes are 0 to 3"
        );
    }

    #[test]
    fn what_has_failed_has_no_messages() {
        let network = network().with_failures([NodeId::new(0)], []);
        let collective = Collective::broadcast(NodeId::new(0));
        let error = Problem::new(&network, &collective, CommunicationModel::wormhole()).unwrap_err();
        assert_eq!(error.to_string(), "root 'a' has failed; choose a terminal that works");
    }

    #[test]
    fn messages_must_make_sense() {
        let remedy = "list each receiver once and leave out the source";
        assert_eq!(refused(&custom(0, &[])), format!("message 0 has no receiver; {remedy}"));
        assert_eq!(refused(&custom(0, &[1, 0])), format!("message 0 has its own source as receiver; {remedy}"));
        assert_eq!(refused(&custom(0, &[1, 2, 1])), format!("message 0 names a receiver twice; {remedy}"));
        let none = Collective::custom(vec![]);
        assert_eq!(refused(&none), "the collective has no message; give at least one source and one receiver");
        let many = Collective::all_to_all().with_chunks(std::num::NonZeroU32::MAX);
        assert!(refused(&many).starts_with("the collective has more than 2^32 - 2 messages on 3 terminals"));
    }

    #[test]
    fn one_terminal_is_too_few() {
        let mut alone = TopologyBuilder::new("alone");
        alone.terminal("a");
        let (alone, collective) = (alone.build().unwrap(), Collective::all_gather());
        let error = Problem::new(&alone, &collective, CommunicationModel::wormhole()).unwrap_err();
        assert_eq!(error.to_string(), "the network has 1 terminal(s); a collective needs at least 2");
    }

    #[test]
    fn unreachable_terminals_are_named_in_the_direction_of_the_messages() {
        let mut line = TopologyBuilder::new("one way");
        let (a, b) = (line.terminal("a"), line.terminal("b"));
        line.channel(a, b);
        let line = line.build().unwrap();
        let model = CommunicationModel::wormhole();
        let scatter = Collective::scatter;
        assert!(Problem::new(&line, &scatter(a), model).is_ok());
        let expected = "no wormhole path leads from 'b' to 'a'; connect them or remove one of them";
        for collective in [scatter(b), scatter(a).reversed(), Collective::all_gather()] {
            assert_eq!(Problem::new(&line, &collective, model).unwrap_err().to_string(), expected);
        }
        assert!(Problem::new(&line, &scatter(b).reversed(), model).is_ok());
    }

    #[test]
    fn a_network_in_parts_names_them() {
        let mut network = TopologyBuilder::new("parts");
        let nodes: Vec<NodeId> = (0..9).map(|number| network.terminal(format!("n{number}"))).collect();
        let switch = network.switch("s");
        for (one, other) in [(0, 1), (1, 2), (3, 4)] {
            network.link(nodes[one], nodes[other]);
        }
        network.link(nodes[5], switch);
        let refused = |network: &Topology| {
            Problem::new(network, &Collective::all_gather(), CommunicationModel::wormhole()).unwrap_err().to_string()
        };
        let parts = "'n0' with 2 more terminals, 'n3' with another terminal, 'n5', 'n6' and 2 more";
        assert_eq!(
            refused(&network.build().unwrap()),
            format!(
                "no wormhole path leads from 'n0' to 'n3', because the network has 6 parts: {parts}; join them, or plan one part"
            )
        );
    }

    /// Two hosts with two rails each: a message to another host on another rail needs a relay.
    #[test]
    fn the_error_names_relay_scatter_where_it_helps() {
        let topology: Topology = "cluster:nodes=2,gpus=2,nvlink=100GB/s,rails=2,nic=25GB/s".parse().unwrap();
        let collective = Collective::all_to_all();
        let direct = CommunicationModel::wormhole();
        let error = Problem::new(&topology, &collective, direct).unwrap_err();
        let expected = "but terminals between them can relay messages; choose relay scatter";
        assert!(error.to_string().ends_with(expected), "{error}");
        assert!(
            Problem::new(&topology, &collective, CommunicationModel { scatter: ScatterRule::Relay, ..direct }).is_ok()
        );
    }

    #[test]
    fn store_and_forward_transfers_cross_switches_but_no_terminals() {
        let star = |routes: Option<bool>| {
            let mut star = TopologyBuilder::new("star");
            let (a, hub, b) = (star.node("a", true, routes), star.switch("hub"), star.terminal("b"));
            star.link(a, hub);
            star.link(b, hub);
            star.build().unwrap()
        };
        let (star, routing, collective) = (star(None), star(Some(true)), Collective::all_to_all());
        let model = CommunicationModel::store_and_forward();
        let across = Problem::new(&star, &collective, model).unwrap().model();
        assert_eq!(across, CommunicationModel { scatter: ScatterRule::Relay, ..CommunicationModel::wormhole() });
        let error = Problem::new(&routing, &collective, model).unwrap_err();
        assert!(error.to_string().starts_with("no store-and-forward path leads from 'a' to 'b'"));
        let ring: Topology = "ring:4".parse().unwrap();
        assert_eq!(Problem::new(&ring, &collective, model).unwrap().model(), model);
    }

    proptest! {
        /// The check over a hub never accepts a problem that the searches from every source refuse.
        #[test]
        fn the_short_cut_agrees_with_the_long_way(
            topology in any_topology(9), lost in proptest::collection::vec(any::<prop::sample::Index>(), 0..4),
            direct: bool, forward: bool,
        ) {
            let mut thinned = TopologyBuilder::new("thinned");
            for node in topology.nodes() {
                thinned.node(topology.node_name(node), topology.is_terminal(node), Some(topology.routes(node)));
            }
            let lost: Vec<usize> = lost.iter().map(|lost| lost.index(topology.channel_bound())).collect();
            for channel in topology.channels().filter(|channel| !lost.contains(&channel.index())) {
                thinned.channel(topology.tail(channel), topology.head(channel));
            }
            let thinned = thinned.build().unwrap();
            let model = CommunicationModel {
                switching: if forward { Switching::StoreAndForward } else { Switching::Wormhole },
                ports: Ports::All,
                routing: Routing::Any,
                scatter: if direct { ScatterRule::Direct } else { ScatterRule::Relay },
            };
            let together = Problem::new(&thinned, &Collective::all_to_all(), model).is_ok();
            let one_by_one = thinned
                .terminals()
                .iter()
                .all(|&root| Problem::new(&thinned, &Collective::scatter(root), model).is_ok());
            prop_assert_eq!(together, one_by_one);
        }
    }
}
