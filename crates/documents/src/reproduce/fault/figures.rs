//! The document's figures, from `data/papers/fault.json`.

use anyhow::Result;
use lockstep::faults::FaultKind;
use serde::Deserialize;
use std::collections::BTreeMap;

use crate::reproduce::figures;

/// All tables of the document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figures {
    #[serde(rename = "paper")]
    _paper: String,
    /// What it takes the document's algorithm to plan anew after a fault.
    pub(super) seconds_to_plan_anew: f64,
    pub(super) tables: Vec<Table>,
}

/// A table, or the half of one that is about one network.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    #[serde(rename = "table")]
    pub(super) number: u8,
    /// As the document calls the network.
    pub(super) name: String,
    pub(super) spec: String,
    /// What fails, one at a time; nothing in the table of whole networks.
    faults: Option<Kind>,
    /// The roots of OAB and OAS, in the order of the steps.
    pub(super) roots: Vec<String>,
    /// By fault: `none`, a name, or `other` for all faults without a row of their own.
    rows: BTreeMap<String, BTreeMap<String, Vec<u32>>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Channels,
    Links,
    Nodes,
}

impl Figures {
    pub(super) fn read() -> Result<Self> {
        figures("fault.json")
    }
}

impl Table {
    /// What fails, one at a time.
    pub(super) fn kind(&self) -> Option<FaultKind> {
        Some(match self.faults? {
            Kind::Channels => FaultKind::Channel,
            Kind::Links => FaultKind::Link,
            Kind::Nodes => FaultKind::Node,
        })
    }

    /// Whether the document prints a row for this very fault.
    pub(super) fn names(&self, fault: &str) -> bool {
        self.rows.contains_key(fault)
    }

    /// The document's steps for a fault, a collective and the place of its root.
    pub(super) fn steps(&self, fault: &str, collective: &str, place: usize) -> Option<u32> {
        self.rows.get(fault).or_else(|| self.rows.get("other"))?.get(collective)?.get(place).copied()
    }
}
