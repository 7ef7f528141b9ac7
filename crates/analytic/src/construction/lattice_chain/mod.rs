//! Broadcasts on tori of two axes along a chain of lattices.
//!
//! | file | role |
//! |---|---|
//! | `construct` | the construction: the chain up to the last step but one, then a maximum flow |
//! | `lattice` | lattices, their superlattices of index 5 and the classes between them |
//! | `chain` | chains of lattices that spread the holders evenly |
//! | `last_step` | the last step as a maximum flow |

mod chain;
mod construct;
mod last_step;
mod lattice;
#[cfg(test)]
mod tests;

pub(crate) use construct::LATTICE_CHAIN;
