//! All-to-all on tori with one even side: the group in which every second node sees that side in a mirror.
//!
//! Half-way round an even side a message goes forwards or backwards, and if all sources choose alike, one way is used
//! more. Where sources at odd coordinates do in the mirror what those at even ones do, both are used alike. These moves
//! are the translations of another group with the same network, the product of a dihedral group and cycles. Its
//! generators along the side are the channels that leave even coordinates forwards and odd ones backwards, and the
//! others. It is not abelian: along the side a message alternates between the two, so they cannot serve in any order.

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
    /// What each generator is in the mirror.
    image: Vec<usize>,
    /// Whether a node sees the mirror: those at odd coordinates.
    mirrored: Vec<bool>,
}

impl MirroredTorus {
    /// `None` if the network is no torus with one even side, and that of 4 or more.
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

    /// The messages of node 0, along shortest words of the torus; `None` when the budget ends.
    ///
    /// Each step lets the messages that have furthest to go choose first, and of the generators that would take them on
    /// the one that still has most to do. On all tori of one even side that were tried, it ends as soon as the
    /// generators of one side have served all their messages without a pause, which is when it must.
    pub(super) fn exchange(&self, torus: &GroupTable, budget: &Budget) -> Option<BaseSchedule> {
        let words = balanced_words::shortest(torus);
        let loads = words.loads();
        let mut exchange = MirroredExchange {
            mirror: self,
            degree: torus.degree(),
            // Along the side the mirrored generators take turns.
            load: (0..loads.len()).map(|generator| loads[generator].midpoint(loads[self.image[generator]])).collect(),
            count: words.into_counts(),
            at: vec![0; torus.element_count()],
            waiting: vec![Vec::new(); torus.diameter() as usize + 1],
        };
        (1..torus.element_count()).for_each(|element| exchange.wait(element as u32));
        let mut base = BaseSchedule::new();
        while exchange.waiting[1..].iter().any(|waiting| !waiting.is_empty()) {
            if budget.stop_after(0).is_some() {
                return None;
            }
            base.begin_step();
            exchange.step(&mut base);
        }
        Some(base)
    }
}

struct MirroredExchange<'a> {
    mirror: &'a MirroredTorus,
    degree: usize,
    /// How often each generator will serve, about.
    load: Vec<u64>,
    /// How often each message must still move along each generator of the torus, a row a message.
    count: Vec<u16>,
    /// Where each message is.
    at: Vec<u32>,
    /// The messages by the number of moves that are left.
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

    /// Takes one move from a message, along one of the free generators, and returns that.
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
