//! Interrupted and resumed plans.

use lockstep::schedule::Ports;
use lockstep::{
    Budget, CheckpointError, CommunicationModel, EngineChoice, Event, Plan, PlanError, PlanOptions, Planner,
};
use proptest::prelude::*;

use crate::Setup;

/// Omega 16 needs 15 steps, which a small search does not find: several numbers of steps are searched.
fn setup() -> Setup {
    Setup::new("omega:16", "aas", CommunicationModel::wormhole())
}

const UMDA: EngineChoice = EngineChoice::Named("umda");
const OPTIONS: PlanOptions<'_> = PlanOptions { engine: UMDA, ..PlanOptions::auto(5) };

fn budget() -> Budget {
    Budget::evaluations(200_000)
}

/// Cancels the budget at event number `after` of the search. Returns the plan, or a checkpoint.
fn interrupted(setup: &Setup, options: PlanOptions<'_>, from: Option<Vec<u8>>, after: usize) -> Result<Plan, Vec<u8>> {
    let (budget, mut seen, mut saved) = (budget(), 0, Vec::new());
    let planner = Planner::new(setup.problem(), options);
    let planner = match from {
        Some(checkpoint) => planner.from_checkpoint(checkpoint),
        None => planner,
    };
    let result = planner.run(&budget, |event| match event {
        Event::Search(_) => {
            seen += 1;
            if seen >= after {
                budget.cancel();
            }
        }
        Event::Stopped(checkpoint) => saved = checkpoint.write(),
        _ => {}
    });
    match result {
        Ok(plan) if plan.cut_short().is_none() => Ok(plan),
        _ => Err(saved),
    }
}

fn in_pieces(setup: &Setup, options: PlanOptions<'_>, piece: usize) -> Plan {
    let mut checkpoint = None;
    loop {
        match interrupted(setup, options, checkpoint.take(), piece) {
            Ok(plan) => return plan,
            Err(saved) => checkpoint = Some(saved),
        }
    }
}

#[test]
fn a_search_in_pieces_ends_in_the_same_plan() {
    let setup = setup();
    let whole = Planner::new(setup.problem(), OPTIONS).run(&budget(), |_| {}).unwrap();
    for piece in [3, 10] {
        assert_eq!(in_pieces(&setup, OPTIONS, piece), whole, "{piece}");
    }
}

#[test]
fn two_phases_in_pieces_end_in_the_same_plan() {
    let setup = Setup::new("omega:8", "all-reduce", CommunicationModel::wormhole());
    for engine in [EngineChoice::Auto, UMDA] {
        let options = PlanOptions { engine, ..OPTIONS };
        let whole = Planner::new(setup.problem(), options).run(&budget(), |_| {}).unwrap();
        assert_eq!(in_pieces(&setup, options, 2), whole, "{engine}");
    }
}

/// The file is of `plan ring:7 --collective aas --ports 1 --engine umda --budget 100000 --seed 5`.
#[test]
fn a_checkpoint_of_release_0_1_0_resumes_to_the_same_plan() {
    let mut setup = Setup::new("ring:7", "aas", CommunicationModel::wormhole());
    setup.model.ports = Ports::limit(1).unwrap();
    let saved = include_bytes!("../data/checkpoint-0.1.0.lsb").to_vec();
    let budget = Budget::evaluations(100_000);
    let whole = Planner::new(setup.problem(), OPTIONS).run(&budget, |_| {}).unwrap();
    let mut first = None;
    let resumed = Planner::new(setup.problem(), OPTIONS).from_checkpoint(saved).run(&budget, |event| {
        if let Event::Search(search) = event {
            first.get_or_insert(search.evaluations);
        }
    });
    assert_eq!(resumed.unwrap(), whole);
    assert!(first.is_some_and(|evaluations| evaluations > 1_000), "the search is resumed and not repeated");
}

#[test]
fn a_checkpoint_of_another_problem_is_refused_with_the_difference() {
    let setup = setup();
    let saved = interrupted(&setup, OPTIONS, None, 1).unwrap_err();
    let refused = |setup: &Setup, options, budget: Budget| {
        let planner = Planner::new(setup.problem(), options).from_checkpoint(saved.clone());
        planner.run(&budget, |_| {}).unwrap_err()
    };
    let mismatch = |what| PlanError::Checkpoint(CheckpointError::Mismatch { what });
    let other_seed = PlanOptions { seed: 6, ..OPTIONS };
    let other_steps = PlanOptions { steps: Some(16), ..OPTIONS };
    let other_engine = PlanOptions { engine: EngineChoice::Auto, ..OPTIONS };
    assert_eq!(refused(&setup, other_seed, budget()), mismatch("seed"));
    assert_eq!(refused(&setup, other_steps, budget()), mismatch("number of steps"));
    assert_eq!(refused(&setup, other_engine, budget()), mismatch("engine"));
    assert_eq!(refused(&setup, OPTIONS, Budget::evaluations(7)), mismatch("budget"));
    let other = |spec, collective, model| refused(&Setup::new(spec, collective, model), OPTIONS, budget());
    let (wormhole, store) = (CommunicationModel::wormhole(), CommunicationModel::store_and_forward());
    assert_eq!(other("butterfly:16", "aas", wormhole), mismatch("network"));
    assert_eq!(other("omega:16", "aab", wormhole), mismatch("collective"));
    let saved_on_mesh = {
        let setup = Setup::new("mesh:4x4", "aab", wormhole);
        interrupted(&setup, OPTIONS, None, 1)
    };
    if let Err(saved) = saved_on_mesh {
        let setup = Setup::new("mesh:4x4", "aab", store);
        let planner = Planner::new(setup.problem(), OPTIONS).from_checkpoint(saved);
        assert_eq!(planner.run(&budget(), |_| {}).unwrap_err(), mismatch("model"));
    }
}

proptest! {
    #[test]
    fn an_altered_or_truncated_checkpoint_is_refused(place: prop::sample::Index, flip in 1u8.., cut: bool) {
        let setup = Setup::new("omega:8", "aas", CommunicationModel::wormhole());
        let options = PlanOptions { steps: Some(7), ..OPTIONS };
        let Err(mut saved) = interrupted(&setup, options, None, 1) else { return Ok(()) };
        let place = place.index(saved.len());
        if cut {
            saved.truncate(place);
        } else {
            saved[place] ^= flip;
        }
        let result = Planner::new(setup.problem(), options).from_checkpoint(saved).run(&budget(), |_| {});
        prop_assert!(matches!(result, Err(PlanError::Checkpoint(CheckpointError::File(_)))));
    }
}
