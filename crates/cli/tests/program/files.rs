//! Tests of written files.

use std::fs;

use crate::{run, stdout_of};

#[test]
fn the_same_seed_writes_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    for format in ["json", "lsb"] {
        let write = |name: &str| {
            stdout_of(directory.path(), &format!("plan mesh:3x3 -c aas --seed 4 -o {name}.{format} --quiet"), b"");
            fs::read(directory.path().join(format!("{name}.{format}"))).unwrap()
        };
        assert_eq!(write("a"), write("b"));
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 4, "no checkpoint is left behind");
}

#[test]
fn an_output_file_has_the_documented_form() {
    let directory = tempfile::tempdir().unwrap();
    stdout_of(directory.path(), "plan omega:8 -c aab -o s.json", b"");
    let text = fs::read_to_string(directory.path().join("s.json")).unwrap();
    let plan: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&plan["format"], &plan["verdict"]), (&"lockstep-plan".into(), &"optimal".into()));
    assert_eq!(plan["schedule"]["topology"]["name"], "omega:8");
    assert_eq!(plan.get("seconds"), None);
    stdout_of(directory.path(), "plan omega:8 -c aab -o s.json --timing", b"");
    let text = fs::read_to_string(directory.path().join("s.json")).unwrap();
    assert!(text.contains("\"seconds\": "));
}

#[cfg(unix)]
#[test]
fn written_files_have_ordinary_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("plain"), "").unwrap();
    stdout_of(directory.path(), "plan ring:4 -c aab -o s.json", b"");
    let mode = |name: &str| fs::metadata(directory.path().join(name)).unwrap().permissions().mode();
    assert_eq!(mode("s.json"), mode("plain"));
}

#[cfg(unix)]
#[test]
fn a_device_is_written_in_place() {
    let directory = tempfile::tempdir().unwrap();
    let output = run(directory.path(), "plan ring:4 -c aab -o /dev/null", b"");
    assert_eq!(output.status.code(), Some(0));
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn every_graph_format_is_written_and_read_again() {
    let directory = tempfile::tempdir().unwrap();
    for extension in ["json", "edges", "dot", "graphml"] {
        stdout_of(directory.path(), &format!("topology fat-tree:2,3 -o n.{extension}"), b"");
        let bounds = stdout_of(directory.path(), &format!("bound n.{extension} -c aas --json"), b"");
        assert_eq!(bounds, stdout_of(directory.path(), "bound fat-tree:2,3 -c aas --json", b""), "{extension}");
    }
    stdout_of(directory.path(), "topology fat-tree:2,3 -o n.svg", b"");
    assert!(fs::read(directory.path().join("n.svg")).unwrap().starts_with(b"<svg "));
}
