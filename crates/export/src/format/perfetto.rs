//! Chrome trace JSON for Perfetto: tracks of the ranks and the links by both clocks.
//!
//! A group of tracks is a process, a track a thread, a transfer a complete event (`X`). Arrows (`s`, `f`) join sends and
//! their receives. Times are microseconds with three decimals, because Perfetto has a resolution of one nanosecond.
//!
//! # Source
//!
//! Trace Event Format, <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.

use std::collections::BTreeMap;

use serde::Serialize;

use super::text::Text;
use crate::error::ExportError;
use crate::export::{Export, ExportFile, Format};
use crate::timeline::{Part, Slice, Timelines, Track};

pub(super) const FORMAT: Format = Format {
    name: "perfetto",
    about: "timeline of ranks and links for Perfetto (ui.perfetto.dev) and chrome://tracing, for one size",
    extension: "json",
    limits: "",
    write,
};

/// The number of the first thread: a thread with the number of its process would be the main one.
const FIRST_THREAD: usize = 1000;

#[derive(Serialize)]
struct Metadata<'a> {
    ph: &'static str,
    name: &'static str,
    pid: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    tid: Option<usize>,
    args: MetadataArguments<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum MetadataArguments<'a> {
    Name(&'a str),
    SortIndex(usize),
}

/// Arguments of a transfer.
#[derive(Serialize)]
struct Arguments<'a> {
    step: u32,
    message: u32,
    sender: &'a str,
    receiver: &'a str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

fn write(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let timelines = Timelines::new(export)?;
    let mut data = BTreeMap::from([("schedule", export.title())]);
    match timelines.chunk_bytes {
        Some(bytes) => {
            data.extend([("size_bytes", export.options.bytes.to_string()), ("chunk_bytes", bytes.to_string())]);
        }
        None => {
            data.extend([("time", "1 us per chunk and unit of capacity; the network has no bandwidths".to_owned())]);
        }
    }
    let mut text = Text::default();
    text.line(format_args!("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\"traceEvents\":[", json(&data)));
    let (mut thread, mut comma) = (FIRST_THREAD, "");
    for (process, group) in (1..).zip(&timelines.groups) {
        let metadata = |name, tid, args| json(&Metadata { ph: "M", name, pid: process, tid, args });
        let name = metadata("process_name", None, MetadataArguments::Name(&group.name));
        let order = metadata("process_sort_index", None, MetadataArguments::SortIndex(process));
        text.line(format_args!("{comma}{name}\n,{order}"));
        comma = ",";
        for track in &group.tracks {
            let name = metadata("thread_name", Some(thread), MetadataArguments::Name(&track.name));
            let order = metadata("thread_sort_index", Some(thread), MetadataArguments::SortIndex(thread));
            text.line(format_args!(",{name}\n,{order}"));
            let arrows = (process - 1) * timelines.transfers.len();
            track.slices.iter().for_each(|slice| event(&mut text, &timelines, track, slice, [process, thread, arrows]));
            thread += 1;
        }
    }
    text.push("]}\n");
    Ok(ExportFile::only(text.into_string()))
}

/// Writes a slice, and the arrow that begins or ends there. Arrows of a group have the numbers from `arrows` on.
fn event(text: &mut Text, timelines: &Timelines, track: &Track, slice: &Slice, [pid, tid, arrows]: [usize; 3]) {
    let words = &timelines.transfers[slice.transfer];
    let arguments = Arguments {
        step: words.step,
        message: words.message,
        sender: &words.sender,
        receiver: &words.receiver,
        path: &words.path,
        bytes: timelines.chunk_bytes,
    };
    let [begin, end] = [slice.begin, slice.end].map(|picoseconds| picoseconds / 1000);
    let (ts, dur, id) = (microseconds(begin), microseconds(end - begin), arrows + slice.transfer);
    let (name, args) = (json(&words.of_part(track.part)), json(&arguments));
    text.line(format_args!(
        ",{{\"ph\":\"X\",\"cat\":\"transfer\",\"name\":{name},\"pid\":{pid},\"tid\":{tid},\"ts\":{ts},\"dur\":{dur},\"args\":{args}}}"
    ));
    let arrow = match track.part {
        Part::Send => "\"ph\":\"s\"",
        Part::Receive => "\"ph\":\"f\",\"bp\":\"e\"",
        Part::Channel => return,
    };
    text.line(format_args!(
        ",{{{arrow},\"cat\":\"transfer\",\"name\":\"transfer\",\"id\":{id},\"pid\":{pid},\"tid\":{tid},\"ts\":{ts}}}"
    ));
}

fn microseconds(nanoseconds: u128) -> String {
    format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}
