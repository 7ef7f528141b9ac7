//! The times of combining algorithms, to compare them with a front.

use std::num::{NonZeroU32, NonZeroU64};

use lockstep_analytic::combining;
use lockstep_schedule::{
    Budget, Collective, CollectiveName, Picoseconds, Problem, SynchronousCost, TransferSpeed, Unverified, verify_within,
};

use super::front_plan::FrontBound;
use crate::planner::PlanError;

/// The time that a combining algorithm takes for every size: the least of its schedules.
#[derive(Clone, Debug)]
pub struct AlgorithmTimes {
    /// The name of the algorithm.
    pub name: String,
    /// The chunks that make up the size of the collective, with the cost, for each schedule.
    costs: Vec<(u64, SynchronousCost)>,
    unit_bytes_per_second: NonZeroU64,
}

impl AlgorithmTimes {
    /// Returns the synchronous time of a size.
    pub fn time(&self, bytes: u64) -> Picoseconds {
        let times = self.costs.iter().map(|&(parts, cost)| {
            let chunk_bytes = bytes.div_ceil(parts);
            cost.time(TransferSpeed { chunk_bytes, unit_bytes_per_second: self.unit_bytes_per_second })
        });
        // There is at least one schedule.
        times.min().unwrap_or(Picoseconds::new(0))
    }
}

/// Returns the times of all [combining algorithms](combining) that support a problem, in their order.
///
/// Each algorithm has a schedule in one chunk per message, and one in as many chunks as a terminal has channels. An
/// all-reduce also has those of 1, 2, 4, … blocks, fewer than terminals. Every schedule is verified. The number of chunks of `problem` does
/// not count. The network must have a [unit](lockstep_topology::Topology::unit_bytes_per_second); otherwise the list is
/// empty. When the time of the budget ends, the schedules that are not ready are left out; evaluations do not count.
///
/// # Errors
///
/// [`PlanError`] if the verifier refuses a schedule.
pub fn algorithm_times(problem: &Problem<'_>, budget: &Budget) -> Result<Vec<AlgorithmTimes>, PlanError> {
    let topology = problem.topology();
    let Some(unit_bytes_per_second) = topology.unit_bytes_per_second().and_then(NonZeroU64::new) else {
        return Ok(Vec::new());
    };
    let one_chunk = problem.collective().clone().with_chunks(NonZeroU32::MIN);
    let mut collectives = few_blocks(&Problem::new(topology, &one_chunk, problem.model())?);
    let degrees = topology.terminals().iter().map(|&terminal| topology.out_channels(terminal).len() as u32);
    let degree = degrees.max().and_then(NonZeroU32::new).filter(|degree| degree.get() > 1);
    collectives.extend(degree.map(|degree| one_chunk.clone().with_chunks(degree)));
    collectives.push(one_chunk);
    let mut all: Vec<AlgorithmTimes> =
        combining::algorithms().iter().map(|algorithm| named(algorithm.name, unit_bytes_per_second)).collect();
    for collective in &collectives {
        let problem = Problem::new(topology, collective, problem.model())?;
        for found in combining::schedules(&problem, budget) {
            match verify_within(&problem, &found.schedule, budget) {
                Ok(_) => {}
                Err(Unverified::Stopped(_)) => break,
                Err(Unverified::Invalid(violation)) => {
                    return Err(PlanError::Refused { engine: found.to_string(), violation: Box::new(violation) });
                }
            }
            let cost = (FrontBound::parts_of(&problem), SynchronousCost::of(topology, &found.schedule));
            all.iter_mut().filter(|times| times.name == found.algorithm.name).for_each(|times| times.costs.push(cost));
        }
    }
    all.retain(|times| !times.costs.is_empty());
    Ok(all)
}

fn named(name: &str, unit_bytes_per_second: NonZeroU64) -> AlgorithmTimes {
    AlgorithmTimes { name: name.to_owned(), costs: Vec::new(), unit_bytes_per_second }
}

/// Returns the all-reduces in 1, 2, 4, … blocks, fewer than terminals: for vectors that are too short to be split. Empty for
/// other collectives.
pub(super) fn few_blocks(problem: &Problem<'_>) -> Vec<Collective> {
    let topology = problem.topology();
    if problem.collective().name() != Some(CollectiveName::AllReduce) {
        return Vec::new();
    }
    let terminals = topology.terminal_count() as u32;
    let blocks = (0..32).map(|power| 1u32 << power).take_while(|&blocks| blocks < terminals);
    let in_blocks = |blocks| Collective::all_reduce_in_blocks(topology, &[], blocks).ok();
    blocks.filter_map(NonZeroU32::new).filter_map(in_blocks).collect()
}
