//! Invalid input and its error messages.

use lockstep_flow::{
    Clock, Endpoints, Event, MAX_AMOUNT, Programs, RateModel, Routing, SimulationOptions, TaskId, Workload,
    WorkloadOptions, simulate,
};
use lockstep_topology::{ChannelId, Topology, TopologyBuilder};
use proptest::prelude::*;

use super::{MAX_MIN, receive, send};

fn refusal(network: &Topology, tasks: Vec<Vec<Event>>, options: &SimulationOptions) -> String {
    simulate(network, &Programs { tasks }, options).unwrap_err().to_string()
}

#[test]
fn invalid_programs_have_specific_errors() {
    let check = |tasks: &[&[Event]]| {
        let tasks = tasks.iter().map(|events| events.to_vec()).collect();
        Programs { tasks }.check().unwrap_err().to_string()
    };
    assert_eq!(check(&[]), "the programs have no task; give at least one");
    assert_eq!(check(&[&[send(2, 1)], &[]]), "task 0, event 0: to is 2, but the tasks are 0 to 1");
    assert_eq!(check(&[&[], &[receive(7)]]), "task 1, event 0: from is 7, but the tasks are 0 to 1");
    assert_eq!(check(&[&[send(0, 0)]]), "task 0, event 0: size is 0; give 1 to 9007199254740992");
    let long = Event::Compute { time: MAX_AMOUNT + 1 };
    assert_eq!(check(&[&[long]]), "task 0, event 0: time is 9007199254740993; give 0 to 9007199254740992");
    let barriers = "task 1 has 0 barriers, but task 0 has 1; give all tasks the same number";
    assert_eq!(check(&[&[Event::Barrier], &[]]), barriers);
    let unmatched = "task 0 sends 2 flows with tag 0 to task 1, which receives 1; give each send one receive";
    assert_eq!(check(&[&[send(1, 1), send(1, 1)], &[receive(0)]]), unmatched);
    let unsent = "task 1 sends 0 flows with tag 0 to task 0, which receives 1; give each send one receive";
    assert_eq!(check(&[&[receive(1)], &[]]), unsent);
    let other_tag = Event::Receive { from: TaskId::new(0), tag: 3 };
    let untagged = "task 0 sends 1 flows with tag 0 to task 1, which receives 0; give each send one receive";
    assert_eq!(check(&[&[send(1, 1)], &[other_tag]]), untagged);
}

#[test]
fn programs_that_do_not_fit_the_network_have_specific_errors() {
    let pair: Topology = "complete:2".parse().unwrap();
    assert_eq!(
        refusal(&pair, vec![vec![]; 3], &MAX_MIN),
        "3 tasks do not fit on 2 terminals, 1 per terminal; allow more tasks per terminal or choose a larger network"
    );
    for capacity in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
        let error = refusal(&pair, vec![vec![]], &SimulationOptions { capacity, ..MAX_MIN });
        let says = format!("capacity: {capacity} units per time unit; give a number from 1e-6 to 1e15");
        assert_eq!(error, says);
    }
    for startup in [-1.0, f64::NAN, f64::INFINITY, 1e16] {
        let error = refusal(&pair, vec![vec![]], &SimulationOptions { startup, ..MAX_MIN });
        assert_eq!(error, format!("startup: {startup} time units; give a number from 0 to 1e15"));
    }
    let along = |path: &[u32]| {
        let path = path.iter().copied().map(ChannelId::new).collect();
        vec![vec![Event::Send { to: TaskId::new(1), size: 1, tag: 0, path }], vec![receive(0)]]
    };
    assert_eq!(
        refusal(&pair, along(&[5]), &MAX_MIN),
        "task 0, event 0: channel 5 does not exist or has failed; correct the path, or leave it out"
    );
    assert_eq!(
        refusal(&pair, along(&[1]), &MAX_MIN),
        "task 0, event 0: the path leads from node 1 to node 0, but the tasks are at nodes 0 and 1; correct the path, or leave it out"
    );
    assert_eq!(
        refusal(&pair, along(&[0, 1, 0]), &MAX_MIN),
        "task 0, event 0: the path visits node 0 twice; correct the path, or leave it out"
    );
    let mut apart = TopologyBuilder::new("apart");
    let (here, there) = (apart.terminal("here"), apart.terminal("there"));
    apart.channel(there, here);
    let apart = apart.build().unwrap();
    let error = refusal(&apart, vec![vec![send(1, 1)], vec![receive(0)]], &MAX_MIN);
    assert_eq!(error, "there is no path from 'here' to 'there'; connect them");
}

#[test]
fn too_many_paths_are_refused_before_allocation() {
    let line: Topology = "mesh:20000".parse().unwrap();
    let mut tasks = vec![Vec::new(); 20_000];
    tasks[0].resize(14_000, send(19_999, 1));
    tasks[19_999].resize(14_000, receive(0));
    let options = SimulationOptions { routing: Routing::EcmpRandom, ..MAX_MIN };
    let text = refusal(&line, tasks, &options);
    let says =
        "the paths of all flows have 280028001 channels, more than 268435456; use fewer flows or another routing";
    assert_eq!(text, says);
}

#[test]
fn names_are_read_in_any_case_and_errors_list_them() {
    for routing in Routing::ALL {
        assert_eq!(routing.to_string().to_ascii_uppercase().parse(), Ok(*routing));
        assert_eq!(serde_json::to_string(routing).unwrap(), format!("\"{routing}\""));
    }
    for endpoints in Endpoints::ALL {
        assert_eq!(serde_json::to_string(endpoints).unwrap(), format!("\"{endpoints}\""));
    }
    let error = "xy".parse::<Routing>().unwrap_err().to_string();
    let says = "unknown routing 'xy'; choose sp-tree, sp-random, ecmp-round-robin, ecmp-random or ecmp-split";
    assert_eq!(error, says);
    let error = "a\nb".parse::<RateModel>().unwrap_err().to_string();
    assert_eq!(error, "unknown rate model 'a\\nb'; choose equal-share or max-min");
    assert_eq!("".parse::<Clock>().unwrap_err().to_string(), "unknown clock ''; choose real or integer");
    for word in ["chained", "phased:1", "phased:7", "uniform", "all-to-all"] {
        assert_eq!(word.parse::<Workload>().unwrap().to_string(), word);
        assert_eq!(word.to_uppercase().replace('-', "_").parse::<Workload>().unwrap().to_string(), word);
    }
    assert_eq!("a2a".parse(), Ok(Workload::AllToAll));
    let error = "ag".parse::<Workload>().unwrap_err().to_string();
    assert_eq!(error, "unknown workload 'ag'; for a collective such as all-gather, simulate the schedule of a plan");
    for word in ["", "uniform:1", "phased:", "phased:0", "phased:-1", "phased:99999999999", "noise"] {
        let says = format!("unknown workload '{word}'; choose chained, phased, phased:PHASES, uniform or all-to-all");
        assert_eq!(word.parse::<Workload>().unwrap_err().to_string(), says);
    }
    let error = "all-to-al".parse::<Workload>().unwrap_err().to_string();
    assert_eq!(error, "unknown workload 'all-to-al'; did you mean 'all-to-all'?");
}

#[test]
fn invalid_workloads_have_specific_errors() {
    let ask = |workload: &str, tasks, flows_per_task, size| {
        let options = WorkloadOptions { tasks, flows_per_task, size, seed: 1 };
        workload.parse::<Workload>().unwrap().programs(&options).unwrap_err().to_string()
    };
    assert_eq!(ask("uniform", 1, 1, 1), "tasks: 1 cannot send to each other; give at least 2");
    assert_eq!(ask("uniform", 2, 1, 0), "size: a flow of 0 units; give 1 to 9007199254740992");
    let too_many = |flows: &str| {
        format!("the workload has {flows} flows, more than 16777216; choose fewer tasks, phases or flows per task")
    };
    assert_eq!(ask("all-to-all", u32::MAX, 1, 1), too_many("18446744060824649730"));
    assert_eq!(ask("phased:4000000000", u32::MAX, u32::MAX, 1), too_many("18446744073709551615"));
    assert_eq!(ask("chained", u32::MAX, 0, 1), too_many("4294967295"));
}

#[test]
fn invalid_files_are_refused_with_the_field() {
    let refusal = |text: &str| Programs::from_json(text).unwrap_err().to_string();
    let with = |tasks: &str| format!("{{\"format\": \"lockstep-programs\", \"version\": 1, \"tasks\": {tasks}}}");
    assert!(refusal("[").starts_with("the text is no JSON: "));
    assert_eq!(
        refusal(&with("[]").replace("-programs", "-plan")),
        "field 'format' is 'lockstep-plan', expected 'lockstep-programs'; give a programs file"
    );
    assert_eq!(
        refusal(&with("[]").replace('1', "2")),
        "field 'version' is 2, but only version 1 is known; use a newer lockstep"
    );
    assert_eq!(refusal(&with("[]")), "field 'tasks': the programs have no task; give at least one");
    let field = refusal(&with("[[], [{\"send\": {\"to\": 0, \"size\": \"long\"}}]]"));
    assert!(field.starts_with("field 'tasks[1][0].send.size': invalid type: string \"long\", expected u64"), "{field}");
    let unknown = refusal(&with("[[{\"receive\": {\"from\": 0, \"tags\": 1}}]]"));
    assert!(unknown.starts_with("field 'tasks[0][0].receive.tags': unknown field `tags`"), "{unknown}");
    assert_eq!(
        refusal(&with("[[{\"send\": {\"to\": 0, \"size\": 1}}]]")),
        "field 'tasks': task 0 sends 1 flows with tag 0 to task 0, which receives 0; give each send one receive"
    );
}

fn event() -> impl Strategy<Value = Event> {
    let path = prop::collection::vec((0..9u32).prop_map(ChannelId::new), 0..3);
    let send = (0..4u32, 0..3u64, 0..2u32, path);
    prop_oneof![
        send.prop_map(|(to, size, tag, path)| Event::Send { to: TaskId::new(to), size, tag, path: path.into() }),
        (0..4u32, 0..2u32).prop_map(|(from, tag)| Event::Receive { from: TaskId::new(from), tag }),
        (0..3u64).prop_map(|time| Event::Compute { time }),
    ]
}

proptest! {
    #[test]
    fn programs_survive_their_file(workload in 0..4usize, tasks in 2..9u32, seed in any::<u64>()) {
        let workload: Workload = ["chained", "phased:2", "uniform", "all-to-all"][workload].parse().unwrap();
        let options = WorkloadOptions { tasks, flows_per_task: 3, size: 77, seed };
        let programs = workload.programs(&options).unwrap();
        prop_assert_eq!(Programs::from_json(&programs.to_json()), Ok(programs));
    }

    #[test]
    fn any_programs_run_or_are_refused(
        tasks in prop::collection::vec(prop::collection::vec(event(), 0..4), 0..5),
        network in prop::sample::select(vec!["ring:3", "star:3", "omega:4"]),
    ) {
        let programs = Programs { tasks };
        let checked = programs.check();
        let simulated = simulate(&network.parse().unwrap(), &programs, &MAX_MIN);
        prop_assert!(checked.is_ok() || simulated.is_err());
        if checked.is_ok() {
            prop_assert_eq!(Programs::from_json(&programs.to_json()), Ok(programs));
        }
    }
}
