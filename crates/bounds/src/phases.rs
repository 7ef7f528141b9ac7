//! Bounds of collectives from bounds of the distributions that they contain.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::DistributePhase;

/// Returns the bound of a problem from one bound per phase, each of the phase as a distribution.
///
/// # Panics
///
/// If the number of bounds is not the number of phases.
///
/// # Examples
///
/// ```
/// use lockstep_bounds::{best, of_phases};
/// use lockstep_schedule::{CollectiveName, CommunicationModel, DistributePhase, Problem};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:4".parse()?;
/// let reduce_scatter = CollectiveName::ReduceScatter.with_root(None)?;
/// let problem = Problem::new(&ring, &reduce_scatter, CommunicationModel::wormhole())?;
/// let phases = DistributePhase::all(&problem);
/// let bounds = phases.iter().map(|phase| best(&phase.problem(&problem))).collect();
/// assert_eq!(of_phases(&phases, bounds), best(&problem));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn of_phases(phases: &[DistributePhase<'_>], bounds: Vec<LowerBound>) -> LowerBound {
    assert_eq!(phases.len(), bounds.len(), "one bound per phase");
    let mut bounds: Vec<LowerBound> = phases.iter().zip(bounds).map(|(phase, bound)| in_time(phase, bound)).collect();
    if bounds.len() == 1 { bounds.remove(0) } else { larger_of(bounds) }
}

/// Turns a bound of the distribution of a phase into a bound of the phase.
pub(crate) fn in_time(phase: &DistributePhase<'_>, bound: LowerBound) -> LowerBound {
    if !phase.is_reversed() {
        return bound;
    }
    LowerBound { certificate: Certificate::Reversed { certificate: bound.certificate.into() }, ..bound }
}

/// Returns the bounds of an all-reduce from those of its parts: of the best ones, and of those by the same rule.
pub(crate) fn of_parts(phases: &[Vec<LowerBound>]) -> Vec<LowerBound> {
    let best: Option<Vec<LowerBound>> = phases.iter().map(|bounds| bounds.first().cloned()).collect();
    let of_rule = |rule: Rule| -> Option<Vec<LowerBound>> {
        phases.iter().map(|bounds| bounds.iter().find(|bound| bound.rule == rule).cloned()).collect()
    };
    let rules = phases.first().into_iter().flatten().map(|bound| bound.rule);
    let mut all: Vec<LowerBound> = Vec::new();
    for bounds in best.into_iter().chain(rules.filter_map(of_rule)) {
        let larger = larger_of(bounds);
        if !all.contains(&larger) {
            all.push(larger);
        }
    }
    all
}

fn larger_of(phases: Vec<LowerBound>) -> LowerBound {
    let steps = phases.iter().map(|bound| bound.steps).max().unwrap_or(0);
    LowerBound { steps, rule: Rule::Phases, certificate: Certificate::Phases { phases } }
}
