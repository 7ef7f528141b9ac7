//! Exports: schedules with the choices of their export, files and formats.

use std::num::NonZeroU32;

use lockstep_schedule::{CollectiveName, CollectiveSize, Pattern, Problem, Schedule};

use crate::error::ExportError;
use crate::lower::{Connections, LowerOptions, lower};
use crate::program::{Placement, Program, Receives};

/// The runtimes that read a format, where their limits differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runtime {
    /// RCCL of ROCm before 7.13, for GPUs of AMD.
    Rccl,
    /// The executor for NCCL of Azure, and MSCCL.
    Msccl,
}

/// The choices of an export.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExportOptions {
    /// Whether input and output are one buffer.
    pub placement: Placement,
    /// The paths that the runtime supports; formats for simulators of networks support all.
    pub connections: Connections,
    /// The runtime.
    pub runtime: Runtime,
    /// Bytes of the collective as nccl-tests counts them, for formats with a fixed size.
    pub bytes: u64,
    /// The smallest and the largest size in bytes for which the runtime uses the schedule; 0 is no limit.
    pub sizes: [u64; 2],
}

/// A verified schedule with the choices of its export.
#[derive(Clone, Copy, Debug)]
pub struct Export<'a> {
    /// The problem.
    pub problem: Problem<'a>,
    /// The schedule.
    pub schedule: &'a Schedule,
    /// The choices.
    pub options: ExportOptions,
}

/// Returns the standard collective of all terminals that a problem is; also an all-reduce in any number of blocks.
pub fn standard_collective(problem: &Problem<'_>) -> Option<CollectiveName> {
    let (collective, messages) = (problem.collective(), problem.messages());
    let others = problem.topology().terminal_count() - 1;
    let is_all_reduce = collective.pattern() == Pattern::ReduceBroadcast
        && messages.ids().all(|message| messages.receiver_count(message) == others);
    collective.name().or(is_all_reduce.then_some(CollectiveName::AllReduce))
}

impl Export<'_> {
    /// Returns the word of the collective in the files of MSCCL and MSCCL++.
    ///
    /// # Errors
    ///
    /// If `format` has no word for a list of messages.
    pub(crate) fn msccl_word(&self, format: &'static str) -> Result<&'static str, ExportError> {
        Ok(match standard_collective(&self.problem) {
            Some(CollectiveName::Broadcast) => "broadcast",
            Some(CollectiveName::Scatter) => "scatter",
            Some(CollectiveName::AllGather) => "allgather",
            Some(CollectiveName::AllToAll) => "alltoall",
            Some(CollectiveName::Gather) => "gather",
            Some(CollectiveName::Reduce) => "reduce",
            Some(CollectiveName::ReduceScatter) => "reducescatter",
            Some(CollectiveName::AllReduce) => "allreduce",
            _ => {
                let supported = "the standard collectives of all terminals";
                return Err(ExportError::Collective { format, collective: "list of messages".to_owned(), supported });
            }
        })
    }

    /// Returns the name of the collective and the network in one line of printable characters, for titles and comments.
    pub(crate) fn title(&self) -> String {
        let name = standard_collective(&self.problem).map_or("custom", CollectiveName::word);
        let network = self.problem.topology().name().chars();
        let is_plain = |character: &char| matches!(character, ' '..='~') && !"<>&\"'*/\\".contains(*character);
        let network: String = network.filter(is_plain).take(100).collect();
        format!("{name} on {network}")
    }

    /// Returns the size of a chunk in bytes for the [bytes](ExportOptions::bytes) of the collective, rounded up.
    pub(crate) fn chunk_bytes(&self) -> u64 {
        let size = CollectiveSize::new(&self.problem, self.options.bytes);
        self.problem.collective().chunk_size(size.message_bytes)
    }

    /// Returns the programs of the ranks.
    pub(crate) fn lower(
        &self,
        connections: Connections,
        receives: Receives,
        max_count: NonZeroU32,
    ) -> Result<Program, ExportError> {
        let options = LowerOptions { placement: self.options.placement, receives, connections, max_count };
        Ok(lower(&self.problem, self.schedule, options)?)
    }
}

/// A file of an export.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportFile {
    /// The name in the folder; empty for a format of one file.
    pub name: String,
    /// The contents.
    pub contents: Vec<u8>,
}

impl ExportFile {
    /// Returns the file of a format of one file.
    pub(crate) fn only(contents: impl Into<Vec<u8>>) -> Vec<Self> {
        vec![Self { name: String::new(), contents: contents.into() }]
    }
}

/// A format of files for a runtime or simulator.
#[derive(Clone, Copy)]
pub struct Format {
    /// The name, for users.
    pub name: &'static str,
    /// The consumer, in one line.
    pub about: &'static str,
    /// The extension of the file; empty for a folder.
    pub extension: &'static str,
    /// What the consumer does not support, in one line; empty if it supports everything.
    pub limits: &'static str,
    pub(crate) write: fn(&Export<'_>) -> Result<Vec<ExportFile>, ExportError>,
}

impl Format {
    /// Returns true if the format has several files in a folder.
    pub fn is_folder(&self) -> bool {
        self.extension.is_empty()
    }
}
