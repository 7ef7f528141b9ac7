//! No command writes a file that is also its input or another output.

use std::fs;
use std::path::Path;

use crate::{names, refusal_of, run, stdout_of};

/// Writes a network `n.json`, a plan `p.json`, a front `f.json`, programs `t.json`, messages `m.jsonl` and a book `b.lsb`.
fn inputs(directory: &Path) {
    for arguments in [
        "topology ring:4 -o n.json",
        "plan n.json -c aab -o p.json --quiet",
        "design --routers 2 --chassis 4 --population 4 --generations 1 -o f.json --quiet",
        "simulate ring:4 --flows 2 --write-programs t.json",
        "faults n.json -c aab --links --book b.lsb",
    ] {
        stdout_of(directory, arguments, b"");
    }
    fs::write(directory.join("m.jsonl"), "{\"source\": \"0\", \"receivers\": [\"2\"]}\n").unwrap();
}

fn contents(directory: &Path) -> Vec<(String, Vec<u8>)> {
    names(directory).into_iter().map(|name| (name.clone(), fs::read(directory.join(name)).unwrap())).collect()
}

/// Commands that would write a file twice, or over an input.
const CLASHES: [&str; 22] = [
    "plan n.json -c aab -o n.json",
    "plan n.json -c aab -o ./n.json",
    "plan n.json --messages m.jsonl -o m.jsonl",
    "plan ring:4 -c aab --engine umda --checkpoint new -o new",
    "plan n.json -c aab --engine umda --checkpoint n.json -o new",
    "plan ring:4 -c aab --engine umda --checkpoint new -o ./new",
    "topology n.json -o n.json",
    "render p.json -o p.json --format svg",
    "simulate --schedule p.json --write-programs p.json",
    "simulate n.json --write-programs n.json",
    "simulate n.json --programs t.json --write-programs t.json",
    "faults n.json -c aab --links -o n.json",
    "faults n.json -c aab --links --book n.json",
    "faults n.json -c aab --links --book new -o new",
    "faults n.json -c aab --links --book b.lsb -o b.lsb",
    "faults n.json -c aab --links --checkpoint new -o new",
    "faults lookup b.lsb --fail-link 0-1 -o b.lsb",
    "design --routers 2 --chassis 4 -o new --plot new",
    "design --routers 2 --chassis 4 -o new --plot plot --checkpoint plot",
    "design --routers 2 --chassis 4 -o - --plot -",
    "design pick f.json --number 1 -o f.json --format json",
    "plan - --messages - -o new",
];

#[test]
fn a_file_given_twice_is_refused_before_any_work() {
    let directory = tempfile::tempdir().unwrap();
    inputs(directory.path());
    let before = contents(directory.path());
    for arguments in CLASHES {
        let message = refusal_of(directory.path(), arguments);
        assert!(message.ends_with("are the same file; give two files\n"), "lockstep {arguments}: {message}");
        assert!(contents(directory.path()) == before, "lockstep {arguments}");
    }
}

#[cfg(unix)]
#[test]
fn links_to_one_file_are_the_same_file() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    inputs(directory.path());
    let path = |name: &str| directory.path().join(name);
    fs::hard_link(path("n.json"), path("hard.json")).unwrap();
    symlink("n.json", path("soft.json")).unwrap();
    symlink("new.json", path("dangling.svg")).unwrap();
    let before = contents_of_files(directory.path());
    for arguments in [
        "topology n.json -o hard.json",
        "topology soft.json -o hard.json",
        "plan hard.json -c aab -o soft.json",
        "design --routers 2 --chassis 4 -o new.json --plot dangling.svg",
    ] {
        let message = refusal_of(directory.path(), arguments);
        assert!(message.ends_with("are the same file; give two files\n"), "lockstep {arguments}: {message}");
        assert!(contents_of_files(directory.path()) == before, "lockstep {arguments}");
    }
}

/// Returns the contents without dangling links.
fn contents_of_files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |name: String| fs::read(directory.join(&name)).ok().map(|bytes| (name, bytes));
    names(directory).into_iter().filter_map(read).collect()
}

#[cfg(unix)]
#[test]
fn redirected_standard_streams_are_files_too() {
    use std::fs::File;
    use std::process::{Command, Stdio};

    let directory = tempfile::tempdir().unwrap();
    inputs(directory.path());
    let path = |name: &str| directory.path().join(name);
    let before = fs::read(path("n.json")).unwrap();
    let start = |arguments: &str, stdin: Stdio, stdout: Stdio| {
        let mut command: Command = crate::lockstep(directory.path());
        command.args(arguments.split_whitespace()).stdin(stdin).stdout(stdout).output().unwrap()
    };
    let open = |name: &str| Stdio::from(File::open(path(name)).unwrap());
    let append = |name: &str| Stdio::from(File::options().append(true).create(true).open(path(name)).unwrap());

    let over_input = start("topology - -o n.json", open("n.json"), Stdio::piped());
    assert_eq!(over_input.status.code(), Some(2));
    let behind_input = start("topology n.json --format json", Stdio::null(), append("n.json"));
    assert_eq!(behind_input.status.code(), Some(2));
    assert_eq!(fs::read(path("n.json")).unwrap(), before);

    // The file of standard output is standard output.
    for name in ["new.json", "/dev/stdout"] {
        fs::write(path("new.json"), "").unwrap();
        let through = start(&format!("topology n.json --format json -o {name}"), Stdio::null(), append("new.json"));
        assert!(through.status.success(), "{}", String::from_utf8_lossy(&through.stderr));
        assert_eq!(fs::read(path("new.json")).unwrap(), before);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_behind_standard_output_carries_data_alone() {
    let directory = tempfile::tempdir().unwrap();
    let plan = run(directory.path(), "plan ring:4 -c aab -o /dev/stdout", b"");
    assert!(plan.status.success(), "{}", String::from_utf8_lossy(&plan.stderr));
    let verdict = stdout_of(directory.path(), "verify -", &plan.stdout);
    assert!(verdict.starts_with(b"valid "));
}
