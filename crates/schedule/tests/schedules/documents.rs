//! The schedules of the document on multistage networks. Rows are sources, columns are steps, cells are destinations.

use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule, Violation, verify};
use lockstep_topology::{ChannelId, NodeId, Topology};

/// Returns a table of the document, from `data/papers`.
fn table(name: &str) -> [[u32; 7]; 8] {
    let mut figures: serde_json::Value =
        serde_json::from_str(include_str!("../../../../data/papers/min.json")).expect("the file is valid JSON");
    serde_json::from_value(figures[name]["rows"].take()).expect("the table has seven steps of eight terminals")
}

/// Returns all shortest paths between two terminals over switches. On unidirectional networks, the terminals may be
/// equal.
fn shortest_paths(topology: &Topology, from: NodeId, to: NodeId) -> Vec<Vec<ChannelId>> {
    let mut paths: Vec<Vec<ChannelId>> = topology.out_channels(from).iter().map(|&channel| vec![channel]).collect();
    loop {
        let end = |path: &Vec<ChannelId>| topology.head(*path.last().unwrap());
        let (complete, partial): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| end(path) == to);
        if !complete.is_empty() {
            return complete;
        }
        let inner = partial.into_iter().filter(|path| !topology.is_terminal(end(path)));
        paths = inner
            .flat_map(|path| {
                let next = topology.out_channels(end(&path)).iter();
                next.map(move |&channel| [path.as_slice(), &[channel]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
}

fn omega_schedule(omega: &Topology, table: &[[u32; 7]; 8]) -> Schedule {
    let mut schedule = Schedule::new();
    for step in 0..7 {
        schedule.begin_step();
        for (source, row) in (0..).zip(table) {
            let path = &shortest_paths(omega, NodeId::new(source), NodeId::new(row[step]))[0];
            schedule.push(MessageId::new(source), path);
        }
    }
    schedule
}

#[test]
fn table_2_is_valid_on_omega_8() {
    let (omega, collective): (Topology, _) = ("omega:8".parse().unwrap(), Collective::all_gather());
    let problem = Problem::new(&omega, &collective, CommunicationModel::wormhole()).unwrap();
    let report = verify(&problem, &omega_schedule(&omega, &table("table2"))).unwrap();
    assert_eq!((report.steps, report.transfers, report.redundant), (7, 56, 0));
    // The document states that all channels are busy in all steps.
    assert_eq!(report.channel_uses, 7 * omega.channel_count());
}

#[test]
fn table_2_with_two_cells_of_a_column_swapped_is_refused() {
    let (omega, collective): (Topology, _) = ("omega:8".parse().unwrap(), Collective::all_gather());
    let problem = Problem::new(&omega, &collective, CommunicationModel::wormhole()).unwrap();
    let printed = table("table2");
    for step in 0..7 {
        for (one, other) in (0..8).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let mut table = printed;
            table[one][step] = printed[other][step];
            table[other][step] = printed[one][step];
            assert!(verify(&problem, &omega_schedule(&omega, &table)).is_err(), "step {step}, rows {one}, {other}");
        }
    }
}

/// Extends `chosen` to pairwise channel-disjoint paths for the whole step, by exhaustive search.
fn choose(paths: &[Vec<Vec<ChannelId>>], chosen: &mut Vec<Vec<ChannelId>>) -> bool {
    let Some(options) = paths.get(chosen.len()) else {
        return true;
    };
    for path in options {
        if chosen.iter().flatten().all(|channel| !path.contains(channel)) {
            chosen.push(path.clone());
            if choose(paths, chosen) {
                return true;
            }
            chosen.pop();
        }
    }
    false
}

#[test]
fn table_4_has_disjoint_shortest_paths_on_the_fat_tree_of_8_leaves() {
    let (tree, collective): (Topology, _) = ("fat-tree:2,3".parse().unwrap(), Collective::all_to_all());
    let problem = Problem::new(&tree, &collective, CommunicationModel::wormhole()).unwrap();
    let table = table("table4");
    let mut schedule = Schedule::new();
    for step in 0..7 {
        let cells = (0..).zip(&table).map(|(source, row)| (source, row[step]));
        let paths: Vec<_> =
            cells.clone().map(|(source, goal)| shortest_paths(&tree, NodeId::new(source), NodeId::new(goal))).collect();
        let mut chosen = Vec::new();
        assert!(choose(&paths, &mut chosen), "step {step} has no conflict-free shortest paths");
        schedule.begin_step();
        for ((source, goal), path) in cells.zip(&chosen) {
            schedule.push(MessageId::new(7 * source + goal - u32::from(goal > source)), path);
        }
    }
    let report = verify(&problem, &schedule).unwrap();
    assert_eq!((report.steps, report.transfers), (7, 56));
}

#[test]
fn on_omega_8_a_message_to_its_own_source_is_refused() {
    let (omega, collective): (Topology, _) = ("omega:8".parse().unwrap(), Collective::all_gather());
    let problem = Problem::new(&omega, &collective, CommunicationModel::wormhole()).unwrap();
    let mut table = table("table2");
    table[0][0] = 0;
    // Terminal 2 also sends to 0 in this step, but the path from 0 to itself is checked first.
    let violation = verify(&problem, &omega_schedule(&omega, &table)).unwrap_err();
    assert!(matches!(violation, Violation::NodeTwice { .. }), "{violation}");
}
