//! Recursive doubling: partners exchange what they hold, and both add it.

use lockstep_schedule::{MessageId, Ports, Problem, Schedule};
use lockstep_topology::Topology;

use lockstep_model::Routes;

/// An all-reduce of all terminals in which every block takes one step per dimension, on networks whose terminals are
/// joined as in a hypercube. Several blocks use the dimensions in turn, so `d` dimensions and `b` blocks take `d ceil(b /
/// d)` steps; with fewer ports than dimensions, as many blocks as ports run at the same time.
///
/// `None` for other networks, for links that carry one direction per step, for a schedule of `below` steps or more, and once
/// `is_stopped`. `O(N d^2)` time for `N` terminals, in addition to the transfers.
///
/// # Source
///
/// Thakur, Rabenseifner and Gropp, *Optimization of collective communication operations in MPICH*, International Journal of
/// High Performance Computing Applications 19 (2005), section 4.
pub(super) fn recursive_doubling(
    problem: &Problem<'_>,
    routes: &Routes,
    below: u32,
    is_stopped: impl Fn() -> bool,
) -> Option<Schedule> {
    let (terminals, messages) = (problem.topology().terminal_count(), problem.messages());
    if messages.ids().any(|message| messages.receiver_count(message) + 1 != terminals) {
        return None;
    }
    let dimensions = dimensions(problem.topology(), routes)?;
    let at_once = match problem.model().ports {
        Ports::All => dimensions.len(),
        Ports::Limit(ports) => dimensions.len().min(ports.get() as usize),
    };
    let blocks: Vec<MessageId> = messages.ids().collect();
    if blocks.len().div_ceil(at_once) * dimensions.len() >= below as usize {
        return None;
    }
    let mut schedule = Schedule::new();
    for wave in blocks.chunks(at_once) {
        if is_stopped() {
            return None;
        }
        for step in 0..dimensions.len() {
            schedule.begin_step();
            for (place, &block) in wave.iter().enumerate() {
                for &route in &dimensions[(step + place) % dimensions.len()] {
                    schedule.push(block, routes.path(route));
                }
            }
        }
    }
    Some(schedule)
}

/// Returns the dimensions of a hypercube: of each, the route of every terminal to its partner. `None` if the routes are
/// not those of a hypercube, or share resources.
fn dimensions(topology: &Topology, routes: &Routes) -> Option<Vec<Vec<u32>>> {
    let terminals = topology.terminal_count();
    let mut neighbours: Vec<Vec<(u32, u32)>> = vec![Vec::new(); terminals];
    for route in 0..routes.len() as u32 {
        let [from, to] = routes.ends(route);
        neighbours[from as usize].push((to, route));
    }
    for row in &mut neighbours {
        row.sort_unstable();
        row.dedup_by_key(|&mut (to, _)| to);
    }
    let count = neighbours[0].len();
    if count > 31 || terminals != 1 << count || neighbours.iter().any(|row| row.len() != count) {
        return None;
    }
    let all: Option<Vec<Vec<u32>>> =
        neighbours[0].iter().map(|&(partner, _)| dimension(&neighbours, partner)).collect();
    let all = all?;
    let end = |route: u32| routes.ends(route)[1] as usize;
    // Partners of partners agree in any order, and all dimensions together lead everywhere: then every order of the
    // dimensions doubles the sums.
    let commute = |one: &[u32], other: &[u32]| {
        (0..terminals).all(|terminal| end(other[end(one[terminal])]) == end(one[end(other[terminal])]))
    };
    let mut reached = vec![false; terminals];
    reached[0] = true;
    for dimension in &all {
        let partners: Vec<usize> =
            (0..terminals).filter(|&terminal| reached[terminal]).map(|terminal| end(dimension[terminal])).collect();
        for partner in partners {
            reached[partner] = true;
        }
    }
    let channels = all.iter().flatten().flat_map(|&route| routes.path(route));
    let mut resources: Vec<_> = channels.map(|&channel| topology.resource(channel)).collect();
    let uses = resources.len();
    resources.sort_unstable();
    resources.dedup();
    let is_cube = reached.iter().all(|&reached| reached) && resources.len() == uses;
    (is_cube && all.iter().all(|one| all.iter().all(|other| commute(one, other)))).then_some(all)
}

/// Returns the routes of the dimension in which terminal 0 and its `partner` are partners: opposite sides of a square
/// belong to the same dimension.
fn dimension(neighbours: &[Vec<(u32, u32)>], partner: u32) -> Option<Vec<u32>> {
    let route = |from: u32, to: u32| {
        let row = &neighbours[from as usize];
        row.binary_search_by_key(&to, |&(other, _)| other).ok().map(|place| row[place].1)
    };
    let mut partner_of = vec![u32::MAX; neighbours.len()];
    partner_of[0] = partner;
    partner_of[partner as usize] = 0;
    let (mut queue, mut next) = (vec![0, partner], 0);
    while let Some(&terminal) = queue.get(next) {
        next += 1;
        let partner = partner_of[terminal as usize];
        for &(beside, _) in &neighbours[terminal as usize] {
            if beside == partner || partner_of[beside as usize] != u32::MAX {
                continue;
            }
            let mut opposite = neighbours[partner as usize]
                .iter()
                .map(|&(other, _)| other)
                .filter(|&other| other != terminal && route(beside, other).is_some());
            let (Some(opposite), None) = (opposite.next(), opposite.next()) else { return None };
            if partner_of[opposite as usize] != u32::MAX {
                return None;
            }
            partner_of[beside as usize] = opposite;
            partner_of[opposite as usize] = beside;
            queue.extend([beside, opposite]);
        }
    }
    (0..).zip(partner_of).map(|(terminal, partner)| route(terminal, partner)).collect()
}
