//! The data of a run: the inputs of a rank, and the results that it must have in the end.

use std::fmt;

use lockstep_export::{Contents, Place, Slot};

use super::operations::Operations;

/// What the memory contains before the inputs, so that a missing message is found.
const JUNK: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// A chunk of the memory with its contents.
struct Chunk {
    place: Place,
    elements: Vec<u64>,
}

/// The inputs and the expected results of one rank.
pub(super) struct Data {
    inputs: Vec<Chunk>,
    results: Vec<Chunk>,
}

/// A wrong element of a rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct WrongElement {
    place: Place,
    /// The place of the element in its chunk, in bytes.
    byte: usize,
    expected: u64,
    found: u64,
}

/// Returns an element of an input: different for every value, rank and place.
fn element(value: u32, rank: u32, place: usize) -> u64 {
    let mixed = ((u64::from(value) << 20) + u64::from(rank)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = mixed.wrapping_add((place as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9));
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 27)
}

impl Data {
    /// Returns the data of a rank, for chunks of this number of elements.
    pub(super) fn of(contents: &Contents, rank: u32, chunk: usize) -> Self {
        let mut origins: Vec<(u32, u32)> = contents.inputs.iter().map(|input| (input.value, input.rank)).collect();
        origins.sort_unstable();
        let input = |place: &Place| {
            let elements = (0..chunk).map(|index| element(place.value, rank, index)).collect();
            Chunk { place: *place, elements }
        };
        let result = |place: &Place| {
            let first = origins.partition_point(|&(value, _)| value < place.value);
            let terms = origins[first..].iter().take_while(|&&(value, _)| value == place.value);
            let mut elements = vec![0u64; chunk];
            for &(value, origin) in terms {
                for (index, sum) in elements.iter_mut().enumerate() {
                    *sum = sum.wrapping_add(element(value, origin, index));
                }
            }
            Chunk { place: *place, elements }
        };
        let own = |place: &&Place| place.rank == rank;
        Self {
            inputs: contents.inputs.iter().filter(own).map(input).collect(),
            results: contents.results.iter().filter(own).map(result).collect(),
        }
    }

    /// Returns the number of bytes that [`check`](Self::check) compares.
    pub(super) fn compared_bytes(&self) -> u64 {
        self.results.iter().map(|result| 8 * result.elements.len() as u64).sum()
    }

    /// Fills the memory: inputs, and junk in all other places.
    pub(super) fn fill(&self, operations: &Operations, memory: &mut [u64]) {
        memory.fill(JUNK);
        for Chunk { place, elements } in &self.inputs {
            memory[operations.elements(place.slot, 1)].copy_from_slice(elements);
        }
    }

    /// Compares every byte of the results. Returns the number of wrong bytes, and the first wrong element.
    pub(super) fn check(&self, operations: &Operations, memory: &[u64]) -> (u64, Option<WrongElement>) {
        let (mut wrong_bytes, mut first) = (0, None);
        for Chunk { place, elements } in &self.results {
            let found = &memory[operations.elements(place.slot, 1)];
            if found == elements {
                continue;
            }
            for (index, (&found, &expected)) in found.iter().zip(elements).enumerate() {
                let bytes = (found ^ expected).to_le_bytes();
                wrong_bytes += bytes.iter().filter(|&&byte| byte != 0).count() as u64;
                if found != expected && first.is_none() {
                    first = Some(WrongElement { place: *place, byte: 8 * index, expected, found });
                }
            }
        }
        (wrong_bytes, first)
    }
}

impl fmt::Display for WrongElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place: Place { rank, slot: Slot { buffer, offset }, value }, byte, expected, found } = self;
        let buffer = buffer.name();
        write!(
            f,
            "rank {rank}: message {value} in {buffer} chunk {offset} is wrong from byte {byte} on: \
             expected {expected:016x}, found {found:016x}"
        )
    }
}
