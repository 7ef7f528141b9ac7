//! `SimGrid`: a platform and time-independent traces for `smpirun -replay`.
//!
//! A host is a rank, and a link is a channel, or the channels that share a wire. Parallel channels of their own form one
//! link. In each step a rank receives and sends at the same time and waits for all of it. Local work takes no time.
//!
//! # Source
//!
//! `SimGrid`, `src/smpi/internals/smpi_replay.cpp` and `src/kernel/xml/sg_platf.cpp`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use lockstep_topology::{ChannelId, Topology};

use super::text::Text;
use crate::error::ExportError;
use crate::export::{Export, ExportFile, Format};
use crate::lower::Connections;
use crate::program::{Action, Program, RankProgram, Receives};

pub(super) const FORMAT: Format = Format {
    name: "simgrid",
    about: "platform and traces for SimGrid (smpirun -replay), for one size",
    extension: "",
    limits: "one path per pair of ranks",
    write,
};

/// The bandwidth of one unit of capacity of a network without bandwidths, in bytes per second.
const DEFAULT_BANDWIDTH: u64 = 1_000_000_000;

/// The latency of a channel of a network without latencies: 1 us.
const DEFAULT_LATENCY_PS: u64 = 1_000_000;

/// A transfer takes its latency and then its size over its bandwidth, and computation takes no time.
const CONFIGURATION: &str = "  <config>
    <prop id=\"network/TCP-gamma\" value=\"0\"/>
    <prop id=\"network/crosstraffic\" value=\"0\"/>
    <prop id=\"smpi/simulate-computation\" value=\"no\"/>
  </config>
";

fn write(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let program = export.lower(Connections::Routed, Receives::Direct, NonZeroU32::MIN)?;
    let platform = platform(export, &program)?;
    let file = |name: String, text: String| ExportFile { name, contents: text.into_bytes() };
    let (mut hosts, mut names) = (Text::default(), Text::default());
    let mut files = vec![file("platform.xml".to_owned(), platform)];
    for (rank, of_rank) in program.ranks.iter().enumerate() {
        hosts.line(format_args!("rank-{rank}"));
        names.line(format_args!("rank-{rank}.txt"));
        files.push(file(format!("rank-{rank}.txt"), trace(rank, of_rank, export.chunk_bytes())));
    }
    files.push(file("run.sh".to_owned(), script(program.ranks.len())));
    files.push(file("hosts.txt".to_owned(), hosts.into_string()));
    files.push(file("traces.txt".to_owned(), names.into_string()));
    Ok(files)
}

/// Returns the script that starts the replay. `smpirun` sets the model of the network, so the platform cannot.
fn script(ranks: usize) -> String {
    format!(
        "#!/bin/sh\n# Replays the traces; the last line is the simulated time in seconds.\ncd \"$(dirname \"$0\")\" || exit\n\
         exec smpirun -np {ranks} -platform platform.xml -hostfile hosts.txt -replay traces.txt \\\n    \
         --cfg=network/model:CM02 \"$@\"\n"
    )
}

/// Returns the actions of a rank.
fn trace(rank: usize, of_rank: &RankProgram, chunk: u64) -> String {
    let mut text = Text::default();
    text.line(format_args!("{rank} init"));
    for step in of_rank.operations().chunk_by(|one, next| one.step == next.step) {
        let mut waits = false;
        for operation in step {
            if let Action::Receive { peer, tag, .. } = operation.action {
                text.line(format_args!("{rank} irecv {peer} {tag} {chunk}"));
                waits = true;
            }
        }
        for operation in step {
            if let Action::Send { peer, tag, .. } = operation.action {
                text.line(format_args!("{rank} isend {peer} {tag} {chunk}"));
                waits = true;
            }
        }
        if waits {
            text.line(format_args!("{rank} waitall"));
        }
    }
    text.line(format_args!("{rank} finalize"));
    text.into_string()
}

/// A link of the platform.
struct Link {
    /// Units of capacity.
    capacity: u64,
    latency_ps: u64,
}

/// Returns the link of every channel, and the links.
fn links(topology: &Topology) -> (BTreeMap<ChannelId, usize>, Vec<Link>) {
    let mut users = vec![0u32; topology.resource_count()];
    for channel in topology.channels() {
        users[topology.resource(channel).index()] += 1;
    }
    let (mut links, mut of_key, mut of_channel) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    for channel in topology.channels() {
        let resource = topology.resource(channel);
        let shared = users[resource.index()] > 1;
        let key = if shared {
            (Some(resource), None)
        } else {
            (None, Some((topology.tail(channel), topology.head(channel))))
        };
        let is_new = !of_key.contains_key(&key);
        let link = *of_key.entry(key).or_insert(links.len());
        if is_new {
            let latency_ps = if topology.has_latencies() { topology.latency_ps(channel) } else { DEFAULT_LATENCY_PS };
            links.push(Link { capacity: topology.capacity(channel).into(), latency_ps });
        } else if !shared {
            links[link].capacity += u64::from(topology.capacity(channel));
        }
        of_channel.insert(channel, link);
    }
    (of_channel, links)
}

fn platform(export: &Export<'_>, program: &Program) -> Result<String, ExportError> {
    let topology = export.problem.topology();
    let (of_channel, links) = links(topology);
    let routes = routes(program, &of_channel)?;
    let (title, chunk, ranks) = (export.title(), export.chunk_bytes(), program.ranks.len());
    let unit = topology.unit_bytes_per_second().unwrap_or(DEFAULT_BANDWIDTH);
    let mut text = Text::default();
    text.push("<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n");
    text.line(format_args!("<!-- {title}, {chunk} bytes per chunk: start run.sh in this directory -->"));
    text.push("<platform version=\"4.1\">\n");
    text.push(CONFIGURATION);
    text.push("  <zone id=\"network\" routing=\"Full\">\n");
    for rank in 0..ranks {
        text.line(format_args!("    <host id=\"rank-{rank}\" speed=\"1Gf\"/>"));
    }
    for (link, Link { capacity, latency_ps }) in links.iter().enumerate() {
        let bandwidth = unit.saturating_mul(*capacity);
        text.line(format_args!(
            "    <link id=\"link-{link}\" bandwidth=\"{bandwidth}Bps\" latency=\"{latency_ps}ps\"/>"
        ));
    }
    for ((sender, receiver), path) in routes {
        text.line(format_args!("    <route src=\"rank-{sender}\" dst=\"rank-{receiver}\" symmetrical=\"NO\">"));
        for link in path {
            text.line(format_args!("      <link_ctn id=\"link-{link}\"/>"));
        }
        text.push("    </route>\n");
    }
    text.push("  </zone>\n</platform>\n");
    Ok(text.into_string())
}

/// Returns the links between each pair of ranks that communicates.
fn routes(
    program: &Program,
    of_channel: &BTreeMap<ChannelId, usize>,
) -> Result<BTreeMap<(u32, u32), Vec<usize>>, ExportError> {
    let mut routes: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for (tag, transfer) in (0..).zip(&program.transfers) {
        let path: Vec<usize> = program.path(tag).iter().map(|channel| of_channel[channel]).collect();
        let route = routes.entry((transfer.sender, transfer.receiver)).or_insert_with(|| path.clone());
        if *route != path {
            let place = format!("the way from rank {} to rank {}", transfer.sender, transfer.receiver);
            let remedy = "plan with --switching sf, or on a network with one path per pair";
            let (what, runtime) = ("different paths", "SimGrid");
            return Err(ExportError::Limit { place, count: 2, what, runtime, limit: 1, remedy, exports: Vec::new() });
        }
    }
    Ok(routes)
}
