//! The list of combining algorithms, and the schedules that they have for a problem.

use std::fmt;

use lockstep_schedule::{Budget, Problem, Schedule};

use super::algorithm::{CombiningAlgorithm, Plan};
use super::collectives;
use super::ranks::Ranks;
use super::{axis_bruck, bine, bruck, bucket, circulant, dissemination, recursive_doubling, ring, swing};

/// Returns all combining algorithms.
pub fn algorithms() -> &'static [CombiningAlgorithm] {
    const ALGORITHMS: &[CombiningAlgorithm] = &[
        ring::RING,
        bucket::BUCKET,
        recursive_doubling::RECURSIVE_DOUBLING,
        swing::SWING,
        bine::BINE,
        bruck::BRUCK,
        axis_bruck::AXIS_BRUCK,
        dissemination::DISSEMINATION,
        circulant::CIRCULANT,
    ];
    ALGORITHMS
}

/// The data that a rank sends in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exchange {
    /// The blocks that the receiver needs from the sender. An all-reduce is a reduce-scatter and an all-gather.
    Parts,
    /// All blocks of an all-reduce: half of the steps, and more data in each.
    WholeVector,
}

/// A schedule of a combining algorithm.
#[derive(Clone, Debug)]
pub struct CombiningSchedule {
    /// The algorithm.
    pub algorithm: &'static CombiningAlgorithm,
    /// The data that a rank sends in a step.
    pub exchange: Exchange,
    /// The schedule, whose steps have [widths](Schedule::widths).
    pub schedule: Schedule,
}

impl fmt::Display for CombiningSchedule {
    /// Writes the name: `swing`, or `swing of whole vectors`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.algorithm.name)?;
        if self.exchange == Exchange::WholeVector { f.write_str(" of whole vectors") } else { Ok(()) }
    }
}

/// Returns the schedules of all combining algorithms that support a problem, each computed when it is asked for.
///
/// The order is that of [`algorithms`]; in an all-reduce, [`Exchange::Parts`] comes before [`Exchange::WholeVector`].
/// Algorithms without a schedule are skipped: those for other networks, those whose partners have no path, and those whose
/// schedule exceeds 2^28 channel uses. The parts that the budget leaves out are skipped, too. When its time ends, there are no
/// more schedules; evaluations do not count.
///
/// Supports every collective in which each message goes to or comes from all other terminals, and every relayed scatter and
/// gather.
///
/// ```
/// use lockstep_analytic::combining;
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
/// use lockstep_topology::Topology;
///
/// let torus: Topology = "torus:8x8".parse()?;
/// let all_gather = Collective::all_gather().with_chunks(4.try_into()?);
/// let problem = Problem::new(&torus, &all_gather, CommunicationModel::wormhole())?;
/// for found in combining::schedules(&problem, &Budget::unlimited()) {
///     let (steps, width) = (found.schedule.step_count(), found.schedule.width_sum());
///     println!("{found}: {steps} steps of total width {width}");
///     assert!(verify(&problem, &found.schedule).is_ok());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn schedules<'a>(problem: &Problem<'a>, budget: &'a Budget) -> impl Iterator<Item = CombiningSchedule> + use<'a> {
    let problem = *problem;
    let ranks = collectives::is_supported(&problem).then(|| Ranks::of(&problem));
    let exchanges: &[Exchange] = if problem.collective().phases().len() > 1 {
        &[Exchange::Parts, Exchange::WholeVector]
    } else {
        &[Exchange::Parts]
    };
    let used = algorithms().iter().filter(|algorithm| budget.uses(algorithm.part()));
    let runs = used.flat_map(|algorithm| exchanges.iter().map(move |&exchange| (algorithm, exchange)));
    runs.filter_map(move |(algorithm, exchange)| {
        let ranks = ranks.as_ref()?;
        let pattern = match algorithm.plan {
            Plan::Everywhere(pattern) => pattern(ranks),
            Plan::OnGrids(pattern) => pattern(ranks.grid.as_ref()?)?,
            Plan::FromRoot(pipeline) => {
                let schedule =
                    (exchange == Exchange::Parts).then(|| collectives::from_root(&problem, ranks, pipeline, budget));
                return Some(CombiningSchedule { algorithm, exchange, schedule: schedule?? });
            }
        };
        let schedule = match exchange {
            Exchange::Parts => collectives::in_parts(&problem, ranks, &pattern, budget),
            Exchange::WholeVector => collectives::of_whole_vectors(&problem, ranks, &pattern, budget),
        };
        Some(CombiningSchedule { algorithm, exchange, schedule: schedule? })
    })
}
