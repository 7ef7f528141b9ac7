//! Shortest trees of transfers from one source to its receivers.

use crate::transfers::Ends;

/// The largest number of receivers for which every tree counts. With more receivers, the other terminals are assumed to
/// hold the message at the start.
pub(crate) const MAX_EXACT: usize = 6;

/// Returns the number of table entries that the shortest tree to a number of receivers takes.
pub(crate) fn entries_of_tree(terminals: usize, receivers: usize) -> usize {
    match receivers {
        0..=MAX_EXACT => (terminals << receivers) * (terminals + (1 << receivers)),
        _ => terminals.pow(2),
    }
}

/// Computes the shortest tree of transfers that brings a message from its source to all receivers. Appends its transfers
/// to `tree` and returns its length, or `None` if some receiver cannot be reached.
///
/// `length` has the lengths of the transfers between `terminals` terminals by start and end.
pub(crate) fn shortest_tree(
    length: &[f64],
    terminals: usize,
    source: usize,
    receivers: &[usize],
    tree: &mut Vec<Ends>,
) -> Option<f64> {
    if receivers.len() <= MAX_EXACT {
        SteinerTrees::new(length, terminals, receivers).tree(source, tree)
    } else {
        Arborescence::new(length, terminals, source, receivers).tree(tree)
    }
}

/// The shortest trees from every terminal to every set of receivers.
///
/// # Source
///
/// Dreyfus and Wagner, "The Steiner problem in graphs", *Networks* 1 (1971), with the search of Erickson, Monma and
/// Veinott, "Send-and-split method for minimum-concave-cost network flows", *Mathematics of Operations Research* 12
/// (1987).
struct SteinerTrees<'a> {
    receivers: &'a [usize],
    terminals: usize,
    /// By set of receivers and terminal: the length, and the way it continues.
    smallest: Vec<(f64, Branch)>,
}

/// The beginning of a tree at a terminal.
#[derive(Clone, Copy)]
enum Branch {
    /// The terminal is the only receiver.
    End,
    /// A transfer to a terminal.
    Transfer(usize),
    /// Two trees, one of them to this set of receivers.
    Part(usize),
}

impl<'a> SteinerTrees<'a> {
    fn new(length: &[f64], terminals: usize, receivers: &'a [usize]) -> Self {
        let sets = 1usize << receivers.len();
        let mut smallest = vec![(f64::INFINITY, Branch::End); sets * terminals];
        let mut is_open = vec![true; terminals];
        for set in 1..sets {
            let lowest = set & set.wrapping_neg();
            let (before, own) = smallest.split_at_mut(set * terminals);
            let own = &mut own[..terminals];
            if set == lowest {
                own[receivers[set.ilog2() as usize]].0 = 0.0;
            }
            // Every part with the lowest receiver, except the whole set.
            let others = set ^ lowest;
            let mut rest = others;
            while rest > 0 {
                rest = (rest - 1) & others;
                let part = rest | lowest;
                for (terminal, own) in own.iter_mut().enumerate() {
                    let sum = before[part * terminals + terminal].0 + before[(set ^ part) * terminals + terminal].0;
                    if sum < own.0 {
                        *own = (sum, Branch::Part(part));
                    }
                }
            }
            is_open.fill(true);
            while let Some(nearest) = (0..terminals)
                .filter(|&terminal| is_open[terminal] && own[terminal].0 < f64::INFINITY)
                .min_by(|&a, &b| own[a].0.total_cmp(&own[b].0))
            {
                is_open[nearest] = false;
                for start in 0..terminals {
                    let longer = own[nearest].0 + length[start * terminals + nearest];
                    if longer < own[start].0 {
                        own[start] = (longer, Branch::Transfer(nearest));
                    }
                }
            }
        }
        Self { receivers, terminals, smallest }
    }

    fn tree(&self, source: usize, tree: &mut Vec<Ends>) -> Option<f64> {
        let all = (1 << self.receivers.len()) - 1;
        let at = |set: usize, terminal: usize| self.smallest[set * self.terminals + terminal];
        let (length, _) = at(all, source);
        let mut open = vec![(all, source)];
        while let Some((set, terminal)) = open.pop().filter(|_| length < f64::INFINITY) {
            match at(set, terminal).1 {
                Branch::End => {}
                Branch::Transfer(next) => {
                    tree.push([terminal, next]);
                    open.push((set, next));
                }
                Branch::Part(part) => open.extend([(part, terminal), (set ^ part, terminal)]),
            }
        }
        (length < f64::INFINITY).then_some(length)
    }
}

/// An arc into a vertex, or into a group of vertices.
#[derive(Clone, Copy)]
struct Arc {
    length: f64,
    ends: Ends,
    /// The vertex at which the arc ends.
    head: usize,
}

/// A shortest arborescence: one transfer to each receiver, from the source, a receiver or any other terminal.
///
/// Vertex 0 stands for the source and the terminals that are no receivers, the others for the receivers. A group of
/// vertices that form a cycle becomes a vertex of its own.
///
/// # Source
///
/// Edmonds, "Optimum branchings", *J. Research of the National Bureau of Standards* 71B (1967); the order of the work by
/// Gabow, Galil, Spencer and Tarjan, "Efficient algorithms for finding minimum spanning trees in undirected and directed
/// graphs", *Combinatorica* 6 (1986).
struct Arborescence {
    vertices: usize,
    /// By group: the shortest arcs from all vertices. Empty for a part of another group.
    into: Vec<Vec<Arc>>,
    /// By vertex: its outermost group.
    outermost: Vec<usize>,
    /// By group: the smallest group that contains it.
    around: Vec<Option<usize>>,
}

const HOLDERS: usize = 0;

impl Arborescence {
    fn new(length: &[f64], terminals: usize, source: usize, receivers: &[usize]) -> Self {
        let vertices = receivers.len() + 1;
        let mut is_receiver = vec![false; terminals];
        for &receiver in receivers {
            is_receiver[receiver] = true;
        }
        let holders: Vec<usize> =
            (0..terminals).filter(|&terminal| terminal == source || !is_receiver[terminal]).collect();
        let mut into = vec![Vec::new()];
        for (place, &end) in receivers.iter().enumerate() {
            let arc =
                |start: usize| Arc { length: length[start * terminals + end], ends: [start, end], head: place + 1 };
            let shorter = |a: Arc, b: Arc| if b.length < a.length { b } else { a };
            let first =
                holders.iter().map(|&holder| arc(holder)).reduce(shorter).expect("the source holds the message");
            into.push(std::iter::once(first).chain(receivers.iter().map(|&receiver| arc(receiver))).collect());
        }
        Self { vertices, into, outermost: (0..vertices).collect(), around: vec![None; vertices] }
    }

    fn tree(mut self, tree: &mut Vec<Ends>) -> Option<f64> {
        let mut total = 0.0;
        // By group: the arc that was chosen for it.
        let mut chosen: Vec<Option<Arc>> = vec![None; self.vertices];
        let mut is_reached = vec![false; self.vertices];
        is_reached[HOLDERS] = true;
        for start in 1..self.vertices {
            let mut path = vec![self.outermost[start]];
            while let Some(&head) = path.last().filter(|&&head| !is_reached[head]) {
                let outside = (0..self.vertices).filter(|&tail| self.outermost[tail] != head);
                let arcs = outside.map(|tail| (tail, self.into[head][tail]));
                let (tail, arc) = arcs.min_by(|(_, a), (_, b)| a.length.total_cmp(&b.length))?;
                if arc.length == f64::INFINITY {
                    return None;
                }
                total += arc.length;
                chosen[head] = Some(arc);
                for other in &mut self.into[head] {
                    other.length -= arc.length;
                }
                let before = self.outermost[tail];
                match path.iter().position(|&group| group == before) {
                    Some(first) => {
                        let cycle = path.split_off(first);
                        path.push(self.contract(&cycle));
                        chosen.push(None);
                        is_reached.push(false);
                    }
                    None => path.push(before),
                }
            }
            for group in path {
                is_reached[group] = true;
            }
        }
        // The arc into a group replaces those that were chosen for the parts of the group that contain its head.
        let mut is_entered = vec![false; self.around.len()];
        for group in (1..self.around.len()).rev() {
            let Some(arc) = chosen[group].filter(|_| !is_entered[group]) else { continue };
            tree.push(arc.ends);
            let mut part = Some(arc.head);
            while let Some(inner) = part.filter(|&inner| inner != group) {
                is_entered[inner] = true;
                part = self.around[inner];
            }
        }
        Some(total)
    }

    /// Makes a group of the groups on a cycle, and returns it.
    fn contract(&mut self, cycle: &[usize]) -> usize {
        let whole = self.into.len();
        let mut arcs = std::mem::take(&mut self.into[cycle[0]]);
        for &part in &cycle[1..] {
            let own = std::mem::take(&mut self.into[part]);
            arcs.iter_mut().zip(own).filter(|(arc, own)| own.length < arc.length).for_each(|(arc, own)| *arc = own);
        }
        self.into.push(arcs);
        self.around.push(None);
        for &part in cycle {
            self.around[part] = Some(whole);
        }
        for group in self.outermost.iter_mut().filter(|group| cycle.contains(group)) {
            *group = whole;
        }
        whole
    }
}
