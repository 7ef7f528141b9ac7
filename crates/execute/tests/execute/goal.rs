//! GOAL as text and binary.

use lockstep_execute::Format;

use crate::run;

const TREE: &str = include_str!("../data/tree.goal");

#[test]
fn a_tree_runs() {
    // The start of a task that others wait for is an instruction of its own.
    assert_eq!(run(TREE, Format::Goal).unwrap().instructions, 8);
}

#[test]
fn spoiled_trees_are_refused() {
    for (old, new, message) in [
        ("recv 64b from 2", "recv 64b from 1", "deadlock: rank 3, task 0, line 23 waits for a message from rank 1"),
        ("recv 64b from 2", "recv 65b from 2", "receives 65, but the message has size 64"),
        ("send 64b to 1 tag 1", "send 64b to 1 tag 7", "deadlock: rank 1, task 0, line 11"),
        ("recv 64b from 2 tag 2\n", "", "1 messages from rank 2 to rank 3 are never received"),
        ("work requires got", "work requires on", "line 16 waits for the end of rank 2, task 2"),
        ("work requires got", "work requires gone", "`label` of `requires` is `gone`"),
        ("got: recv", "on: recv", "a label that is new in its rank"),
        ("send 64b to 1", "send 64b to 4", "`peer` of `task` is `4`; expected a whole number from 0 to 3"),
        ("num_ranks 4", "num_ranks 5", "expected the number of ranks in the file: 4"),
        ("rank 3 {", "rank 2 {", "expected 3, the next rank"),
        ("64b to 2", "64 to 2", "a number of bytes with `b`"),
    ] {
        let error = run(&TREE.replacen(old, new, 1), Format::Goal).unwrap_err();
        assert!(error.contains(message), "{new}: {error}");
    }
}
