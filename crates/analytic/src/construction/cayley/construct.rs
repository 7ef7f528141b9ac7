//! The construction for networks that are recognised as Cayley graphs.

use lockstep_schedule::{Budget, CollectiveName, Problem, Schedule};

use super::group_table::GroupTable;
use super::mirrored_torus::MirroredTorus;
use super::{all_gather, all_to_all, translates};
use crate::Construction;
use crate::kit::labelling::{FourCycles, GroupLabelling};

/// All-gather and relayed all-to-all on Cayley graphs of abelian groups, with all ports and full-duplex links.
///
/// For steps, complexity and memory see [`all_gather`](all_gather::all_gather) and
/// [`all_to_all`](all_to_all::all_to_all).
pub(crate) const CAYLEY: Construction = Construction {
    name: "cayley",
    about: "tori, circulants and other Cayley graphs of abelian groups: all-gather, relayed all-to-all",
    construct,
};

/// Returns the schedule if the network is recognised. Every transfer uses one channel, so the switching does not
/// matter.
pub(super) fn construct(problem: &Problem<'_>, _goal: u32, budget: &Budget) -> Option<Schedule> {
    let (topology, model) = (problem.topology(), problem.model());
    let collective = problem.collective().name()?;
    match collective {
        CollectiveName::AllGather => {}
        CollectiveName::AllToAll if !model.is_direct() => {}
        _ => return None,
    }
    let least = topology.terminal_count() as u64 - 1;
    if topology.resource_count() != topology.channel_count() || !translates::fits(topology.node_count(), least) {
        return None;
    }
    let labelling = GroupLabelling::with_squares(topology, FourCycles::TwoAxes, budget)?;
    if model.ports.of_degree(labelling.degree()) < labelling.degree() {
        return None;
    }
    let steps = GroupTable::of_labelling(&labelling)?;
    if collective == CollectiveName::AllGather {
        let base = all_gather::base(&steps, budget)?;
        return translates::expand(&steps, labelling.channels(), &base, collective, budget);
    }
    if !translates::fits(topology.node_count(), steps.distance_sum()) {
        return None;
    }
    if let Some(mirror) = MirroredTorus::of(&labelling) {
        let base = mirror.exchange(&steps, budget)?;
        return translates::expand(&mirror.steps, &mirror.channel, &base, collective, budget);
    }
    let base = all_to_all::base(&steps, budget)?;
    let fits = translates::fits(topology.node_count(), base.transfer_count() as u64);
    if !fits {
        return None;
    }
    translates::expand(&steps, labelling.channels(), &base, collective, budget)
}
