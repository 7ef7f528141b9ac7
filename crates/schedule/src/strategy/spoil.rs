//! Changes that usually make a valid schedule invalid.

use std::num::NonZeroU32;

use lockstep_topology::ChannelId;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::messages::MessageId;
use crate::problem::Problem;
use crate::schedule::Schedule;

/// A schedule as nested lists.
type Steps = Vec<Vec<(MessageId, Vec<ChannelId>)>>;

/// A kind of change. Two indices choose its places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    DropTransfer,
    RepeatTransfer,
    MoveTransfer,
    SwapMessages,
    OtherMessage,
    UnknownMessage,
    OtherChannel,
    UnknownChannel,
    LengthenPath,
    CutPath,
    ReversePath,
    EmptyPath,
    DetourPath,
    SwapSteps,
    MergeSteps,
    JoinSteps,
    SplitStep,
}

const CHANGES: [Change; 17] = [
    Change::DropTransfer,
    Change::RepeatTransfer,
    Change::MoveTransfer,
    Change::SwapMessages,
    Change::OtherMessage,
    Change::UnknownMessage,
    Change::OtherChannel,
    Change::UnknownChannel,
    Change::LengthenPath,
    Change::CutPath,
    Change::ReversePath,
    Change::EmptyPath,
    Change::DetourPath,
    Change::SwapSteps,
    Change::MergeSteps,
    Change::JoinSteps,
    Change::SplitStep,
];

/// A change, with the indices that choose its places.
pub(super) type Spoiling = (Change, Index, Index);

/// Generates 0 to 3 changes.
pub(super) fn spoilings() -> impl Strategy<Value = Vec<Spoiling>> {
    prop::collection::vec((select(&CHANGES[..]), any::<Index>(), any::<Index>()), 0..=3)
}

/// Returns the schedule after the changes.
pub(super) fn spoil(problem: &Problem<'_>, schedule: &Schedule, spoilings: &[Spoiling]) -> Schedule {
    let mut steps: Steps = schedule
        .steps()
        .map(|(_, step)| step.iter().map(|transfer| (transfer.message, transfer.path.to_vec())).collect())
        .collect();
    let mut widths: Vec<NonZeroU32> = schedule.steps().map(|(_, step)| step.width()).collect();
    for spoiling in spoilings {
        apply(problem, &mut steps, &mut widths, *spoiling);
    }
    let mut spoiled = Schedule::new();
    for (step, width) in steps.into_iter().zip(widths) {
        spoiled.begin_step_of_width(width);
        for (message, path) in step {
            spoiled.push(message, &path);
        }
    }
    spoiled
}

fn apply(problem: &Problem<'_>, steps: &mut Steps, widths: &mut Vec<NonZeroU32>, (change, first, second): Spoiling) {
    let places: Vec<(usize, usize)> =
        steps.iter().enumerate().flat_map(|(step, list)| (0..list.len()).map(move |place| (step, place))).collect();
    if places.is_empty() {
        return;
    }
    let (step, place) = *first.get(&places);
    let (other_step, other_place) = *second.get(&places);
    let channel = ChannelId::new(second.index(problem.topology().channel_bound()) as u32);
    let transfer = &mut steps[step][place];
    match change {
        Change::DropTransfer => {
            steps[step].remove(place);
        }
        Change::RepeatTransfer => {
            let copy = transfer.clone();
            steps[other_step].insert(other_place, copy);
        }
        Change::MoveTransfer => {
            let moved = steps[step].remove(place);
            let end = steps[other_step].len();
            steps[other_step].insert(other_place.min(end), moved);
        }
        Change::SwapMessages => {
            let message = transfer.0;
            let other = std::mem::replace(&mut steps[other_step][other_place].0, message);
            steps[step][place].0 = other;
        }
        Change::OtherMessage => transfer.0 = MessageId::new(second.index(problem.messages().len()) as u32),
        Change::UnknownMessage => transfer.0 = MessageId::new(u32::MAX - (second.index(2) as u32)),
        Change::OtherChannel => {
            if !transfer.1.is_empty() {
                let at = second.index(transfer.1.len());
                transfer.1[at] = channel;
            }
        }
        Change::UnknownChannel => transfer.1.push(ChannelId::new(4_000_000_000)),
        Change::LengthenPath => transfer.1.push(channel),
        Change::CutPath => {
            transfer.1.pop();
        }
        Change::ReversePath => transfer.1.reverse(),
        Change::EmptyPath => transfer.1.clear(),
        Change::DetourPath => detour(problem, &mut transfer.1, second),
        Change::SwapSteps => {
            steps.swap(step, other_step);
            widths.swap(step, other_step);
        }
        // A joined step has the widths of both.
        Change::MergeSteps | Change::JoinSteps => {
            if step + 1 < steps.len() {
                let next = steps.remove(step + 1);
                steps[step].extend(next);
                let width = widths.remove(step + 1);
                if change == Change::JoinSteps {
                    widths[step] = widths[step].saturating_add(width.get());
                }
            }
        }
        Change::SplitStep => {
            let rest = steps[step].split_off(place);
            steps.insert(step + 1, rest);
            widths.insert(step + 1, widths[step]);
        }
    }
}

/// Replaces a channel of the path by a path of two channels between the same nodes, if there is one.
fn detour(problem: &Problem<'_>, path: &mut Vec<ChannelId>, pick: Index) {
    let topology = problem.topology();
    let known = path.iter().all(|&channel| topology.is_working(channel));
    if path.is_empty() || !known {
        return;
    }
    let at = pick.index(path.len());
    let (from, to) = (topology.tail(path[at]), topology.head(path[at]));
    let pairs: Vec<[ChannelId; 2]> = topology
        .out_channels(from)
        .iter()
        .flat_map(|&out| topology.in_channels(to).iter().map(move |&into| [out, into]))
        .filter(|&[out, into]| topology.head(out) == topology.tail(into))
        .collect();
    if !pairs.is_empty() {
        path.splice(at..=at, *pick.get(&pairs));
    }
}
