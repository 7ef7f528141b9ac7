//! Networks from specs and files.

use std::io::{self, Read};
use std::path::Path;

use lockstep_files::{InputError, decode_text, first_binary_byte, one_line, open_input, read_input};
use lockstep_topology::{
    GraphFile, GraphFormat, ReadError, ReadNote, ReadOptions, SpecError, Topology, family_named, read_graph_file,
};

/// The maximum length of a network file in bytes: 1 GiB.
pub const MAX_NETWORK_BYTES: u64 = 1 << 30;

/// Why a network cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The spec has a known family, but does not describe a network.
    #[error(transparent)]
    Spec(Box<SpecError>),
    /// The text is neither a spec nor the name of a file.
    #[error("{}: {}", one_line(text), neither(spec))]
    Neither {
        /// The text.
        text: String,
        /// Why the text is not a spec.
        spec: Box<SpecError>,
    },
    /// The file cannot be read.
    #[error("{}: {}; check the path and its permissions", one_line(file), in_words(error))]
    File {
        /// The file.
        file: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The file is longer than [`MAX_NETWORK_BYTES`].
    #[error("{}: the file is longer than {MAX_NETWORK_BYTES} bytes; give a smaller network", one_line(file))]
    TooLong {
        /// The file.
        file: String,
    },
    /// The file is not a text.
    #[error(
        "{}: byte {byte} is not UTF-8 or UTF-16 text; give a network as {}", one_line(file),
        GraphFormat::list(&GraphFormat::ALL)
    )]
    NotText {
        /// The file.
        file: String,
        /// Position of the byte, from 0.
        byte: usize,
    },
    /// The text is not a network.
    #[error("{}: {error}", one_line(file))]
    Graph {
        /// The file.
        file: String,
        /// The error and its position.
        error: Box<ReadError>,
    },
    /// Neither the extension nor the text tells the format, and the text is no edge list.
    #[error(
        "{}: the format is unknown, and as edges: {error}; choose one by --from: {}",
        one_line(file),
        GraphFormat::list(&GraphFormat::ALL)
    )]
    UnknownFormat {
        /// The file.
        file: String,
        /// The error of the reader of edge lists.
        error: Box<ReadError>,
    },
}

/// How a network is loaded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct LoadOptions {
    /// How a graph file is read.
    pub read: ReadOptions,
    /// The format of the graph file. `None` detects it. With a format, a text is the name of a file and not a spec.
    pub format: Option<GraphFormat>,
}

impl LoadOptions {
    /// Returns the options with another unit of capacity, in bytes per second.
    #[must_use]
    pub fn with_unit(self, bytes_per_second: u64) -> Self {
        Self { read: self.read.with_unit(bytes_per_second), ..self }
    }

    /// Returns the options with this format.
    #[must_use]
    pub fn with_format(self, format: GraphFormat) -> Self {
        Self { format: Some(format), ..self }
    }
}

fn neither(spec: &SpecError) -> String {
    match spec {
        SpecError::UnknownFamily { nearest, .. } if nearest.is_empty() => {
            "there is no such file and no such family; give a network file, or a spec such as mesh:4x4".to_owned()
        }
        spec => format!("there is no such file, and {spec}"),
    }
}

/// Returns the error of the operating system, as part of a sentence.
fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
    first.to_lowercase() + rest
}

/// Loads the network of a spec `family:parameters`, or of a graph file in any [`GraphFormat`].
///
/// A known family has priority over a file of the same name; write `./octagon` for the file. The network gets the name
/// of the file without directory and extension, unless the file contains a name.
///
/// ```
/// let mesh = lockstep::load("mesh:4x4")?;
/// assert_eq!(mesh.node_count(), 16);
/// # Ok::<(), lockstep::LoadError>(())
/// ```
///
/// # Errors
///
/// [`LoadError`]. The message begins with the name of the file, if there is one.
pub fn load(spec_or_file: &str) -> Result<Topology, LoadError> {
    Ok(load_with(spec_or_file, &LoadOptions::default())?.topology)
}

/// Loads a network like [`load`], with options. Returns also what the reader of a file has ignored or assumed, and hints.
///
/// # Errors
///
/// Those of [`load`].
pub fn load_with(spec_or_file: &str, options: &LoadOptions) -> Result<GraphFile, LoadError> {
    if options.format.is_none() && has_known_family(spec_or_file) {
        return spec_or_file.parse::<Topology>().map(GraphFile::from).map_err(|error| LoadError::Spec(error.into()));
    }
    match open_input(spec_or_file.as_ref()) {
        Ok(file) => read_network_with(spec_or_file, file, options),
        Err(error) if error.kind() == io::ErrorKind::NotFound && options.format.is_none() => {
            match spec_or_file.parse::<Topology>() {
                Ok(topology) => Ok(topology.into()),
                Err(spec) => Err(LoadError::Neither { text: spec_or_file.to_owned(), spec: spec.into() }),
            }
        }
        Err(error) => Err(LoadError::File { file: spec_or_file.to_owned(), error }),
    }
}

/// Returns true if [`load`] reads a file of this name.
///
/// ```
/// assert!(!lockstep::is_network_file("mesh:4x4") && !lockstep::is_network_file("no such file"));
/// ```
pub fn is_network_file(spec_or_file: &str) -> bool {
    !has_known_family(spec_or_file) && Path::new(spec_or_file).exists()
}

fn has_known_family(spec: &str) -> bool {
    let family = spec.split(':').next().unwrap_or_default().trim();
    family_named(family).is_some()
}

/// Reads a network from a stream in any [`GraphFormat`]. `file` is its name in errors, and the extension tells the
/// format.
///
/// ```
/// let ring = lockstep::read_network("ring.edges", "a b\nb c\nc a\n".as_bytes())?;
/// assert_eq!((ring.node_count(), ring.channel_count()), (3, 6));
/// # Ok::<(), lockstep::LoadError>(())
/// ```
///
/// # Errors
///
/// [`LoadError`]. The message begins with `file`.
pub fn read_network(file: &str, stream: impl Read) -> Result<Topology, LoadError> {
    Ok(read_network_with(file, stream, &LoadOptions::default())?.topology)
}

/// Reads a network like [`read_network`], with options. Returns also what the reader has ignored or assumed, and hints.
///
/// # Errors
///
/// Those of [`read_network`].
pub fn read_network_with(file: &str, stream: impl Read, options: &LoadOptions) -> Result<GraphFile, LoadError> {
    let named = || file.to_owned();
    let no_text = |byte| LoadError::NotText { file: named(), byte };
    // A binary file is not read to its end.
    let check = |first: &[u8]| first_binary_byte(first).map_or(Ok(()), |byte| Err(no_text(byte)));
    let bytes = read_input(stream, MAX_NETWORK_BYTES, check).map_err(|error| match error {
        InputError::Io(error) => LoadError::File { file: named(), error },
        InputError::TooLong => LoadError::TooLong { file: named() },
        InputError::Refused(error) => error,
    })?;
    let text = decode_text(bytes).map_err(no_text)?;
    let name = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or("network");
    let known = options.format.or_else(|| GraphFormat::recognise(file, &text));
    let format = known.unwrap_or(GraphFormat::EdgeList);
    let mut read = read_graph_file(&text, format, name, &options.read).map_err(|error| match (known, error) {
        (None, error @ ReadError::At { .. }) => LoadError::UnknownFormat { file: named(), error: error.into() },
        (_, error) => LoadError::Graph { file: named(), error: error.into() },
    })?;
    if known.is_none() {
        read.notes.insert(0, ReadNote::UnknownFormat);
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(spec_or_file: &str) -> String {
        load(spec_or_file).unwrap_err().to_string()
    }

    #[test]
    fn a_known_family_is_a_spec() {
        assert_eq!(load("OMEGA:8").unwrap().name(), "omega:8");
        assert!(message("omega:12").starts_with("the number of terminals is 12"));
    }

    #[test]
    fn a_misspelt_family_differs_from_a_missing_file() {
        assert_eq!(
            message("omga:8"),
            "omga:8: there is no such file, and there is no network family 'omga'; did you mean 'omega'?"
        );
        let missing = "there is no such file and no such family; give a network file, or a spec such as mesh:4x4";
        assert_eq!(message("net/work.edges"), format!("net/work.edges: {missing}"));
    }

    #[test]
    fn a_network_is_named_after_its_file() {
        let network = read_network("some/where/pair.edges", "a b\n".as_bytes()).unwrap();
        assert_eq!((network.name(), network.channel_count()), ("pair", 2));
    }

    #[test]
    fn errors_in_a_file_begin_with_its_name() {
        let message = |bytes: &[u8]| read_network("x.edges", bytes).unwrap_err().to_string();
        assert!(message(b"a b\na\n").starts_with("x.edges: line 2: "));
        assert!(message(b"a \xff\n").starts_with("x.edges: byte 2 is not UTF-8 or UTF-16 text"));
        assert!(message(b"").starts_with("x.edges: the file is empty"));
    }

    #[test]
    fn a_text_in_utf_16_is_read() {
        let text = "\u{feff}a b\r\nb \u{1d11e}\r\n";
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = text.encode_utf16().flat_map(order).collect();
            let network = read_network("x.edges", &bytes[..]).unwrap();
            assert_eq!((network.node_count(), network.channel_count()), (3, 4));
            let error = read_network("x.edges", &bytes[..bytes.len() - 1]).unwrap_err().to_string();
            assert!(error.starts_with("x.edges: byte 22 is not UTF-8 or UTF-16 text"), "{error}");
        }
        let error = read_network("x.edges", &b"\xff\xfea\0\0\xd8a\0"[..]).unwrap_err().to_string();
        assert!(error.starts_with("x.edges: byte 4 is not UTF-8 or UTF-16 text"), "{error}");
    }

    #[test]
    fn an_unknown_format_names_the_formats() {
        let message = |file, text: &str| read_network(file, text.as_bytes()).unwrap_err().to_string();
        let error = message("x.net", "one two three\n");
        assert!(
            error.starts_with("x.net: the format is unknown, and as edges: line 1: found 'one two three'"),
            "{error}"
        );
        assert!(error.contains("choose one by --from: json, edges, ") && error.ends_with(" or csv"), "{error}");
        assert!(!message("x.edges", "one two three\n").contains("--from"));
    }

    #[test]
    fn an_edge_list_without_a_mark_of_its_own_has_a_note() {
        let notes = |file: &str, text: &str| {
            let file = read_network_with(file, text.as_bytes(), &LoadOptions::default()).unwrap();
            file.notes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let unknown = "format unknown: read as an edge list; if it is none, choose one by --from";
        assert_eq!(notes("x.net", "a b\nb c\nc a\n"), [unknown]);
        assert_eq!(notes("x.txt", "a b\nb c\nc a\n"), [unknown]);
        for (file, text) in [("x.edges", "a b\nb c\nc a\n"), ("x.net", "a -> b\nb c\nc a\n")] {
            assert!(!notes(file, text).contains(&unknown.to_owned()), "{file}: {text}");
        }
    }

    #[test]
    fn texts_in_utf_16_are_read() {
        let matrix = "\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n";
        let bytes: Vec<u8> = [0xfeff].into_iter().chain(matrix.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let network = read_network("topo.txt", &bytes[..]).unwrap();
        assert_eq!((network.node_count(), network.channel_count()), (2, 2));
        let error = read_network("topo.txt", &bytes[..bytes.len() - 1]).unwrap_err().to_string();
        assert!(error.starts_with("topo.txt: byte 74 is not UTF-8 or UTF-16 text"), "{error}");
    }

    #[test]
    fn a_given_format_overrides_extension_and_spec() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("octagon");
        std::fs::write(&path, "0,1\n1,0\n").unwrap();
        let options = LoadOptions::default().with_format(GraphFormat::Csv);
        let file = load_with(path.to_str().unwrap(), &options).unwrap();
        assert_eq!((file.topology.node_count(), file.topology.channel_count()), (2, 2));
        let missing = load_with("octagon", &options).unwrap_err().to_string();
        assert!(missing.starts_with("octagon: no such file"), "{missing}");
    }

    #[test]
    fn a_binary_stream_is_refused_at_once() {
        // Reading all of it would take 1 GiB.
        let error = read_network("zeros", io::repeat(0).take(1 << 20).chain(Panics)).unwrap_err();
        assert!(error.to_string().starts_with("zeros: byte 0 is not UTF-8 or UTF-16 text"), "{error}");
    }

    /// A stream that must not be read.
    struct Panics;

    impl Read for Panics {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("the stream is read to its end")
        }
    }

    #[test]
    fn a_directory_is_not_a_network() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().to_str().unwrap();
        assert!(message(path).starts_with(&format!("{path}: ")));
    }
}
