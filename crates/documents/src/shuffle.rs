//! Networks with random node numbers.

use lockstep::{NodeId, Topology};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Returns the network with random node numbers.
pub(crate) fn shuffled(topology: &Topology, seed: u64) -> Topology {
    let mut places: Vec<NodeId> = topology.nodes().collect();
    places.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    topology.relabelled(&places)
}
