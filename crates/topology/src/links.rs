//! Links: pairs of opposite channels.

use crate::buses::buses;
use crate::{ChannelId, ResourceId, Topology};

impl Topology {
    /// Returns the links: pairs of opposite channels, each with the lower number first, ascending.
    ///
    /// Parallel channels are paired in ascending order. A channel that shares its resource is paired only with a
    /// channel of the same resource, and every channel only with one of the same capacity and latency. A channel without
    /// an opposite is not part of a link. Takes `O(M log M)` time.
    ///
    /// ```
    /// use lockstep_topology::Topology;
    ///
    /// let ladder: Topology = "ladder:2x4".parse()?;
    /// assert_eq!(ladder.links().len(), 10);
    /// let kautz: Topology = "kautz:3,2".parse()?;
    /// assert_eq!(kautz.links().len(), 6); // 01 -> 10 and 10 -> 01, …
    /// # Ok::<(), lockstep_topology::SpecError>(())
    /// ```
    pub fn links(&self) -> Vec<[ChannelId; 2]> {
        let mut users = vec![0u32; self.resource_count()];
        for channel in self.channels() {
            users[self.resource(channel).index()] += 1;
        }
        let key = |channel: ChannelId| {
            let (tail, head, resource) = (self.tail(channel), self.head(channel), self.resource(channel));
            let shared = (users[resource.index()] > 1).then_some(resource);
            (tail.min(head), tail.max(head), shared, self.capacity(channel), self.latency_ps(channel))
        };
        let mut order: Vec<ChannelId> = self.channels().collect();
        order.sort_by_key(|&channel| key(channel));
        let mut links = Vec::new();
        for parallel in order.chunk_by(|&a, &b| key(a) == key(b)) {
            let upwards = parallel.iter().filter(|&&channel| self.tail(channel) < self.head(channel));
            let downwards = parallel.iter().filter(|&&channel| self.tail(channel) > self.head(channel));
            links.extend(upwards.zip(downwards).map(|(&up, &down)| [up.min(down), up.max(down)]));
        }
        links.sort_unstable();
        links
    }

    /// Returns the same network with half-duplex links: the two channels of each [link](Self::links) share one
    /// resource. Channels that share a resource already keep it.
    ///
    /// ```
    /// let mesh = lockstep_topology::mesh(&[2, 2])?.half_duplex();
    /// assert_eq!((mesh.channel_count(), mesh.resource_count()), (8, 4));
    /// # Ok::<(), lockstep_topology::FamilyError>(())
    /// ```
    #[must_use]
    pub fn half_duplex(&self) -> Self {
        self.half_duplex_at(&self.links())
    }

    /// Returns the same network with some half-duplex [links](Self::links): the two channels of each share one resource.
    ///
    /// # Panics
    ///
    /// If a link has a failed channel, or its channels differ in capacity.
    #[must_use]
    pub fn half_duplex_at(&self, links: &[[ChannelId; 2]]) -> Self {
        let mut first: Vec<Option<ChannelId>> = vec![None; self.channel_bound()];
        for &[channel, back] in links {
            assert_eq!(self.capacity(channel), self.capacity(back), "the channels of a link have one capacity");
            first[back.index()] = Some(channel);
        }
        let mut new_resource = vec![Self::NO_RESOURCE; self.resource_count()];
        let mut resource = vec![Self::NO_RESOURCE; self.channel_bound()];
        let mut count = 0;
        for channel in self.channels() {
            let old = self.resource(first[channel.index()].unwrap_or(channel));
            let new = &mut new_resource[old.index()];
            if *new == Self::NO_RESOURCE {
                *new = ResourceId::new(count);
                count += 1;
            }
            resource[channel.index()] = *new;
        }
        let buses = buses(&self.working, &self.tail, &self.head, &resource, count);
        let resource_capacity = self.rates.of_resources(&self.working, &resource, count);
        Self { resource: resource.into(), resource_count: count, buses, resource_capacity, ..self.clone() }
    }
}
