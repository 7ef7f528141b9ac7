//! The problems of the study, from `data/ablation/*.jsonl`.

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use lockstep::schedule::{Ports, Routing, ScatterRule, Switching};
use lockstep::{Collective, CollectiveName, CommunicationModel, NodeId, Problem, ScheduleFile, Topology};
use lockstep_schedule::strategy::Instance;
use serde::{Deserialize, Serialize};

/// The sets of problems, in the order in which they are planned.
pub(crate) const SETS: [&str; 3] = ["documents", "random", "large"];

/// A line of a set: a problem by specs, or a schedule file without steps.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the file")]
struct Line {
    name: String,
    /// A schedule file as JSON; all fields below are then absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<serde_json::Value>,
    /// The spec of a network.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    network: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    collective: String,
    /// The number of the root; 0 if it is absent.
    #[serde(default, skip_serializing_if = "is_zero")]
    root: u32,
    /// The chunks per message; 1 if it is absent.
    chunks: Option<NonZeroU32>,
    /// The blocks of an all-reduce, if they are few.
    blocks: Option<NonZeroU32>,
    /// Store-and-forward instead of wormhole switching.
    #[serde(default)]
    stored: bool,
    /// The ports of a terminal; all if it is absent.
    ports: Option<u32>,
    /// Any paths instead of the shortest ones.
    #[serde(default)]
    any_path: bool,
    /// Relayed instead of direct scatter messages.
    #[serde(default)]
    relayed: bool,
    #[serde(default)]
    half_duplex: bool,
    /// The number of a link that has failed.
    failed_link: Option<usize>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A problem and its name.
pub(crate) struct NamedProblem {
    /// The name of the set and of the problem: `random/17`.
    pub(crate) name: String,
    pub(crate) instance: Instance,
}

/// Reads the problems of a set.
pub(crate) fn read(folder: &Path, set: &str) -> Result<Vec<NamedProblem>> {
    let path = folder.join(format!("{set}.jsonl"));
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut problems: Vec<NamedProblem> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let place = || format!("{}: line {}", path.display(), number + 1);
        let line: Line = serde_json::from_str(line).with_context(place)?;
        let name = format!("{set}/{}", line.name);
        ensure!(problems.iter().all(|other| other.name != name), "{}: a second problem {name}", place());
        problems.push(NamedProblem { name, instance: line.instance().with_context(place)? });
    }
    Ok(problems)
}

/// Returns the line of a problem that has no spec.
pub(crate) fn line_of(name: String, instance: &Instance) -> Result<String> {
    let file = ScheduleFile::new(&instance.problem(), lockstep::Schedule::new()).to_json();
    let file = Some(serde_json::from_str(&file)?);
    let line: serde_json::Value = serde_json::to_value(Line { name, file, ..Line::default() })?;
    let mut line = line;
    if let serde_json::Value::Object(fields) = &mut line {
        fields.retain(|field, _| field == "name" || field == "file");
    }
    Ok(line.to_string())
}

impl Line {
    fn instance(&self) -> Result<Instance> {
        if let Some(file) = &self.file {
            let file = ScheduleFile::from_json(&file.to_string())?;
            return Ok(Instance {
                topology: file.topology().clone(),
                collective: file.collective().clone(),
                model: file.model(),
            });
        }
        let mut topology: Topology = self.network.parse()?;
        if self.half_duplex {
            topology = topology.half_duplex();
        }
        if let Some(number) = self.failed_link {
            let link = *topology.links().get(number).context("the failed link does not exist")?;
            topology = topology.with_failures([], link);
        }
        let collective = self.collective(&topology)?;
        let model = self.model()?;
        Problem::new(&topology, &collective, model)?;
        Ok(Instance { topology, collective, model })
    }

    fn collective(&self, topology: &Topology) -> Result<Collective> {
        if let Some(blocks) = self.blocks {
            return Ok(Collective::all_reduce_in_blocks(topology, &[], blocks)?);
        }
        let name: CollectiveName = self.collective.parse()?;
        let collective = name.with_root(name.has_root().then_some(NodeId::new(self.root)))?;
        Ok(collective.with_chunks(self.chunks.unwrap_or(NonZeroU32::MIN)))
    }

    fn model(&self) -> Result<CommunicationModel> {
        let model = if self.stored { CommunicationModel::store_and_forward() } else { CommunicationModel::wormhole() };
        let ports = match self.ports {
            None => Ports::All,
            Some(ports) => Ports::limit(ports).context("at least one port")?,
        };
        let routing = if self.any_path { Routing::Any } else { Routing::Minimal };
        let is_relayed = self.relayed || model.switching == Switching::StoreAndForward;
        let scatter = if is_relayed { ScatterRule::Relay } else { ScatterRule::Direct };
        Ok(CommunicationModel { ports, routing, scatter, ..model })
    }
}
