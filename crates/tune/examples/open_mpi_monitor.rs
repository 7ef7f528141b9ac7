//! Runs the rules of a table in Open MPI, and compares the messages that its monitor counts with those of the chosen algorithms.
//!
//! ```sh
//! cargo run -p lockstep-tune --example open_mpi_monitor -- torus:2x4 -c bcast
//! ```
//!
//! With `--all` after the network, every algorithm of the library is forced once, whole and in segments of 8 KiB.
//!
//! Needs `mpicc` and `mpirun` of Open MPI 4.1 or 5. All ranks run on this machine. Prints a line per range of sizes. The exit code is
//! 1 if the messages of a range differ. Messages are compared by sender and receiver; `linear` all-to-alls are skipped, because the
//! monitor does not see them.

#![allow(clippy::print_stdout, reason = "an example")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use lockstep_schedule::Ports;
use lockstep_topology::Topology;
use lockstep_tune::{
    Choice, ChoiceRange, ChoiceTable, Library, Network, RoundCosts, Segments, TuneOptions, Tuning, tune, write,
};

type Error = Box<dyn std::error::Error>;

/// Bytes and messages from one rank to another.
type Counts = BTreeMap<(u32, u32), [u64; 2]>;

/// One call of a collective of `argv[2]` bytes, as Lockstep counts them. Without arguments, none.
const PROGRAM: &str = r#"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  int ranks, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 2) {
    const char *name = argv[1];
    int count = atoi(argv[2]) / sizeof(int), part = count / ranks;
    int *in = calloc(count + 1, sizeof(int)), *out = calloc(count + 1, sizeof(int));
    int *counts = calloc(ranks, sizeof(int));
    for (int i = 0; i < ranks; i++) counts[i] = part;
    if (!strcmp(name, "allgather")) MPI_Allgather(in, part, MPI_INT, out, part, MPI_INT, MPI_COMM_WORLD);
    else if (!strcmp(name, "allreduce")) MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(name, "alltoall")) MPI_Alltoall(in, part, MPI_INT, out, part, MPI_INT, MPI_COMM_WORLD);
    else if (!strcmp(name, "bcast")) MPI_Bcast(out, count, MPI_INT, 0, MPI_COMM_WORLD);
    else if (!strcmp(name, "gather")) MPI_Gather(in, part, MPI_INT, out, part, MPI_INT, 0, MPI_COMM_WORLD);
    else if (!strcmp(name, "reduce")) MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    else if (!strcmp(name, "reduce_scatter")) MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(name, "reduce_scatter_block")) MPI_Reduce_scatter_block(in, out, part, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(name, "scatter")) MPI_Scatter(in, part, MPI_INT, out, part, MPI_INT, 0, MPI_COMM_WORLD);
    else MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_Finalize();
  return 0;
}
"#;

fn main() -> Result<ExitCode, Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (spec, only) = match &words[..] {
        [spec] => (spec, None),
        [spec, option] if option == "--all" => (spec, None),
        [spec, option, name] if option == "-c" => (spec, Some(name)),
        _ => return Err("expected NETWORK, NETWORK --all, or NETWORK -c COLLECTIVE by its name in Open MPI".into()),
    };
    let topology: Topology = spec.parse()?;
    let topology = topology.with_times(10_000_000_000, 1_000_000)?;
    let costs = RoundCosts { start_up_ps: 1_000_000, ports: Ports::All };
    let network = Network::new(&topology, topology.terminals(), costs)?;
    let options = TuneOptions {
        library: Library::OpenMpi,
        collectives: Vec::new(),
        sizes: [1 << 10, 1 << 24],
        root: 0,
        channels: 1,
    };
    let mut tuning = tune(&network, &options)?;
    if let Some(name) = only {
        let names: Vec<&str> = tuning.tables.iter().map(|table| table.of.name).collect();
        if !names.contains(&name.as_str()) {
            return Err(format!("there is no collective '{name}'; choose {}", names.join(", ")).into());
        }
        tuning.tables.retain(|table| table.of.name == name);
    }
    if words.iter().any(|word| word == "--all") {
        tuning.tables = tuning.tables.iter().flat_map(forced).collect();
    }
    let directory = std::env::temp_dir().join(format!("lockstep-monitor-{}", std::process::id()));
    fs::create_dir_all(&directory)?;
    let differences = compare(&tuning, &directory);
    fs::remove_dir_all(&directory)?;
    Ok(if differences? == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns a table for every algorithm and fan-out of a collective, with whole messages and with segments of 8 KiB.
fn forced(table: &ChoiceTable) -> Vec<ChoiceTable> {
    let is_tried = |&place: &usize| matches!(table.choices[place].segment_bytes, None | Some(8192));
    let only = |choice| ChoiceTable { ranges: vec![ChoiceRange { from: 0, choice }], ..table.clone() };
    (0..table.choices.len()).filter(is_tried).map(only).collect()
}

/// Compares all ranges. Returns the number of those that differ.
fn compare(tuning: &Tuning, directory: &Path) -> Result<usize, Error> {
    fs::write(directory.join("one.c"), PROGRAM)?;
    let compiled = Command::new("mpicc").args(["-O1", "-o", "one", "one.c"]).current_dir(directory).status()?;
    if !compiled.success() {
        return Err("mpicc failed".into());
    }
    let rules = |table: &ChoiceTable| {
        let rules = write(&Tuning { tables: vec![table.clone()], ..tuning.clone() });
        fs::write(directory.join("rules.txt"), rules)
    };
    fs::write(directory.join("rules.txt"), "0\n")?;
    let nothing = monitored(tuning.ranks, directory, &[])?;
    let mut differences = 0;
    for table in &tuning.tables {
        rules(table)?;
        for ([from, to], choice) in table.whole_ranges(tuning.sizes[1]) {
            let bytes = (1_u64 << from.max(1024).ilog2().midpoint(to.ilog2() + 1)).clamp(from, to);
            // A multiple of all numbers of blocks.
            let unit = 4 * u64::from(tuning.ranks) * u64::from(tuning.ranks.next_power_of_two());
            let bytes = (bytes / unit).max(1) * unit;
            if (table.of.name, choice.algorithm) == ("alltoall", "linear") || table.best(bytes) != choice {
                continue;
            }
            let expected = expected(tuning.ranks, table, choice, bytes)?;
            let counted = monitored(tuning.ranks, directory, &[table.of.name.to_owned(), bytes.to_string()])?;
            let counted = without(counted, &nothing);
            let is_same = counted == expected;
            differences += usize::from(!is_same);
            let messages: u64 = counted.values().map(|[_, messages]| messages).sum();
            let sum: u64 = counted.values().map(|[bytes, _]| bytes).sum();
            let verdict = if is_same { "as computed" } else { "DIFFERS" };
            let (fan, segment) = (choice.fan_out.unwrap_or(0), choice.segment_bytes.unwrap_or(0));
            println!(
                "{:20} {bytes:>9} bytes  {:22} fan-out {fan}, segment {segment:>7}: {messages:>5} messages, {sum:>10} bytes, {verdict}",
                table.of.name, choice.algorithm,
            );
            if !is_same {
                println!("  counted  {counted:?}\n  computed {expected:?}");
            }
        }
    }
    Ok(differences)
}

/// Returns the messages of a choice.
fn expected(ranks: u32, table: &ChoiceTable, choice: &Choice, bytes: u64) -> Result<Counts, Error> {
    let algorithm = table.of.algorithms.iter().find(|one| one.name == choice.algorithm).ok_or("unknown algorithm")?;
    let fan = choice.fan_out.unwrap_or(algorithm.fans[0]);
    let phases = (algorithm.algorithm.phases)(ranks, fan).ok_or("an algorithm that does not fit")?;
    let mut counts = Counts::new();
    for phase in &phases {
        let block = bytes / u64::from(phase.rounds.blocks());
        for round in phase.rounds.iter() {
            for message in round.messages {
                let size = block * u64::from(message.blocks.count);
                let segments = match (choice.segment_bytes, phase.segments) {
                    (Some(segment), Segments::Pipelined) => size.div_ceil(segment),
                    // Open MPI makes its segments longer or shorter, and rounds their number.
                    (Some(segment), Segments::InTurn) => ((size + segment / 2) / segment).max(1),
                    _ => 1,
                };
                let times = u64::from(round.times);
                let [sum, messages] = counts.entry((message.from, message.to)).or_default();
                (*sum, *messages) = (*sum + times * size, *messages + times * segments);
            }
        }
    }
    Ok(counts)
}

/// Runs the program with the rules, and returns what the monitor counted of messages inside collectives.
fn monitored(ranks: u32, directory: &Path, arguments: &[String]) -> Result<Counts, Error> {
    let mut command = Command::new("mpirun");
    command.current_dir(directory).args(["--oversubscribe", "-n", &ranks.to_string()]);
    let parameters = [
        ["pml_monitoring_enable", "2"],
        ["pml_monitoring_enable_output", "3"],
        ["pml_monitoring_filename", "counts"],
        ["coll_tuned_use_dynamic_rules", "1"],
        ["coll_tuned_dynamic_rules_filename", "rules.txt"],
    ];
    for [name, value] in parameters {
        command.args(["--mca", name, value]);
    }
    let done = command.arg("./one").args(arguments).output()?;
    if !done.status.success() {
        return Err(format!("mpirun {arguments:?}: {}", String::from_utf8_lossy(&done.stderr)).into());
    }
    let mut counts = Counts::new();
    for rank in 0..ranks {
        let file: PathBuf = directory.join(format!("counts.{rank}.prof"));
        for line in fs::read_to_string(&file)?.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            if let ["I", from, to, bytes, messages, ..] = fields[..] {
                let number = |text: &str| text.split(' ').next().unwrap_or_default().parse::<u64>();
                let [sum, count] = counts.entry((from.parse()?, to.parse()?)).or_default();
                (*sum, *count) = (*sum + number(bytes)?, *count + number(messages)?);
            }
        }
        fs::remove_file(&file)?;
    }
    Ok(counts)
}

/// Returns counts without those of a program that calls no collective.
fn without(mut counts: Counts, nothing: &Counts) -> Counts {
    for (pair, [bytes, messages]) in nothing {
        if let Some(found) = counts.get_mut(pair) {
            *found = [found[0].saturating_sub(*bytes), found[1].saturating_sub(*messages)];
        }
    }
    counts.retain(|_, [_, messages]| *messages > 0);
    counts
}
