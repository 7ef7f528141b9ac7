//! Plans of MSCCL++ with packets and with groups of thread blocks.

use lockstep_execute::{Format, RaceCheck, Runtime, load};
use serde_json::{Value, json};

use crate::run;

/// Returns a plan of two GPUs. `blocks` has the operations of the thread blocks of a GPU.
fn plan(collective: &str, chunks: [u32; 3], kind: &str, blocks: impl Fn(usize) -> Vec<Vec<Value>>) -> Value {
    let gpu = |id: usize| {
        let block = |(number, ops): (usize, &Vec<Value>)| {
            json!({"id": number, "ops": ops, "channels": [{"channel_type": kind, "channel_ids": [0]}],
                "remote_buffer_refs": [{"access_channel_type": kind, "remote_buffer_ids": [0]}]})
        };
        json!({"id": id, "input_chunks": chunks[0], "output_chunks": chunks[1], "scratch_chunks": chunks[2],
            "threadblocks": blocks(id).iter().enumerate().map(block).collect::<Vec<_>>(),
            "channels": [{"channel_type": kind, "connected_to": [1 - id]}],
            "remote_buffers": [{"rank": 1 - id, "type": "s", "access_channel_types": [kind]}], "semaphores": []})
    };
    json!({"name": "two", "collective": collective, "protocol": "LL", "inplace": true, "gpus": [gpu(0), gpu(1)]})
}

fn local(buffer: &str, index: usize) -> Value {
    json!({"type": buffer, "index": index, "size": 1})
}

fn remote(index: usize) -> Value {
    json!({"buffer_id": 0, "index": index, "size": 1})
}

fn op(name: &str, kind: &str, sources: &[Value], targets: &[Value]) -> Value {
    json!({"name": name, "src_buff": sources, "dst_buff": targets, "channel_type": kind, "channel_ids": [0], "reduce_op": "sum"})
}

/// Every GPU puts its chunk, and unpacks that of the other one.
fn all_gather() -> Value {
    plan("allgather", [1, 2, 2], "memory", |id| {
        let put = op("ppkt", "memory", &[local("o", id)], &[remote(id)]);
        vec![vec![put], vec![op("upkt", "none", &[local("s", 1 - id)], &[local("o", 1 - id)])]]
    })
}

/// Every GPU adds one of two chunks.
fn all_reduce() -> Value {
    plan("allreduce", [2, 2, 2], "memory", |id| {
        let put = op("ppkt", "memory", &[local("i", 1 - id)], &[remote(0)]);
        let (sources, targets) = ([local("i", id), local("s", 0)], [local("i", id), remote(1)]);
        let add = op("respkt", "memory", &sources, &targets);
        vec![vec![put, add], vec![op("upkt", "none", &[local("s", 1)], &[local("i", 1 - id)])]]
    })
}

/// GPU 1 adds, keeps a packet of the sum and sends it; both GPUs unpack it.
fn sum_and_copy() -> Value {
    let mut plan = plan("allreduce", [1, 1, 2], "memory", |id| {
        let unpack = op("upkt", "none", &[local("s", 1)], &[local("o", 0)]);
        let (sources, targets) = ([local("i", 0), local("s", 0)], [local("i", 0), local("s", 1), remote(1)]);
        let first = if id == 0 {
            op("ppkt", "memory", &[local("i", 0)], &[remote(0)])
        } else {
            op("recspkt", "memory", &sources, &targets)
        };
        vec![vec![first, unpack]]
    });
    plan["inplace"] = false.into();
    plan
}

/// Port channels move packets: `put` has the operations between the copy to packets and the sum.
fn over_ports(put: &[Value]) -> Value {
    plan("allreduce", [1, 1, 2], "port", |_| {
        let mut ops = vec![op("cpkt", "none", &[local("i", 0)], &[local("s", 0)])];
        ops.extend_from_slice(put);
        ops.push(op("repkt", "none", &[local("i", 0), local("s", 1)], &[local("i", 0)]));
        vec![ops]
    })
}

fn put_over_port(name: &str) -> Value {
    op(name, "port", &[local("s", 0)], &[remote(1)])
}

fn samples() -> [Value; 5] {
    let nop = json!({"name": "nop"});
    [
        all_gather(),
        all_reduce(),
        sum_and_copy(),
        over_ports(&[nop, put_over_port("ppkt")]),
        over_ports(&[put_over_port("rppkt")]),
    ]
}

#[test]
fn operations_on_packets_run_without_races() {
    for (plan, outputs) in samples().into_iter().zip([4, 4, 2, 2, 2]) {
        let execution = run(&plan.to_string(), Format::MscclppJson).unwrap();
        assert_eq!((execution.outputs, execution.races), (outputs, RaceCheck::NoRace), "{plan}");
    }
}

#[test]
fn every_mutation_is_found() {
    let mut count = 0;
    for right in samples() {
        for gpu in 0..2 {
            let blocks = right["gpus"][gpu]["threadblocks"].as_array().unwrap();
            for (block, ops) in blocks.iter().map(|block| block["ops"].as_array().unwrap()).enumerate() {
                for (place, of_place) in ops.iter().enumerate() {
                    let mut check = |change: &dyn Fn(&mut Vec<Value>)| {
                        let mut plan = right.clone();
                        change(plan["gpus"][gpu]["threadblocks"][block]["ops"].as_array_mut().unwrap());
                        assert!(run(&plan.to_string(), Format::MscclppJson).is_err(), "{plan}");
                        count += 1;
                    };
                    check(&|ops| _ = ops.remove(place));
                    for field in ["src_buff", "dst_buff"] {
                        for buffer in 0..of_place[field].as_array().map_or(0, Vec::len) {
                            let index = of_place[field][buffer]["index"].as_u64().unwrap();
                            check(&|ops| ops[place][field][buffer]["index"] = (index ^ 1).into());
                        }
                    }
                }
            }
        }
    }
    assert!(count > 60, "{count} mutations");
}

/// Returns the error of a plan after a change of its first GPU.
fn spoiled(plan: &Value, change: impl Fn(&mut Value)) -> String {
    let mut plan = plan.clone();
    change(&mut plan["gpus"][0]["threadblocks"]);
    run(&plan.to_string(), Format::MscclppJson).unwrap_err()
}

#[test]
fn messages_name_the_packets() {
    let error = spoiled(&all_gather(), |blocks| blocks[0]["ops"] = json!([]));
    let expected = "gpus[1].threadblocks[1].ops[0]: `src_buff` of `op` is `rank 1, scratch chunk 0`; expected packets that an \
                    operation writes; otherwise, it waits for ever";
    assert_eq!(error, expected);
    let error = spoiled(&all_gather(), |blocks| {
        let put = blocks[0]["ops"][0].clone();
        blocks[0]["ops"].as_array_mut().unwrap().push(put);
    });
    assert!(error.contains("gpus[0].threadblocks[0].ops[1]: `dst_buff` of `op`"), "{error}");
    assert!(error.contains("all packets of a launch have the same flag"), "{error}");
    let error = spoiled(&all_gather(), |blocks| blocks[1]["ops"][0]["src_buff"] = json!([local("o", 1)]));
    assert!(
        error.contains("`type` of `op` is `another buffer`; expected packets, which are in scratch memory"),
        "{error}"
    );
    let error = spoiled(&all_gather(), |blocks| blocks[1]["ops"][0]["name"] = "copy".into());
    assert!(error.contains("`type` of `op` is `scratch memory`; expected packets"), "{error}");
    let error = spoiled(&all_reduce(), |blocks| blocks[0]["ops"][1]["src_buff"][1]["size"] = 2.into());
    assert!(error.contains("expected 2 chunks inside") || error.contains("expected buffers of"), "{error}");
    let simple = all_gather().to_string().replace("\"LL\"", "\"Simple\"");
    let error = run(&simple, Format::MscclppJson).unwrap_err();
    assert!(
        error.contains("`name` of `op` is `ppkt`; expected no operation on packets; their `protocol` is `LL`"),
        "{error}"
    );
    let other = all_gather().to_string().replace("\"LL\"", "\"LL128\"");
    assert!(run(&other, Format::MscclppJson).unwrap_err().contains("`LL128`; expected `Simple` or `LL`"));
}

#[test]
fn packets_that_wait_for_each_other_are_a_deadlock() {
    // Both GPUs add before they put.
    let mut plan = all_reduce();
    for gpu in 0..2 {
        plan["gpus"][gpu]["threadblocks"][0]["ops"].as_array_mut().unwrap().reverse();
    }
    let error = run(&plan.to_string(), Format::MscclppJson).unwrap_err();
    assert!(error.starts_with("deadlock: rank 0, tb 0, op 0 waits for the end of rank 1, tb 0, op 1"), "{error}");
}

#[test]
fn a_port_channel_does_not_wait_for_packets() {
    let error = run(&over_ports(&[put_over_port("ppkt")]).to_string(), Format::MscclppJson).unwrap_err();
    assert!(
        error.starts_with("data race on rank 0, scratch chunk 0: rank 0, tb 0, op 0 and rank 0, tb 0, op 1"),
        "{error}"
    );
}

/// The all-gather, whose puts and unpacks are those of a group of `size` thread blocks.
fn grouped(size: usize) -> Value {
    plan("allgather", [1, 2, 2], "memory", |id| {
        let slice = |mut op: Value, number: usize| {
            op["tbg_info"] = json!({"tb_id": number, "tbg_size": size});
            vec![op]
        };
        let put = op("ppkt", "memory", &[local("o", id)], &[remote(id)]);
        let unpack = op("upkt", "none", &[local("s", 1 - id)], &[local("o", 1 - id)]);
        let blocks = (0..size).flat_map(|number| [slice(put.clone(), number), slice(unpack.clone(), number)]);
        blocks.collect()
    })
}

#[test]
fn groups_execute_slices() {
    for size in [1, 2, 3, 64] {
        let text = grouped(size).to_string();
        assert_eq!(run(&text, Format::MscclppJson).unwrap().outputs, 4 * size);
        let title = load(text.as_bytes(), Format::MscclppJson, Runtime::Rccl).unwrap()[0].title.clone();
        assert_eq!(title.contains(&format!("every chunk in {size} parts")), size > 1, "{title}");
    }
    let error = spoiled(&grouped(3), |blocks| blocks[5]["ops"] = json!([]));
    assert_eq!(error, "rank 0, output chunk 5 is undefined data; expected chunk 2 of rank 1");
    let error = run(&grouped(65).to_string(), Format::MscclppJson).unwrap_err();
    assert!(
        error.contains("`tbg_size` of `op` is `65`; expected a number so that all slices are whole parts"),
        "{error}"
    );
    let error = spoiled(&grouped(2), |blocks| blocks[0]["ops"][0]["tbg_info"]["tb_id"] = 2.into());
    assert!(error.contains("`tb_id` of `op` is `2`; expected a number below 2"), "{error}");
    let error = spoiled(&grouped(2), |blocks| blocks[0]["ops"][0]["tbg_info"]["tbg_size"] = 0.into());
    assert!(error.contains("`tb_id` of `op` is `0`; expected a number below 0"), "{error}");
}
