//! Schedules to programs.

use std::num::NonZeroU32;

use lockstep_schedule::{Problem, Schedule, verify};
use lockstep_topology::Topology;

use crate::dependencies::SlotUses;
use crate::error::LowerError;
use crate::layout::{Layout, OwnCopy};
use crate::program::{
    Action, Buffer, Combine, Operation, Placement, Program, ProgramTransfer, RankProgram, Receives, Slot,
};
use crate::scratch::ScratchOffsets;
use crate::trace::{LocalMove, Move, Place, Trace};

/// The paths of transfers that a target supports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Connections {
    /// Over switches, not through other terminals.
    Direct,
    /// Any path: the network routes.
    Routed,
}

/// What programs must look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LowerOptions {
    /// Whether input and output are one buffer.
    pub placement: Placement,
    /// The receives that the target supports.
    pub receives: Receives,
    /// The paths that the target supports.
    pub connections: Connections,
    /// Maximum number of consecutive chunks of one operation. Chunks are merged if they move between the same ranks in
    /// the same step and are consecutive on both sides.
    pub max_count: NonZeroU32,
}

/// Converts a schedule to the programs of its ranks.
///
/// The schedule is verified first. Transfers that bring nothing new are left out. Takes `O(T log T)` time for `T`
/// transfers; for a reduction on `P` ranks, times `P / 64`, with `P² / 8` bytes.
///
/// ```
/// use std::num::NonZeroU32;
///
/// use lockstep_export::{Action, Connections, LowerOptions, Placement, Receives, lower};
/// use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule};
/// use lockstep_topology::{ChannelId, Topology};
///
/// let pair: Topology = "ring:2".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&pair, &all_gather, CommunicationModel::store_and_forward())?;
/// let mut schedule = Schedule::new();
/// schedule.begin_step();
/// for (message, channel) in [0, 1].into_iter().zip(pair.channels()) {
///     schedule.push(MessageId::new(message), &[channel]);
/// }
/// let options = LowerOptions {
///     placement: Placement::InPlace,
///     receives: Receives::Direct,
///     connections: Connections::Direct,
///     max_count: NonZeroU32::MIN,
/// };
/// let program = lower(&problem, &schedule, options)?;
/// let [send, receive] = program.ranks[0].operations() else { panic!() };
/// assert!(matches!(send.action, Action::Send { peer: 1, .. }));
/// assert!(matches!(receive.action, Action::Receive { peer: 1, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns a [`LowerError`] if the schedule is invalid, the layout is not defined, or the target does not support a path.
pub fn lower(problem: &Problem<'_>, schedule: &Schedule, options: LowerOptions) -> Result<Program, LowerError> {
    verify(problem, schedule).map_err(|violation| LowerError::Invalid(Box::new(violation)))?;
    if options.connections == Connections::Direct {
        check_direct(problem.topology(), schedule)?;
    }
    let layout = Layout::new(problem, options.placement)?;
    let mut trace = Trace::of(problem, schedule, &layout);
    trace.stage(options.receives);
    let reuse = options.receives != Receives::Fresh;
    let scratch = ScratchOffsets::of(&trace.values, problem.topology().terminal_count(), reuse);
    let mut writer = ProgramWriter { schedule, options, offsets: &scratch.offsets, operations: Vec::new() };
    let program = Program::new(options.placement, schedule.step_count() as u32);
    Ok(writer.write(program, problem.topology(), &layout, &scratch.sizes, &trace))
}

/// Returns an error if transfers pass through terminals.
fn check_direct(topology: &Topology, schedule: &Schedule) -> Result<(), LowerError> {
    let all = schedule.steps().flat_map(|(_, step)| step.iter());
    let passes = |path: &[_]| path[1..].iter().any(|&channel| topology.is_terminal(topology.tail(channel)));
    match all.filter(|transfer| passes(transfer.path)).count() {
        0 => Ok(()),
        transfers => Err(LowerError::ThroughTerminals { transfers, all: schedule.transfer_count() }),
    }
}

/// A move between slots.
#[derive(Clone, Copy)]
struct PlacedMove<'a> {
    origin: &'a Move,
    from: Slot,
    to: Slot,
}

/// Collects the operations of all ranks.
struct ProgramWriter<'a> {
    schedule: &'a Schedule,
    options: LowerOptions,
    /// The offset of every scratch value.
    offsets: &'a [u32],
    /// Per rank.
    operations: Vec<Vec<Operation>>,
}

impl ProgramWriter<'_> {
    fn write(
        &mut self,
        mut program: Program,
        topology: &Topology,
        layout: &Layout<'_>,
        scratch: &[u32],
        trace: &Trace,
    ) -> Program {
        self.operations = vec![Vec::new(); scratch.len()];
        for (rank, operations) in (0..).zip(&mut self.operations) {
            let Some(OwnCopy { from, to, count }) = layout.own_copy(rank) else { continue };
            let max_count = self.options.max_count.get();
            for done in (0..count).step_by(max_count as usize) {
                let [from, to] = [from, to].map(|first| Slot { offset: first.offset + done, ..first });
                let action = Action::Local { from, to, combine: Combine::Copy };
                operations.push(Operation { step: 0, action, count: max_count.min(count - done) });
            }
        }
        let steps = self.schedule.step_count();
        let moves = by_step(&trace.moves, steps, |found| found.step);
        let copies = by_step(&trace.copies, steps, |found| found.step);
        let endings = by_step(&trace.endings, steps, |found| found.step);
        for step in 0..steps {
            self.write_locals(&copies[step]);
            self.write_transfers(&mut program, &moves[step]);
            self.write_locals(&endings[step]);
        }
        let of_rank = scratch.iter().zip(topology.terminals()).zip(&self.operations);
        for (rank, ((&scratch, &node), operations)) in (0..).zip(of_rank) {
            let mut buffers = layout.sizes(rank);
            buffers.scratch = scratch;
            let mut of_rank = RankProgram::new(node, buffers);
            let mut uses = SlotUses::new(buffers);
            for (index, operation) in (0..).zip(operations) {
                of_rank.push(*operation, uses.add(index, operation));
            }
            program.ranks.push(of_rank);
        }
        program
    }

    fn slot(&self, place: Place) -> Slot {
        match place {
            Place::Fixed(slot) => slot,
            Place::Scratch(value) => Slot { buffer: Buffer::Scratch, offset: self.offsets[value as usize] },
        }
    }

    /// Adds the local operations of one step, copies first, with consecutive chunks merged.
    fn write_locals(&mut self, locals: &[&LocalMove]) {
        let place = |found: &&LocalMove| (found.rank, found.combine, self.slot(found.from), self.slot(found.to));
        let mut placed: Vec<_> = locals.iter().map(place).collect();
        placed.sort_unstable();
        let is_next = |one: &(u32, Combine, Slot, Slot), next: &(u32, Combine, Slot, Slot)| {
            (one.0, one.1) == (next.0, next.1) && is_successor(one.2, next.2) && is_successor(one.3, next.3)
        };
        for run in placed.chunk_by(is_next) {
            for part in run.chunks(self.options.max_count.get() as usize) {
                let (rank, combine, from, to) = part[0];
                let action = Action::Local { from, to, combine };
                self.operations[rank as usize].push(Operation {
                    step: locals[0].step,
                    action,
                    count: part.len() as u32,
                });
            }
        }
    }

    /// Adds the sends and then the receives of one step, with consecutive chunks merged.
    fn write_transfers<'m>(&mut self, program: &mut Program, moves: &[&'m Move]) {
        let place = |&origin: &&'m Move| {
            let Move { from, to, .. } = *origin;
            PlacedMove { origin, from: self.slot(from), to: self.slot(to) }
        };
        let mut placed: Vec<PlacedMove<'_>> = moves.iter().map(place).collect();
        let order = |found: &PlacedMove<'_>| {
            (found.origin.sender, found.origin.receiver, found.origin.combine, found.from, found.to)
        };
        placed.sort_unstable_by_key(order);
        let is_next = |one: &PlacedMove<'_>, next: &PlacedMove<'_>| {
            let ends = |found: &PlacedMove<'_>| (found.origin.sender, found.origin.receiver, found.origin.combine);
            ends(one) == ends(next) && is_successor(one.from, next.from) && is_successor(one.to, next.to)
        };
        let mut receives = Vec::new();
        for run in placed.chunk_by(is_next) {
            for part in run.chunks(self.options.max_count.get() as usize) {
                let (PlacedMove { origin, from, to }, count) = (part[0], part.len() as u32);
                let Move { step, sender, receiver, combine, .. } = *origin;
                let transfer = self.schedule.step(step as usize).transfer(origin.place_in_step as usize);
                let tag = program.push_transfer(ProgramTransfer { step, sender, receiver, count }, transfer.path);
                let send = Action::Send { peer: receiver, tag, from };
                self.operations[sender as usize].push(Operation { step, action: send, count });
                let receive = Action::Receive { peer: sender, tag, to, combine };
                receives.push((combine, receiver, Operation { step, action: receive, count }));
            }
        }
        // A copy begins a sum, so it comes before the additions.
        receives.sort_by_key(|&(combine, ..)| combine);
        for (_, receiver, operation) in receives {
            self.operations[receiver as usize].push(operation);
        }
    }
}

fn is_successor(one: Slot, next: Slot) -> bool {
    one.buffer == next.buffer && one.offset + 1 == next.offset
}

/// Sorts by step.
fn by_step<T>(list: &[T], steps: usize, step_of: impl Fn(&T) -> u32) -> Vec<Vec<&T>> {
    let mut steps = vec![Vec::new(); steps];
    for item in list {
        steps[step_of(item) as usize].push(item);
    }
    steps
}
