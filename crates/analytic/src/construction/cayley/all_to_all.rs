//! All-to-all: every message its shortest word, and every generator one message a step.

use lockstep_schedule::{BaseSchedule, Budget};
use lockstep_topology::CayleyGraph;

use super::group_table::GroupTable;
use super::{balanced_words, open_shop};

/// The most transfers of one source.
pub(super) const MAX_TRANSFERS: u64 = 1 << 25;

/// What the messages of element 0 do in an all-to-all: as many steps as the generator that is used most is used, or as
/// the longest word has generators.
///
/// The words of the elements are chosen so that this is as few steps as a search of fixed length finds. On hypercubes and
/// on tori no schedule has fewer, unless the longest side is the only even one: there it is a quarter of that side above,
/// rounded, because the sources cannot all go the same way to the node opposite.
///
/// `None` where [`all_gather`](super::all_gather()) has none, and past 2^25 transfers of one source. Takes `O(N d)` time a step of the search for
/// words and `O(d)` to `O(d^3)` time a step of the schedule, and about `10 N d` bytes beside the result.
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

/// The messages of element 0; `None` past [`MAX_TRANSFERS`], and when the budget ends.
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
