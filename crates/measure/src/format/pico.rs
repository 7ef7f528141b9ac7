//! The results of PICO: a table of tests, and one file of times per size and algorithm.
//!
//! # Grammar
//!
//! `<system>_metadata.csv` has a row per test. Its columns `timestamp` and `test_id` name the folder of the test, `nnodes` (such as
//! `8` or `2x2x2`) and `tasks_per_node` give the number of ranks, `collective_type` the collective, and `mpi_lib` the library. The folder
//! has files `<count>_<algorithm>[_<segment>]_<type>.csv`: a header that begins with `highest`, and a line per iteration that begins
//! with the time of the slowest rank in nanoseconds. `count` is the number of elements of the whole buffer. Without a type, it is a
//! number of bytes.
//!
//! The names of algorithms tell whose they are: `ring_ompi`, `ring_mpich`, `default-ring` and `allreduce_nccl_ring` are of the library,
//! all others of PICO itself.
//!
//! # Source
//!
//! PICO, `pico_core/pico_core_utils.c` and `plot/summarize_data.py`, 2026.

use std::collections::BTreeMap;

use lockstep_files::one_line;
use lockstep_schedule::CollectiveName;

use super::Reading;
use crate::{Figure, Run, Sample, Tool, TransferKind, Workload};

/// Suffixes of the algorithms of a library.
const LIBRARY_SUFFIXES: [&str; 2] = ["_ompi", "_mpich"];

/// What precedes an algorithm of a GPU library.
const GPU_LIBRARY: &str = "_nccl_";

/// What precedes an algorithm of the library on Fugaku.
const FUGAKU_PREFIX: &str = "default-";

/// The choice of the library itself.
const DEFAULT: &str = "default";

/// Types of elements and their bytes.
const TYPES: [(&str, u64); 8] =
    [("int8", 1), ("char", 1), ("int16", 2), ("int32", 4), ("int", 4), ("float", 4), ("int64", 8), ("double", 8)];

/// Begins the last line of files without warm-up iterations.
const AVERAGE: &str = "Average runtime";

/// A test: a collective among a number of ranks, for several sizes and algorithms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// The folder of the test, from the folder of the system on: `timestamp`, `test_id`.
    pub folder: [String; 2],
    /// The collective.
    pub collective: CollectiveName,
    /// The number of ranks.
    pub ranks: u32,
    /// The MPI library and its version, such as `OMPI 4.1.6`.
    pub library: String,
}

/// A test with its files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestFiles {
    /// The test.
    pub test: Test,
    /// The name and the text of each file in its folder. Files of other kinds are ignored.
    pub files: Vec<(String, String)>,
}

/// Why a table of tests cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PicoError {
    /// A column is missing.
    #[error("line 1: the header has no column '{column}'; give the file <system>_metadata.csv of PICO")]
    Column {
        /// The column.
        column: &'static str,
    },
    /// A field is missing or wrong.
    #[error("line {line}: {column} is '{}'; expected {expected}", one_line(.value))]
    Field {
        /// The line, from 1.
        line: usize,
        /// The column.
        column: &'static str,
        /// The field.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
}

/// Reads the table of tests. Tests of collectives that Lockstep does not know are left out.
///
/// # Errors
///
/// [`PicoError`].
pub fn tests(metadata: &str) -> Result<Vec<Test>, PicoError> {
    let mut rows = (1..).zip(metadata.lines());
    let header: Vec<&str> = rows.next().map_or_else(Vec::new, |(_, line)| line.split(',').map(str::trim).collect());
    let place = |column| header.iter().position(|name| *name == column).ok_or(PicoError::Column { column });
    let names = ["timestamp", "test_id", "nnodes", "tasks_per_node", "collective_type", "mpi_lib", "mpi_lib_version"];
    let mut places = [0; 7];
    for (found, name) in places.iter_mut().zip(names) {
        *found = place(name)?;
    }
    let mut tests = Vec::new();
    for (line, row) in rows.filter(|(_, row)| !row.trim().is_empty()) {
        let fields: Vec<&str> = row.split(',').map(str::trim).collect();
        let field = |column: usize| fields.get(places[column]).copied().unwrap_or_default();
        let wrong = |column: usize, expected| {
            let (column, value) = (names[column], field(column).to_owned());
            PicoError::Field { line, column, value, expected }
        };
        for column in [0, 1] {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if field(column).is_empty() || !field(column).chars().all(is_name) {
                return Err(wrong(column, "the name of a folder: letters, digits, '_' and '-'"));
            }
        }
        let nodes = product(field(2)).ok_or_else(|| wrong(2, "numbers of nodes such as 8 or 2x2x2"))?;
        let per_node = product(field(3)).ok_or_else(|| wrong(3, "a number of ranks"))?;
        let ranks = nodes.checked_mul(per_node).ok_or_else(|| wrong(3, "fewer than 2^32 ranks in all"))?;
        let Ok(collective) = field(4).parse() else { continue };
        let library = format!("{} {}", field(5), field(6));
        tests.push(Test { folder: [field(0), field(1)].map(str::to_owned), collective, ranks, library });
    }
    Ok(tests)
}

/// Returns the product of numbers such as `2x2x2`.
fn product(text: &str) -> Option<u32> {
    text.split('x').try_fold(1_u32, |product, factor| product.checked_mul(factor.trim().parse().ok()?))
}

/// Reads the files of tests. There is one run per test and algorithm of the library, in the order of the names; the choice of the
/// library itself, without a name, is first. Times are medians.
///
/// The first fifth of the iterations, at least one, is the warm-up and does not count. Files that end with `Average runtime` have no
/// warm-up. Files of PICO's own algorithms are left out.
pub fn read(tests: &[TestFiles]) -> Reading {
    let mut reading = Reading::default();
    let (mut own, mut empty) = (0, 0);
    for TestFiles { test, files } in tests {
        let mut of_algorithms: BTreeMap<Option<String>, Vec<Sample>> = BTreeMap::new();
        for (name, text) in files {
            let Some(file) = FileName::parse(name) else { continue };
            let Owner::Library(algorithm) = owner(file.algorithm) else {
                own += 1;
                continue;
            };
            let Some([least, median, greatest]) = times(text) else {
                empty += 1;
                continue;
            };
            of_algorithms.entry(algorithm).or_default().push(Sample {
                workload: Workload::Collective(test.collective),
                bytes: Some(file.bytes),
                figure: Figure::Picoseconds(median),
                spread: Some([least, greatest]),
                in_place: false,
                is_wrong: false,
                line: 2,
            });
        }
        let run = |(algorithm, mut samples): (_, Vec<Sample>)| {
            samples.sort_by_key(|sample| sample.bytes);
            Run {
                tool: Tool::Pico,
                test: test.folder.join("/"),
                kind: TransferKind::Message,
                algorithm,
                devices: Vec::new(),
                ranks: Some(test.ranks),
                samples,
            }
        };
        reading.runs.extend(of_algorithms.into_iter().map(run));
    }
    let note = |count: u32, what: &str| (count > 0).then(|| format!("{count} {what}"));
    reading.notes.extend(note(own, "file(s) of algorithms of PICO itself are left out; a library cannot choose them"));
    reading.notes.extend(note(empty, "file(s) without times are left out"));
    reading
}

/// The parts of the name of a file.
struct FileName<'a> {
    algorithm: &'a str,
    /// Bytes of the whole buffer.
    bytes: u64,
}

impl<'a> FileName<'a> {
    fn parse(name: &'a str) -> Option<Self> {
        let (count, rest) = name.strip_suffix(".csv")?.split_once('_')?;
        let of_type = rest.rsplit_once('_').and_then(|(before, name)| {
            let bytes = TYPES.iter().find(|(known, _)| *known == name)?.1;
            Some((before, bytes))
        });
        let (rest, element_bytes) = of_type.unwrap_or((rest, 1));
        let bytes = count.parse::<u64>().ok()?.checked_mul(element_bytes)?;
        (bytes > 0 && !rest.is_empty()).then_some(Self { algorithm: rest, bytes })
    }
}

/// Whose algorithm a file has.
#[derive(PartialEq, Eq, Debug)]
enum Owner {
    /// The library; `None` for its own choice.
    Library(Option<String>),
    /// PICO.
    Pico,
}

/// Returns the owner of an algorithm. A segment size stays behind the name: `ring_segmented_4096`.
fn owner(name: &str) -> Owner {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (name, segment) = match name.rsplit_once('_') {
        Some((before, segment)) if is_number(segment) => (before, format!("_{segment}")),
        _ => (name, String::new()),
    };
    let of_suffix = LIBRARY_SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix));
    let of_gpu = || name.split_once(GPU_LIBRARY).map(|(_, algorithm)| algorithm);
    match of_suffix.or_else(|| name.strip_prefix(FUGAKU_PREFIX)).or_else(of_gpu) {
        None => Owner::Pico,
        Some(DEFAULT) => Owner::Library(None),
        Some(algorithm) => Owner::Library(Some(algorithm.replace('-', "_") + &segment)),
    }
}

/// Returns the least, the median and the greatest time in picoseconds, without the warm-up.
fn times(text: &str) -> Option<[u64; 3]> {
    let mut lines = text.lines();
    if lines.next()?.split(',').next()?.trim() != "highest" {
        return None;
    }
    let (mut times, mut has_warm_up) = (Vec::new(), true);
    for line in lines {
        match line.split(',').next().unwrap_or_default().trim().parse::<u64>() {
            Ok(nanoseconds) => times.push(nanoseconds.checked_mul(1000)?),
            Err(_) => has_warm_up &= !line.starts_with(AVERAGE),
        }
    }
    let count = times.len();
    let warm_up = if has_warm_up { (count / 5).max(1).min(count.saturating_sub(1)) } else { 0 };
    let counted = &mut times[warm_up..];
    counted.sort_unstable();
    let median = *counted.get(counted.len().saturating_sub(1) / 2)?;
    (median > 0).then(|| [counted[0], median, counted[counted.len() - 1]])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Owner, PicoError, Reading, Test, TestFiles, owner, read, tests, times};
    use crate::Figure;
    use lockstep_schedule::CollectiveName;

    const METADATA: &str = "\
timestamp,test_id,nnodes,tasks_per_node,collective_type,mpi_lib,mpi_lib_version,notes
2026_01_02___03_04_05,0,2x2x2,1,ALLREDUCE,OMPI,4.1.5,null
2026_01_02___03_04_05,1,8,4,REDUCE_SCATTER,OMPI,4.1.5,a, b
2026_01_02___03_04_05,2,8,1,BARRIER,OMPI,4.1.5,null
";

    fn read_files(files: &[(&str, &str)]) -> Reading {
        let test = tests(METADATA).unwrap().swap_remove(0);
        let files = files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect();
        read(&[TestFiles { test, files }])
    }

    #[test]
    fn tests_have_ranks_and_folders() {
        let [first, second] = <[Test; 2]>::try_from(tests(METADATA).unwrap()).unwrap();
        assert_eq!((first.collective, first.ranks), (CollectiveName::AllReduce, 8));
        assert_eq!(first.folder.join("/"), "2026_01_02___03_04_05/0");
        assert_eq!((second.collective, second.ranks), (CollectiveName::ReduceScatter, 32));
        assert_eq!(second.library, "OMPI 4.1.5");
    }

    #[test]
    fn wrong_tables_are_named() {
        let error = |text: &str| tests(text).unwrap_err().to_string();
        assert_eq!(
            error("timestamp,nnodes\n"),
            "line 1: the header has no column 'test_id'; give the file <system>_metadata.csv of PICO"
        );
        assert!(matches!(tests(""), Err(PicoError::Column { column: "timestamp" })));
        assert_eq!(
            error(&METADATA.replace("2x2x2", "2y2")),
            "line 2: nnodes is '2y2'; expected numbers of nodes such as 8 or 2x2x2"
        );
        assert_eq!(
            error(&METADATA.replace("2x2x2", "65536x65536")),
            "line 2: nnodes is '65536x65536'; expected numbers of nodes such as 8 or 2x2x2"
        );
        assert!(
            error(&METADATA.replace("2026_01_02___03_04_05,0", "../..,0")).starts_with("line 2: timestamp is '../..'")
        );
    }

    #[test]
    fn algorithms_are_those_of_the_library() {
        let library = |name: &str| Owner::Library(Some(name.to_owned()));
        assert_eq!(owner("scatter_allgather_ring_ompi"), library("scatter_allgather_ring"));
        assert_eq!(owner("brucks_mpich"), library("brucks"));
        assert_eq!(owner("default-recursive-doubling"), library("recursive_doubling"));
        assert_eq!(owner("allreduce_nccl_tree"), library("tree"));
        assert_eq!(owner("default_ompi"), Owner::Library(None));
        assert_eq!(owner("default-default"), Owner::Library(None));
        for own in ["ring_over", "bine_bdw_remap_segmented_over", "BINE-L-UTOFU-0-1", "allreduce_hier_bw_mpi"] {
            assert_eq!(owner(own), Owner::Pico, "{own}");
        }
    }

    /// The first fifth is left out, and at least one of several times; nothing is left out of a file with an average.
    #[test]
    fn the_warm_up_does_not_count() {
        assert_eq!(times("highest\n900\n5\n7\n6\n8\n"), Some([5_000, 6_000, 8_000]));
        assert_eq!(times("highest,rank0\n900,1\n5,2\n"), Some([5_000; 3]));
        assert_eq!(times("highest\n9\n"), Some([9_000; 3]));
        assert_eq!(times("highest\n3\n1\n2\nAverage runtime: 0.1\n"), Some([1_000, 2_000, 3_000]));
        assert_eq!(times("highest\n0\n0\n"), None);
        assert_eq!(times("highest\n"), None);
        assert_eq!(times("time\n3\n"), None);
        assert_eq!(times(&format!("highest\n{}\n", u64::MAX)), None);
    }

    #[test]
    fn runs_are_those_of_the_algorithms() {
        let files = [
            ("8_ring_ompi_int32.csv", "highest\n90\n50\n"),
            ("8_default_ompi_int32.csv", "highest\n90\n40\n"),
            ("2_ring_ompi_double.csv", "highest\n90\n30\n"),
            ("64_allreduce_nccl_ring.csv", "highest\n0\n20\nbuffer\n"),
            ("8_ring_segmented_ompi_4096_int32.csv", "highest\n90\n60\n"),
            ("8_ring_over_int32.csv", "highest\n90\n10\n"),
            ("8_linear_ompi_int32.csv", ""),
            ("8_linear_ompi_int32.err", "no"),
            ("alloc.csv", "0,host"),
        ];
        let Reading { runs, notes } = read_files(&files);
        let of_run = |run: &crate::Run| {
            let sample = |sample: &crate::Sample| (sample.bytes.unwrap(), sample.figure);
            (run.algorithm.clone(), run.samples.iter().map(sample).collect::<Vec<_>>())
        };
        let ps = |nanoseconds: u64| Figure::Picoseconds(1000 * nanoseconds);
        let expected = [
            (None, vec![(32, ps(40))]),
            (Some("ring".to_owned()), vec![(16, ps(30)), (32, ps(50)), (64, ps(20))]),
            (Some("ring_segmented_4096".to_owned()), vec![(32, ps(60))]),
        ];
        assert_eq!(runs.iter().map(of_run).collect::<Vec<_>>(), expected);
        assert_eq!(notes.len(), 2, "{notes:?}");
    }

    proptest! {
        #[test]
        fn no_text_crashes_the_reader(metadata in ".{0,80}", name in "[0-9]{0,22}[_a-z0-9]{0,12}(\\.csv)?", text in "(highest)?[\n0-9,]{0,60}") {
            let _ = tests(&format!("{METADATA}{metadata}"));
            let reading = read_files(&[(name.as_str(), text.as_str())]);
            prop_assert!(reading.runs.iter().all(|run| run.samples.iter().all(|sample| sample.bytes.is_some_and(|bytes| bytes > 0))));
        }
    }
}
