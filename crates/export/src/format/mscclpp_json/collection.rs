//! Several plans for MSCCL++ with a selector by size: a Python module for its `AlgorithmCollection`.
//!
//! # Source
//!
//! MSCCL++ 0.9, `python/mscclpp/_core/algorithm.py`, `python/csrc/algorithm.cpp` and `src/core/algorithm.cc`.

use lockstep_files::to_json_line;
use lockstep_topology::Topology;

use crate::error::ExportError;
use crate::export::{Export, ExportFile};
use crate::program::Placement;

/// The functions of the module.
const FUNCTIONS: &str = include_str!("collection.py");

/// A plan of a collection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectionPlan {
    /// The name of its file beside the module.
    file: String,
    /// The name in the collection.
    name: String,
    collective: &'static str,
    placement: Placement,
    ranks: usize,
    /// 0 if hosts have different numbers of ranks.
    ranks_per_host: usize,
    sizes: [u64; 2],
}

impl CollectionPlan {
    /// Returns the plan of an export that is in this file.
    ///
    /// # Errors
    ///
    /// If MSCCL++ has no word for the collective.
    pub fn new(export: &Export<'_>, file: String) -> Result<Self, ExportError> {
        let topology = export.problem.topology();
        Ok(Self {
            file,
            name: name(export),
            collective: export.msccl_word("MSCCL++")?,
            placement: export.options.placement,
            ranks: topology.terminal_count(),
            ranks_per_host: ranks_per_host(topology),
            sizes: sizes(export),
        })
    }
}

/// Returns the name of a plan. MSCCL++ keeps one plan of a name, so plans of other sizes have other names.
pub(super) fn name(export: &Export<'_>) -> String {
    match export.options.sizes {
        [0, 0] => export.title(),
        [least, 0] => format!("{} from {least} bytes", export.title()),
        [least, most] => format!("{} from {least} to {most} bytes", export.title()),
    }
}

/// Returns the smallest and the largest size of a plan.
pub(super) fn sizes(export: &Export<'_>) -> [u64; 2] {
    let [least, most] = export.options.sizes;
    [least, if most == 0 { u64::MAX } else { most }]
}

/// Returns the number of terminals of each host, or 0 if they differ.
fn ranks_per_host(topology: &Topology) -> usize {
    let mut hosts: Vec<&str> =
        topology.terminals().iter().map(|&node| topology.host(node).unwrap_or_default()).collect();
    hosts.sort_unstable();
    let mut counts = hosts.chunk_by(|one, other| one == other).map(<[&str]>::len);
    let first = counts.next().unwrap_or(0);
    if counts.all(|count| count == first) { first } else { 0 }
}

/// Returns the Python module that registers plans and their selector. They are for the same collective and ranks.
pub(super) fn module(plans: &[CollectionPlan]) -> Option<ExportFile> {
    let first = plans.first()?;
    let text = |text: &str| to_json_line(&text).trim_end().to_owned();
    let row = |CollectionPlan { file, name, sizes: [least, most], .. }: &CollectionPlan| {
        format!("    ({}, {}, {least}, {most}),\n", text(file), text(name))
    };
    let rows = plans.iter().map(row).collect::<Vec<_>>().concat();
    let placement = match first.placement {
        Placement::InPlace => "in place",
        Placement::OutOfPlace => "out of place",
    };
    let head = format!(
        "\"\"\"Plans of Lockstep for MSCCL++ 0.9: {} of {} ranks, {placement}, with a selector by size.\n\n\
         In a program that loads libmscclpp_nccl.so:\n\n    import collection\n    collection.register(rank)\n\n\
         before the process group begins. For single calls: collection.algorithms(rank)[0].execute(...).\n\"\"\"\n\n\
         import os\n\nimport mscclpp\nimport mscclpp.ext\n\n\
         COLLECTIVE = {}\nWORLD_SIZE = {}\n# 0: any number.\nRANKS_PER_NODE = {}\n\
         # File, name, and the sizes in bytes for which the plan is best.\nPLANS = [\n{rows}]\n",
        first.collective,
        first.ranks,
        text(first.collective),
        first.ranks,
        first.ranks_per_host,
    );
    let contents = (head + FUNCTIONS).into_bytes();
    Some(ExportFile { name: "collection.py".to_owned(), contents })
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use lockstep_schedule::{Collective, CommunicationModel, Problem, Schedule};

    use super::*;
    use crate::export::{ExportOptions, Runtime};
    use crate::lower::Connections;

    fn plan(spec: &str, sizes: [u64; 2], file: &str) -> CollectionPlan {
        let topology: Topology = spec.parse().unwrap();
        let collective = Collective::all_gather().with_chunks(NonZeroU32::MIN);
        let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
        let (placement, connections) = (Placement::OutOfPlace, Connections::Direct);
        let options = ExportOptions { placement, connections, runtime: Runtime::Rccl, bytes: 0, sizes };
        CollectionPlan::new(&Export { problem, schedule: &Schedule::new(), options }, file.to_owned()).unwrap()
    }

    /// MSCCL++ keeps one plan of a name.
    #[test]
    fn plans_have_the_ranks_of_a_host_and_different_names() {
        let plans = [[0, 1023], [1024, 4096], [4097, 0]].map(|sizes| plan("dgx-a100:2", sizes, "a\"b.json"));
        assert!(plans.iter().all(|plan| (plan.ranks, plan.ranks_per_host) == (16, 8)));
        let names: Vec<&str> = plans.iter().map(|plan| plan.name.as_str()).collect();
        let title = "all-gather on dgx-a100:2";
        let ends = [" from 0 to 1023 bytes", " from 1024 to 4096 bytes", " from 4097 bytes"];
        assert_eq!(names, ends.map(|end| format!("{title}{end}")));
        let text = String::from_utf8(module(&plans).unwrap().contents).unwrap();
        assert!(
            text.contains("(\"a\\\"b.json\", \"all-gather on dgx-a100:2 from 1024 to 4096 bytes\", 1024, 4096),"),
            "{text}"
        );
        assert!(text.contains("\nWORLD_SIZE = 16\n") && text.contains("4097, 18446744073709551615)"), "{text}");
        assert_eq!(module(&[]), None);
    }

    #[test]
    fn terminals_without_hosts_are_on_one() {
        assert_eq!(plan("ring:5", [0, 0], "x").ranks_per_host, 5);
    }
}
