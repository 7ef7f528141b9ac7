//! Who sends to whom.

use super::terminal_graph::{TerminalGraph, UNREACHED, search};
use crate::kit::task::SchedulingTask;

/// The messages by their ends, which are ranks of terminals.
#[derive(Debug)]
pub(super) struct Demands {
    /// The receiver of each message.
    pub(super) target: Vec<u32>,
    /// Each terminal that sends, with its messages.
    pub(super) sources: Vec<(u32, Vec<u32>)>,
    /// Channels of shortest routes of all messages together.
    pub(super) hops: u64,
    /// Channels of the longest of the shortest routes.
    pub(super) longest: u32,
}

impl Demands {
    /// `None` if a receiver cannot be reached from terminal to terminal.
    pub(super) fn new(task: &SchedulingTask<'_>, network: &TerminalGraph) -> Option<Self> {
        let messages = task.messages();
        let mut target = Vec::with_capacity(messages.len());
        let mut sent = vec![Vec::new(); network.terminal_count()];
        for message in messages.ids() {
            let receiver = messages.receivers_iter(message).next().expect("a message has a receiver");
            target.push(task.rank(receiver) as u32);
            sent[task.rank(messages.source(message))].push(message.number());
        }
        let sources: Vec<(u32, Vec<u32>)> = (0..).zip(sent).filter(|(_, sent)| !sent.is_empty()).collect();
        let (mut hops, mut longest) = (0, 0);
        let (mut distance, mut reached) = (vec![0; network.terminal_count()], Vec::new());
        for (source, sent) in &sources {
            search(network, *source, &mut distance, &mut reached);
            for &message in sent {
                let distance = distance[target[message as usize] as usize];
                if distance == UNREACHED {
                    return None;
                }
                hops += u64::from(distance);
                longest = longest.max(distance);
            }
        }
        Some(Self { target, sources, hops, longest })
    }

    /// Number of messages.
    pub(super) fn len(&self) -> usize {
        self.target.len()
    }
}
