//! Work that is cancelled at any check of its budget: nothing is passed off as complete.

use lockstep::faults::{FaultKind, FaultSpace};
use lockstep::schedule::{NotFound, SearchProgress};
use lockstep::{
    Budget, CommunicationModel, CutShort, EngineChoice, Event, PlanError, PlanOptions, Planner, SweepIdentity,
    SweepLog, replan, sweep,
};

use crate::Setup;

const BUDGET: u64 = 1 << 11;

/// Numbers of checks: all small ones, then fewer and fewer.
fn checks() -> impl Iterator<Item = u64> {
    std::iter::successors(Some(1), |&check| Some(check + 1 + check / 4))
}

#[test]
fn a_cancelled_sweep_keeps_only_what_the_whole_sweep_has() {
    for (spec, collective) in [("mesh:3x3", "aab"), ("torus:3x3", "aas"), ("omega:8", "aab")] {
        let setup = Setup::new(spec, collective, CommunicationModel::wormhole());
        let options = PlanOptions::auto(1);
        let before = Planner::new(setup.problem(), options).run(&Budget::evaluations(BUDGET), |_| {}).unwrap();
        let space = FaultSpace::new(before.topology(), FaultKind::Link, 1);
        let identity = SweepIdentity { before: &before, options, evaluations: BUDGET, sets: "every link" };
        let book = |budget: &Budget| {
            let mut bytes = Vec::new();
            let mut log = SweepLog::begin(&identity, &mut bytes).unwrap();
            let stopped = sweep(&before, space.iter(), options, budget, |one| log.add(&one).unwrap()).unwrap();
            (bytes, stopped)
        };
        let (whole, stopped) = book(&Budget::evaluations(BUDGET));
        assert_eq!(stopped, None);
        for check in checks() {
            let (part, stopped) = book(&Budget::evaluations(BUDGET).cancelled_at_check(check));
            assert!(whole.starts_with(&part), "{spec} {collective}, check {check}");
            if stopped.is_none() {
                assert!(part == whole, "{spec} {collective}, check {check}");
                break;
            }
        }
    }
}

/// Returns true if an interruption left no schedule. `umda` says for how many steps it looked.
fn is_unfinished(error: &PlanError, engine: &str) -> bool {
    match error {
        PlanError::NotFound(NotFound::Unfinished { .. }) => true,
        PlanError::NotFound(NotFound::Stopped { .. }) => engine == "umda",
        _ => false,
    }
}

/// A cancelled attempt can still meet the bound, with other transfers.
#[test]
fn a_cancelled_plan_says_so_or_is_optimal_or_is_the_whole_plan() {
    for (spec, collective, engine) in [
        ("mesh:4x4", "aas", "auto"),
        ("omega:8", "aab", "umda"),
        ("kautz:2,2", "aas", "auto"),
        ("mesh:3x3", "all-reduce", "auto"),
    ] {
        let setup = Setup::new(spec, collective, CommunicationModel::wormhole());
        let options = PlanOptions { engine: engine.parse::<EngineChoice>().unwrap(), ..PlanOptions::auto(3) };
        let whole = Planner::new(setup.problem(), options).run(&Budget::evaluations(BUDGET), |_| {}).unwrap();
        for check in checks() {
            let budget = Budget::evaluations(BUDGET).cancelled_at_check(check);
            let mut checkpoint = None;
            let plan = Planner::new(setup.problem(), options).run(&budget, |event| match event {
                Event::Search(SearchProgress { checkpoint: state, .. }) | Event::Stopped(state) => {
                    checkpoint = Some(state.write());
                }
                _ => {}
            });
            let context = format!("{spec} {collective} by {engine}, check {check}");
            match plan {
                Ok(plan) if plan.cut_short().is_none() => {
                    assert!(plan == whole || plan.is_optimal(), "{context}: {} steps", plan.step_count());
                }
                Ok(_) => {}
                Err(error) => assert!(is_unfinished(&error, engine), "{context}: {error}"),
            }
            if let Some(checkpoint) = checkpoint {
                let planner = Planner::new(setup.problem(), options).from_checkpoint(checkpoint);
                let resumed = planner.run(&Budget::evaluations(BUDGET), |_| {}).unwrap();
                assert!(resumed == whole, "{context}, resumed");
            }
            if budget.stop_after(0).is_none() {
                break;
            }
        }
    }
}

/// The first schedule of a repair counts, even if the interrupt comes before all later ones.
#[test]
fn a_cancelled_replan_keeps_the_repaired_schedule() {
    let setup = Setup::new("torus:4x4", "aas", CommunicationModel::wormhole());
    let options = PlanOptions::auto(1);
    let before = Planner::new(setup.problem(), options).run(&Budget::evaluations(BUDGET), |_| {}).unwrap();
    let faulty = before.topology().with_failures([], before.topology().channels().take(2));
    let budget = Budget::evaluations(1 << 20);
    let found = replan(&before, &faulty, options, &budget, |event| {
        if matches!(event, Event::Tried { steps: Some(_), .. }) {
            budget.cancel();
        }
    });
    let found = found.unwrap();
    assert_eq!((found.is_repaired(), found.plan.cut_short()), (true, Some(CutShort::Interrupt)));
}

/// A deadline at any check leads to a plan, or to an error that says so. A later deadline never leads to a longer plan.
#[test]
fn more_time_never_gives_a_longer_plan() {
    // On one thread, the order of the checks is that of the work.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for (spec, collective, grace) in [
        ("mesh:4x4", "aas", 0),
        ("mesh:4x4", "aas", 30),
        ("random-regular:16,3,1", "aas", 10),
        ("random-regular:16,3,1", "aab", 10),
        ("omega:8", "aab", 5),
        ("kautz:2,2", "reduce-scatter", 20),
        ("mesh:3x3", "all-reduce", 20),
        ("random-regular:10,3,1", "all-reduce", 0),
    ] {
        let setup = Setup::new(spec, collective, CommunicationModel::wormhole());
        let mut known = None;
        for check in checks().take_while(|&check| check < 20_000) {
            let budget = Budget::evaluations(BUDGET).ended_at_check(check, grace);
            let planner = Planner::new(setup.problem(), PlanOptions::auto(1));
            let context = format!("{spec} {collective}, check {check}, grace {grace}");
            match (pool.install(|| planner.run(&budget, |_| {})), known) {
                (Ok(plan), known_steps) => {
                    let steps = plan.step_count();
                    assert!(known_steps.is_none_or(|known| steps <= known), "{context}: {steps} after {known_steps:?}");
                    known = Some(steps);
                }
                (Err(error), None) => assert!(is_unfinished(&error, "auto"), "{context}: {error}"),
                (Err(error), Some(known)) => panic!("{context}: {error} after {known} steps"),
            }
        }
        assert!(known.is_some(), "{spec} {collective}");
    }
}
