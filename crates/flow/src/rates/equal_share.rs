//! Equal shares of the fullest link.

use super::{Marks, Occupants, Rates};
use crate::traffic::Traffic;

/// The rate of a part is the capacity divided by the occupants of its fullest link.
pub(crate) struct EqualShare {
    capacity: f64,
    occupants: Occupants,
    /// Occupants of the fullest link of each part that is under way.
    crowd: Vec<u32>,
    /// Links whose occupants change, with their number before.
    touched: Vec<(u32, u32)>,
    touched_links: Marks,
}

impl EqualShare {
    fn touch(&mut self, link: u32) {
        if self.touched_links.add(link) {
            self.touched.push((link, self.occupants.of(link).len() as u32));
        }
    }

    fn settle(&mut self, traffic: &Traffic, part: u32, changes: &mut Vec<(u32, f64)>) {
        let fullest = traffic.links(part).iter().map(|&link| self.occupants.of(link).len() as u32).max().unwrap_or(0);
        if std::mem::replace(&mut self.crowd[part as usize], fullest) != fullest {
            changes.push((part, self.capacity / f64::from(fullest)));
        }
    }
}

impl Rates for EqualShare {
    fn new(traffic: &Traffic, capacity: f64) -> Self {
        Self {
            capacity,
            occupants: Occupants::new(traffic),
            crowd: vec![0; traffic.part_count()],
            touched: Vec::new(),
            touched_links: Marks::new(traffic.link_count()),
        }
    }

    fn update(&mut self, traffic: &Traffic, _: &[f64], ended: &[u32], started: &[u32], changes: &mut Vec<(u32, f64)>) {
        self.touched_links.clear();
        for &part in ended {
            for &link in traffic.links(part) {
                self.touch(link);
                self.occupants.leave(link, part);
            }
        }
        for &part in started {
            self.crowd[part as usize] = 0;
            for &link in traffic.links(part) {
                self.touch(link);
                self.occupants.enter(link, part);
            }
        }
        for &part in started {
            self.settle(traffic, part, changes);
        }
        for (link, before) in std::mem::take(&mut self.touched) {
            let now = self.occupants.of(link).len() as u32;
            if now == before {
                continue;
            }
            for place in 0..now as usize {
                let part = self.occupants.of(link)[place];
                // A link that was not the fullest and does not become it changes nothing.
                let crowd = self.crowd[part as usize];
                if now > crowd || before == crowd {
                    self.settle(traffic, part, changes);
                }
            }
        }
    }
}
