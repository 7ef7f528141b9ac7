//! The spread of a message, played through.

use std::collections::BTreeSet;

use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;

use super::{Checked, expect, starts, usable};

/// A terminal that has the message: transfers that it can start in a step, and in all.
type Holder = (u64, u64);

/// Compares the claimed numbers of informed terminals with the fastest spread from the source.
pub(super) fn compare(problem: &Problem<'_>, source: NodeId, receivers: u64, claimed: &[u64]) -> Checked {
    let others = || problem.topology().terminals().iter().filter(|&&terminal| terminal != source);
    let mut ports: Vec<u64> = others().map(|&terminal| starts(problem, terminal)).collect();
    let mut targets: Vec<u64> = others().map(|&terminal| targets(problem, terminal, true)).collect();
    ports.sort_unstable();
    targets.sort_unstable();
    let mut active: Vec<Holder> = vec![(starts(problem, source), self::targets(problem, source, false))];
    let (mut holders, mut step) = (1, 0);
    loop {
        expect("informed terminals", claimed.get(step).copied().unwrap_or(0), holders)?;
        step += 1;
        if holders > receivers {
            return expect("steps of the spread", claimed.len() as u64, step as u64);
        }
        let mut new = 0;
        for (ports, left) in &mut active {
            let sends = (*ports).min(*left);
            *left -= sends;
            new += sends;
        }
        active.retain(|&(_, left)| left > 0);
        let newcomers = std::iter::from_fn(|| ports.pop().zip(targets.pop()));
        active.extend(newcomers.take(usize::try_from(new).unwrap_or(usize::MAX)));
        holders = (holders + new).min(problem.topology().terminal_count() as u64);
    }
}

/// To how many terminals one may send a message: in one step anyone, over one channel its neighbours, but not the one that
/// it has it from.
fn targets(problem: &Problem<'_>, terminal: NodeId, is_relay: bool) -> u64 {
    let topology = problem.topology();
    if problem.model().switching == Switching::Wormhole {
        return u64::MAX;
    }
    let channels = topology.out_channels(terminal).iter().filter(|&&channel| usable(problem, channel));
    let neighbours: BTreeSet<NodeId> = channels.map(|&channel| topology.head(channel)).collect();
    let mut senders = topology.in_channels(terminal).iter().filter(|&&channel| usable(problem, channel));
    let goes_back = is_relay && senders.all(|&channel| neighbours.contains(&topology.tail(channel)));
    (neighbours.len() as u64).saturating_sub(goes_back.into())
}
