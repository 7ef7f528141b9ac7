//! An interrupted and resumed search has the same result as an uninterrupted one.

use lockstep_evolve::{CheckpointError, SearchSpace, Umda, UmdaOptions};
use lockstep_schedule::Budget;

use crate::problem::Cell;

/// The checkpoints before the first batch and after every batch.
fn checkpoints(space: &SearchSpace, options: UmdaOptions, budget: &Budget) -> Vec<Vec<u8>> {
    let mut umda = Umda::new(space, options);
    let mut checkpoints = vec![umda.checkpoint()];
    let _ = umda.run(budget, |umda| checkpoints.push(umda.checkpoint()));
    checkpoints
}

fn checkpoint_of(network: &str, options: UmdaOptions) -> Vec<u8> {
    let cell = Cell::new(network, "aas");
    let paths = cell.paths();
    let space = cell.space(&paths, 16);
    first_checkpoint(&space, options)
}

/// The checkpoint after the first batch.
fn first_checkpoint(space: &SearchSpace, options: UmdaOptions) -> Vec<u8> {
    checkpoints(space, options, &Budget::evaluations(1)).swap_remove(1)
}

#[test]
fn a_resumed_search_ends_as_an_uninterrupted_one() {
    for (network, collective, steps) in [("omega:8", "aab", 7), ("b-tree:8", "aas", 16)] {
        let cell = Cell::new(network, collective);
        let paths = cell.paths();
        let space = cell.space(&paths, steps);
        for (options, evaluations) in [(UmdaOptions::directed(1), 30_000), (UmdaOptions::published(1), 300)] {
            let budget = Budget::evaluations(evaluations);
            let mut whole = Umda::new(&space, options);
            let result = whole.run(&budget, |_| {});
            for bytes in checkpoints(&space, options, &budget) {
                let mut resumed = Umda::resume(&space, options, &bytes).expect("its own checkpoint");
                assert_eq!(resumed.checkpoint(), bytes);
                assert_eq!(resumed.run(&budget, |_| {}), result);
                assert_eq!(resumed.checkpoint(), whole.checkpoint());
            }
        }
    }
}

#[test]
fn a_search_resumes_with_another_number_of_threads() {
    let cell = Cell::new("omega:8", "aab");
    let paths = cell.paths();
    let space = cell.space(&paths, 7);
    let options = UmdaOptions::directed(1);
    let pools = [1, 3].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    let bytes = pools[0].install(|| first_checkpoint(&space, options));
    let budget = Budget::evaluations(30_000);
    let mut resumed = Umda::resume(&space, options, &bytes).expect("its own checkpoint");
    let result = pools[1].install(|| resumed.run(&budget, |_| {}));
    assert_eq!(result, Umda::new(&space, options).run(&budget, |_| {}));
}

#[test]
fn truncated_and_altered_checkpoints_are_refused() {
    let cell = Cell::new("b-tree:8", "aas");
    let paths = cell.paths();
    let space = cell.space(&paths, 16);
    let options = UmdaOptions::directed(1);
    let bytes = checkpoint_of("b-tree:8", options);
    assert!(Umda::resume(&space, options, &bytes).is_ok());
    for length in [0, 7, 51, 52, bytes.len() / 2, bytes.len() - 1] {
        let cut = Umda::resume(&space, options, &bytes[..length]);
        assert!(matches!(cut, Err(CheckpointError::File(_))), "{length}: {cut:?}");
    }
    for place in (0..bytes.len()).step_by(17) {
        let mut altered = bytes.clone();
        altered[place] ^= 1;
        let altered = Umda::resume(&space, options, &altered);
        assert!(matches!(altered, Err(CheckpointError::File(_))), "{place}: {altered:?}");
    }
}

#[test]
fn checkpoints_of_other_searches_are_refused() {
    let cell = Cell::new("b-tree:8", "aas");
    let paths = cell.paths();
    let space = cell.space(&paths, 16);
    let options = UmdaOptions::directed(1);
    let refused = |bytes: &[u8]| Umda::resume(&space, options, bytes).expect_err("a foreign checkpoint");

    let problem = CheckpointError::Mismatch { what: "problem or number of steps" };
    assert_eq!(refused(&checkpoint_of("omega:8", options)), problem);
    let longer = cell.space(&paths, 17);
    assert_eq!(refused(&first_checkpoint(&longer, options)), problem);

    let parameters = CheckpointError::Mismatch { what: "seed or parameters" };
    assert_eq!(refused(&checkpoint_of("b-tree:8", UmdaOptions::directed(2))), parameters);
    assert_eq!(refused(&checkpoint_of("b-tree:8", UmdaOptions::published(1))), parameters);
}
