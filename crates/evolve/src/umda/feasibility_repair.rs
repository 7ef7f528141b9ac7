//! Feasibility repair: broadcasts in which every sender holds its message.

use rand::{Rng, RngExt};

use crate::space::{Gene, SearchSpace};

/// Makes the genes of broadcasts admissible. Holds scratch space: 4 bytes per terminal and 4 bytes per delivery of a
/// message.
///
/// # Source
///
/// The restoration step of the multistage-network document.
#[derive(Debug)]
pub(crate) struct FeasibilityRepair {
    order: Vec<u32>,
    /// The first step in which each terminal can send the current message.
    ready: Vec<u32>,
}

impl FeasibilityRepair {
    pub(crate) fn new(space: &SearchSpace<'_>) -> Self {
        Self { order: Vec::new(), ready: vec![0; space.terminal_count()] }
    }

    /// Changes genes until they are admissible. In the order of steps, a delivery whose sender does not hold the
    /// message yet gets a random sender that does, and a path from there.
    ///
    /// Where some receivers are several transfers from the source, nearer ones come first, early enough for those
    /// behind them. If no neighbour of a receiver holds the message in its step, the step moves too. Takes `O(n log n +
    /// candidate paths)` time for `n` deliveries.
    pub(crate) fn repair(&mut self, space: &SearchSpace, genes: &mut [Gene], rng: &mut impl Rng) {
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
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy::{in_space, random_genes, searchable_broadcast, stream};

    proptest! {
        #[test]
        fn any_genes_become_admissible(instance in searchable_broadcast(8), spare in 0..=3u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let mut rng = stream(seed);
                let mut genes = random_genes(space, &mut rng);
                FeasibilityRepair::new(space).repair(space, &mut genes, &mut rng);
                prop_assert!(space.is_admissible(&genes));
                Ok(())
            })?;
        }

        #[test]
        fn admissible_genes_do_not_change(instance in searchable_broadcast(8), spare in 0..=3u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let (mut rng, mut repair) = (stream(seed), FeasibilityRepair::new(space));
                let mut genes = random_genes(space, &mut rng);
                repair.repair(space, &mut genes, &mut rng);
                let repaired = genes.clone();
                repair.repair(space, &mut genes, &mut rng);
                prop_assert_eq!(genes, repaired);
                Ok(())
            })?;
        }

        #[test]
        fn steps_do_not_change_where_every_receiver_is_one_transfer_away(
            instance in searchable_broadcast(8), spare in 0..=3u32, seed: u64,
        ) {
            in_space(&instance, spare, |space| {
                let mut rng = stream(seed);
                let mut genes = random_genes(space, &mut rng);
                let before = genes.clone();
                FeasibilityRepair::new(space).repair(space, &mut genes, &mut rng);
                if (0..genes.len()).all(|delivery| space.hops(delivery) == 1) {
                    prop_assert!(genes.iter().zip(&before).all(|(after, before)| after.step == before.step));
                }
                Ok(())
            })?;
        }
    }
}
