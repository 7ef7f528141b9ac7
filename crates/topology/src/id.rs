//! Numbers of nodes, channels and resources.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(u32);

        impl $name {
            /// The id with this number.
            #[inline]
            pub const fn new(number: u32) -> Self {
                Self(number)
            }

            /// The id at this place of its table, which a [`Topology`](crate::Topology) keeps below `u32::MAX`.
            #[inline]
            pub const fn from_index(index: usize) -> Self {
                debug_assert!(index < u32::MAX as usize);
                Self(index as u32)
            }

            /// The number itself, as files write it.
            #[inline]
            pub const fn number(self) -> u32 {
                self.0
            }

            /// The number as the index of a table.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A node, `n0..n{N-1}`; each generator documents its order.
    NodeId,
    "n"
);
id!(
    /// A channel, `e0..e{M-1}`; its number is its place in the file or in the generator's order.
    ChannelId,
    "e"
);
id!(
    /// What one transfer occupies for a step: a channel, or a group of channels that share one wire.
    ResourceId,
    "r"
);
