//! ASTRA-sim: every rank ends, and the simulated time of a schedule without conflicts is the time of its steps.
//!
//! The program is the analytical backend that is aware of congestion. Our traces are its custom collective. Its network
//! has a link of its own between each two ranks: the links of the plan are a part of them. A link transmits one message
//! after the other.
//!
//! # Source
//!
//! ASTRA-sim, `examples/run_scripts/analytical/congestion_aware/run_analytical_with_custom_collective.sh`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::cases::Case;
use super::consumer::{Consumer, Effort, Fault, Found, Missing, Trial, Verdict};
use super::protobuf::{self, Field, Value};
use super::steps::{self, StepsTime};
use crate::process;

const PROGRAM: &str = "AstraSim_Analytical_Congestion_Aware";

/// Fields of `Node` in `et_def.proto`.
const NAME: u64 = 2;
const KIND: u64 = 3;
const DATA_DEPENDENCIES: u64 = 5;
const ATTRIBUTE: u64 = 10;

/// Fields of `AttributeProto`.
const ATTRIBUTE_NAME: u64 = 1;
const ATTRIBUTE_INT64: u64 = 9;

/// The kind of a node that is a collective.
const COLLECTIVE: u64 = 7;

/// The collectives that ASTRA-sim has, with their numbers in `CollectiveCommType`.
const COLLECTIVES: [(&str, u64); 4] = [("all-reduce", 0), ("all-gather", 2), ("all-to-all", 6), ("reduce-scatter", 7)];

/// The bytes of a gigabyte in the network file.
const GIGABYTE: f64 = (1u64 << 30) as f64;

struct AstraSim;

/// Looks for the program.
pub(crate) fn find() -> Found {
    if Command::new(PROGRAM).arg("--version").output().is_ok() {
        Ok(Box::new(AstraSim))
    } else {
        let install = "build the analytical backend of github.com/astra-sim/astra-sim, and add \
                       AstraSim_Analytical_Congestion_Aware to PATH";
        Err(Missing { name: "ASTRA-sim", install })
    }
}

impl Consumer for AstraSim {
    fn name(&self) -> &'static str {
        "ASTRA-sim"
    }

    fn format(&self) -> &'static str {
        "chakra"
    }

    fn options(&self, case: &Case) -> Vec<String> {
        vec!["--size".to_owned(), steps::size(case).to_string()]
    }

    fn effort(&self) -> Effort {
        Effort::Small
    }

    fn supports(&self, _: &Case) -> bool {
        true
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Verdict> {
        let time = steps::measure(trial)?;
        write_configuration(trial, &time)?;
        let mut simulator = Command::new(PROGRAM);
        // The paths in the files are relative, and the simulator writes its logs into the folder.
        simulator.current_dir(trial.folder);
        simulator.args(["--workload-configuration=workload", "--system-configuration=system.json"]);
        simulator.args(["--remote-memory-configuration=memory.json", "--network-configuration=network.yml"]);
        let finished = process::run(&mut simulator, trial.limit, trial.folder)?;
        let ends = end_times(&finished.text);
        let Some(&last) = ends.values().max().filter(|_| finished.is_success) else {
            return Ok(Verdict::Refused(finished.reason("error")));
        };
        // The simulator ends without an error if a rank waits for a message that no rank sends.
        if !ends.keys().copied().eq(0..trial.case.ranks) {
            return Ok(Verdict::Refused(format!("{} of {} ranks end", ends.len(), trial.case.ranks)));
        }
        #[expect(clippy::cast_precision_loss, reason = "a simulated time is small")]
        let seconds = last as f64 * 1e-9;
        Ok(steps::verdict(trial, seconds, time.total, time.total * time.asynchronous_part))
    }

    fn spoil(&self, trial: &Trial<'_>, fault: Fault) -> Result<bool> {
        match fault {
            // A trace has sizes only.
            Fault::SwappedOffsets => Ok(false),
            Fault::MissingDependency => merge_steps(trial),
            Fault::WrongPeer => wrong_peer(trial),
        }
    }
}

/// Writes a workload of one collective, and the files that describe the system and its network.
fn write_configuration(trial: &Trial<'_>, time: &StepsTime) -> Result<()> {
    // A custom collective runs any trace. ASTRA-sim has no others: they run as an all-gather.
    let known = COLLECTIVES.iter().find(|(name, _)| *name == trial.case.collective);
    let &(collective, number) = known.unwrap_or(&COLLECTIVES[1]);
    let write = |name: &str, contents: &[u8]| {
        let path = trial.folder.join(name);
        fs::write(&path, contents).with_context(|| path.display().to_string())
    };
    let attribute = |name: &str, value: u64| {
        let fields = [(ATTRIBUTE_NAME, Value::text(name)), (ATTRIBUTE_INT64, Value::Number(value))];
        (ATTRIBUTE, Value::message(&fields))
    };
    let node = vec![
        (NAME, Value::text(collective)),
        (KIND, Value::Number(COLLECTIVE)),
        attribute("comm_type", number),
        attribute("comm_size", steps::size(trial.case)),
    ];
    let workload = protobuf::write_file(&[Vec::new(), node]);
    for rank in 0..trial.case.ranks {
        write(&format!("workload.{rank}.et"), &workload)?;
    }
    // Without a number of splits, the simulator divides by zero.
    let system = format!(
        "{{\"scheduling-policy\": \"FIFO\", \"preferred-dataset-splits\": 1, \
         \"{collective}-implementation-custom\": [\"plan/plan\"]}}\n"
    );
    write("system.json", system.as_bytes())?;
    write("memory.json", b"{\"memory-type\": \"NO_MEMORY_EXPANSION\"}\n")?;
    // In each step, a link transmits its messages in the time of the step, and not faster where this is possible.
    let bandwidth = time.bandwidth * widest_pair(trial)? / time.chunk;
    let network = format!(
        "topology: [ FullyConnected ]\nnpus_count: [ {} ]\nbandwidth: [ {} ]\nlatency: [ {} ]\n",
        trial.case.ranks,
        bandwidth / GIGABYTE,
        1e9 * time.latency
    );
    write("network.yml", network.as_bytes())
}

/// Returns the time at which each rank ends, in nanoseconds.
fn end_times(text: &str) -> BTreeMap<usize, u64> {
    let time = |line: &str| {
        let (rank, rest) = line.split_once("sys[")?.1.split_once("] finished, ")?;
        Some((rank.parse().ok()?, rest.split_once(" cycles")?.0.parse().ok()?))
    };
    text.lines().filter_map(time).collect()
}

/// The trace of a rank: its metadata and its nodes.
type Trace = Vec<Vec<Field>>;

/// Reads the trace of each rank.
fn traces(trial: &Trial<'_>) -> Result<Vec<(PathBuf, Trace)>> {
    let read = |rank| {
        let path = trial.file.join(format!("plan.{rank}.et"));
        let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
        let trace = protobuf::read_file(&bytes).with_context(|| path.display().to_string())?;
        Ok((path, trace))
    };
    (0..trial.case.ranks).map(read).collect()
}

/// Returns the step of a node, from its name.
fn step(node: &[Field]) -> Option<u64> {
    let is_name = |field: &&Field| field.0 == NAME;
    let Some((_, Value::Bytes(name))) = node.iter().find(is_name) else { return None };
    let (_, rest) = std::str::from_utf8(name).ok()?.split_once("_step")?;
    rest.split('_').next()?.parse().ok()
}

/// Returns an attribute of a node that is a number.
fn attribute(node: &[Field], name: &str) -> Option<u64> {
    let number = |field: &Field| {
        let (ATTRIBUTE, Value::Bytes(bytes)) = field else { return None };
        let fields = protobuf::read(bytes).ok()?;
        let [(_, name_here), (_, Value::Number(number))] = &fields[..] else { return None };
        (*name_here == Value::text(name)).then_some(*number)
    };
    node.iter().find_map(number)
}

/// Returns the largest number of bytes that a rank sends to another one in a step.
fn widest_pair(trial: &Trial<'_>) -> Result<f64> {
    let mut widest = 0;
    for (path, trace) in traces(trial)? {
        let mut pairs: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        for node in trace.iter().filter(|node| attribute(node, "comm_dst").is_some()) {
            let place = (step(node), attribute(node, "comm_dst"), attribute(node, "comm_size"));
            let (Some(step), Some(peer), Some(size)) = place else {
                anyhow::bail!("{}: a send has no step, peer or size", path.display());
            };
            *pairs.entry((step, peer)).or_default() += size;
        }
        widest = widest.max(pairs.into_values().max().unwrap_or(0));
    }
    #[expect(clippy::cast_precision_loss, reason = "a message is small")]
    Ok(widest as f64)
}

/// Starts the transfers of the second step with those of the first one, on networks of equal channels where a channel is
/// busy in every step.
fn merge_steps(trial: &Trial<'_>) -> Result<bool> {
    let traces = traces(trial)?;
    let mut steps_of_pairs: BTreeMap<(&PathBuf, u64), BTreeSet<u64>> = BTreeMap::new();
    for (path, trace) in &traces {
        for node in trace {
            if let (Some(peer), Some(step)) = (attribute(node, "comm_dst"), step(node)) {
                steps_of_pairs.entry((path, peer)).or_default().insert(step);
            }
        }
    }
    let is_full = steps_of_pairs.values().any(|steps| steps.len() as u64 == trial.case.steps);
    if trial.case.steps < 2 || !trial.case.is_uniform || !is_full {
        return Ok(false);
    }
    for (path, mut trace) in traces {
        for node in trace.iter_mut().filter(|node| step(node) == Some(1)) {
            node.retain(|(number, _)| *number != DATA_DEPENDENCIES);
        }
        fs::write(&path, protobuf::write_file(&trace)).with_context(|| path.display().to_string())?;
    }
    Ok(true)
}

/// Sends the first transfer of a rank to another one.
fn wrong_peer(trial: &Trial<'_>) -> Result<bool> {
    let ranks = trial.case.ranks as u64;
    for (rank, (path, mut trace)) in (0..).zip(traces(trial)?) {
        let Some(node) = trace.iter_mut().find(|node| attribute(node, "comm_dst").is_some()) else { continue };
        for field in node {
            let (ATTRIBUTE, Value::Bytes(bytes)) = field else { continue };
            let mut fields = protobuf::read(bytes)?;
            let [(_, name), (_, Value::Number(peer))] = &mut fields[..] else { continue };
            if *name == Value::text("comm_dst") {
                let others = (1..ranks).map(|distance| (*peer + distance) % ranks);
                *peer = others.clone().find(|&other| other != rank).context("a plan has at least three ranks")?;
                *bytes = protobuf::write(&fields);
            }
        }
        fs::write(&path, protobuf::write_file(&trace)).with_context(|| path.display().to_string())?;
        return Ok(true);
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_ends_if_the_simulator_prints_its_time() {
        let text = "[2025-01-01] [workload] [info] sys[0] finished, 300 cycles, exposed communication 300 cycles.\n\
                    [2025-01-01] [statistics] [info] sys[0], Wall time: 300\n\
                    [2025-01-01] [workload] [info] sys[12] finished, 90174 cycles, exposed communication 1 cycles.\n\
                    [2025-01-01] [system] [warning] Exiting\n";
        assert_eq!(end_times(text), BTreeMap::from([(0, 300), (12, 90174)]));
        assert_eq!(end_times(""), BTreeMap::new());
    }

    #[test]
    fn the_step_and_the_peer_of_a_node_are_read() {
        let attribute_of = |name: &str, value| {
            (ATTRIBUTE, Value::message(&[(ATTRIBUTE_NAME, Value::text(name)), (7, Value::Number(value))]))
        };
        let node =
            [(NAME, Value::text("COMM_SEND_NODE_step3_17")), (KIND, Value::Number(5)), attribute_of("comm_dst", 5)];
        assert_eq!((step(&node), attribute(&node, "comm_dst"), attribute(&node, "comm_src")), (Some(3), Some(5), None));
    }
}
