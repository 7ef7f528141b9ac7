//! Executes programs with numbers as chunks.

use std::collections::BTreeMap;

use lockstep_export::{Action, Buffer, Combine, Program, Slot};

/// The contents of the input, output and scratch memory of a rank.
pub(crate) type Memory = BTreeMap<Slot, u64>;

/// Why a program does not run to its end.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Operations are left, and none of them can begin.
    Deadlock,
    /// A send and its receive do not name each other, or have different lengths.
    Mismatch,
    /// A slot outside its buffer.
    OutOfBounds,
}

/// Chunks on their way: the receiver that the sender names, and the data.
struct Parcel {
    sender: usize,
    receiver: u32,
    chunks: Vec<u64>,
}

/// Executes the operations in an order that `choose` selects: from the operations that can begin, as pairs of rank and
/// index, it returns a position.
pub(crate) fn run(
    program: &Program,
    memory: &mut [Memory],
    mut choose: impl FnMut(&[(usize, usize)]) -> usize,
) -> Result<(), Fault> {
    let mut is_done: Vec<Vec<bool>> = program.ranks.iter().map(|rank| vec![false; rank.operations().len()]).collect();
    let mut parcels: BTreeMap<u32, Parcel> = BTreeMap::new();
    loop {
        let mut ready = Vec::new();
        let mut left = 0;
        for (rank, of_rank) in program.ranks.iter().enumerate() {
            for (index, operation) in
                of_rank.operations().iter().enumerate().filter(|(index, _)| !is_done[rank][*index])
            {
                left += 1;
                let is_free = of_rank.dependencies(index).iter().all(|&earlier| is_done[rank][earlier as usize]);
                let has_arrived = match operation.action {
                    Action::Receive { tag, .. } => parcels.contains_key(&tag),
                    _ => true,
                };
                if is_free && has_arrived {
                    ready.push((rank, index));
                }
            }
        }
        if ready.is_empty() {
            return if left == 0 { Ok(()) } else { Err(Fault::Deadlock) };
        }
        let (rank, index) = ready[choose(&ready)];
        is_done[rank][index] = true;
        let operation = program.ranks[rank].operations()[index];
        let (count, memory) = (operation.count, &mut memory[rank]);
        match operation.action {
            Action::Send { peer, tag, from } => {
                let chunks = read(memory, from, count)?;
                let parcel = Parcel { sender: rank, receiver: peer, chunks };
                if parcels.insert(tag, parcel).is_some() {
                    return Err(Fault::Mismatch);
                }
            }
            Action::Receive { peer, tag, to, combine } => {
                let parcel = parcels.remove(&tag).expect("the data has arrived");
                let is_right = (parcel.sender, parcel.receiver) == (peer as usize, rank as u32);
                if !is_right || parcel.chunks.len() != count as usize {
                    return Err(Fault::Mismatch);
                }
                write(memory, to, combine, &parcel.chunks)?;
            }
            Action::Local { from, to, combine } => {
                let chunks = read(memory, from, count)?;
                write(memory, to, combine, &chunks)?;
            }
        }
    }
}

fn slots(first: Slot, count: u32) -> impl Iterator<Item = Slot> {
    (first.offset..first.offset + count).map(move |offset| Slot { offset, ..first })
}

fn read(memory: &Memory, from: Slot, count: u32) -> Result<Vec<u64>, Fault> {
    slots(from, count).map(|slot| memory.get(&slot).copied().ok_or(Fault::OutOfBounds)).collect()
}

fn write(memory: &mut Memory, to: Slot, combine: Combine, chunks: &[u64]) -> Result<(), Fault> {
    for (slot, &chunk) in slots(to, chunks.len() as u32).zip(chunks) {
        let contents = memory.get_mut(&slot).ok_or(Fault::OutOfBounds)?;
        *contents = if combine == Combine::Add { contents.wrapping_add(chunk) } else { chunk };
    }
    Ok(())
}

/// Returns memory of the sizes of a program, filled with different numbers.
pub(crate) fn memory_of(program: &Program, mut next: impl FnMut() -> u64) -> Vec<Memory> {
    let of_rank = program.ranks.iter().map(|rank| {
        let buffers = [Buffer::Input, Buffer::Output, Buffer::Scratch];
        let slots = buffers.into_iter().flat_map(|buffer| slots(Slot { buffer, offset: 0 }, rank.buffers.of(buffer)));
        slots.map(|slot| (slot, next())).collect()
    });
    of_rank.collect()
}
