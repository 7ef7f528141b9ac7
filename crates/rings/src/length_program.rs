//! Lengths by a linear program: the duals of one fractional ring with the least load.

use lockstep_bounds::{DualSimplex, LpOutcome};
use lockstep_paths::FlowNetwork;
use lockstep_topology::NodeId;

use crate::bound::RingLengths;
use crate::hops::Hops;
use crate::lengths::{better, with_potentials};
use crate::problem::RingProblem;

/// Maximum number of entries of the table of the program.
const MAX_CELLS: usize = 1 << 22;

/// The costs of hops beside that of `rho`, which avoid ties.
const TIE: f64 = 1e-6;

/// Capacities of a hop in the search for cuts.
const FLOW_SCALE: f64 = 1e6;

/// A cut is added if less than this part of a ring leaves it.
const CUT: f64 = 1.0 - 1e-4;

/// Numbers to which the largest length is rounded.
const SCALES: [u32; 10] = [1, 2, 3, 4, 6, 8, 12, 24, 60, 840];

/// What an inequality of the program states.
#[derive(Clone, Copy)]
enum Row {
    /// A ring leaves or enters a stop, or has only as many hops as stops. Its dual value is computed again after the rounding.
    Degree,
    /// The load of a resource.
    Load(usize),
    /// A ring leaves a cut.
    Cut(usize),
}

/// The program: a variable per hop, then `rho`.
struct Program {
    simplex: DualSimplex,
    rows: Vec<Row>,
    /// The stops inside each cut.
    cuts: Vec<Vec<bool>>,
}

/// Returns the best lengths that a linear program finds, or `None` if the problem is too large or the work is used up.
///
/// Without even a fractional ring, all lengths are zero. `work` counts changed cells of a table, 2^27 in a tenth of a second.
///
/// # Source
///
/// Dantzig, Fulkerson and Johnson, *Solution of a large-scale traveling-salesman problem*, Operations Research 2 (1954).
pub(crate) fn program_lengths(problem: &RingProblem<'_>, work: &mut u64) -> Option<RingLengths> {
    let (hops, stops) = (Hops::new(problem), problem.stops());
    let resources = problem.topology().resource_count();
    if (hops.len() + 1).saturating_mul(2 * stops + 1 + resources) > MAX_CELLS {
        return None;
    }
    let mut program = Program::new(problem, &hops);
    loop {
        let point = match program.simplex.solve(work)? {
            LpOutcome::Contradiction(multiples) => return program.certificate(problem, &multiples, None),
            LpOutcome::Point(point) => point,
        };
        let new = violated_cuts(&hops, stops, &point, &program.cuts);
        if new.is_empty() {
            return program.certificate(problem, &program.simplex.prices(), Some(point[hops.len()]));
        }
        for cut in new {
            program.add_cut(&hops, cut);
        }
    }
}

impl Program {
    fn new(problem: &RingProblem<'_>, hops: &Hops) -> Self {
        let (stops, count) = (problem.stops(), hops.len());
        let tie = |hop: usize| TIE * (1.0 + (hop * 7919 % 1009) as f64 / 1009.0) / stops as f64;
        let costs = (0..count).map(tie).chain([1.0]).collect();
        let mut program = Self { simplex: DualSimplex::with_costs(costs), rows: Vec::new(), cuts: Vec::new() };
        for lists in hops.of_stops(stops) {
            for list in lists {
                let mut row = vec![0.0; count + 1];
                for hop in list {
                    row[hop] = -1.0;
                }
                program.add(Row::Degree, &row, -1.0);
            }
        }
        let mut row = vec![1.0; count + 1];
        row[count] = 0.0;
        program.add(Row::Degree, &row, stops as f64);
        let mut rows = vec![Vec::new(); problem.topology().resource_count()];
        for hop in 0..count {
            hops.resources(hop).iter().for_each(|&resource| rows[resource as usize].push(hop));
        }
        for (resource, users) in rows.into_iter().enumerate().filter(|(_, users)| !users.is_empty()) {
            let mut row = vec![0.0; count + 1];
            for hop in users {
                row[hop] += 1.0;
            }
            row[count] = -f64::from(problem.capacity(resource));
            program.add(Row::Load(resource), &row, 0.0);
        }
        program
    }

    fn add(&mut self, row: Row, coefficients: &[f64], bound: f64) {
        self.simplex.add(coefficients, bound);
        self.rows.push(row);
    }

    fn add_cut(&mut self, hops: &Hops, is_inside: Vec<bool>) {
        let mut row = vec![0.0; hops.len() + 1];
        for hop in 0..hops.len() {
            if is_inside[hops.from(hop)] && !is_inside[hops.to(hop)] {
                row[hop] = -1.0;
            }
        }
        let cut = self.cuts.len();
        self.cuts.push(is_inside);
        self.add(Row::Cut(cut), &row, -1.0);
    }

    /// Rounds multiples of the inequalities to a certificate. `rho` is the value of the program, if there is a fractional ring.
    fn certificate(
        &self,
        problem: &RingProblem<'_>,
        multiples: &[(u32, f64)],
        rho: Option<f64>,
    ) -> Option<RingLengths> {
        let mut lengths = vec![0.0; problem.topology().resource_count()];
        let mut weights = vec![0.0; self.cuts.len()];
        for &(row, multiple) in multiples {
            match self.rows[row as usize] {
                Row::Degree => {}
                Row::Load(resource) => lengths[resource] = multiple,
                Row::Cut(cut) => weights[cut] = multiple,
            }
        }
        if rho.is_none() {
            lengths.fill(0.0);
        }
        let largest = lengths.iter().chain(&weights).copied().fold(0.0, f64::max);
        let mut best: Option<RingLengths> = None;
        for scale in SCALES {
            let round =
                |value: f64| if largest > 0.0 { whole((value / largest * f64::from(scale)).round()) } else { 0 };
            let lengths: Vec<u32> = lengths.iter().map(|&length| round(length)).collect();
            let cuts =
                self.cuts.iter().zip(&weights).map(|(is_inside, &weight)| (nodes(problem, is_inside), round(weight)));
            let cuts = cuts.filter(|&(_, weight)| weight > 0).collect();
            let found = with_potentials(problem, &lengths, cuts, rho.is_none().then_some(scale))?;
            let is_exact = match rho {
                None => found.length > 0,
                Some(rho) => (found.length as f64 / found.volume as f64 - rho).abs() < 1e-5 * rho,
            };
            best = Some(match best {
                None => found,
                Some(best) => better(best, found),
            });
            if is_exact {
                break;
            }
        }
        best
    }
}

/// Returns the terminals inside a cut, or outside if the end of a chain is inside.
fn nodes(problem: &RingProblem<'_>, is_inside: &[bool]) -> Vec<NodeId> {
    let terminals = problem.terminals();
    let is_inverted = is_inside.get(terminals.len()).is_some_and(|&end| end);
    terminals.iter().zip(is_inside).filter(|&(_, &is_inside)| is_inside != is_inverted).map(|(&node, _)| node).collect()
}

/// Returns sets of stops that a fractional ring leaves by less than one hop, without those that are known.
fn violated_cuts(hops: &Hops, stops: usize, point: &[f64], known: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let mut value = vec![0.0; stops * stops];
    for hop in 0..hops.len() {
        value[hops.from(hop) * stops + hops.to(hop)] += point[hop];
    }
    let mut network = FlowNetwork::new(stops);
    let mut capacities = Vec::new();
    for (pair, &value) in value.iter().enumerate() {
        let capacity = whole(value * FLOW_SCALE);
        if capacity > 0 {
            network.add_arc(pair / stops, pair % stops, capacity);
            capacities.push(capacity);
        }
    }
    let mut found: Vec<Vec<bool>> = Vec::new();
    for other in 1..stops {
        for [source, sink] in [[0, other], [other, 0]] {
            network.reset(|arc| capacities[arc.index()]);
            if (network.max_flow(source, sink) as f64) < CUT * FLOW_SCALE {
                let mut cut: Vec<bool> = (0..stops).map(|stop| network.is_on_source_side(stop)).collect();
                // The side without the last stop, which is the end of a chain.
                if cut[stops - 1] {
                    for is_inside in &mut cut {
                        *is_inside = !*is_inside;
                    }
                }
                if !found.contains(&cut) && !known.contains(&cut) {
                    found.push(cut);
                }
            }
        }
    }
    found
}

/// Returns the whole part of a number; 0 if it is negative.
#[expect(clippy::cast_sign_loss, reason = "a cast of a negative number is 0")]
fn whole(value: f64) -> u32 {
    value as u32
}
