//! Phases as distributions, the problems that engines and bounds see.

use std::borrow::Cow;
use std::num::NonZeroU32;

use lockstep_topology::{NodeId, Topology};

use crate::collective::Collective;
use crate::needed::needed;
use crate::pattern::Phase;
use crate::problem::Problem;
use crate::schedule::Schedule;

/// One phase of a problem as a distribution: a collecting phase is time-reversed, so messages travel from source to
/// receivers.
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, DistributePhase, Problem};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:5".parse()?;
/// let all_reduce = Collective::all_reduce();
/// let problem = Problem::new(&ring, &all_reduce, CommunicationModel::wormhole())?;
/// let [reduce_scatter, all_gather] = &DistributePhase::all(&problem)[..] else { panic!("two phases") };
/// assert!(reduce_scatter.is_reversed() && !all_gather.is_reversed());
/// assert_eq!(reduce_scatter.problem(&problem).messages().len(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DistributePhase<'a> {
    topology: Cow<'a, Topology>,
    collective: Cow<'a, Collective>,
    is_reversed: bool,
}

impl<'a> DistributePhase<'a> {
    /// Returns the phases: of an all-reduce, the reduction to the sources and the distribution from them. A schedule of the
    /// first followed by one of the second is an all-reduce; in other all-reduces, both share steps. Takes the time and the
    /// memory of one copy of the network per collecting phase; no budget ends it.
    pub fn all(problem: &Problem<'a>) -> Vec<Self> {
        let collective = distributing(problem.collective());
        let phases = problem.collective().phases();
        phases.iter().map(|&phase| Self::new(problem.topology(), collective.clone(), phase)).collect()
    }

    /// Returns one phase of an all-reduce if `root` is the source of every message that it contributes to.
    ///
    /// In an all-reduce, it makes no difference which terminal is the source. So each all-reduce contains this phase.
    ///
    /// ```
    /// use lockstep_schedule::{Collective, CommunicationModel, DistributePhase, Phase, Problem};
    /// use lockstep_topology::{NodeId, Topology};
    ///
    /// let star: Topology = "star:5".parse()?;
    /// let all_reduce = Collective::all_reduce();
    /// let problem = Problem::new(&star, &all_reduce, CommunicationModel::wormhole())?;
    /// let phase = DistributePhase::rooted(&problem, NodeId::new(3), Phase::Distribute);
    /// assert_eq!(phase.problem(&problem).collective(), &Collective::broadcast(NodeId::new(3)).with_chunks(5.try_into()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the root is not a terminal.
    pub fn rooted(problem: &Problem<'a>, root: NodeId, phase: Phase) -> Self {
        assert!(problem.topology().is_terminal(root), "the root must be a terminal");
        let messages = NonZeroU32::new(problem.messages().len() as u32).expect("a problem has a message");
        let collective = problem.collective().rooted(root, messages);
        Self::new(problem.topology(), Cow::Owned(collective.distributing()), phase)
    }

    fn new(topology: &'a Topology, collective: Cow<'a, Collective>, phase: Phase) -> Self {
        let is_reversed = phase == Phase::Collect;
        let topology = if is_reversed { Cow::Owned(topology.reversed()) } else { Cow::Borrowed(topology) };
        Self { topology, collective, is_reversed }
    }

    /// Returns true if the phase collects, so that its network and time are reversed.
    pub fn is_reversed(&self) -> bool {
        self.is_reversed
    }

    /// Returns the problem of this phase under the rules of the whole problem.
    pub fn problem<'b>(&'b self, whole: &Problem<'_>) -> Problem<'b> {
        // Connected is connected, read backwards or not.
        Problem::checked(&self.topology, &self.collective, whole.model())
    }

    /// Returns the schedule of the phase that corresponds to a schedule of [`problem`](Self::problem).
    ///
    /// A collecting phase is time-reversed. [Transfers that no receiver needs](crate::needed_transfers) are removed first,
    /// except in a standard broadcast, where every terminal is a receiver: a reduction or a gather cannot send what does not
    /// exist.
    ///
    /// # Source
    ///
    /// Bertsekas and Tsitsiklis, *Parallel and Distributed Computation* (1989), section 1.3.4 (duality).
    ///
    /// # Panics
    ///
    /// If the schedule is not one of [`problem`](Self::problem).
    pub fn from_distribution(&self, schedule: Schedule) -> Schedule {
        if !self.is_reversed {
            return schedule;
        }
        let messages = self.collective.messages(&self.topology).expect("a phase of a problem has messages");
        let may_relay = messages.is_scatter() || self.collective.listed().is_some();
        let needed = if may_relay { needed(&self.topology, &messages, schedule) } else { schedule };
        needed.reversed()
    }

    /// Returns the schedule of [`problem`](Self::problem) that corresponds to a valid schedule of the phase.
    ///
    /// A reduction may contain sums that the source never gets. In the distribution, their receivers send before they hold
    /// the message.
    pub fn to_distribution(&self, schedule: Schedule) -> Schedule {
        if self.is_reversed { schedule.reversed() } else { schedule }
    }
}

fn distributing(collective: &Collective) -> Cow<'_, Collective> {
    match collective.phases() {
        [Phase::Distribute] => Cow::Borrowed(collective),
        _ => Cow::Owned(collective.distributing()),
    }
}
