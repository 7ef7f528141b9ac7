//! Tests of the page of a recovery book in a real browser. They are skipped where no Chromium is installed, and say so.

use lockstep_report::{FaultEntry, PageLimits, PlanFacts, ScheduleVerdict, recovery_html};
use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule};
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::browser::{Browser, Page};

const HOSTILE: &str = "<img src=x onerror=\"document.title='run'\">\u{1b}[31m";

/// Sends the message of node 0 along a path, one channel per step.
fn along(path: &[ChannelId]) -> Schedule {
    let mut schedule = Schedule::new();
    for &channel in path {
        schedule.begin_step();
        schedule.push(MessageId::new(0), &[channel]);
    }
    schedule
}

fn channel(network: &Topology, from: u32, to: u32) -> ChannelId {
    let mut channels = network.out_channels(NodeId::new(from)).iter().copied();
    channels.find(|&channel| network.head(channel) == NodeId::new(to)).unwrap()
}

fn status(page: &mut Page<'_>) -> String {
    page.wait(
        "document.getElementById('status') && document.getElementById('status').textContent ? 'yes' : 'no'",
        "yes",
    );
    page.text("#status")
}

#[test]
fn a_chosen_fault_shows_its_schedule() {
    let Some(mut browser) = Browser::start() else { return };
    let ring: Topology = "ring:5".parse().unwrap();
    let broadcast = Collective::broadcast(NodeId::new(0));
    let model = CommunicationModel::store_and_forward();
    let problem = Problem::new(&ring, &broadcast, model).unwrap();
    let before = along(&[channel(&ring, 0, 1), channel(&ring, 1, 2)]);
    let lost = [channel(&ring, 0, 1), channel(&ring, 1, 0)];
    let broken = ring.with_failures([], lost);
    let repaired = Problem::new(&broken, &broadcast, model).unwrap();
    let path = [(0, 4), (4, 3), (3, 2), (2, 1)].map(|(from, to)| channel(&broken, from, to));
    let after = along(&path);
    let fact = |verdict, bound: &str| PlanFacts { verdict, bound: bound.to_owned(), details: Vec::new() };
    let book = [
        FaultEntry {
            name: "0-1".to_owned(),
            summary: "4 steps, 2 more".to_owned(),
            facts: fact(ScheduleVerdict::Gap(1), "At least 3 steps."),
            network: &broken,
            plan: Some((repaired, &after)),
        },
        FaultEntry {
            name: HOSTILE.to_owned(),
            summary: "impossible".to_owned(),
            facts: fact(ScheduleVerdict::Impossible, HOSTILE),
            network: &broken,
            plan: None,
        },
    ];
    let facts = fact(ScheduleVerdict::Optimal, "At least 2 steps.");
    let text = recovery_html(&problem, &before, &facts, &book, &PageLimits::BROWSER);
    let mut page = browser.open(&text);
    assert!(status(&mut page).starts_with("Step 1 of 2: 1 transfer."), "{}", page.text("#status"));
    let options = page.value("[...document.querySelectorAll('#fault option')].map(one => one.textContent).join('; ')");
    assert!(options.starts_with("none: 2 steps; 0-1: 4 steps, 2 more; <img src=x"), "{options}");
    // A selected link offers the faults that break it.
    page.value(&format!("(select('link', {}), 'done')", ring.resource(lost[0]).number()));
    assert!(page.text("#related").contains("without 0-1: 4 steps, 2 more"), "{}", page.text("#related"));
    let button = "[...document.querySelectorAll('#related button')].find(one => one.textContent.includes('0-1: 4'))";
    page.value(&format!("({button}.click(), 'done')"));
    page.wait("document.readyState === 'complete' && location.hash.includes('fault=1') ? 'yes' : 'no'", "yes");
    assert!(status(&mut page).starts_with("Step 1 of 4: 1 transfer."), "{}", page.text("#status"));
    assert_eq!(page.text("#verdict"), "gap 1");
    page.click("#as-text");
    for (from, to) in [(0, 4), (4, 3), (3, 2), (2, 1)] {
        let name = |node| ring.node_name(NodeId::new(node));
        assert!(page.text("#text").ends_with(&format!(": {} → {}", name(from), name(to))), "{}", page.text("#text"));
        page.press("ArrowRight");
    }
    // A set of faults without a plan shows the reason, as text.
    page.value("(chooseFault(2), 'done')");
    page.wait("document.readyState === 'complete' && location.hash.includes('fault=2') ? 'yes' : 'no'", "yes");
    assert!(status(&mut page).starts_with("The schedule has no steps"));
    assert_eq!(page.text("#verdict"), "impossible");
    assert!(page.text("#bound").starts_with("<img src=x"), "{}", page.text("#bound"));
    assert_eq!(page.value("document.querySelectorAll('#page img').length.toString()"), "0");
    assert!(page.requests().iter().all(|url| url.starts_with("file:")), "{:?}", page.requests());
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

#[test]
fn a_page_of_many_faults_says_how_many_schedules_it_has() {
    let ring: Topology = "ring:5".parse().unwrap();
    let broadcast = Collective::broadcast(NodeId::new(0));
    let problem = Problem::new(&ring, &broadcast, CommunicationModel::store_and_forward()).unwrap();
    let schedule = along(&[channel(&ring, 0, 1)]);
    let entry = FaultEntry {
        name: "2-3".to_owned(),
        summary: "1 step".to_owned(),
        facts: PlanFacts::default(),
        network: &ring,
        plan: Some((problem, &schedule)),
    };
    let book = vec![entry; 300];
    let text = recovery_html(&problem, &schedule, &PlanFacts::default(), &book, &PageLimits::BROWSER);
    assert!(text.contains("The page has the schedules after 256 of 300 sets of faults."));
}
