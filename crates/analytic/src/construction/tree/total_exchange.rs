//! Total exchange on trees, at the load of the busiest link.

use std::ops::Range;

use lockstep_schedule::{Budget, MessageId, Schedule};
use lockstep_topology::Topology;

use super::rooted_tree::{MAX_CHANNEL_USES, NONE, RootedTree};
use crate::kit::edge_colouring::bipartite_edge_colouring;

/// Returns the total exchange in the number of steps that the busiest link needs in one direction, which is optimal.
///
/// A terminal sends and receives once per step. Returns `None` for more than [`MAX_CHANNEL_USES`] channel uses, and
/// when the budget ends.
///
/// The centroid splits the tree into branches of at most half of the `P` terminals. The busiest link is that of the
/// largest branch, with `n (P - n)` messages for its `n` terminals.
///
/// 1. *Between branches* ([`TotalExchange::cross`]): in each step, a branch sends at most one message out and receives
///    at most one. These messages share no link on their paths through the centroid.
/// 2. *Receivers* ([`TotalExchange::name_receivers`]): the receiving terminals of each branch are permuted. Afterwards
///    every terminal of the branch sends out while every other one receives, or while none does.
/// 3. *Inside branches*: the message from `x` to `y` is sent when `y` sends out and `x`, or no terminal of the branch,
///    receives. The path from `x` up to its turning point shares no link with the path from `y` to the centroid, and
///    the path down to `y` shares none with the path to `x`.
///
/// Takes `O(P^2 log P)` time and 8 bytes per message, in addition to the schedule and the time to write it.
///
/// # Source
///
/// Gargano, Hell and Perennes, *Colouring paths in directed symmetric trees with applications to WDM routing*, ICALP
/// 1997, for the number of steps; the construction is new.
pub(super) fn total_exchange(tree: &RootedTree, topology: &Topology, budget: &Budget) -> Option<Schedule> {
    let count = tree.terminals.len();
    let uses = tree.parts().try_fold(0usize, |uses, below| uses.checked_add(2 * below * (count - below)))?;
    if uses > MAX_CHANNEL_USES {
        return None;
    }
    let mut exchange = TotalExchange::new(tree);
    exchange.cross(budget)?;
    let (mut sender_at, mut is_receiving) = (vec![NONE; exchange.steps as usize], vec![false; exchange.steps as usize]);
    for branch in exchange.branches.clone().iter().filter(|branch| branch.len() > 1) {
        if budget.interruption().is_some() {
            return None;
        }
        exchange.name_receivers(branch, &mut sender_at, &mut is_receiving);
    }
    exchange.schedule(tree, topology, uses, budget)
}

/// The steps of all messages.
struct TotalExchange {
    /// The places of the terminals, one branch after the other. Terminals are identified by their index here.
    terminals: Vec<u32>,
    /// The terminals of each branch. A centroid that is a terminal is a branch of its own.
    branches: Vec<Range<usize>>,
    /// The step of each message, by sender and receiver.
    step: Vec<u32>,
    steps: u32,
}

impl TotalExchange {
    fn new(tree: &RootedTree) -> Self {
        let count = tree.terminals.len();
        // The last place with half of the terminals below it has no child with as many.
        let has_half = |&place: &u32| 2 * tree.terminals_below(place) >= count;
        let centroid = (0..tree.len() as u32).rev().find(has_half).unwrap_or(0);
        let children = std::iter::successors(Some(centroid + 1), |&child| tree.end.get(child as usize).copied());
        let children = children.take_while(|&child| child < tree.end[centroid as usize]);
        let below = tree.terminals_below(centroid);
        let own = tree.terminals.binary_search(&centroid).map_or(0, |_| 1);
        let sizes = [own].into_iter().chain(children.map(|child| tree.terminals_below(child))).chain([count - below]);
        let mut start = 0;
        let branches = sizes.filter(|&size| size > 0).map(|size| {
            start += size;
            start - size..start
        });
        let branches = branches.collect();
        let mut terminals = tree.terminals.clone();
        terminals.rotate_left(tree.terminals.partition_point(|&place| place < centroid));
        Self { terminals, branches, step: vec![NONE; count * count], steps: 0 }
    }

    fn outside(&self, branch: &Range<usize>) -> impl Iterator<Item = usize> + Clone + use<> {
        (0..branch.start).chain(branch.end..self.terminals.len())
    }

    /// Assigns steps to the messages between branches; `None` when the budget ends.
    ///
    /// Messages are grouped by their cyclic distance in the order of terminals. At distance `d` a branch of `n`
    /// terminals sends `min(n, d, P - d)` messages out and receives the same number. By Kőnig's theorem they fit into
    /// that number of steps for the largest branch. Over all distances this makes `n (P - n)` steps.
    fn cross(&mut self, budget: &Budget) -> Option<()> {
        let count = self.terminals.len();
        let mut branch_of = vec![0u32; count];
        for (branch, members) in self.branches.iter().enumerate() {
            branch_of[members.clone()].fill(branch as u32);
        }
        let largest = self.branches.iter().map(Range::len).max()?;
        for distance in 1..count {
            if budget.interruption().is_some() {
                return None;
            }
            let far = |from| (from + distance) % count;
            let crosses = |&from: &usize| branch_of[from] != branch_of[far(from)];
            let senders: Vec<usize> = (0..count).filter(crosses).collect();
            let edges: Vec<_> = senders.iter().map(|&from| (branch_of[from], branch_of[far(from)])).collect();
            let colours = largest.min(distance).min(count - distance);
            let branches = self.branches.len();
            for (from, colour) in senders.iter().zip(bipartite_edge_colouring(branches, branches, &edges, colours)) {
                self.step[from * count + far(*from)] = self.steps + colour;
            }
            self.steps += colours as u32;
        }
        Some(())
    }

    /// Permutes the receivers of a branch, then assigns steps to the messages inside the branch.
    ///
    /// `sender_at` and `is_receiving` are scratch space with one entry per step, initially [`NONE`] and `false`.
    ///
    /// The terminals of the branch are colours for the incoming messages. Messages that arrive while the same terminal
    /// sends out have different colours, up to `n` of them. Either all `n` colours occur, or the terminal sends out
    /// often enough while no message arrives, because it sends in `P - n >= n` steps.
    fn name_receivers(&mut self, branch: &Range<usize>, sender_at: &mut [u32], is_receiving: &mut [bool]) {
        let (count, members) = (self.terminals.len(), branch.len());
        for (member, row) in branch.clone().enumerate() {
            for to in self.outside(branch) {
                sender_at[self.step[row * count + to] as usize] = member as u32;
            }
        }
        let arrivals = self.outside(branch).flat_map(|from| {
            let steps = &self.step[from * count..][branch.clone()];
            steps.iter().map(move |&step| (from as u32, step))
        });
        let arrivals: Vec<(u32, u32)> = arrivals.collect();
        // The arrivals while each member sends, and while none does, in bundles of `members` each.
        let no_sender = members;
        let (mut bundle, mut bundles, mut arrived) = (vec![0; members + 1], 0, vec![0; members + 1]);
        let edges = arrivals.iter().map(|&(from, step)| {
            let sender = no_sender.min(sender_at[step as usize] as usize);
            if arrived[sender] % members == 0 {
                bundle[sender] = bundles;
                bundles += 1;
            }
            arrived[sender] += 1;
            (from, bundle[sender])
        });
        let edges: Vec<(u32, u32)> = edges.collect();
        let receiver = bipartite_edge_colouring(count, bundles as usize, &edges, members);

        let mut step_with = vec![NONE; (members + 1) * members];
        for (&(from, step), &receiver) in arrivals.iter().zip(&receiver) {
            self.step[from as usize * count + branch.start + receiver as usize] = step;
            let sender = no_sender.min(sender_at[step as usize] as usize);
            step_with[sender * members + receiver as usize] = step;
            is_receiving[step as usize] = true;
        }
        for (member, row) in branch.clone().enumerate() {
            let sends: Vec<u32> = self.outside(branch).map(|to| self.step[row * count + to]).collect();
            let mut alone = sends.iter().copied().filter(|&step| !is_receiving[step as usize]);
            let step_with = &step_with[member * members..][..members];
            for (other, &met) in step_with.iter().enumerate().filter(|&(other, _)| other != member) {
                let step = if met == NONE { alone.next() } else { Some(met) };
                let step = step.expect("a member that does not meet all others sends often enough while none receives");
                self.step[(branch.start + other) * count + row] = step;
            }
            for step in sends {
                sender_at[step as usize] = NONE;
            }
        }
        for (_, step) in arrivals {
            is_receiving[step as usize] = false;
        }
    }

    /// Returns the schedule: the messages in the order of their steps.
    fn schedule(&self, tree: &RootedTree, topology: &Topology, uses: usize, budget: &Budget) -> Option<Schedule> {
        let count = self.terminals.len();
        let mut end = vec![0u32; self.steps as usize + 1];
        for &step in self.step.iter().filter(|&&step| step != NONE) {
            end[step as usize + 1] += 1;
        }
        for step in 0..self.steps as usize {
            end[step + 1] += end[step];
        }
        // Afterwards each entry is the end of its step.
        let mut order = vec![0u32; count * (count - 1)];
        for (pair, &step) in self.step.iter().enumerate().filter(|&(_, &step)| step != NONE) {
            let place = &mut end[step as usize];
            order[*place as usize] = pair as u32;
            *place += 1;
        }
        let rank = |&place: &u32| topology.terminal_rank(tree.node[place as usize]);
        let rank: Vec<usize> = self.terminals.iter().map(rank).collect::<Option<_>>()?;
        let mut schedule = Schedule::with_capacity(order.len(), uses);
        let (mut start, mut path) = (0, Vec::new());
        for &end in &end[..self.steps as usize] {
            schedule.begin_step();
            for &pair in &order[start..end as usize] {
                let (from, to) = (pair as usize / count, pair as usize % count);
                let message = rank[from] * (count - 1) + rank[to] - usize::from(rank[to] > rank[from]);
                tree.path(self.terminals[from], self.terminals[to], &mut path);
                schedule.push(MessageId::from_index(message), &path);
            }
            if start >> 16 != end as usize >> 16 && budget.interruption().is_some() {
                return None;
            }
            start = end as usize;
        }
        Some(schedule)
    }
}
