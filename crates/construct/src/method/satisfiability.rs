//! Schedules of small problems by a solver of propositional formulas.

use lockstep_exact::{Decision, decide};
use lockstep_schedule::{Schedule, needed_transfers};

use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;

/// Literals that the solver assigns per attempt: a few milliseconds.
const WORK: u64 = 1 << 16;

/// Units of work per literal, about 100 ns.
const UNITS_PER_LITERAL: u64 = 12;

/// Literals that take the time of making a formula.
const WORK_PER_FORMULA: u64 = 1 << 14;

/// Satisfiability: a schedule of the goal's number of steps is stated as a formula, and a solver searches for a model. If it
/// shows that there is none, or gives up, the next number of steps is tried. The solver gets more time in every round.
/// Supports small problems: with few messages, few paths or few steps.
///
/// # Source
///
/// Lockstep.
pub(crate) const SATISFIABILITY: Method = Method {
    name: "satisfiability",
    about: "small problems of all kinds: a solver searches for a model of a formula that states a schedule",
    find,
    evaluations_per_delivery: 64,
    is_random: true,
    parts: &[],
};

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    if request.fixed.is_some() {
        return Err(MethodError::Unsupported);
    }
    let attempts = request.attempts.end.saturating_sub(request.attempts.start);
    let mut left = attempts.saturating_mul(WORK);
    let first = request.goal.max(1);
    for steps in first..request.below {
        request.check_time()?;
        // Some work remains for larger numbers of steps.
        let limit = left / 2;
        let mut work = limit;
        let decision = decide(request.problem, steps, &mut work, &|| request.budget.interruption().is_some());
        let spent = limit - work + WORK_PER_FORMULA;
        request.work.add(spent.saturating_mul(UNITS_PER_LITERAL));
        left = left.saturating_sub(spent);
        match decision {
            // Nothing forbids the solver to send a message to terminals that do not need it.
            Ok(Decision::Schedule(schedule)) => return Ok(needed_transfers(request.problem, schedule)),
            Err(_) if steps == first => return Err(MethodError::Unsupported),
            Err(_) => break,
            Ok(_) if left == 0 => break,
            Ok(_) => {}
        }
    }
    Err(MethodError::NoShorter)
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem, verify};
    use lockstep_topology::{NodeId, Topology};

    use super::*;

    #[test]
    fn two_chunks_cross_a_grid_in_the_fewest_steps() {
        let grid: Topology = "mesh:3x3".parse().unwrap();
        let broadcast = Collective::broadcast(NodeId::new(0)).with_chunks(2.try_into().unwrap());
        let one_port = Ports::limit(1).unwrap();
        let model = CommunicationModel { ports: one_port, ..CommunicationModel::store_and_forward() };
        let problem = Problem::new(&grid, &broadcast, model).unwrap();
        let budget = Budget::unlimited();
        let request = MethodRequest { attempts: 0..16, goal: 5, ..MethodRequest::first(&problem, &budget) };
        let schedule = find(&request).unwrap();
        assert!(verify(&problem, &schedule).unwrap().steps <= 7);
    }

    /// Read backwards, a transfer that no terminal needs sends what its sender does not hold.
    #[test]
    fn every_transfer_is_needed() {
        for seed in 0..4 {
            let network: Topology = format!("random-regular:12,3,{seed}").parse().unwrap();
            let scatter = Collective::scatter(NodeId::new(0));
            let problem = Problem::new(&network, &scatter, CommunicationModel::store_and_forward()).unwrap();
            let budget = Budget::unlimited();
            let request = MethodRequest { attempts: 0..16, goal: 5, ..MethodRequest::first(&problem, &budget) };
            let schedule = find(&request).unwrap();
            assert_eq!(needed_transfers(&problem, schedule.clone()), schedule, "seed {seed}");
        }
    }

    #[test]
    fn large_problems_are_not_supported() {
        let torus: Topology = "torus:16x16".parse().unwrap();
        let all_gather = Collective::all_gather();
        let problem = Problem::new(&torus, &all_gather, CommunicationModel::store_and_forward()).unwrap();
        let budget = Budget::unlimited();
        assert_eq!(find(&MethodRequest::first(&problem, &budget)).unwrap_err(), MethodError::Unsupported);
    }
}
