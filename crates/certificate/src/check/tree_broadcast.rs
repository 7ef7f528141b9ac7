//! The programme of a broadcast over a tree, run again.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_schedule::{MessageId, Problem, Switching};
use lockstep_topology::NodeId;
use sha2::{Digest, Sha256};

use super::starts;

/// Sums and comparisons that one run may take; no rule needs half of it.
const WORK: u64 = 1 << 24;

/// Beyond these nothing is proved in a reasonable time.
const MAX_STEPS: u32 = 8;
const MAX_NEIGHBOURS: usize = 2_000;

/// What a subtree takes from above in each step.
type Need = Vec<i32>;

/// The least needs of a subtree, ascending.
type Table = Vec<Need>;

/// What the programme finds: whether the source can meet the needs of its links, how many least needs all links have, and
/// their digest.
pub(super) struct Run {
    pub(super) is_possible: bool,
    pub(super) states: u64,
    pub(super) digest: String,
}

/// Runs the programme, or says why not.
pub(super) fn run(problem: &Problem<'_>, source: NodeId, steps: u32) -> Result<Run, &'static str> {
    if problem.model().switching != Switching::Wormhole || problem.messages().len() != 1 {
        return Err("the programme is for one message under wormhole switching");
    }
    if problem.messages().source(MessageId::new(0)) != source {
        return Err("another terminal is the source");
    }
    if !(1..=MAX_STEPS).contains(&steps) {
        return Err("the programme is for 1 to 8 steps");
    }
    let children = rooted(problem, source)?;
    let receivers = problem.messages().receivers_iter(MessageId::new(0)).collect();
    let steps = steps as usize;
    let mut programme = Programme { problem, receivers, steps, work_left: WORK, known: BTreeMap::new() };
    let mut tables: Vec<Table> = vec![Table::new(); problem.topology().node_count()];
    // Parents before children, so children first when read backwards.
    let mut order = vec![source];
    let mut next = 0;
    while let Some(node) = order.get(next) {
        order.extend(&children[node.index()]);
        next += 1;
    }
    for &node in order.iter().skip(1).rev() {
        tables[node.index()] = programme.subtree(node, sorted(&children[node.index()], &tables))?;
    }
    let below = sorted(&children[source.index()], &tables);
    let own = vec![-programme.sends(source, below.len()); steps];
    let is_possible = !programme.join(own, &below, 0)?.is_empty();
    let (mut states, mut hash) = (0, Sha256::new());
    for (_, table) in tables.iter().enumerate().filter(|&(node, _)| node != source.index()) {
        states += table.len() as u64;
        hash.update(u32::try_from(table.len()).unwrap_or(u32::MAX).to_le_bytes());
        table.iter().flatten().for_each(|&need| hash.update([need.to_le_bytes()[0]]));
    }
    let digits: Vec<String> = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Run { is_possible, states, digest: digits.concat() })
}

/// The children of every node, seen from the source.
fn rooted(problem: &Problem<'_>, source: NodeId) -> Result<Vec<Vec<NodeId>>, &'static str> {
    let topology = problem.topology();
    let mut wires = BTreeSet::new();
    let mut neighbours = vec![BTreeSet::new(); topology.node_count()];
    for channel in topology.channels() {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        if !wires.insert((tail, head)) {
            return Err("wires in parallel carry more than one copy");
        }
        neighbours[tail.index()].insert(head);
        neighbours[head.index()].insert(tail);
    }
    if neighbours.iter().any(|around| around.len() > MAX_NEIGHBOURS) {
        return Err("a node has too many neighbours");
    }
    let mut children = vec![Vec::new(); topology.node_count()];
    let mut stack = vec![(source, source)];
    let mut reached = 0;
    while let Some((node, parent)) = stack.pop() {
        reached += 1;
        if reached > topology.node_count() {
            return Err("the links form no tree");
        }
        for &child in neighbours[node.index()].iter().filter(|&&child| child != parent) {
            children[node.index()].push(child);
            stack.push((child, node));
        }
    }
    if reached + topology.failed_nodes().len() == topology.node_count() {
        Ok(children)
    } else {
        Err("the links form no tree")
    }
}

fn sorted(nodes: &[NodeId], tables: &[Table]) -> Vec<Table> {
    let mut below: Vec<Table> = nodes.iter().map(|node| tables[node.index()].clone()).collect();
    below.sort();
    below
}

struct Programme<'a> {
    problem: &'a Problem<'a>,
    receivers: BTreeSet<NodeId>,
    steps: usize,
    work_left: u64,
    /// The tables found so far: by whether the node may and must receive a copy, by its sends in a step and its children.
    known: BTreeMap<(bool, bool, i32, Vec<Table>), Table>,
}

impl Programme<'_> {
    /// Copies that a node can send over its links in one step.
    fn sends(&self, node: NodeId, links: usize) -> i32 {
        starts(self.problem, node).min(links as u64) as i32
    }

    fn subtree(&mut self, node: NodeId, children: Vec<Table>) -> Result<Table, &'static str> {
        let may = self.problem.topology().is_terminal(node);
        let must = self.receivers.contains(&node);
        let sends = self.sends(node, children.len() + 1);
        let key = (may, must, sends, children);
        if let Some(table) = self.known.get(&key) {
            return Ok(table.clone());
        }
        let mut needs = BTreeSet::new();
        if !must {
            needs.extend(self.join(vec![0; self.steps], &key.3, 1)?);
        }
        if may {
            for reception in 0..self.steps {
                let mut own = vec![0; self.steps];
                own[reception] = 1;
                own[reception + 1..].fill(-sends);
                needs.extend(self.join(own, &key.3, 1)?);
            }
        }
        let table = self.least(needs)?;
        self.known.insert(key, table.clone());
        Ok(table)
    }

    /// The least sums of `own` and a need of each child that a link of this capacity can meet.
    fn join(&mut self, own: Need, children: &[Table], capacity: i32) -> Result<Table, &'static str> {
        let bounded = |mut need: Need, left: usize| {
            let most = capacity + i32::try_from(left).unwrap_or(i32::MAX - 1);
            for copies in &mut need {
                *copies = (*copies).max(-most);
            }
            need.iter().all(|&copies| copies <= most).then_some(need)
        };
        let mut sums: Table = bounded(own, children.len()).into_iter().collect();
        for (place, child) in children.iter().enumerate() {
            self.spend(sums.len() * child.len())?;
            let mut more = BTreeSet::new();
            for sum in &sums {
                for need in child {
                    let total: Need = sum.iter().zip(need).map(|(a, b)| a + b).collect();
                    more.extend(bounded(total, children.len() - place - 1));
                }
            }
            sums = self.least(more)?;
        }
        Ok(sums)
    }

    /// Those that no other one is part of, ascending. A part has a smaller sum.
    fn least(&mut self, needs: BTreeSet<Need>) -> Result<Table, &'static str> {
        let mut needs: Table = needs.into_iter().collect();
        needs.sort_by_key(|need| need.iter().sum::<i32>());
        let mut least = Table::new();
        for need in needs {
            self.spend(least.len())?;
            if !least.iter().any(|smaller| smaller.iter().zip(&need).all(|(a, b)| a <= b)) {
                least.push(need);
            }
        }
        least.sort();
        Ok(least)
    }

    fn spend(&mut self, work: usize) -> Result<(), &'static str> {
        self.work_left = self.work_left.checked_sub(work as u64).ok_or("the programme is too long to run again")?;
        Ok(())
    }
}
