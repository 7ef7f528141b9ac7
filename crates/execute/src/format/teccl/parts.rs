//! Results with volumes: paths of parts of chunks.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::flow::{Flow, flow};
use super::program::{Flows, Goal, Item, Transfer};
use crate::error::LoadError;
use crate::program::ParallelProgram;

/// The paths of each demand; the key of a demand is a sentence.
#[derive(Deserialize)]
pub(super) struct PathsJson {
    #[serde(rename = "8-Chunk paths", alias = "7-chunk paths")]
    paths: BTreeMap<String, Vec<Vec<HopJson>>>,
}

/// The epoch and the text of a hop of a path.
#[derive(Deserialize)]
struct HopJson(u32, String);

/// Maximum number of units of a chunk.
const MAX_UNITS: u32 = 64;

/// Maximum number of units of all chunks and of all transfers.
const MAX_ALL_UNITS: u64 = 1 << 20;

/// The error of a volume: solvers of linear programs round, and TE-CCL rounds to six digits.
const TOLERANCE: f64 = 1e-5;

/// The paths of the chunk that a GPU needs.
struct Demand {
    source: u32,
    receiver: u32,
    chunk: u32,
    paths: Vec<Path>,
}

/// A path with the part of the chunk that it carries.
struct Path {
    volume: f64,
    hops: Vec<Flow>,
}

/// Returns the program of a result with volumes.
pub(super) fn load(json: &PathsJson, flows: &[String]) -> Result<ParallelProgram, LoadError> {
    let mut demands = Vec::with_capacity(json.paths.len());
    for (sentence, paths) in &json.paths {
        demands.push(demand(sentence, paths)?);
    }
    demands.sort_by_key(|demand| (demand.source, demand.receiver, demand.chunk));
    check_flows(&demands, flows)?;
    let units = units(&demands);
    let parts = match units {
        Some(units) => format!("parts of 1/{units} chunk"),
        None => "parts of different sizes".to_owned(),
    };
    let title = match units {
        Some(1) => format!("{} demands of TE-CCL", demands.len()),
        _ => format!("{} demands of TE-CCL in {parts}", demands.len()),
    };
    let mut flows = Flows { title, items: Vec::new(), goals: Vec::new(), transfers: Vec::new() };
    // The number of parts of a chunk, at most: those of its paths, and what no path carries.
    let most = units.unwrap_or_else(|| demands.iter().map(|demand| demand.paths.len() as u32 + 1).max().unwrap_or(1));
    for demand in &demands {
        demand.add_to(&mut flows, units, most)?;
    }
    let mut program = flows.program();
    program.has_equal_chunks = units.is_some();
    Ok(program)
}

/// Reads a demand: `Demand at 1 for chunk 0 from 10 met by epoch 26`.
fn demand(sentence: &str, paths: &[Vec<HopJson>]) -> Result<Demand, LoadError> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let numbers = match words[..] {
        ["Demand", "at", receiver, "for", "chunk", chunk, "from", source, ..] => {
            [receiver, chunk, source].map(|word| word.parse::<u32>().ok())
        }
        _ => [None; 3],
    };
    let [Some(receiver), Some(chunk), Some(source)] = numbers else {
        let expected = "`Demand at GPU for chunk C from GPU met by epoch E`";
        return Err(LoadError::syntax("8-Chunk paths".to_owned(), expected, sentence));
    };
    let mut demand = Demand { source, receiver, chunk, paths: Vec::with_capacity(paths.len()) };
    for (number, hops) in paths.iter().enumerate() {
        let mut path = Path { volume: 0.0, hops: Vec::with_capacity(hops.len()) };
        for (index, HopJson(epoch, text)) in hops.iter().enumerate() {
            let place = || format!("{}[{number}][{index}]", demand.place());
            let Some((hop, Some(volume))) = flow(&format!("Chunk {chunk} from {source} traveled over {text}")) else {
                let expected = "`GPU->GPU with volume V in epoch E`, where 0 < V <= 1, and optionally `via switches …`";
                return Err(LoadError::syntax(place(), expected, text));
            };
            if hop.epoch != *epoch {
                return Err(LoadError::field(place(), "hop", "epoch", epoch, format!("{}, as in its text", hop.epoch)));
            }
            if index == 0 {
                path.volume = volume;
            } else if (volume - path.volume).abs() > TOLERANCE {
                let expected = format!("{}, the volume of the first hop of the path", path.volume);
                return Err(LoadError::field(place(), "hop", "volume", volume, expected));
            }
            path.hops.push(hop);
        }
        demand.paths.push(path);
    }
    let total = demand.total();
    if total > 1.0 + demand.tolerance() {
        let expected = "volumes of all paths that add up to 1, the whole chunk";
        return Err(LoadError::field(demand.place(), "demand", "volume", total, expected));
    }
    Ok(demand)
}

/// Checks that the flows are the hops of all paths.
fn check_flows(demands: &[Demand], texts: &[String]) -> Result<(), LoadError> {
    let hops: BTreeSet<Flow> =
        demands.iter().flat_map(|demand| &demand.paths).flat_map(|path| path.hops.iter().copied()).collect();
    let mut flows = BTreeSet::new();
    for (index, text) in texts.iter().enumerate() {
        let place = || format!("7-Flows[{index}]");
        let Some((flow, Some(_))) = flow(text) else {
            let expected = "`Chunk C from GPU traveled over GPU->GPU with volume V in epoch E`, where 0 < V <= 1, and \
                            optionally `via switches …`";
            return Err(LoadError::syntax(place(), expected, text));
        };
        if !hops.contains(&flow) {
            return Err(LoadError::field(place(), "result", "flow", text, "a flow of a path of `8-Chunk paths`"));
        }
        flows.insert(flow);
    }
    match hops.iter().find(|hop| !flows.contains(hop)) {
        Some(Flow { epoch, source, chunk, from, to }) => {
            let value = format!("{from}->{to} in epoch {epoch}");
            let expected = "only hops that are also in `7-Flows`";
            Err(LoadError::field(format!("8-Chunk paths, chunk {chunk} from {source}"), "path", "hop", value, expected))
        }
        None => Ok(()),
    }
}

/// Returns the least number of equal units of a chunk, so that every path carries some of them; `None` if there is none, or
/// if all chunks and transfers would have too many units.
fn units(demands: &[Demand]) -> Option<u32> {
    let paths = || demands.iter().flat_map(|demand| &demand.paths);
    let fits = |&units: &u32| {
        paths().all(|path| {
            let amount = path.volume * f64::from(units);
            (amount - amount.round()).abs() <= TOLERANCE * f64::from(units)
        })
    };
    let units = (1..=MAX_UNITS).find(fits)?;
    let of_transfers = paths().map(|path| u64::from(path.units(units)) * path.hops.len() as u64).sum::<u64>();
    let is_small = of_transfers + u64::from(units) * demands.len() as u64 <= MAX_ALL_UNITS;
    (is_small || units == 1).then_some(units)
}

impl Path {
    /// Returns the number of units that it carries.
    #[expect(clippy::cast_sign_loss, reason = "no volume is negative")]
    fn units(&self, units: u32) -> u32 {
        // A volume is at most 1.
        (self.volume * f64::from(units)).round() as u32
    }
}

impl Demand {
    fn place(&self) -> String {
        format!("8-Chunk paths, chunk {} from {} to {}", self.chunk, self.source, self.receiver)
    }

    fn total(&self) -> f64 {
        self.paths.iter().map(|path| path.volume).sum()
    }

    fn tolerance(&self) -> f64 {
        TOLERANCE * (self.paths.len() as f64).max(1.0)
    }

    /// Adds the parts of the chunk, and their transfers. A part that no path carries is an item without transfers. `most` is
    /// the number of parts of a chunk, at most.
    fn add_to(&self, flows: &mut Flows, units: Option<u32>, most: u32) -> Result<(), LoadError> {
        let mut sizes: Vec<u32> = self.paths.iter().map(|path| units.map_or(1, |units| path.units(units))).collect();
        let carried: u32 = sizes.iter().sum();
        match units {
            Some(units) => sizes.push(units.saturating_sub(carried)),
            None => sizes.push(u32::from(self.total() < 1.0 - self.tolerance())),
        }
        let count: u32 = sizes.iter().sum();
        if count > most {
            let expected = format!("volumes of all paths that add up to {most} units, the whole chunk");
            return Err(LoadError::field(self.place(), "demand", "volume", format!("{count} units"), expected));
        }
        let first = flows.items.len() as u32;
        for part in 0..count {
            let number = self.chunk.checked_mul(most).and_then(|number| number.checked_add(part));
            let Some(number) = number else {
                let expected = format!("a number below {}, because it has up to {most} parts", u32::MAX / most);
                return Err(LoadError::field(self.place(), "demand", "chunk", self.chunk, expected));
            };
            flows.items.push(Item { source: self.source, number });
            flows.goals.push(Goal { item: first + part, receiver: self.receiver });
        }
        let mut next = first;
        for (path, &count) in self.paths.iter().zip(&sizes) {
            let of_hop = |hop: &Flow| Transfer { epoch: hop.epoch, from: hop.from, to: hop.to, first: next, count };
            flows.transfers.extend(path.hops.iter().map(of_hop));
            next += count;
        }
        Ok(())
    }
}
