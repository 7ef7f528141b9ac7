//! Thread blocks: operations that depend on each other stay together, and long thread blocks are split.

use crate::program::{Action, Buffer, Program, RankProgram, Slot};

/// The greatest number of operations of a thread block.
const MAX_OPERATIONS: usize = 64;

/// The greatest number of channels of a kind in a thread block. A transfer needs one.
const MAX_CHANNELS: usize = 16;

/// The operations of a thread block besides those of the program: the handshake with up to 16 channels of both kinds, the
/// semaphores and the barriers behind them.
const OVERHEAD: usize = 13;

/// The number of thread blocks of a GPU, if it has enough independent operations and few transfers.
const USUAL_BLOCKS: usize = 16;

/// The number of transfers per thread block of a GPU with many transfers.
const TRANSFERS_PER_BLOCK: usize = 12;

/// A thread block.
pub(super) struct Block {
    /// The operations of the program, ascending.
    pub(super) operations: Vec<u32>,
    /// The semaphore for which it waits: the thread block before it is done.
    pub(super) acquire: Option<u32>,
    /// The semaphore that it releases at the end.
    pub(super) release: Option<u32>,
}

/// The thread blocks of all ranks, and those of each transfer.
pub(super) struct Blocks {
    pub(super) of_rank: Vec<Vec<Block>>,
    /// Per transfer: the thread block of its send, and that of its receive.
    pub(super) of_transfer: Vec<[u32; 2]>,
    /// Per transfer: the place where the receiver expects it.
    pub(super) target: Vec<Slot>,
}

/// Returns the thread blocks of all ranks.
pub(super) fn blocks(program: &Program) -> Blocks {
    let transfers = program.transfers.len();
    let target = vec![Slot { buffer: Buffer::Input, offset: 0 }; transfers];
    let mut found = Blocks { of_rank: Vec::new(), of_transfer: vec![[0; 2]; transfers], target };
    for of_rank in &program.ranks {
        let blocks = blocks_of_rank(of_rank);
        for (number, block) in (0..).zip(&blocks) {
            for &index in &block.operations {
                match of_rank.operations()[index as usize].action {
                    Action::Send { tag, .. } => found.of_transfer[tag as usize][0] = number,
                    Action::Receive { tag, to, .. } => {
                        found.of_transfer[tag as usize][1] = number;
                        found.target[tag as usize] = to;
                    }
                    Action::Local { .. } => {}
                }
            }
        }
        found.of_rank.push(blocks);
    }
    found
}

/// Returns the number of operations of MSCCL++ for one of the program.
fn cost(of_rank: &RankProgram, index: u32) -> usize {
    match of_rank.operations()[index as usize].action {
        Action::Send { .. } => 3,
        Action::Receive { .. } | Action::Local { .. } => 2,
    }
}

fn is_transfer(of_rank: &RankProgram, index: u32) -> bool {
    !matches!(of_rank.operations()[index as usize].action, Action::Local { .. })
}

fn blocks_of_rank(of_rank: &RankProgram) -> Vec<Block> {
    let components = components(of_rank);
    let transfers = (0..of_rank.operations().len() as u32).filter(|&index| is_transfer(of_rank, index)).count();
    let wanted = USUAL_BLOCKS.max(transfers.div_ceil(TRANSFERS_PER_BLOCK)).min(components.len());
    let mut lists: Vec<(usize, Vec<u32>)> = vec![(0, Vec::new()); wanted];
    for component in components {
        let shortest = lists.iter_mut().min_by_key(|(length, _)| *length).expect("a component has a list");
        shortest.0 += component.iter().map(|&index| cost(of_rank, index)).sum::<usize>();
        shortest.1.extend(component);
    }
    let mut blocks = Vec::new();
    let mut semaphores = 0;
    for (_, mut list) in lists {
        // The order of the steps is an order in which all ranks can execute their operations.
        list.sort_unstable();
        let mut parts: Vec<Vec<u32>> = Vec::new();
        let (mut used, mut transfers) = (0, 0);
        for index in list {
            let more = cost(of_rank, index);
            let is_transfer = usize::from(is_transfer(of_rank, index));
            let fits = used + more <= MAX_OPERATIONS - OVERHEAD && transfers + is_transfer <= MAX_CHANNELS;
            match parts.last_mut() {
                Some(part) if fits => part.push(index),
                _ => {
                    parts.push(vec![index]);
                    (used, transfers) = (0, 0);
                }
            }
            used += more;
            transfers += is_transfer;
        }
        let last = parts.len().saturating_sub(1);
        for (number, operations) in parts.into_iter().enumerate() {
            let acquire = (number > 0).then(|| semaphores - 1);
            let release = (number < last).then_some(semaphores);
            semaphores += u32::from(release.is_some());
            blocks.push(Block { operations, acquire, release });
        }
    }
    blocks
}

/// Returns the operations in groups without dependencies between them, by their first operation.
fn components(of_rank: &RankProgram) -> Vec<Vec<u32>> {
    let count = of_rank.operations().len();
    let mut parent: Vec<usize> = (0..count).collect();
    let root = |parent: &mut Vec<usize>, mut index: usize| {
        while parent[index] != index {
            parent[index] = parent[parent[index]];
            index = parent[index];
        }
        index
    };
    for index in 0..count {
        for &earlier in of_rank.dependencies(index) {
            let [one, other] = [index, earlier as usize].map(|index| root(&mut parent, index));
            // The smaller number is the root, so that it is the first operation of its group.
            parent[one.max(other)] = one.min(other);
        }
    }
    let mut of_root = vec![Vec::new(); count];
    for index in 0..count {
        of_root[root(&mut parent, index)].push(index as u32);
    }
    of_root.retain(|group| !group.is_empty());
    of_root
}
