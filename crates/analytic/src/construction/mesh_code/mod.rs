//! Broadcasts on meshes of two axes: first to a perfect code, then to all neighbours.
//!
//! | file | role |
//! |---|---|
//! | `construct` | the construction |
//! | `code` | nodes with one of them next to each other node, about a fifth of all |
//! | `division` | transfers from the root to all nodes of the code, by division of the code into parts |

mod code;
mod construct;
mod division;
#[cfg(test)]
mod tests;

pub(crate) use construct::MESH_CODE;
