//! The file cache of path tables.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use lockstep_paths::{PathId, PathSelection, PathTable};
use lockstep_topology::{Topology, TopologyBuilder};
use tempfile::TempDir;

const SELECTION: PathSelection = PathSelection::Shortest { cap: 2, seed: 1 };

fn parse(spec: &str) -> Topology {
    spec.parse().expect(spec)
}

/// A directory with a cache of the 3x3 mesh.
fn mesh_cache() -> (TempDir, PathBuf, Topology) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("sub/mesh.paths");
    let mesh = parse("mesh:3x3");
    let (_, log) = load(&file, &mesh, SELECTION);
    assert_eq!(log, "", "a first build is no reason to warn");
    (directory, file, mesh)
}

/// Loads a table and returns the log, too.
fn load(file: &Path, topology: &Topology, selection: PathSelection) -> (PathTable, String) {
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);
    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic inside").write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_ansi(false)
        .without_time()
        .with_writer(move || writer.clone())
        .finish();
    let table = tracing::subscriber::with_default(subscriber, || PathTable::load_or_build(file, topology, selection));
    let log = String::from_utf8(log.0.lock().expect("no panic inside").clone()).expect("text");
    (table.expect("small"), log)
}

/// Expects a rebuild for this reason, and no warning afterwards.
fn assert_rebuilt(file: &Path, topology: &Topology, selection: PathSelection, reason: &str) {
    let expected = PathTable::build(topology, selection).expect("small");
    let (table, log) = load(file, topology, selection);
    assert_eq!(table, expected);
    assert!(log.contains("is replaced") && log.contains(reason), "{reason}: {log}");
    assert_eq!(load(file, topology, selection), (expected, String::new()));
}

#[test]
fn second_load_reads_what_the_first_wrote() {
    let (_directory, file, mesh) = mesh_cache();
    let written = fs::read(&file).expect("a cache");
    let before = fs::metadata(&file).and_then(|file| file.modified()).expect("a time");
    let (table, log) = load(&file, &mesh.clone().renamed("another name"), SELECTION);
    assert_eq!((table, log.as_str()), (PathTable::build(&mesh, SELECTION).expect("small"), ""));
    assert_eq!(fs::read(&file).expect("a cache"), written);
    assert_eq!(fs::metadata(&file).and_then(|file| file.modified()).expect("a time"), before);
}

#[test]
fn truncated_file_is_rebuilt() {
    let (_directory, file, mesh) = mesh_cache();
    let written = fs::read(&file).expect("a cache");
    for length in [0, 1, 30, written.len() / 2, written.len() - 1] {
        fs::write(&file, &written[..length]).expect("writable");
        assert_rebuilt(&file, &mesh, SELECTION, "truncated");
        assert_eq!(fs::read(&file).expect("a cache"), written);
    }
}

#[test]
fn altered_file_is_rebuilt() {
    let (_directory, file, mesh) = mesh_cache();
    let written = fs::read(&file).expect("a cache");
    for (place, reason) in [(8, "version"), (60, "checksum"), (written.len() - 1, "checksum")] {
        let mut altered = written.clone();
        altered[place] ^= 1;
        fs::write(&file, &altered).expect("writable");
        assert_rebuilt(&file, &mesh, SELECTION, reason);
    }
}

/// Version 1 has illegal paths of networks with buses.
#[test]
fn file_of_version_1_is_rebuilt() {
    let (_directory, file, mesh) = mesh_cache();
    let mut old = fs::read(&file).expect("a cache");
    old[8] = 1;
    fs::write(&file, &old).expect("writable");
    assert_rebuilt(&file, &mesh, SELECTION, "the file has version 1, expected 2");
}

#[test]
fn file_of_another_kind_stays() {
    let (_directory, file, mesh) = mesh_cache();
    for foreign in ["precious data", "{}", "lockplan"] {
        fs::write(&file, foreign).expect("writable");
        let (table, log) = load(&file, &mesh, SELECTION);
        assert_eq!(table, PathTable::build(&mesh, SELECTION).expect("small"));
        assert!(log.contains("is no path cache, and is left as it is"), "{log}");
        assert_eq!(fs::read_to_string(&file).expect("a file"), foreign);
    }
}

#[test]
fn file_of_another_network_is_rebuilt() {
    let (_directory, file, mesh) = mesh_cache();
    assert_rebuilt(&file, &parse("torus:3x3"), SELECTION, "another network");
    assert_rebuilt(&file, &mesh, SELECTION, "another network");
}

#[test]
fn file_of_another_selection_is_rebuilt() {
    let (_directory, file, mesh) = mesh_cache();
    for selection in [
        PathSelection::Shortest { cap: 3, seed: 1 },
        PathSelection::Shortest { cap: 3, seed: 2 },
        PathSelection::SingleChannels,
    ] {
        assert_rebuilt(&file, &mesh, selection, "another selection");
    }
}

/// Replaces bytes of the payload and seals it again.
fn forge(file: &Path, from: &[u8], to: &[u8]) {
    let sealed = fs::read(file).expect("a cache");
    let (magic, version) = (*sealed.first_chunk().expect("a magic"), sealed[8].into());
    let mut payload = lockstep_files::open(magic, version, &sealed).expect("right").to_vec();
    let place = payload.windows(from.len()).rposition(|bytes| bytes == from).expect("bytes to replace");
    payload[place..place + to.len()].copy_from_slice(to);
    fs::write(file, lockstep_files::seal(magic, version, &payload)).expect("writable");
}

#[test]
fn forged_file_is_rebuilt() {
    let (_directory, file, mesh) = mesh_cache();
    // The table ends with the channels of the last path, which leads from node 7 to node 8.
    let last = mesh.out_channels(mesh.terminals()[7]).iter().find(|&&e| mesh.head(e) == mesh.terminals()[8]);
    let last = last.expect("a neighbour").number() as u8;
    forge(&file, &[last], &[mesh.channel_count() as u8]);
    assert_rebuilt(&file, &mesh, SELECTION, "channel that does not exist");
    forge(&file, &[last], &[0]);
    assert_rebuilt(&file, &mesh, SELECTION, "path that is not in the network");
    let [corner, opposite] = [0, 8].map(|node| mesh.terminals()[node]);
    let table = PathTable::build(&mesh, SELECTION).expect("small");
    let path = table.channels(PathId::new(table.between(corner, opposite).start));
    let path: Vec<u8> = path.iter().map(|channel| channel.number() as u8).collect();
    let [first, .., last] = path[..] else { panic!("four channels") };
    forge(&file, &path, &[first, last, first, last]);
    assert_rebuilt(&file, &mesh, SELECTION, "path that is not in the network");
    // Terminals 0 to 8, one byte each.
    forge(&file, &[9, 0, 1, 2, 3], &[9, 0, 1, 3, 2]);
    assert_rebuilt(&file, &mesh, SELECTION, "not ascending");
}

#[test]
fn forged_path_through_a_terminal_is_rebuilt() {
    let mut network = TopologyBuilder::new("two ways");
    let [source, terminal, target] = ["0", "1", "2"].map(|name| network.terminal(name));
    let switch = network.switch("3");
    for (tail, head) in [(source, terminal), (terminal, target), (source, switch), (switch, target)] {
        network.channel(tail, head);
    }
    let topology = network.build().expect("no loops");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("two-ways.paths");
    load(&file, &topology, SELECTION);
    forge(&file, &[2, 3], &[0, 1]);
    assert_rebuilt(&file, &topology, SELECTION, "path that is not in the network");
}

#[test]
fn unwritable_cache_causes_a_warning() {
    let directory = tempfile::tempdir().expect("a directory");
    let occupied = directory.path().join("occupied");
    fs::write(&occupied, "a file, not a directory").expect("writable");
    let mesh = parse("mesh:3x3");
    for file in [occupied.join("mesh.paths"), directory.path().to_owned()] {
        let (table, log) = load(&file, &mesh, SELECTION);
        assert_eq!(table, PathTable::build(&mesh, SELECTION).expect("small"));
        assert!(log.contains("path cache cannot be written"), "{log}");
        assert_eq!(fs::read_dir(directory.path()).expect("a directory").count(), 1, "nothing is left behind");
    }
}
