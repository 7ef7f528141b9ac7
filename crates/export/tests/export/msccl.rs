//! MSCCL XML, executed in random orders with short queues between the GPUs.

use std::collections::{BTreeMap, VecDeque};

use lockstep_export::{
    Buffer, Connections, Export, ExportError, ExportOptions, Place, Placement, Runtime, Slot, contents, format_named,
};
use lockstep_schedule::strategy::scheduled_instance;
use proptest::prelude::*;
use roxmltree::{Document, Node};

/// The number of transfers that a queue holds.
const QUEUE: usize = 2;

/// A thread block with its steps, and the number of steps that it has passed.
struct Block<'a> {
    gpu: i64,
    send: i64,
    receive: i64,
    channel: i64,
    steps: Vec<Node<'a, 'a>>,
    passed: usize,
}

struct Machine<'a> {
    blocks: Vec<Block<'a>>,
    memory: BTreeMap<(i64, Slot), u64>,
    /// By sender, receiver and channel.
    queues: BTreeMap<(i64, i64, i64), VecDeque<Vec<u64>>>,
}

fn number(node: Node<'_, '_>, name: &str) -> i64 {
    node.attribute(name).and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no number {name}"))
}

/// Returns a number that is not negative.
fn index(number: i64) -> usize {
    usize::try_from(number).expect("a number from 0 on")
}

fn elements<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn slots(step: Node<'_, '_>, end: &str) -> Vec<Slot> {
    let buffer = match step.attribute(format!("{end}buf").as_str()) {
        Some("i") => Buffer::Input,
        Some("o") => Buffer::Output,
        Some("s") => Buffer::Scratch,
        other => panic!("a buffer: {other:?}"),
    };
    let first = number(step, &format!("{end}off"));
    (first..first + number(step, "cnt")).map(|offset| Slot { buffer, offset: index(offset) as u32 }).collect()
}

impl Machine<'_> {
    /// Executes the next step of a thread block if it can begin.
    fn execute(&mut self, at: usize) -> bool {
        let block = &self.blocks[at];
        let (gpu, step) = (block.gpu, block.steps[block.passed]);
        let (wait, on) = (number(step, "depid"), number(step, "deps"));
        if wait >= 0 {
            let first = self.blocks.iter().position(|other| other.gpu == gpu).expect("the first thread block");
            let awaited = &self.blocks[first + index(wait)];
            let flag = awaited.steps[index(on)].attribute("hasdep");
            assert_eq!((awaited.gpu, flag), (gpu, Some("1")));
            if awaited.passed <= index(on) {
                return false;
            }
        }
        let (outgoing, incoming) = ((gpu, block.send, block.channel), (block.receive, gpu, block.channel));
        let kind = step.attribute("type").expect("a type");
        let mut data = Vec::new();
        match kind {
            "nop" => {}
            "s" if self.queues.get(&outgoing).is_some_and(|queue| queue.len() == QUEUE) => return false,
            "s" | "cpy" | "re" => data = slots(step, "src").iter().map(|&slot| self.memory[&(gpu, slot)]).collect(),
            "r" | "rrc" => match self.queues.get_mut(&incoming).and_then(VecDeque::pop_front) {
                Some(arrived) => data = arrived,
                None => return false,
            },
            _ => panic!("a type of step: {kind}"),
        }
        match kind {
            "s" => self.queues.entry(outgoing).or_default().push_back(data),
            "nop" => {}
            _ => {
                assert_eq!(data.len(), slots(step, "dst").len());
                for (slot, value) in slots(step, "dst").into_iter().zip(data) {
                    let chunk = self.memory.get_mut(&(gpu, slot)).expect("a chunk of a buffer");
                    *chunk = if matches!(kind, "rrc" | "re") { chunk.wrapping_add(value) } else { value };
                }
            }
        }
        self.blocks[at].passed += 1;
        true
    }

    /// Executes all thread blocks in an order that the seed selects; returns false if they wait for each other.
    fn run(&mut self, mut seed: u64) -> bool {
        loop {
            let is_left = |block: &Block<'_>| block.passed < block.steps.len();
            let mut left: Vec<usize> = (0..self.blocks.len()).filter(|&at| is_left(&self.blocks[at])).collect();
            if left.is_empty() {
                return true;
            }
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let shift = (seed >> 33) as usize % left.len();
            left.rotate_left(shift);
            if !left.into_iter().any(|at| self.execute(at)) {
                return false;
            }
        }
    }
}

fn value(place: &Place) -> u64 {
    (u64::from(place.value) << 32 | u64::from(place.rank)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn machine<'a>(document: &'a Document<'a>, inputs: &[Place]) -> Machine<'a> {
    let mut machine = Machine { blocks: Vec::new(), memory: BTreeMap::new(), queues: BTreeMap::new() };
    for gpu in elements(document.root_element(), "gpu") {
        let rank = number(gpu, "id");
        let sizes = [("i_chunks", Buffer::Input), ("o_chunks", Buffer::Output), ("s_chunks", Buffer::Scratch)];
        for (name, buffer) in sizes {
            let chunk = |offset| ((rank, Slot { buffer, offset: index(offset) as u32 }), 0xdead_beef);
            machine.memory.extend((0..number(gpu, name)).map(chunk));
        }
        for (id, block) in elements(gpu, "tb").enumerate() {
            assert_eq!(index(number(block, "id")), id);
            let [send, receive, channel] = ["send", "recv", "chan"].map(|name| number(block, name));
            let steps: Vec<_> = elements(block, "step").collect();
            assert!(
                steps.len() <= 64 && steps.iter().enumerate().all(|(place, step)| index(number(*step, "s")) == place)
            );
            machine.blocks.push(Block { gpu: rank, send, receive, channel, steps, passed: 0 });
        }
    }
    machine.memory.extend(inputs.iter().map(|place| ((place.rank.into(), place.slot), value(place))));
    machine
}

proptest! {
    /// Every algorithm computes its collective in any order of its thread blocks, and no two of them share a connection.
    #[test]
    fn algorithms_compute_their_collective(
        (instance, schedule) in scheduled_instance(9), seeds: [u64; 3], in_place: bool,
    ) {
        let placement = if in_place { Placement::InPlace } else { Placement::OutOfPlace };
        let (connections, runtime) = (Connections::Routed, Runtime::Rccl);
        let options = ExportOptions { placement, connections, runtime, bytes: 1, sizes: [0, 0] };
        let export = Export { problem: instance.problem(), schedule: &schedule, options };
        let files = match format_named("msccl-xml").expect("a format").write(&export) {
            Ok(files) => files,
            Err(ExportError::Limit { .. } | ExportError::Collective { .. }) => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        let text = String::from_utf8_lossy(&files[0].contents).into_owned();
        let document = Document::parse(&text).expect("XML");
        let found = contents(&instance.problem(), placement).expect("a layout");
        for seed in seeds {
            let mut machine = machine(&document, &found.inputs);
            let sends = machine.blocks.iter().map(|block| (block.gpu, block.send, block.channel, "send"));
            let receives = machine.blocks.iter().map(|block| (block.gpu, block.receive, block.channel, "receive"));
            let mut connections: Vec<_> = sends.chain(receives).filter(|ends| ends.1 >= 0).collect();
            connections.sort_unstable();
            prop_assert!(connections.windows(2).all(|pair| pair[0] != pair[1]));
            prop_assert!(machine.run(seed), "deadlock");
            prop_assert!(machine.queues.values().all(VecDeque::is_empty));
            for result in &found.results {
                let origins = found.inputs.iter().filter(|input| input.value == result.value);
                let expected = origins.map(value).fold(0u64, u64::wrapping_add);
                prop_assert_eq!(machine.memory[&(result.rank.into(), result.slot)], expected);
            }
        }
    }
}
