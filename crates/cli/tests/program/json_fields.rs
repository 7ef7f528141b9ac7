//! The page of the fields of JSON files, compared with all files of these formats in the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::stdout_of;

const PAGE: &str = "../../docs/guide/src/reference/json.md";

/// Folders with samples, and with folders of samples.
const FOLDERS: [&str; 3] = ["tests/cmd", "../../docs/guide/src", "../../docs/guide/src/reference"];

/// Commands whose output has fields that no sample has.
const COMMANDS: [&str; 5] = [
    "rings complete:6 --group 0-2 --relay 1 --channels 1 -o -",
    "topology mesh:2x2 --format json -o -",
    "plan cluster:nodes=2,gpus=2,nvlink=300GB/s,rails=2,nic=50GB/s,nic-latency=1us -c all-gather --fail-nic g0_1 --timing --json",
    "plan dgx-a100:2 -c all-gather --fail-node g1_7 --half-duplex --json",
    "plan ring:4 -c reduce --group 0-1 --group 2-3 --root 0 --root 2 --json",
];

/// The fields of each kind of object, by the title of its table.
type Fields = BTreeMap<&'static str, BTreeSet<String>>;

/// Adds the fields of an object and of the objects in it.
fn collect(kind: &'static str, value: &Value, fields: &mut Fields) {
    let Value::Object(object) = value else { return };
    fields.entry(kind).or_default().extend(object.keys().cloned());
    let inner: [(&str, &str, &'static str); 9] = [
        ("Plan", "schedule", "Schedule"),
        ("Schedule", "topology", "Network"),
        ("Schedule", "model", "Model"),
        ("Schedule", "collective", "Collective"),
        ("Schedule", "messages", "Message"),
        ("Schedule", "steps", "Transfer"),
        ("Network", "nodes", "Node"),
        ("Rings", "topology", "Network"),
        ("Rings", "rings", "Ring"),
    ];
    for (_, field, of_field) in inner.iter().filter(|(outer, ..)| *outer == kind) {
        elements(&value[field]).for_each(|element| collect(of_field, element, fields));
    }
}

/// Returns a value, or the elements of a list, or those of lists in it.
fn elements(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(list) => Box::new(list.iter().flat_map(elements)),
        value => Box::new(std::iter::once(value)),
    }
}

/// Adds the fields of a file, if it has one of the formats.
fn collect_file(text: &str, fields: &mut Fields) {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    let kind = match value["format"].as_str() {
        Some("lockstep-plan") => "Plan",
        Some("lockstep-schedule") => "Schedule",
        Some("lockstep-topology") => "Network",
        Some("lockstep-rings") => "Rings",
        _ => return,
    };
    collect(kind, &value, fields);
}

/// Returns the files of a folder and of the folders in it, apart from files that are spoiled on purpose.
fn samples(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("bad-files.in") {
            samples(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn the_page_lists_the_fields_of_all_files_and_no_others() {
    let mut files = Vec::new();
    for folder in FOLDERS {
        samples(Path::new(folder), &mut files);
    }
    let directory = tempfile::tempdir().unwrap();
    files.extend(COMMANDS.map(|command| String::from_utf8(stdout_of(directory.path(), command, b"")).unwrap()));
    // A search that its deadline ends is not the same every time, so the field is added to a plan that is read.
    let plan = files.last().unwrap().replacen("\"seed\": 1", "\"seed\": 1,\n\"cut_short\": \"deadline\"", 1);
    assert!(!stdout_of(directory.path(), "verify -", plan.as_bytes()).is_empty());
    files.push(plan);
    // No family has a switch or terminal that differs from its kind: the field is added to a network that is read.
    let network = r#"{"format": "lockstep-topology", "version": 1, "name": "pair", "channels": [[0, 1], [1, 0]],
        "nodes": [{"name": "a", "terminal": true, "routes": false}, {"name": "b", "terminal": true}]}"#;
    assert!(!stdout_of(directory.path(), "topology -", network.as_bytes()).is_empty());
    files.push(network.to_owned());
    let mut fields = Fields::new();
    for text in &files {
        collect_file(text, &mut fields);
    }

    let page = fs::read_to_string(PAGE).unwrap();
    let mut listed = BTreeMap::new();
    for section in page.split("\n## ").skip(1) {
        let (title, text) = section.split_once('\n').unwrap();
        let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
        let names = rows.flat_map(|cell| cell.split(", ")).map(|name| name.trim_matches('`').to_owned());
        let names: BTreeSet<_> = names.collect();
        // The section of the schemas has no table.
        if !names.is_empty() {
            listed.insert(title, names);
        }
    }
    assert_eq!(listed, fields);
}
