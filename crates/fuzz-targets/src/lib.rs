//! The functions of the fuzz targets: one per reader of files or spec strings.
//!
//! A reader must return a value or an error for any input, and a value that was read must survive writing and reading
//! again. Each function checks this for one input and panics otherwise. `fuzz/fuzz_targets` calls the functions with
//! random inputs, and the test of this package with the inputs of `fuzz/corpus`.
//!
//! ```
//! let dot = lockstep_fuzz_targets::TARGETS.iter().find(|target| target.name == "dot").unwrap();
//! assert!((dot.run)(b"graph { a -- b }"));
//! assert!(!(dot.run)(b"graph {"));
//! ```

#![allow(clippy::missing_panics_doc, reason = "a panic is how a target reports a defect")]

mod book;
mod checkpoint;
mod error_check;
mod execute;
mod front;
mod graph;
mod messages;
mod path_cache;
mod plan;
mod programs;
mod schedule;

pub use book::book;
pub use checkpoint::{checkpoint, design_checkpoint, plan_checkpoint};
pub use execute::{goal, goal_binary, htsim, msccl_xml};
pub use front::front_json;
pub use graph::{dot, edge_list, graphml, node_link, spec, topology_json};
pub use messages::messages_jsonl;
pub use path_cache::path_cache;
pub use plan::{lower_bound, plan_binary, plan_json};
pub use programs::programs_json;
pub use schedule::{schedule_binary, schedule_json, symmetric_binary, symmetric_json};

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name of the target: its file in `fuzz/fuzz_targets`, and the folder of its corpus.
    pub name: &'static str,
    /// Checks one input. Returns true if the reader accepted it.
    pub run: fn(&[u8]) -> bool,
}

/// All targets, by name.
pub const TARGETS: [Target; 25] = [
    Target { name: "book", run: book },
    Target { name: "checkpoint", run: checkpoint },
    Target { name: "design_checkpoint", run: design_checkpoint },
    Target { name: "dot", run: dot },
    Target { name: "edge_list", run: edge_list },
    Target { name: "front_json", run: front_json },
    Target { name: "goal", run: goal },
    Target { name: "goal_binary", run: goal_binary },
    Target { name: "graphml", run: graphml },
    Target { name: "htsim", run: htsim },
    Target { name: "lower_bound", run: lower_bound },
    Target { name: "messages_jsonl", run: messages_jsonl },
    Target { name: "msccl_xml", run: msccl_xml },
    Target { name: "node_link", run: node_link },
    Target { name: "path_cache", run: path_cache },
    Target { name: "plan_binary", run: plan_binary },
    Target { name: "plan_checkpoint", run: plan_checkpoint },
    Target { name: "plan_json", run: plan_json },
    Target { name: "programs_json", run: programs_json },
    Target { name: "schedule_binary", run: schedule_binary },
    Target { name: "schedule_json", run: schedule_json },
    Target { name: "spec", run: spec },
    Target { name: "symmetric_binary", run: symmetric_binary },
    Target { name: "symmetric_json", run: symmetric_json },
    Target { name: "topology_json", run: topology_json },
];
