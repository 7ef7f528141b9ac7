//! The parts of the search for an all-reduce that a budget can leave out.

use lockstep_schedule::Part;

pub(super) const RECURSIVE_DOUBLING: Part = part("recursive-doubling", "partners of a hypercube exchange their sums");
pub(super) const EXCHANGE: Part = part("exchange", "lists of terminals exchange the sums of few blocks");
pub(super) const PIPELINED_TREES: Part =
    part("pipelined-trees", "trees of all blocks, whose transfers take the first free steps");
pub(super) const TWO_ROOTS: Part =
    part("two-roots", "pipelined trees with two neighbours as roots, which exchange their sums");
pub(super) const TWO_SIDED_LISTS: Part =
    part("two-sided-lists", "list scheduling: results from the first step on, and sums from the last step back");
pub(super) const FIRST_SOLVER: Part = part("first-solver", "a solver plans tiny problems before trees are negotiated");
pub(super) const NEGOTIATED_TREES: Part =
    part("negotiated-trees", "the trees of all blocks compete for channels and steps by prices");
pub(super) const NEIGHBOUR_SOLVER: Part = part("neighbour-solver", "a solver plans transfers between neighbours only");
pub(super) const LAST_SOLVER: Part = part("last-solver", "a solver plans small problems after trees were negotiated");
pub(super) const CROSSINGS: Part = part("crossings", "routes across other terminals");
pub(super) const DETOURS: Part = part("detours", "routes that are longer than the shortest ones");

/// The parts of [`all_reduce`], in the order in which they run.
pub(crate) const PARTS: &[Part] = &[
    RECURSIVE_DOUBLING,
    CROSSINGS,
    DETOURS,
    EXCHANGE,
    PIPELINED_TREES,
    TWO_ROOTS,
    TWO_SIDED_LISTS,
    FIRST_SOLVER,
    NEGOTIATED_TREES,
    NEIGHBOUR_SOLVER,
    LAST_SOLVER,
];

const fn part(name: &'static str, about: &'static str) -> Part {
    Part { owner: "all-reduce", name, about }
}
