//! Wormhole all-to-all on tori of any sides, from tours of rings.
//!
//! **Ring.** A *move* along a ring is a start and a number of hops, at most half of the ring. A *tour* is a list of moves
//! in one direction that use every channel of that direction once: each move starts where the one before it ends. So the
//! starts of a tour are its ends. Moves without a hop may join a tour. A *class* is a list of tours without a common start.
//! [`RingTours`](ring::RingTours) puts every move into one tour, and every tour into one class.
//!
//! **Torus.** A message moves along the first axis, then along the second one, and so on. A *block* is one tour per axis.
//! It has one message per list of one move of each tour. The moves of the first axis are in the lines at the starts of the
//! tours of the other axes. Those of the second axis are in the lines at the ends of the first tour and the starts of the
//! others. Two blocks share no channel if, on every axis on which their tours have the same direction, the tours of another
//! axis have no common start. Take one class per axis, each in one direction. Number the tours of each class, and let `L` be
//! the size of the largest one. In step `s`, take all blocks whose numbers have the sum `s` modulo `L`. Two of them differ on
//! two axes or more, so they share no channel. All blocks of these classes take `L` steps. Classes of the opposite directions
//! use the other channels in the same steps.
//!
//! **Steps.** A ring of `n` nodes has `n^2 / 8` tours per direction if `n` is a multiple of 4, in `n / 2` classes of `n / 4`
//! tours. So a torus of `k` axes of `n` nodes takes `n^(k+1) / 8` steps. This meets the bound of the cut through the middle.
//! If `n = 3 (mod 4)`, there are `(n^2 - 1) / 8` tours in `(n - 1) / 2` classes, without the moves of no hop. Messages along
//! one axis alone follow in lines that are free, or at the end. On two axes, the sum is `n (n^2 - 1) / 8`, again the bound.
//! For other sides, a square torus takes about `1 / n` more steps than the bound. If the other axis is longer and has enough
//! tours in each class, the bound of the longer axis decides.
//!
//! # Source
//!
//! Optimal phases of square tori whose side is a multiple of 8: Hinrichs, Kosak, O'Hallaron, Stricker, Take, *An
//! architecture for optimal all-to-all personalized communication*, Proceedings of the 6th ACM Symposium on Parallel
//! Algorithms and Architectures (1994). Other sides, unequal sides and more axes are our extension.

mod blocks;
mod construct;
mod ring;
#[cfg(test)]
mod tests;

pub(crate) use construct::RING_TOURS;
