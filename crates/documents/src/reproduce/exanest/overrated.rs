//! The error of the published bisection widths: each is the luckiest run of a heuristic.

use anyhow::Result;
use lockstep::design::{CablingCode, Machine, Network};
use lockstep::metrics::{Bisector, Graph, exact_bisection};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::columns::{FrontDesign, Runs, Sample};

/// Runs of the heuristic per network; their mean is the expected result of one run.
const FRESH: u32 = 20;

/// Limit of search nodes per proof, some seconds of work.
const NODE_BUDGET: u64 = 30_000_000;

/// Bounds on the bisection width of a network.
#[derive(Clone, Copy)]
pub(super) struct Width {
    pub(super) cut: u32,
    pub(super) lower_bound: u32,
}

impl Width {
    pub(super) fn is_exact(self) -> bool {
        self.cut == self.lower_bound
    }
}

/// Returns the bisection width of a design.
pub(super) fn width(machine: &Machine, code: &CablingCode) -> Result<Width> {
    width_of(Network::of_code(machine, code)?.graph())
}

/// Returns the bisection width of a network; its sides passed their check.
pub(super) fn width_of(graph: &Graph) -> Result<Width> {
    let bisection = exact_bisection(graph, NODE_BUDGET)?.bisection;
    bisection.check(graph)?;
    Ok(Width { cut: bisection.cut, lower_bound: bisection.lower_bound })
}

/// The highest f1 of the fronts of all runs, for one number of links.
pub(super) struct Overrated {
    pub(super) links: u32,
    /// The value during the search.
    pub(super) recorded: Sample,
    /// The expected result of one run of the heuristic.
    pub(super) fresh: Sample,
    /// The bisection width.
    pub(super) width: Sample,
    /// Number of networks with a proved width.
    pub(super) proved: usize,
}

/// Compares the highest f1 of each front with the bisection width, by number of links.
pub(super) fn overrated(runs: &Runs<'_>) -> Result<Vec<Overrated>> {
    let machine = runs.column.machine;
    let mut rows = Vec::new();
    for group in &runs.column.groups {
        let record = |front: &'_ Vec<FrontDesign>| {
            let alike = front.iter().filter(|found| found.links == group.links);
            alike.max_by(|a, b| a.cut.total_cmp(&b.cut)).map(|found| (found.cut, found.code.clone()))
        };
        let records: Vec<_> = runs.fronts.iter().filter_map(record).collect();
        let measured = records
            .par_iter()
            .map(|(recorded, code)| {
                let network = Network::of_code(&machine, code)?;
                let (mut bisector, mut random) = (Bisector::default(), ChaCha8Rng::seed_from_u64(1));
                let fresh: u32 = (0..FRESH).map(|_| bisector.kernighan_lin(network.graph(), &mut random)).sum();
                Ok((*recorded, f64::from(fresh) / f64::from(FRESH), width(&machine, code)?))
            })
            .collect::<Result<Vec<_>>>()?;
        let samples = (
            Sample::of(measured.iter().map(|(recorded, ..)| *recorded)),
            Sample::of(measured.iter().map(|(_, fresh, _)| *fresh)),
            Sample::of(measured.iter().map(|(.., width)| f64::from(width.cut))),
        );
        if let (Some(recorded), Some(fresh), Some(width)) = samples {
            let proved = measured.iter().filter(|(.., width)| width.is_exact()).count();
            rows.push(Overrated { links: group.links, recorded, fresh, width, proved });
        }
    }
    Ok(rows)
}
