//! Equal shares of the most loaded link.

use super::link_subflows::LinkSubflows;
use super::mark_set::MarkSet;
use super::rate_allocation::RateAllocation;
use crate::routed_flows::RoutedFlows;

/// Each link divides its capacity equally among its subflows. The rate of a subflow is the least share on its path.
pub(crate) struct EqualShare {
    capacity: f64,
    link_subflows: LinkSubflows,
    /// The share of each subflow on each link; infinite on an empty link.
    share: Vec<f64>,
    /// The least share on the links of each active subflow.
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

    /// Updates the least share of a subflow, and lists it as the new rate if it changes.
    fn update_rate(&mut self, flows: &RoutedFlows, subflow: u32, changes: &mut Vec<(u32, f64)>) {
        let shares = flows.links(subflow).iter().map(|&link| self.share[link as usize]);
        let least = shares.fold(f64::INFINITY, f64::min);
        if std::mem::replace(&mut self.least_share[subflow as usize], least).to_bits() != least.to_bits() {
            changes.push((subflow, least));
        }
    }
}

impl RateAllocation for EqualShare {
    fn new(flows: &RoutedFlows, capacity: f64) -> Self {
        Self {
            capacity,
            link_subflows: LinkSubflows::new(flows),
            share: vec![f64::INFINITY; flows.link_count()],
            least_share: vec![f64::INFINITY; flows.subflow_count()],
            touched: Vec::new(),
            touched_links: MarkSet::new(flows.link_count()),
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
            for &link in flows.links(subflow) {
                self.touch(link);
                self.link_subflows.remove(link, subflow);
            }
        }
        for &subflow in started {
            self.least_share[subflow as usize] = f64::INFINITY;
            for &link in flows.links(subflow) {
                self.touch(link);
                self.link_subflows.add(link, subflow);
            }
        }
        for &(link, _) in &self.touched {
            let subflows = self.link_subflows.of(link).len() as f64;
            self.share[link as usize] = self.capacity * flows.link_capacity(link) / subflows;
        }
        for &subflow in started {
            self.update_rate(flows, subflow, changes);
        }
        for (link, before) in std::mem::take(&mut self.touched) {
            let now = self.share[link as usize];
            if now.to_bits() == before.to_bits() {
                continue;
            }
            for place in 0..self.link_subflows.of(link).len() {
                let subflow = self.link_subflows.of(link)[place];
                // A link that neither had nor has the least share does not change the rate.
                let least = self.least_share[subflow as usize];
                if now < least || before.to_bits() == least.to_bits() {
                    self.update_rate(flows, subflow, changes);
                }
            }
        }
    }
}
