//! Fans by maximum flow, for sides with too few ports of different steps.

use lockstep_paths::{ArcId, FlowNetwork};
use rand::{Rng, RngExt};

use super::level::{AxisPort, ChainLevel, LegPath, PathLeg};
use super::subgroup_flag::SubgroupFlag;

/// The largest number of nodes of a quotient that is searched.
const MAX_NODES: u32 = 1 << 12;

/// Returns a level with random basis vectors, if in every round shortest paths carry one unit to each target.
pub(super) fn level(mut flag: SubgroupFlag, signs: &[i64], rng: &mut impl Rng) -> Option<ChainLevel> {
    flag.side.checked_pow(flag.axes() as u32).filter(|&nodes| nodes <= MAX_NODES)?;
    for axis in 0..flag.axes() {
        for place in flag.block(flag.block_of(axis)).end..flag.axes() {
            flag.basis[axis][place] = rng.random_range(0..flag.side);
        }
    }
    let rounds = (0..flag.block_count()).map(|block| fan(&flag, signs, block)).collect::<Option<_>>()?;
    Some(ChainLevel { flag, rounds })
}

/// Returns shortest paths from 0 to all targets of a block that share no channel modulo `U_block`: a maximum flow in
/// the quotient, along channels that lead away from 0.
///
/// A shortest path in the quotient is a shortest path wherever it is lifted.
fn fan(flag: &SubgroupFlag, signs: &[i64], block: usize) -> Option<Vec<LegPath>> {
    let start = flag.block(block).start;
    let number = |vector: &[u32]| vector[start..].iter().fold(0, |number, &entry| number * flag.side + entry) as usize;
    let nodes = flag.side.pow((flag.axes() - start) as u32) as usize;
    let ports: Vec<(AxisPort, Vec<u32>)> = (0..flag.axes())
        .flat_map(|axis| signs.iter().map(move |&sign| AxisPort { axis, sign }))
        .map(|port| (port, flag.step(port.axis, port.sign, block)))
        .collect();
    let vector = |mut node: usize| {
        let mut vector = vec![0; flag.axes()];
        for entry in vector[start..].iter_mut().rev() {
            (*entry, node) = (node as u32 % flag.side, node / flag.side as usize);
        }
        vector
    };
    let next = |node: usize, step: &[u32]| {
        let sum: Vec<u32> = vector(node).iter().zip(step).map(|(a, b)| (a + b) % flag.side).collect();
        number(&sum)
    };

    let (mut distance, mut order) = (vec![usize::MAX; nodes], vec![0]);
    distance[0] = 0;
    let (sink, mut network) = (nodes, FlowNetwork::new(nodes + 1));
    // The channels of a node that lead away from 0.
    let mut arcs: Vec<Vec<(ArcId, AxisPort, usize)>> = vec![Vec::new(); nodes];
    let mut done = 0;
    while let Some(&node) = order.get(done) {
        done += 1;
        for (port, step) in &ports {
            let head = next(node, step);
            if distance[head] == usize::MAX {
                distance[head] = distance[node] + 1;
                order.push(head);
            }
            if distance[head] == distance[node] + 1 {
                arcs[node].push((network.add_arc(node, head, 1), *port, head));
            }
        }
    }
    let mut open = vec![false; nodes];
    for target in flag.targets(block) {
        open[number(&target)] = true;
        network.add_arc(number(&target), sink, 1);
    }
    let targets = flag.index(block) - 1;
    if network.max_flow(0, sink) < u64::from(targets) {
        return None;
    }
    let mut carried: Vec<Vec<(AxisPort, usize)>> = arcs
        .iter()
        .map(|arcs| {
            arcs.iter().filter(|(arc, ..)| network.flow(*arc) > 0).map(|&(_, port, head)| (port, head)).collect()
        })
        .collect();
    let paths = (0..targets).map(|_| {
        let (mut path, mut node) = (LegPath::new(), 0);
        while !std::mem::replace(&mut open[node], false) {
            let (port, head) = carried[node].pop().expect("flow that enters a node leaves it or has reached a target");
            match path.last_mut() {
                Some(leg) if leg.axis == port.axis => leg.steps += port.sign,
                _ => path.push(PathLeg { axis: port.axis, steps: port.sign }),
            }
            node = head;
        }
        path
    });
    Some(paths.collect())
}
