//! The list of all families.

use super::definition::Family;
use super::{
    amp, b_tree, butterfly, circulant, circulant_digraph, clos, cluster, complete, de_bruijn, dragonfly, expand,
    fat_tree, folded_hypercube, full_b_tree, generalised_kautz, gpu_server, hypercube, jellyfish, k_ring, kautz,
    ladder, line, mesh, metacyclic, midimew, moore, octagon, omega, product, random_regular, ring, star, torus, tpu,
};

/// Returns all families: direct networks, indirect networks, machines, then expansions of other networks.
///
/// ```
/// use lockstep_topology::{Topology, families};
///
/// for family in families() {
///     let example: Topology = family.example.parse()?;
///     assert_eq!(example.name(), family.example);
/// }
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
pub fn families() -> &'static [Family] {
    const FAMILIES: &[Family] = &[
        complete::COMPLETE,
        star::STAR,
        ring::RING,
        mesh::MESH,
        torus::TORUS,
        ladder::LADDER,
        hypercube::HYPERCUBE,
        folded_hypercube::FOLDED_HYPERCUBE,
        circulant::CIRCULANT,
        k_ring::K_RING,
        midimew::MIDIMEW,
        octagon::OCTAGON,
        moore::MOORE,
        amp::AMP,
        random_regular::RANDOM_REGULAR,
        jellyfish::JELLYFISH,
        circulant_digraph::CIRCULANT_DIGRAPH,
        metacyclic::METACYCLIC,
        kautz::KAUTZ,
        generalised_kautz::GENERALISED_KAUTZ,
        de_bruijn::DE_BRUIJN,
        full_b_tree::FULL_B_TREE,
        omega::OMEGA,
        butterfly::BUTTERFLY,
        clos::CLOS,
        fat_tree::FAT_TREE,
        b_tree::B_TREE,
        dragonfly::DRAGONFLY,
        cluster::CLUSTER,
        gpu_server::DGX_1,
        gpu_server::NDV2,
        cluster::DGX_A100,
        cluster::DGX_H100,
        gpu_server::MI250,
        cluster::NVL72,
        tpu::TPU,
        line::LINE,
        expand::EXPAND,
        product::PRODUCT,
        product::POWER,
    ];
    FAMILIES
}
