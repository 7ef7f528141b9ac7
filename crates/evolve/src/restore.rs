//! The document's heuristics: admissible broadcasts, and the use of ports.

use rand::{Rng, RngExt};

use crate::space::{Gene, SearchSpace};

/// Scratch space of the heuristics.
#[derive(Debug)]
pub(crate) struct Heuristics {
    /// Sends of each terminal in each step.
    sends: Vec<u16>,
    /// Most transfers each terminal can start in one step.
    send_limit: Vec<u16>,
    order: Vec<u32>,
    homeless: Vec<u32>,
    /// Step from which on each terminal can send the message at hand.
    ready: Vec<u32>,
}

impl Heuristics {
    pub(crate) fn new(space: &SearchSpace) -> Self {
        let (topology, ports) = (space.problem().topology(), space.problem().model().ports);
        let terminals = topology.terminals();
        let slots = terminals.len() * space.step_count() as usize;
        let limit = |degree| ports.of_degree(degree).min(u16::MAX as usize) as u16;
        Self {
            sends: vec![0; slots],
            send_limit: terminals.iter().map(|&node| limit(topology.out_channels(node).len())).collect(),
            order: Vec::new(),
            homeless: Vec::new(),
            ready: vec![0; terminals.len()],
        }
    }

    /// Makes broadcasts admissible: in the order of steps, a delivery whose sender does not hold the message yet gets a
    /// random sender that does, and a path from there. Where nobody near holds it that early (store-and-forward only),
    /// the step moves too.
    pub(crate) fn restore(&mut self, space: &SearchSpace, genes: &mut [Gene], rng: &mut impl Rng) {
        let Self { order, ready, .. } = self;
        for message in 0..space.message_count() as u32 {
            order.clear();
            order.extend(space.deliveries_of(message).map(|delivery| delivery as u32));
            order.sort_unstable_by_key(|&delivery| {
                (space.hops(message, delivery as usize), genes[delivery as usize].step, delivery)
            });
            ready.fill(u32::MAX);
            ready[space.source(message) as usize] = 0;
            for &delivery in &*order {
                let delivery = delivery as usize;
                let mut gene = genes[delivery];
                gene.step = gene.step.min(space.deadline(message, delivery) - 1);
                let informed = |path: u32| ready[space.sender(path) as usize];
                if informed(gene.path) > gene.step {
                    let candidates = space.candidates(delivery);
                    let (before, after) = candidates.split_at(rng.random_range(0..candidates.len()));
                    let shuffled = after.iter().chain(before).copied();
                    gene.path = match shuffled.clone().find(|&path| informed(path) <= gene.step) {
                        Some(path) => path,
                        None => shuffled.min_by_key(|&path| informed(path)).expect("a receiver has candidate paths"),
                    };
                    gene.step = gene.step.max(informed(gene.path));
                }
                ready[space.receiver(delivery) as usize] = gene.step + 1;
                genes[delivery] = gene;
            }
        }
    }

    /// Redistributes the sends of every terminal over the steps so that none has more than its ports, as far as there
    /// are steps enough: sends beyond the ports of their step move to random steps with a free port.
    pub(crate) fn spread(&mut self, space: &SearchSpace, genes: &mut [Gene], rng: &mut impl Rng) {
        let steps = space.step_count() as usize;
        self.sends.fill(0);
        self.order.clear();
        self.order.extend(0..genes.len() as u32);
        shuffle(&mut self.order, rng);
        let Self { sends, send_limit, order, homeless, .. } = self;
        homeless.clear();
        for &delivery in &*order {
            let gene = genes[delivery as usize];
            let sender = space.sender(gene.path) as usize;
            let slot = &mut sends[sender * steps + gene.step as usize];
            if *slot < send_limit[sender] { *slot += 1 } else { homeless.push(delivery) }
        }
        for &delivery in &*homeless {
            let gene = &mut genes[delivery as usize];
            let sender = space.sender(gene.path) as usize;
            let row = &mut sends[sender * steps..(sender + 1) * steps];
            let offset = rng.random_range(0..steps);
            let free = (0..steps).map(|step| (step + offset) % steps).find(|&step| row[step] < send_limit[sender]);
            if let Some(step) = free {
                row[step] += 1;
                gene.step = step as u32;
            }
        }
    }
}

pub(crate) fn shuffle(items: &mut [u32], rng: &mut impl Rng) {
    for place in (1..items.len()).rev() {
        items.swap(place, rng.random_range(0..=place));
    }
}
