//! Plans an all-gather for every single link fault of a network in advance, and looks up the plan when a link fails.
//!
//! Usage: `cargo run --example recovery_book [NETWORK]`. NETWORK is a graph file or a spec such as `mesh:4x4`.

#![expect(clippy::print_stdout, reason = "the example prints its result")]

use std::env;
use std::error::Error;

use lockstep::faults::{FaultKind, FaultSpace};
use lockstep::{
    Budget, Collective, CommunicationModel, FaultOutcome, PlanOptions, RecoveryBook, SweepIdentity, SweepLog, load,
    plan, sweep,
};

const EVALUATIONS: u64 = 1 << 14;

fn main() -> Result<(), Box<dyn Error>> {
    let network = load(env::args().nth(1).as_deref().unwrap_or("mesh:3x3"))?;
    let budget = Budget::evaluations(EVALUATIONS);
    let before = plan(&network, &Collective::all_gather(), &CommunicationModel::wormhole(), &budget)?;
    println!("without faults: {} steps, {}", before.step_count(), before.verdict());

    // Before any fault: plan for every link, and write the book. A file works as well as a vector.
    let options = PlanOptions::auto(1);
    let identity = SweepIdentity { before: &before, options, evaluations: EVALUATIONS, sets: "every link" };
    let links = FaultSpace::new(&network, FaultKind::Link, 1);
    let mut bytes = Vec::new();
    let mut log = SweepLog::begin(&identity, &mut bytes)?;
    let mut written = Ok(());
    sweep(&before, links.iter(), options, &budget, |consequence| {
        let names: Vec<String> = consequence.degradation.faults.iter().map(|fault| fault.name(&network)).collect();
        match &consequence.degradation.outcome {
            FaultOutcome::Planned(figures) => {
                println!("without {}: {} steps, {}", names.join(", "), figures.steps, figures.verdict);
            }
            FaultOutcome::Lost(loss) => println!("without {}: {}", names.join(", "), loss.describe(&network)),
        }
        if written.is_ok() {
            written = log.add(&consequence);
        }
    })?;
    written?;
    log.end()?;

    // After a fault: read the schedule from the book, without any search.
    let book = RecoveryBook::read(&bytes)?;
    let failed = links.iter().next().ok_or("the network has no link")?;
    // `look_up` verifies the plan again.
    if let Some(plan) = book.look_up(&failed)?.and_then(|recovery| recovery.plan) {
        println!("the book of {} bytes has a verified plan of {} steps", bytes.len(), plan.step_count());
    }
    Ok(())
}
