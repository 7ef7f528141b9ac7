//! Programs that `lockstep-export` writes: all of them run right.

use lockstep_execute::{
    ExecuteOptions, Format, RaceCheck, Runtime, TableCollective, Violation, detect, execute, load, load_table,
    load_traces,
};
use lockstep_export::{Connections, Export, ExportError, ExportOptions, Placement, format_named};
use lockstep_schedule::strategy::{Instance, random_schedule};
use lockstep_schedule::{Collective, CollectiveName, CommunicationModel, Schedule};
use lockstep_topology::Topology;
use lockstep_topology::strategy::connected_topology;
use proptest::prelude::*;

fn options(placement: Placement, runtime: lockstep_export::Runtime) -> ExportOptions {
    ExportOptions { placement, connections: Connections::Routed, runtime, bytes: 4096, sizes: [0, 0] }
}

/// Exports a random schedule in a format and executes it. Returns `None` if the format does not support the schedule.
fn export_and_run(
    format: &str,
    topology: &Topology,
    name: CollectiveName,
    placement: Placement,
    seed: u64,
) -> Option<Result<RaceCheck, Violation>> {
    let root = name.has_root().then(|| topology.terminals()[seed as usize % topology.terminal_count()]);
    let collective = name.with_root(root).expect("a root where it is needed");
    let instance = Instance { topology: topology.clone(), collective, model: CommunicationModel::store_and_forward() };
    let schedule = random_schedule(&instance.problem(), seed);
    let export = Export {
        problem: instance.problem(),
        schedule: &schedule,
        options: options(placement, lockstep_export::Runtime::Msccl),
    };
    let files = match format_named(format).expect("a format").write(&export) {
        Ok(files) => files,
        Err(ExportError::Limit { .. } | ExportError::Collective { .. }) => return None,
        Err(error) => panic!("{error}"),
    };
    let found = detect(&files[0].contents).expect("a known format");
    assert_eq!(found.name(), format);
    let contents: Vec<&[u8]> = files.iter().map(|file| &file.contents[..]).collect();
    let root = seed as u32 % topology.terminal_count() as u32;
    let programs = match found {
        Format::Chakra => load_traces(&contents),
        Format::Csv => load_table(contents[0], TableCollective { name: name.word(), root, chunks: 1 }),
        _ => load(contents[0], found, Runtime::Msccl),
    };
    let programs = programs.unwrap_or_else(|error| panic!("{format}: {name}: {error}"));
    let results = programs.iter().map(|program| execute(program, ExecuteOptions { orders: 6, seed }));
    results.map(|result| result.map(|execution| execution.races)).reduce(Result::and)
}

const FORMATS: [&str; 7] = ["msccl-xml", "mscclpp-json", "msccl-json", "csv", "goal", "goal-binary", "chakra"];

#[test]
fn every_collective_of_every_format_runs() {
    for spec in ["hypercube:3", "dgx-1", "torus:3x4", "mesh:1x5"] {
        let topology: Topology = spec.parse().unwrap();
        for name in CollectiveName::ALL {
            for placement in [Placement::OutOfPlace, Placement::InPlace] {
                for format in FORMATS {
                    let result = export_and_run(format, &topology, name, placement, 1);
                    let has_data = ["msccl-xml", "mscclpp-json", "msccl-json", "csv"].contains(&format);
                    let races = if has_data { RaceCheck::NoRace } else { RaceCheck::NoMemory };
                    assert_eq!(result, Some(Ok(races)), "{format}: {name} on {spec}, {placement:?}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(32))]

    /// Every schedule on a random network runs right in every format.
    #[test]
    fn exported_programs_run_right(
        topology in connected_topology(9), name in prop::sample::select(&CollectiveName::ALL[..]), in_place in any::<bool>(),
        seed in 0_u64..1000,
    ) {
        prop_assume!(topology.terminal_count() > 1);
        let placement = if in_place { Placement::InPlace } else { Placement::OutOfPlace };
        for format in FORMATS {
            if let Some(result) = export_and_run(format, &topology, name, placement, seed) {
                prop_assert!(result.is_ok(), "{format}: {result:?}");
            }
        }
    }
}

#[test]
fn a_gpu_of_mscclpp_with_many_peers_has_several_thread_blocks() {
    for (spec, name) in [("complete:24", CollectiveName::Reduce), ("torus:6x6", CollectiveName::AllReduce)] {
        let topology: Topology = spec.parse().unwrap();
        for placement in [Placement::OutOfPlace, Placement::InPlace] {
            let result = export_and_run("mscclpp-json", &topology, name, placement, 0);
            assert_eq!(result, Some(Ok(RaceCheck::NoRace)), "{name} on {spec}, {placement:?}");
        }
    }
}

/// Executes the MSCCL XML of a schedule for RCCL, whose GPUs have 64 thread blocks.
fn run_for_rccl(
    instance: &Instance,
    schedule: &Schedule,
    placement: Placement,
) -> Result<Result<RaceCheck, Violation>, ExportError> {
    let options = options(placement, lockstep_export::Runtime::Rccl);
    let export = Export { problem: instance.problem(), schedule, options };
    let files = format_named("msccl-xml").expect("a format").write(&export)?;
    let programs = load(&files[0].contents, Format::MscclXml, Runtime::Rccl).unwrap_or_else(|error| panic!("{error}"));
    Ok(execute(&programs[0], ExecuteOptions { orders: 6, seed: 1 }).map(|execution| execution.races))
}

#[test]
fn gpus_with_many_peers_send_and_receive_in_one_thread_block() {
    let topology: Topology = "complete:40".parse().unwrap();
    for name in CollectiveName::ALL {
        for placement in [Placement::OutOfPlace, Placement::InPlace] {
            let root = name.has_root().then(|| topology.terminals()[1]);
            let collective = name.with_root(root).expect("a root where it is needed");
            let model = CommunicationModel::store_and_forward();
            let instance = Instance { topology: topology.clone(), collective, model };
            let schedule = random_schedule(&instance.problem(), 1);
            let result = run_for_rccl(&instance, &schedule, placement);
            assert_eq!(result, Ok(Ok(RaceCheck::NoRace)), "{name}, {placement:?}");
        }
    }
}

/// Returns the all-to-all in which every rank sends to all others at once.
fn direct_all_to_all(ranks: u32) -> (Instance, Schedule) {
    let topology: Topology = format!("complete:{ranks}").parse().unwrap();
    let model = CommunicationModel::store_and_forward();
    let instance = Instance { topology, collective: Collective::all_to_all(), model };
    let mut schedule = Schedule::new();
    schedule.begin_step();
    let problem = instance.problem();
    for message in problem.messages().ids() {
        let source = problem.messages().source(message);
        let receiver = problem.messages().receivers_iter(message).next().expect("a receiver");
        let out = instance.topology.out_channels(source);
        let channel = out.iter().find(|&&channel| instance.topology.head(channel) == receiver).expect("a channel");
        schedule.push(message, &[*channel]);
    }
    (instance, schedule)
}

#[test]
fn direct_all_to_alls_of_64_gpus_run_in_rccl() {
    for ranks in [33, 64] {
        let (instance, schedule) = direct_all_to_all(ranks);
        let result = run_for_rccl(&instance, &schedule, Placement::OutOfPlace);
        assert_eq!(result, Ok(Ok(RaceCheck::NoRace)), "{ranks} ranks");
    }
}

/// Every export that the refusal of another one names writes the schedule.
#[test]
fn refusals_name_exports_that_work() {
    let (instance, schedule) = direct_all_to_all(65);
    let error = run_for_rccl(&instance, &schedule, Placement::OutOfPlace).unwrap_err();
    let expected = "rank 0 needs 65 thread blocks, but RCCL has at most 64; use fewer chunks, fewer ranks, or a plan in which \
                    each rank has fewer peers; or export with --to msccl-xml --for msccl or --to mscclpp-json";
    assert_eq!(error.to_string(), expected);
    for (format, runtime) in
        [("msccl-xml", lockstep_export::Runtime::Msccl), ("mscclpp-json", lockstep_export::Runtime::Rccl)]
    {
        let options = options(Placement::OutOfPlace, runtime);
        let export = Export { problem: instance.problem(), schedule: &schedule, options };
        let files = format_named(format).expect("a format").write(&export).unwrap();
        let found = detect(&files[0].contents).expect("a known format");
        let programs = load(&files[0].contents, found, Runtime::Msccl).unwrap_or_else(|error| panic!("{error}"));
        let execution = execute(&programs[0], ExecuteOptions { orders: 2, seed: 1 }).unwrap();
        assert_eq!(execution.outputs, 65 * 65, "{format}");
    }
}
