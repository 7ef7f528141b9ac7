//! Enumeration of all networks of a machine of one cabinet.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use lockstep_pareto::MultiObjectiveProblem;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::cabling::{Cabling, are_coprime};
use crate::design::Design;
use crate::design_problem::DesignProblem;
use crate::multisets::{Multisets, multiset_count};
use crate::network::Network;

/// Largest number of cablings that are enumerated. Their enumeration takes some minutes.
const MAX_CABLINGS: u128 = 1 << 25;

/// All networks of a machine that use the same number of slots on both routers, with the scores of the connected ones.
#[derive(Clone, PartialEq, Debug)]
pub struct Enumeration {
    /// Number of used slots per chassis.
    pub links: u32,
    /// Number of choices of their cables, ignoring the order of slots.
    pub choices: u128,
    /// Number of networks that are distinct up to the numbers of chassis and routers.
    pub classes: usize,
    /// The connected networks that the rules and objectives allow, with one code each.
    pub designs: Vec<Design>,
    /// Number of classes that were scored: all, unless the observer ended the enumeration.
    pub scored: usize,
}

/// A report about the work on an enumeration: more networks are scored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EnumerationEvent {
    /// Number of networks that are scored.
    pub done: usize,
    /// Number of networks that are distinct.
    pub total: usize,
}

/// Number of networks that are scored between two reports.
const BATCH: usize = 256;

/// Why the networks cannot be enumerated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnumerationError {
    /// The machine has several cabinets.
    #[error("enumeration needs a machine of 1 cabinet, and this one has {cabinets}")]
    Cabinets {
        /// Number of cabinets of the machine.
        cabinets: u32,
    },
    /// The number of slots is odd or out of range.
    #[error("{links} used slots cannot be split equally between two routers; give an even number from 2 to {most}")]
    Links {
        /// Requested number of used slots.
        links: u32,
        /// Number of slots per chassis.
        most: u32,
    },
    /// There are too many networks.
    #[error("there are more than {MAX_CABLINGS} networks with {links} used slots; use fewer slots, or evolution")]
    TooMany {
        /// Requested number of used slots.
        links: u32,
    },
}

/// Enumerates and scores all networks of the problem's machine that use `links / 2` slots of each router.
///
/// Networks that differ only in the numbers of chassis and routers are listed once. Cables are enumerated by the
/// distances that they span, and only canonical forms are scored. All scores use the same random numbers. The work is
/// proportional to the number of cablings, at most 2^25, and is parallel.
///
/// ```
/// use lockstep_design::{DesignProblem, DesignRules, Machine, enumerate, objective};
///
/// let objectives = vec![objective("exact-bisection")?, objective("paths")?];
/// let problem = DesignProblem::new(Machine::new(2, 6, 1)?, objectives, DesignRules::PUBLISHED)?;
/// let enumeration = enumerate(&problem, 2)?;
/// assert_eq!(enumeration.choices, 100);
/// assert!(enumeration.designs.iter().all(|design| design.scores[0] == 2.0)); // rings, some with pendants
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns an [`EnumerationError`] if the machine has several cabinets, `links` is invalid, or there are too many
/// networks.
pub fn enumerate(problem: &DesignProblem<'_>, links: u32) -> Result<Enumeration, EnumerationError> {
    enumerate_observed(problem, links, |_| ControlFlow::Continue(()))
}

/// Enumerates as [`enumerate`]. `observe` receives a report before every 256 networks, and ends the enumeration if it returns
/// [`ControlFlow::Break`].
///
/// # Errors
///
/// The same as for [`enumerate`].
pub fn enumerate_observed(
    problem: &DesignProblem<'_>,
    links: u32,
    mut observe: impl FnMut(EnumerationEvent) -> ControlFlow<()>,
) -> Result<Enumeration, EnumerationError> {
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
        ends.into_iter().try_fold(1u128, |product, (kinds, size)| product.checked_mul(multiset_count(kinds, size)?))
    };
    let cablings = sizes.iter().try_fold(0u128, |sum, &size| sum.checked_add(count(size)?));
    let choices = multiset_count(2 * (chassis - 1), half).and_then(|one| one.checked_mul(one));
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
                    classes.insert(cabling.canonical(chassis, &units));
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
    let (mut designs, mut done, total) = (Vec::new(), 0, classes.len());
    for batch in classes.chunks(BATCH) {
        if observe(EnumerationEvent { done, total }).is_break() {
            break;
        }
        let scored: Vec<Design> = batch.par_iter().map_init(|| problem.scratch(), score).flatten().collect();
        designs.extend(scored);
        done += batch.len();
    }
    Ok(Enumeration { links, choices, classes: total, designs, scored: done })
}

#[cfg(test)]
mod tests {
    use lockstep_pareto::{EqualPoints, Points};

    use super::*;
    use crate::{CablingCode, DesignRules, Machine, PortRule, objective};

    fn problem(machine: [u32; 3], ports: PortRule) -> DesignProblem<'static> {
        let objectives = ["exact-bisection", "paths"].map(|name| objective(name).unwrap()).to_vec();
        let [slots, chassis, cabinets] = machine;
        let rules = DesignRules { ports, ..DesignRules::PUBLISHED };
        DesignProblem::new(Machine::new(slots, chassis, cabinets).unwrap(), objectives, rules).unwrap()
    }

    /// Returns the front in thousandths, sorted by descending bisection.
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
    fn four_slots_give_the_front_of_the_published_analysis() {
        let any = problem([8, 16, 1], PortRule::Any);
        let enumeration = enumerate(&any, 4).unwrap();
        assert_eq!((enumeration.choices, enumeration.classes, enumeration.designs.len()), (216_225, 622, 293));
        assert_eq!(front(&any, &enumeration), [[18, 2_129], [16, 4_322], [14, 6_419], [8, 33_032]]);
        let equal = problem([8, 16, 1], PortRule::Equal);
        let enumeration = enumerate(&equal, 4).unwrap();
        assert_eq!(front(&equal, &enumeration), [[18, 1_870], [16, 3_354], [14, 3_935], [12, 4_645], [8, 33_032]]);
    }

    #[test]
    fn two_slots_give_rings_with_and_without_pendants() {
        let problem = problem([8, 16, 1], PortRule::Any);
        let enumeration = enumerate(&problem, 2).unwrap();
        assert_eq!(enumeration.choices, 900);
        let scores: Vec<_> = enumeration.designs.iter().map(|design| (design.scores[0], design.scores[1])).collect();
        assert!(scores.iter().all(|&score| score == (2.0, 33.0 / 31.0) || score == (2.0, 32.0 / 31.0)), "{scores:?}");
        assert_eq!(scores.len(), 2);
    }

    /// Each choice of slots, enumerated without canonical forms, has the scores of a class.
    #[test]
    fn classes_cover_all_choices() {
        let problem = problem([2, 5, 1], PortRule::Any);
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
    fn unsupported_enumerations_are_refused() {
        assert_eq!(enumerate(&problem([2, 4, 2], PortRule::Any), 2), Err(EnumerationError::Cabinets { cabinets: 2 }));
        let one = problem([2, 4, 1], PortRule::Any);
        for links in [0, 3, 6, u32::MAX] {
            assert_eq!(enumerate(&one, links), Err(EnumerationError::Links { links, most: 4 }));
        }
        assert_eq!(enumerate(&problem([8, 16, 1], PortRule::Any), 16), Err(EnumerationError::TooMany { links: 16 }));
    }
}
