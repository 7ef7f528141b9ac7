//! The dragonfly of complete groups.

use super::{Family, FamilyError, numbered_terminals};
use crate::layout::{at, on_circle, radius};
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const DRAGONFLY: Family = Family {
    name: "dragonfly",
    parameters: "ROUTERS,TERMINALS,LINKS",
    example: "dragonfly:4,2,2",
    about: "complete groups of ROUTERS, each with TERMINALS and LINKS to other groups",
    cayley: None,
    generate: |parameters| {
        let [routers, terminals, links] = parameters.fields()?;
        Ok(dragonfly(routers.number()?, terminals.number()?, links.number()?)?)
    },
};

/// The dragonfly `(a, p, h)` of greatest size: `a` routers a group, `p` terminals and `h` global links a router.
///
/// `a * h + 1` groups; any two routers of a group are linked, and any two groups by one link. The global links of a group
/// lead to the other groups in ascending order, those of its first router first. All links are full-duplex. Nodes are
/// the terminals `0`, `1`, … and then the routers `s<group>.<place>`; with `terminals = 0` the routers themselves are the
/// terminals, named `<group>.<place>`. Links are numbered from the terminals upwards, then inside each group, then
/// between groups. The paper's balanced case is `a = 2p = 2h`. Any two routers are at most 3 channels apart.
///
/// ```
/// let dragonfly = lockstep_topology::dragonfly(4, 2, 2)?;
/// assert_eq!((dragonfly.terminal_count(), dragonfly.node_count(), dragonfly.channel_count()), (72, 108, 324));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: Kim, Dally, Scott, Abts, *Technology-driven, highly-scalable dragonfly topology*, International Symposium
/// on Computer Architecture (2008).
///
/// # Errors
///
/// [`FamilyError::Parameter`] for no router a group or no global link a router; [`FamilyError::Topology`] if it is too
/// large.
pub fn dragonfly(routers: u32, terminals: u32, links: u32) -> Result<Topology, FamilyError> {
    let instead = || format!("dragonfly:{},{terminals},{}", routers.max(1), links.max(1));
    if routers == 0 {
        return Err(FamilyError::parameter(&DRAGONFLY, "number of routers in a group", 0u32, "1 or more", instead()));
    }
    if links == 0 {
        return Err(FamilyError::parameter(
            &DRAGONFLY,
            "number of global links of a router",
            0u32,
            "1 or more",
            instead(),
        ));
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
            // Among the others, group `high` is number `high - 1` of `low`, and `low` number `low` of `high`.
            network.link(router(low, (high - 1) / links), router(high, low / links));
        }
    }

    // Groups on a large circle, routers on small ones, terminals in an arc outside their router.
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
    Ok(network.build()?)
}
