//! Messages by the terminals that have a part of them at the start, and those that need them.

use lockstep_schedule::Problem;

use super::packet_network::Terminals;
use crate::demand::Demand;
use crate::members::Members;
use crate::multicasts::Multicasts;
use crate::request::BoundRequest;

/// Messages with the same sources and the same receivers.
pub(super) struct Spread {
    /// The source of a message, or the members of a message of an all-reduce.
    pub(super) sources: Terminals,
    /// The receivers of a message, or its members.
    pub(super) receivers: Terminals,
    /// Number of messages.
    pub(super) count: u64,
}

impl Spread {
    /// Collects the messages of a distribution, or of an all-reduce; `None` once the time of the request is over.
    pub(super) fn all(problem: &Problem<'_>, is_gossip: bool, request: &BoundRequest<'_>) -> Option<Vec<Self>> {
        let set = |ranks: &[usize]| ranks.iter().fold(0, |set, &rank| set | 1 << rank);
        if is_gossip {
            let of_members = |members: Members| {
                let all = set(&members.ranks);
                Self { sources: all, receivers: all, count: members.count }
            };
            return Some(Members::all(problem).into_iter().map(of_members).collect());
        }
        let of_multicasts = |alike: Multicasts| {
            #[expect(clippy::cast_sign_loss, reason = "it is a number of messages")]
            let count = alike.count as u64;
            Self { sources: 1 << alike.source, receivers: set(&alike.receivers), count }
        };
        let all = Multicasts::all(problem, &Demand::new(problem), request)?;
        Some(all.into_iter().map(of_multicasts).collect())
    }
}
