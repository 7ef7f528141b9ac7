//! Sets of consecutive steps in one word.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// A set of steps within one block, as the bits of a word. The lowest bit is the first step of the block.
///
/// A search reads few bits of a word that is longer than its schedules, and many words if they are short.
pub trait StepSet:
    Copy + Eq + Debug + BitAnd<Output = Self> + BitAndAssign + BitOr<Output = Self> + BitOrAssign + Not<Output = Self>
{
    /// Number of steps per block.
    const STEPS: u32;
    /// The set without steps.
    const NONE: Self;

    /// Returns the set of one step, in its own block.
    fn of(step: u32) -> Self;

    /// Returns the set of a step and all later ones, in the block of the step.
    fn from(step: u32) -> Self;

    /// Returns the first step of a set, counted from the start of the block; [`STEPS`](Self::STEPS) if there is none.
    fn first(self) -> u32;
}

macro_rules! step_set {
    ($($word:ty),*) => {$(
        impl StepSet for $word {
            const STEPS: u32 = Self::BITS;
            const NONE: Self = 0;

            #[inline]
            fn of(step: u32) -> Self {
                1 << (step % Self::STEPS)
            }

            #[inline]
            fn from(step: u32) -> Self {
                Self::MAX << (step % Self::STEPS)
            }

            #[inline]
            fn first(self) -> u32 {
                self.trailing_zeros()
            }
        }
    )*};
}

step_set!(u8, u64, u128);
