//! Lowering: random schedules give programs that compute their collective in every order of execution.

use std::num::NonZeroU32;

use lockstep_export::{
    Action, Buffer, Combine, Connections, LowerError, LowerOptions, Operation, Placement, Program, RankProgram,
    Receives, Slot, lower,
};
use lockstep_schedule::strategy::{Instance, scheduled_instance};
use lockstep_schedule::{CollectiveName, CommunicationModel, Problem, Schedule};
use lockstep_topology::Topology;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::expected::results;
use crate::interpreter::{Fault, memory_of, run};

fn options() -> impl Strategy<Value = LowerOptions> {
    let placement = prop::sample::select(vec![Placement::OutOfPlace, Placement::InPlace]);
    let receives = prop::sample::select(vec![Receives::Direct, Receives::Staged, Receives::Fresh]);
    let max_count = prop::sample::select(vec![1, 2, u32::MAX]);
    (placement, receives, max_count).prop_map(|(placement, receives, max_count)| LowerOptions {
        placement,
        receives,
        connections: Connections::Routed,
        max_count: NonZeroU32::new(max_count).expect("not 0"),
    })
}

/// Returns the program, out of place if the collective is defined only so.
fn program_of(problem: &Problem<'_>, schedule: &Schedule, options: LowerOptions) -> Program {
    let found = match lower(problem, schedule, options) {
        Err(LowerError::NoInPlaceLayout) => {
            lower(problem, schedule, LowerOptions { placement: Placement::OutOfPlace, ..options })
        }
        found => found,
    };
    found.expect("a valid schedule has a program")
}

/// Pseudo-random numbers of a seed: `SplitMix64`.
fn numbers(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Executes a program in a random order, with operations that `is_urgent` selects as early as possible, and those that
/// `is_late` selects as late as possible. Returns whether all results are right and no input changed.
fn is_right(
    problem: &Problem<'_>,
    program: &Program,
    seed: u64,
    is_urgent: impl Fn(usize, usize) -> bool,
    is_late: impl Fn(usize, usize) -> bool,
) -> Result<bool, Fault> {
    let mut next = numbers(seed);
    let before = memory_of(program, &mut next);
    let mut memory = before.clone();
    run(program, &mut memory, |ready| {
        if let Some(urgent) = ready.iter().position(|&(rank, index)| is_urgent(rank, index)) {
            return urgent;
        }
        let early: Vec<usize> = (0..ready.len()).filter(|&place| !is_late(ready[place].0, ready[place].1)).collect();
        if early.is_empty() { 0 } else { early[next() as usize % early.len()] }
    })?;
    let computes =
        results(problem, program.placement, &before).iter().all(|(rank, slot, value)| memory[*rank][slot] == *value);
    let keeps_inputs = program.placement == Placement::InPlace
        || before.iter().zip(&memory).all(|(before, after)| {
            before.iter().filter(|(slot, _)| slot.buffer == Buffer::Input).all(|(slot, value)| after[slot] == *value)
        });
    Ok(computes && keeps_inputs)
}

fn is_right_in_any_order(problem: &Problem<'_>, program: &Program, seed: u64) -> Result<bool, Fault> {
    is_right(problem, program, seed, |_, _| false, |_, _| false)
}

/// Returns the program with operation `index` of a rank replaced.
fn with_operation(program: &Program, rank: usize, index: usize, changed: Operation, lost: Option<u32>) -> Program {
    let mut program = program.clone();
    let old = &program.ranks[rank];
    let mut new = RankProgram::new(old.node, old.buffers);
    for (place, &operation) in old.operations().iter().enumerate() {
        let is_changed = place == index;
        let dependencies: Vec<u32> =
            old.dependencies(place).iter().copied().filter(|&one| !is_changed || Some(one) != lost).collect();
        new.push(if is_changed { changed } else { operation }, &dependencies);
    }
    program.ranks[rank] = new;
    program
}

/// Returns rank and index of an operation of a program that `is_wanted` selects.
fn pick(program: &Program, choice: Index, is_wanted: impl Fn(&RankProgram, usize) -> bool) -> Option<(usize, usize)> {
    let all = program.ranks.iter().enumerate().flat_map(|(rank, of_rank)| {
        (0..of_rank.operations().len())
            .filter(|&index| is_wanted(of_rank, index))
            .map(move |index| (rank, index))
            .collect::<Vec<_>>()
    });
    let all: Vec<(usize, usize)> = all.collect();
    (!all.is_empty()).then(|| *choice.get(&all))
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(128))]

    #[test]
    fn programs_compute_their_collective_in_any_order(
        (instance, schedule) in scheduled_instance(9), options in options(), seeds: [u64; 4],
    ) {
        let problem = instance.problem();
        let program = program_of(&problem, &schedule, options);
        for seed in seeds {
            prop_assert!(is_right_in_any_order(&problem, &program, seed).unwrap());
        }
        for of_rank in &program.ranks {
            for (index, operation) in of_rank.operations().iter().enumerate() {
                prop_assert!(of_rank.dependencies(index).iter().all(|&earlier| (earlier as usize) < index));
                prop_assert!(operation.count <= options.max_count.get());
                let adds_in_receive = operation.action.adds() && matches!(operation.action, Action::Receive { .. });
                prop_assert!(!adds_in_receive || options.receives == Receives::Direct);
                if let (Action::Receive { .. }, Receives::Fresh) = (operation.action, options.receives) {
                    prop_assert_eq!(of_rank.dependencies(index), &[] as &[u32]);
                }
                let waits = |earlier: &u32| {
                    let earlier = of_rank.operations()[*earlier as usize];
                    earlier.step == operation.step && matches!(earlier.action, Action::Send { .. })
                };
                if let (Action::Receive { .. }, Receives::Staged) = (operation.action, options.receives) {
                    prop_assert!(!of_rank.dependencies(index).iter().any(waits));
                }
            }
        }
    }

    #[test]
    fn merging_keeps_the_chunks((instance, schedule) in scheduled_instance(9), options in options()) {
        let problem = instance.problem();
        let single = program_of(&problem, &schedule, LowerOptions { max_count: NonZeroU32::MIN, ..options });
        let merged = program_of(&problem, &schedule, options);
        let chunks = |program: &Program| program.transfers.iter().map(|transfer| transfer.count).sum::<u32>();
        prop_assert_eq!(chunks(&single), chunks(&merged));
        prop_assert_eq!(chunks(&single) as usize, schedule.transfer_count());
        prop_assert!(merged.transfers.len() <= single.transfers.len());
    }

    #[test]
    fn a_read_without_its_dependency_is_wrong(
        (instance, schedule) in scheduled_instance(7), options in options(), choice: Index, seed: u64,
    ) {
        let problem = instance.problem();
        let program = program_of(&problem, &schedule, LowerOptions { max_count: NonZeroU32::MIN, ..options });
        let waits = |of_rank: &RankProgram, index: usize| {
            let waits = |&earlier: &u32| of_rank.operations()[earlier as usize].action.writes();
            let read = of_rank.operations()[index].action.reads();
            read.is_some() && of_rank.dependencies(index).iter().any(|earlier| waits(earlier) == read)
        };
        let Some((rank, index)) = pick(&program, choice, waits) else { return Ok(()) };
        let of_rank = &program.ranks[rank];
        let operation = of_rank.operations()[index];
        let writes = |earlier: &&u32| of_rank.operations()[**earlier as usize].action.writes() == operation.action.reads();
        let &lost = of_rank.dependencies(index).iter().find(writes).unwrap();
        let spoiled = with_operation(&program, rank, index, operation, Some(lost));
        let is_urgent = |of: usize, at: usize| (of, at) == (rank, index);
        let is_late = |of: usize, at: usize| (of, at) == (rank, lost as usize);
        let found = is_right(&problem, &spoiled, seed, is_urgent, is_late);
        prop_assert!(!matches!(found, Ok(true)));
    }

    #[test]
    fn a_wrong_offset_or_peer_is_found(
        (instance, schedule) in scheduled_instance(7), options in options(), choice: Index, seed: u64, at_sender: bool,
    ) {
        let problem = instance.problem();
        let program = program_of(&problem, &schedule, LowerOptions { max_count: NonZeroU32::MIN, ..options });
        let is_wanted = |of_rank: &RankProgram, index: usize| match of_rank.operations()[index].action {
            Action::Send { .. } => at_sender,
            Action::Receive { .. } => !at_sender,
            Action::Local { .. } => false,
        };
        let (rank, index) = pick(&program, choice, is_wanted).expect("a schedule has transfers");
        let operation = program.ranks[rank].operations()[index];
        // A place from which or to which the data is copied has the same data.
        let is_copy = |one: Slot, other: Slot| {
            program.ranks[rank].operations().iter().any(|operation| match operation.action {
                Action::Local { from, to, combine: Combine::Copy } => [from, to] == [one, other] || [to, from] == [one, other],
                _ => false,
            })
        };
        let moved = |slot: Slot| {
            let other = |bit: u32| Slot { offset: slot.offset ^ bit, ..slot };
            (0..16).map(|bit| other(1 << bit)).find(|&other| !is_copy(slot, other)).expect("a slot has few copies")
        };
        let offset = match operation.action {
            Action::Send { peer, tag, from } => Action::Send { peer, tag, from: moved(from) },
            Action::Receive { peer, tag, to, combine } => Action::Receive { peer, tag, to: moved(to), combine },
            local @ Action::Local { .. } => local,
        };
        let peer = match operation.action {
            Action::Send { peer, tag, from } => Action::Send { peer: peer ^ 1, tag, from },
            Action::Receive { peer, tag, to, combine } => Action::Receive { peer: peer ^ 1, tag, to, combine },
            local @ Action::Local { .. } => local,
        };
        for action in [offset, peer] {
            let spoiled = with_operation(&program, rank, index, Operation { action, ..operation }, None);
            prop_assert!(!matches!(is_right_in_any_order(&problem, &spoiled, seed), Ok(true)), "{action:?}");
        }
    }
}

/// Returns a network, its collective and a random schedule.
fn scheduled(network: &str, name: CollectiveName, model: CommunicationModel) -> (Instance, Schedule) {
    let topology: Topology = network.parse().expect("a network");
    let root = name.has_root().then(|| topology.terminals()[0]);
    let instance = Instance { topology, collective: name.with_root(root).expect("a root where it is needed"), model };
    let schedule = lockstep_schedule::strategy::random_schedule(&instance.problem(), 1);
    (instance, schedule)
}

const PLAIN: LowerOptions = LowerOptions {
    placement: Placement::OutOfPlace,
    receives: Receives::Direct,
    connections: Connections::Direct,
    max_count: NonZeroU32::MAX,
};

#[test]
fn paths_through_terminals_are_counted() {
    let (instance, schedule) = scheduled("ring:6", CollectiveName::AllToAll, CommunicationModel::wormhole());
    let error = lower(&instance.problem(), &schedule, PLAIN).unwrap_err();
    // On a ring of 6 every node reaches 2 of its 5 receivers directly.
    assert_eq!(error, LowerError::ThroughTerminals { transfers: 18, all: 30 });
    assert!(lower(&instance.problem(), &schedule, LowerOptions { connections: Connections::Routed, ..PLAIN }).is_ok());
    let (instance, schedule) = scheduled("dgx-1", CollectiveName::AllToAll, CommunicationModel::store_and_forward());
    assert!(lower(&instance.problem(), &schedule, PLAIN).is_ok());
}

#[test]
fn invalid_schedules_are_refused() {
    let (instance, _) = scheduled("ring:4", CollectiveName::AllGather, CommunicationModel::wormhole());
    let error = lower(&instance.problem(), &Schedule::new(), PLAIN).unwrap_err();
    assert!(error.to_string().starts_with("the schedule is invalid: after the last step"), "{error}");
}
