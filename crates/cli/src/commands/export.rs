//! `lockstep export`: schedules as files and programs for runtimes and simulators.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use lockstep::files::message_line;
use lockstep::topology::Sizes;
use lockstep_export::{
    CollectionPlan, Connections, Export, ExportError, ExportFile, ExportOptions, FORMATS, Format, LowerError,
    Placement, format_named,
};
use lockstep_report::Table;

use super::front_directory::{SIZES_FILE, read_ranges};
use super::ring_file;
use crate::args::{ExportArgs, RingFormat, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::input::Saved;
use crate::text::path_name;
use crate::{input, output};

/// The size of the collective in formats of one size.
const DEFAULT_SIZE: u64 = 1 << 20;
/// The sizes of a schedule for all sizes.
const NO_LIMITS: [u64; 2] = [0, 0];
/// Added to a size, it changes the files of all formats of one size.
const OTHER_SIZE: u64 = 1 << 40;

pub(crate) fn run(args: &ExportArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    if args.list {
        output::print(&format_list())?;
        return Ok(ExitStatus::Success);
    }
    if let (Some(file), Some(chosen)) = (&args.file, args.to)
        && let Some(format) = RingFormat::for_library(chosen.name)
    {
        return ring_file::export(args, file, format, verbosity);
    }
    let (Some(file), Some(format)) = (&args.file, args.to.and_then(|chosen| format_named(chosen.name))) else {
        bail!("give a plan and a format, or --list");
    };
    if args.to.is_some_and(|chosen| chosen.is_short) {
        output::note(verbosity, &format!("format: {}", format.name));
    }
    let mut files = CommandFiles::new();
    let sources = sources(args, file, &mut files)?;
    let is_directory = format.is_folder() || file.is_dir();
    let target = args.output.as_deref().unwrap_or(Path::new("-"));
    ensure!(
        !is_directory || args.output.is_some(),
        "{}: the format or the input has several files; add -o DIR",
        format.name
    );
    let (mut written, mut plans) = (Vec::new(), Vec::new());
    for source in &sources {
        let saved = input::saved_steps(&source.file)?;
        let exported = match export(args, format, source, &saved, verbosity) {
            Err(error) if is_invalid(&error) => {
                output::print(&format!("invalid: {}\n", message_line(&format!("{error:#}"))))?;
                return Ok(ExitStatus::Negative);
            }
            exported => exported.with_context(|| input::name(&source.file))?,
        };
        if let (Some(name), Some(file)) = (&source.name, saved.schedule()) {
            let options = options(args, DEFAULT_SIZE, source.sizes);
            let export = Export { problem: file.problem(), schedule: file.schedule(), options };
            plans.extend(CollectionPlan::new(&export, format!("{name}.{}", format.extension)));
        }
        // The files of several plans have the names of their plans.
        let base = match &source.name {
            None => target.to_owned(),
            Some(name) if format.is_folder() => target.join(name),
            Some(name) => target.join(format!("{name}.{}", format.extension)),
        };
        let path = |name: &str| if name.is_empty() { base.clone() } else { base.join(name) };
        written.extend(exported.into_iter().map(|ExportFile { name, contents }| (path(&name), contents)));
    }
    if let Some(ExportFile { name, contents }) = format.collection(&plans) {
        written.push((target.join(name), contents));
    }
    if is_directory {
        for directory in written.iter().filter_map(|(path, _)| path.parent()) {
            let refused = || format!("{}: cannot make the directory", path_name(directory));
            fs::create_dir_all(directory).with_context(refused)?;
        }
    }
    let outputs: Vec<_> = written.iter().map(|(path, _)| files.write("--output", path)).collect::<Result<_, _>>()?;
    for (output, (_, contents)) in outputs.into_iter().zip(&written) {
        output.write_bytes(contents, || String::from_utf8_lossy(contents).into_owned())?;
    }
    Ok(ExitStatus::Success)
}

/// A plan, and the sizes for which it is exported.
struct Source {
    file: PathBuf,
    /// The name of the plan among several ones, without extension.
    name: Option<String>,
    /// The smallest and largest size; 0 is no limit.
    sizes: [u64; 2],
}

/// Returns the plans of the input: one file, or those of a front.
fn sources(args: &ExportArgs, file: &Path, files: &mut CommandFiles) -> anyhow::Result<Vec<Source>> {
    if !file.is_dir() {
        files.read("the schedule", file)?;
        let mut sizes = [args.min_bytes, args.max_bytes].map(Option::unwrap_or_default);
        if let Some(range) = args.size.as_ref().filter(|sizes| sizes.single().is_none()) {
            ensure!(
                args.min_bytes.or(args.max_bytes).is_none(),
                "--min-bytes, --max-bytes: --size has these sizes already; leave the options out"
            );
            sizes = range.bounds();
        }
        ensure!(sizes[1] == 0 || sizes[0] <= sizes[1], "--min-bytes exceeds --max-bytes; exchange them");
        return Ok(vec![Source { file: file.to_owned(), name: None, sizes }]);
    }
    ensure!(
        args.min_bytes.or(args.max_bytes).is_none(),
        "--min-bytes, --max-bytes: the table of sizes of a front has the sizes; remove the options"
    );
    ensure!(
        args.size.as_ref().is_none_or(|sizes| sizes.single().is_some()),
        "--size: the table of sizes of a front has the sizes; give one size, or none"
    );
    let table = file.join(SIZES_FILE);
    files.read("the table of sizes", &table)?;
    let mut sources = Vec::new();
    for range in read_ranges(&table)? {
        let (plan, name) = (file.join(&range.file), Path::new(&range.file).file_stem());
        files.read("the schedule", &plan)?;
        let name = name.map(|name| name.to_string_lossy().into_owned());
        sources.push(Source { file: plan, name, sizes: [range.from_bytes, range.to_bytes] });
    }
    Ok(sources)
}

/// Returns the choices of an export, for a size in formats of one size and for a range.
fn options(args: &ExportArgs, bytes: u64, sizes: [u64; 2]) -> ExportOptions {
    ExportOptions {
        placement: if args.in_place { Placement::InPlace } else { Placement::OutOfPlace },
        connections: if args.routed { Connections::Routed } else { Connections::Direct },
        runtime: args.runtime.into(),
        bytes,
        sizes,
    }
}

fn export(
    args: &ExportArgs,
    format: &Format,
    source: &Source,
    saved: &Saved,
    verbosity: Verbosity,
) -> anyhow::Result<Vec<ExportFile>> {
    let file = saved.schedule().context("a symmetric schedule holds one source only; plan without --symmetric")?;
    let write = |bytes: u64, sizes: [u64; 2]| {
        let options = options(args, bytes, sizes);
        format.write(&Export { problem: file.problem(), schedule: file.schedule(), options })
    };
    let [least, most] = source.sizes;
    let most = if most == 0 { u64::MAX } else { most.max(least) };
    let bounds = args.size.as_ref().map_or([DEFAULT_SIZE; 2], Sizes::bounds);
    let [smallest, largest] = bounds.map(|bytes| bytes.clamp(least.max(1), most));
    let written = write(smallest, source.sizes)?;
    // The files of a format of one size depend on the size, those for runtimes that select by size on the range.
    if let Some(sizes) = args.size.as_ref().filter(|sizes| sizes.single().is_none())
        && written != write(largest, source.sizes)?
    {
        bail!("--size {sizes}: {} is a format of one size; give one", format.name);
    }
    if source.name.is_some() {
        return Ok(written);
    }
    if source.sizes != NO_LIMITS && written == write(bounds[0], NO_LIMITS)? {
        let options = if args.size.is_some() { "--size" } else { "--min-bytes, --max-bytes" };
        output::note(verbosity, &format!("{options}: {} has no range of sizes; the range has no effect", format.name));
    }
    if args.size.as_ref().is_some_and(|sizes| sizes.single().is_some())
        && write(smallest.saturating_add(OTHER_SIZE), source.sizes).is_ok_and(|other| other == written)
    {
        output::note(verbosity, &format!("--size: {} is for all sizes; the option has no effect", format.name));
    }
    Ok(written)
}

fn is_invalid(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ExportError::Lower(LowerError::Invalid(_))))
}

fn format_list() -> String {
    let mut table = Table::new(["format", "output", "consumer", "limits"]);
    for format in FORMATS {
        let output = if format.is_folder() { "directory".to_owned() } else { format!(".{}", format.extension) };
        table.push([format.name, &output, format.about, format.limits]);
    }
    for (name, about) in RingFormat::LIBRARY_NAMES.iter().zip(RingFormat::ABOUT) {
        table.push([name, "text", about, "rings of lockstep rings, of one server"]);
    }
    table.to_text()
}
