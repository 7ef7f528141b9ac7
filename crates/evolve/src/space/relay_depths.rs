//! The number of transfers from the source of a message to each receiver.

use super::deliveries::Deliveries;

/// The fewest transfers that bring each delivery about, where receivers forward messages.
///
/// Memory: 4 bytes per delivery and 4 bytes per message.
#[derive(Debug)]
pub(super) struct RelayDepths {
    /// Fewest transfers from the source to the receiver of each delivery.
    hops: Box<[u32]>,
    /// The largest number of hops of each message.
    depth: Box<[u32]>,
}

impl RelayDepths {
    /// Runs one breadth-first search per message over its receivers. `joined` returns true if there is a candidate path
    /// between the terminals of two ranks. Takes time proportional to the square of the receivers of each message.
    ///
    /// # Errors
    ///
    /// The first delivery that cannot be reached through receivers of its message.
    pub(super) fn new(deliveries: &Deliveries, joined: impl Fn(u32, u32) -> bool) -> Result<Self, usize> {
        let mut hops = vec![0; deliveries.count()];
        let mut depth = Vec::with_capacity(deliveries.message_count());
        for message in 0..deliveries.message_count() as u32 {
            let mut unreached: Vec<usize> = deliveries.of_message(message).collect();
            let mut holders = vec![deliveries.source(message)];
            let mut distance = 0;
            while let Some(&delivery) = unreached.first() {
                if holders.is_empty() {
                    return Err(delivery);
                }
                distance += 1;
                let (reached, rest) = unreached.iter().partition::<Vec<usize>, _>(|&&delivery| {
                    holders.iter().any(|&from| joined(from, deliveries.receiver(delivery)))
                });
                holders.clear();
                for delivery in reached {
                    hops[delivery] = distance;
                    holders.push(deliveries.receiver(delivery));
                }
                unreached = rest;
            }
            depth.push(distance);
        }
        Ok(Self { hops: hops.into(), depth: depth.into() })
    }

    #[inline]
    pub(super) fn hops(&self, delivery: usize) -> u32 {
        self.hops[delivery]
    }

    /// Returns the largest number of hops of the deliveries of a message.
    #[inline]
    pub(super) fn depth(&self, message: u32) -> u32 {
        self.depth[message as usize]
    }

    /// Returns the largest number of hops of all deliveries, or 1 if there is no message.
    pub(super) fn deepest(&self) -> u32 {
        self.depth.iter().copied().max().unwrap_or(1)
    }
}
