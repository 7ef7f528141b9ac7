//! The small tables of the papers are reproduced: every figure is the committed one.

use std::process::Command;

fn reproduce(paper: &str) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_lockstep-documents"));
    let output = program.args(["reproduce-paper", paper, "--quick"]).output().expect("the program starts");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success(), "{paper}: {}\n{text}", output.status);
}

#[test]
fn min() {
    reproduce("min");
}

#[test]
fn hypercube() {
    reproduce("hypercube");
}

#[test]
fn fault() {
    reproduce("fault");
}

#[test]
fn hgsa() {
    reproduce("hgsa");
}
