//! Indirect networks that pass whole permutations of their terminals in one step.
//!
//! Three kinds: layered networks with one path between any two terminals, fat trees, and Clos networks. On each there is
//! a cyclic order of the terminals in which every shift is one conflict-free step ([`shifts`]); the four collectives
//! follow. All are recognised by their levels and by who reaches whom, under any numbering.

mod blocks;
mod clos;
mod fat_tree;
mod layers;
mod paths;
mod permutation;
mod shifts;
#[cfg(test)]
mod tests;
mod unique;

use lockstep_schedule::{Budget, Problem, Schedule, Switching};
use lockstep_topology::Topology;

pub use permutation::{PermutationError, route_permutation};

use crate::construction::Construction;
use clos::Clos;
use fat_tree::FatTree;
use shifts::Shifts;
use unique::UniquePaths;

/// Omega, butterfly, and whatever is isomorphic to them but for numbers.
pub(crate) const MULTISTAGE: Construction = Construction {
    name: "multistage",
    about: "cyclic shifts on one-way networks of stages with one path between any two terminals",
    construct: |problem, _, budget| by_shifts(problem, budget, UniquePaths::recognise),
};

/// k-ary n-trees and other fat trees of full bisection.
pub(crate) const FAT_TREE: Construction = Construction {
    name: "fat-tree",
    about: "cyclic shifts on fat trees of full bisection, the way up chosen by the receiver",
    construct: |problem, _, budget| by_shifts(problem, budget, FatTree::recognise),
};

/// Rearrangeable Clos networks.
pub(crate) const CLOS: Construction = Construction {
    name: "clos",
    about: "cyclic shifts on three-stage Clos networks with no fewer middle switches than inputs a switch",
    construct: |problem, _, budget| by_shifts(problem, budget, Clos::recognise),
};

fn by_shifts<N: Shifts>(
    problem: &Problem<'_>,
    budget: &Budget,
    recognise: fn(&Topology) -> Option<N>,
) -> Option<Schedule> {
    if problem.model().switching != Switching::Wormhole {
        return None;
    }
    shifts::schedule(problem, &recognise(problem.topology())?, budget)
}
