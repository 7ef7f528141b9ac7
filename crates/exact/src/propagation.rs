//! Unit propagation with two watched literals.

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
/// # Source
///
/// Moskewicz, Madigan, Zhao, Zhang and Malik, *Chaff: engineering an efficient SAT solver*, DAC (2001).
pub(crate) struct Propagation {
    /// The clauses one after the other. The first two literals of a clause are watched.
    literals: Vec<Literal>,
    /// The start of each clause, and the end of the last one.
    starts: Vec<u32>,
    /// By literal: the clauses that watch it.
    watches: Vec<Vec<Watch>>,
    is_true: Vec<bool>,
    /// The literals that are true, in the order in which they became so.
    trail: Vec<Literal>,
    /// By variable that is true or false: the clause that it follows from.
    reasons: Vec<ClauseId>,
    /// The number of literals of the trail whose clauses have been visited.
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
            watches: vec![Vec::new(); 2 * variables],
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

    /// Adds a clause without repeated literals, and propagates.
    pub(crate) fn add(&mut self, clause: &[Literal]) -> Result<(), ExactError> {
        self.spend(clause.len() as u64 + 1)?;
        let id = self.starts.len() as ClauseId - 1;
        let start = self.literals.len();
        self.literals.extend_from_slice(clause);
        self.starts.push(self.literals.len() as u32);
        let clause = &mut self.literals[start..];
        // Literals that are not false come first.
        let mut open = 0;
        for place in 0..clause.len() {
            if !self.is_true[(!clause[place]).index()] {
                clause.swap(open, place);
                open += 1;
            }
        }
        match *clause {
            _ if self.refuted_by.is_some() => {}
            [one, other, ..] if open >= 2 => {
                self.watches[one.index()].push(Watch { clause: id, other });
                self.watches[other.index()].push(Watch { clause: id, other: one });
            }
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

    /// Returns true if a clause follows by unit propagation. `visit` receives the clauses that it follows from.
    pub(crate) fn implies(&mut self, clause: &[Literal], visit: impl FnMut(ClauseId)) -> Result<bool, ExactError> {
        self.spend(clause.len() as u64 + 1)?;
        if self.refuted_by.is_some() {
            self.explain(self.refuted_by, None, visit)?;
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
            self.explain(conflict, satisfied, visit)?;
        }
        for literal in self.trail.drain(base..) {
            self.is_true[literal.index()] = false;
        }
        self.visited = base;
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

    fn range(&self, id: ClauseId) -> std::ops::Range<usize> {
        self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize
    }

    /// Assigns what follows. Returns a clause that is false, if there is one.
    fn propagate(&mut self) -> Result<Option<ClauseId>, ExactError> {
        while let Some(&literal) = self.trail.get(self.visited) {
            self.visited += 1;
            let falsified = !literal;
            let mut watching = std::mem::take(&mut self.watches[falsified.index()]);
            self.spend(watching.len() as u64)?;
            let (mut kept, mut conflict) = (0, None);
            for place in 0..watching.len() {
                let Watch { clause: id, other } = watching[place];
                let is_idle = conflict.is_some() || self.is_true[other.index()];
                if !is_idle && self.moves_watch(id, falsified) {
                    continue;
                }
                watching[kept] = watching[place];
                kept += 1;
                if is_idle {
                    continue;
                }
                let first = self.literals[self.starts[id as usize] as usize];
                watching[kept - 1].other = first;
                if self.is_true[(!first).index()] {
                    conflict = Some(id);
                } else if !self.is_true[first.index()] {
                    self.assign(first, id);
                }
            }
            watching.truncate(kept);
            self.watches[falsified.index()] = watching;
            if conflict.is_some() {
                return Ok(conflict);
            }
        }
        Ok(None)
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
        let watched = clause[1];
        self.watches[watched.index()].push(Watch { clause: id, other: clause[0] });
        true
    }

    /// Visits the clauses that a conflict, or a true literal, follows from.
    fn explain(
        &mut self,
        conflict: Option<ClauseId>,
        satisfied: Option<Literal>,
        mut visit: impl FnMut(ClauseId),
    ) -> Result<(), ExactError> {
        self.spend(self.trail.len() as u64)?;
        if let Some(literal) = satisfied {
            self.is_marked[literal.variable() as usize] = true;
        }
        let mut mark = |is_marked: &mut Vec<bool>, id: ClauseId, literals: &[Literal]| {
            visit(id);
            for literal in literals {
                is_marked[literal.variable() as usize] = true;
            }
        };
        if let Some(id) = conflict {
            let range = self.range(id);
            mark(&mut self.is_marked, id, &self.literals[range]);
        }
        for place in (0..self.trail.len()).rev() {
            let variable = self.trail[place].variable() as usize;
            let reason = self.reasons[variable];
            if std::mem::take(&mut self.is_marked[variable]) && reason != ASSUMED {
                let range = self.range(reason);
                mark(&mut self.is_marked, reason, &self.literals[range]);
                self.is_marked[variable] = false;
            }
        }
        Ok(())
    }
}
