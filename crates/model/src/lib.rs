//! The tables that searches for schedules share: the slots of a network, routes, and the timetable of their uses.
//!
//! The crate chooses neither paths nor steps, and does not know messages.
//!
//! ```
//! use lockstep_model::{Routes, Slots, Timetable};
//! use lockstep_schedule::Ports;
//! use lockstep_topology::Topology;
//!
//! let ring: Topology = "ring:6".parse()?;
//! let slots = Slots::new(&ring, Ports::limit(1).ok_or("no port")?);
//! // Twelve channels, and two ports of each terminal.
//! assert_eq!(slots.len(), 24);
//!
//! let mut routes = Routes::new();
//! let route = routes.push(&slots, &ring.out_channels(ring.terminals()[0])[..1]);
//! let used = routes.slots(route); // the channel, and the ports at its ends
//!
//! let mut timetable = Timetable::<u128>::new(&slots);
//! assert_eq!(timetable.first_free(used.iter().copied(), 0), 0);
//! used.iter().for_each(|&slot| timetable.occupy(slot, 0));
//! assert_eq!(timetable.first_free(used.iter().copied(), 0), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A *slot* is a resource, or a port of a terminal. It has a *capacity*: the number of its uses per step.
//! - A *route* is a path with the slots that a transfer along it uses.
//! - A *timetable* has a cell for each slot and step. A slot is *full* in a step in which all its capacity is used.
//! - A *block* is a number of consecutive steps: one per bit of a word. A search tests all steps of a block at once.

mod routes;
mod slots;
mod step_set;
mod timetable;
mod user_table;

pub use routes::Routes;
pub use slots::{SlotId, Slots, port_limit};
pub use step_set::StepSet;
pub use timetable::Timetable;
pub use user_table::UserTable;
