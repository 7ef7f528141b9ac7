//! The problem that the arguments describe: network, collective and model, read and resolved.

use std::num::NonZeroU32;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use lockstep::files::one_line;
use lockstep::schedule::Message;
use lockstep::{CayleyGraph, Collective, CollectiveName, CommunicationModel, Loss, NodeId, Problem, Topology};

use crate::args::{ProblemArgs, Verbosity};
use crate::command_files::CommandFiles;
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
            args.network.is_whole(),
            "--fail-link, --fail-channel, --fail-node, --fail-nic, --degrade-link, --measured: symmetric schedules need equal links without failures; remove the option"
        );
        ensure!(args.model.chunks.get() == 1, "--chunks: symmetric schedules do not support chunks; remove the option");
        let graph: CayleyGraph = args.spec.parse()?;
        let collective = args.collective.filter(|_| args.group.is_empty());
        let collective =
            collective.context("--group, --messages: symmetric schedules involve all nodes; remove the option")?;
        let root = match &args.root[..] {
            [] => collective.has_root().then_some(0),
            _ if !collective.has_root() => bail!("--root: {collective} has no root; remove the option"),
            [root] => Some(node(&graph, "--root", root)?),
            _ => bail!("--root: symmetric schedules have one root; give the option once"),
        };
        Ok(Self { graph, collective, root, model: args.model.model()? })
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

/// Returns the collective of a name, of all terminals or of groups. The root is by default the first working terminal; a note
/// says so.
fn named(
    name: CollectiveName,
    args: &ProblemArgs,
    topology: &Topology,
    faulty: &Topology,
    verbosity: Verbosity,
) -> anyhow::Result<Collective> {
    if let Some(blocks) = args.blocks {
        ensure!(name == CollectiveName::AllReduce, "--blocks: only an all-reduce has blocks, not {name}; use --chunks");
        return all_reduce_in_blocks(args, topology, blocks);
    }
    let roots = args.root.iter().map(|text| terminal(topology, "--root", text)).collect::<anyhow::Result<Vec<_>>>()?;
    if !args.group.is_empty() || roots.len() > 1 {
        let groups =
            args.group.iter().map(|text| node_list(topology, "--group", text)).collect::<anyhow::Result<Vec<_>>>()?;
        let option = if args.group.is_empty() { "--root" } else { "--group" };
        return name.in_groups(topology, &groups, &roots).context(option);
    }
    let root = match roots[..] {
        [] if name.has_root() => {
            let first = faulty.terminals().first().copied();
            let first = first.with_context(|| format!("{}: the network has no terminal", args.spec))?;
            let name = topology.node_name(first);
            output::note(verbosity, &format!("root: {name} (the first terminal); use --root to choose another"));
            Some(first)
        }
        _ => roots.first().copied(),
    };
    name.with_root(root).context("--root")
}

/// Returns the all-reduce of all terminals, or of each group, in a number of blocks.
fn all_reduce_in_blocks(args: &ProblemArgs, topology: &Topology, blocks: NonZeroU32) -> anyhow::Result<Collective> {
    ensure!(args.root.is_empty(), "--root: an all-reduce has no root; leave it out");
    let groups =
        args.group.iter().map(|text| node_list(topology, "--group", text)).collect::<anyhow::Result<Vec<_>>>()?;
    Collective::all_reduce_in_blocks(topology, &groups, blocks).context("--group")
}

/// Returns the node that an option names.
pub(crate) fn terminal(topology: &Topology, option: &str, text: &str) -> anyhow::Result<NodeId> {
    topology.find_node(text).with_context(|| unknown_node(topology, option, text, "expected a name or a number"))
}

/// Returns the error of a word that names no node: similar names, or what was expected.
fn unknown_node(topology: &Topology, option: &str, word: &str, expected: &str) -> String {
    let advice = topology.similar_nodes(word);
    let advice = advice.as_deref().unwrap_or(expected);
    format!("{option}: {} has no node '{}'; {advice}", topology.name(), one_line(word))
}

/// Returns the nodes of a list, in its order: names, numbers and ranges of numbers, separated by commas.
pub(crate) fn node_list(topology: &Topology, option: &str, text: &str) -> anyhow::Result<Vec<NodeId>> {
    let mut members = Vec::new();
    for item in text.split(',').map(str::trim) {
        let range =
            item.split_once('-').and_then(|(from, to)| Some((from.parse::<u32>().ok()?, to.parse::<u32>().ok()?)));
        match (topology.find_node(item), range) {
            (Some(node), _) => members.push(node),
            (None, Some((from, to))) if from <= to && (to as usize) < topology.node_count() => {
                members.extend((from..=to).map(NodeId::new));
            }
            _ => {
                let expected = "expected a name, a number or a range such as 0-3";
                bail!(unknown_node(topology, option, item, expected))
            }
        }
    }
    Ok(members)
}

/// Returns the collective whose messages a file lists.
fn listed(path: &Path, topology: &Topology) -> anyhow::Result<Collective> {
    let messages = Message::read_list(&input::text(path, "messages, one JSON object per line")?, topology);
    Ok(Collective::custom(messages.with_context(|| input::name(path))?))
}

/// Adds the files that describe a problem.
pub(crate) fn add_files(args: &ProblemArgs, files: &mut CommandFiles) -> anyhow::Result<()> {
    args.network.add_files(&args.spec, files)?;
    args.messages.iter().try_for_each(|path| files.read("--messages", path))
}

/// The parts of a [`Problem`].
#[derive(Debug)]
pub(crate) struct ProblemInput {
    spec: String,
    pub(crate) topology: Topology,
    collective: Collective,
    model: CommunicationModel,
}

impl ProblemInput {
    /// Reads the network and resolves the root. Prints a note if the root is a default.
    pub(crate) fn new(args: &ProblemArgs, verbosity: Verbosity) -> anyhow::Result<Self> {
        let mut topology = args.network.read(&args.spec, verbosity)?;
        if args.model.half_duplex {
            topology = topology.half_duplex();
        }
        // Failed terminals leave a collective of the whole network, as after a failure during operation.
        let whole = (!args.network.failures.is_empty()).then(|| topology.clone());
        topology = args.network.apply_to(topology, verbosity)?;
        let whole = whole.as_ref().unwrap_or(&topology);
        let stated = args.model.model()?;
        let model = stated.on(&topology);
        if model != stated {
            output::note(
                verbosity,
                "--switching sf: a transfer crosses the switches between two terminals in one step",
            );
        }
        let collective = match (&args.messages, args.collective) {
            (None, Some(name)) => named(name, args, whole, &topology, verbosity)?,
            (Some(path), _) => listed(path, whole)?,
            (None, None) => bail!("--collective or --messages is needed"),
        };
        let collective = if args.blocks.is_some() { collective } else { collective.with_chunks(args.model.chunks) };
        let collective = collective.remaining(&topology).into_owned();
        if let (Some(blocks), Some(messages)) = (args.blocks, collective.messages(&topology))
            && args.group.is_empty()
            && messages.len() != blocks.get() as usize
        {
            let left = messages.len();
            let text = format!("--blocks {blocks}: the same number per terminal; {left} are left after the failures");
            output::note(verbosity, &text);
        }
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
            Err(error) if topology.failed_channels().next().is_some() => {
                match Loss::of(&error, collective, *model, topology) {
                    Some(loss @ (Loss::Terminals(_) | Loss::Messages)) => {
                        bail!("{}: {}", topology.name(), loss.describe(topology))
                    }
                    Some(Loss::Root(_)) | None => Err(error).with_context(|| spec.clone()),
                }
            }
            problem => problem.with_context(|| spec.clone()),
        }
    }
}
