//! Plans on real data.

use std::fs;
use std::path::Path;

use lockstep::{Budget, CollectiveName, CommunicationModel, NodeId, Topology, plan};

use crate::{run, succeeds};

/// Writes a plan for a collective.
fn write_plan(folder: &Path, network: &str, collective: CollectiveName, model: CommunicationModel) {
    let topology: Topology = network.parse().expect("a spec");
    let root = collective.has_root().then_some(NodeId::new(1));
    let collective = collective.with_root(root).expect("it has a root if it needs one");
    let plan = plan(&topology, &collective, &model, &Budget::evaluations(20_000)).expect("a small network");
    fs::write(folder.join("plan.json"), plan.to_file(None).to_json()).expect("the folder exists");
}

/// Runs every collective on a network, in place and out of place.
fn all_collectives_are_right(network: &str, ranks: usize, model: CommunicationModel) {
    let folder = tempfile::tempdir().expect("a folder");
    for collective in CollectiveName::ALL {
        write_plan(folder.path(), network, collective, model);
        for placement in [&["--json"][..], &["--json", "--in-place"]] {
            let arguments = ["run", "plan.json", "--size", "10000", "--repetitions", "2"].iter().chain(placement);
            let result = succeeds(ranks, folder.path(), arguments);
            let expected = format!("{{\"right\":true,\"collective\":\"{collective}\",\"network\":\"{network}\"");
            assert!(result.starts_with(&expected) && result.contains("\"wrong_bytes\":0"), "{result}");
            assert!(
                result.contains("\"library_function\":\"MPI_") && !result.contains("\"compared_bytes\":0"),
                "{result}"
            );
        }
    }
}

#[test]
fn all_collectives_are_right_on_dgx_1() {
    all_collectives_are_right("dgx-1", 8, CommunicationModel::store_and_forward());
}

#[test]
fn all_collectives_are_right_on_a_hypercube() {
    all_collectives_are_right("hypercube:3", 8, CommunicationModel::wormhole());
}

#[test]
fn all_collectives_are_right_on_16_ranks() {
    all_collectives_are_right("torus:4x4", 16, CommunicationModel::wormhole());
}

#[test]
fn all_collectives_are_right_on_random_networks() {
    all_collectives_are_right("random-regular:6,3,1", 6, CommunicationModel::wormhole());
    all_collectives_are_right("random-regular:5,2,2", 5, CommunicationModel::store_and_forward());
}

#[test]
fn wrong_files_and_wrong_numbers_of_ranks_end_with_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    write_plan(folder.path(), "ring:4", CollectiveName::AllGather, CommunicationModel::wormhole());
    let text = fs::read_to_string(folder.path().join("plan.json")).expect("the plan is written");
    fs::write(folder.path().join("broken.json"), &text[..text.len() / 2]).expect("the folder exists");
    // In the first step, its sender does not have the message.
    let spoiled = text.replacen("{\"message\": 0,", "{\"message\": 2,", 1);
    assert_ne!(spoiled, text);
    fs::write(folder.path().join("spoiled.json"), spoiled).expect("the folder exists");
    let output = run(4, folder.path(), ["run", "spoiled.json"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && text.starts_with("invalid: ") && text.lines().count() == 1, "{text}");
    let cases = [
        (vec!["run", "missing.json"], 4, 2, "missing.json: no such file"),
        (vec!["run", "broken.json"], 4, 2, "broken.json: "),
        (vec!["run", "plan.json"], 3, 2, "plan.json: the plan has 4 ranks, but MPI started 3; use mpirun -n 4"),
        (vec!["run", "plan.json", "--size", "100GiB"], 4, 2, "use a smaller size"),
        (vec!["run"], 2, 2, "required arguments were not provided"),
    ];
    for (arguments, ranks, code, message) in cases {
        let output = run(ranks, folder.path(), &arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        assert_eq!(errors.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{errors}");
        assert!(errors.contains(message), "{errors}");
    }
}
