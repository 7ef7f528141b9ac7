//! The texts of pictures.

use std::collections::BTreeSet;

use lockstep_files::is_hidden;
use lockstep_schedule::{Collective, MessageId, Pattern, Phase, Problem, Receivers, Transfer};
use lockstep_topology::{NodeId, Topology};

/// Shortens a text to `max_letters`, with `…` at its end.
pub(crate) fn clip(text: &str, max_letters: usize) -> String {
    if text.chars().nth(max_letters).is_none() {
        return text.to_owned();
    }
    text.chars().take(max_letters.saturating_sub(1)).chain(['…']).collect()
}

/// Returns a text with U+FFFD for control characters and for characters that change the writing direction.
pub(crate) fn visible(text: &str) -> String {
    text.chars().map(|letter| if is_hidden(letter) { char::REPLACEMENT_CHARACTER } else { letter }).collect()
}

/// Returns a number with its noun: `1 step`, `7 steps`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Returns the parts of a title: network, collective, model and number of steps.
pub(crate) fn title(problem: &Problem<'_>, steps: usize) -> [String; 4] {
    [
        name(problem.topology()),
        collective(problem.collective(), problem.topology()),
        problem.model().to_string(),
        counted(steps, "step"),
    ]
}

/// Returns the name of a network, shortened to fit.
pub(crate) fn name(topology: &Topology) -> String {
    clip(topology.name(), 80)
}

/// Returns the size of a network: `8 terminals, 12 switches, 32 channels`.
pub(crate) fn size(topology: &Topology) -> String {
    let terminals = topology.terminal_count();
    let channels = counted(topology.channel_count(), "channel");
    match topology.switch_count() {
        0 => format!("{}, {channels}", counted(terminals, "node")),
        1 => format!("{}, 1 switch, {channels}", counted(terminals, "terminal")),
        switches => format!("{}, {switches} switches, {channels}", counted(terminals, "terminal")),
    }
}

/// Describes a collective: `all-gather`, `broadcast from 0 in 4 chunks`.
fn collective(collective: &Collective, topology: &Topology) -> String {
    let preposition = if collective.phases() == [Phase::Collect] { "to" } else { "from" };
    let root = collective.root().map(|root| format!(" {preposition} {}", node(topology, root))).unwrap_or_default();
    let parts = collective.parts().map(|parts| format!(" in {parts}")).unwrap_or_default();
    format!("{}{root}{parts}", collective.word())
}

/// Returns the name of a node, shortened to fit.
pub(crate) fn node(topology: &Topology, node: NodeId) -> String {
    clip(topology.node_name(node), 24)
}

/// Returns the label of a message: its source, its receiver if it has only one, and its chunk if there are several:
/// `0`, `0 → 5`, `0 → 5 #2`. In a gather or reduction the arrow points to the source.
pub(crate) fn message(problem: &Problem<'_>, message: MessageId) -> String {
    let (messages, topology) = (problem.messages(), problem.topology());
    let source = node(topology, messages.source(message));
    let ends = match messages.receivers(message) {
        Receivers::One(receiver) => {
            let receiver = node(topology, receiver);
            if collects(problem) { format!("{receiver} → {source}") } else { format!("{source} → {receiver}") }
        }
        Receivers::AllOthers | Receivers::List(_) => source,
    };
    match messages.chunks() {
        1 => ends,
        chunks => format!("{ends} #{}", message.number() % chunks),
    }
}

/// Returns true if the collective only collects: messages travel from their receivers to their source.
pub(crate) fn collects(problem: &Problem<'_>) -> bool {
    problem.collective().phases() == [Phase::Collect]
}

/// The words for the messages of a problem, as the pages write them.
#[derive(Debug)]
pub(crate) struct MessageNames {
    /// Each source has one message, apart from chunks, and its name says which.
    has_one_per_source: bool,
    /// No two messages have the same source and only receiver.
    has_distinct_ends: bool,
}

impl MessageNames {
    /// Examines the messages of a problem. `O(M log M)` for `M` messages.
    pub(crate) fn new(problem: &Problem<'_>) -> Self {
        let messages = problem.messages();
        let first_chunks = || messages.ids().step_by(messages.chunks().max(1) as usize);
        let sources: BTreeSet<_> = first_chunks().map(|message| messages.source(message)).collect();
        let only_receiver = |message| match messages.receivers(message) {
            Receivers::One(receiver) => Some(receiver),
            Receivers::AllOthers | Receivers::List(_) => None,
        };
        let ends: BTreeSet<_> =
            first_chunks().map(|message| (messages.source(message), only_receiver(message))).collect();
        let is_sum = matches!(problem.collective().pattern(), Pattern::Reduce | Pattern::ReduceBroadcast);
        let count = first_chunks().count();
        Self { has_one_per_source: !is_sum && sources.len() == count, has_distinct_ends: ends.len() == count }
    }

    /// Returns the words for a message: `22's message`, `message 0 → 5`, with its chunk if there are several. A sum has no
    /// owner: `message 10 (22)`.
    fn of(&self, problem: &Problem<'_>, message: MessageId) -> String {
        let (messages, label) = (problem.messages(), self::message(problem, message));
        if self.has_distinct_ends && matches!(messages.receivers(message), Receivers::One(_)) {
            return format!("message {label}");
        }
        if !self.has_one_per_source {
            return format!("message {message} ({label})");
        }
        let owner = node(problem.topology(), messages.source(message));
        match messages.chunks() {
            1 => format!("{owner}'s message"),
            chunks => format!("{owner}'s message #{}", message.number() % chunks),
        }
    }
}

/// Describes a transfer: its message and the nodes of its path.
pub(crate) fn transfer(problem: &Problem<'_>, names: &MessageNames, transfer: &Transfer<'_>) -> String {
    const MAX_NODES: usize = 16;
    let topology = problem.topology();
    let start = transfer.path.first().map(|&channel| topology.tail(channel));
    let nodes = start.into_iter().chain(transfer.path.iter().map(|&channel| topology.head(channel)));
    let mut path: Vec<String> = nodes.take(MAX_NODES).map(|crossed| node(topology, crossed)).collect();
    if transfer.path.len() >= MAX_NODES {
        path.push("…".to_owned());
    }
    format!("{}: {}", names.of(problem, transfer.message), path.join(" → "))
}
