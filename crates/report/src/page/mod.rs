//! Interactive HTML pages of schedules: data, style and script in one file.

mod coder;
mod facts;
mod groups;
mod network;
mod phases;
mod record;
mod transfers;

use base64::prelude::*;
use lockstep_schedule::{Problem, Schedule};
use lockstep_topology::Topology;
use sha2::{Digest, Sha256};

use crate::labels;
use crate::markup::Markup;
use crate::scene::Scene;
use crate::svg::label_placement;

pub use self::facts::{PlanFacts, ScheduleVerdict};
use self::network::{encode_messages, encode_network};
use self::record::PageRecord;
use self::transfers::encode_step;

const STYLE: &str = include_str!("style.css");
/// The elements of the page. The script writes all texts of the plan into them.
const BODY: &str = include_str!("body.html");
/// One script: the files share the names that they declare.
const SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("script/decoder.js"),
    include_str!("script/plan.js"),
    include_str!("script/holdings.js"),
    include_str!("script/texts.js"),
    include_str!("script/colours.js"),
    include_str!("script/state.js"),
    include_str!("script/picture.js"),
    include_str!("script/pointer.js"),
    include_str!("script/timeline.js"),
    include_str!("script/lists.js"),
    include_str!("script/held.js"),
    include_str!("script/controls.js"),
);

/// The limits of a page. A page says what it omits.
///
/// ```
/// use lockstep_report::PageLimits;
///
/// assert!(PageLimits::BROWSER.nodes >= 1_000);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageLimits {
    /// Maximum number of nodes of the network.
    pub nodes: usize,
    /// Maximum number of channels of the network.
    pub channels: usize,
    /// Maximum number of messages.
    pub messages: usize,
    /// Maximum number of channel uses of all steps. The page has the first steps that fit.
    pub channel_uses: usize,
}

impl PageLimits {
    /// Limits for a browser: 2,048 nodes, 70,000 channels, 4 million messages, 32 million channel uses.
    pub const BROWSER: Self = Self { nodes: 2048, channels: 70_000, messages: 4_000_000, channel_uses: 32_000_000 };

    /// Returns the reason if a problem exceeds the limits.
    fn refuse(&self, topology: &Topology, messages: usize) -> Option<String> {
        let sizes = [
            (topology.node_count(), self.nodes, "nodes"),
            (topology.channel_bound(), self.channels, "channels"),
            (messages, self.messages, "messages"),
        ];
        let excess = sizes.into_iter().find(|&(size, limit, _)| size > limit);
        excess.map(|(size, limit, noun)| format!("This page shows at most {limit} {noun}; the plan has {size}."))
    }

    /// Returns the number of first steps that fit.
    fn steps(&self, schedule: &Schedule) -> usize {
        let mut uses = 0_usize;
        let fits = |(_, step): &(usize, lockstep_schedule::Step<'_>)| {
            uses = uses.saturating_add(step.channel_use_count()).saturating_add(step.len());
            uses <= self.channel_uses
        };
        schedule.steps().take_while(fits).count()
    }
}

/// Draws a schedule as a self-contained HTML page that shows it step by step.
///
/// The page has a picture of the network with the transfers of a step, a timeline of all links, the messages that each
/// node holds, lists of transfers and links, and the facts. It can be used with a keyboard alone. It loads no other file:
/// a Content-Security-Policy allows its own script and style only. Names are shown and never executed. Without scripts it
/// says that it needs them.
///
/// The data usually take less than 8 bytes per transfer. The schedule can be invalid: transfers of unknown messages or channels
/// are listed, and transfers that exceed the capacity of a link are dashed. Takes `O(N^2 + N M)` time for the layout,
/// and `O(1)` per channel of a transfer.
///
/// ```
/// use lockstep_report::{PageLimits, PlanFacts, schedule_html};
/// use lockstep_schedule::{Collective, CommunicationModel, Problem, Schedule};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:4".parse()?;
/// let collective = Collective::all_gather();
/// let problem = Problem::new(&ring, &collective, CommunicationModel::store_and_forward())?;
/// let page = schedule_html(&problem, &Schedule::new(), &PlanFacts::default(), &PageLimits::BROWSER);
/// assert!(page.contains("<title>ring:4 · all-gather"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn schedule_html(problem: &Problem<'_>, schedule: &Schedule, facts: &PlanFacts, limits: &PageLimits) -> String {
    let topology = problem.topology();
    let title = labels::title(problem, schedule.step_count());
    if let Some(reason) = limits.refuse(topology, problem.messages().len()) {
        return page(&title, |out| {
            out.text("h1", &[], &title[0]);
            out.text("p", &[], &title[1..].join(" · "));
            out.text("p", &[], &reason);
        });
    }
    let drawn = limits.steps(schedule);
    let scene = Scene::new(topology, label_placement(topology, schedule));
    let mut record = PageRecord::new(problem, schedule, facts, &scene, drawn);
    let mut bytes = Vec::new();
    let steps = schedule.steps().take(drawn).map(|(_, step)| encode_step(problem, &step));
    let head = [encode_network(topology, &scene), encode_messages(problem.messages())];
    for part in head.into_iter().chain(steps) {
        record.parts.push(part.len());
        bytes.extend(part);
    }
    page(&title, |out| {
        out.raw(BODY);
        out.raw_text("script", &[("type", "application/json"), ("id", "record")], &record.to_json());
        out.raw_text("script", &[("type", "text/plain"), ("id", "numbers")], &BASE64_STANDARD.encode(&bytes));
        out.raw_text("script", &[], SCRIPT);
    })
}

fn page(title: &[String; 4], content: impl FnOnce(&mut Markup)) -> String {
    let mut out = Markup::default();
    out.raw("<!DOCTYPE html>\n");
    out.nest("html", &[("lang", "en")], |out| {
        out.nest("head", &[], |out| {
            out.empty("meta", &[("charset", "utf-8")]);
            out.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &security_policy())]);
            out.empty("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
            out.text("title", &[], &title.join(" · "));
            out.raw_text("style", &[], STYLE);
        });
        out.nest("body", &[], content);
    });
    out.finish()
}

/// Returns the Content-Security-Policy of a page: it loads nothing, and uses no script and no style but its own.
fn security_policy() -> String {
    let [style, script] = [STYLE, SCRIPT].map(|text| BASE64_STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
    )
}
