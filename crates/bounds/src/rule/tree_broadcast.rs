//! The exact number of steps of a broadcast over a tree.

use std::collections::BTreeMap;

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;
use sha2::{Digest, Sha256};

use crate::bfs::{Bfs, Neighbours};
use crate::demand::{Demand, Multicast};
use crate::need_vector::{MAX_NEED, MAX_STEPS, NeedVector};
use crate::request::BoundRequest;
use crate::transfer_rules::TransferRules;

/// Sums and comparisons of needs that one program may take: tens of milliseconds.
const MAX_WORK: u64 = 1 << 23;

pub(crate) const BUILDS_ON: &[Rule] = &[Rule::Growth];

/// Computes the smallest number of steps in which a message reaches all receivers of a tree, by a dynamic program from
/// the leaves to the source.
///
/// All transfers of a step carry the same message. Two transfers that use a link in opposite directions can exchange
/// their ends and avoid it. So in each step, a subtree takes one copy from above, gives one, or neither. These numbers
/// are its *need*. A subtree can always use more copies, so its minimal needs suffice, and they are sums of minimal
/// needs of its parts. Equal subtrees are computed once.
///
/// Applies to one message under wormhole switching on a tree without parallel channels. The bound is the optimum if
/// links are full or half duplex and inner nodes route. It must exceed that of the [growth](super::growth). For each
/// distinct subtree, it takes time quadratic in the number of minimal needs, which is at most 1,107 in 8 steps and
/// usually far smaller. It returns `None` beyond a fixed amount of work, 16 steps or 2,000 neighbours.
///
/// # Source
///
/// Lockstep. Opposite uses cancel as in flows: Ford and Fulkerson, *Flows in Networks* (1962), §I.2. The dynamic
/// program for store-and-forward: Slater, Cockayne and Hedetniemi, "Information dissemination in trees", *SIAM J.
/// Computing* 10 (1981).
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let topology = problem.topology();
    let is_sparse = topology.channel_count() <= 2 * (topology.node_count() - 1);
    let is_wormhole = problem.model().switching == Switching::Wormhole;
    if !is_wormhole || problem.messages().len() != 1 || !is_sparse || topology.has_capacities() {
        return None;
    }
    let fewest = request.proved.by(Rule::Growth)?;
    let demand = Demand::new(problem);
    let broadcast = demand.sources().first().and_then(|&source| demand.from(source).next())?;
    // On a tree, the number of holders can double in every step, even with one port (Farley 1980).
    let most = broadcast.count.ilog2() + 1;
    let candidates = fewest..most.min(request.enough).min(MAX_STEPS as u32 + 1);
    if candidates.is_empty() {
        return None;
    }
    let tree = RootedTree::new(problem, broadcast)?;
    let mut proof = None;
    for steps in candidates {
        match TreeProgram::run(&tree, steps as usize) {
            Some(ProgramOutcome::Infeasible { states, digest }) => proof = Some((steps, states, digest)),
            Some(ProgramOutcome::Feasible) | None => break,
        }
    }
    let (infeasible, states, digest) = proof?;
    let certificate = Certificate::TreeBroadcast { source: broadcast.source, infeasible, states, digest };
    Some(LowerBound { steps: infeasible + 1, rule: Rule::TreeBroadcast, certificate })
}

/// The role of a node in the broadcast.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum NodeRole {
    /// The node only routes.
    Switch,
    /// The node may receive the message and forward it.
    Terminal,
    /// The node must receive the message.
    Receiver,
}

/// The tree with the source as its root.
struct RootedTree {
    source: NodeId,
    /// All nodes that have not failed: the source first, and children after their parents.
    order: Vec<NodeId>,
    /// The parent of each node. The parent of the source is the source.
    parent: Vec<NodeId>,
    role: Vec<NodeRole>,
    /// The number of transfers that each node can start in one step.
    send_limit: Vec<u32>,
}

impl RootedTree {
    /// Returns `None` if the links do not form a tree, or a node has too many neighbours.
    fn new(problem: &Problem<'_>, broadcast: Multicast<'_>) -> Option<Self> {
        let (topology, rules) = (problem.topology(), TransferRules::new(problem));
        let (links, source) = (Neighbours::new(topology), broadcast.source);
        let mut bfs = Bfs::default();
        bfs.everywhere(&links, source);
        let roots = bfs.order.iter().filter(|node| bfs.distance[node.index()] == 0);
        let is_connected = roots.filter(|&&root| !topology.has_failed(root)).count() == 1;
        if !is_connected || links.pairs().len() + 1 + topology.failed_nodes().len() != topology.node_count() {
            return None;
        }
        let mut parent = vec![source; topology.node_count()];
        for &node in &bfs.order {
            let farther = |child: &&NodeId| bfs.distance[child.index()] > bfs.distance[node.index()];
            links.at(node).iter().filter(farther).for_each(|child| parent[child.index()] = node);
        }
        // One channel leads up and one down. A second channel in either direction would carry a second copy.
        let mut is_used = vec![[false; 2]; topology.node_count()];
        for channel in topology.channels() {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            let is_up = parent[tail.index()] == head && tail != source;
            let child = if is_up { tail } else { head };
            if std::mem::replace(&mut is_used[child.index()][usize::from(is_up)], true) {
                return None;
            }
        }
        let terminal = |node| if topology.is_terminal(node) { NodeRole::Terminal } else { NodeRole::Switch };
        let mut role: Vec<NodeRole> = topology.nodes().map(terminal).collect();
        broadcast.receivers.iter().for_each(|receiver| role[receiver.index()] = NodeRole::Receiver);
        let send_limit = topology.nodes().map(|node| u32::try_from(rules.send_limit(node)).unwrap_or(u32::MAX));
        let send_limit: Vec<u32> = send_limit.collect();
        let is_narrow = topology.nodes().all(|node| links.at(node).len() < MAX_NEED as usize / 2);
        bfs.order.retain(|&node| !topology.has_failed(node));
        is_narrow.then_some(Self { source, order: bfs.order, parent, role, send_limit })
    }
}

/// The outcome of the dynamic program for a number of steps.
enum ProgramOutcome {
    /// The source can meet the needs of all subtrees.
    Feasible,
    /// The source cannot. The minimal needs of the subtrees are the proof.
    Infeasible { states: u64, digest: String },
}

/// The minimal needs of subtrees for a number of steps.
struct TreeProgram {
    steps: usize,
    work_left: u64,
    /// The distinct tables of minimal needs, each ascending.
    tables: Vec<Vec<NeedVector>>,
    /// The number of each table.
    number: BTreeMap<Vec<NeedVector>, u32>,
    /// The number of the table of a node with this role, send limit and tables of children.
    known: BTreeMap<(NodeRole, u32, Vec<u32>), u32>,
}

impl TreeProgram {
    /// Runs the program. Returns `None` if it takes too much work.
    fn run(tree: &RootedTree, steps: usize) -> Option<ProgramOutcome> {
        let mut program =
            Self { steps, work_left: MAX_WORK, tables: Vec::new(), number: BTreeMap::new(), known: BTreeMap::new() };
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); tree.parent.len()];
        // Failed nodes have no link, so they have no table.
        let mut table = vec![None; tree.parent.len()];
        for &node in tree.order.iter().skip(1).rev() {
            let below = program.in_order(std::mem::take(&mut children[node.index()]));
            let send_limit = tree.send_limit[node.index()].min(below.len() as u32 + 1);
            let number = program.subtree(tree.role[node.index()], send_limit, below)?;
            table[node.index()] = Some(number);
            children[tree.parent[node.index()].index()].push(number);
        }
        let below = program.in_order(std::mem::take(&mut children[tree.source.index()]));
        let send_limit = tree.send_limit[tree.source.index()].min(below.len() as u32);
        if !program.combine(NeedVector::uniform(-send_limit.cast_signed()), &below, 0)?.is_empty() {
            return Some(ProgramOutcome::Feasible);
        }
        let of_links = (0..table.len()).filter(|&node| node != tree.source.index()).map(|node| table[node]);
        Some(program.infeasible(of_links))
    }

    /// Sorts tables by their contents, so the result does not depend on the numbers of nodes.
    fn in_order(&self, mut tables: Vec<u32>) -> Vec<u32> {
        tables.sort_by(|&a, &b| self.tables[a as usize].cmp(&self.tables[b as usize]));
        tables
    }

    /// Returns the number of the table of a subtree.
    fn subtree(&mut self, role: NodeRole, send_limit: u32, children: Vec<u32>) -> Option<u32> {
        let key = (role, send_limit, children);
        if let Some(&number) = self.known.get(&key) {
            return Some(number);
        }
        let children = &key.2;
        let mut needs = Vec::new();
        if role != NodeRole::Receiver {
            needs.extend(self.combine(NeedVector::ZERO, children, 1)?);
        }
        if role != NodeRole::Switch {
            for reception in 0..self.steps {
                // The node routes until it receives a copy. After that, it can also send.
                let own = NeedVector::ZERO.plus_at(reception, 1).plus_from(reception + 1, -send_limit.cast_signed());
                needs.extend(self.combine(own, children, 1)?);
            }
        }
        let needs = minimal(needs, &mut self.work_left)?;
        let tables = &mut self.tables;
        let number = *self.number.entry(needs).or_insert_with_key(|needs| {
            tables.push(needs.clone());
            tables.len() as u32 - 1
        });
        self.known.insert(key, number);
        Some(number)
    }

    /// Returns the minimal sums of `own` and one need of each child, over a link that brings `capacity` copies per
    /// step.
    #[expect(clippy::cast_possible_wrap, reason = "a node has fewer than 2,000 neighbours")]
    fn combine(&mut self, own: NeedVector, children: &[u32], capacity: i32) -> Option<Vec<NeedVector>> {
        // The remaining children cannot give more than this, and they and the link cannot take more.
        let within = |needs: NeedVector, children: usize| {
            let slack = capacity + children as i32;
            needs.is_at_most(NeedVector::uniform(slack)).then(|| needs.max(NeedVector::uniform(-slack)))
        };
        // Steps after the last one need no copies.
        let own = own.plus_from(self.steps, -(children.len() as i32) - 1);
        let mut sums: Vec<NeedVector> = within(own, children.len()).into_iter().collect();
        for (place, &child) in children.iter().enumerate() {
            let child = &self.tables[child as usize];
            self.work_left = self.work_left.checked_sub((sums.len() * child.len()) as u64)?;
            let more = sums.iter().flat_map(|&sum| child.iter().map(move |&need| sum + need));
            let more = more.filter_map(|sum| within(sum, children.len() - place - 1)).collect();
            sums = minimal(more, &mut self.work_left)?;
        }
        Some(sums)
    }

    /// Returns the proof: the size and digest of the tables of all links, by their lower nodes.
    fn infeasible(&self, tables: impl Iterator<Item = Option<u32>>) -> ProgramOutcome {
        let (mut states, mut hash) = (0, Sha256::new());
        for table in tables.map(|table| table.map_or(&[][..], |table| &self.tables[table as usize])) {
            states += table.len() as u64;
            hash.update((table.len() as u32).to_le_bytes());
            for need in table {
                (0..self.steps).for_each(|step| hash.update([need.at(step).to_le_bytes()[0]]));
            }
        }
        let digits: Vec<String> = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        ProgramOutcome::Infeasible { states, digest: digits.concat() }
    }
}

/// Returns the needs that no other need is below, ascending.
fn minimal(mut needs: Vec<NeedVector>, work_left: &mut u64) -> Option<Vec<NeedVector>> {
    needs.sort_unstable_by_key(|&need| (need.rank(), need));
    needs.dedup();
    let mut minimal: Vec<NeedVector> = Vec::new();
    for need in needs {
        *work_left = work_left.checked_sub(minimal.len() as u64)?;
        if !minimal.iter().any(|smaller| smaller.is_at_most(need)) {
            minimal.push(need);
        }
    }
    minimal.sort_unstable();
    Some(minimal)
}
