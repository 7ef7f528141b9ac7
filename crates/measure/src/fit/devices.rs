//! The terminals of the devices of a run.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lockstep_topology::{NodeId, Topology};

use super::error::FitError;
use crate::{Device, Run, Workload};

/// Returns the terminal of each device of a run, in the order of the run.
///
/// Bus ids, names of nodes and hosts decide if the network has them. Otherwise, the devices are the given terminals in their order.
pub(super) fn terminals_of(topology: &Topology, ranks: &[NodeId], run: &Run) -> Result<Vec<NodeId>, FitError> {
    let named = by_bus_id(topology, ranks, &run.devices).or_else(|| by_name(topology, ranks, &run.devices));
    if let Some(found) = named.or_else(|| by_host(topology, ranks, &run.devices)) {
        return Ok(found);
    }
    let count = device_count(run);
    if count == ranks.len() {
        return Ok(ranks.to_vec());
    }
    Err(FitError::DeviceCount { test: run.test.clone(), devices: count, terminals: ranks.len() })
}

/// Returns the number of devices that a run has or names.
pub(super) fn device_count(run: &Run) -> usize {
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

/// Returns the terminals whose names are the hosts of the devices, if each device has one of its own.
fn by_name(topology: &Topology, ranks: &[NodeId], devices: &[Device]) -> Option<Vec<NodeId>> {
    let of_name: BTreeMap<&str, NodeId> = ranks.iter().map(|&node| (topology.node_name(node), node)).collect();
    let found = devices.iter().map(|device| of_name.get(device.host.as_deref()?).copied());
    let found: Vec<NodeId> = found.collect::<Option<_>>()?;
    let distinct: BTreeSet<_> = found.iter().collect();
    (!found.is_empty() && distinct.len() == found.len()).then_some(found)
}

/// Returns the terminals by the hosts of the devices: the devices of a host are all of its terminals, in their order.
fn by_host(topology: &Topology, ranks: &[NodeId], devices: &[Device]) -> Option<Vec<NodeId>> {
    let mut of_host: BTreeMap<&str, VecDeque<NodeId>> = BTreeMap::new();
    for &node in ranks {
        if let Some(host) = topology.host(node) {
            of_host.entry(host).or_default().push_back(node);
        }
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for device in devices {
        *counts.entry(device.host.as_deref()?).or_default() += 1;
    }
    let is_whole = |(host, &count): (&&str, &usize)| of_host.get(host).is_some_and(|nodes| nodes.len() == count);
    if devices.is_empty() || !counts.iter().all(is_whole) {
        return None;
    }
    devices.iter().map(|device| of_host.get_mut(device.host.as_deref()?)?.pop_front()).collect()
}
