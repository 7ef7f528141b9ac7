//! Recognition of Cayley graphs of abelian groups, under any numbering.

mod axes;
mod cube;
mod group_labelling;
mod regular;
mod search;
mod signature;
#[cfg(test)]
mod tests;

pub use axes::TorusAxes;
pub use group_labelling::GroupLabelling;
pub(crate) use search::FourCycles;
