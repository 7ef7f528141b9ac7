//! The legal paths of a network: all shortest ones of every pair of terminals as distances, counts, samples and a
//! compact table, and channel-disjoint sets of paths.
//!
//! A path is a list of channels in the order they are crossed. It is legal if its inner nodes route
//! ([`Topology::routes`](lockstep_topology::Topology::routes)) and it meets no node twice; parallel channels make
//! different paths. Not here: anything about messages, time, or which of the paths a transfer should take.
//!
//! ```
//! use lockstep_paths::{PathId, PathTable, ShortestPaths};
//! use lockstep_topology::Topology;
//!
//! let mesh: Topology = "mesh:4x4".parse()?;
//! let [corner, .., opposite] = mesh.terminals() else { panic!("sixteen terminals") };
//!
//! let paths = ShortestPaths::all_pairs(&mesh)?;
//! assert_eq!(paths.distance(*corner, *opposite), Some(6));
//! assert_eq!(paths.count(*corner, *opposite), 20);
//!
//! let table = PathTable::shortest(&paths, 8, 1)?; // at most 8 paths a pair, drawn with seed 1
//! assert!(!table.is_complete(*corner, *opposite));
//! for path in table.between(*corner, *opposite).map(PathId::new) {
//!     println!("{path}: {:?}", table.channels(path));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cache;
mod disjoint_paths;
mod flow_network;
mod path_table;
mod shortest_paths;

pub use disjoint_paths::disjoint_paths;
pub use flow_network::{ArcId, FlowNetwork};
pub use path_table::{PathId, PathSelection, PathTable, TableError};
pub use shortest_paths::{AllPairsError, MAX_BYTES, ShortestPaths};
