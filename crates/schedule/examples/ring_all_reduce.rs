//! Verifies the ring all-reduce of machine learning libraries, and prints its time for several message sizes.
//!
//! Every node sends one block per step to the next node of the ring. After `n - 1` steps each node holds one reduced
//! block; after `n - 1` more steps every node holds all of them.
//!
//! Run it with `cargo run --example ring_all_reduce -- 8`, where 8 is the number of nodes.

#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use lockstep_schedule::{Collective, CommunicationModel, CostModel, MessageId, Problem, Schedule, verify};
use lockstep_topology::TopologyBuilder;

fn main() -> Result<(), Box<dyn Error>> {
    let count: u32 = std::env::args().nth(1).map_or(Ok(8), |count| count.parse())?;
    let mut ring = TopologyBuilder::new(format!("one-way ring of {count}"));
    let nodes: Vec<_> = (0..count).map(|node| ring.terminal(node.to_string())).collect();
    let next = |node: u32| (node + 1) % count;
    let channels: Vec<_> =
        (0..count).map(|node| ring.channel(nodes[node as usize], nodes[next(node) as usize])).collect();
    let ring = ring.build()?;

    // In step s, node v sends block v - 1 - s: its partial sum in the first n - 1 steps, the result in the others.
    let mut schedule = Schedule::new();
    for step in 0..2 * (count - 1) {
        schedule.begin_step();
        for node in 0..count {
            let block = (node + 2 * count - 1 - step % count) % count;
            schedule.push(MessageId::new(block), &[channels[node as usize]]);
        }
    }

    let all_reduce = Collective::all_reduce();
    let problem = Problem::new(&ring, &all_reduce, CommunicationModel::store_and_forward())?;
    let report = verify(&problem, &schedule)?;
    println!("{ring_name}: {report}", ring_name = ring.name());
    let cost = CostModel { start_up_ps: 1_000_000, byte_ps: 500 };
    for bytes in [1 << 10, 1 << 20, 1 << 30] {
        let block = u64::div_ceil(bytes, count.into());
        println!("{bytes:>10} bytes: {}", cost.time_of_steps(report.steps as u64, block));
    }
    Ok(())
}
