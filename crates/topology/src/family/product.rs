//! Cartesian products and powers.

use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use super::operand::check_operand;
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const PRODUCT: Family = Family {
    name: "product",
    aliases: &[],
    parameters: "SPEC*SPEC[*SPEC...]",
    example: "product:ring:4*complete:3",
    about: "Cartesian product; write (SPEC) for a factor that contains a product",
    cayley: None,
    generate: |parameters| {
        let mut factors = Vec::new();
        for factor in parameters.factors()? {
            factors.push(parameters.operand(factor)?);
            // Before the next factor is generated.
            let (nodes, channels) = product_size(&factors.iter().collect::<Vec<_>>());
            TopologyBuilder::check_size(nodes, channels)?;
        }
        Ok(cartesian_product(&factors.iter().collect::<Vec<_>>())?)
    },
};

pub(super) const POWER: Family = Family {
    name: "power",
    aliases: &[],
    parameters: "EXPONENT,SPEC",
    example: "power:2,ring:4",
    about: "Cartesian product of EXPONENT copies of SPEC",
    cayley: None,
    generate: |parameters| {
        let (exponent, operand) = parameters.number_and_operand()?;
        Ok(cartesian_power(&operand, exponent)?)
    },
};

/// The largest number of factors. Of two nodes each, more are too many nodes.
pub(super) const MAX_FACTORS: usize = 24;

/// Generates the Cartesian product of networks: a node is a choice of one node of each, and a channel changes one of them
/// along a channel of its network.
///
/// - Nodes: the product of the numbers of nodes, all terminals, named by their numbers. The number of a node has the numbers
///   of the chosen nodes as digits, last factor fastest.
/// - Channels: by tail, then by factor, then in the order of the factor.
/// - In-degrees, out-degrees and diameters are the sums of those of the factors.
///
/// ```
/// use lockstep_topology::{cartesian_product, complete, ring};
///
/// let product = cartesian_product(&[&ring(4)?, &complete(3)?])?;
/// assert_eq!((product.name(), product.node_count(), product.channel_count()), ("product:ring:4*complete:3", 12, 48));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] if there are not 2 to 24 factors, or one of them has switches, failures, shared channels,
/// capacities, latencies or bandwidths; [`FamilyError::Topology`] if the product is too large.
pub fn cartesian_product(factors: &[&Topology]) -> Result<Topology, FamilyError> {
    let factor = |network: &&Topology| match network.name() {
        name if name.contains('*') => format!("({name})"),
        name => name.to_owned(),
    };
    let name = format!("product:{}", factors.iter().map(factor).collect::<Vec<_>>().join("*"));
    if !(2..=MAX_FACTORS).contains(&factors.len()) {
        let needs = format!("2 to {MAX_FACTORS}");
        return Err(PRODUCT.unsupported("number of factors", factors.len() as u64, needs, PRODUCT.example));
    }
    factors.iter().try_for_each(|factor| check_operand(&PRODUCT, factor))?;
    product(name, factors)
}

/// Generates the Cartesian product of `exponent` copies of a network.
///
/// - Nodes and channels as in [`cartesian_product`].
/// - In-degrees, out-degrees and the diameter are multiplied by `exponent`.
///
/// ```
/// use lockstep_topology::{cartesian_power, complete};
///
/// let cube = cartesian_power(&complete(2)?, 3)?;
/// assert_eq!((cube.name(), cube.node_count(), cube.channel_count()), ("power:3,complete:2", 8, 24));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] if the exponent is not 1 to 24, or the network has switches, failures, shared channels,
/// capacities, latencies or bandwidths; [`FamilyError::Topology`] if the power is too large.
pub fn cartesian_power(network: &Topology, exponent: u32) -> Result<Topology, FamilyError> {
    let name = |exponent: u32| format!("power:{exponent},{}", network.name());
    let most = MAX_FACTORS as u32;
    if !(1..=most).contains(&exponent) {
        return Err(POWER.unsupported("exponent", exponent, format!("1 to {most}"), name(exponent.clamp(1, most))));
    }
    check_operand(&POWER, network)?;
    product(name(exponent), &vec![network; exponent as usize])
}

fn product(name: String, factors: &[&Topology]) -> Result<Topology, FamilyError> {
    let (nodes, channels) = product_size(factors);
    let mut product = TopologyBuilder::sized(name, nodes, channels)?;
    let nodes = nodes as u32;
    numbered_terminals(&mut product, nodes);
    for node in 0..nodes {
        let mut stride = nodes;
        for factor in factors {
            let count = factor.node_count() as u32;
            stride /= count;
            let digit = node / stride % count;
            for &channel in factor.out_channels(NodeId::new(digit)) {
                let head = node - digit * stride + factor.head(channel).number() * stride;
                product.channel(NodeId::new(node), NodeId::new(head));
            }
        }
    }
    product.positions(circle(nodes));
    Ok(product.build()?)
}

/// Returns the numbers of nodes and channels of a product, saturated.
fn product_size(factors: &[&Topology]) -> (u64, u64) {
    factors.iter().fold((1, 0), |(nodes, channels), factor| {
        let [more_nodes, more_channels] = [factor.node_count(), factor.channel_count()].map(|count| count as u64);
        let of_factor = nodes.saturating_mul(more_channels);
        (nodes.saturating_mul(more_nodes), channels.saturating_mul(more_nodes).saturating_add(of_factor))
    })
}
