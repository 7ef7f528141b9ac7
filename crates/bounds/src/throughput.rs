//! The number of steps per chunk that many chunks need.

use std::cmp::Ordering;

use fixedbitset::FixedBitSet;
use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{Budget, DistributePhase, Ports, Problem};
use lockstep_topology::{ChannelId, NodeId};
use rayon::prelude::*;

use crate::all::all_within;
use crate::demand::Demand;
use crate::moving_cut::MovingCut;
use crate::phase::of_phase;
use crate::resource_flow::ResourceFlow;
use crate::rule::volume::bounds_of_all_reduce;
use crate::transfer_rules::TransferRules;

/// Returns the bound with the largest [quotient](lockstep_certificate::Certificate::quotient), in steps of width 1 for all
/// chunks together. Divided by the chunks, the quotient is a lower bound of the steps per chunk of every schedule, whatever
/// its chunks and widths. `None` if no rule has a quotient.
///
/// For a broadcast from one or from all terminals, and its reversal, the quotient over the chunks is the optimum `T*` if
/// ports are not limited and channels do not share resources:
///
/// ```text
/// T* = max over node sets S of (sources outside S) / (capacity of the channels into S)
/// ```
///
/// Newton's method finds the set: a flow per terminal shows whether some set needs more than the best quotient so far. It
/// takes a few rounds of `N` flows on `M` channels, in parallel. Other problems get the best bound of all rules, within the
/// time of the budget. With more chunks, fewer bounds are lost by rounding.
///
/// ```
/// use lockstep_bounds::throughput;
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&mesh, &all_gather, CommunicationModel::store_and_forward())?;
/// let bound = throughput(&problem, &Budget::unlimited()).ok_or("no bound")?;
/// assert_eq!(bound.certificate.quotient(), Some([15, 2])); // into a corner
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// The optimum: Edmonds, "Edge-disjoint branchings", *Combinatorial Algorithms* (1973), and Zhao et al., "`ForestColl`",
/// arXiv 2402.06787 (2024). The iteration: Dinkelbach, "On nonlinear fractional programming", *Management Science* 13 (1967).
pub fn throughput(problem: &Problem<'_>, budget: &Budget) -> Option<LowerBound> {
    let phases = DistributePhase::all(problem);
    let topology = problem.topology();
    let cut = if let [phase] = phases.as_slice() {
        best_cut(&phase.problem(problem), budget).map(|bound| of_phase(phase, bound))
    } else {
        None
    };
    let is_exact = problem.model().ports == Ports::All && topology.resource_count() == topology.channel_count();
    if is_exact && cut.is_some() {
        return cut;
    }
    let is_all_reduce = phases.len() > 1 && budget.uses(Rule::Volume.part());
    let volumes = is_all_reduce.then(|| bounds_of_all_reduce(problem)).into_iter().flatten();
    let others = all_within(problem, budget, |_| {}).into_iter().chain(cut).chain(volumes);
    let with_quotient = others.filter_map(|bound| Some((Quotient(bound.certificate.quotient()?), bound)));
    // Ties go to the first bound.
    with_quotient.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, bound)| bound)
}

/// Numerator and denominator.
#[derive(Clone, Copy)]
struct Quotient([u64; 2]);

impl Quotient {
    /// Returns the quotient in lowest terms, if both fit a capacity of a flow.
    fn lowest_terms(self) -> Option<[u32; 2]> {
        let [numerator, denominator] = self.0;
        let (mut a, mut b) = (numerator, denominator);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        Some([u32::try_from(numerator / a.max(1)).ok()?, u32::try_from(denominator / a.max(1)).ok()?])
    }
}

impl PartialEq for Quotient {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Quotient {}

impl PartialOrd for Quotient {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quotient {
    fn cmp(&self, other: &Self) -> Ordering {
        let product = |one: u64, other: u64| u128::from(one) * u128::from(other);
        product(self.0[0], other.0[1]).cmp(&product(other.0[0], self.0[1]))
    }
}

/// Returns the bound of the node set with the largest quotient, if the messages are copies of a broadcast. Once the time of
/// the budget is over, it is the best set so far.
fn best_cut(problem: &Problem<'_>, budget: &Budget) -> Option<LowerBound> {
    let demand = Demand::new(problem);
    let Demand::Broadcast { sources, .. } = demand else { return None };
    let (topology, rules) = (problem.topology(), TransferRules::new(problem));
    let (receivers, chunks) = (demand.receivers(), u64::from(problem.messages().chunks()));
    let mut cut = MovingCut::new(problem, &demand);
    // The best quotient for one chunk.
    let mut best: Option<(Quotient, FixedBitSet)> = None;
    let mut offer = |best: &mut Option<(Quotient, FixedBitSet)>, side: &FixedBitSet| {
        cut.become_set(side);
        let [messages, capacity] = cut.entries();
        let quotient = Quotient([messages / chunks, capacity]);
        if quotient.0.iter().all(|&part| part > 0) && best.as_ref().is_none_or(|(least, _)| quotient > *least) {
            *best = Some((quotient, side.clone()));
        }
    };
    let mut alone = FixedBitSet::with_capacity(topology.node_count());
    for &receiver in &receivers {
        alone.clear();
        alone.insert(receiver.index());
        offer(&mut best, &alone);
    }
    let ends = |channel: ChannelId| [topology.tail(channel), topology.head(channel)].map(ResourceFlow::at);
    let mut flow = ResourceFlow::new(topology, |channel| [rules.carries(channel).then(|| ends(channel)), None]);
    for &source in sources {
        flow.supply(source, 0);
    }
    // One flow sorts the arcs, so that the copies of the threads need not.
    flow.flow(0, ResourceFlow::source(topology), ResourceFlow::sink(topology));
    loop {
        let before = best.as_ref()?.0;
        let Some([steps, units]) = before.lowest_terms() else { break };
        let stopped = |flow: &mut ResourceFlow, receiver: &NodeId| -> Option<FixedBitSet> {
            if budget.interruption().is_some() {
                return None;
            }
            flow.replace_ends(sources.iter().map(|_| units));
            let arrived = flow.flow(steps, ResourceFlow::source(topology), ResourceFlow::at(*receiver));
            (arrived < u64::from(units) * sources.len() as u64).then(|| flow.far_side())
        };
        let sides: Vec<Option<FixedBitSet>> =
            receivers.par_iter().with_min_len(8).map_init(|| flow.clone(), stopped).collect();
        sides.iter().flatten().for_each(|side| offer(&mut best, side));
        if best.as_ref()?.0 == before {
            break;
        }
    }
    let (_, side) = best?;
    cut.become_set(&side);
    cut.bound(Rule::Cut)
}
