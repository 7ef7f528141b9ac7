//! Paths in interconnection networks: all shortest paths as distances, counts, samples and compact tables, disjoint
//! paths, and maximum flow.
//!
//! The crate does not know messages and time, and does not decide which path a transfer takes.
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
//! let table = PathTable::shortest(&paths, 8, 1)?; // at most 8 paths per pair, sampled with seed 1
//! assert!(!table.is_complete(*corner, *opposite));
//! for path in table.between(*corner, *opposite).map(PathId::new) {
//!     println!("{path}: {:?}", table.channels(path));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A *path* is a list of channels in the order in which they are crossed. Parallel channels make different paths.
//! - A path is *legal* if it visits no node twice, its inner nodes route (see
//!   [`Topology::routes`](lockstep_topology::Topology::routes)) and it uses no resource twice. The last rule only matters in
//!   networks with [buses](lockstep_topology::Topology::has_buses). There, a [`PathTable`] has the shortest legal paths, and
//!   the other items do not consider resources.
//! - Results do not depend on the number of threads. Random samples depend only on their seed.
//!
//! # Entry points
//!
//! | task | item |
//! |---|---|
//! | distances, counts and samples of shortest paths | [`ShortestPaths`] |
//! | store candidate paths of all pairs compactly | [`PathTable`], [`PathSelection`] |
//! | cache a table in a file | [`PathTable::load_or_build`] |
//! | find channel-disjoint paths | [`disjoint_paths`] |
//! | compute maximum flows and minimum cuts | [`FlowNetwork`] |

mod cache;
mod disjoint_paths;
mod flow_network;
mod legal_paths;
mod path_table;
mod samples;
mod shortest_paths;

pub use cache::CacheError;
pub use disjoint_paths::disjoint_paths;
pub use flow_network::{ArcId, FlowNetwork};
pub use path_table::{PathId, PathSelection, PathTable, TableError};
pub use shortest_paths::{AllPairsError, MAX_BYTES, ShortestPaths};
