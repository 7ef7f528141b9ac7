//! Formats with synchronized steps: the same verdict as that of the verifier, in every order of the lines of a step.

use std::fmt::Write;
use std::num::NonZeroU32;

use lockstep_execute::{ExecuteOptions, Format, ParallelProgram, Runtime, TableCollective, execute, load, load_table};
use lockstep_schedule::strategy::{Instance, instance_on, spoiled};
use lockstep_schedule::{CommunicationModel, MessageId, Pattern, Problem, Schedule, verify};
use lockstep_topology::{ChannelId, NodeId, Topology};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A message that moves over one channel.
type Move = (MessageId, ChannelId);

/// The moves of each step.
type Steps = Vec<Vec<Move>>;

/// Named collectives on complete networks, with moves that are wrong in places.
fn spoiled_steps() -> impl Strategy<Value = (Instance, Steps)> {
    let complete = (2..=5u32).prop_map(|nodes| format!("complete:{nodes}").parse::<Topology>().unwrap());
    let named = instance_on(complete).prop_filter_map("not a named collective", |instance| {
        instance.collective.name().map(|_| Instance { model: CommunicationModel::store_and_forward(), ..instance })
    });
    spoiled(named).prop_map(|(instance, schedule)| {
        let (problem, topology) = (instance.problem(), &instance.topology);
        let is_move = |&(message, channel): &Move| {
            message.index() < problem.messages().len() && channel.index() < topology.channel_bound()
        };
        let moves = schedule.steps().map(|(_, step)| {
            let single = step.iter().filter(|transfer| transfer.path.len() == 1);
            single.map(|transfer| (transfer.message, transfer.path[0])).filter(is_move).collect()
        });
        let moves = moves.collect();
        (instance, moves)
    })
}

/// Returns the schedule in steps of a width that is large enough for all moves.
fn schedule(steps: &Steps) -> Schedule {
    let mut schedule = Schedule::new();
    for step in steps {
        schedule.begin_step_of_width(NonZeroU32::new(1 << 16).unwrap());
        for &(message, channel) in step {
            schedule.push(message, &[channel]);
        }
    }
    schedule
}

/// The rank that has a message at the start, and the number of its chunk in the input of this rank. In a sum, all ranks have
/// it under the same number.
fn input(problem: &Problem<'_>, message: MessageId) -> (NodeId, u32) {
    let messages = problem.messages();
    let (source, receiver) = (messages.source(message), messages.receivers_iter(message).next().unwrap());
    let (chunks, number) = (messages.chunks(), message.number());
    match problem.collective().pattern() {
        Pattern::Gather => (receiver, number % chunks),
        Pattern::Broadcast => (source, number % chunks),
        Pattern::Scatter => (source, receiver.number() * chunks + number % chunks),
        _ => (source, number),
    }
}

fn csv(problem: &Problem<'_>, steps: &Steps) -> ParallelProgram {
    let topology = problem.topology();
    let mut text = "step,from,to,origin,chunk\n".to_owned();
    for (number, step) in steps.iter().enumerate() {
        for &(message, channel) in step {
            let (origin, chunk) = input(problem, message);
            let [from, to] = [topology.tail(channel), topology.head(channel)];
            writeln!(text, "{number},{from},{to},{origin},{chunk}").unwrap();
        }
    }
    let collective = problem.collective();
    let name = collective.name().unwrap();
    let root = collective.root().map_or(0, NodeId::number);
    let chunks = collective.chunks().get();
    let programs = load_table(text.as_bytes(), TableCollective { name: name.word(), root, chunks });
    programs.unwrap().remove(0)
}

fn msccl_json(problem: &Problem<'_>, steps: &Steps) -> ParallelProgram {
    let topology = problem.topology();
    let nodes = topology.terminal_count();
    let mut chunks = Vec::new();
    for message in problem.messages().ids() {
        let (source, receivers) =
            (problem.messages().source(message), problem.messages().receivers_iter(message).collect::<Vec<_>>());
        let all: Vec<NodeId> = [source].into_iter().chain(receivers.iter().copied()).collect();
        let (sources, targets) = match problem.collective().pattern() {
            Pattern::Gather => (receivers, vec![source]),
            Pattern::Broadcast | Pattern::Scatter => (vec![source], receivers),
            Pattern::Reduce => (all, vec![source]),
            _ => (all.clone(), all),
        };
        let numbers = |nodes: &[NodeId]| nodes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        for source in sources {
            let post = numbers(&targets);
            chunks.push(format!("{{\"pre\":[{source}],\"post\":[{post}],\"addr\":{message}}}"));
        }
    }
    let sends = |step: &Vec<Move>| {
        let send =
            |&(message, channel): &Move| format!("[{message},{},{}]", topology.tail(channel), topology.head(channel));
        format!("{{\"rounds\":1,\"sends\":[{}]}}", step.iter().map(send).collect::<Vec<_>>().join(","))
    };
    let text = format!(
        "{{\"msccl_type\":\"algorithm\",\"steps\":[{}],\"collective\":{{\"runtime_name\":null,\"nodes\":{nodes},\"chunks\":[{}]}},\
         \"topology\":{{\"links\":[],\"switches\":[]}}}}",
        steps.iter().map(sends).collect::<Vec<_>>().join(","),
        chunks.join(",")
    );
    load(text.as_bytes(), Format::MscclJson, Runtime::Rccl).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0)
}

fn shuffled(steps: &Steps, seed: u64) -> Steps {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut steps = steps.clone();
    for step in &mut steps {
        step.sort_by_cached_key(|_| random.next_u64());
    }
    steps
}

proptest! {
    #[test]
    fn programs_in_steps_are_right_if_and_only_if_the_verifier_accepts_them((instance, steps) in spoiled_steps(), seed: u64) {
        let problem = instance.problem();
        let verified = verify(&problem, &schedule(&steps));
        // A table without lines has no ranks.
        let uses_all = |steps: &Steps| (0..instance.topology.terminal_count() as u32).all(|rank| {
            let ends = |&(_, channel): &Move| [instance.topology.tail(channel), instance.topology.head(channel)];
            steps.iter().flatten().flat_map(ends).any(|node| node.number() == rank)
        });
        for steps in [shuffled(&steps, seed), steps] {
            let json = Some(msccl_json(&problem, &steps));
            let csv = uses_all(&steps).then(|| csv(&problem, &steps));
            for program in json.iter().chain(&csv) {
                let run = execute(program, ExecuteOptions { orders: 3, seed });
                prop_assert_eq!(run.is_ok(), verified.is_ok(), "{:?}, {:?}, {:?}", run, verified, steps);
            }
        }
    }
}

/// Returns the verdicts on an all-reduce of three ranks with these messages in each block: step, sender and receiver. The lines of
/// a step are in this order, and in the reverse one.
fn verdicts(lines: &[(u32, u32, u32)]) -> [Result<(), String>; 2] {
    let last = lines.iter().map(|line| line.0).max().unwrap();
    let in_order = |reversed: bool| {
        let mut text = "step,from,to,chunk\n".to_owned();
        for step in 0..=last {
            let mut of_step: Vec<_> = lines.iter().filter(|line| line.0 == step).collect();
            if reversed {
                of_step.reverse();
            }
            for (step, from, to) in of_step {
                (0..3).for_each(|chunk| writeln!(text, "{step},{from},{to},{chunk}").unwrap());
            }
        }
        let programs = load_table(text.as_bytes(), TableCollective { name: "all-reduce", root: 0, chunks: 1 }).unwrap();
        execute(&programs[0], ExecuteOptions { orders: 4, seed: 1 }).map(drop).map_err(|error| error.to_string())
    };
    [false, true].map(in_order)
}

#[test]
fn a_contribution_that_is_counted_twice_is_found_in_every_order_of_the_lines() {
    // Rank 1 has the contributions of ranks 0 and 1, and rank 0 sends its own to rank 2 as well.
    let twice = [(1, 0, 1), (2, 0, 2), (2, 1, 2), (3, 2, 0), (3, 2, 1)];
    for verdict in verdicts(&twice) {
        assert_eq!(
            verdict.unwrap_err(),
            "rank 2, step 2 counts chunk 0 of rank 0 twice: rank 2, address 0; the arriving sums and the present one must \
             share no contribution, or one arriving sum must contain all others"
        );
    }
    // The same sum arrives twice, and a later sum replaces the wrong one.
    let again = [(1, 0, 1), (1, 2, 1), (1, 0, 2), (2, 0, 2), (3, 1, 0), (3, 1, 2)];
    for verdict in verdicts(&again) {
        assert!(
            verdict.as_ref().unwrap_err().starts_with("rank 2, step 2 counts chunk 0 of rank 0 twice"),
            "{verdict:?}"
        );
    }
    // One sum contains all others.
    let replaced = [(1, 0, 1), (2, 2, 1), (3, 1, 0), (3, 1, 2), (4, 1, 0), (4, 2, 0)];
    assert_eq!(verdicts(&replaced), [Ok(()), Ok(())]);
}
