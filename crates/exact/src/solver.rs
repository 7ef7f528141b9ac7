//! The solver of formulas, which finds a model or a proof.

use batsat::{Callbacks, ClauseKind, Lit, SolverInterface, SolverOpts, Var, lbool};

use crate::clausal_core::clausal_core;
use crate::formula::Formula;
use crate::literal::Literal;
use crate::refutation::{MAX_NUMBERS, MAX_WORK};

/// Conflicts of the first part of a search.
const FIRST_CONFLICTS: usize = 64;

/// Maximum number of literals of all learnt clauses: 256 MiB.
const MAX_LEARNT_LITERALS: usize = 1 << 26;

/// A formula of this number of literals takes twice the time per assignment of a small one.
const LARGE_FORMULA: usize = 1 << 18;

/// The result of a search for a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolverAnswer {
    /// There is a model; [`Solver::is_true`] returns its values.
    Model,
    /// There is none; [`Solver::into_proof`] returns a proof.
    NoModel,
    /// The search was stopped, or the work does not suffice.
    Undecided,
}

/// A search for models of a formula to which clauses are added between the searches.
///
/// ```
/// use lockstep_exact::{Formula, Solver, SolverAnswer, check_proof};
///
/// let mut formula = Formula::new(Formula::MAX_LITERALS);
/// let (one, other) = (formula.variable(), formula.variable());
/// formula.clause([one, other]);
/// let (mut work, never) = (1_000_000, || false);
/// let mut solver = Solver::new(&formula, &never);
/// assert_eq!(solver.solve(&mut work), SolverAnswer::Model);
/// for clause in [[one, !other], [!one, other], [!one, !other]] {
///     formula.clause(clause);
///     solver.add(&clause);
/// }
/// assert_eq!(solver.solve(&mut work), SolverAnswer::NoModel);
/// let proof = solver.into_proof(&formula).ok_or("a long proof")?;
/// check_proof(&formula, &proof)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// Eén and Sörensson, *An extensible SAT-solver*, SAT (2003).
pub struct Solver<'a> {
    solver: batsat::Solver<Log<'a>>,
    /// The work of an assignment.
    price: u64,
}

impl<'a> Solver<'a> {
    /// Returns a solver of a formula. It calls `is_stopped` after each conflict, and ends if it returns true.
    pub fn new(formula: &Formula, is_stopped: &'a dyn Fn() -> bool) -> Self {
        let solver = batsat::Solver::new(SolverOpts::default(), Log::new(is_stopped));
        let mut solver = Self { solver, price: 1 + formula.literal_count() as u64 / LARGE_FORMULA as u64 };
        for _ in 0..=formula.variables() {
            solver.solver.new_var(lbool::UNDEF, true);
        }
        for clause in formula.clauses() {
            if !solver.add(clause) {
                break;
            }
        }
        solver
    }

    /// Adds a clause of known variables. Returns false if the clauses contradict each other at once.
    pub fn add(&mut self, clause: &[Literal]) -> bool {
        let mut clause = clause.iter().copied().map(to_solver).collect();
        self.solver.add_clause_reuse(&mut clause)
    }

    /// Searches for a model. `work` is the number of literals that the solver may still assign, from which the function subtracts what
    /// it has used. In a large formula, an assignment counts several times. A million takes about 0.1 s.
    pub fn solve(&mut self, work: &mut u64) -> SolverAnswer {
        // The solver runs in parts, each of a number of conflicts.
        let mut conflicts = FIRST_CONFLICTS;
        while *work > 0 && !self.solver.cb().has_stopped {
            let (before, clauses) = (self.solver.num_propagations(), self.solver.cb().clauses.len());
            self.solver.cb_mut().limit = clauses + conflicts;
            let answer = self.solver.solve_limited(&[]);
            let spent = (self.solver.num_propagations() - before).max(1).saturating_mul(self.price);
            *work = work.saturating_sub(spent);
            if answer == lbool::TRUE {
                return SolverAnswer::Model;
            }
            if answer == lbool::FALSE {
                return SolverAnswer::NoModel;
            }
            // The next part takes twice the work at most, and not more than what is left.
            let found = self.solver.cb().clauses.len() - clauses;
            let affordable = (found as u64).saturating_mul(*work) / spent;
            conflicts = (2 * conflicts).min(usize::try_from(affordable).unwrap_or(usize::MAX)).max(1);
        }
        SolverAnswer::Undecided
    }

    /// Returns the value of a literal in the model that was found last.
    pub fn is_true(&self, literal: Literal) -> bool {
        self.solver.value_lit(to_solver(literal)) == lbool::TRUE
    }

    /// Returns a proof that there is no model, for [`check_proof`](crate::check_proof). `formula` has all clauses of the solver. `None`
    /// if the proof is too long, its check takes too long, or the search is stopped.
    pub fn into_proof(mut self, formula: &Formula) -> Option<Vec<i32>> {
        let clauses = std::mem::take(&mut self.solver.cb_mut().clauses);
        let is_stopped = self.solver.cb().is_stopped;
        drop(self);
        let core = clausal_core(formula, &clauses, MAX_WORK / 2, is_stopped).ok()?;
        let of_clause =
            |clause: &&[Literal]| clause.iter().map(|literal| literal.number()).chain([0]).collect::<Vec<i32>>();
        let proof: Vec<i32> = core.iter().flat_map(of_clause).chain([0]).collect();
        (proof.len() <= MAX_NUMBERS).then_some(proof)
    }
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
