//! The program of transfers in epochs.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{
    Address, BufferName, Contribution, Contributors, Instruction, Names, Output, ParallelProgram, Place, Queue, Thread,
    Wait,
};

const NAMES: Names = Names { thread: "flow", place: "epoch" };

/// A chunk, or a part of a chunk.
pub(super) struct Item {
    /// The GPU that has it in the beginning.
    pub(super) source: u32,
    /// Its number among the items of its GPU.
    pub(super) number: u32,
}

/// A GPU needs an item.
pub(super) struct Goal {
    pub(super) item: u32,
    pub(super) receiver: u32,
}

/// Consecutive items on a link.
pub(super) struct Transfer {
    pub(super) epoch: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) first: u32,
    pub(super) count: u32,
}

/// All items of a result with their transfers. GPUs have the numbers of the file.
pub(super) struct Flows {
    pub(super) title: String,
    pub(super) items: Vec<Item>,
    pub(super) goals: Vec<Goal>,
    pub(super) transfers: Vec<Transfer>,
}

impl Flows {
    /// Returns the program: every transfer is two threads, one sends and the other one receives. The send of an item waits
    /// for the receive that brings it in an earlier epoch.
    pub(super) fn program(mut self) -> ParallelProgram {
        self.transfers.sort_by_key(|one| (one.epoch, one.first, one.from, one.to));
        let ranks = self.ranks();
        let mut program = ParallelProgram::new(std::mem::take(&mut self.title), NAMES, ranks.len() as u32);
        let addresses = self.memory(&mut program, &ranks);
        // The first receive of each address: its epoch, thread and number of executed instructions.
        let mut arrivals: BTreeMap<Address, (u32, Wait)> = BTreeMap::new();
        for (number, transfer) in (0..).zip(&self.transfers) {
            let [from, to] = [ranks[&transfer.from], ranks[&transfer.to]];
            let (sender, receiver) = (program.threads.len() as u32, program.threads.len() as u32 + 1);
            let queue = program.queues.len() as u32;
            let (first, second) = (Some(sender), Some(receiver));
            program.queues.push(Queue { from, to, sender: first, receiver: second, capacity: usize::MAX });
            let common = Instruction { place: transfer.epoch, size: 1, ..Instruction::default() };
            let (mut send, mut receive) = (Thread::new(from, number), Thread::new(to, number));
            for (executed, item) in (1..).zip(transfer.first..transfer.first + transfer.count) {
                let [source, target] = [from, to].map(|rank| addresses[&(rank, item)]);
                let brings = arrivals.get(&source).filter(|&&(epoch, _)| epoch < transfer.epoch);
                let waits: Vec<Wait> = brings.map(|&(_, wait)| wait).into_iter().collect();
                send.push(Instruction { reads: [Some(source), None], send: Some(queue), ..common }, &waits);
                // What a rank has already is received and dropped.
                let is_new = program.memory[target as usize].is_none() && !arrivals.contains_key(&target);
                receive.push(Instruction { receive: Some(queue), write: is_new.then_some(target), ..common }, &[]);
                if is_new {
                    arrivals.insert(target, (transfer.epoch, Wait { thread: receiver, executed }));
                }
            }
            program.threads.extend([send, receive]);
        }
        program
    }

    /// Returns the rank of each GPU.
    fn ranks(&self) -> BTreeMap<u32, u32> {
        let mut gpus: BTreeSet<u32> = self.items.iter().map(|item| item.source).collect();
        gpus.extend(self.goals.iter().map(|goal| goal.receiver));
        gpus.extend(self.transfers.iter().flat_map(|transfer| [transfer.from, transfer.to]));
        gpus.into_iter().zip(0..).collect()
    }

    /// Adds the memory with inputs and outputs, and returns the address of each item at each rank.
    fn memory(&self, program: &mut ParallelProgram, ranks: &BTreeMap<u32, u32>) -> BTreeMap<(u32, u32), Address> {
        let mut slots: BTreeSet<(u32, u32)> =
            (0..).zip(&self.items).map(|(index, item)| (ranks[&item.source], index)).collect();
        slots.extend(self.goals.iter().map(|goal| (ranks[&goal.receiver], goal.item)));
        for transfer in &self.transfers {
            let items = transfer.first..transfer.first + transfer.count;
            slots.extend(items.flat_map(|item| [(ranks[&transfer.from], item), (ranks[&transfer.to], item)]));
        }
        let addresses: BTreeMap<(u32, u32), Address> = slots.into_iter().zip(0..).collect();
        for (&(rank, index), &start) in &addresses {
            let item = &self.items[index as usize];
            let contribution = Contribution { rank, chunk: item.number };
            program.memory.push((rank == ranks[&item.source]).then_some(contribution));
            program.places.push(Place { rank, buffer: BufferName::Address, start, size: 1, number: item.number });
        }
        for goal in &self.goals {
            let item = &self.items[goal.item as usize];
            let contributors = Contributors::One(Contribution { rank: ranks[&item.source], chunk: item.number });
            let address = addresses[&(ranks[&goal.receiver], goal.item)];
            program.outputs.push(Output { address, contributors });
        }
        addresses
    }
}
