//! Pages of schedules, as text. The program's tests open pages in a browser.

use base64::prelude::*;
use lockstep_report::{PageLimits, PlanFacts, ScheduleVerdict, schedule_html};
use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule};
use lockstep_topology::{ChannelId, Topology, TopologyBuilder, strategy};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

const LIMITS: PageLimits = PageLimits::BROWSER;

fn page(problem: &Problem<'_>, schedule: &Schedule) -> String {
    schedule_html(problem, schedule, &PlanFacts::default(), &LIMITS)
}

/// Returns the texts between a start and an end.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    text.split(start).skip(1).map(|rest| rest.split_once(end).expect("the element is closed").0).collect()
}

/// Returns the JSON of a page.
fn record(page: &str) -> serde_json::Value {
    let texts = between(page, "id=\"record\">", "</script>");
    serde_json::from_str(texts[0]).expect("the record is JSON")
}

/// A neighbour exchange: one transfer per channel in each of two steps.
fn neighbours(topology: &Topology) -> Schedule {
    let mut schedule = Schedule::new();
    for step in 0..2 {
        schedule.begin_step();
        for channel in topology.channels() {
            let message = topology.tail(channel).number() * (1 - step) + topology.head(channel).number() * step;
            schedule.push(MessageId::new(message), &[channel]);
        }
    }
    schedule
}

#[test]
fn a_page_allows_its_own_script_and_style_alone() {
    let ring: Topology = "ring:4".parse().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole()).unwrap();
    let text = page(&problem, &Schedule::new());
    assert!(text.starts_with("<!DOCTYPE html>\n<html"));
    let policy = between(&text, "Content-Security-Policy\" content=\"", "\"/>")[0].replace("&#39;", "'");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    for (kind, start, end) in [("script", "<script>", "</script>"), ("style", "<style>", "</style>")] {
        let own = between(&text, start, end);
        assert_eq!(own.len(), 1, "{kind}");
        let hash = BASE64_STANDARD.encode(Sha256::digest(own[0]));
        assert!(policy.contains(&format!("{kind}-src 'sha256-{hash}'")), "{policy}");
    }
    // The only address is the name space of SVG.
    assert!(!text.replace("http://www.w3.org/2000/svg", "").contains("://") && !text.contains("src="));
}

#[test]
fn the_record_has_the_facts_the_widths_and_the_times() {
    let machine: Topology = "dgx-h100:2".parse().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&machine, &all_gather, CommunicationModel::wormhole()).unwrap();
    let mut schedule = Schedule::new();
    schedule.begin_step();
    schedule.begin_step_of_width(3.try_into().unwrap());
    let facts = PlanFacts {
        verdict: ScheduleVerdict::Gap(2),
        bound: "At least one step.".to_owned(),
        details: vec![["Found by".to_owned(), "hand".to_owned()]],
    };
    let record = record(&schedule_html(&problem, &schedule, &facts, &LIMITS));
    assert_eq!((&record["verdict"], &record["verdict_words"]), (&"gap".into(), &"gap 2".into()));
    assert_eq!(record["bound"], "At least one step.");
    assert_eq!(record["widths"], serde_json::json!([1, 3]));
    assert_eq!(record["time"]["unit_bytes_per_second"].as_u64(), machine.unit_bytes_per_second());
    assert_eq!(record["groups"]["names"].as_array().map(Vec::len), Some(2));
}

#[test]
fn names_cannot_end_their_element() {
    let names =
        ["</script><script>alert(1)</script>", "<!--", "\"'&<>]]>", "\u{0}\u{1b}[31m\u{202e}\n", "", &"x".repeat(5000)];
    let mut builder = TopologyBuilder::new("</title></script><script>");
    let nodes = names.map(|name| builder.terminal(name));
    for pair in nodes.windows(2) {
        builder.link(pair[0], pair[1]);
    }
    let topology = builder.build().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&topology, &all_gather, CommunicationModel::wormhole()).unwrap();
    let text = page(&problem, &neighbours(&topology));
    // The record, the numbers and the script.
    assert_eq!((text.matches("<script").count(), text.matches("</script").count()), (3, 3));
    assert!(!text.contains("<!--") && !text.contains(['\u{0}', '\u{1b}', '\u{202e}']));
    let nodes = record(&text)["nodes"].as_array().cloned().unwrap();
    assert_eq!(nodes[0], names[0]);
    assert_eq!(nodes[3], "\u{fffd}\u{fffd}[31m\u{fffd}\u{fffd}");
    assert_eq!(nodes[5].as_str().unwrap().chars().count(), 80);
}

#[test]
fn a_page_of_a_thousand_nodes_takes_at_most_8_bytes_per_transfer_and_200_kilobytes() {
    for spec in ["hypercube:10", "mesh:32x32"] {
        let topology: Topology = spec.parse().unwrap();
        let all_gather = Collective::all_gather();
        let problem = Problem::new(&topology, &all_gather, CommunicationModel::store_and_forward()).unwrap();
        let schedule = neighbours(&topology);
        let bytes = page(&problem, &schedule).len();
        assert!(bytes <= 200_000 + 8 * schedule.transfer_count(), "{spec}: {bytes} bytes");
    }
}

#[test]
fn what_the_limits_leave_out_is_said_in_the_page() {
    let cube: Topology = "hypercube:3".parse().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&cube, &all_gather, CommunicationModel::wormhole()).unwrap();
    let schedule = neighbours(&cube);
    let write = |limits: PageLimits| schedule_html(&problem, &schedule, &PlanFacts::default(), &limits);
    let short = record(&write(PageLimits { channel_uses: 60, ..LIMITS }));
    assert_eq!(short["transfers"], serde_json::json!([24]));
    assert_eq!(short["notes"][0], "The page has the first 1 of 2 steps; the others are omitted.");
    for (limits, reason) in [
        (PageLimits { nodes: 7, ..LIMITS }, "Not shown: a page shows at most 7 nodes; the network has 8."),
        (PageLimits { channels: 23, ..LIMITS }, "Not shown: a page shows at most 23 channels; the network has 24."),
        (PageLimits { messages: 7, ..LIMITS }, "Not shown: a page shows at most 7 messages; the collective has 8."),
    ] {
        let text = write(limits);
        assert!(text.contains(reason) && !text.contains("<script"), "{reason}");
    }
}

/// Any transfers at all, most of them nonsense.
fn any_schedule() -> impl Strategy<Value = Vec<Vec<(u32, Vec<u32>)>>> {
    let transfer = (0u32..12, prop::collection::vec(0u32..40, 0..5));
    prop::collection::vec(prop::collection::vec(transfer, 0..6), 0..4)
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(64))]

    /// Every schedule has a page, with the number of transfers of each step, and the same bytes every time.
    #[test]
    fn any_schedule_on_any_network_has_a_page(topology in strategy::any_topology(12), steps in any_schedule()) {
        let all_gather = Collective::all_gather();
        let Ok(problem) = Problem::new(&topology, &all_gather, CommunicationModel::wormhole()) else {
            return Ok(());
        };
        let mut schedule = Schedule::new();
        for transfers in &steps {
            schedule.begin_step();
            for (message, path) in transfers {
                let path: Vec<ChannelId> = path.iter().copied().map(ChannelId::new).collect();
                schedule.push(MessageId::new(*message), &path);
            }
        }
        let text = page(&problem, &schedule);
        prop_assert_eq!(&text, &page(&problem, &schedule));
        let counts: Vec<usize> = steps.iter().map(Vec::len).collect();
        prop_assert_eq!(&record(&text)["transfers"], &serde_json::json!(counts));
    }
}
