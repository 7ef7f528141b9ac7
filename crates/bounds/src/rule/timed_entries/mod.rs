//! Classes of terminals that messages must enter, not before they can be there, and early enough for the rest of their way.

mod cover;
mod packet_network;
mod search;
mod spread;
mod timed_lengths;
mod window;

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Pattern, Problem, Switching};

use super::gossip::equals_its_reversal;
use crate::request::BoundRequest;
use packet_network::PacketNetwork;
use search::Search;
use spread::Spread;
use timed_lengths::TimedLengths;

/// The largest number of steps that is proved too small.
const MAX_STEPS: u32 = 1 << 10;

/// The largest number of pairs of terminals, times the channels and the steps: about a second.
const MAX_ENTRIES: usize = 1 << 28;

pub(crate) const BUILDS_ON: &[Rule] = &[
    Rule::Ports,
    Rule::Growth,
    Rule::TreePackets,
    Rule::TreeBroadcast,
    Rule::Eccentricity,
    Rule::Cut,
    Rule::Reception,
    Rule::TimedCut,
    Rule::Volume,
    Rule::TreePacking,
];
pub(crate) const BUILDS_ON_FOR_ALL_REDUCES: &[Rule] = &[Rule::Ports, Rule::Volume, Rule::Cut, Rule::Gossip];

/// Computes the number of steps in which all messages enter the classes of terminals that they must enter.
///
/// A local search chooses resources and ports. The channels that use none of them connect the terminals to classes. A message
/// that only gets from one terminal to another by entering a class uses a chosen resource or port, in a step after its way to
/// the class and before the rest of its way. So the first steps and the last steps carry few such transfers, or none. The
/// bound must exceed those of the rules that it builds on. Applies to store-and-forward, for messages that may have several
/// receivers.
///
/// Takes `O(N M)` time per choice for `N` terminals and `M` channels, within a fixed amount of work.
///
/// # Source
///
/// Lockstep.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    if problem.messages().is_scatter() {
        return None;
    }
    bound_beyond(problem, request.proved_by(BUILDS_ON), request)
}

/// Computes the same bound for an all-reduce, forwards and backwards in time.
pub(crate) fn bound_of_all_reduce(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let proved = request.proved_by(BUILDS_ON_FOR_ALL_REDUCES).max(request.proved_by(&[Rule::CommonRoot]));
    let forwards = bound_beyond(problem, proved, request);
    if equals_its_reversal(problem.topology()) {
        return forwards;
    }
    let reversed = problem.topology().reversed();
    let backwards = Problem::new(&reversed, problem.collective(), problem.model()).ok();
    let proved = forwards.as_ref().map_or(proved, |bound| bound.steps);
    let backwards = backwards.and_then(|problem| bound_beyond(&problem, proved, request)).map(|bound| {
        let certificate = Certificate::Reversed { certificate: bound.certificate.into() };
        LowerBound { certificate, ..bound }
    });
    backwards.or(forwards)
}

/// Returns a bound of more than `proved` steps.
fn bound_beyond(problem: &Problem<'_>, proved: u32, request: &BoundRequest<'_>) -> Option<LowerBound> {
    if problem.model().switching != Switching::StoreAndForward || proved >= request.enough {
        return None;
    }
    let network = PacketNetwork::new(problem)?;
    let is_gossip = problem.collective().pattern() == Pattern::ReduceBroadcast;
    let spreads = Spread::all(problem, is_gossip, request)?;
    let choice = Search::new(&network, &spreads, is_gossip, request).best(proved)?;
    let infeasible = choice.steps - 1;
    let entries = problem.topology().channel_count() * network.terminals.pow(2);
    if infeasible > MAX_STEPS || entries.saturating_mul(infeasible as usize) > MAX_ENTRIES {
        return None;
    }
    let lengths = TimedLengths::new(&network, &choice);
    let certificate = lengths.certificate(&network, &spreads, is_gossip)?;
    Some(LowerBound { steps: choice.steps, rule: Rule::TimedEntries, certificate })
}
