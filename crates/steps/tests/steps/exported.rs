//! Schedules of our own, exported and converted back.

use lockstep::{Budget, Plan, plan};
use lockstep_execute::{Format, TableCollective, load, load_table, load_traces, trace};
use lockstep_export::{Connections, Export, ExportError, ExportFile, ExportOptions, Placement, Runtime, format_named};
use lockstep_schedule::strategy::{Instance, random_schedule};
use lockstep_schedule::{CollectiveName, CommunicationModel, Problem, Schedule};
use lockstep_steps::{Conversion, ConvertError, StepSource, convert};
use lockstep_topology::Topology;
use lockstep_topology::strategy::connected_topology;
use proptest::prelude::*;

use crate::width_sum;

/// The formats with data, and those without.
const FORMATS: [Format; 7] = [
    Format::MscclXml,
    Format::MscclppJson,
    Format::MscclJson,
    Format::Csv,
    Format::Goal,
    Format::GoalBinary,
    Format::Chakra,
];

/// Returns true if the file has the order of the transfers of each pair of ranks. In a plan of MSCCL++, they are in several
/// thread blocks, which compete for the channel.
fn has_order(format: Format) -> bool {
    format != Format::MscclppJson
}

/// Loads an exported schedule and converts it back.
fn convert_back(format: Format, files: &[ExportFile], problem: Problem<'_>) -> Result<Conversion, ConvertError> {
    let contents: Vec<&[u8]> = files.iter().map(|file| &file.contents[..]).collect();
    let (topology, collective) = (problem.topology(), problem.collective());
    let root = collective.root().map_or(0, |root| topology.terminal_rank(root).unwrap() as u32);
    let name = collective.name().unwrap().word();
    let programs = match format {
        Format::Chakra => load_traces(&contents),
        Format::Csv => load_table(contents[0], TableCollective { name, root, chunks: 1 }),
        _ => load(contents[0], format, lockstep_execute::Runtime::Msccl),
    };
    let programs = programs.unwrap_or_else(|error| panic!("{format}: {error}"));
    convert(&programs[0], &trace(&programs[0]).unwrap(), Some(topology.clone()))
}

/// Exports a schedule. Returns `None` if the format does not support it.
fn export(format: Format, problem: Problem<'_>, schedule: &Schedule, placement: Placement) -> Option<Vec<ExportFile>> {
    let options = ExportOptions {
        placement,
        connections: Connections::Routed,
        runtime: Runtime::Msccl,
        bytes: 4096,
        sizes: [0, 0],
    };
    match format_named(format.name()).expect("a format").write(&Export { problem, schedule, options }) {
        Ok(files) => Some(files),
        Err(ExportError::Limit { .. } | ExportError::Collective { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

fn plan_of(topology: &Topology, name: CollectiveName) -> Plan {
    let collective = name.with_root(name.has_root().then(|| topology.terminals()[1])).unwrap();
    plan(topology, &collective, &CommunicationModel::store_and_forward(), &Budget::evaluations(200_000)).unwrap()
}

/// Plans come back with their number of steps, and with their collective.
#[test]
fn plans_come_back_with_their_steps() {
    for spec in ["hypercube:3", "dgx-1", "mesh:1x5", "ring:5"] {
        let topology: Topology = spec.parse().unwrap();
        for name in CollectiveName::ALL {
            let plan = plan_of(&topology, name);
            for format in FORMATS {
                for placement in [Placement::OutOfPlace, Placement::InPlace] {
                    let Some(files) = export(format, plan.problem(), plan.schedule(), placement) else { continue };
                    let case = format!("{format}: {name} on {spec}, {placement:?}");
                    let conversion = convert_back(format, &files, plan.problem());
                    let conversion = conversion.unwrap_or_else(|error| panic!("{case}: {error}"));
                    if has_order(format) && plan.is_optimal() && conversion.verified.is_some() {
                        assert_eq!(width_sum(&conversion), u64::from(plan.step_count()), "{case}");
                    }
                    let longest = if has_order(format) { plan.step_count() } else { 2 * plan.step_count() };
                    assert!(width_sum(&conversion) <= u64::from(longest), "{case}");
                    if let Some(verified) = conversion.verified {
                        assert_eq!(verified.collective.name(), Some(name), "{case}");
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(24))]

    /// No schedule on a random network gets longer. A schedule that sends later than it could gets shorter.
    #[test]
    fn random_schedules_do_not_get_longer(
        topology in connected_topology(9), name in prop::sample::select(&CollectiveName::ALL[..]), in_place in any::<bool>(),
        seed in 0_u64..1000,
    ) {
        prop_assume!(topology.terminal_count() > 1);
        let root = name.has_root().then(|| topology.terminals()[seed as usize % topology.terminal_count()]);
        let (collective, model) = (name.with_root(root).unwrap(), CommunicationModel::store_and_forward());
        let instance = Instance { topology: topology.clone(), collective, model };
        let schedule = random_schedule(&instance.problem(), seed);
        let placement = if in_place { Placement::InPlace } else { Placement::OutOfPlace };
        // Where pairs of ranks share channels, the file does not say in which order they use them.
        let is_exact = topology.is_direct() && topology.resource_count() == topology.channel_count();
        for format in FORMATS {
            let Some(files) = export(format, instance.problem(), &schedule, placement) else { continue };
            let conversion = convert_back(format, &files, instance.problem());
            let conversion = conversion.map_err(|error| TestCaseError::fail(format!("{format}: {error}")))?;
            if is_exact && format == Format::MscclJson {
                prop_assert_eq!(conversion.source, StepSource::File);
                let used = schedule.steps().filter(|(_, step)| !step.is_empty());
                prop_assert_eq!(width_sum(&conversion), used.map(|(_, step)| u64::from(step.width().get())).sum::<u64>());
            } else if is_exact && has_order(format) {
                prop_assert!(width_sum(&conversion) <= schedule.width_sum(), "{format}: {:?}", conversion.widths);
            }
        }
    }
}
