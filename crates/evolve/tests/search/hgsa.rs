//! The search of the store-and-forward document: small cells of its tables, other models, threads and checkpoints.

use lockstep_evolve::{CheckpointError, Evolution, Hgsa, HgsaOptions, Prediction, Umda, UmdaOptions, schedule_by};
use lockstep_schedule::{Budget, CommunicationModel, NotFound, Ports, verify};

use crate::problem::Cell;

fn forwarded(network: &str, collective: &str) -> Cell {
    Cell::new(network, collective).with_model(CommunicationModel::store_and_forward())
}

/// Checks that the search finds a schedule of `steps` steps that the verifier accepts.
fn reaches(cell: &Cell, steps: u32, options: HgsaOptions) {
    let problem = cell.problem();
    let schedule = schedule_by(options, &problem, steps, &Budget::evaluations(2_000_000)).expect("a schedule");
    let report = verify(&problem, &schedule).expect("a valid schedule");
    assert_eq!((report.steps, report.redundant), (steps as usize, 0));
}

/// The steps are the reception bound, `(N - 1) / degree`, and for the ladder its diameter.
#[test]
fn cells_of_both_tables_are_solved() {
    for (network, steps) in [
        ("hypercube:3", 3),
        ("folded-hypercube:3", 2),
        ("k-ring:8", 2),
        ("midimew:8", 2),
        ("moore:8", 3),
        ("octagon", 3),
        ("ladder:2x4", 4),
        ("hypercube:4", 4),
    ] {
        for prediction in [Prediction::None, Prediction::Published, Prediction::Matching] {
            reaches(&forwarded(network, "aab"), steps, HgsaOptions { prediction, ..HgsaOptions::directed(1) });
        }
    }
    reaches(&forwarded("hypercube:5", "aab"), 7, HgsaOptions::directed(1));
}

#[test]
fn the_published_moves_solve_small_cells() {
    for (network, steps) in [("hypercube:3", 3), ("midimew:8", 2), ("moore:8", 3), ("ladder:2x4", 4)] {
        for prediction in [Prediction::None, Prediction::Published, Prediction::Matching] {
            reaches(&forwarded(network, "aab"), steps, HgsaOptions { prediction, ..HgsaOptions::published(1) });
        }
    }
}

/// 15 messages over 4 channels: shortest paths alone are not sufficient.
#[test]
fn longer_paths_are_used_as_a_last_resort() {
    let network = "random-regular:16,4,1";
    reaches(&forwarded(network, "aab"), 4, HgsaOptions::directed(1));
    let shortest = HgsaOptions { prediction: Prediction::Matching, ..HgsaOptions::published(1) };
    let cell = forwarded(network, "aab");
    let found = schedule_by(shortest, &cell.problem(), 4, &Budget::evaluations(100_000));
    assert!(matches!(found, Err(NotFound::Stopped { steps: 4, .. })));
}

#[test]
fn other_broadcasts_and_models_reach_their_bounds() {
    reaches(&forwarded("hypercube:4", "oab"), 4, HgsaOptions::directed(1));
    let one_port =
        CommunicationModel { ports: Ports::limit(1).expect("a port"), ..CommunicationModel::store_and_forward() };
    // Every node receives 7 messages, one per step. A broadcast doubles the number of holders in every step.
    reaches(&Cell::new("hypercube:3", "aab").with_model(one_port), 7, HgsaOptions::directed(1));
    reaches(&Cell::new("hypercube:4", "oab").with_model(one_port), 4, HgsaOptions::directed(1));
    // 16 x 15 deliveries over 32 links.
    reaches(&forwarded("hypercube:4", "aab").half_duplex(), 8, HgsaOptions::directed(1));
}

#[test]
fn wormhole_switching_is_not_supported() {
    let cell = Cell::new("hypercube:3", "aab");
    let refused = schedule_by(HgsaOptions::directed(1), &cell.problem(), 3, &Budget::evaluations(1000));
    assert!(matches!(&refused, Err(NotFound::Unsupported { engine: "hgsa", why }) if why.contains("wormhole")));
}

#[test]
fn the_number_of_threads_does_not_change_the_result() {
    let cell = forwarded("random-regular:16,4,1", "aab");
    let paths = cell.paths();
    let space = cell.space(&paths, 4);
    for options in [HgsaOptions::directed(7), HgsaOptions::published(7)] {
        let [alone, together] = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let mut hgsa = Hgsa::new(&space, options);
            let result = pool.install(|| hgsa.run(&Budget::evaluations(20_000), |_| {}));
            (result, hgsa.checkpoint())
        });
        assert!(alone == together, "{options:?}");
    }
}

#[test]
fn a_resumed_search_ends_as_an_uninterrupted_one() {
    let cell = forwarded("random-regular:16,4,1", "aab");
    let paths = cell.paths();
    let space = cell.space(&paths, 4);
    for options in [HgsaOptions::directed(1), HgsaOptions::published(1)] {
        let budget = Budget::evaluations(20_000);
        let mut whole = Evolution::new(&space, options);
        let mut checkpoints = vec![whole.checkpoint()];
        let result = whole.run(&budget, |hgsa| checkpoints.push(hgsa.checkpoint()));
        assert!(checkpoints.len() > 2);
        for bytes in checkpoints {
            let mut resumed = Hgsa::resume(&space, options, &bytes).expect("its own checkpoint");
            assert_eq!(resumed.checkpoint(), bytes);
            assert_eq!(resumed.run(&budget, |_| {}), result);
            assert_eq!(resumed.checkpoint(), whole.checkpoint());
        }
    }
}

#[test]
fn checkpoints_of_other_algorithms_or_predictions_are_refused() {
    let cell = forwarded("hypercube:3", "aab");
    let paths = cell.paths();
    let space = cell.space(&paths, 3);
    let options = HgsaOptions::directed(1);
    let bytes = Hgsa::new(&space, options).checkpoint();
    let other = HgsaOptions { prediction: Prediction::None, ..options };
    let parameters = CheckpointError::Mismatch { what: "seed or parameters" };
    assert_eq!(Hgsa::resume(&space, other, &bytes).expect_err("another prediction"), parameters);
    let umda = Umda::resume(&space, UmdaOptions::directed(1), &bytes);
    assert!(matches!(umda, Err(CheckpointError::File(_))), "{umda:?}");
}
