//! Capacities and latencies of channels.

use crate::quantity::Quantity;
use crate::{ChannelId, ResourceId};

/// The maximum capacity of a channel: 2^16 transfers per step.
pub const MAX_CAPACITY: u64 = 1 << 16;

/// The maximum latency of a channel: 1000 seconds, in picoseconds.
pub const MAX_LATENCY_PS: u64 = 1_000_000_000_000_000;

/// The capacity and latency of each channel, and the unit of capacities. Tables are empty if all entries are the default.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ChannelRates {
    pub(crate) capacity: Box<[u32]>,
    pub(crate) latency_ps: Box<[u64]>,
    pub(crate) unit_bytes_per_second: Option<u64>,
}

impl ChannelRates {
    /// Returns the capacity of each resource, or an empty table if all capacities are 1.
    pub(crate) fn of_resources(&self, working: &[ChannelId], resource: &[ResourceId], count: u32) -> Box<[u32]> {
        if self.capacity.is_empty() {
            return Box::default();
        }
        let mut capacities = vec![1; count as usize];
        for channel in working {
            capacities[resource[channel.index()].index()] = self.capacity[channel.index()];
        }
        capacities.into()
    }
}

/// The reason capacities, bandwidths or latencies do not fit a network. Channels are named by their ends.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RateError {
    /// A list with one entry per channel has another length.
    #[error("{found} entries in '{field}' for {channels} channels; give one per channel, or leave the field out")]
    Count {
        /// Name of the list.
        field: &'static str,
        /// Its length.
        found: usize,
        /// Number of channels.
        channels: usize,
    },
    /// A capacity, bandwidth or latency of a channel that does not exist.
    #[error("channel {channel} has a capacity, bandwidth or latency, but the channels are numbered below {channels}")]
    UnknownChannel {
        /// The channel number.
        channel: usize,
        /// Number of channels.
        channels: usize,
    },
    /// A capacity of 0, or above [`MAX_CAPACITY`].
    #[error("channel {channel} has the capacity {capacity}, but capacities are 1 to {MAX_CAPACITY}")]
    Capacity {
        /// Name of the channel.
        channel: String,
        /// Its capacity.
        capacity: u64,
    },
    /// A latency above [`MAX_LATENCY_PS`].
    #[error("channel {channel} has a latency of {}, more than 1000s; choose a shorter one", Quantity::Time.format(*latency_ps))]
    Latency {
        /// Name of the channel.
        channel: String,
        /// Its latency in picoseconds.
        latency_ps: u64,
    },
    /// A bandwidth of 0.
    #[error("channel {channel} has a bandwidth of 0B/s; give it a bandwidth above 0, or remove it")]
    ZeroBandwidth {
        /// Name of the channel.
        channel: String,
    },
    /// A bandwidth below the unit.
    #[error(
        "channel {channel} has a bandwidth of {}, but one unit of capacity is {}; choose a smaller unit, or remove the channel",
        Quantity::Bandwidth.format(*bandwidth), Quantity::Bandwidth.format(*unit)
    )]
    TooSlow {
        /// Name of the channel.
        channel: String,
        /// Its bandwidth in bytes per second.
        bandwidth: u64,
        /// The bandwidth of one unit of capacity in bytes per second.
        unit: u64,
    },
    /// A unit of 0 bytes per second.
    #[error("one unit of capacity is 0B/s; choose a unit above 0")]
    ZeroUnit,
    /// A channel without a bandwidth, although others have one.
    #[error("channel {channel} has no bandwidth, but channel {other} has one; give every channel a bandwidth, or none")]
    NoBandwidth {
        /// Name of the channel.
        channel: String,
        /// Name of a channel with a bandwidth.
        other: String,
    },
    /// Capacities and bandwidths in one network.
    #[error("channel {channel} has a capacity and channel {other} has a bandwidth; use one of the two in all channels")]
    TwoKinds {
        /// Name of a channel with a capacity.
        channel: String,
        /// Name of a channel with a bandwidth.
        other: String,
    },
    /// Bandwidths whose greatest common divisor is so small that a capacity exceeds [`MAX_CAPACITY`].
    #[error(
        "the greatest common divisor of the bandwidths of {channel} ({}) and {other} ({}) is so small that a capacity exceeds \
         {MAX_CAPACITY}; round all bandwidths to multiples of a unit, for example by --unit {}",
        Quantity::Bandwidth.format(*bandwidth), Quantity::Bandwidth.format(*other_bandwidth),
        Quantity::Bandwidth.format(possible_unit(*bandwidth, *other_bandwidth))
    )]
    Incommensurable {
        /// Name of the fastest channel.
        channel: String,
        /// Its bandwidth in bytes per second.
        bandwidth: u64,
        /// Name of another channel.
        other: String,
        /// Its bandwidth in bytes per second.
        other_bandwidth: u64,
    },
    /// A part of a capacity that is not 1 to 100 percent.
    #[error("channel {channel} gets {percent}% of its capacity; choose 1% to 100%")]
    Percent {
        /// Name of the channel.
        channel: String,
        /// The part in percent.
        percent: u32,
    },
    /// A unit of bandwidth that cannot be divided as parts of capacities need.
    #[error(
        "one unit of capacity, {}, cannot be divided by {factor} into whole bytes per second; choose parts such as 50%",
        Quantity::Bandwidth.format(*unit)
    )]
    UnitTooFine {
        /// The unit in bytes per second.
        unit: u64,
        /// The factor of all capacities.
        factor: u32,
    },
    /// Channels of different capacity that share a resource.
    #[error(
        "channels {channel} and {other} share a resource, but their capacities differ ({capacity} and {other_capacity})"
    )]
    Shared {
        /// Name of a channel.
        channel: String,
        /// Its capacity.
        capacity: u32,
        /// Name of another channel of the resource.
        other: String,
        /// Its capacity.
        other_capacity: u32,
    },
}

/// Capacities, bandwidths and latencies before they are checked. Channels past the end of a list have the default.
#[derive(Clone, Debug, Default)]
pub(crate) struct RatesBuilder {
    capacity: Vec<Option<u64>>,
    bandwidth: Vec<Option<u64>>,
    latency_ps: Vec<Option<u64>>,
    unit: Option<u64>,
}

impl RatesBuilder {
    pub(crate) fn set_capacity(&mut self, channels: impl IntoIterator<Item = ChannelId>, capacity: u64) {
        set(&mut self.capacity, channels, capacity);
    }

    pub(crate) fn set_bandwidth(&mut self, channels: impl IntoIterator<Item = ChannelId>, bytes_per_second: u64) {
        set(&mut self.bandwidth, channels, bytes_per_second);
    }

    pub(crate) fn set_latency(&mut self, channels: impl IntoIterator<Item = ChannelId>, picoseconds: u64) {
        set(&mut self.latency_ps, channels, picoseconds);
    }

    pub(crate) fn set_unit(&mut self, bytes_per_second: u64) {
        self.unit = Some(bytes_per_second);
    }

    /// Checks the rates of a network with `channel_count` channels.
    pub(crate) fn build(
        self,
        channel_count: usize,
        shared: &[Vec<ChannelId>],
        name_of: impl Fn(usize) -> String,
    ) -> Result<ChannelRates, RateError> {
        let longest = self.capacity.len().max(self.bandwidth.len()).max(self.latency_ps.len());
        if longest > channel_count {
            return Err(RateError::UnknownChannel { channel: longest - 1, channels: channel_count });
        }
        if self.unit == Some(0) {
            return Err(RateError::ZeroUnit);
        }
        let stated = |list: &[Option<u64>]| list.iter().position(Option::is_some);
        let (mut capacity, mut unit) = (self.capacity, self.unit);
        if let Some(other) = stated(&self.bandwidth) {
            if let Some(channel) = stated(&capacity) {
                return Err(RateError::TwoKinds { channel: name_of(channel), other: name_of(other) });
            }
            (capacity, unit) = capacities(self.bandwidth, unit, channel_count, &name_of)?;
        }
        let capacity: Box<[u32]> = (capacity.iter().enumerate())
            .map(|(channel, &capacity)| match capacity.unwrap_or(1) {
                capacity @ 1..=MAX_CAPACITY => Ok(capacity as u32),
                capacity => Err(RateError::Capacity { channel: name_of(channel), capacity }),
            })
            .collect::<Result<_, _>>()?;
        let latency_ps: Box<[u64]> = (self.latency_ps.iter().enumerate())
            .map(|(channel, &latency_ps)| match latency_ps.unwrap_or(0) {
                latency_ps @ 0..=MAX_LATENCY_PS => Ok(latency_ps),
                latency_ps => Err(RateError::Latency { channel: name_of(channel), latency_ps }),
            })
            .collect::<Result<_, _>>()?;
        let of = |channel: ChannelId| capacity.get(channel.index()).copied().unwrap_or(1);
        for group in shared {
            let Some((&first, rest)) = group.split_first() else { continue };
            if let Some(&other) = rest.iter().find(|&&other| of(other) != of(first)) {
                let [channel, name] = [first, other].map(|channel| name_of(channel.index()));
                let (capacity, other_capacity) = (of(first), of(other));
                return Err(RateError::Shared { channel, capacity, other: name, other_capacity });
            }
        }
        Ok(ChannelRates {
            capacity: full_or_empty(capacity, 1, channel_count),
            latency_ps: full_or_empty(latency_ps, 0, channel_count),
            unit_bytes_per_second: unit,
        })
    }
}

fn set(list: &mut Vec<Option<u64>>, channels: impl IntoIterator<Item = ChannelId>, value: u64) {
    for channel in channels {
        if list.len() <= channel.index() {
            list.resize(channel.index() + 1, None);
        }
        list[channel.index()] = Some(value);
    }
}

/// Returns a table with an entry per channel, or an empty one if all entries are the default.
fn full_or_empty<T: Copy + PartialEq>(table: Box<[T]>, default: T, channel_count: usize) -> Box<[T]> {
    if table.iter().all(|&entry| entry == default) {
        return Box::default();
    }
    let mut table = table.into_vec();
    table.resize(channel_count, default);
    table.into()
}

/// Returns the capacities of channels with these bandwidths, and the unit.
fn capacities(
    mut bandwidth: Vec<Option<u64>>,
    unit: Option<u64>,
    channel_count: usize,
    name_of: &impl Fn(usize) -> String,
) -> Result<(Vec<Option<u64>>, Option<u64>), RateError> {
    bandwidth.resize(channel_count, None);
    let stated = |is_stated: bool| bandwidth.iter().position(|bandwidth| bandwidth.is_some() == is_stated);
    if let (Some(other), Some(channel)) = (stated(true), stated(false)) {
        return Err(RateError::NoBandwidth { channel: name_of(channel), other: name_of(other) });
    }
    let bandwidth: Vec<u64> = bandwidth.into_iter().flatten().collect();
    if let Some(channel) = bandwidth.iter().position(|&bandwidth| bandwidth == 0) {
        return Err(RateError::ZeroBandwidth { channel: name_of(channel) });
    }
    let common = bandwidth.iter().copied().fold(0, greatest_common_divisor);
    let unit = unit.unwrap_or(common);
    if let Some(channel) = bandwidth.iter().position(|&bandwidth| bandwidth < unit) {
        return Err(RateError::TooSlow { channel: name_of(channel), bandwidth: bandwidth[channel], unit });
    }
    let fastest = (0..bandwidth.len()).max_by_key(|&channel| bandwidth[channel]).unwrap_or(0);
    if bandwidth[fastest] / unit > MAX_CAPACITY {
        let common = |&channel: &usize| greatest_common_divisor(bandwidth[fastest], bandwidth[channel]);
        let other = (0..bandwidth.len()).min_by_key(common).unwrap_or(0);
        return Err(RateError::Incommensurable {
            channel: name_of(fastest),
            bandwidth: bandwidth[fastest],
            other: name_of(other),
            other_bandwidth: bandwidth[other],
        });
    }
    Ok((bandwidth.into_iter().map(|bandwidth| Some(bandwidth / unit)).collect(), Some(unit)))
}

/// Returns a unit with one digit other than 0, of which both bandwidths have some and none has too many.
fn possible_unit(bandwidth: u64, other: u64) -> u64 {
    let (slow, fast) = (bandwidth.min(other), bandwidth.max(other));
    let unit = (slow / 100).max(fast.div_ceil(MAX_CAPACITY)).max(1);
    let digit = 10u64.pow(unit.ilog10());
    unit.div_ceil(digit).saturating_mul(digit)
}

pub(crate) fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
