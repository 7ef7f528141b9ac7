//! Equal shares of the most loaded link.

use super::link_subflows::LinkSubflows;
use super::mark_set::MarkSet;
use super::rate_allocation::RateAllocation;
use crate::routed_flows::RoutedFlows;

/// The rate of a subflow is the capacity divided by the number of subflows on its most loaded link.
pub(crate) struct EqualShare {
    capacity: f64,
    link_subflows: LinkSubflows,
    /// Number of subflows on the most loaded link of each active subflow.
    greatest_load: Vec<u32>,
    /// Links whose load changes, with their load before.
    touched: Vec<(u32, u32)>,
    touched_links: MarkSet,
}

impl EqualShare {
    /// Records the load of a link before its first change.
    fn touch(&mut self, link: u32) {
        if self.touched_links.add(link) {
            self.touched.push((link, self.link_subflows.of(link).len() as u32));
        }
    }

    /// Updates the greatest load of a subflow, and lists its new rate if it changes.
    fn update_rate(&mut self, flows: &RoutedFlows, subflow: u32, changes: &mut Vec<(u32, f64)>) {
        let greatest =
            flows.links(subflow).iter().map(|&link| self.link_subflows.of(link).len() as u32).max().unwrap_or(0);
        if std::mem::replace(&mut self.greatest_load[subflow as usize], greatest) != greatest {
            changes.push((subflow, self.capacity / f64::from(greatest)));
        }
    }
}

impl RateAllocation for EqualShare {
    fn new(flows: &RoutedFlows, capacity: f64) -> Self {
        Self {
            capacity,
            link_subflows: LinkSubflows::new(flows),
            greatest_load: vec![0; flows.subflow_count()],
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
            self.greatest_load[subflow as usize] = 0;
            for &link in flows.links(subflow) {
                self.touch(link);
                self.link_subflows.add(link, subflow);
            }
        }
        for &subflow in started {
            self.update_rate(flows, subflow, changes);
        }
        for (link, before) in std::mem::take(&mut self.touched) {
            let now = self.link_subflows.of(link).len() as u32;
            if now == before {
                continue;
            }
            for place in 0..now as usize {
                let subflow = self.link_subflows.of(link)[place];
                // A link that neither was nor becomes the most loaded one does not change the rate.
                let greatest = self.greatest_load[subflow as usize];
                if now > greatest || before == greatest {
                    self.update_rate(flows, subflow, changes);
                }
            }
        }
    }
}
