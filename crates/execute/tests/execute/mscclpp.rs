//! Plans of MSCCL++: right plans, all mutations of their operations, and refused files.

use lockstep_execute::{Format, RaceCheck};
use serde_json::Value;

use crate::run;

const SAMPLES: [&str; 2] =
    [include_str!("../data/all-reduce.mscclpp.json"), include_str!("../data/all-to-all.mscclpp.json")];

/// Calls a function with every operation: its GPU, thread block and position.
fn for_operations(plan: &Value, mut visit: impl FnMut([usize; 3], &Value)) {
    for (gpu, of_gpu) in plan["gpus"].as_array().unwrap().iter().enumerate() {
        for (block, of_block) in of_gpu["threadblocks"].as_array().unwrap().iter().enumerate() {
            for (place, operation) in of_block["ops"].as_array().unwrap().iter().enumerate() {
                visit([gpu, block, place], operation);
            }
        }
    }
}

/// Returns all spoiled forms of a plan, with the operators that made them.
fn mutations(text: &str) -> Vec<(String, Value)> {
    let right: Value = serde_json::from_str(text).unwrap();
    let ranks = right["gpus"].as_array().unwrap().len() as u64;
    let mut spoiled = Vec::new();
    for_operations(&right, |[gpu, block, place], operation| {
        let mut add = |operator: &str, change: &dyn Fn(&mut Vec<Value>)| {
            let mut plan = right.clone();
            change(plan["gpus"][gpu]["threadblocks"][block]["ops"].as_array_mut().unwrap());
            spoiled.push((format!("{operator} in gpu {gpu}, tb {block}, op {place}"), plan));
        };
        let name = operation["name"].as_str().unwrap();
        for field in ["src_buff", "dst_buff"] {
            let Some(index) = operation[field][0]["index"].as_u64() else { continue };
            for wrong in [Some(index + 1), index.checked_sub(1)].into_iter().flatten() {
                // An addition reads the place that it writes.
                if name != "re" {
                    add("wrong offset", &|ops| ops[place][field][0]["index"] = wrong.into());
                }
            }
        }
        if ["put", "signal", "wait", "rlxsignal", "rlxwait", "re", "copy"].contains(&name) {
            add("dropped operation", &|ops| _ = ops.remove(place));
        }
        let of_block = right["gpus"][gpu]["threadblocks"][block]["ops"].as_array().unwrap();
        let next = |distance: usize| of_block.get(place + distance).and_then(|next| next["name"].as_str());
        if name == "nop" && next(1) == Some("signal") {
            add("missing barrier", &|ops| _ = ops.remove(place));
        }
        if name == "put" {
            add("signal before its put", &|ops| ops[place..place + 3].rotate_left(1));
        }
    });
    for gpu in 0..ranks as usize {
        for (index, buffer) in right["gpus"][gpu]["remote_buffers"].as_array().unwrap().iter().enumerate() {
            let rank = buffer["rank"].as_u64().unwrap();
            let mut plan = right.clone();
            let other = (0..ranks).find(|&other| other != rank && other != gpu as u64).unwrap();
            plan["gpus"][gpu]["remote_buffers"][index]["rank"] = other.into();
            spoiled.push((format!("wrong peer in gpu {gpu}, remote buffer {index}"), plan));
        }
    }
    spoiled
}

#[test]
fn right_plans_run_in_all_orders() {
    let executions = SAMPLES.map(|text| run(text, Format::MscclppJson).unwrap());
    assert_eq!(executions.map(|execution| execution.outputs), [9, 16]);
    assert_eq!(executions.map(|execution| execution.races), [RaceCheck::NoRace; 2]);
}

#[test]
fn every_mutation_is_found() {
    let mut count = 0;
    for text in SAMPLES {
        for (operator, spoiled) in mutations(text) {
            assert!(run(&spoiled.to_string(), Format::MscclppJson).is_err(), "{operator}:\n{spoiled}");
            count += 1;
        }
    }
    assert!(count > 200, "{count} mutations");
}

#[test]
fn a_missing_barrier_before_a_signal_is_a_race() {
    let right: Value = serde_json::from_str(SAMPLES[1]).unwrap();
    let mut first = None;
    for_operations(&right, |[gpu, block, place], operation| {
        if operation["name"] == "put" && first.is_none() {
            first = Some([gpu, block, place]);
        }
    });
    let [gpu, block, place] = first.unwrap();
    let mut plan = right.clone();
    plan["gpus"][gpu]["threadblocks"][block]["ops"].as_array_mut().unwrap().remove(place + 1);
    let error = run(&plan.to_string(), Format::MscclppJson).unwrap_err();
    assert!(error.starts_with("data race on rank 1, output chunk "), "{error}");
    assert!(error.ends_with(" and the end of its rank are not ordered; add a dependency"), "{error}");
}

/// A plan of two GPUs, whose thread blocks meet at a barrier and at a semaphore.
fn blocks(ops: [&str; 2]) -> String {
    let gpu = |id: u32, blocks: &str| {
        format!(
            "{{\"id\":{id},\"input_chunks\":1,\"output_chunks\":1,\"scratch_chunks\":1,\"semaphores\":[{{\"init_value\":0}}],\
             \"threadblocks\":[{blocks}],\"channels\":[{{\"channel_type\":\"memory\",\"connected_to\":[{}]}}],\
             \"remote_buffers\":[{{\"rank\":{},\"type\":\"i\",\"access_channel_types\":[\"memory\"]}}]}}",
            1 - id,
            1 - id
        )
    };
    let block = |id: usize, ops: &str| {
        format!(
            "{{\"id\":{id},\"ops\":[{ops}],\"channels\":[{{\"channel_type\":\"memory\",\"channel_ids\":[0]}}],\
             \"remote_buffer_refs\":[{{\"access_channel_type\":\"memory\",\"remote_buffer_ids\":[0]}}]}}"
        )
    };
    let both = format!("{},{}", block(0, ops[0]), block(1, ops[1]));
    format!(
        "{{\"name\":\"two\",\"collective\":\"allreduce\",\"protocol\":\"Simple\",\"inplace\":false,\"gpus\":[{},{}]}}",
        gpu(0, &both),
        gpu(1, &both)
    )
}

const READ: &str = "{\"name\":\"rre\",\"src_buff\":[{\"type\":\"i\",\"index\":0,\"size\":1},\
                    {\"buffer_id\":0,\"index\":0,\"size\":1}],\"dst_buff\":[{\"type\":\"s\",\"index\":0,\"size\":1}],\
                    \"channel_type\":\"memory\",\"reduce_op\":\"sum\"}";
const COPY: &str = "{\"name\":\"copy\",\"src_buff\":[{\"type\":\"s\",\"index\":0,\"size\":1}],\
                    \"dst_buff\":[{\"type\":\"o\",\"index\":0,\"size\":1}]}";

#[test]
fn barriers_and_semaphores_order_thread_blocks() {
    let barrier = "{\"name\":\"barrier\",\"barrier_id\":0,\"num_threadblocks\":2}";
    let (nop, release, acquire) = (
        "{\"name\":\"nop\"}",
        "{\"name\":\"sem_release\",\"semaphore_ids\":[0]}",
        "{\"name\":\"sem_acquire\",\"semaphore_ids\":[0]}",
    );
    let semaphores = blocks([&format!("{READ},{nop},{release}"), &format!("{acquire},{nop},{COPY}")]);
    let execution = run(&semaphores, Format::MscclppJson).unwrap();
    assert_eq!((execution.outputs, execution.races), (2, RaceCheck::NoRace));
    let barriers = blocks([&format!("{READ},{barrier}"), &format!("{barrier},{COPY}")])
        .replace("\"semaphores\":[{\"init_value\":0}]", "\"semaphores\":[]");
    assert_eq!(run(&barriers, Format::MscclppJson).unwrap().races, RaceCheck::NoRace);
    let without = blocks([READ, COPY]).replace("\"semaphores\":[{\"init_value\":0}]", "\"semaphores\":[]");
    assert!(run(&without, Format::MscclppJson).unwrap_err().contains("data race on rank 0, scratch chunk 0"));
    let lonely = barriers.replacen("\"num_threadblocks\":2", "\"num_threadblocks\":3", 2);
    assert!(run(&lonely, Format::MscclppJson).unwrap_err().contains("arrive at barrier 0"));
}

#[test]
fn files_that_the_loader_refuses() {
    for (old, new, message) in [
        ("\"name\":\"put\"", "\"name\":\"glre\"", "`name` of `op` is `glre`; expected nop, barrier, put"),
        ("\"protocol\":\"Simple\"", "\"protocol\":\"L\"", "`protocol` of `plan` is `L`; expected `Simple` or `LL`"),
        ("\"id\":1,\"input_chunks\"", "\"id\":2,\"input_chunks\"", "gpus[1].id: `id` of `gpu` is `2`"),
        (
            "\"connected_to\":[1",
            "\"connected_to\":[0",
            "gpus[0].channels[0].connected_to: `connected_to` of `channel` is `0`",
        ),
        ("\"type\":\"i\"", "\"type\":\"x\"", "unknown variant `x`"),
        ("\"collective\":\"allreduce\"", "\"collective\":\"sum\"", "`collective` of `plan` is `sum`"),
        ("\"inplace\":false,", "", "missing field `inplace`"),
        ("\"index\":0,\"size\":1", "\"index\":0,\"size\":4000000000", "but MSCCL++ supports at most"),
        ("\"scratch_chunks\":", "\"scratch_chunks\":400000000", "chunks of all buffers"),
    ] {
        assert!(SAMPLES[0].contains(old), "{old}");
        let error = run(&SAMPLES[0].replacen(old, new, 1), Format::MscclppJson).unwrap_err();
        assert!(error.contains(message), "{new}: {error}");
    }
}
