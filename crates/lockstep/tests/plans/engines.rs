//! Engines that a user adds.

use std::sync::atomic::{AtomicU32, Ordering};

use lockstep::schedule::{
    End, Engine, EngineEvent, EngineObserver, EngineRequest, FoundSchedule, NotFound, Outcome, StopReason, Transfer,
};
use lockstep::{
    Budget, CommunicationModel, EngineChoice, EngineRegistry, EngineStage, Event, PlanError, PlanOptions, Planner,
    Schedule, plan, replan,
};

use crate::Setup;

/// Returns the schedule that the standard engines find, without its first transfers.
struct Copycat {
    name: &'static str,
    dropped: usize,
    calls: AtomicU32,
}

impl Copycat {
    fn new(name: &'static str, dropped: usize) -> Self {
        Self { name, dropped, calls: AtomicU32::new(0) }
    }
}

impl Engine for Copycat {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        "the schedule of the other engines"
    }

    fn find(&self, request: &EngineRequest<'_>, _: &mut EngineObserver<'_>) -> Outcome {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let problem = request.problem;
        let budget = Budget::evaluations(1 << 12);
        let original = plan(problem.topology(), problem.collective(), &problem.model(), &budget).unwrap();
        let mut schedule = Schedule::new();
        let mut left = self.dropped;
        for (_, step) in original.schedule().steps() {
            schedule.begin_step();
            for Transfer { message, path, .. } in step.iter() {
                if left == 0 {
                    schedule.push(message, path);
                }
                left = left.saturating_sub(1);
            }
        }
        Outcome::of_attempt(Ok(FoundSchedule { schedule, method: Some("copied") }))
    }
}

/// No construction supports Jellyfish networks, so an added engine is the first with a schedule.
fn setup() -> Setup {
    Setup::new("jellyfish:10,3,1", "aab", CommunicationModel::wormhole())
}

#[test]
fn auto_runs_an_added_engine() {
    let copycat = Copycat::new("copycat", 0);
    let engines = EngineRegistry::standard().clone().with_engine(&copycat, EngineStage::Construction);
    let setup = setup();
    for engine in [EngineChoice::Auto, engines.choose("copycat").unwrap()] {
        let options = PlanOptions { engine, engines: &engines, ..PlanOptions::auto(1) };
        let plan = Planner::new(setup.problem(), options).run(&Budget::evaluations(1 << 12), |_| {}).unwrap();
        assert_eq!(plan.engine(), "copycat (copied)");
        let faulty = setup.topology.with_failures([], setup.topology.links()[0]);
        assert!(replan(&plan, &faulty, options, &Budget::evaluations(1 << 12), |_| {}).is_ok());
    }
    assert!(copycat.calls.load(Ordering::Relaxed) >= 2);
}

#[test]
fn an_invalid_schedule_of_an_added_engine_is_dropped() {
    let wrong = Copycat::new("wrong", 1);
    for stage in [EngineStage::Construction, EngineStage::Portfolio, EngineStage::Search] {
        let engines = EngineRegistry::standard().clone().with_engine(&wrong, stage);
        let setup = setup();
        let options = PlanOptions { engines: &engines, ..PlanOptions::auto(1) };
        let mut found = Vec::new();
        let planner = Planner::new(setup.problem(), options);
        let plan = planner.run(&Budget::evaluations(1 << 12), |event| {
            if let Event::Found { engine, .. } = event {
                found.push(engine.to_owned());
            }
        });
        assert!(!plan.unwrap().engine().starts_with("wrong"));
        assert!(!found.contains(&"wrong".to_owned()));

        let only = PlanOptions { engine: EngineChoice::Named("wrong"), ..options };
        let error = Planner::new(setup.problem(), only).run(&Budget::evaluations(1 << 12), |_| {}).unwrap_err();
        assert!(matches!(&error, PlanError::Refused { engine, .. } if engine == "wrong"), "{error}");
    }
    assert!(wrong.calls.load(Ordering::Relaxed) >= 3);
}

#[test]
fn an_unknown_engine_is_refused_before_any_work() {
    let options = PlanOptions { engine: EngineChoice::Named("exact"), ..PlanOptions::auto(1) };
    let error = Planner::new(setup().problem(), options).run(&Budget::unlimited(), |_| {}).unwrap_err();
    assert!(matches!(error, PlanError::Engine(_)), "{error}");
}

/// Reports the schedule of another engine, and then finds nothing.
struct Early(Copycat);

impl Engine for Early {
    fn name(&self) -> &'static str {
        "early"
    }

    fn description(&self) -> &'static str {
        "a schedule before the end of the work"
    }

    fn find(&self, request: &EngineRequest<'_>, observer: &mut EngineObserver<'_>) -> Outcome {
        observer(EngineEvent::Found(self.0.find(request, &mut |_| {}).found.unwrap()));
        Outcome::of_attempt(Err(NotFound::Unfinished { reason: StopReason::Deadline }))
    }
}

/// The time may end before the work does: a schedule that was reported before is verified and kept.
#[test]
fn a_schedule_that_is_reported_early_is_kept() {
    for dropped in [0, 1] {
        let (setup, early) = (setup(), Early(Copycat::new("copycat", dropped)));
        let engines = EngineRegistry::standard().clone().with_engine(&early, EngineStage::Portfolio);
        let options = PlanOptions { engines: &engines, engine: EngineChoice::Named("early"), ..PlanOptions::auto(1) };
        let result = Planner::new(setup.problem(), options).run(&Budget::evaluations(1 << 12), |_| {});
        match result {
            Ok(plan) => assert_eq!((dropped, plan.engine()), (0, "early (copied)")),
            Err(error) => assert_eq!((dropped, matches!(error, PlanError::Refused { .. })), (1, true), "{error}"),
        }
    }
}

/// Pauses twice, and then returns the schedule of another engine.
struct Patient(Copycat);

impl Engine for Patient {
    fn name(&self) -> &'static str {
        "patient"
    }

    fn description(&self) -> &'static str {
        "a schedule after two pauses"
    }

    fn find(&self, request: &EngineRequest<'_>, observer: &mut EngineObserver<'_>) -> Outcome {
        let pauses = request.resume.map_or(0, |state| state[0]);
        if pauses == 2 {
            return self.0.find(request, observer);
        }
        let found = Err(NotFound::Stopped { steps: request.goal, reason: StopReason::Evaluations });
        Outcome { found, work: request.pause_after, end: End::Paused(vec![pauses + 1]) }
    }
}

/// A pause without a schedule is no failure: the engine continues in a later round, until the budget ends.
#[test]
fn an_engine_that_pauses_continues_from_its_state() {
    let (setup, patient) = (setup(), Patient(Copycat::new("copycat", 0)));
    let engines = EngineRegistry::standard().clone().with_engine(&patient, EngineStage::Portfolio);
    let options = PlanOptions { engines: &engines, engine: EngineChoice::Named("patient"), ..PlanOptions::auto(1) };
    let planned = |budget: Budget| Planner::new(setup.problem(), options).run(&budget, |_| {});
    assert_eq!(planned(Budget::unlimited()).unwrap().engine(), "patient (copied)");
    assert_eq!(patient.0.calls.load(Ordering::Relaxed), 1);
    let cancelled = Budget::unlimited();
    cancelled.cancel();
    assert!(matches!(planned(cancelled), Err(PlanError::NotFound(NotFound::Stopped { .. }))));
}
