//! Programs on some terminals of a network.

use lockstep::{Budget, plan};
use lockstep_execute::{Format, Runtime, load, trace};
use lockstep_export::{Connections, Export, ExportOptions, Placement, format_named};
use lockstep_schedule::{CollectiveName, CommunicationModel};
use lockstep_steps::{Conversion, ConvertError, RankNetwork, convert_within};
use lockstep_topology::{NodeId, Topology};

use crate::width_sum;

/// Plans a collective of four terminals, and converts its program on these nodes of a complete network of six.
fn on_nodes(name: CollectiveName, chunks: u32, nodes: &[u32]) -> Result<(u64, Conversion), ConvertError> {
    let [four, six] = ["complete:4", "complete:6"].map(|spec| spec.parse::<Topology>().unwrap());
    let collective = name.with_root(name.has_root().then(|| NodeId::new(1))).unwrap();
    let collective = collective.with_chunks(chunks.try_into().unwrap());
    let plan =
        plan(&four, &collective, &CommunicationModel::store_and_forward(), &Budget::evaluations(50_000)).unwrap();
    let options = ExportOptions {
        placement: Placement::OutOfPlace,
        connections: Connections::Direct,
        runtime: lockstep_export::Runtime::Msccl,
        bytes: 4096,
        sizes: [0, 0],
    };
    let export = Export { problem: plan.problem(), schedule: plan.schedule(), options };
    let format = Format::MscclXml;
    let files = format_named(format.name()).unwrap().write(&export).unwrap();
    let program = &load(&files[0].contents, format, Runtime::Msccl).unwrap()[0];
    let network = RankNetwork::new(six, nodes.iter().copied().map(NodeId::new).collect())?;
    let conversion = convert_within(program, &trace(program).unwrap(), Some(network), &Budget::unlimited())?;
    Ok((u64::from(plan.step_count()), conversion))
}

/// The verifier accepts the schedule of the group, so every message reaches the right terminals in any order of the ranks.
#[test]
fn programs_run_on_some_terminals_in_any_order() {
    for name in CollectiveName::ALL {
        for chunks in [1, 3] {
            for nodes in [[0, 1, 2, 3], [2, 3, 4, 5], [5, 0, 3, 1]] {
                let case = format!("{name} in {chunks} chunks on {nodes:?}");
                let (steps, conversion) =
                    on_nodes(name, chunks, &nodes).unwrap_or_else(|error| panic!("{case}: {error}"));
                let verified = conversion.verified.as_ref().unwrap();
                assert_eq!((verified.name, width_sum(&conversion)), (Some(name), steps), "{case}");
                assert_eq!(conversion.terminals, nodes.map(NodeId::new), "{case}");
                let roots = name.has_root().then(|| NodeId::new(nodes[1]));
                let roots: Vec<NodeId> = roots.into_iter().collect();
                let group = name.in_groups(&conversion.topology, &[nodes.map(NodeId::new).to_vec()], &roots).unwrap();
                assert_eq!(verified.collective, group.with_chunks(chunks.try_into().unwrap()), "{case}");
            }
        }
    }
}

#[test]
fn terminals_that_do_not_fit_are_refused() {
    let error = |nodes: &[u32]| on_nodes(CollectiveName::AllGather, 1, nodes).unwrap_err().to_string();
    assert_eq!(
        error(&[0, 1, 2]),
        "the program has 4 ranks, but there are 3 terminals; give the 4 terminals of the ranks"
    );
    assert_eq!(error(&[0, 1, 2, 2]), "'2' is given twice; give one working terminal per rank");
    assert_eq!(error(&[0, 1, 2, 6]), "'6' is no working terminal; give one working terminal per rank");
}
