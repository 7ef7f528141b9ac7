//! All-to-all: every message follows a word of generators, and every generator moves one message per step.

use lockstep_schedule::{BaseSchedule, Budget};
use lockstep_topology::CayleyGraph;

use super::group_table::GroupTable;
use super::{balanced_words, open_shop};

/// The largest number of transfers of one source.
const MAX_TRANSFERS: u64 = 1 << 25;

/// Returns the transfers of the messages of element 0 in an all-to-all.
///
/// The number of steps is the larger of two numbers: the uses of the generator that is used most, and the length of the
/// longest word. The words of the elements are selected to minimise it. On hypercubes and tori the result is optimal,
/// unless the longest side is the only even one: then it is a quarter of that side, rounded, above the optimum, because
/// all sources send in the same direction to the opposite node.
///
/// Returns `None` in the cases of [`all_gather`](super::all_gather()), and for more than 2^25 transfers of one source.
/// Takes `O(N d)` time per step of the search for words, `O(d)` to `O(d^3)` time per step of the schedule, and about
/// `10 N d` bytes in addition to the result.
///
/// ```
/// use lockstep_schedule::Budget;
///
/// let torus = "torus:64x64".parse()?;
/// let base = lockstep_analytic::cayley::all_to_all(&torus, &Budget::unlimited()).expect("a torus of 4096 nodes");
/// assert_eq!(base.step_count(), 64_usize.pow(3) / 8);
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
pub fn all_to_all(graph: &CayleyGraph, budget: &Budget) -> Option<BaseSchedule> {
    base(&GroupTable::of_graph(graph)?, budget)
}

/// Returns the messages of element 0; `None` for more than [`MAX_TRANSFERS`] transfers, and when the budget ends.
pub(super) fn base(steps: &GroupTable, budget: &Budget) -> Option<BaseSchedule> {
    if steps.distance_sum() > MAX_TRANSFERS {
        return None;
    }
    let words = balanced_words::balanced(steps, budget);
    let mut base = BaseSchedule::new();
    let mut at = vec![0u32; steps.element_count()];
    open_shop::steps(&words, budget, |served| {
        base.begin_step();
        for &(element, generator) in served {
            let place = &mut at[element as usize];
            base.push(element, *place, &[generator]);
            *place = steps.next(*place as usize, usize::from(generator)) as u32;
        }
    })?;
    Some(base)
}
