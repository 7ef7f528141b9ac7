//! Bounds of all-reduces, whose phases may share steps.

use lockstep_exact::FormulaSize;
use lockstep_schedule::{DistributePhase, Phase, Problem};

use super::lengths::Lengths;
use super::nodes::expect_terminal;
use super::refusal::Checked;
use super::{cut, gossip, group_volume, satisfiability, timed_entries, volume};
use crate::certificate::{Certificate, LowerBound};
use crate::error::CertificateError;
use crate::rule::Rule;

impl LowerBound {
    /// Verifies that the certificate proves the bound for an all-reduce.
    pub(super) fn check_all_reduce(&self, problem: &Problem<'_>) -> Result<(), CertificateError> {
        if let Certificate::CommonRoot { root, bound } = &self.certificate {
            expect_terminal(problem, *root).map_err(|refusal| refusal.by(self.rule))?;
            let is_reversed = matches!(bound.certificate, Certificate::Reversed { .. });
            let phase = if is_reversed { Phase::Collect } else { Phase::Distribute };
            bound.check_phase(problem, &DistributePhase::rooted(problem, *root, phase))?;
        }
        self.steps_of_all_reduce(problem)
            .and_then(|steps| self.expect_steps(steps))
            .map_err(|refusal| refusal.by(self.rule))
    }

    /// Returns the number of steps that the facts prove for an all-reduce, if the bounds that they contain hold.
    fn steps_of_all_reduce(&self, problem: &Problem<'_>) -> Checked<u64> {
        match (self.rule, &self.certificate) {
            (Rule::CommonRoot, Certificate::CommonRoot { bound, .. }) => Ok(bound.steps.into()),
            (Rule::Satisfiability, Certificate::Reversed { .. }) => {
                Err("an all-reduce of sums backwards in time is none".into())
            }
            (rule, Certificate::Reversed { certificate }) => {
                let reversed = problem.topology().reversed();
                let backwards = Problem::new(&reversed, problem.collective(), problem.model());
                steps_proved(&backwards.map_err(|_| "the reversed network is not connected")?, rule, certificate)
            }
            (rule, certificate) => steps_proved(problem, rule, certificate),
        }
    }
}

/// Returns the number of steps that the facts prove for the gossips of all messages.
fn steps_proved(problem: &Problem<'_>, rule: Rule, certificate: &Certificate) -> Checked<u64> {
    match (rule, certificate) {
        (Rule::Ports | Rule::Cut, &Certificate::Cut { ref nodes, direction, messages, per_step }) => {
            cut::steps_proved(problem, rule, nodes, direction, [messages, per_step])
        }
        (Rule::Volume, &Certificate::Volume { deliveries, per_step }) => {
            volume::steps_proved_for_all_reduce(problem, [deliveries, per_step])
        }
        (Rule::Volume, &Certificate::GroupVolume { ref groups, transfers, members, per_step }) => {
            group_volume::steps_proved(problem, groups, [transfers, members, per_step])
        }
        (
            Rule::Gossip,
            &Certificate::Lengths { ref resources, ref sends, ref receptions, unit, distance, per_step },
        ) => gossip::steps_proved(problem, &Lengths { resources, sends, receptions, unit }, [distance, per_step]),
        (
            Rule::TimedEntries,
            &Certificate::TimedLengths { infeasible, ref resources, ref sends, ref receptions, distance, available },
        ) => timed_entries::steps_proved(problem, infeasible, [resources, sends, receptions], [distance, available]),
        (
            Rule::Satisfiability,
            &Certificate::Satisfiability { infeasible, variables, clauses, ref proof, ref digest },
        ) => satisfiability::steps_proved(problem, infeasible, FormulaSize { variables, clauses }, proof, digest),
        _ => Err("the facts are none about an all-reduce".into()),
    }
}
