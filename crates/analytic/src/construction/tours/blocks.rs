//! The blocks of each step: one tour per axis.

use fixedbitset::FixedBitSet;
use lockstep_schedule::Budget;

use super::axis_tours::{AxisTours, Move, Tour};
use super::line::line_tours;
use super::ring::ring_tours;

/// The blocks of all steps of an all-to-all on a torus or a mesh.
pub(super) struct Blocks {
    axes: Vec<AxisTours>,
    /// The tours of all axes.
    tours: Vec<Tour>,
    /// The numbers of the tours of each axis, direction and class.
    classes: Vec<[Vec<Vec<u32>>; 2]>,
    /// For each axis, the moves of no hop at all positions, and those at each position alone.
    rests: Vec<(u32, Vec<u32>)>,
    /// For each step, the numbers of the tours of each block, one per axis.
    steps: Vec<Vec<u32>>,
}

impl Blocks {
    /// Returns the blocks for a torus or a mesh with these sides, 2 or more each; `None` when the budget ends.
    ///
    /// The moves of no hop may be in tours or not. The result is the better one of both.
    pub(super) fn new(sides: &[u32], is_torus: bool, budget: &Budget) -> Option<Self> {
        let tours = if is_torus { ring_tours } else { line_tours };
        let of_axes = |rests: bool| sides.iter().map(|&side| tours(side, rests)).collect();
        let [apart, together] = [false, true].map(|rests| Self::of_axes(of_axes(rests), budget));
        let (apart, together) = (apart?, together?);
        Some(if together.steps.len() < apart.steps.len() { together } else { apart })
    }

    fn of_axes(axes: Vec<AxisTours>, budget: &Budget) -> Option<Self> {
        let count = axes.len();
        let mut blocks = Self { axes, tours: Vec::new(), classes: Vec::new(), rests: Vec::new(), steps: Vec::new() };
        blocks.number_tours();
        let all = (1u32 << count) - 1;
        let mut one_axis = Vec::new();
        // Messages that move along the axes of `moving`. Some axes have rests in their tours already.
        for moving in (1..=all).rev() {
            if (0..count).any(|axis| moving >> axis & 1 == 0 && blocks.axes[axis].has_rests) {
                continue;
            }
            if moving.is_power_of_two() && count > 1 {
                one_axis.push(moving.trailing_zeros() as usize);
            } else {
                blocks.add_all(moving, budget)?;
            }
        }
        if !one_axis.is_empty() {
            blocks.fill_lines(&one_axis, budget)?;
        }
        Some(blocks)
    }

    pub(super) fn steps(&self) -> impl Iterator<Item = impl Iterator<Item = &[u32]>> {
        self.steps.iter().map(|step| step.chunks_exact(self.axes.len()))
    }

    pub(super) fn tour(&self, number: u32) -> &[Move] {
        &self.tours[number as usize]
    }

    fn number_tours(&mut self) {
        for axis in &self.axes {
            let mut number = |tour: &Tour| {
                self.tours.push(tour.clone());
                self.tours.len() as u32 - 1
            };
            let classes = axis
                .classes
                .each_ref()
                .map(|classes| classes.iter().map(|class| class.iter().map(&mut number).collect()).collect());
            let rest = |start| Move { start, hops: 0 };
            let everywhere = number(&(0..axis.side).map(rest).collect());
            let alone = (0..axis.side).map(|start| number(&vec![rest(start)])).collect();
            self.classes.push(classes);
            self.rests.push((everywhere, alone));
        }
    }

    /// Adds the blocks of all messages that move along the axes of a set, at all positions of the other axes.
    fn add_all(&mut self, moving: u32, budget: &Budget) -> Option<()> {
        let first = moving.trailing_zeros();
        for directions in (0..1u32 << self.axes.len()).filter(|set| set & !moving == 0 && set >> first & 1 == 0) {
            let there = self.directed(moving, directions, budget)?;
            let mut steps = there;
            for (place, back) in self.directed(moving, moving & !directions, budget)?.into_iter().enumerate() {
                match steps.get_mut(place) {
                    Some(step) => step.extend(back),
                    None => steps.push(back),
                }
            }
            self.steps.extend(steps);
        }
        Some(())
    }

    /// Returns the steps of all classes in the given directions. A bit of `directions` is set for backwards.
    fn directed(&self, moving: u32, directions: u32, budget: &Budget) -> Option<Vec<Vec<u32>>> {
        let axes: Vec<usize> = (0..self.axes.len()).filter(|axis| moving >> axis & 1 == 1).collect();
        let classes: Vec<&[Vec<u32>]> =
            axes.iter().map(|&axis| self.classes[axis][(directions >> axis & 1) as usize].as_slice()).collect();
        let mut steps = Vec::new();
        let mut block: Vec<u32> = self.rests.iter().map(|rest| rest.0).collect();
        let counts: Vec<usize> = classes.iter().map(|classes| classes.len()).collect();
        for choice in numbers(&counts) {
            if budget.interruption().is_some() {
                return None;
            }
            let chosen: Vec<&[u32]> = classes.iter().zip(&choice).map(|(classes, &class)| &*classes[class]).collect();
            let sizes: Vec<usize> = chosen.iter().map(|class| class.len()).collect();
            let longest = sizes.iter().copied().max().unwrap_or(0);
            let from = steps.len();
            steps.resize_with(from + longest, Vec::new);
            for places in numbers(&sizes) {
                for ((&axis, class), &place) in axes.iter().zip(&chosen).zip(&places) {
                    block[axis] = class[place];
                }
                steps[from + places.iter().sum::<usize>() % longest].extend_from_slice(&block);
            }
        }
        Some(steps)
    }

    /// Adds all tours of these axes in all lines, in the first steps in which the line is not used.
    fn fill_lines(&mut self, axes: &[usize], budget: &Budget) -> Option<()> {
        let sides: Vec<usize> = self.axes.iter().map(|axis| axis.side as usize).collect();
        for &axis in axes {
            let mut lines = sides.clone();
            lines[axis] = 1;
            for direction in 0..2 {
                if budget.interruption().is_some() {
                    return None;
                }
                let used: Vec<FixedBitSet> =
                    self.steps.iter().map(|step| self.used_lines(step, axis, direction, &lines)).collect();
                let tours: Vec<u32> = self.classes[axis][direction].concat();
                for (line, positions) in numbers(&lines).enumerate() {
                    let mut block: Vec<u32> =
                        self.rests.iter().zip(&positions).map(|(rest, &position)| rest.1[position]).collect();
                    let mut free = (0..).filter(|&step| used.get(step).is_none_or(|used| !used.contains(line)));
                    for &tour in &tours {
                        block[axis] = tour;
                        let step = free.next().expect("new steps have no end");
                        if step >= self.steps.len() {
                            self.steps.resize_with(step + 1, Vec::new);
                        }
                        self.steps[step].extend_from_slice(&block);
                    }
                }
            }
        }
        Some(())
    }

    /// Returns the lines of an axis that a step uses in a direction.
    fn used_lines(&self, step: &[u32], axis: usize, direction: usize, lines: &[usize]) -> FixedBitSet {
        let mut used = FixedBitSet::with_capacity(lines.iter().product());
        for block in step.chunks_exact(lines.len()) {
            let moves = self.tour(block[axis]);
            if !moves.iter().any(|moved| if direction == 0 { moved.hops > 0 } else { moved.hops < 0 }) {
                continue;
            }
            // The starts of a tour are its ends.
            let across: Vec<&[Move]> = block.iter().map(|&tour| self.tour(tour)).collect();
            let counts: Vec<usize> =
                across.iter().enumerate().map(|(other, tour)| if other == axis { 1 } else { tour.len() }).collect();
            for choice in numbers(&counts) {
                let line = choice.iter().enumerate().fold(0, |line, (other, &place)| {
                    let position = if other == axis { 0 } else { across[other][place].start as usize };
                    line * lines[other] + position
                });
                used.insert(line);
            }
        }
        used
    }
}

/// Returns all lists of numbers below the given counts, the last number fastest.
pub(super) fn numbers(counts: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let total: usize = counts.iter().product();
    (0..total).map(|mut number| {
        let mut digits = counts.to_vec();
        for digit in digits.iter_mut().rev() {
            (*digit, number) = (number % *digit, number / *digit);
        }
        digits
    })
}
