//! A network, a collective and a model that fit together.

use lockstep_topology::{NodeId, Topology};

use crate::collective::{Collective, CollectiveKind, Messages, Phase};
use crate::model::{CommunicationModel, Switching};
use crate::reach::{Inner, Search, UNREACHED};

/// Why a collective cannot be asked of a network.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// Fewer than two terminals.
    #[error("the network has {terminals} terminal(s); a collective needs at least 2")]
    TooFewTerminals {
        /// Number of terminals.
        terminals: usize,
    },
    /// A root, source or receiver that is no node.
    #[error("{role} {node} is no node of the network; the nodes are 0 to {}", .node_count - 1)]
    UnknownNode {
        /// "root", "source" or "receiver".
        role: &'static str,
        /// The number given.
        node: u32,
        /// Number of nodes.
        node_count: usize,
    },
    /// A root, source or receiver that only routes.
    #[error("{role} '{name}' is a switch and holds no messages; choose a terminal, for example '{example}'")]
    NotATerminal {
        /// "root", "source" or "receiver".
        role: &'static str,
        /// Name of the switch.
        name: String,
        /// Name of a terminal.
        example: String,
    },
    /// A message without receivers, to its own source, or twice to one terminal.
    #[error("message {message} {fault}; list each receiver once and leave out the source")]
    Receivers {
        /// Place of the message.
        message: usize,
        /// What is wrong with its receivers.
        fault: &'static str,
    },
    /// No message at all.
    #[error("the collective has no message; give at least one source and one receiver")]
    NoMessage,
    /// More messages than can be numbered.
    #[error("the collective has more than 2^32 - 2 messages on {terminals} terminals; use fewer terminals or chunks")]
    TooManyMessages {
        /// Number of terminals.
        terminals: usize,
    },
    /// Terminals without a legal path.
    #[error("no {switching} path leads from '{from}' to '{to}'; connect them, or leave one of them out")]
    Unreachable {
        /// Name of the terminal where the message is.
        from: String,
        /// Name of the terminal that must get it.
        to: String,
        /// How messages cross the network; store-and-forward has no path through a switch.
        switching: Switching,
    },
}

/// A network, a collective and the network's rules: what an engine solves and a bound bounds.
///
/// Invariants: at least two terminals and one message; every root, source and receiver is a terminal; every receiver can
/// be reached from the source of its message (for [collecting](crate::Phase::Collect) phases the other way round).
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::TopologyBuilder;
///
/// let mut pair = TopologyBuilder::new("pair");
/// let (a, b) = (pair.terminal("a"), pair.terminal("b"));
/// pair.link(a, b);
/// let pair = pair.build()?;
/// let exchange = Collective::all_to_all_scatter();
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
    /// The problem, checked. Takes two searches of the network where one node is on a legal
    /// path between any two terminals, else one for each source.
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
        if let CollectiveKind::Custom(messages) = &collective.kind {
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
        let problem = Self { topology, collective, model, messages };
        problem.check_reachable()?;
        Ok(problem)
    }

    /// A problem whose parts have been checked as a problem before.
    pub(crate) fn checked(topology: &'a Topology, collective: &'a Collective, model: CommunicationModel) -> Self {
        let messages = collective.messages(topology).expect("a problem that was checked has messages");
        Self { topology, collective, model, messages }
    }

    /// The network.
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// The collective.
    pub fn collective(&self) -> &'a Collective {
        self.collective
    }

    /// The network's rules.
    pub fn model(&self) -> CommunicationModel {
        self.model
    }

    /// The messages of the collective on this network.
    pub fn messages(&self) -> Messages<'a> {
        self.messages
    }

    fn check_reachable(&self) -> Result<(), ProblemError> {
        for phase in self.collective.phases() {
            self.check_phase(*phase)?;
        }
        Ok(())
    }

    fn check_phase(&self, phase: Phase) -> Result<(), ProblemError> {
        let Self { topology, messages, model, .. } = self;
        let inner = match model.switching {
            Switching::StoreAndForward => Inner::Terminals,
            Switching::Wormhole if model.is_direct() && messages.is_scatter() => Inner::Routing,
            Switching::Wormhole => Inner::RoutingAndTerminals,
        };
        let backwards = phase == Phase::Collect;
        let search = Search { topology, backwards, inner };
        // Terminals of indirect networks do not route, but the switch beside one of them may connect them all.
        let first = topology.terminals()[0];
        let beside = topology.out_channels(first).first().map(|&channel| topology.head(channel));
        let mut hubs = [Some(first), beside].into_iter().flatten();
        if self.collective.root().is_none() && hubs.any(|hub| search.connects_all_through(hub)) {
            return Ok(());
        }
        let (mut distance, mut queue) = (vec![UNREACHED; topology.node_count()], Vec::new());
        let mut searched = None;
        for message in messages.ids() {
            let source = messages.source(message);
            if searched != Some(source) {
                search.distances(source, &mut distance, &mut queue);
                searched = Some(source);
            }
            if let Some(receiver) = messages.receivers_iter(message).find(|node| distance[node.index()] == UNREACHED) {
                let (from, to) = if backwards { (receiver, source) } else { (source, receiver) };
                let [from, to] = [from, to].map(|node| topology.node_name(node).to_owned());
                return Err(ProblemError::Unreachable { from, to, switching: model.switching });
            }
        }
        Ok(())
    }
}

fn check_terminal(topology: &Topology, role: &'static str, node: NodeId) -> Result<(), ProblemError> {
    if node.index() >= topology.node_count() {
        return Err(ProblemError::UnknownNode { role, node: node.number(), node_count: topology.node_count() });
    }
    if !topology.is_terminal(node) {
        let example = topology.node_name(topology.terminals()[0]).to_owned();
        return Err(ProblemError::NotATerminal { role, name: topology.node_name(node).to_owned(), example });
    }
    Ok(())
}
