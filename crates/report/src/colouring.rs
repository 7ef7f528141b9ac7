//! Which colour each message has, and what a legend says about it.

use std::collections::BTreeSet;

use lockstep_schedule::{MessageId, Phase, Problem, Receivers, Schedule, Transfer};
use lockstep_topology::NodeId;

use crate::labels;
use crate::palette::colour;

/// The most entries of a legend.
const LEGEND_ENTRIES: usize = 16;

/// What has a colour of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Key {
    /// Every message.
    Message,
    /// Every source: all of its messages look the same.
    Source,
}

/// The colours of the messages that a schedule moves.
///
/// Few messages, and those of a single source, have a colour each; else each source has one.
#[derive(Debug)]
pub(crate) struct Colouring<'a> {
    problem: &'a Problem<'a>,
    key: Key,
    /// The messages or sources that occur, ascending.
    keys: Vec<u32>,
}

/// The names of the colours of a picture.
#[derive(Debug)]
pub(crate) struct Legend {
    pub(crate) heading: &'static str,
    /// Colour and name.
    pub(crate) entries: Vec<(String, String)>,
}

/// Whether a transfer names only what exists. A schedule is plain data, and its pictures help to find what is wrong.
pub(crate) fn is_drawable(problem: &Problem<'_>, transfer: &Transfer<'_>) -> bool {
    transfer.message.index() < problem.messages().len()
        && !transfer.path.is_empty()
        && transfer.path.iter().all(|&channel| problem.topology().is_working(channel))
}

impl<'a> Colouring<'a> {
    pub(crate) fn new(problem: &'a Problem<'a>, schedule: &Schedule) -> Self {
        let few = problem.messages().len() <= LEGEND_ENTRIES;
        let key = if few || problem.collective().root().is_some() { Key::Message } else { Key::Source };
        let mut colouring = Self { problem, key, keys: Vec::new() };
        let transfers = schedule.steps().flat_map(|(_, step)| step.iter());
        let drawn = transfers.filter(|transfer| is_drawable(problem, transfer));
        let keys: BTreeSet<u32> = drawn.map(|transfer| colouring.key(transfer.message)).collect();
        colouring.keys = keys.into_iter().collect();
        colouring
    }

    /// The place of a message's colour among the colours of the picture.
    pub(crate) fn place(&self, message: MessageId) -> usize {
        self.keys.binary_search(&self.key(message)).unwrap_or(0)
    }

    /// The colour at a place.
    pub(crate) fn colour(&self, place: usize) -> String {
        colour(place, self.keys.len())
    }

    /// The names of the colours, if they are few enough to be told apart by name.
    pub(crate) fn legend(&self) -> Option<Legend> {
        let name = |key: u32| match self.key {
            Key::Message => labels::message(self.problem, MessageId::new(key)),
            Key::Source => labels::node(self.problem.topology(), NodeId::new(key)),
        };
        let entries = self.keys.iter().enumerate().map(|(place, &key)| (self.colour(place), name(key)));
        let entries: Vec<_> = entries.take(LEGEND_ENTRIES).collect();
        let fits = !self.keys.is_empty() && self.keys.len() <= LEGEND_ENTRIES;
        fits.then(|| Legend { heading: self.heading(), entries })
    }

    fn heading(&self) -> &'static str {
        match (self.key, self.problem.collective().phases()) {
            (Key::Message, _) if self.problem.messages().is_scatter() => "messages",
            (_, [Phase::Distribute]) => "messages from",
            (_, [Phase::Collect]) => "messages to",
            _ => "messages of",
        }
    }

    /// For every node the colour that is its own: of the messages of that source, or else of the only message for that
    /// receiver.
    pub(crate) fn rings(&self) -> Vec<Option<String>> {
        let (problem, messages) = (self.problem, self.problem.messages());
        let by_source = |key: u32| match self.key {
            Key::Message => Some(messages.source(MessageId::new(key))),
            Key::Source => Some(NodeId::new(key)),
        };
        let by_receiver = |key: u32| match messages.receivers(MessageId::new(key)) {
            Receivers::One(receiver) if self.key == Key::Message => Some(receiver),
            _ => None,
        };
        let owners = |owner: &dyn Fn(u32) -> Option<NodeId>| -> Option<Vec<Option<String>>> {
            let mut rings = vec![None; problem.topology().node_count()];
            for (place, &key) in self.keys.iter().enumerate() {
                let ring: &mut Option<String> = &mut rings[owner(key)?.index()];
                if ring.replace(self.colour(place)).is_some() {
                    return None;
                }
            }
            Some(rings)
        };
        let none = || vec![None; problem.topology().node_count()];
        owners(&by_source).or_else(|| owners(&by_receiver)).unwrap_or_else(none)
    }

    fn key(&self, message: MessageId) -> u32 {
        match self.key {
            Key::Message => message.number(),
            Key::Source => self.problem.messages().source(message).number(),
        }
    }
}
