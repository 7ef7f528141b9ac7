//! The places of the messages in the buffers of the ranks.

use lockstep_schedule::{CollectiveName, MessageId, Pattern, Problem, Receivers};
use lockstep_topology::NodeId;

use crate::error::LowerError;
use crate::program::{Buffer, BufferSizes, Placement, Slot};

/// Consecutive chunks of a rank that go from its input to its output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OwnCopy {
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) count: u32,
}

/// The position of each message in the inputs and outputs of a collective without a name.
#[derive(Debug)]
struct Lists {
    /// Per rank: the messages that it holds or contributes to at the start, ascending.
    inputs: Vec<Vec<u32>>,
    /// Per rank: the messages that it must hold at the end, ascending.
    outputs: Vec<Vec<u32>>,
}

/// The place of every message in the inputs and outputs; the table is in the documentation of the crate.
#[derive(Debug)]
pub(crate) struct Layout<'a> {
    problem: Problem<'a>,
    placement: Placement,
    /// `None` for collectives without a name.
    name: Option<CollectiveName>,
    chunks: u32,
    ranks: u32,
    lists: Lists,
}

impl<'a> Layout<'a> {
    pub(crate) fn new(problem: &Problem<'a>, placement: Placement) -> Result<Self, LowerError> {
        let collective = problem.collective();
        let (name, pattern) = (collective.name(), collective.pattern());
        if name.is_none() && placement == Placement::InPlace && pattern != Pattern::ReduceBroadcast {
            return Err(LowerError::NoInPlaceLayout);
        }
        let (chunks, ranks) = (problem.messages().chunks(), problem.topology().terminal_count() as u32);
        if chunks.checked_mul(ranks).is_none() {
            return Err(LowerError::TooManyChunks { ranks, chunks });
        }
        let mut layout = Self {
            problem: *problem,
            placement,
            name,
            chunks,
            ranks,
            lists: Lists { inputs: Vec::new(), outputs: Vec::new() },
        };
        if name.is_none() {
            layout.lists = layout.lists();
        }
        Ok(layout)
    }

    fn lists(&self) -> Lists {
        let mut inputs = vec![Vec::new(); self.ranks as usize];
        let mut outputs = inputs.clone();
        for message in self.problem.messages().ids() {
            for rank in self.origins(message) {
                inputs[rank as usize].push(message.number());
            }
            for rank in self.goals(message) {
                outputs[rank as usize].push(message.number());
            }
        }
        Lists { inputs, outputs }
    }

    /// Returns the rank of a terminal.
    pub(crate) fn rank(&self, node: NodeId) -> u32 {
        self.problem.topology().terminal_rank(node).expect("the ends of messages and transfers are terminals") as u32
    }

    /// Returns the ranks that hold the message, or contribute to it, at the start.
    pub(crate) fn origins(&self, message: MessageId) -> Vec<u32> {
        self.ends(message, matches!(self.problem.collective().pattern(), Pattern::Broadcast | Pattern::Scatter))
    }

    /// Returns the ranks that must hold the message at the end, apart from those of a broadcast that hold it at the start.
    pub(crate) fn goals(&self, message: MessageId) -> Vec<u32> {
        self.ends(message, matches!(self.problem.collective().pattern(), Pattern::Gather | Pattern::Reduce))
    }

    /// Returns the source of a message, or its receivers. The source of a sum is one of its contributors, and that of an
    /// all-reduce gets the sum.
    fn ends(&self, message: MessageId, at_source: bool) -> Vec<u32> {
        let messages = self.problem.messages();
        let source = self.rank(messages.source(message));
        if at_source {
            return vec![source];
        }
        let receivers = messages.receivers_iter(message).map(|node| self.rank(node));
        let pattern = self.problem.collective().pattern();
        let with_source = matches!(pattern, Pattern::Reduce | Pattern::ReduceBroadcast);
        with_source.then_some(source).into_iter().chain(receivers).collect()
    }

    /// Returns true if the contributions of several ranks are added.
    pub(crate) fn reduces(&self) -> bool {
        matches!(self.problem.collective().pattern(), Pattern::Reduce | Pattern::ReduceBroadcast)
    }

    /// Returns true if results replace inputs that may not have been sent yet.
    pub(crate) fn overwrites_inputs(&self) -> bool {
        self.placement == Placement::InPlace && self.name == Some(CollectiveName::AllToAll)
    }

    /// Returns the place of a message at a rank that holds it, or contributes to it, at the start.
    pub(crate) fn initial(&self, message: MessageId, rank: u32) -> Slot {
        let in_place = self.placement == Placement::InPlace;
        let is_root = self.root() == Some(rank);
        let buffer = match self.name {
            Some(CollectiveName::Reduce | CollectiveName::Broadcast) if in_place && is_root => Buffer::Output,
            Some(CollectiveName::AllReduce | CollectiveName::AllGather | CollectiveName::AllToAll) | None
                if in_place =>
            {
                Buffer::Output
            }
            _ => Buffer::Input,
        };
        let chunk = message.number() % self.chunks;
        let offset = match self.name {
            None => position(&self.lists.inputs[rank as usize], message),
            Some(CollectiveName::AllReduce | CollectiveName::ReduceScatter) => message.number(),
            Some(CollectiveName::AllGather) if in_place => message.number(),
            Some(CollectiveName::Scatter | CollectiveName::AllToAll) => self.receiver(message) * self.chunks + chunk,
            Some(_) => chunk,
        };
        Slot { buffer, offset }
    }

    /// Returns the place of a message at a rank that must hold it at the end.
    pub(crate) fn goal(&self, message: MessageId, rank: u32) -> Slot {
        let chunk = message.number() % self.chunks;
        match self.name {
            Some(CollectiveName::ReduceScatter) if self.placement == Placement::InPlace => {
                Slot { buffer: Buffer::Input, offset: message.number() }
            }
            name => {
                let offset = match name {
                    None => position(&self.lists.outputs[rank as usize], message),
                    Some(CollectiveName::AllGather | CollectiveName::AllReduce) => message.number(),
                    Some(CollectiveName::AllToAll) => {
                        self.rank(self.problem.messages().source(message)) * self.chunks + chunk
                    }
                    Some(CollectiveName::Gather) => self.receiver(message) * self.chunks + chunk,
                    Some(_) => chunk,
                };
                Slot { buffer: Buffer::Output, offset }
            }
        }
    }

    /// Returns the rank of the only receiver of a message of a scatter, gather or all-to-all.
    fn receiver(&self, message: MessageId) -> u32 {
        match self.problem.messages().receivers(message) {
            Receivers::One(node) => self.rank(node),
            Receivers::AllOthers | Receivers::List(_) => 0,
        }
    }

    fn root(&self) -> Option<u32> {
        self.problem.collective().root().map(|root| self.rank(root))
    }

    /// Returns the sizes of the input and the output of a rank.
    pub(crate) fn sizes(&self, rank: u32) -> BufferSizes {
        let (one, all) = (self.chunks, self.chunks * self.ranks);
        let is_root = self.root() == Some(rank);
        let Some(name) = self.name else {
            let [input, output] =
                [&self.lists.inputs, &self.lists.outputs].map(|list| list[rank as usize].len() as u32);
            let input = if self.placement == Placement::InPlace { 0 } else { input };
            return BufferSizes { input, output, scratch: 0 };
        };
        let (mut input, mut output) = match name {
            CollectiveName::Broadcast => (if is_root { one } else { 0 }, one),
            CollectiveName::Scatter => (if is_root { all } else { 0 }, one),
            CollectiveName::AllGather => (one, all),
            CollectiveName::Gather => (one, if is_root { all } else { 0 }),
            CollectiveName::Reduce => (one, if is_root { one } else { 0 }),
            CollectiveName::ReduceScatter => (all, one),
            // An all-to-all and an all-reduce.
            _ => (all, all),
        };
        if self.placement == Placement::InPlace {
            match name {
                CollectiveName::ReduceScatter => output = 0,
                CollectiveName::Scatter if is_root => output = 0,
                CollectiveName::Gather | CollectiveName::Reduce if !is_root => {}
                CollectiveName::Scatter => {}
                _ => input = 0,
            }
        }
        BufferSizes { input, output, scratch: 0 }
    }

    /// Returns the chunks that a rank copies from its input to its output, because no message brings them.
    pub(crate) fn own_copy(&self, rank: u32) -> Option<OwnCopy> {
        let in_place = self.placement == Placement::InPlace;
        let is_root = self.root() == Some(rank);
        let of_messages = match self.name? {
            CollectiveName::Broadcast if is_root => Some(0),
            CollectiveName::AllGather => Some(rank * self.chunks),
            _ => None,
        };
        let [from, to] = [(Buffer::Input, 0), (Buffer::Output, of_messages.unwrap_or(0))]
            .map(|(buffer, offset)| Slot { buffer, offset });
        let own = of_messages.map(|_| OwnCopy { from, to, count: self.chunks });
        own.or_else(|| self.own_block(rank)).filter(|_| !in_place)
    }

    /// Returns the block that a rank keeps for itself, in its place before and after the collective. No message carries it.
    pub(crate) fn own_block(&self, rank: u32) -> Option<OwnCopy> {
        let is_root = self.root() == Some(rank);
        let own = rank * self.chunks;
        let ([from, to], in_place) = match self.name? {
            CollectiveName::Scatter if is_root => ([own, 0], Slot { buffer: Buffer::Input, offset: own }),
            CollectiveName::Gather if is_root => ([0, own], Slot { buffer: Buffer::Output, offset: own }),
            CollectiveName::AllToAll => ([own, own], Slot { buffer: Buffer::Output, offset: own }),
            _ => return None,
        };
        let count = self.chunks;
        if self.placement == Placement::InPlace {
            return Some(OwnCopy { from: in_place, to: in_place, count });
        }
        let (from, to) = (Slot { buffer: Buffer::Input, offset: from }, Slot { buffer: Buffer::Output, offset: to });
        Some(OwnCopy { from, to, count })
    }

    /// Returns the place of a message in the output of its source, in a broadcast or all-gather.
    pub(crate) fn kept(&self, message: MessageId, rank: u32) -> Option<Slot> {
        let keeps = matches!(self.name?, CollectiveName::Broadcast | CollectiveName::AllGather);
        keeps.then(|| self.goal(message, rank))
    }
}

/// Returns the position of a message in a list that contains it.
fn position(list: &[u32], message: MessageId) -> u32 {
    list.partition_point(|&other| other < message.number()) as u32
}
