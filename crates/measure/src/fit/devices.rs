//! The terminals of the devices of a run.

use std::collections::BTreeSet;

use lockstep_topology::{NodeId, Topology};

use super::FitError;
use crate::{Device, Run, Workload};

/// Returns the terminal of each device of a run, in the order of the run.
///
/// Bus ids and hosts decide if the network has them. Otherwise, the devices are the given terminals in their order.
pub(super) fn terminals_of(topology: &Topology, ranks: &[NodeId], run: &Run) -> Result<Vec<NodeId>, FitError> {
    let count = device_count(run);
    if let Some(found) = by_bus_id(topology, ranks, &run.devices) {
        return Ok(found);
    }
    if count == ranks.len() {
        return Ok(by_host(topology, ranks, &run.devices).unwrap_or_else(|| ranks.to_vec()));
    }
    Err(FitError::DeviceCount { test: run.test.clone(), devices: count, terminals: ranks.len() })
}

/// Returns the number of devices that a run has or names.
fn device_count(run: &Run) -> usize {
    let of_flows = run.samples.iter().flat_map(|sample| match &sample.workload {
        Workload::Flows(flows) => &flows[..],
        Workload::Collective(_) => &[],
    });
    let named = of_flows.map(|flow| flow.from.max(flow.to) as usize + 1).max().unwrap_or(0);
    run.devices.len().max(run.ranks.unwrap_or(0) as usize).max(named)
}

/// Returns the terminals whose names contain the bus ids, if each device has exactly one.
fn by_bus_id(topology: &Topology, ranks: &[NodeId], devices: &[Device]) -> Option<Vec<NodeId>> {
    let has_name = |node: NodeId, device: &Device| {
        let (bus_id, name) = (device.bus_id.as_deref()?, topology.node_name(node).to_lowercase());
        let is_host = device.host.as_deref().zip(topology.host(node)).is_none_or(|(one, other)| one == other);
        Some(is_host && name.contains(bus_id.trim_start_matches('0')))
    };
    let found = devices.iter().map(|device| {
        let mut named = ranks.iter().copied().filter(|&node| has_name(node, device) == Some(true));
        named.next().filter(|_| named.next().is_none())
    });
    let found: Vec<NodeId> = found.collect::<Option<_>>()?;
    let distinct: BTreeSet<_> = found.iter().collect();
    (!found.is_empty() && distinct.len() == found.len()).then_some(found)
}

/// Returns the terminals by the hosts of the devices: the devices of a host are its terminals in their order.
fn by_host(topology: &Topology, ranks: &[NodeId], devices: &[Device]) -> Option<Vec<NodeId>> {
    let mut is_taken = vec![false; ranks.len()];
    let mut found = Vec::with_capacity(devices.len());
    for device in devices {
        let host = Some(device.host.as_deref()?);
        let place = (0..ranks.len()).find(|&place| !is_taken[place] && topology.host(ranks[place]) == host)?;
        is_taken[place] = true;
        found.push(ranks[place]);
    }
    (found.len() == ranks.len()).then_some(found)
}
