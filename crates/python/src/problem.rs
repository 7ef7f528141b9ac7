//! Problems: network, collective and model.

use std::num::NonZeroU32;
use std::sync::Arc;

use lockstep::schedule::{Message, Ports, Routing, ScatterRule, Switching};
use lockstep::{Collective, CollectiveName, CommunicationModel, NodeId, ScheduleFile, Topology};
use pyo3::prelude::*;

use crate::errors;
use crate::network::Network;

/// A problem whose parts are shared with the thread that solves it.
#[pyclass(frozen)]
#[derive(Clone)]
pub(crate) struct Problem {
    topology: Arc<Topology>,
    collective: Collective,
    model: CommunicationModel,
}

impl Problem {
    /// Returns the problem of a file.
    pub(crate) fn of(file: &ScheduleFile) -> Self {
        let (topology, collective) = (Arc::new(file.topology().clone()), file.collective().clone());
        Self { topology, collective, model: file.model() }
    }

    /// Returns the problem of the library.
    pub(crate) fn resolve(&self) -> PyResult<lockstep::Problem<'_>> {
        lockstep::Problem::new(&self.topology, &self.collective, self.model).map_err(errors::problem)
    }

    /// Returns the problem of the library, if its parts fit together.
    pub(crate) fn checked(&self) -> Result<lockstep::Problem<'_>, lockstep::schedule::ProblemError> {
        lockstep::Problem::new(&self.topology, &self.collective, self.model)
    }
}

/// The messages of a list: their sources, and the receivers of each.
type Messages = Vec<(String, Vec<String>)>;

#[pymethods]
impl Problem {
    /// Reads the parts. The collective is a name, or a list of messages.
    #[new]
    fn new(
        network: &Network,
        collective: Option<&str>,
        messages: Messages,
        roots: Vec<String>,
        groups: Vec<Vec<String>>,
        chunks: u32,
        model: [String; 4],
    ) -> PyResult<Self> {
        let topology = Arc::clone(&network.topology);
        let chunks = NonZeroU32::new(chunks).ok_or_else(|| errors::problem("chunks: found 0, expected 1 or more"))?;
        let collective = match collective {
            Some(name) => named(&topology, name, &roots, &groups)?,
            None => listed(&topology, &messages)?,
        };
        let model = read_model(model.each_ref().map(String::as_str))?.on(&topology);
        let collective = collective.with_chunks(chunks).remaining(&topology).into_owned();
        let problem = Self { topology, collective, model };
        problem.resolve()?;
        Ok(problem)
    }

    /// The network, after the choice of half or full duplex.
    #[getter]
    fn network(&self) -> Network {
        Network { topology: Arc::clone(&self.topology) }
    }
}

fn named(topology: &Topology, name: &str, roots: &[String], groups: &[Vec<String>]) -> PyResult<Collective> {
    let name: CollectiveName = name.parse().map_err(errors::problem)?;
    let roots = nodes(topology, "root", roots)?;
    if !groups.is_empty() || roots.len() > 1 {
        let groups = groups.iter().map(|group| nodes(topology, "groups", group)).collect::<PyResult<Vec<_>>>()?;
        return name.in_groups(topology, &groups, &roots).map_err(errors::problem);
    }
    let first = || topology.terminals().first().copied();
    let root = roots.first().copied().or_else(|| if name.has_root() { first() } else { None });
    name.with_root(root).map_err(errors::problem)
}

fn listed(topology: &Topology, messages: &[(String, Vec<String>)]) -> PyResult<Collective> {
    let mut listed = Vec::new();
    for (source, receivers) in messages {
        let receivers = nodes(topology, "receivers", receivers)?;
        listed.push(Message { source: node(topology, "source", source)?, receivers });
    }
    Ok(Collective::custom(listed))
}

fn nodes(topology: &Topology, option: &str, names: &[String]) -> PyResult<Vec<NodeId>> {
    names.iter().map(|name| node(topology, option, name)).collect()
}

/// Returns the node with this name or number.
pub(crate) fn node(topology: &Topology, option: &str, name: &str) -> PyResult<NodeId> {
    let missing = || {
        let advice = topology.similar_nodes(name).unwrap_or_else(|| "expected a name or a number".to_owned());
        errors::problem(format!("{option}: {} has no node '{name}'; {advice}", topology.name()))
    };
    topology.find_node(name).ok_or_else(missing)
}

/// Reads the model: switching, ports, routing and scatter; an empty scatter is the default of the switching.
fn read_model([switching, ports, routing, scatter]: [&str; 4]) -> PyResult<CommunicationModel> {
    let unknown = |option: &str, found: &str, expected: &str| {
        Err(errors::problem(format!("{option}: found '{found}', expected {expected}")))
    };
    let switching = match switching {
        "wormhole" => Switching::Wormhole,
        "store-and-forward" | "sf" => Switching::StoreAndForward,
        other => return unknown("switching", other, "'wormhole' or 'store-and-forward'"),
    };
    let ports = match (ports, ports.parse().ok().and_then(Ports::limit)) {
        ("all", _) => Ports::All,
        (_, Some(limit)) => limit,
        (other, None) => return unknown("ports", other, "'all' or a number from 1"),
    };
    let routing = match routing {
        "minimal" => Routing::Minimal,
        "any" => Routing::Any,
        other => return unknown("routing", other, "'minimal' or 'any'"),
    };
    let scatter = match (switching, scatter) {
        (Switching::StoreAndForward, "direct") => {
            return unknown("scatter", "direct", "'relay', because store-and-forward switching relays messages");
        }
        (Switching::Wormhole, "" | "direct") => ScatterRule::Direct,
        (_, "" | "relay") => ScatterRule::Relay,
        (_, other) => return unknown("scatter", other, "'direct' or 'relay'"),
    };
    Ok(CommunicationModel { switching, ports, routing, scatter })
}
