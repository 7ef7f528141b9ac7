//! Graph files, one format per file.

mod attributes;
mod dispatch;
mod dot;
mod edge_list;
mod edges;
mod error;
mod graph_file;
mod graph_format;
mod graphml;
mod json;
mod json_text;
mod node_link;
mod notes;
mod parsed_graph;
mod topology_document;

pub use dispatch::{read_graph, read_graph_file, write_graph};
pub use error::{FileFault, FilePlace, ReadError, WriteError};
pub use graph_file::{GraphFile, ReadOptions};
pub use graph_format::GraphFormat;
pub use notes::ReadNote;
pub use topology_document::{DocumentError, TopologyDocument};
