//! Files of ring sets: `lockstep verify`, `lockstep export` and `lockstep render` for them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use lockstep::files::message_line;
use lockstep::topology::ChannelId;
use lockstep_report::{DrawnRing, MarkedChannels, PaperError, PaperFigure, RingDrawing};
use lockstep_rings::format::Devices;
use lockstep_rings::{RingFile, RingKind, RingViolation, verify};
use serde::Serialize;

use super::rings::{Figures, Libraries, RingRecord, library};
use crate::args::{ExportArgs, RingFormat, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::input::{self, Saved};
use crate::output;
use crate::text::{Sheet, counted};

/// The figures of a valid ring set as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ValidRings {
    valid: bool,
    #[serde(flatten)]
    figures: RingRecord,
}

/// Verifies a ring set, and returns its figures for programs and for people.
pub(super) fn verified(file: &RingFile) -> Result<(ValidRings, String), RingViolation> {
    let RingFile { topology, set } = file;
    let load = verify(topology, set)?;
    let figures = Figures::of_set(topology, (set, &load), topology.unit_bytes_per_second());
    let mut sheet = Sheet::default();
    sheet.line("valid", format!("{} on {}", counted(set.len(), set.kind().name()), topology.name()));
    figures.describe(&mut sheet);
    let times = figures.times().map(|table| format!("\n{table}")).unwrap_or_default();
    Ok((ValidRings { valid: true, figures: RingRecord::new(&figures) }, sheet.to_text() + &times))
}

/// Draws a ring set in one picture, with a width in millimetres. Returns also what is wrong with it.
pub(super) fn picture(
    file: &RingFile,
    width_mm: Option<f64>,
) -> Result<(PaperFigure, Option<RingViolation>), PaperError> {
    let RingFile { topology, set } = file;
    let (load, violation) = match verify(topology, set) {
        Ok(load) => (Some(load), None),
        Err(violation) => (None, Some(violation)),
    };
    let kind = set.kind();
    let counts = [counted(set.len(), kind.name()), counted(set.terminals().len(), "terminal")];
    let (mut words, mut busiest) = (counts.join(", each over "), MarkedChannels::default());
    if let Some(load) = &load {
        let figures = Figures::of_set(topology, (set, load), topology.unit_bytes_per_second());
        words = format!("{words}: {}", figures.bandwidth_of(load));
        let meaning = format!("busiest, {}", figures.busiest(load));
        busiest = MarkedChannels { channels: load.busiest().to_vec(), meaning };
    }
    let title = vec![topology.name().to_owned(), words];
    let is_directed = kind == RingKind::Ring;
    let back: BTreeMap<ChannelId, ChannelId> =
        topology.links().into_iter().flat_map(|[one, other]| [(one, other), (other, one)]).collect();
    let ring = |(ring, names): (usize, String)| {
        let mut hops: Vec<Vec<ChannelId>> = set.hops(ring).map(<[ChannelId]>::to_vec).collect();
        if !is_directed {
            let reversed =
                |hop: &Vec<ChannelId>| hop.iter().rev().filter_map(|channel| back.get(channel).copied()).collect();
            let both: Vec<Vec<ChannelId>> = hops.iter().map(reversed).collect();
            hops.extend(both);
        }
        DrawnRing { name: format!("{} {}: {names}", kind.name(), ring + 1), hops, is_directed }
    };
    let rings = library::names(topology, set).enumerate().map(ring).collect();
    let drawing = RingDrawing { topology, title, rings, busiest };
    Ok((PaperFigure::of_rings(&drawing, width_mm)?, violation))
}

/// Writes a ring set for a library.
pub(super) fn export(
    args: &ExportArgs,
    path: &Path,
    format: RingFormat,
    verbosity: Verbosity,
) -> anyhow::Result<ExitStatus> {
    let mut files = CommandFiles::new();
    files.read("the rings", path)?;
    let target = args.output.as_deref().unwrap_or(Path::new("-"));
    let output = files.write("--output", target)?;
    let Saved::Rings(file) = input::saved(path)? else {
        bail!("{}: the file has no rings; find them with lockstep rings NETWORK -o rings.json", input::name(path))
    };
    let RingFile { topology, set } = *file;
    let load = match verify(&topology, &set) {
        Ok(load) => load,
        Err(violation) => {
            output::print(&format!("invalid: {}\n", message_line(&violation.to_string())))?;
            return Ok(ExitStatus::Negative);
        }
    };
    let (rings, devices) = (set.len(), Devices::new(&topology, set.terminals()));
    let notes = library::notes(format, rings, devices.len());
    let unit = args.unit.or(topology.unit_bytes_per_second());
    let libraries = Libraries { topology: &topology, devices, unit, chains: None };
    let text = libraries.write(&(set, load), format, args.library.path_type).with_context(|| input::name(path))?;
    output.write(&text)?;
    for note in &notes {
        output::note(verbosity, note);
    }
    Ok(ExitStatus::Success)
}
