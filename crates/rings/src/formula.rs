//! The formula that states that a set of rings exists.

use lockstep_exact::{ExactError, Formula, Literal};

use crate::hops::Hops;
use crate::problem::RingProblem;
use crate::rational::Rational;

/// Why there is no formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum FormulaError {
    /// Too many paths.
    #[error("hops have too many paths for a formula")]
    ManyPaths,
    /// A set of ranks that a ring need not leave.
    #[error("a cut is not a proper subset of the terminals")]
    Cut,
    /// Too many literals.
    #[error(transparent)]
    Long(#[from] ExactError),
}

/// A formula with a variable for each ring and hop. Its models are the sets of rings that may each be several cycles; every cut adds the
/// clauses that each ring leaves a set of stops.
///
/// A ring leaves and enters each stop once. The loads of all resources fit `rho`. The first stop after the first terminal does not decrease
/// from ring to ring, because the order of rings is of no matter.
pub(crate) struct RingFormula {
    hops: Hops,
    formula: Formula,
    rings: usize,
    stops: usize,
    /// The variables, by ring and hop.
    variables: Vec<Literal>,
}

impl RingFormula {
    /// Returns the formula for rings with at most this `rho`, or any.
    pub(crate) fn new(problem: &RingProblem<'_>, rings: u32, rho: Option<Rational>) -> Result<Self, FormulaError> {
        let formula = Self::of_found_hops(problem, rings, rho)?;
        if formula.hops.is_complete() { Ok(formula) } else { Err(FormulaError::ManyPaths) }
    }

    /// Returns the formula over the hops that were found, which may not be all.
    pub(crate) fn of_found_hops(
        problem: &RingProblem<'_>,
        rings: u32,
        rho: Option<Rational>,
    ) -> Result<Self, FormulaError> {
        let (hops, stops, rings) = (Hops::new(problem), problem.stops(), rings as usize);
        let mut formula = Formula::new(Formula::MAX_LITERALS);
        if rings.saturating_mul(hops.len()) > Formula::MAX_LITERALS {
            return Err(FormulaError::Long(ExactError::LongFormula));
        }
        let variables = (0..rings * hops.len()).map(|_| formula.variable()).collect();
        let mut formula = Self { hops, formula, rings, stops, variables };
        formula.state_degrees();
        if let Some(rho) = rho {
            formula.state_loads(problem, rho);
        }
        formula.state_order_of_rings();
        formula.state_gateway(problem);
        formula.formula.check_size()?;
        Ok(formula)
    }

    pub(crate) fn formula(&self) -> &Formula {
        &self.formula
    }

    pub(crate) fn rings(&self) -> usize {
        self.rings
    }

    pub(crate) fn hops(&self) -> &Hops {
        &self.hops
    }

    /// Returns the variable of a hop in a ring.
    pub(crate) fn variable(&self, ring: usize, hop: usize) -> Literal {
        self.variables[ring * self.hops.len() + hop]
    }

    fn state_degrees(&mut self) {
        let lists = self.hops.of_stops(self.stops);
        for ring in 0..self.rings {
            for hops in lists.iter().flatten() {
                let literals: Vec<Literal> = hops.iter().map(|&hop| self.variable(ring, hop)).collect();
                self.formula.clause(literals.iter().copied());
                self.formula.at_most(&literals, 1);
            }
        }
    }

    fn state_loads(&mut self, problem: &RingProblem<'_>, rho: Rational) {
        let mut users = vec![Vec::new(); problem.topology().resource_count()];
        for hop in 0..self.hops.len() {
            self.hops.resources(hop).iter().for_each(|&resource| users[resource as usize].push(hop));
        }
        for (resource, users) in users.iter().enumerate() {
            let room = rho.floor_of(problem.capacity(resource));
            let literals: Vec<Literal> = (0..self.rings)
                .flat_map(|ring| users.iter().map(move |&hop| (ring, hop)))
                .map(|(ring, hop)| self.variable(ring, hop))
                .collect();
            self.at_most(literals, usize::try_from(room).unwrap_or(usize::MAX));
        }
    }

    /// States that at most `most` of the literals are true. A literal counts as often as it is listed, one copy after the other.
    fn at_most(&mut self, mut literals: Vec<Literal>, most: usize) {
        // No clause has a literal twice.
        for copies in literals.chunk_by(|a, b| a == b).filter(|copies| copies.len() > most) {
            self.formula.clause([!copies[0]]);
        }
        if most == 1 {
            literals.dedup();
        }
        self.formula.at_most(&literals, most);
    }

    fn state_order_of_rings(&mut self) {
        let leaving: Vec<usize> = (0..self.hops.len()).filter(|&hop| self.hops.from(hop) == 0).collect();
        for ring in 1..self.rings {
            if self.formula.check_size().is_err() {
                return;
            }
            for &hop in &leaving {
                for &earlier in leaving.iter().filter(|&&earlier| self.hops.to(earlier) < self.hops.to(hop)) {
                    let clause = [!self.variable(ring - 1, hop), !self.variable(ring, earlier)];
                    self.formula.clause(clause);
                }
            }
        }
    }

    fn state_gateway(&mut self, problem: &RingProblem<'_>) {
        let Some(rule) = problem.gateway_rule() else { return };
        let Some(gateway) = problem.rank(rule.node) else { return };
        let topology = problem.topology();
        // The hops that leave the terminal and enter it, each with the other end of the channel there.
        let (mut leaving, mut entering) = (Vec::new(), Vec::new());
        for hop in 0..self.hops.len() {
            let channels = self.hops.channels(hop);
            let (Some(&first), Some(&last)) = (channels.first(), channels.last()) else { continue };
            if self.hops.from(hop) == gateway {
                leaving.push((hop, topology.head(first)));
            }
            if self.hops.to(hop) == gateway {
                entering.push((hop, topology.tail(last)));
            }
        }
        let is_allowed = |next, last| match rule.pairs[..] {
            [] => next == last,
            ref pairs => pairs.contains(&[next, last]),
        };
        for &(out, next) in &leaving {
            if self.formula.check_size().is_err() {
                return;
            }
            for &(into, _) in entering.iter().filter(|&&(_, last)| !is_allowed(next, last)) {
                for ring in 0..self.rings {
                    let clause = [!self.variable(ring, out), !self.variable(ring, into)];
                    self.formula.clause(clause);
                }
            }
        }
        for [next, _] in &rule.pairs {
            let of_pair = leaving.iter().filter(|(_, node)| node == next);
            let literals: Vec<Literal> = of_pair
                .flat_map(|&(hop, _)| (0..self.rings).map(move |ring| (ring, hop)))
                .map(|(ring, hop)| self.variable(ring, hop))
                .collect();
            self.formula.at_most(&literals, self.rings / rule.pairs.len());
        }
    }

    /// States that all hops together have at most a number of channels. Returns false if that is impossible because each hop has too many.
    pub(crate) fn limit_length(&mut self, most: usize) -> Result<bool, FormulaError> {
        let lengths: Vec<usize> = (0..self.hops.len()).map(|hop| self.hops.channels(hop).len()).collect();
        // Each stop is left by a shortest hop, and by the excess of another one.
        let mut least = vec![usize::MAX; self.stops];
        for (hop, &length) in lengths.iter().enumerate() {
            let least = &mut least[self.hops.from(hop)];
            *least = length.min(*least);
        }
        let sum = least.iter().fold(0, |sum: usize, &length| sum.saturating_add(length));
        let Some(excess) = most.checked_sub(sum.saturating_mul(self.rings)) else { return Ok(false) };
        let mut literals = Vec::new();
        for ring in 0..self.rings {
            for (hop, &length) in lengths.iter().enumerate() {
                let copies = length - least[self.hops.from(hop)];
                literals.extend(std::iter::repeat_n(self.variable(ring, hop), copies));
            }
        }
        self.at_most(literals, excess);
        self.formula.check_size()?;
        Ok(true)
    }

    /// Adds the clauses that each ring leaves a set of stops, and returns them.
    pub(crate) fn cut(&mut self, ranks: &[u32]) -> Result<Vec<Vec<Literal>>, FormulaError> {
        let mut inside = vec![false; self.stops];
        for &rank in ranks {
            *inside.get_mut(rank as usize).ok_or(FormulaError::Cut)? = true;
        }
        if !inside.contains(&true) || !inside.contains(&false) {
            return Err(FormulaError::Cut);
        }
        let leaves = |hop: &usize| inside[self.hops.from(*hop)] && !inside[self.hops.to(*hop)];
        let leaving: Vec<usize> = (0..self.hops.len()).filter(leaves).collect();
        let of_ring = |ring| leaving.iter().map(|&hop| self.variable(ring, hop)).collect();
        let clauses: Vec<Vec<Literal>> = (0..self.rings).map(of_ring).collect();
        for clause in &clauses {
            self.formula.clause(clause.iter().copied());
        }
        self.formula.check_size()?;
        Ok(clauses)
    }
}
