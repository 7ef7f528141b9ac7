//! Cayley graphs of abelian groups: the part of one source in an all-gather or an all-to-all.
//!
//! All other sources do the same, translated. The switching is store-and-forward, and every transfer uses one channel.
//! If every step of a part uses each generator at most once, the translates share no channel: a channel belongs to one
//! generator, and its tail identifies the source.
//!
//! # Source
//!
//! Bertsekas, Özveren, Stamoulis, Tseng, Tsitsiklis, *Optimal communication algorithms for hypercubes*, Journal of
//! Parallel and Distributed Computing 11 (1991), for the translation of the part of one source.

mod all_gather;
mod all_to_all;
mod balanced_words;
mod construct;
mod group_table;
mod mirrored_torus;
mod open_shop;
#[cfg(test)]
mod tests;
mod translates;

pub use all_gather::all_gather;
pub use all_to_all::all_to_all;
pub(crate) use construct::CAYLEY;
