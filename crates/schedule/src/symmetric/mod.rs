//! Schedules too large to write down: one source's part, and a group that moves it to all others.

mod base;
mod binary;
mod expand;
mod file;
mod json;
mod judge;
mod sums;
mod violation;

use lockstep_topology::CayleyGraph;

use crate::CollectiveName;

pub use base::{BaseSchedule, BaseTransfer};
pub use expand::{ExpansionError, LocalSend};
pub use file::SymmetricScheduleFile;
pub use judge::verify_symmetric;
pub use violation::{BasePlace, SymmetricViolation};

/// A schedule of an all-gather or all-to-all on a Cayley graph, represented by the part of source 0: the part of source
/// `s` is the same with `s` added to every element.
///
/// It may be wrong; only [`verify_symmetric`] says that it is not.
///
/// ```
/// use lockstep_schedule::{BaseSchedule, CollectiveName, CommunicationModel, SymmetricSchedule, verify_symmetric};
///
/// // An all-gather on the ring of three, in one step: everybody sends both ways.
/// let mut base = BaseSchedule::new();
/// base.begin_step();
/// base.push(BaseSchedule::BROADCAST, 0, &[0]);
/// base.push(BaseSchedule::BROADCAST, 0, &[1]);
/// let schedule = SymmetricSchedule::new("ring:3".parse()?, CollectiveName::AllGather, base);
/// let report = verify_symmetric(&schedule, CommunicationModel::store_and_forward())?;
/// assert_eq!((report.steps, report.transfers, report.redundant), (1, 6, 0));
///
/// // Node 2 sends its own message, in one step, to both of its neighbours.
/// let sends: Vec<_> = schedule.program_of(2).flatten().map(|send| (send.source, send.path[0])).collect();
/// assert_eq!(sends, [(2, 0), (2, 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymmetricSchedule {
    graph: CayleyGraph,
    collective: CollectiveName,
    base: BaseSchedule,
}

impl SymmetricSchedule {
    /// The translates of `base`, one a node of `graph`.
    pub fn new(graph: CayleyGraph, collective: CollectiveName, base: BaseSchedule) -> Self {
        Self { graph, collective, base }
    }

    /// The network and the group of its translations.
    pub fn graph(&self) -> &CayleyGraph {
        &self.graph
    }

    /// What it is a schedule of.
    pub fn collective(&self) -> CollectiveName {
        self.collective
    }

    /// The part of source 0.
    pub fn base(&self) -> &BaseSchedule {
        &self.base
    }
}
