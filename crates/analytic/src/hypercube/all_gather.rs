//! All-gather by rotation classes.
//!
//! Why nobody sends what it does not hold. A node `t` with number `n` and link `m` gets the message from `p`, which is `t`
//! without bit `m`. If the number `n'` of `p` lies below `n` by the `D` links or more, `p` has received in a round before.
//!
//! - The class of `t` is not the first of its level: the `D` nodes of the first one lie between `p` and `t`.
//! - `t` is `0..01..1` rotated left by `m`: then `p` has a 1 less and is rotated by `m + 1`, so `n - n'` is `D - 1` modulo
//!   `D`. Were it `D - 1` and both received in one round, `p` would be on the first link and `t` on the last one. But then
//!   `n - n'` is `2 D - 1` for two ones; for more ones and `D = 4` it is 7; for more ones and a larger `D` the level of `p`
//!   has `2 D` nodes or more, and at most `D - 1` of them come before `p`.
//! - `t` is all ones: `n - n'` is `D - 1`, and `p` on the first link would mean that `D` divides `2^D - 1`, which no `D`
//!   above 1 does.

use lockstep_schedule::{BaseSchedule, Ports};

use super::{Numbering, has_node, links_a_round, translate};
use crate::LocalProgram;

/// The all-gather in `(2^D - 1) / k` rounds, rounded up, with `k` ports: in each round the nodes with the next `k`
/// [numbers](Numbering) receive the message of node 0, each on its link.
///
/// Consecutive numbers have different links, so the messages of different sources never meet on a channel.
///
/// `None` for dimensions other than 1 to 24. Takes time in proportion to the number of nodes.
///
/// **Source**: Bertsekas et al. 1991, section 3, for all ports.
pub fn all_gather(dimension: u32, ports: Ports) -> Option<BaseSchedule> {
    let numbering = Numbering::new(dimension)?;
    let mut numbers = 1..;
    let mut base = BaseSchedule::new();
    for set in numbering.nodes()[1..].chunks(links_a_round(dimension, ports)) {
        base.begin_step();
        for (node, number) in set.iter().zip(&mut numbers) {
            let link = numbering.link(number);
            base.push(BaseSchedule::BROADCAST, node ^ 1 << link, &[link as u16]);
        }
    }
    Some(base)
}

/// The routing table of `node` in the [`all_gather`]: a row for every round, a column for every link, and as entry the
/// source whose message it sends.
///
/// `None` for dimensions other than 1 to 24 and for what is no node. Takes time in proportion to its `2^D - 1` entries.
pub fn all_gather_program(dimension: u32, ports: Ports, node: u64) -> Option<LocalProgram> {
    let base = all_gather(dimension, ports).filter(|_| has_node(dimension, node))?;
    Some(translate::program(&base, node))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of the round in which each node has the message of node 0, which has it from the start.
    fn received(base: &BaseSchedule, nodes: usize) -> Vec<Option<usize>> {
        let mut received = vec![None; nodes];
        received[0] = Some(0);
        for round in 0..base.step_count() {
            for transfer in base.step(round) {
                let to = transfer.from ^ 1 << transfer.path[0];
                assert_eq!(received[to as usize].replace(round + 1), None, "received twice");
                assert!(received[transfer.from as usize].is_some_and(|held| held <= round), "sent before it came");
            }
        }
        received
    }

    #[test]
    fn every_parent_is_in_an_earlier_set_with_any_number_of_ports() {
        for dimension in 1..=12 {
            for ports in (1..=dimension).filter_map(Ports::limit) {
                let base = all_gather(dimension, ports).unwrap();
                assert!(received(&base, 1 << dimension).iter().all(Option::is_some));
            }
        }
    }

    #[test]
    fn types_are_distinct_in_every_round() {
        for dimension in 1..=12 {
            let base = all_gather(dimension, Ports::All).unwrap();
            for round in 0..base.step_count() {
                let mut links: Vec<u16> = base.step(round).map(|transfer| transfer.path[0]).collect();
                let full = links.len() == dimension as usize || round + 1 == base.step_count();
                links.sort_unstable();
                links.dedup();
                assert!(full && links.len() == base.step(round).len());
            }
        }
    }
}
