//! The collectives as data that spreads along a pattern.

use lockstep_schedule::{Budget, MessageId, Pattern as Direction, Phase, Problem, Receivers, Schedule};

use super::grid::rank;
use super::pattern::{Pair, Pattern, Pipeline};
use super::ranks::Ranks;
use super::router::{MAX_CHANNEL_USES, Move, Router};
use super::spread::Spread;

/// Returns true if the collective can be written in steps of a pattern: each message has one receiver and may be relayed, or
/// involves all terminals. Schedules must also fit into memory.
pub(super) fn is_supported(problem: &Problem<'_>) -> bool {
    let (messages, others) = (problem.messages(), problem.topology().terminal_count() - 1);
    if messages.delivery_count() > MAX_CHANNEL_USES as u64 {
        return false;
    }
    if messages.is_scatter() {
        return !problem.model().is_direct();
    }
    messages.ids().all(|message| messages.receiver_count(message) == others)
}

/// Returns the schedule in which a rank sends the blocks that the receiver needs.
pub(super) fn in_parts(
    problem: &Problem<'_>,
    ranks: &Ranks,
    pattern: &Pattern<'_>,
    budget: &Budget,
) -> Option<Schedule> {
    in_phases(problem, budget, |router| {
        if problem.messages().is_scatter() {
            scatter(problem, ranks, pattern, router)
        } else {
            copy(&blocks(problem), ranks, pattern, router)
        }
    })
}

/// Returns the schedule that distributes all blocks from one root. `None` if there are several.
pub(super) fn from_root(
    problem: &Problem<'_>,
    ranks: &Ranks,
    pipeline: impl Fn(usize, usize) -> Pipeline,
    budget: &Budget,
) -> Option<Schedule> {
    let (messages, places) = (problem.messages(), ranks.cycle.len());
    let first = ranks.cycle[0];
    let root = match problem.collective().pattern() {
        Direction::ReduceBroadcast => first,
        _ => messages.ids().next().map_or(first, |message| rank(problem.topology(), messages.source(message))),
    };
    let has_root = |message| rank(problem.topology(), messages.source(message)) == root;
    let is_rooted = problem.collective().pattern() == Direction::ReduceBroadcast || messages.ids().all(has_root);
    if messages.is_scatter() || !is_rooted {
        return None;
    }
    let start = ranks.cycle.iter().position(|&rank| rank == root)?;
    let rank_at = |place: u32| ranks.cycle[(start + place as usize) % places];
    let pipeline = pipeline(places, messages.len());
    in_phases(problem, budget, |mut router| {
        // By place and block: the receptions so far.
        let mut is_held = vec![false; places * messages.len()];
        is_held[..messages.len()].fill(true);
        let (mut transfers, mut moves) = (Vec::new(), Vec::new());
        for round in 0..pipeline.rounds {
            transfers.clear();
            pipeline.transfers(round, &mut transfers);
            let place_of = |place: u32, block: u32| place as usize * messages.len() + block as usize;
            transfers.retain(|&([_, to], block)| !is_held[place_of(to, block)]);
            moves.clear();
            for &(pair, block) in &transfers {
                moves.push(Move { pair: pair.map(rank_at), message: MessageId::new(block) });
            }
            router.add_step(&moves)?;
            for &([_, to], block) in &transfers {
                is_held[place_of(to, block)] = true;
            }
        }
        is_held.iter().all(|&is_held| is_held).then(|| router.into_schedule())
    })
}

/// Returns the phases of a problem one after the other. `distribute` writes a distribution; collecting phases run on the
/// reversed network, backwards in time.
fn in_phases(
    problem: &Problem<'_>,
    budget: &Budget,
    distribute: impl Fn(Router<'_>) -> Option<Schedule>,
) -> Option<Schedule> {
    let mut whole = Schedule::new();
    for phase in problem.collective().phases() {
        let schedule = match phase {
            Phase::Distribute => distribute(Router::new(problem.topology(), problem.model(), budget))?,
            Phase::Collect => {
                distribute(Router::new(&problem.topology().reversed(), problem.model(), budget))?.reversed()
            }
        };
        if whole.step_count() == 0 {
            whole = schedule;
        } else {
            whole.append(&schedule);
        }
    }
    Some(whole)
}

/// A message, and the rank from which it spreads.
type Block = (MessageId, u32);

/// Returns the blocks. Those of an all-reduce, which have no owner, are distributed evenly over the ranks.
fn blocks(problem: &Problem<'_>) -> Vec<Block> {
    let (messages, topology) = (problem.messages(), problem.topology());
    let (count, terminals) = (messages.len() as u64, topology.terminal_count() as u64);
    let has_owner = problem.collective().pattern() != Direction::ReduceBroadcast;
    let owner = |message: MessageId| {
        if has_owner {
            rank(topology, messages.source(message))
        } else {
            (u64::from(message.number()) * terminals / count) as u32
        }
    };
    messages.ids().map(|message| (message, owner(message))).collect()
}

/// The part of the blocks that one instance of a pattern spreads.
struct Share {
    /// The ranks with blocks, ascending.
    sources: Vec<u32>,
    /// By source: its blocks.
    blocks: Vec<Vec<MessageId>>,
}

/// Distributes the blocks of each rank evenly over the instances.
fn shares(blocks: &[Block], ranks: &Ranks, instances: usize) -> Vec<Share> {
    let mut owned = vec![0_u32; ranks.cycle.len()];
    let mut split: Vec<Vec<Block>> = vec![Vec::new(); instances];
    for &(message, owner) in blocks {
        let turn = ranks.offset[owner as usize] as usize + owned[owner as usize] as usize;
        split[turn % instances].push((message, owner));
        owned[owner as usize] += 1;
    }
    let share = |mut blocks: Vec<Block>| {
        blocks.sort_by_key(|&(_, owner)| owner);
        let groups = blocks.chunk_by(|first, second| first.1 == second.1);
        let sources = groups.clone().map(|group| group[0].1).collect();
        Share { sources, blocks: groups.map(|group| group.iter().map(|&(message, _)| message).collect()).collect() }
    };
    split.into_iter().map(share).collect()
}

/// Copies every block from its owner to all ranks.
fn copy(blocks: &[Block], ranks: &Ranks, pattern: &Pattern<'_>, mut router: Router<'_>) -> Option<Schedule> {
    let shares = shares(blocks, ranks, pattern.instances);
    let mut spreads: Vec<Spread> = shares.iter().map(|share| Spread::new(ranks.cycle.len(), &share.sources)).collect();
    let (mut pairs, mut moves): (Vec<Pair>, Vec<Move>) = (Vec::new(), Vec::new());
    for step in 0..pattern.steps {
        moves.clear();
        for (instance, (share, spread)) in shares.iter().zip(&mut spreads).enumerate() {
            pairs.clear();
            pattern.pairs(instance, step, &mut pairs);
            router.spend(pairs.len() * spread.words())?;
            spread.copy(&pairs, |source, pair| {
                moves.extend(share.blocks[source].iter().map(|&message| Move { pair, message }));
            });
        }
        router.add_step(&moves)?;
    }
    spreads.iter().all(Spread::is_complete).then(|| router.into_schedule())
}

/// Sends every message from its source to its receiver along the tree in which the data of the source spreads.
fn scatter(problem: &Problem<'_>, ranks: &Ranks, pattern: &Pattern<'_>, mut router: Router<'_>) -> Option<Schedule> {
    const NOWHERE: u32 = u32::MAX;
    let (messages, topology) = (problem.messages(), problem.topology());
    let mut is_source = vec![false; ranks.cycle.len()];
    for message in messages.ids() {
        is_source[rank(topology, messages.source(message)) as usize] = true;
    }
    let sources: Vec<u32> = (0..).zip(&is_source).filter(|(_, is_source)| **is_source).map(|(rank, _)| rank).collect();
    let ends = |message: MessageId| {
        let Receivers::One(receiver) = messages.receivers(message) else { unreachable!("a message has one receiver") };
        [messages.source(message), receiver].map(|node| rank(topology, node))
    };
    let mut steps: Vec<Vec<Move>> = vec![Vec::new(); pattern.steps];
    let (mut pairs, mut hops) = (Vec::new(), 0);
    for instance in 0..pattern.instances {
        // By source and rank: the sender from which the data of the source comes, and the step.
        let mut arrival = vec![(NOWHERE, 0); sources.len() * ranks.cycle.len()];
        let mut spread = Spread::new(ranks.cycle.len(), &sources);
        for step in 0..pattern.steps {
            pairs.clear();
            pattern.pairs(instance, step, &mut pairs);
            router.spend(pairs.len() * spread.words())?;
            spread.copy(&pairs, |source, [from, to]| {
                arrival[source * ranks.cycle.len() + to as usize] = (from, step as u32);
            });
        }
        if !spread.is_complete() {
            return None;
        }
        for message in messages.ids() {
            let [source, receiver] = ends(message);
            let chunk = message.number() % messages.chunks();
            let turn = ranks.offset[source as usize] + ranks.offset[receiver as usize] + chunk;
            if turn as usize % pattern.instances != instance {
                continue;
            }
            let place = sources.binary_search(&source).expect("listed above");
            let mut to = receiver;
            router.spend(1)?;
            while to != source {
                let (from, step) = arrival[place * ranks.cycle.len() + to as usize];
                steps[step as usize].push(Move { pair: [from, to], message });
                to = from;
                hops += 1;
            }
            if hops > MAX_CHANNEL_USES / 4 {
                return None;
            }
        }
    }
    for moves in &mut steps {
        moves.sort_by_key(|sent| sent.pair);
        router.add_step(moves)?;
    }
    Some(router.into_schedule())
}

/// Returns the all-reduce in which a rank sends the sums of all blocks, or `None` if data would count twice.
pub(super) fn of_whole_vectors(
    problem: &Problem<'_>,
    ranks: &Ranks,
    pattern: &Pattern<'_>,
    budget: &Budget,
) -> Option<Schedule> {
    let all: Vec<u32> = (0..ranks.cycle.len() as u32).collect();
    let mut router = Router::new(problem.topology(), problem.model(), budget);
    let mut spreads: Vec<Spread> = (0..pattern.instances).map(|_| Spread::new(all.len(), &all)).collect();
    let (mut pairs, mut moves): (Vec<Pair>, Vec<Move>) = (Vec::new(), Vec::new());
    for step in 0..pattern.steps {
        moves.clear();
        for (instance, spread) in spreads.iter_mut().enumerate() {
            pairs.clear();
            pattern.pairs(instance, step, &mut pairs);
            if !spread.add(&mut pairs) {
                return None;
            }
            let blocks = problem.messages().ids().skip(instance).step_by(pattern.instances);
            let sent = pairs.iter().flat_map(|&pair| blocks.clone().map(move |message| Move { pair, message }));
            if moves.len() + pairs.len() * blocks.len() > MAX_CHANNEL_USES / 4 {
                return None;
            }
            router.spend(pairs.len() * spread.words())?;
            moves.extend(sent);
        }
        router.add_step(&moves)?;
    }
    spreads.iter().all(Spread::is_complete).then(|| router.into_schedule())
}
