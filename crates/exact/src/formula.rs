//! Formulas in conjunctive normal form.

use crate::error::ExactError;
use crate::formula_size::FormulaSize;
use crate::literal::Literal;

/// At most one of this number of literals is stated pair by pair.
const MAX_PAIRWISE: usize = 6;

/// A conjunction of clauses, each of which is a disjunction of literals. The order of clauses and variables depends on the
/// calls only.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The clauses one after the other.
    literals: Vec<Literal>,
    /// The end of each clause in `literals`.
    ends: Vec<u32>,
    variables: u32,
    /// The largest number of literals.
    limit: usize,
    is_too_large: bool,
}

impl Formula {
    /// Maximum number of literals of all clauses that a proof is checked for.
    pub const MAX_LITERALS: usize = 1 << 21;

    /// Returns a formula without clauses, for this number of literals at most.
    pub fn new(limit: usize) -> Self {
        Self { literals: Vec::new(), ends: Vec::new(), variables: 0, limit, is_too_large: false }
    }

    /// Returns the number of variables.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// Returns the numbers of variables and clauses.
    pub(crate) fn size(&self) -> FormulaSize {
        FormulaSize { variables: self.variables, clauses: self.clauses().len() as u64 }
    }

    /// Returns the clauses.
    pub fn clauses(&self) -> impl ExactSizeIterator<Item = &[Literal]> {
        self.ends.iter().enumerate().map(|(place, &end)| {
            let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.literals[start as usize..end as usize]
        })
    }

    /// Returns the number of literals of all clauses.
    #[cfg(feature = "solver")]
    pub(crate) fn literal_count(&self) -> usize {
        self.literals.len()
    }

    /// Returns nothing if the formula has all its clauses. Clauses beyond the limit of literals are left out.
    ///
    /// # Errors
    ///
    /// [`ExactError::LongFormula`] if clauses are left out.
    pub fn check_size(&self) -> Result<(), ExactError> {
        if self.is_too_large { Err(ExactError::LongFormula) } else { Ok(()) }
    }

    /// Returns a new variable.
    pub fn variable(&mut self) -> Literal {
        self.variables += 1;
        Literal::of_variable(self.variables)
    }

    /// Adds a clause. A clause with a literal that is always true is left out.
    pub fn clause(&mut self, literals: impl IntoIterator<Item = Literal>) {
        let start = self.literals.len();
        for literal in literals {
            self.is_too_large |= self.literals.len() >= self.limit;
            if literal == Literal::TRUE || self.is_too_large {
                self.literals.truncate(start);
                return;
            }
            if literal != Literal::FALSE {
                self.literals.push(literal);
            }
        }
        self.ends.push(self.literals.len() as u32);
    }

    /// Returns a literal that is true if and only if one of the literals is.
    pub(crate) fn any(&mut self, literals: &[Literal]) -> Literal {
        let open: Vec<Literal> = literals.iter().copied().filter(|&literal| literal != Literal::FALSE).collect();
        if open.contains(&Literal::TRUE) {
            return Literal::TRUE;
        }
        match open[..] {
            [] => Literal::FALSE,
            [literal] => literal,
            _ => {
                let any = self.variable();
                for &literal in &open {
                    self.clause([!literal, any]);
                }
                self.clause(open.into_iter().chain([!any]));
                any
            }
        }
    }

    /// Returns a literal that is true if and only if both literals are.
    pub(crate) fn both(&mut self, one: Literal, other: Literal) -> Literal {
        !self.any(&[!one, !other])
    }

    /// States that at most `most` of the literals are true, by counters.
    ///
    /// # Source
    ///
    /// Sinz, *Towards an optimal CNF encoding of Boolean cardinality constraints*, CP (2005).
    pub fn at_most(&mut self, literals: &[Literal], most: usize) {
        let certain = literals.iter().filter(|&&literal| literal == Literal::TRUE).count();
        let is_open = |literal: &Literal| literal.variable() > 0;
        let open: Vec<Literal> = literals.iter().copied().filter(is_open).collect();
        let Some(most) = most.checked_sub(certain) else { return self.clause([]) };
        if open.len() <= most {
            return;
        }
        if most == 1 && open.len() <= MAX_PAIRWISE {
            for (place, &one) in open.iter().enumerate() {
                open[..place].iter().for_each(|&other| self.clause([!one, !other]));
            }
            return;
        }
        // Counter `i` is true if more than `i` of the literals so far are.
        let mut counters: Vec<Literal> = Vec::new();
        for (place, &literal) in open.iter().enumerate() {
            let before = |count: usize| counters.get(count).copied().unwrap_or(Literal::FALSE);
            let full = if most == 0 { Literal::TRUE } else { before(most - 1) };
            self.clause([!literal, !full]);
            if place + 1 == open.len() || self.is_too_large {
                return;
            }
            let mut after: Vec<Literal> = Vec::new();
            for count in 0..most.min(place + 1) {
                let counter = self.variable();
                self.clause([!before(count), counter]);
                let fewer = if count == 0 { Literal::TRUE } else { before(count - 1) };
                self.clause([!literal, !fewer, counter]);
                after.push(counter);
            }
            counters = after;
        }
    }

    /// States that at least `least` of the literals are true.
    pub(crate) fn at_least(&mut self, literals: &[Literal], least: usize) {
        let Some(most) = literals.len().checked_sub(least) else { return self.clause([]) };
        if least == 1 {
            return self.clause(literals.iter().copied());
        }
        let negations: Vec<Literal> = literals.iter().map(|&literal| !literal).collect();
        self.at_most(&negations, most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if some values of the other variables satisfy all clauses.
    fn is_satisfiable(formula: &Formula, values: &mut Vec<bool>) -> bool {
        let is_true = |literal: &Literal| {
            values.get(literal.variable() as usize - 1).map(|value| value != &literal.is_negation())
        };
        if formula.clauses().any(|clause| clause.iter().all(|literal| is_true(literal) == Some(false))) {
            return false;
        }
        if values.len() == formula.variables() as usize {
            return true;
        }
        [false, true].into_iter().any(|value| {
            values.push(value);
            let is_satisfiable = is_satisfiable(formula, values);
            values.pop();
            is_satisfiable
        })
    }

    #[test]
    fn counters_count() {
        for count in 0..=8 {
            for limit in 0..=count + 1 {
                let of = |state: &dyn Fn(&mut Formula, &[Literal])| {
                    let mut formula = Formula::new(Formula::MAX_LITERALS);
                    let literals: Vec<Literal> = (0..count).map(|_| formula.variable()).collect();
                    state(&mut formula, &literals);
                    formula
                };
                let at_most = of(&|formula, literals| formula.at_most(literals, limit));
                let at_least = of(&|formula, literals| formula.at_least(literals, limit));
                for values in 0u32..1 << count {
                    let mut values: Vec<bool> = (0..count).map(|place| values >> place & 1 == 1).collect();
                    let ones = values.iter().filter(|&&value| value).count();
                    assert_eq!(
                        is_satisfiable(&at_most, &mut values),
                        ones <= limit,
                        "{ones} of {count}, at most {limit}"
                    );
                    assert_eq!(
                        is_satisfiable(&at_least, &mut values),
                        ones >= limit,
                        "{ones} of {count}, at least {limit}"
                    );
                }
            }
        }
    }

    #[test]
    fn certain_literals_count() {
        let mut formula = Formula::new(Formula::MAX_LITERALS);
        let one = formula.variable();
        formula.at_most(&[Literal::TRUE, one, Literal::FALSE], 1);
        assert_eq!(formula.clauses().collect::<Vec<_>>(), [[!one]]);
        formula.at_most(&[Literal::TRUE, Literal::TRUE], 1);
        assert_eq!(formula.clauses().last(), Some(&[][..]));
        assert_eq!(formula.any(&[Literal::FALSE, one]), one);
        assert_eq!(formula.any(&[]), Literal::FALSE);
        assert_eq!(formula.both(Literal::TRUE, one), one);
    }

    #[test]
    fn large_formulas_are_refused() {
        let mut formula = Formula::new(Formula::MAX_LITERALS);
        let literals: Vec<Literal> = (0..2_000).map(|_| formula.variable()).collect();
        formula.at_most(&literals, 1_000);
        assert_eq!(formula.check_size(), Err(ExactError::LongFormula));
        assert!(formula.literals.len() <= Formula::MAX_LITERALS);
    }
}
