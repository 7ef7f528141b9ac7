//! How fast a message can spread over a tree, exactly.

use std::collections::BTreeMap;

use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;
use sha2::{Digest, Sha256};

use super::BoundRequest;
use super::growth;
use crate::demand::{Demand, Request};
use crate::legal::Legal;
use crate::needs::{MAX_NEED, MAX_STEPS, Needs};
use crate::search::{Links, Search};
use lockstep_certificate::{Certificate, LowerBound, Rule};

/// Sums and comparisons of needs that one programme may take: tens of milliseconds.
const PROGRAMME_WORK: u64 = 1 << 23;

/// The least number of steps in which a message spreads over a network whose links form a tree, if it is more than
/// [growth] says: an exhaustive programme from the leaves to the source.
///
/// Transfers of one step carry the same message, so that those that meet on a link in opposite directions may as well
/// turn round before it: in each step a subtree takes one copy from above, gives one, or neither. That is its *need*. It
/// can always do with more, so its least needs say everything, and they are sums of the least needs of its parts. Equal
/// subtrees are looked at once. Takes time in proportion to the square of the number of least needs, at most 1,107 in 8
/// steps and mostly far fewer, for each of the distinct subtrees; gives up beyond a fixed amount of work, 8 steps or
/// 2,000 neighbours.
///
/// Applies to one message under wormhole switching on a tree without parallel wires. It is the optimum where links are
/// full or half duplex and inner nodes route, or else a bound none the less.
///
/// Source: ours; opposite uses cancel as flows do (Ford and Fulkerson, *Flows in Networks*, 1962, §I.2). The programme
/// for store-and-forward is that of Slater, Cockayne and Hedetniemi, *SIAM J. Computing* 10 (1981).
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let topology = problem.topology();
    let is_sparse = topology.channel_count() <= 2 * (topology.node_count() - 1);
    if problem.model().switching != Switching::Wormhole || problem.messages().len() != 1 || !is_sparse {
        return None;
    }
    let fewest = growth::bound(problem, request)?.steps;
    let demand = Demand::new(problem);
    let broadcast = demand.sources().first().and_then(|&source| demand.from(source).next())?;
    // On a tree the holders can double in every step, however few their ports are (Farley 1980).
    let most = broadcast.count.ilog2() + 1;
    let in_question = fewest..most.min(request.enough).min(MAX_STEPS as u32 + 1);
    if in_question.is_empty() {
        return None;
    }
    let tree = RootedTree::new(problem, broadcast)?;
    let mut proof = None;
    for steps in in_question {
        match Programme::run(&tree, steps as usize) {
            Some(Outcome::Impossible { states, digest }) => proof = Some((steps, states, digest)),
            Some(Outcome::Possible) | None => break,
        }
    }
    let (infeasible, states, digest) = proof?;
    let certificate = Certificate::TreeBroadcast { source: broadcast.source, infeasible, states, digest };
    Some(LowerBound { steps: infeasible + 1, rule: Rule::TreeBroadcast, certificate })
}

/// Whether this rule says all there is to say, unless it gives up: the links form a tree, and all inner nodes route.
pub(super) fn is_exact(problem: &Problem<'_>, request: Request<'_>) -> bool {
    let topology = problem.topology();
    let links = Links::new(topology);
    problem.model().switching == Switching::Wormhole
        && topology.nodes().all(|node| topology.routes(node) || links.at(node).len() <= 1)
        && RootedTree::new(problem, request).is_some()
}

/// What a node has to do with the message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Role {
    /// It only routes.
    Switch,
    /// It may receive it, in order to send it on.
    Terminal,
    /// It must receive it.
    Receiver,
}

/// The network seen from the source.
struct RootedTree {
    source: NodeId,
    /// All nodes, the source first and children behind their parents.
    order: Vec<NodeId>,
    /// By node; the source's is itself.
    parent: Vec<NodeId>,
    role: Vec<Role>,
    /// By node: transfers that it can start in one step.
    send_limit: Vec<u32>,
}

impl RootedTree {
    /// `None` if the links form no tree, or nodes have too many ports.
    fn new(problem: &Problem<'_>, request: Request<'_>) -> Option<Self> {
        let (topology, legal) = (problem.topology(), Legal::new(problem));
        let (links, source) = (Links::new(topology), request.source);
        let mut search = Search::default();
        search.everywhere(&links, source);
        let roots = search.order.iter().filter(|node| search.distance[node.index()] == 0);
        let is_connected = roots.filter(|&&root| !topology.has_failed(root)).count() == 1;
        if !is_connected || links.pairs().len() + 1 + topology.failed_nodes().len() != topology.node_count() {
            return None;
        }
        let mut parent = vec![source; topology.node_count()];
        for &node in &search.order {
            let farther = |child: &&NodeId| search.distance[child.index()] > search.distance[node.index()];
            links.at(node).iter().filter(farther).for_each(|child| parent[child.index()] = node);
        }
        // One channel up and one down: a second one either way would carry a second copy.
        let mut is_used = vec![[false; 2]; topology.node_count()];
        for channel in topology.channels() {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            let is_up = parent[tail.index()] == head && tail != source;
            let child = if is_up { tail } else { head };
            if std::mem::replace(&mut is_used[child.index()][usize::from(is_up)], true) {
                return None;
            }
        }
        let terminal = |node| if topology.is_terminal(node) { Role::Terminal } else { Role::Switch };
        let mut role: Vec<Role> = topology.nodes().map(terminal).collect();
        request.receivers.iter().for_each(|receiver| role[receiver.index()] = Role::Receiver);
        let send_limit = topology.nodes().map(|node| u32::try_from(legal.send_limit(node)).unwrap_or(u32::MAX));
        let send_limit: Vec<u32> = send_limit.collect();
        let is_narrow = topology.nodes().all(|node| links.at(node).len() < MAX_NEED as usize / 2);
        is_narrow.then_some(Self { source, order: search.order, parent, role, send_limit })
    }
}

/// Whether a number of steps is enough.
enum Outcome {
    Possible,
    /// It is not, because these are all the needs of subtrees.
    Impossible {
        states: u64,
        digest: String,
    },
}

/// The least needs of subtrees for a number of steps.
struct Programme {
    steps: usize,
    work_left: u64,
    /// The distinct tables of least needs, each ascending.
    tables: Vec<Vec<Needs>>,
    number: BTreeMap<Vec<Needs>, u32>,
    /// The table of a node with these properties and children.
    known: BTreeMap<(Role, u32, Vec<u32>), u32>,
}

impl Programme {
    /// `None` if it takes too much work.
    fn run(tree: &RootedTree, steps: usize) -> Option<Outcome> {
        let mut programme = Self {
            steps,
            work_left: PROGRAMME_WORK,
            tables: Vec::new(),
            number: BTreeMap::new(),
            known: BTreeMap::new(),
        };
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); tree.order.len()];
        let mut table = vec![0; tree.order.len()];
        for &node in tree.order.iter().skip(1).rev() {
            let below = programme.in_order(std::mem::take(&mut children[node.index()]));
            let send_limit = tree.send_limit[node.index()].min(below.len() as u32 + 1);
            let number = programme.subtree(tree.role[node.index()], send_limit, below)?;
            table[node.index()] = number;
            children[tree.parent[node.index()].index()].push(number);
        }
        let below = programme.in_order(std::mem::take(&mut children[tree.source.index()]));
        let send_limit = tree.send_limit[tree.source.index()].min(below.len() as u32);
        if !programme.join(Needs::uniform(-send_limit.cast_signed()), &below, 0)?.is_empty() {
            return Some(Outcome::Possible);
        }
        let of_links = (0..table.len()).filter(|&node| node != tree.source.index()).map(|node| table[node] as usize);
        Some(programme.impossible(of_links))
    }

    /// Tables in an order that says nothing about node numbers.
    fn in_order(&self, mut tables: Vec<u32>) -> Vec<u32> {
        tables.sort_by(|&a, &b| self.tables[a as usize].cmp(&self.tables[b as usize]));
        tables
    }

    /// The number of the table of a subtree.
    fn subtree(&mut self, role: Role, send_limit: u32, children: Vec<u32>) -> Option<u32> {
        let key = (role, send_limit, children);
        if let Some(&number) = self.known.get(&key) {
            return Some(number);
        }
        let children = &key.2;
        let mut needs = Vec::new();
        if role != Role::Receiver {
            needs.extend(self.join(Needs::ZERO, children, 1)?);
        }
        if role != Role::Switch {
            for reception in 0..self.steps {
                // Before it receives a copy it only routes, afterwards it can send.
                let own = Needs::ZERO.plus_at(reception, 1).plus_from(reception + 1, -send_limit.cast_signed());
                needs.extend(self.join(own, children, 1)?);
            }
        }
        let needs = least(needs, &mut self.work_left)?;
        let tables = &mut self.tables;
        let number = *self.number.entry(needs).or_insert_with_key(|needs| {
            tables.push(needs.clone());
            tables.len() as u32 - 1
        });
        self.known.insert(key, number);
        Some(number)
    }

    /// The least needs of a node that takes `own` and of its children together, over a link that brings `capacity` in a
    /// step.
    #[expect(clippy::cast_possible_wrap, reason = "a node has fewer than 2,000 neighbours")]
    fn join(&mut self, own: Needs, children: &[u32], capacity: i32) -> Option<Vec<Needs>> {
        // More than the children to come can give is too much; more than they and the link can take is no use.
        let within = |needs: Needs, children: usize| {
            let slack = capacity + children as i32;
            needs.fits(Needs::uniform(slack)).then(|| needs.max(Needs::uniform(-slack)))
        };
        // Steps that do not exist need nothing.
        let own = own.plus_from(self.steps, -(children.len() as i32) - 1);
        let mut sums: Vec<Needs> = within(own, children.len()).into_iter().collect();
        for (place, &child) in children.iter().enumerate() {
            let child = &self.tables[child as usize];
            self.work_left = self.work_left.checked_sub((sums.len() * child.len()) as u64)?;
            let more = sums.iter().flat_map(|&sum| child.iter().map(move |&need| sum + need));
            let more = more.filter_map(|sum| within(sum, children.len() - place - 1)).collect();
            sums = least(more, &mut self.work_left)?;
        }
        Some(sums)
    }

    /// What the tables of all links, by their lower node, amount to.
    fn impossible(&self, tables: impl Iterator<Item = usize>) -> Outcome {
        let (mut states, mut hash) = (0, Sha256::new());
        for table in tables.map(|table| &self.tables[table]) {
            states += table.len() as u64;
            hash.update((table.len() as u32).to_le_bytes());
            for need in table {
                (0..self.steps).for_each(|step| hash.update([need.at(step).to_le_bytes()[0]]));
            }
        }
        let digits: Vec<String> = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Outcome::Impossible { states, digest: digits.concat() }
    }
}

/// Those that no other one fits into, ascending.
fn least(mut needs: Vec<Needs>, work_left: &mut u64) -> Option<Vec<Needs>> {
    needs.sort_unstable_by_key(|&need| (need.rank(), need));
    needs.dedup();
    let mut least: Vec<Needs> = Vec::new();
    for need in needs {
        *work_left = work_left.checked_sub(least.len() as u64)?;
        if !least.iter().any(|smaller| smaller.fits(need)) {
            least.push(need);
        }
    }
    least.sort_unstable();
    Some(least)
}
