//! Feasibility of linear inequalities that are added one after the other.

/// Smaller absolute values count as zero.
const TOLERANCE: f64 = 1e-9;

/// Inequalities `a x <= b` over variables `x >= 0`, solved by the dual simplex method with a dense dictionary.
///
/// The solution is the cheapest point under fixed costs without ties. So every pivot makes progress, and an inequality
/// that was removed while it was not tight is not added again forever. Numbers are rounded, so a caller must check the
/// result.
///
/// Memory: 8 bytes per pair of a variable and an inequality that was not removed.
///
/// # Source
///
/// Lemke, "The dual method of solving the linear programming problem", *Naval Research Logistics Quarterly* 1 (1954).
#[derive(Clone, Debug)]
pub struct DualSimplex {
    /// The variable or slack of each column. Their values are zero.
    columns: Vec<Symbol>,
    /// The variable or slack of each row: all others.
    rows: Vec<Symbol>,
    /// The value of each row.
    level: Vec<f64>,
    /// Row by row: the decrease of the row per unit of the column.
    cells: Vec<f64>,
    /// The increase of the cost per unit of each column; never negative.
    cost: Vec<f64>,
    /// Number of inequalities added so far.
    inequalities: u32,
}

/// A variable, or the slack of an inequality.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Symbol {
    Variable(u32),
    Slack(u32),
}

/// The outcome of a linear program.
#[derive(Clone, PartialEq, Debug)]
pub enum LpOutcome {
    /// The inequalities hold at this point, up to rounding.
    Point(Vec<f64>),
    /// The sum of these multiples of inequalities is `a x <= b` with `a >= 0` and `b < 0`. Inequalities are numbered in
    /// the order in which they were added.
    Contradiction(Vec<(u32, f64)>),
}

impl DualSimplex {
    /// Starts without inequalities; the variables are zero. Their costs are 1 to 2.
    pub fn new(variables: usize) -> Self {
        Self::with_costs((0..variables as u64).map(|variable| 1.0 + fraction(variable)).collect())
    }

    /// Starts without inequalities, with a variable per cost. Costs are not negative. Among equal ones, pivots may not make progress.
    pub fn with_costs(cost: Vec<f64>) -> Self {
        Self {
            columns: (0..cost.len() as u32).map(Symbol::Variable).collect(),
            rows: Vec::new(),
            level: Vec::new(),
            cells: Vec::new(),
            cost,
            inequalities: 0,
        }
    }

    /// Adds the inequality `coefficients x <= bound`.
    pub fn add(&mut self, coefficients: &[f64], bound: f64) {
        let coefficient = |symbol: Symbol| match symbol {
            Symbol::Variable(variable) => coefficients[variable as usize],
            Symbol::Slack(_) => 0.0,
        };
        let mut cells: Vec<f64> = self.columns.iter().map(|&column| coefficient(column)).collect();
        let mut level = bound;
        for ((&symbol, row), &value) in
            self.rows.iter().zip(self.cells.chunks(self.columns.len().max(1))).zip(&self.level)
        {
            let factor = coefficient(symbol);
            if factor != 0.0 {
                subtract(&mut cells, factor, row);
                level -= factor * value;
            }
        }
        self.rows.push(Symbol::Slack(self.inequalities));
        self.level.push(level);
        self.cells.extend(cells);
        self.inequalities += 1;
    }

    /// Removes the inequalities that are not tight. The numbers of the others stay the same.
    pub fn remove_loose(&mut self) {
        let width = self.columns.len();
        for row in (0..self.rows.len()).rev() {
            if matches!(self.rows[row], Symbol::Slack(_)) && self.level[row] > TOLERANCE {
                let last = self.rows.len() - 1;
                self.rows.swap_remove(row);
                self.level.swap_remove(row);
                self.cells.copy_within(last * width.., row * width);
                self.cells.truncate(last * width);
            }
        }
    }

    /// Finds a point that satisfies all inequalities, or a contradiction. Returns `None` if the work is used up, which
    /// is counted in changed cells.
    pub fn solve(&mut self, work_left: &mut u64) -> Option<LpOutcome> {
        loop {
            *work_left = work_left.checked_sub(self.cells.len() as u64)?;
            let lowest = (0..self.rows.len()).min_by(|&a, &b| self.level[a].total_cmp(&self.level[b]));
            let Some(row) = lowest.filter(|&row| self.level[row] < -TOLERANCE) else {
                return Some(LpOutcome::Point(self.point()));
            };
            match self.entering(row) {
                Some(column) => self.pivot(row, column),
                None => return Some(LpOutcome::Contradiction(self.contradiction(row))),
            }
        }
    }

    /// Returns the increase of the least cost per unit by which an inequality is tightened, at the last point: the dual values above
    /// zero. Inequalities are numbered in the order in which they were added.
    pub fn prices(&self) -> Vec<(u32, f64)> {
        let price = |(&column, &cost): (&Symbol, &f64)| match column {
            Symbol::Slack(inequality) if cost > TOLERANCE => Some((inequality, cost)),
            _ => None,
        };
        self.columns.iter().zip(&self.cost).filter_map(price).collect()
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.columns.len()..][..self.columns.len()]
    }

    fn point(&self) -> Vec<f64> {
        let mut point = vec![0.0; self.columns.len()];
        for (&symbol, &level) in self.rows.iter().zip(&self.level) {
            if let Symbol::Variable(variable) = symbol {
                point[variable as usize] = level.max(0.0);
            }
        }
        point
    }

    /// Returns the column that raises the row at the smallest cost. Near ties go to the column that raises it most.
    fn entering(&self, row: usize) -> Option<usize> {
        let raising = || self.row(row).iter().zip(&self.cost).enumerate().filter(|(_, (cell, _))| **cell < -TOLERANCE);
        let least = raising().map(|(_, (cell, cost))| (cost + TOLERANCE) / -cell).min_by(f64::total_cmp)?;
        let cheap = raising().filter(|(_, (cell, cost))| *cost / -**cell <= least);
        cheap.min_by(|(_, (a, _)), (_, (b, _))| a.total_cmp(b)).map(|(column, _)| column)
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let width = self.columns.len();
        let mut own = self.row(row).to_vec();
        let pivot = own[column];
        own[column] = 1.0;
        for cell in &mut own {
            *cell /= pivot;
        }
        let level = self.level[row] / pivot;
        let others = self.cells.chunks_mut(width).zip(&mut self.level).enumerate();
        for (_, (cells, value)) in others.filter(|&(other, _)| other != row) {
            let factor = std::mem::replace(&mut cells[column], 0.0);
            if factor != 0.0 {
                subtract(cells, factor, &own);
                *value -= factor * level;
            }
        }
        let factor = std::mem::replace(&mut self.cost[column], 0.0);
        subtract(&mut self.cost, factor, &own);
        for cost in &mut self.cost {
            *cost = cost.max(0.0);
        }
        self.cells[row * width..][..width].copy_from_slice(&own);
        self.level[row] = level;
        std::mem::swap(&mut self.rows[row], &mut self.columns[column]);
    }

    /// Returns the inequalities whose slacks form a negative row that no column raises.
    fn contradiction(&self, row: usize) -> Vec<(u32, f64)> {
        let own = std::iter::once((&self.rows[row], 1.0));
        let parts = own.chain(self.columns.iter().zip(self.row(row).iter().copied()));
        let slacks = parts.filter_map(|(&symbol, multiple)| match symbol {
            Symbol::Slack(inequality) if multiple > TOLERANCE => Some((inequality, multiple)),
            _ => None,
        });
        slacks.collect()
    }
}

/// Subtracts a multiple of `others`.
fn subtract(from: &mut [f64], factor: f64, others: &[f64]) {
    from.iter_mut().zip(others).for_each(|(value, other)| *value -= factor * other);
}

/// Returns a pseudorandom number from 0 to 1, so that costs have no ties.
///
/// # Source
///
/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", *OOPSLA* (2014), the finaliser.
fn fraction(number: u64) -> f64 {
    let mixed = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Inequalities are added all at once, or one by one with the loose ones removed.
        #[test]
        fn every_outcome_proves_itself(
            inequalities in (0..6usize).prop_flat_map(|width| vec((vec(-3..=3i32, width), -4..=6i32), 1..12)),
            one_by_one: bool,
        ) {
            let width = inequalities[0].0.len();
            let mut program = DualSimplex::new(width);
            let mut outcome = LpOutcome::Point(vec![0.0; width]);
            for (number, (coefficients, bound)) in inequalities.iter().enumerate() {
                let coefficients: Vec<f64> = coefficients.iter().copied().map(f64::from).collect();
                program.add(&coefficients, f64::from(*bound));
                if one_by_one || number + 1 == inequalities.len() {
                    outcome = program.solve(&mut 1_000_000).expect("small programs end");
                    if let LpOutcome::Contradiction(_) = outcome {
                        break;
                    }
                    program.remove_loose();
                }
            }
            match outcome {
                LpOutcome::Point(point) => {
                    prop_assert!(point.iter().all(|&value| value >= 0.0));
                    // Removed inequalities may be violated.
                    for (coefficients, bound) in inequalities.iter().filter(|_| !one_by_one) {
                        let sum: f64 = coefficients.iter().zip(&point).map(|(&a, x)| f64::from(a) * x).sum();
                        prop_assert!(sum <= f64::from(*bound) + 1e-6, "{sum} at {point:?}");
                    }
                }
                LpOutcome::Contradiction(multiples) => {
                    prop_assert!(multiples.iter().all(|&(_, times)| times > 0.0));
                    let (mut left, mut right) = (vec![0.0; width], 0.0);
                    for (place, times) in multiples {
                        let (coefficients, bound) = &inequalities[place as usize];
                        left.iter_mut().zip(coefficients).for_each(|(sum, &a)| *sum += times * f64::from(a));
                        right += times * f64::from(*bound);
                    }
                    prop_assert!(right < -1e-7 && left.iter().all(|&sum| sum > -1e-6), "{left:?} {right}");
                }
            }
        }
    }

    #[test]
    fn prices_prove_the_least_cost() {
        let mut program = DualSimplex::with_costs(vec![3.0, 2.0]);
        program.add(&[-1.0, -1.0], -4.0);
        program.add(&[-1.0, 0.0], -1.0);
        program.add(&[0.0, 1.0], 9.0);
        assert_eq!(program.solve(&mut 100), Some(LpOutcome::Point(vec![1.0, 3.0])));
        let mut prices = program.prices();
        prices.sort_by_key(|&(inequality, _)| inequality);
        assert_eq!(prices, [(0, 2.0), (1, 1.0)]); // 4 * 2 + 1 * 1 = 3 * 1 + 2 * 3
    }

    #[test]
    fn without_work_there_is_no_outcome() {
        let mut program = DualSimplex::new(1);
        program.add(&[-1.0], -1.0);
        assert_eq!(program.clone().solve(&mut 0), None);
        assert_eq!(program.solve(&mut 10), Some(LpOutcome::Point(vec![1.0])));
        program.add(&[1.0], 0.5);
        assert_eq!(program.solve(&mut 10), Some(LpOutcome::Contradiction(vec![(1, 1.0), (0, 1.0)])));
    }
}
