//! MSCCL++ plans, executed in random orders.

use std::collections::BTreeMap;

use lockstep_export::{
    Buffer, Connections, Export, ExportError, ExportOptions, Placement, Runtime, Slot, contents, format_named,
};
use lockstep_schedule::strategy::scheduled_instance;
use proptest::prelude::*;
use serde_json::Value;

/// A chunk of a rank.
type Chunk = (usize, Slot);

/// The plan with the state of its execution.
struct Machine<'a> {
    gpus: &'a [Value],
    memory: BTreeMap<Chunk, u64>,
    /// Signals that arrived and were not consumed: at a rank, for a channel of a kind.
    signals: BTreeMap<(usize, String, usize), u32>,
    semaphores: BTreeMap<(usize, u64), u32>,
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

fn buffer(letter: &Value) -> Buffer {
    match letter.as_str() {
        Some("i") => Buffer::Input,
        Some("o") => Buffer::Output,
        Some("s") => Buffer::Scratch,
        _ => panic!("a buffer: {letter}"),
    }
}

impl Machine<'_> {
    /// Returns the channels of a kind of a rank: its peers.
    fn peers(&self, rank: usize, kind: &str) -> Vec<usize> {
        let all = list(&self.gpus[rank]["channels"]).iter().filter(|channels| channels["channel_type"] == kind);
        all.flat_map(|channels| list(&channels["connected_to"])).map(number).collect()
    }

    /// Returns the other end of a channel: the `k`-th channel to a peer is the `k`-th one back.
    fn other_end(&self, rank: usize, kind: &str, channel: usize) -> (usize, usize) {
        let peers = self.peers(rank, kind);
        let peer = peers[channel];
        let number = peers[..channel].iter().filter(|&&other| other == peer).count();
        let back = self.peers(peer, kind);
        let channel = (0..back.len()).filter(|&place| back[place] == rank).nth(number).expect("both ends of a channel");
        (peer, channel)
    }

    /// Returns the chunks of a reference to a buffer.
    fn chunks(&self, rank: usize, block: &Value, kind: &str, reference: &Value) -> Vec<Chunk> {
        let (rank, buffer) = match reference.get("buffer_id") {
            None => (rank, buffer(&reference["type"])),
            Some(id) => {
                let mut refs = list(&block["remote_buffer_refs"]).iter();
                let ids = refs.find(|refs| refs["access_channel_type"] == kind).expect("remote buffers of the kind");
                let remote = &self.gpus[rank]["remote_buffers"][number(&ids["remote_buffer_ids"][number(id)])];
                (number(&remote["rank"]), buffer(&remote["type"]))
            }
        };
        let first = number(&reference["index"]);
        (first..first + number(&reference["size"]))
            .map(|offset| (rank, Slot { buffer, offset: offset as u32 }))
            .collect()
    }

    /// Executes an operation if it can begin.
    fn execute(&mut self, rank: usize, block: &Value, operation: &Value) -> bool {
        let kind = operation["channel_type"].as_str().unwrap_or("").to_owned();
        let mut in_block = list(&block["channels"]).iter();
        let ids =
            in_block.find(|channels| channels["channel_type"] == kind).map(|channels| list(&channels["channel_ids"]));
        let channels: Vec<usize> =
            list(&operation["channel_ids"]).iter().map(|id| number(&ids.expect("channels")[number(id)])).collect();
        let of = |machine: &Self, field: &str| -> Vec<Vec<Chunk>> {
            list(&operation[field]).iter().map(|reference| machine.chunks(rank, block, &kind, reference)).collect()
        };
        let (sources, targets) = (of(self, "src_buff"), of(self, "dst_buff"));
        let name = operation["name"].as_str().expect("a name");
        match name {
            "nop" | "signal" | "rlxsignal" => {}
            "put" | "copy" | "pwsf" => self.copy(&sources[0], &targets[0]),
            "re" => {
                for (place, &target) in targets[0].iter().enumerate() {
                    let sum = sources.iter().fold(0u64, |sum, source| sum.wrapping_add(self.memory[&source[place]]));
                    *self.memory.get_mut(&target).expect("a chunk of a buffer") = sum;
                }
            }
            "wait" | "rlxwait" => {
                let keys: Vec<_> = channels.iter().map(|&channel| (rank, kind.clone(), channel)).collect();
                if keys.iter().any(|key| self.signals.get(key).copied().unwrap_or(0) == 0) {
                    return false;
                }
                for key in keys {
                    *self.signals.get_mut(&key).expect("a signal") -= 1;
                }
            }
            "sem_acquire" | "sem_release" => {
                let count = self.semaphores.entry((rank, number(&operation["semaphore_ids"][0]) as u64)).or_default();
                match (name, *count) {
                    ("sem_acquire", 0) => return false,
                    ("sem_acquire", _) => *count -= 1,
                    _ => *count += 1,
                }
            }
            _ => panic!("an operation of the loader: {name}"),
        }
        if matches!(name, "signal" | "rlxsignal" | "pwsf") {
            for channel in channels {
                let (peer, channel) = self.other_end(rank, &kind, channel);
                *self.signals.entry((peer, kind.clone(), channel)).or_default() += 1;
            }
        }
        true
    }

    fn copy(&mut self, from: &[Chunk], to: &[Chunk]) {
        assert_eq!(from.len(), to.len());
        for (from, to) in from.iter().zip(to) {
            let value = self.memory[from];
            *self.memory.get_mut(to).expect("a chunk of a buffer") = value;
        }
    }

    /// Executes all thread blocks in an order that the seed selects; returns false if they wait for each other.
    fn run(&mut self, mut seed: u64) -> bool {
        let blocks: Vec<(usize, &Value)> = self
            .gpus
            .iter()
            .enumerate()
            .flat_map(|(rank, gpu)| list(&gpu["threadblocks"]).iter().map(move |block| (rank, block)))
            .collect();
        let mut done = vec![0; blocks.len()];
        loop {
            let mut left: Vec<usize> =
                (0..blocks.len()).filter(|&at| done[at] < list(&blocks[at].1["ops"]).len()).collect();
            if left.is_empty() {
                return true;
            }
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let shift = (seed >> 33) as usize % left.len();
            left.rotate_left(shift);
            let next = left.into_iter().find(|&at| {
                let (rank, block) = blocks[at];
                self.execute(rank, block, &block["ops"][done[at]])
            });
            match next {
                Some(at) => done[at] += 1,
                None => return false,
            }
        }
    }
}

fn check_limits(gpus: &[Value]) {
    for gpu in gpus {
        for block in list(&gpu["threadblocks"]) {
            assert!(list(&block["ops"]).len() <= 64);
            assert!(list(&block["channels"]).iter().all(|channels| list(&channels["channel_ids"]).len() <= 16));
            for operation in list(&block["ops"]) {
                assert!(list(&operation["channel_ids"]).len() <= 8);
                assert!(operation.get("semaphore_ids").is_none_or(|ids| list(ids).len() <= 16));
            }
        }
    }
}

proptest! {
    /// Every plan computes its collective in any order of its thread blocks, within the limits.
    #[test]
    fn plans_compute_their_collective(
        (instance, schedule) in scheduled_instance(9), seeds: [u64; 3], in_place: bool,
    ) {
        let placement = if in_place { Placement::InPlace } else { Placement::OutOfPlace };
        let (connections, runtime) = (Connections::Routed, Runtime::Rccl);
        let options = ExportOptions { placement, connections, runtime, bytes: 1, sizes: [0, 0] };
        let export = Export { problem: instance.problem(), schedule: &schedule, options };
        let files = match format_named("mscclpp-json").expect("a format").write(&export) {
            Ok(files) => files,
            Err(ExportError::Limit { .. } | ExportError::Collective { .. }) => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        let plan: Value = serde_json::from_slice(&files[0].contents).expect("JSON");
        let gpus = list(&plan["gpus"]);
        check_limits(gpus);
        let found = contents(&instance.problem(), placement).expect("a layout");
        for seed in seeds {
            let mut memory = BTreeMap::new();
            for (rank, gpu) in gpus.iter().enumerate() {
                let sizes = [("input", Buffer::Input), ("output", Buffer::Output), ("scratch", Buffer::Scratch)];
                for (name, buffer) in sizes {
                    for offset in 0..number(&gpu[format!("{name}_chunks")]) as u32 {
                        memory.insert((rank, Slot { buffer, offset }), 0xdead_beef);
                    }
                }
            }
            let value = |place: &lockstep_export::Place| {
                (u64::from(place.value) << 32 | u64::from(place.rank)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            };
            for place in &found.inputs {
                memory.insert((place.rank as usize, place.slot), value(place));
            }
            let mut machine = Machine { gpus, memory, signals: BTreeMap::new(), semaphores: BTreeMap::new() };
            prop_assert!(machine.run(seed), "deadlock");
            for result in &found.results {
                let origins = found.inputs.iter().filter(|input| input.value == result.value);
                let expected = origins.map(value).fold(0u64, u64::wrapping_add);
                prop_assert_eq!(machine.memory[&(result.rank as usize, result.slot)], expected);
            }
        }
    }
}
