//! Tables in CSV: messages in steps, and operations.

use lockstep_execute::{ExecuteOptions, Execution, Format, TableCollective, detect, execute, load_table};

fn run(text: &str, name: &str, chunks: u32) -> Result<Execution, String> {
    assert_eq!(detect(text.as_bytes()), Some(Format::Csv));
    let programs =
        load_table(text.as_bytes(), TableCollective { name, root: 0, chunks }).map_err(|error| error.to_string())?;
    execute(&programs[0], ExecuteOptions { orders: 8, seed: 1 }).map_err(|violation| violation.to_string())
}

/// An all-gather on the path 0 - 1 - 2.
const PATH: &str = "step,from,to,origin,chunk
1,0,1,0,0
1,1,0,1,0
1,1,2,1,0
1,2,1,2,0
2,1,0,2,0
2,1,2,0,0
";

#[test]
fn messages_in_steps_run() {
    assert_eq!(run(PATH, "all-gather", 1).unwrap().outputs, 9);
    let sums = "step,from,to,chunk\n1,0,1,0\n1,2,1,0\n2,1,0,0\n2,1,2,0\n";
    assert_eq!(
        run(sums, "all-reduce", 1).unwrap_err(),
        "rank 0, address 1 is chunk 1 of rank 0; expected the sum of chunk 1 of all ranks"
    );
    assert_eq!(run(sums, "reduce", 1).unwrap().outputs, 1);
}

#[test]
fn a_table_names_a_rank() {
    let expected = "expected the number of a rank, from 0";
    for (text, found) in [
        ("step,from,to,origin,chunk\n1,,,1,0\n", ""),
        ("step,from,to,origin,chunk\n1,a,b,1,0\n", "a"),
        ("step,from,to,origin,chunk\n", "a table without lines"),
    ] {
        for name in ["broadcast", "all-gather", "all-reduce"] {
            let error = run(text, name, 1).unwrap_err();
            assert!(error.contains(found) && error.ends_with(expected), "{error}");
        }
    }
}

#[test]
fn spoiled_messages_are_found() {
    for (old, new, message) in [
        ("2,1,0,2,0", "1,1,0,2,0", "rank 1, step 1 sends data that it does not hold: rank 1, address 2"),
        ("2,1,2,0,0", "2,1,2,1,0", "rank 2, address 0 is undefined data; expected chunk 0 of rank 0"),
        ("2,1,2,0,0", "9,1,2,2,0\n7,1,0,0,0", "rank 2, address 0 is undefined data"),
        (
            "2,1,0,2,0\n2,1,2,0,0",
            "9,1,2,0,0\n0,1,0,2,0",
            "rank 1, step 0 sends data that it does not hold: rank 1, address 2",
        ),
        (
            "2,1,0,2,0\n2,1,2,0,0",
            "40,2,0,1,0\n7,2,1,0,0",
            "rank 2, step 7 sends data that it does not hold: rank 2, address 0",
        ),
        ("1,0,1,0,0", "1,0,7,0,0", "sends data that it does not hold"),
        ("1,0,1,0,0", "1,0,1,0,1", "line 2: `chunk` of `message` is `1`; expected a whole number from 0 to 0"),
        ("1,0,1,0,0", "1,0,1,0", "line 2: expected 5 cells, as in the first line"),
        ("1,0,1,0,0", "1,0,0,0,0", "expected another rank than `from`"),
        ("origin", "source", "`table` has no `origin`"),
    ] {
        let error = run(&PATH.replacen(old, new, 1), "all-gather", 1).unwrap_err();
        assert!(error.contains(message), "{new}: {error}");
    }
    assert!(run(PATH, "all-gather", 1 << 30).unwrap_err().contains("`chunks` of `table` is `1073741824`"));
}

/// An all-gather of two ranks in place: each sends its part of the output.
const OPERATIONS: &str =
    "rank,operation,step,action,peer,tag,from_buffer,from_offset,to_buffer,to_offset,count,waits_for
0,0,0,send,1,0,output,0,,,1,
0,1,0,receive,1,1,,,output,1,1,
1,0,0,send,0,1,output,1,,,1,
1,1,0,receive,0,0,,,output,0,1,
";

#[test]
fn operations_run_and_mutations_are_found() {
    assert_eq!(run(OPERATIONS, "all-gather", 1).unwrap().outputs, 4);
    for (old, new, message) in [
        (
            "send,1,0,output,0",
            "send,1,0,output,1",
            "rank 1, output chunk 0 is undefined data; expected chunk 0 of rank 0",
        ),
        ("receive,1,1,,,output,1", "receive,1,2,,,output,1", "deadlock"),
        ("1,1,0,receive,0,0,,,output,0,1,", "", "1 messages from rank 0 to rank 1 are never received"),
        ("receive,1,1", "receives,1,1", "`action` of `operation` is `receives`"),
        ("output,1,1,", "output,2,1,", "1 chunks inside the 2 chunks of the buffer"),
        ("output,1,1,", "output,1,1,9", "`waits_for` of `operation` is `9`"),
        ("output,1,1,", "output,1,1,1", "waits for the end of rank 0, operation 1"),
    ] {
        assert!(OPERATIONS.contains(old), "{old}");
        let error = run(&OPERATIONS.replacen(old, new, 1), "all-gather", 1).unwrap_err();
        assert!(error.contains(message), "{new}: {error}");
    }
}
