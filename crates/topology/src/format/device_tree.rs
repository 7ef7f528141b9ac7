//! Devices of one machine: groups of them, and trees of switches that join them.

use std::borrow::Cow;

use petgraph::unionfind::UnionFind;

use super::attributes::{EdgeAttributes, EdgeDirection, Label, NodeAttributes};
use super::error::FileFault;
use super::parsed_graph::ParsedGraph;
use crate::NodeId;

/// Adds a switch of a machine.
pub(super) fn add_switch(parsed: &mut ParsedGraph<'_>, name: &str, host: Label) -> Result<NodeId, FileFault> {
    let attributes = NodeAttributes { switch: Some(true), host: Some(host), ..NodeAttributes::default() };
    parsed.declare(Cow::Owned(name.to_owned()), attributes)?;
    parsed.find(name)
}

/// Adds a full-duplex link.
pub(super) fn add_link(parsed: &mut ParsedGraph<'_>, u: NodeId, v: NodeId, capacity: u64) {
    let attributes = EdgeAttributes { capacity: Some(capacity), ..EdgeAttributes::default() };
    parsed.add_edge(u, v, EdgeDirection::Both, attributes);
}

/// Returns the groups of devices that are joined directly or over others, each ascending, in the order of their first
/// devices. Takes quadratic time.
pub(super) fn joined_groups(count: usize, are_joined: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut sets = UnionFind::new(count);
    for first in 0..count {
        for second in first + 1..count {
            if are_joined(first, second) {
                sets.union(first, second);
            }
        }
    }
    let mut place = vec![None; count];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for device in 0..count {
        let place = place[sets.find(device)].get_or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[*place].push(device);
    }
    groups
}

/// Adds a tree of switches over devices, with links of capacity 1.
///
/// `nearness` is the level of the switch between two devices, `None` if it is unknown. Level `t` has switches of the name
/// `levels[t]` and a number. Devices of unknown nearness get the switch that others imply, otherwise one of the last level.
pub(super) fn add_tree(
    parsed: &mut ParsedGraph<'_>,
    leaves: Vec<NodeId>,
    levels: &[&str],
    nearness: impl Fn(usize, usize) -> Option<usize>,
    host: Label,
) -> Result<(), FileFault> {
    let mut top = leaves;
    for (level, switch_name) in levels.iter().enumerate() {
        let is_last = level + 1 == levels.len();
        let is_near = |first, second| is_last || nearness(first, second).is_some_and(|nearness| nearness <= level);
        let mut switches = 0;
        for group in joined_groups(top.len(), is_near) {
            let mut members: Vec<NodeId> = group.iter().map(|&device| top[device]).collect();
            members.sort_unstable();
            members.dedup();
            if members.len() < 2 {
                continue;
            }
            let switch = add_switch(parsed, &format!("{switch_name}{switches}"), host)?;
            switches += 1;
            for member in members {
                add_link(parsed, member, switch, 1);
            }
            for device in group {
                top[device] = switch;
            }
        }
    }
    Ok(())
}
