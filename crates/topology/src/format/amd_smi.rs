//! The format `amd-smi`: what `amd-smi topology` prints, as tables or as JSON (`--json`).
//!
//! # Grammar
//!
//! The text has tables with titles such as `LINK TYPE TABLE:`, a line of bus ids, and a line per GPU. The JSON is a list with
//! an object per GPU: its number `gpu`, its bus id `bdf`, and `links` with an object per GPU. Before version 24.7 of the
//! program, it has the objects `link_type`, `weight`, `hops`, `numa_bandwidth` and `link_accessibility` with a field such as
//! `gpu_0` per GPU.
//!
//! # Source
//!
//! `amdsmi_cli/amdsmi_commands.py` and `CHANGELOG.md` of github.com/ROCm/amdsmi.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::format::error::{FileFault, ReadError};
use crate::format::gpu_pairs::GpuPairs;
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::json_text;
use crate::format::parsed_graph::ParsedGraph;

const COMMAND: &str = "amd-smi topology";

const LINK_TYPES: &str = "LINK TYPE TABLE";

/// The fields of a link, and the field of a GPU with the same values in old versions.
const FIELDS: [[&str; 2]; 5] = [
    ["link_type", "link_type"],
    ["weight", "weight"],
    ["num_hops", "hops"],
    ["bandwidth", "numa_bandwidth"],
    ["link_status", "link_accessibility"],
];

/// Returns true if a text has the table of link types, or a list of GPUs with links in JSON.
pub(super) fn looks_like(text: &str) -> bool {
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).is_ok_and(|gpus: Vec<Header>| {
            gpus.first().is_some_and(|gpu| gpu.bdf.is_some() && (gpu.links.is_some() || gpu.link_type.is_some()))
        });
    }
    text.lines().any(|line| title(line) == Some(LINK_TYPES))
}

/// Reads the tables, or the JSON. See [`GraphFormat::AmdSmi`](crate::GraphFormat::AmdSmi).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let mut parsed = ParsedGraph::default();
    let mut pairs = GpuPairs { command: COMMAND, ..GpuPairs::default() };
    if text.trim_start().starts_with('[') {
        let gpus: Vec<Gpu> = json_text::parse_value(text)?;
        read_json(&gpus, &mut pairs, &mut parsed)?;
    } else {
        read_tables(text, &mut pairs, &mut parsed)?;
    }
    if pairs.types.names.is_empty() {
        let found = "no link types".to_owned();
        let expected = "the LINK TYPE TABLE or 'link_type'; print all tables with amd-smi topology";
        return Err(ReadError::line(1, FileFault::Unexpected { found, expected }));
    }
    pairs.build(parsed, name, options)
}

fn read_tables<'a>(text: &'a str, pairs: &mut GpuPairs<'a>, parsed: &mut ParsedGraph<'_>) -> Result<(), ReadError> {
    let mut section = "";
    for (number, line) in (1..).zip(text.lines()) {
        let title = title(line);
        section = title.unwrap_or(section);
        let table = match section {
            LINK_TYPES => &mut pairs.types,
            "WEIGHT TABLE" => &mut pairs.weights,
            "HOPS TABLE" => &mut pairs.hops,
            "NUMA BW TABLE" => &mut pairs.bandwidths,
            "ACCESS TABLE" => &mut pairs.access,
            _ => {
                if let Some(other) = title.and_then(|title| title.strip_suffix(" TABLE")) {
                    parsed.ignore("table", &other.to_lowercase());
                }
                continue;
            }
        };
        if title.is_some() && !table.names.is_empty() {
            let found = format!("a second {section}");
            let expected = "the tables of one machine; put each machine into a file of its own";
            return Err(ReadError::line(number, FileFault::Unexpected { found, expected }));
        }
        if title.is_none() {
            table.push_line(number, line, is_bus_id).map_err(|fault| ReadError::line(number, fault))?;
        }
    }
    Ok(())
}

/// Returns the title of a table, or of the legend, behind any prefix of the line.
fn title(line: &str) -> Option<&str> {
    let title = line.trim().strip_suffix(':')?;
    if title.ends_with("Legend") {
        return Some("Legend");
    }
    let is_title = |c: char| c.is_ascii_uppercase() || matches!(c, ' ' | '-');
    let title = &title[title.trim_end_matches(is_title).len()..];
    title.ends_with("TABLE").then(|| title.trim())
}

/// Returns true for a bus id such as `0000:0c:00.0`.
fn is_bus_id(word: &str) -> bool {
    let parts: Vec<&str> = word.split([':', '.']).collect();
    parts.len() == 4 && parts.iter().all(|part| u32::from_str_radix(part, 16).is_ok())
}

/// The fields that tell the format.
#[derive(Deserialize)]
struct Header {
    bdf: Option<IgnoredAny>,
    links: Option<IgnoredAny>,
    link_type: Option<IgnoredAny>,
}

/// A GPU.
#[derive(Deserialize)]
struct Gpu {
    #[serde(rename = "gpu")]
    number: u64,
    bdf: String,
    links: Option<Vec<Link>>,
    /// Other fields; in old versions an object per property of links.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

/// The path from one GPU to another.
#[derive(Deserialize)]
struct Link {
    gpu: u64,
    #[serde(flatten)]
    fields: BTreeMap<String, Value>,
}

fn read_json(gpus: &[Gpu], pairs: &mut GpuPairs<'_>, parsed: &mut ParsedGraph<'_>) -> Result<(), ReadError> {
    let places: BTreeMap<u64, usize> = gpus.iter().enumerate().map(|(place, gpu)| (gpu.number, place)).collect();
    if places.len() < gpus.len() {
        let fault = FileFault::Unsupported("a GPU is in the file twice; put each machine into a file of its own");
        return Err(ReadError::line(1, fault));
    }
    let GpuPairs { types, weights, hops, bandwidths, access, .. } = pairs;
    for ([field, old], table) in FIELDS.into_iter().zip([types, weights, hops, bandwidths, access]) {
        for (place, gpu) in gpus.iter().enumerate() {
            let row = row(gpu, field, old, &places).map_err(|fault| ReadError::field(format!("[{place}]"), fault))?;
            table.rows.extend(row);
        }
        if !table.rows.is_empty() {
            table.line = 1;
            table.names = gpus.iter().map(|gpu| Cow::Owned(gpu.bdf.clone())).collect();
        }
    }
    let known = |field: &str| field == "bdf" || FIELDS.iter().flatten().any(|&known| known == field);
    for gpu in gpus {
        let fields = gpu.links.iter().flatten().flat_map(|link| link.fields.keys());
        for field in fields.chain(gpu.others.keys()).filter(|field| !known(field)) {
            parsed.ignore("link", field);
        }
    }
    Ok(())
}

/// Returns the values of a field for all GPUs, or `None` if the file has not this field.
fn row<'a>(
    gpu: &Gpu,
    field: &str,
    old: &str,
    places: &BTreeMap<u64, usize>,
) -> Result<Option<Vec<Cow<'a, str>>>, FileFault> {
    let values: Vec<(u64, &Value)> = match (&gpu.links, gpu.others.get(old)) {
        (Some(links), _) => links.iter().filter_map(|link| Some((link.gpu, link.fields.get(field)?))).collect(),
        (None, Some(Value::Object(values))) => {
            let number = |key: &str| key.strip_prefix("gpu_")?.parse().ok();
            values.iter().filter_map(|(key, value)| Some((number(key)?, value))).collect()
        }
        _ => Vec::new(),
    };
    if values.is_empty() {
        return Ok(None);
    }
    if values.len() != places.len() {
        let found = format!("'{field}' of {} GPUs for GPU {}", values.len(), gpu.number);
        let expected = "a value for each GPU of the file; print all GPUs";
        return Err(FileFault::Unexpected { found, expected });
    }
    let mut row = vec![Cow::Borrowed(""); places.len()];
    for (number, value) in &values {
        let place = places.get(number).ok_or_else(|| FileFault::UnknownNode { name: format!("gpu {number}") })?;
        row[*place] = Cow::Owned(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    Ok(Some(row))
}
