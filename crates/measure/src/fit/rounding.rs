//! Numbers with few digits.

use lockstep_topology::Quantity;

/// Returns a bandwidth in bytes per second with four digits, such as `22.63GB/s`.
pub fn rounded_bandwidth(bytes_per_second: u64) -> String {
    Quantity::Bandwidth.format(rounded(bytes_per_second, 4))
}

/// Returns a number rounded to some decimal digits.
pub(super) fn rounded(number: u64, digits: u32) -> u64 {
    let length = number.checked_ilog10().map_or(1, |log| log + 1);
    let step = 10u64.pow(length.saturating_sub(digits));
    (number.saturating_add(step / 2) / step).saturating_mul(step)
}
