//! Lists of messages in JSON Lines.

use std::num::NonZeroU32;

use lockstep_files::{JsonLineError, from_json_lines, one_line};
use lockstep_topology::{NodeId, Topology};
use serde::Deserialize;

use crate::messages::Message;

/// The most nodes in all messages of a list, each message counted once per chunk.
const MAX_ENDPOINTS: u64 = 1 << 22;

/// Why a text is no list of messages.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MessageListError {
    /// A line that is no message.
    #[error(transparent)]
    Line(#[from] JsonLineError),
    /// A node that the network does not have.
    #[error("line {line}, field '{field}': no node '{}'; {advice}", one_line(.node))]
    UnknownNode {
        /// Number of the line, from 1.
        line: usize,
        /// `source` or `receivers`.
        field: &'static str,
        /// The name or number.
        node: String,
        /// Similar names, or what was expected.
        advice: String,
    },
    /// Too many receivers and chunks.
    #[error("line {line}: the list has more than {MAX_ENDPOINTS} receivers in all chunks; use fewer chunks")]
    TooLong {
        /// Number of the line, from 1.
        line: usize,
    },
}

/// A line of the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageLine {
    source: NodeWord,
    receivers: Vec<NodeWord>,
    #[serde(default = "one_chunk")]
    chunks: NonZeroU32,
}

/// A node by number or name.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected the name or number of a node")]
enum NodeWord {
    Number(u32),
    Name(String),
}

fn one_chunk() -> NonZeroU32 {
    NonZeroU32::MIN
}

impl Message {
    /// Reads a list of messages, one JSON object per line. Nodes are names or numbers; `chunks` is 1 if it is absent.
    ///
    /// A message of several chunks appears once per chunk, as [`Collective::custom`](crate::Collective::custom)
    /// expects.
    ///
    /// ```
    /// use lockstep_schedule::{Collective, Message};
    /// use lockstep_topology::Topology;
    ///
    /// let mesh: Topology = "mesh:2x2".parse()?;
    /// let text = r#"{"source": "00", "receivers": [3], "chunks": 2}
    /// {"source": 1, "receivers": ["00", "10"]}"#;
    /// let messages = Message::read_list(text, &mesh)?;
    /// assert_eq!(messages.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first [`MessageListError`], with its line. Whether the messages make a
    /// [`Problem`](crate::Problem) is not verified.
    pub fn read_list(text: &str, topology: &Topology) -> Result<Vec<Self>, MessageListError> {
        let mut messages = Vec::new();
        let mut endpoints = 0u64;
        for record in from_json_lines::<MessageLine>(text) {
            let (line, MessageLine { source, receivers, chunks }) = record?;
            let node = |field, word: &NodeWord| {
                find_node(topology, word).map_err(|node| MessageListError::UnknownNode {
                    line,
                    field,
                    advice: topology.similar_nodes(&node).unwrap_or_else(|| {
                        format!("expected a name or a number from 0 to {}", topology.node_count() - 1)
                    }),
                    node,
                })
            };
            endpoints += (1 + receivers.len() as u64) * u64::from(chunks.get());
            if endpoints > MAX_ENDPOINTS {
                return Err(MessageListError::TooLong { line });
            }
            let source = node("source", &source)?;
            let receivers = receivers.iter().map(|word| node("receivers", word)).collect::<Result<_, _>>()?;
            messages.extend(std::iter::repeat_n(Self { source, receivers }, chunks.get() as usize));
        }
        Ok(messages)
    }
}

/// Returns the node, or the unknown name or number.
fn find_node(topology: &Topology, word: &NodeWord) -> Result<NodeId, String> {
    match word {
        NodeWord::Number(number) if (*number as usize) < topology.node_count() => Ok(NodeId::new(*number)),
        NodeWord::Number(number) => Err(number.to_string()),
        NodeWord::Name(name) => topology.find_node(name).ok_or_else(|| name.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Message::read_list(text, &"mesh:2x2".parse().unwrap()).unwrap_err().to_string()
    }

    #[test]
    fn wrong_lines_are_named() {
        let good = "{\"source\": 0, \"receivers\": [1]}\n";
        assert_eq!(
            error(&format!("{good}\n{{\"source\": 4, \"receivers\": [1]}}")),
            "line 3, field 'source': no node '4'; expected a name or a number from 0 to 3"
        );
        assert_eq!(
            error("{\"source\": 0, \"receivers\": [1, \"20\"]}"),
            "line 1, field 'receivers': no node '20'; expected a name or a number from 0 to 3"
        );
        let zero = error(&format!("{good}{{\"source\": 0, \"receivers\": [1], \"chunks\": 0}}"));
        assert!(zero.starts_with("line 2: field 'chunks': "), "{zero}");
        assert!(error("[1]").starts_with("line 1: "), "{}", error("[1]"));
    }

    #[test]
    fn the_size_of_a_list_is_limited() {
        let text = "{\"source\": 0, \"receivers\": [1], \"chunks\": 2097153}";
        assert!(error(text).starts_with("line 1: the list has more than 4194304 receivers"), "{}", error(text));
    }
}
