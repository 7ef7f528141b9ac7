//! Tests of the layout of pages on phones, with dividers and on paper, in a real browser. They are skipped where no Chromium
//! is installed, and say so.

use lockstep_report::{
    AxisUnit, FrontAxis, FrontChart, FrontCurve, FrontDesign, FrontPage, NetworkFacts, PageLimits, PlanFacts,
    front_html, network_html, schedule_html,
};
use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule};
use lockstep_topology::{NodeId, Topology};

use crate::browser::{Browser, Page};

/// The least height of a panel of lists on a phone, in pixels.
const LEAST_PANEL: i64 = 100;

fn pixels(page: &mut Page<'_>, expression: &str) -> i64 {
    page.value(&format!("({expression}).toString()")).parse().expect("a number of pixels")
}

fn network_page(spec: &str) -> String {
    let topology: Topology = spec.parse().expect("a spec");
    let row = |place: usize| [format!("property {place}"), "value".to_owned()];
    let facts = NetworkFacts { properties: (0..30).map(row).collect(), metrics: Vec::new(), marks: Vec::new() };
    network_html(&topology, &facts, &PageLimits::BROWSER)
}

/// The page of a broadcast whose only step sends over every channel of the first node.
fn plan_page(spec: &str) -> String {
    let topology: Topology = spec.parse().expect("a spec");
    let collective = Collective::broadcast(NodeId::new(0));
    let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).expect("a problem");
    let mut schedule = Schedule::new();
    schedule.begin_step();
    for &channel in topology.out_channels(NodeId::new(0)) {
        schedule.push(MessageId::new(0), &[channel]);
    }
    schedule_html(&problem, &schedule, &PlanFacts::default(), &PageLimits::BROWSER)
}

fn front_page() -> String {
    let axis = |label: &str, unit| FrontAxis { label: label.to_owned(), unit, is_log: true };
    let chart = FrontChart {
        title: "Time".to_owned(),
        x: axis("size", AxisUnit::Bytes),
        y: axis("time", AxisUnit::Seconds),
        is_scatter: false,
        curves: vec![FrontCurve { design: Some(0), name: String::new(), points: vec![[1024.0, 1e-6], [1e9, 1e-3]] }],
    };
    let label = |place: usize| format!("plan {place}: {}", "a long line of words ".repeat(6));
    let design =
        |place: usize| FrontDesign { name: format!("plan {place}"), label: label(place), ..FrontDesign::default() };
    let designs = (1..=20).map(design).collect();
    let page = FrontPage { title: "a front".to_owned(), designs, charts: vec![chart], ..FrontPage::default() };
    front_html(&page, &PageLimits::BROWSER)
}

#[test]
fn lists_have_room_on_a_phone() {
    let Some(mut browser) = Browser::start() else { return };
    for (text, panel) in [
        (network_page("mesh:4x4"), "panel-about"),
        (plan_page("star:12"), "panel-transfers"),
        (front_page(), "panel-designs"),
    ] {
        let mut page = browser.open(&text);
        page.resize(390, 844);
        page.wait("window.innerWidth.toString()", "390");
        let height = pixels(&mut page, &format!("document.getElementById('{panel}').clientHeight"));
        assert!(height >= LEAST_PANEL, "{panel}: {height} pixels");
        let width = pixels(&mut page, "document.documentElement.scrollWidth");
        assert!(width <= 390, "{panel}: {width} pixels");
        assert_eq!(page.errors(), &[] as &[String]);
    }
}

#[test]
fn the_letters_of_charts_are_as_large_on_a_phone() {
    let Some(mut browser) = Browser::start() else { return };
    let mut page = browser.open(&front_page());
    page.resize(390, 844);
    let scale =
        "(svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)(document.querySelector('#charts svg'))";
    page.wait(&format!("{scale} > 0.9 ? 'yes' : 'no'"), "yes");
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

#[test]
fn dividers_change_the_parts_of_a_page() {
    let Some(mut browser) = Browser::start() else { return };
    let mut page = browser.open(&plan_page("mesh:4x4"));
    let parts = ["document.querySelector('aside').offsetWidth", "document.getElementById('timeline').offsetHeight"];
    for (divider, (part, key)) in ["divider", "divider-below"].iter().zip(parts.iter().zip(["ArrowLeft", "ArrowUp"])) {
        let before = pixels(&mut page, part);
        page.value(&format!("(document.getElementById('{divider}').focus(), 'done')"));
        page.press(key);
        assert_eq!(pixels(&mut page, part), before + 20, "{divider}");
        assert_eq!(pixels(&mut page, "camera.width"), pixels(&mut page, "frame.clientWidth"));
        assert_eq!(pixels(&mut page, "camera.height"), pixels(&mut page, "frame.clientHeight"));
    }
    // The keys of a divider do not change the step.
    assert!(page.text("#status").starts_with("Step 1 of 1"), "{}", page.text("#status"));
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}
