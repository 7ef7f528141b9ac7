//! `PyTorch` with Gloo: the exported program runs a plan as one process per rank and checks all results.

use std::fs;
use std::net::TcpListener;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::cases::{Case, Role};
use super::consumer::{Consumer, Effort, Fault, Found, Missing, Trial, Verdict};
use super::operations::{Action, Operation, Place, spoil};
use crate::process;

/// Starts the ranks as copies of one process, because the import of torch takes more time than a plan. Ends all of them at a signal.
const LAUNCHER: &str = "\
import os, runpy, signal, sys, traceback, torch, torch.distributed
ranks, program, children = int(sys.argv[1]), sys.argv[2], []
for rank in range(ranks):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.environ['RANK'] = str(rank)
            sys.argv = [program, *sys.argv[3:]]
            runpy.run_path(program, run_name='__main__')
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    children.append(child)
def end(*_):
    for child in children:
        os.kill(child, signal.SIGKILL)
    os._exit(1)
signal.signal(signal.SIGTERM, end)
sys.exit(int(any([os.waitpid(child, 0)[1] for child in children])))
";

struct Torch {
    name: String,
    python: String,
}

/// Looks for a Python with torch: that of the environment variable `PYTHON`, or `python3`.
pub(crate) fn find() -> Found {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = "import torch, torch.distributed as d; assert d.is_gloo_available(); print(torch.__version__)";
    let version = Command::new(&python).args(["-c", script]).output().ok().filter(|output| output.status.success());
    let Some(version) = version else {
        let install = "apt install python3-torch, or pip install torch; PYTHON names the interpreter";
        return Err(Missing { name: "PyTorch, Gloo", install });
    };
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    Ok(Box::new(Torch { name: format!("PyTorch {version}, Gloo"), python }))
}

impl Consumer for Torch {
    fn name(&self) -> &str {
        &self.name
    }

    fn format(&self) -> &'static str {
        "torch"
    }

    fn options(&self, _: &Case) -> Vec<String> {
        Vec::new()
    }

    fn effort(&self) -> Effort {
        Effort::Large
    }

    fn supports(&self, case: &Case) -> bool {
        case.role != Role::Random
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Verdict> {
        // The port is free again when this listener is closed.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string();
        let ranks = trial.case.ranks;
        let mut launcher = Command::new(&self.python);
        launcher.args(["-c", LAUNCHER, &ranks.to_string()]).arg(trial.file.join("run.py")).arg("64");
        launcher.envs([("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", &port), ("OMP_NUM_THREADS", "1")]);
        launcher.env("WORLD_SIZE", ranks.to_string());
        let finished = process::run(&mut launcher, trial.limit, trial.folder)?;
        let is_right = finished.is_success && finished.text.contains(": right, 0 wrong elements");
        Ok(if is_right { Verdict::Accepted } else { Verdict::Refused(finished.reason("WRONG")) })
    }

    fn spoil(&self, trial: &Trial<'_>, fault: Fault) -> Result<bool> {
        let path = trial.file.join("plan.json");
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let mut operations = Vec::new();
        let mut rank = 0;
        for line in text.lines() {
            rank += usize::from(line.contains("\"operations\": ["));
            if line.contains("\"action\"") {
                operations.push(parse(rank - 1, line).with_context(|| line.to_owned())?);
            }
        }
        if !spoil(&mut operations, fault, trial.case.ranks) {
            return Ok(false);
        }
        let mut rows = operations.iter().map(row);
        let mut spoiled = String::new();
        for line in text.lines() {
            if line.contains("\"action\"") {
                let comma = if line.ends_with(',') { "," } else { "" };
                spoiled += &rows.next().context("the number of operations is the same")?;
                spoiled += comma;
            } else {
                spoiled += line;
            }
            spoiled.push('\n');
        }
        fs::write(&path, spoiled)?;
        Ok(true)
    }
}

/// Returns the text after a name in a line of JSON.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_once(&format!("\"{name}\": ")).map(|(_, rest)| rest)
}

/// Returns the number after a name; 0 if there is none.
fn number(line: &str, name: &str) -> Result<usize> {
    let Some(text) = field(line, name) else { return Ok(0) };
    Ok(text.split([',', '}']).next().unwrap_or_default().parse()?)
}

/// Returns the place after a name: `["output", 3]`.
fn place(line: &str, name: &str) -> Result<Place> {
    let Some(text) = field(line, name) else { return Ok(Place::default()) };
    let (buffer, rest) = text.trim_start_matches("[\"").split_once("\", ").context("a place has a buffer")?;
    let (offset, _) = rest.split_once(']').context("a place has an offset")?;
    Ok(Place { buffer: buffer.to_owned(), offset: offset.parse()? })
}

/// Reads one line of the operations.
fn parse(rank: usize, line: &str) -> Result<Operation> {
    let action = match field(line, "action").and_then(|text| text.split('"').nth(1)) {
        Some("send") => Action::Send,
        Some("receive") => Action::Receive,
        Some("copy") => Action::Copy,
        Some("add") => Action::Add,
        other => bail!("unknown action {other:?}"),
    };
    Ok(Operation {
        rank,
        step: number(line, "step")?,
        action,
        peer: number(line, "peer")?,
        tag: 0,
        from: place(line, "from")?,
        to: place(line, "to")?,
        count: number(line, "count")?,
    })
}

/// Writes an operation as `parse` reads it.
fn row(operation: &Operation) -> String {
    let Operation { step, action, peer, from, to, count, .. } = operation;
    let from = format!("\"from\": [\"{}\", {}]", from.buffer, from.offset);
    let to = format!("\"to\": [\"{}\", {}]", to.buffer, to.offset);
    let rest = match action {
        Action::Send => format!("\"send\", \"peer\": {peer}, {from}"),
        Action::Receive => format!("\"receive\", \"peer\": {peer}, {to}"),
        Action::Copy => format!("\"copy\", {from}, {to}"),
        Action::Add => format!("\"add\", {from}, {to}"),
    };
    format!("        {{\"step\": {step}, \"action\": {rest}, \"count\": {count}}}")
}
