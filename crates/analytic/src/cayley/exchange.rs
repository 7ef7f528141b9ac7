//! All-to-all: every message its shortest word, and every generator one message a step.

use lockstep_schedule::{BaseSchedule, Budget};

use super::steps::Steps;
use super::{shop, words};

/// The most transfers of one source.
pub(super) const MAX_TRANSFERS: u64 = 1 << 25;

/// The messages of element 0; `None` past [`MAX_TRANSFERS`], and when the budget ends.
pub(super) fn base(steps: &Steps, budget: &Budget) -> Option<BaseSchedule> {
    if steps.distance_sum() > MAX_TRANSFERS {
        return None;
    }
    let words = words::balanced(steps, budget);
    let mut base = BaseSchedule::new();
    let mut at = vec![0u32; steps.element_count()];
    shop::steps(&words, budget, |served| {
        base.begin_step();
        for &(element, generator) in served {
            let place = &mut at[element as usize];
            base.push(element, *place, &[generator]);
            *place = steps.next(*place as usize, usize::from(generator)) as u32;
        }
    })?;
    Some(base)
}
