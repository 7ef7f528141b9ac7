//! The paths of broadcasts as trees, one per message.

use crate::hgsa::window::Window;
use crate::space::SearchSpace;

/// The last channel of every delivery, which makes a tree for every message.
///
/// Invariant: every delivery has a nonempty window of steps. Memory: 12 bytes per delivery and 4 bytes per channel
/// between terminals.
#[derive(Debug)]
pub(super) struct MessageTrees<'a> {
    space: &'a SearchSpace<'a>,
    /// The path of each delivery, which is one channel.
    path: Vec<u32>,
    /// Transfers from the source to each receiver: `O`, the position of its channel on the path.
    depth: Vec<u32>,
    /// The largest number of transfers behind each receiver: `L - O` of the longest path through it.
    height: Vec<u32>,
    /// The position of each terminal in `neighbours`; one entry more than terminals.
    neighbour_start: Vec<u32>,
    /// Ranks of the terminals to which each terminal has channels.
    neighbours: Vec<u32>,
    /// Scratch space.
    stack: Vec<u32>,
}

impl<'a> MessageTrees<'a> {
    /// Creates the tables of a space; [`load`](Self::load) sets the paths.
    pub(super) fn new(space: &'a SearchSpace<'a>) -> Self {
        let topology = space.problem().topology();
        let (mut neighbour_start, mut neighbours) = (vec![0], Vec::new());
        for &terminal in topology.terminals() {
            let heads = topology.out_channels(terminal).iter().map(|&channel| topology.head(channel));
            let mut ranks: Vec<u32> =
                heads.filter_map(|head| topology.terminal_rank(head)).map(|rank| rank as u32).collect();
            ranks.sort_unstable();
            ranks.dedup();
            neighbours.append(&mut ranks);
            neighbour_start.push(neighbours.len() as u32);
        }
        let deliveries = space.delivery_count();
        Self {
            space,
            path: vec![0; deliveries],
            depth: vec![0; deliveries],
            height: vec![0; deliveries],
            neighbour_start,
            neighbours,
            stack: Vec::new(),
        }
    }

    /// Replaces the paths, one per delivery. They must make trees no deeper than the number of steps.
    ///
    /// Takes time proportional to the lengths of all paths from source to destination.
    pub(super) fn load(&mut self, paths: impl Iterator<Item = u32>) {
        self.path.clear();
        self.path.extend(paths);
        self.height.fill(0);
        for delivery in 0..self.path.len() {
            let mut depth = 0;
            let mut above = Some(delivery);
            while let Some(ancestor) = above {
                self.height[ancestor] = self.height[ancestor].max(depth);
                depth += 1;
                above = self.parent(ancestor);
            }
            self.depth[delivery] = depth;
        }
    }

    pub(super) fn space(&self) -> &'a SearchSpace<'a> {
        self.space
    }

    /// Returns the path of each delivery.
    pub(super) fn paths(&self) -> &[u32] {
        &self.path
    }

    /// Returns the largest number of transfers behind the receiver of a delivery.
    pub(super) fn height(&self, delivery: usize) -> u32 {
        self.height[delivery]
    }

    /// Returns the steps that the deliveries before and behind a delivery leave to it; never empty.
    pub(super) fn window(&self, delivery: usize) -> Window {
        Window { end: self.space.step_count() - self.height[delivery], first: self.depth[delivery] - 1 }
    }

    /// Returns the deliveries of a message that the terminal of a rank sends.
    pub(super) fn sent_by(&self, message: u32, rank: u32) -> impl Iterator<Item = usize> {
        let place = rank as usize;
        self.neighbours[self.neighbour_start[place] as usize..self.neighbour_start[place + 1] as usize]
            .iter()
            .map(move |&neighbour| self.space.delivery_to(message, neighbour))
            .filter(|&delivery| delivery < SearchSpace::NEVER)
            .map(|delivery| delivery as usize)
            .filter(move |&delivery| self.space.sender(self.path[delivery]) == rank)
    }

    /// Returns the deliveries that the receiver of a delivery forwards.
    pub(super) fn children(&self, delivery: usize) -> impl Iterator<Item = usize> {
        self.sent_by(self.space.message(delivery), self.space.receiver(delivery))
    }

    /// Returns the delivery that brings the message to the sender of this one; `None` if the sender is the source.
    fn parent(&self, delivery: usize) -> Option<usize> {
        let sender = self.space.sender(self.path[delivery]);
        let parent = self.space.delivery_to(self.space.message(delivery), sender);
        (parent != SearchSpace::AT_SOURCE).then_some(parent as usize)
    }

    /// Returns true if a delivery can take this path: it closes no cycle, and every window stays nonempty.
    pub(super) fn admits(&self, delivery: usize, path: u32) -> bool {
        let (message, sender) = (self.space.message(delivery), self.space.sender(path));
        let mut above = match self.space.delivery_to(message, sender) {
            SearchSpace::AT_SOURCE => return true,
            SearchSpace::NEVER => return false,
            parent => Some(parent as usize),
        };
        let depth = above.map_or(0, |parent| self.depth[parent]) + 1;
        if depth + self.height[delivery] > self.space.step_count() {
            return false;
        }
        // Descendants are deeper, so the search for a cycle can stop at ancestors that are less deep.
        while let Some(ancestor) = above.filter(|&ancestor| self.depth[ancestor] >= self.depth[delivery]) {
            if ancestor == delivery {
                return false;
            }
            above = self.parent(ancestor);
        }
        true
    }

    /// Sets the path of a delivery, which must [admit](Self::admits) it, and updates depths and heights.
    ///
    /// Calls `changed` with the path of every delivery whose window changes.
    pub(super) fn reroute(&mut self, delivery: usize, path: u32, mut changed: impl FnMut(u32)) {
        let (message, before) = (self.space.message(delivery), self.space.sender(self.path[delivery]));
        self.path[delivery] = path;
        let depth = self.parent(delivery).map_or(0, |parent| self.depth[parent]) + 1;
        if depth != self.depth[delivery] {
            self.set_depth(delivery, depth, &mut changed);
        }
        for sender in [before, self.space.sender(path)] {
            self.update_heights(message, sender, &mut changed);
        }
    }

    /// Sets the depth of a delivery and of all its descendants.
    fn set_depth(&mut self, delivery: usize, depth: u32, changed: &mut impl FnMut(u32)) {
        let mut stack = std::mem::take(&mut self.stack);
        self.depth[delivery] = depth;
        stack.push(delivery as u32);
        while let Some(delivery) = stack.pop() {
            let delivery = delivery as usize;
            changed(self.path[delivery]);
            let first = stack.len();
            stack.extend(self.children(delivery).map(|child| child as u32));
            for &child in &stack[first..] {
                self.depth[child as usize] = self.depth[delivery] + 1;
            }
        }
        self.stack = stack;
    }

    /// Recomputes the heights from the terminal of a rank up to the source.
    fn update_heights(&mut self, message: u32, rank: u32, changed: &mut impl FnMut(u32)) {
        let delivery = self.space.delivery_to(message, rank);
        let mut above = (delivery != SearchSpace::AT_SOURCE).then_some(delivery as usize);
        while let Some(delivery) = above {
            let height = self.children(delivery).map(|child| self.height[child] + 1).max().unwrap_or(0);
            if self.height[delivery] == height {
                return;
            }
            self.height[delivery] = height;
            changed(self.path[delivery]);
            above = self.parent(delivery);
        }
    }

    /// Everything that follows from the paths.
    #[cfg(test)]
    pub(super) fn contents(&self) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
        (self.path.clone(), self.depth.clone(), self.height.clone())
    }
}
