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
    try_decide(problem, rings, rho, work, is_stopped).unwrap_or(ExactAnswer::Undecided)
}

fn try_decide(
    problem: &RingProblem<'_>,
    rings: u32,
    rho: Option<Rational>,
    work: &mut u64,
    is_stopped: &dyn Fn() -> bool,
) -> Result<ExactAnswer, FormulaError> {
    let mut formula = RingFormula::of_found_hops(problem, rings, rho)?;
    *work = work.saturating_sub(formula.formula().clauses().len() as u64);
    let mut solver = Solver::new(formula.formula(), is_stopped);
    let mut cuts: Vec<Vec<u32>> = Vec::new();
    loop {
        match solver.solve(work) {
            SolverAnswer::Undecided => return Ok(ExactAnswer::Undecided),
            SolverAnswer::NoModel => {
                let proof = if formula.hops().is_complete() { solver.into_proof(formula.formula()) } else { None };
                let refuted = |proof| {
                    let proof = RefutationProof::Satisfiability { cuts, proof };
                    ExactAnswer::Refuted(RingRefutation { rings, rho, proof })
                };
                return Ok(proof.map_or(ExactAnswer::Undecided, refuted));
            }
            SolverAnswer::Model => {}
        }
        let cycles: Vec<Vec<Vec<usize>>> =
            (0..rings as usize).map(|ring| cycles(&chosen(&formula, &solver, ring), formula.hops())).collect();
        let mut new: Vec<Vec<u32>> = Vec::new();
        for of_ring in cycles.iter().filter(|of_ring| of_ring.len() > 1) {
            for cycle in of_ring {
                let mut ranks: Vec<u32> = cycle.iter().map(|&hop| formula.hops().from(hop) as u32).collect();
                ranks.sort_unstable();
                new.push(ranks);
            }
        }
        new.sort_unstable();
        new.dedup();
        if new.is_empty() {
            return Ok(ExactAnswer::Set(set_of(problem, formula.hops(), &cycles)));
        }
        if cuts.len() + new.len() > MAX_CUTS {
            return Ok(ExactAnswer::Undecided);
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
