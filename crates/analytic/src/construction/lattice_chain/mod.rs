//! Broadcasts on tori of two axes along a chain of lattices.
//!
//! | file | role |
//! |---|---|
//! | `construct` | the construction: the chain up to the last step but one, then a maximum flow |
//! | `plane_torus` | places, ports and shortest offsets on a torus of two axes |
//! | `lattice` | lattices, their superlattices of index 5 and the classes between them |
//! | `chain` | chains of lattices that spread the holders evenly |
//! | `path_packing` | channel-disjoint shortest paths of given transfers |
//! | `last_step` | the last step as a maximum flow |

mod chain;
mod construct;
mod last_step;
mod lattice;
mod path_packing;
mod plane_torus;
#[cfg(test)]
mod tests;

pub(crate) use construct::LATTICE_CHAIN;
