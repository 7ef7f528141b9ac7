//! Lower bounds on the relative load of rings, with their certificates.

use lockstep_topology::{NodeId, ResourceId};
use serde::{Deserialize, Serialize};

use crate::problem::RingProblem;
use crate::rational::Rational;
use crate::ring_count::RingCount;

/// Lengths of resources by which every ring is long: the certificate of the rule `ring-lengths`.
///
/// For every path of a hop from terminal `i` to terminal `j`, `leave[i] + enter[j]` plus the weights of the cuts that contain `i` and
/// not `j` is at most the length of the path. A ring leaves and enters each terminal once, and leaves each cut. So its length is
/// `length` or more, the sum of all these numbers, and for `K` rings, `K * length <= sum of l * floor(rho * capacity)`. With
/// `volume` zero and `length` positive, there is no ring.
///
/// A chain is a ring over the terminals and an end, which is the last entry of `leave` and `enter`. Hops from and to the end have length 0.
///
/// [`check_bound`](crate::check_bound) checks it without the search.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RingLengths {
    /// The resources with a positive length.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<(u32, u32)>"))]
    pub lengths: Vec<(ResourceId, u32)>,
    /// Sets of terminals, each with its positive weight.
    pub cuts: Vec<(Vec<NodeId>, u32)>,
    /// By rank of the terminal.
    pub leave: Vec<i64>,
    /// By rank of the terminal.
    pub enter: Vec<i64>,
    /// The least length of a ring.
    pub length: i64,
    /// The sum of all lengths, each times the capacity.
    pub volume: u64,
}

impl RingLengths {
    /// Returns the greatest bandwidth that the lengths allow for any number of rings, or `None` if they prove nothing. It is zero if there is
    /// no ring.
    pub fn bandwidth(&self) -> Option<Rational> {
        (self.length > 0).then(|| Rational::new(self.volume.into(), self.length.unsigned_abs().into()))
    }

    /// Returns the least `rho` that the inequality allows for a number of rings, or `None` if there is no ring.
    pub(crate) fn least_rho(&self, problem: &RingProblem<'_>, rings: u32) -> Option<Rational> {
        let candidates = problem.candidates();
        if self.length <= 0 {
            return Some(candidates.least());
        }
        if self.volume == 0 {
            return None;
        }
        let needed = u128::from(rings) * u128::from(self.length.unsigned_abs());
        let holds = |rho: Rational| {
            let part = |&(resource, length): &(ResourceId, u32)| {
                u128::from(rho.floor_of(problem.capacity(resource.index()))) * u128::from(length)
            };
            self.lengths.iter().map(part).sum::<u128>() >= needed
        };
        Some(candidates.first(needed.div_ceil(self.volume.into()), holds))
    }
}

/// The proof that a number of rings has a `rho` above some value, where lengths do not prove it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RingRefutation {
    /// The number of rings.
    pub rings: u32,
    /// No set of that number of rings has this `rho` or less; `None` if there is no ring at all.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub rho: Option<Rational>,
    /// The proof.
    pub proof: RefutationProof,
}

/// Why a number of rings needs a larger `rho`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RefutationProof {
    /// The rule `cubic-parity`: three rings with `rho` 1 on a direct network of degree 3 are the faces of an orientable
    /// embedding, so the number of terminals is 2 modulo 4.
    CubicParity,
    /// The rule `ring-satisfiability`: the formula that states that a set exists, with clauses for these sets of terminals, which
    /// each ring leaves, has no model.
    Satisfiability {
        /// Sets of ranks of terminals.
        cuts: Vec<Vec<u32>>,
        /// A proof as of [`check_refutation`](lockstep_exact::check_refutation).
        proof: Vec<i32>,
    },
}

/// A lower bound on `rho` for each number of rings.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RingBound {
    /// Lengths, for all numbers of rings.
    pub lengths: RingLengths,
    /// Proofs for single numbers of rings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refutations: Vec<RingRefutation>,
}

impl RingBound {
    /// Returns the least `rho` of a set of this number of rings, or `None` if there is none.
    pub fn least_rho(&self, problem: &RingProblem<'_>, rings: u32) -> Option<Rational> {
        let mut least = self.lengths.least_rho(problem, rings)?;
        for refutation in &self.refutations {
            // Without any set of some number of rings, there is no ring.
            let refuted = refutation.rho?;
            if refutation.rings == rings && refuted >= least {
                least = problem.candidates().after(refuted);
            }
        }
        Some(least)
    }

    /// Returns the greatest bandwidth of a set of one of the numbers of rings; zero if there is none.
    pub fn bandwidth(&self, problem: &RingProblem<'_>, count: RingCount) -> Rational {
        let of_rings = |rings: u32| {
            let rho = self.least_rho(problem, rings)?;
            rho.reciprocal()?.checked_scale(rings.into(), 1)
        };
        count.range().filter_map(of_rings).max().unwrap_or(Rational::ZERO)
    }

    /// Returns the name of the rule that decides the bound for a number of rings.
    pub fn rule(&self, problem: &RingProblem<'_>, rings: u32) -> &'static str {
        let by_lengths = self.lengths.least_rho(problem, rings);
        let decides = |refutation: &&RingRefutation| match (refutation.rho, by_lengths) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(refuted), Some(least)) => refutation.rings == rings && refuted >= least,
        };
        match self.refutations.iter().rev().find(decides).map(|refutation| &refutation.proof) {
            None => "ring-lengths",
            Some(RefutationProof::CubicParity) => "cubic-parity",
            Some(RefutationProof::Satisfiability { .. }) => "ring-satisfiability",
        }
    }
}
