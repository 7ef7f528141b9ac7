//! The ends of a search, and the problems that it does not support.

use std::time::Duration;

use lockstep_evolve::{SearchSpace, Umda, UmdaOptions, schedule};
use lockstep_schedule::{Budget, CommunicationModel, NotFound, StopReason, verify};

use crate::problem::Cell;

/// One step below the bound of `N - 1`, so that no schedule exists.
const IMPOSSIBLE_STEPS: u32 = 6;

fn stopped(reason: StopReason) -> NotFound {
    NotFound::Stopped { steps: IMPOSSIBLE_STEPS, reason }
}

#[test]
fn cancellation_ends_the_search_before_the_next_batch() {
    let cell = Cell::new("omega:8", "aas");
    let paths = cell.paths();
    let space = cell.space(&paths, IMPOSSIBLE_STEPS);
    let budget = Budget::unlimited();
    let mut umda = Umda::new(&space, UmdaOptions::directed(1));
    let mut observations = 0;
    let result = umda.run(&budget, |umda| {
        observations += 1;
        if umda.generation() == 2 {
            budget.cancel();
        }
    });
    assert_eq!(result, Err(stopped(StopReason::Cancelled)));
    assert_eq!(umda.generation(), 2);
    assert_eq!(umda.run(&budget, |_| observations = 0), result);
    assert!(observations > 2, "observed {observations} times, the last time on cancellation");
}

#[test]
fn evaluations_are_counted_between_generations() {
    let cell = Cell::new("omega:8", "aas");
    let paths = cell.paths();
    let space = cell.space(&paths, IMPOSSIBLE_STEPS);
    let mut umda = Umda::new(&space, UmdaOptions::published(1));
    let spent = Err(stopped(StopReason::Evaluations));
    assert_eq!(umda.run(&Budget::evaluations(0), |_| {}), spent);
    assert_eq!((umda.generation(), umda.evaluations(), umda.best_conflicts()), (0, 0, None));
    // 60 individuals, then 30 a generation.
    assert_eq!(umda.run(&Budget::evaluations(61), |_| {}), spent);
    assert_eq!((umda.generation(), umda.evaluations()), (2, 90));
    assert!(umda.best_conflicts() > Some(0));
}

#[test]
fn a_deadline_ends_a_generation_whose_evaluations_are_spent() {
    let cell = Cell::new("omega:8", "aas");
    let paths = cell.paths();
    let space = cell.space(&paths, IMPOSSIBLE_STEPS);
    let mut umda = Umda::new(&space, UmdaOptions::published(1));
    let budget = Budget::unlimited();
    umda.run(&budget, |_| budget.cancel()).expect_err("cancelled");
    let evaluations = umda.evaluations();
    assert!(evaluations < 60, "the first generation is incomplete");
    let late = Budget::evaluations(1).within(Duration::ZERO);
    assert_eq!(umda.run(&late, |_| {}), Err(stopped(StopReason::Deadline)));
    assert_eq!(umda.evaluations(), evaluations);
}

#[test]
fn a_finished_search_returns_its_schedule_again() {
    let cell = Cell::new("b-tree:8", "aas");
    let paths = cell.paths();
    let space = cell.space(&paths, 16);
    let mut umda = Umda::new(&space, UmdaOptions::directed(1));
    let schedule = umda.run(&Budget::unlimited(), |_| {}).expect("a schedule");
    assert!(verify(&cell.problem(), &schedule).is_ok());
    assert_eq!(umda.best_conflicts(), Some(0));
    assert_eq!(umda.run(&Budget::evaluations(0), |_| {}), Ok(schedule));
}

#[test]
fn tiny_populations_still_search() {
    let cell = Cell::new("b-tree:4", "aas");
    let paths = cell.paths();
    let space = cell.space(&paths, 4);
    for population in [0, 1, 5] {
        let options = UmdaOptions { population, ..UmdaOptions::published(3) };
        let schedule = Umda::new(&space, options).run(&Budget::evaluations(100_000), |_| {}).expect("a schedule");
        assert!(verify(&cell.problem(), &schedule).is_ok());
    }
}

#[test]
fn problems_without_an_encoding_are_named() {
    let why = |cell: &Cell| {
        let paths = cell.paths();
        SearchSpace::new(cell.problem(), &paths, 100).expect_err("not searched").to_string()
    };
    for collecting in ["gather", "reduce", "reduce-scatter", "all-reduce"] {
        assert!(why(&Cell::new("ring:4", collecting)).contains("a collecting phase has no encoding"));
    }
    let hopping = Cell::new("ring:4", "aas").with_model(CommunicationModel::store_and_forward());
    assert!(why(&hopping).contains("a scatter message makes one transfer"));
    // 182 x 181 deliveries.
    assert!(why(&Cell::new("star:182", "aas")).contains("32942 deliveries are more than 32767"));
}

#[test]
fn too_few_steps_are_an_error() {
    let cell = Cell::new("hypercube:3", "oab").with_model(CommunicationModel::store_and_forward());
    let budget = Budget::evaluations(1000);
    assert_eq!(schedule(&cell.problem(), 2, 1, &budget), Err(NotFound::TooLong { steps: 2, reached: 3 }));
    assert_eq!(schedule(&cell.problem(), 0, 1, &budget), Err(NotFound::TooLong { steps: 0, reached: 3 }));
    let exchange = Cell::new("hypercube:3", "aas");
    assert_eq!(schedule(&exchange.problem(), 0, 1, &budget), Err(NotFound::TooLong { steps: 0, reached: 1 }));
}
