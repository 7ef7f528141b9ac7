//! Problems with a single source.

use lockstep_schedule::{MessageId, Problem, Schedule, needed_transfers};
use lockstep_topology::{NodeId, Topology};

/// A broadcast of one message, in one or more chunks, from one terminal to others. Every terminal may relay it.
#[derive(Clone, Debug)]
pub(crate) struct SingleSourceBroadcast {
    pub(crate) source: NodeId,
    /// The terminals that must receive the message, in any order.
    pub(crate) receivers: Vec<NodeId>,
    pub(crate) chunks: u32,
}

impl SingleSourceBroadcast {
    /// Returns the broadcast, if the problem is one.
    pub(crate) fn of(problem: &Problem<'_>) -> Option<Self> {
        let messages = problem.messages();
        let first = messages.ids().next().filter(|_| messages.len() == messages.chunks() as usize)?;
        (!messages.is_scatter()).then(|| Self {
            source: messages.source(first),
            receivers: messages.receivers_iter(first).collect(),
            chunks: messages.chunks(),
        })
    }

    /// Returns a flag per node: whether it must receive the message.
    pub(crate) fn receiver_flags(&self, topology: &Topology) -> Vec<bool> {
        let mut is_receiver = vec![false; topology.node_count()];
        for receiver in &self.receivers {
            is_receiver[receiver.index()] = true;
        }
        is_receiver
    }

    /// Returns the terminals that may relay the message but need not receive it.
    pub(crate) fn optional_relays(&self, topology: &Topology) -> Vec<NodeId> {
        let is_receiver = self.receiver_flags(topology);
        let is_optional = |node: &NodeId| *node != self.source && !is_receiver[node.index()];
        topology.terminals().iter().copied().filter(is_optional).collect()
    }

    /// Returns the [needed transfers](needed_transfers) of a schedule. All are needed if every terminal receives the message.
    pub(crate) fn needed_transfers(&self, problem: &Problem<'_>, schedule: Schedule) -> Schedule {
        let is_to_all = self.receivers.len() + 1 == problem.topology().terminal_count();
        if is_to_all { schedule } else { needed_transfers(problem, schedule) }
    }
}

/// Messages from one terminal, each with one receiver.
#[derive(Clone, Debug)]
pub(crate) struct SingleSourceScatter {
    pub(crate) source: NodeId,
    /// Number of messages per receiving node.
    pub(crate) demand: Vec<u32>,
    /// The messages by receiver.
    messages: Vec<MessageId>,
    /// The start of each node's messages.
    start: Vec<u32>,
}

impl SingleSourceScatter {
    /// Returns the scatter, if the problem is one.
    pub(crate) fn of(problem: &Problem<'_>) -> Option<Self> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let source = messages.source(messages.ids().next()?);
        if !messages.is_scatter() || messages.ids().any(|message| messages.source(message) != source) {
            return None;
        }
        let receivers = || messages.ids().flat_map(|message| messages.receivers_iter(message));
        let mut demand = vec![0; topology.node_count()];
        for receiver in receivers() {
            demand[receiver.index()] += 1;
        }
        let start: Vec<u32> = demand.iter().scan(0, |end, count| Some(std::mem::replace(end, *end + count))).collect();
        let (mut next, mut by_receiver) = (start.clone(), vec![MessageId::new(0); messages.len()]);
        for (message, receiver) in messages.ids().zip(receivers()) {
            let position = &mut next[receiver.index()];
            by_receiver[*position as usize] = message;
            *position += 1;
        }
        Some(Self { source, demand, messages: by_receiver, start })
    }

    /// Returns the number of messages.
    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Returns a queue of the messages for each terminal.
    pub(crate) fn message_queues(&self) -> MessageQueues<'_> {
        MessageQueues { scatter: self, next: self.start.clone() }
    }
}

/// A queue of messages per receiver.
#[derive(Debug)]
pub(crate) struct MessageQueues<'a> {
    scatter: &'a SingleSourceScatter,
    next: Vec<u32>,
}

impl MessageQueues<'_> {
    /// Removes and returns the next message for a terminal, of which there must be one.
    pub(crate) fn pop(&mut self, receiver: NodeId) -> MessageId {
        let position = &mut self.next[receiver.index()];
        *position += 1;
        self.scatter.messages[*position as usize - 1]
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::strategy::instance;
    use lockstep_schedule::{Collective, CommunicationModel};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_message_is_in_the_queue_of_its_receiver_once(instance in instance(8)) {
            let problem = instance.problem();
            let messages = problem.messages();
            let Some(scatter) = SingleSourceScatter::of(&problem) else { return Ok(()) };
            let mut queues = scatter.message_queues();
            let mut popped = vec![false; messages.len()];
            for node in problem.topology().nodes() {
                for _ in 0..scatter.demand[node.index()] {
                    let message = queues.pop(node);
                    prop_assert!(messages.receivers_iter(message).eq([node]));
                    prop_assert_eq!(messages.source(message), scatter.source);
                    prop_assert!(!std::mem::replace(&mut popped[message.index()], true));
                }
            }
            prop_assert!(popped.iter().all(|&popped| popped) && scatter.len() == popped.len());
            prop_assert!(SingleSourceBroadcast::of(&problem).is_none());
        }
    }

    #[test]
    fn named_and_listed_broadcasts_are_the_same() {
        let ring: Topology = "ring:5".parse().unwrap();
        let [root, others @ ..] = ring.terminals() else { panic!("five terminals") };
        let read = |collective: &Collective| {
            let problem = Problem::new(&ring, collective, CommunicationModel::wormhole()).unwrap();
            SingleSourceBroadcast::of(&problem)
                .map(|SingleSourceBroadcast { source, receivers, chunks }| (source, receivers, chunks))
        };
        let chunks = 3.try_into().unwrap();
        let named = Collective::broadcast(*root).with_chunks(chunks);
        let listed = Collective::many_to_many_broadcast(&[*root], others).with_chunks(chunks);
        assert_eq!(read(&named), Some((*root, others.to_vec(), 3)));
        assert_eq!(read(&listed), read(&named));
        assert_eq!(read(&Collective::many_to_many_broadcast(others, &[*root, others[0]])), None);
        assert_eq!(read(&Collective::many_to_many_scatter(&[*root], &others[..1])), None, "a scatter");
    }
}
