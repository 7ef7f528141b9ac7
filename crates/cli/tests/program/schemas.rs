//! `lockstep schema`: all samples in the repository, and fresh outputs of every format, are valid.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::json_schema::check;
use super::{run, stdout_of};

/// Folders with samples, and with folders of samples.
const FOLDERS: [&str; 3] = ["tests/cmd", "../../docs/guide/src", "../../data"];

/// Samples that the program refuses to read.
const REFUSED: [&str; 2] = ["bad-files.in", "version.json"];

/// The formats of files, by their field `format`.
const FILES: [(&str, &str); 7] = [
    ("lockstep-plan", "plan"),
    ("lockstep-schedule", "schedule"),
    ("lockstep-symmetric-schedule", "symmetric-schedule"),
    ("lockstep-rings", "ring-set"),
    ("lockstep-topology", "network"),
    ("lockstep-programs", "programs"),
    ("lockstep-front", "design-front"),
];

/// Commands that write files for other commands.
const PREPARATIONS: [&str; 8] = [
    "rings dgx-1 -o rings.json",
    "rings dgx-1 -o rings.xml",
    "plan dgx-a100:2 -c all-gather -o plan.json",
    "plan hypercube:5 -c all-to-all --symmetric -o symmetric.json",
    "topology torus:4x4 --half-duplex --fail-link 00-01 -o network.json",
    "export plan.json --to msccl-xml -o plan.xml",
    "design --routers 2 --chassis 6 --exhaustive 4 -o front.json",
    "front cluster:nodes=2,gpus=2,nvlink=300GB/s,rails=2,nic=50GB/s,nic-latency=1us -c all-gather --budget 1s -o front",
];

/// Commands and the formats of their outputs. Those of the last two print one value per line.
const OUTPUTS: [(&str, &str); 46] = [
    ("plan", "plan ring:4 -c reduce --group 0-1 --group 2-3 --root 0 --root 2 --timing --json"),
    ("plan", "plan dgx-a100:2 -c all-gather --fail-node g1_7 --half-duplex --json"),
    ("plan", "plan torus:4x4 -c all-to-all --ports 1 --json"),
    ("plan", "plan ring:4 -c all-reduce --chunks 2 --json"),
    ("plan", "plan full-b-tree:15 -c broadcast --switching sf --json"),
    ("plan-times", "plan dgx-a100:2 -c all-gather --size 1KiB..1MiB --json"),
    ("local-program", "plan hypercube:10 -c all-to-all --local --node 0 --json"),
    ("bound", "bound mesh:4x4 -c all-to-all --json"),
    ("bound", "bound star:5 -c all-reduce --json"),
    ("bound", "bound b-tree:16 -c broadcast --switching sf --ports 1 --json"),
    ("bound-times", "bound dgx-a100:2 -c all-gather --size 64MiB --json"),
    ("fit", "fit ring:3 pairs.csv --json"),
    ("tune", "tune ring:4 --library open-mpi --unit 25GB/s --json"),
    (
        "tune",
        concat!(
            "tune ring:8 --library mpich -c ar --unit 25GB/s --json --against ",
            env!("CARGO_MANIFEST_DIR"),
            "/tests/cmd/tune.in/pico"
        ),
    ),
    ("expect", "expect dgx-1 -c all-reduce --size 1MiB,1GiB --library nccl --json"),
    ("expect", "expect four.edges -c all-reduce --library nccl --against good.txt --check 90% --json"),
    ("front", "front ring:4 -c all-gather --unit 25GB/s --budget 5s --algorithms --json"),
    ("verify", "verify plan.json --json"),
    ("verify", "verify plan.json --size 1GB --json"),
    ("verify", "verify symmetric.json --json"),
    ("verify", "verify wrong.json --all --json"),
    ("ring-set", "rings dgx-1 -o -"),
    ("rings", "rings dgx-1 --json"),
    ("rings", "rings mesh:3x3 --json"),
    ("verify", "verify rings.json --json"),
    ("judge", "judge rings.xml --network dgx-1 --json"),
    (
        "judge",
        concat!(
            "judge ",
            env!("CARGO_MANIFEST_DIR"),
            "/tests/cmd/judge-tables.in/rules.txt --network torus:2x4 --unit 10GB/s --json"
        ),
    ),
    ("time", "time plan.json --json"),
    ("judge", "judge plan.xml --json"),
    ("judge", "judge plan.xml --network dgx-a100:2 --size 1MiB,1GiB --json"),
    ("simulate", "simulate torus:4x4 --workload all-to-all --json"),
    ("simulate", "simulate --schedule plan.json --size 1MB --json --all"),
    ("topology", "topology torus:4x4 --json --metrics bisection,paths,throughput"),
    ("topology", "topology network.json --json"),
    ("topology-list", "topology --list --json"),
    ("design-list", "design --list --json"),
    ("design-pick", "design pick front.json --number 1 --json"),
    ("order-degree", "design --order 8 --degree 3 --rounds 1 --json"),
    ("all-gather-designs", "design --order 16 --degree 4 --for all-gather --json"),
    ("doctor", "doctor --json"),
    ("symmetric-schedule", "plan torus:5x5 -c all-gather --symmetric --json"),
    ("schedule", "judge plan.xml -o -"),
    ("network", "topology kautz:2,2 --format json -o -"),
    ("programs", "simulate torus:4x4 --workload all-to-all --write-programs -"),
    ("faults", "faults ring:5 -c all-gather --links --classes --json"),
    ("run", "run plan.xml --json"),
];

fn schema(format: &str) -> Value {
    let schema: Value = serde_json::from_slice(&stdout_of(Path::new("."), &format!("schema {format}"), b"")).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    schema
}

#[track_caller]
fn assert_valid(schema: &Value, value: &Value, what: &str) {
    assert_eq!(check(schema, value), Ok(()), "{what}");
}

/// Adds the JSON files of a folder and of the folders in it.
fn samples(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            samples(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
}

/// Returns the names of all formats, as `lockstep schema` lists them.
fn listed() -> BTreeSet<String> {
    let list = String::from_utf8(stdout_of(Path::new("."), "schema", b"")).unwrap();
    list.lines().skip(1).filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn all_samples_are_valid_and_files_that_the_program_refuses_are_not() {
    let mut paths = Vec::new();
    for folder in FOLDERS {
        samples(Path::new(folder), &mut paths);
    }
    let schemas: BTreeMap<_, _> = FILES.map(|(field, format)| (field, schema(format))).into();
    let mut checked = BTreeSet::new();
    for path in paths {
        let Ok(value) = serde_json::from_str::<Value>(&fs::read_to_string(&path).unwrap()) else { continue };
        let Some(schema) = value["format"].as_str().and_then(|format| schemas.get(format)) else { continue };
        if REFUSED.iter().any(|name| path.components().any(|part| part.as_os_str() == *name)) {
            continue;
        }
        assert_valid(schema, &value, &path.display().to_string());
        checked.insert(value["format"].to_string());
    }
    let in_samples = ["plan", "programs", "rings", "schedule", "symmetric-schedule", "topology"];
    assert_eq!(checked, in_samples.map(|name| format!("\"lockstep-{name}\"")).into());
    for path in [
        "tests/cmd/simulate.in/version.json",
        "tests/cmd/bad-files.in/version-2.json",
        "tests/cmd/bad-files.in/types.json",
    ] {
        let value: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let schema = value["format"].as_str().and_then(|format| schemas.get(format)).unwrap();
        check(schema, &value).expect_err(path);
    }
}

#[test]
fn fresh_outputs_of_all_formats_are_valid() {
    let directory = tempfile::tempdir().unwrap();
    for command in PREPARATIONS {
        stdout_of(directory.path(), command, b"");
    }
    let plan: Value = serde_json::from_slice(&fs::read(directory.path().join("plan.json")).unwrap()).unwrap();
    let mut wrong = plan["schedule"].clone();
    wrong["steps"].as_array_mut().unwrap().remove(0);
    fs::write(directory.path().join("wrong.json"), wrong.to_string()).unwrap();
    for name in ["four.edges", "good.txt"] {
        fs::copy(Path::new("tests/cmd/expect.in").join(name), directory.path().join(name)).unwrap();
    }
    let pairs = "from,to,GB/s\n0,1,50\n1,0,50\n1,2,50\n2,1,30\n0,2,50\n2,0,50\n";
    fs::write(directory.path().join("pairs.csv"), pairs).unwrap();
    let mut checked = BTreeSet::new();
    for (format, command) in OUTPUTS {
        let output = String::from_utf8(run(directory.path(), command, b"").stdout).unwrap();
        let values: Vec<Value> = match format {
            "faults" | "run" => output.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
            _ => vec![serde_json::from_str(&output).unwrap_or_else(|error| panic!("{command}: {error}: {output}"))],
        };
        assert!(!values.is_empty(), "{command}");
        let schema = schema(format);
        for value in &values {
            assert_valid(&schema, value, command);
        }
        checked.insert(format.to_owned());
    }
    for (format, file) in
        [("design-front", "front.json"), ("front-sizes", "front/sizes.json"), ("schedule", "front/plan-1.json")]
    {
        let value = serde_json::from_slice(&fs::read(directory.path().join(file)).unwrap()).unwrap();
        assert_valid(&schema(format), &value, file);
        checked.insert(format.to_owned());
    }
    assert_eq!(checked, listed());
}

/// Each change of a plan breaks a rule of the schema.
#[test]
fn spoiled_plans_are_invalid() {
    let directory = tempfile::tempdir().unwrap();
    let plan = stdout_of(directory.path(), "plan ring:4 -c all-gather --json", b"");
    let plan: Value = serde_json::from_slice(&plan).unwrap();
    let schema = schema("plan");
    assert_valid(&schema, &plan, "the plan");
    let changes: [(&str, Value); 9] = [
        ("/format", json!("lockstep-schedule")),
        ("/version", json!(99)),
        ("/steps", json!(-1)),
        ("/verdict", json!("best")),
        ("/schedule/model/switching", json!("circuit")),
        ("/schedule/model/ports", json!(0)),
        ("/schedule/messages/0/receivers", json!("some")),
        ("/schedule/steps/0/0/path", json!(0)),
        ("/lower_bound/certificate/kind", json!("guess")),
    ];
    for (place, value) in changes {
        let mut spoiled = plan.clone();
        *spoiled.pointer_mut(place).unwrap() = value;
        check(&schema, &spoiled).expect_err(place);
    }
    for place in ["", "/schedule", "/schedule/topology", "/schedule/model", "/lower_bound", "/lower_bound/certificate"]
    {
        let mut spoiled = plan.clone();
        spoiled.pointer_mut(place).unwrap()["unknown"] = json!(1);
        assert!(check(&schema, &spoiled).is_err(), "an unknown field in '{place}'");
    }
    let mut spoiled = plan;
    spoiled.as_object_mut().unwrap().remove("engine");
    check(&schema, &spoiled).expect_err("a plan without an engine");
}
