//! Prints the best rings of networks: `cargo run --release --example bandwidths -- MOST SPEC…`.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::time::Instant;

use lockstep_rings::{RingCount, RingKind, RingRequest, check_bound, search};
use lockstep_topology::Topology;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let most = arguments.next().ok_or("give the maximum number of rings, and specs of networks")?.parse()?;
    for spec in arguments {
        let topology: Topology = spec.parse()?;
        for kind in [RingKind::Ring, RingKind::Chain] {
            let request = RingRequest {
                terminals: None,
                kind,
                channels: RingCount::AtMost(most),
                relay: 0,
                gateway: None,
                seed: 1,
                work: 10_000_000,
                is_stopped: &|| false,
            };
            let begin = Instant::now();
            let answer = search(&topology, &request)?;
            let time = begin.elapsed();
            check_bound(&request.problem(&topology)?, &answer.bound)?;
            let (count, bandwidth) =
                answer.set.as_ref().map_or((0, "0".into()), |(set, load)| (set.len(), load.bandwidth().to_string()));
            let (kind, verdict) = (kind.name(), answer.verdict());
            println!("{spec}: {count} {kind}s, bandwidth {bandwidth}, limit {}, {verdict:?}, {time:.2?}", answer.limit);
        }
    }
    Ok(())
}
