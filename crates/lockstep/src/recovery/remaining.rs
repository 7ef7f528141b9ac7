//! The collective that is left after faults.

use std::borrow::Cow;

use lockstep_schedule::Collective;
use lockstep_topology::Topology;

/// Returns the collective without failed nodes. A standard collective excludes them by itself.
pub(super) fn remaining<'a>(collective: &'a Collective, faulty: &Topology) -> Cow<'a, Collective> {
    match collective.listed() {
        Some(_) => Cow::Owned(collective.without(|node| faulty.has_failed(node))),
        None => Cow::Borrowed(collective),
    }
}
