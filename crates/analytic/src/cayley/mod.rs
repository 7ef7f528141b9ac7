//! Cayley graphs of abelian groups: one source's part of an all-gather or an all-to-all, the same for all by translation.
//!
//! Store-and-forward, every transfer over one channel. The translates of a part never meet on a channel where every step
//! of it uses each generator at most once: a channel belongs to one generator, and its tail says whose translate uses it.
//!
//! **Source**: the lecture on hypercubes of Bertsekas, Özveren, Stamoulis, Tseng, Tsitsiklis, *Optimal communication
//! algorithms for hypercubes*, Journal of Parallel and Distributed Computing 11 (1991), for the translation of a base.

mod exchange;
mod expand;
mod gather;
mod mirror;
mod shop;
mod steps;
mod words;

use lockstep_schedule::{BaseSchedule, Budget, CollectiveName, Problem, Schedule};
use lockstep_topology::CayleyGraph;

use crate::Construction;
use crate::labelling::{Labelling, Squares};
use mirror::Mirror;
use steps::Steps;

/// What the message of element 0 does in an all-gather: `max(ceil((N - 1) / d), diameter)` steps for `N` elements and `d`
/// generators on all hypercubes, tori and circulant graphs that were tried, which no schedule beats, and rarely one more
/// elsewhere.
///
/// `None` past 64 generators or 2^26 pairs of an element and a generator, where the generators do not lead to all
/// elements, and when the budget ends. Takes `O(N d^2)` time at most and about `20 N d` bytes.
///
/// ```
/// use lockstep_schedule::Budget;
///
/// let torus = "torus:64x64".parse()?;
/// let base = lockstep_analytic::cayley::all_gather(&torus, &Budget::unlimited()).expect("a torus of 4096 nodes");
/// assert_eq!((base.step_count(), base.transfer_count()), (4095_usize.div_ceil(4), 4095));
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
pub fn all_gather(graph: &CayleyGraph, budget: &Budget) -> Option<BaseSchedule> {
    gather::base(&Steps::of_graph(graph)?, budget)
}

/// What the messages of element 0 do in an all-to-all: as many steps as the generator that is used most is used, or as
/// the longest word has generators.
///
/// The words of the elements are chosen so that this is as few steps as a search of fixed length finds. On hypercubes and
/// on tori no schedule has fewer, unless the longest side is the only even one: there it is a quarter of that side above,
/// rounded, because the sources cannot all go the same way to the node opposite.
///
/// `None` where [`all_gather`] has none, and past 2^25 transfers of one source. Takes `O(N d)` time a step of the search for
/// words and `O(d)` to `O(d^3)` time a step of the schedule, and about `10 N d` bytes beside the result.
///
/// ```
/// use lockstep_schedule::Budget;
///
/// let torus = "torus:64x64".parse()?;
/// let base = lockstep_analytic::cayley::all_to_all(&torus, &Budget::unlimited()).expect("a torus of 4096 nodes");
/// assert_eq!(base.step_count(), 64_usize.pow(3) / 8);
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
pub fn all_to_all(graph: &CayleyGraph, budget: &Budget) -> Option<BaseSchedule> {
    exchange::base(&Steps::of_graph(graph)?, budget)
}

/// The construction on networks that are recognised.
pub(crate) const CAYLEY: Construction = Construction {
    name: "cayley",
    about: "all-gather and relayed all-to-all on tori, hypercubes, circulant and other abelian Cayley graphs",
    construct,
};

/// All ports and full duplex. Every transfer crosses one channel, so the switching does not matter.
fn construct(problem: &Problem<'_>, _goal: u32, budget: &Budget) -> Option<Schedule> {
    let (topology, model) = (problem.topology(), problem.model());
    let collective = problem.collective().name()?;
    match collective {
        CollectiveName::AllGather => {}
        CollectiveName::AllToAll if !model.is_direct() => {}
        _ => return None,
    }
    let least = topology.terminal_count() as u64 - 1;
    if topology.resource_count() != topology.channel_count() || !expand::fits(topology.node_count(), least) {
        return None;
    }
    let labelling = Labelling::with_squares(topology, Squares::TwoAxes, budget)?;
    if model.ports.of_degree(labelling.degree()) < labelling.degree() {
        return None;
    }
    let steps = Steps::of_labelling(&labelling)?;
    if collective == CollectiveName::AllGather {
        let base = gather::base(&steps, budget)?;
        return Some(expand::expand(&steps, labelling.channels(), &base, collective));
    }
    if !expand::fits(topology.node_count(), steps.distance_sum()) {
        return None;
    }
    if let Some(mirror) = Mirror::of(&labelling) {
        let base = mirror.exchange(&steps, budget)?;
        return Some(expand::expand(&mirror.steps, &mirror.channel, &base, collective));
    }
    let base = exchange::base(&steps, budget)?;
    let fits = expand::fits(topology.node_count(), base.transfer_count() as u64);
    fits.then(|| expand::expand(&steps, labelling.channels(), &base, collective))
}

#[cfg(test)]
mod tests;
