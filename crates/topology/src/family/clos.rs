//! Clos networks.

use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::{numbered_switches, numbered_terminals};
use crate::layout::column;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const CLOS: Family = Family {
    name: "clos",
    aliases: &[],
    parameters: "INPUTS,MIDDLE,OUTER",
    example: "clos:3,3,4",
    about: "three-stage Clos network (n, m, r) of n * r terminals, one-way",
    cayley: None,
    generate: |parameters| {
        let [inputs, middle, outer] = parameters.fields()?;
        Ok(clos(inputs.number()?, middle.number()?, outer.number()?)?)
    },
};

/// Generates the three-stage Clos network `(n, m, r)` for `inputs = n`, `middle = m`, `outer = r`.
///
/// `r` input switches with `n` inputs each, `m` middle switches, and `r` output switches with `n` outputs each. One
/// channel joins any two switches of neighbouring stages. The network is one-way: terminal `t` has one channel to input
/// switch `t / n` and one from output switch `t / n`.
///
/// - Nodes: the `n * r` terminals `0`, `1`, …, then the `2 * r + m` switches `s<stage>.<place>`.
/// - Channels: `2 * n * r + 2 * m * r`, by stage, then by tail, then by head.
/// - `m` shortest paths of 4 channels between any two terminals.
///
/// ```
/// let clos = lockstep_topology::clos(3, 3, 4)?;
/// assert_eq!((clos.terminal_count(), clos.node_count(), clos.channel_count()), (12, 23, 48));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] if a parameter is 0; [`FamilyError::Topology`] if the network is too large.
///
/// # Source
///
/// Clos, *A study of non-blocking switching networks*, Bell System Technical Journal 32 (1953).
pub fn clos(inputs: u32, middle: u32, outer: u32) -> Result<Topology, FamilyError> {
    let parameters = [
        ("number of inputs of a switch", inputs),
        ("number of middle switches", middle),
        ("number of input switches", outer),
    ];
    if let Some((parameter, _)) = parameters.into_iter().find(|&(_, value)| value == 0) {
        let instead = format!("clos:{},{},{}", inputs.max(1), middle.max(1), outer.max(1));
        return Err(CLOS.unsupported(parameter, 0u32, "1 or more", instead));
    }
    let [n, m, r] = [inputs, middle, outer].map(u64::from);
    let terminals = n.saturating_mul(r);
    let nodes = terminals.saturating_add(2 * r + m);
    let channels = terminals.saturating_mul(2).saturating_add(m.saturating_mul(r).saturating_mul(2));
    let mut network = TopologyBuilder::sized(format!("clos:{inputs},{middle},{outer}"), nodes, channels)?;

    let terminals = inputs * outer;
    numbered_terminals(&mut network, terminals);
    for (stage, count) in (0..).zip([outer, middle, outer]) {
        numbered_switches(&mut network, stage, count);
    }
    let first = |place: u32| NodeId::new(terminals + place);
    let second = |place: u32| NodeId::new(terminals + outer + place);
    let third = |place: u32| NodeId::new(terminals + outer + middle + place);
    for terminal in 0..terminals {
        network.channel(NodeId::new(terminal), first(terminal / inputs));
    }
    for outer_place in 0..outer {
        for middle_place in 0..middle {
            network.channel(first(outer_place), second(middle_place));
        }
    }
    for middle_place in 0..middle {
        for outer_place in 0..outer {
            network.channel(second(middle_place), third(outer_place));
        }
    }
    for terminal in 0..terminals {
        network.channel(third(terminal / inputs), NodeId::new(terminal));
    }
    let height = terminals.max(middle);
    let pitch = f64::max(2.0, f64::from(height) / 4.0);
    let columns = (0..).zip([terminals, outer, middle, outer]);
    network.positions(columns.flat_map(|(place, count)| column(pitch * f64::from(place), count, height)));
    Ok(network.build()?)
}
