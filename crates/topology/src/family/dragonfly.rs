//! Dragonfly networks.

use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use crate::layout::{at, on_circle, radius};
use crate::quantity::Quantity;
use crate::{ChannelId, NodeId, Topology, TopologyBuilder};

pub(super) const DRAGONFLY: Family = Family {
    name: "dragonfly",
    aliases: &[],
    parameters: "ROUTERS,TERMINALS,LINKS",
    example: "dragonfly:4,2,2",
    about: "complete groups of ROUTERS, each with TERMINALS and LINKS to other groups; also terminal=, local=, global=BANDWIDTH",
    cayley: None,
    generate: |parameters| {
        let ([routers, terminals, links], named) = parameters.fields_and_named(&["terminal", "local", "global"])?;
        let [routers, terminals, links] = [routers.number()?, terminals.number()?, links.number()?];
        if named.is_empty() {
            return Ok(dragonfly(routers, terminals, links)?);
        }
        let bandwidth = |name| named.quantity(name, Quantity::Bandwidth);
        let of_terminals = if terminals == 0 { 0 } else { bandwidth("terminal")? };
        Ok(dragonfly_of_links(routers, terminals, links, [of_terminals, bandwidth("local")?, bandwidth("global")?])?)
    },
};

/// Generates the largest dragonfly `(a, p, h)`, for `a = routers` per group, `p = terminals` and `h = links` per
/// router.
///
/// The network has `g = a * h + 1` groups. Any two routers of a group are linked, and any two groups are joined by one
/// global link. The global links of a group lead to the other groups in ascending order, those of its first router
/// first. The balanced case of the source is `a = 2 * p = 2 * h`.
///
/// - Nodes: the `p * a * g` terminals `0`, `1`, …, then the `a * g` routers `s<group>.<place>`. If `terminals` is 0,
///   the routers are the terminals and are named `<group>.<place>`.
/// - Channels: `2 * p * a * g + g * a * (a - 1) + g * (g - 1)`, link by link: first those of the terminals, then those
///   inside each group, then the global ones.
/// - Degree of a router `p + a - 1 + h`. Two routers are at most 3 channels apart, two terminals at most 5.
///
/// ```
/// let dragonfly = lockstep_topology::dragonfly(4, 2, 2)?;
/// assert_eq!((dragonfly.terminal_count(), dragonfly.node_count(), dragonfly.channel_count()), (72, 108, 324));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for 0 routers per group or 0 global links per router; [`FamilyError::Topology`] if the
/// network is too large.
///
/// # Source
///
/// Kim, Dally, Scott, Abts, *Technology-driven, highly-scalable dragonfly topology*, International Symposium on
/// Computer Architecture (2008).
pub fn dragonfly(routers: u32, terminals: u32, links: u32) -> Result<Topology, FamilyError> {
    Ok(builder(routers, terminals, links)?.build()?)
}

/// Generates a [`dragonfly`] whose links have these bandwidths, in bytes per second and direction: of terminals, inside
/// groups, and between groups. Without terminals, the first bandwidth is not used.
///
/// # Errors
///
/// Those of [`dragonfly`], and [`FamilyError::Topology`] if bandwidths are out of range.
pub fn dragonfly_of_links(
    routers: u32,
    terminals: u32,
    links: u32,
    bandwidths: [u64; 3],
) -> Result<Topology, FamilyError> {
    let mut network = builder(routers, terminals, links)?;
    let (channels, groups) = (network.channel_count(), routers as usize * links as usize + 1);
    let first_local = 2 * groups * routers as usize * terminals as usize;
    let first_global = channels - groups * (groups - 1);
    let classes = [0..first_local, first_local..first_global, first_global..channels];
    for (channels, bandwidth) in classes.into_iter().zip(bandwidths) {
        network.set_bandwidth(channels.map(ChannelId::from_index), bandwidth);
    }
    let [terminal, local, global] = bandwidths.map(|bandwidth| Quantity::Bandwidth.format(bandwidth));
    let terminal = if terminals == 0 { String::new() } else { format!("terminal={terminal},") };
    let name = format!("dragonfly:{routers},{terminals},{links},{terminal}local={local},global={global}");
    Ok(network.build()?.renamed(name))
}

fn builder(routers: u32, terminals: u32, links: u32) -> Result<TopologyBuilder, FamilyError> {
    let instead = || format!("dragonfly:{},{terminals},{}", routers.max(1), links.max(1));
    if routers == 0 {
        return Err(DRAGONFLY.unsupported("number of routers in a group", 0u32, "1 or more", instead()));
    }
    if links == 0 {
        return Err(DRAGONFLY.unsupported("number of global links of a router", 0u32, "1 or more", instead()));
    }
    let [a, p, h] = [routers, terminals, links].map(u64::from);
    let groups = (a * h).saturating_add(1);
    let all_routers = groups.saturating_mul(a);
    let all_terminals = all_routers.saturating_mul(p);
    let channels = all_routers.saturating_mul(a - 1 + h + 2 * p);
    let name = format!("dragonfly:{routers},{terminals},{links}");
    let mut network = TopologyBuilder::sized(name, all_terminals.saturating_add(all_routers), channels)?;

    let (groups, all_terminals) = (groups as u32, all_terminals as u32);
    numbered_terminals(&mut network, all_terminals);
    let all = |group: u32| (0..routers).map(move |place| (group, place));
    for (group, place) in (0..groups).flat_map(all) {
        if terminals == 0 {
            network.terminal(format!("{group}.{place}"));
        } else {
            network.switch(format!("s{group}.{place}"));
        }
    }
    let router = |group: u32, place: u32| NodeId::new(all_terminals + group * routers + place);
    for terminal in 0..all_terminals {
        network.link(NodeId::new(terminal), NodeId::new(all_terminals + terminal / terminals));
    }
    for (group, place) in (0..groups).flat_map(all) {
        for other in place + 1..routers {
            network.link(router(group, place), router(group, other));
        }
    }
    for low in 0..groups {
        for high in low + 1..groups {
            // In the list of the other groups, `high` has place `high - 1` for `low`, and `low` has place `low` for `high`.
            network.link(router(low, (high - 1) / links), router(high, low / links));
        }
    }

    // Groups are on a large circle, their routers on small circles, terminals on an arc outside their router.
    let group_radius = radius(routers) + if terminals == 0 { 0.0 } else { 1.0 };
    let circle_radius = radius(groups) * (2.0 * group_radius + 1.0);
    let place_at = |group: u32, place: f64, extra: f64| {
        let centre = on_circle(circle_radius, group.into(), groups);
        let offset = on_circle(radius(routers) + extra, place, routers);
        at(centre[0] + offset[0], centre[1] + offset[1])
    };
    let terminal_positions = (0..all_terminals).map(|terminal| {
        let (router, place) = (terminal / terminals, terminal % terminals);
        let offset = (f64::from(place) + 0.5) / f64::from(terminals) - 0.5;
        place_at(router / routers, f64::from(router % routers) + 0.8 * offset, 1.0)
    });
    let router_positions = (0..groups).flat_map(all).map(|(group, place)| place_at(group, place.into(), 0.0));
    network.positions(terminal_positions.chain(router_positions));
    Ok(network)
}
