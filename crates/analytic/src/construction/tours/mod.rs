//! Wormhole all-to-all on tori and meshes of any sides, from tours of rings and lines.
//!
//! **Ring.** A *move* along a ring is a start and a number of hops, at most half of the ring. A *tour* is a list of moves
//! in one direction that use every channel of that direction once: each move starts where the one before it ends. So the
//! starts of a tour are its ends. Moves without a hop may join a tour. A *class* is a list of tours without a common start.
//! [`ring_tours`](ring::ring_tours) puts every move into one tour, and every tour into one class.
//!
//! **Line.** A tour of a line uses channels of both directions, each at most once. [`line_tours`](line::line_tours) makes them
//! from the moves between the outer and the inner positions of both halves.
//!
//! **Torus.** A message moves along the first axis, then along the second one, and so on. A *block* is one tour per axis.
//! It has one message per list of one move of each tour. The moves of the first axis are in the lines at the starts of the
//! tours of the other axes. Those of the second axis are in the lines at the ends of the first tour and the starts of the
//! others. Two blocks share no channel if, on every axis on which their tours have the same direction, the tours of another
//! axis have no common start. Take one class per axis, each in one direction. Number the tours of each class, and let `L` be
//! the size of the largest one. In step `s`, take all blocks whose numbers have the sum `s` modulo `L`. Two of them differ on
//! two axes or more, so they share no channel. All blocks of these classes take `L` steps. Classes of the opposite directions
//! use the other channels in the same steps. A mesh has tours of lines instead, in one list of classes.
//!
//! **Steps of a torus.** A ring of `n` nodes has `n^2 / 8` tours per direction if `n` is a multiple of 4, in `n / 2` classes of `n / 4`
//! tours. So a torus of `k` axes of `n` nodes takes `n^(k+1) / 8` steps. This meets the bound of the cut through the middle.
//! If `n = 3 (mod 4)`, there are `(n^2 - 1) / 8` tours in `(n - 1) / 2` classes, without the moves of no hop. Messages along
//! one axis alone follow in lines that are free, or at the end. On two axes, the sum is `n (n^2 - 1) / 8`, again the bound.
//! For other sides, a square torus takes about `1 / n` more steps than the bound. If the other axis is longer and has enough
//! tours in each class, the bound of the longer axis decides.
//!
//! **Steps of a mesh.** A line of `n` nodes has `n^2 / 4` tours if `n` is a multiple of 4, in `n` classes of `n / 4` tours. So a
//! mesh of `k` axes of `n` nodes takes `n^(k+1) / 4` steps. This meets the bound of the cut through the middle. If
//! `n = 3 (mod 4)`, there are `(n^2 - 1) / 4` tours in `n - 1` classes, and two axes meet the bound, too. Other sides are as near
//! to it as those of tori.
//!
//! # Source
//!
//! Optimal phases of square tori whose side is a multiple of 8: Hinrichs, Kosak, O'Hallaron, Stricker, Take, *An
//! architecture for optimal all-to-all personalized communication*, Proceedings of the 6th ACM Symposium on Parallel
//! Algorithms and Architectures (1994). Other sides, unequal sides, more axes and meshes are our extension.

mod axis_tours;
mod blocks;
mod construct;
mod line;
mod ring;
#[cfg(test)]
mod tests;

pub(crate) use construct::TOURS;
