//! The problem that the arguments describe: network, collective and model, read and resolved.

use anyhow::{Context, bail, ensure};
use lockstep::faults::{Survivability, Transport};
use lockstep::schedule::ProblemError;
use lockstep::{CayleyGraph, Collective, CollectiveName, CommunicationModel, Problem, Topology};

use crate::args::{ProblemArgs, Verbosity};
use crate::{input, output};

/// A collective on a Cayley graph that is not built.
#[derive(Debug)]
pub(crate) struct SymmetricProblemInput {
    pub(crate) graph: CayleyGraph,
    pub(crate) collective: CollectiveName,
    pub(crate) root: Option<u64>,
    pub(crate) model: CommunicationModel,
}

impl SymmetricProblemInput {
    /// Reads the spec and resolves the root. The default root is node 0.
    pub(crate) fn new(args: &ProblemArgs) -> anyhow::Result<Self> {
        ensure!(!args.model.half_duplex, "--half-duplex: symmetric schedules are full duplex; remove the option");
        ensure!(
            args.failures.is_empty(),
            "--fail-link, --fail-channel, --fail-node: symmetric schedules do not support failures; remove the option"
        );
        ensure!(args.model.chunks.get() == 1, "--chunks: symmetric schedules do not support chunks; remove the option");
        let graph: CayleyGraph = args.spec.parse()?;
        let root = match &args.root {
            Some(root) if args.collective.has_root() => Some(node(&graph, "--root", root)?),
            Some(_) => bail!("--root: {} has no root; remove the option", args.collective),
            None => args.collective.has_root().then_some(0),
        };
        Ok(Self { graph, collective: args.collective, root, model: args.model.model()? })
    }

    /// Returns the node that an option names.
    pub(crate) fn node(&self, option: &str, text: &str) -> anyhow::Result<u64> {
        node(&self.graph, option, text)
    }
}

fn node(graph: &CayleyGraph, option: &str, text: &str) -> anyhow::Result<u64> {
    graph
        .find_node(text)
        .with_context(|| format!("{option}: {graph} has no node '{text}'; expected a name or a number"))
}

/// The parts of a [`Problem`].
#[derive(Debug)]
pub(crate) struct ProblemInput {
    spec: String,
    topology: Topology,
    collective: Collective,
    model: CommunicationModel,
}

impl ProblemInput {
    /// Reads the network and resolves the root. Prints a note if the root is a default.
    pub(crate) fn new(args: &ProblemArgs, verbosity: Verbosity) -> anyhow::Result<Self> {
        let model = args.model.model()?;
        let mut topology = input::topology(&args.spec)?;
        if args.model.half_duplex {
            topology = topology.half_duplex();
        }
        topology = args.failures.apply_to(topology)?;
        let root = match &args.root {
            Some(text) => Some(topology.find_node(text).with_context(|| {
                format!("--root: {} has no node '{text}'; expected a name or a number", topology.name())
            })?),
            None if args.collective.has_root() => {
                let first = topology.terminals().first().copied();
                let first = first.with_context(|| format!("{}: the network has no terminal", args.spec))?;
                let name = topology.node_name(first);
                output::note(verbosity, &format!("root: {name} (the first terminal); use --root to choose another"));
                Some(first)
            }
            None => None,
        };
        let collective = args.collective.with_root(root).context("--root")?.with_chunks(args.model.chunks);
        Ok(Self { spec: args.spec.clone(), topology, collective, model })
    }

    /// Returns the problem.
    ///
    /// # Errors
    ///
    /// If network, collective and model do not fit together; the error names disconnected terminals.
    pub(crate) fn problem(&self) -> anyhow::Result<Problem<'_>> {
        let Self { spec, topology, collective, model } = self;
        match Problem::new(topology, collective, *model) {
            // After failures, the list of disconnected terminals says more than one unreachable pair.
            Err(ProblemError::Unreachable { .. }) if topology.failed_channels().next().is_some() => {
                let survivability = Survivability::of(topology, Transport::of(collective, *model));
                bail!("{}: {}", topology.name(), survivability.describe(topology))
            }
            problem => problem.with_context(|| spec.clone()),
        }
    }
}
