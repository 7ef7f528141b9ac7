//! The search state: one schedule in the making, its conflicts counted incrementally.

use crate::space::{Gene, SearchSpace};

/// Genes, the occupancy of resource x step that they cause, and the number of conflicts.
///
/// A conflict is a pair of transfers in one step on one resource of capacity 1; a resource of capacity `k` with `u`
/// users counts the pairs among the last `u - k + 1` of them. Changing a gene costs the length of its two paths.
///
/// Memory: 6 bytes and one bit a cell of resource x step, 17 bytes a delivery.
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
    /// Deliveries that may be in conflict; every delivery in conflict on a resource of capacity 1 is among them.
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
            row.fill(1 - self.space.capacity(resource) as i16);
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

    /// Gives a delivery another path and step.
    pub fn set(&mut self, delivery: usize, gene: Gene) {
        self.lift(delivery);
        self.place(delivery, gene);
    }

    /// Puts a delivery that is out onto the cells of its path.
    #[inline]
    pub fn place(&mut self, delivery: usize, gene: Gene) {
        debug_assert_eq!(self.genes[delivery].path, Gene::UNPLACED, "delivery {delivery} is placed");
        let (step, word, bit) = (gene.step as usize, gene.step as usize / 64, 1 << (gene.step % 64));
        let mut clashes = false;
        for &resource in self.space.resources(gene.path) {
            let cell = resource as usize * self.steps + step;
            let load = self.load[cell];
            if load > 0 {
                self.conflicts += load as u64;
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
                self.conflicts -= load as u64;
            } else {
                self.full[resource as usize * self.words + word] &= !bit;
            }
        }
        self.genes[delivery].path = Gene::UNPLACED;
        self.sender[delivery] = u32::MAX;
        gene
    }

    /// Gives a delivery this gene, whether it is placed or not.
    pub(crate) fn restore(&mut self, delivery: usize, gene: Gene) {
        if self.genes[delivery].path != Gene::UNPLACED {
            self.lift(delivery);
        }
        self.place(delivery, gene);
    }

    /// The conflicts that a further transfer along `path` in `step` would add.
    #[inline]
    pub fn cost(&self, path: u32, step: u32) -> u64 {
        let load = |&resource: &u32| self.load[resource as usize * self.steps + step as usize].max(0) as u64;
        self.space.resources(path).iter().map(load).sum()
    }

    /// Whether a placed delivery is in conflict.
    pub fn in_conflict(&self, delivery: usize) -> bool {
        let gene = self.genes[delivery];
        let crowded = |&resource: &u32| self.load[resource as usize * self.steps + gene.step as usize] > 1;
        gene.path != Gene::UNPLACED && self.space.resources(gene.path).iter().any(crowded)
    }

    /// A delivery in conflict, drawn by `draw(n)` below `n`; `None` if there is none that is known.
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

    /// The number of conflicts of an individual whose deliveries are all placed, as [`SearchState::conflicts`] has it.
    pub fn conflicts(&mut self, genes: &[Gene]) -> u64 {
        self.load.fill(0);
        let steps = self.space.step_count() as usize;
        let mut conflicts = 0;
        for gene in genes {
            for &resource in self.space.resources(gene.path) {
                let load = &mut self.load[resource as usize * steps + gene.step as usize];
                conflicts += u64::from((*load + 1).saturating_sub(self.space.capacity(resource as usize)));
                *load += 1;
            }
        }
        conflicts
    }
}
