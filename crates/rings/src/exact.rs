//! The exact search: a formula whose cuts are added when a model needs them.

use lockstep_exact::{Solver, SolverAnswer};

use crate::bound::{RefutationProof, RingRefutation};
use crate::formula::{FormulaError, RingFormula};
use crate::hops::Hops;
use crate::problem::RingProblem;
use crate::rational::Rational;
use crate::ring_set::{RingKind, RingSet};

/// Maximum number of cuts.
const MAX_CUTS: usize = 1 << 12;

/// The result of an exact search.
pub(crate) enum ExactAnswer {
    /// A set with the requested `rho` or less.
    Set(RingSet),
    /// There is none.
    Refuted(RingRefutation),
    /// The problem is too large, or the work does not suffice.
    Undecided,
}

/// Decides whether a set of `rings` rings has at most this `rho`, or any.
///
/// `work` counts the literals that the solver assigns. A million takes about 0.1 s.
///
/// # Source
///
/// Dantzig, Fulkerson and Johnson, *Solution of a large-scale traveling-salesman problem*, Operations Research 2 (1954), for cuts that are
/// added when a solution needs them.
pub(crate) fn decide(
    problem: &RingProblem<'_>,
    rings: u32,
    rho: Option<Rational>,
    work: &mut u64,
    is_stopped: &dyn Fn() -> bool,
) -> ExactAnswer {
    let formula = RingFormula::of_found_hops(problem, rings, rho);
    let answer = formula.and_then(|formula| solve(problem, formula, &mut Vec::new(), work, is_stopped));
    match answer {
        Ok(Solution::Set(set)) => ExactAnswer::Set(set),
        Ok(Solution::None { cuts, proof: Some(proof) }) => {
            let proof = RefutationProof::Satisfiability { cuts, proof };
            ExactAnswer::Refuted(RingRefutation { rings, rho, proof })
        }
        Ok(Solution::None { proof: None, .. } | Solution::Unknown) | Err(_) => ExactAnswer::Undecided,
    }
}

/// Returns a set of the same number of rings and at most this `rho` whose hops are the shortest, if the set is not one, and whether
/// the solver has proved that there is no shorter one.
pub(crate) fn shorten(
    problem: &RingProblem<'_>,
    set: &RingSet,
    rho: Rational,
    work: &mut u64,
    is_stopped: &dyn Fn() -> bool,
) -> (Option<RingSet>, bool) {
    let rings = set.len() as u32;
    let (mut best, mut length, mut cuts) = (None, set.length(), Vec::new());
    loop {
        let formula = RingFormula::of_found_hops(problem, rings, Some(rho)).and_then(|mut formula| {
            let is_possible = formula.limit_length(length - 1)?;
            Ok(is_possible.then_some(formula))
        });
        let formula = match formula {
            Ok(Some(formula)) => formula,
            Ok(None) => return (best, true),
            Err(_) => return (best, false),
        };
        let is_complete = formula.hops().is_complete();
        match solve(problem, formula, &mut cuts, work, is_stopped) {
            Ok(Solution::Set(set)) => {
                length = set.length();
                best = Some(set);
            }
            Ok(Solution::None { .. }) => return (best, is_complete),
            Ok(Solution::Unknown) | Err(_) => return (best, false),
        }
    }
}

/// What the solver finds.
enum Solution {
    Set(RingSet),
    /// There is no set. The proof may be too long, and there is none if some hops are left out.
    None {
        cuts: Vec<Vec<u32>>,
        proof: Option<Vec<i32>>,
    },
    /// The work or the number of cuts does not suffice.
    Unknown,
}

/// Searches for a model of a formula whose rings are one cycle each. `cuts` are stated at once, and get the new ones.
fn solve(
    problem: &RingProblem<'_>,
    mut formula: RingFormula,
    cuts: &mut Vec<Vec<u32>>,
    work: &mut u64,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Solution, FormulaError> {
    for cut in cuts.iter() {
        formula.cut(cut)?;
    }
    *work = work.saturating_sub(formula.formula().clauses().len() as u64);
    let mut solver = Solver::new(formula.formula(), is_stopped);
    loop {
        match solver.solve(work) {
            SolverAnswer::Undecided => return Ok(Solution::Unknown),
            SolverAnswer::NoModel => {
                let proof = if formula.hops().is_complete() { solver.into_proof(formula.formula()) } else { None };
                return Ok(Solution::None { cuts: std::mem::take(cuts), proof });
            }
            SolverAnswer::Model => {}
        }
        let cycles: Vec<Vec<Vec<usize>>> =
            (0..formula.rings()).map(|ring| cycles(&chosen(&formula, &solver, ring), formula.hops())).collect();
        let mut new: Vec<Vec<u32>> = Vec::new();
        for cycle in cycles.iter().filter(|of_ring| of_ring.len() > 1).flatten() {
            let mut ranks: Vec<u32> = cycle.iter().map(|&hop| formula.hops().from(hop) as u32).collect();
            ranks.sort_unstable();
            new.push(ranks);
        }
        new.sort_unstable();
        new.dedup();
        if new.is_empty() {
            return Ok(Solution::Set(set_of(problem, formula.hops(), &cycles)));
        }
        if cuts.len() + new.len() > MAX_CUTS {
            return Ok(Solution::Unknown);
        }
        for cut in new {
            for clause in formula.cut(&cut)? {
                solver.add(&clause);
            }
            cuts.push(cut);
        }
    }
}

/// Returns the hop that leaves each stop in a ring of the model.
fn chosen(formula: &RingFormula, solver: &Solver<'_>, ring: usize) -> Vec<usize> {
    let hops = formula.hops();
    let mut chosen: Vec<(usize, usize)> = (0..hops.len())
        .filter(|&hop| solver.is_true(formula.variable(ring, hop)))
        .map(|hop| (hops.from(hop), hop))
        .collect();
    chosen.sort_unstable();
    chosen.into_iter().map(|(_, hop)| hop).collect()
}

/// Returns the cycles of a ring, each as its hops, from the hops that leave the stops.
fn cycles(leaving: &[usize], hops: &Hops) -> Vec<Vec<usize>> {
    let mut is_visited = vec![false; leaving.len()];
    let mut cycles = Vec::new();
    for start in 0..leaving.len() {
        let (mut cycle, mut at) = (Vec::new(), start);
        while !std::mem::replace(&mut is_visited[at], true) {
            cycle.push(leaving[at]);
            at = hops.to(leaving[at]);
        }
        if !cycle.is_empty() {
            cycles.push(cycle);
        }
    }
    cycles
}

/// Returns the ring set of rings that are one cycle each.
fn set_of(problem: &RingProblem<'_>, hops: &Hops, cycles: &[Vec<Vec<usize>>]) -> RingSet {
    let terminals = problem.terminals();
    let mut set = RingSet::new(problem.kind(), terminals.to_vec(), problem.relay());
    for of_ring in cycles {
        let mut cycle = of_ring[0].clone();
        if problem.kind() == RingKind::Chain {
            // The chain begins behind the end, and its last hop before the end is no hop of the set.
            let end = terminals.len();
            let start = cycle.iter().position(|&hop| hops.from(hop) == end).map_or(0, |place| place + 1);
            cycle.rotate_left(start);
        }
        let order: Vec<_> = cycle.iter().filter_map(|&hop| terminals.get(hops.from(hop)).copied()).collect();
        let count = problem.kind().hop_count(order.len());
        set.push(&order, cycle[..count].iter().map(|&hop| hops.channels(hop).iter().copied()));
    }
    set
}

#[cfg(test)]
mod tests {
    use lockstep_topology::Topology;

    use super::*;
    use crate::bound::RingBound;
    use crate::check::check_bound;
    use crate::lengths::simple_lengths;
    use crate::verify::verify;

    fn decided(topology: &Topology, kind: RingKind, rings: u32, rho: u64) -> bool {
        let problem = RingProblem::new(topology, kind, None, 0).unwrap();
        let rho = Rational::from(rho);
        match decide(&problem, rings, Some(rho), &mut 1_000_000, &|| false) {
            ExactAnswer::Set(set) => {
                assert!(verify(topology, &set).unwrap().rho() <= rho);
                true
            }
            ExactAnswer::Refuted(refutation) => {
                let bound = RingBound { lengths: simple_lengths(&problem), refutations: vec![refutation] };
                assert_eq!(check_bound(&problem, &bound), Ok(()));
                false
            }
            ExactAnswer::Undecided => panic!("undecided"),
        }
    }

    #[test]
    fn complete_graphs_of_four_and_six_have_no_decomposition() {
        for (spec, rings) in [("complete:4", 3), ("complete:6", 5)] {
            let topology = spec.parse().unwrap();
            assert!(!decided(&topology, RingKind::Ring, rings, 1), "{spec}");
            assert!(decided(&topology, RingKind::Ring, rings, 2), "{spec}");
            assert!(decided(&topology, RingKind::Ring, rings - 1, 1), "{spec}");
        }
    }

    /// A hop uses the wire in both directions, which is the same literal twice in the limit of its load.
    #[test]
    fn a_chain_uses_a_half_duplex_wire_twice() {
        let mesh = "mesh:2x2".parse::<Topology>().unwrap().half_duplex();
        assert!(!decided(&mesh, RingKind::Chain, 1, 1));
        assert!(decided(&mesh, RingKind::Chain, 1, 2));
        assert!(!decided(&mesh, RingKind::Chain, 2, 3));
        assert!(decided(&mesh, RingKind::Chain, 2, 4));
    }

    #[test]
    fn rings_enter_a_gateway_from_the_node_to_which_they_leave_it() {
        let triangle: Topology = "complete:3".parse().unwrap();
        let problem = RingProblem::new(&triangle, RingKind::Ring, None, 0).unwrap();
        let problem = problem.with_gateway(triangle.terminals()[1]).unwrap();
        assert!(matches!(decide(&problem, 1, None, &mut 1_000_000, &|| false), ExactAnswer::Refuted(_)));
    }
}
