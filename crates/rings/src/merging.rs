//! Sets of rings by the merging of cycles.

use crate::factors::Factors;
use crate::hop_choice::choose_hops;
use crate::permutations::Permutations;
use crate::problem::RingProblem;
use crate::rational::Rational;
use crate::ring_set::RingSet;
use crate::rng::rng;
use crate::work::Work;

/// Permutations beside those that become rings.
const MAX_SPARE: u32 = 2;

/// Merges cycles of links, then cycles of hops. Every second attempt has spare permutations, with which the others exchange hops.
pub(crate) fn merged(
    problem: &RingProblem<'_>,
    rings: u32,
    rho: Rational,
    [seed, attempt]: [u64; 2],
    work: &mut Work<'_>,
) -> Option<RingSet> {
    let mut rng = rng(seed, attempt);
    let goal = rings as usize;
    let half = work.left / 2;
    let of_links = work.lend(half, |work| {
        let mut factors = Factors::new(problem, rho, &mut rng, work).filter(|factors| factors.rings() >= goal)?;
        factors.merge(&mut rng, work).then(|| factors.into_set(goal))
    });
    if of_links.is_some() {
        return of_links;
    }
    let spare = if attempt.is_multiple_of(2) { MAX_SPARE } else { 0 };
    let with_spare = |spare| Some((spare as usize, choose_hops(problem, rings + spare, rho, &mut rng, work)?));
    let (spare, hops) = (0..=spare).rev().find_map(with_spare)?;
    let mut permutations = Permutations::new(problem, hops, goal + spare, &mut rng, work)?;
    permutations.merge(goal, &mut rng, work).then(|| permutations.into_set(goal))
}
