//! Scatter along the balanced spanning tree.

use lockstep_schedule::{BaseSchedule, Ports};

use super::counts::scatter_counts;
use super::dimension::{MAX_BASE_USES, has_node, links_per_round};
use super::numbering::{Numbering, rotated_left};
use crate::LocalProgram;

/// Returns the scatter of node 0 in `(2^D - 1) / k` rounds, rounded up, with `k` ports.
///
/// In each round the root sends the messages for `k` nodes in the order of descending [numbers](Numbering), each on the
/// link of the node. No message ever waits.
///
/// The tree: a message sets the 1s of its receiver one after the other, cyclically upwards from the receiver's link.
/// Rotated by that link, the receiver is the smallest word of its class, and it remains the smallest without some of
/// its highest 1s. So all nodes of a route have the same link. The branches at the root are the links, whose nodes take
/// turns in the numbering.
///
/// Messages that leave the root in one round use different branches, and messages of one branch follow each other. The
/// route to a node of `h` ones has `h - 1` nodes before it. Their numbers are smaller, so they belong to sets that
/// leave later. Its message thus leaves at least `h - 1` rounds before the last one and arrives in time. No transfer
/// moves towards the root, so half-duplex links are sufficient.
///
/// Returns `None` for dimensions other than 1 to 20. Takes `O(D^2 2^D)` time.
///
/// ```
/// use lockstep_analytic::hypercube::scatter;
/// use lockstep_schedule::Ports;
///
/// // 15 messages leave on four links: the farthest one first, those for the neighbours last.
/// let base = scatter(4, Ports::All).expect("not too large");
/// let from_root = |round| base.step(round).filter(|sent| sent.from == 0).map(|sent| sent.message);
/// assert!(from_root(0).any(|receiver| receiver == 0b1111));
/// assert!(from_root(base.step_count() - 1).eq([0b0001, 0b0010, 0b0100, 0b1000]));
/// ```
///
/// # Source
///
/// Bertsekas et al. 1991 for all ports, where the tree is found class by class; this is the result for one choice of
/// first words. Ho, Johnsson, *Spanning balanced trees in Boolean cubes*, SIAM J. Sci. Stat. Computing 10 (1989).
pub fn scatter(dimension: u32, ports: Ports) -> Option<BaseSchedule> {
    let counts = scatter_counts(dimension, ports).filter(|counts| counts.transmissions <= MAX_BASE_USES.into())?;
    let numbering = Numbering::new(dimension)?;
    let (rounds, links) = (counts.rounds as usize, links_per_round(dimension, ports));
    let set = |place: usize| {
        let numbers = 1 + place * links..(1 + (place + 1) * links).min(numbering.nodes().len());
        numbers.map(|number| BalancedRoute::new(&numbering, number as u32))
    };
    let mut base = BaseSchedule::new();
    for round in 0..rounds {
        base.begin_step();
        // Messages that left the root `age` rounds ago make their next hop.
        for age in 0..=round.min(dimension as usize - 1) {
            for route in set(rounds - 1 - round + age) {
                if let Some((from, link)) = route.hop(age as u32) {
                    base.push(route.receiver, from, &[link as u16]);
                }
            }
        }
    }
    Some(base)
}

/// Returns the transfers of `node` in the [`scatter`] of `root`.
///
/// Returns `None` for dimensions other than 1 to 24, and if a node does not exist. Takes `O(D 2^D)` time, to number the
/// nodes and to find the routes through this one.
pub fn scatter_program(dimension: u32, ports: Ports, root: u64, node: u64) -> Option<LocalProgram> {
    let numbering = Numbering::new(dimension).filter(|_| has_node(dimension, root) && has_node(dimension, node))?;
    let rounds = scatter_counts(dimension, ports)?.rounds as usize;
    let links = links_per_round(dimension, ports);
    let place = (root ^ node) as u32;
    let age = place.count_ones();
    let mut program = LocalProgram::new(node);
    for number in (1..numbering.nodes().len()).rev() {
        let route = BalancedRoute::new(&numbering, number as u32);
        let Some((_, link)) = route.hop(age).filter(|&(from, _)| from == place) else { continue };
        let round = rounds - 1 - (number - 1) / links + age as usize;
        while program.round_count() <= round {
            program.begin_round();
        }
        program.push(root, Some(root ^ u64::from(route.receiver)), &[link as u16]);
    }
    while program.round_count() < rounds {
        program.begin_round();
    }
    Some(program)
}

/// The route from node 0 to another node.
struct BalancedRoute {
    receiver: u32,
    /// The link on which it leaves the root.
    first: u32,
    /// The receiver rotated so that the first link is bit 0, which is its smallest rotation.
    smallest: u32,
    dimension: u32,
}

impl BalancedRoute {
    fn new(numbering: &Numbering, number: u32) -> Self {
        let (dimension, first) = (numbering.dimension(), numbering.link(number));
        let receiver = numbering.nodes()[number as usize];
        let smallest = rotated_left(receiver, (dimension - first) % dimension, dimension);
        Self { receiver, first, smallest, dimension }
    }

    /// Returns the node that the route reaches after `hops` hops, and the next link; `None` at the end of the route.
    fn hop(&self, hops: u32) -> Option<(u32, u32)> {
        let ahead = (0..hops).try_fold(self.smallest, |ahead, _| Some(ahead & ahead.checked_sub(1)?))?;
        let reached = rotated_left(self.smallest ^ ahead, self.first, self.dimension);
        (ahead != 0).then(|| (reached, (ahead.trailing_zeros() + self.first) % self.dimension))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_make_a_tree_whose_branches_are_the_links() {
        for dimension in 1..=12 {
            let numbering = Numbering::new(dimension).unwrap();
            let numbers = numbering.numbers();
            for number in 1..1 << dimension {
                let route = BalancedRoute::new(&numbering, number);
                let ones = route.receiver.count_ones();
                let hops: Vec<(u32, u32)> = (0..).map_while(|hops| route.hop(hops)).collect();
                assert_eq!(hops.len(), ones as usize);
                assert_eq!(hops[0], (0, numbering.link(number)));
                let (parent, last) = hops[ones as usize - 1];
                assert_eq!(parent ^ 1 << last, route.receiver);
                if parent != 0 {
                    let parent = numbers[parent as usize];
                    assert_eq!(numbering.link(parent), numbering.link(number));
                    let of_parent = BalancedRoute::new(&numbering, parent);
                    assert!((0..).map_while(|hops| of_parent.hop(hops)).eq(hops[..ones as usize - 1].iter().copied()));
                }
            }
        }
    }

    #[test]
    fn branches_differ_by_at_most_one_node_and_the_largest_decides() {
        for dimension in 1..=16 {
            let numbering = Numbering::new(dimension).unwrap();
            let mut size = vec![0; dimension as usize];
            for number in 1..1 << dimension {
                size[numbering.link(number) as usize] += 1;
            }
            let (least, most) = (size.iter().min().unwrap(), size.iter().max().unwrap());
            assert!(most - least <= 1);
            assert_eq!(Some(*most), scatter_counts(dimension, Ports::All).map(|counts| counts.rounds));
        }
    }

    #[test]
    fn no_message_ever_waits() {
        for dimension in 1..=9 {
            for ports in (1..=dimension).filter_map(Ports::limit) {
                let base = scatter(dimension, ports).unwrap();
                let mut at = vec![None; 1 << dimension];
                for round in 0..base.step_count() {
                    for transfer in base.step(round) {
                        let message = &mut at[transfer.message as usize];
                        let (place, came) = message.unwrap_or((0, round));
                        assert_eq!((transfer.from, round), (place, came), "a message is sent on in the next round");
                        *message = Some((place ^ 1 << transfer.path[0], round + 1));
                    }
                }
                let arrived = |(node, at): (usize, &Option<(u32, usize)>)| at.is_some_and(|at| at.0 as usize == node);
                assert!(at.iter().enumerate().skip(1).all(arrived));
            }
        }
    }
}
