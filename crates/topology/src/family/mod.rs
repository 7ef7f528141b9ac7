//! The known families of networks. A family is one file here (its generator, its names, its drawing) and its lines in
//! this one.

mod amp;
mod circulant;
mod clos;
mod complete;
mod dragonfly;
mod fat_tree;
mod hypercube;
mod jellyfish;
mod kautz;
mod mesh;
mod moore;
mod omega;
mod random_regular;
mod tree;

pub use amp::{amp, amp_with_system_controller};
pub use circulant::{circulant, k_ring, midimew, octagon};
pub use clos::clos;
pub use complete::{complete, star};
pub use dragonfly::dragonfly;
pub use fat_tree::fat_tree;
pub use hypercube::{folded_hypercube, hypercube};
pub use jellyfish::jellyfish;
pub use kautz::{de_bruijn, kautz};
pub use mesh::{ladder, mesh, ring, torus};
pub use moore::moore;
pub use omega::{butterfly, omega};
pub use random_regular::random_regular;
pub use tree::{b_tree, full_b_tree};

use crate::spec::Parameters;
use crate::{CayleyGraph, MAX_NODES, SpecError, Topology, TopologyBuilder, TopologyError};

/// A family of networks: how its specs are written, and what they make.
///
/// ```
/// for family in lockstep_topology::families() {
///     println!("{:24} {}", family.usage(), family.about);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Family {
    /// The part of a spec before the colon.
    pub name: &'static str,
    /// How the part behind the colon is written, names in capitals; empty if there is none.
    pub parameters: &'static str,
    /// A spec of the family.
    pub example: &'static str,
    /// What its networks are, in one line.
    pub about: &'static str,
    /// The group behind them, where the networks of the family are Cayley graphs of abelian groups.
    pub(crate) cayley: Option<Generate<CayleyGraph>>,
    pub(crate) generate: Generate<Topology>,
}

/// What makes something of the parameters of a spec.
type Generate<T> = fn(&Parameters<'_>) -> Result<T, SpecError>;

impl Family {
    /// How its specs are written, `name:PARAMETERS`.
    pub fn usage(&self) -> String {
        let colon = if self.parameters.is_empty() { "" } else { ":" };
        format!("{}{colon}{}", self.name, self.parameters)
    }
}

/// Every family that a spec can name; direct networks first.
pub fn families() -> &'static [Family] {
    const FAMILIES: &[Family] = &[
        complete::COMPLETE,
        complete::STAR,
        mesh::RING,
        mesh::MESH,
        mesh::TORUS,
        mesh::LADDER,
        hypercube::HYPERCUBE,
        hypercube::FOLDED_HYPERCUBE,
        circulant::CIRCULANT,
        circulant::K_RING,
        circulant::MIDIMEW,
        circulant::OCTAGON,
        moore::MOORE,
        amp::AMP,
        random_regular::RANDOM_REGULAR,
        jellyfish::JELLYFISH,
        kautz::KAUTZ,
        kautz::DE_BRUIJN,
        tree::FULL_B_TREE,
        omega::OMEGA,
        omega::BUTTERFLY,
        clos::CLOS,
        fat_tree::FAT_TREE,
        tree::B_TREE,
        dragonfly::DRAGONFLY,
    ];
    FAMILIES
}

/// Why a family has no network of the size asked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FamilyError {
    /// A number for which the family is not defined.
    #[error("the {parameter} is {value}, but {family} needs {needs}; try {instead}")]
    Parameter {
        /// The family.
        family: &'static str,
        /// What the number says, in words.
        parameter: &'static str,
        /// The number.
        value: u64,
        /// Which numbers there are, in words.
        needs: String,
        /// Specs near the one asked for that exist.
        instead: String,
    },
    /// A network too large to be held.
    #[error(transparent)]
    Topology(#[from] TopologyError),
}

impl FamilyError {
    fn parameter(
        family: &Family,
        parameter: &'static str,
        value: impl Into<u64>,
        needs: impl Into<String>,
        instead: impl Into<String>,
    ) -> Self {
        let (value, needs, instead) = (value.into(), needs.into(), instead.into());
        Self::Parameter { family: family.name, parameter, value, needs, instead }
    }
}

/// The exponent of a number of terminals that must be a power of two from 2.
fn log2_terminals(family: &Family, terminals: u32) -> Result<u32, FamilyError> {
    if terminals.is_power_of_two() && terminals > 1 {
        return Ok(terminals.ilog2());
    }
    check_node_count(terminals)?;
    let above = u64::from(terminals).next_power_of_two();
    let name = family.name;
    let instead = if above < 4 { format!("{name}:2") } else { format!("{name}:{} or {name}:{above}", above / 2) };
    Err(FamilyError::parameter(family, "number of terminals", terminals, "a power of two from 2", instead))
}

/// Refuses more nodes than any network has, before a size near them is recommended.
fn check_node_count(nodes: u32) -> Result<(), TopologyError> {
    let nodes = u64::from(nodes);
    if nodes > MAX_NODES { Err(TopologyError::TooManyNodes { nodes }) } else { Ok(()) }
}

/// Adds terminals named `0`, `1`, ….
fn numbered_terminals(network: &mut TopologyBuilder, count: u32) {
    for terminal in 0..count {
        network.terminal(terminal.to_string());
    }
}

/// Adds a row of switches named `s<level>.0`, `s<level>.1`, ….
fn numbered_switches(network: &mut TopologyBuilder, level: u32, count: u32) {
    for place in 0..count {
        network.switch(format!("s{level}.{place}"));
    }
}
