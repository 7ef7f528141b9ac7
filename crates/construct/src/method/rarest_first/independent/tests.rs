use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, Schedule, verify};
use lockstep_topology::Topology;
use lockstep_topology::strategy::any_topology;
use proptest::prelude::*;

use super::*;
use crate::kit::request::MethodRequest;
use crate::kit::task::SchedulingTask;
use crate::method::rarest_first::RAREST_FIRST;

/// Returns a schedule of independent terminals for any number of messages.
fn schedule(request: &MethodRequest<'_>, target: u32) -> Result<Schedule, MethodError> {
    let task = SchedulingTask::new(request.problem).unwrap();
    let shared = BroadcastContext::new(&task, None, false);
    let attempt = |rng: &mut ChaCha8Rng, context: &AttemptContext<'_>| {
        let steps = IndependentSteps::new(&shared, target, rng);
        if context.is_quick() { steps.quickly() } else { steps }.run(target, u32::MAX, context)
    };
    request.best_attempt(attempt).map(TransferLog::into_schedule)
}

proptest! {
    /// With far more steps than terminals need, no attempt is given up.
    #[test]
    fn every_schedule_is_valid_and_on_time(network in any_topology(9), chunks in 1..4u32, seed: u64, is_quick: bool) {
        let all_gather = Collective::all_gather().with_chunks(chunks.try_into().unwrap());
        let Ok(problem) = Problem::new(&network, &all_gather, CommunicationModel::store_and_forward()) else {
            return Ok(());
        };
        let is_plain = network.is_direct() && network.resource_count() == network.channel_count();
        prop_assume!(is_plain && !network.has_capacities());
        let budget = Budget::unlimited();
        let request = MethodRequest { seed, is_quick, ..MethodRequest::first(&problem, &budget) };
        let target = 16 * problem.messages().len() as u32;
        let report = verify(&problem, &schedule(&request, target).unwrap()).unwrap();
        prop_assert!(report.steps <= target as usize);
        prop_assert_eq!(report.transfers as u64, problem.messages().delivery_count());
        // One step is out of reach, so the deadline is the fewest possible steps. An attempt keeps it or gives up.
        let least = (0..network.terminal_count()).map(|terminal| {
            let channels = network.in_channels(network.terminals()[terminal]).len();
            (problem.messages().len() - chunks as usize).div_ceil(channels)
        });
        match schedule(&request, 1) {
            Ok(shortest) if !is_quick => prop_assert_eq!(verify(&problem, &shortest)?.steps, least.max().unwrap()),
            Ok(any) => _ = verify(&problem, &any)?,
            Err(error) => prop_assert_eq!(error, MethodError::NoShorter),
        }
    }
}

/// Terminals receive over all channels in every step but the last one.
#[test]
fn many_messages_arrive_as_fast_as_the_ports_allow() {
    for (network, chunks, steps) in
        [("random-regular:600,4,1", 1, 150), ("random-regular:50,5,1", 12, 118), ("torus:5x5x5", 5, 104)]
    {
        let topology: Topology = network.parse().unwrap();
        let all_gather = Collective::all_gather().with_chunks(chunks.try_into().unwrap());
        let problem = Problem::new(&topology, &all_gather, CommunicationModel::store_and_forward()).unwrap();
        let budget = Budget::unlimited();
        let request = MethodRequest { goal: steps, ..MethodRequest::first(&problem, &budget) };
        let task = request.task().unwrap();
        assert!(fits(&BroadcastContext::new(&task, None, false)), "{network}");
        let found = schedule(&request, steps).unwrap();
        assert_eq!(verify(&problem, &found).unwrap().steps, steps as usize, "{network}");
        // The method uses these attempts, with the same result on any number of threads.
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| (RAREST_FIRST.find)(&request)).unwrap() == found, "{network}, {threads} threads");
        }
    }
}

/// Each terminal of a triangle has one channel from outside. A message that enters the triangle twice costs a reception.
#[test]
fn terminals_choose_one_after_the_other_if_the_deadline_is_out_of_reach() {
    let network: Topology = "random-regular:1000,3,1".parse().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&network, &all_gather, CommunicationModel::store_and_forward()).unwrap();
    let budget = Budget::unlimited();
    let request = MethodRequest { goal: 333, ..MethodRequest::first(&problem, &budget) };
    assert_eq!(schedule(&request, 333), Err(MethodError::NoShorter));
    assert_eq!(verify(&problem, &(RAREST_FIRST.find)(&request).unwrap()).unwrap().steps, 333);
}
