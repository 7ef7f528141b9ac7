//! Every bound of a problem, and the best of them.

use std::cmp::Reverse;

use lockstep_schedule::Problem;

use crate::certificate::{Certificate, LowerBound, Rule};
use crate::phase::{Shape, shape, with_collective, with_reversal};
use crate::rule::{BY_COST, QUICK, RULES};

/// Every bound that applies to the problem, best first; ties in the order of [`Rule`].
///
/// At most one bound a rule. A collective of two phases is bounded by the sum of both phases, once for every rule that
/// applies to both and once for the best of each.
///
/// Takes O(NM) time for `N` nodes and `M` channels; the searches for good cuts and lengths stop at a fixed amount of work,
/// up to seconds.
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let omega: Topology = "omega:8".parse()?;
/// let gather = Collective::all_to_all_broadcast();
/// let problem = Problem::new(&omega, &gather, CommunicationModel::wormhole())?;
/// for bound in lockstep_bounds::all(&problem) {
///     println!("{bound}");
///     assert!(bound.steps <= 7);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all(problem: &Problem<'_>) -> Vec<LowerBound> {
    let mut bounds = match shape(problem) {
        Shape::Distribution => RULES.iter().filter_map(|bound| bound(problem, u32::MAX)).collect(),
        Shape::Collection => with_reversal(problem, all).into_iter().map(reversed).collect(),
        Shape::Sequence(parts) => in_sequence(parts.map(|part| with_collective(problem, &part, all))),
    };
    bounds.sort_by_key(|bound: &LowerBound| (Reverse(bound.steps), bound.rule));
    bounds
}

/// The best lower bound of the problem, at least 1 step.
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let exchange = Collective::all_to_all_scatter();
/// let problem = Problem::new(&mesh, &exchange, CommunicationModel::wormhole())?;
/// assert_eq!(lockstep_bounds::best(&problem).steps, 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn best(problem: &Problem<'_>) -> LowerBound {
    best_reaching(problem, u32::MAX)
}

/// The first lower bound found of at least `enough` steps, the cheap rules asked first; else the best one.
///
/// With the length of a schedule in hand this says as much as [`best`], often after the rules that take O(N + M) time.
/// Among the bounds looked at the better one counts, and among equal ones that of the earlier [`Rule`].
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let cube: Topology = "hypercube:8".parse()?;
/// let gather = Collective::all_to_all_broadcast();
/// let problem = Problem::new(&cube, &gather, CommunicationModel::store_and_forward())?;
/// assert_eq!(lockstep_bounds::best_reaching(&problem, 32).steps, 32);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(clippy::missing_panics_doc, reason = "every problem has a message, and the ports rule sees its receiver")]
pub fn best_reaching(problem: &Problem<'_>, enough: u32) -> LowerBound {
    match shape(problem) {
        Shape::Distribution => {
            let mut best: Option<LowerBound> = None;
            for bound in BY_COST.iter().filter_map(|bound| bound(problem, enough)) {
                let key = |bound: &LowerBound| (Reverse(bound.steps), bound.rule);
                if best.as_ref().is_none_or(|best| key(&bound) < key(best)) {
                    let is_enough = bound.steps >= enough;
                    best = Some(bound);
                    if is_enough {
                        break;
                    }
                }
            }
            best.expect("some terminal receives a message, so the ports rule applies")
        }
        Shape::Collection => reversed(with_reversal(problem, |problem| best_reaching(problem, enough))),
        Shape::Sequence(parts) => {
            let ask = |part: usize, enough| with_collective(problem, &parts[part], |part| best_reaching(part, enough));
            let half = enough.div_ceil(2);
            let mut first = ask(0, half);
            let second = ask(1, enough.saturating_sub(first.steps));
            // What the second phase does not give, the first one must, unless it has given its best.
            if first.steps >= half && first.steps.saturating_add(second.steps) < enough {
                first = ask(0, enough - second.steps);
            }
            sum_of(&first, &second)
        }
    }
}

/// A lower bound of a distribution by the rules that cost little: a start for who looks for a schedule.
///
/// Takes O(N log N + M) time for a collective with a name.
///
/// # Panics
///
/// If the collective collects; turn it round first.
pub fn quick(problem: &Problem<'_>) -> LowerBound {
    assert!(matches!(shape(problem), Shape::Distribution), "a distribution");
    let bounds = QUICK.iter().filter_map(|bound| bound(problem, u32::MAX));
    let best = bounds.min_by_key(|bound| (Reverse(bound.steps), bound.rule));
    best.expect("some terminal receives a message, so the ports rule applies")
}

/// The bound of one rule, or `None` where it says nothing; of phases that follow each other, the sum.
pub fn by_rule(problem: &Problem<'_>, rule: Rule) -> Option<LowerBound> {
    match shape(problem) {
        Shape::Distribution => RULES.get(rule as usize)?(problem, u32::MAX),
        Shape::Collection => with_reversal(problem, |problem| by_rule(problem, rule)).map(reversed),
        Shape::Sequence(parts) => {
            let [first, second] = parts.map(|part| with_collective(problem, &part, |problem| by_rule(problem, rule)));
            Some(sum_of(&first?, &second?))
        }
    }
}

fn reversed(bound: LowerBound) -> LowerBound {
    LowerBound { certificate: Certificate::Reversed { certificate: bound.certificate.into() }, ..bound }
}

/// The sums of the bounds of phases that follow each other.
fn in_sequence([first, second]: [Vec<LowerBound>; 2]) -> Vec<LowerBound> {
    let best = first.first().zip(second.first());
    let same_rule = first.iter().filter_map(|bound| Some((bound, second.iter().find(|one| one.rule == bound.rule)?)));
    let mut sums: Vec<LowerBound> = Vec::new();
    for (first, second) in best.into_iter().chain(same_rule) {
        let sum = sum_of(first, second);
        if !sums.contains(&sum) {
            sums.push(sum);
        }
    }
    sums
}

fn sum_of(first: &LowerBound, second: &LowerBound) -> LowerBound {
    let certificate = Certificate::Phases { phases: vec![first.clone(), second.clone()] };
    LowerBound { steps: first.steps.saturating_add(second.steps), rule: Rule::Phases, certificate }
}
