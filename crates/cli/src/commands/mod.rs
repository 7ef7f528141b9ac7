//! The commands: one file or folder per command.

pub(crate) mod bound;
pub(crate) mod complete;
pub(crate) mod completions;
pub(crate) mod design;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod faults;
pub(crate) mod front;
mod front_directory;
mod front_page;
mod front_plot;
pub(crate) mod judge;
mod judge_times;
pub(crate) mod man;
mod network_file;
pub(crate) mod plan;
mod plan_file;
mod program_file;
pub(crate) mod render;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod simulate;
mod size_ranges;
pub(crate) mod time;
mod times;
pub(crate) mod topology;
pub(crate) mod verify;
