use lockstep::{
    Budget, CheckpointError, CommunicationModel, EngineChoice, Event, Plan, PlanError, PlanOptions, Planner,
};
use proptest::prelude::*;

use crate::Question;

/// Omega 16 needs 15 steps, and a small search misses them: several levels are searched.
fn question() -> Question {
    Question::new("omega:16", "aas", CommunicationModel::wormhole())
}

const UMDA: EngineChoice = EngineChoice::Named("umda");
const OPTIONS: PlanOptions<'_> = PlanOptions { engine: UMDA, ..PlanOptions::auto(5) };

fn budget() -> Budget {
    Budget::evaluations(200_000)
}

/// Runs until the search has been seen so many times; what is left is a checkpoint or a plan.
fn interrupted(
    question: &Question,
    options: PlanOptions<'_>,
    from: Option<Vec<u8>>,
    after: usize,
) -> Result<Plan, Vec<u8>> {
    let (budget, mut seen, mut saved) = (budget(), 0, Vec::new());
    let planner = Planner::new(question.problem(), options);
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
        Event::Stopped(search) => saved = (search.checkpoint)(),
        _ => {}
    });
    match result {
        Ok(plan) if plan.cut_short().is_none() => Ok(plan),
        _ => Err(saved),
    }
}

fn in_pieces(question: &Question, options: PlanOptions<'_>, piece: usize) -> Plan {
    let mut checkpoint = None;
    loop {
        match interrupted(question, options, checkpoint.take(), piece) {
            Ok(plan) => return plan,
            Err(saved) => checkpoint = Some(saved),
        }
    }
}

#[test]
fn a_search_in_pieces_ends_in_the_same_plan() {
    let question = question();
    let whole = Planner::new(question.problem(), OPTIONS).run(&budget(), |_| {}).unwrap();
    for piece in [3, 10] {
        assert_eq!(in_pieces(&question, OPTIONS, piece), whole, "{piece}");
    }
}

#[test]
fn two_phases_in_pieces_end_in_the_same_plan() {
    let question = Question::new("omega:8", "all-reduce", CommunicationModel::wormhole());
    for engine in [EngineChoice::Auto, UMDA] {
        let options = PlanOptions { engine, ..OPTIONS };
        let whole = Planner::new(question.problem(), options).run(&budget(), |_| {}).unwrap();
        assert_eq!(in_pieces(&question, options, 2), whole, "{engine}");
    }
}

#[test]
fn a_checkpoint_of_something_else_is_refused_by_name() {
    let question = question();
    let saved = interrupted(&question, OPTIONS, None, 1).unwrap_err();
    let refused = |question: &Question, options, budget: Budget| {
        let planner = Planner::new(question.problem(), options).from_checkpoint(saved.clone());
        planner.run(&budget, |_| {}).unwrap_err()
    };
    let mismatch = |what| PlanError::Checkpoint(CheckpointError::Mismatch { what });
    let other_seed = PlanOptions { seed: 6, ..OPTIONS };
    let other_steps = PlanOptions { steps: Some(16), ..OPTIONS };
    let other_engine = PlanOptions { engine: EngineChoice::Auto, ..OPTIONS };
    assert_eq!(refused(&question, other_seed, budget()), mismatch("seed"));
    assert_eq!(refused(&question, other_steps, budget()), mismatch("number of steps"));
    assert_eq!(refused(&question, other_engine, budget()), mismatch("engine"));
    assert_eq!(refused(&question, OPTIONS, Budget::evaluations(7)), mismatch("budget"));
    let other = |spec, collective, model| refused(&Question::new(spec, collective, model), OPTIONS, budget());
    let (wormhole, store) = (CommunicationModel::wormhole(), CommunicationModel::store_and_forward());
    assert_eq!(other("butterfly:16", "aas", wormhole), mismatch("network"));
    assert_eq!(other("omega:16", "aab", wormhole), mismatch("collective"));
    let saved_on_mesh = {
        let question = Question::new("mesh:4x4", "aab", wormhole);
        interrupted(&question, OPTIONS, None, 1)
    };
    if let Err(saved) = saved_on_mesh {
        let question = Question::new("mesh:4x4", "aab", store);
        let planner = Planner::new(question.problem(), OPTIONS).from_checkpoint(saved);
        assert_eq!(planner.run(&budget(), |_| {}).unwrap_err(), mismatch("model"));
    }
}

proptest! {
    #[test]
    fn an_altered_or_truncated_checkpoint_is_refused(place: prop::sample::Index, flip in 1u8.., cut: bool) {
        let question = Question::new("omega:8", "aas", CommunicationModel::wormhole());
        let options = PlanOptions { steps: Some(7), ..OPTIONS };
        let Err(mut saved) = interrupted(&question, options, None, 1) else { return Ok(()) };
        let place = place.index(saved.len());
        if cut {
            saved.truncate(place);
        } else {
            saved[place] ^= flip;
        }
        let result = Planner::new(question.problem(), options).from_checkpoint(saved).run(&budget(), |_| {});
        prop_assert!(matches!(result, Err(PlanError::Checkpoint(CheckpointError::File(_)))));
    }
}
