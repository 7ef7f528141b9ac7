//! Bounds of collecting phases, which are time-reversed first.

use lockstep_certificate::{Certificate, LowerBound};
use lockstep_schedule::DistributePhase;

/// Returns the bound of a phase from that of its distribution.
///
/// The certificate of a collecting phase is [`Certificate::Reversed`].
///
/// # Examples
///
/// ```
/// use lockstep_bounds::{best, of_phase};
/// use lockstep_schedule::{CollectiveName, CommunicationModel, DistributePhase, Problem};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:4".parse()?;
/// let reduce_scatter = CollectiveName::ReduceScatter.with_root(None)?;
/// let problem = Problem::new(&ring, &reduce_scatter, CommunicationModel::wormhole())?;
/// let phases = DistributePhase::all(&problem);
/// assert_eq!(of_phase(&phases[0], best(&phases[0].problem(&problem))), best(&problem));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn of_phase(phase: &DistributePhase<'_>, bound: LowerBound) -> LowerBound {
    if !phase.is_reversed() {
        return bound;
    }
    LowerBound { certificate: Certificate::Reversed { certificate: bound.certificate.into() }, ..bound }
}
