//! What pictures say in words.

use lockstep_schedule::{Collective, MessageId, Phase, Problem, Receivers, Transfer};
use lockstep_topology::{NodeId, Topology};

/// A text of at most so many letters; a longer one ends in `…`.
pub(crate) fn clip(text: &str, letters: usize) -> String {
    if text.chars().nth(letters).is_none() {
        return text.to_owned();
    }
    text.chars().take(letters.saturating_sub(1)).chain(['…']).collect()
}

/// A number and its noun, `1 step`, `7 steps`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The parts of a picture's title: network, collective, model and length.
pub(crate) fn title(problem: &Problem<'_>, steps: usize) -> [String; 4] {
    [
        name(problem.topology()),
        collective(problem.collective(), problem.topology()),
        problem.model().to_string(),
        counted(steps, "step"),
    ]
}

/// The network's name, as much of it as has room.
pub(crate) fn name(topology: &Topology) -> String {
    clip(topology.name(), 80)
}

/// The network's size, `8 terminals, 12 switches, 32 channels`.
pub(crate) fn size(topology: &Topology) -> String {
    let terminals = topology.terminal_count();
    let channels = counted(topology.channel_count(), "channel");
    match topology.switch_count() {
        0 => format!("{}, {channels}", counted(terminals, "node")),
        1 => format!("{}, 1 switch, {channels}", counted(terminals, "terminal")),
        switches => format!("{}, {switches} switches, {channels}", counted(terminals, "terminal")),
    }
}

fn collective(collective: &Collective, topology: &Topology) -> String {
    let what = collective.name().map_or_else(|| "custom collective".to_owned(), |name| name.to_string());
    let preposition = if collective.phases() == [Phase::Collect] { "to" } else { "from" };
    let root = collective.root().map(|root| format!(" {preposition} {}", node(topology, root))).unwrap_or_default();
    let chunks = match collective.chunks().get() {
        1 => String::new(),
        chunks => format!(" in {chunks} chunks"),
    };
    format!("{what}{root}{chunks}")
}

/// A node's name, as much of it as has room.
pub(crate) fn node(topology: &Topology, node: NodeId) -> String {
    clip(topology.node_name(node), 24)
}

/// What a message is known by: its source, its receiver if it has one, its chunk if there are some: `0`, `0 → 5`,
/// `0 → 5 #2`. In a collecting collective the arrow points to the source.
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

/// Whether messages only come from their receivers to their source.
pub(crate) fn collects(problem: &Problem<'_>) -> bool {
    problem.collective().phases() == [Phase::Collect]
}

/// A transfer in words: its message and the nodes on its way.
pub(crate) fn transfer(problem: &Problem<'_>, transfer: &Transfer<'_>) -> String {
    const MOST_NODES: usize = 16;
    let topology = problem.topology();
    let start = transfer.path.first().map(|&channel| topology.tail(channel));
    let nodes = start.into_iter().chain(transfer.path.iter().map(|&channel| topology.head(channel)));
    let mut way: Vec<String> = nodes.take(MOST_NODES).map(|on_way| node(topology, on_way)).collect();
    if transfer.path.len() >= MOST_NODES {
        way.push("…".to_owned());
    }
    format!("message {} ({}): {}", transfer.message, message(problem, transfer.message), way.join(" → "))
}
