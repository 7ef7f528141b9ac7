//! Claims of the paper that must hold, with fewer runs.

use lockstep::pareto::SelectionAlgorithm;

use super::*;

fn figures() -> Figures {
    Figures::read().unwrap()
}

fn machine() -> Machine {
    Machine::new(8, 16, 1).unwrap()
}

fn assert_expected(claims: &[claims::Claim]) {
    for claim in claims {
        assert!(claim.holds(), "{}: {}, published {}", claim.about(), claim.ours, claim.published);
    }
}

#[test]
fn single_networks_match_the_later_analysis() {
    let figures = figures();
    let enumeration = networks::enumerated(machine(), figures.survey.links).unwrap();
    let picks = networks::measured(machine(), &figures.picks).unwrap();
    let claims = claims::of_networks(&figures, networks::drawn(&figures.figure2).unwrap(), &enumeration, &picks);
    assert_eq!(claims.iter().filter(|claim| claim.expected.is_some()).count(), 5);
    assert_expected(&claims);
}

#[test]
fn the_means_of_table_ii_are_within_five_percent() {
    let figures = figures();
    let column =
        figures.columns.iter().find(|column| (column.table, column.algorithm) == (2, SelectionAlgorithm::Nsga2));
    let runs = columns::reproduce(&[column.unwrap()], &[Budget::Effective], figures.runs, 1).unwrap();
    let claims = claims::of_columns(&runs);
    assert_eq!(claims.iter().filter(|claim| claim.expected == Some(true)).count(), 2);
    assert_expected(&claims);
}

#[test]
fn two_links_of_the_larger_machine_have_129_127ths_of_a_path() {
    let problem_of = |code: &str| {
        let machine = Machine::new(8, 16, 4).unwrap();
        lockstep::design::Network::of_code(&machine, &code.parse().unwrap()).unwrap().diversity().unwrap().mean()
    };
    // Each router 0 is joined to router 0 of the next chassis, and each router 1 to router 0 of another chassis.
    let slots = |first: u32, second: u32| {
        let mut offsets = [0; 16];
        (offsets[0], offsets[8]) = (first, second);
        offsets.map(|offset: u32| offset.to_string()).join(",")
    };
    // One cable goes round the machine: 17 chassis further, to router 0; from router 1, 18 chassis further, to router 0.
    let mean = problem_of(&slots(17 * 16, 18 * 16 - 8));
    assert!((mean - 129.0 / 127.0).abs() < 1e-12, "{mean}");
}

#[test]
fn splitting_flows_never_slows_and_doubles_the_ring_of_joined_chassis() {
    let figures = figures();
    let [times, _] = figure_4(machine(), &figures).unwrap();
    assert_eq!(times.len(), 8);
    assert_expected(&claims::of_figure_4(&times));
    let split = ROUTINGS.len() - 1;
    for entry in &times {
        for times in &entry.by_network {
            assert!(times[split] <= times[0], "{}: {times:?}", entry.name);
        }
    }
}
