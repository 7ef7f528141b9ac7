//! The files of a command: no two of them are the same file.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, bail};
use lockstep::files::FileIdentity;

use crate::output::Output;
use crate::standard_streams::{StreamFile, is_standard, is_standard_output};
use crate::text::path_name;

/// The files that a command reads and writes. All are added before the command begins its work.
///
/// A file that is written cannot be the same as another one: no command overwrites its input, or one output with another.
#[derive(Debug)]
pub(crate) struct CommandFiles {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    place: Place,
    is_written: bool,
    /// The option, or what the file is.
    name: String,
}

#[derive(PartialEq, Eq, Debug)]
enum Place {
    StandardInput,
    StandardOutput,
    /// A regular file, or one that does not exist yet.
    File(FileIdentity),
}

impl CommandFiles {
    /// Begins with the file of standard output, if it is one.
    pub(crate) fn new() -> Self {
        let mut files = Self { entries: Vec::new() };
        if let Some(identity) = StreamFile::output().and_then(StreamFile::regular) {
            let (place, name) = (Place::File(identity), "standard output".to_owned());
            files.entries.push(Entry { place, is_written: true, name });
        }
        files
    }

    /// Adds a file that the command reads. `name` is its option, or what the file is.
    pub(crate) fn read(&mut self, name: &str, path: &Path) -> anyhow::Result<()> {
        if is_standard(path) {
            self.add(name, path, Place::StandardInput, false)?;
            return match StreamFile::input().and_then(StreamFile::regular) {
                Some(identity) => self.add(name, path, Place::File(identity), false),
                None => Ok(()),
            };
        }
        match place_of(path) {
            Ok(Some(place)) => self.add(name, path, place, false),
            // A missing file is reported where it is read.
            Ok(None) | Err(_) => Ok(()),
        }
    }

    /// Adds a network, which can be a spec or a file.
    pub(crate) fn read_network(&mut self, spec: &str) -> anyhow::Result<()> {
        let path = Path::new(spec);
        if is_standard(path) || lockstep::is_network_file(spec) { self.read("the network", path) } else { Ok(()) }
    }

    /// Adds a file that the command writes, if it is given, and proves that it can be written.
    pub(crate) fn write_to(&mut self, name: &str, path: Option<&Path>) -> anyhow::Result<Option<Output>> {
        path.map(|path| self.write(name, path)).transpose()
    }

    /// Adds a file that the command writes, and proves that it can be written.
    pub(crate) fn write(&mut self, name: &str, path: &Path) -> anyhow::Result<Output> {
        if is_standard_output(path) {
            self.add(name, path, Place::StandardOutput, true)?;
        } else {
            self.update(name, path)?;
        }
        Output::open(path)
    }

    /// Adds a file that the command reads and writes while it works.
    pub(crate) fn update(&mut self, name: &str, path: &Path) -> anyhow::Result<()> {
        match place_of(path).with_context(|| format!("{}: cannot write the file", path_name(path)))? {
            Some(place) => self.add(name, path, place, true),
            None => Ok(()),
        }
    }

    fn add(&mut self, name: &str, path: &Path, place: Place, is_written: bool) -> anyhow::Result<()> {
        let is_exclusive = is_written || place == Place::StandardInput;
        let clash = |entry: &&Entry| entry.place == place && (is_exclusive || entry.is_written);
        if let Some(other) = self.entries.iter().find(clash) {
            bail!("{}: {} and {name} are the same file; give two files", path_name(path), other.name);
        }
        self.entries.push(Entry { place, is_written, name: name.to_owned() });
        Ok(())
    }
}

/// Returns the place of a file; `None` for devices and pipes, which options can share.
fn place_of(path: &Path) -> io::Result<Option<Place>> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Ok(None),
        _ => FileIdentity::of(path).map(Place::File).map(Some),
    }
}
