//! The list of all families.

use lockstep_files::is_same_name;

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

/// Returns the family with this name or alias. Case, hyphens, underscores and spaces do not count.
///
/// ```
/// use lockstep_topology::family_named;
///
/// let name = |word| family_named(word).map(|family| family.name);
/// assert_eq!([name("MESH"), name("grid"), name("fat_tree"), name("gird")], [Some("mesh"), Some("mesh"), Some("fat-tree"), None]);
/// ```
pub fn family_named(name: &str) -> Option<&'static Family> {
    let is_named = |known: &&str| is_same_name(known, name);
    families().iter().find(|family| is_named(&family.name) || family.aliases.iter().any(is_named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_alias_belongs_to_one_family() {
        for family in families() {
            for name in family.aliases.iter().chain([&family.name]) {
                let owners = families().iter().filter(|other| {
                    is_same_name(other.name, name) || other.aliases.iter().any(|alias| is_same_name(alias, name))
                });
                assert_eq!(owners.map(|owner| owner.name).collect::<Vec<_>>(), [family.name], "{name}");
            }
        }
    }
}
