//! The growth of the set of terminals that hold a message, simulated.

use std::collections::BTreeSet;

use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;

use super::capacity::{is_usable, send_limit};
use super::messages::unsplit;
use super::nodes::expect_terminal;
use super::refusal::{Checked, expect, steps_of};

pub(super) fn steps_proved(
    problem: &Problem<'_>,
    source: NodeId,
    [messages, receivers, ports]: [u64; 3],
    informed: &[u64],
) -> Checked<u64> {
    expect_terminal(problem, source)?;
    let (count, fewest) = broadcasts(problem, source, receivers);
    expect("messages of the source", messages, count)?;
    expect("receivers of these messages", receivers, fewest)?;
    expect("ports of the source", ports, send_limit(problem, source))?;
    let start = steps_of(messages, ports)?;
    compare(problem, source, receivers, informed)?;
    Ok(start + informed.len() as u64 - 2)
}

/// Returns the number of messages of the source with at least this many receivers, and the smallest number of receivers
/// among them.
fn broadcasts(problem: &Problem<'_>, source: NodeId, receivers: u64) -> (u64, u64) {
    let messages = problem.messages();
    let (originals, chunks) = unsplit(&messages);
    let own = originals.filter(|&message| messages.source(message) == source);
    let wide = own.map(|message| messages.receiver_count(message) as u64).filter(|&count| count >= receivers);
    wide.fold((0, u64::MAX), |(count, fewest), receivers| (count + chunks, fewest.min(receivers)))
}

/// A terminal that holds the message.
struct Holder {
    /// Number of transfers that it can start in one step, at least 1.
    ports: u64,
    /// Number of transfers that it can still start.
    targets: u64,
}

/// Compares the claimed numbers of informed terminals with those of the fastest growth.
///
/// A terminal with `p` ports and `t` targets starts at most `min(p * s, t)` transfers in its first `s` steps as a
/// holder. Under wormhole switching, `t` is unlimited: no order of new holders gives more transfers than descending
/// ports. Under store-and-forward, every new holder gets `q` ports, the largest `min(p, t)` of all terminals that are
/// not the source. The function `min(q * s, t)` is supermodular in `s` and `t`, so no order gives more transfers than
/// descending targets. It would be wrong to sort ports and targets separately: the first new holder has the most time,
/// and a slow terminal with many targets makes the best use of it.
fn compare(problem: &Problem<'_>, source: NodeId, receivers: u64, claimed: &[u64]) -> Checked {
    let (topology, is_wormhole) = (problem.topology(), problem.model().switching == Switching::Wormhole);
    let others = topology.terminals().iter().copied().filter(|&terminal| terminal != source);
    let relay =
        |terminal| Holder { ports: send_limit(problem, terminal), targets: target_count(problem, terminal, true) };
    let mut relays: Vec<Holder> = others.map(relay).collect();
    if !is_wormhole {
        let most = relays.iter().map(|relay| relay.ports.min(relay.targets)).max().unwrap_or(0);
        for relay in &mut relays {
            relay.ports = most;
        }
    }
    // Either all ports are equal or all targets are.
    relays.sort_unstable_by_key(|relay| (relay.ports, relay.targets));
    let source = Holder { ports: send_limit(problem, source), targets: target_count(problem, source, false) };
    let mut active = vec![source];
    let (mut holders, mut step) = (1, 0);
    // The message can reach its receivers, so every step adds a holder, and every active holder adds one or more. All
    // steps together take linear time.
    loop {
        expect("informed terminals", claimed.get(step).copied().unwrap_or(0), holders)?;
        step += 1;
        if holders > receivers {
            return expect("steps of the growth", claimed.len() as u64, step as u64);
        }
        let mut new = 0;
        for holder in &mut active {
            let sends = holder.ports.min(holder.targets);
            holder.targets -= sends;
            new += sends;
        }
        active.retain(|holder| holder.targets != 0);
        let joining = std::iter::from_fn(|| relays.pop()).take(usize::try_from(new).unwrap_or(usize::MAX));
        active.extend(joining.filter(|relay| relay.ports.min(relay.targets) != 0));
        holders = (holders + new).min(topology.terminal_count() as u64);
    }
}

/// Returns the number of terminals to which a terminal can send a message: any number under wormhole switching,
/// otherwise its neighbours. A terminal that is not the source does not send to the neighbour that sent it the message.
fn target_count(problem: &Problem<'_>, terminal: NodeId, is_relay: bool) -> u64 {
    let topology = problem.topology();
    if problem.model().switching == Switching::Wormhole {
        return u64::MAX;
    }
    let channels = topology.out_channels(terminal).iter().filter(|&&channel| is_usable(problem, channel));
    let neighbours: BTreeSet<NodeId> = channels.map(|&channel| topology.head(channel)).collect();
    let mut senders = topology.in_channels(terminal).iter().filter(|&&channel| is_usable(problem, channel));
    let sender_is_neighbour = is_relay && senders.all(|&channel| neighbours.contains(&topology.tail(channel)));
    (neighbours.len() as u64).saturating_sub(sender_is_neighbour.into())
}
