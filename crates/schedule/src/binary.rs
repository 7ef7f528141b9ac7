//! The binary form of schedule files: sealed, with the same contents as the JSON form.

use std::num::NonZeroU32;

use lockstep_files::{FileError, SealError, append_encoded, append_sealed, decode, encode, open};
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder, TopologyError};
use serde::{Deserialize, Serialize, Serializer};

use crate::collective::Collective;
use crate::compact;
use crate::file::{CURRENT_KIND, KIND, ScheduleFile, ScheduleFileError};
use crate::messages::{Message, MessageId};
use crate::model::{CommunicationModel, Ports, Routing, ScatterRule, Switching};
use crate::name::CollectiveName;
use crate::pattern::Pattern;
use crate::problem::Problem;
use crate::schedule::Schedule;

impl ScheduleFile {
    /// Returns the bytes of a binary file: 2 to 3 bytes per transfer if the transfers of a step are in the order of their
    /// messages and senders, about 6 otherwise. The topology keeps its name, node names and positions.
    ///
    /// The payload is the length of the tables of the problem (8 bytes, little-endian), the tables, and the steps as a stream
    /// of differences.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.append_to(&mut bytes);
        bytes
    }

    /// Appends the bytes of a binary file.
    pub fn append_to(&self, bytes: &mut Vec<u8>) {
        let tables = (problem_tables(self), self.collective.pattern(), RateTables::from(self));
        append_sealed(bytes, CURRENT_KIND.magic, CURRENT_KIND.version, |payload| {
            let length = payload.len();
            payload.extend([0; 8]);
            let start = payload.len();
            append_encoded(payload, &tables);
            let tables = (payload.len() - start) as u64;
            payload[length..start].copy_from_slice(&tables.to_le_bytes());
            compact::write(&self.schedule, payload);
        });
    }

    /// Reads a binary file of version 4, or of version 1, which release 0.1.0 wrote.
    ///
    /// # Errors
    ///
    /// [`FileError::Sealed`](lockstep_files::FileError::Sealed) if the file is truncated, altered or of another kind.
    /// Otherwise the errors of [`from_json`](Self::from_json).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ScheduleFileError> {
        let payload = match open(CURRENT_KIND.magic, CURRENT_KIND.version, bytes) {
            Err(SealError::Version { found: 1, .. }) => {
                let Tables { problem, steps } = KIND.open(bytes)?;
                return problem.into_file(None, RateTables::default(), steps.schedule()?);
            }
            opened => opened.map_err(FileError::from)?,
        };
        let cut = ScheduleFileError::Tables { why: "the tables are longer than the file" };
        let (length, rest) = payload.split_first_chunk().ok_or(cut.clone())?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let (tables, steps) = rest.split_at_checked(length).ok_or(cut)?;
        let (problem, pattern, rates): (ProblemTables, Pattern, RateTables) =
            decode(tables).map_err(FileError::from)?;
        problem.into_file(Some(pattern), rates, compact::read(steps)?)
    }
}

/// The contents of a file of version 1 as flat tables; numbers below 251 take one byte.
#[derive(Deserialize)]
struct Tables {
    problem: ProblemTables,
    steps: StepTables,
}

/// The problem of a file as flat tables.
#[derive(Serialize, Deserialize)]
struct ProblemTables<T = TopologyTables> {
    topology: T,
    model: ModelTable,
    /// Empty for a custom collective.
    collective: String,
    root: Option<NodeId>,
    chunks: NonZeroU32,
    /// Source and receivers of each message; empty for a named collective.
    messages: Vec<(NodeId, Vec<NodeId>)>,
}

/// What version 1 does not have.
#[derive(Serialize, Deserialize, Default)]
struct RateTables {
    /// One per channel; empty if all are 1.
    capacity: Vec<u64>,
    /// One per channel; empty if all are 0.
    latency_ps: Vec<u64>,
    unit_bytes_per_second: Option<u64>,
    /// The nodes that have a host.
    hosts: Vec<(NodeId, String)>,
    /// One per step; empty if all are 1.
    widths: Vec<NonZeroU32>,
}

impl From<&ScheduleFile> for RateTables {
    fn from(file: &ScheduleFile) -> Self {
        let topology = &file.topology;
        let per_channel = |is_stated: bool| is_stated.then(|| topology.channel_numbers()).into_iter().flatten();
        let hosts = topology.nodes().filter_map(|node| Some((node, topology.host(node)?.to_owned())));
        Self {
            capacity: per_channel(topology.has_capacities()).map(|channel| topology.capacity(channel).into()).collect(),
            latency_ps: per_channel(topology.has_latencies()).map(|channel| topology.latency_ps(channel)).collect(),
            unit_bytes_per_second: topology.unit_bytes_per_second(),
            hosts: hosts.collect(),
            widths: file.schedule.widths().to_vec(),
        }
    }
}

/// The steps of a schedule.
#[derive(Serialize, Deserialize)]
struct StepTables {
    /// Number of transfers of each step.
    step_transfers: Vec<u32>,
    /// The message of each transfer.
    message: Vec<MessageId>,
    /// Length of each transfer's path.
    path_channels: Vec<u32>,
    channels: Vec<ChannelId>,
}

impl Schedule {
    /// Returns the bytes of the steps without the problem: at least 4 bytes per transfer. [`unpack`](Self::unpack)
    /// reads them. For a complete file, use [`ScheduleFile::to_bytes`].
    pub fn pack(&self) -> Vec<u8> {
        let steps = StepTables::from(self);
        if self.widths().is_empty() { encode(&steps) } else { encode(&(steps, self.widths().to_vec())) }
    }

    /// Reads the bytes written by [`pack`](Self::pack).
    ///
    /// # Errors
    ///
    /// [`FileError::Sealed`](lockstep_files::FileError::Sealed) or [`ScheduleFileError::Tables`] if the bytes are not a
    /// schedule.
    pub fn unpack(bytes: &[u8]) -> Result<Self, ScheduleFileError> {
        if let Ok(tables) = decode::<StepTables>(bytes) {
            return tables.schedule();
        }
        let (tables, widths) = decode::<(StepTables, Vec<NonZeroU32>)>(bytes).map_err(FileError::from)?;
        let mut schedule = tables.schedule()?;
        if widths.len() != schedule.step_count() {
            return Err(ScheduleFileError::Tables { why: "the number of widths is not the number of steps" });
        }
        schedule.set_widths(widths);
        Ok(schedule)
    }
}

impl From<&Schedule> for StepTables {
    fn from(schedule: &Schedule) -> Self {
        let transfers = || schedule.steps().flat_map(|(_, step)| step.iter());
        Self {
            step_transfers: schedule.steps().map(|(_, step)| step.len() as u32).collect(),
            message: transfers().map(|transfer| transfer.message).collect(),
            path_channels: transfers().map(|transfer| transfer.path.len() as u32).collect(),
            channels: transfers().flat_map(|transfer| transfer.path).copied().collect(),
        }
    }
}

impl StepTables {
    /// Returns the schedule, or an error if the tables contradict each other.
    fn schedule(&self) -> Result<Schedule, ScheduleFileError> {
        let Self { step_transfers, message, path_channels, channels } = self;
        check_lengths(step_transfers, message.len(), path_channels, channels.len())?;
        let mut schedule = Schedule::with_capacity(message.len(), channels.len());
        let mut transfers = message.iter().zip(paths(path_channels, channels));
        for &count in step_transfers {
            schedule.begin_step();
            for (&message, path) in transfers.by_ref().take(count as usize) {
                schedule.push(message, path);
            }
        }
        Ok(schedule)
    }
}

/// The serialized form of a communication model.
#[derive(Serialize, Deserialize)]
pub(crate) struct ModelTable {
    switching: Switching,
    /// Number of ports; 0 for all ports.
    ports: u32,
    routing: Routing,
    scatter: ScatterRule,
}

impl From<CommunicationModel> for ModelTable {
    fn from(model: CommunicationModel) -> Self {
        let CommunicationModel { switching, ports, routing, scatter } = model;
        let ports = match ports {
            Ports::All => 0,
            Ports::Limit(limit) => limit.get(),
        };
        Self { switching, ports, routing, scatter }
    }
}

impl From<ModelTable> for CommunicationModel {
    fn from(table: ModelTable) -> Self {
        let ModelTable { switching, ports, routing, scatter } = table;
        Self { switching, ports: Ports::limit(ports).unwrap_or(Ports::All), routing, scatter }
    }
}

#[derive(Serialize, Deserialize)]
struct TopologyTables<N = Vec<(String, bool, bool)>, C = Vec<(NodeId, NodeId)>> {
    name: String,
    /// Per node: its name, true if it is a terminal, true if it routes.
    nodes: N,
    /// Tail and head of each channel, including failed channels.
    channels: C,
    shared: Vec<Vec<ChannelId>>,
    failed_nodes: Vec<NodeId>,
    failed_channels: Vec<ChannelId>,
    positions: Vec<[f64; 2]>,
}

/// A table that is written row by row. Its iterator knows its length.
struct Rows<I>(I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Rows<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

/// Returns the tables of a file, for writing.
fn problem_tables(file: &ScheduleFile) -> ProblemTables<impl Serialize> {
    let ScheduleFile { topology, collective, model, schedule: _ } = file;
    let messages = match collective.name() {
        Some(_) => Vec::new(),
        None => message_table(&file.problem()),
    };
    ProblemTables {
        topology: topology_tables(topology),
        model: (*model).into(),
        collective: collective.name().map_or("", CollectiveName::abbreviation).to_owned(),
        root: collective.root(),
        chunks: collective.chunks(),
        messages,
    }
}

fn topology_tables(topology: &Topology) -> TopologyTables<impl Serialize, impl Serialize> {
    let node = |node| (topology.node_name(node), topology.is_terminal(node), topology.routes(node));
    let ends = |channel| (topology.tail(channel), topology.head(channel));
    TopologyTables {
        name: topology.name().to_owned(),
        nodes: Rows(topology.nodes().map(node)),
        channels: Rows(topology.channel_numbers().map(ends)),
        shared: topology.shared_groups(),
        failed_nodes: topology.failed_nodes().to_vec(),
        failed_channels: topology.failed_channels().collect(),
        positions: topology.positions().unwrap_or_default().to_vec(),
    }
}

/// Returns the source and receivers of every message, before messages are split into chunks.
fn message_table(problem: &Problem<'_>) -> Vec<(NodeId, Vec<NodeId>)> {
    let messages = problem.messages();
    messages
        .first_chunks()
        .map(|message| (messages.source(message), messages.receivers_iter(message).collect()))
        .collect()
}

impl ProblemTables {
    /// Returns the file. A custom collective has `pattern`, or the pattern that its messages imply if it is `None`.
    fn into_file(
        self,
        pattern: Option<Pattern>,
        rates: RateTables,
        schedule: Schedule,
    ) -> Result<ScheduleFile, ScheduleFileError> {
        let Self { topology, model, collective, root, chunks, messages } = self;
        let collective = if collective.is_empty() {
            let message = |(source, receivers)| Message { source, receivers };
            let messages: Vec<Message> = messages.into_iter().map(message).collect();
            Collective::listed_as(pattern.unwrap_or(Message::implied_pattern(&messages)), messages)
        } else {
            collective.parse().and_then(|name: CollectiveName| name.with_root(root)).map_err(ScheduleFileError::Name)?
        };
        let widths = rates.widths.clone();
        let topology = topology.build(rates).map_err(ScheduleFileError::Topology)?;
        ScheduleFile::checked(topology, collective.with_chunks(chunks), model.into(), schedule)?.with_widths(widths)
    }
}

impl TopologyTables {
    fn build(self, rates: RateTables) -> Result<Topology, TopologyError> {
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
        for (place, capacity) in rates.capacity.into_iter().enumerate() {
            builder.set_capacity([ChannelId::from_index(place)], capacity);
        }
        for (place, latency_ps) in rates.latency_ps.into_iter().enumerate() {
            builder.set_latency([ChannelId::from_index(place)], latency_ps);
        }
        if let Some(unit) = rates.unit_bytes_per_second {
            builder.set_unit(unit);
        }
        // Not in the table of nodes, so a host of an unknown node is left out.
        for (node, host) in rates.hosts.into_iter().filter(|(node, _)| node.index() < nodes as usize) {
            builder.set_host(node, host);
        }
        self.failed_nodes.into_iter().for_each(|node| builder.fail_node(node));
        self.failed_channels.into_iter().for_each(|channel| builder.fail_channel(channel));
        builder.positions(self.positions);
        builder.build()
    }
}

/// Checks that the tables contain all transfers of the steps and all channels of the paths.
pub(crate) fn check_lengths(
    step_transfers: &[u32],
    transfers: usize,
    path_channels: &[u32],
    channels: usize,
) -> Result<(), ScheduleFileError> {
    let total = |counts: &[u32]| counts.iter().fold(0u64, |total, &count| total.saturating_add(count.into()));
    let why = if transfers != path_channels.len() {
        "the number of paths is not the number of transfers"
    } else if total(step_transfers) != transfers as u64 {
        "the number of transfers is not the sum over the steps"
    } else if total(path_channels) != channels as u64 {
        "the number of channels is not the sum over the paths"
    } else if transfers.max(channels) > u32::MAX as usize {
        "there are more than 2^32 - 1 transfers or channel uses"
    } else {
        return Ok(());
    };
    Err(ScheduleFileError::Tables { why })
}

/// Splits `channels` into consecutive paths of these lengths.
pub(crate) fn paths<'a, T>(lengths: &'a [u32], mut channels: &'a [T]) -> impl Iterator<Item = &'a [T]> {
    lengths.iter().map_while(move |&length| {
        let (path, rest) = channels.split_at_checked(length as usize)?;
        channels = rest;
        Some(path)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy::scheduled_instance;

    proptest! {
        #[test]
        fn packed_steps_are_unpacked((_, mut schedule) in scheduled_instance(6), width in 1..4u32) {
            prop_assert_eq!(&Schedule::unpack(&schedule.pack()).unwrap(), &schedule);
            schedule.set_widths(vec![NonZeroU32::new(width).unwrap(); schedule.step_count()]);
            prop_assert_eq!(&Schedule::unpack(&schedule.pack()).unwrap(), &schedule);
        }
    }

    /// The tables of two steps with one transfer over two channels.
    fn tables() -> StepTables {
        let channels = [0, 1].map(ChannelId::new).to_vec();
        StepTables { step_transfers: vec![1, 0], message: vec![MessageId::new(0)], path_channels: vec![2], channels }
    }

    fn refusal(tables: &StepTables) -> String {
        Schedule::unpack(&encode(tables)).unwrap_err().to_string()
    }

    #[test]
    fn packed_steps_have_the_lengths_that_their_tables_state() {
        assert_eq!(Schedule::unpack(&encode(&tables())).unwrap().step_count(), 2);
        let paths = StepTables { path_channels: vec![1, 1], ..tables() };
        assert!(refusal(&paths).contains("the number of paths is not the number of transfers"));
        let transfers = StepTables { step_transfers: vec![1, 1], ..tables() };
        assert!(refusal(&transfers).contains("the number of transfers is not the sum over the steps"));
        let channels = StepTables { path_channels: vec![1], ..tables() };
        assert!(refusal(&channels).contains("the number of channels is not the sum over the paths"));
        let most = u32::MAX as usize;
        assert!(check_lengths(&[u32::MAX], most, &[], most).is_err());
        let widths = vec![NonZeroU32::MIN; 2];
        assert!(Schedule::unpack(&encode(&(tables(), widths.clone()))).is_ok());
        for wrong in [&widths[..1], &[NonZeroU32::MIN; 3]] {
            let error = Schedule::unpack(&encode(&(tables(), wrong.to_vec()))).unwrap_err().to_string();
            assert!(error.contains("the number of widths is not the number of steps"), "{error}");
        }
    }

    #[test]
    fn hosts_of_unknown_nodes_are_left_out() {
        let pair: Topology = "complete:2".parse().unwrap();
        let hosts = (0..4).map(|node| (NodeId::new(node), node.to_string())).collect();
        let rates = RateTables { hosts, ..RateTables::default() };
        let tables: TopologyTables = decode(&encode(&topology_tables(&pair))).unwrap();
        let read = tables.build(rates).unwrap();
        assert_eq!([0, 1].map(|node| read.host(NodeId::new(node))), [Some("0"), Some("1")]);
    }
}
