//! Tests of the page of a plan in a real browser: what it shows, in every step, is the plan.
//!
//! They are skipped where no Chromium is installed, and say so.

use lockstep_report::{PageLimits, PlanFacts, ScheduleVerdict, schedule_html};
use lockstep_schedule::{
    Collective, CommunicationModel, Message, MessageId, Pattern, Problem, Receivers, Schedule, Transfer,
};
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};

use crate::browser::{Browser, Page, say};

/// Bytes of a page besides its transfers.
const FIXED_BYTES: usize = 205_000;
/// Bytes of a page per transfer.
const BYTES_PER_TRANSFER: usize = 8;
/// Whether the page has read all steps, so that its status has the progress of the collective.
pub(crate) const PROGRESS_IS_SHOWN: &str =
    "document.getElementById('status').textContent.endsWith(' done.') ? 'yes' : 'no'";
/// Name letters in texts of the page.
const NAME_LETTERS: usize = 24;

/// Messages that a scatter sends in one step.
const SCATTERED_PER_STEP: usize = 40;

fn optimal() -> PlanFacts {
    let bound = "Every schedule takes this long.".to_owned();
    PlanFacts { verdict: ScheduleVerdict::Optimal, bound, details: Vec::new() }
}

/// The channel through which a breadth-first search from a node enters each node, and the nodes in its order.
fn search(topology: &Topology, source: NodeId) -> (Vec<Option<ChannelId>>, Vec<NodeId>) {
    let mut entered: Vec<Option<ChannelId>> = vec![None; topology.node_count()];
    let mut queue = vec![source];
    let mut done = 0;
    while let Some(&node) = queue.get(done) {
        done += 1;
        for &channel in topology.out_channels(node) {
            let head = topology.head(channel);
            if head != source && entered[head.index()].is_none() {
                entered[head.index()] = Some(channel);
                queue.push(head);
            }
        }
    }
    (entered, queue)
}

/// Every message floods the network, one channel per step. Links carry more than their capacity.
pub(crate) fn flood(problem: &Problem<'_>) -> Schedule {
    let topology = problem.topology();
    let mut steps: Vec<Vec<(MessageId, ChannelId)>> = Vec::new();
    for message in problem.messages().ids() {
        let source = problem.messages().source(message);
        let (entered, order) = search(topology, source);
        let mut level = vec![0; topology.node_count()];
        for &node in &order[1..] {
            let channel = entered[node.index()].unwrap();
            level[node.index()] = level[topology.tail(channel).index()] + 1;
            steps.resize(steps.len().max(level[node.index()]), Vec::new());
            steps[level[node.index()] - 1].push((message, channel));
        }
    }
    let mut schedule = Schedule::new();
    for step in steps {
        schedule.begin_step();
        for (message, channel) in step {
            schedule.push(message, &[channel]);
        }
    }
    schedule
}

/// Every message goes to its sum through the tree of a flood, in reverse order, and then floods the network.
pub(crate) fn reduce_and_flood(problem: &Problem<'_>) -> Schedule {
    let topology = problem.topology();
    let flood = flood(problem);
    let mut schedule = Schedule::new();
    for (_, step) in flood.steps().rev() {
        schedule.begin_step();
        for transfer in step.iter() {
            let channel = transfer.path[0];
            let back = topology.out_channels(topology.head(channel)).iter();
            let back = back.copied().find(|&back| topology.head(back) == topology.tail(channel)).unwrap();
            schedule.push(transfer.message, &[back]);
        }
    }
    schedule.append(&flood);
    schedule
}

/// Every message goes to its receivers on a shortest path: in step `t`, to the receiver at place `t`.
pub(crate) fn one_receiver_per_step(problem: &Problem<'_>) -> Schedule {
    let (topology, messages) = (problem.topology(), problem.messages());
    let mut sends = Vec::new();
    for message in messages.ids() {
        let (entered, _) = search(topology, messages.source(message));
        for (step, receiver) in messages.receivers_iter(message).enumerate() {
            let channel = |node: NodeId| entered[node.index()];
            let path = std::iter::successors(channel(receiver), |&last| channel(topology.tail(last)));
            let mut path: Vec<ChannelId> = path.collect();
            path.reverse();
            let step = if messages.is_scatter() { message.index() / SCATTERED_PER_STEP } else { step };
            sends.push((step, message, path));
        }
    }
    sends.sort_by_key(|&(step, message, _)| (step, message));
    let mut schedule = Schedule::new();
    for (step, message, path) in sends {
        if schedule.step_count() == step {
            schedule.begin_step();
        }
        schedule.push(message, &path);
    }
    schedule
}

/// Describes a transfer as the page does.
fn words(problem: &Problem<'_>, transfer: &Transfer<'_>) -> String {
    let (topology, messages) = (problem.topology(), problem.messages());
    let name = |node: NodeId| shortened(topology.node_name(node));
    let source = name(messages.source(transfer.message));
    let chunk = match messages.chunks() {
        1 => String::new(),
        chunks => format!(" #{}", transfer.message.number() % chunks),
    };
    let is_sum = problem.collective().pattern() == Pattern::ReduceBroadcast;
    let message = match messages.receivers(transfer.message) {
        Receivers::One(receiver) => format!("message {source} → {}{chunk}", name(receiver)),
        // The message of a sum has no owner.
        _ if is_sum => format!("message {} ({source}{chunk})", transfer.message),
        Receivers::AllOthers | Receivers::List(_) => format!("{source}'s message{chunk}"),
    };
    let start = topology.tail(transfer.path[0]);
    let nodes = [start].into_iter().chain(transfer.path.iter().map(|&channel| topology.head(channel)));
    let path: Vec<String> = nodes.map(name).collect();
    format!("{message}: {}", path.join(" → "))
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= NAME_LETTERS {
        return name.to_owned();
    }
    name.chars().take(NAME_LETTERS - 1).chain(['…']).collect()
}

fn expected_step(problem: &Problem<'_>, schedule: &Schedule, step: usize) -> Vec<String> {
    schedule.step(step).iter().map(|transfer| words(problem, &transfer)).collect()
}

/// Goes through all steps of a schedule with the keyboard, and compares the text of each step with the schedule.
fn check_every_step(browser: &mut Browser, problem: &Problem<'_>, schedule: &Schedule) {
    let name = format!("{} {}", problem.topology().name(), problem.collective().abbreviation());
    let text = schedule_html(problem, schedule, &optimal(), &PageLimits::BROWSER);
    let limit = FIXED_BYTES + BYTES_PER_TRANSFER * schedule.transfer_count();
    assert!(text.len() <= limit, "{name}: {} bytes, at most {limit}", text.len());
    let mut page = browser.open(&text);
    assert_eq!(page.text("#verdict"), "optimal", "{name}");
    assert!(page.text("#problem").contains(&format!("{} step", schedule.step_count())), "{name}");
    page.click("#as-text");
    let mut pictures = Vec::new();
    for step in 0..schedule.step_count() {
        let shown = page.text("#text");
        let mut lines = shown.lines();
        let status = lines.next().unwrap();
        let start = format!("Step {} of {}", step + 1, schedule.step_count());
        assert!(status.starts_with(&start), "{name}: {status}");
        let listed: Vec<&str> = lines.collect();
        assert_eq!(listed, expected_step(problem, schedule, step), "{name}, step {}", step + 1);
        assert!(page.text("#status").starts_with(&start), "{name}");
        pictures.push(page.value("document.getElementById('transfers').toDataURL().length.toString()"));
        page.press("ArrowRight");
    }
    // The canvases are drawn, and differ.
    assert!(pictures.iter().all(|length| length.parse::<usize>().unwrap() > 2_000), "{name}: {pictures:?}");
    page.wait(PROGRESS_IS_SHOWN, "yes");
    let status = page.text("#status");
    assert!(is_complete(&status), "{name}: {status}");
    check_speed(&mut page, &name, text.len(), schedule);
    assert!(page.requests().iter().all(|url| url.starts_with("file:")), "{name}: {:?}", page.requests());
    assert!(page.errors().is_empty(), "{name}: {:?}", page.errors());
}

/// Returns true if the last sentence is `N of N deliveries done.`
fn is_complete(status: &str) -> bool {
    let words: Vec<&str> = status.split(' ').collect();
    words.windows(3).any(|window| window[1] == "of" && window[0] == window[2] && window[0] != "Step")
}

/// Prints the times of the first paint and of step changes, and compares them with generous limits, because the machine
/// can be busy.
fn check_speed(page: &mut Page<'_>, name: &str, bytes: usize, schedule: &Schedule) {
    let paint = "(performance.getEntriesByName('first-paint')[0] || { startTime: 0 }).startTime.toString()";
    let paint: f64 = page.value(paint).parse().unwrap();
    page.click("#as-text");
    page.press("Home");
    let changes = "(() => { const times = []; for (let i = 0; i !== 41; i += 1) { const begin = performance.now(); \
                   document.dispatchEvent(new KeyboardEvent('keydown', { key: i % 2 ? 'ArrowLeft' : 'ArrowRight' })); \
                   times.push(performance.now() - begin); } times.sort((a, b) => a - b); \
                   return `${times[0].toFixed(1)} ${times[20].toFixed(1)}`; })()";
    let changes = page.value(changes);
    let (least, median) = changes.split_once(' ').unwrap();
    say(&format!(
        "{name}: {} steps, {} transfers, {bytes} bytes, first paint {paint:.0} ms, step change {least} ms at least, \
         {median} ms in the median",
        schedule.step_count(),
        schedule.transfer_count()
    ));
    let median: f64 = median.parse().unwrap();
    assert!(paint < 20_000.0 && median < 2_000.0, "{name}: first paint {paint} ms, step change {median} ms");
}

#[test]
fn every_step_of_six_schedules_is_shown() {
    let Some(mut browser) = Browser::start() else { return };
    let [wormhole, store] = [CommunicationModel::wormhole(), CommunicationModel::store_and_forward()];
    let chunks = |collective: Collective, chunks: u32| collective.with_chunks(chunks.try_into().unwrap());
    let first = NodeId::new(0);
    let cases = [
        ("omega:16", Collective::all_gather(), wormhole),
        ("torus:4x4", Collective::all_reduce(), store),
        ("mesh:16x16", chunks(Collective::broadcast(first), 4), store),
        ("hypercube:8", Collective::all_gather(), store),
        ("torus:10x10x10", chunks(Collective::broadcast(first), 6), store),
        ("torus:10x10x10", Collective::scatter(first), wormhole),
    ];
    for (spec, collective, model) in cases {
        let topology: Topology = spec.parse().unwrap();
        let problem = Problem::new(&topology, &collective, model).unwrap();
        let schedule = match collective.pattern() {
            Pattern::ReduceBroadcast => reduce_and_flood(&problem),
            Pattern::Broadcast if topology.is_direct() => flood(&problem),
            _ => one_receiver_per_step(&problem),
        };
        check_every_step(&mut browser, &problem, &schedule);
    }
}

#[test]
fn hostile_names_are_shown_and_never_run() {
    let Some(mut browser) = Browser::start() else { return };
    let names = [
        "<script>document.title='run'</script>",
        "<img src=x onerror=\"document.title='run'\">",
        "</script><script>document.title='run'</script>",
        "\u{1b}[31mred",
        "${document.title='run'}",
        "\u{202e}backwards",
    ];
    let mut builder = TopologyBuilder::new("</title><script>document.title='run'</script>");
    let nodes = names.map(|name| builder.terminal(name));
    for pair in nodes.windows(2) {
        builder.link(pair[0], pair[1]);
    }
    let topology = builder.build().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&topology, &all_gather, CommunicationModel::wormhole()).unwrap();
    let text = schedule_html(&problem, &one_receiver_per_step(&problem), &optimal(), &PageLimits::BROWSER);
    let mut page = browser.open(&text);
    page.click("#as-text");
    let shown = page.text("#text");
    assert!(shown.contains("<script>document.title=…"), "{shown}");
    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
    for tab in ["#tab-links", "#tab-held", "#tab-about"] {
        page.click(tab);
    }
    assert_eq!(page.value("document.querySelectorAll('#page img, #page script').length.toString()"), "0");
    let title = page.value("document.title");
    assert!(title.starts_with("</title><script>"), "{title}");
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

#[test]
fn selections_keys_and_addresses_change_what_is_shown() {
    let Some(mut browser) = Browser::start() else { return };
    let mesh: Topology = "mesh:4x4".parse().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&mesh, &all_gather, CommunicationModel::wormhole()).unwrap();
    let schedule = one_receiver_per_step(&problem);
    let text = schedule_html(&problem, &schedule, &optimal(), &PageLimits::BROWSER);
    let mut page = browser.open_at(&text, "#step=3&select=message:5&tab=transfers");
    let all = schedule.step(2);
    let own = all.iter().filter(|transfer| transfer.message == MessageId::new(5)).count();
    assert_eq!(page.value("document.querySelectorAll('#list button').length.toString()"), own.to_string());
    page.press("Escape");
    assert_eq!(page.value("document.querySelectorAll('#list button').length.toString()"), all.len().to_string());
    // A click on a node isolates what it sends.
    let (x, y) = page.find_node(mesh.node_name(NodeId::new(6)));
    page.click_at(x, y);
    let sent = |transfer: &Transfer<'_>| mesh.tail(transfer.path[0]) == NodeId::new(6);
    let sent = all.iter().filter(sent).count();
    assert_eq!(page.value("document.querySelectorAll('#list button').length.toString()"), sent.to_string());
    for (key, step) in [("End", schedule.step_count()), ("Home", 1), ("ArrowRight", 2), ("ArrowLeft", 1)] {
        page.press(key);
        assert!(page.text("#status").starts_with(&format!("Step {step} of")), "{key}: {}", page.text("#status"));
    }
    page.press("3");
    page.press("l");
    page.wait("document.getElementById('load-words').textContent ? 'yes' : 'no'", "yes");
    let used: usize = schedule.steps().map(|(_, step)| step.channel_use_count()).sum();
    let capacity = mesh.channel_count() * schedule.step_count();
    let share = format!("{:.1} % of the capacity", 100.0 * used as f64 / capacity as f64);
    assert!(page.text("#load-words").starts_with(&share), "{share}: {}", page.text("#load-words"));
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

#[test]
fn an_invalid_schedule_is_shown_with_its_errors() {
    let Some(mut browser) = Browser::start() else { return };
    let ring: Topology = "ring:4".parse().unwrap();
    let collective = Collective::custom(vec![Message { source: NodeId::new(0), receivers: vec![NodeId::new(1)] }]);
    let problem = Problem::new(&ring, &collective, CommunicationModel::store_and_forward()).unwrap();
    let mut schedule = Schedule::new();
    schedule.begin_step();
    let channel = ring.out_channels(NodeId::new(0))[0];
    for (message, path) in [(0, vec![channel]), (7, vec![channel]), (0, vec![]), (0, vec![channel, channel])] {
        schedule.push(MessageId::new(message), &path);
    }
    let facts = PlanFacts { verdict: ScheduleVerdict::Invalid, bound: "It is wrong.".to_owned(), details: Vec::new() };
    let mut page = browser.open(&schedule_html(&problem, &schedule, &facts, &PageLimits::BROWSER));
    assert_eq!(page.text("#verdict"), "invalid");
    let status = page.text("#status");
    assert!(status.contains("4 transfers, 2 of them with an unknown message or channel, or no path"), "{status}");
    page.wait(PROGRESS_IS_SHOWN, "yes");
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

/// Jupyter shows a page in an iframe without an address.
#[test]
fn a_page_in_an_iframe_is_complete() {
    let Some(mut browser) = Browser::start() else { return };
    let network: Topology = "mesh:3x3".parse().unwrap();
    let collective = Collective::all_gather();
    let problem = Problem::new(&network, &collective, CommunicationModel::store_and_forward()).unwrap();
    let text = schedule_html(&problem, &flood(&problem), &optimal(), &PageLimits::BROWSER);
    let escaped = text.replace('&', "&amp;").replace('"', "&quot;");
    let mut page = browser.open(&format!("<!DOCTYPE html><iframe srcdoc=\"{escaped}\"></iframe>"));
    page.wait(&PROGRESS_IS_SHOWN.replace("document", "document.querySelector('iframe').contentDocument"), "yes");
    assert_eq!(page.errors(), &[] as &[String]);
}
