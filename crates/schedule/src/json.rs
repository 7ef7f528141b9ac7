//! The JSON form of schedule files: `"format": "lockstep-schedule"`, version 4; versions 1 to 3 are read.

use std::fmt;
use std::num::NonZeroU32;

use lockstep_files::{FileError, FileKind, to_json_rows};
use lockstep_topology::{ChannelId, NodeId, Topology};
use serde::de::{self, SeqAccess, Visitor};
use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::collective::Collective;
use crate::file::{CURRENT_KIND, KIND, PATTERN_KIND, RATES_KIND, ScheduleFile, ScheduleFileError};
use crate::messages::{Message, MessageId, Messages, Receivers};
use crate::model::CommunicationModel;
use crate::name::CollectiveName;
use crate::pattern::Pattern;
use crate::schedule::{Schedule, Step, Transfer};
use crate::steps::{StepList, read_steps};

/// All versions, oldest first.
const KINDS: [FileKind; 4] = [KIND, PATTERN_KIND, RATES_KIND, CURRENT_KIND];

/// The `kind` of a collective that lists its messages.
const CUSTOM: &str = "custom";

/// Maximum number of receivers that `"all"` may stand for in all custom messages together: 256 MiB.
const MAX_LISTED_RECEIVERS: usize = 1 << 26;

impl ScheduleFile {
    /// Returns the text of a JSON file: one line per field and one line per step, at least 30 bytes per transfer.
    pub fn to_json(&self) -> String {
        to_json_rows(self, 2)
    }

    /// Reads a JSON file.
    ///
    /// # Errors
    ///
    /// The first [`ScheduleFileError`]. Format and version are checked first.
    pub fn from_json(text: &str) -> Result<Self, ScheduleFileError> {
        let mut record = KINDS[0].parse::<Record>(text);
        for newer in &KINDS[1..] {
            if let Err(FileError::Version { .. }) = record {
                record = newer.parse(text);
            }
        }
        record?.try_into()
    }
}

/// The serialized form of a schedule file. Conversion checks it.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Schedule"))]
#[serde(deny_unknown_fields)]
struct Record {
    /// The format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = CURRENT_KIND.format)))]
    format: String,
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = CURRENT_KIND.version)))]
    version: u32,
    /// The network.
    topology: Topology,
    /// The communication model.
    model: CommunicationModel,
    /// The collective.
    collective: CollectiveRecord,
    /// All messages, once per chunk. Optional unless the collective is custom.
    messages: Option<Vec<MessageRecord>>,
    /// The transfers of each step.
    steps: Schedule,
    /// The width of each step, if one is not 1. From version 3 on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    widths: Vec<NonZeroU32>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Collective"))]
#[serde(deny_unknown_fields)]
struct CollectiveRecord {
    /// The name of the collective, or `custom` for listed messages.
    kind: String,
    /// The root of a broadcast, scatter, gather or reduction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<NodeId>,
    /// The pattern of a custom collective, if the messages do not imply it. From version 2 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pattern: Option<Pattern>,
    /// The number of chunks of each message.
    #[serde(default = "one_chunk")]
    chunks: NonZeroU32,
}

fn one_chunk() -> NonZeroU32 {
    NonZeroU32::MIN
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Message"))]
#[serde(deny_unknown_fields)]
struct MessageRecord {
    /// The node that has the message at the start; in a reduction, the owner of the sum.
    source: NodeId,
    /// The nodes that receive the message, or `all` for all other terminals.
    receivers: ReceiversRecord,
}

#[derive(PartialEq)]
enum ReceiversRecord {
    All,
    List(Vec<NodeId>),
}

impl TryFrom<Record> for ScheduleFile {
    type Error = ScheduleFileError;

    fn try_from(record: Record) -> Result<Self, ScheduleFileError> {
        let file_kind = KINDS.into_iter().find(|kind| kind.version == record.version).unwrap_or(CURRENT_KIND);
        file_kind.check(&record.format, record.version.into())?;
        let Record { topology, model, collective, messages, steps, widths, .. } = record;
        let CollectiveRecord { kind, root, pattern, chunks } = collective;
        if pattern.is_some() && (kind != CUSTOM || file_kind == KIND) {
            let why = "only a custom collective from version 2 on states its pattern; leave the field out";
            return Err(ScheduleFileError::Pattern { why });
        }
        let listed = messages.as_deref();
        let collective = if kind == CUSTOM {
            let why = || "a custom collective needs its messages; list them".to_owned();
            let listed = listed.ok_or_else(|| ScheduleFileError::Messages { why: why() })?;
            let messages = custom_messages(&topology, listed, chunks)?;
            Collective::listed_as(pattern.unwrap_or(Message::implied_pattern(&messages)), messages)
        } else {
            kind.parse().and_then(|name: CollectiveName| name.with_root(root)).map_err(ScheduleFileError::Name)?
        };
        if !widths.is_empty() && file_kind.version < RATES_KIND.version {
            let why = "only files from version 3 on have widths; leave the field out".to_owned();
            return Err(ScheduleFileError::Widths { why });
        }
        let file = Self::checked(topology, collective.with_chunks(chunks), model, steps)?.with_widths(widths)?;
        if kind != CUSTOM
            && let Some(listed) = listed
        {
            check_messages(&file, listed)?;
        }
        Ok(file)
    }
}

/// Returns the messages of a custom collective. The file lists each message once per chunk.
fn custom_messages(
    topology: &Topology,
    listed: &[MessageRecord],
    chunks: NonZeroU32,
) -> Result<Vec<Message>, ScheduleFileError> {
    let error = |why| Err(ScheduleFileError::Messages { why });
    let chunks = chunks.get() as usize;
    let mut total = 0usize;
    let mut messages = Vec::with_capacity(listed.len() / chunks);
    for (group, copies) in listed.chunks(chunks).enumerate() {
        let number = group * chunks;
        let [MessageRecord { source, receivers }, rest @ ..] = copies else {
            continue;
        };
        if copies.len() < chunks || rest.iter().any(|copy| (copy.source, &copy.receivers) != (*source, receivers)) {
            return error(format!("message {number} must be listed {chunks} times, once per chunk; repeat it"));
        }
        let receivers = match receivers {
            ReceiversRecord::List(list) => list.clone(),
            ReceiversRecord::All => {
                total = total.saturating_add(topology.terminal_count());
                if total > MAX_LISTED_RECEIVERS {
                    return error(format!("message {number} has too many receivers; use a named collective"));
                }
                topology.terminals().iter().copied().filter(|terminal| terminal != source).collect()
            }
        };
        messages.push(Message { source: *source, receivers });
    }
    Ok(messages)
}

/// Checks that the listed messages are those of the named collective.
fn check_messages(file: &ScheduleFile, listed: &[MessageRecord]) -> Result<(), ScheduleFileError> {
    let error = |why| Err(ScheduleFileError::Messages { why });
    let (messages, kind) = (file.problem().messages(), file.collective().word());
    if listed.len() != messages.len() {
        let (found, expected) = (listed.len(), messages.len());
        return error(format!(
            "found {found} messages, but {kind} has {expected} on this network; leave the field out"
        ));
    }
    for (message, record) in messages.ids().zip(listed) {
        let same_source = record.source == messages.source(message);
        if !same_source || !same_receivers(&messages, message, &record.receivers) {
            let field = if same_source { "receivers" } else { "source" };
            return error(format!("message {message} differs from {kind} in its {field}; leave the field out"));
        }
    }
    Ok(())
}

fn same_receivers(messages: &Messages<'_>, message: MessageId, listed: &ReceiversRecord) -> bool {
    match (messages.receivers(message), listed) {
        (Receivers::AllOthers, ReceiversRecord::All) => true,
        (Receivers::One(receiver), ReceiversRecord::List(list)) => *list == [receiver],
        // On two terminals, "all" is a single receiver.
        (Receivers::One(_), ReceiversRecord::All) => !messages.is_scatter(),
        (_, ReceiversRecord::List(list)) => {
            let mut list = list.clone();
            list.sort_unstable();
            messages.receivers_iter(message).eq(list)
        }
        (Receivers::List(_), ReceiversRecord::All) => false,
    }
}

impl Serialize for ScheduleFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (problem, collective) = (self.problem(), &self.collective);
        let kind = collective.name().map_or(CUSTOM, CollectiveName::word).to_owned();
        let pattern = (!collective.implies_pattern()).then(|| collective.pattern());
        let mut file =
            serializer.serialize_struct("ScheduleFile", 7 + usize::from(!self.schedule.widths().is_empty()))?;
        file.serialize_field("format", CURRENT_KIND.format)?;
        file.serialize_field("version", &CURRENT_KIND.version)?;
        file.serialize_field("topology", &self.topology)?;
        file.serialize_field("model", &self.model)?;
        file.serialize_field(
            "collective",
            &CollectiveRecord { kind, root: collective.root(), pattern, chunks: collective.chunks() },
        )?;
        file.serialize_field("messages", &MessageList(problem.messages()))?;
        file.serialize_field("steps", &self.schedule)?;
        if !self.schedule.widths().is_empty() {
            file.serialize_field("widths", self.schedule.widths())?;
        }
        file.end()
    }
}

impl<'de> Deserialize<'de> for ScheduleFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Record::deserialize(deserializer)?.try_into().map_err(de::Error::custom)
    }
}

/// All messages, including chunks: the message number of a transfer is an index of this list.
struct MessageList<'a>(Messages<'a>);

impl Serialize for MessageList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(messages) = self;
        serializer.collect_seq(messages.ids().map(|message| {
            let receivers = match messages.receivers(message) {
                Receivers::AllOthers => ReceiversRecord::All,
                Receivers::One(receiver) => ReceiversRecord::List(vec![receiver]),
                Receivers::List(list) => ReceiversRecord::List(list.to_vec()),
            };
            MessageRecord { source: messages.source(message), receivers }
        }))
    }
}

impl Serialize for ReceiversRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => serializer.serialize_str("all"),
            Self::List(list) => list.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ReceiversRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = ReceiversRecord;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"all\" or a list of node numbers")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Self::Value, E> {
                if word == "all" {
                    Ok(ReceiversRecord::All)
                } else {
                    Err(E::invalid_value(de::Unexpected::Str(word), &self))
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(de::value::SeqAccessDeserializer::new(list)).map(ReceiversRecord::List)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut steps = serializer.serialize_seq(Some(self.step_count()))?;
        for (_, step) in self.steps() {
            steps.serialize_element(&step)?;
        }
        steps.end()
    }
}

impl Serialize for Step<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl Serialize for Transfer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut transfer = serializer.serialize_struct("Transfer", 2)?;
        transfer.serialize_field("message", &self.message)?;
        transfer.serialize_field("path", self.path)?;
        transfer.end()
    }
}

/// The serialized form of a transfer.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Transfer"))]
#[serde(deny_unknown_fields)]
pub(crate) struct TransferRecord {
    /// The number of the message.
    message: MessageId,
    /// The channels, in order.
    path: Vec<ChannelId>,
}

impl StepList for Schedule {
    type Transfer = TransferRecord;

    fn begin_step(&mut self) {
        Self::begin_step(self);
    }

    fn try_push(&mut self, TransferRecord { message, path }: TransferRecord) -> bool {
        Self::try_push(self, message, &path)
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_steps(deserializer)
    }
}

#[cfg(feature = "schema")]
lockstep_files::schema_of!(ScheduleFile, Record);

#[cfg(feature = "schema")]
lockstep_files::schema_of!(Schedule, Vec<Vec<TransferRecord>>);

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ReceiversRecord {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Receivers".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let list = generator.subschema_for::<Vec<NodeId>>();
        schemars::json_schema!({ "anyOf": [{ "const": "all" }, list] })
    }
}
