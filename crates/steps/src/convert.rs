//! Conversion of an executed program to a schedule.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use lockstep_execute::{Contribution, ParallelProgram, Trace, TracedValue};
use lockstep_schedule::{
    Budget, Collective, CollectiveName, CommunicationModel, MessageId, Problem, Schedule, Verification, verify,
};
use lockstep_topology::{NodeId, Topology};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::demand::Demand;
use crate::error::ConvertError;
use crate::network::{Network, RankNetwork, StepLoad};
use crate::steps::{Placed, Steps, Successors, schedule};
use crate::sums::{NotBefore, orders};

/// Maximum number of events whose order of transfers is tried in several ways.
const MAX_EVENTS_OF_SEARCH: usize = 1 << 20;

/// Number of random orders of transfers that are tried where pairs of ranks share channels, and for small programs.
const RANDOM_ORDERS: u64 = 8;

/// Maximum number of events of a small program.
const MAX_EVENTS_OF_RANDOM_ORDERS: usize = 1 << 14;

/// Maximum number of rounds in which transfers of sums move to later steps.
const MAX_ROUNDS: usize = 256;

/// Maximum number of units of one transfer: its size divided by the greatest common size.
const MAX_UNITS: u64 = 4096;

/// Maximum number of units of all transfers.
const MAX_ALL_UNITS: u64 = 1 << 26;

/// The source of the steps of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepSource {
    /// The file has steps, and they are those of the schedule.
    File,
    /// Each transfer takes the earliest step that its data, the order of the program and the channels allow.
    Earliest,
}

/// A schedule that the verifier has accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifiedSchedule {
    /// The collective of the terminals of the ranks.
    pub collective: Collective,
    /// Its name, also if other terminals take no part; `None` for a list of messages.
    pub name: Option<CollectiveName>,
    /// The schedule.
    pub schedule: Schedule,
    /// The figures of the verifier.
    pub verification: Verification,
}

/// A program in steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Conversion {
    /// The network.
    pub topology: Topology,
    /// The terminal of each rank.
    pub terminals: Vec<NodeId>,
    /// The rules of the network.
    pub model: CommunicationModel,
    /// The source of the steps.
    pub source: StepSource,
    /// The width of each step.
    pub widths: Vec<u32>,
    /// Number of transfers, one per chunk.
    pub transfers: usize,
    /// The schedule; `None` if the format has messages without contents.
    pub verified: Option<VerifiedSchedule>,
}

/// Converts an executed program to steps, on a network or on that of the pairs of ranks that talk.
///
/// `trace` belongs to a right execution of the program. The ranks are the terminals of the network in ascending order.
/// Takes `O(T log T)` time for `T` instructions and transfers of chunks, times the number of tried orders, at most 11.
///
/// # Errors
///
/// If the network does not fit, or if the verifier refuses the schedule: then the program obeys no step model.
pub fn convert(
    program: &ParallelProgram,
    trace: &Trace,
    network: Option<Topology>,
) -> Result<Conversion, ConvertError> {
    convert_within(program, trace, network.map(RankNetwork::from), &Budget::unlimited())
}

/// Converts as [`convert`], on the terminals of a [`RankNetwork`] and within the time of a budget: fewer orders of the transfers are tried. Evaluations do not count.
///
/// # Errors
///
/// As [`convert`].
pub fn convert_within(
    program: &ParallelProgram,
    trace: &Trace,
    network: Option<RankNetwork>,
    budget: &Budget,
) -> Result<Conversion, ConvertError> {
    if !program.has_equal_chunks {
        return Err(ConvertError::UnequalChunks);
    }
    if program.memory.is_empty() {
        return without_data(program, trace, network, budget);
    }
    let demand = Demand::of(program, network.as_ref().map(|network| network.terminals_of(program)).transpose()?)?;
    let messages = messages(&demand, trace);
    let units: Vec<u32> = messages.iter().map(|messages| messages.iter().flatten().count() as u32).collect();
    let network = Network::new(program, &pairs(trace, &units), network)?;
    let orders = if demand.adds() { orders(trace, &messages, program.rank_count)? } else { Vec::new() };
    let of_file = steps_of_file(program, trace, &units, &network);
    let converted = |source, steps: &Steps<'_>| {
        let collective = demand.collective(&network.topology, &network.terminals)?;
        let schedule = to_schedule(steps, &messages);
        let verification = {
            let problem = Problem::new(&network.topology, &collective, network.model)?;
            verify(&problem, &schedule).map_err(|violation| ConvertError::Steps(Box::new(violation)))?
        };
        let verified = Some(VerifiedSchedule { collective, name: demand.name(), schedule, verification });
        Ok(conversion(&network, source, steps, verified))
    };
    if let Some(steps) = of_file
        && let Ok(conversion) = converted(StepSource::File, &steps)
    {
        return Ok(conversion);
    }
    converted(StepSource::Earliest, &earliest(trace, &units, &orders, &network, budget))
}

/// Converts messages without contents. A unit is the greatest common size of all messages.
fn without_data(
    program: &ParallelProgram,
    trace: &Trace,
    network: Option<RankNetwork>,
    budget: &Budget,
) -> Result<Conversion, ConvertError> {
    let sizes = || trace.events.iter().filter_map(|event| event.transfer.as_ref()).map(|transfer| transfer.size);
    let unit = sizes().fold(0, greatest_common_divisor);
    if unit == 0 {
        return Err(ConvertError::NoMessages);
    }
    let too_large = |amount, what, limit| Err(ConvertError::TooLarge { amount, what, limit });
    let largest = sizes().max().unwrap_or(0) / unit;
    if largest > MAX_UNITS {
        return too_large(largest, "units of the greatest common size in one message", MAX_UNITS);
    }
    let total = sizes().map(|size| size / unit).sum();
    if total > MAX_ALL_UNITS {
        return too_large(total, "units of the greatest common size", MAX_ALL_UNITS);
    }
    let units = |transfer: &Option<lockstep_execute::TracedTransfer>| {
        transfer.as_ref().map_or(0, |transfer| (transfer.size / unit) as u32)
    };
    let units: Vec<u32> = trace.events.iter().map(|event| units(&event.transfer)).collect();
    let network = Network::new(program, &pairs(trace, &units), network)?;
    let steps = earliest(trace, &units, &[], &network, budget);
    Ok(conversion(&network, StepSource::Earliest, &steps, None))
}

fn greatest_common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

fn conversion(
    network: &Network,
    source: StepSource,
    steps: &Steps<'_>,
    verified: Option<VerifiedSchedule>,
) -> Conversion {
    let used = steps.transfers.iter().zip(&steps.widths).filter(|(step, _)| !step.is_empty());
    Conversion {
        topology: network.topology.clone(),
        terminals: network.terminals.clone(),
        model: network.model,
        source,
        widths: used.map(|(_, &width)| width).collect(),
        transfers: steps.transfers.iter().flatten().map(|placed| placed.paths.len()).sum(),
        verified,
    }
}

/// Returns the messages of the chunks of each transfer; `None` for chunks that no rank needs.
fn messages(demand: &Demand, trace: &Trace) -> Vec<Vec<Option<MessageId>>> {
    let mut first: Vec<Option<Contribution>> = Vec::with_capacity(trace.values.len());
    for value in &trace.values {
        first.push(match *value {
            TracedValue::Input(contribution) => Some(contribution),
            TracedValue::Sum([left, right]) if demand.adds() => first[left as usize].or(first[right as usize]),
            TracedValue::Undefined | TracedValue::Sum(_) => None,
        });
    }
    let message = |&value: &u32| demand.message(first[value as usize]?);
    let of_event = |event: &lockstep_execute::Event| match &event.transfer {
        Some(transfer) => transfer.values.iter().map(message).collect(),
        None => Vec::new(),
    };
    trace.events.iter().map(of_event).collect()
}

/// Returns the pairs of ranks with transfers.
fn pairs(trace: &Trace, units: &[u32]) -> BTreeSet<[u32; 2]> {
    let used = trace.events.iter().zip(units).filter(|&(_, &units)| units > 0);
    used.filter_map(|(event, _)| event.transfer.as_ref().map(|transfer| [transfer.from, transfer.to])).collect()
}

/// Returns the steps that the file states, if it has some and they fit on the network.
fn steps_of_file<'n>(
    program: &ParallelProgram,
    trace: &Trace,
    units: &[u32],
    network: &'n Network,
) -> Option<Steps<'n>> {
    let widths: Vec<u32> = program.steps.iter().map(|step| step.width).collect();
    if widths.is_empty() {
        return None;
    }
    let mut loads: Vec<StepLoad> = widths.iter().map(|&width| StepLoad::of_width(width)).collect();
    let mut steps: Vec<Vec<Placed<'n>>> = vec![Vec::new(); widths.len()];
    for ((event, of_event), &units) in (0..).zip(&trace.events).zip(units) {
        let Some(transfer) = of_event.transfer.as_ref().filter(|_| units > 0) else { continue };
        let step = of_event.place as usize;
        let paths = loads.get_mut(step)?.place(network, [transfer.from, transfer.to], units, false)?;
        steps[step].push(Placed { event, paths });
    }
    Some(Steps { transfers: steps, widths, of_event: Vec::new() })
}

/// Returns the earliest steps: the best of several orders in which transfers compete for channels.
fn earliest<'n>(
    trace: &Trace,
    units: &[u32],
    orders: &[NotBefore],
    network: &'n Network,
    budget: &Budget,
) -> Steps<'n> {
    let successors = Successors::of(trace);
    let by_index: Vec<u64> = (0..units.len() as u64).collect();
    let mut best = settled(trace, units, &by_index, orders, network, &successors);
    if units.len() > MAX_EVENTS_OF_SEARCH {
        return best;
    }
    let by_place = trace.events.iter().zip(&by_index).map(|(event, index)| u64::from(event.place) << 32 | index);
    let tails = successors.tails(units);
    let by_tail = tails.iter().zip(&by_index).map(|(&tail, index)| u64::from(u32::MAX - tail) << 32 | index);
    let mut priorities: Vec<Vec<u64>> = vec![by_place.collect(), by_tail.collect()];
    let is_small = units.len() <= MAX_EVENTS_OF_RANDOM_ORDERS;
    for seed in 0..if network.shares || is_small { RANDOM_ORDERS } else { 0 } {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        // Long chains first, in random order.
        let of_event = |&tail: &u32| u64::from(u32::MAX - tail) << 32 | random.next_u64() >> 32;
        priorities.push(tails.iter().map(of_event).collect());
    }
    for priority in priorities {
        if budget.interruption().is_some() {
            break;
        }
        let steps = settled(trace, units, &priority, orders, network, &successors);
        let key = |steps: &Steps<'_>| (steps.width_sum(), steps.transfers.len());
        if key(&steps) < key(&best) {
            best = steps;
        }
    }
    best
}

/// Returns the steps of one order, after transfers of sums have moved to later steps.
fn settled<'n>(
    trace: &Trace,
    units: &[u32],
    priority: &[u64],
    orders: &[NotBefore],
    network: &'n Network,
    successors: &Successors,
) -> Steps<'n> {
    let mut earliest = vec![0; units.len()];
    let mut steps = schedule(trace, units, priority, &earliest, network, successors);
    for _ in 0..MAX_ROUNDS {
        let mut has_moved = false;
        for &NotBefore { event, other } in orders {
            let [own, bound] = [event, other].map(|event| steps.of_event[event as usize]);
            if own < bound {
                earliest[event as usize] = earliest[event as usize].max(bound - 1);
                has_moved = true;
            }
        }
        if !has_moved {
            break;
        }
        steps = schedule(trace, units, priority, &earliest, network, successors);
    }
    steps
}

/// Returns the schedule without empty steps.
fn to_schedule(steps: &Steps<'_>, messages: &[Vec<Option<MessageId>>]) -> Schedule {
    let mut schedule = Schedule::new();
    for (step, &width) in steps.transfers.iter().zip(&steps.widths).filter(|(step, _)| !step.is_empty()) {
        schedule.begin_step_of_width(NonZeroU32::new(width).unwrap_or(NonZeroU32::MIN));
        for placed in step {
            for (&message, path) in messages[placed.event as usize].iter().flatten().zip(&placed.paths) {
                schedule.push(message, path);
            }
        }
    }
    schedule
}
