//! OSU micro-benchmarks.

use expect_test::expect;
use lockstep_measure::format::{ReadOptions, read};

use super::{describe, error_of, read_text};

const SAMPLE: &str = include_str!("../../../../../data/measured/all-reduce.osu.txt");

#[test]
fn the_sample_is_read() {
    expect![[r"
        the OSU micro-benchmarks: MPI Allreduce Latency, Message, 0 devices, ranks None
          4: all-reduce 4 B: 4100000 ps (3900000 to 4600000)
          5: all-reduce 1024 B: 6000000 ps (5800000 to 6600000)
          6: all-reduce 65536 B: 48000000 ps (46000000 to 52000000)
          7: all-reduce 1048576 B: 600000000 ps (590000000 to 640000000)
        note: line 1: the number of ranks is not in the output; state it
    "]]
    .assert_eq(&describe(&read_text(SAMPLE)));
}

#[test]
fn rates_and_times_between_two_ranks_are_read() {
    let text = "\
# OSU MPI-CUDA Latency Test v7.1
# Datatype: MPI_CHAR.
# Size          Latency (us)
0                       1.20
8                       1.25
# OSU MPI Bandwidth Test v7.4
# Size      Bandwidth (MB/s)
4194304            24500.00
# OSU MPI Bi-Directional Bandwidth Test v7.4
# Size      Bandwidth (MB/s)
4194304            46000.00
# OSU MPI Multiple Bandwidth / Message Rate Test v7.4
# [ pairs: 2 ] [ window size: 64 ]
# Datatype: MPI_CHAR.
# Size                  MB/s        Messages/s
4194304            48000.00          11444.09
# OSU MPI_Put Latency Test v7.4
# Size          Latency (us)
8                       1.25
";
    expect![[r"
        the OSU micro-benchmarks: MPI-CUDA Latency, Message, 2 devices, ranks Some(2)
          4: 0->1 0 B: 1200000 ps
          5: 0->1 8 B: 1250000 ps
        the OSU micro-benchmarks: MPI Bandwidth, Message, 2 devices, ranks Some(2)
          8: 0->1 4194304 B: 24500000000 B/s
        the OSU micro-benchmarks: MPI Bi-Directional Bandwidth, Message, 2 devices, ranks Some(2)
          11: 0->1 1->0 4194304 B: 23000000000 B/s
        the OSU micro-benchmarks: MPI Multiple Bandwidth / Message Rate, Message, 4 devices, ranks Some(4)
          16: 0->2 1->3 4194304 B: 24000000000 B/s
        note: left out: the test 'MPI_Put Latency' of line 17, which is not supported
        note: MB/s are 10^6 bytes per second, as the OSU micro-benchmarks count; --rate-unit sets another one
    "]]
    .assert_eq(&describe(&read_text(text)));
}

#[test]
fn blocks_of_a_rank_are_multiplied_by_the_ranks() {
    let text = "\
# OSU MPI All-to-All Personalized Exchange Latency Test v7.5
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   P50 Tail Lat(us)        Validation
1024                   12.46              11.00              Pass
2048                   13.00              11.00              Fail
";
    let options = ReadOptions { ranks: Some(8), ..ReadOptions::default() };
    expect![[r"
        the OSU micro-benchmarks: MPI All-to-All Personalized Exchange Latency, Message, 0 devices, ranks Some(8)
          4: all-to-all 8192 B: 12460000 ps
          5: all-to-all 16384 B: 13000000 ps, wrong
        note: the benchmark found wrong data in line 5; such values do not count
    "]]
    .assert_eq(&describe(&read(text, &options).unwrap()));
    expect!["line 1: the sizes of the all-to-all are blocks of one rank, and the output does not have the number of ranks; state it"].assert_eq(&error_of(text));
}

#[test]
fn lines_of_a_log_behind_a_table_are_no_rows() {
    let log = format!("{SAMPLE}\n3 nodes were released\n");
    assert_eq!(read_text(&log), read_text(SAMPLE));
}

#[test]
fn units_can_be_stated() {
    let text = "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n1024    1000.00\n";
    let options = ReadOptions { rate_unit: Some(1 << 20), ..ReadOptions::default() };
    expect![[r"
        the OSU micro-benchmarks: MPI Bandwidth, Message, 2 devices, ranks Some(2)
          3: 0->1 1024 B: 1048576000 B/s
    "]]
    .assert_eq(&describe(&read(text, &options).unwrap()));
}

#[test]
fn incomplete_rows_are_told() {
    let cut = SAMPLE.rsplit_once("590.00").unwrap().0;
    let reading = read_text(cut);
    assert_eq!(reading.runs[0].samples.len(), 3);
    assert_eq!(reading.notes[0], "line 7: the last row is incomplete and is left out");
    let spoiled = SAMPLE.replace("48.00             46.00 ", "");
    expect!["line 6: found '65536                              52.00         100', expected a value for each of the 5 columns of the head"].assert_eq(&error_of(&spoiled));
    let no_pairs =
        "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n# Size    MB/s    Messages/s\n8    8.00    1.00\n";
    expect!["line 1: found no number of pairs, expected the line '# [ pairs: 4 ] [ window size: 64 ]' before the rows"]
        .assert_eq(&error_of(no_pairs));
    let many = no_pairs.replace("# Size", "# [ pairs: 4000000000 ] [ window size: 64 ]\n# Size");
    expect!["line 4: 12000000000 flows in all samples, but at most 1048576 are read; give a part of the output"]
        .assert_eq(&error_of(&many));
}
