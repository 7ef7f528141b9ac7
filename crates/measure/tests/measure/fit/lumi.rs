//! Constants of all-reduces on LUMI, fitted to two algorithms at 16 nodes, and predictions for all others.
//!
//! Data: PICO (HLC-Lab/pico, MIT licence), Cray MPICH 8.1.29, one rank per node, medians in microseconds; sizes are numbers of int32.

use std::fmt::Write as _;
use std::time::Duration;

use expect_test::expect;
use lockstep_measure::{TimeModel, Work};

type Sweep = (&'static str, &'static [(u64, f64)]);

/// 16 nodes, 2025-03-16.
const LUMI_16: [Sweep; 5] = [
    (
        "ring",
        &[
            (64, 92.0),
            (512, 97.1),
            (2048, 136.7),
            (16384, 159.2),
            (131_072, 492.6),
            (1_048_576, 2616.2),
            (8_388_608, 16400.4),
            (67_108_864, 118_232.1),
        ],
    ),
    (
        "recursive-doubling",
        &[
            (8, 12.7),
            (64, 17.9),
            (512, 22.5),
            (2048, 27.7),
            (16384, 120.6),
            (131_072, 829.0),
            (1_048_576, 6423.0),
            (8_388_608, 47355.7),
            (67_108_864, 471_291.1),
        ],
    ),
    (
        "rabenseifner",
        &[
            (64, 25.6),
            (512, 33.6),
            (2048, 58.5),
            (16384, 69.0),
            (131_072, 355.1),
            (1_048_576, 2560.6),
            (8_388_608, 15212.3),
            (67_108_864, 129_444.1),
        ],
    ),
    (
        "bine-bandwidth",
        &[
            (64, 26.7),
            (512, 35.2),
            (2048, 41.0),
            (16384, 72.7),
            (131_072, 347.3),
            (1_048_576, 2494.5),
            (8_388_608, 14802.1),
            (67_108_864, 127_477.3),
        ],
    ),
    (
        "bine-latency",
        &[
            (8, 13.5),
            (64, 18.7),
            (512, 23.4),
            (2048, 30.0),
            (16384, 117.8),
            (131_072, 797.7),
            (1_048_576, 6189.0),
            (8_388_608, 45174.4),
            (67_108_864, 469_131.1),
        ],
    ),
];

/// 32 nodes, 2025-03-16.
const LUMI_32: [Sweep; 5] = [
    (
        "ring",
        &[
            (64, 188.6),
            (512, 190.0),
            (2048, 277.0),
            (16384, 303.8),
            (131_072, 509.6),
            (1_048_576, 2899.5),
            (8_388_608, 17371.1),
            (67_108_864, 128_061.0),
        ],
    ),
    (
        "recursive-doubling",
        &[
            (8, 16.1),
            (64, 22.6),
            (512, 27.2),
            (2048, 35.1),
            (16384, 149.6),
            (131_072, 1012.7),
            (1_048_576, 7813.5),
            (8_388_608, 57813.4),
            (67_108_864, 570_467.9),
        ],
    ),
    (
        "rabenseifner",
        &[
            (64, 32.3),
            (512, 40.1),
            (2048, 67.2),
            (16384, 81.2),
            (131_072, 375.0),
            (1_048_576, 2629.3),
            (8_388_608, 15865.0),
            (67_108_864, 133_093.4),
        ],
    ),
    (
        "bine-bandwidth",
        &[
            (64, 33.5),
            (512, 41.5),
            (2048, 50.2),
            (16384, 84.0),
            (131_072, 367.0),
            (1_048_576, 2541.7),
            (8_388_608, 15389.2),
            (67_108_864, 130_420.6),
        ],
    ),
    (
        "bine-latency",
        &[
            (8, 16.8),
            (64, 23.4),
            (512, 28.2),
            (2048, 37.0),
            (16384, 147.7),
            (131_072, 972.4),
            (1_048_576, 7492.9),
            (8_388_608, 55800.4),
            (67_108_864, 553_899.2),
        ],
    ),
];

fn rows(sweeps: &[Sweep], ranks: u32, algorithms: &[&str], largest: u64) -> Vec<(Work, u64)> {
    let of = |&(algorithm, times): &Sweep| {
        let small = times.iter().filter(move |(count, _)| *count <= largest);
        small.map(move |&(count, time)| {
            (
                Work::of_all_reduce(algorithm, ranks, 4 * count).expect("a known algorithm"),
                Duration::from_secs_f64(time / 1e6).as_nanos() as u64 * 1000,
            )
        })
    };
    sweeps.iter().filter(|(algorithm, _)| algorithms.contains(algorithm)).flat_map(of).collect()
}

fn fitted(algorithms: &[&str], largest: u64) -> TimeModel {
    TimeModel::fit(&rows(&LUMI_16, 16, algorithms, largest)).expect("rows")
}

#[test]
fn two_algorithms_at_16_nodes_predict_all_others_and_32_nodes() {
    let training = ["ring", "recursive-doubling"];
    let model = fitted(&training, u64::MAX);
    assert!(model.is_identified());
    let gigabytes = |byte_ps: f64| 1e3 / byte_ps;
    let mut text = format!(
        "step {:.2} us, {:.1} GB/s, reduction {:.2} GB/s\n",
        model.step.value / 1e6,
        gigabytes(model.byte.value),
        gigabytes(model.reduced_byte.value)
    );
    let mut errors = Vec::new();
    for (ranks, sweeps) in [(16, LUMI_16), (32, LUMI_32)] {
        for (algorithm, times) in sweeps {
            if ranks == 16 && training.contains(&algorithm) {
                continue;
            }
            let mut line = format!("{ranks} {algorithm}:");
            for &(count, time) in times {
                let work = Work::of_all_reduce(algorithm, ranks, 4 * count).expect("a known algorithm");
                let ratio = model.time_ps(work) / (time * 1e6);
                errors.push(ratio.ln().abs());
                write!(line, " {ratio:.2}").expect("writing to a string never fails");
            }
            text.extend([line, "\n".to_owned()]);
        }
    }
    errors.sort_unstable_by(f64::total_cmp);
    let part = |percent: usize| errors[(errors.len() - 1) * percent / 100];
    let summary = [part(50), part(90), part(100)].map(|part| format!("{part:.2}"));
    let [median, most, worst] = summary;
    text.extend([format!("{} cases: median {median}, 90 % {most}, worst {worst}", errors.len())]);
    expect![[r"
        step 3.80 us, 5.9 GB/s, reduction 4.48 GB/s
        16 rabenseifner: 1.19 0.94 0.59 0.94 0.87 0.88 1.17 1.10
        16 bine-bandwidth: 1.14 0.89 0.85 0.90 0.89 0.90 1.20 1.11
        16 bine-latency: 1.13 0.83 0.79 0.94 1.01 1.05 1.07 1.17 0.90
        32 ring: 1.25 1.25 0.87 0.89 1.02 0.87 1.07 1.15
        32 recursive-doubling: 1.18 0.86 0.85 1.00 0.99 1.04 1.06 1.14 0.93
        32 rabenseifner: 1.18 0.97 0.63 0.91 0.87 0.89 1.16 1.10
        32 bine-bandwidth: 1.14 0.94 0.85 0.88 0.88 0.92 1.20 1.13
        32 bine-latency: 1.13 0.83 0.82 0.95 1.00 1.08 1.10 1.18 0.95
        67 cases: median 0.12, 90 % 0.18, worst 0.52"]]
    .assert_eq(&text);
}

#[test]
fn constants_that_cannot_be_separated_are_not_identified() {
    // A ring always reduces half of the bytes that it sends.
    let ring = fitted(&["ring"], u64::MAX);
    assert!(ring.step.is_identified && !ring.byte.is_identified && !ring.reduced_byte.is_identified);
    // Small messages show no bandwidth.
    let small = fitted(&["ring", "recursive-doubling"], 512);
    assert!(small.step.is_identified && !small.byte.is_identified);
}
