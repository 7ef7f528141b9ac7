//! Interconnection networks: the [`Topology`] type, generators of the known families, and graph files.
//!
//! Not here: paths ([`lockstep-paths`]), faults, and anything about messages.
//!
//! ```
//! use lockstep_topology::Topology;
//!
//! let omega: Topology = "omega:8".parse()?;
//! assert_eq!((omega.terminal_count(), omega.channel_count()), (8, 32));
//! # Ok::<(), lockstep_topology::SpecError>(())
//! ```
//!
//! [`lockstep-paths`]: https://docs.rs/lockstep-paths

mod builder;
mod format;
mod id;
mod topology;

pub use builder::{MAX_CHANNELS, MAX_NODES, TopologyBuilder, TopologyError};
pub use format::json::{DocumentError, TopologyDocument};
pub use id::{ChannelId, NodeId, ResourceId};
pub use topology::Topology;
