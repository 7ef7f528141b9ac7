//! Seals a value in a file, opens the file, and shows that an altered copy is refused.
//!
//! Usage: `cargo run --example seal_file -- FILE` (default: a file in the temporary directory).

#![allow(clippy::print_stdout, reason = "the program prints its result")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use lockstep_files::{FileKind, HEADER_BYTES};

/// Link latencies in nanoseconds, by the names of the two ends.
type Latencies = BTreeMap<(String, String), u64>;

const LATENCIES: FileKind = FileKind {
    format: "example-latencies",
    noun: "table of latencies",
    magic: *b"latency\0",
    version: 1,
    remedies: &[],
};

fn main() -> Result<(), Box<dyn Error>> {
    let default_path = || std::env::temp_dir().join("latencies.sealed");
    let path = std::env::args_os().nth(1).map_or_else(default_path, PathBuf::from);
    let link = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    let latencies = Latencies::from([(link("leaf-1", "spine-1"), 450), (link("leaf-1", "spine-2"), 470)]);

    fs::write(&path, LATENCIES.seal(&latencies))?;
    let mut bytes = fs::read(&path)?;
    let read: Latencies = LATENCIES.open(&bytes)?;
    assert_eq!(read, latencies);
    println!("{}: {} links in {} bytes, {HEADER_BYTES} of them header", path.display(), read.len(), bytes.len());

    bytes[HEADER_BYTES] ^= 1;
    match LATENCIES.open::<Latencies>(&bytes) {
        Ok(_) => Err("an altered file was accepted".into()),
        Err(error) => {
            println!("one bit altered: {error}");
            Ok(())
        }
    }
}
