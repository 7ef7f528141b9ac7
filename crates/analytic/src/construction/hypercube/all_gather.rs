//! All-gather by rotation classes.
//!
//! Proof that every sender holds the message. A node `t` with number `n` receives the message from `p`, which is `t`
//! without the bit of its link. Let `n'` be the number of `p`. Both receive in one round only if `n - n'` is less than
//! the number of ports.
//!
//! - If the class of `t` is not the first of its level, the `D` nodes of the first class lie between `p` and `t`.
//! - If it is, `t` is `0..01..1` rotated left by its link, and `p` has one 1 less and is rotated by one bit more. So
//!   `n - n'` is -1 modulo `D`, and at least `D - 1`.
//! - If `t` is all ones, `n - n'` is `D - 1`.
//!
//! The remaining case is `n - n' = D - 1` with all ports in use, `p` on the first link and `t` on the last one. In the
//! second case `n - n'` is then `2 D - 1` for two ones, and 7 for three ones in four dimensions. In more dimensions the
//! level of `p` has `2 D` nodes or more, of which at most `D - 1` come before `p`. In the third case `D` would divide
//! `n = 2^D - 1`, which no `D` above 1 does.

use lockstep_schedule::{BaseSchedule, Ports};

use super::dimension::{has_node, links_per_round};
use super::numbering::Numbering;
use super::translate;
use crate::LocalProgram;

/// Returns the all-gather in `(2^D - 1) / k` rounds, rounded up, with `k` ports.
///
/// In each round, the nodes with the next `k` [numbers](Numbering) receive the message of node 0, each on its link.
/// Consecutive numbers have different links, so messages of different sources never share a channel.
///
/// Returns `None` for dimensions other than 1 to 24. Takes `O(2^D)` time and 14 bytes per node.
///
/// ```
/// use lockstep_analytic::hypercube::all_gather;
/// use lockstep_schedule::{CollectiveName, Ports, SymmetricSchedule};
///
/// // 10^12 deliveries in 14 MB.
/// let base = all_gather(20, Ports::All).expect("not too large");
/// assert_eq!((base.step_count(), base.transfer_count()), (52429, 1048575));
/// let schedule = SymmetricSchedule::new("hypercube:20".parse()?, CollectiveName::AllGather, base);
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
///
/// # Source
///
/// Bertsekas et al. 1991, for all ports.
pub fn all_gather(dimension: u32, ports: Ports) -> Option<BaseSchedule> {
    let numbering = Numbering::new(dimension)?;
    let mut numbers = 1..;
    let mut base = BaseSchedule::new();
    for set in numbering.nodes()[1..].chunks(links_per_round(dimension, ports)) {
        base.begin_step();
        for (node, number) in set.iter().zip(&mut numbers) {
            let link = numbering.link(number);
            base.push(BaseSchedule::BROADCAST, node ^ 1 << link, &[link as u16]);
        }
    }
    Some(base)
}

/// Returns the routing table of `node` in the [`all_gather`]: one row per round, one column per link. The entries are
/// the sources of the messages that the node sends.
///
/// Returns `None` for dimensions other than 1 to 24, and if the node does not exist. Takes `O(2^D)` time.
pub fn all_gather_program(dimension: u32, ports: Ports, node: u64) -> Option<LocalProgram> {
    let base = all_gather(dimension, ports).filter(|_| has_node(dimension, node))?;
    Some(translate::program(&base, node))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The round in which each node receives the message of node 0, which holds it from the start.
    fn received(base: &BaseSchedule, nodes: usize) -> Vec<Option<usize>> {
        let mut received = vec![None; nodes];
        received[0] = Some(0);
        for round in 0..base.step_count() {
            for transfer in base.step(round) {
                let to = transfer.from ^ 1 << transfer.path[0];
                assert_eq!(received[to as usize].replace(round + 1), None, "received twice");
                assert!(received[transfer.from as usize].is_some_and(|held| held <= round), "sent before it arrived");
            }
        }
        received
    }

    #[test]
    fn every_sender_has_received_earlier_with_any_number_of_ports() {
        for dimension in 1..=12 {
            for ports in (1..=dimension).filter_map(Ports::limit) {
                let base = all_gather(dimension, ports).unwrap();
                assert!(received(&base, 1 << dimension).iter().all(Option::is_some));
            }
        }
    }

    #[test]
    fn links_are_distinct_in_every_round() {
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
