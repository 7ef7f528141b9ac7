//! Schedules that are known to be valid, of any size.

use lockstep_paths::{AllPairsError, ShortestPaths};
use lockstep_schedule::{MessageId, Problem, Schedule};
use lockstep_topology::{ChannelId, NodeId, Topology};

/// An all-gather on the `dim`-dimensional hypercube in `2^dim - 1` steps: along the ring of the Gray code, every node
/// passes on what came last. `2^dim` transfers of one channel a step.
///
/// # Panics
///
/// If the network is no hypercube of 4 nodes or more.
pub fn gray_code_all_gather(hypercube: &Topology) -> Schedule {
    let count = hypercube.node_count() as u32;
    let gray = |place: u32| NodeId::new((place % count) ^ ((place % count) >> 1));
    let channel = |place: u32| -> ChannelId {
        let (tail, head) = (gray(place), gray(place + 1));
        let out = hypercube.out_channels(tail).iter().copied().find(|&channel| hypercube.head(channel) == head);
        out.expect("words that follow each other in the Gray code are neighbours")
    };
    let ring: Vec<ChannelId> = (0..count).map(channel).collect();
    let transfers = (count as usize - 1) * count as usize;
    let mut schedule = Schedule::with_capacity(transfers, transfers);
    for step in 0..count - 1 {
        schedule.begin_step();
        for place in 0..count {
            let origin = gray(place + count - step);
            schedule.push(MessageId::new(origin.number()), &[ring[place as usize]]);
        }
    }
    schedule
}

/// A total exchange on an Omega or Butterfly network of `N` terminals in `N - 1` steps: in step `c` terminal `i` sends to
/// `i` exclusive-or `c`, along the only path.
///
/// # Errors
///
/// [`AllPairsError`], if there are too many terminals.
///
/// # Panics
///
/// If the number of terminals is no power of two, or two of them are not joined.
pub fn exclusive_or_exchange(problem: &Problem<'_>) -> Result<Schedule, AllPairsError> {
    let topology = problem.topology();
    let (paths, terminals) = (ShortestPaths::all_pairs(topology)?, topology.terminals());
    let count = terminals.len();
    assert!(count.is_power_of_two(), "{count} terminals are no power of two");
    let mut schedule = Schedule::new();
    for mask in 1..count {
        schedule.begin_step();
        for from in 0..count {
            let to = from ^ mask;
            let path = paths.paths(terminals[from], terminals[to]).next().expect("terminals are joined");
            // Messages are numbered by source, then by receiver without the source.
            let message = from * (count - 1) + to - usize::from(to > from);
            schedule.push(MessageId::new(message as u32), &path);
        }
    }
    Ok(schedule)
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, verify};

    use super::*;

    #[test]
    fn known_schedules_are_valid() {
        for dim in 2..=5 {
            let cube: Topology = format!("hypercube:{dim}").parse().unwrap();
            let all_gather = Collective::all_to_all_broadcast();
            let problem = Problem::new(&cube, &all_gather, CommunicationModel::store_and_forward()).unwrap();
            let report = verify(&problem, &gray_code_all_gather(&cube)).unwrap();
            assert_eq!((report.steps, report.redundant), ((1 << dim) - 1, 0));
        }
        for spec in ["omega:8", "omega:32", "butterfly:16"] {
            let network: Topology = spec.parse().unwrap();
            let exchange = Collective::all_to_all_scatter();
            let problem = Problem::new(&network, &exchange, CommunicationModel::wormhole()).unwrap();
            let report = verify(&problem, &exclusive_or_exchange(&problem).unwrap()).unwrap();
            assert_eq!(report.steps, network.terminal_count() - 1);
        }
    }
}
