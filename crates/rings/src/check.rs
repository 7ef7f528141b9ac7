//! The check of bounds. It uses no search: shortest paths, sums, and the check of proofs.

use lockstep_topology::{NodeId, ResourceId};

use crate::bound::{RefutationProof, RingBound, RingLengths};
use crate::formula::RingFormula;
use crate::path_search::PathSearch;
use crate::problem::RingProblem;
use crate::rational::Rational;
use crate::ring_set::{MAX_RINGS, RingKind};

/// Why the certificate of a bound is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BoundViolation {
    /// A resource that does not exist, or is listed twice.
    #[error("lengths: resource {resource} does not exist, or is listed twice")]
    Resource {
        /// The resource.
        resource: ResourceId,
    },
    /// A length or weight of zero.
    #[error("{what} {place} is zero; leave it out")]
    Zero {
        /// `length` or `cut`.
        what: &'static str,
        /// Its place in the list.
        place: usize,
    },
    /// A cut with no terminal, all of them, another node, or one twice.
    #[error("cut {cut} is not a proper subset of the terminals")]
    Cut {
        /// Its place in the list.
        cut: usize,
    },
    /// A table of another length.
    #[error("'{field}' has {found} numbers, expected {expected}: one per terminal, and one for the end of a chain")]
    Count {
        /// The field.
        field: &'static str,
        /// The number found.
        found: usize,
        /// The number expected.
        expected: usize,
    },
    /// A potential that is too large.
    #[error("'{field}' has the number {value}, which is beyond 2^40")]
    Potential {
        /// The field.
        field: &'static str,
        /// The number.
        value: i64,
    },
    /// A hop that is shorter than the certificate claims.
    #[error(
        "the hop from terminal {from} to terminal {to} has the length {length}, but the certificate needs {needed}"
    )]
    Short {
        /// The rank of the first terminal.
        from: usize,
        /// The rank of the second terminal.
        to: usize,
        /// The length of the shortest path.
        length: i64,
        /// The sum of the potentials and cuts.
        needed: i64,
    },
    /// A sum that differs from the stated one.
    #[error("'{field}' is {stated}, but the sum is {found}")]
    Sum {
        /// `length` or `volume`.
        field: &'static str,
        /// The stated value.
        stated: i128,
        /// The sum.
        found: i128,
    },
    /// A refutation that does not hold.
    #[error("refutation {place}: {why}")]
    Refutation {
        /// Its place in the list.
        place: usize,
        /// Why it does not hold.
        why: String,
    },
}

/// Potentials above this size are refused, so that sums do not overflow.
const MAX_POTENTIAL: u64 = 1 << 40;

/// Checks the certificate of a bound. Afterwards, [`RingBound::least_rho`] and [`RingBound::bandwidth`] hold for the problem.
///
/// Takes `N` searches for shortest paths, and `O(N^2)` steps per cut.
///
/// # Errors
///
/// The first [`BoundViolation`].
pub fn check_bound(problem: &RingProblem<'_>, bound: &RingBound) -> Result<(), BoundViolation> {
    check_lengths(problem, &bound.lengths)?;
    for (place, refutation) in bound.refutations.iter().enumerate() {
        let refuse = |why: String| BoundViolation::Refutation { place, why };
        if !(1..=MAX_RINGS).contains(&(refutation.rings as usize)) {
            return Err(refuse(format!("the number of rings is {}, expected 1 to {MAX_RINGS}", refutation.rings)));
        }
        match &refutation.proof {
            RefutationProof::CubicParity => {
                check_cubic_parity(problem, refutation.rings, refutation.rho).map_err(|why| refuse(why.to_owned()))?;
            }
            RefutationProof::Satisfiability { cuts, proof } => {
                let mut formula = RingFormula::new(problem, refutation.rings, refutation.rho)
                    .map_err(|error| refuse(error.to_string()))?;
                for cut in cuts {
                    formula.cut(cut).map_err(|error| refuse(error.to_string()))?;
                }
                lockstep_exact::check_proof(formula.formula(), proof).map_err(|error| refuse(error.to_string()))?;
            }
        }
    }
    Ok(())
}

fn check_lengths(problem: &RingProblem<'_>, bound: &RingLengths) -> Result<(), BoundViolation> {
    let topology = problem.topology();
    let mut length = vec![0u64; topology.resource_count()];
    let mut volume = 0i128;
    for (place, &(resource, of_resource)) in bound.lengths.iter().enumerate() {
        let entry = length.get_mut(resource.index()).filter(|length| **length == 0);
        *entry.ok_or(BoundViolation::Resource { resource })? = of_resource.into();
        if of_resource == 0 {
            return Err(BoundViolation::Zero { what: "length", place });
        }
        volume += i128::from(of_resource) * i128::from(problem.capacity(resource.index()));
    }
    let stops = problem.stops();
    for (field, table) in [("leave", &bound.leave), ("enter", &bound.enter)] {
        if table.len() != stops {
            return Err(BoundViolation::Count { field, found: table.len(), expected: stops });
        }
        if let Some(&value) = table.iter().find(|potential| potential.unsigned_abs() > MAX_POTENTIAL) {
            return Err(BoundViolation::Potential { field, value });
        }
    }
    let cuts = cuts(problem, bound)?;
    let weight: i128 = bound.cuts.iter().map(|&(_, weight)| i128::from(weight)).sum();
    let potentials = bound.leave.iter().chain(&bound.enter).map(|&potential| i128::from(potential));
    for (field, stated, found) in [
        ("length", i128::from(bound.length), potentials.sum::<i128>() + weight),
        ("volume", i128::from(bound.volume), volume),
    ] {
        if stated != found {
            return Err(BoundViolation::Sum { field, stated, found });
        }
    }
    let mut search = PathSearch::new(topology, problem.relay());
    for from in 0..stops {
        let start = problem.terminals().get(from).copied();
        if let Some(start) = start {
            search.run(start, None, |channel| Some(problem.resources(channel)?.map(|resource| length[resource]).sum()));
        }
        for to in (0..stops).filter(|&to| to != from) {
            let ends = start.zip(problem.terminals().get(to));
            // Hops from and to the end of a chain have the length 0.
            let Some(length) = ends.map_or(Some(0), |(_, &end)| search.cost(end)) else { continue };
            let crossed =
                |(inside, weight): &(Vec<bool>, u32)| if inside[from] && !inside[to] { i64::from(*weight) } else { 0 };
            let needed = bound.leave[from] + bound.enter[to] + cuts.iter().map(crossed).sum::<i64>();
            let length = i64::try_from(length).unwrap_or(i64::MAX);
            if needed > length {
                return Err(BoundViolation::Short { from, to, length, needed });
            }
        }
    }
    Ok(())
}

/// Returns for each cut whether it contains each terminal, and its weight.
fn cuts(problem: &RingProblem<'_>, bound: &RingLengths) -> Result<Vec<(Vec<bool>, u32)>, BoundViolation> {
    let of_cut = |(cut, (nodes, weight)): (usize, &(Vec<NodeId>, u32))| {
        let mut inside = vec![false; problem.stops()];
        for &node in nodes {
            let is_known = node.index() < problem.topology().node_count();
            let rank = is_known.then(|| problem.rank(node)).flatten().ok_or(BoundViolation::Cut { cut })?;
            if std::mem::replace(&mut inside[rank], true) {
                return Err(BoundViolation::Cut { cut });
            }
        }
        if *weight == 0 {
            return Err(BoundViolation::Zero { what: "cut", place: cut });
        }
        if nodes.is_empty() || !inside.contains(&false) {
            Err(BoundViolation::Cut { cut })
        } else {
            Ok((inside, *weight))
        }
    };
    bound.cuts.iter().enumerate().map(of_cut).collect()
}

/// Checks the conditions of the rule `cubic-parity`.
pub(crate) fn check_cubic_parity(
    problem: &RingProblem<'_>,
    rings: u32,
    rho: Option<Rational>,
) -> Result<(), &'static str> {
    let topology = problem.topology();
    let is_cubic = problem.kind() == RingKind::Ring
        && topology.terminals() == problem.terminals()
        && topology.is_direct()
        && topology.nodes().all(|node| {
            let (out, into) = (topology.out_channels(node), topology.in_channels(node));
            let heads = out.iter().map(|&channel| topology.head(channel));
            let tails = into.iter().map(|&channel| topology.tail(channel));
            let [mut heads, mut tails]: [Vec<NodeId>; 2] = [heads.collect(), tails.collect()];
            heads.sort_unstable();
            tails.sort_unstable();
            topology.has_failed(node) || heads.len() == 3 && heads == tails && heads.is_sorted_by(|a, b| a < b)
        })
        && topology.resource_count() == topology.channel_count()
        && !topology.has_capacities();
    if !is_cubic || problem.relay() > 0 {
        return Err("the network is not a direct one of full-duplex unit links and degree 3");
    }
    if rings != 3 || rho != Some(Rational::from(1)) {
        return Err("the rule concerns three rings with rho 1");
    }
    if problem.terminals().len() % 4 == 2 {
        return Err("the number of terminals is 2 modulo 4, so the rule does not apply");
    }
    Ok(())
}
