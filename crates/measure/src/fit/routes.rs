//! The wires that a transfer uses: those of all shortest paths.

use std::collections::BTreeMap;

use lockstep_topology::NodeId;

use super::wires::Wires;

/// Greater numbers of paths are not counted, so that their quotients are finite.
const MAX_PATHS: f64 = 1e300;

/// What the shortest paths of a transfer have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Route {
    /// The wires on all shortest paths, in the order of the path.
    pub(super) certain: Box<[u32]>,
    /// The number of channels of a path.
    pub(super) hops: u32,
    /// The place of its classes in [`Profiles`]; `None` if shortest paths differ in their classes.
    pub(super) profile: Option<u32>,
}

impl Route {
    /// Returns true if there is one shortest path.
    pub(super) fn is_unique(&self) -> bool {
        self.certain.len() == self.hops as usize
    }
}

/// The wires of one class on a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Stretch {
    pub(super) class: u32,
    /// The number of wires.
    pub(super) hops: u32,
    /// The least number of lanes of one of them.
    pub(super) lanes: u32,
}

/// The different lists of classes that paths have: their order does not count.
#[derive(Debug)]
pub(super) struct Profiles {
    lists: Vec<Vec<Stretch>>,
    places: BTreeMap<Vec<Stretch>, u32>,
    /// The profile with one more wire, by profile, class and lanes.
    extended: BTreeMap<(u32, u32, u32), u32>,
}

impl Profiles {
    /// Begins with the profile of the empty path.
    pub(super) fn new() -> Self {
        Self { lists: vec![Vec::new()], places: BTreeMap::from([(Vec::new(), 0)]), extended: BTreeMap::new() }
    }

    pub(super) fn get(&self, profile: u32) -> &[Stretch] {
        &self.lists[profile as usize]
    }

    fn extend(&mut self, profile: u32, class: u32, lanes: u32) -> u32 {
        if let Some(&known) = self.extended.get(&(profile, class, lanes)) {
            return known;
        }
        let mut stretches = self.lists[profile as usize].clone();
        match stretches.binary_search_by_key(&class, |stretch| stretch.class) {
            Ok(place) => {
                stretches[place].hops += 1;
                stretches[place].lanes = stretches[place].lanes.min(lanes);
            }
            Err(place) => stretches.insert(place, Stretch { class, hops: 1, lanes }),
        }
        let next = self.lists.len() as u32;
        let place = *self.places.entry(stretches.clone()).or_insert(next);
        if place == next {
            self.lists.push(stretches);
        }
        self.extended.insert((profile, class, lanes), place);
        place
    }
}

/// A wire that may be on the path of a transfer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Chance {
    pub(super) wire: u32,
    /// The part of the shortest paths that use the wire.
    pub(super) part: f64,
}

impl Chance {
    /// Returns the part of a number.
    #[expect(clippy::cast_sign_loss, reason = "parts are positive")]
    pub(super) fn of(self, all: u64) -> u64 {
        (self.part * all as f64).round() as u64
    }
}

/// A node that a search has reached.
#[derive(Clone, Debug)]
struct Reached {
    hops: u32,
    profile: Option<u32>,
    certain: Vec<u32>,
    /// The number of shortest paths.
    paths: f64,
    /// The marked wires on some shortest path, ascending.
    possible: Vec<Chance>,
}

/// Finds the routes from `source` to nodes, in their order; `None` for a node without a path.
///
/// One breadth-first search through nodes that route, which ends behind the last of the nodes. It takes `O(M)` steps of the
/// length of a path.
pub(super) fn routes(
    wires: &Wires<'_>,
    profiles: &mut Profiles,
    source: NodeId,
    targets: &[NodeId],
) -> Vec<Option<Route>> {
    let reached = search(wires, profiles, source, targets, &|_| false);
    let route = |target: &NodeId| {
        let Reached { hops, profile, certain, .. } = reached[target.index()].as_ref()?;
        Some(Route { certain: certain.clone().into(), hops: *hops, profile: *profile })
    };
    targets.iter().map(route).collect()
}

/// Returns the marked wires that are on some shortest paths from `source` to each of the nodes, but not on all.
pub(super) fn possible_wires(
    wires: &Wires<'_>,
    source: NodeId,
    targets: &[NodeId],
    is_marked: &dyn Fn(u32) -> bool,
) -> Vec<Vec<Chance>> {
    let mut reached = search(wires, &mut Profiles::new(), source, targets, is_marked);
    let mut of = |target: &NodeId| {
        let Some(Reached { certain, possible, .. }) = &mut reached[target.index()] else { return Vec::new() };
        let mut chances = possible.clone();
        chances.retain(|chance| !certain.contains(&chance.wire));
        chances
    };
    targets.iter().map(&mut of).collect()
}

fn search(
    wires: &Wires<'_>,
    profiles: &mut Profiles,
    source: NodeId,
    targets: &[NodeId],
    is_marked: &dyn Fn(u32) -> bool,
) -> Vec<Option<Reached>> {
    let topology = wires.topology;
    let mut reached: Vec<Option<Reached>> = vec![None; topology.node_count()];
    let mut is_wanted = vec![false; topology.node_count()];
    for target in targets {
        is_wanted[target.index()] = *target != source;
    }
    let mut missing = is_wanted.iter().filter(|&&wanted| wanted).count();
    let start = Reached { hops: 0, profile: Some(0), certain: Vec::new(), paths: 1.0, possible: Vec::new() };
    reached[source.index()] = Some(start);
    let mut queue = vec![source];
    let (mut next, mut last) = (0, 0);
    while let Some(&node) = queue.get(next) {
        next += 1;
        if node != source && !topology.routes(node) {
            continue;
        }
        let Some(here) = reached[node.index()].clone() else { continue };
        if missing == 0 && here.hops >= last {
            break;
        }
        let hops = here.hops + 1;
        for &(wire, head) in wires.out(node) {
            let known = &mut reached[head.index()];
            if known.as_ref().is_some_and(|known| known.hops < hops) {
                continue;
            }
            let own = wires.wire(wire);
            let profile = here.profile.map(|profile| profiles.extend(profile, own.class, own.lanes));
            let marked = is_marked(wire).then_some(Chance { wire, part: 1.0 });
            if let Some(known) = known {
                if known.profile != profile {
                    known.profile = None;
                }
                known.certain.retain(|other| *other == wire || here.certain.contains(other));
                let paths = (known.paths + here.paths).min(MAX_PATHS);
                let new = here.possible.iter().copied().chain(marked);
                known.possible = mixed((&known.possible, known.paths / paths), (new, here.paths / paths));
                known.paths = paths;
                continue;
            }
            let mut certain = here.certain.clone();
            certain.push(wire);
            let mut possible = here.possible.clone();
            possible.extend(marked);
            possible.sort_unstable_by_key(|chance| chance.wire);
            *known = Some(Reached { hops, profile, certain, paths: here.paths, possible });
            queue.push(head);
            if is_wanted[head.index()] {
                (missing, last) = (missing - 1, hops);
            }
        }
    }
    reached
}

/// Returns the union of two lists of chances, each with its weight, ascending by wire.
fn mixed((known, weight): (&[Chance], f64), (new, new_weight): (impl Iterator<Item = Chance>, f64)) -> Vec<Chance> {
    let known = known.iter().map(|&Chance { wire, part }| Chance { wire, part: part * weight });
    let new = new.map(|Chance { wire, part }| Chance { wire, part: part * new_weight });
    let mut all: Vec<Chance> = known.chain(new).collect();
    all.sort_by_key(|chance| chance.wire);
    all.dedup_by(|next, kept| {
        let is_same = next.wire == kept.wire;
        kept.part += if is_same { next.part } else { 0.0 };
        is_same
    });
    all
}
