//! The collective that is left after faults.

use std::borrow::Cow;

use lockstep_schedule::{Collective, CollectiveKind, Message};
use lockstep_topology::{NodeId, Topology};

/// Returns the collective without failed nodes. A standard collective excludes them by itself.
pub(super) fn remaining<'a>(collective: &'a Collective, faulty: &Topology) -> Cow<'a, Collective> {
    let CollectiveKind::Custom(messages) = &collective.kind else { return Cow::Borrowed(collective) };
    let is_left = |node: &NodeId| !faulty.has_failed(*node);
    let left = messages.iter().filter(|message| is_left(&message.source)).map(|message| Message {
        source: message.source,
        receivers: message.receivers.iter().copied().filter(is_left).collect(),
    });
    let kind = CollectiveKind::Custom(left.filter(|message| !message.receivers.is_empty()).collect());
    Cow::Owned(Collective { kind, chunks: collective.chunks })
}
