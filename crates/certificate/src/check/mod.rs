//! The check of certificates. It shares the definitions with the rules, but no code that searches or counts.

mod all_reduce;
mod arc_forwarding;
mod capacity;
mod cayley;
mod cut;
mod distance;
mod distance_sum;
mod eccentricity;
mod gossip;
mod group_volume;
mod growth;
mod late_cut;
mod lengths;
mod messages;
mod nodes;
mod reception;
mod refusal;
mod satisfiability;
mod timed_cut;
mod timed_entries;
mod timed_lengths;
mod transfers;
mod tree_broadcast;
mod tree_packets;
mod tree_packing;
mod trees;
mod volume;

use lockstep_exact::FormulaSize;
use lockstep_schedule::{DistributePhase, Pattern, Problem};

use self::refusal::{Checked, expect};
use crate::certificate::{Certificate, LowerBound};
use crate::error::CertificateError;
use crate::rule::Rule;

impl LowerBound {
    /// Verifies that the certificate proves the bound for the problem.
    ///
    /// Every number is computed again from the network and the messages. Takes time linear in the network and the
    /// messages; distance sums and lengths take one search per source, each `O(M log M)` for `M` channels.
    ///
    /// # Errors
    ///
    /// [`CertificateError`] names the first fact that does not hold. Every number must be exact, even if a weaker one
    /// would prove the same bound.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockstep_certificate::{Certificate, Direction, LowerBound, Rule};
    /// use lockstep_schedule::{Collective, CommunicationModel, Problem};
    /// use lockstep_topology::{NodeId, Topology};
    ///
    /// let ring: Topology = "ring:6".parse()?;
    /// let all_gather = Collective::all_gather();
    /// let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole())?;
    /// // A terminal receives 5 messages over 2 channels, which takes at least 3 steps.
    /// let (nodes, direction) = (vec![NodeId::new(0)], Direction::In);
    /// let certificate = Certificate::Cut { nodes, direction, messages: 5, per_step: 2 };
    /// let bound = LowerBound { steps: 3, rule: Rule::Ports, certificate };
    /// bound.check(&problem)?;
    /// assert!(LowerBound { steps: 4, ..bound }.check(&problem).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self, problem: &Problem<'_>) -> Result<(), CertificateError> {
        if problem.collective().pattern() == Pattern::ReduceBroadcast {
            return self.check_all_reduce(problem);
        }
        let [phase] = &DistributePhase::all(problem)[..] else { unreachable!("only an all-reduce has two phases") };
        self.check_phase(problem, phase)
    }

    fn check_phase(&self, whole: &Problem<'_>, phase: &DistributePhase<'_>) -> Result<(), CertificateError> {
        let certificate: Checked<&Certificate> = match (&self.certificate, phase.is_reversed()) {
            (Certificate::Reversed { certificate }, true) => Ok(&**certificate),
            (_, true) => Err("the collective collects, so the facts must concern the reversed network".into()),
            (certificate, false) => Ok(certificate),
        };
        let steps = certificate.and_then(|certificate| steps_proved(&phase.problem(whole), self.rule, certificate));
        steps.and_then(|steps| self.expect_steps(steps)).map_err(|refusal| refusal.by(self.rule))
    }

    fn expect_steps(&self, proved: u64) -> Checked {
        expect("steps", self.steps.into(), proved.min(u32::MAX.into()))
    }
}

/// Returns the number of steps that the facts prove for a distribution.
fn steps_proved(problem: &Problem<'_>, rule: Rule, certificate: &Certificate) -> Checked<u64> {
    match (rule, certificate) {
        (Rule::Ports | Rule::Cut, &Certificate::Cut { ref nodes, direction, messages, per_step }) => {
            cut::steps_proved(problem, rule, nodes, direction, [messages, per_step])
        }
        (Rule::Reception, &Certificate::Reception { ref nodes, deliveries, per_step }) => {
            reception::steps_proved(problem, nodes, [deliveries, per_step])
        }
        (Rule::TimedCut, Certificate::TimedCut { infeasible, holds, sends, receives, messages, crossings }) => {
            let labels = timed_cut::Labels { steps: *infeasible, holds, sends, receives };
            timed_cut::steps_proved(problem, &labels, [*messages, *crossings])
        }
        (Rule::TimedCut, &Certificate::LateCut { ref nodes, receivers, messages, per_step, late, entries }) => {
            let claim = late_cut::Claim { receivers, messages, per_step, late, entries };
            late_cut::steps_proved(problem, nodes, &claim)
        }
        (Rule::TreePackets, &Certificate::TreePackets { source, steps }) => {
            tree_packets::steps_proved(problem, source, steps)
        }
        (Rule::Growth, &Certificate::Growth { source, messages, receivers, ports, ref informed }) => {
            growth::steps_proved(problem, source, [messages, receivers, ports], informed)
        }
        (Rule::TreeBroadcast, &Certificate::TreeBroadcast { source, infeasible, states, ref digest }) => {
            tree_broadcast::steps_proved(problem, source, infeasible, states, digest)
        }
        (Rule::Eccentricity, &Certificate::Eccentricity { node, direction, distance, messages, ports }) => {
            eccentricity::steps_proved(problem, node, direction, distance, [messages, ports])
        }
        (Rule::DistanceSum, &Certificate::DistanceSum { channel_uses, per_step }) => {
            distance_sum::steps_proved(problem, [channel_uses, per_step])
        }
        (Rule::Volume, &Certificate::Volume { deliveries, per_step }) => {
            volume::steps_proved(problem, [deliveries, per_step])
        }
        (_, &Certificate::Lengths { ref resources, ref sends, ref receptions, unit, distance, per_step }) => {
            let lengths = lengths::Lengths { resources, sends, receptions, unit };
            match rule {
                Rule::ArcForwarding => arc_forwarding::steps_proved(problem, &lengths, [distance, per_step]),
                Rule::TreePacking => tree_packing::steps_proved(problem, &lengths, [distance, per_step]),
                _ => Err("the facts belong to another rule".into()),
            }
        }
        (
            Rule::Satisfiability,
            &Certificate::Satisfiability { infeasible, variables, clauses, ref proof, ref digest },
        ) => satisfiability::steps_proved(problem, infeasible, FormulaSize { variables, clauses }, proof, digest),
        (
            Rule::TimedEntries,
            &Certificate::TimedLengths { infeasible, ref resources, ref sends, ref receptions, distance, available },
        ) => timed_entries::steps_proved(problem, infeasible, [resources, sends, receptions], [distance, available]),
        _ => Err("the facts belong to another rule".into()),
    }
}
