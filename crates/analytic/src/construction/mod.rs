//! The constructions, one file or folder per construction or family of them.

pub mod cayley;
pub(crate) mod clos;
pub(crate) mod complete;
pub(crate) mod diagonal;
pub(crate) mod fat_tree;
pub mod hypercube;
pub(crate) mod lattice_chain;
pub(crate) mod mesh_code;
pub(crate) mod multistage;
pub(crate) mod subgroup_chain;
#[cfg(test)]
mod tests;
pub(crate) mod tours;
pub(crate) mod tree;
