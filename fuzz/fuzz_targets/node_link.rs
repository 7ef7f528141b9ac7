//! `lockstep_topology::read_graph`, format `NodeLink`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep_topology::GraphFormat;

fuzz_target!(|text: &str| lockstep_fuzz::graph(text, GraphFormat::NodeLink));
