//! Sets of blocks that one message carries.

/// Blocks of a collective whose data is split into equal blocks, counted modulo their number.
///
/// `runs` runs of `length` consecutive blocks begin at `first`, `first + stride`, `first + 2 stride` and so on. The last
/// run may be shorter. No block occurs twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Blocks {
    /// The first block.
    pub first: u32,
    /// Blocks per run.
    pub length: u32,
    /// From the beginning of a run to that of the next one.
    pub stride: u32,
    /// Number of blocks in all runs.
    pub count: u32,
}

impl Blocks {
    /// Returns consecutive blocks.
    pub(crate) fn range(first: u32, count: u32) -> Self {
        Self { first, length: count, stride: count, count }
    }

    /// Returns the blocks with these offsets from `first`: 0, `stride`, 2 `stride` and so on.
    pub(crate) fn strided(first: u32, stride: u32, count: u32) -> Self {
        Self { first, length: 1, stride, count }
    }

    /// Returns the numbers of the blocks, of which there are `total` in the collective.
    pub fn iter(self, total: u32) -> impl Iterator<Item = u32> {
        let (length, stride) = (u64::from(self.length.max(1)), u64::from(self.stride));
        (0..u64::from(self.count)).map(move |place| {
            let offset = place / length * stride + place % length;
            ((u64::from(self.first) + offset) % u64::from(total)) as u32
        })
    }
}
