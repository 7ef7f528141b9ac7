//! Plans of MSCCL++ with switch channels.

use lockstep_execute::{Format, RaceCheck};
use serde_json::{Value, json};

use crate::run;

const GPUS: usize = 3;

/// Returns a plan in place whose GPUs have a switch channel to all of them, and memory channels to the others. `ops` has the
/// operations of the only thread block of a GPU.
fn plan(
    collective: &str,
    protocol: &str,
    chunks: [usize; 3],
    buffer: &str,
    ops: impl Fn(usize) -> Vec<Value>,
) -> Value {
    let gpu = |id: usize| {
        let others: Vec<usize> = (0..GPUS).filter(|&other| other != id).collect();
        let channels = json!([
            {"channel_type": "memory", "connected_to": others},
            {"channel_type": "switch", "buffer_type": buffer, "rank_groups": [{"size": GPUS, "ranks": [0, 1, 2]}]}
        ]);
        let of_block = json!([
            {"channel_type": "memory", "channel_ids": [0, 1]},
            {"channel_type": "switch", "channel_ids": [0]}
        ]);
        json!({"id": id, "input_chunks": chunks[0], "output_chunks": chunks[1], "scratch_chunks": chunks[2],
            "channels": channels, "threadblocks": [{"id": 0, "ops": ops(id), "channels": of_block}]})
    };
    json!({"name": "switch", "collective": collective, "protocol": protocol, "inplace": true,
        "gpus": (0..GPUS).map(gpu).collect::<Vec<_>>()})
}

fn of_switch(index: usize) -> Value {
    json!({"switch_channel_id": 0, "index": index, "size": 1})
}

fn local(buffer: &str, index: usize) -> Value {
    json!({"type": buffer, "index": index, "size": 1})
}

/// All GPUs signal each other and wait, so that no GPU runs ahead.
fn meet() -> [Value; 4] {
    let all = |name: &str| json!({"name": name, "channel_type": "memory", "channel_ids": [0, 1]});
    let nop = json!({"name": "nop"});
    [nop.clone(), all("rlxsignal"), all("rlxwait"), nop]
}

fn between_meetings(operation: Value) -> Vec<Value> {
    meet().into_iter().chain([operation]).chain(meet()).collect()
}

/// Each GPU adds one chunk of all GPUs, and stores the sum into all GPUs.
fn all_reduce() -> Value {
    plan("allreduce", "Simple", [GPUS, GPUS, 0], "i", |id| {
        between_meetings(json!({"name": "glres", "src_buff": [of_switch(id)], "dst_buff": [of_switch(id)],
            "channel_type": "switch", "reduce_op": "sum"}))
    })
}

/// Each GPU stores its chunk into all GPUs.
fn all_gather() -> Value {
    plan("allgather", "Simple", [1, GPUS, 0], "o", |id| {
        between_meetings(json!({"name": "gstore", "src_buff": [local("o", id)], "dst_buff": [of_switch(id)],
            "channel_type": "switch"}))
    })
}

/// Each GPU copies its chunk to a packet, stores that into all GPUs, and unpacks the packets of the others.
fn all_gather_of_packets() -> Value {
    plan("allgather", "LL", [1, GPUS, GPUS], "s", |id| {
        let pack = json!({"name": "cpkt", "src_buff": [local("o", id)], "dst_buff": [local("s", id)]});
        let store = json!({"name": "gstorepkt", "src_buff": [local("s", id)], "dst_buff": [of_switch(id)],
            "channel_type": "switch"});
        let unpack = |other| json!({"name": "upkt", "src_buff": [local("s", other)], "dst_buff": [local("o", other)]});
        let others = (0..GPUS).filter(|&other| other != id);
        [pack, store].into_iter().chain(others.map(unpack)).collect()
    })
}

fn samples() -> [Value; 3] {
    [all_reduce(), all_gather(), all_gather_of_packets()]
}

#[test]
fn operations_of_switches_run_without_races() {
    for plan in samples() {
        let execution = run(&plan.to_string(), Format::MscclppJson).unwrap();
        assert_eq!((execution.outputs, execution.races), (9, RaceCheck::NoRace), "{plan}");
    }
}

#[test]
fn every_mutation_is_found() {
    let mut count = 0;
    for right in samples() {
        for gpu in 0..GPUS {
            let ops = right["gpus"][gpu]["threadblocks"][0]["ops"].as_array().unwrap();
            for (place, of_place) in ops.iter().enumerate() {
                let mut check = |change: &dyn Fn(&mut Vec<Value>)| {
                    let mut plan = right.clone();
                    change(plan["gpus"][gpu]["threadblocks"][0]["ops"].as_array_mut().unwrap());
                    assert!(run(&plan.to_string(), Format::MscclppJson).is_err(), "{plan}");
                    count += 1;
                };
                // The buffers are ready at the start, so only the operation and the signals behind it need a `nop` between them.
                if of_place["name"] != "nop" || place == 5 {
                    check(&|ops| _ = ops.remove(place));
                }
                for field in ["src_buff", "dst_buff"] {
                    if let Some(index) = of_place[field][0]["index"].as_u64() {
                        let other = (index + 1) % GPUS as u64;
                        check(&|ops| ops[place][field][0]["index"] = other.into());
                    }
                }
            }
        }
    }
    assert!(count > 60, "{count} mutations");
}

#[test]
fn a_store_reaches_only_the_gpus_of_its_switch() {
    let mut plan = all_gather();
    plan["gpus"][1]["channels"][1]["rank_groups"] = json!([{"size": 2, "ranks": [2, 1]}]);
    let error = run(&plan.to_string(), Format::MscclppJson).unwrap_err();
    assert!(error.contains("rank 0, output chunk 1"), "{error}");
}

/// Sets a field of a plan.
type Change<'a> = &'a dyn Fn(&mut Value, &str, Value);

#[test]
fn messages_name_the_switch() {
    let channel = |plan: &mut Value, field: &str, value: Value| plan["gpus"][1]["channels"][1][field] = value;
    let operation = |plan: &mut Value, field: &str, value: Value| {
        plan["gpus"][1]["threadblocks"][0]["ops"][4][field] = value;
    };
    let group = |ranks: &[u32]| json!([{"size": ranks.len(), "ranks": ranks}]);
    let cases: [(Change<'_>, &str, Value, &str); 8] = [
        (&channel, "buffer_type", Value::Null, "gpus[1].channels[1]: `channel` has no `buffer_type`"),
        (
            &channel,
            "rank_groups",
            group(&[0, 1, 3]),
            "gpus[1].channels[1].rank_groups[0]: `ranks` of `rank group` is `3`",
        ),
        (&channel, "rank_groups", group(&[0, 1, 1]), "`1`; expected every GPU once"),
        (&channel, "rank_groups", group(&[0, 2]), "`0, 2`; expected 1 and other GPUs"),
        (
            &channel,
            "rank_groups",
            json!([]),
            "expected the position of a channel of this type in the `channels` of the GPU",
        ),
        (
            &operation,
            "dst_buff",
            json!([local("o", 1)]),
            "`dst_buff` of `op` is `a buffer`; expected `switch_channel_id`",
        ),
        (&operation, "src_buff", json!([of_switch(1)]), "only `glres`, `gstore` and `gstorepkt` use switches"),
        (
            &operation,
            "dst_buff",
            json!([{"switch_channel_id": 1, "index": 1, "size": 1}]),
            "`switch_channel_id` of `op` is `1`; expected the position of a channel of this type",
        ),
    ];
    for (change, field, value, message) in cases {
        let mut plan = all_gather();
        change(&mut plan, field, value.clone());
        let error = run(&plan.to_string(), Format::MscclppJson).unwrap_err();
        assert!(error.contains(message), "{field} {value}: {error}");
    }
}

#[test]
fn an_operation_has_at_most_16_semaphores_and_a_gpu_has_more() {
    let with = |of_gpu: usize, of_operation: usize| {
        let mut plan = all_gather();
        plan["gpus"][0]["semaphores"] = (0..of_gpu).map(|_| json!({"init_value": 0})).collect();
        let ops = plan["gpus"][0]["threadblocks"][0]["ops"].as_array_mut().unwrap();
        let numbers: Vec<usize> = (0..of_gpu).collect();
        for name in ["sem_acquire", "sem_release"] {
            for ids in numbers.chunks(of_operation).rev() {
                ops.insert(0, json!({"name": name, "semaphore_ids": ids}));
            }
        }
        run(&plan.to_string(), Format::MscclppJson)
    };
    assert!(with(20, 16).is_ok());
    let error = with(20, 17).unwrap_err();
    assert!(error.contains("17 semaphores of an operation, but MSCCL++ supports at most 16"), "{error}");
}
