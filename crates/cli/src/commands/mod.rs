//! One file a command.

pub(crate) mod bound;
pub(crate) mod design;
pub(crate) mod faults;
mod local;
pub(crate) mod plan;
pub(crate) mod render;
pub(crate) mod simulate;
mod symmetric;
pub(crate) mod topology;
pub(crate) mod verify;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use lockstep::Budget;

use crate::args::Talk;
use crate::output;

/// How a command ends that was asked correctly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// Done, or the answer is yes: exit code 0.
    Yes,
    /// The answer is no: exit code 1.
    No,
}

/// Signals that follow sooner are the same one, sent to the program and to its group.
const ECHO: Duration = Duration::from_millis(200);

/// The first signal ends what is being done, the second one the program.
fn stop_on_signal(budget: &Budget, what: &'static str, talk: Talk) -> anyhow::Result<()> {
    let (budget, mut first) = (budget.clone(), None);
    let stop = move || match first {
        None => {
            first = Some(Instant::now());
            output::note(talk, &format!("ending {what}; once more to end at once"));
            budget.cancel();
        }
        Some(first) if first.elapsed() > ECHO => std::process::exit(130),
        Some(_) => {}
    };
    ctrlc::set_handler(stop).context("signals cannot be caught")
}

/// The extension of a file in lower case; empty if there is none.
fn extension(path: &Path) -> String {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase()
}
