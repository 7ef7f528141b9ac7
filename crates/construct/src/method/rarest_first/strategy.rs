//! The random choices that one attempt makes at its beginning.

use lockstep_schedule::{Ports, Routing};
use rand::{Rng, RngExt};

use super::broadcast_context::BroadcastContext;

/// The amount of work per transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FetchMode {
    /// Fetches the rarest message, and cancels transfers of others where that helps.
    Thorough,
    /// Fetches any useful message over free channels, because any number of steps will do.
    Quick,
}

/// The strategy of one attempt.
#[derive(Debug)]
pub(super) struct Strategy {
    /// Whether terminals fetch from their neighbours first.
    pub(super) is_local: bool,
    /// The paths that terminals may use, one pass over all terminals after the other.
    pub(super) passes: &'static [Routing],
    /// Whether late terminals may cancel transfers of others on long paths before any step was undone.
    pub(super) reroutes_early: bool,
    pub(super) mode: FetchMode,
}

impl Strategy {
    pub(super) fn draw(shared: &BroadcastContext<'_>, reroutes_early: bool, rng: &mut impl Rng) -> Self {
        let (topology, messages, model) = (shared.task().topology(), shared.task().messages(), shared.task().model());
        // With many messages, neighbours hold enough of them and occupy the fewest channels. With fewer ports than
        // channels, one neighbour may not have enough. A single message must travel far. In between, the network
        // decides.
        let goes_far = if messages.len() >= topology.terminal_count() {
            model.ports != Ports::All && shared.has_neighbours() && rng.random_ratio(1, 4)
        } else {
            messages.len() == 1 || !rng.random::<bool>()
        };
        let passes: &[Routing] = match model.routing {
            Routing::Minimal => &[Routing::Minimal],
            // Sometimes detours are allowed before all terminals had the choice of a shortest path.
            Routing::Any if rng.random_ratio(1, 4) => &[Routing::Any],
            Routing::Any => &[Routing::Minimal, Routing::Any],
        };
        Self {
            is_local: shared.task().stores_and_forwards() || !goes_far,
            passes,
            reroutes_early,
            mode: FetchMode::Thorough,
        }
    }
}
