//! Results beyond the paper: fronts with proved widths, predictors of performance, and random networks.

use std::num::NonZeroU32;

use anyhow::{Context, Result};
use lockstep::Topology;
use lockstep::design::{
    CablingCode, DesignProblem, DesignRules, InitialSlots, Machine, Network, PortRule, objective, objectives,
};
use lockstep::flow::{Routing, Workload};
use lockstep::metrics::Graph;
use lockstep::pareto::{
    Elites, EqualPoints, Evolution, EvolutionOptions, MultiObjectiveProblem, Points, SelectionAlgorithm, Sense,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::columns::options;
use super::overrated::{Width, width, width_of};
use super::simulated::completion;

/// Numbers of links for which predictors are compared.
pub(super) const PREDICTED_LINKS: [u32; 3] = [4, 8, 12];

/// Generations per search.
const GENERATIONS: u32 = 180;

/// Number of searches with different seeds whose fronts are merged.
const SEEDS: u64 = 4;

/// Random designs for each number of links.
const DRAWN: usize = 40;

/// Draws of the application per network.
const DRAWS: u64 = 8;

/// A design of a front with its proved bisection width.
pub(super) struct ProvedDesign {
    pub(super) links: u32,
    pub(super) width: Width,
    pub(super) paths: f64,
    pub(super) code: CablingCode,
}

/// Returns the front by bisection width, paths and links. Widths are proved as far as a budget allows.
///
/// The search uses the best of ten cuts and evaluates survivors again.
pub(super) fn proved_front(machine: Machine, ports: PortRule, seed: u64) -> Result<Vec<ProvedDesign>> {
    let codes = search(machine, &["bisection", "paths", "links"], ports, seed)?;
    let designs = codes
        .into_par_iter()
        .map(|code| {
            let paths = Network::of_code(&machine, &code)?.diversity().context("connected")?.mean();
            Ok(ProvedDesign { links: code.links() as u32, width: width(&machine, &code)?, paths, code })
        })
        .collect::<Result<Vec<_>>>()?;
    let scores = designs.iter().map(|one| [one.width.cut.into(), one.paths, one.links.into()]);
    let points = Points::new(&[Sense::Maximise, Sense::Maximise, Sense::Minimise], scores)?;
    let mut is_best = vec![false; designs.len()];
    points.front(EqualPoints::Remove).into_iter().for_each(|place| is_best[place] = true);
    let mut front: Vec<_> =
        designs.into_iter().zip(is_best).filter_map(|(design, is_best)| is_best.then_some(design)).collect();
    front.sort_by_key(|design| (design.links, std::cmp::Reverse(design.width.cut), design.code.clone()));
    Ok(front)
}

/// Returns the codes of the fronts of all searches.
fn search(machine: Machine, names: &[&str], ports: PortRule, seed: u64) -> Result<Vec<CablingCode>> {
    let rules = DesignRules { ports, start: InitialSlots::Uniform, ..DesignRules::PUBLISHED };
    let objectives = names.iter().map(|name| objective(name)).collect::<Result<Vec<_>, _>>()?;
    let problem = DesignProblem::new(machine, objectives, rules)?;
    let fronts = (0..SEEDS)
        .into_par_iter()
        .map(|run| {
            let options = EvolutionOptions {
                elites: Elites::ReEvaluate,
                equal_points: EqualPoints::Remove,
                ..options(SelectionAlgorithm::Nsga2, seed.wrapping_add(run))
            };
            let mut evolution = Evolution::new(&problem, options)?;
            for _ in 0..GENERATIONS {
                evolution.advance()?;
            }
            Ok(evolution.front(EqualPoints::Remove).map(|one| one.genome.clone()).collect::<Vec<_>>())
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(fronts.into_iter().flatten().collect())
}

/// Rank correlations of an objective with performance; 1 if the designs that it prefers are always faster.
pub(super) struct Predictor {
    pub(super) name: &'static str,
    /// By number of links: with the speed of an unstructured application, and with the throughput of all-to-all
    /// traffic.
    pub(super) correlations: Vec<[f64; 2]>,
}

/// Returns the correlations of the objectives over random designs, for each number of links.
pub(super) fn predictors(machine: Machine, links: &[u32], seed: u64) -> Result<Vec<Predictor>> {
    let names = [
        "exact-bisection",
        "kernighan-lin",
        "paths",
        "edge-disjoint-paths",
        "vertex-disjoint-paths",
        "distance",
        "diameter",
        "spectral-gap",
        "edge-connectivity",
        "worst-degree",
    ];
    let mut predictors: Vec<_> = objectives()
        .iter()
        .filter(|objective| names.contains(&objective.name()))
        .map(|objective| Predictor { name: objective.name(), correlations: Vec::new() })
        .collect();
    for &links in links {
        let codes = draw(machine, links, seed)?;
        let rows = codes
            .par_iter()
            .map(|code| {
                let mut network = Network::of_code(&machine, code)?;
                let mut score = |name: &str| -> Result<f64> {
                    let objective = objective(name)?;
                    let score = objective.score(&mut network, &mut ChaCha8Rng::seed_from_u64(1))?;
                    Ok(if objective.sense() == Sense::Maximise { score } else { -score })
                };
                let scores = predictors.iter().map(|one| score(one.name)).collect::<Result<Vec<_>>>()?;
                let rate = -time(&machine.topology(code)?, Routing::EcmpSplit)?;
                Ok((scores, [rate, score("throughput")?]))
            })
            .collect::<Result<Vec<_>>>()?;
        for (place, predictor) in predictors.iter_mut().enumerate() {
            let scores: Vec<f64> = rows.iter().map(|(scores, _)| scores[place]).collect();
            predictor.correlations.push([0, 1].map(|measure| {
                let performance: Vec<f64> = rows.iter().map(|(_, measured)| measured[measure]).collect();
                rank_correlation(&scores, &performance)
            }));
        }
    }
    Ok(predictors)
}

/// Returns the mean time of an unstructured application with one task per router.
fn time(network: &Topology, routing: Routing) -> Result<f64> {
    completion(network, Workload::Chained, NonZeroU32::MIN, routing, DRAWS)
}

/// Draws connected random designs with `links` links, half of them on each router.
fn draw(machine: Machine, links: u32, seed: u64) -> Result<Vec<CablingCode>> {
    let rules = DesignRules { start: InitialSlots::Uniform, ..DesignRules::PUBLISHED };
    let problem = DesignProblem::new(machine, vec![objective("distance")?], rules)?;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut network = problem.scratch();
    let mut codes = Vec::new();
    while codes.len() < DRAWN {
        let code = problem.random(&mut random);
        if code.links() == links as usize && problem.evaluate(&code, &mut network, &mut random, &mut [0.0]) {
            codes.push(code);
        }
    }
    Ok(codes)
}

/// Returns Spearman's rank correlation, or 0 if one sample is constant. Equal values share their mean rank.
fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let [a, b] = [a, b].map(ranks);
    let middle = (a.len() as f64 - 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum::<f64>();
    let spread = (product(&a, &a) * product(&b, &b)).sqrt();
    if spread > 0.0 { product(&a, &b) / spread } else { 0.0 }
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let less = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| other.total_cmp(value).is_eq()).count();
        less as f64 + (equal as f64 - 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// A network, or the mean of random networks, with an equal number of links.
pub(super) struct Rival {
    pub(super) name: String,
    pub(super) width: Option<Width>,
    pub(super) paths: f64,
    pub(super) distance: f64,
    pub(super) throughput: f64,
    /// Mean time of an unstructured application, by routing as in [`ROUTINGS`].
    pub(super) times: [f64; 2],
    /// Largest number of cables at a router.
    pub(super) ports: u32,
}

/// The routings of [`Rival::times`].
pub(super) const ROUTINGS: [(&str, Routing); 2] =
    [("SP, random", Routing::SpRandom), ("ECMP, split", Routing::EcmpSplit)];

/// Measures networks with `links` links: `named` ones, the best of searches for throughput, and random ones.
pub(super) fn rivals(machine: Machine, links: u32, named: &[(String, CablingCode)], seed: u64) -> Result<Vec<Rival>> {
    let mut entries: Vec<(String, Vec<Topology>)> = Vec::new();
    for (name, code) in named {
        entries.push((name.clone(), vec![machine.topology(code)?]));
    }
    for (ports, name) in [(PortRule::Any, "by throughput"), (PortRule::Equal, "by throughput, equal ports")] {
        let codes = search(machine, &["throughput", "distance", "links"], ports, seed)?;
        let scored = codes
            .iter()
            .filter(|code| code.links() == links as usize)
            .map(|code| Ok((throughput(&mut Network::of_code(&machine, code)?)?, code)))
            .collect::<Result<Vec<_>>>()?;
        if let Some((_, code)) = scored.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)) {
            entries.push((name.to_owned(), vec![machine.topology(code)?]));
        }
    }
    let random = (1..=10).map(|seed| Ok(format!("jellyfish:{},{links},{seed}", machine.router_count()).parse()?));
    entries.push((format!("{} random ones", 10), random.collect::<Result<_>>()?));
    entries.into_iter().map(|(name, networks)| rival(name, &networks)).collect()
}

fn throughput(network: &mut Network) -> Result<f64> {
    Ok(objective("throughput")?.score(network, &mut ChaCha8Rng::seed_from_u64(1))?)
}

fn rival(name: String, networks: &[Topology]) -> Result<Rival> {
    let measured = networks
        .par_iter()
        .map(|topology| {
            let mut network = Network::of(topology);
            let diversity = network.diversity().context("connected")?;
            let times = [time(topology, ROUTINGS[0].1)?, time(topology, ROUTINGS[1].1)?];
            let throughput = throughput(&mut network)?;
            Ok([diversity.mean(), diversity.distances.mean(), throughput, times[0], times[1]])
        })
        .collect::<Result<Vec<_>>>()?;
    let mean = |place: usize| measured.iter().map(|row| row[place]).sum::<f64>() / measured.len() as f64;
    let width = match networks {
        [one] => Some(width_of(&Graph::of(one))?),
        _ => None,
    };
    let ports = networks.iter().map(|one| Graph::of(one).greatest_degree()).max().unwrap_or(0);
    Ok(Rival { name, width, paths: mean(0), distance: mean(1), throughput: mean(2), times: [mean(3), mean(4)], ports })
}
