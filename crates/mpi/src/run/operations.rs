//! The operations of one rank, with the places of their data in its memory.
//!
//! The memory of a rank is one slice: input, output and scratch memory, one behind the other.

use std::ops::Range;

use lockstep_export::{Action, Buffer, Combine, Program, RankProgram, Slot};

/// A send or receive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Transfer {
    /// The other rank.
    pub(crate) peer: i32,
    /// The index of the transfer in the program.
    pub(crate) index: u32,
    /// The elements that move.
    pub(crate) elements: Range<usize>,
}

/// A part of the work of a rank. Each part begins when the one before has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Copies or adds elements to others, at this place.
    Local { from: Range<usize>, to: usize, combine: Combine },
    /// The transfers of one step. The places of the receives ascend, and no send reads them.
    Exchange { sends: Vec<Transfer>, receives: Vec<Transfer> },
}

/// The operations of one rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Operations {
    /// Elements per chunk.
    chunk: usize,
    /// The first elements of output and scratch memory, and the number of all elements.
    ends: [usize; 3],
    pub(crate) parts: Vec<Part>,
}

impl Operations {
    /// Returns the operations of a rank, for chunks of this number of elements.
    pub(crate) fn of(program: &Program, rank: usize, chunk: usize) -> Self {
        let rank = &program.ranks[rank];
        let [input, output, scratch] =
            [Buffer::Input, Buffer::Output, Buffer::Scratch].map(|buffer| rank.buffers.of(buffer) as usize * chunk);
        let mut operations = Self { chunk, ends: [input, input + output, input + output + scratch], parts: Vec::new() };
        operations.add_parts(rank);
        operations
    }

    /// Returns the number of elements of the memory.
    pub(crate) fn memory_len(&self) -> usize {
        self.ends[2]
    }

    /// Returns the elements of consecutive chunks.
    pub(crate) fn elements(&self, first: Slot, count: u32) -> Range<usize> {
        let buffer = match first.buffer {
            Buffer::Input => 0,
            Buffer::Output => self.ends[0],
            Buffer::Scratch => self.ends[1],
        };
        let start = buffer + first.offset as usize * self.chunk;
        start..start + count as usize * self.chunk
    }

    fn add_parts(&mut self, rank: &RankProgram) {
        let is_local = |action: Action| matches!(action, Action::Local { .. });
        let one_part = |one: &lockstep_export::Operation, next: &lockstep_export::Operation| {
            one.step == next.step && !is_local(one.action) && !is_local(next.action)
        };
        for operations in rank.operations().chunk_by(one_part) {
            let (mut sends, mut receives) = (Vec::new(), Vec::new());
            for operation in operations {
                let transfer = |peer: u32, index, first| {
                    let elements = self.elements(first, operation.count);
                    Transfer { peer: peer as i32, index, elements }
                };
                match operation.action {
                    Action::Send { peer, tag, from } => sends.push(transfer(peer, tag, from)),
                    Action::Receive { peer, tag, to, .. } => receives.push(transfer(peer, tag, to)),
                    Action::Local { from, to, combine } => {
                        let from = self.elements(from, operation.count);
                        let to = self.elements(to, operation.count).start;
                        self.parts.push(Part::Local { from, to, combine });
                    }
                }
            }
            if !sends.is_empty() || !receives.is_empty() {
                receives.sort_by_key(|receive| receive.elements.start);
                self.parts.push(Part::Exchange { sends, receives });
            }
        }
    }
}
