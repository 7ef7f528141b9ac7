//! The formula that states that a schedule exists.

use lockstep_schedule::{Pattern, Phase, Problem};

use crate::all_reduce::state_all_reduce;
use crate::distribution::state_distribution;
use crate::error::{ExactError, MAX_STEPS};
use crate::formula::Formula;
use crate::network::Network;
use crate::transfers::Transfers;

/// Returns a formula that is satisfiable if and only if a distribution or an all-reduce has a schedule of `steps` steps of
/// width 1, with the network and the transfers that its variables stand for. The formula has at most `limit` literals.
pub(crate) fn encode(
    problem: &Problem<'_>,
    steps: u32,
    limit: usize,
) -> Result<(Formula, Network, Transfers), ExactError> {
    if !(1..=MAX_STEPS).contains(&steps) {
        return Err(ExactError::Steps);
    }
    if problem.collective().phases() == [Phase::Collect] {
        return Err(ExactError::Collects);
    }
    let network = Network::new(problem)?;
    let mut transfers = Transfers::new(problem, &network, steps)?;
    let mut formula = Formula::new(limit);
    if problem.collective().pattern() == Pattern::ReduceBroadcast {
        state_all_reduce(problem, &network, &mut transfers, &mut formula)?;
    } else {
        state_distribution(problem, &network, &mut transfers, &mut formula)?;
    }
    formula.check_size()?;
    Ok((formula, network, transfers))
}
