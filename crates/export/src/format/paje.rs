//! Paje: tracks of the ranks and the links by both clocks, for Vite and pajeng.
//!
//! A group and a track are containers, a transfer is a state with the value of its step, and an arrow joins a send and its
//! receive. Times are seconds. The file has no comments, because Vite warns of them.
//!
//! # Source
//!
//! L. M. Schnorr, *Paje trace file format*, version 1.2.5 (2013).

use super::text::Text;
use crate::error::ExportError;
use crate::export::{Export, ExportFile, Format};
use crate::timeline::{Part, Timelines};

pub(super) const FORMAT: Format = Format {
    name: "paje",
    about: "Paje trace of ranks and links for Vite and pajeng, for one size",
    extension: "trace",
    limits: "",
    write,
};

/// The events that the file uses, with their fields.
const HEADER: &str = "\
%EventDef PajeDefineContainerType 0
%\tAlias string
%\tType string
%\tName string
%EndEventDef
%EventDef PajeDefineStateType 1
%\tAlias string
%\tType string
%\tName string
%EndEventDef
%EventDef PajeDefineLinkType 2
%\tAlias string
%\tType string
%\tStartContainerType string
%\tEndContainerType string
%\tName string
%EndEventDef
%EventDef PajeDefineEntityValue 3
%\tAlias string
%\tType string
%\tName string
%\tColor color
%EndEventDef
%EventDef PajeCreateContainer 4
%\tTime date
%\tAlias string
%\tType string
%\tContainer string
%\tName string
%EndEventDef
%EventDef PajeDestroyContainer 5
%\tTime date
%\tType string
%\tName string
%EndEventDef
%EventDef PajePushState 6
%\tTime date
%\tType string
%\tContainer string
%\tValue string
%\tTransfer string
%\tPath string
%EndEventDef
%EventDef PajePopState 7
%\tTime date
%\tType string
%\tContainer string
%EndEventDef
%EventDef PajeStartLink 8
%\tTime date
%\tType string
%\tContainer string
%\tValue string
%\tStartContainer string
%\tKey string
%EndEventDef
%EventDef PajeEndLink 9
%\tTime date
%\tType string
%\tContainer string
%\tValue string
%\tEndContainer string
%\tKey string
%EndEventDef
0 Group 0 \"group\"
0 Track Group \"track\"
1 Transfer Track \"transfer\"
2 Arrow Group Track Track \"message\"
";

/// The colours of consecutive steps, which differ for people of all colour visions (Okabe and Ito).
const COLORS: [[u8; 3]; 7] =
    [[0, 114, 178], [230, 159, 0], [0, 158, 115], [213, 94, 0], [86, 180, 233], [204, 121, 167], [240, 228, 66]];

fn write(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let timelines = Timelines::new(export)?;
    let mut text = Text::default();
    text.push(HEADER);
    let steps = timelines.transfers.iter().map(|transfer| transfer.step).max().unwrap_or(0);
    for (step, color) in (1..=steps).zip(COLORS.iter().cycle()) {
        let [red, green, blue] = color.map(|part| f64::from(part) / 255.0);
        text.line(format_args!("3 s{step} Transfer \"step {step}\" \"{red:.3} {green:.3} {blue:.3}\""));
    }
    let (mut events, mut track_number, mut end) = (Vec::new(), 0, 0);
    for (number, group) in timelines.groups.iter().enumerate() {
        text.line(format_args!("4 0 g{number} Group 0 {}", quoted(&group.name)));
        for track in &group.tracks {
            text.line(format_args!("4 0 t{track_number} Track g{number} {}", quoted(&track.name)));
            for slice in &track.slices {
                let words = &timelines.transfers[slice.transfer];
                let (step, path) = (words.step, quoted(&words.path));
                let transfer = quoted(&words.of_part(track.part));
                let key = format!("g{number}k{}", slice.transfer);
                let arrow = format!("Arrow g{number} s{step} t{track_number} {key}");
                let state = format!("Transfer t{track_number} s{step} {transfer} {path}");
                events.push((slice.begin, Event::PushState, state));
                match track.part {
                    Part::Send => events.push((slice.begin, Event::StartLink, arrow)),
                    Part::Receive => events.push((slice.begin, Event::EndLink, arrow)),
                    Part::Channel => {}
                }
                events.push((slice.end, Event::PopState, format!("Transfer t{track_number}")));
                end = end.max(slice.end);
            }
            track_number += 1;
        }
    }
    // The events of a track are in order already. An arrow may end when it starts.
    events.sort_by_key(|&(time, event, _)| (time, event == Event::EndLink));
    for (time, event, fields) in events {
        text.line(format_args!("{} {} {fields}", event as u8, seconds(time)));
    }
    let end = seconds(end);
    (0..track_number).for_each(|track| text.line(format_args!("5 {end} Track t{track}")));
    (0..timelines.groups.len()).for_each(|group| text.line(format_args!("5 {end} Group g{group}")));
    Ok(ExportFile::only(text.into_string()))
}

/// The events with a time, by their numbers in the [`HEADER`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    PushState = 6,
    PopState = 7,
    StartLink = 8,
    EndLink = 9,
}

fn seconds(picoseconds: u128) -> String {
    const PER_SECOND: u128 = 1_000_000_000_000;
    format!("{}.{:012}", picoseconds / PER_SECOND, picoseconds % PER_SECOND)
}

/// Returns a text in quotes. The format has no escapes, so quotes and control characters become spaces.
fn quoted(text: &str) -> String {
    let plain = text.chars().map(|character| if character == '"' || character.is_control() { ' ' } else { character });
    format!("\"{}\"", plain.collect::<String>())
}
