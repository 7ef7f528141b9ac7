//! Negotiation: the trees of all blocks compete for slots by prices, until no slot is overused.
//!
//! A block is a message of a distribution, with one tree from its source, or a block of an all-reduce, with one
//! tree towards a root and one away from it. [`neighbour_routes`] has the paths between terminals, [`timed_trees`] grows trees
//! through time, and [`price_table`] has the uses and prices of all slots.

pub(crate) mod detours;
pub(crate) mod groups;
pub(crate) mod neighbour_graph;
pub(crate) mod neighbour_routes;
pub(crate) mod price_table;
mod timed_trees;
pub(crate) mod transfers;

use lockstep_model::{Routes, Slots};
use lockstep_schedule::Budget;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

use self::groups::{Group, Groups};
use self::price_table::PriceTable;
use self::timed_trees::{Link, TreeGrower, TreeRequest};
use self::transfers::{BlockTransfer, Transfers};

/// Number of pairs of trees from which the cheapest pair of a block is chosen. The last one has two neighbours as
/// roots, if the block is one of an all-reduce.
const TRIES: u32 = 4;

/// Number of pairs of trees after which a block has no place.
const MAX_TRIES: u32 = 64;

/// The cost of a step between the root of a new tree and a transfer.
const STEP_COST: u32 = 16;

/// One of this number of cuts takes along the next link towards the root.
const CUTS_PER_LARGER_ONE: u32 = 32;

/// Number of passes without progress after which a block gets new trees.
const IDLE_PASSES: u32 = 8;

/// Number of passes without progress after which all prices are reset.
const MAX_IDLE_PASSES: u32 = 256;

/// The search ends after this number of times the work until its last success. The first trees of all blocks are one.
const MAX_IDLE_WORK: u64 = 4096;

/// The work of looking at one link, or of skipping a route, relative to that of considering a route: 1 to this number.
const LINKS_PER_ROUTE: u64 = 32;

/// Maximum size of the tables: 256 MiB.
const MAX_TABLE_BYTES: u64 = 1 << 28;

/// The trees of one block.
#[derive(Clone)]
struct BlockTrees {
    root: u32,
    /// By direction, towards the root and away from it, and by terminal.
    links: [Vec<Link>; 2],
}

impl BlockTrees {
    fn links(&self) -> impl Iterator<Item = Link> {
        self.links.iter().flatten().copied().filter(|link| link.is_some())
    }
}

/// Two neighbours that send each other their sums in the same step, and hold the whole sum after it.
struct Exchange {
    root: u32,
    partner: u32,
    step: u32,
    /// From the partner to the root, and back.
    routes: [u32; 2],
}

/// The place of a link: its block, its direction, and its end that is farther from the root.
type Place = (u32, usize, u32);

/// A search for trees of all blocks within a number of steps.
///
/// Trees may use the same slot in the same step, at a price that rises as long as they do. In each pass, every link with an
/// overused slot is cut off together with all links behind it, and grows again at the lowest prices.
///
/// # Source
///
/// McMurchie and Ebeling, *`PathFinder`: a negotiation-based performance-driven router for FPGAs*, FPGA 1995.
pub(crate) struct Negotiation<'a> {
    routes: &'a Routes,
    groups: &'a Groups,
    slots: &'a Slots,
    /// The limit of its evaluations is a limit of routes considered.
    budget: Budget,
    steps: u32,
    table: PriceTable<'a>,
    blocks: Vec<BlockTrees>,
    grower: TreeGrower<'a>,
    scanned_links: u64,
    /// The work until the last success; 0 before the first one.
    evaluations_of_success: u64,
    /// The links of a tree before a change.
    old: Vec<Link>,
    /// By terminal: whether its link stays during a change.
    is_kept: Vec<bool>,
}

impl<'a> Negotiation<'a> {
    /// Returns a search for at most `steps` steps; `None` if its tables are too large.
    pub(crate) fn new(
        routes: &'a Routes,
        groups: &'a Groups,
        slots: &'a Slots,
        steps: u32,
        budget: Budget,
    ) -> Option<Self> {
        let terminals = groups.terminal_count();
        let cells = PriceTable::bytes(slots, steps);
        let links = groups.block_count() as u64 * 2 * terminals as u64 * size_of::<Link>() as u64;
        if cells.saturating_add(links) > MAX_TABLE_BYTES {
            return None;
        }
        let none = BlockTrees { root: 0, links: [vec![Link::NONE; terminals], vec![Link::NONE; terminals]] };
        Some(Self {
            routes,
            groups,
            slots,
            budget,
            steps,
            table: PriceTable::new(slots, steps),
            blocks: vec![none; groups.block_count()],
            grower: TreeGrower::new(routes),
            scanned_links: 0,
            evaluations_of_success: 0,
            old: Vec::new(),
            is_kept: vec![false; terminals],
        })
    }

    /// Returns the work so far, in routes considered.
    pub(crate) fn evaluations(&self) -> u64 {
        self.grower.considered + (self.grower.skipped + self.scanned_links) / LINKS_PER_ROUTE
    }

    fn is_over(&self) -> bool {
        let (work, success) = (self.evaluations(), self.evaluations_of_success);
        self.budget.stop_after(work).is_some() || success > 0 && work > success.saturating_mul(MAX_IDLE_WORK)
    }

    /// Returns a schedule within this number of steps, which is less than in the calls before; `None` if none is found.
    pub(crate) fn plan(&mut self, steps: u32, rng: &mut impl Rng) -> Option<Transfers> {
        self.steps = steps;
        self.table = PriceTable::new(self.slots, steps);
        let mut unplaced = Vec::new();
        for (block, trees) in (0..).zip(&self.blocks) {
            if trees.links().next().is_none() || trees.links().any(|link| link.step >= steps) {
                unplaced.push(block);
            } else {
                trees.links().for_each(|link| self.table.add(self.routes.slots(link.route), link.step));
            }
        }
        unplaced.shuffle(rng);
        for block in unplaced {
            if self.is_over() {
                return None;
            }
            self.blocks[block as usize] = self.new_trees(block, None, rng)?;
            let links = self.blocks[block as usize].links();
            links.for_each(|link| self.table.add(self.routes.slots(link.route), link.step));
        }
        if self.evaluations_of_success == 0 {
            self.evaluations_of_success = self.evaluations();
        }
        self.negotiate(rng).then(|| {
            self.evaluations_of_success = self.evaluations();
            self.transfers()
        })
    }

    fn transfers(&self) -> Transfers {
        let of_block = |(block, trees): (u32, &BlockTrees)| {
            trees.links().map(|Link { route, step }| BlockTransfer { block, route, step }).collect::<Vec<_>>()
        };
        Transfers((0..).zip(&self.blocks).flat_map(of_block).collect())
    }

    /// Changes trees until no slot is overused. Returns false if the budget ends before.
    fn negotiate(&mut self, rng: &mut impl Rng) -> bool {
        let (mut overused, mut least, mut idle) = (Vec::new(), usize::MAX, 0);
        loop {
            self.collect_overused(&mut overused);
            if overused.is_empty() || self.is_over() {
                return overused.is_empty();
            }
            idle = if overused.len() < least { 0 } else { idle + 1 };
            least = least.min(overused.len());
            overused.shuffle(rng);
            for &place in &overused {
                if self.is_over() {
                    return false;
                }
                self.regrow(place, rng);
            }
            if idle % IDLE_PASSES == IDLE_PASSES - 1 {
                let (block, ..) = overused[0];
                self.replace(block, rng);
            }
            if idle == MAX_IDLE_PASSES {
                self.table.reset_prices();
                (least, idle) = (usize::MAX, 0);
            }
        }
    }

    /// Collects all links with an overused slot, and raises the prices of these slots.
    fn collect_overused(&mut self, overused: &mut Vec<Place>) {
        overused.clear();
        for (block, trees) in (0..).zip(&self.blocks) {
            for (direction, links) in trees.links.iter().enumerate() {
                self.scanned_links += links.len() as u64;
                for (far, link) in (0..).zip(links).filter(|(_, link)| link.is_some()) {
                    let slots = self.routes.slots(link.route);
                    if self.table.is_overused(slots, link.step) {
                        self.table.raise(slots, link.step);
                        overused.push((block, direction, far));
                    }
                }
            }
        }
    }

    /// Returns new trees for a block that has no slots, or the `old` ones if they are cheaper. `None` if it has no place.
    fn new_trees(&mut self, block: u32, old: Option<BlockTrees>, rng: &mut impl Rng) -> Option<BlockTrees> {
        let (group, mut step_cost) = (self.groups.of_block(block), STEP_COST);
        let (routes, table) = (self.routes, &self.table);
        let price_of = |trees: &BlockTrees| price(routes, table, &trees.links().collect::<Vec<_>>());
        let mut trees = self.blocks[block as usize].clone();
        let mut best = old.map(|old| (price_of(&old), old));
        for attempt in 0..MAX_TRIES {
            if attempt >= TRIES && best.is_some() || group.source.is_none() && group.eccentricity.is_empty() {
                break;
            }
            let is_exchange = attempt % TRIES == TRIES - 1;
            let exchange = is_exchange.then(|| self.random_exchange(group, rng)).flatten();
            let (root, times) = match &exchange {
                Some(Exchange { root, step, .. }) => (*root, [*step, *step + 1]),
                None => match self.random_root(group, rng) {
                    Some((root, time)) => (root, [time; 2]),
                    None => continue,
                },
            };
            trees.root = root;
            // A message has no tree towards its source.
            let first = usize::from(group.source.is_some());
            let is_complete = trees.links.iter_mut().enumerate().skip(first).all(|(direction, links)| {
                let (graphs, time) = (&self.groups.graphs, times[direction]);
                let request = TreeRequest { graphs, direction, group, root, time, step_cost };
                links.fill(Link::NONE);
                if let Some(Exchange { partner, step, routes, .. }) = exchange {
                    links[partner as usize] = Link { route: routes[direction], step };
                }
                self.grower.grow(request, table, links, rng).is_some()
            });
            if !is_complete {
                // Less time between root and leaves, at higher prices.
                step_cost = step_cost.saturating_mul(2);
                continue;
            }
            let price = price_of(&trees);
            if best.as_ref().is_none_or(|&(least, _)| price < least) {
                best = Some((price, trees.clone()));
            }
        }
        best.map(|(_, trees)| trees)
    }

    /// Returns a root for the trees of a block, and the step at which the tree away from it may begin; `None` if the steps do
    /// not suffice for this root.
    fn random_root(&self, group: &Group, rng: &mut impl Rng) -> Option<(u32, u32)> {
        if let Some(source) = group.source {
            return Some((source, 0));
        }
        let root = rng.random_range(0..group.eccentricity.len() as u32);
        let &[from_farthest, to_farthest] = group.eccentricity.get(root as usize)?;
        (from_farthest.saturating_add(to_farthest) <= self.steps)
            .then(|| (root, rng.random_range(from_farthest..=self.steps - to_farthest)))
    }

    /// Returns an exchange at a random root and step; `None` if this root cannot exchange sums in time.
    fn random_exchange(&self, group: &Group, rng: &mut impl Rng) -> Option<Exchange> {
        if group.source.is_some() || group.is_direct {
            return None;
        }
        let root = *group.members.choose(rng)?;
        let [from_farthest, to_farthest] = *group.eccentricity.get(root as usize)?;
        let (first, last) = (from_farthest.saturating_sub(1), self.steps.checked_sub(to_farthest)?);
        if first > last {
            return None;
        }
        let to_root = *self.groups.graphs[0].routes_at(root).choose(rng)?;
        let routes = self.groups.routes_of_exchange(self.routes, group, to_root)?;
        let [partner, _] = self.routes.ends(to_root);
        Some(Exchange { root, partner, step: rng.random_range(first..=last), routes })
    }

    /// Gives a block new trees if they are cheaper than its own.
    fn replace(&mut self, block: u32, rng: &mut impl Rng) {
        let old = self.blocks[block as usize].clone();
        old.links().for_each(|link| self.table.remove(self.routes.slots(link.route), link.step));
        let trees = self.new_trees(block, Some(old), rng).expect("the old trees have a place");
        trees.links().for_each(|link| self.table.add(self.routes.slots(link.route), link.step));
        self.blocks[block as usize] = trees;
    }

    /// Cuts off a link with an overused slot and all links behind it, or some more, and lets them grow again. The old links
    /// stay if they are cheaper.
    fn regrow(&mut self, (block, direction, mut far): Place, rng: &mut impl Rng) {
        let (routes, graph) = (self.routes, &self.groups.graphs[direction]);
        let near = |link: Link| graph.near_and_far(routes, link.route)[0];
        let (root, time) = (self.blocks[block as usize].root, self.time_at_root(block, direction));
        let links = &mut self.blocks[block as usize].links[direction];
        let link = links[far as usize];
        if !link.is_some() || !self.table.is_overused(routes.slots(link.route), link.step) {
            return;
        }
        while rng.random_range(0..CUTS_PER_LARGER_ONE) == 0 && near(links[far as usize]) != root {
            far = near(links[far as usize]);
        }
        // A terminal that only passes on what is cut off is cut off as well: it would have nothing to send to the root.
        let is_member = &self.groups.of_block(block).is_member;
        let has_other_link = |links: &[Link], terminal: u32, far: u32| {
            (0..).zip(links).any(|(other, &link)| other != far && link.is_some() && near(link) == terminal)
        };
        loop {
            let terminal = near(links[far as usize]);
            if terminal == root || is_member[terminal as usize] || has_other_link(links, terminal, far) {
                break;
            }
            far = terminal;
        }
        let is_behind = |links: &[Link], mut terminal: u32| {
            while terminal != far && links[terminal as usize].is_some() {
                terminal = near(links[terminal as usize]);
            }
            terminal == far
        };
        self.old.clone_from(links);
        for (terminal, link) in (0..).zip(&mut *links) {
            let is_cut = link.is_some() && is_behind(&self.old, terminal);
            self.is_kept[terminal as usize] = link.is_some() && !is_cut;
            if is_cut {
                self.table.remove(routes.slots(link.route), link.step);
                *link = Link::NONE;
            }
        }
        let (group, step_cost) = (self.groups.of_block(block), STEP_COST >> rng.random_range(0..6));
        let request = TreeRequest { graphs: &self.groups.graphs, direction, group, root, time, step_cost };
        let is_complete = self.grower.grow(request, &self.table, links, rng).is_some();
        let changed = |links: &[Link]| {
            let changed = links.iter().zip(&self.is_kept).filter(|&(link, &is_kept)| link.is_some() && !is_kept);
            changed.map(|(&link, _)| link).collect::<Vec<_>>()
        };
        let (mut new, old) = (changed(links), changed(&self.old));
        if !is_complete || price(routes, &self.table, &new) > price(routes, &self.table, &old) {
            links.clone_from(&self.old);
            new = old;
        }
        for link in new {
            self.table.add(routes.slots(link.route), link.step);
        }
    }

    /// Returns the first step of the tree away from the root, or the first step after the tree towards the root, which
    /// limit the tree of the other `direction`.
    fn time_at_root(&self, block: u32, direction: usize) -> u32 {
        let BlockTrees { root, links } = &self.blocks[block as usize];
        let (other, graph) = (&links[1 - direction], &self.groups.graphs[1 - direction]);
        let at_root =
            other.iter().filter(|link| link.is_some() && graph.near_and_far(self.routes, link.route)[0] == *root);
        let steps = at_root.map(|link| link.step);
        if graph.is_towards_root() { steps.max().map_or(0, |step| step + 1) } else { steps.min().unwrap_or(self.steps) }
    }
}

/// Returns the sum of the prices of links.
fn price(routes: &Routes, table: &PriceTable<'_>, links: &[Link]) -> u64 {
    links.iter().map(|link| u64::from(table.price(routes.slots(link.route), link.step))).sum()
}
