//! Balance of the sends of every terminal over the steps.

use lockstep_topology::ChannelId;
use rand::{Rng, RngExt};

use super::shuffle::shuffle;
use crate::space::{Gene, SearchSpace};

/// Balances the sends of every terminal. Holds scratch space: 2 bytes per terminal and step, and 8 bytes per delivery.
#[derive(Debug)]
pub(crate) struct PortBalance {
    /// Sends of each terminal in each step.
    sends: Vec<u16>,
    /// The largest number of transfers that each terminal can start in one step.
    send_limit: Vec<u16>,
    order: Vec<u32>,
    /// The deliveries beyond the ports of their step.
    surplus: Vec<u32>,
}

impl PortBalance {
    pub(crate) fn new(space: &SearchSpace<'_>) -> Self {
        let (topology, ports) = (space.problem().topology(), space.problem().model().ports);
        let terminals = topology.terminals();
        let slots = terminals.len() * space.step_count() as usize;
        let limit = |channels: &[ChannelId]| {
            let capacity = channels.iter().map(|&channel| topology.capacity(channel) as usize).sum();
            ports.of_degree(capacity).min(u16::MAX as usize) as u16
        };
        Self {
            sends: vec![0; slots],
            send_limit: terminals.iter().map(|&node| limit(topology.out_channels(node))).collect(),
            order: Vec::new(),
            surplus: Vec::new(),
        }
    }

    /// Moves sends beyond the ports of their step to random steps with a free port, as far as there are enough steps.
    ///
    /// Takes `O(n * steps)` time for `n` deliveries at worst.
    pub(crate) fn balance(&mut self, space: &SearchSpace, genes: &mut [Gene], rng: &mut impl Rng) {
        let steps = space.step_count() as usize;
        self.sends.fill(0);
        self.order.clear();
        self.order.extend(0..genes.len() as u32);
        shuffle(&mut self.order, rng);
        let Self { sends, send_limit, order, surplus, .. } = self;
        surplus.clear();
        for &delivery in &*order {
            let gene = genes[delivery as usize];
            let sender = space.sender(gene.path) as usize;
            let slot = &mut sends[sender * steps + gene.step as usize];
            if *slot < send_limit[sender] { *slot += 1 } else { surplus.push(delivery) }
        }
        for &delivery in &*surplus {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy::{in_space, random_genes, searchable, stream};

    proptest! {
        #[test]
        fn only_sends_beyond_the_ports_move_and_then_all_fit(instance in searchable(8), spare in 0..=9u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let (mut rng, mut ports) = (stream(seed), PortBalance::new(space));
                let before = random_genes(space, &mut rng);
                let mut genes = before.clone();
                ports.balance(space, &mut genes, &mut rng);
                prop_assert!(genes.iter().zip(&before).all(|(after, before)| after.path == before.path));
                for sender in 0..space.terminal_count() as u32 {
                    let limit = usize::from(ports.send_limit[sender as usize]);
                    let sent = |genes: &[Gene], step| {
                        genes.iter().filter(|gene| gene.step == step && space.sender(gene.path) == sender).count()
                    };
                    let steps = 0..space.step_count();
                    let total: usize = steps.clone().map(|step| sent(&before, step)).sum();
                    if total > limit * steps.len() {
                        continue;
                    }
                    let expected: usize = steps.clone().map(|step| sent(&before, step).saturating_sub(limit)).sum();
                    let moved = genes.iter().zip(&before).filter(|(after, before)| after.step != before.step);
                    let moved = moved.filter(|(after, _)| space.sender(after.path) == sender).count();
                    prop_assert_eq!(moved, expected);
                    prop_assert!(steps.clone().all(|step| sent(&genes, step) <= limit));
                }
                Ok(())
            })?;
        }
    }
}
