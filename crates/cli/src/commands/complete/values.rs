//! The values that an argument can have. The name of the value in the help says what kind it is.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use clap::{Arg, ValueHint};
use lockstep::faults::Fault;
use lockstep::topology::{GraphFormat, families};
use lockstep::{BOOK_KIND, CollectiveName, EngineRegistry, RecoveryBook, Topology};

use super::candidate::{Candidate, FILES, about};
use super::line::Line;
use crate::input;

/// The longest time to read a network: people wait for the shell.
const PATIENCE: Duration = Duration::from_secs(1);

/// Returns the values of an argument.
pub(super) fn of_argument(argument: &Arg, line: &Line<'_>) -> Vec<Candidate> {
    let listed: Vec<Candidate> = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| Candidate::new(value.get_name(), about(value.get_help())))
        .collect();
    if !listed.is_empty() {
        return listed;
    }
    match kind(argument) {
        "COLLECTIVE" => CollectiveName::ALL.map(|name| Candidate::new(name.word(), name.about())).to_vec(),
        "LIBRARY" => lockstep_tune::Library::ALL.map(|library| Candidate::new(library.name(), "")).to_vec(),
        "ENGINE" => {
            let registry = EngineRegistry::standard();
            registry.choices().map(|choice| Candidate::new(choice.name(), "")).collect()
        }
        "PART" => {
            let parts = EngineRegistry::standard().parts();
            parts.iter().map(|part| Candidate::new(part.to_string(), part.about)).collect()
        }
        "FORMAT" => GraphFormat::ALL.map(|format| Candidate::new(format.name(), "")).to_vec(),
        "SPEC" => specs(),
        "NODE" => network(line).map_or(Vec::new(), |network| names(&network)),
        "NODES" => network(line).map_or(Vec::new(), |network| lists(&network, &line.current)),
        "U-V" => network(line).map_or(Vec::new(), |network| links(&network)),
        "U->V" => network(line).map_or(Vec::new(), |network| channels(&network)),
        "U-V=PART" => {
            let links = network(line).map_or(Vec::new(), |network| links(&network));
            links.into_iter().map(|link| Candidate::new(format!("{}=", link.word), link.about)).collect()
        }
        _ if !matches!(argument.get_value_hint(), ValueHint::Unknown | ValueHint::Other) => {
            vec![Candidate::new(FILES, "")]
        }
        _ => Vec::new(),
    }
}

/// Returns the name of the value of an argument.
fn kind(argument: &Arg) -> &str {
    argument.get_value_names().and_then(<[_]>::first).map_or("", |name| name.as_str())
}

/// Returns the families of networks, and file names.
fn specs() -> Vec<Candidate> {
    let family = |family: &lockstep::topology::Family| {
        let colon = if family.parameters.is_empty() { "" } else { ":" };
        Candidate::new(format!("{}{colon}", family.name), family.about)
    };
    families().iter().map(family).chain([Candidate::new(FILES, "")]).collect()
}

/// Returns the network on the line, or that of its schedule or recovery book, unless it takes long to read.
fn network(line: &Line<'_>) -> Option<Topology> {
    let of = |wanted: &dyn Fn(&Arg) -> bool| line.value(wanted).filter(|&word| word != "-").map(str::to_owned);
    let spec = of(&|argument| kind(argument) == "SPEC");
    let [schedule, book] = ["schedule", "book"].map(|id| of(&|argument| argument.get_id() == id));
    let read = move || match (spec, schedule, book) {
        (Some(spec), ..) => lockstep::load(&spec).ok(),
        (_, Some(schedule), _) => Some(input::saved(Path::new(&schedule)).ok()?.schedule()?.topology().clone()),
        (.., book) => {
            let bytes = input::sealed(Path::new(&book?), BOOK_KIND).ok()?.ok()?;
            Some(RecoveryBook::read(&bytes).ok()?.topology().clone())
        }
    };
    let (sender, receiver) = mpsc::channel();
    let read = move || sender.send(read().map(Box::new)).is_ok();
    thread::Builder::new().name("network".to_owned()).spawn(read).ok()?;
    receiver.recv_timeout(PATIENCE).ok().flatten().map(|network| *network)
}

fn names(network: &Topology) -> Vec<Candidate> {
    let about = |node| if network.is_terminal(node) { "" } else { "switch" };
    network.nodes().map(|node| Candidate::new(network.node_name(node), about(node))).collect()
}

/// Returns a list of nodes with one more.
fn lists(network: &Topology, current: &str) -> Vec<Candidate> {
    let before = current.rfind(',').map_or("", |comma| &current[..=comma]);
    let terminals = network.terminals().iter().map(|&node| network.node_name(node));
    terminals.map(|name| Candidate::new(format!("{before}{name}"), "")).collect()
}

/// Returns the links by both orders of their nodes, and those of parallel links by their numbers too.
fn links(network: &Topology) -> Vec<Candidate> {
    let words = network.links().into_iter().flat_map(|link| {
        let [one, other] = [network.tail(link[0]), network.head(link[0])].map(|node| network.node_name(node));
        [format!("{one}-{other}"), format!("{other}-{one}"), Fault::Link(link).name(network)]
    });
    let mut seen = BTreeSet::new();
    words.filter(|word| seen.insert(word.clone())).map(|word| Candidate::new(word, "")).collect()
}

fn channels(network: &Topology) -> Vec<Candidate> {
    let mut found: Vec<Candidate> =
        network.channels().map(|channel| Candidate::new(network.channel_name(channel), "")).collect();
    found.dedup_by(|one, next| one.word == next.word);
    found
}
