//! Slices of TPU pods.

use super::definition::Family;
use super::error::FamilyError;
use super::grid::{grid, spec};
use crate::{ChannelId, Topology};

/// Bandwidth of a link in each direction, in bytes per second.
const BANDWIDTH: u64 = 50_000_000_000;

pub(super) const TPU: Family = Family {
    name: "tpu",
    aliases: &[],
    parameters: "SIDExSIDE[x...]",
    example: "tpu:4x4x4",
    about: "slice of a TPU v4 pod: a torus with links of 50GB/s",
    cayley: None,
    generate: |parameters| Ok(tpu(&parameters.sides()?)?),
};

/// Generates a slice of a TPU v4 pod: the [torus](crate::torus()) with these sides and 50 GB/s per link and direction.
///
/// # Errors
///
/// Those of [`torus`](crate::torus()).
///
/// # Source
///
/// Jouppi et al., *TPU v4: an optically reconfigurable supercomputer for machine learning with hardware support for
/// embeddings*, International Symposium on Computer Architecture (2023).
fn tpu(sides: &[u32]) -> Result<Topology, FamilyError> {
    let mut network = grid(&TPU, spec(&TPU, sides), sides, true)?;
    let channels = network.channel_count();
    network.set_bandwidth((0..channels).map(ChannelId::from_index), BANDWIDTH);
    Ok(network.build()?)
}
