//! Unit propagation with two watched literals. Clauses that others follow from come first.

use crate::error::ExactError;
use crate::literal::Literal;

/// The place of a clause in the order in which clauses were added.
pub(crate) type ClauseId = u32;

/// The reason of a literal that was assumed.
const ASSUMED: ClauseId = ClauseId::MAX;

/// A clause that watches a literal.
#[derive(Clone, Copy)]
struct Watch {
    clause: ClauseId,
    /// Some other literal of the clause. While it is true, nothing follows from the clause.
    other: Literal,
}

/// Clauses, and the literals that follow from them by unit propagation.
///
/// Clauses that a conflict or a true literal followed from are *core* clauses. Unit propagation visits them first, so that few
/// clauses become core clauses.
///
/// # Source
///
/// Moskewicz, Madigan, Zhao, Zhang and Malik, *Chaff: engineering an efficient SAT solver*, DAC (2001); for core clauses, Heule
/// et al., *Trimming while checking clausal proofs*, FMCAD (2013).
pub(crate) struct Propagation {
    /// The clauses one after the other. The first two literals of a clause are watched.
    literals: Vec<Literal>,
    /// The start of each clause, and the end of the last one.
    starts: Vec<u32>,
    /// By clause: the length of the trail before the clause was added.
    trail_lengths: Vec<u32>,
    /// By clause: whether it is a core clause.
    is_core: Vec<bool>,
    /// By literal: the core clauses that watch it, and some that became core clauses after they began to watch it.
    core_watches: Vec<Vec<Watch>>,
    /// By literal: the other clauses that watch it, and clauses that have been removed.
    other_watches: Vec<Vec<Watch>>,
    is_true: Vec<bool>,
    /// The literals that are true, in the order in which they became so.
    trail: Vec<Literal>,
    /// By variable that is true or false: the clause that it follows from.
    reasons: Vec<ClauseId>,
    /// The number of literals of the trail that all clauses have been visited for.
    visited: usize,
    /// The clause that is false without assumptions.
    refuted_by: Option<ClauseId>,
    /// By variable: whether it takes part in a conflict. All are false between two calls.
    is_marked: Vec<bool>,
    /// The number of watches and literals that may still be visited.
    work_left: u64,
}

impl Propagation {
    pub(crate) fn new(variables: u32, work: u64) -> Self {
        let variables = variables as usize + 1;
        Self {
            literals: Vec::new(),
            starts: vec![0],
            trail_lengths: Vec::new(),
            is_core: Vec::new(),
            core_watches: vec![Vec::new(); 2 * variables],
            other_watches: vec![Vec::new(); 2 * variables],
            is_true: vec![false; 2 * variables],
            trail: Vec::new(),
            reasons: vec![ASSUMED; variables],
            visited: 0,
            refuted_by: None,
            is_marked: vec![false; variables],
            work_left: work,
        }
    }

    /// Returns true if the clauses contradict each other by unit propagation.
    pub(crate) fn is_refuted(&self) -> bool {
        self.refuted_by.is_some()
    }

    /// Returns true if a clause is a core clause.
    pub(crate) fn is_core(&self, id: ClauseId) -> bool {
        self.is_core[id as usize]
    }

    /// Adds a clause without repeated literals, and propagates. Does nothing if the clauses contradict each other.
    pub(crate) fn add(&mut self, clause: &[Literal]) -> Result<(), ExactError> {
        self.spend(clause.len() as u64 + 1)?;
        if self.is_refuted() {
            return Ok(());
        }
        let id = self.is_core.len() as ClauseId;
        let start = self.literals.len();
        self.literals.extend_from_slice(clause);
        self.starts.push(self.literals.len() as u32);
        self.trail_lengths.push(self.trail.len() as u32);
        self.is_core.push(false);
        // Literals that are not false come first.
        let clause = &mut self.literals[start..];
        let mut open = 0;
        for place in 0..clause.len() {
            if !self.is_true[(!clause[place]).index()] {
                clause.swap(open, place);
                open += 1;
            }
        }
        match *clause {
            [one, other, ..] if open >= 2 => {
                self.other_watches[one.index()].push(Watch { clause: id, other });
                self.other_watches[other.index()].push(Watch { clause: id, other: one });
            }
            // The literals that are false remain so while there is this clause, and so does the only other one.
            [only, ..] if open == 1 => {
                if !self.is_true[only.index()] {
                    self.assign(only, id);
                    self.refuted_by = self.propagate()?;
                }
            }
            _ => self.refuted_by = Some(id),
        }
        Ok(())
    }

    /// Removes the last clause, and what followed from it. No clause can be added afterwards.
    pub(crate) fn remove_last(&mut self) {
        let Some(trail_length) = self.trail_lengths.pop() else { return };
        self.is_core.pop();
        self.starts.pop();
        self.refuted_by = None;
        self.undo(trail_length as usize);
    }

    /// Returns true if a clause follows by unit propagation. The clauses that it follows from become core clauses.
    pub(crate) fn implies(&mut self, clause: &[Literal]) -> Result<bool, ExactError> {
        self.spend(clause.len() as u64 + 1)?;
        if self.refuted_by.is_some() {
            self.explain(self.refuted_by, None)?;
            return Ok(true);
        }
        let base = self.trail.len();
        let (mut conflict, mut satisfied) = (None, None);
        for &literal in clause {
            if self.is_true[literal.index()] {
                satisfied = Some(literal);
                break;
            }
            if !self.is_true[(!literal).index()] {
                self.assign(!literal, ASSUMED);
            }
        }
        if satisfied.is_none() {
            conflict = self.propagate()?;
        }
        let is_implied = conflict.is_some() || satisfied.is_some();
        if is_implied {
            self.explain(conflict, satisfied)?;
        }
        self.undo(base);
        Ok(is_implied)
    }

    fn spend(&mut self, work: u64) -> Result<(), ExactError> {
        self.work_left = self.work_left.checked_sub(work).ok_or(ExactError::LongCheck)?;
        Ok(())
    }

    fn assign(&mut self, literal: Literal, reason: ClauseId) {
        self.is_true[literal.index()] = true;
        self.reasons[literal.variable() as usize] = reason;
        self.trail.push(literal);
    }

    /// Takes back all assignments but the first ones.
    fn undo(&mut self, length: usize) {
        for literal in self.trail.drain(length..) {
            self.is_true[literal.index()] = false;
        }
        self.visited = length;
    }

    /// Returns the core clauses, or the others, that watch each literal.
    fn watches(&mut self, is_core: bool) -> &mut [Vec<Watch>] {
        if is_core { &mut self.core_watches } else { &mut self.other_watches }
    }

    fn range(&self, id: ClauseId) -> std::ops::Range<usize> {
        self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize
    }

    /// Assigns what follows. Returns a clause that is false, if there is one.
    fn propagate(&mut self) -> Result<Option<ClauseId>, ExactError> {
        let mut visited_core = self.visited;
        loop {
            let is_core = visited_core < self.trail.len();
            let place = if is_core { &mut visited_core } else { &mut self.visited };
            let Some(&literal) = self.trail.get(*place) else { return Ok(None) };
            *place += 1;
            let conflict = self.visit(!literal, is_core)?;
            if conflict.is_some() {
                return Ok(conflict);
            }
        }
    }

    /// Visits the core clauses, or the others, that watch a literal which became false. Returns one that is false, if there is
    /// one.
    fn visit(&mut self, falsified: Literal, is_core: bool) -> Result<Option<ClauseId>, ExactError> {
        let mut watching = std::mem::take(&mut self.watches(is_core)[falsified.index()]);
        self.spend(watching.len() as u64)?;
        let (mut kept, mut next, mut conflict) = (0, 0, None);
        while conflict.is_none() && next < watching.len() {
            let mut watch = watching[next];
            next += 1;
            if !self.is_true[watch.other.index()] {
                let id = watch.clause;
                if id as usize >= self.is_core.len() || self.moves_watch(id, falsified) {
                    continue;
                }
                watch.other = self.literals[self.starts[id as usize] as usize];
                if self.is_true[(!watch.other).index()] {
                    conflict = Some(id);
                } else if !self.is_true[watch.other.index()] {
                    self.assign(watch.other, id);
                }
                if !is_core && self.is_core[id as usize] {
                    self.core_watches[falsified.index()].push(watch);
                    continue;
                }
            }
            watching[kept] = watch;
            kept += 1;
        }
        watching.copy_within(next.., kept);
        watching.truncate(watching.len() - (next - kept));
        self.watches(is_core)[falsified.index()] = watching;
        Ok(conflict)
    }

    /// Looks for another literal that a clause can watch instead of a false one. Otherwise, the other watched literal comes
    /// first in the clause.
    fn moves_watch(&mut self, id: ClauseId, falsified: Literal) -> bool {
        let range = self.range(id);
        let clause = &mut self.literals[range];
        if clause[0] == falsified {
            clause.swap(0, 1);
        }
        if self.is_true[clause[0].index()] {
            return false;
        }
        let Some(place) = (2..clause.len()).find(|&place| !self.is_true[(!clause[place]).index()]) else {
            return false;
        };
        clause.swap(1, place);
        let [other, watched] = [clause[0], clause[1]];
        self.watches(self.is_core(id))[watched.index()].push(Watch { clause: id, other });
        true
    }

    /// Makes core clauses of those that a conflict, or a true literal, follows from.
    fn explain(&mut self, conflict: Option<ClauseId>, satisfied: Option<Literal>) -> Result<(), ExactError> {
        self.spend(self.trail.len() as u64)?;
        if let Some(literal) = satisfied {
            self.is_marked[literal.variable() as usize] = true;
        }
        if let Some(id) = conflict {
            self.mark(id);
        }
        for place in (0..self.trail.len()).rev() {
            let variable = self.trail[place].variable() as usize;
            let reason = self.reasons[variable];
            if std::mem::take(&mut self.is_marked[variable]) && reason != ASSUMED {
                self.mark(reason);
                self.is_marked[variable] = false;
            }
        }
        Ok(())
    }

    /// Makes a core clause of a clause, and marks its variables.
    fn mark(&mut self, id: ClauseId) {
        self.is_core[id as usize] = true;
        for literal in &self.literals[self.range(id)] {
            self.is_marked[literal.variable() as usize] = true;
        }
    }
}
