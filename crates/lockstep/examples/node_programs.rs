//! Plans a collective on a network from a file, and prints what every terminal sends and receives in each step.
//!
//! Usage: `cargo run --example node_programs [NETWORK [COLLECTIVE]]`. NETWORK is a graph file or a spec such as
//! `mesh:4x4`, and COLLECTIVE a name such as `all-to-all`. The root of a broadcast is the first terminal.

#![expect(clippy::print_stdout, reason = "the example prints its result")]

use std::env;
use std::error::Error;

use lockstep::{Budget, CollectiveName, CommunicationModel, DEFAULT_EVALUATIONS, load, plan};

const NETWORK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/networks/irregular.edges");

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let network = load(arguments.next().as_deref().unwrap_or(NETWORK))?;
    let name: CollectiveName = arguments.next().as_deref().unwrap_or("all-gather").parse()?;
    let collective = name.with_root(name.has_root().then(|| network.terminals()[0]))?;
    let budget = Budget::evaluations(DEFAULT_EVALUATIONS);
    let plan = plan(&network, &collective, &CommunicationModel::wormhole(), &budget)?;

    println!("{} on {}: {} steps, {}", name, network.name(), plan.step_count(), plan.verdict());
    println!("found by {}; {}", plan.engine(), plan.lower_bound());
    let problem = plan.problem();
    let messages = problem.messages();
    for &terminal in network.terminals() {
        println!("{}:", network.node_name(terminal));
        for (step, transfers) in plan.schedule().steps() {
            for transfer in transfers.iter() {
                let (Some(&first), Some(&last)) = (transfer.path.first(), transfer.path.last()) else { continue };
                let (sender, receiver) = (network.tail(first), network.head(last));
                let source = network.node_name(messages.source(transfer.message));
                if sender == terminal {
                    println!("  step {step}: send the message of {source} to {}", network.node_name(receiver));
                } else if receiver == terminal {
                    println!("  step {step}: receive the message of {source} from {}", network.node_name(sender));
                }
            }
        }
    }
    Ok(())
}
