//! What the crate promises, against closed formulas and brute force.

mod cache;
mod disjoint;
mod oracle;
mod shortest;
mod table;
