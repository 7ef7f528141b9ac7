//! All networks of a machine of one cabinet.

use std::collections::BTreeSet;

use lockstep_pareto::MultiObjectiveProblem;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::front::Design;
use crate::{CablingCode, DesignProblem, Machine, Network};

/// The most ways to choose cables that are looked at, some minutes of work.
const MAX_CABLINGS: u128 = 1 << 25;

/// All networks of a machine that use as many slots of either router, with the scores of those that are connected.
#[derive(Clone, PartialEq, Debug)]
pub struct Enumeration {
    /// Slots of a chassis in use.
    pub links: u32,
    /// Number of ways to choose what they do, but for their order.
    pub choices: u128,
    /// Number of networks that differ by more than the numbers of chassis and routers.
    pub classes: usize,
    /// The connected ones that the rules and objectives allow, one code each, with their scores.
    pub designs: Vec<Design>,
}

/// Why not all networks can be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnumerationError {
    /// Several cabinets.
    #[error("all networks are looked at in machines of one cabinet, and this one has {cabinets}; give 1")]
    Cabinets {
        /// Cabinets of the machine.
        cabinets: u32,
    },
    /// A number of slots that two routers do not share equally, or do not have.
    #[error("{links} slots in use cannot be as many of either router; give an even number from 2 to {most}")]
    Links {
        /// Slots in use.
        links: u32,
        /// The most that there are.
        most: u32,
    },
    /// Too many ways to choose.
    #[error("there are more than {MAX_CABLINGS} networks with {links} slots in use; use fewer, or evolution")]
    TooMany {
        /// Slots in use.
        links: u32,
    },
}

/// The cables of all chassis, where chassis stand in a circle: which distances are joined.
///
/// Multisets, ascending: between first routers of chassis and between second ones, where a distance is as good as its opposite, and
/// from first to second ones. Turned and mirrored circles, steps of another width, routers that change names, and second routers that
/// are counted from another chassis make the same network.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Cabling {
    first: Vec<u32>,
    second: Vec<u32>,
    across: Vec<u32>,
}

/// All networks of the problem's machine that use `links / 2` slots of either router, each once but for the numbers of chassis
/// and routers, scored by the problem's objectives.
///
/// Cables are chosen by the distances that they span, so that slots do not matter; of the cablings that differ by names alone, only
/// the least is kept. Every score is taken with the same random numbers.
///
/// **Source**: bicirculant graphs; the canonical form is the least under the units of the ring of integers modulo the number of
/// chassis, the exchange of the two routers and the shift of one against the other.
///
/// # Errors
///
/// [`EnumerationError`], if the machine has several cabinets or there are too many networks.
pub fn enumerate(problem: &DesignProblem<'_>, links: u32) -> Result<Enumeration, EnumerationError> {
    let machine = problem.machine();
    if machine.cabinets() != 1 {
        return Err(EnumerationError::Cabinets { cabinets: machine.cabinets() });
    }
    let (most, half, chassis) = (2 * machine.slots(), links / 2, machine.chassis());
    if links == 0 || !links.is_multiple_of(2) || links > most {
        return Err(EnumerationError::Links { links, most });
    }
    let sizes: Vec<[u32; 3]> =
        (0..=half).flat_map(|first| (0..=half).map(move |second| [first, second, links - first - second])).collect();
    let count = |[first, second, across]: [u32; 3]| {
        let ends = [(chassis / 2, first), (chassis / 2, second), (chassis - 1, across)];
        ends.into_iter().try_fold(1u128, |product, (kinds, size)| product.checked_mul(multisets(kinds, size)?))
    };
    let cablings = sizes.iter().try_fold(0u128, |sum, &size| sum.checked_add(count(size)?));
    let choices = multisets(2 * (chassis - 1), half).and_then(|one| one.checked_mul(one));
    let (Some(..=MAX_CABLINGS), Some(choices)) = (cablings, choices) else {
        return Err(EnumerationError::TooMany { links });
    };
    let units: Vec<u32> = (1..=chassis).filter(|&unit| are_coprime(unit, chassis)).collect();
    let parts: Vec<_> = sizes
        .iter()
        .flat_map(|&[first, second, across]| {
            Multisets::new(1..=chassis / 2, first).map(move |first| (first, second, across))
        })
        .collect();
    let classes = parts
        .into_par_iter()
        .map(|(first, second, across)| {
            let mut classes = BTreeSet::new();
            for second in Multisets::new(1..=chassis / 2, second) {
                for across in Multisets::new(1..=chassis - 1, across) {
                    let cabling = Cabling { first: first.clone(), second: second.clone(), across };
                    classes.insert(cabling.least(chassis, &units));
                }
            }
            classes
        })
        .reduce(BTreeSet::new, |mut all, mut some| {
            all.append(&mut some);
            all
        });
    let classes: Vec<Cabling> = classes.into_iter().collect();
    let score = |network: &mut Network, cabling: &Cabling| {
        let code = cabling.code(&machine)?;
        let mut scores = vec![0.0; problem.objectives().len()];
        let random = &mut ChaCha8Rng::seed_from_u64(0);
        problem.evaluate(&code, network, random, &mut scores).then_some(Design { scores, code })
    };
    let designs = classes.par_iter().map_init(|| problem.scratch(), score).flatten().collect();
    Ok(Enumeration { links, choices, classes: classes.len(), designs })
}

impl Cabling {
    /// The least of all that differ by names alone.
    fn least(&self, chassis: u32, units: &[u32]) -> Self {
        let times = |unit: u32, distance: u32| (u64::from(unit) * u64::from(distance) % u64::from(chassis)) as u32;
        let either_way = |unit: u32, distances: &[u32]| {
            let shorter = |&distance: &u32| times(unit, distance).min(chassis - times(unit, distance));
            sorted(distances.iter().map(shorter))
        };
        let mut least: Option<Self> = None;
        for &unit in units {
            for swaps in [false, true] {
                let (first, second) = if swaps { (&self.second, &self.first) } else { (&self.first, &self.second) };
                let [first, second] = [first, second].map(|distances| either_way(unit, distances));
                // The opposite unit turns the distances round where routers have changed names.
                let turned: Vec<u32> = self.across.iter().map(|&distance| times(unit, distance)).collect();
                // The least one begins with a distance of 0, unless there is none at all.
                let shifts = if turned.is_empty() { &[0][..] } else { &turned };
                for shift in shifts {
                    let across = sorted(turned.iter().map(|distance| (distance + chassis - shift) % chassis));
                    let across = if swaps {
                        sorted(across.iter().map(|distance| (chassis - distance) % chassis))
                    } else {
                        across
                    };
                    let candidate = Self { first: first.clone(), second: second.clone(), across };
                    if least.as_ref().is_none_or(|least| candidate < *least) {
                        least = Some(candidate);
                    }
                }
            }
        }
        least.expect("1 is a unit")
    }

    /// A code of the network; `None` if second routers are joined to first ones at every distance, 0 included, however counted.
    fn code(&self, machine: &Machine) -> Option<CablingCode> {
        let (chassis, slots) = (machine.chassis(), machine.slots());
        let shift = (0..chassis).find(|shift| self.across.iter().all(|distance| (distance + shift) % chassis != 0))?;
        let across = self.across.iter().map(|distance| (distance + shift) % chassis);
        let own = (self.first.len() + self.second.len() + self.across.len()) / 2;
        let forth = own - self.first.len();
        let genes = [
            self.first
                .iter()
                .map(|&distance| (0, distance))
                .chain(across.clone().take(forth).map(|far| (1, far)))
                .collect(),
            across.skip(forth).map(|far| (0, chassis - far)).chain(self.second.iter().map(|&near| (1, near))).collect(),
        ];
        let mut offsets = vec![0; machine.chassis_slots() as usize];
        for (router, genes) in (0..).zip::<[Vec<(u32, u32)>; 2]>(genes) {
            for (slot, (to, distance)) in (router * slots..).zip(genes) {
                offsets[slot as usize] = distance * machine.chassis_slots() + to * slots - slot;
            }
        }
        Some(CablingCode(offsets.into()))
    }
}

fn sorted(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

fn are_coprime(mut a: u32, mut b: u32) -> bool {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

/// The number of multisets of this size of so many kinds; `None` if it is astronomic.
fn multisets(kinds: u32, size: u32) -> Option<u128> {
    (0..u128::from(size)).try_fold(1u128, |number, place| {
        // Every step leaves a binomial coefficient.
        Some(number.checked_mul(u128::from(kinds) + place)? / (place + 1))
    })
}

/// All multisets of numbers in a range, as ascending lists, in lexical order.
struct Multisets {
    greatest: u32,
    next: Option<Vec<u32>>,
}

impl Multisets {
    fn new(range: std::ops::RangeInclusive<u32>, size: u32) -> Self {
        let next = (size == 0 || !range.is_empty()).then(|| vec![*range.start(); size as usize]);
        Self { greatest: *range.end(), next }
    }
}

impl Iterator for Multisets {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        let this = self.next.take()?;
        if let Some(place) = this.iter().rposition(|&number| number < self.greatest) {
            let mut next = this.clone();
            next[place..].fill(this[place] + 1);
            self.next = Some(next);
        }
        Some(this)
    }
}

#[cfg(test)]
mod tests {
    use lockstep_pareto::{EqualPoints, Points};

    use super::*;
    use crate::{DesignRules, Ports, objective};

    fn problem(machine: [u32; 3], ports: Ports) -> DesignProblem<'static> {
        let objectives = ["exact-bisection", "paths"].map(|name| objective(name).unwrap()).to_vec();
        let [slots, chassis, cabinets] = machine;
        let rules = DesignRules { ports, ..DesignRules::PUBLISHED };
        DesignProblem::new(Machine::new(slots, chassis, cabinets).unwrap(), objectives, rules).unwrap()
    }

    /// The front in thousandths, by descending bisection.
    fn front(problem: &DesignProblem<'_>, enumeration: &Enumeration) -> Vec<[i64; 2]> {
        let rows = enumeration.designs.iter().map(|design| &design.scores);
        let points = Points::new(problem.senses(), rows.clone()).unwrap();
        let rows: Vec<_> = rows.collect();
        let mut front: Vec<[i64; 2]> = points
            .front(EqualPoints::Remove)
            .iter()
            .map(|&place| [rows[place][0], (1000.0 * rows[place][1]).floor()].map(|score| score as i64))
            .collect();
        front.sort_unstable_by(|a, b| b.cmp(a));
        front
    }

    #[test]
    fn four_slots_make_the_front_of_the_documents_analysis() {
        let any = problem([8, 16, 1], Ports::Any);
        let enumeration = enumerate(&any, 4).unwrap();
        assert_eq!((enumeration.choices, enumeration.classes, enumeration.designs.len()), (216_225, 622, 293));
        assert_eq!(front(&any, &enumeration), [[18, 2_129], [16, 4_322], [14, 6_419], [8, 33_032]]);
        let equal = problem([8, 16, 1], Ports::Equal);
        let enumeration = super::enumerate(&equal, 4).unwrap();
        assert_eq!(front(&equal, &enumeration), [[18, 1_870], [16, 3_354], [14, 3_935], [12, 4_645], [8, 33_032]]);
    }

    #[test]
    fn two_slots_make_rings_with_and_without_pendants() {
        let problem = problem([8, 16, 1], Ports::Any);
        let enumeration = enumerate(&problem, 2).unwrap();
        assert_eq!(enumeration.choices, 900);
        let scores: Vec<_> = enumeration.designs.iter().map(|design| (design.scores[0], design.scores[1])).collect();
        assert!(scores.iter().all(|&score| score == (2.0, 33.0 / 31.0) || score == (2.0, 32.0 / 31.0)), "{scores:?}");
        assert_eq!(scores.len(), 2);
    }

    /// Every choice of what slots do, without any canonical form, has the scores of a class.
    #[test]
    fn classes_are_all_there_is() {
        let problem = problem([2, 5, 1], Ports::Any);
        let enumeration = enumerate(&problem, 4).unwrap();
        let mut expected = BTreeSet::new();
        let bits = |scores: &[f64]| scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>();
        let mut network = Network::default();
        let ends: Vec<u32> = (4..20).filter(|end| end % 2 == 0).collect();
        let (mut choices, mut codes) = (0, vec![vec![]]);
        for _ in 0..4 {
            codes = codes.iter().flat_map(|code| ends.iter().map(move |&end| [&code[..], &[end]].concat())).collect();
        }
        for ends in codes.iter().filter(|ends| ends[0] <= ends[1] && ends[2] <= ends[3]) {
            choices += 1;
            let code = CablingCode((0..).zip(ends).map(|(slot, end)| end - slot).collect());
            let mut scores = [0.0; 2];
            if problem.evaluate(&code, &mut network, &mut ChaCha8Rng::seed_from_u64(0), &mut scores) {
                expected.insert(bits(&scores));
            }
        }
        assert_eq!(enumeration.choices, choices);
        assert_eq!(enumeration.designs.iter().map(|design| bits(&design.scores)).collect::<BTreeSet<_>>(), expected);
        for design in &enumeration.designs {
            assert_eq!(design.code.check(&problem.machine()), Ok(()));
            assert_eq!(design.code.links(), 4);
        }
    }

    #[test]
    fn what_cannot_be_surveyed_is_said() {
        assert_eq!(enumerate(&problem([2, 4, 2], Ports::Any), 2), Err(EnumerationError::Cabinets { cabinets: 2 }));
        let one = problem([2, 4, 1], Ports::Any);
        for links in [0, 3, 6, u32::MAX] {
            assert_eq!(enumerate(&one, links), Err(EnumerationError::Links { links, most: 4 }));
        }
        assert_eq!(enumerate(&problem([8, 16, 1], Ports::Any), 16), Err(EnumerationError::TooMany { links: 16 }));
    }
}
