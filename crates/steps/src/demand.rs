//! The collective that a program computes, from its inputs and required outputs.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use lockstep_execute::{Contribution, Contributors, ParallelProgram};
use lockstep_schedule::{Collective, Message, MessageId};
use lockstep_topology::{NodeId, Topology};

use crate::error::ConvertError;

/// The collective of a program, with the messages of its contributions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Demand {
    kind: Kind,
    chunks: NonZeroU32,
    ranks: u32,
    /// The message of each contribution that another rank needs. In a sum, the rank is 0.
    messages: BTreeMap<Contribution, u32>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    Broadcast(u32),
    Scatter(u32),
    Gather(u32),
    AllGather,
    AllToAll,
    Reduce(u32),
    ReduceScatter,
    /// In a number of blocks that the number of ranks does not divide, or does.
    AllReduce,
    /// Source and receivers of each message.
    Listed(Vec<(u32, Vec<u32>)>),
}

impl Demand {
    /// Returns the collective of a program with data.
    pub(crate) fn of(program: &ParallelProgram) -> Result<Self, ConvertError> {
        let ranks = program.rank_count;
        let of_memory = program.ranks_of_memory();
        let (mut copies, mut sums) = (BTreeMap::<_, BTreeSet<u32>>::new(), BTreeMap::<_, BTreeSet<u32>>::new());
        for output in &program.outputs {
            let rank = of_memory[output.address as usize];
            match output.contributors {
                Contributors::One(contribution) => _ = copies.entry(contribution).or_default().insert(rank),
                Contributors::AllRanks { chunk } => _ = sums.entry(chunk).or_default().insert(rank),
            }
        }
        for (contribution, receivers) in &mut copies {
            receivers.remove(&contribution.rank);
        }
        copies.retain(|_, receivers| !receivers.is_empty());
        match (copies.is_empty(), sums.is_empty()) {
            (true, true) => Err(ConvertError::NoMessages),
            (false, false) => Err(ConvertError::Mixed),
            (false, true) => Ok(Self::of_copies(ranks, &copies)),
            (true, false) => Self::of_sums(ranks, &sums),
        }
    }

    /// Returns the collective of messages from one rank each.
    fn of_copies(ranks: u32, copies: &BTreeMap<Contribution, BTreeSet<u32>>) -> Self {
        let others = ranks as usize - 1;
        let to_all = copies.values().all(|receivers| receivers.len() == others);
        let to_one = copies.values().all(|receivers| receivers.len() == 1);
        let sources: BTreeSet<u32> = copies.keys().map(|contribution| contribution.rank).collect();
        let targets: BTreeSet<u32> = copies.values().flatten().copied().collect();
        let root = |ranks: &BTreeSet<u32>| ranks.first().copied().unwrap_or_default();
        let is_full = sources.len() == ranks as usize;
        let kind = match (sources.len(), targets.len()) {
            _ if is_full && to_all => Kind::AllGather,
            (1, _) if to_all => Kind::Broadcast(root(&sources)),
            _ if is_full && to_one => Kind::AllToAll,
            (1, _) if to_one => Kind::Scatter(root(&sources)),
            (_, 1) if to_one => Kind::Gather(root(&targets)),
            _ => Kind::Listed(Vec::new()),
        };
        Self::numbered(ranks, kind, copies).unwrap_or_else(|| {
            let list = copies.iter().map(|(from, to)| (from.rank, to.iter().copied().collect())).collect();
            let messages = copies.keys().copied().zip(0..).collect();
            Self { kind: Kind::Listed(list), chunks: NonZeroU32::MIN, ranks, messages }
        })
    }

    /// Returns a collective with a name; `None` if its messages do not all have the same number of chunks.
    fn numbered(ranks: u32, kind: Kind, copies: &BTreeMap<Contribution, BTreeSet<u32>>) -> Option<Self> {
        let skipping = |place: u32, skipped: u32| place - u32::from(place > skipped);
        // The place of a message among the messages of the collective, before they are split into chunks.
        let place = |from: u32, to: u32| match kind {
            Kind::Broadcast(_) => Some(0),
            Kind::AllGather => Some(from),
            Kind::Scatter(root) => Some(skipping(to, root)),
            Kind::Gather(root) => Some(skipping(from, root)),
            Kind::AllToAll => from.checked_mul(ranks - 1)?.checked_add(skipping(to, from)),
            _ => None,
        };
        let count = match kind {
            Kind::Broadcast(_) => 1,
            Kind::AllGather => ranks,
            Kind::AllToAll => ranks.checked_mul(ranks - 1)?,
            _ => ranks - 1,
        };
        let chunks = NonZeroU32::new((copies.len() as u32) / count)?;
        let mut used = vec![0; count as usize];
        let mut messages = BTreeMap::new();
        for (&contribution, receivers) in copies {
            let place = place(contribution.rank, *receivers.first()?)?;
            let chunk = used.get_mut(place as usize)?;
            messages.insert(contribution, place.checked_mul(chunks.get())?.checked_add(*chunk)?);
            *chunk += 1;
        }
        let is_even = used.iter().all(|&used| used == chunks.get());
        is_even.then_some(Self { kind, chunks, ranks, messages })
    }

    /// Returns the collective of sums over all ranks.
    fn of_sums(ranks: u32, sums: &BTreeMap<u32, BTreeSet<u32>>) -> Result<Self, ConvertError> {
        let blocks = sums.len() as u32;
        let mut order: Vec<(u32, u32)> = Vec::new();
        let single = sums.values().all(|targets| targets.len() == 1);
        for (&chunk, targets) in sums {
            let target = targets.first().copied().unwrap_or_default();
            order.push((if single { target } else { 0 }, chunk));
        }
        order.sort_unstable();
        let per_rank = blocks / ranks;
        let is_even =
            order.iter().zip(0_u32..).all(|(&(target, _), place)| Some(target) == place.checked_div(per_rank));
        let first = order.first().map_or(0, |&(target, _)| target);
        let (kind, chunks) = if sums.values().all(|targets| targets.len() == ranks as usize) {
            (Kind::AllReduce, blocks)
        } else if single && order.iter().all(|&(target, _)| target == first) {
            (Kind::Reduce(first), blocks)
        } else if single && is_even {
            (Kind::ReduceScatter, per_rank)
        } else {
            return Err(ConvertError::Sums);
        };
        let chunks = NonZeroU32::new(chunks).ok_or(ConvertError::Sums)?;
        let key = |&(_, chunk): &(u32, u32)| Contribution { rank: 0, chunk };
        let messages = order.iter().map(key).zip(0..).collect();
        Ok(Self { kind, chunks, ranks, messages })
    }

    /// Returns true if the contributions of several ranks are added.
    pub(crate) fn adds(&self) -> bool {
        matches!(self.kind, Kind::Reduce(_) | Kind::ReduceScatter | Kind::AllReduce)
    }

    /// Returns the message of a contribution; `None` if no other rank needs it.
    pub(crate) fn message(&self, contribution: Contribution) -> Option<MessageId> {
        let key = if self.adds() { Contribution { rank: 0, ..contribution } } else { contribution };
        self.messages.get(&key).copied().map(MessageId::new)
    }

    /// Returns the collective on a network whose terminals are the ranks.
    pub(crate) fn collective(&self, topology: &Topology) -> Result<Collective, ConvertError> {
        let node = |rank: u32| topology.terminals()[rank as usize];
        let collective = match &self.kind {
            Kind::Broadcast(root) => Collective::broadcast(node(*root)),
            Kind::Scatter(root) => Collective::scatter(node(*root)),
            Kind::Gather(root) => Collective::gather(node(*root)),
            Kind::AllGather => Collective::all_gather(),
            Kind::AllToAll => Collective::all_to_all(),
            Kind::Reduce(root) => Collective::reduce(node(*root)),
            Kind::ReduceScatter => Collective::reduce_scatter(),
            Kind::AllReduce => match NonZeroU32::new(self.chunks.get() / self.ranks) {
                Some(chunks) if self.chunks.get().is_multiple_of(self.ranks) => {
                    return Ok(Collective::all_reduce().with_chunks(chunks));
                }
                _ => {
                    let blocks = Collective::all_reduce_in_blocks(topology, &[], self.chunks);
                    return blocks.map_err(|_| ConvertError::Sums);
                }
            },
            Kind::Listed(messages) => {
                let message = |(from, to): &(u32, Vec<u32>)| Message {
                    source: node(*from),
                    receivers: to.iter().copied().map(node).collect::<Vec<NodeId>>(),
                };
                return Ok(Collective::custom(messages.iter().map(message).collect()));
            }
        };
        Ok(collective.with_chunks(self.chunks))
    }
}
