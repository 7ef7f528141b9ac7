//! The search state: one schedule in the making, its conflicts counted incrementally.

use crate::space::{Gene, SearchSpace};

/// Genes, the occupancy of resource x step that they cause, and the number of conflicts.
///
/// A conflict is a pair of transfers in one step on one resource of capacity 1; a resource of capacity `k` with `u`
/// users counts the pairs among the last `u - k + 1` of them. Changing a gene costs the length of its two paths.
///
/// Memory: 6 bytes and one bit a cell of resource x step, 20 bytes a delivery.
#[derive(Clone, Debug)]
pub struct SearchState<'a> {
    space: &'a SearchSpace<'a>,
    genes: Vec<Gene>,
    /// Sender of each gene; kept beside the genes because restoration scans it.
    sender: Vec<u32>,
    /// Users of each cell less its capacity plus one: a further user adds `max(0, load)` conflicts.
    load: Vec<i16>,
    /// Exclusive or of the users' numbers: the user itself where there is one.
    users: Vec<u32>,
    /// A bit for each cell that cannot take one more user, `words` words a resource.
    full: Vec<u64>,
    words: usize,
    steps: usize,
    conflicts: u64,
    /// Deliveries that may be in conflict. Of the users of a cell, at most as many as its capacity are missing here, so no
    /// overfull cell is overlooked; of capacity 1, all users of an overfull cell are here.
    suspects: Vec<u32>,
    /// Where each delivery stands in `suspects`, or `NOT_SUSPECT`.
    suspect_place: Vec<u32>,
}

const NOT_SUSPECT: u32 = u32::MAX;

impl<'a> SearchState<'a> {
    /// A state with nothing placed.
    pub fn new(space: &'a SearchSpace<'a>) -> Self {
        let steps = space.step_count() as usize;
        let words = steps.div_ceil(64);
        let cells = space.resource_count() * steps;
        let nothing = Gene { path: Gene::UNPLACED, step: 0 };
        let mut state = Self {
            space,
            genes: vec![nothing; space.delivery_count()],
            sender: vec![u32::MAX; space.delivery_count()],
            load: vec![0; cells],
            users: vec![0; cells],
            full: vec![0; space.resource_count() * words],
            words,
            steps,
            conflicts: 0,
            suspects: Vec::new(),
            suspect_place: vec![NOT_SUSPECT; space.delivery_count()],
        };
        state.clear();
        state
    }

    /// Takes every delivery out.
    pub fn clear(&mut self) {
        self.genes.fill(Gene { path: Gene::UNPLACED, step: 0 });
        self.sender.fill(u32::MAX);
        for (resource, row) in self.load.chunks_exact_mut(self.steps).enumerate() {
            row.fill(1 - self.space.capacity(resource).cast_signed());
        }
        self.users.fill(0);
        self.full.fill(0);
        self.conflicts = 0;
        self.suspects.clear();
        self.suspect_place.fill(NOT_SUSPECT);
    }

    /// Replaces everything by these genes, some of which may be unplaced.
    ///
    /// # Panics
    ///
    /// If there is not one gene a delivery, or one names a path or a step that does not exist.
    pub fn load(&mut self, genes: &[Gene]) {
        assert_eq!(genes.len(), self.genes.len(), "one gene a delivery");
        self.clear();
        for (delivery, &gene) in genes.iter().enumerate() {
            if gene.path != Gene::UNPLACED {
                self.place(delivery, gene);
            }
        }
    }

    /// The space it searches.
    pub fn space(&self) -> &'a SearchSpace<'a> {
        self.space
    }

    /// The genes, one a delivery.
    pub fn genes(&self) -> &[Gene] {
        &self.genes
    }

    /// Number of conflicts among the placed deliveries.
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    /// The sender of a delivery, by rank; `u32::MAX` while it is not placed.
    #[inline]
    pub(crate) fn sender(&self, delivery: usize) -> u32 {
        self.sender[delivery]
    }

    /// Gives a delivery this path and step, whether it is placed or not.
    ///
    /// # Panics
    ///
    /// If there is no such delivery, path or step.
    #[inline]
    pub fn set(&mut self, delivery: usize, gene: Gene) {
        if self.genes[delivery].path != Gene::UNPLACED {
            self.lift(delivery);
        }
        self.place(delivery, gene);
    }

    /// Puts a delivery that is out onto the cells of its path.
    ///
    /// # Panics
    ///
    /// If it is placed already, or there is no such delivery, path or step.
    #[inline]
    pub fn place(&mut self, delivery: usize, gene: Gene) {
        assert_eq!(self.genes[delivery].path, Gene::UNPLACED, "delivery {delivery} is out");
        assert!((gene.step as usize) < self.steps, "step {} of {}", gene.step, self.steps);
        let (step, word, bit) = (gene.step as usize, gene.step as usize / 64, 1 << (gene.step % 64));
        let mut clashes = false;
        for &resource in self.space.resources(gene.path) {
            let cell = resource as usize * self.steps + step;
            let load = self.load[cell];
            if load > 0 {
                self.conflicts += u64::from(load.cast_unsigned());
                clashes = true;
                if load == 1 && self.space.capacity(resource as usize) == 1 {
                    // Its only user so far is in conflict from now on.
                    self.suspect(self.users[cell] as usize);
                }
            }
            self.load[cell] = load + 1;
            self.users[cell] ^= delivery as u32;
            if load >= 0 {
                self.full[resource as usize * self.words + word] |= bit;
            }
        }
        self.genes[delivery] = gene;
        self.sender[delivery] = self.space.sender(gene.path);
        if clashes {
            self.suspect(delivery);
        }
    }

    /// Takes a placed delivery out and returns the gene it had.
    ///
    /// # Panics
    ///
    /// If it is not placed.
    #[inline]
    pub fn lift(&mut self, delivery: usize) -> Gene {
        let gene = self.genes[delivery];
        let (step, word, bit) = (gene.step as usize, gene.step as usize / 64, 1 << (gene.step % 64));
        for &resource in self.space.resources(gene.path) {
            let cell = resource as usize * self.steps + step;
            let load = self.load[cell] - 1;
            self.load[cell] = load;
            self.users[cell] ^= delivery as u32;
            if load > 0 {
                self.conflicts -= u64::from(load.cast_unsigned());
            } else {
                self.full[resource as usize * self.words + word] &= !bit;
            }
        }
        self.genes[delivery].path = Gene::UNPLACED;
        self.sender[delivery] = u32::MAX;
        gene
    }

    /// The number of conflicts that a further transfer along `path` in `step` would add.
    ///
    /// # Panics
    ///
    /// If there is no such path; a step that does not exist gives any number or panics.
    #[inline]
    pub fn cost(&self, path: u32, step: u32) -> u64 {
        let load = |&resource: &u32| self.load[resource as usize * self.steps + step as usize].max(0).cast_unsigned();
        self.space.resources(path).iter().map(load).map(u64::from).sum()
    }

    /// Whether a delivery is placed and in conflict.
    pub fn in_conflict(&self, delivery: usize) -> bool {
        let gene = self.genes[delivery];
        let crowded = |&resource: &u32| self.load[resource as usize * self.steps + gene.step as usize] > 1;
        gene.path != Gene::UNPLACED && self.space.resources(gene.path).iter().any(crowded)
    }

    /// A delivery in conflict, drawn by `draw(n)` below `n`; `None` only if there is no conflict.
    pub(crate) fn draw_conflict(&mut self, mut draw: impl FnMut(usize) -> usize) -> Option<usize> {
        while !self.suspects.is_empty() {
            let place = draw(self.suspects.len());
            let delivery = self.suspects[place] as usize;
            if self.in_conflict(delivery) {
                return Some(delivery);
            }
            self.suspects.swap_remove(place);
            self.suspect_place[delivery] = NOT_SUSPECT;
            if let Some(&moved) = self.suspects.get(place) {
                self.suspect_place[moved as usize] = place as u32;
            }
        }
        None
    }

    /// The only user of a resource of capacity 1 in a step.
    #[inline]
    pub(crate) fn only_user(&self, resource: u32, step: u32) -> Option<usize> {
        let cell = resource as usize * self.steps + step as usize;
        (self.load[cell] == 1 && self.space.capacity(resource as usize) == 1).then(|| self.users[cell] as usize)
    }

    /// Whether a further user of a resource in a step would be in conflict.
    #[inline]
    pub(crate) fn is_full(&self, resource: u32, step: u32) -> bool {
        self.load[resource as usize * self.steps + step as usize] > 0
    }

    /// For every step, 64 a word: whether at least one, and whether at least two resources of `path` are full.
    #[inline]
    pub(crate) fn crowding(&self, path: u32, one: &mut [u64], two: &mut [u64]) {
        one.fill(0);
        two.fill(0);
        for &resource in self.space.resources(path) {
            let row = &self.full[resource as usize * self.words..(resource as usize + 1) * self.words];
            for ((one, two), &full) in one.iter_mut().zip(two.iter_mut()).zip(row) {
                *two |= *one & full;
                *one |= full;
            }
        }
    }

    /// From which step on the terminal of a rank can send a message, or `u32::MAX` if it never gets it.
    #[inline]
    pub(crate) fn ready(&self, message: u32, rank: u32) -> u32 {
        match self.space.delivery_to(message, rank) {
            SearchSpace::AT_SOURCE => 0,
            SearchSpace::NEVER => u32::MAX,
            delivery => {
                let gene = self.genes[delivery as usize];
                if gene.path == Gene::UNPLACED { u32::MAX } else { gene.step + 1 }
            }
        }
    }

    /// The first step in which a terminal passes a message on, or the number of steps if it never does.
    #[inline]
    pub(crate) fn first_passed_on(&self, message: u32, rank: u32) -> u32 {
        let deliveries = self.space.deliveries_of(message);
        let passed = self.sender[deliveries.clone()].iter().zip(&self.genes[deliveries]);
        passed.filter(|&(&sender, _)| sender == rank).map(|(_, gene)| gene.step).min().unwrap_or(self.steps as u32)
    }

    fn suspect(&mut self, delivery: usize) {
        if self.suspect_place[delivery] == NOT_SUSPECT {
            self.suspect_place[delivery] = self.suspects.len() as u32;
            self.suspects.push(delivery as u32);
        }
    }
}

/// Counts the conflicts of whole individuals, without the bookkeeping that changes need.
///
/// Memory: 2 bytes a cell.
#[derive(Clone, Debug)]
pub struct Evaluator<'a> {
    space: &'a SearchSpace<'a>,
    load: Vec<u16>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator for individuals of a space.
    pub fn new(space: &'a SearchSpace<'a>) -> Self {
        Self { space, load: vec![0; space.resource_count() * space.step_count() as usize] }
    }

    /// The number of conflicts of genes that are all placed, as [`SearchState::conflicts`] has it. Takes time in
    /// proportion to the cells and the resources of the paths.
    ///
    /// # Panics
    ///
    /// If a gene names a path or a step that does not exist.
    pub fn conflicts(&mut self, genes: &[Gene]) -> u64 {
        self.load.fill(0);
        let steps = self.space.step_count() as usize;
        let mut conflicts = 0;
        for gene in genes {
            assert!((gene.step as usize) < steps, "step {} of {steps}", gene.step);
            for &resource in self.space.resources(gene.path) {
                let load = &mut self.load[resource as usize * steps + gene.step as usize];
                conflicts += u64::from((*load + 1).saturating_sub(self.space.capacity(resource as usize)));
                *load += 1;
            }
        }
        conflicts
    }
}

#[cfg(test)]
mod tests {
    use lockstep_paths::PathId;
    use lockstep_schedule::{Ports, strategy::Instance};
    use lockstep_topology::NodeId;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::strategy::{in_space, random_genes, searchable, stream};

    /// The definition: for every pair in one step, each resource that both cross; for `k` ports with `u` users, the pairs
    /// among `u - k + 1` of them.
    fn recount(space: &SearchSpace, genes: &[Gene]) -> u64 {
        let (topology, table) = (space.problem().topology(), space.table());
        let placed: Vec<Gene> = genes.iter().copied().filter(|gene| gene.path != Gene::UNPLACED).collect();
        let resources = |gene: &Gene| table.channels(PathId::new(gene.path)).iter().map(|&e| topology.resource(e));
        let mut conflicts = 0;
        for (place, first) in placed.iter().enumerate() {
            for second in placed[..place].iter().filter(|second| second.step == first.step) {
                conflicts +=
                    resources(first).map(|r| resources(second).filter(|&s| r == s).count() as u64).sum::<u64>();
            }
        }
        let Ports::Limit(ports) = space.problem().model().ports else { return conflicts };
        let crowd = |end: fn(&SearchSpace, u32) -> NodeId, node, step| {
            let users = placed.iter().filter(|gene| gene.step == step && end(space, gene.path) == node).count() as u64;
            let excess = users.saturating_sub(u64::from(ports.get()));
            excess * (excess + 1) / 2
        };
        for &node in topology.terminals() {
            for step in 0..space.step_count() {
                conflicts += crowd(|space, path| space.table().source(PathId::new(path)), node, step);
                conflicts += crowd(|space, path| space.table().target(PathId::new(path)), node, step);
            }
        }
        conflicts
    }

    /// Everything but the suspects, of which there may be too many.
    fn contents<'s>(state: &'s SearchState) -> impl PartialEq + std::fmt::Debug + use<'s> {
        (&state.genes, &state.sender, &state.load, &state.users, &state.full, state.conflicts)
    }

    /// A delivery, what becomes of it (lift, place or set), its path and its step.
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
            assert_eq!(state.conflicts(), expected, "the cost of a gene is what it adds");
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
                // A delivery that is out remembers its last step.
                fresh.genes.clone_from(&state.genes);
                prop_assert_eq!(contents(&fresh), contents(&state));
                Ok(())
            })?;
        }

        #[test]
        fn changes_taken_back_in_reverse_leave_no_trace((instance, spare, seed) in any_space(), changes in changes()) {
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
                    if space.problem().model().ports == Ports::All {
                        let is_overlooked = |&delivery: &usize| {
                            state.in_conflict(delivery) && state.suspect_place[delivery] == NOT_SUSPECT
                        };
                        prop_assert_eq!((0..space.delivery_count()).find(is_overlooked), None);
                    }
                }
                Ok(())
            })?;
        }

        #[test]
        fn crowding_and_only_users_are_those_of_the_genes((instance, spare, seed) in any_space()) {
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
                    state.crowding(path, &mut one, &mut two);
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
