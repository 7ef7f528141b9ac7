//! Transfers from a root to given places of a mesh, by division of the places into parts.

use std::cmp::Reverse;

use lockstep_schedule::Budget;

use crate::kit::path_packing::{Send, packed_if_possible};
use crate::kit::plane_torus::{PORTS, PlaneTorus};

/// The number of places of a part that are tried as its next holder.
const CANDIDATES: usize = 16;

/// The maximum number of searches for a path.
const MOST_SEARCHES: usize = 64;

/// The largest number of parts on one side of a holder. A shortest path to one side begins at one of three ports.
const MAX_ON_ONE_SIDE: usize = 3;

/// A holder and the places that it has to reach, itself or by others.
struct Part {
    holder: usize,
    places: Vec<usize>,
}

/// Returns the number of places that a node with this number of ports reaches in some steps, if all others have four.
pub(super) fn reach(ports: usize, steps: u32) -> u64 {
    ports as u64 * (5u64.saturating_pow(steps) - 1) / 4
}

/// Returns the number of ports of a node.
pub(super) fn ports(mesh: PlaneTorus, place: usize) -> usize {
    (0..PORTS).filter(|&port| mesh.inner_neighbour(place, port).is_some()).count()
}

/// Returns the paths of each step, as slots of channels; `None` if they do not reach all places, or the budget ends.
///
/// A holder divides its places along their longer axis into parts of nearly equal size, keeps one, and sends to one place of
/// each other part. The parts are apart from each other, so their paths share few channels. The places that it sends to
/// have paths that begin at different ports. A part without a path stays with the holder.
pub(super) fn paths_of_steps(
    mesh: PlaneTorus,
    root: usize,
    places: &[usize],
    steps: u32,
    budget: &Budget,
) -> Option<Vec<Vec<Vec<usize>>>> {
    let mut parts = vec![Part { holder: root, places: places.to_vec() }];
    let mut paths_of_steps = Vec::with_capacity(steps as usize);
    for left in (0..steps).rev() {
        let divisions: Vec<Division> = parts.into_iter().map(|part| division(mesh, part, left)).collect();
        let sends: Vec<Send> = divisions.iter().flat_map(|division| division.sends(mesh)).collect();
        let paths = packed_if_possible(mesh, &sends, [MOST_SEARCHES, usize::MAX], budget)?;
        let mut found = paths.iter().map(Option::is_some);
        parts = divisions.into_iter().flat_map(|division| division.parts(&mut found)).collect();
        parts.retain(|part| !part.places.is_empty());
        paths_of_steps.push(paths.into_iter().flatten().collect());
    }
    parts.is_empty().then_some(paths_of_steps)
}

/// The part that a holder keeps, and the other parts with their new holders.
struct Division {
    own: Part,
    others: Vec<Part>,
}

impl Division {
    fn sends(&self, mesh: PlaneTorus) -> impl Iterator<Item = Send> {
        let from = self.own.holder;
        self.others.iter().map(move |other| Send { from, offset: offset(mesh, from, other.holder) })
    }

    /// Returns the parts. Those without a path stay with the holder.
    fn parts(mut self, found: &mut impl Iterator<Item = bool>) -> Vec<Part> {
        let mut parts = Vec::with_capacity(1 + self.others.len());
        for (other, is_found) in self.others.into_iter().zip(found) {
            if is_found {
                parts.push(other);
            } else {
                self.own.places.push(other.holder);
                self.own.places.extend(other.places);
            }
        }
        parts.push(self.own);
        parts
    }
}

/// Divides a part, for this number of steps after the present one.
fn division(mesh: PlaneTorus, part: Part, left: u32) -> Division {
    let Part { holder, mut places } = part;
    let axis = longer_axis(mesh, &places);
    let key = |place: usize| {
        let coordinates = mesh.coordinates(place);
        [coordinates[axis], coordinates[1 - axis]]
    };
    places.sort_unstable_by_key(|&place| key(place));
    let before = places.partition_point(|&place| key(place) < key(holder));
    let ports = ports(mesh, holder);
    for count in (1..=ports.min(places.len())).rev() {
        if let Some(division) = division_into(mesh, holder, &places, before, count, left) {
            return division;
        }
    }
    Division { own: Part { holder, places }, others: Vec::new() }
}

/// Divides sorted places into `count` parts and that of the holder; `None` if no paths begin at different ports.
fn division_into(
    mesh: PlaneTorus,
    holder: usize,
    places: &[usize],
    before: usize,
    count: usize,
    left: u32,
) -> Option<Division> {
    // The holder keeps its share of the places: it reaches as many others in each of the steps left as in this one.
    let (own_reach, other_reach) = (reach(count, left), 5u64.saturating_pow(left));
    let share = u128::from(own_reach) * places.len() as u128
        / (u128::from(own_reach) + count as u128 * u128::from(other_reach));
    let own = (share as usize).min(places.len() - count);
    let others = places.len() - own;
    let start_of = |part: usize| part * others / count;
    // The holder is near the middle of its part.
    let sides = count.saturating_sub(MAX_ON_ONE_SIDE)..=count.min(MAX_ON_ONE_SIDE);
    let first = sides.min_by_key(|&first| (2 * start_of(first) + own).abs_diff(2 * before))?;
    let split = start_of(first);
    let (lower, rest) = places.split_at(split);
    let (kept, upper) = rest.split_at(own);
    let lower = (0..first).map(|part| &lower[start_of(part)..start_of(part + 1)]);
    let upper = (first..count).map(|part| &upper[start_of(part) - split..start_of(part + 1) - split]);
    let (mut chosen, mut masks) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for part in lower.chain(upper) {
        let target = candidates(mesh, part).into_iter().find(|&candidate| {
            masks.push(first_ports(mesh, holder, candidate));
            let fits = begin_at_different_ports(&masks);
            if !fits {
                masks.pop();
            }
            fits
        })?;
        let places = part.iter().copied().filter(|&place| place != target).collect();
        chosen.push(Part { holder: target, places });
    }
    Some(Division { own: Part { holder, places: kept.to_vec() }, others: chosen })
}

/// Returns the axis along which places extend more.
fn longer_axis(mesh: PlaneTorus, places: &[usize]) -> usize {
    let extent = |axis: usize| {
        let along = || places.iter().map(|&place| mesh.coordinates(place)[axis]);
        along().max().unwrap_or(0) - along().min().unwrap_or(0)
    };
    usize::from(extent(1) > extent(0))
}

/// Returns the places of a part that are the best next holders, the best first: they have all ports, reach the last places of
/// a small part at once, and are near the middle.
fn candidates(mesh: PlaneTorus, part: &[usize]) -> Vec<usize> {
    let size = (part.len() as u64).cast_signed();
    let sums = [0, 1].map(|axis| part.iter().map(|&place| mesh.coordinates(place)[axis]).sum::<i64>());
    let key = |&place: &usize| {
        let coordinates = mesh.coordinates(place);
        let distance: i64 = [0, 1].iter().map(|&axis| (size * coordinates[axis] - sums[axis]).abs()).sum();
        let masks = || part.iter().filter(|&&other| other != place).map(|&other| first_ports(mesh, place, other));
        let reaches_all = part.len() <= PORTS + 1 && begin_at_different_ports(&masks().collect::<Vec<_>>());
        (Reverse(reaches_all), Reverse(ports(mesh, place)), distance, place)
    };
    let mut best: Vec<usize> = part.to_vec();
    if best.len() > CANDIDATES {
        best.select_nth_unstable_by_key(CANDIDATES, key);
        best.truncate(CANDIDATES);
    }
    best.sort_by_cached_key(key);
    best
}

/// Returns the number of steps along each axis from one place to another.
fn offset(mesh: PlaneTorus, from: usize, to: usize) -> [i64; 2] {
    let (from, to) = (mesh.coordinates(from), mesh.coordinates(to));
    [0, 1].map(|axis| to[axis] - from[axis])
}

/// Returns the ports at which a shortest path begins, one bit each.
fn first_ports(mesh: PlaneTorus, from: usize, to: usize) -> u8 {
    let offset = offset(mesh, from, to);
    let port = |axis: usize| if offset[axis] == 0 { 0 } else { 1 << (2 * axis + usize::from(offset[axis] < 0)) };
    port(0) | port(1)
}

/// Returns true if paths with these first ports can begin at different ports: by the theorem of Hall, if any `k` of them have
/// at least `k` ports.
pub(super) fn begin_at_different_ports(masks: &[u8]) -> bool {
    masks.len() <= PORTS
        && (1u32..1 << masks.len()).all(|subset| {
            let members = (0..masks.len()).filter(|member| subset >> member & 1 == 1);
            members.fold(0, |ports, member| ports | masks[member]).count_ones() >= subset.count_ones()
        })
}
