//! Messages that enter a node set, in the last step once per receiver.

use lockstep_schedule::{Problem, Receivers};
use lockstep_topology::NodeId;

use super::cut::can_cross;
use super::messages::unsplit;
use super::nodes::membership;
use super::refusal::{Checked, expect, steps_of};
use crate::certificate::Direction;

pub(super) fn steps_proved(
    problem: &Problem<'_>,
    nodes: &[NodeId],
    [receivers, messages, per_step]: [u64; 3],
) -> Checked<u64> {
    let inside = membership(problem, nodes)?;
    if receivers == 0 {
        return Err("the messages must have receivers in the set".into());
    }
    let (entering, fewest) = entering(problem, &inside, receivers);
    expect("messages that must enter", messages, entering)?;
    expect("receivers of these messages", receivers, fewest)?;
    expect("entries in one step", per_step, can_cross(problem, nodes, &inside, Direction::In))?;
    let late = per_step / receivers;
    Ok(steps_of(entering.saturating_sub(late), per_step)? + 1)
}

/// Returns the number of messages with a source outside and at least this many receivers inside, and the smallest number
/// of receivers inside among them.
fn entering(problem: &Problem<'_>, inside: &[bool], receivers: u64) -> (u64, u64) {
    let (topology, messages) = (problem.topology(), problem.messages());
    let all = topology.terminals().iter().filter(|terminal| inside[terminal.index()]).count();
    let (originals, chunks) = unsplit(&messages);
    let outside = originals.filter(|&message| !inside[messages.source(message).index()]);
    let receivers_inside = outside.map(|message| match messages.receivers(message) {
        Receivers::AllOthers => all,
        Receivers::One(receiver) => usize::from(inside[receiver.index()]),
        Receivers::List(list) => list.iter().filter(|receiver| inside[receiver.index()]).count(),
    });
    let wide = receivers_inside.map(|count| count as u64).filter(|&count| count >= receivers);
    wide.fold((0, u64::MAX), |(messages, fewest), count| (messages + chunks, fewest.min(count)))
}
