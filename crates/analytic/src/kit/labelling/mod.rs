//! Networks that are Cayley graphs of abelian groups, recognised under any numbering.

mod axes;
mod group_labelling;
mod regular;
mod search;
mod signature;
#[cfg(test)]
mod tests;

pub use axes::Axes;
pub use group_labelling::Labelling;
pub(crate) use search::Squares;
