//! Tests of the page of a front in a real browser. They are skipped where no Chromium is installed, and say so.

use lockstep_report::{AxisUnit, FrontAxis, FrontChart, FrontCurve, FrontDesign, FrontPage, PageLimits, front_html};
use lockstep_topology::Topology;

use crate::browser::{Browser, Page};

const HOSTILE: &str =
    "<img src=x onerror=\"document.title='run'\"></script><script>document.title='run'</script>\u{1b}[31m";

fn chart(is_scatter: bool, curves: Vec<FrontCurve>) -> FrontChart {
    let axis = |label: &str, unit| FrontAxis { label: label.to_owned(), unit, is_log: !is_scatter };
    let [x, y] = if is_scatter { [AxisUnit::Number; 2] } else { [AxisUnit::Bytes, AxisUnit::Seconds] };
    FrontChart { title: "Time".to_owned(), x: axis("size", x), y: axis("time", y), is_scatter, curves }
}

fn curve(design: Option<usize>, points: &[[f64; 2]]) -> FrontCurve {
    FrontCurve { design, name: "at least".to_owned(), points: points.to_vec() }
}

fn design(place: usize, link: Option<&str>, network: Option<Topology>) -> FrontDesign {
    FrontDesign {
        name: format!("plan {place}"),
        label: format!("plan {place}: {place} steps"),
        facts: vec![["steps".to_owned(), place.to_string()]],
        link: link.map(str::to_owned),
        network,
    }
}

fn front(designs: Vec<FrontDesign>, chart: FrontChart) -> FrontPage {
    FrontPage {
        title: "all-gather of ring:4".to_owned(),
        subtitle: "1 KiB to 1 GiB".to_owned(),
        facts: vec![["compared".to_owned(), "2 schedules".to_owned()]],
        designs,
        charts: vec![chart],
    }
}

fn count(page: &mut Page<'_>, selector: &str) -> String {
    page.value(&format!("document.querySelectorAll('{selector}').length.toString()"))
}

#[test]
fn the_schedules_of_a_front_are_shown_and_linked() {
    let Some(mut browser) = Browser::start() else { return };
    let curves = vec![
        curve(Some(0), &[[1024.0, 1e-6], [1e9, 1e-2]]),
        curve(Some(1), &[[1024.0, 2e-6], [1e9, 5e-3]]),
        curve(None, &[[1024.0, 1e-6], [1e9, 4e-3]]),
    ];
    let designs = vec![design(1, Some("plan-1.html"), None), design(2, Some("javascript:alert(1)"), None)];
    let text = front_html(&front(designs, chart(false, curves)), &PageLimits::BROWSER);
    let mut page = browser.open_at(&text, "#design=1");
    assert_eq!(page.text("#chosen-name"), "plan 1");
    assert_eq!(page.value("document.querySelector('#chosen-link a').getAttribute('href')"), "plan-1.html");
    // Two designs in a chart and in the list, and a limit without a design.
    assert_eq!(count(&mut page, "svg [data-design]"), "2");
    assert_eq!(count(&mut page, "#designs [data-design]"), "2");
    assert!(page.text("svg").contains("at least"));
    // The name of the limit lies on no curve.
    let covered = "(() => { const box = document.querySelector('svg text.name').getBBox(); let points = 0;                    for (const path of document.querySelectorAll('svg path.curve'))                    for (let at = 0; path.getTotalLength() > at; at += 2) { const { x, y } = path.getPointAtLength(at);                    if (x > box.x && box.x + box.width > x && y > box.y && box.y + box.height > y) points += 1; }                    return points.toString(); })()";
    assert_eq!(page.value(covered), "0");
    page.press("ArrowDown");
    assert_eq!(page.text("#chosen-name"), "plan 2");
    assert_eq!(page.text("#chosen-facts"), "steps2");
    // A link that is no name of a file is left out.
    assert_eq!(count(&mut page, "#chosen-link a"), "0");
    page.press("Escape");
    assert_eq!(count(&mut page, ".chosen"), "0");
    // The hint names what this front has, and is shown once.
    assert_eq!(page.text("#status"), "Hover over a curve or a point, or choose an entry of the list.");
    assert_eq!(page.text("#chosen-name"), "");
    page.click("#designs li:nth-child(2) button");
    assert_eq!(page.value("location.hash"), "#design=2");
    assert!(page.requests().iter().all(|url| url.starts_with("file:")), "{:?}", page.requests());
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

/// The page makes each file itself, so the test reads what a click would save.
#[test]
fn the_buttons_of_a_front_save_its_charts_and_its_list() {
    let Some(mut browser) = Browser::start() else { return };
    let curves = vec![curve(Some(0), &[[1024.0, 1e-6], [1e9, 1e-2]]), curve(Some(1), &[[1024.0, 2e-6], [1e9, 5e-3]])];
    let mut front = front(vec![design(1, None, None), design(2, None, None)], chart(false, curves));
    front.designs[1].facts[0][1] = "2, \"wide\"".to_owned();
    let mut page = browser.open(&front_html(&front, &PageLimits::BROWSER));
    page.value(
        "(() => { window.saved = []; URL.createObjectURL = blob => { \
         const file = { kind: blob.type, size: blob.size }; \
         window.saved.push(file); blob.text().then(text => { file.text = text; }); return '#'; }; \
         HTMLAnchorElement.prototype.click = function () { window.saved.at(-1).name = this.download; }; return ''; })()",
    );
    for (place, [button, kind, name]) in [
        ["#save-svg", "image/svg+xml", "all-gather-of-ring-4.svg"],
        ["#save-png", "image/png", "all-gather-of-ring-4.png"],
        ["#save-csv", "text/csv", "all-gather-of-ring-4.csv"],
    ]
    .into_iter()
    .enumerate()
    {
        page.click(button);
        page.wait(&format!("(!!window.saved[{place}]?.text).toString()"), "true");
        assert_eq!(
            page.value(&format!("window.saved[{place}].kind + ' ' + window.saved[{place}].name")),
            format!("{kind} {name}")
        );
    }
    assert_eq!(page.value("window.saved[2].text"), "name,steps\nplan 1,1\nplan 2,\"2, \"\"wide\"\"\"\n");
    // The saved picture has all paths of the charts, and needs no style sheet.
    let picture = "new DOMParser().parseFromString(window.saved[0].text, 'image/svg+xml')";
    let saved = page.value(&format!("{picture}.querySelectorAll('path[stroke]').length.toString()"));
    assert_eq!(saved, count(&mut page, "#charts path"));
    assert_eq!(page.value(&format!("{picture}.querySelectorAll('path[class], parsererror').length.toString()")), "0");
    assert_eq!(page.value("(window.saved[1].size > 1000).toString()"), "true");
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

#[test]
fn a_front_of_networks_draws_the_network_of_a_design() {
    let Some(mut browser) = Browser::start() else { return };
    let networks = ["torus:4x4", "hypercube:4"].map(|spec| Some(spec.parse().unwrap()));
    let designs = (1..).zip(networks).map(|(place, network)| design(place, None, network)).collect();
    let curves = vec![curve(Some(0), &[[3.0, 8.0]]), curve(Some(1), &[[4.0, 2.0]])];
    let text = front_html(&front(designs, chart(true, curves)), &PageLimits::BROWSER);
    let mut page = browser.open(&text);
    let hidden = "document.getElementById('drawing').hidden.toString()";
    assert_eq!(page.value(hidden), "true");
    let centre = "(() => { const box = document.querySelector('svg [data-design=\"1\"] circle').getBoundingClientRect(); \
                  return [box.left + box.width / 2, box.top + box.height / 2].join(' '); })()";
    let place = page.value(centre);
    let (x, y) = place.split_once(' ').unwrap();
    page.hover(x.parse().unwrap(), y.parse().unwrap());
    page.wait(hidden, "false");
    assert_eq!(page.text("#chosen-name"), "plan 2");
    let label = page.value("document.getElementById('drawing').getAttribute('aria-label')");
    assert_eq!(label, "The network of plan 2: 16 nodes");
    // A click opens the network in the whole window.
    let is_open = "document.getElementById('large').open.toString()";
    assert_eq!(page.value(is_open), "false");
    page.click_at(x.parse().unwrap(), y.parse().unwrap());
    page.wait(is_open, "true");
    assert_eq!(page.text("#large-name"), "The network of plan 2");
    let widths = "['drawing', 'large-drawing'].map(id => document.getElementById(id).clientWidth)";
    assert_eq!(page.value(&format!("(([small, large]) => (large > 1.5 * small).toString())({widths})")), "true");
    page.click("#large button");
    page.wait(is_open, "false");
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

#[test]
fn hostile_names_of_a_front_are_shown_and_never_run() {
    let Some(mut browser) = Browser::start() else { return };
    let mut front = front(vec![design(1, None, None)], chart(true, vec![curve(Some(0), &[[1.0, 1.0]])]));
    front.designs[0].name = HOSTILE.to_owned();
    front.designs[0].label = HOSTILE.to_owned();
    front.designs[0].facts.push([HOSTILE.to_owned(), HOSTILE.to_owned()]);
    front.charts[0].title = HOSTILE.to_owned();
    front.charts[0].x.label = HOSTILE.to_owned();
    front.facts.push([HOSTILE.to_owned(), HOSTILE.to_owned()]);
    front.title = HOSTILE.to_owned();
    let text = front_html(&front, &PageLimits::BROWSER);
    assert_eq!(text.matches("<script").count(), 3);
    let mut page = browser.open_at(&text, "#design=1");
    assert!(page.text("#chosen-name").starts_with("<img src=x"));
    assert_eq!(count(&mut page, "#page img, #page script"), "0");
    assert!(page.value("document.title").starts_with("<img"));
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}
