//! perftest.

use expect_test::expect;

use super::{describe, error_of, read_text};

const TEXT: &str = include_str!("../../../../../data/measured/two-hosts.perftest.txt");
const JSON: &str = include_str!("../../../../../data/measured/two-hosts.perftest.json");

#[test]
fn the_text_sample_is_read() {
    expect![[r"
        perftest: RDMA_Write BW, Message, 2 devices, ranks Some(2)
          8: 0->1 65536 B: 12257853440 B/s
          9: 0->1 131072 B: 12315525120 B/s
        perftest: Send Latency, Message, 2 devices, ranks Some(2)
          15: 0->1 2 B: 1270000 ps (1240000 to 5190000)
    "]]
    .assert_eq(&describe(&read_text(TEXT)));
}

#[test]
fn lines_of_a_log_behind_a_table_are_no_rows() {
    assert_eq!(read_text(&format!("{TEXT}3 nodes were released\n")), read_text(TEXT));
}

#[test]
fn the_unit_of_the_json_sample_follows_from_its_message_rate() {
    expect![[r"
        perftest: RDMA_Write BW, Message, 2 devices, ranks Some(2)
          8: 0->1 65536 B: 2337559020 B/s
    "]]
    .assert_eq(&describe(&read_text(JSON)));
    let bits = JSON.replace("2229.27", "18.70");
    let unknown = JSON.replace("0.035668", "0.0");
    expect![[r"
        perftest: RDMA_Write BW, Message, 2 devices, ranks Some(2)
          8: 0->1 65536 B: 2337500000 B/s
        perftest: RDMA_Write BW, Message, 2 devices, ranks Some(2)
          8: 0->1 65536 B: 2337559020 B/s
        note: line 8: the rate is read in MiB/s, because MsgRate does not show its unit; --rate-unit sets another one
    "]]
    .assert_eq(&(describe(&read_text(&bits)) + &describe(&read_text(&unknown))));
}

#[test]
fn reads_both_ways_and_round_trips_are_told_apart() {
    let table = |title: &str, unit: &str| {
        format!(
            "{title}\n#bytes     #iterations    BW peak[{unit}]    BW average[{unit}]   MsgRate[Mpps]\n65536 5000 0.00 100.00 0.1\n"
        )
    };
    let text = [
        table("RDMA_Read BW Test", "MB/sec"),
        table("Send Bidirectional BW Test", "Gb/sec"),
        table("", "MiB/sec"),
        "RDMA_Read Latency Test\n#bytes #iterations    t_avg[usec]    tps average\n2  1000  2.5  400000\n".to_owned(),
        "RDMA_Write Latency Test\n#bytes        #iterations       t_avg[usec]    tps average\n2  1000  2.5  400000\n"
            .to_owned(),
    ];
    expect![[r"
        perftest: RDMA_Read BW, Message, 2 devices, ranks Some(2)
          3: 1->0 65536 B: 104857600 B/s
        perftest: Send Bidirectional BW, Message, 2 devices, ranks Some(2)
          6: 0->1 1->0 65536 B: 6250000000 B/s
        perftest: without title, Message, 2 devices, ranks Some(2)
          9: 0->1 65536 B: 104857600 B/s
        perftest: RDMA_Write Latency, Message, 2 devices, ranks Some(2)
          15: 0->1 2 B: 2500000 ps
        note: line 8: the output has no title such as 'RDMA_Write BW Test'; read as transfers from the client to the server
        note: left out: the times of line 11, which are whole round trips; measure with ib_write_lat or ib_send_lat
        note: the table of line 14 has no line of dashes behind it, so the run did not end or the output is cut off
        note: MB/sec are 2^20 bytes per second, as perftest counts; --rate-unit sets another one
    "]].assert_eq(&describe(&read_text(&text.concat())));
    expect!["line 2: found '#bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]', expected the columns of the test in the title above"].assert_eq(&error_of(&table("RDMA_Write Latency Test", "MB/sec")));
    expect!["line 2: found nothing, expected a column 'BW average[MiB/sec]', [MB/sec] or [Gb/sec]"]
        .assert_eq(&error_of(&table("RDMA_Write BW Test", "furlong/sec")));
    expect!["line 9: column 'BW average[MiB/sec]' is 'fast', expected a number that is not negative"]
        .assert_eq(&error_of(&TEXT.replace("11745.00", "fast")));
}
