//! Tests of `lockstep design`.

use std::fs;

use crate::{lockstep, stdout_of};

#[test]
fn the_number_of_threads_does_not_change_the_front() {
    let directory = tempfile::tempdir().unwrap();
    for arguments in [
        "--routers 4 --chassis 8 --generations 20 --json",
        "--routers 4 --chassis 4 --cabinets 3 --pext 0.5 --generations 5 --algorithm sms-emoa --elites re-evaluate --json",
        "--routers 4 --chassis 8 --generations 10 --algorithm nsga3 --objectives bisection,distance,links,cable-length --json",
        "--routers 4 --chassis 10 --exhaustive 4 --objectives bisection,paths,spectral-gap --json",
        "--order 30 --degree 4 --rounds 3 --format edges",
    ] {
        let [one, two] = ["1", "2"].map(|threads| {
            let mut command = lockstep(directory.path());
            command.arg("design").args(arguments.split_whitespace()).env("RAYON_NUM_THREADS", threads);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
            output.stdout
        });
        assert!(one == two, "{arguments}");
    }
}

#[test]
fn a_front_is_piped_into_a_plan() {
    let directory = tempfile::tempdir().unwrap();
    let front = stdout_of(directory.path(), "design --routers 2 --chassis 5 --population 10 --generations 4 -o -", b"");
    let network = stdout_of(directory.path(), "design pick - --number 1 --format json", &front);
    let plan = stdout_of(directory.path(), "plan - -c aas --json", &network);
    let verdict = String::from_utf8(stdout_of(directory.path(), "verify -", &plan)).unwrap();
    assert!(verdict.starts_with("valid "), "{verdict}");
}

#[test]
fn a_plot_has_every_design_and_few_colours() {
    let directory = tempfile::tempdir().unwrap();
    for (objectives, most) in [("bisection,paths", 1), ("bisection,paths,links", 4), ("links,paths,distance", 10)] {
        let arguments = format!("design --routers 4 --chassis 8 --objectives {objectives} --json --plot front.svg");
        let front: serde_json::Value = serde_json::from_slice(&stdout_of(directory.path(), &arguments, b"")).unwrap();
        let picture = fs::read_to_string(directory.path().join("front.svg")).unwrap();
        assert_eq!(picture.matches("class=\"point\"").count(), front["designs"].as_array().unwrap().len());
        let series = picture.matches("class=\"series\"").count();
        assert!((1..=most).contains(&series), "{objectives}: {series} series");
    }
}
