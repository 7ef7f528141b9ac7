//! The JSON file of a ring set: `"format": "lockstep-rings"`, version 1.

use lockstep_files::{FileError, FileKind, to_json_rows};
use lockstep_topology::{ChannelId, NodeId, Topology};
use serde::{Deserialize, Serialize};

use crate::ring_set::{RingKind, RingSet};

/// The kind of files with a ring set.
pub const RINGS_KIND: FileKind = FileKind {
    format: "lockstep-rings",
    noun: "ring set",
    magic: *b"lockring",
    version: 1,
    remedies: &[
        ("lockstep-topology", "a topology alone is no ring set, search for one with `lockstep rings`"),
        ("lockstep-plan", "a plan has steps and no rings, verify it with `lockstep verify`"),
    ],
};

/// A ring set with its network: the contents of a file.
///
/// The set may be wrong. Only [`verify`](crate::verify) says that it is not.
///
/// ```
/// use lockstep_rings::{RingFile, RingKind, RingSet};
/// use lockstep_topology::Topology;
///
/// let pair: Topology = "mesh:1x2".parse()?;
/// let mut set = RingSet::new(RingKind::Ring, pair.terminals().to_vec(), 0);
/// set.push(pair.terminals(), pair.terminals().iter().map(|&node| [pair.out_channels(node)[0]]));
/// let file = RingFile { topology: pair, set };
/// assert_eq!(RingFile::from_json(&file.to_json())?, file);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct RingFile {
    /// The network.
    pub topology: Topology,
    /// The ring set.
    pub set: RingSet,
}

/// Why a text is not a file of a ring set. Each message is one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RingFileError {
    /// The file is of another kind, damaged, or has an invalid field.
    #[error(transparent)]
    File(#[from] FileError),
    /// A ring with another number of hops than its terminals have.
    #[error(
        "field 'rings[{ring}].hops': expected {expected} hops for {terminals} terminals, found {found}; give one path per hop"
    )]
    Hops {
        /// The ring, from 0.
        ring: usize,
        /// The number of terminals of the ring.
        terminals: usize,
        /// The number of hops that they need.
        expected: usize,
        /// The number of hops in the file.
        found: usize,
    },
}

/// A ring in a file.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Ring"))]
#[serde(deny_unknown_fields, expecting = "a ring {\"order\": […], \"hops\": [[…], …]}")]
struct RingRecord {
    /// The terminals in their order.
    order: Vec<NodeId>,
    /// The channels of each hop. The first hop leads from the first terminal to the second.
    hops: Vec<Vec<ChannelId>>,
}

/// The serialized form of a file.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RingSet"))]
#[serde(deny_unknown_fields)]
struct RingFileRecord {
    /// The format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = RINGS_KIND.format)))]
    format: String,
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = RINGS_KIND.version)))]
    version: u32,
    /// The network.
    topology: Topology,
    /// `ring` or `chain`.
    kind: RingKind,
    /// The terminals that each ring visits, if they are not all terminals of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    terminals: Option<Vec<NodeId>>,
    /// The maximum number of terminals inside a hop.
    #[serde(default, skip_serializing_if = "is_zero")]
    relay: u32,
    /// The rings.
    rings: Vec<RingRecord>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl RingFile {
    /// Returns the text of a JSON file, with one line per ring.
    pub fn to_json(&self) -> String {
        let set = &self.set;
        let ring = |ring| RingRecord {
            order: set.order(ring).to_vec(),
            hops: set.hops(ring).map(<[ChannelId]>::to_vec).collect(),
        };
        let record = RingFileRecord {
            format: RINGS_KIND.format.to_owned(),
            version: RINGS_KIND.version,
            topology: self.topology.clone(),
            kind: set.kind(),
            terminals: (set.terminals() != self.topology.terminals()).then(|| set.terminals().to_vec()),
            relay: set.relay(),
            rings: (0..set.len()).map(ring).collect(),
        };
        to_json_rows(&record, 2)
    }

    /// Reads a JSON file. Call [`verify`](crate::verify) with its contents.
    ///
    /// # Errors
    ///
    /// The first [`RingFileError`]. Format and version are checked first.
    pub fn from_json(text: &str) -> Result<Self, RingFileError> {
        let record: RingFileRecord = RINGS_KIND.parse(text)?;
        RINGS_KIND.check(&record.format, record.version.into())?;
        let RingFileRecord { topology, kind, terminals, relay, rings, .. } = record;
        let terminals = terminals.unwrap_or_else(|| topology.terminals().to_vec());
        let mut set = RingSet::new(kind, terminals, relay);
        for (ring, RingRecord { order, hops }) in rings.into_iter().enumerate() {
            let (terminals, expected, found) = (order.len(), kind.hop_count(order.len()), hops.len());
            if found != expected {
                return Err(RingFileError::Hops { ring, terminals, expected, found });
            }
            set.push(&order, hops);
        }
        Ok(Self { topology, set })
    }
}

#[cfg(feature = "schema")]
lockstep_files::schema_of!(RingFile, RingFileRecord);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_are_refused() {
        let refused = |text: &str, part: &str| {
            let error = RingFile::from_json(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        refused("{\"format\": \"lockstep-topology\", \"version\": 1}", "search for one with `lockstep rings`");
        refused("{\"format\": \"lockstep-rings\", \"version\": 2}", "use a newer lockstep");
        let pair: Topology = "mesh:1x2".parse().unwrap();
        let set = RingSet::new(RingKind::Ring, pair.terminals().to_vec(), 0);
        let text = RingFile { topology: pair, set }.to_json();
        let with = |rings: &str| {
            let empty = "\"rings\": []";
            assert!(text.contains(empty), "{text}");
            text.replace(empty, &format!("\"rings\": [{rings}]"))
        };
        assert_eq!(RingFile::from_json(&with("{\"order\": [0, 1], \"hops\": [[0], [1]]}")).unwrap().set.len(), 1);
        refused(
            &with("{\"order\": [0, 1], \"hops\": [[0]]}"),
            "'rings[0].hops': expected 2 hops for 2 terminals, found 1",
        );
        refused(&with("{\"order\": [0, 1]}"), "hops");
        refused(&with("{\"order\": [0, -1], \"hops\": [[0], [1]]}"), "rings[0].order[1]");
    }
}
