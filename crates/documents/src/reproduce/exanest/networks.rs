//! Single networks of the paper: the wiring of Figure 2, all networks of four links, and the picks.

use anyhow::{Context, Result, ensure};
use lockstep::design::{DesignProblem, DesignRules, Machine, Network, PortRule, enumerate, objective};
use lockstep::pareto::{EqualPoints, Points};
use rayon::prelude::*;

use super::columns::{FrontDesign, Runs};
use super::figures::{AllNetworks, Drawing, Pick};
use super::overrated::{Width, width};
use super::simulated::Entry;

/// Counts the cables of Figure 2 that its code has.
pub(super) fn drawn(drawing: &Drawing) -> Result<usize> {
    let Drawing { machine, code, cables } = drawing;
    let topology = machine.topology(code)?;
    let router = |slot: u32| (slot - 1) / machine.slots();
    let is_there = |&&[from, to]: &&[u32; 2]| {
        let links = topology.channels().map(|channel| [topology.tail(channel), topology.head(channel)]);
        links.into_iter().any(|ends| ends.map(|node| node.index() as u32) == [router(from), router(to)])
    };
    Ok(cables.iter().filter(is_there).count())
}

/// All networks with a number of links, and the best of them.
#[derive(Default)]
pub(super) struct EnumeratedNetworks {
    pub(super) choices: u128,
    pub(super) classes: usize,
    pub(super) connected: usize,
    /// Proved bisection width and number of paths.
    pub(super) front: Vec<[f64; 2]>,
    /// The same for networks with equal numbers of ports on both routers of a chassis.
    pub(super) equal_ports: Vec<[f64; 2]>,
}

impl EnumeratedNetworks {
    /// Returns true if counts and front are as expected, to three decimals.
    pub(super) fn matches(&self, expected: &AllNetworks) -> bool {
        let same = |a: f64, b: f64| (a - b).abs() < 1e-3;
        let counts = (self.choices, self.classes, self.connected);
        counts == (expected.choices, expected.classes, expected.connected)
            && self.front.len() == expected.front.len()
            && self.front.iter().zip(&expected.front).all(|(a, b)| same(a[0], b[0]) && same(a[1], b[1]))
    }
}

/// Enumerates and scores all networks of a machine with `links` links per chassis.
pub(super) fn enumerated(machine: Machine, links: u32) -> Result<EnumeratedNetworks> {
    let objectives = ["exact-bisection", "paths"].map(objective).into_iter().collect::<Result<Vec<_>, _>>()?;
    let of = |ports| -> Result<_> {
        let rules = DesignRules { ports, ..DesignRules::PUBLISHED };
        let problem = DesignProblem::new(machine, objectives.clone(), rules)?;
        let enumeration = enumerate(&problem, links)?;
        let senses: Vec<_> = objectives.iter().map(|objective| objective.sense()).collect();
        let points = Points::new(&senses, enumeration.designs.iter().map(|design| &design.scores))?;
        let place = |place: usize| [enumeration.designs[place].scores[0], enumeration.designs[place].scores[1]];
        let mut front: Vec<_> = points.front(EqualPoints::Remove).into_iter().map(place).collect();
        front.sort_by(|a, b| b[0].total_cmp(&a[0]));
        Ok((enumeration, front))
    };
    let (all, front) = of(PortRule::Any)?;
    let (_, equal_ports) = of(PortRule::Equal)?;
    let connected = all.designs.len();
    Ok(EnumeratedNetworks { choices: all.choices, classes: all.classes, connected, front, equal_ports })
}

/// A pick with its measured metrics.
pub(super) struct MeasuredPick<'a> {
    pub(super) pick: &'a Pick,
    pub(super) width: Width,
    pub(super) paths: f64,
    pub(super) distance: f64,
    pub(super) diameter: u32,
    /// Largest number of cables at a router.
    pub(super) ports: u32,
}

/// Measures the picks.
pub(super) fn measured<'a>(machine: Machine, picks: &'a [Pick]) -> Result<Vec<MeasuredPick<'a>>> {
    let measure = |pick: &'a Pick| {
        let Pick { code, .. } = pick;
        let mut network = Network::of_code(&machine, code)?;
        let diversity = network.diversity().context("picks are connected")?;
        Ok(MeasuredPick {
            pick,
            width: width(&machine, code)?,
            paths: diversity.mean(),
            distance: diversity.distances.mean(),
            diameter: diversity.distances.diameter,
            ports: network.graph().greatest_degree(),
        })
    };
    picks.par_iter().map(measure).collect()
}

/// Returns the designs of our fronts that are closest to those of Figure 5.
///
/// `wanted` has f1 and f2, and the share of external cables.
pub(super) fn alike(columns: &[Runs<'_>], links: u32, wanted: &[([f64; 2], f64)]) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for &([cut, paths], external) in wanted {
        let matching =
            columns.iter().filter(|runs| runs.column.table == 3 && (runs.column.external - external).abs() < 1e-9);
        let designs = matching.flat_map(|runs| runs.designs().map(|found| (runs.column.machine, found)));
        let far = |found: &FrontDesign| (found.cut / cut).ln().abs() + (found.paths / paths).ln().abs();
        let nearest = designs
            .filter(|(_, found)| found.links == links)
            .min_by(|(_, a), (_, b)| far(a).total_cmp(&far(b)).then_with(|| a.code.cmp(&b.code)));
        ensure!(nearest.is_some(), "no design with {links} links for pext {external}: reproduce Table 3 as well");
        if let Some((machine, found)) = nearest {
            let name = format!("{:.0}-{:.0}-{links}", found.cut, found.paths);
            entries.push(Entry { name, networks: vec![machine.topology(&found.code)?] });
        }
    }
    Ok(entries)
}
