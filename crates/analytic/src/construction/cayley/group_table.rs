//! A group as a table: the element to which each generator leads.

use lockstep_topology::CayleyGraph;

use crate::GroupLabelling;

/// The largest number of generators.
const MAX_DEGREE: usize = 64;
/// The largest number of entries of the table.
const MAX_SLOTS: u64 = 1 << 26;

/// The element to which each generator leads from each element, and the distances from element 0.
///
/// Memory: 4 bytes per element and generator, and 8 bytes per element.
pub(super) struct GroupTable {
    degree: usize,
    next: Vec<u32>,
    distance: Vec<u32>,
    order: Vec<u32>,
}

impl GroupTable {
    /// Returns the table of a graph. There is none for fewer than two elements, for generators that do not reach all
    /// elements, and for more than 64 generators or 2^26 entries.
    pub(super) fn of_graph(graph: &CayleyGraph) -> Option<Self> {
        let (elements, degree) = (graph.node_count(), graph.degree());
        let entries = elements.checked_mul(degree as u64)?;
        if degree > MAX_DEGREE || entries > MAX_SLOTS || elements > MAX_SLOTS {
            return None;
        }
        let mut next = vec![0; entries as usize];
        for (place, &generator) in graph.generators().iter().enumerate() {
            // The sums over the axes so far.
            let mut sums = vec![0u32];
            for (&side, step) in graph.sides().iter().zip(graph.coordinates(generator)) {
                let digits = |sum: u32| (0..side).map(move |digit| sum * side as u32 + ((digit + step) % side) as u32);
                sums = sums.into_iter().flat_map(digits).collect();
            }
            next[place..].iter_mut().step_by(degree).zip(sums).for_each(|(next, sum)| *next = sum);
        }
        Self::new(elements as usize, degree, next)
    }

    /// Returns the table of a network, with node 0 as element 0; `None` in the cases of [`Self::of_graph`].
    pub(super) fn of_labelling(labelling: &GroupLabelling) -> Option<Self> {
        let next = labelling.heads();
        let fits = labelling.degree() <= MAX_DEGREE && next.len() as u64 <= MAX_SLOTS;
        if fits { Self::new(labelling.node_count(), labelling.degree(), next.to_vec()) } else { None }
    }

    /// Returns the group of this table, one row of generators per element; `None` for one element, or if not all are
    /// reached.
    pub(super) fn new(elements: usize, degree: usize, next: Vec<u32>) -> Option<Self> {
        let mut steps = Self { degree, next, distance: vec![u32::MAX; elements], order: vec![0] };
        steps.distance[0] = 0;
        let mut first = 0;
        while first < steps.order.len() {
            let element = steps.order[first] as usize;
            first += 1;
            for generator in 0..degree {
                let next = steps.next(element, generator);
                if steps.distance[next] == u32::MAX {
                    steps.distance[next] = steps.distance[element] + 1;
                    steps.order.push(next as u32);
                }
            }
        }
        (elements > 1 && steps.order.len() == elements).then_some(steps)
    }

    pub(super) fn element_count(&self) -> usize {
        self.distance.len()
    }

    pub(super) fn degree(&self) -> usize {
        self.degree
    }

    #[inline]
    pub(super) fn next(&self, element: usize, generator: usize) -> usize {
        self.next[element * self.degree + generator] as usize
    }

    /// Returns the elements to which the generators lead from an element, in order.
    pub(super) fn neighbours(&self, element: usize) -> impl Iterator<Item = usize> {
        self.next[element * self.degree..][..self.degree].iter().map(|&next| next as usize)
    }

    /// Returns the number of generators in a shortest word of an element.
    #[inline]
    pub(super) fn distance(&self, element: usize) -> u32 {
        self.distance[element]
    }

    /// Returns the elements by distance.
    pub(super) fn order(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.order.iter().map(|&element| element as usize)
    }

    pub(super) fn diameter(&self) -> u32 {
        self.order.last().map_or(0, |&furthest| self.distance[furthest as usize])
    }

    /// Returns the sum of the distances of all elements.
    pub(super) fn distance_sum(&self) -> u64 {
        self.distance.iter().copied().map(u64::from).sum()
    }
}
