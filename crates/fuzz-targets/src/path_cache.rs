//! Target: path caches.

use std::sync::LazyLock;

use lockstep_files::seal;
use lockstep_paths::{PathId, PathSelection, PathTable};
use lockstep_topology::Topology;

use crate::error_check::has_message;

const SELECTION: PathSelection = PathSelection::Shortest { cap: 4, seed: 1 };

static NETWORK: LazyLock<Topology> = LazyLock::new(|| "mesh:2x2".parse().expect("a mesh"));

/// Checks a path cache: an accepted table has paths of the network only.
pub fn path_cache(bytes: &[u8]) -> bool {
    let mut is_accepted = false;
    for bytes in [bytes, &seal(*b"lockpath", 2, bytes)] {
        match PathTable::from_cache(bytes, &NETWORK, SELECTION) {
            Err(error) => has_message(&error),
            Ok(table) => {
                check(&table);
                is_accepted = true;
            }
        }
    }
    is_accepted
}

fn check(table: &PathTable) {
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
