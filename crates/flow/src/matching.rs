//! Matching of receives with sends.

use crate::programs::{Event, Programs, TaskId};
use crate::programs_error::ProgramsError;

/// Sender, receiver and tag.
type FlowKey = (u32, u32, u32);

/// Returns the flow that each receive waits for, in the order of tasks and events.
///
/// Flows are numbered in the order of their sends. O(E log E) for `E` events.
///
/// # Errors
///
/// Returns [`ProgramsError::Unmatched`] for the smallest key with different numbers of sends and receives.
pub(crate) fn awaited_flows(programs: &Programs) -> Result<Vec<u32>, ProgramsError> {
    let (mut sends, mut receives) = (Vec::<(FlowKey, u32)>::new(), Vec::<(FlowKey, u32)>::new());
    for (task, events) in programs.tasks.iter().enumerate() {
        let task = task as u32;
        for event in events {
            match *event {
                Event::Send { to, tag, .. } => sends.push(((task, to.number(), tag), sends.len() as u32)),
                Event::Receive { from, tag } => receives.push(((from.number(), task, tag), receives.len() as u32)),
                Event::Compute { .. } | Event::Barrier => {}
            }
        }
    }
    sends.sort_unstable();
    receives.sort_unstable();
    let mut pairs = sends.iter().zip(&receives);
    let first_difference = pairs.find(|((sent, _), (received, _))| sent != received);
    let surplus = || sends.get(receives.len()).or_else(|| receives.get(sends.len()));
    let unmatched =
        first_difference.map(|(send, receive)| send.0.min(receive.0)).or_else(|| surplus().map(|one| one.0));
    if let Some(key @ (from, to, tag)) = unmatched {
        let count = |list: &[(FlowKey, u32)]| {
            list.partition_point(|(other, _)| *other <= key) - list.partition_point(|(other, _)| *other < key)
        };
        let (from, to) = (TaskId::new(from), TaskId::new(to));
        return Err(ProgramsError::Unmatched { from, to, tag, sends: count(&sends), receives: count(&receives) });
    }
    let mut awaited = vec![0; receives.len()];
    for ((_, flow), (_, receive)) in sends.iter().zip(&receives) {
        awaited[*receive as usize] = *flow;
    }
    Ok(awaited)
}
