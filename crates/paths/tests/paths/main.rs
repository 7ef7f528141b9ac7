//! Tests of the public interface by closed formulas and brute force.

mod cache;
mod disjoint_paths;
mod oracle;
mod path_table;
mod shortest_paths;
