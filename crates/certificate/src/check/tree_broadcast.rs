//! The dynamic program of a broadcast over a tree, run again.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_schedule::{MessageId, Problem, Switching};
use lockstep_topology::NodeId;
use sha2::{Digest, Sha256};

use super::capacity::send_limit;
use super::nodes::expect_terminal;
use super::refusal::{Checked, expect};

/// Sums and comparisons that one run may take. No certificate of a rule needs half of it.
const MAX_WORK: u64 = 1 << 24;

/// More steps take too much time.
const MAX_STEPS: u32 = 16;

/// More neighbours of a node take too much time.
const MAX_NEIGHBOURS: usize = 2_000;

pub(super) fn steps_proved(
    problem: &Problem<'_>,
    source: NodeId,
    infeasible: u32,
    states: u64,
    digest: &str,
) -> Checked<u64> {
    expect_terminal(problem, source)?;
    if problem.topology().has_capacities() {
        return Err("the argument requires channels of capacity 1".into());
    }
    let result = run(problem, source, infeasible)?;
    if result.is_feasible {
        return Err("the source can meet the needs of all subtrees".into());
    }
    expect("states", states, result.states)?;
    if digest != result.digest {
        return Err("the needs of the subtrees have another digest".into());
    }
    Ok(u64::from(infeasible) + 1)
}

/// The copies of the message that a subtree takes from above in each step.
type Need = Vec<i32>;

/// The minimal needs of a subtree, ascending.
type NeedTable = Vec<Need>;

/// The result of the program.
struct ProgramResult {
    /// Whether the source can meet the needs of its links.
    is_feasible: bool,
    /// Number of minimal needs over all links.
    states: u64,
    /// The digest of the minimal needs.
    digest: String,
}

fn run(problem: &Problem<'_>, source: NodeId, steps: u32) -> Checked<ProgramResult> {
    if problem.model().switching != Switching::Wormhole || problem.messages().len() != 1 {
        return Err("the argument requires one message under wormhole switching".into());
    }
    if problem.messages().source(MessageId::new(0)) != source {
        return Err("another terminal is the source".into());
    }
    if !(1..=MAX_STEPS).contains(&steps) {
        return Err("the number of steps must be 1 to 16".into());
    }
    let children = rooted(problem, source)?;
    let receivers = problem.messages().receivers_iter(MessageId::new(0)).collect();
    let steps = steps as usize;
    let mut program = TreeProgram { problem, receivers, steps, work_left: MAX_WORK, known: BTreeMap::new() };
    let mut tables: Vec<NeedTable> = vec![NeedTable::new(); problem.topology().node_count()];
    // Parents come before their children, so the reverse order computes children first.
    let mut order = vec![source];
    let mut next = 0;
    while let Some(node) = order.get(next) {
        order.extend(&children[node.index()]);
        next += 1;
    }
    for &node in order.iter().skip(1).rev() {
        tables[node.index()] = program.subtree(node, sorted(&children[node.index()], &tables))?;
    }
    let below = sorted(&children[source.index()], &tables);
    let own = vec![-program.sends(source, below.len()); steps];
    let is_feasible = !program.combine(own, &below, 0)?.is_empty();
    let (mut states, mut hash) = (0, Sha256::new());
    for (_, table) in tables.iter().enumerate().filter(|&(node, _)| node != source.index()) {
        states += table.len() as u64;
        hash.update(u32::try_from(table.len()).unwrap_or(u32::MAX).to_le_bytes());
        table.iter().flatten().for_each(|&need| hash.update([need.to_le_bytes()[0]]));
    }
    let digits: Vec<String> = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(ProgramResult { is_feasible, states, digest: digits.concat() })
}

/// Returns the children of every node in the tree whose root is the source.
fn rooted(problem: &Problem<'_>, source: NodeId) -> Checked<Vec<Vec<NodeId>>> {
    let topology = problem.topology();
    let mut channels = BTreeSet::new();
    let mut neighbours = vec![BTreeSet::new(); topology.node_count()];
    for channel in topology.channels() {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        if !channels.insert((tail, head)) {
            return Err("parallel channels carry more than one copy".into());
        }
        neighbours[tail.index()].insert(head);
        neighbours[head.index()].insert(tail);
    }
    if neighbours.iter().any(|around| around.len() > MAX_NEIGHBOURS) {
        return Err("a node has too many neighbours".into());
    }
    let mut children = vec![Vec::new(); topology.node_count()];
    let mut stack = vec![(source, source)];
    let mut reached = 0;
    while let Some((node, parent)) = stack.pop() {
        reached += 1;
        if reached > topology.node_count() {
            return Err("the links do not form a tree".into());
        }
        for &child in neighbours[node.index()].iter().filter(|&&child| child != parent) {
            children[node.index()].push(child);
            stack.push((child, node));
        }
    }
    if reached + topology.failed_nodes().len() == topology.node_count() {
        Ok(children)
    } else {
        Err("the links do not form a tree".into())
    }
}

fn sorted(nodes: &[NodeId], tables: &[NeedTable]) -> Vec<NeedTable> {
    let mut below: Vec<NeedTable> = nodes.iter().map(|node| tables[node.index()].clone()).collect();
    below.sort();
    below
}

/// The key of a subtree: whether its root may receive a copy, whether it must, its sends per step, and the tables of
/// its children.
type SubtreeKey = (bool, bool, i32, Vec<NeedTable>);

struct TreeProgram<'a> {
    problem: &'a Problem<'a>,
    receivers: BTreeSet<NodeId>,
    steps: usize,
    work_left: u64,
    /// The tables found so far.
    known: BTreeMap<SubtreeKey, NeedTable>,
}

impl TreeProgram<'_> {
    /// Returns the number of copies that a node can send over its links in one step.
    fn sends(&self, node: NodeId, links: usize) -> i32 {
        send_limit(self.problem, node).min(links as u64) as i32
    }

    fn subtree(&mut self, node: NodeId, children: Vec<NeedTable>) -> Checked<NeedTable> {
        let may_receive = self.problem.topology().is_terminal(node);
        let must_receive = self.receivers.contains(&node);
        let sends = self.sends(node, children.len() + 1);
        let key = (may_receive, must_receive, sends, children);
        if let Some(table) = self.known.get(&key) {
            return Ok(table.clone());
        }
        let mut needs = BTreeSet::new();
        if !must_receive {
            needs.extend(self.combine(vec![0; self.steps], &key.3, 1)?);
        }
        if may_receive {
            for reception in 0..self.steps {
                let mut own = vec![0; self.steps];
                own[reception] = 1;
                own[reception + 1..].fill(-sends);
                needs.extend(self.combine(own, &key.3, 1)?);
            }
        }
        let table = self.minimal(needs)?;
        self.known.insert(key, table.clone());
        Ok(table)
    }

    /// Returns the minimal sums of `own` and one need of each child that a link of this capacity can meet.
    fn combine(&mut self, own: Need, children: &[NeedTable], capacity: i32) -> Checked<NeedTable> {
        let bounded = |mut need: Need, children_left: usize| {
            let most = capacity.saturating_add(i32::try_from(children_left).unwrap_or(i32::MAX));
            for copies in &mut need {
                *copies = (*copies).max(-most);
            }
            need.iter().all(|&copies| copies <= most).then_some(need)
        };
        let mut sums: NeedTable = bounded(own, children.len()).into_iter().collect();
        for (place, child) in children.iter().enumerate() {
            let mut more = BTreeSet::new();
            for sum in &sums {
                self.spend(child.len())?;
                for need in child {
                    let total: Need = sum.iter().zip(need).map(|(a, b)| a + b).collect();
                    more.extend(bounded(total, children.len() - place - 1));
                }
            }
            sums = self.minimal(more)?;
        }
        Ok(sums)
    }

    /// Returns the needs that no other need is below, ascending. A need below another has a smaller sum.
    fn minimal(&mut self, needs: BTreeSet<Need>) -> Checked<NeedTable> {
        let mut needs: NeedTable = needs.into_iter().collect();
        needs.sort_by_key(|need| need.iter().sum::<i32>());
        let mut minimal = NeedTable::new();
        for need in needs {
            self.spend(minimal.len())?;
            if !minimal.iter().any(|smaller| smaller.iter().zip(&need).all(|(a, b)| a <= b)) {
                minimal.push(need);
            }
        }
        minimal.sort();
        Ok(minimal)
    }

    fn spend(&mut self, work: usize) -> Checked {
        self.work_left = self.work_left.checked_sub(work as u64).ok_or("the program is too long to run again")?;
        Ok(())
    }
}
