//! The schedule of all sources, from the part of source 0.

use lockstep_schedule::{BaseSchedule, Budget, MessageId, Schedule};
use lockstep_topology::ChannelId;

use super::labelled_cube::LabelledCube;
use crate::LocalProgram;

/// The largest number of channel uses of a stored schedule, which takes 1.6 GB.
const MAX_USES: u64 = 1 << 27;

/// The sources whose messages a schedule moves.
#[derive(Clone, Copy)]
pub(super) enum Sources {
    /// The source with this label.
    One(u32),
    /// Every node.
    All,
}

/// Returns the transfers of `node` in all translates of a base.
pub(super) fn program(base: &BaseSchedule, node: u64) -> LocalProgram {
    let mut program = LocalProgram::new(node);
    for round in 0..base.step_count() {
        program.begin_round();
        for transfer in base.step(round) {
            let source = node ^ u64::from(transfer.from);
            let receiver = source ^ u64::from(transfer.message);
            program.push(source, (transfer.message != BaseSchedule::BROADCAST).then_some(receiver), transfer.path);
        }
    }
    program
}

/// Returns the translates of a base to these sources, on the channels of a network.
///
/// `message` returns the number of the message from a source to a receiver, both given by their labels. Returns `None`
/// for more than 2^27 channel uses, and when the budget ends.
pub(super) fn schedule(
    cube: &LabelledCube,
    base: &BaseSchedule,
    sources: Sources,
    budget: &Budget,
    message: impl Fn(u32, u32) -> u32,
) -> Option<Schedule> {
    let source_count = match sources {
        Sources::One(_) => 1,
        Sources::All => cube.node_count(),
    };
    let [transfers, uses] =
        [base.transfer_count(), base.channel_use_count()].map(|count| count as u64 * u64::from(source_count));
    (uses <= MAX_USES).then_some(())?;
    let mut schedule = Schedule::with_capacity(transfers as usize, uses as usize);
    let mut path = [ChannelId::new(0); u32::BITS as usize];
    for step in 0..base.step_count() {
        if budget.interruption().is_some() {
            return None;
        }
        schedule.begin_step();
        for transfer in base.step(step) {
            let senders = match sources {
                Sources::One(source) => source ^ transfer.from..(source ^ transfer.from) + 1,
                Sources::All => 0..cube.node_count(),
            };
            let path = &mut path[..transfer.path.len()];
            for sender in senders {
                let mut at = sender;
                for (channel, &link) in path.iter_mut().zip(transfer.path) {
                    *channel = cube.channel(at, link.into());
                    at ^= 1 << link;
                }
                let source = sender ^ transfer.from;
                schedule.push(MessageId::new(message(source, source ^ transfer.message)), path);
            }
        }
    }
    Some(schedule)
}
