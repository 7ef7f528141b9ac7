//! The messages by source and receiver.

use super::terminal_graph::{TerminalGraph, UNREACHED, fill_distances};
use crate::kit::method_error::MethodError;
use crate::kit::task::SchedulingTask;

/// The receiver of each message and the messages of each source, by rank.
#[derive(Debug)]
pub(super) struct RoutingDemands {
    /// The receiver of each message.
    pub(super) target: Vec<u32>,
    /// Each source with its messages.
    pub(super) sources: Vec<(u32, Vec<u32>)>,
    /// Number of hops of the shortest routes of all messages together.
    pub(super) hops: u64,
    /// Number of hops of the longest of the shortest routes.
    pub(super) longest: u32,
}

impl RoutingDemands {
    /// Returns `None` if a receiver cannot be reached from terminal to terminal. Takes `O(S (N + M))` time for `S`
    /// sources.
    pub(super) fn new(task: &SchedulingTask<'_>, graph: &TerminalGraph) -> Option<Self> {
        let messages = task.messages();
        let mut target = Vec::with_capacity(messages.len());
        let mut sent = vec![Vec::new(); graph.terminal_count()];
        for message in messages.ids() {
            let receiver = messages.receivers_iter(message).next().expect("a message has a receiver");
            target.push(task.rank(receiver) as u32);
            sent[task.rank(messages.source(message))].push(message.number());
        }
        let sources: Vec<(u32, Vec<u32>)> = (0..).zip(sent).filter(|(_, sent)| !sent.is_empty()).collect();
        let (mut hops, mut longest) = (0, 0);
        let (mut distance, mut reached) = (vec![0; graph.terminal_count()], Vec::new());
        for (source, sent) in &sources {
            fill_distances(graph, *source, &mut distance, &mut reached);
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

    /// Returns a lower bound on the steps of any schedule along shortest routes.
    pub(super) fn least_steps(&self, graph: &TerminalGraph) -> Result<u32, MethodError> {
        let least = u32::try_from(self.hops.div_ceil(graph.rate())).map_err(|_| MethodError::TooLarge)?;
        Ok(least.max(self.longest))
    }

    /// Returns the number of messages.
    pub(super) fn len(&self) -> usize {
        self.target.len()
    }
}
