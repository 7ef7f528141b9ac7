//! The search as its users see it.

mod cells;
mod checkpoints;
mod hgsa;
mod limits;
mod problem;
mod threads;
