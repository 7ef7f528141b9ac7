//! Contradictions in whole numbers.

use lockstep_topology::NodeId;
use sha2::{Digest, Sha256};

use super::region::{Region, Spread, Term};
use lockstep_certificate::{Certificate, WeightedSet};

/// What is claimed of a region.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// It takes in no more in the step than it can.
    Inlet,
    /// It holds enough after the step.
    Need,
}

/// An inequality that every schedule of `steps` steps meets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fact {
    pub(super) kind: Kind,
    pub(super) step: usize,
    /// Place of the region among those known.
    pub(super) region: usize,
}

/// A fact that counts several times.
#[derive(Clone, Copy, Debug)]
struct Multiple {
    fact: Fact,
    weight: i64,
}

/// The facts about a number of steps: each says that the sum of the terminals' [effects](Facts::effect) is at most its
/// [bound](Facts::bound).
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub(super) spread: &'a Spread<'a>,
    pub(super) regions: &'a [Region],
    pub(super) steps: usize,
}

impl Facts<'_> {
    /// All facts.
    pub(super) fn all(self) -> impl Iterator<Item = Fact> {
        let of_kind = move |kind: Kind, first: usize| {
            let steps = first..first + self.steps;
            steps.flat_map(move |step| (0..self.regions.len()).map(move |region| Fact { kind, step, region }))
        };
        of_kind(Kind::Inlet, 1).chain(of_kind(Kind::Need, 0))
    }

    /// What a terminal adds to a fact if it gets the message in step `when`. Those that need not get it never do instead
    /// of in the last step, when it is of no use.
    pub(super) fn effect(self, fact: Fact, term: Term, when: usize) -> i64 {
        let gets = when < self.steps || self.spread.is_receiver[term.place];
        match fact.kind {
            Kind::Inlet if when < fact.step => -term.supply.cast_signed(),
            Kind::Inlet => i64::from(term.is_inside && when == fact.step && gets),
            Kind::Need => -i64::from(term.is_inside && when <= fact.step),
        }
    }

    pub(super) fn bound(self, fact: Fact) -> i64 {
        let region = &self.regions[fact.region];
        match fact.kind {
            Kind::Inlet => region.capacity.cast_signed(),
            Kind::Need => -region.need(self.steps - fact.step).cast_signed(),
        }
    }

    /// By how much a fact is missed if the other terminals hold such parts of the message after steps 0, 1, 2, ….
    pub(super) fn missed(self, fact: Fact, held: &[Vec<f64>]) -> f64 {
        let terms = self.regions[fact.region].terms.iter();
        let after = &held[fact.step];
        let sum: f64 = match fact.kind {
            Kind::Inlet => {
                let before = &held[fact.step - 1];
                let taken = |term: &Term| if term.is_inside { after[term.place] - before[term.place] } else { 0.0 };
                terms.map(|term| taken(term) - term.supply as f64 * before[term.place]).sum()
            }
            Kind::Need => terms.filter(|term| term.is_inside).map(|term| -after[term.place]).sum(),
        };
        sum - self.bound(fact) as f64
    }

    /// The certificate of facts that contradict each other if each is taken so often, or `None` if rounded to whole
    /// numbers they do not.
    pub(super) fn certificate(self, facts: &[(Fact, f64)]) -> Option<Certificate> {
        let most = facts.iter().map(|&(_, times)| times).fold(0.0, f64::max);
        let mut scales = (1..=MAX_SCALE).chain((1..=8).map(|power| MAX_SCALE << power));
        let mut sum: Vec<Multiple> = scales.find_map(|scale| {
            let weight = |times: f64| (times / most * f64::from(scale)).round() as i64;
            let multiples = facts.iter().map(|&(fact, times)| Multiple { fact, weight: weight(times) });
            let sum = multiples.filter(|multiple| multiple.weight > 0).collect::<Vec<_>>();
            (self.excess(&sum) > 0).then_some(sum)
        })?;
        for place in (0..sum.len()).rev() {
            let multiple = sum.remove(place);
            if self.excess(&sum) <= 0 {
                sum.insert(place, multiple);
            }
        }
        let nodes = |fact: Fact| self.regions[fact.region].nodes.ones();
        sum.sort_by(|a, b| {
            (a.fact.kind, a.fact.step).cmp(&(b.fact.kind, b.fact.step)).then_with(|| nodes(a.fact).cmp(nodes(b.fact)))
        });
        let weighted = |multiple: &Multiple| WeightedSet {
            step: multiple.fact.step as u32,
            nodes: nodes(multiple.fact).map(NodeId::from_index).collect(),
            count: self.bound(multiple.fact).unsigned_abs(),
            weight: multiple.weight.unsigned_abs() as u32,
        };
        let of_kind = |kind| sum.iter().filter(move |multiple| multiple.fact.kind == kind).map(weighted).collect();
        let (inlets, needs): (Vec<_>, Vec<_>) = (of_kind(Kind::Inlet), of_kind(Kind::Need));
        Some(Certificate::BroadcastLp {
            source: self.spread.source,
            infeasible: self.steps as u32,
            excess: self.excess(&sum).unsigned_abs(),
            digest: digest(inlets.iter().chain(&needs)),
            inlets,
            needs,
        })
    }

    /// By how much the sum of the facts is missed at least, whenever each terminal gets the message.
    fn excess(self, sum: &[Multiple]) -> i64 {
        let mut effects = vec![0; self.spread.others.len() * self.steps];
        for &Multiple { fact, weight } in sum {
            for &term in &self.regions[fact.region].terms {
                let own = &mut effects[term.place * self.steps..][..self.steps];
                own.iter_mut().zip(1..).for_each(|(effect, when)| *effect += weight * self.effect(fact, term, when));
            }
        }
        let least: i64 = effects.chunks(self.steps).filter_map(|own| own.iter().min()).sum();
        least - sum.iter().map(|multiple| multiple.weight * self.bound(multiple.fact)).sum::<i64>()
    }
}

/// The largest weight up to which all are tried.
const MAX_SCALE: u32 = 240;

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
