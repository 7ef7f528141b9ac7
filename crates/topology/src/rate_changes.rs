//! Networks with other capacities and latencies.

use std::num::NonZeroU32;

use crate::channel_rates::{RatesBuilder, greatest_common_divisor};
use crate::{ChannelId, RateError, Topology};

impl Topology {
    /// Returns the network in which some channels have only a part of their capacity, in percent, and the factor by which
    /// all other capacities have grown.
    ///
    /// Capacities are whole numbers. So all capacities are multiplied by the least factor that makes the parts whole, and
    /// the unit of bandwidth is divided by it. Takes `O(M)` time.
    ///
    /// ```
    /// use lockstep_topology::Topology;
    ///
    /// let ring: Topology = "ring:4".parse()?;
    /// let [slow, _] = ring.links()[0];
    /// let (degraded, factor) = ring.degraded(&[(slow, 75)])?;
    /// assert_eq!((factor, degraded.capacity(slow)), (4, 3));
    /// assert!(degraded.channels().skip(1).all(|channel| degraded.capacity(channel) == 4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RateError::Percent`] unless each part is 1 to 100 percent, [`RateError::Capacity`] or [`RateError::UnitTooFine`]
    /// if the numbers get too large or too small, and [`RateError::Shared`] if a resource keeps its capacity for other
    /// channels.
    pub fn degraded(&self, parts: &[(ChannelId, u32)]) -> Result<(Self, u32), RateError> {
        let name = |channel| self.channel_name(channel);
        if let Some(&(channel, percent)) = parts.iter().find(|(_, percent)| !(1..=100).contains(percent)) {
            return Err(RateError::Percent { channel: name(channel), percent });
        }
        let mut hundredths: Vec<u64> =
            self.channel_numbers().map(|channel| 100 * u64::from(self.capacity(channel))).collect();
        for &(channel, percent) in parts {
            hundredths[channel.index()] = u64::from(self.capacity(channel)) * u64::from(percent);
        }
        let common = hundredths.iter().copied().fold(100, greatest_common_divisor);
        let factor = (100 / common) as u32;
        let unit = self.unit_bytes_per_second();
        if let Some(unit) = unit.filter(|unit| !unit.is_multiple_of(factor.into())) {
            return Err(RateError::UnitTooFine { unit, factor });
        }
        let unit = unit.map(|unit| unit / u64::from(factor));
        let capacity = |channel: ChannelId| hundredths[channel.index()] / common;
        Ok((self.with_rates(unit, capacity, |channel| self.latency_ps(channel))?, factor))
    }

    /// Returns the network in which every resource carries `width` times more transfers in a step. Takes `O(M)` time.
    ///
    /// ```
    /// use lockstep_topology::Topology;
    ///
    /// let ring: Topology = "ring:4".parse()?;
    /// let wide = ring.widened(3.try_into()?)?;
    /// assert!(wide.channels().all(|channel| wide.capacity(channel) == 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RateError::Capacity`] if a capacity gets too large.
    pub fn widened(&self, width: NonZeroU32) -> Result<Self, RateError> {
        let capacity = |channel| u64::from(self.capacity(channel)) * u64::from(width.get());
        self.with_rates(self.unit_bytes_per_second(), capacity, |channel| self.latency_ps(channel))
    }

    /// Returns the network with this unit of capacity in bytes per second, and this latency in picoseconds of all channels.
    /// Takes `O(M)` time.
    ///
    /// # Errors
    ///
    /// [`RateError`] if a number is outside of its limits.
    pub fn with_times(&self, unit_bytes_per_second: u64, latency_ps: u64) -> Result<Self, RateError> {
        self.with_rates(Some(unit_bytes_per_second), |channel| self.capacity(channel).into(), |_| latency_ps)
    }

    /// Returns the network with another unit, other capacities and other latencies in picoseconds. Takes `O(M)` time.
    ///
    /// # Errors
    ///
    /// [`RateError`] if a number is outside of its limits, or channels of one resource get different capacities.
    pub fn with_rates(
        &self,
        unit: Option<u64>,
        capacity: impl Fn(ChannelId) -> u64,
        latency_ps: impl Fn(ChannelId) -> u64,
    ) -> Result<Self, RateError> {
        let mut rates = RatesBuilder::default();
        if let Some(unit) = unit {
            rates.set_unit(unit);
        }
        for channel in self.channel_numbers() {
            rates.set_capacity([channel], capacity(channel));
            rates.set_latency([channel], latency_ps(channel));
        }
        let name_of = |channel| self.channel_name(ChannelId::from_index(channel));
        let rates = rates.build(self.channel_bound(), &self.shared_groups(), name_of)?;
        let resource_capacity = rates.of_resources(&self.working, &self.resource, self.resource_count);
        Ok(Self { rates, resource_capacity, ..self.clone() })
    }
}
