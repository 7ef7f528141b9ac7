//! Symmetric schedules: the part of one source and a group of translations, for schedules too large to store.

mod base;
#[cfg(feature = "sealed")]
mod binary;
mod expand;
mod file;
mod json;
mod sums;
mod verify;
mod violation;

use lockstep_topology::CayleyGraph;

use crate::CollectiveName;

pub use base::{BaseSchedule, BaseTransfer};
pub use expand::{ExpansionError, LocalSend};
pub use file::SymmetricScheduleFile;
pub use verify::verify_symmetric;
pub use violation::{BasePlace, SymmetricViolation};

/// A symmetric schedule of an all-gather or all-to-all on a Cayley graph.
///
/// It stores only the base, the part of source 0. The part of source `s` is the translate of the base by `s`: `s` is
/// added to every element. The data may be invalid; [`verify_symmetric`] decides.
///
/// ```
/// use lockstep_schedule::{BaseSchedule, CollectiveName, CommunicationModel, SymmetricSchedule, verify_symmetric};
///
/// // An all-gather on the ring of 3 nodes, in one step: each node sends to both neighbours.
/// let mut base = BaseSchedule::new();
/// base.begin_step();
/// base.push(BaseSchedule::BROADCAST, 0, &[0]);
/// base.push(BaseSchedule::BROADCAST, 0, &[1]);
/// let schedule = SymmetricSchedule::new("ring:3".parse()?, CollectiveName::AllGather, base);
/// let report = verify_symmetric(&schedule, CommunicationModel::store_and_forward())?;
/// assert_eq!((report.steps, report.transfers, report.redundant), (1, 6, 0));
///
/// // Node 2 sends its own message to both neighbours.
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
    /// Returns the schedule of all translates of `base`, one per node of `graph`. O(1).
    pub fn new(graph: CayleyGraph, collective: CollectiveName, base: BaseSchedule) -> Self {
        Self { graph, collective, base }
    }

    /// Returns the network, a Cayley graph, and its group of translations.
    pub fn graph(&self) -> &CayleyGraph {
        &self.graph
    }

    /// Returns the collective.
    pub fn collective(&self) -> CollectiveName {
        self.collective
    }

    /// Returns the base: the part of source 0.
    pub fn base(&self) -> &BaseSchedule {
        &self.base
    }
}
