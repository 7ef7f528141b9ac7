//! The paths of broadcasts as trees, and the conflicts that they foretell.

use rand::{Rng, RngExt};

use crate::prediction::{Prediction, Predictor, Window};
use crate::routes::Choices;
use crate::space::SearchSpace;
use crate::walk::accepts;

/// Where moves begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Aim {
    /// Anywhere.
    Blind,
    /// At conflicts.
    Directed,
}

/// The last channel of every delivery, hence a tree for every message, and the conflicts foretold: the document's first
/// subproblem.
///
/// Every window holds a step, whatever is moved. A move costs the users of the channels whose windows change: two
/// channels, and those before and behind whose `L` or `O` it changes. Memory: 20 bytes a delivery.
#[derive(Debug)]
pub(crate) struct Trees<'a> {
    space: &'a SearchSpace<'a>,
    /// Path of each delivery, that is, a channel.
    path: Vec<u32>,
    /// Transfers from the source to each receiver: `O`, the position of its channel on the path.
    depth: Vec<u32>,
    /// Most transfers behind each receiver: `L - O` of the longest path that goes on there.
    height: Vec<u32>,
    /// The deliveries over each resource; lists, because how many there are is what the search is about.
    users: Vec<Vec<u32>>,
    /// Conflicts foretold of each resource.
    predicted: Vec<u32>,
    total: u64,
    /// Resources with conflicts foretold.
    crowded: Vec<u32>,
    /// Where each resource stands in `crowded`, or `NOT_CROWDED`.
    crowded_place: Vec<u32>,
    /// Ranks of the terminals that each terminal has channels to: `neighbour_start` has one entry more than terminals.
    neighbour_start: Vec<u32>,
    neighbours: Vec<u32>,
    /// Resources whose users' windows have changed since they were judged.
    stale: Vec<u32>,
    is_stale: Vec<bool>,
    predictor: Predictor,
    windows: Vec<Window>,
    stack: Vec<u32>,
}

const NOT_CROWDED: u32 = u32::MAX;

/// The paths that the deliveries have.
impl Choices for Trees<'_> {
    fn of(&self, delivery: usize) -> &[u32] {
        std::slice::from_ref(&self.path[delivery])
    }
}

impl<'a> Trees<'a> {
    /// Trees for a broadcast under store-and-forward switching, to be [loaded](Self::load).
    pub(crate) fn new(space: &'a SearchSpace<'a>, prediction: Prediction) -> Self {
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
        let (deliveries, resources) = (space.delivery_count(), space.resource_count());
        Self {
            space,
            path: vec![0; deliveries],
            depth: vec![0; deliveries],
            height: vec![0; deliveries],
            users: vec![Vec::new(); resources],
            predicted: vec![0; resources],
            total: 0,
            crowded: Vec::new(),
            crowded_place: vec![NOT_CROWDED; resources],
            neighbour_start,
            neighbours,
            stale: Vec::new(),
            is_stale: vec![false; resources],
            predictor: Predictor::new(prediction, space.step_count()),
            windows: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// Replaces everything by these paths, one a delivery, which make trees no deeper than the schedule is long.
    ///
    /// Takes time in proportion to the lengths of all paths from source to destination.
    pub(crate) fn load(&mut self, paths: impl Iterator<Item = u32>) {
        self.path.clear();
        self.path.extend(paths);
        self.height.fill(0);
        self.users.iter_mut().for_each(Vec::clear);
        for delivery in 0..self.path.len() {
            let mut depth = 0;
            let mut above = Some(delivery);
            while let Some(ancestor) = above {
                self.height[ancestor] = self.height[ancestor].max(depth);
                depth += 1;
                above = self.parent(ancestor);
            }
            self.depth[delivery] = depth;
            self.join(delivery);
        }
        // Nothing of what was before may be left, not even an order.
        self.predicted.fill(0);
        self.total = 0;
        self.crowded.clear();
        self.crowded_place.fill(NOT_CROWDED);
        self.judge();
    }

    pub(crate) fn space(&self) -> &'a SearchSpace<'a> {
        self.space
    }

    /// The path of each delivery.
    pub(crate) fn paths(&self) -> &[u32] {
        &self.path
    }

    /// The conflicts that any steps will have.
    pub(crate) fn predicted(&self) -> u64 {
        self.total
    }

    /// The steps that are left to a delivery by those before and behind it; never none.
    pub(crate) fn window(&self, delivery: usize) -> Window {
        Window { end: self.space.step_count() - self.height[delivery], first: self.depth[delivery] - 1 }
    }

    /// The deliveries of a message that the terminal of a rank makes.
    pub(crate) fn sent_by(&self, message: u32, rank: u32) -> impl Iterator<Item = usize> {
        let place = rank as usize;
        self.neighbours[self.neighbour_start[place] as usize..self.neighbour_start[place + 1] as usize]
            .iter()
            .map(move |&neighbour| self.space.delivery_to(message, neighbour))
            .filter(|&delivery| delivery < SearchSpace::NEVER)
            .map(|delivery| delivery as usize)
            .filter(move |&delivery| self.space.sender(self.path[delivery]) == rank)
    }

    /// The deliveries that pass on what a delivery brings.
    pub(crate) fn behind(&self, delivery: usize) -> impl Iterator<Item = usize> {
        self.sent_by(self.space.message(delivery), self.space.receiver(delivery))
    }

    /// Moves deliveries to other channels until no conflict is foretold or `moves` are spent; returns how many moves it
    /// tried. Metropolis's rule decides as in a [`Walk`](crate::Walk).
    pub(crate) fn anneal(
        &mut self,
        choices: &impl Choices,
        aim: Aim,
        moves: u64,
        uphill_odds: u32,
        rng: &mut impl Rng,
    ) -> u64 {
        for tried in 0..moves {
            if self.total == 0 {
                return tried;
            }
            let delivery = match aim {
                Aim::Blind => rng.random_range(0..self.path.len()),
                Aim::Directed => self.draw_conflict(rng),
            };
            let (path, before) = (self.path[delivery], self.total);
            self.shift(choices, delivery, rng);
            if !accepts(self.total.saturating_sub(before), uphill_odds, rng) {
                self.reroute(delivery, path);
            }
        }
        moves
    }

    /// Moves a delivery to any of its channels that leaves every window a step.
    pub(crate) fn shift(&mut self, choices: &impl Choices, delivery: usize, rng: &mut impl Rng) {
        let paths = choices.of(delivery);
        let path = paths[rng.random_range(0..paths.len())];
        if path != self.path[delivery] && self.is_open(delivery, path) {
            self.reroute(delivery, path);
        }
    }

    /// A user of a crowded resource, or, for it decides the end of that one's window, somebody farthest behind it.
    fn draw_conflict(&self, rng: &mut impl Rng) -> usize {
        let resource = self.crowded[rng.random_range(0..self.crowded.len())];
        let users = &self.users[resource as usize];
        let mut delivery = users[rng.random_range(0..users.len())] as usize;
        let distance = if rng.random() { rng.random_range(0..=self.height[delivery]) } else { 0 };
        for _ in 0..distance {
            let farthest = self.behind(delivery).max_by_key(|&behind| self.height[behind]);
            delivery = farthest.expect("somebody is behind a delivery of some height");
        }
        delivery
    }

    /// Whether a delivery can take this path: it closes no circle, and leaves a step to everybody.
    fn is_open(&self, delivery: usize, path: u32) -> bool {
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
        // Those behind a delivery are deeper, so most circles need not be looked for.
        while let Some(ancestor) = above.filter(|&ancestor| self.depth[ancestor] >= self.depth[delivery]) {
            if ancestor == delivery {
                return false;
            }
            above = self.parent(ancestor);
        }
        true
    }

    /// Moves a delivery to a path that is open.
    fn reroute(&mut self, delivery: usize, path: u32) {
        let (message, before) = (self.space.message(delivery), self.space.sender(self.path[delivery]));
        self.leave(delivery);
        self.path[delivery] = path;
        self.join(delivery);
        let depth = self.parent(delivery).map_or(0, |parent| self.depth[parent]) + 1;
        if depth != self.depth[delivery] {
            self.sink(delivery, depth);
        }
        for sender in [before, self.space.sender(path)] {
            self.climb(message, sender);
        }
        self.judge();
    }

    /// The delivery that brings the message to the sender of this one; none, if that is the source.
    fn parent(&self, delivery: usize) -> Option<usize> {
        let sender = self.space.sender(self.path[delivery]);
        let parent = self.space.delivery_to(self.space.message(delivery), sender);
        (parent != SearchSpace::AT_SOURCE).then_some(parent as usize)
    }

    /// Gives a delivery and all behind it the depths that follow from this one.
    fn sink(&mut self, delivery: usize, depth: u32) {
        let mut stack = std::mem::take(&mut self.stack);
        self.depth[delivery] = depth;
        stack.push(delivery as u32);
        while let Some(delivery) = stack.pop() {
            let delivery = delivery as usize;
            self.mark(delivery);
            let first = stack.len();
            stack.extend(self.behind(delivery).map(|behind| behind as u32));
            for &behind in &stack[first..] {
                self.depth[behind as usize] = self.depth[delivery] + 1;
            }
        }
        self.stack = stack;
    }

    /// Brings the heights from the terminal of a rank up to the source up to date.
    fn climb(&mut self, message: u32, rank: u32) {
        let delivery = self.space.delivery_to(message, rank);
        let mut above = (delivery != SearchSpace::AT_SOURCE).then_some(delivery as usize);
        while let Some(delivery) = above {
            let height = self.behind(delivery).map(|behind| self.height[behind] + 1).max().unwrap_or(0);
            if self.height[delivery] == height {
                return;
            }
            self.height[delivery] = height;
            self.mark(delivery);
            above = self.parent(delivery);
        }
    }

    fn join(&mut self, delivery: usize) {
        for &resource in self.space.resources(self.path[delivery]) {
            self.users[resource as usize].push(delivery as u32);
        }
        self.mark(delivery);
    }

    fn leave(&mut self, delivery: usize) {
        for &resource in self.space.resources(self.path[delivery]) {
            let users = &mut self.users[resource as usize];
            let place = users.iter().position(|&user| user == delivery as u32);
            users.swap_remove(place.expect("a delivery uses the resources of its path"));
        }
        self.mark(delivery);
    }

    /// Notes that the users of a delivery's resources, or their windows, have changed.
    fn mark(&mut self, delivery: usize) {
        for &resource in self.space.resources(self.path[delivery]) {
            if !std::mem::replace(&mut self.is_stale[resource as usize], true) {
                self.stale.push(resource);
            }
        }
    }

    /// Foretells the conflicts of all resources that have changed.
    fn judge(&mut self) {
        while let Some(resource) = self.stale.pop() {
            let place = resource as usize;
            self.is_stale[place] = false;
            let mut windows = std::mem::take(&mut self.windows);
            windows.clear();
            windows.extend(self.users[place].iter().map(|&user| self.window(user as usize)));
            let predicted = self.predictor.conflicts(&mut windows, self.space.capacity(place));
            self.windows = windows;
            let before = std::mem::replace(&mut self.predicted[place], predicted);
            self.total = self.total - u64::from(before) + u64::from(predicted);
            if (before > 0) != (predicted > 0) {
                self.list(resource, predicted > 0);
            }
        }
    }

    /// Puts a resource on the list of crowded ones or strikes it off.
    fn list(&mut self, resource: u32, is_crowded: bool) {
        if is_crowded {
            self.crowded_place[resource as usize] = self.crowded.len() as u32;
            self.crowded.push(resource);
            return;
        }
        let place = std::mem::replace(&mut self.crowded_place[resource as usize], NOT_CROWDED) as usize;
        self.crowded.swap_remove(place);
        if let Some(&moved) = self.crowded.get(place) {
            self.crowded_place[moved as usize] = place as u32;
        }
    }
}

#[cfg(test)]
mod tests;
