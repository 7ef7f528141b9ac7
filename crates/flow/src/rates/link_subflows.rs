//! The active subflows of each link.

use crate::routed_flows::RoutedFlows;

/// The active subflows of each link, listed once per crossing.
pub(super) struct LinkSubflows {
    subflows: Vec<Vec<u32>>,
}

impl LinkSubflows {
    pub(super) fn new(flows: &RoutedFlows) -> Self {
        Self { subflows: vec![Vec::new(); flows.link_count()] }
    }

    #[inline]
    pub(super) fn of(&self, link: u32) -> &[u32] {
        &self.subflows[link as usize]
    }

    pub(super) fn add(&mut self, link: u32, subflow: u32) {
        self.subflows[link as usize].push(subflow);
    }

    pub(super) fn remove(&mut self, link: u32, subflow: u32) {
        let subflows = &mut self.subflows[link as usize];
        let place =
            subflows.iter().position(|&other| other == subflow).expect("an active subflow is listed at all its links");
        subflows.swap_remove(place);
    }
}
