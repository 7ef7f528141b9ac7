//! All-to-all, where every message uses its highest link first.
//!
//! This is the recursion of the lecture, unrolled. On link `k`, a node first sends its own messages to the nodes whose
//! highest 1 is bit `k`. Their order is that in which the all-to-all of a smaller cube first sends the rests. Then it
//! forwards the messages that arrived on higher links, repeatedly in the same order. With rounds from 0, link `k`
//! carries in round `c` the message for `h | z` from `h` to `h ^ (1 << k)`, where
//!
//! ```text
//! z = order[1 << k | c % 2^k],    h = (c / 2^k) * 2^(k+1).
//! ```
//!
//! So every link is busy in every round. Conversely, a message that has used the links of `h` and whose rest is `z`
//! uses the highest link of `z` in round `first(z) + h / 2`, where `first` is the inverse of `order`.
//!
//! Proof that every sender holds the message. Let a message use link `j` and then a lower one, with the rests `2^j | z`
//! and `z`, and let `n = first(z)`. Before `z`, link `j` carries at most the other rests that are first sent in the
//! rounds 0 to `n`. In these rounds a link `i < j` carries `min(n + 1, 2^i)`, and all of them together at most `n +
//! 2^(j-1)`. So `first(2^j | z)` is less than `n + 2^(j-1)`. From one hop to the other, `h / 2` grows by `2^(j-1)`.

use lockstep_schedule::{BaseSchedule, Ports};

use super::counts::all_to_all_counts;
use super::dimension::{MAX_BASE_USES, has_node, links_per_round};
use super::translate;
use crate::LocalProgram;

/// Returns the store-and-forward all-to-all in `D 2^(D-1) / k` rounds, rounded up, with `k` ports.
///
/// Every message uses the links in which source and receiver differ, from the highest to the lowest. With all ports
/// every channel is busy in every round. With fewer ports, the transfers of a round are sent link by link, the highest
/// first, `k` at a time. A message then moves to lower links only, so at least `D` other transfers lie between two of
/// its own.
///
/// Returns `None` for dimensions other than 1 to 20. Takes `O(D 2^D)` time and about 14 bytes per transfer.
///
/// ```
/// use lockstep_analytic::hypercube::all_to_all;
/// use lockstep_schedule::Ports;
///
/// // The message from node 0 to node 6 crosses link 2 in the third round and link 1 in the fourth.
/// let base = all_to_all(3, Ports::All).expect("not too large");
/// for (round, (from, link)) in [(2, (0, 2)), (3, (4, 1))] {
///     assert!(base.step(round).any(|sent| (sent.message, sent.from, sent.path) == (6, from, &[link])));
/// }
/// ```
///
/// # Source
///
/// Bertsekas et al. 1991, for all ports; ties are broken by ascending link.
pub fn all_to_all(dimension: u32, ports: Ports) -> Option<BaseSchedule> {
    let counts = all_to_all_counts(dimension, Ports::All)?;
    (counts.transmissions >> dimension <= MAX_BASE_USES.into()).then_some(())?;
    let order = send_order(dimension);
    let transfers = (0..counts.rounds as u32).flat_map(|round| (0..dimension).rev().map(move |link| (round, link)));
    let links = links_per_round(dimension, ports);
    let mut base = BaseSchedule::new();
    for (place, (round, link)) in transfers.enumerate() {
        if place.is_multiple_of(links) {
            base.begin_step();
        }
        let crossed = round >> link << (link + 1);
        let ahead = order[(1 << link | round & ((1 << link) - 1)) as usize];
        base.push(crossed | ahead, crossed, &[link as u16]);
    }
    Some(base)
}

/// Returns the transfers of `node` in the [`all_to_all`]: its own messages and those it forwards.
///
/// Returns `None` for dimensions other than 1 to 20, and if the node does not exist. Takes `O(D 2^D)` time.
pub fn all_to_all_program(dimension: u32, ports: Ports, node: u64) -> Option<LocalProgram> {
    let base = all_to_all(dimension, ports).filter(|_| has_node(dimension, node))?;
    Some(translate::program(&base, node))
}

/// Returns the receivers of a node's own messages, relative to the node. At `1 << k | c` is the one whose message it
/// sends on link `k` in round `c` of the first `2^k`.
fn send_order(dimension: u32) -> Vec<u32> {
    let mut order = vec![0; 1 << dimension];
    for link in 0..dimension {
        let own = 1u32 << link;
        // All lower links that are used in this round, round after round.
        let rests =
            (0..own / 2).flat_map(|round| (u32::BITS - round.leading_zeros()..link).map(move |low| (low, round)));
        let mut place = own as usize;
        for (low, round) in rests {
            order[place] = own | order[(1 << low | round) as usize];
            place += 1;
        }
        // The message to the neighbour itself has no rest, so it is last.
        order[place] = own;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hops of every message of node 0, as (round, link), both counted from 1.
    fn hops(base: &BaseSchedule, nodes: usize) -> Vec<Vec<(usize, u16)>> {
        let mut hops = vec![Vec::new(); nodes];
        for round in 0..base.step_count() {
            for transfer in base.step(round) {
                hops[transfer.message as usize].push((round + 1, transfer.path[0] + 1));
            }
        }
        hops
    }

    #[test]
    fn messages_go_from_the_highest_link_to_the_lowest_and_are_held_before_they_are_sent() {
        for dimension in 1..=10 {
            for ports in (1..=dimension).filter_map(Ports::limit) {
                let base = all_to_all(dimension, ports).unwrap();
                let (mut at, mut came) = (vec![0; 1 << dimension], vec![0; 1 << dimension]);
                for round in 0..base.step_count() {
                    for transfer in base.step(round) {
                        let (message, link) = (transfer.message as usize, transfer.path[0]);
                        assert!(came[message] <= round && at[message] == transfer.from, "{dimension} {ports}");
                        assert_eq!(transfer.message ^ transfer.from, transfer.message & ((2 << link) - 1));
                        (at[message], came[message]) = (transfer.from ^ 1 << link, round + 1);
                    }
                }
                assert!(at.into_iter().eq(0..1 << dimension));
            }
        }
    }

    /// The table of the lecture's recursion for three dimensions, computed by hand.
    #[test]
    fn the_table_of_three_dimensions_is_the_known_one() {
        let expected: [&[(usize, u16)]; 8] = [
            &[],
            &[(1, 1)],
            &[(2, 2)],
            &[(1, 2), (2, 1)],
            &[(4, 3)],
            &[(1, 3), (3, 1)],
            &[(3, 3), (4, 2)],
            &[(2, 3), (3, 2), (4, 1)],
        ];
        assert_eq!(hops(&all_to_all(3, Ports::All).unwrap(), 8), expected);
    }

    /// From the lecture's proof (slide 63): with `N_k(n)` the number of own messages sent in the first `n` rounds,
    /// `N_k(n)` is `N_(k-1)(n) + n` in the first half and `2^(k-1) - 1 + n` from there on.
    #[test]
    fn own_messages_are_sent_as_the_recursion_says() {
        // One dimension: one round, one message.
        let mut before = vec![0, 1];
        for dimension in 2..=12 {
            let base = all_to_all(dimension, Ports::All).unwrap();
            let half = base.step_count() / 2;
            let mut sent = vec![0];
            for round in 0..base.step_count() {
                sent.push(sent[round] + base.step(round).filter(|transfer| transfer.from == 0).count());
            }
            for (round, &sent) in sent.iter().enumerate().skip(1) {
                let expected = if round <= half { before[round] + round } else { 2 * half - 1 + round };
                assert_eq!(sent, expected, "{dimension}, {round}");
            }
            before = sent;
        }
    }

    /// The order of the messages of a link in the lecture, as a sort.
    #[test]
    fn own_messages_follow_the_order_in_which_their_rest_is_sent() {
        for dimension in 1..=8 {
            let hops = hops(&all_to_all(dimension, Ports::All).unwrap(), 1 << dimension);
            for link in 0..dimension {
                let mut own: Vec<usize> = (1 << link..2 << link).collect();
                own.sort_by_key(|&receiver| hops[receiver][0]);
                let rest = |receiver: usize| hops[receiver ^ 1 << link].first().map_or(usize::MAX, |first| first.0);
                assert!(own.is_sorted_by_key(|&receiver| rest(receiver)));
            }
        }
    }
}
