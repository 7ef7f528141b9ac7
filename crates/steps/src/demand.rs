//! The collective that a program computes, from its inputs and required outputs.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use lockstep_execute::{Contribution, Contributors, ParallelProgram};
use lockstep_schedule::{Collective, CollectiveName, Message, MessageId};
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

/// The place of each rank among the terminals of all ranks, ascending. Messages are in this order.
struct Places(Option<Vec<u32>>);

impl Places {
    /// Returns the places of these terminals, or those of ascending ones.
    fn of(terminals: Option<&[NodeId]>) -> Self {
        let places = terminals.map(|terminals| {
            let mut ascending = terminals.to_vec();
            ascending.sort_unstable();
            terminals.iter().map(|node| ascending.partition_point(|other| other < node) as u32).collect()
        });
        Self(places)
    }

    fn of_rank(&self, rank: u32) -> u32 {
        self.0.as_ref().map_or(rank, |places| places[rank as usize])
    }
}

impl Demand {
    /// Returns the collective of a program with data. `terminals` has the node of each rank; without it, the nodes ascend.
    pub(crate) fn of(program: &ParallelProgram, terminals: Option<&[NodeId]>) -> Result<Self, ConvertError> {
        let places = &Places::of(terminals);
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
            (false, true) => Ok(Self::of_copies(ranks, places, &copies)),
            (true, false) => Self::of_sums(ranks, places, &sums),
        }
    }

    /// Returns the collective of messages from one rank each.
    fn of_copies(ranks: u32, places: &Places, copies: &BTreeMap<Contribution, BTreeSet<u32>>) -> Self {
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
        Self::numbered(ranks, places, kind, copies).unwrap_or_else(|| {
            let list = copies.iter().map(|(from, to)| (from.rank, to.iter().copied().collect())).collect();
            let messages = copies.keys().copied().zip(0..).collect();
            Self { kind: Kind::Listed(list), chunks: NonZeroU32::MIN, ranks, messages }
        })
    }

    /// Returns a collective with a name; `None` if its messages do not all have the same number of chunks.
    fn numbered(
        ranks: u32,
        places: &Places,
        kind: Kind,
        copies: &BTreeMap<Contribution, BTreeSet<u32>>,
    ) -> Option<Self> {
        let skipping = |rank: u32, skipped: u32| {
            let [place, skipped] = [rank, skipped].map(|rank| places.of_rank(rank));
            place - u32::from(place > skipped)
        };
        // The place of a message among the messages of the collective, before they are split into chunks.
        let place = |from: u32, to: u32| match kind {
            Kind::Broadcast(_) => Some(0),
            Kind::AllGather => Some(places.of_rank(from)),
            Kind::Scatter(root) => Some(skipping(to, root)),
            Kind::Gather(root) => Some(skipping(from, root)),
            Kind::AllToAll => places.of_rank(from).checked_mul(ranks - 1)?.checked_add(skipping(to, from)),
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
    fn of_sums(ranks: u32, places: &Places, sums: &BTreeMap<u32, BTreeSet<u32>>) -> Result<Self, ConvertError> {
        let blocks = sums.len() as u32;
        let mut order: Vec<(u32, u32)> = Vec::new();
        let single = sums.values().all(|targets| targets.len() == 1);
        for (&chunk, targets) in sums {
            let target = targets.first().copied().unwrap_or_default();
            order.push((if single { places.of_rank(target) } else { 0 }, chunk));
        }
        order.sort_unstable();
        let per_rank = blocks / ranks;
        let is_even =
            order.iter().zip(0_u32..).all(|(&(target, _), place)| Some(target) == place.checked_div(per_rank));
        let first = sums.values().find_map(BTreeSet::first).copied().unwrap_or_default();
        let (kind, chunks) = if sums.values().all(|targets| targets.len() == ranks as usize) {
            (Kind::AllReduce, blocks)
        } else if single && sums.values().all(|targets| targets.first() == Some(&first)) {
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

    /// Returns the name of the collective; `None` for a list of messages.
    pub(crate) fn name(&self) -> Option<CollectiveName> {
        match self.kind {
            Kind::Broadcast(_) => Some(CollectiveName::Broadcast),
            Kind::Scatter(_) => Some(CollectiveName::Scatter),
            Kind::Gather(_) => Some(CollectiveName::Gather),
            Kind::AllGather => Some(CollectiveName::AllGather),
            Kind::AllToAll => Some(CollectiveName::AllToAll),
            Kind::Reduce(_) => Some(CollectiveName::Reduce),
            Kind::ReduceScatter => Some(CollectiveName::ReduceScatter),
            Kind::AllReduce => Some(CollectiveName::AllReduce),
            Kind::Listed(_) => None,
        }
    }

    /// Returns the collective of the terminals of the ranks. `terminals` has the node of each rank.
    pub(crate) fn collective(&self, topology: &Topology, terminals: &[NodeId]) -> Result<Collective, ConvertError> {
        let node = |rank: u32| terminals[rank as usize];
        let (chunks, groups) = (self.chunks, [terminals.to_vec()]);
        let named = |name: CollectiveName, root: Option<u32>, chunks: NonZeroU32| {
            let roots: Vec<NodeId> = root.into_iter().map(node).collect();
            // One rank is no group, and needs no messages.
            let collective = name.in_groups(topology, &groups, &roots).map_err(|_| ConvertError::NoMessages)?;
            Ok(collective.with_chunks(chunks))
        };
        match (&self.kind, self.name()) {
            (Kind::Broadcast(root) | Kind::Scatter(root) | Kind::Gather(root) | Kind::Reduce(root), Some(name)) => {
                named(name, Some(*root), chunks)
            }
            (Kind::AllReduce, Some(name)) => match NonZeroU32::new(chunks.get() / self.ranks) {
                Some(per_rank) if chunks.get().is_multiple_of(self.ranks) => named(name, None, per_rank),
                _ => Collective::all_reduce_in_blocks(topology, &groups, chunks).map_err(|_| ConvertError::Sums),
            },
            (Kind::Listed(messages), _) => {
                let message = |(from, to): &(u32, Vec<u32>)| Message {
                    source: node(*from),
                    receivers: to.iter().copied().map(node).collect::<Vec<NodeId>>(),
                };
                Ok(Collective::custom(messages.iter().map(message).collect()))
            }
            (_, Some(name)) => named(name, None, chunks),
            (_, None) => Err(ConvertError::NoMessages),
        }
    }
}
