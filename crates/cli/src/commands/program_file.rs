//! Programs for runtimes and simulators, by their contents or by the name of a format.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use lockstep_execute::{Format, ParallelProgram, detect, load, load_table, load_traces};

use crate::args::ProgramArgs;
use crate::input;
use crate::text::path_name;

/// Reads a program. Its format is detected unless the arguments name it.
///
/// The path of Chakra traces is a directory, the path of one of the files, or the path without `.RANK.et`.
pub(super) fn read(args: &ProgramArgs) -> anyhow::Result<(Format, Vec<ParallelProgram>)> {
    let path = &args.file;
    if let Some(files) = trace_files(path)? {
        let contents = files.iter().map(|file| input::program(file)).collect::<anyhow::Result<Vec<_>>>()?;
        let contents: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
        let programs = load_traces(&contents).with_context(|| input::name(path))?;
        return Ok((Format::Chakra, programs));
    }
    of_bytes(args, &input::program(path)?)
}

/// Returns true if the program is one file, and no traces of several ranks.
pub(super) fn is_one_file(args: &ProgramArgs) -> anyhow::Result<bool> {
    Ok(trace_files(&args.file)?.is_none())
}

/// Reads a program from the contents of its file.
pub(super) fn of_bytes(args: &ProgramArgs, bytes: &[u8]) -> anyhow::Result<(Format, Vec<ParallelProgram>)> {
    let path = &args.file;
    let format = match &args.format {
        Some(chosen) => Format::ALL.into_iter().find(|format| format.name() == chosen.name),
        None => detect(bytes),
    };
    let format = format.ok_or_else(|| {
        let formats = Format::ALL.map(Format::name).join(", ");
        let name = input::name(path);
        anyhow!("{name}: the contents are of no supported format; give one of {formats} with --format")
    })?;
    let programs = match (format, args.table_collective()) {
        (Format::Csv, Some(collective)) => load_table(bytes, collective),
        (Format::Csv, None) => bail!("{}: a table does not name its collective; add --collective", input::name(path)),
        _ => load(bytes, format, args.runtime.into()),
    };
    Ok((format, programs.with_context(|| input::name(path))?))
}

/// Returns the Chakra traces of all ranks, in the order of the ranks; `None` for the path of another file.
fn trace_files(path: &Path) -> anyhow::Result<Option<Vec<PathBuf>>> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let (directory, prefix) = if path.is_dir() {
        (path, None)
    } else {
        let of_name = prefix_and_rank(name).map(|(prefix, _)| prefix);
        match of_name.or_else(|| (!path.exists()).then_some(name)) {
            Some(prefix) if !prefix.is_empty() => (path.parent().unwrap_or(Path::new("")), Some(prefix)),
            _ => return Ok(None),
        }
    };
    let listed = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let Ok(entries) = fs::read_dir(listed) else { return Ok(None) };
    let mut ranks: BTreeMap<(String, u32), PathBuf> = BTreeMap::new();
    for entry in entries {
        let entry = entry.with_context(|| path_name(listed))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if let Some((found, rank)) = prefix_and_rank(&name)
            && prefix.is_none_or(|prefix| prefix == found)
        {
            ranks.insert((found.to_owned(), rank), directory.join(&name));
        }
    }
    let Some((first, _)) = ranks.keys().next().cloned() else {
        ensure!(!path.is_dir(), "{}: the directory has no trace PREFIX.RANK.et", path_name(path));
        return Ok(None);
    };
    for ((prefix, rank), expected) in ranks.keys().zip(0..) {
        if *prefix != first {
            let path = path_name(path);
            bail!("{path}: the directory has traces of {first} and of {prefix}; give the path {path}/{first}");
        }
        ensure!(*rank == expected, "{}: there is no trace {first}.{expected}.et", path_name(path));
    }
    Ok(Some(ranks.into_values().collect()))
}

/// Splits `PREFIX.RANK.et`.
fn prefix_and_rank(name: &str) -> Option<(&str, u32)> {
    let (prefix, rank) = name.strip_suffix(".et")?.rsplit_once('.')?;
    Some((prefix, rank.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_traces_have_a_prefix_and_a_rank() {
        assert_eq!(prefix_and_rank("custom.ring.12.et"), Some(("custom.ring", 12)));
        assert_eq!(prefix_and_rank("plan.et"), None);
        assert_eq!(prefix_and_rank("plan.x.et"), None);
    }
}
