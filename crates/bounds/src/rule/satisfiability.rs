//! Proofs that no schedule has a number of steps.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_exact::{Decision, decide};
use lockstep_schedule::Problem;

use crate::request::BoundRequest;

/// Literals that the solver assigns, per terminal: a second for 20 terminals.
const WORK_PER_TERMINAL: u64 = 1 << 19;

/// A problem with fewer terminals gets the work of this number. The solver often decides it.
const LEAST_TERMINALS: usize = 16;

/// Literals that the solver assigns if no schedule is known, which could show that a better bound is of use.
const MAX_WORK_WITHOUT_GOAL: u64 = 1 << 17;

pub(crate) const BUILDS_ON: &[Rule] = &[Rule::Ports, Rule::Growth, Rule::Eccentricity];

pub(crate) const BUILDS_ON_FOR_ALL_REDUCES: &[Rule] = &[Rule::Volume, Rule::Ports];

/// Decides whether a schedule has the number of steps that the other rules have proved, then one step more, and so on.
///
/// A schedule of these steps is stated as a propositional formula. If a solver refutes it, then the clauses that the solver
/// learnt are the proof. Applies to small problems: with few messages, few paths or few steps. Takes some seconds at most, and
/// gives up beyond, unless the request asks for more work.
///
/// # Source
///
/// Lockstep.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let has_goal = request.enough < u32::MAX;
    let terminals = problem.topology().terminal_count().max(LEAST_TERMINALS);
    let work_with_goal = WORK_PER_TERMINAL.saturating_mul(terminals as u64);
    let usual = if has_goal { work_with_goal } else { MAX_WORK_WITHOUT_GOAL };
    let mut work = request.work.unwrap_or(usual);
    let rules = if problem.collective().phases().len() == 1 { BUILDS_ON } else { BUILDS_ON_FOR_ALL_REDUCES };
    let mut best = None;
    let mut steps = request.proved_by(rules);
    while (1..request.enough).contains(&steps) && !request.is_over() {
        let decision = decide(problem, steps, &mut work, &|| request.is_over());
        let Ok(Decision::Infeasible { proof, size }) = decision else { break };
        let certificate = Certificate::of_proof(steps, size, proof);
        steps += 1;
        best = Some(LowerBound { steps, rule: Rule::Satisfiability, certificate });
    }
    best
}
