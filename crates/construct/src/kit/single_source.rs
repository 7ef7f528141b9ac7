//! Problems in which one terminal sends everything.

use lockstep_schedule::{MessageId, Problem, Schedule};
use lockstep_topology::{NodeId, Topology};

/// One message, in one or more chunks, from one terminal to some others. Every terminal may pass it on.
#[derive(Clone, Debug)]
pub(crate) struct SingleSourceBroadcast {
    pub(crate) source: NodeId,
    /// The terminals that must hold it at the end, in any order.
    pub(crate) receivers: Vec<NodeId>,
    pub(crate) chunks: u32,
}

impl SingleSourceBroadcast {
    /// The broadcast that a problem is, or `None`. A message to a single terminal is a [`SingleSourceScatter`].
    pub(crate) fn of(problem: &Problem<'_>) -> Option<Self> {
        let messages = problem.messages();
        let first = messages.ids().next().filter(|_| messages.len() == messages.chunks() as usize)?;
        (!messages.is_scatter()).then(|| Self {
            source: messages.source(first),
            receivers: messages.receivers_iter(first).collect(),
            chunks: messages.chunks(),
        })
    }

    /// Whether each node must receive the message.
    pub(crate) fn marked(&self, topology: &Topology) -> Vec<bool> {
        let mut is_receiver = vec![false; topology.node_count()];
        for receiver in &self.receivers {
            is_receiver[receiver.index()] = true;
        }
        is_receiver
    }

    /// The terminals that need not hold the message, but may pass it on.
    pub(crate) fn bystanders(&self, topology: &Topology) -> Vec<NodeId> {
        let is_receiver = self.marked(topology);
        let is_bystander = |node: &NodeId| *node != self.source && !is_receiver[node.index()];
        topology.terminals().iter().copied().filter(is_bystander).collect()
    }

    /// A schedule of one chunk without the transfers to terminals that need not hold it and pass it on to nobody.
    pub(crate) fn without_waste(&self, topology: &Topology, schedule: Schedule) -> Schedule {
        if self.receivers.len() + 1 == topology.terminal_count() {
            return schedule;
        }
        let mut is_needed = self.marked(topology);
        let ends = |path: &[_]| path.first().zip(path.last()).map(|(&a, &b)| (topology.tail(a), topology.head(b)));
        for (_, step) in schedule.steps().rev() {
            for (from, to) in step.iter().filter_map(|transfer| ends(transfer.path)) {
                is_needed[from.index()] |= is_needed[to.index()];
            }
        }
        let mut useful = Schedule::with_capacity(schedule.transfer_count(), schedule.channel_use_count());
        for (_, step) in schedule.steps() {
            useful.begin_step();
            for transfer in step.iter() {
                if ends(transfer.path).is_some_and(|(_, to)| is_needed[to.index()]) {
                    useful.push(transfer.message, transfer.path);
                }
            }
        }
        useful
    }
}

/// Messages of one receiver each, all from one terminal.
#[derive(Clone, Debug)]
pub(crate) struct SingleSourceScatter {
    pub(crate) source: NodeId,
    /// Number of messages for each node.
    pub(crate) demand: Vec<u32>,
    /// The messages by receiver, those of one node from its place in `start` on.
    messages: Vec<MessageId>,
    start: Vec<u32>,
}

impl SingleSourceScatter {
    /// The scatter that a problem is, or `None`.
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
            let place = &mut next[receiver.index()];
            by_receiver[*place as usize] = message;
            *place += 1;
        }
        Some(Self { source, demand, messages: by_receiver, start })
    }

    /// Number of messages.
    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Deals the messages for each terminal out, one after the other.
    pub(crate) fn deal(&self) -> MessageQueues<'_> {
        MessageQueues { scatter: self, next: self.start.clone() }
    }
}

/// Which message for each terminal comes next.
#[derive(Debug)]
pub(crate) struct MessageQueues<'a> {
    scatter: &'a SingleSourceScatter,
    next: Vec<u32>,
}

impl MessageQueues<'_> {
    /// The next message for a terminal; as many times as there are any.
    pub(crate) fn take(&mut self, receiver: NodeId) -> MessageId {
        let place = &mut self.next[receiver.index()];
        *place += 1;
        self.scatter.messages[*place as usize - 1]
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::strategy::instance;
    use lockstep_schedule::{Collective, CommunicationModel};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Every message is dealt once, to its receiver.
        #[test]
        fn a_scatter_deals_each_message_to_its_receiver(instance in instance(8)) {
            let problem = instance.problem();
            let messages = problem.messages();
            let Some(scatter) = SingleSourceScatter::of(&problem) else { return Ok(()) };
            let mut deal = scatter.deal();
            let mut dealt = vec![false; messages.len()];
            for node in problem.topology().nodes() {
                for _ in 0..scatter.demand[node.index()] {
                    let message = deal.take(node);
                    prop_assert!(messages.receivers_iter(message).eq([node]));
                    prop_assert_eq!(messages.source(message), scatter.source);
                    prop_assert!(!std::mem::replace(&mut dealt[message.index()], true));
                }
            }
            prop_assert!(dealt.iter().all(|&dealt| dealt) && scatter.len() == dealt.len());
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
        assert_eq!(read(&Collective::many_to_many_broadcast(&[*root], &others[..1])), None, "a scatter");
    }
}
