//! Islands: the best plan of several searches.

use lockstep::{
    Budget, CheckpointError, CommunicationModel, EngineChoice, IslandEvent, IslandPlanner, PlanOptions, Planner,
};

use crate::Setup;
use crate::workers::OwnWorkers;

fn setup() -> Setup {
    Setup::new("omega:8", "aas", CommunicationModel::wormhole())
}

fn options(seed: u64, steps: Option<u32>) -> PlanOptions<'static> {
    PlanOptions { engine: EngineChoice::Named("umda"), steps, ..PlanOptions::auto(seed) }
}

fn planner<'a>(setup: &'a Setup, options: PlanOptions<'static>, count: u32) -> IslandPlanner<'a> {
    IslandPlanner::new(setup.problem(), options, count.try_into().unwrap())
}

#[test]
fn the_plan_of_islands_is_the_best_and_the_same_for_any_number_of_workers() {
    let (setup, budget) = (setup(), Budget::evaluations(100_000));
    let alone = |seed| Planner::new(setup.problem(), options(seed, None)).run(&budget, |_| {}).unwrap();
    let plans = [3, 4, 5].map(alone);
    assert_eq!(plans.each_ref().map(lockstep::Plan::step_count), [8, 7, 8]);
    for workers in [0, 1, 3] {
        let plan = planner(&setup, options(3, None), 3).run(&OwnWorkers::new(workers), &budget, |_| {});
        assert!(plan.unwrap() == plans[1], "{workers} workers");
        // The first island with few enough steps ends the search, although a later one would find fewer.
        let plan = planner(&setup, options(3, Some(8)), 3).run(&OwnWorkers::new(workers), &budget, |_| {});
        assert_eq!(plan.unwrap().seed(), 3, "{workers} workers");
    }
}

#[test]
fn islands_resume_behind_the_finished_ones() {
    let (setup, budget) = (setup(), Budget::evaluations(30_000));
    let mut checkpoints = Vec::new();
    // The island of seed 4 has no plan.
    let whole = planner(&setup, options(4, None), 4).run(&OwnWorkers::new(1), &budget, |event| {
        if let IslandEvent::Finished { islands, checkpoint, .. } = event {
            checkpoints.push((islands, checkpoint.write()));
        }
    });
    let whole = whole.unwrap();
    assert_eq!((whole.step_count(), whole.seed()), (8, 5));
    assert_eq!(checkpoints.iter().map(|&(islands, _)| islands).collect::<Vec<_>>(), [2, 4]);
    for (finished, checkpoint) in checkpoints {
        let resume = |count, evaluations, bytes: &[u8]| {
            planner(&setup, options(4, None), count).from_checkpoint(evaluations, bytes)
        };
        let mut others = 0;
        let plan = resume(4, 30_000, &checkpoint).unwrap().run(&OwnWorkers::new(0), &budget, |event| {
            others += u32::from(matches!(event, IslandEvent::Finished { .. }));
        });
        assert!(plan.unwrap() == whole && others == 4 - finished);
        for (count, evaluations) in [(3, 30_000), (4, 30_001)] {
            let error = resume(count, evaluations, &checkpoint).unwrap_err();
            assert!(matches!(error, CheckpointError::Mismatch { .. }), "{error}");
        }
        assert!(resume(4, 30_000, &checkpoint[..checkpoint.len() - 1]).unwrap_err().is_torn());
    }
}

#[test]
fn islands_without_a_plan_have_the_error_of_the_first() {
    let (setup, budget) = (setup(), Budget::evaluations(20));
    let run = |count, workers| {
        let result = planner(&setup, options(1, None), count).run(&OwnWorkers::new(workers), &budget, |_| {});
        result.unwrap_err().to_string()
    };
    assert_eq!(run(1, 0), "no schedule of 7 steps found: the evaluations are spent");
    assert_eq!([run(3, 2), run(3, 0)], [run(1, 0), run(1, 0)]);
}
