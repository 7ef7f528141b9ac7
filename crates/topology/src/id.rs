//! Identifiers of nodes, channels and resources.

/// Declares a `u32` newtype that identifies the entries of one table.
///
/// `Debug` writes a prefix before the number. The calling crate needs `serde` with the feature `derive`.
///
/// ```
/// lockstep_topology::number_id!(
///     /// A cabinet, `c0..`.
///     CabinetId,
///     "c"
/// );
/// assert_eq!(format!("{:?} {}", CabinetId::new(7), CabinetId::from_index(8)), "c7 8");
/// ```
#[macro_export]
macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(u32);

        impl $name {
            /// Creates the identifier with this number.
            #[inline]
            pub const fn new(number: u32) -> Self {
                Self(number)
            }

            /// Creates the identifier of this table index, which is below `u32::MAX`.
            #[inline]
            pub const fn from_index(index: usize) -> Self {
                debug_assert!(index < u32::MAX as usize);
                Self(index as u32)
            }

            /// Returns the number, as in files.
            #[inline]
            pub const fn number(self) -> u32 {
                self.0
            }

            /// Returns the number as a table index.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number_id!(
    /// A node, `n0..n{N-1}`. Each generator documents its node order.
    NodeId,
    "n"
);
number_id!(
    /// A channel, `e0..e{M-1}`, numbered in the order of the file or the generator.
    ChannelId,
    "e"
);
number_id!(
    /// A resource that one transfer occupies for a step: a channel, or a group of channels that share it.
    ResourceId,
    "r"
);

#[cfg(feature = "schema")]
lockstep_files::schema_of!(NodeId, u32);
#[cfg(feature = "schema")]
lockstep_files::schema_of!(ChannelId, u32);
