//! The limits of a page.

use lockstep_schedule::{Problem, Schedule, Step};
use lockstep_topology::Topology;

/// The limits of a page. A page says what it omits.
///
/// ```
/// use lockstep_report::PageLimits;
///
/// assert!(PageLimits::BROWSER.nodes >= 1_000);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageLimits {
    /// Maximum number of nodes of the network.
    pub nodes: usize,
    /// Maximum number of channels of the network.
    pub channels: usize,
    /// Maximum number of messages.
    pub messages: usize,
    /// Maximum number of channel uses of all steps. The page has the first steps that fit.
    pub channel_uses: usize,
}

impl PageLimits {
    /// Limits for a browser: 2,048 nodes, 70,000 channels, 4 million messages, 32 million channel uses.
    pub const BROWSER: Self = Self { nodes: 2048, channels: 70_000, messages: 4_000_000, channel_uses: 32_000_000 };

    /// Returns the reason if a network exceeds the limits. Its page would only state the reason.
    ///
    /// ```
    /// use lockstep_report::PageLimits;
    ///
    /// let ring = lockstep_topology::ring(3000)?;
    /// let reason = PageLimits::BROWSER.refuse_network(&ring).unwrap();
    /// assert_eq!(reason, "a page shows at most 2048 nodes; the network has 3000");
    /// # Ok::<(), lockstep_topology::FamilyError>(())
    /// ```
    pub fn refuse_network(&self, topology: &Topology) -> Option<String> {
        let nodes = excess(topology.node_count(), self.nodes, "nodes", "network");
        nodes.or_else(|| excess(topology.channel_bound(), self.channels, "channels", "network"))
    }

    /// Returns the reason if the network or the messages of a problem exceed the limits. The page of its plan would only
    /// state the reason, so a program can refuse it before it plans.
    pub fn refuse(&self, problem: &Problem<'_>) -> Option<String> {
        let network = self.refuse_network(problem.topology());
        network.or_else(|| excess(problem.messages().len(), self.messages, "messages", "collective"))
    }

    /// Returns the number of first steps that fit.
    pub(super) fn steps(&self, schedule: &Schedule) -> usize {
        let mut uses = 0_usize;
        let fits = |(_, step): &(usize, Step<'_>)| {
            uses = uses.saturating_add(step.channel_use_count()).saturating_add(step.len());
            uses <= self.channel_uses
        };
        schedule.steps().take_while(fits).count()
    }
}

/// Returns the reason if a size exceeds its limit.
fn excess(size: usize, limit: usize, noun: &str, what: &str) -> Option<String> {
    (size > limit).then(|| format!("a page shows at most {limit} {noun}; the {what} has {size}"))
}
