//! Connection matrices of htsim.

use lockstep_execute::Format;

use crate::run;

const STAGES: &str = include_str!("../data/stages.cm");

#[test]
fn stages_run() {
    // The arrival of a message is an instruction of its own.
    assert_eq!(run(STAGES, Format::Htsim).unwrap().instructions, 10);
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
    ] {
        let error = run(&STAGES.replacen(old, new, 1), Format::Htsim).unwrap_err();
        assert!(error.contains(message), "{new}: {error}");
    }
}
