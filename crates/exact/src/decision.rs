//! The search for a schedule or a proof.

use lockstep_schedule::{MessageId, Problem, Schedule};

use crate::encoding::encode;
use crate::error::ExactError;
use crate::formula::Formula;
use crate::formula_size::FormulaSize;
use crate::literal::Literal;
use crate::network::Network;
use crate::solver::{Solver, SolverAnswer};
use crate::transfers::Transfers;

/// A formula may always have this number of literals.
const ALWAYS_STATED: usize = 1 << 19;

/// A larger formula has one literal or fewer for this number of assignments that the solver may make.
const ASSIGNMENTS_PER_LITERAL: u64 = 4;

/// The answer to whether a schedule of a number of steps exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// A schedule of this number of steps, some of which may be empty.
    Schedule(Schedule),
    /// There is none.
    Infeasible {
        /// A proof for [`check_refutation`](crate::check_refutation).
        proof: Vec<i32>,
        /// The size of the formula.
        size: FormulaSize,
    },
    /// The search was stopped, the work does not suffice, or the proof is too long.
    Undecided,
}

/// Decides whether a distribution or an all-reduce has a schedule of `steps` steps of width 1.
///
/// `work` is the number of literals that the solver may still assign. In a large formula, an assignment counts several times.
/// A large formula may have one literal for four of them. The function subtracts what the solver has used. A million takes about
/// 0.1 s. After each conflict, and each clause of a proof, the function calls `is_stopped`, and ends if it returns true.
/// Otherwise, the result depends on the arguments only.
///
/// # Errors
///
/// [`ExactError`] if the problem collects, or is too large.
///
/// # Source
///
/// Eén and Sörensson, *An extensible SAT-solver*, SAT (2003).
pub fn decide(
    problem: &Problem<'_>,
    steps: u32,
    work: &mut u64,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Decision, ExactError> {
    let affordable = usize::try_from(*work / ASSIGNMENTS_PER_LITERAL).unwrap_or(usize::MAX);
    let (formula, network, transfers) = encode(problem, steps, affordable.clamp(ALWAYS_STATED, Formula::MAX_LITERALS))?;
    let mut solver = Solver::new(&formula, is_stopped);
    match solver.solve(work) {
        SolverAnswer::Model => {
            Ok(Decision::Schedule(schedule(&network, &transfers, |literal| solver.is_true(literal))))
        }
        SolverAnswer::Undecided => Ok(Decision::Undecided),
        SolverAnswer::NoModel => {
            let size = formula.size();
            let proof = solver.into_proof(&formula);
            Ok(proof.map_or(Decision::Undecided, |proof| Decision::Infeasible { proof, size }))
        }
    }
}

/// Returns the schedule of a model.
fn schedule(network: &Network, transfers: &Transfers, is_true: impl Fn(Literal) -> bool) -> Schedule {
    let mut schedule = Schedule::new();
    for of_step in &transfers.of_step {
        schedule.begin_step();
        for transfer in of_step.iter().filter(|transfer| is_true(transfer.literal)) {
            schedule.push(MessageId::from_index(transfer.message), &network.routes[transfer.route].path);
        }
    }
    schedule
}
