//! Slow wires: those that explain the slow trials.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use lockstep_topology::NodeId;

use super::bandwidth::{Bandwidths, median};
use super::routes::possible_wires;
use super::trials::{Load, Share, Trial, Trials};
use super::wires::Wires;

/// A wire that is slower than its class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SlowWire {
    pub(super) wire: u32,
    /// Of a lane in bytes per second: the median over the trials that the wire limits.
    pub(super) bandwidth: u64,
    /// The number of these trials.
    pub(super) trials: u32,
    /// Other wires that explain the same trials.
    pub(super) alternatives: Vec<u32>,
}

/// The slow wires of a network, and the slow trials that no wire explains.
#[derive(Clone, Default, Debug)]
pub(super) struct SlowWires {
    /// The slowest part of its class first.
    pub(super) wires: Vec<SlowWire>,
    /// Trials without a slow wire: transfers that take another route than the shortest one, or a limit of software.
    pub(super) unexplained: Vec<u32>,
}

/// Returns the rate of a lane of a wire in a trial.
fn rate_of(wires: &Wires<'_>, load: Load, trial: &Trial) -> u64 {
    Share { resource: 0, flows: load.flows, lanes: wires.wire(load.wire).lanes }.of_lane(trial.rate)
}

/// Returns the most that a lane of each wire carried in a trial.
pub(super) fn carried(wires: &Wires<'_>, trials: &Trials) -> Vec<u64> {
    let mut carried = vec![0; wires.list.len()];
    for trial in &trials.list {
        for &load in &trial.loads {
            let known: &mut u64 = &mut carried[load.wire as usize];
            *known = (*known).max(rate_of(wires, load, trial));
        }
    }
    carried
}

/// Finds the wires that explain the slow trials.
///
/// A wire explains a slow trial if it carried no more in any other trial. The wire that explains most trials is slow; then the one
/// that explains most others, and so on. Takes `O(T log T)` time for `T` loads of slow trials.
pub(super) fn find(wires: &Wires<'_>, trials: &Trials, found: &Bandwidths) -> SlowWires {
    let carried = carried(wires, trials);
    let is_full = 1.0 - found.slow_part();
    let slow: Vec<u32> = (0..trials.list.len() as u32).filter(|&trial| found.is_slow[trial as usize]).collect();
    // The slow trials that each wire explains.
    let mut explained_by: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &place in &slow {
        let trial = &trials.list[place as usize];
        for &load in &trial.loads {
            if rate_of(wires, load, trial) as f64 >= carried[load.wire as usize] as f64 * is_full {
                explained_by.entry(load.wire).or_default().push(place);
            }
        }
    }
    let mut is_open = vec![false; trials.list.len()];
    for &trial in &slow {
        is_open[trial as usize] = true;
    }
    // Of wires that explain equally many, the slower one is first, so that numbers do not matter.
    let rank = |trials: usize, wire: u32| (trials, Reverse((carried[wire as usize], wire)));
    let mut queue: BinaryHeap<_> = explained_by.iter().map(|(&wire, list)| rank(list.len(), wire)).collect();
    let mut result = SlowWires::default();
    while let Some((votes, Reverse((_, wire)))) = queue.pop() {
        let open = |wire: u32| -> Vec<u32> {
            explained_by[&wire].iter().copied().filter(|&trial| is_open[trial as usize]).collect()
        };
        let of_wire = open(wire);
        if of_wire.is_empty() {
            continue;
        }
        // The number can only fall, so that a wire with an old number waits for its turn.
        if of_wire.len() < votes {
            queue.push(rank(of_wire.len(), wire));
            continue;
        }
        let first = &trials.list[of_wire[0] as usize];
        let others = first.loads.iter().map(|load| load.wire).filter(|&other| other != wire);
        let alternatives: Vec<u32> =
            others.filter(|other| explained_by.contains_key(other) && open(*other) == of_wire).collect();
        let mut rates: Vec<u64> = of_wire.iter().map(|&place| lane_rate(wires, trials, wire, place)).collect();
        rates.sort_unstable();
        let bandwidth = median(&rates).unwrap_or(0);
        for &trial in &of_wire {
            is_open[trial as usize] = false;
        }
        result.wires.push(SlowWire { wire, bandwidth, trials: of_wire.len() as u32, alternatives });
    }
    let rest: Vec<u32> = slow.into_iter().filter(|&trial| is_open[trial as usize]).collect();
    result.unexplained = without_slow_routes(wires, trials, (&result.wires, is_full), rest);
    result
}

fn lane_rate(wires: &Wires<'_>, trials: &Trials, wire: u32, trial: u32) -> u64 {
    let trial = &trials.list[trial as usize];
    let load = trial.loads.iter().find(|load| load.wire == wire);
    load.map_or(0, |&load| rate_of(wires, load, trial))
}

/// Removes the trials one of whose several shortest paths uses a slow wire that explains the rate.
fn without_slow_routes(
    wires: &Wires<'_>,
    trials: &Trials,
    (slow, is_full): (&[SlowWire], f64),
    rest: Vec<u32>,
) -> Vec<u32> {
    let mut bandwidth_of: Vec<Option<u64>> = vec![None; wires.list.len()];
    for slow in slow {
        bandwidth_of[slow.wire as usize] = Some(slow.bandwidth);
    }
    let mut by_source: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    let flows_of = |trial: u32| trials.list[trial as usize].flows.iter().copied();
    for [from, to] in rest.iter().flat_map(|&trial| flows_of(trial)) {
        by_source.entry(from).or_default().push(to);
    }
    let mut possible_of: BTreeMap<[NodeId; 2], Vec<u32>> = BTreeMap::new();
    for (source, targets) in by_source {
        let possible = possible_wires(wires, source, &targets, &|wire| bandwidth_of[wire as usize].is_some());
        possible_of.extend(targets.iter().zip(possible).map(|(&to, wires)| ([source, to], wires)));
    }
    let is_unexplained = |&place: &u32| {
        let trial = &trials.list[place as usize];
        let explains = |&wire: &u32| {
            let is_certain = trial.loads.iter().any(|load| load.wire == wire);
            let limit = bandwidth_of[wire as usize].map_or(0, |bandwidth| {
                Share { resource: 0, flows: 1, lanes: wires.wire(wire).lanes }.of_transfer(bandwidth)
            });
            !is_certain && trial.rate as f64 >= limit as f64 * is_full
        };
        !trial.flows.iter().any(|pair| possible_of[pair].iter().any(explains))
    };
    rest.into_iter().filter(is_unexplained).collect()
}
