//! Which receive meets which send.

use crate::programs::{Event, Programs, ProgramsError, TaskId};

/// The flows between two tasks with one tag.
type Key = (u32, u32, u32);

/// The flow that each receive awaits, in the order of tasks and events. Flows are numbered in the order of their sends.
pub(crate) fn awaited_flows(programs: &Programs) -> Result<Vec<u32>, ProgramsError> {
    let (mut sends, mut receives) = (Vec::<(Key, u32)>::new(), Vec::<(Key, u32)>::new());
    for (task, events) in programs.tasks.iter().enumerate() {
        let task = task as u32;
        for event in events {
            match *event {
                Event::Send { to, tag, .. } => sends.push(((task, to.number(), tag), sends.len() as u32)),
                Event::Receive { from, tag } => receives.push(((from.number(), task, tag), receives.len() as u32)),
                Event::Compute { .. } => {}
            }
        }
    }
    sends.sort_unstable();
    receives.sort_unstable();
    let mut pairs = sends.iter().zip(&receives);
    let unlike = pairs.find(|((sent, _), (received, _))| sent != received);
    let surplus = || sends.get(receives.len()).or_else(|| receives.get(sends.len()));
    let wrong = unlike.map(|(send, receive)| send.0.min(receive.0)).or_else(|| surplus().map(|one| one.0));
    if let Some(key @ (from, to, tag)) = wrong {
        let count = |list: &[(Key, u32)]| {
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
