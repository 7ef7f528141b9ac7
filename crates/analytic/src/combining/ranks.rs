//! Orders of the terminals in which consecutive ones are near each other, and the coordinates of tori.

use lockstep_schedule::Problem;
use lockstep_topology::NodeId;

use super::grid::{Grid, rank};

/// The terminals as ranks, with the structure that patterns use.
pub(super) struct Ranks {
    /// The ranks in a cyclic order: a Hamiltonian cycle of the grid, if there is one.
    pub(super) cycle: Vec<u32>,
    /// The coordinates, if the network has them.
    pub(super) grid: Option<Grid>,
    /// The number of transfers that every terminal can send and receive in a step of width 1, at least 1.
    pub(super) ports: u32,
    /// By rank: a number by which the blocks of different ranks are distributed over instances.
    pub(super) offset: Vec<u32>,
}

impl Ranks {
    /// Returns the ranks of the terminals of a problem. O(N M) for the order in a network without coordinates.
    pub(super) fn of(problem: &Problem<'_>) -> Self {
        let topology = problem.topology();
        let grid = Grid::of(problem);
        let cycle: Vec<u32> = match &grid {
            Some(grid) => hamiltonian_cycle(&grid.sides).into_iter().map(|place| grid.rank_at[place]).collect(),
            None => near_order(problem),
        };
        let mut offset = vec![0; cycle.len()];
        match &grid {
            Some(grid) => {
                for (place, &rank) in grid.rank_at.iter().enumerate() {
                    offset[rank as usize] = coordinate_sum(&grid.sides, place);
                }
            }
            None => (0..).zip(&cycle).for_each(|(place, &rank)| offset[rank as usize] = place),
        }
        let ports = topology.terminals().iter().map(|&terminal| ports(problem, terminal)).min().unwrap_or(1);
        Self { cycle, grid, ports, offset }
    }
}

fn coordinate_sum(sides: &[u32], place: usize) -> u32 {
    let mut rest = place as u32;
    let digits = sides.iter().rev().map(|&side| {
        let digit = rest % side;
        rest /= side;
        digit
    });
    digits.sum()
}

/// Returns the number of transfers that a terminal can both send and receive in a step of width 1.
fn ports(problem: &Problem<'_>, terminal: NodeId) -> u32 {
    let topology = problem.topology();
    let room = |channels: &[lockstep_topology::ChannelId]| {
        let capacities = channels.iter().map(|&channel| topology.capacity(channel) as usize);
        problem.model().ports.of_degree(capacities.sum())
    };
    let room = room(topology.out_channels(terminal)).min(room(topology.in_channels(terminal)));
    u32::try_from(room).unwrap_or(u32::MAX).max(1)
}

/// Returns the places of a torus in an order in which neighbours follow each other: a Hamiltonian cycle.
///
/// The slower axes form a cycle themselves. At each of its places, all places along the last axis are visited in one
/// direction, and the next row begins where this one ends. The directions are chosen so that the last row ends where the
/// first began: a row forwards moves the start one place back, a row backwards one place forward.
///
/// # Source
///
/// The product of two cycles is Hamiltonian: Kotzig, *Every Cartesian product of two circuits is decomposable into two
/// Hamiltonian circuits* (1973).
fn hamiltonian_cycle(sides: &[u32]) -> Vec<usize> {
    // Even sides are slow: an even number of rows can alternate. Otherwise the rows must outnumber the places of a row.
    let mut axes: Vec<usize> = (0..sides.len()).collect();
    axes.sort_by_key(|&axis| (sides[axis] % 2, u32::MAX - sides[axis]));
    let stride = |axis: usize| -> usize { sides[axis + 1..].iter().map(|&side| side as usize).product() };
    let mut cycle = vec![0];
    for &axis in &axes {
        let (rows, side) = (cycle.len(), sides[axis] as usize);
        let (mut longer, mut place) = (Vec::with_capacity(rows * side), 0);
        for (row, &base) in cycle.iter().enumerate() {
            let is_forward = if rows.is_multiple_of(2) { row % 2 == 0 } else { row < rows.midpoint(side.min(rows)) };
            for step in 0..side {
                longer.push(base + place * stride(axis));
                if step + 1 < side {
                    place = (place + if is_forward { 1 } else { side - 1 }) % side;
                }
            }
        }
        cycle = longer;
    }
    cycle
}

/// Returns the ranks in an order in which each is near the one before: the nearest terminal that is left, of the same host
/// if there is one at that distance or nearer than all others.
fn near_order(problem: &Problem<'_>) -> Vec<u32> {
    let topology = problem.topology();
    let terminals = topology.terminals();
    let (mut order, mut is_placed) = (Vec::with_capacity(terminals.len()), vec![false; topology.node_count()]);
    let (mut seen, mut queue) = (vec![u32::MAX; topology.node_count()], Vec::new());
    let mut hosts: Vec<&str> = topology.nodes().filter_map(|node| topology.host(node)).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let host_of = |node| topology.host(node).and_then(|host| hosts.binary_search(&host).ok());
    let host: Vec<Option<usize>> = topology.nodes().map(host_of).collect();
    let mut left_on_host = vec![0_u32; hosts.len()];
    for &terminal in terminals {
        if let Some(host) = host[terminal.index()] {
            left_on_host[host] += 1;
        }
    }
    let mut current = terminals[0];
    for turn in 0..terminals.len() as u32 {
        is_placed[current.index()] = true;
        order.push(rank(topology, current));
        let home = host[current.index()];
        if let Some(home) = home {
            left_on_host[home] -= 1;
        }
        let stays = home.is_some_and(|home| left_on_host[home] > 0);
        // Nearest first, across all nodes: the next terminal need not be one hop away.
        queue.clear();
        queue.push(current);
        seen[current.index()] = turn;
        let mut at = 0;
        let next = 'search: loop {
            let Some(&node) = queue.get(at) else { break None };
            at += 1;
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if std::mem::replace(&mut seen[head.index()], turn) == turn {
                    continue;
                }
                let fits = topology.is_terminal(head) && !is_placed[head.index()];
                if fits && (!stays || host[head.index()] == home) {
                    break 'search Some(head);
                }
                queue.push(head);
            }
        };
        let next = next.or_else(|| terminals.iter().copied().find(|terminal| !is_placed[terminal.index()]));
        let Some(next) = next else { break };
        current = next;
    }
    order
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel};
    use lockstep_topology::Topology;

    use super::*;

    #[test]
    fn the_cycle_of_a_torus_is_hamiltonian() {
        for spec in
            ["torus:4x4", "torus:3x5", "torus:5x3", "torus:4x3", "torus:3x4x5", "torus:3x3x3", "torus:7x5x3", "ring:9"]
        {
            let topology: Topology = spec.parse().unwrap();
            let all_gather = Collective::all_gather();
            let problem = Problem::new(&topology, &all_gather, CommunicationModel::store_and_forward()).unwrap();
            let ranks = Ranks::of(&problem);
            assert!(ranks.grid.is_some(), "{spec}");
            let mut sorted = ranks.cycle.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..topology.terminal_count() as u32), "{spec}");
            let terminals = topology.terminals();
            for (place, &rank) in ranks.cycle.iter().enumerate() {
                let next = terminals[ranks.cycle[(place + 1) % ranks.cycle.len()] as usize];
                let mut heads =
                    topology.out_channels(terminals[rank as usize]).iter().map(|&channel| topology.head(channel));
                assert!(heads.any(|head| head == next), "{spec}: place {place}");
            }
        }
    }

    /// Three hosts of four terminals: the rails are the first axis, because they are thin.
    #[test]
    fn hosts_with_rails_have_coordinates() {
        let spec = "cluster:nodes=3,gpus=4,nvlink=300GB/s,rails=4,nic=50GB/s";
        for topology in [spec.parse::<Topology>().unwrap(), spec.parse::<Topology>().unwrap().reversed()] {
            let all_gather = Collective::all_gather();
            let problem = Problem::new(&topology, &all_gather, CommunicationModel::wormhole()).unwrap();
            let grid = Grid::of(&problem).unwrap();
            assert_eq!((&grid.sides[..], &grid.ports[..], grid.is_torus), (&[3, 4][..], &[1, 6][..], false));
            let host = |place: usize| topology.host(topology.terminals()[grid.rank_at[place] as usize]);
            assert!(
                (0..12)
                    .all(|place| host(place) == host(place % 4 + place / 4 * 4) && host(place / 4 * 4) == host(place))
            );
        }
    }

    #[test]
    fn terminals_of_a_host_follow_each_other() {
        let topology: Topology = "cluster:nodes=3,gpus=4,nvlink=300GB/s,rails=4,nic=50GB/s".parse().unwrap();
        let all_gather = Collective::all_gather();
        let problem = Problem::new(&topology, &all_gather, CommunicationModel::wormhole()).unwrap();
        let host = |rank: u32| topology.host(topology.terminals()[rank as usize]);
        let order = near_order(&problem);
        let changes = order.windows(2).filter(|pair| host(pair[0]) != host(pair[1])).count();
        assert_eq!(changes, 2);
    }
}
