//! GOAL: sends, receives and dependencies, for `LogGOPSim` and ATLAHS.
//!
//! Every rank has all its operations. A local operation is a computation of length 0. The network interface of a send or
//! receive is the number of its peer among the peers of the rank, modulo the number of ports of the model.
//!
//! # Source
//!
//! `LogGOPSim`, `src/LogGOPSim/txt2bin.re` and `Parser.hpp`.

use std::num::NonZeroU32;

use lockstep_schedule::Ports;

use super::text::Text;
use crate::error::ExportError;
use crate::export::{Export, ExportFile, Format};
use crate::lower::Connections;
use crate::program::{Action, Program, RankProgram, Receives};

pub(super) const TEXT_FORMAT: Format = Format {
    name: "goal",
    about: "GOAL text for LogGOPSim and ATLAHS, for one size",
    extension: "goal",
    limits: "",
    write: write_text,
};

pub(super) const BINARY_FORMAT: Format = Format {
    name: "goal-binary",
    about: "binary GOAL for LogGOPSim and ATLAHS, for one size",
    extension: "bin",
    limits: "",
    write: write_binary,
};

/// The first number of a binary file.
const COOKIE: u64 = 4223;

/// The greatest number of network interfaces of a rank.
const MAX_INTERFACES: usize = 255;

fn program(export: &Export<'_>) -> Result<Program, ExportError> {
    export.lower(Connections::Routed, Receives::Direct, NonZeroU32::MAX)
}

/// Returns the network interface of each operation of a rank.
fn interfaces(export: &Export<'_>, of_rank: &RankProgram) -> Vec<u8> {
    let peer = |action| match action {
        Action::Send { peer, .. } | Action::Receive { peer, .. } => Some(peer),
        Action::Local { .. } => None,
    };
    let operations = of_rank.operations().iter().map(|operation| peer(operation.action));
    let mut peers: Vec<u32> = operations.clone().flatten().collect();
    peers.sort_unstable();
    peers.dedup();
    let ports = match export.problem.model().ports {
        Ports::All => MAX_INTERFACES,
        Ports::Limit(limit) => (limit.get() as usize).min(MAX_INTERFACES),
    };
    let interface = |peer: u32| (peers.partition_point(|&other| other < peer) % ports) as u8;
    operations.map(|peer| peer.map_or(0, interface)).collect()
}

fn write_text(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let (program, chunk) = (program(export)?, export.chunk_bytes());
    let mut text = Text::default();
    text.line(format_args!("// {}, {chunk} bytes per chunk\nnum_ranks {}", export.title(), program.ranks.len()));
    for (rank, of_rank) in program.ranks.iter().enumerate() {
        text.line(format_args!("\nrank {rank} {{"));
        let interfaces = interfaces(export, of_rank);
        for (index, (operation, nic)) in of_rank.operations().iter().zip(&interfaces).enumerate() {
            let bytes = chunk.saturating_mul(operation.count.into());
            let words = match operation.action {
                Action::Send { peer, tag, .. } => format!("send {bytes}b to {peer} tag {tag} nic {nic}"),
                Action::Receive { peer, tag, .. } => format!("recv {bytes}b from {peer} tag {tag} nic {nic}"),
                Action::Local { .. } => "calc 0".to_owned(),
            };
            text.line(format_args!("o{index}: {words}"));
        }
        for index in 0..of_rank.operations().len() {
            for earlier in of_rank.dependencies(index) {
                text.line(format_args!("o{index} requires o{earlier}"));
            }
        }
        text.push("}\n");
    }
    Ok(ExportFile::only(text.into_string()))
}

fn write_binary(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let (program, chunk) = (program(export)?, export.chunk_bytes());
    let all = program.ranks.iter().map(|of_rank| (of_rank, interfaces(export, of_rank)));
    let (mut bodies, mut max_interface) = (Vec::new(), 0);
    for (of_rank, interfaces) in all {
        max_interface = max_interface.max(interfaces.iter().copied().max().unwrap_or(0));
        bodies.push(binary_rank(of_rank, &interfaces, chunk));
    }
    let mut bytes = COOKIE.to_le_bytes().to_vec();
    bytes.extend((bodies.len() as u32).to_le_bytes());
    bytes.extend([0, max_interface]);
    // Offsets count from the number of ranks on.
    let mut start = (4 + 2 + 16 * bodies.len()) as u64;
    for body in &bodies {
        let end = start + body.len() as u64;
        bytes.extend(start.to_le_bytes());
        bytes.extend(end.to_le_bytes());
        start = end;
    }
    bytes.extend(bodies.concat());
    Ok(ExportFile::only(bytes))
}

/// Returns the bytes of a rank: its roots, its nodes of 39 bytes, and the dependants of all nodes.
fn binary_rank(of_rank: &RankProgram, interfaces: &[u8], chunk: u64) -> Vec<u8> {
    let count = of_rank.operations().len();
    let mut dependants = vec![Vec::new(); count];
    for index in 0..count {
        for &earlier in of_rank.dependencies(index) {
            dependants[earlier as usize].push(index as u32);
        }
    }
    let roots: Vec<u32> =
        (0..count).filter(|&index| of_rank.dependencies(index).is_empty()).map(|root| root as u32).collect();
    let mut bytes = (count as u32).to_le_bytes().to_vec();
    bytes.extend((roots.len() as u32).to_le_bytes());
    bytes.extend(roots.iter().flat_map(|root| root.to_le_bytes()));
    let mut first = 0u32;
    for (index, operation) in of_rank.operations().iter().enumerate() {
        let length = chunk.saturating_mul(operation.count.into());
        let (kind, peer, length, tag) = match operation.action {
            Action::Send { peer, tag, .. } => (1u8, peer, length, tag),
            Action::Receive { peer, tag, .. } => (2, peer, length, tag),
            Action::Local { .. } => (3, 0, 0, 0),
        };
        bytes.extend((of_rank.dependencies(index).len() as u32).to_le_bytes());
        bytes.push(kind);
        bytes.extend(peer.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes.extend(tag.to_le_bytes());
        bytes.extend([0, interfaces[index]]);
        bytes.extend((dependants[index].len() as u32).to_le_bytes());
        bytes.extend(first.to_le_bytes());
        first += dependants[index].len() as u32;
        bytes.extend(0u32.to_le_bytes());
        bytes.extend(first.to_le_bytes());
    }
    bytes.extend(dependants.iter().flatten().flat_map(|dependant| dependant.to_le_bytes()));
    bytes
}
