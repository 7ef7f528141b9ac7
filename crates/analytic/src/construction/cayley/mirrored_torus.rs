//! All-to-all on tori with one even side: a group in which every second node sees that side mirrored.
//!
//! A message to the opposite node of an even side may go forwards or backwards. If all sources select the same
//! direction, it is used more. If sources at odd coordinates mirror those at even ones, both directions are used
//! equally. These moves are the translations of another group with the same network: the product of a dihedral group
//! and cyclic groups. Its generators along the side are the channels that leave even coordinates forwards and odd ones
//! backwards, and the opposite ones. The group is not abelian: along the side a message alternates between the two
//! generators, so their order matters.

use lockstep_schedule::{BaseSchedule, Budget};
use lockstep_topology::{ChannelId, NodeId};

use super::balanced_words;
use super::group_table::GroupTable;
use crate::GroupLabelling;

/// A torus as the Cayley graph of the mirrored group.
pub(super) struct MirroredTorus {
    pub(super) steps: GroupTable,
    /// The channel of each node and generator.
    pub(super) channel: Vec<ChannelId>,
    /// The mirror image of each generator.
    image: Vec<usize>,
    /// Whether a node is mirrored, which holds at odd coordinates.
    mirrored: Vec<bool>,
}

impl MirroredTorus {
    /// Returns the mirrored torus, if the network is a torus with exactly one even side, of length 4 or more.
    pub(super) fn of(labelling: &GroupLabelling) -> Option<Self> {
        let degree = labelling.degree();
        let torus = labelling.axes()?;
        let sides = torus.sides();
        let mut even = (0..sides.len()).filter(|&axis| sides[axis] % 2 == 0);
        let axis = even.next().filter(|&axis| sides[axis] >= 4 && even.next().is_none())?;
        let forward = torus.forward(axis);
        let mut image: Vec<usize> = (0..degree).collect();
        image.swap(forward, labelling.opposite(forward));
        let nodes = (0..labelling.node_count()).map(NodeId::from_index);
        let mirrored: Vec<bool> = nodes.map(|node| torus.coordinates(node)[axis] % 2 == 1).collect();
        let (mut next, mut channel) = (labelling.heads().to_vec(), labelling.channels().to_vec());
        let rows = next.chunks_exact_mut(degree).zip(channel.chunks_exact_mut(degree));
        for ((next, channel), _) in rows.zip(&mirrored).filter(|(_, mirrored)| **mirrored) {
            next.swap(forward, image[forward]);
            channel.swap(forward, image[forward]);
        }
        let steps = GroupTable::new(labelling.node_count(), degree, next)?;
        Some(Self { steps, channel, image, mirrored })
    }

    /// Returns the messages of node 0 along shortest words of the torus; `None` when the budget ends.
    ///
    /// In each step, messages with the longest remaining path select first. They select the generator with the most
    /// remaining work. On all tori of one even side that were tried, the schedule is optimal: it ends when the
    /// generators of one side have served all their messages without a pause.
    pub(super) fn exchange(&self, torus: &GroupTable, budget: &Budget) -> Option<BaseSchedule> {
        let words = balanced_words::shortest(torus);
        let loads = words.loads();
        let mut exchange = MirroredExchange {
            mirror: self,
            degree: torus.degree(),
            // Along the side the mirrored generators share the load.
            load: (0..loads.len()).map(|generator| loads[generator].midpoint(loads[self.image[generator]])).collect(),
            count: words.into_counts(),
            at: vec![0; torus.element_count()],
            waiting: vec![Vec::new(); torus.diameter() as usize + 1],
        };
        (1..torus.element_count()).for_each(|element| exchange.wait(element as u32));
        let mut base = BaseSchedule::new();
        while exchange.waiting[1..].iter().any(|waiting| !waiting.is_empty()) {
            if budget.interruption().is_some() {
                return None;
            }
            base.begin_step();
            exchange.step(&mut base);
        }
        Some(base)
    }
}

/// The messages of node 0 under way.
struct MirroredExchange<'a> {
    mirror: &'a MirroredTorus,
    degree: usize,
    /// The approximate remaining work of each generator.
    load: Vec<u64>,
    /// The remaining moves of each message along each generator of the torus, one row per message.
    count: Vec<u16>,
    /// The position of each message.
    at: Vec<u32>,
    /// The messages by the number of remaining moves.
    waiting: Vec<Vec<u32>>,
}

impl MirroredExchange<'_> {
    fn wait(&mut self, message: u32) {
        let left: u16 = self.count[message as usize * self.degree..][..self.degree].iter().sum();
        self.waiting[usize::from(left)].push(message);
    }

    fn step(&mut self, base: &mut BaseSchedule) {
        let mut free: u64 = u64::MAX >> (u64::BITS as usize - self.degree);
        let mut moved = Vec::with_capacity(self.degree);
        for left in (1..self.waiting.len()).rev() {
            let mut place = 0;
            while free != 0 && place < self.waiting[left].len() {
                let message = self.waiting[left][place];
                if let Some(generator) = self.advance(message, free) {
                    base.push(message, self.at[message as usize], &[generator as u16]);
                    self.at[message as usize] =
                        self.mirror.steps.next(self.at[message as usize] as usize, generator) as u32;
                    free &= !(1 << generator);
                    self.waiting[left].swap_remove(place);
                    moved.push(message);
                } else {
                    place += 1;
                }
            }
        }
        for message in moved {
            self.wait(message);
        }
    }

    /// Moves a message along one of the free generators, and returns that generator.
    fn advance(&mut self, message: u32, free: u64) -> Option<usize> {
        let MirroredTorus { image, mirrored, .. } = self.mirror;
        let mirrored = mirrored[self.at[message as usize] as usize];
        let of_torus = |generator: usize| if mirrored { image[generator] } else { generator };
        let count = &mut self.count[message as usize * self.degree..][..self.degree];
        let fits = |&generator: &usize| free >> generator & 1 == 1 && count[of_torus(generator)] > 0;
        let generator = (0..self.degree).filter(fits).max_by_key(|&generator| (self.load[generator], generator))?;
        count[of_torus(generator)] -= 1;
        self.load[generator] = self.load[generator].saturating_sub(1);
        Some(generator)
    }
}
