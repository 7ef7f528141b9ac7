//! The search for a schedule or a proof.

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use lockstep_schedule::{MessageId, Problem, Schedule};

use crate::clausal_core::clausal_core;
use crate::encoding::encode;
use crate::error::ExactError;
use crate::formula::{Formula, MAX_LITERALS};
use crate::formula_size::FormulaSize;
use crate::literal::Literal;
use crate::network::Network;
use crate::refutation::{MAX_NUMBERS, MAX_WORK};
use crate::transfers::Transfers;

/// Conflicts of the first part of a search.
const FIRST_CONFLICTS: usize = 64;

/// A formula may always have this number of literals.
const ALWAYS_STATED: usize = 1 << 19;

/// A larger formula has one literal or fewer for this number of assignments that the solver may make.
const ASSIGNMENTS_PER_LITERAL: u64 = 4;

/// Maximum number of literals of all learnt clauses: 256 MiB.
const MAX_LEARNT_LITERALS: usize = 1 << 26;

/// A formula of this number of literals takes twice the time per assignment of a small one.
const LARGE_FORMULA: usize = 1 << 18;

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
    let (formula, network, transfers) = encode(problem, steps, affordable.clamp(ALWAYS_STATED, MAX_LITERALS))?;
    let mut solver = Solver::new(SolverOpts::default(), Log::new(is_stopped));
    for _ in 0..=formula.variables() {
        solver.new_var(lbool::UNDEF, true);
    }
    for clause in formula.clauses() {
        let mut clause = clause.iter().copied().map(to_solver).collect();
        if !solver.add_clause_reuse(&mut clause) {
            break;
        }
    }
    let answer = solve(&mut solver, 1 + formula.literal_count() as u64 / LARGE_FORMULA as u64, work);
    if answer == lbool::TRUE {
        let is_true = |literal| solver.value_lit(to_solver(literal)) == lbool::TRUE;
        return Ok(Decision::Schedule(schedule(&network, &transfers, is_true)));
    }
    if answer != lbool::FALSE {
        return Ok(Decision::Undecided);
    }
    let clauses = std::mem::take(&mut solver.cb_mut().clauses);
    drop(solver);
    let size = formula.size();
    let proof = short_proof(&formula, &clauses, is_stopped);
    Ok(proof.map_or(Decision::Undecided, |proof| Decision::Infeasible { proof, size }))
}

/// Runs the solver in parts, each of a number of conflicts, until it has an answer or the work is done. `price` is the work of
/// an assignment.
fn solve(solver: &mut Solver<Log<'_>>, price: u64, work: &mut u64) -> lbool {
    let mut conflicts = FIRST_CONFLICTS;
    while *work > 0 && !solver.cb().has_stopped {
        let (before, clauses) = (solver.num_propagations(), solver.cb().clauses.len());
        solver.cb_mut().limit = clauses + conflicts;
        let answer = solver.solve_limited(&[]);
        let spent = (solver.num_propagations() - before).max(1).saturating_mul(price);
        *work = work.saturating_sub(spent);
        if answer != lbool::UNDEF {
            return answer;
        }
        // The next part takes twice the work at most, and not more than what is left.
        let found = solver.cb().clauses.len() - clauses;
        let affordable = (found as u64).saturating_mul(*work) / spent;
        conflicts = (2 * conflicts).min(usize::try_from(affordable).unwrap_or(usize::MAX)).max(1);
    }
    lbool::UNDEF
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

/// Returns the proof of a list of clauses, if it is short enough and its check does not take too long.
fn short_proof(formula: &Formula, clauses: &[Vec<Literal>], is_stopped: &dyn Fn() -> bool) -> Option<Vec<i32>> {
    let core = clausal_core(formula, clauses, MAX_WORK / 2, is_stopped).ok()?;
    let of_clause =
        |clause: &&[Literal]| clause.iter().map(|literal| literal.number()).chain([0]).collect::<Vec<i32>>();
    let proof: Vec<i32> = core.iter().flat_map(of_clause).chain([0]).collect();
    (proof.len() <= MAX_NUMBERS).then_some(proof)
}

/// The clauses that the solver has learnt, one per conflict.
struct Log<'a> {
    /// The number of clauses at which the solver pauses.
    limit: usize,
    clauses: Vec<Vec<Literal>>,
    /// The number of literals of all clauses.
    literals: usize,
    is_stopped: &'a dyn Fn() -> bool,
    has_stopped: bool,
}

impl<'a> Log<'a> {
    fn new(is_stopped: &'a dyn Fn() -> bool) -> Self {
        Self { limit: 0, clauses: Vec::new(), literals: 0, is_stopped, has_stopped: false }
    }
}

impl Callbacks for Log<'_> {
    fn on_new_clause(&mut self, clause: &[Lit], _: ClauseKind) {
        self.clauses.push(clause.iter().copied().map(from_solver).collect());
        self.literals += clause.len();
        self.has_stopped = self.literals > MAX_LEARNT_LITERALS || (self.is_stopped)();
    }

    fn stop(&self) -> bool {
        self.has_stopped || self.clauses.len() >= self.limit
    }
}

fn to_solver(literal: Literal) -> Lit {
    Lit::new(Var::unsafe_from_idx(literal.variable()), !literal.is_negation())
}

fn from_solver(literal: Lit) -> Literal {
    let positive = Literal::of_variable(literal.var().idx());
    if literal.sign() { positive } else { !positive }
}
