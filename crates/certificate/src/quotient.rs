//! Bounds before they are rounded up to steps.

use crate::certificate::Certificate;

impl Certificate {
    /// Returns the proved number of steps before it is rounded up, as numerator and denominator. `None` if the proof is about
    /// single steps, and not about what fits into all steps together.
    ///
    /// The sum of the widths of a schedule is at least this number: a step of width `w` carries what `w` steps of width 1
    /// carry. With `c` chunks per message, the quotient over `c` is the number of steps per chunk that many chunks need.
    ///
    /// ```
    /// use lockstep_certificate::{Certificate, Direction};
    /// use lockstep_topology::NodeId;
    ///
    /// let nodes = vec![NodeId::new(0)];
    /// let cut = Certificate::Cut { nodes, direction: Direction::In, messages: 7, per_step: 2 };
    /// assert_eq!(cut.quotient(), Some([7, 2]));
    /// ```
    pub fn quotient(&self) -> Option<[u64; 2]> {
        match *self {
            Self::Cut { messages, per_step, .. } => Some([messages, per_step]),
            Self::Reception { deliveries, per_step, .. } | Self::Volume { deliveries, per_step } => {
                Some([deliveries, per_step])
            }
            Self::GroupVolume { transfers, per_step, .. } => Some([transfers, per_step]),
            Self::DistanceSum { channel_uses, per_step } => Some([channel_uses, per_step]),
            Self::Lengths { unit, distance, per_step, .. } => Some([distance.checked_mul(unit.into())?, per_step]),
            Self::Reversed { ref certificate } => certificate.quotient(),
            Self::CommonRoot { ref bound, .. } => bound.certificate.quotient(),
            Self::TimedCut { .. }
            | Self::LateCut { .. }
            | Self::Growth { .. }
            | Self::TreeBroadcast { .. }
            | Self::TreePackets { .. }
            | Self::Eccentricity { .. }
            | Self::TimedLengths { .. }
            | Self::Satisfiability { .. } => None,
        }
    }
}
