//! All-to-all with direct transfers from source to receiver, for wormhole switching.

use lockstep_schedule::{BaseSchedule, Ports};

use super::counts::direct_all_to_all_counts;
use super::dimension::{MAX_BASE_USES, has_node, links_per_round};
use super::translate;
use crate::LocalProgram;

/// Returns the direct all-to-all in `2^(D-1)` rounds. In each round, every node sends to one node and to the node
/// opposite to it, on paths of ascending links that together use every link once.
///
/// Two ports are sufficient. With one port every node sends to one other per round, which takes `2^D - 1` rounds.
///
/// Returns `None` for dimensions other than 1 to 20. Takes `O(D 2^D)` time and 2 bytes per channel use.
///
/// ```
/// use lockstep_analytic::hypercube::direct_all_to_all;
/// use lockstep_schedule::Ports;
///
/// let base = direct_all_to_all(3, Ports::All).expect("not too large");
/// let receivers = |round| base.step(round).map(|sent| sent.message);
/// assert!(receivers(0).eq([0b111]) && receivers(1).eq([0b110, 0b001]));
/// ```
pub fn direct_all_to_all(dimension: u32, ports: Ports) -> Option<BaseSchedule> {
    let counts = direct_all_to_all_counts(dimension, ports)?;
    (counts.transmissions >> dimension <= MAX_BASE_USES.into()).then_some(())?;
    let opposite = (1u32 << dimension) - 1;
    let mut base = BaseSchedule::new();
    let mut path = Vec::with_capacity(dimension as usize);
    let mut send = |base: &mut BaseSchedule, receiver: u32| {
        path.clear();
        path.extend((0..dimension as u16).filter(|link| receiver >> link & 1 == 1));
        base.push(receiver, 0, &path);
    };
    for receiver in 0..counts.rounds as u32 {
        base.begin_step();
        send(&mut base, opposite ^ receiver);
        if receiver > 0 && links_per_round(dimension, ports) > 1 {
            send(&mut base, receiver);
        }
    }
    Some(base)
}

/// Returns the transfers of `node` in the [`direct_all_to_all`].
///
/// Returns `None` for dimensions other than 1 to 20, and if the node does not exist. Takes `O(D 2^D)` time.
pub fn direct_all_to_all_program(dimension: u32, ports: Ports, node: u64) -> Option<LocalProgram> {
    let base = direct_all_to_all(dimension, ports).filter(|_| has_node(dimension, node))?;
    Some(translate::program(&base, node))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_receiver_is_reached_once_and_every_round_uses_every_link_once() {
        for dimension in 1..=12 {
            let base = direct_all_to_all(dimension, Ports::All).unwrap();
            let mut reached = vec![0; 1 << dimension];
            for round in 0..base.step_count() {
                let mut links: Vec<u16> = base.step(round).flat_map(|transfer| transfer.path).copied().collect();
                links.sort_unstable();
                assert!(links.into_iter().eq(0..dimension as u16));
                for transfer in base.step(round) {
                    let end = transfer.path.iter().fold(transfer.from, |at, link| at ^ 1 << link);
                    assert_eq!((transfer.from, end), (0, transfer.message));
                    reached[end as usize] += 1;
                }
            }
            assert!(reached[1..].iter().all(|&times| times == 1) && reached[0] == 0);
        }
    }
}
