//! The colours of messages, and their legend.

use std::collections::BTreeSet;

use lockstep_schedule::{MessageId, Phase, Problem, Receivers, Schedule, Transfer};
use lockstep_topology::NodeId;

use crate::labels::{self, MessageNames};
use crate::palette::colour;

/// Maximum number of entries of a legend.
const LEGEND_ENTRIES: usize = 16;

/// The objects that have different colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ColourKey {
    /// Messages.
    Message,
    /// Sources; all messages of a source have one colour.
    Source,
}

/// The colours of the messages of a schedule.
///
/// Up to 16 messages, and all messages of a single source, have individual colours. Otherwise each source has one
/// colour.
#[derive(Debug)]
pub(crate) struct Colouring<'a> {
    problem: &'a Problem<'a>,
    key: ColourKey,
    /// The messages or sources in the schedule, ascending.
    keys: Vec<u32>,
    /// The words for messages.
    pub(crate) names: MessageNames,
}

/// The legend of a picture.
#[derive(Debug)]
pub(crate) struct Legend {
    pub(crate) heading: &'static str,
    /// Colours and names.
    pub(crate) entries: Vec<(String, String)>,
}

/// Returns true if the message and channels of a transfer exist. A schedule can be invalid, and pictures help to find
/// the errors.
pub(crate) fn is_drawable(problem: &Problem<'_>, transfer: &Transfer<'_>) -> bool {
    transfer.message.index() < problem.messages().len()
        && !transfer.path.is_empty()
        && transfer.path.iter().all(|&channel| problem.topology().is_working(channel))
}

impl<'a> Colouring<'a> {
    /// Assigns the colours.
    pub(crate) fn new(problem: &'a Problem<'a>, schedule: &Schedule) -> Self {
        let few = problem.messages().len() <= LEGEND_ENTRIES;
        let key = if few || problem.collective().root().is_some() { ColourKey::Message } else { ColourKey::Source };
        let mut colouring = Self { problem, key, keys: Vec::new(), names: MessageNames::new(problem) };
        let transfers = schedule.steps().flat_map(|(_, step)| step.iter());
        let drawn = transfers.filter(|transfer| is_drawable(problem, transfer));
        let keys: BTreeSet<u32> = drawn.map(|transfer| colouring.key(transfer.message)).collect();
        colouring.keys = keys.into_iter().collect();
        colouring
    }

    /// Returns the index of the colour of a message.
    pub(crate) fn place(&self, message: MessageId) -> usize {
        self.keys.binary_search(&self.key(message)).unwrap_or(0)
    }

    /// Returns the colour of an index.
    pub(crate) fn colour(&self, place: usize) -> String {
        colour(place, self.keys.len())
    }

    /// Returns the legend, if there are at most 16 colours.
    pub(crate) fn legend(&self) -> Option<Legend> {
        let name = |key: u32| match self.key {
            ColourKey::Message => labels::message(self.problem, MessageId::new(key)),
            ColourKey::Source => labels::node(self.problem.topology(), NodeId::new(key)),
        };
        let entries = self.keys.iter().enumerate().map(|(place, &key)| (self.colour(place), name(key)));
        let entries: Vec<_> = entries.take(LEGEND_ENTRIES).collect();
        let fits = !self.keys.is_empty() && self.keys.len() <= LEGEND_ENTRIES;
        fits.then(|| Legend { heading: self.heading(), entries })
    }

    /// Returns the messages or sources in the schedule, ascending.
    pub(crate) fn keys(&self) -> &[u32] {
        &self.keys
    }

    /// Returns true if all messages of a source have one colour.
    pub(crate) fn is_by_source(&self) -> bool {
        self.key == ColourKey::Source
    }

    /// Returns the words before the names of a legend.
    pub(crate) fn heading(&self) -> &'static str {
        match (self.key, self.problem.collective().phases()) {
            (ColourKey::Message, _) if self.problem.messages().is_scatter() => "messages",
            (_, [Phase::Distribute]) => "messages from",
            (_, [Phase::Collect]) => "messages to",
            _ => "messages of",
        }
    }

    /// Returns the colour of each node: that of its messages as a source, otherwise that of its message as the only
    /// receiver. `None` for all nodes if the colours are ambiguous.
    pub(crate) fn rings(&self) -> Vec<Option<String>> {
        let (problem, messages) = (self.problem, self.problem.messages());
        let by_source = |key: u32| match self.key {
            ColourKey::Message => Some(messages.source(MessageId::new(key))),
            ColourKey::Source => Some(NodeId::new(key)),
        };
        let by_receiver = |key: u32| match messages.receivers(MessageId::new(key)) {
            Receivers::One(receiver) if self.key == ColourKey::Message => Some(receiver),
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
            ColourKey::Message => message.number(),
            ColourKey::Source => self.problem.messages().source(message).number(),
        }
    }
}
