//! Why measurements do not fit a network.

use lockstep_topology::RateError;

use crate::TransferKind;

/// The reason measurements do not fit a network.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// A run with more or fewer devices than terminals.
    #[error(
        "{test}: {devices} devices were measured, but there are {terminals} terminals; name the terminals of the devices with --group, \
         for example --group 0-{}", devices.saturating_sub(1)
    )]
    DeviceCount {
        /// The test.
        test: String,
        /// Number of devices.
        devices: usize,
        /// Number of terminals.
        terminals: usize,
    },
    /// A device whose node is no terminal, or a terminal of two devices.
    #[error("--group: {node} is no terminal, or it is given twice; give each device a terminal of its own")]
    Rank {
        /// The name of the node.
        node: String,
    },
    /// No run has a transfer or a latency.
    #[error("no file has bandwidths or latencies of transfers between devices; measure for example all pairs: {how}")]
    NoTransfers {
        /// The commands.
        how: &'static str,
    },
    /// No run of the kind that is asked for.
    #[error("no file has bandwidths of the kind {wanted}; the files have {present}")]
    NoKind {
        /// The kind.
        wanted: TransferKind,
        /// The kinds of the files.
        present: String,
    },
    /// Bandwidths that a network cannot have.
    #[error(transparent)]
    Rates(#[from] RateError),
}
