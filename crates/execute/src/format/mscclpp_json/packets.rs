//! Packets: chunks of scratch memory with flags, for which their readers wait.

use std::collections::BTreeMap;

use crate::error::LoadError;
use crate::program::{Address, ParallelProgram, Thread, Wait};

/// Consecutive chunks of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chunks {
    pub(super) start: Address,
    pub(super) size: u32,
    /// Whether they are packets.
    pub(super) are_packets: bool,
}

impl Chunks {
    fn addresses(self) -> std::ops::Range<Address> {
        self.start..self.start + self.size
    }
}

/// An instruction that waits for packets.
struct Reader {
    /// The instruction, as others wait for it.
    instruction: Wait,
    packets: Chunks,
    /// The place of the operation in the file.
    path: String,
}

/// The writers and readers of all packets.
///
/// All packets of a launch have the same flag. So every packet has one writer, and its readers wait for that.
#[derive(Default)]
pub(super) struct Packets {
    writers: BTreeMap<Address, Wait>,
    readers: Vec<Reader>,
}

impl Packets {
    /// Notes an instruction that writes packets.
    pub(super) fn write(&mut self, path: &str, packets: Chunks, instruction: Wait) -> Result<(), LoadError> {
        for address in packets.addresses() {
            if self.writers.insert(address, instruction).is_some() {
                let expected =
                    "packets that no other operation writes, because all packets of a launch have the same flag";
                return Err(LoadError::field(
                    path.to_owned(),
                    "op",
                    "dst_buff",
                    "packets of another operation",
                    expected,
                ));
            }
        }
        Ok(())
    }

    /// Notes an instruction that waits for packets.
    pub(super) fn wait(&mut self, path: &str, packets: Chunks, instruction: Wait) {
        self.readers.push(Reader { instruction, packets, path: path.to_owned() });
    }

    /// Lets all readers wait for the writers of their packets.
    pub(super) fn join(self, program: &mut ParallelProgram) -> Result<(), LoadError> {
        let mut waits: BTreeMap<(u32, u32), Vec<Wait>> = BTreeMap::new();
        for Reader { instruction, packets, path } in &self.readers {
            let of_instruction = waits.entry((instruction.thread, instruction.executed - 1)).or_default();
            for address in packets.addresses() {
                let Some(&writer) = self.writers.get(&address) else {
                    let expected = "packets that an operation writes; otherwise, it waits for ever";
                    let value = program.address_name(address);
                    return Err(LoadError::field(path.clone(), "op", "src_buff", value, expected));
                };
                if of_instruction.last() != Some(&writer) {
                    of_instruction.push(writer);
                }
            }
        }
        let mut waits = waits.into_iter().peekable();
        while let Some(&((number, _), _)) = waits.peek() {
            let before = &program.threads[number as usize];
            let mut thread = Thread::new(before.rank, before.number);
            for (index, &instruction) in before.instructions().iter().enumerate() {
                let mut all = before.waits(index).to_vec();
                if let Some((_, added)) = waits.next_if(|&(key, _)| key == (number, index as u32)) {
                    all.extend(added);
                }
                thread.push(instruction, &all);
            }
            program.threads[number as usize] = thread;
        }
        Ok(())
    }
}
