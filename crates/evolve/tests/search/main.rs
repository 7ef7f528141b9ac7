//! The public behaviour of the search.

mod cells;
mod checkpoints;
mod golden;
mod hgsa;
mod limits;
mod problem;
mod threads;
