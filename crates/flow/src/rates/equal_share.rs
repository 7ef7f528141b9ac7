//! Equal shares of the most loaded link.

use super::mark_set::MarkSet;
use super::rate_allocation::RateAllocation;
use crate::routed_flows::RoutedFlows;

/// The least share of a subflow that has ended: no share is below it.
const ENDED: f64 = f64::NEG_INFINITY;

/// Marks a subflow without a bottleneck.
const NO_LINK: u32 = u32::MAX;

/// Each link divides its capacity equally among its subflows. The rate of a subflow is the least share on its path.
///
/// The *bottleneck* of a subflow is a link with this share. If the share of a link rises, only the subflows with this
/// bottleneck can change their rates, so each link lists them. If a share falls, all faster subflows of the link become
/// slower. An update takes time in proportion to the changed rates, and to the subflows of the links whose shares fall.
pub(crate) struct EqualShare {
    capacity: f64,
    /// Number of active subflows of each link, counted once per crossing.
    crossings: Vec<u32>,
    /// The subflows of each link, once per crossing. Some of them have ended.
    subflows: Vec<Vec<u32>>,
    /// The active subflows with this bottleneck, for each link.
    limited: Vec<Vec<u32>>,
    /// The bottleneck of each active subflow, or [`NO_LINK`].
    bottleneck: Vec<u32>,
    /// Index of each active subflow in the list of its bottleneck.
    place: Vec<u32>,
    /// The share of each subflow on each link; infinite on an empty link.
    share: Vec<f64>,
    /// The least share on the links of each active subflow, or [`ENDED`].
    least_share: Vec<f64>,
    /// Links whose load changes, with their share before.
    touched: Vec<(u32, f64)>,
    touched_links: MarkSet,
}

impl EqualShare {
    /// Records the share of a link before its first change.
    fn touch(&mut self, link: u32) {
        if self.touched_links.add(link) {
            self.touched.push((link, self.share[link as usize]));
        }
    }

    /// Lists a subflow at its links.
    fn add(&mut self, flows: &RoutedFlows, subflow: u32) {
        self.least_share[subflow as usize] = f64::INFINITY;
        self.bottleneck[subflow as usize] = NO_LINK;
        for &link in flows.links(subflow) {
            self.touch(link);
            let subflows = &mut self.subflows[link as usize];
            // The list has room only if it is at most half full, so that the next removal is far away.
            if subflows.len() == subflows.capacity() {
                subflows.retain(|&other| self.least_share[other as usize].to_bits() != ENDED.to_bits());
                subflows.reserve(subflows.len() + 1);
            }
            subflows.push(subflow);
            self.crossings[link as usize] += 1;
        }
    }

    /// Removes a subflow from its links.
    fn remove(&mut self, flows: &RoutedFlows, subflow: u32) {
        self.unlist(subflow);
        self.least_share[subflow as usize] = ENDED;
        for &link in flows.links(subflow) {
            self.touch(link);
            self.crossings[link as usize] -= 1;
        }
    }

    /// Removes a subflow from the list of its bottleneck, if it has one.
    fn unlist(&mut self, subflow: u32) {
        let link = self.bottleneck[subflow as usize];
        if link != NO_LINK {
            let place = self.place[subflow as usize];
            let limited = &mut self.limited[link as usize];
            limited.swap_remove(place as usize);
            if let Some(&moved) = limited.get(place as usize) {
                self.place[moved as usize] = place;
            }
        }
    }

    /// Updates the bottleneck and the least share of a subflow, and lists the share as the new rate if it changes.
    fn update_rate(&mut self, flows: &RoutedFlows, subflow: u32, changes: &mut Vec<(u32, f64)>) {
        let before = self.bottleneck[subflow as usize];
        let (mut least, mut bottleneck) = (f64::INFINITY, NO_LINK);
        for &link in flows.links(subflow) {
            let share = self.share[link as usize];
            // Of equal links, the bottleneck remains.
            if share < least || (share.to_bits() == least.to_bits() && link == before) {
                (least, bottleneck) = (share, link);
            }
        }
        if bottleneck != before {
            self.unlist(subflow);
            let limited = &mut self.limited[bottleneck as usize];
            self.bottleneck[subflow as usize] = bottleneck;
            self.place[subflow as usize] = limited.len() as u32;
            limited.push(subflow);
        }
        if std::mem::replace(&mut self.least_share[subflow as usize], least).to_bits() != least.to_bits() {
            changes.push((subflow, least));
        }
    }
}

impl RateAllocation for EqualShare {
    fn new(flows: &RoutedFlows, capacity: f64) -> Self {
        let (subflows, links) = (flows.subflow_count(), flows.link_count());
        Self {
            capacity,
            crossings: vec![0; links],
            subflows: vec![Vec::new(); links],
            limited: vec![Vec::new(); links],
            bottleneck: vec![NO_LINK; subflows],
            place: vec![0; subflows],
            share: vec![f64::INFINITY; links],
            least_share: vec![f64::INFINITY; subflows],
            touched: Vec::new(),
            touched_links: MarkSet::new(links),
        }
    }

    fn update(
        &mut self,
        flows: &RoutedFlows,
        _: &[f64],
        ended: &[u32],
        started: &[u32],
        changes: &mut Vec<(u32, f64)>,
    ) {
        self.touched_links.clear();
        for &subflow in ended {
            self.remove(flows, subflow);
        }
        for &subflow in started {
            self.add(flows, subflow);
        }
        let mut touched = std::mem::take(&mut self.touched);
        for &(link, _) in &touched {
            let crossings = f64::from(self.crossings[link as usize]);
            self.share[link as usize] = self.capacity * flows.link_capacity(link) / crossings;
        }
        for &subflow in started {
            self.update_rate(flows, subflow, changes);
        }
        for (link, before) in touched.drain(..) {
            let now = self.share[link as usize];
            if now > before {
                // From the end, because an update may remove the subflow and put the last one in its place.
                for place in (0..self.limited[link as usize].len()).rev() {
                    self.update_rate(flows, self.limited[link as usize][place], changes);
                }
            } else if now < before {
                for place in 0..self.subflows[link as usize].len() {
                    let subflow = self.subflows[link as usize][place];
                    if now < self.least_share[subflow as usize] {
                        self.update_rate(flows, subflow, changes);
                    }
                }
            }
        }
        self.touched = touched;
    }
}
