//! The operations for which an operation waits.

use crate::program::{Buffer, BufferSizes, Operation, Slot};

const NONE: u32 = u32::MAX;

/// The uses of every slot of a rank: the last operation that wrote it, and the operations that read it since then.
///
/// A read waits for the last write. A write waits for the reads since the last write, which waited for that write, or
/// without reads for the last write itself.
#[derive(Debug)]
pub(crate) struct SlotUses {
    sizes: BufferSizes,
    last_write: Vec<u32>,
    /// The last read of each slot since its last write, by its index in `reads`.
    last_read: Vec<u32>,
    /// An operation, and the index of the read before it.
    reads: Vec<(u32, u32)>,
    dependencies: Vec<u32>,
}

impl SlotUses {
    pub(crate) fn new(sizes: BufferSizes) -> Self {
        let slots = [sizes.input, sizes.output, sizes.scratch].iter().map(|&size| size as usize).sum();
        let (last_write, last_read) = (vec![NONE; slots], vec![NONE; slots]);
        Self { sizes, last_write, last_read, reads: Vec::new(), dependencies: Vec::new() }
    }

    /// Adds the next operation and returns its dependencies, ascending.
    pub(crate) fn add(&mut self, index: u32, operation: &Operation) -> &[u32] {
        self.dependencies.clear();
        if let Some(first) = operation.action.reads() {
            let first = self.index(first);
            for slot in first..first + operation.count as usize {
                self.dependencies.push(self.last_write[slot]);
                self.reads.push((index, self.last_read[slot]));
                self.last_read[slot] = self.reads.len() as u32 - 1;
            }
        }
        if let Some(first) = operation.action.writes() {
            let first = self.index(first);
            for slot in first..first + operation.count as usize {
                let mut read = std::mem::replace(&mut self.last_read[slot], NONE);
                let write = std::mem::replace(&mut self.last_write[slot], index);
                if read == NONE {
                    self.dependencies.push(write);
                }
                while read != NONE {
                    let (reader, before) = self.reads[read as usize];
                    self.dependencies.push(reader);
                    read = before;
                }
            }
        }
        self.dependencies.retain(|&dependency| dependency != NONE);
        self.dependencies.sort_unstable();
        self.dependencies.dedup();
        &self.dependencies
    }

    fn index(&self, slot: Slot) -> usize {
        let start = match slot.buffer {
            Buffer::Input => 0,
            Buffer::Output => self.sizes.input as usize,
            Buffer::Scratch => self.sizes.input as usize + self.sizes.output as usize,
        };
        start + slot.offset as usize
    }
}
