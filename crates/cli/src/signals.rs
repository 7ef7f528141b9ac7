//! Interruption by Ctrl-C and SIGTERM.

use std::time::{Duration, Instant};

use anyhow::Context;
use lockstep::Budget;

use crate::args::Verbosity;
use crate::output;

/// Signals that follow within this time count as one: terminals send a signal to the program and to its group.
const ECHO: Duration = Duration::from_millis(200);

/// Exit code after a second signal, as shells report SIGINT.
const INTERRUPTED: i32 = 130;

/// Cancels the budget at the first signal, and exits at the second one.
pub(crate) fn cancel_on_signal(budget: &Budget, work: &'static str, verbosity: Verbosity) -> anyhow::Result<()> {
    let (budget, mut first) = (budget.clone(), None);
    let handler = move || match first {
        None => {
            first = Some(Instant::now());
            output::note(verbosity, &format!("stopping {work}; press Ctrl-C again to exit at once"));
            budget.cancel();
        }
        Some(first) if first.elapsed() > ECHO => std::process::exit(INTERRUPTED),
        Some(_) => {}
    };
    ctrlc::set_handler(handler).context("cannot install the signal handler")
}
