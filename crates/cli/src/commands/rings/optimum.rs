//! The greatest bandwidth of schedules of any kind, beside that of rings.

use lockstep::{Budget, Collective, CollectiveName, CommunicationModel, NodeId, Problem, Topology};
use lockstep_rings::Rational;

/// Returns a bound of the bus bandwidth of every all-gather of these terminals, in units of the capacities. `None` if no rule has one.
///
/// It is `(N - 1) / T*` for `N` terminals, where `T*` is the number of steps per chunk. Without buses, trees reach it.
pub(in crate::commands) fn bus_bandwidth(
    topology: &Topology,
    terminals: &[NodeId],
    budget: &Budget,
) -> Option<Rational> {
    let collective = if terminals == topology.terminals() {
        Collective::all_gather()
    } else {
        CollectiveName::AllGather.in_groups(topology, &[terminals.to_vec()], &[]).ok()?
    };
    let problem = Problem::new(topology, &collective, CommunicationModel::wormhole()).ok()?;
    let bound = lockstep::bounds::throughput(&problem, budget)?;
    bound.check(&problem).ok()?;
    let [steps, chunks] = bound.certificate.quotient()?;
    if steps == 0 {
        return None;
    }
    Rational::new(chunks.into(), steps.into()).checked_scale(terminals.len() as u128 - 1, 1)
}
