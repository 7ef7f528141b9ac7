//! How fast flows go: one file a model.

mod equal_share;
mod max_min;

pub(crate) use equal_share::EqualShare;
pub(crate) use max_min::MaxMin;

use crate::traffic::Traffic;

/// What knows the rates of all parts that are under way.
pub(crate) trait Rates {
    fn new(traffic: &Traffic, capacity: f64) -> Self;

    /// Takes parts out and in, and lists each part whose rate changes with its new rate. `rate` has the rates so far, 0 of
    /// parts that start. Every part crosses a link.
    fn update(
        &mut self,
        traffic: &Traffic,
        rate: &[f64],
        ended: &[u32],
        started: &[u32],
        changes: &mut Vec<(u32, f64)>,
    );
}

/// The parts that cross each link, once for each time that they do.
struct Occupants {
    parts: Vec<Vec<u32>>,
}

impl Occupants {
    fn new(traffic: &Traffic) -> Self {
        Self { parts: vec![Vec::new(); traffic.link_count()] }
    }

    #[inline]
    fn of(&self, link: u32) -> &[u32] {
        &self.parts[link as usize]
    }

    fn enter(&mut self, link: u32, part: u32) {
        self.parts[link as usize].push(part);
    }

    fn leave(&mut self, link: u32, part: u32) {
        let parts = &mut self.parts[link as usize];
        let place = parts.iter().position(|&other| other == part).expect("a part stands at all links that it crosses");
        parts.swap_remove(place);
    }
}

/// A set of numbers that is emptied at once.
struct Marks {
    round: u32,
    marked: Vec<u32>,
}

impl Marks {
    fn new(bound: usize) -> Self {
        Self { round: 1, marked: vec![0; bound] }
    }

    fn clear(&mut self) {
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.marked.fill(0);
            1
        });
    }

    /// Adds a number; whether it is new.
    #[inline]
    fn add(&mut self, number: u32) -> bool {
        let mark = &mut self.marked[number as usize];
        let is_new = *mark != self.round;
        *mark = self.round;
        is_new
    }

    #[inline]
    fn has(&self, number: u32) -> bool {
        self.marked[number as usize] == self.round
    }
}
