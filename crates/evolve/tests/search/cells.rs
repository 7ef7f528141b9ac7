//! Small cells of Tables 1 and 3 of the multistage-network document.

use lockstep_evolve::{Umda, UmdaOptions, schedule};
use lockstep_schedule::{Budget, CommunicationModel, Ports, verify};

use crate::problem::Cell;

/// Checks that the search finds a schedule of `steps` steps that the verifier accepts.
fn reaches(cell: &Cell, steps: u32) {
    let problem = cell.problem();
    let schedule = schedule(&problem, steps, 1, &Budget::evaluations(2_000_000)).expect("a schedule");
    let report = verify(&problem, &schedule).expect("a valid schedule");
    assert_eq!((report.steps, report.redundant), (steps as usize, 0));
}

#[test]
fn unidirectional_networks_of_table_1_are_solved() {
    reaches(&Cell::new("omega:8", "aab"), 7);
    reaches(&Cell::new("omega:8", "aas"), 7);
    reaches(&Cell::new("butterfly:8", "oab"), 3);
    reaches(&Cell::new("butterfly:8", "oas"), 7);
    reaches(&Cell::new("clos:3,3,4", "aab"), 12);
    reaches(&Cell::new("clos:3,3,4", "aas"), 12);
}

#[test]
fn trees_of_table_3_are_solved() {
    reaches(&Cell::new("b-tree:8", "aas"), 16);
    reaches(&Cell::new("fat-tree:2,3", "aab"), 7);
    reaches(&Cell::new("fat-tree:2,3", "aas"), 7);
    reaches(&Cell::new("full-b-tree:15", "aas"), 56);
}

/// The document has 15 and 8 steps. The bounds are 14 (`N - 1` at the only channel of a leaf) and 7.
#[test]
fn schedules_of_table_3_that_are_shorter_than_published() {
    reaches(&Cell::new("full-b-tree:15", "aab"), 14);
    reaches(&Cell::new("b-tree:8", "aab"), 7);
}

#[test]
fn other_models_reach_their_bounds() {
    // The reception bounds: 15 messages over 4 channels, and 7 messages over one port.
    let store_and_forward = CommunicationModel::store_and_forward();
    reaches(&Cell::new("hypercube:4", "aab").with_model(store_and_forward), 4);
    let one_port = CommunicationModel { ports: Ports::limit(1).expect("a port"), ..CommunicationModel::wormhole() };
    reaches(&Cell::new("hypercube:3", "aab").with_model(one_port), 7);
    reaches(&Cell::new("hypercube:3", "aas").with_model(one_port), 7);
}

#[test]
fn the_published_mutation_solves_small_cells() {
    for (network, collective, steps) in
        [("omega:8", "oab", 3), ("omega:8", "oas", 7), ("b-tree:8", "oas", 7), ("b-tree:8", "aas", 16)]
    {
        let cell = Cell::new(network, collective);
        let paths = cell.paths();
        let space = cell.space(&paths, steps);
        let mut umda = Umda::new(&space, UmdaOptions::published(1));
        let schedule = umda.run(&Budget::evaluations(100_000), |_| {}).expect(network);
        assert!(verify(&cell.problem(), &schedule).is_ok());
    }
}
