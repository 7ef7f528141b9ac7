//! All-to-all on networks with symmetries: schedules that a group of them keeps.

mod automorphism;
mod direct;
mod group;
mod orbits;
mod partition;
mod tabu;

use lockstep_schedule::{CollectiveKind, Ports, Problem, Schedule};
use rand::Rng;

use crate::log::Log;
use crate::method::{Method, Miss, Poll, Request};
use crate::task::Task;
use automorphism::Symmetries;
use direct::Choices;
use group::{FreeGroup, powers};
use orbits::Orbits;

pub(crate) const SYMMETRIC: Method = Method {
    name: "symmetric",
    about: "all-to-all on networks with symmetries: a search among the schedules that they keep",
    find,
    is_random: true,
};

/// The most nodes of a network whose symmetries are looked for.
const MAX_NODES: usize = 1 << 12;

fn find(request: &Request<'_>) -> Result<Schedule, Miss> {
    let problem = request.problem;
    let topology = problem.topology();
    let is_served = matches!(problem.collective().kind, CollectiveKind::AllToAllScatter) && problem.model().is_direct();
    if !is_served || topology.node_count() > MAX_NODES {
        return Err(Miss::Unfit);
    }
    let symmetries = Symmetries::new(topology).ok_or(Miss::Unfit)?;
    let task = Task::new(problem)?;
    let log = request.best_of(|rng, poll| attempt(&task, &symmetries, request, rng, poll))?;
    Ok(log.schedule())
}

/// Random symmetries that are tried as further elements of a group.
const ELEMENTS: usize = 32;

/// Moves for each orbit and channel.
const MOVES: u64 = 20_000;

/// Random groups, each in the one before it, the largest first, under which each message has a path.
fn chain<'a>(task: &Task<'a>, symmetries: &Symmetries<'a>, rng: &mut impl Rng) -> Vec<FreeGroup<'a>> {
    let topology = task.topology();
    let fixed = usize::from(task.model().ports == Ports::All);
    let mut chain = vec![FreeGroup::trivial(topology, fixed)];
    for _ in 0..ELEMENTS {
        let Some(element) = symmetries.random(rng) else { break };
        let largest = chain.last().expect("the trivial group is there");
        let is_of_use = |group: &FreeGroup<'a>, rng: &mut _| {
            let orbits = Orbits::new(task, group);
            orbits.pairs().is_some_and(|pairs| Choices::new(&orbits, &pairs, rng).is_some())
        };
        let next = powers(&element, topology.resource_count())
            .filter_map(|power| largest.with(&power))
            .find(|group| is_of_use(group, rng));
        chain.extend(next);
    }
    chain.remove(0);
    chain.reverse();
    chain
}

fn attempt<'a>(
    task: &Task<'a>,
    symmetries: &Symmetries<'a>,
    request: &Request<'a>,
    rng: &mut impl Rng,
    _poll: &Poll<'_>,
) -> Result<Log, Miss> {
    let goal = request.goal.max(least_steps(request.problem));
    let start = std::time::Instant::now();
    let groups = chain(task, symmetries, rng);
        if std::env::var("SYMM").is_ok() {
            println!("chain in {:?}", start.elapsed());
        }
    for group in groups.into_iter().take(1) {
        let orbits = Orbits::new(task, &group);
        let Some(pairs) = orbits.pairs() else { continue };
        let Some(choices) = Choices::new(&orbits, &pairs, rng) else {
            continue;
        };
        let start = std::time::Instant::now();
        let found = tabu::colour(&choices, orbits.capacities(), goal as usize, MOVES, rng, || request.stop().is_none());
        if std::env::var("SYMM").is_ok() {
            println!("order {} pairs {} paths {} found {} in {:?}", group.order(), pairs.len(), choices.of(choices.len() - 1).end, found.is_some(), start.elapsed());
        }
        if let Some(found) = found {
            let mut log = Log::default();
            for (&pair, (path, step)) in pairs.iter().zip(found) {
                orbits.write(&mut log, pair, 0, step as u32, choices.channels(path))?;
            }
            return Ok(log);
        }
    }
    Err(Miss::NoShorter)
}

fn least_steps(_problem: &Problem<'_>) -> u32 {
    1
}
