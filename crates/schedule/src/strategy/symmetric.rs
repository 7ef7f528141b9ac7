//! Random symmetric schedules, valid and changed.

use lockstep_topology::{CayleyGraph, Topology, TopologyBuilder};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::any_model;
use super::router::Random;
use crate::model::{CommunicationModel, Ports, Routing, Switching};
use crate::name::CollectiveName;
use crate::symmetric::{BaseSchedule, SymmetricSchedule};

/// A symmetric schedule and the model of its network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymmetricInstance {
    /// The schedule.
    pub schedule: SymmetricSchedule,
    /// The network's rules.
    pub model: CommunicationModel,
}

/// Returns the network of a Cayley graph: node `v` is element `v`, and channels are ordered by node, then by generator.
///
/// # Panics
///
/// Panics if the graph has more elements than a network may have nodes.
pub fn cayley_topology(graph: &CayleyGraph) -> Topology {
    let mut network = TopologyBuilder::new(graph.name());
    let nodes: Vec<_> = (0..graph.node_count()).map(|element| network.terminal(element.to_string())).collect();
    for (&node, element) in nodes.iter().zip(0..) {
        for &generator in graph.generators() {
            network.channel(node, nodes[graph.add(element, generator) as usize]);
        }
    }
    network.build().expect("no generator is element 0")
}

/// Generates symmetric schedules of all-gathers and all-to-alls on Cayley graphs of 2 to `max_elements` elements.
///
/// A schedule is valid if every element is a sum of generators. The exception is a direct all-to-all in which some
/// shortest path must use a generator twice.
pub fn symmetric_instance(max_elements: u64) -> BoxedStrategy<SymmetricInstance> {
    let collective = select(vec![CollectiveName::AllGather, CollectiveName::AllToAll]);
    (any_graph(max_elements), collective, any_model(), any::<u64>())
        .prop_map(|(graph, collective, model, seed)| {
            let mut random = Random(seed);
            let base = if collective == CollectiveName::AllGather {
                all_gather(&graph, model, &mut random)
            } else {
                all_to_all(&graph, model, &mut random)
            };
            SymmetricInstance { schedule: SymmetricSchedule::new(graph, collective, base), model }
        })
        .boxed()
}

/// Generates symmetric schedules after 0 to 3 random changes of the base.
pub fn spoiled_symmetric(max_elements: u64) -> BoxedStrategy<SymmetricInstance> {
    let change = (select(&CHANGES[..]), any::<Index>(), any::<Index>());
    let changes = prop::collection::vec(change, 0..=3);
    (symmetric_instance(max_elements), changes)
        .prop_map(|(SymmetricInstance { schedule, model }, changes)| {
            let graph = schedule.graph().clone();
            let mut steps: Steps = schedule
                .base()
                .steps()
                .map(|step| step.map(|moved| (moved.message, moved.from, moved.path.to_vec())).collect())
                .collect();
            for (change, first, second) in changes {
                spoil(&graph, &mut steps, change, first, second);
            }
            let mut base = BaseSchedule::new();
            for step in steps {
                base.begin_step();
                for (message, from, path) in step {
                    base.push(message, from, &path);
                }
            }
            SymmetricInstance { schedule: SymmetricSchedule::new(graph, schedule.collective(), base), model }
        })
        .boxed()
}

/// Generates full-duplex and one-way graphs; some are not connected.
fn any_graph(max_elements: u64) -> impl Strategy<Value = CayleyGraph> {
    let max_elements = max_elements.max(2);
    let sides = prop::collection::vec(1..=max_elements, 1..=4);
    (sides, prop::collection::vec(any::<Index>(), 1..=4), any::<bool>()).prop_map(move |(mut sides, picks, duplex)| {
        let mut elements = 1;
        for side in &mut sides {
            *side = (*side).min(max_elements / elements);
            elements *= *side;
        }
        if elements == 1 {
            (sides, elements) = (vec![2], 2);
        }
        let mut generators: Vec<u64> = Vec::new();
        let group = CayleyGraph::new("group", &sides, &[]).expect("the sides are positive and their product is small");
        for pick in picks {
            let generator = 1 + pick.index(elements as usize - 1) as u64;
            generators.push(generator);
            generators.extend(duplex.then(|| group.subtract(0, generator)));
        }
        generators.sort_unstable();
        generators.dedup();
        CayleyGraph::new("graph", &sides, &generators).expect("generators are distinct and none is element 0")
    })
}

fn limit(model: CommunicationModel) -> usize {
    match model.ports {
        Ports::All => usize::MAX,
        Ports::Limit(limit) => limit.get() as usize,
    }
}

/// Returns a shortest word for each element, as generator indices; `None` if the element is not a sum of generators.
fn shortest_words(graph: &CayleyGraph) -> Vec<Option<Vec<u16>>> {
    let mut words = vec![None; graph.node_count() as usize];
    words[0] = Some(Vec::new());
    let mut queue = vec![0u64];
    let mut next = 0;
    while let Some(&element) = queue.get(next) {
        next += 1;
        for (place, &generator) in graph.generators().iter().enumerate() {
            let other = graph.add(element, generator);
            if words[other as usize].is_none() {
                let word = words[element as usize].iter().flatten().copied().chain([place as u16]).collect();
                words[other as usize] = Some(word);
                queue.push(other);
            }
        }
    }
    words
}

/// Returns the base of an all-gather that grows a tree; some wormhole transfers cross two channels.
fn all_gather(graph: &CayleyGraph, model: CommunicationModel, random: &mut Random) -> BaseSchedule {
    let words = shortest_words(graph);
    let distance = |element: u64| words[element as usize].as_ref().map_or(usize::MAX, Vec::len);
    let mut base = BaseSchedule::new();
    let mut reached = vec![0];
    loop {
        let mut options: Vec<(u64, usize)> =
            reached.iter().flat_map(|&from| (0..graph.degree()).map(move |place| (from, place))).collect();
        options.retain(|&(from, place)| !reached.contains(&graph.add(from, graph.generators()[place])));
        if options.is_empty() {
            return base;
        }
        random.shuffle(&mut options);
        base.begin_step();
        let (mut used, mut sent) = (vec![false; graph.degree()], 0);
        for (from, place) in options {
            let near = graph.add(from, graph.generators()[place]);
            let is_skipped = sent > 0 && random.below(8) == 0;
            if used[place] || sent == limit(model) || reached.contains(&near) || is_skipped {
                continue;
            }
            used[place] = true;
            let (mut path, mut to) = (vec![place as u16], near);
            let next = random.below(graph.degree());
            let far = graph.add(near, graph.generators()[next]);
            let sum = graph.subtract(far, from);
            let may_jump = model.switching == Switching::Wormhole && random.below(4) == 0;
            let is_short = model.routing == Routing::Any || distance(sum) == 2;
            if may_jump && is_short && !used[next] && far != from && !reached.contains(&far) {
                used[next] = true;
                path.push(next as u16);
                to = far;
            }
            base.push(BaseSchedule::BROADCAST, from as u32, &path);
            reached.push(to);
            sent += 1;
        }
    }
}

/// Returns the base of an all-to-all along shortest words.
fn all_to_all(graph: &CayleyGraph, model: CommunicationModel, random: &mut Random) -> BaseSchedule {
    let mut base = BaseSchedule::new();
    // Message, current element, and the remaining generators.
    let mut pending: Vec<(u32, u64, Vec<u16>)> = shortest_words(graph)
        .into_iter()
        .zip(0..)
        .skip(1)
        .filter_map(|(word, message)| Some((message, 0, word?)))
        .collect();
    for (_, _, word) in &mut pending {
        random.shuffle(word);
    }
    loop {
        base.begin_step();
        let (mut used, mut sent) = (vec![false; graph.degree()], 0);
        random.shuffle(&mut pending);
        for (message, at, word) in &mut pending {
            let hops = match model.switching {
                Switching::StoreAndForward => 1,
                Switching::Wormhole if model.is_direct() => word.len(),
                Switching::Wormhole => 1 + random.below(2).min(word.len().saturating_sub(1)),
            };
            let Some(path) = word.get(..hops).filter(|path| !path.is_empty()) else { continue };
            let is_free = path
                .iter()
                .enumerate()
                .all(|(place, &generator)| !used[usize::from(generator)] && !path[..place].contains(&generator));
            let is_skipped = sent > 0 && random.below(8) == 0;
            if !is_free || sent == limit(model) || is_skipped {
                continue;
            }
            base.push(*message, *at as u32, path);
            sent += 1;
            for generator in word.drain(..hops) {
                used[usize::from(generator)] = true;
                *at = graph.add(*at, graph.generators()[usize::from(generator)]);
            }
        }
        // A relayed message may have chosen two hops by one generator; the next step may choose one hop.
        let is_stuck = sent == 0 && (model.is_direct() || pending.iter().all(|(_, _, word)| word.is_empty()));
        if is_stuck {
            return base;
        }
    }
}

/// A base as nested lists of message, sender and path.
type Steps = Vec<Vec<(u32, u32, Vec<u16>)>>;

/// A kind of change. Two indices choose its places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    DropTransfer,
    RepeatTransfer,
    MoveTransfer,
    OtherMessage,
    UnknownMessage,
    OtherSender,
    UnknownSender,
    OtherGenerator,
    UnknownGenerator,
    LengthenPath,
    EmptyPath,
    SwapSteps,
    MergeSteps,
    /// Takes another path to the same element, in a new step.
    Detour,
    /// Splits a transfer into two, each in a new step.
    Relay,
    /// Sends the message to a neighbour of its receiver, in a new last step.
    Forward,
}

const CHANGES: [Change; 16] = [
    Change::DropTransfer,
    Change::RepeatTransfer,
    Change::MoveTransfer,
    Change::OtherMessage,
    Change::UnknownMessage,
    Change::OtherSender,
    Change::UnknownSender,
    Change::OtherGenerator,
    Change::UnknownGenerator,
    Change::LengthenPath,
    Change::EmptyPath,
    Change::SwapSteps,
    Change::MergeSteps,
    Change::Detour,
    Change::Relay,
    Change::Forward,
];

fn spoil(graph: &CayleyGraph, steps: &mut Steps, change: Change, first: Index, second: Index) {
    let places: Vec<(usize, usize)> =
        steps.iter().enumerate().flat_map(|(step, list)| (0..list.len()).map(move |place| (step, place))).collect();
    if places.is_empty() {
        return;
    }
    let (step, place) = *first.get(&places);
    let (other_step, other_place) = *second.get(&places);
    let elements = graph.node_count() as usize;
    let generator = second.index(graph.degree()) as u16;
    let (message, from, path) = &mut steps[step][place];
    match change {
        Change::DropTransfer => {
            steps[step].remove(place);
        }
        Change::RepeatTransfer => {
            let copy = steps[step][place].clone();
            steps[other_step].insert(other_place, copy);
        }
        Change::MoveTransfer => {
            let moved = steps[step].remove(place);
            let end = steps[other_step].len();
            steps[other_step].insert(other_place.min(end), moved);
        }
        Change::OtherMessage => *message = second.index(elements) as u32,
        Change::UnknownMessage => *message = u32::MAX - second.index(2) as u32,
        Change::OtherSender => *from = second.index(elements) as u32,
        Change::UnknownSender => *from = elements as u32 + second.index(2) as u32,
        Change::OtherGenerator => {
            if !path.is_empty() {
                let at = second.index(path.len());
                path[at] = generator;
            }
        }
        Change::UnknownGenerator => path.push(graph.degree() as u16),
        Change::LengthenPath => path.push(generator),
        Change::EmptyPath => path.clear(),
        Change::SwapSteps => steps.swap(step, other_step),
        Change::MergeSteps => {
            if step + 1 < steps.len() {
                let next = steps.remove(step + 1);
                steps[step].extend(next);
            }
        }
        Change::Detour => {
            let (message, from, path) = steps[step].remove(place);
            steps.insert(step + 1, vec![(message, from, detour(graph, &path, second))]);
        }
        Change::Relay => {
            let (message, from, path) = steps[step].remove(place);
            let (first, rest) = path.split_at(path.len() / 2);
            let halves = [(message, from, first.to_vec()), (message, path_end(graph, from, first), rest.to_vec())];
            let transfers = halves.into_iter().filter(|(_, _, path)| !path.is_empty());
            steps.splice(step + 1..=step, transfers.map(|transfer| vec![transfer]));
        }
        Change::Forward => {
            let (message, from, path) = &steps[step][place];
            let transfer = (*message, path_end(graph, *from, path), vec![generator]);
            steps.push(vec![transfer]);
        }
    }
}

/// Returns the end of a path. Unknown generators are ignored.
fn path_end(graph: &CayleyGraph, from: u32, path: &[u16]) -> u32 {
    let steps = path.iter().filter_map(|&place| graph.generators().get(usize::from(place)));
    steps.fold(from.into(), |element, &generator| graph.add(element, generator)) as u32
}

/// Returns a path to the same element with another first generator, or the path itself if there is none.
fn detour(graph: &CayleyGraph, path: &[u16], pick: Index) -> Vec<u16> {
    let places = || 0..graph.degree() as u16;
    let sum = path_end(graph, 0, &path[..path.len().min(1)]);
    let pairs = places().flat_map(|first| places().map(move |second| [first, second]));
    let detours: Vec<Vec<u16>> = pairs
        .filter_map(|pair| match path_end(graph, 0, &pair) {
            0 => Some([&pair, path].concat()),
            other if other == sum => Some([&pair, &path[1..]].concat()),
            _ => None,
        })
        .collect();
    if detours.is_empty() { path.to_vec() } else { pick.get(&detours).clone() }
}
