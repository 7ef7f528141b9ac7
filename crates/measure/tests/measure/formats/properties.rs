//! Laws of all readers.

use std::fmt::Write;

use lockstep_measure::format::{ReadOptions, Reading, read};
use lockstep_measure::{Figure, Run, Workload};
use proptest::prelude::*;

/// The stored samples, whose parts make spoiled texts.
const SAMPLES: [&str; 12] = [
    include_str!("../../../../../data/measured/all-reduce.osu.txt"),
    include_str!("../../../../../data/measured/four-gpus.all-gather.nccl-tests.json"),
    include_str!("../../../../../data/measured/four-gpus.all-reduce.nccl-tests.txt"),
    include_str!("../../../../../data/measured/three-gpus.nvbandwidth.txt"),
    include_str!("../../../../../data/measured/two-gpus.nvbandwidth.json"),
    include_str!("../../../../../data/measured/three-hosts.mpigraph.txt"),
    include_str!("../../../../../data/measured/transfers.csv"),
    include_str!("../../../../../data/measured/two-gpus.p2p.txt"),
    include_str!("../../../../../data/measured/two-gpus.transferbench.txt"),
    include_str!("../../../../../data/measured/two-hosts.perftest.json"),
    include_str!("../../../../../data/measured/two-hosts.perftest.txt"),
    "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n# [ pairs: 2 ] [ window size: 64 ]\n# Size    MB/s    Messages/s\n8    8.00    1.00\n",
];

/// Checks what holds for every reading: flows between known devices, values that are not 0, lines of the file.
fn check(text: &str, reading: &Reading) {
    let lines = text.lines().count() as u32;
    for Run { devices, samples, .. } in &reading.runs {
        assert!(!samples.is_empty());
        for sample in samples {
            assert!((1..=lines).contains(&sample.line), "{sample:?} in {lines} lines");
            assert!(!matches!(sample.figure, Figure::BytesPerSecond(0) | Figure::Picoseconds(0)));
            if let Workload::Flows(flows) = &sample.workload {
                let count = devices.len() as u32;
                assert!(
                    flows.iter().all(|flow| flow.from < count && flow.to < count && flow.from != flow.to),
                    "{sample:?}"
                );
                assert!(!flows.is_empty());
            }
        }
    }
    assert!(reading.notes.iter().all(|note| !note.contains(char::is_control)), "{:?}", reading.notes);
}

/// Reads any text: a reading whose laws hold, or an error of one line.
fn read_any(text: &str) {
    for ranks in [None, Some(4), Some(u32::MAX)] {
        match read(text, &ReadOptions { ranks, rate_unit: None }) {
            Ok(reading) => check(text, &reading),
            Err(error) => assert!(!error.to_string().contains(char::is_control), "{error}"),
        }
    }
}

#[test]
fn all_samples_obey_the_laws() {
    for sample in SAMPLES {
        check(sample, &read(sample, &ReadOptions::default()).unwrap());
    }
}

/// A matrix of rates in units of 1/100.
fn matrix() -> impl Strategy<Value = Vec<Vec<u32>>> {
    (2..7usize).prop_flat_map(|n| prop::collection::vec(prop::collection::vec(1..1_000_000u32, n), n))
}

fn flows_and_rates(reading: &Reading) -> Vec<(u32, u32, u64)> {
    let one = |sample: &lockstep_measure::Sample| match (&sample.workload, sample.figure) {
        (Workload::Flows(flows), Figure::BytesPerSecond(rate)) => (flows[0].from, flows[0].to, rate),
        other => panic!("{other:?}"),
    };
    reading.runs[0].samples.iter().map(one).collect()
}

proptest! {
    #[test]
    fn a_written_matrix_is_read_back(matrix in matrix()) {
        let n = matrix.len();
        let mut rows = String::new();
        for (row, values) in matrix.iter().enumerate() {
            write!(rows, "{row:>2}").unwrap();
            for (column, value) in values.iter().enumerate() {
                let entry = if row == column { "N/A".to_owned() } else { format!("{}.{:02}", value / 100, value % 100) };
                write!(rows, " {entry:>9}").unwrap();
            }
            rows.push('\n');
        }
        let head = (0..n).map(|column| format!(" {column:>9}")).collect::<Vec<String>>().concat();
        let expected = |is_read: bool| -> Vec<(u32, u32, u64)> {
            let pairs = (0..n).flat_map(|row| (0..n).map(move |column| (row, column))).filter(|(row, column)| row != column);
            pairs.map(|(row, column)| {
                let rate = u64::from(matrix[row][column]) * 10_000_000;
                if is_read { (column as u32, row as u32, rate) } else { (row as u32, column as u32, rate) }
            }).collect()
        };
        for name in ["read", "write"] {
            let text = format!("Running device_to_device_memcpy_{name}_ce.\nmemcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n  {head}\n{rows}\n");
            let reading = read(&text, &ReadOptions::default()).unwrap();
            prop_assert_eq!(flows_and_rates(&reading), expected(name == "read"));
        }
        let text = format!("Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D {head}\n{}", rows.replace("N/A", "1500.00"));
        let reading = read(&text, &ReadOptions::default()).unwrap();
        prop_assert_eq!(flows_and_rates(&reading), expected(false));
    }

    /// Rates that both units write exactly: multiples of 2^20 * 15625 / 16 bytes per second.
    #[test]
    fn files_in_mb_and_in_mib_give_the_same_runs(rates in prop::collection::vec(1..1_000_000u64, 1..20)) {
        let text = |unit: &str, write: &dyn Fn(u64) -> String| {
            let mut text = format!("RDMA_Write BW Test\n#bytes     #iterations    BW peak[{unit}]    BW average[{unit}]   MsgRate[Mpps]\n");
            for rate in &rates {
                writeln!(text, "65536 5000 0.00 {} 0.1", write(*rate)).unwrap();
            }
            text
        };
        // 2^14 * 10^6 bytes per second are 16384 MB/s and 15625 MiB/s.
        let mib = text("MiB/sec", &|rate| (rate * 15_625).to_string());
        let old = text("MB/sec", &|rate| (rate * 15_625).to_string());
        let mb = text("MB/sec", &|rate| (rate * 16_384).to_string());
        let bits = text("Gb/sec", &|rate| format!("{}.{:03}", rate * 131_072 / 1_000, rate * 131_072 % 1_000));
        let options = ReadOptions { rate_unit: Some(1_000_000), ranks: None };
        let expected = read(&mib, &ReadOptions::default()).unwrap().runs;
        prop_assert_eq!(&read(&old, &ReadOptions::default()).unwrap().runs, &expected);
        prop_assert_eq!(&read(&mb, &options).unwrap().runs, &expected);
        prop_assert_eq!(&read(&bits, &options).unwrap().runs, &expected);
    }

    /// The rows of a table of transfers may be in any order.
    #[test]
    fn the_order_of_rows_of_a_table_makes_no_difference(
        rows in prop::collection::vec((0..5u32, 5..9u32, 1..1_000u64), 1..20).prop_shuffle(),
        pick in any::<prop::sample::Index>(),
    ) {
        let text = |rows: &[(u32, u32, u64)]| {
            let rows: Vec<String> = rows.iter().map(|(from, to, rate)| format!("{from},{to},{rate}\n")).collect();
            format!("from,to,GB/s\n{}", rows.concat())
        };
        let sorted = |rows: &[(u32, u32, u64)]| {
            let mut found = flows_and_rates(&read(&text(rows), &ReadOptions::default()).unwrap());
            found.sort_unstable();
            found
        };
        let mut rotated = rows.clone();
        rotated.rotate_left(pick.index(rows.len()));
        prop_assert_eq!(sorted(&rotated), sorted(&rows));
    }

    #[test]
    fn any_text_is_read_or_refused_in_one_line(text in "(?s).{0,200}") {
        read_any(&text);
    }

    /// Lines of samples in another order, cut, repeated and mixed.
    #[test]
    fn spoiled_samples_are_read_or_refused(
        lines in prop::collection::vec((0..SAMPLES.len(), any::<prop::sample::Index>()), 0..30),
        same in any::<bool>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut text = String::new();
        for (sample, place) in &lines {
            let sample = SAMPLES[if same { lines[0].0 } else { *sample }];
            let lines: Vec<&str> = sample.lines().collect();
            text += lines[place.index(lines.len())];
            text.push('\n');
        }
        let end = (0..=text.len()).filter(|&at| text.is_char_boundary(at)).nth(cut.index(text.chars().count() + 1)).unwrap();
        read_any(&text);
        read_any(&text[..end]);
    }

    /// A sample without one line, with one line twice, cut, or with a control character.
    #[test]
    fn samples_with_one_fault_are_read_or_refused(
        sample in 0..SAMPLES.len(),
        place in any::<prop::sample::Index>(),
        column in any::<prop::sample::Index>(),
        fault in 0..5u8,
    ) {
        let mut lines: Vec<String> = SAMPLES[sample].lines().map(str::to_owned).collect();
        let at = place.index(lines.len());
        let column = column.index(lines[at].len() + 1);
        match fault {
            0 => _ = lines.remove(at),
            1 => lines.insert(at, lines[at].clone()),
            2 => lines.truncate(at),
            3 => lines[at].truncate(column),
            _ => lines[at].insert(column, '\u{1b}'),
        }
        read_any(&lines.join("\n"));
    }
}
