//! The schedules of a front, and the lower bound of their times.

use std::num::NonZeroU64;

use lockstep_bounds::LeastLatency;
use lockstep_certificate::LowerBound;
use lockstep_schedule::{
    AsynchronousCost, Budget, CollectiveSize, Picoseconds, Problem, ScheduleFile, SynchronousCost, TransferSpeed,
};

/// When the transfers of a schedule begin.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Timing {
    /// Every step begins when the one before has ended: [`TransferSpeed::synchronous_time`].
    #[default]
    Synchronous,
    /// Every transfer begins as soon as its data is there and its channels and ports are free:
    /// [`TransferSpeed::asynchronous_time`].
    Asynchronous,
}

/// The schedules that take the least time for some size of a collective, with a lower bound of the time.
///
/// Invariant: [`verify`](lockstep_schedule::verify) has accepted every schedule, and
/// [`LowerBound::check`] the bound of the widths.
#[derive(Clone, Debug)]
pub struct Front {
    /// The schedules by ascending size, each best from its [`least_size`](FrontPlan::least_size) on.
    pub plans: Vec<FrontPlan>,
    /// The kind of time for which the schedules are best.
    pub timing: Timing,
    /// The lower bound.
    pub bound: FrontBound,
    /// Number of schedules that were compared.
    pub compared: usize,
    /// True if a deadline or a cancellation ended the search.
    pub is_cut_short: bool,
}

impl Front {
    /// Returns the place of the schedule that is best for a size, from 0.
    pub fn best(&self, bytes: u64) -> usize {
        self.plans.partition_point(|plan| plan.least_size <= bytes).saturating_sub(1)
    }

    /// Returns the time of the [best](Self::best) schedule for each size, or `None` if the time of the budget ends first.
    /// Evaluations do not count.
    ///
    /// `sizes` ascend.
    pub fn times(&self, timing: Timing, sizes: &[u64], budget: &Budget) -> Vec<Option<Picoseconds>> {
        let of_plans = sizes.chunk_by(|&one, &other| self.best(one) == self.best(other));
        of_plans.flat_map(|sizes| self.plans[self.best(sizes[0])].times(timing, sizes, budget)).collect()
    }
}

/// A schedule of a front.
#[derive(Clone, Debug)]
pub struct FrontPlan {
    /// The schedule with its problem. Its steps have widths.
    pub file: ScheduleFile,
    /// The engine, method or algorithm that made it.
    pub engine: String,
    /// Number of steps.
    pub steps: u32,
    /// Latencies and widths of the steps.
    pub cost: SynchronousCost,
    /// The smallest size in bytes for which no other schedule takes less time.
    pub least_size: u64,
}

impl FrontPlan {
    /// Returns the time of a size.
    pub fn time(&self, timing: Timing, bytes: u64) -> Picoseconds {
        match timing {
            Timing::Synchronous => self.cost.time(self.speed(bytes)),
            Timing::Asynchronous => self.speed(bytes).asynchronous_time(&self.file.problem(), self.file.schedule()),
        }
    }

    /// Returns the time of each size, or `None` if the time of the budget ends first. Evaluations do not count.
    ///
    /// One [`AsynchronousCost`] serves all sizes.
    pub fn times(&self, timing: Timing, sizes: &[u64], budget: &Budget) -> Vec<Option<Picoseconds>> {
        match timing {
            Timing::Synchronous => sizes.iter().map(|&bytes| Some(self.time(timing, bytes))).collect(),
            Timing::Asynchronous => match AsynchronousCost::of(&self.file.problem(), self.file.schedule(), budget) {
                Some(cost) => cost.times(sizes.iter().map(|&bytes| self.speed(bytes)).collect(), budget),
                None => vec![None; sizes.len()],
            },
        }
    }

    /// Returns the sizes of the collective and of one message.
    pub fn size(&self, bytes: u64) -> CollectiveSize {
        CollectiveSize::new(&self.file.problem(), bytes)
    }

    /// Returns the chunks of all messages that make up the size of the collective.
    pub(super) fn parts(&self) -> u64 {
        FrontBound::parts_of(&self.file.problem())
    }

    fn speed(&self, bytes: u64) -> TransferSpeed {
        let unit = self.file.topology().unit_bytes_per_second().and_then(NonZeroU64::new);
        TransferSpeed {
            chunk_bytes: self.file.collective().chunk_size(self.size(bytes).message_bytes),
            unit_bytes_per_second: unit.expect("the network of a front has a unit of bandwidth"),
        }
    }
}

/// A lower bound of the time of every schedule, whatever its chunks and widths: the least latency, and the widths that all
/// chunks need.
#[derive(Clone, Debug)]
pub struct FrontBound {
    /// Steps and latencies that are needed even if every step is as wide as it wants.
    pub latency: LeastLatency,
    /// The bound whose quotient is the sum of the widths, with the problem that it concerns.
    pub widths: Option<LowerBound>,
    /// The chunks that make up the size of the collective in that problem.
    pub(super) parts: u64,
    pub(super) unit_bytes_per_second: NonZeroU64,
}

impl FrontBound {
    /// Returns the bound of a problem. `widths` is a bound of this problem, in its number of chunks.
    pub fn new(
        problem: &Problem<'_>,
        latency: LeastLatency,
        widths: Option<LowerBound>,
        unit_bytes_per_second: NonZeroU64,
    ) -> Self {
        Self { latency, widths, parts: Self::parts_of(problem), unit_bytes_per_second }
    }

    /// Returns the chunks of all messages that make up the size of the collective.
    pub(super) fn parts_of(problem: &Problem<'_>) -> u64 {
        CollectiveSize::new(problem, 0).messages * u64::from(problem.messages().chunks())
    }

    /// Returns the number of chunks of the problem of [`widths`](Self::widths). `problem` has one chunk per message.
    pub fn chunks(&self, problem: &Problem<'_>) -> u64 {
        self.parts / Self::parts_of(problem).max(1)
    }

    /// Returns the sum of the widths that one chunk per message needs, as numerator and denominator in lowest terms. `problem`
    /// has one chunk per message.
    pub fn width_per_chunk(&self, problem: &Problem<'_>) -> [u64; 2] {
        let [numerator, denominator] = self.width_per_part();
        let numerator = numerator.saturating_mul(Self::parts_of(problem));
        let (mut a, mut b) = (numerator, denominator);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        [numerator / a.max(1), denominator / a.max(1)]
    }

    /// Returns the sum of the widths for a collective whose size is one chunk, as numerator and denominator.
    pub(super) fn width_per_part(&self) -> [u64; 2] {
        let quotient = self.widths.as_ref().and_then(|bound| bound.certificate.quotient());
        quotient.map_or([0, 1], |[numerator, denominator]| [numerator, denominator.saturating_mul(self.parts)])
    }

    /// Returns the time that a size takes at least: the least latency and the time of the widths; the larger of both if
    /// transfers need not wait for the end of a step, because data can arrive while other data is sent.
    pub fn time(&self, timing: Timing, bytes: u64) -> Picoseconds {
        const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;
        let [numerator, denominator] = self.width_per_part().map(u128::from);
        let at_one = u128::from(bytes) * PICOSECONDS_PER_SECOND / u128::from(self.unit_bytes_per_second.get());
        let (latency, transmission) =
            (u128::from(self.latency.picoseconds), at_one.saturating_mul(numerator) / denominator);
        Picoseconds::new(match timing {
            Timing::Synchronous => latency + transmission,
            Timing::Asynchronous => latency.max(transmission),
        })
    }
}
