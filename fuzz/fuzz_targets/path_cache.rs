//! Path caches: the table has paths of the network, whatever the file contains.
#![no_main]

use std::fs;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use lockstep_files::seal;
use lockstep_paths::{PathId, PathSelection, PathTable};
use lockstep_topology::Topology;

const SELECTION: PathSelection = PathSelection::Shortest { cap: 4, seed: 1 };

static NETWORK: LazyLock<Topology> = LazyLock::new(|| "mesh:2x2".parse().expect("a mesh"));

fuzz_target!(|bytes: &[u8]| {
    let directory = tempfile::tempdir().expect("a place for the file");
    let cache = directory.path().join("paths");
    for bytes in [bytes, &seal(*b"lockpath", 1, bytes)] {
        fs::write(&cache, bytes).expect("the file is written");
        let table = PathTable::load_or_build(&cache, &NETWORK, SELECTION).expect("the table is there");
        for source in NETWORK.nodes() {
            for target in NETWORK.nodes() {
                for path in table.between(source, target) {
                    let channels = table.channels(PathId::new(path));
                    assert_eq!(channels.first().map(|&channel| NETWORK.tail(channel)), Some(source));
                    assert_eq!(channels.last().map(|&channel| NETWORK.head(channel)), Some(target));
                }
            }
        }
    }
});
