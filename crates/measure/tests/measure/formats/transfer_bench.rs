//! `TransferBench p2p`.

use expect_test::expect;

use super::{describe, error_of, read_text};

const SAMPLE: &str = include_str!("../../../../../data/measured/two-gpus.transferbench.txt");

#[test]
fn the_sample_is_read() {
    expect![[r"
        TransferBench: unidirectional p2p, Kernel, 2 devices, ranks Some(2)
          8: 0->1 67108864 B: 46000000000 B/s
          9: 1->0 67108864 B: 48500000000 B/s
        TransferBench: bidirectional p2p, Kernel, 2 devices, ranks Some(2)
          19: 0->1 1->0 67108864 B: 45000000000 B/s
          23: 1->0 0->1 67108864 B: 44500000000 B/s
        note: left out: transfers from and to CPUs; only bandwidths between GPUs are read
    "]]
    .assert_eq(&describe(&read_text(SAMPLE)));
}

#[test]
fn commas_change_nothing() {
    let with_commas: String = SAMPLE
        .lines()
        .map(|line| {
            let is_row = ["SRC", "CPU 0", "GPU 0"].iter().any(|begin| line.trim_start().starts_with(begin));
            let parts: Vec<&str> = line.split("  ").map(str::trim).filter(|part| !part.is_empty()).collect();
            if is_row { parts.join(",") + ",\n" } else { format!("{line}\n") }
        })
        .collect();
    let with_commas = with_commas.replace("Bytes Per Direction 67108864", "Bytes Per Direction,67108864");
    assert_eq!(read_text(&with_commas), read_text(SAMPLE));
}

#[test]
fn iterations_give_the_spread() {
    let row = "  GPU 00  ->     55.23      1689.85     46.00\n";
    let more = format!(
        "{row}  GPU 00 min     50.00      1600.00     45.00\n  GPU 00 max     56.00      1700.00     47.00\n  GPU 00  sd      1.00        10.00      0.10\n"
    );
    let reading = read_text(&SAMPLE.replace(row, &more).replace("GFX", "DMA"));
    assert_eq!(reading.runs[0].samples[0].spread, Some([45_000_000_000, 47_000_000_000]));
    assert_eq!(reading.runs[0].kind, lockstep_measure::TransferKind::Copy);
}

#[test]
fn cut_outputs_and_other_presets_are_refused() {
    let cut = &SAMPLE[..SAMPLE.find("  GPU 01  ->").unwrap()];
    expect![
        "line 4: the table has no row of GPU 01; the output is cut off: copy all of it, or run the benchmark again"
    ]
    .assert_eq(&error_of(cut));
    expect![
        "line 8: the row has 2 values, expected 3; the output is cut off: copy all of it, or run the benchmark again"
    ]
    .assert_eq(&error_of(&SAMPLE.replace("1689.85     46.00", "1689.85")));
    expect!["line 1: found nothing, expected the tables of 'TransferBench p2p', or tests with lines such as 'Transfer 00 | 33.5 GB/s | …', which HIDE_ENV=1 hides"]
        .assert_eq(&error_of("TransferBench v1.52.00\nGPU 00  51.1  N/A\n"));
    expect!["line 5: found 'GPU 01', expected columns such as 'CPU 00' and 'GPU 00', from 00 on"]
        .assert_eq(&error_of(&SAMPLE.replace("GPU 00    GPU 01", "GPU 01    GPU 00")));
    let extra = format!("{SAMPLE}  GPU 02  ->     55.24        48.50   1672.91\n");
    assert!(error_of(&extra).contains("'02'"), "{}", error_of(&extra));
}
