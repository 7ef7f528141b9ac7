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
    /// random sender that does, and a path from there.
    ///
    /// Where some receivers are several transfers from the source, nearer ones come first, early enough for those behind
    /// them; where nobody beside a receiver holds the message in its step, the step moves too.
    pub(crate) fn restore(&mut self, space: &SearchSpace, genes: &mut [Gene], rng: &mut impl Rng) {
        let Self { order, ready, .. } = self;
        for message in 0..space.message_count() as u32 {
            order.clear();
            order.extend(space.deliveries_of(message).map(|delivery| delivery as u32));
            order.sort_unstable_by_key(|&delivery| {
                (space.hops(delivery as usize), genes[delivery as usize].step, delivery)
            });
            ready.fill(u32::MAX);
            ready[space.source(message) as usize] = 0;
            for &delivery in &*order {
                let delivery = delivery as usize;
                let mut gene = genes[delivery];
                gene.step = gene.step.min(space.deadline(delivery) - 1);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy::{in_space, random_genes, searchable, searchable_broadcast, stream};

    proptest! {
        #[test]
        fn any_genes_become_admissible(instance in searchable_broadcast(8), spare in 0..=3u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let mut rng = stream(seed);
                let mut genes = random_genes(space, &mut rng);
                Heuristics::new(space).restore(space, &mut genes, &mut rng);
                prop_assert!(space.is_admissible(&genes));
                Ok(())
            })?;
        }

        #[test]
        fn restored_genes_are_left_alone(instance in searchable_broadcast(8), spare in 0..=3u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let (mut rng, mut heuristics) = (stream(seed), Heuristics::new(space));
                let mut genes = random_genes(space, &mut rng);
                heuristics.restore(space, &mut genes, &mut rng);
                let restored = genes.clone();
                heuristics.restore(space, &mut genes, &mut rng);
                prop_assert_eq!(genes, restored);
                Ok(())
            })?;
        }

        #[test]
        fn admissible_deliveries_keep_their_step_where_everyone_is_one_transfer_away(
            instance in searchable_broadcast(8), spare in 0..=3u32, seed: u64,
        ) {
            in_space(&instance, spare, |space| {
                let mut rng = stream(seed);
                let mut genes = random_genes(space, &mut rng);
                let before = genes.clone();
                Heuristics::new(space).restore(space, &mut genes, &mut rng);
                if (0..genes.len()).all(|delivery| space.hops(delivery) == 1) {
                    prop_assert!(genes.iter().zip(&before).all(|(after, before)| after.step == before.step));
                }
                Ok(())
            })?;
        }

        #[test]
        fn sends_spread_over_the_ports_and_no_others_move(instance in searchable(8), spare in 0..=9u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let (mut rng, mut heuristics) = (stream(seed), Heuristics::new(space));
                let before = random_genes(space, &mut rng);
                let mut genes = before.clone();
                heuristics.spread(space, &mut genes, &mut rng);
                prop_assert!(genes.iter().zip(&before).all(|(after, before)| after.path == before.path));
                for sender in 0..space.terminal_count() as u32 {
                    let limit = usize::from(heuristics.send_limit[sender as usize]);
                    let sent = |genes: &[Gene], step| {
                        genes.iter().filter(|gene| gene.step == step && space.sender(gene.path) == sender).count()
                    };
                    let steps = 0..space.step_count();
                    let total: usize = steps.clone().map(|step| sent(&before, step)).sum();
                    if total > limit * steps.len() {
                        continue;
                    }
                    let surplus: usize = steps.clone().map(|step| sent(&before, step).saturating_sub(limit)).sum();
                    let moved = genes.iter().zip(&before).filter(|(after, before)| after.step != before.step);
                    let moved = moved.filter(|(after, _)| space.sender(after.path) == sender).count();
                    prop_assert_eq!(moved, surplus);
                    prop_assert!(steps.clone().all(|step| sent(&genes, step) <= limit));
                }
                Ok(())
            })?;
        }

        #[test]
        fn shuffling_keeps_every_item(count in 0..50u32, seed: u64) {
            let mut items: Vec<u32> = (0..count).collect();
            shuffle(&mut items, &mut stream(seed));
            items.sort_unstable();
            prop_assert!(items.into_iter().eq(0..count));
        }
    }
}
