//! Tools that several constructions share.

pub(crate) mod block_tree;
#[cfg(test)]
pub(crate) mod broadcast_checks;
pub(crate) mod budget_check;
pub(crate) mod construction;
pub(crate) mod cyclic_shifts;
pub(crate) mod edge_colouring;
pub(crate) mod grid;
pub(crate) mod labelling;
pub(crate) mod local_program;
pub(crate) mod path_list;
pub(crate) mod path_packing;
pub(crate) mod plane_torus;
pub(crate) mod stages;
pub(crate) mod streamed_broadcast;
pub(crate) mod torus;
