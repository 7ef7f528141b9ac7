//! Programs that `lockstep-export` writes: all of them run right.

use lockstep_execute::{
    ExecuteOptions, Format, RaceCheck, Runtime, TableCollective, Violation, detect, execute, load, load_table,
    load_traces,
};
use lockstep_export::{Connections, Export, ExportError, ExportOptions, Placement, format_named};
use lockstep_schedule::strategy::{Instance, random_schedule};
use lockstep_schedule::{CollectiveName, CommunicationModel};
use lockstep_topology::Topology;
use lockstep_topology::strategy::connected_topology;
use proptest::prelude::*;

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
    let options = ExportOptions {
        placement,
        connections: Connections::Routed,
        runtime: lockstep_export::Runtime::Msccl,
        bytes: 4096,
        sizes: [0, 0],
    };
    let export = Export { problem: instance.problem(), schedule: &schedule, options };
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
    #![proptest_config(ProptestConfig::with_cases(64))]

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
