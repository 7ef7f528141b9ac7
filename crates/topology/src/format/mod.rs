//! Graph files, one format per file.

mod astra_sim;
mod attributes;
mod booksim;
mod csv;
mod device_tree;
mod dispatch;
mod dot;
mod edge_list;
mod edges;
mod error;
mod gml;
mod graph_file;
mod graph_format;
mod graph_golf;
mod graphml;
mod host_list;
mod ib_net_discover;
mod json;
mod json_text;
mod nccl_topo;
mod node_link;
mod notes;
mod nvidia_smi;
mod nx_edges;
mod parsed_graph;
mod rocm_smi;
mod simgrid;
mod slurm;
mod topology_document;
mod xml;

pub use dispatch::{read_graph, read_graph_file, write_graph};
pub use error::{FileFault, FilePlace, ReadError, WriteError};
pub use graph_file::{GraphFile, ReadOptions};
pub use graph_format::GraphFormat;
pub use notes::ReadNote;
pub use topology_document::{DocumentError, TopologyDocument};
