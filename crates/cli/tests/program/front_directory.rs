//! The directory of `lockstep front -o`.

use std::fs;
use std::path::Path;

use crate::{names, refusal_of, run, stdout_of};

const FRONT: &str = "front dgx-1 -c all-gather --switching sf --max-chunks 6 -o front";

/// Returns the plans in the directory of a front.
fn plans(folder: &Path) -> Vec<String> {
    let is_plan = |name: &String| Path::new(name).extension().is_some_and(|extension| extension == "json");
    names(folder).into_iter().filter(|name| is_plan(name) && name != "sizes.json").collect()
}

#[test]
fn a_new_front_replaces_the_older_one() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("front");
    stdout_of(directory.path(), &format!("{FRONT} --sizes 1KiB..1GiB"), b"");
    assert!(plans(&folder).len() > 1, "{:?}", plans(&folder));
    // A killed run leaves a temporary file. Systems leave hidden files.
    fs::write(folder.join("sizes.json.lockstep-tmp"), "").unwrap();
    fs::write(folder.join(".hidden"), "").unwrap();
    stdout_of(directory.path(), &format!("{FRONT} --sizes 1KiB..1KiB --plot front/front.svg"), b"");
    assert_eq!(names(&folder), [".hidden", "front.svg", "index.html", "plan-1.html", "plan-1.json", "sizes.json"]);
    stdout_of(directory.path(), &format!("{FRONT} --sizes 1KiB..1KiB --plot front/front.svg"), b"");
}

#[test]
fn a_directory_with_other_files_is_refused_before_the_search() {
    let others = [
        ("notes.txt", ""),
        ("plan-1.json", "a plan of the user"),
        ("sizes.json", "[1, 2]"),
        ("sizes.json", r#"[{"from_bytes": 1, "to_bytes": 2, "file": "notes.txt"}]"#),
        ("sizes.json", "[]"),
    ];
    for (name, contents) in others {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("front");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(name), contents).unwrap();
        let message = refusal_of(directory.path(), FRONT);
        let expected =
            format!("error: front: the directory contains '{name}', which is not of a front; give another directory\n");
        assert_eq!(message, expected);
        assert_eq!(
            (names(&folder), fs::read_to_string(folder.join(name)).unwrap()),
            (vec![name.to_owned()], contents.to_owned())
        );
    }
}

#[test]
fn a_file_of_another_kind_beside_a_front_stays() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("front");
    stdout_of(directory.path(), &format!("{FRONT} --sizes 1KiB..1KiB"), b"");
    fs::write(folder.join("plan-2.json"), "a plan of the user").unwrap();
    let output = run(directory.path(), FRONT, b"");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(folder.join("plan-2.json")).unwrap(), "a plan of the user");
}
