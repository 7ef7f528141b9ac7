//! The channels that networks for all-gathers may have.

/// The channels that the networks of an [`AllGatherSearch`](crate::AllGatherSearch) may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelRule {
    /// Any channels, also one way.
    Any,
    /// Only full-duplex links: each channel has an opposite one.
    FullDuplex,
}

impl ChannelRule {
    /// Returns true if a connected regular network of this order and degree exists.
    pub(super) fn allow_regular(self, order: u32, degree: u32) -> bool {
        let exists = degree >= 1 && degree < order;
        match self {
            Self::Any => exists,
            Self::FullDuplex => exists && (order * degree).is_multiple_of(2) && (degree > 1 || order == 2),
        }
    }
}
