//! The inequalities of node sets, and contradictions between them in integers.

use lockstep_certificate::{Certificate, WeightedSet};
use lockstep_topology::NodeId;
use sha2::{Digest, Sha256};

use super::node_region::{BroadcastNetwork, NodeRegion, RegionTerm};

/// The largest integer up to which every largest weight is tried.
const MAX_SCALE: u32 = 240;

/// The kind of an inequality.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum InequalityKind {
    /// The region receives at most the copies that it can receive in the step.
    Inlet,
    /// The region holds enough copies after the step.
    Need,
}

/// An inequality that every schedule of a number of steps satisfies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Inequality {
    pub(super) kind: InequalityKind,
    pub(super) step: usize,
    /// The place of the region in the list.
    pub(super) region: usize,
}

/// An inequality times a weight.
#[derive(Clone, Copy, Debug)]
struct Weighted {
    inequality: Inequality,
    weight: i64,
}

/// The inequalities of a number of steps: the sum of the [effects](InequalitySystem::effect) of all terminals is at
/// most a [bound](InequalitySystem::bound).
#[derive(Clone, Copy)]
pub(super) struct InequalitySystem<'a> {
    pub(super) broadcast: &'a BroadcastNetwork<'a>,
    pub(super) regions: &'a [NodeRegion],
    pub(super) steps: usize,
}

impl InequalitySystem<'_> {
    /// Returns all inequalities.
    pub(super) fn all(self) -> impl Iterator<Item = Inequality> {
        let of_kind = move |kind: InequalityKind, first: usize| {
            let steps = first..first + self.steps;
            steps.flat_map(move |step| (0..self.regions.len()).map(move |region| Inequality { kind, step, region }))
        };
        of_kind(InequalityKind::Inlet, 1).chain(of_kind(InequalityKind::Need, 0))
    }

    /// Returns the contribution of a terminal to an inequality if it receives the message in step `when`. For a
    /// terminal that need not receive it, the last step means never.
    pub(super) fn effect(self, inequality: Inequality, term: RegionTerm, when: usize) -> i64 {
        let receives = when < self.steps || self.broadcast.is_receiver[term.place];
        match inequality.kind {
            InequalityKind::Inlet if when < inequality.step => -term.supply.cast_signed(),
            InequalityKind::Inlet => i64::from(term.is_inside && when == inequality.step && receives),
            InequalityKind::Need => -i64::from(term.is_inside && when <= inequality.step),
        }
    }

    /// Returns the bound of an inequality.
    pub(super) fn bound(self, inequality: Inequality) -> i64 {
        let region = &self.regions[inequality.region];
        match inequality.kind {
            InequalityKind::Inlet => region.capacity.cast_signed(),
            InequalityKind::Need => -region.need(self.steps - inequality.step).cast_signed(),
        }
    }

    /// Returns the amount by which an inequality is violated if the other terminals hold these parts of the message
    /// after steps 0, 1, 2, ….
    pub(super) fn violation(self, inequality: Inequality, held: &[Vec<f64>]) -> f64 {
        let terms = self.regions[inequality.region].terms.iter();
        let after = &held[inequality.step];
        let sum: f64 = match inequality.kind {
            InequalityKind::Inlet => {
                let before = &held[inequality.step - 1];
                let taken =
                    |term: &RegionTerm| if term.is_inside { after[term.place] - before[term.place] } else { 0.0 };
                terms.map(|term| taken(term) - term.supply as f64 * before[term.place]).sum()
            }
            InequalityKind::Need => terms.filter(|term| term.is_inside).map(|term| -after[term.place]).sum(),
        };
        sum - self.bound(inequality) as f64
    }

    /// Returns the certificate of inequalities whose sum with these factors is a contradiction, or `None` if the sum
    /// with integer weights is not.
    pub(super) fn certificate(self, factors: &[(Inequality, f64)]) -> Option<Certificate> {
        let most = factors.iter().map(|&(_, factor)| factor).fold(0.0, f64::max);
        let mut scales = (1..=MAX_SCALE).chain((1..=8).map(|power| MAX_SCALE << power));
        let mut sum: Vec<Weighted> = scales.find_map(|scale| {
            let weight = |factor: f64| (factor / most * f64::from(scale)).round() as i64;
            let weighted = factors.iter().map(|&(inequality, factor)| Weighted { inequality, weight: weight(factor) });
            let sum = weighted.filter(|weighted| weighted.weight > 0).collect::<Vec<_>>();
            (self.excess(&sum) > 0).then_some(sum)
        })?;
        for place in (0..sum.len()).rev() {
            let removed = sum.remove(place);
            if self.excess(&sum) <= 0 {
                sum.insert(place, removed);
            }
        }
        let nodes = |inequality: Inequality| self.regions[inequality.region].nodes.ones();
        sum.sort_by(|a, b| {
            (a.inequality.kind, a.inequality.step)
                .cmp(&(b.inequality.kind, b.inequality.step))
                .then_with(|| nodes(a.inequality).cmp(nodes(b.inequality)))
        });
        let set = |weighted: &Weighted| WeightedSet {
            step: weighted.inequality.step as u32,
            nodes: nodes(weighted.inequality).map(NodeId::from_index).collect(),
            count: self.bound(weighted.inequality).unsigned_abs(),
            weight: weighted.weight.unsigned_abs() as u32,
        };
        let of_kind = |kind| sum.iter().filter(move |weighted| weighted.inequality.kind == kind).map(set).collect();
        let (inlets, needs): (Vec<_>, Vec<_>) = (of_kind(InequalityKind::Inlet), of_kind(InequalityKind::Need));
        Some(Certificate::BroadcastLp {
            source: self.broadcast.source,
            infeasible: self.steps as u32,
            excess: self.excess(&sum).unsigned_abs(),
            digest: digest(inlets.iter().chain(&needs)),
            inlets,
            needs,
        })
    }

    /// Returns the amount by which the sum is violated if each terminal receives the message in its best step.
    fn excess(self, sum: &[Weighted]) -> i64 {
        let mut effects = vec![0; self.broadcast.others.len() * self.steps];
        for &Weighted { inequality, weight } in sum {
            for &term in &self.regions[inequality.region].terms {
                let own = &mut effects[term.place * self.steps..][..self.steps];
                own.iter_mut()
                    .zip(1..)
                    .for_each(|(effect, when)| *effect += weight * self.effect(inequality, term, when));
            }
        }
        let least: i64 = effects.chunks(self.steps).filter_map(|own| own.iter().min()).sum();
        least - sum.iter().map(|weighted| weighted.weight * self.bound(weighted.inequality)).sum::<i64>()
    }
}

fn digest<'a>(sets: impl Iterator<Item = &'a WeightedSet>) -> String {
    let mut hash = Sha256::new();
    for WeightedSet { step, nodes, count, weight } in sets {
        for number in [*step, *weight, nodes.len() as u32].into_iter().chain(nodes.iter().map(|node| node.number())) {
            hash.update(number.to_le_bytes());
        }
        hash.update(count.to_le_bytes());
    }
    let digits: Vec<String> = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}
