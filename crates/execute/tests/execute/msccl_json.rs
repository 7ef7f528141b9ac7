//! JSON of msccl-tools: right algorithms and all mutations of their sends.

use lockstep_execute::{ExecuteOptions, Runtime};
use lockstep_execute::{Format, Violation, execute, load};
use serde_json::{Value, json};

use crate::run;

pub(crate) const SAMPLES: [&str; 2] =
    [include_str!("../data/all-reduce.msccl.json"), include_str!("../data/all-to-all.msccl.json")];

/// Returns all spoiled forms of an algorithm, with the operators that made them.
fn mutations(text: &str) -> Vec<(String, Value)> {
    let right: Value = serde_json::from_str(text).unwrap();
    let ranks = right["collective"]["nodes"].as_u64().unwrap();
    let mut spoiled = Vec::new();
    for (step, of_step) in right["steps"].as_array().unwrap().iter().enumerate() {
        for (send, of_send) in of_step["sends"].as_array().unwrap().iter().enumerate() {
            let [address, from, to] = [0, 1, 2].map(|part| of_send[part].as_u64().unwrap());
            let mut add = |operator: &str, changed: Option<[u64; 3]>| {
                let mut value = right.clone();
                let sends = value["steps"][step]["sends"].as_array_mut().unwrap();
                match changed {
                    Some(changed) => sends[send] = json!(changed),
                    None => _ = sends.remove(send),
                }
                spoiled.push((format!("{operator} in step {step}, send {send}"), value));
            };
            add("dropped send", None);
            add("wrong address", Some([address + 1, from, to]));
            for other in (0..ranks).filter(|&other| other != from && other != to) {
                add("wrong receiver", Some([address, from, other]));
                add("wrong sender", Some([address, other, to]));
            }
        }
    }
    spoiled
}

#[test]
fn right_algorithms_run() {
    let outputs = SAMPLES.map(|text| run(text, Format::MscclJson).unwrap().outputs);
    assert_eq!(outputs, [9, 16]);
}

#[test]
fn every_mutation_is_found() {
    let mut count = 0;
    for text in SAMPLES {
        for (operator, spoiled) in mutations(text) {
            // A contribution can come from another rank that has it too.
            let is_copy = operator.starts_with("wrong sender");
            let found = run(&spoiled.to_string(), Format::MscclJson);
            assert!(found.is_err() || is_copy, "{operator}:\n{spoiled}");
            count += usize::from(found.is_err());
        }
    }
    assert!(count > 90, "{count} mutations");
}

#[test]
fn a_send_before_its_data_names_the_step() {
    // The sends of the last step move to the first one.
    let mut value: Value = serde_json::from_str(SAMPLES[1]).unwrap();
    let last = value["steps"].as_array_mut().unwrap().pop().unwrap();
    let sends = last["sends"].as_array().unwrap().clone();
    value["steps"][0]["sends"].as_array_mut().unwrap().extend(sends);
    let programs = load(value.to_string().as_bytes(), Format::MscclJson, Runtime::Rccl).unwrap();
    let violation = execute(&programs[0], ExecuteOptions { orders: 4, seed: 1 }).unwrap_err();
    assert!(matches!(violation, Violation::NotHeld { .. }), "{violation}");
    assert!(violation.to_string().contains(", step 0 sends data that it does not hold: rank "), "{violation}");
}

#[test]
fn files_that_the_reader_refuses() {
    for (old, new, message) in [
        ("\"algorithm\"", "\"plan\"", "msccl_type: `msccl_type` of `file` is `plan`"),
        ("[[2, 0, 1]", "[[2, 0, 7]", "steps[0].sends[0]: `receiver` of `send` is `7`; expected a rank below 3"),
        ("[[2, 0, 1]", "[[2, 0, 0]", "expected another rank than the sender"),
        ("[[2, 0, 1]", "[[2, 0]", "steps[0].sends[0]"),
        ("\"rounds\": 1", "\"rounds\": 0", "steps[0].rounds: `rounds` of `step` is `0`; expected a number from 1"),
        ("\"nodes\": 3", "\"nodes\": 4000000000", "collective.nodes: `nodes` of `collective` is `4000000000`"),
        ("\"steps\": [", "\"stages\": [", "missing field `steps`"),
    ] {
        assert!(SAMPLES[0].contains(old), "{old}");
        let error = run(&SAMPLES[0].replacen(old, new, 1), Format::MscclJson).unwrap_err();
        assert!(error.contains(message), "{new}: {error}");
    }
}
