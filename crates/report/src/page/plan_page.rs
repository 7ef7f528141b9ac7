//! The page of a plan.

use lockstep_schedule::{Problem, Schedule};
use lockstep_topology::{ChannelId, NodeId, Topology};

use super::body::{CANVASES, CORNER, DIALOG, SAVE, ZOOM};
use super::facts::PlanFacts;
use super::limits::PageLimits;
use super::network::{encode_messages, encode_network};
use super::record::{FaultRecord, PageRecord, ScheduleRecord};
use super::shell::{interactive_page, refusal, to_json};
use super::transfers::encode_step;
use crate::labels;
use crate::scene::Scene;
use crate::svg::label_placement;

/// The elements of the page. The script writes all texts of the plan into them.
const BODY: [&str; 9] = [
    include_str!("body/plan-1.html"),
    CORNER,
    include_str!("body/plan-2.html"),
    ZOOM,
    SAVE,
    include_str!("body/plan-3.html"),
    CANVASES,
    include_str!("body/plan-4.html"),
    DIALOG,
];
/// One script: the files share the names that they declare.
pub(super) const SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("script/decoder.js"),
    include_str!("script/record.js"),
    include_str!("script/network.js"),
    include_str!("script/plan.js"),
    include_str!("script/holdings.js"),
    include_str!("script/words.js"),
    include_str!("script/svg.js"),
    include_str!("script/svg_layer.js"),
    include_str!("script/texts.js"),
    include_str!("script/colours.js"),
    include_str!("script/faults.js"),
    include_str!("script/uses.js"),
    include_str!("script/clock.js"),
    include_str!("script/view.js"),
    include_str!("script/state.js"),
    include_str!("script/picture.js"),
    include_str!("script/transfers.js"),
    include_str!("script/pointer.js"),
    include_str!("script/inspect.js"),
    include_str!("script/timeline.js"),
    include_str!("script/busy.js"),
    include_str!("script/rows.js"),
    include_str!("script/lists.js"),
    include_str!("script/held.js"),
    include_str!("script/common_controls.js"),
    include_str!("script/save.js"),
    include_str!("script/save_picture.js"),
    include_str!("script/layout.js"),
    include_str!("script/controls.js"),
);

/// Maximum number of schedules after faults.
const MAX_FAULTS: usize = 256;
/// Maximum number of bytes of schedules after faults.
const MAX_FAULT_BYTES: usize = 8 << 20;
/// The note of a schedule that is left out.
const OMITTED: &str = "The page does not have this schedule. Write its own page with lockstep faults lookup.";

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
    recovery_html(problem, schedule, facts, &[], limits)
}

/// The schedule after a set of faults, for the page of a recovery book.
#[derive(Clone, Debug)]
pub struct FaultEntry<'a> {
    /// The names of the faults.
    pub name: String,
    /// The figures in words, such as `9 steps`.
    pub summary: String,
    /// The verdict, the bound and further facts. The bound is the reason if the collective is impossible.
    pub facts: PlanFacts,
    /// The network after the faults, with the same numbers.
    pub network: &'a Topology,
    /// The problem on this network and its schedule; `None` if the collective is impossible.
    pub plan: Option<(Problem<'a>, &'a Schedule)>,
}

/// Draws a schedule, and the schedules after faults, as a page in which a set of faults can be chosen.
///
/// It is the page of [`schedule_html`] with a list of faults. It has at most 256 schedules after faults and 8 MB of them, and
/// says so. A schedule for other messages, as after the failure of a terminal, is left out as well.
pub fn recovery_html(
    problem: &Problem<'_>,
    schedule: &Schedule,
    facts: &PlanFacts,
    book: &[FaultEntry<'_>],
    limits: &PageLimits,
) -> String {
    let topology = problem.topology();
    let title = labels::title(problem, schedule.step_count());
    if let Some(reason) = limits.refuse(problem) {
        return refusal(&title, &reason);
    }
    let drawn = limits.steps(schedule);
    let scene = Scene::new(topology, label_placement(topology, schedule));
    let mut record = PageRecord::new(problem, schedule, facts, &scene, drawn);
    let mut bytes = Vec::new();
    let head = [encode_network(topology, &scene), encode_messages(problem.messages())];
    for part in head.into_iter().chain(encode_steps(problem, schedule, drawn)) {
        record.schedule.parts.push(part.len());
        bytes.extend(part);
    }
    add_faults(&mut record, &mut bytes, problem, book, limits);
    interactive_page(&title, &BODY, SCRIPT, &to_json(&record), &bytes)
}

fn encode_steps(problem: &Problem<'_>, schedule: &Schedule, drawn: usize) -> Vec<Vec<u8>> {
    schedule.steps().take(drawn).map(|(_, step)| encode_step(problem, &step)).collect()
}

/// Adds the schedules of a recovery book to a page.
fn add_faults(
    record: &mut PageRecord,
    bytes: &mut Vec<u8>,
    problem: &Problem<'_>,
    book: &[FaultEntry<'_>],
    limits: &PageLimits,
) {
    if book.is_empty() {
        return;
    }
    let own: usize = record.schedule.parts.iter().skip(2).sum();
    let head: Vec<usize> = record.schedule.parts.iter().take(2).copied().collect();
    let (mut after, mut kept, mut omitted) = (own, 0, 0);
    let mut faults = Vec::new();
    for entry in book {
        let network = entry.network;
        let has_failed = |channel: &ChannelId| !network.is_working(*channel) && problem.topology().is_working(*channel);
        let mut fault = FaultRecord {
            fault: labels::visible(&entry.name),
            summary: labels::visible(&entry.summary),
            failed_channels: network.channel_numbers().filter(has_failed).map(ChannelId::number).collect(),
            failed_nodes: network.nodes().filter(|&node| network.has_failed(node)).map(NodeId::number).collect(),
            skip: after,
            schedule: ScheduleRecord::without_steps(&entry.facts),
        };
        if let Some((repaired, schedule)) = &entry.plan {
            let drawn = limits.steps(schedule);
            let is_same = repaired.messages().len() == problem.messages().len();
            let steps = if is_same && kept < MAX_FAULTS { encode_steps(repaired, schedule, drawn) } else { Vec::new() };
            let size: usize = steps.iter().map(Vec::len).sum();
            if steps.is_empty() || after + size > own + MAX_FAULT_BYTES {
                omitted += 1;
                fault.schedule.notes.push(OMITTED.to_owned());
            } else {
                kept += 1;
                fault.schedule = ScheduleRecord::new(repaired, schedule, &entry.facts, drawn);
                fault.schedule.parts = head.iter().copied().chain(steps.iter().map(Vec::len)).collect();
                after += size;
                bytes.extend(steps.concat());
            }
        }
        if fault.schedule.parts.is_empty() {
            fault.schedule.parts.clone_from(&head);
        }
        faults.push(fault);
    }
    if omitted > 0 {
        record
            .schedule
            .notes
            .push(format!("The page has the schedules after {kept} of {} sets of faults.", kept + omitted));
    }
    let none = FaultRecord {
        fault: "none".to_owned(),
        summary: labels::counted(record.schedule.transfers.len(), "step"),
        failed_channels: Vec::new(),
        failed_nodes: Vec::new(),
        skip: 0,
        schedule: record.schedule.clone(),
    };
    record.faults = std::iter::once(none).chain(faults).collect();
}
