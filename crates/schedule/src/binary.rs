//! The binary form of schedule files: an envelope around the same contents as the JSON form.

use std::num::NonZeroU32;

use lockstep_envelope::{decode, encode, open, seal};
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};
use serde::{Deserialize, Serialize};

use crate::collective::CollectiveKind;
use crate::file::{ScheduleFile, ScheduleFileError};
use crate::messages::{Message, MessageId};
use crate::model::{CommunicationModel, Ports, Routing, ScatterRule, Switching};
use crate::name::CollectiveName;
use crate::schedule::Schedule;

const MAGIC: [u8; 8] = *b"lockschd";

const VERSION: u32 = 1;

impl ScheduleFile {
    /// The bytes of a binary file, some 4 bytes a transfer and more; the topology keeps its name, node names and
    /// positions.
    pub fn to_bytes(&self) -> Vec<u8> {
        seal(MAGIC, VERSION, &encode(&Tables::from(self)))
    }

    /// The contents of a binary file.
    ///
    /// # Errors
    ///
    /// [`ScheduleFileError::Envelope`] if the file is truncated, altered or of another kind, else as
    /// [`from_json`](Self::from_json).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ScheduleFileError> {
        decode::<Tables>(open(MAGIC, VERSION, bytes)?)?.try_into()
    }
}

/// Everything in flat tables; numbers below 251 take one byte.
#[derive(Serialize, Deserialize)]
struct Tables {
    topology: TopologyTables,
    switching: Switching,
    /// 0 for all.
    ports: u32,
    routing: Routing,
    scatter: ScatterRule,
    /// Empty for a custom collective.
    collective: String,
    root: Option<NodeId>,
    chunks: NonZeroU32,
    /// Source and receivers, of a custom collective only.
    messages: Vec<(NodeId, Vec<NodeId>)>,
    /// Number of transfers of each step.
    step_transfers: Vec<u32>,
    /// By transfer.
    message: Vec<MessageId>,
    /// Number of channels of each transfer's path.
    path_channels: Vec<u32>,
    channels: Vec<ChannelId>,
}

#[derive(Serialize, Deserialize)]
struct TopologyTables {
    name: String,
    /// Name, whether a terminal, whether it routes.
    nodes: Vec<(String, bool, bool)>,
    /// Tail and head.
    channels: Vec<(NodeId, NodeId)>,
    shared: Vec<Vec<ChannelId>>,
    positions: Vec<[f64; 2]>,
}

impl From<&ScheduleFile> for Tables {
    fn from(file: &ScheduleFile) -> Self {
        let ScheduleFile { topology, collective, model, schedule } = file;
        let messages = match &collective.kind {
            CollectiveKind::Custom(messages) => {
                messages.iter().map(|message| (message.source, message.receivers.clone())).collect()
            }
            _ => Vec::new(),
        };
        let transfers = || schedule.steps().flat_map(|(_, step)| step.iter());
        Self {
            topology: topology.into(),
            switching: model.switching,
            ports: match model.ports {
                Ports::All => 0,
                Ports::Limit(limit) => limit.get(),
            },
            routing: model.routing,
            scatter: model.scatter,
            collective: collective.name().map_or("", CollectiveName::abbreviation).to_owned(),
            root: collective.root(),
            chunks: collective.chunks,
            messages,
            step_transfers: schedule.steps().map(|(_, step)| step.len() as u32).collect(),
            message: transfers().map(|transfer| transfer.message).collect(),
            path_channels: transfers().map(|transfer| transfer.path.len() as u32).collect(),
            channels: transfers().flat_map(|transfer| transfer.path).copied().collect(),
        }
    }
}

impl From<&Topology> for TopologyTables {
    fn from(topology: &Topology) -> Self {
        let node = |node| (topology.node_name(node).to_owned(), topology.is_terminal(node), topology.routes(node));
        Self {
            name: topology.name().to_owned(),
            nodes: topology.nodes().map(node).collect(),
            channels: topology.channels().map(|channel| (topology.tail(channel), topology.head(channel))).collect(),
            shared: topology.shared_groups(),
            positions: topology.positions().unwrap_or_default().to_vec(),
        }
    }
}

impl TryFrom<Tables> for ScheduleFile {
    type Error = ScheduleFileError;

    fn try_from(tables: Tables) -> Result<Self, ScheduleFileError> {
        let schedule = schedule(&tables)?;
        let Tables { topology, switching, ports, routing, scatter, collective, root, chunks, messages, .. } = tables;
        let model =
            CommunicationModel { switching, ports: Ports::limit(ports).unwrap_or(Ports::All), routing, scatter };
        let collective = if collective.is_empty() {
            let message = |(source, receivers)| Message { source, receivers };
            CollectiveKind::Custom(messages.into_iter().map(message).collect()).into()
        } else {
            collective.parse::<CollectiveName>()?.with_root(root)?
        };
        Self::checked(topology.build()?, collective.with_chunks(chunks), model, schedule)
    }
}

impl TopologyTables {
    fn build(self) -> Result<Topology, ScheduleFileError> {
        let (nodes, channels) = (self.nodes.len() as u64, self.channels.len() as u64);
        let mut builder = TopologyBuilder::sized(self.name, nodes, channels)?;
        for (name, terminal, routes) in self.nodes {
            builder.node(name, terminal, Some(routes));
        }
        for (tail, head) in self.channels {
            builder.channel(tail, head);
        }
        for group in self.shared {
            builder.share(group);
        }
        builder.positions(self.positions);
        Ok(builder.build()?)
    }
}

/// The schedule, if the tables' lengths fit together.
fn schedule(tables: &Tables) -> Result<Schedule, ScheduleFileError> {
    let contradiction = |why| ScheduleFileError::Tables { why };
    let mut schedule = Schedule::with_capacity(tables.message.len(), tables.channels.len());
    let mut transfers = tables.message.iter().zip(&tables.path_channels);
    let mut channels = tables.channels.as_slice();
    if tables.message.len() != tables.path_channels.len() {
        return Err(contradiction("not every transfer has a path"));
    }
    for &count in &tables.step_transfers {
        schedule.begin_step();
        for _ in 0..count {
            let (&message, &length) = transfers.next().ok_or(contradiction("a step lacks transfers"))?;
            let (path, rest) =
                channels.split_at_checked(length as usize).ok_or(contradiction("a path lacks channels"))?;
            channels = rest;
            if !schedule.try_push(message, path) {
                return Err(contradiction("there are more than 2^32 - 1 transfers or channel uses"));
            }
        }
    }
    if transfers.next().is_some() || !channels.is_empty() {
        return Err(contradiction("transfers or channels are left over"));
    }
    Ok(schedule)
}
