//! The published figures, from `data/papers/fault.json`.

use std::collections::BTreeMap;

use anyhow::Result;
use lockstep::faults::FaultKind;
use serde::Deserialize;

use crate::reproduce::paper_figures;

/// All tables of the paper.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figures {
    #[serde(rename = "paper")]
    _paper: String,
    /// Time in which the published algorithm replans after a fault.
    pub(super) seconds_to_replan: f64,
    pub(super) tables: Vec<Table>,
}

/// A table, or the half of a table that is about one network.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    #[serde(rename = "table")]
    pub(super) number: u8,
    /// The name of the network in the paper.
    pub(super) name: String,
    pub(super) spec: String,
    /// The kind of fault, one at a time; `None` in the table of networks without faults.
    faults: Option<Kind>,
    /// The roots of OAB and OAS, in the order of the published steps.
    pub(super) roots: Vec<String>,
    /// By fault (`none`, a name, or `other` for all faults without a row of their own) and collective.
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
        paper_figures::read("fault.json")
    }
}

impl Table {
    /// Returns the kind of fault.
    pub(super) fn kind(&self) -> Option<FaultKind> {
        Some(match self.faults? {
            Kind::Channels => FaultKind::Channel,
            Kind::Links => FaultKind::Link,
            Kind::Nodes => FaultKind::Node,
        })
    }

    /// Returns true if the paper has a row for this fault.
    pub(super) fn names(&self, fault: &str) -> bool {
        self.rows.contains_key(fault)
    }

    /// Returns the published steps for a fault, a collective and the index of its root.
    pub(super) fn steps(&self, fault: &str, collective: &str, place: usize) -> Option<u32> {
        self.rows.get(fault).or_else(|| self.rows.get("other"))?.get(collective)?.get(place).copied()
    }
}
