//! Tables of own measurements.

use expect_test::expect;

use super::{describe, error_of, read_text};

const SAMPLE: &str = include_str!("../../../../../data/measured/transfers.csv");

#[test]
fn the_sample_is_read() {
    let reading = read_text(SAMPLE);
    expect![[r"
        a table: transfers, Message, 4 devices, ranks Some(4)
          3: 0->1 1048576 B: 24500000000 B/s
          4: 2->3 1048576 B: 44000000 ps
          5: 0->1 2->3 1048576 B: 12400000000 B/s
    "]]
    .assert_eq(&describe(&reading));
    assert_eq!(reading.runs[0].devices[3].host.as_deref(), Some("node-4"));
}

#[test]
fn collectives_are_runs_of_their_own() {
    let text = "\
collective;bytes;ranks;time_ms;kind;algorithm;host
all-reduce;1048576;8;0.5;kernel;ring;a
all_reduce;2097152;8;0.9;kernel;ring;a
ag;1048576;8;0.4;;;a
";
    expect![[r"
        a table: all-reduce, Kernel, 0 devices, ranks Some(8), algorithm ring
          2: all-reduce 1048576 B: 500000000 ps
          3: all-reduce 2097152 B: 900000000 ps
        a table: all-gather, Message, 0 devices, ranks Some(8)
          4: all-gather 1048576 B: 400000000 ps
        note: ignored columns: host
    "]]
    .assert_eq(&describe(&read_text(text)));
}

#[test]
fn buffers_and_origins_are_columns() {
    let text = |place: &str| {
        format!("file,benchmark,test,line,collective,ranks,bytes,time_s,in_place\na,b,c,7,ag,4,1024,1e-05,{place}\n")
    };
    for (place, in_place) in [("True", true), ("1", true), ("false", false), ("", false)] {
        let reading = read_text(&text(place));
        assert_eq!(reading.runs[0].samples[0].in_place, in_place, "{place}");
        assert!(reading.notes.is_empty(), "{:?}", reading.notes);
    }
    assert_eq!(error_of(&text("here")), "line 2: column 'in_place' is 'here', expected true or false");
}

#[test]
fn units_are_those_of_the_columns() {
    let text = |unit: &str, rate: &str| format!("from,to,{unit}\n0,1,{rate}\n");
    let plain = read_text(&text("bytes_per_second", "16777216000000")).runs;
    for (unit, rate) in [("MB/s", "16777216"), ("MiB/s", "16000000"), ("GiB/s", "15625"), ("Gbit/s", "134217.728")] {
        assert_eq!(read_text(&text(unit, rate)).runs, plain, "{unit}");
    }
    let bits = read_text(&text("gbps", "134217.728"));
    assert_eq!(bits.runs, plain);
    assert_eq!(bits.notes, ["the column gbps is read in bits per second; name it GB/s if it has bytes"]);
}

#[test]
fn wrong_rows_are_refused() {
    let mut errors = String::new();
    for rows in ["0,0,1,1,", "0,,1,1,", "0,1,1,,", "0,1,1,slow,", "0,1,1,1", "0,5000,1,1,", "0,1,8,1,x\n1,0,9,1,x"] {
        errors += &error_of(&format!("from,to,bytes,time_us,group\n{rows}\n"));
        errors.push('\n');
    }
    errors += &error_of("collective,bytes,time_us\nall-redcue,8,1\n");
    errors.push('\n');
    errors += &error_of("from,to,time_us,kind\n0,1,1,fast\n");
    expect![[r"
        line 2: found '0 to 0', expected another device in each of the columns 'from' and 'to', or a collective
        line 2: found '0 to', expected another device in each of the columns 'from' and 'to', or a collective
        line 2: found no time and no rate, expected one of them in each row
        line 2: column 'time_us' is 'slow', expected a number that is not negative
        line 2: found 4 values, expected 5 values, one per column
        line 2: 5001 devices or ranks, but at most 4096 are read; give a part of the output
        line 3: column 'group' is 'x', expected the same bytes in all rows of a group, and either times or rates
        line 2: found 'all-redcue', expected the name of a collective; did you mean 'all-reduce'?
        line 2: column 'kind' is 'fast', expected copy, kernel or message"]]
    .assert_eq(&errors);
}
