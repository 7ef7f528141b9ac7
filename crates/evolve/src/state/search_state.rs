//! A schedule under construction, with its conflicts counted incrementally.

use super::assignment::Assignment;
use super::occupancy::Occupancy;
use super::sparse_set::SparseSet;
use crate::space::{Gene, SearchSpace};

/// Genes, the occupancy of resources and steps that they cause, and the number of conflicts.
///
/// A conflict is a pair of transfers in one step on one resource of capacity 1. A resource of capacity `k` with `u`
/// users counts the pairs among `u - k + 1` of them. Changing a gene takes time proportional to the length of its two
/// paths.
///
/// Memory: 6 bytes and one bit per resource and step, and 20 bytes per delivery.
///
/// ```
/// use lockstep_evolve::{Gene, SearchSpace, SearchState, candidate_paths};
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:4".parse()?;
/// let scatter = Collective::scatter(ring.terminals()[0]);
/// let problem = Problem::new(&ring, &scatter, CommunicationModel::wormhole())?;
/// let paths = candidate_paths(&problem)?;
/// let space = SearchSpace::new(problem, &paths, 2)?;
///
/// let path = paths.between(ring.terminals()[0], ring.terminals()[1]).start;
/// let mut state = SearchState::new(&space);
/// state.place(0, Gene { path, step: 0 });
/// // Another transfer on the same path is in conflict in the same step only.
/// assert_eq!((state.cost(path, 0), state.cost(path, 1)), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SearchState<'a> {
    space: &'a SearchSpace<'a>,
    assignment: Assignment,
    occupancy: Occupancy,
    /// The deliveries that may be in conflict. At most `capacity` users of a cell are missing here, so every cell with
    /// more users is represented. All users of an overloaded cell of capacity 1 are members.
    suspects: SparseSet,
}

impl<'a> SearchState<'a> {
    /// Creates a state in which no delivery is placed.
    pub fn new(space: &'a SearchSpace<'a>) -> Self {
        let deliveries = space.delivery_count();
        Self {
            space,
            assignment: Assignment::new(deliveries),
            occupancy: Occupancy::new(space),
            suspects: SparseSet::new(deliveries),
        }
    }

    /// Removes every delivery.
    pub fn clear(&mut self) {
        self.assignment.clear();
        self.occupancy.clear(self.space);
        self.suspects.clear();
    }

    /// Replaces the contents by these genes, some of which may be unplaced.
    ///
    /// # Panics
    ///
    /// If there is not one gene per delivery, or a gene names a path or a step that does not exist.
    pub fn load(&mut self, genes: &[Gene]) {
        assert_eq!(genes.len(), self.genes().len(), "one gene per delivery");
        self.clear();
        for (delivery, &gene) in genes.iter().enumerate() {
            if gene.path != Gene::UNPLACED {
                self.place(delivery, gene);
            }
        }
    }

    /// Returns the space that is searched.
    pub fn space(&self) -> &'a SearchSpace<'a> {
        self.space
    }

    /// Returns the genes, one per delivery.
    pub fn genes(&self) -> &[Gene] {
        self.assignment.genes()
    }

    /// Returns the number of conflicts among the placed deliveries.
    pub fn conflicts(&self) -> u64 {
        self.occupancy.conflicts()
    }

    /// Returns the sender of a delivery, by rank; `u32::MAX` while it is unplaced.
    #[inline]
    pub(crate) fn sender(&self, delivery: usize) -> u32 {
        self.assignment.sender(delivery)
    }

    /// Assigns a path and a step to a delivery, whether it is placed or not.
    ///
    /// # Panics
    ///
    /// If there is no such delivery, path or step.
    #[inline]
    pub fn set(&mut self, delivery: usize, gene: Gene) {
        if self.genes()[delivery].path != Gene::UNPLACED {
            self.lift(delivery);
        }
        self.place(delivery, gene);
    }

    /// Places an unplaced delivery.
    ///
    /// # Panics
    ///
    /// If the delivery is placed already, or there is no such delivery, path or step.
    #[inline]
    pub fn place(&mut self, delivery: usize, gene: Gene) {
        let Self { space, assignment, occupancy, suspects } = self;
        assert_eq!(assignment.genes()[delivery].path, Gene::UNPLACED, "delivery {delivery} is unplaced");
        assert!((gene.step as usize) < occupancy.steps(), "step {} of {}", gene.step, occupancy.steps());
        let clashes = occupancy.add(space, delivery, gene.path, gene.step, |user| suspects.insert(user));
        assignment.place(delivery, gene, space.sender(gene.path));
        if clashes {
            suspects.insert(delivery as u32);
        }
    }

    /// Removes a placed delivery and returns the gene it had.
    ///
    /// # Panics
    ///
    /// If the delivery is unplaced.
    #[inline]
    pub fn lift(&mut self, delivery: usize) -> Gene {
        let gene = self.assignment.take(delivery);
        self.occupancy.remove(self.space, delivery, gene.path, gene.step);
        gene
    }

    /// Returns the number of conflicts that one more transfer along `path` in `step` would add.
    ///
    /// # Panics
    ///
    /// If there is no such path. For a step that does not exist, panics or returns an arbitrary number.
    #[inline]
    pub fn cost(&self, path: u32, step: u32) -> u64 {
        self.occupancy.cost(self.space.resources(path), step)
    }

    /// Returns true if a delivery is placed and in conflict.
    pub fn in_conflict(&self, delivery: usize) -> bool {
        let gene = self.genes()[delivery];
        let is_overloaded = |&resource: &u32| self.occupancy.is_overloaded(resource, gene.step);
        gene.path != Gene::UNPLACED && self.space.resources(gene.path).iter().any(is_overloaded)
    }

    /// Returns a delivery in conflict, selected by `draw(n)`, which returns a number below `n`. Returns `None` only if
    /// there is no conflict.
    pub(crate) fn draw_conflict(&mut self, mut draw: impl FnMut(usize) -> usize) -> Option<usize> {
        while !self.suspects.is_empty() {
            let delivery = self.suspects.members()[draw(self.suspects.len())];
            if self.in_conflict(delivery as usize) {
                return Some(delivery as usize);
            }
            self.suspects.remove(delivery);
        }
        None
    }

    /// Returns the only user of a resource of capacity 1 in a step.
    #[inline]
    pub(crate) fn only_user(&self, resource: u32, step: u32) -> Option<usize> {
        self.occupancy.only_user(self.space, resource, step)
    }

    /// Returns true if one more user of a resource in a step would be in conflict.
    #[inline]
    pub(crate) fn is_full(&self, resource: u32, step: u32) -> bool {
        self.occupancy.is_full(resource, step)
    }

    /// Sets, for every step, the bit in `one` if at least one resource of `path` is full, and in `two` if at least two
    /// are.
    #[inline]
    pub(crate) fn full_steps(&self, path: u32, one: &mut [u64], two: &mut [u64]) {
        self.occupancy.full_steps(self.space.resources(path), one, two);
    }

    /// Returns the first step in which the terminal of a rank can send a broadcast message; `u32::MAX` if it never
    /// receives it.
    #[inline]
    pub(crate) fn ready(&self, message: u32, rank: u32) -> u32 {
        self.assignment.ready(self.space, message, rank)
    }

    /// Returns the first step in which a terminal forwards a message, or the number of steps if it never does.
    #[inline]
    pub(crate) fn first_forwarded(&self, message: u32, rank: u32) -> u32 {
        self.assignment.first_forwarded(self.space, message, rank)
    }
}

#[cfg(test)]
mod tests {
    use lockstep_paths::PathId;
    use lockstep_schedule::{Ports, strategy::Instance};
    use lockstep_topology::{NodeId, ResourceId};
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::state::Evaluator;
    use crate::strategy::{in_space, random_genes, searchable, stream};

    /// Counts conflicts by their definition: for a resource of capacity `k`, or `k` ports, with `u` users in a step, the
    /// pairs among `u - k + 1` of them.
    fn recount(space: &SearchSpace, genes: &[Gene]) -> u64 {
        let (topology, table) = (space.problem().topology(), space.table());
        let placed: Vec<Gene> = genes.iter().copied().filter(|gene| gene.path != Gene::UNPLACED).collect();
        let resources = |gene: &Gene| table.channels(PathId::new(gene.path)).iter().map(|&e| topology.resource(e));
        let mut conflicts = 0;
        let pairs = |users: usize, capacity: u32| {
            let excess = (users as u64).saturating_sub(u64::from(capacity));
            excess * (excess + 1) / 2
        };
        for resource in (0..topology.resource_count() as u32).map(ResourceId::new) {
            for step in 0..space.step_count() {
                let of_step = placed.iter().filter(|gene| gene.step == step);
                let users = of_step.flat_map(resources).filter(|&used| used == resource).count();
                conflicts += pairs(users, topology.resource_capacity(resource));
            }
        }
        let Ports::Limit(ports) = space.problem().model().ports else { return conflicts };
        let crowd = |end: fn(&SearchSpace, u32) -> NodeId, node, step| {
            let users = placed.iter().filter(|gene| gene.step == step && end(space, gene.path) == node).count();
            pairs(users, ports.get())
        };
        for &node in topology.terminals() {
            for step in 0..space.step_count() {
                conflicts += crowd(|space, path| space.table().source(PathId::new(path)), node, step);
                conflicts += crowd(|space, path| space.table().target(PathId::new(path)), node, step);
            }
        }
        conflicts
    }

    /// Everything but the suspects, which may have members that are not in conflict.
    fn contents<'s>(state: &'s SearchState) -> impl PartialEq + std::fmt::Debug + use<'s> {
        (&state.assignment, &state.occupancy)
    }

    /// A change of a delivery: its index, whether to lift it if it is placed, and its new path and step.
    type Change = (Index, bool, Index, Index);

    fn apply(state: &mut SearchState, (delivery, lift, path, step): Change) -> (usize, Gene) {
        let space = state.space();
        let delivery = delivery.index(space.delivery_count());
        let before = state.genes()[delivery];
        let gene =
            Gene { path: *path.get(space.candidates(delivery)), step: step.index(space.step_count() as usize) as u32 };
        if before.path == Gene::UNPLACED {
            let expected = state.conflicts() + state.cost(gene.path, gene.step);
            state.place(delivery, gene);
            assert_eq!(state.conflicts(), expected, "the cost of a gene is the number of conflicts that it adds");
        } else if lift {
            assert_eq!(state.lift(delivery), before);
        } else {
            state.set(delivery, gene);
        }
        (delivery, before)
    }

    fn changes() -> impl Strategy<Value = Vec<Change>> {
        prop::collection::vec(any::<Change>(), 0..60)
    }

    fn any_space() -> impl Strategy<Value = (Instance, u32, u64)> {
        (searchable(7), 0..=3u32, any::<u64>())
    }

    proptest! {
        #[test]
        fn conflicts_are_those_of_a_full_count_after_every_change(
            (instance, spare, seed) in any_space(), changes in changes(),
        ) {
            in_space(&instance, spare, |space| {
                let mut state = SearchState::new(space);
                let genes = random_genes(space, &mut stream(seed));
                state.load(&genes);
                prop_assert_eq!(state.conflicts(), recount(space, &genes));
                prop_assert_eq!(Evaluator::new(space).conflicts(&genes), state.conflicts());
                for change in changes {
                    apply(&mut state, change);
                    prop_assert_eq!(state.conflicts(), recount(space, state.genes()));
                }
                let mut fresh = SearchState::new(space);
                fresh.load(state.genes());
                // An unplaced gene keeps its last step.
                fresh.assignment.copy_from(&state.assignment);
                prop_assert_eq!(contents(&fresh), contents(&state));
                Ok(())
            })?;
        }

        #[test]
        fn changes_undone_in_reverse_restore_the_state((instance, spare, seed) in any_space(), changes in changes()) {
            in_space(&instance, spare, |space| {
                let mut state = SearchState::new(space);
                state.load(&random_genes(space, &mut stream(seed)));
                let before = state.clone();
                let journal: Vec<(usize, Gene)> = changes.into_iter().map(|change| apply(&mut state, change)).collect();
                for (delivery, gene) in journal.into_iter().rev() {
                    if gene.path == Gene::UNPLACED {
                        state.lift(delivery);
                    } else {
                        state.set(delivery, gene);
                    }
                }
                prop_assert_eq!(contents(&state), contents(&before));
                Ok(())
            })?;
        }

        #[test]
        fn a_delivery_in_conflict_is_drawn_if_and_only_if_there_is_a_conflict(
            (instance, spare, seed) in any_space(), changes in changes(), pick: u64,
        ) {
            in_space(&instance, spare, |space| {
                let mut state = SearchState::new(space);
                state.load(&random_genes(space, &mut stream(seed)));
                for change in changes {
                    apply(&mut state, change);
                    let drawn = state.draw_conflict(|n| (pick % n as u64) as usize);
                    prop_assert_eq!(drawn.is_some(), state.conflicts() > 0);
                    prop_assert!(drawn.is_none_or(|delivery| state.in_conflict(delivery)));
                    if space.problem().model().ports == Ports::All && !space.problem().topology().has_capacities() {
                        let is_overlooked = |&delivery: &usize| {
                            state.in_conflict(delivery) && !state.suspects.contains(delivery as u32)
                        };
                        prop_assert_eq!((0..space.delivery_count()).find(is_overlooked), None);
                    }
                }
                Ok(())
            })?;
        }

        #[test]
        fn full_steps_and_only_users_are_those_of_the_genes((instance, spare, seed) in any_space()) {
            in_space(&instance, spare, |space| {
                let mut state = SearchState::new(space);
                let genes = random_genes(space, &mut stream(seed));
                state.load(&genes);
                let users = |resource: u32, step: u32| -> Vec<usize> {
                    let uses = |gene: &Gene| gene.step == step && space.resources(gene.path).contains(&resource);
                    (0..genes.len()).filter(|&delivery| uses(&genes[delivery])).collect()
                };
                let (mut one, mut two) = (vec![u64::MAX], vec![u64::MAX]);
                for path in 0..space.table().path_count() as u32 {
                    state.full_steps(path, &mut one, &mut two);
                    for step in 0..space.step_count() {
                        let is_full = |&&r: &&u32| users(r, step).len() >= usize::from(space.capacity(r as usize));
                        let full: Vec<u32> = space.resources(path).iter().filter(is_full).copied().collect();
                        prop_assert_eq!(one[0] >> step & 1 == 1, !full.is_empty());
                        prop_assert_eq!(two[0] >> step & 1 == 1, full.len() > 1);
                        for &resource in space.resources(path) {
                            prop_assert_eq!(state.is_full(resource, step), full.contains(&resource));
                            let only = match users(resource, step)[..] {
                                [user] if space.capacity(resource as usize) == 1 => Some(user),
                                _ => None,
                            };
                            prop_assert_eq!(state.only_user(resource, step), only);
                        }
                    }
                }
                Ok(())
            })?;
        }
    }
}
