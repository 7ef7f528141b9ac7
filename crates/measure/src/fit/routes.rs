//! The wires that a transfer uses: those of all shortest paths.

use std::collections::BTreeMap;

use lockstep_topology::NodeId;

use super::wires::Wires;

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

/// A node that a search has reached.
#[derive(Clone, Debug)]
struct Reached {
    hops: u32,
    profile: Option<u32>,
    certain: Vec<u32>,
    /// The marked wires on some shortest path, ascending.
    possible: Vec<u32>,
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

/// Returns the wires with a mark that are on some shortest path from `source` to each of the nodes.
pub(super) fn possible_wires(
    wires: &Wires<'_>,
    source: NodeId,
    targets: &[NodeId],
    is_marked: &dyn Fn(u32) -> bool,
) -> Vec<Vec<u32>> {
    let reached = search(wires, &mut Profiles::new(), source, targets, is_marked);
    let of = |target: &NodeId| reached[target.index()].as_ref().map_or_else(Vec::new, |node| node.possible.clone());
    targets.iter().map(of).collect()
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
    let start = Reached { hops: 0, profile: Some(0), certain: Vec::new(), possible: Vec::new() };
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
            if let Some(known) = known {
                if known.profile != profile {
                    known.profile = None;
                }
                known.certain.retain(|other| *other == wire || here.certain.contains(other));
                add(&mut known.possible, here.possible.iter().copied().chain(is_marked(wire).then_some(wire)));
                continue;
            }
            let mut certain = here.certain.clone();
            certain.push(wire);
            let mut possible = here.possible.clone();
            add(&mut possible, is_marked(wire).then_some(wire));
            *known = Some(Reached { hops, profile, certain, possible });
            queue.push(head);
            if is_wanted[head.index()] {
                (missing, last) = (missing - 1, hops);
            }
        }
    }
    reached
}

/// Adds wires to an ascending list.
fn add(list: &mut Vec<u32>, wires: impl IntoIterator<Item = u32>) {
    let length = list.len();
    list.extend(wires);
    if list.len() > length {
        list.sort_unstable();
        list.dedup();
    }
}
