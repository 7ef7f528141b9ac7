//! The methods, one file or folder each.

pub(crate) mod arborescences;
pub(crate) mod balanced_routes;
pub(crate) mod first_fit;
mod flooding;
mod hierarchical;
mod layered_flow;
mod negotiated_trees;
pub(crate) mod path_colouring;
pub(crate) mod rarest_first;
mod satisfiability;
mod scatter_flow;
mod symmetric;
#[cfg(test)]
mod tests;
mod window_packing;

use crate::kit::method::Method;

/// Every method. The cheapest and most promising methods come first.
pub(crate) const METHODS: &[Method] = &[
    hierarchical::HIERARCHICAL,
    flooding::FLOODING,
    scatter_flow::SCATTER_FLOW,
    layered_flow::LAYERED_FLOW,
    arborescences::ARBORESCENCES,
    symmetric::SYMMETRIC,
    rarest_first::RAREST_FIRST,
    window_packing::WINDOW_PACKING,
    path_colouring::STEP_DISSOLVING,
    first_fit::FIRST_FIT,
    balanced_routes::BALANCED_ROUTES,
    path_colouring::PATH_COLOURING,
    negotiated_trees::NEGOTIATED_TREES,
    satisfiability::SATISFIABILITY,
];
