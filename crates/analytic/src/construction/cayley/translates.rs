//! The schedule of all sources, from the part of one source.

use lockstep_schedule::{BaseSchedule, Budget, CollectiveName, MessageId, Schedule};
use lockstep_topology::ChannelId;

use super::group_table::GroupTable;

/// The largest number of transfers of a stored schedule.
const MAX_TRANSFERS: u64 = 1 << 30;

/// Returns true if a schedule of this number of sources and transfers per source is small enough to be stored.
pub(super) fn fits(sources: usize, transfers: u64) -> bool {
    transfers.checked_mul(sources as u64).is_some_and(|transfers| transfers <= MAX_TRANSFERS)
}

/// The element to which each translation takes each element.
///
/// Memory: 2 bytes per pair of elements.
struct TranslationTable {
    elements: usize,
    sum: Vec<u16>,
}

impl TranslationTable {
    /// Computes the table in `O(N^2)` time. The group need not be abelian: a translation takes a path from element 0 to
    /// the path along the same generators from another element.
    fn of(steps: &GroupTable) -> Self {
        let elements = steps.element_count();
        assert!(elements <= 1 << 16, "an element is a u16");
        let mut sum = vec![0; elements * elements];
        for (element, sum) in sum[..elements].iter_mut().enumerate() {
            *sum = element as u16;
        }
        let mut seen = vec![false; elements];
        seen[0] = true;
        for element in steps.order() {
            for (generator, next) in steps.neighbours(element).enumerate() {
                if !std::mem::replace(&mut seen[next], true) {
                    for source in 0..elements {
                        let end = steps.next(usize::from(sum[element * elements + source]), generator);
                        sum[next * elements + source] = end as u16;
                    }
                }
            }
        }
        Self { elements, sum }
    }

    /// Returns the translates of an element, one per source.
    fn row(&self, element: u32) -> &[u16] {
        &self.sum[element as usize * self.elements..][..self.elements]
    }
}

/// Returns the translates of a base whose transfers use one channel each; `None` if the budget ends.
///
/// `channel` has the channel of each element and generator, one row per element. Elements are node numbers.
pub(super) fn expand(
    steps: &GroupTable,
    channel: &[ChannelId],
    base: &BaseSchedule,
    collective: CollectiveName,
    budget: &Budget,
) -> Option<Schedule> {
    let (elements, degree) = (steps.element_count(), steps.degree());
    let sums = TranslationTable::of(steps);
    let transfers = base.transfer_count() * elements;
    let mut schedule = Schedule::with_capacity(transfers, transfers);
    let (mut messages, mut channels) = ((0..elements).map(MessageId::from_index).collect::<Vec<_>>(), Vec::new());
    for step in 0..base.step_count() {
        schedule.begin_step();
        for transfer in base.step(step) {
            if budget.interruption().is_some() {
                return None;
            }
            let generator = usize::from(transfer.path[0]);
            let senders = sums.row(transfer.from).iter();
            channels.clear();
            channels.extend(senders.map(|&sender| channel[usize::from(sender) * degree + generator]));
            if collective == CollectiveName::AllToAll {
                let message = |(source, &receiver): (usize, &u16)| {
                    let receiver = usize::from(receiver);
                    MessageId::from_index(source * (elements - 1) + receiver - usize::from(receiver > source))
                };
                messages.clear();
                messages.extend(sums.row(transfer.message).iter().enumerate().map(message));
            }
            schedule.push_hops(&messages, &channels);
        }
    }
    Some(schedule)
}
