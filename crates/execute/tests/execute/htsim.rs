//! Connection matrices of htsim.

use lockstep_execute::{Format, detect};

use crate::run;

const STAGES: &str = include_str!("../data/stages.cm");

#[test]
fn stages_run() {
    // The arrival of a message is an instruction of its own.
    assert_eq!(run(STAGES, Format::Htsim).unwrap().instructions, 10);
}

#[test]
fn ids_are_optional_and_starts_may_have_fractions() {
    let flows = "# permutation\nNodes 4\nConnections 3\nFailures 1\n0->1 start 0.000000 size 2000000\n1->2 id 1 start 1e6 size 2000000 addon\n\
                 3->0 start 0 size 0\nfailure switch_type TOR switch_id 0 link_id 1\n";
    assert_eq!(detect(flows.as_bytes()), Some(Format::Htsim));
    assert_eq!(run(flows, Format::Htsim).unwrap().instructions, 6);
}

#[test]
fn a_flow_without_an_id_has_another_number_than_the_others() {
    let flows = "Nodes 4\nConnections 3\nTriggers 1\n0->1 start 0 size 1 recv_done_trigger 9\n1->2 id 1 start 0 size 1\n\
                 2->3 id 2 trigger 9 size 1\ntrigger id 9 oneshot\n";
    assert_eq!(run(flows, Format::Htsim).unwrap().instructions, 7);
    let error = run(&flows.replace("id 2 ", ""), Format::Htsim).unwrap_err();
    assert!(error.contains("`id`"), "{error}");
}

#[test]
fn spoiled_stages_are_refused() {
    for (old, new, message) in [
        ("count 2", "count 3", "`count` of `trigger` is `3`; expected 2"),
        ("id 2 start 0", "id 2 trigger 2", "deadlock"),
        ("trigger 2 size", "trigger 3 size", "`trigger` of `connection` is `3`"),
        ("id 4", "id 3", "line 6 has it"),
        ("Connections 4", "Connections 5", "expected 4, their number in the file"),
        ("3->0", "3->4", "`destination` of `connection` is `4`"),
        ("3->0", "3->3", "another node than the source"),
        ("start 0 size 4096 recv", "size 4096 recv", "expected `start TIME` or `trigger N`, and not both"),
        ("trigger id 2 oneshot\n", "", "`number` of `Triggers` is `2`; expected 1"),
        ("id 3", "id 0", "`id` of `connection` is `0`; expected a number from 1, or no 'id'"),
        ("start 0", "start -1.5", "`start` of `connection` is `-1.5`; expected a time from 0 on"),
        ("start 0", "start NaN", "`start` of `connection` is `NaN`"),
        ("Triggers 2", "Triggers 2\nFailures 1", "`number` of `Failures` is `1`; expected 0"),
    ] {
        let error = run(&STAGES.replacen(old, new, 1), Format::Htsim).unwrap_err();
        assert!(error.contains(message), "{new}: {error}");
    }
}
