//! The schedules that the document on multistage networks prints. Rows are sources, columns steps, cells destinations.

use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule, Violation, verify};
use lockstep_topology::{ChannelId, NodeId, Topology};

/// A table of the document, as `data/papers` has it.
fn table(name: &str) -> [[u32; 7]; 8] {
    let mut figures: serde_json::Value =
        serde_json::from_str(include_str!("../../../../data/papers/min.json")).expect("the figures are JSON");
    serde_json::from_value(figures[name]["rows"].take()).expect("seven steps of eight terminals")
}

/// All shortest ways from one terminal to another over switches; on unidirectional networks also from one to itself.
fn shortest_paths(topology: &Topology, from: NodeId, to: NodeId) -> Vec<Vec<ChannelId>> {
    let mut paths: Vec<Vec<ChannelId>> = topology.out_channels(from).iter().map(|&channel| vec![channel]).collect();
    loop {
        let end = |path: &Vec<ChannelId>| topology.head(*path.last().unwrap());
        let (there, on_the_way): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| end(path) == to);
        if !there.is_empty() {
            return there;
        }
        let inner = on_the_way.into_iter().filter(|path| !topology.is_terminal(end(path)));
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
    // All channels are busy in all steps, as the document says.
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

/// Paths for the rest of a step that share no channel with those chosen, by trying all.
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
fn table_4_is_realisable_on_the_fat_tree_of_8_leaves() {
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
    // Terminal 2 sends to 0 in this step too, so that the path of 0 to itself comes first.
    let violation = verify(&problem, &omega_schedule(&omega, &table)).unwrap_err();
    assert!(matches!(violation, Violation::NodeTwice { .. }), "{violation}");
}
