//! Tests of written files.

use std::fs;

use crate::{names, refusal_of, run, stdout_of};

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

#[test]
fn the_extension_of_a_plan_decides_its_format() {
    let directory = tempfile::tempdir().unwrap();
    let starts =
        [("json", "{\n"), ("lsb", "lockplan"), ("svg", "<svg "), ("html", "<!"), ("txt", "network "), ("", "{\n")];
    let written = |command: &str, extension: &str| {
        let name = if extension.is_empty() { "plan".to_owned() } else { format!("plan.{extension}") };
        stdout_of(directory.path(), &format!("{command} -o {name}"), b"");
        fs::read(directory.path().join(name)).unwrap()
    };
    stdout_of(directory.path(), "faults ring:4 -c aab --links --book book.lsb", b"");
    for (extension, start) in starts {
        for command in ["plan ring:4 -c aab", "faults lookup book.lsb --fail-link 0-1"] {
            let bytes = written(command, extension);
            assert!(bytes.starts_with(start.as_bytes()), "{command}: {extension}");
        }
    }
    let text = String::from_utf8(written("plan torus:6x6 -c aas", "txt")).unwrap();
    assert!(text.lines().any(|line| line.trim_start().starts_with("step  transfers")), "all transfers are listed");
}

/// The range is that of these plans, neither wider nor narrower.
#[test]
fn the_help_states_the_measured_size_of_binary_plans() {
    let directory = tempfile::tempdir().unwrap();
    let help = String::from_utf8(stdout_of(directory.path(), "plan --help", b"")).unwrap();
    let stated = help.split_once("Binary with a checksum: ").unwrap().1.split_once(" times smaller").unwrap().0;
    let (least, most) = stated.split_once(" to ").unwrap();
    let [least, most] = [least, most].map(|number| number.parse::<f64>().unwrap());
    let plans = ["mesh:4x4 -c aas", "torus:8x8 -c aab", "omega:64 -c aab", "hypercube:6 -c aas"];
    let ratios = plans.map(|plan| {
        let size =
            |format: &str| stdout_of(directory.path(), &format!("plan {plan} -o - --format {format}"), b"").len();
        size("json") as f64 / size("binary") as f64
    });
    assert!(ratios.iter().all(|ratio| (least..most).contains(ratio)), "{ratios:?}");
    let ends = [least..least + 1.0, most - 1.0..most];
    assert!(ends.iter().all(|end| ratios.iter().any(|ratio| end.contains(ratio))), "{ratios:?}");
}

#[test]
fn an_unknown_extension_is_refused_before_the_search() {
    let directory = tempfile::tempdir().unwrap();
    for command in ["plan torus:64x64 -c aas", "plan hypercube:20 -c aab --symmetric", "faults lookup none.lsb"] {
        let output = run(directory.path(), &format!("{command} -o plan.xml"), b"");
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(
            message.contains("plan.xml: unknown extension; use .json, .lsb, .bin, .svg, .html, .pdf or .txt"),
            "{message}"
        );
    }
    let output = run(directory.path(), "plan ring:4 -c aab -o plan.xml --format json", b"");
    assert_eq!(output.status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn written_files_have_ordinary_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::write(path("plain"), "").unwrap();
    stdout_of(directory.path(), "plan ring:4 -c aab -o s.json", b"");
    let mode = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode();
    assert_eq!(mode("s.json"), mode("plain"));
    for arguments in ["plan ring:4 -c aab", "faults ring:4 -c aab --links"] {
        fs::set_permissions(path("s.json"), fs::Permissions::from_mode(0o600)).unwrap();
        stdout_of(directory.path(), &format!("{arguments} -o s.json"), b"");
        assert_eq!(mode("s.json") & 0o777, 0o600, "{arguments}");
    }
}

#[test]
fn a_destination_that_cannot_be_written_is_refused_before_the_work() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("folder")).unwrap();
    // This search takes minutes.
    for destination in ["no/such/folder/s.json", "folder", "folder/"] {
        let arguments = format!("plan omega:64 -c aas --engine umda --budget unlimited -o {destination}");
        let message = refusal_of(directory.path(), &arguments);
        assert!(message.starts_with(&format!("error: {destination}: cannot write the file: ")), "{message}");
    }
    assert_eq!(names(directory.path()), ["folder"]);
}

#[cfg(unix)]
#[test]
fn a_file_above_the_limit_of_the_system_is_an_error_and_no_signal() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("s.json"), "old").unwrap();
    let limited = format!("ulimit -f 1; exec {} plan mesh:4x4 -c aas -o s.json", env!("CARGO_BIN_EXE_lockstep"));
    let output =
        std::process::Command::new("sh").args(["-c", &limited]).current_dir(directory.path()).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("error: s.json: cannot write the file: ") && message.lines().count() == 1, "{message}");
    assert!(output.stdout.starts_with(b"{\n"));
    assert_eq!(
        (fs::read(directory.path().join("s.json")).unwrap(), names(directory.path()).len()),
        (b"old".to_vec(), 1)
    );
}

#[test]
fn hostile_names_are_escaped() {
    let directory = tempfile::tempdir().unwrap();
    let hostile = "x\u{202e}\u{2066}\u{200f}\u{9b}31m\u{7f}";
    let name = serde_json::to_string(hostile).unwrap();
    let network = format!(
        "{{\"directed\": false, \"multigraph\": false, \"graph\": {{}}, \"nodes\": [{{\"id\": {name}}}, {{\"id\": \"=1+1\"}}], \
         \"links\": [{{\"source\": {name}, \"target\": \"=1+1\"}}]}}"
    );
    fs::write(directory.path().join("n.json"), network).unwrap();
    for arguments in [
        "topology n.json --format json",
        "topology n.json --format node-link",
        "plan n.json -c aab",
        "plan n.json -c aab --json",
        "bound n.json -c aab",
        "bound n.json -c aab --json",
        "plan n.json -c oab --root missing",
        "faults n.json -c aab --nodes",
        "faults n.json -c aab --links --json",
        "simulate n.json --flows 2",
    ] {
        let output = run(directory.path(), arguments, b"");
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let is_shown =
            |c: char| c == '\n' || !(c.is_control() || hostile.chars().skip(1).take(3).any(|hidden| hidden == c));
        assert!(text.len() > 1 && text.chars().all(is_shown), "lockstep {arguments}: {text:?}");
    }
    let table = stdout_of(directory.path(), "faults n.json -c oab --root 0 --nodes --format csv", b"");
    assert!(String::from_utf8(table).unwrap().contains("\n'=1+1,"));
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
