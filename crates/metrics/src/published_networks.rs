//! Networks that the ExaNeSt document selects, for tests: one cabinet of 16 chassis with two routers of eight slots.

use crate::{Graph, Sources};

/// The cabling codes of 22-2-4, 8-33-4, 20-3-4, 38-14-8, 74-6-12 and 72-16-12.
pub(crate) const ALL: [[u32; 16]; 6] = [
    [0, 91, 0, 0, 71, 0, 0, 0, 0, 80, 0, 0, 0, 0, 0, 109],
    [138, 0, 0, 0, 0, 173, 0, 0, 0, 0, 0, 0, 179, 0, 212, 0],
    [0, 233, 0, 0, 139, 0, 0, 0, 0, 110, 0, 0, 0, 52, 0, 0],
    [0, 72, 142, 0, 0, 15, 0, 194, 0, 0, 28, 150, 51, 0, 0, 234],
    [111, 0, 174, 44, 0, 200, 148, 83, 0, 0, 180, 224, 4, 53, 119, 71],
    [222, 254, 142, 237, 0, 76, 0, 151, 17, 145, 82, 69, 165, 42, 0, 0],
];

/// Returns the network of a cabling code.
pub(crate) fn graph(offsets: &[u32; 16]) -> Graph {
    let links: Vec<[u32; 2]> = (0..256u32)
        .zip(offsets.iter().cycle())
        .filter(|&(_, &offset)| offset != 0)
        .map(|(slot, offset)| [slot / 8, (slot + offset) % 256 / 8])
        .collect();
    Graph::of_links(32, &links)
}

/// Returns the routers of one chassis, which represent those of all chassis.
pub(crate) fn sources() -> Sources {
    Sources { nodes: vec![0, 1], orbit_sizes: vec![16, 16] }
}
