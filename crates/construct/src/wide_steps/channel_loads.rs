//! The messages that the channels into one terminal bring in a step.

/// An assignment of messages to the channels into a terminal, where every channel has room for some messages.
///
/// Messages are added one by one. A message can displace others to channels that bring them too, along a shortest chain, so
/// that a message is refused only if no assignment of it and all earlier ones exists.
#[derive(Debug, Default)]
pub(super) struct ChannelLoads {
    /// The room of each channel.
    room: Vec<u64>,
    /// The messages of each channel, by their place among those added, see `sources`.
    loads: Vec<Vec<u32>>,
    /// The channels that can bring each message: bits.
    sources: Vec<u64>,
    /// Scratch space: for each channel the channel and the place in its load from which the chain comes.
    from: Vec<Option<(u32, u32)>>,
    queue: Vec<u32>,
}

/// The maximum number of channels into a terminal.
pub(super) const MAX_CHANNELS: usize = 64;

impl ChannelLoads {
    /// Begins a step, in which channel `i` has `room[i]` places.
    pub(super) fn begin(&mut self, room: impl Iterator<Item = u64>) {
        self.room.clear();
        self.room.extend(room);
        self.loads.iter_mut().for_each(Vec::clear);
        self.loads.resize_with(self.room.len(), Vec::new);
        self.sources.clear();
    }

    /// Adds more room to each channel.
    pub(super) fn widen(&mut self, more: impl Iterator<Item = u64>) {
        self.room.iter_mut().zip(more).for_each(|(room, more)| *room += more);
    }

    /// Adds a message that the channels of `sources` (bits) can bring. Returns false, and changes nothing, if there is no
    /// room. Takes `O(D L)` time at most for `D` channels and loads of `L` messages.
    pub(super) fn add(&mut self, sources: u64) -> bool {
        let number = self.sources.len() as u32;
        // The common case: the least loaded channel that brings it, relative to its room.
        let free = (0..self.room.len()).filter(|&channel| sources >> channel & 1 == 1 && self.is_free(channel));
        let share = |channel: usize| self.loads[channel].len() as u64 * (1 << 20) / self.room[channel];
        if let Some(channel) = free.min_by_key(|&channel| share(channel)) {
            self.sources.push(sources);
            self.loads[channel].push(number);
            return true;
        }
        self.from.clear();
        self.from.resize(self.room.len(), None);
        self.queue.clear();
        self.queue.extend((0..self.room.len() as u32).filter(|channel| sources >> channel & 1 == 1));
        let mut reached = sources;
        let mut next = 0;
        while next < self.queue.len() {
            let channel = self.queue[next] as usize;
            next += 1;
            for place in 0..self.loads[channel].len() {
                let mut others = self.sources[self.loads[channel][place] as usize] & !reached;
                while others != 0 {
                    let other = others.trailing_zeros() as usize;
                    others &= others - 1;
                    reached |= 1 << other;
                    self.from[other] = Some((channel as u32, place as u32));
                    if self.is_free(other) {
                        self.displace(other);
                        self.sources.push(sources);
                        let first = self.queue_start(other);
                        self.loads[first].push(number);
                        return true;
                    }
                    self.queue.push(other as u32);
                }
            }
        }
        false
    }

    fn is_free(&self, channel: usize) -> bool {
        (self.loads[channel].len() as u64) < self.room[channel]
    }

    /// Returns the first channel of the chain that ends at a channel.
    fn queue_start(&self, mut channel: usize) -> usize {
        while let Some((before, _)) = self.from[channel] {
            channel = before as usize;
        }
        channel
    }

    /// Moves one message along each link of the chain that ends at a channel, which then leaves room at its start.
    fn displace(&mut self, mut channel: usize) {
        while let Some((before, place)) = self.from[channel] {
            let message = self.loads[before as usize].swap_remove(place as usize);
            self.loads[channel].push(message);
            channel = before as usize;
        }
    }

    /// Returns the channel of each message, as pairs of a channel and the number of the message in the order of addition.
    pub(super) fn assigned(&self) -> impl Iterator<Item = (usize, usize)> {
        let of_channel = |(channel, load): (usize, &'_ Vec<u32>)| {
            load.iter().map(move |&message| (channel, message as usize)).collect::<Vec<_>>()
        };
        self.loads.iter().enumerate().flat_map(of_channel)
    }
}
