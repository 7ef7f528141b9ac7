//! No certificate that the check accepts exceeds the optimum, even if no rule would find it.
//!
//! A random certificate has random node sets, labels and lengths. The check names the right value of each number that
//! follows from them, so that every certificate that can be accepted is accepted in the end.

use lockstep_certificate::{Certificate, CertificateError, Direction, LowerBound, Rule};
use lockstep_exact::{Decision, ExactError, FormulaSize, check_refutation, decide};
use lockstep_schedule::strategy::{Instance, instance, instance_on};
use lockstep_schedule::{DistributePhase, Phase, Ports, Problem, Switching};
use lockstep_topology::strategy::shuffled;
use lockstep_topology::{NodeId, Topology};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::networks::{all_reduce, any_bus_topology, broadcast_with_capacities, with_capacities};
use crate::oracle::{cases, expect_no_schedule_below};

/// A count that the check has not named yet.
const UNKNOWN: u64 = u64::MAX;

/// Random numbers, one after the other.
struct Numbers<'a> {
    numbers: std::iter::Cycle<std::slice::Iter<'a, u32>>,
}

impl Numbers<'_> {
    fn below(&mut self, bound: usize) -> usize {
        *self.numbers.next().unwrap() as usize % bound
    }

    fn list(&mut self, length: usize, bound: usize) -> Vec<u32> {
        (0..length).map(|_| self.below(bound) as u32).collect()
    }

    fn terminal(&mut self, topology: &Topology) -> NodeId {
        topology.terminals()[self.below(topology.terminal_count())]
    }

    fn nodes(&mut self, topology: &Topology) -> Vec<NodeId> {
        topology.nodes().filter(|_| self.below(2) == 1).collect()
    }

    fn direction(&mut self) -> Direction {
        [Direction::In, Direction::Out, Direction::Both][self.below(3)]
    }

    /// Returns a certificate for a distribution on the network.
    fn certificate(&mut self, problem: &Problem<'_>, topology: &Topology) -> (Rule, Certificate) {
        let (messages, per_step) = (UNKNOWN, UNKNOWN);
        let source = problem.messages().source(problem.messages().ids().next().unwrap());
        let infeasible = 1 + self.below(5) as u32;
        match self.below(18) {
            0 | 1 => self.cut(topology),
            3 => {
                let nodes = self.nodes(topology);
                (Rule::Reception, Certificate::Reception { nodes, deliveries: UNKNOWN, per_step })
            }
            2 | 15 => {
                let (nodes, receivers) = (self.nodes(topology), 1 + self.below(topology.terminal_count()) as u64);
                let late = 1 + self.below(3) as u32;
                let entries = UNKNOWN;
                (Rule::TimedCut, Certificate::LateCut { nodes, receivers, messages, per_step, late, entries })
            }
            4 | 5 => {
                let nodes = topology.node_count();
                let labels = infeasible as usize + 2;
                let is_wormhole = problem.model().switching == Switching::Wormhole;
                let ports = if is_wormhole || problem.model().ports != Ports::All { nodes } else { 0 };
                let mut holds = self.list(nodes, labels);
                holds[source.index()] = 0;
                let (mut sends, receives) = (self.list(ports, labels), self.list(ports, labels));
                for node in topology.nodes().filter(|&node| is_wormhole && topology.routes(node)) {
                    sends[node.index()] = sends[node.index()].min(receives[node.index()]);
                }
                let crossings = UNKNOWN;
                (Rule::TimedCut, Certificate::TimedCut { infeasible, holds, sends, receives, messages, crossings })
            }
            6 => {
                let (source, receivers) = (self.terminal(topology), 1 + self.below(topology.terminal_count()) as u64);
                let (ports, informed) = (UNKNOWN, Vec::new());
                (Rule::Growth, Certificate::Growth { source, messages, receivers, ports, informed })
            }
            7 => (Rule::TreePackets, Certificate::TreePackets { source, steps: u32::MAX }),
            9 => {
                let (node, direction) = (self.terminal(topology), self.direction());
                let (distance, ports) = (self.below(4) as u32, UNKNOWN);
                (Rule::Eccentricity, Certificate::Eccentricity { node, direction, distance, messages, ports })
            }
            10 => (Rule::DistanceSum, Certificate::DistanceSum { channel_uses: UNKNOWN, per_step }),
            11..=13 => (Rule::TimedEntries, self.timed_lengths(topology, infeasible)),
            14 => (Rule::Satisfiability, self.proof(problem, infeasible)),
            16 => {
                let mut certificate = self.lengths(topology);
                if let Certificate::Lengths { unit, .. } = &mut certificate {
                    *unit = 1;
                }
                (Rule::ArcForwarding, certificate)
            }
            _ => (Rule::TreePacking, self.lengths(topology)),
        }
    }

    /// Returns a proof in which some number may be wrong.
    fn proof(&mut self, problem: &Problem<'_>, infeasible: u32) -> Certificate {
        let mut proof = match decide(problem, infeasible, &mut (1 << 18), &|| false) {
            Ok(Decision::Infeasible { proof, .. }) => proof,
            _ => vec![1, 0, 2, 0, 0],
        };
        let none = FormulaSize { variables: 0, clauses: 0 };
        let size = match check_refutation(problem, infeasible, none, &proof) {
            Err(ExactError::OtherFormula(size)) => size,
            _ => none,
        };
        if self.below(2) == 1 {
            let place = self.below(proof.len());
            proof[place] = (self.below(61) as u32).cast_signed() - 30;
        }
        Certificate::of_proof(infeasible, size, proof)
    }

    fn cut(&mut self, topology: &Topology) -> (Rule, Certificate) {
        let (rule, nodes) = match self.below(2) {
            0 => (Rule::Ports, vec![self.terminal(topology)]),
            _ => (Rule::Cut, self.nodes(topology)),
        };
        (rule, Certificate::Cut { nodes, direction: self.direction(), messages: UNKNOWN, per_step: UNKNOWN })
    }

    fn timed_lengths(&mut self, topology: &Topology, infeasible: u32) -> Certificate {
        let ports = [0, topology.terminal_count()][self.below(2)];
        let [resources, sends, receptions] =
            [(topology.resource_count(), 3), (ports, 2), (ports, 2)].map(|(count, below)| {
                // Half of all places have no length in any step, or none.
                let is_free: Vec<bool> = match self.below(2) {
                    0 => vec![false; count],
                    _ => (0..count).map(|_| self.below(2) == 1).collect(),
                };
                let mut lengths = self.list(infeasible as usize * count, below);
                lengths.iter_mut().zip(is_free.iter().cycle()).for_each(|(length, &is_free)| {
                    *length = if is_free { 0 } else { *length };
                });
                lengths
            });
        Certificate::TimedLengths { infeasible, resources, sends, receptions, distance: UNKNOWN, available: UNKNOWN }
    }

    fn lengths(&mut self, topology: &Topology) -> Certificate {
        let ports = [0, topology.terminal_count()][self.below(2)];
        let resources = self.list(topology.resource_count(), 4);
        let (sends, receptions) = (self.list(ports, 3), self.list(ports, 3));
        let unit = 1 + self.below(3) as u32;
        Certificate::Lengths { resources, sends, receptions, unit, distance: UNKNOWN, per_step: UNKNOWN }
    }
}

/// Corrects numbers until the check accepts the bound; `None` if it refuses the argument.
fn accepted(problem: &Problem<'_>, mut bound: LowerBound) -> Option<LowerBound> {
    loop {
        match bound.check(problem) {
            Ok(()) => return Some(bound),
            Err(CertificateError::Wrong { quantity: "steps", actual, .. }) => bound.steps = actual as u32,
            Err(CertificateError::Wrong { quantity, actual, .. }) => correct(&mut bound.certificate, quantity, actual),
            Err(_) => return None,
        }
    }
}

fn correct(certificate: &mut Certificate, quantity: &str, actual: u64) {
    let number = match (certificate, quantity) {
        (Certificate::Reversed { certificate }, _) => return correct(certificate, quantity, actual),
        (Certificate::Cut { messages, .. } | Certificate::TimedCut { messages, .. }, "messages that must cross")
        | (Certificate::LateCut { messages, .. }, "messages that must enter")
        | (Certificate::Growth { messages, .. }, "messages of the source")
        | (Certificate::Eccentricity { messages, .. }, "messages that travel this far") => messages,
        (Certificate::Cut { per_step, .. }, "crossings in one step")
        | (Certificate::Reception { per_step, .. }, "deliveries in one step")
        | (Certificate::LateCut { per_step, .. }, "entries in one step")
        | (Certificate::GroupVolume { per_step, .. }, "transfers between groups in one step")
        | (Certificate::DistanceSum { per_step, .. }, "channels crossed in one step")
        | (Certificate::Lengths { per_step, .. }, "lengths in one step") => per_step,
        (Certificate::Reception { deliveries, .. }, "deliveries") => deliveries,
        (Certificate::TimedCut { crossings, .. }, "crossings in all steps") => crossings,
        (Certificate::GroupVolume { transfers, .. }, "transfers between groups") => transfers,
        (Certificate::GroupVolume { members, .. }, "members in a group") => members,
        (Certificate::LateCut { entries, .. }, "entries of a late message") => entries,
        (
            Certificate::Growth { receivers, .. } | Certificate::LateCut { receivers, .. },
            "receivers of these messages",
        ) => receivers,
        (Certificate::Growth { ports, .. }, "ports of the source")
        | (Certificate::Eccentricity { ports, .. }, "ports of the terminal") => ports,
        (Certificate::Growth { informed, .. }, "informed terminals") => return informed.push(actual),
        (Certificate::TreePackets { steps, .. }, "steps over the tree") => {
            *steps = actual as u32;
            return;
        }
        (Certificate::DistanceSum { channel_uses, .. }, "channels crossed") => channel_uses,
        (
            Certificate::Lengths { distance, .. } | Certificate::TimedLengths { distance, .. },
            "lengths of all messages",
        ) => distance,
        (Certificate::TimedLengths { available, .. }, "lengths in all steps") => available,
        (certificate, _) => panic!("no {quantity} in {certificate:?}"),
    };
    assert_ne!(*number, actual, "{quantity}");
    *number = actual;
}

/// Compares random certificates with the optimum. Returns false if the search takes too long.
fn compare(instance: &Instance, numbers: &[Vec<u32>]) -> bool {
    let problem = instance.problem();
    let bounds = numbers.iter().filter_map(|numbers| {
        let mut numbers = Numbers { numbers: numbers.iter().cycle() };
        if let [phase] = DistributePhase::all(&problem).as_slice() {
            return accepted_for_phase(&problem, phase, &mut numbers);
        }
        accepted_for_all_reduce(&problem, &mut numbers)
    });
    expect_no_schedule_below(&problem, &bounds.collect::<Vec<_>>()).is_ok()
}

/// Returns a random bound of an all-reduce that the check accepts.
fn accepted_for_all_reduce(problem: &Problem<'_>, numbers: &mut Numbers<'_>) -> Option<LowerBound> {
    let topology = problem.topology();
    let (rule, mut certificate) = match numbers.below(10) {
        8 | 9 => {
            let infeasible = 1 + numbers.below(6) as u32;
            (Rule::Satisfiability, numbers.proof(problem, infeasible))
        }
        6 | 7 => {
            let mut groups = vec![Vec::new(); 2 + numbers.below(3)];
            let leaves_out = numbers.below(3) == 0;
            for node in topology.nodes() {
                let group = numbers.below(groups.len() + usize::from(leaves_out || !topology.is_terminal(node)));
                if let Some(nodes) = groups.get_mut(group) {
                    nodes.push(node);
                }
            }
            (Rule::Volume, Certificate::GroupVolume { groups, transfers: UNKNOWN, members: UNKNOWN, per_step: UNKNOWN })
        }
        0 => {
            let root = numbers.terminal(topology);
            let direction = [Phase::Collect, Phase::Distribute][numbers.below(2)];
            let phase = DistributePhase::rooted(problem, root, direction);
            let bound = accepted_for_phase(problem, &phase, numbers)?;
            (Rule::CommonRoot, Certificate::CommonRoot { root, bound: bound.into() })
        }
        1 => numbers.cut(topology),
        2 | 3 => (Rule::Gossip, numbers.lengths(topology)),
        _ => {
            let infeasible = 1 + numbers.below(5) as u32;
            (Rule::TimedEntries, numbers.timed_lengths(topology, infeasible))
        }
    };
    if ![Rule::CommonRoot, Rule::Satisfiability].contains(&rule) && numbers.below(2) == 1 {
        certificate = Certificate::Reversed { certificate: certificate.into() };
    }
    accepted(problem, LowerBound { steps: 0, rule, certificate })
}

/// Returns a random bound of a phase that the check accepts.
fn accepted_for_phase(
    problem: &Problem<'_>,
    phase: &DistributePhase<'_>,
    numbers: &mut Numbers<'_>,
) -> Option<LowerBound> {
    let distribution = phase.problem(problem);
    let (rule, certificate) = numbers.certificate(&distribution, distribution.topology());
    let mut bound = accepted(&distribution, LowerBound { steps: 0, rule, certificate })?;
    if phase.is_reversed() {
        bound.certificate = Certificate::Reversed { certificate: bound.certificate.into() };
    }
    Some(bound)
}

/// The random numbers of several certificates.
fn numbers() -> impl Strategy<Value = Vec<Vec<u32>>> {
    vec(vec(any::<u32>(), 61), 1..=16)
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn no_accepted_certificate_exceeds_the_optimum(instance in instance(5), numbers in numbers()) {
        prop_assume!(compare(&instance, &numbers));
    }

    #[test]
    fn no_accepted_certificate_of_an_all_reduce_exceeds_the_optimum(instance in all_reduce(), numbers in numbers()) {
        prop_assume!(compare(&instance, &numbers));
    }

    #[test]
    fn no_accepted_certificate_exceeds_the_optimum_with_capacities(
        instance in prop_oneof![with_capacities(4), broadcast_with_capacities(6)], numbers in numbers(),
    ) {
        prop_assume!(compare(&instance, &numbers));
    }

    #[test]
    fn no_accepted_certificate_on_buses_exceeds_the_optimum(
        instance in instance_on(any_bus_topology(6).prop_flat_map(shuffled)),
        numbers in numbers(),
    ) {
        prop_assume!(compare(&instance, &numbers));
    }
}
