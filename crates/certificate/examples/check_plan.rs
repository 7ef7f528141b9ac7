//! Checks a plan that another program made: a schedule is valid, a lower bound holds, and they meet.
//!
//! The plan is four text files: a network (an edge list), messages, a schedule, and a bound (JSON). Run it with
//! `cargo run --example check_plan`, or with the four files of your plan as arguments.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;
use std::{env, fs};

use lockstep_certificate::LowerBound;
use lockstep_schedule::{Collective, CommunicationModel, Message, MessageId, Problem, Schedule, verify};
use lockstep_topology::{ChannelId, GraphFormat, NodeId, Topology, read_graph};

fn main() -> Result<(), Box<dyn Error>> {
    let mut files: Vec<String> = env::args().skip(1).collect();
    if files.is_empty() {
        let data = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/");
        files =
            ["network.edges", "messages.txt", "schedule.txt", "bound.json"].map(|file| data.to_owned() + file).into();
    }
    let [network, messages, schedule, bound] = files.as_slice() else {
        return Err("expected four files: NETWORK MESSAGES SCHEDULE BOUND".into());
    };

    let network = read_graph(&fs::read_to_string(network)?, GraphFormat::EdgeList, "network")?;
    let mut collective = Vec::new();
    for line in lines(&fs::read_to_string(messages)?) {
        let nodes = nodes(&network, line.split_whitespace())?;
        let (&source, receivers) = nodes.split_first().ok_or("a message needs a source")?;
        collective.push(Message { source, receivers: receivers.to_vec() });
    }
    let collective = Collective::custom(collective);
    let problem = Problem::new(&network, &collective, CommunicationModel::wormhole())?;

    let verification = verify(&problem, &read_schedule(&network, &fs::read_to_string(schedule)?)?)?;
    println!("the schedule is valid: {} steps", verification.steps);
    let bound: LowerBound = serde_json::from_str(&fs::read_to_string(bound)?)?;
    bound.check(&problem)?;
    println!("the bound holds: {} steps, because {}", bound.steps, bound.certificate.explain(&network));
    if verification.width_sum == u64::from(bound.steps) {
        println!("the plan is optimal");
    }
    Ok(())
}

/// Returns the lines that are not comments.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty())
}

fn nodes<'a>(network: &Topology, names: impl Iterator<Item = &'a str>) -> Result<Vec<NodeId>, String> {
    names.map(|name| network.node_named(name).ok_or_else(|| format!("the network has no node '{name}'"))).collect()
}

fn read_schedule(network: &Topology, text: &str) -> Result<Schedule, Box<dyn Error>> {
    let mut schedule = Schedule::new();
    for line in lines(text) {
        let mut words = line.split_whitespace();
        let step: usize = words.next().ok_or("a transfer needs a step")?.parse()?;
        let message: u32 = words.next().ok_or("a transfer needs a message")?.parse()?;
        let channel = |ends: &[NodeId]| {
            let mut channels = network.out_channels(ends[0]).iter().copied();
            channels.find(|&channel| network.head(channel) == ends[1]).ok_or("no channel joins two nodes of a path")
        };
        let path: Vec<ChannelId> = nodes(network, words)?.windows(2).map(channel).collect::<Result<_, _>>()?;
        while schedule.step_count() < step {
            schedule.begin_step();
        }
        schedule.push(MessageId::new(message), &path);
    }
    Ok(schedule)
}
