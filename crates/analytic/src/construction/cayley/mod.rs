//! Cayley graphs of abelian groups: one source's part of an all-gather or an all-to-all, the same for all by translation.
//!
//! Store-and-forward, every transfer over one channel. The translates of a part never meet on a channel where every step
//! of it uses each generator at most once: a channel belongs to one generator, and its tail says whose translate uses it.
//!
//! **Source**: the lecture on hypercubes of Bertsekas, Özveren, Stamoulis, Tseng, Tsitsiklis, *Optimal communication
//! algorithms for hypercubes*, Journal of Parallel and Distributed Computing 11 (1991), for the translation of a base.

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
