//! Patterns: which ranks communicate in each step, without the data.

use super::windows::{shifts, steps};

/// A sender and a receiver. Ranks are the places of terminals in [`Topology::terminals`](lockstep_topology::Topology::terminals).
pub(super) type Pair = [u32; 2];

/// Appends the pairs of an instance in a step.
type PairsOf<'a> = Box<dyn Fn(usize, usize, &mut Vec<Pair>) + 'a>;

/// The pairs of ranks that communicate in each step of an all-gather.
///
/// A sender sends all data that it held when the step began and that the receiver lacks. After the last step, every rank
/// holds the data of all ranks. The same pairs carry the other collectives: data of one rank spread along a tree.
///
/// Instances run at the same time, each for a part of the blocks.
pub(super) struct Pattern<'a> {
    /// Number of instances, at least 1.
    pub(super) instances: usize,
    /// Number of steps.
    pub(super) steps: usize,
    pairs: PairsOf<'a>,
}

impl<'a> Pattern<'a> {
    /// Creates a pattern. `pairs` appends the pairs of an instance in a step.
    pub(super) fn new(instances: usize, steps: usize, pairs: impl Fn(usize, usize, &mut Vec<Pair>) + 'a) -> Self {
        Self { instances, steps, pairs: Box::new(pairs) }
    }

    /// Creates a pattern of one instance on ranks in a cyclic order, by exchanges between pairs of places.
    ///
    /// `partner` returns the place that a place exchanges data with at a level, among a power of two of places. Its levels
    /// are used from the last to the first. For other numbers of ranks, the second rank of each of the first pairs joins its
    /// neighbour: it sends its data before the first level and gets all data after the last one.
    ///
    /// # Source
    ///
    /// Thakur, Rabenseifner and Gropp, *Optimization of collective communication operations in MPICH* (2005), section 4.
    pub(super) fn folded(cycle: &'a [u32], partner: impl Fn(usize, usize, usize) -> usize + 'a) -> Self {
        let levels = cycle.len().ilog2() as usize;
        let places = 1 << levels;
        let folded = cycle.len() - places;
        let extra = usize::from(folded > 0);
        // The rank at a place: the first `folded` places have two ranks each.
        let rank = move |place: usize| cycle[place + place.min(folded)];
        Self::new(1, levels + 2 * extra, move |_, step, pairs| {
            if extra == 1 && (step == 0 || step == levels + 1) {
                let joined = (0..folded).map(|place| [cycle[2 * place + 1], cycle[2 * place]]);
                return pairs
                    .extend(joined.map(|[second, first]| if step == 0 { [second, first] } else { [first, second] }));
            }
            let level = levels - 1 - (step - extra);
            pairs.extend((0..places).map(|place| [rank(place), rank(partner(place, level, places))]));
        })
    }

    /// Creates a pattern of growing [windows](super::windows) of ranks in a cyclic order.
    pub(super) fn of_windows(cycle: &'a [u32], ports: u32) -> Self {
        let size = cycle.len() as u32;
        Self::new(1, steps(size, ports), move |_, step, pairs| {
            for shift in shifts(size, ports, step) {
                pairs.extend((0..size).map(|place| {
                    let sender = (u64::from(place) + u64::from(shift)) % u64::from(size);
                    [cycle[sender as usize], cycle[place as usize]]
                }));
            }
        })
    }

    /// Appends the pairs of an instance in a step.
    pub(super) fn pairs(&self, instance: usize, step: usize, pairs: &mut Vec<Pair>) {
        (self.pairs)(instance, step, pairs);
    }
}

/// Appends the transfers of a round: sender, receiver and block.
type TransfersOf = Box<dyn Fn(usize, &mut Vec<(Pair, u32)>)>;

/// A pipelined broadcast of several blocks from one root, on places of which the root is the first.
///
/// A receiver may hold the block already; such transfers are left out.
pub(super) struct Pipeline {
    /// Number of rounds.
    pub(super) rounds: usize,
    transfers: TransfersOf,
}

impl Pipeline {
    /// Creates a pipeline. `transfers` appends the transfers of a round.
    pub(super) fn new(rounds: usize, transfers: impl Fn(usize, &mut Vec<(Pair, u32)>) + 'static) -> Self {
        Self { rounds, transfers: Box::new(transfers) }
    }

    /// Appends the transfers of a round.
    pub(super) fn transfers(&self, round: usize, transfers: &mut Vec<(Pair, u32)>) {
        (self.transfers)(round, transfers);
    }
}
