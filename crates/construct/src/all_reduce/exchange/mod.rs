//! Exchanges: terminals that hold the same sum form a list, and lists exchange their sums and become one.

mod step_paths;
mod step_rule;

use std::cmp::Reverse;

use lockstep_model::Slots;
use lockstep_schedule::{MessageId, Schedule};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use self::step_paths::{StepPaths, Turn};
use self::step_rule::StepRule;
use crate::kit::task::SchedulingTask;
use crate::negotiation::groups::Groups;

/// Number of attempts in a row that are not better, after which the search begins with other rules.
const MAX_IDLE_ATTEMPTS: u32 = 2048;

/// Number of times that the search begins with other rules.
const MAX_RESTARTS: u32 = 4;

/// One of this number of attempts has new rules in every step.
const FRESH_RULES: u32 = 3;

/// Searches for all-reduces of few blocks.
///
/// At first, every terminal is a list of its own. In each step, lists near each other are merged: a terminal stays in
/// the merged list if it receives the sums of all lists that it was not in. The others hold too little from then on.
/// When one list is left, its terminals send the result to them. [Rules](StepRule) say how large the merged lists
/// become in each step, and how many terminals stay. The search varies the rules of the best attempt.
///
/// Recursive doubling is the case of pairs in which all terminals stay. Direct exchange merges all lists in one step. A
/// tree into a root is the case in which one terminal stays.
pub(super) struct Exchange<'a> {
    groups: &'a Groups,
    paths: StepPaths<'a>,
}

/// How far an attempt has come, the best last: blocks without an all-reduce, the lists of these blocks, and the terminals
/// that hold too little.
type Progress = Reverse<(usize, usize, usize)>;

/// The terminals of one block in a step.
struct BlockState {
    /// The terminals that hold the same sum, for each of the sums that are not part of another one.
    lists: Vec<Vec<u32>>,
    /// The list of each terminal; [`NO_LIST`] if it holds too little or takes no part.
    list_of: Vec<u32>,
    members: usize,
}

const NO_LIST: u32 = u32::MAX;

impl<'a> Exchange<'a> {
    /// Returns a search; `None` if the network is too large.
    pub(super) fn new(task: &'a SchedulingTask<'a>, groups: &'a Groups, slots: &'a Slots) -> Option<Self> {
        let paths = StepPaths::new(task, slots)?;
        (groups.block_count() > 0).then_some(Self { groups, paths })
    }

    /// Returns the work so far, in evaluations.
    pub(super) fn evaluations(&self) -> u64 {
        self.paths.evaluations()
    }

    /// Returns an all-reduce of at most `steps` steps; `None` if none is found before this number of evaluations in
    /// total, or before `is_stopped` returns true.
    pub(super) fn find(
        &mut self,
        steps: u32,
        evaluations: u64,
        is_stopped: impl Fn() -> bool,
        rng: &mut impl Rng,
    ) -> Option<Schedule> {
        for _ in 0..MAX_RESTARTS {
            let mut best: Option<(Progress, Vec<StepRule>)> = None;
            let mut idle = 0;
            while idle < MAX_IDLE_ATTEMPTS {
                let rules = match &best {
                    Some((_, rules)) if rng.random_range(0..FRESH_RULES) != 0 => step_rule::varied(rules, rng),
                    _ => self.random_rules(steps, rng),
                };
                let is_over = |evaluated: u64| evaluated >= evaluations || is_stopped();
                let progress = self.attempt(&rules, is_over, rng)?;
                if progress.0.0 == 0 {
                    return Some(self.schedule());
                }
                idle += 1;
                if best.as_ref().is_none_or(|(most, _)| progress > *most) {
                    idle = 0;
                }
                if best.as_ref().is_none_or(|(most, _)| progress >= *most) {
                    best = Some((progress, rules));
                }
            }
        }
        None
    }

    /// Returns random rules of each block and step. Blocks have rules of their own, or all the same ones, or the same ones
    /// in turn, so that they use different channels in the same step.
    fn random_rules(&self, steps: u32, rng: &mut impl Rng) -> Vec<StepRule> {
        let blocks = self.groups.block_count();
        let way = rng.random_range(0..3);
        let members = |block: usize| self.groups.of_block(block as u32).members.len();
        let mut rules = step_rule::random(steps, members(0), rng);
        let mut all = rules.clone();
        for block in 1..blocks {
            match way {
                0 => rules = step_rule::random(steps, members(block), rng),
                1 => {}
                _ => rules.rotate_left(usize::from(steps > 0)),
            }
            all.extend_from_slice(&rules);
        }
        all
    }

    /// Follows the rules of each block and step, and returns how far it came. Blocks take turns in each step, or follow each
    /// other. `None` once `is_over` is true of the evaluations so far.
    fn attempt(&mut self, rules: &[StepRule], is_over: impl Fn(u64) -> bool, rng: &mut impl Rng) -> Option<Progress> {
        let blocks = self.groups.block_count();
        let steps = rules.len() / blocks;
        self.paths.clear(steps as u32);
        let mut states: Vec<BlockState> = (0..blocks as u32).map(|block| BlockState::new(self.groups, block)).collect();
        let (takes_turns, first) = (rng.random(), rng.random_range(0..blocks));
        for turn in 0..rules.len() {
            if is_over(self.evaluations()) {
                return None;
            }
            let (block, step) = if takes_turns { (turn % blocks, turn / blocks) } else { (turn / steps, turn % steps) };
            let block = (first + block) % blocks;
            let state = &mut states[block];
            self.paths.begin_turn(Turn { block: block as u32, step: step as u32, is_result: state.lists.len() == 1 });
            if state.lists.len() > 1 {
                self.merge(state, &rules[block * steps + step], rng);
            } else if !state.is_complete() {
                self.distribute(state, &self.groups.of_block(block as u32).members, rng);
            }
        }
        let incomplete = || states.iter().filter(|state| !state.is_complete());
        let lists = incomplete().map(|state| state.lists.len()).sum();
        Some(Reverse((incomplete().count(), lists, incomplete().map(BlockState::missing).sum())))
    }

    /// Merges lists in a step, those near each other first.
    fn merge(&mut self, state: &mut BlockState, rule: &StepRule, rng: &mut impl Rng) {
        let count = state.lists.len();
        let (mut distances, mut least_distance) = (vec![0; count * count], u32::MAX);
        let mut pairs: Vec<(u64, [usize; 2])> = Vec::with_capacity(count * (count - 1) / 2);
        for one in 0..count {
            for two in 0..one {
                let lists = [one, two].map(|list| state.lists[list].as_slice());
                let distance = rule.distance(&self.paths, lists, rng);
                pairs.push((rule.rank(distance, lists.map(<[u32]>::len), rng), [one, two]));
                least_distance = least_distance.min(distance);
                distances[one * count + two] = distance;
                distances[two * count + one] = distance;
            }
        }
        let reach = rule.reach.max(least_distance);
        let is_near = |one: &[usize], two: &[usize]| {
            one.iter().all(|one| two.iter().all(|two| distances[one * count + two] <= reach))
        };
        self.paths.count(distances.len());
        pairs.sort_unstable();
        // The lists that become one, by the first of them, the terminals that stay, and the first list of each list.
        let mut merged: Vec<Vec<usize>> = (0..count).map(|list| vec![list]).collect();
        let mut staying = state.lists.clone();
        for list in &mut staying {
            list.shuffle(rng);
        }
        let mut first_of: Vec<usize> = (0..count).collect();
        let (mut left, least) = (count, rule.least_lists(count));
        for (_, pair) in pairs {
            if left <= least {
                break;
            }
            let [one, two] = pair.map(|list| first_of[list]);
            let is_small = merged[one].len() + merged[two].len() <= rule.max_lists;
            if one == two || !is_small || !is_near(&merged[one], &merged[two]) {
                continue;
            }
            let Some(kept) = self.exchange(state, rule, [one, two].map(|of| (&merged[of], &staying[of])), rng) else {
                continue;
            };
            let moved = std::mem::take(&mut merged[two]);
            for &list in &moved {
                first_of[list] = one;
            }
            merged[one].extend(moved);
            staying[two].clear();
            staying[one] = kept;
            left -= 1;
        }
        staying.retain(|list| !list.is_empty());
        state.set_lists(staying);
    }

    /// Sends the sums of two merged lists to each other's terminals, and returns those that received all of them. `None`,
    /// without any transfer, if they are fewer than the rule demands.
    fn exchange(
        &mut self,
        state: &BlockState,
        rule: &StepRule,
        sides: [(&Vec<usize>, &Vec<u32>); 2],
        rng: &mut impl Rng,
    ) -> Option<Vec<u32>> {
        let [(lists, terminals), (other_lists, other_terminals)] = sides;
        let mut candidates: Vec<(u32, &Vec<usize>)> =
            terminals.iter().map(|&terminal| (terminal, other_lists)).collect();
        candidates.extend(other_terminals.iter().map(|&terminal| (terminal, lists)));
        candidates.shuffle(rng);
        let [wanted, mut losses] = rule.wanted_and_losses(candidates.len());
        let start = self.paths.len();
        let mut kept = Vec::with_capacity(wanted);
        for (terminal, missing) in candidates {
            let before = self.paths.len();
            let receives = |&list: &usize| {
                self.paths.receive(terminal, |sender| state.list_of[sender as usize] == list as u32, rng)
            };
            if missing.iter().all(receives) {
                kept.push(terminal);
                if kept.len() == wanted {
                    break;
                }
                continue;
            }
            self.paths.take_back(before);
            if losses == 0 {
                kept.clear();
                break;
            }
            losses -= 1;
        }
        if kept.is_empty() {
            self.paths.take_back(start);
            return None;
        }
        Some(kept)
    }

    /// Sends the result from the last list to other members.
    fn distribute(&mut self, state: &mut BlockState, members: &[u32], rng: &mut impl Rng) {
        let mut left: Vec<u32> =
            members.iter().copied().filter(|&member| state.list_of[member as usize] == NO_LIST).collect();
        left.shuffle(rng);
        left.retain(|&member| self.paths.receive(member, |sender| state.list_of[sender as usize] == 0, rng));
        for member in left {
            state.list_of[member as usize] = 0;
            state.lists[0].push(member);
        }
    }

    /// Returns the schedule of the last attempt, without steps in which nothing is sent.
    fn schedule(&self) -> Schedule {
        let mut schedule = Schedule::new();
        for transfers in self.paths.steps().iter().filter(|transfers| !transfers.is_empty()) {
            schedule.begin_step();
            for &(block, path) in transfers {
                schedule.push(MessageId::new(block), path);
            }
        }
        schedule
    }
}

impl BlockState {
    fn new(groups: &Groups, block: u32) -> Self {
        let members = &groups.of_block(block).members;
        let mut state =
            Self { lists: Vec::new(), list_of: vec![NO_LIST; groups.terminal_count()], members: members.len() };
        state.set_lists(members.iter().map(|&member| vec![member]).collect());
        state
    }

    fn set_lists(&mut self, lists: Vec<Vec<u32>>) {
        self.list_of.fill(NO_LIST);
        for (number, list) in (0..).zip(&lists) {
            for &terminal in list {
                self.list_of[terminal as usize] = number;
            }
        }
        self.lists = lists;
    }

    /// Returns the number of members that hold too little.
    fn missing(&self) -> usize {
        self.members - self.lists.iter().map(Vec::len).sum::<usize>()
    }

    fn is_complete(&self) -> bool {
        self.lists.len() <= 1 && self.missing() == 0
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};
    use lockstep_topology::Topology;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::negotiation::neighbour_routes::neighbour_routes;

    /// One attempt for 32 blocks takes more than a thousand times the limit. The search ends with the turn in which it is reached.
    #[test]
    fn a_search_ends_within_an_attempt() {
        let torus: Topology = "torus:8x8".parse().unwrap();
        let collective = Collective::all_reduce_in_blocks(&torus, &[], 32.try_into().unwrap()).unwrap();
        let problem = Problem::new(&torus, &collective, CommunicationModel::wormhole()).unwrap();
        let task = SchedulingTask::new(&problem).unwrap();
        let slots = task.slots();
        let groups = Groups::new(&problem, &neighbour_routes(&task, &slots).unwrap()).unwrap();
        let mut exchange = Exchange::new(&task, &groups, &slots).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(exchange.find(100, 500, || false, &mut rng), None);
        let spent = exchange.evaluations();
        assert!((500..1500).contains(&spent), "{spent} evaluations");
        assert_eq!(exchange.find(100, u64::MAX, || true, &mut rng), None);
        assert_eq!(exchange.evaluations(), spent, "nothing is done after the stop");
    }
}
