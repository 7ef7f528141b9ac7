//! The networks that expansions accept.

use super::definition::Family;
use super::error::FamilyError;
use crate::Topology;

/// Checks that a network is direct and that all its channels are alike, so that an expansion of it is defined.
pub(super) fn check_operand(family: &Family, operand: &Topology) -> Result<(), FamilyError> {
    let greatest_capacity = operand.channels().map(|channel| operand.capacity(channel)).max().unwrap_or(1);
    let greatest_latency = operand.channels().map(|channel| operand.latency_ps(channel)).max().unwrap_or(0);
    let sharing = operand.channel_count().saturating_sub(operand.resource_count()) as u64;
    let checks = [
        ("number of switches", (operand.node_count() - operand.terminal_count()) as u64, 0, "only terminals"),
        ("number of failed channels", (operand.channel_bound() - operand.channel_count()) as u64, 0, "no failures"),
        ("number of channels that share a wire", sharing, 0, "full-duplex links"),
        ("greatest capacity", greatest_capacity.into(), 1, "channels of capacity 1"),
        ("greatest latency in picoseconds", greatest_latency, 0, "channels without a latency"),
        ("unit in bytes per second", operand.unit_bytes_per_second().unwrap_or(0), 0, "channels without a bandwidth"),
    ];
    match checks.into_iter().find(|&(_, value, accepted, _)| value != accepted) {
        Some((property, value, _, needs)) => Err(family.unsupported(property, value, needs, family.example)),
        None => Ok(()),
    }
}
