//! Tests of the page of a network in a real browser. They are skipped where no Chromium is installed, and say so.

use lockstep_report::{MetricRow, NetworkFacts, PageLimits, network_html};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};

use crate::browser::{Browser, Page, say};

fn facts() -> NetworkFacts {
    let pair = |name: &str, value: &str| [name.to_owned(), value.to_owned()];
    let metric = MetricRow {
        name: "links".to_owned(),
        score: "24".to_owned(),
        better: "less".to_owned(),
        about: "number of links".to_owned(),
    };
    NetworkFacts {
        properties: vec![pair("diameter", "4"), pair("switches", "0")],
        metrics: vec![metric],
        marks: Vec::new(),
    }
}

fn count(page: &mut Page<'_>, selector: &str) -> String {
    page.value(&format!("document.querySelectorAll('{selector}').length.toString()"))
}

/// Searches for a node, and compares what the page isolates with the links of the node.
fn check_node(page: &mut Page<'_>, topology: &Topology, node: NodeId) {
    let name = topology.node_name(node);
    let field = format!(
        "(() => {{ const field = document.getElementById('search'); field.value = {name:?}; \
         field.dispatchEvent(new Event('input')); \
         field.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter' }})); return 'done'; }})()"
    );
    page.value(&field);
    assert!(page.text("#selected").ends_with(&format!(" {name}")), "{name}: {}", page.text("#selected"));
    let channels = topology.out_channels(node).iter().chain(topology.in_channels(node));
    let mut links: Vec<_> = channels.map(|&channel| topology.resource(channel)).collect();
    links.sort_unstable();
    links.dedup();
    assert_eq!(count(page, "#history button"), links.len().min(60).to_string(), "{name}");
    let degree = format!("{} out, {} in", topology.out_channels(node).len(), topology.in_channels(node).len());
    assert!(page.text("#selected-facts").contains(&degree), "{name}: {}", page.text("#selected-facts"));
}

#[test]
fn networks_of_any_size_are_shown_with_all_nodes() {
    let Some(mut browser) = Browser::start() else { return };
    for spec in ["mesh:4x4", "hypercube:8", "torus:10x10x10", "dgx-h100:2", "fat-tree:4,3"] {
        let topology: Topology = spec.parse().unwrap();
        let text = network_html(&topology, &facts(), &PageLimits::BROWSER);
        assert!(text.len() <= 200_000, "{spec}: {} bytes", text.len());
        let mut page = browser.open(&text);
        assert_eq!(page.text("#network"), topology.name());
        assert!(page.text("#facts").contains("diameter4"), "{spec}: {}", page.text("#facts"));
        page.press("m");
        assert!(page.text("#metrics").contains("links24less"), "{spec}: {}", page.text("#metrics"));
        for node in [0, topology.node_count() / 2, topology.node_count() - 1] {
            check_node(&mut page, &topology, NodeId::new(node as u32));
        }
        let drawn = page.value("document.getElementById('transfers').toDataURL().length.toString()");
        assert!(drawn.parse::<usize>().unwrap() > 2_000, "{spec}: {drawn}");
        let paint = page.value("(performance.getEntriesByName('first-paint')[0] || {}).startTime + ''");
        say(&format!("network {spec}: {} bytes, first paint {paint} ms", text.len()));
        assert!(page.requests().iter().all(|url| url.starts_with("file:")), "{spec}: {:?}", page.requests());
        assert!(page.errors().is_empty(), "{spec}: {:?}", page.errors());
    }
}

#[test]
fn a_click_isolates_a_node_and_escape_shows_everything() {
    let Some(mut browser) = Browser::start() else { return };
    let mesh: Topology = "mesh:4x4".parse().unwrap();
    let mut page = browser.open(&network_html(&mesh, &facts(), &PageLimits::BROWSER));
    let name = mesh.node_name(NodeId::new(5));
    let (x, y) = page.find_node(name);
    page.click_at(x, y);
    assert_eq!(page.text("#status"), format!("Only terminal {name}."));
    assert_eq!(page.value("location.hash"), format!("#select=node:{name}"));
    // Four links with two channels each.
    assert_eq!(count(&mut page, "#history button"), "8");
    page.press("Escape");
    assert!(page.text("#status").starts_with("16 nodes"), "{}", page.text("#status"));
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

#[test]
fn bandwidths_latencies_and_hosts_are_shown() {
    let Some(mut browser) = Browser::start() else { return };
    let machine: Topology = "dgx-h100:2".parse().unwrap();
    let mut page = browser.open_at(&network_html(&machine, &facts(), &PageLimits::BROWSER), "#select=node:0");
    let host = machine.host(NodeId::new(0)).unwrap();
    let shown = page.text("#selected-facts");
    assert!(shown.contains(&format!("host{host}")) && shown.contains("GB/s out"), "{shown}");
    page.click("#related button");
    assert_eq!(page.text("#selected"), format!("Only host {host}"));
    page.press("Escape");
    page.press("l");
    assert!(page.text("#link-list").contains("GB/s"));
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

#[test]
fn hostile_names_of_a_network_are_shown_and_never_run() {
    let Some(mut browser) = Browser::start() else { return };
    let run = "<img src=x onerror=\"document.title='run'\">";
    let names = ["<script>document.title='run'</script>", run, "</script><b>", "\u{1b}[31m", "\u{202e}back"];
    let mut builder = TopologyBuilder::new("</title><script>document.title='run'</script>");
    let nodes = names.map(|name| builder.terminal(name));
    for pair in nodes.windows(2) {
        builder.link(pair[0], pair[1]);
    }
    let topology = builder.build().unwrap();
    let metric = [run; 4].map(str::to_owned);
    let [name, score, better, about] = metric;
    let hostile = NetworkFacts {
        properties: vec![["</script><script>alert(1)</script>".to_owned(), run.to_owned()]],
        metrics: vec![MetricRow { name, score, better, about }],
        marks: Vec::new(),
    };
    let text = network_html(&topology, &hostile, &PageLimits::BROWSER);
    assert_eq!(text.matches("<script").count(), 3);
    let mut page = browser.open_at(&text, "#select=node:1");
    for tab in ["#tab-metrics", "#tab-nodes", "#tab-links", "#tab-about"] {
        page.click(tab);
    }
    assert!(page.text("#node-list").contains("<script>document.title=…"), "{}", page.text("#node-list"));
    assert!(!page.text("#page").contains(['\u{1b}', '\u{202e}']));
    assert_eq!(count(&mut page, "#page img, #page script, #page b"), "0");
    assert!(page.value("document.title").starts_with("</title><script>"));
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

/// A name in the picture: its text and its place in pixels, left, top, right and bottom.
struct DrawnName {
    text: String,
    corners: [f64; 4],
}

/// Draws the names of the picture again, and returns them with the size of the picture.
fn drawn_names(page: &mut Page<'_>) -> (Vec<DrawnName>, [f64; 2]) {
    let script = "(() => { const rows = []; const draw = labelLayer.fillText; \
        labelLayer.fillText = (text, x, y) => { \
            const half = labelLayer.measureText(text).width * camera.scale / 2; \
            const size = parseFloat(labelLayer.font) * camera.scale / 2; \
            const [px, py] = [camera.x + x * camera.scale, camera.y + y * camera.scale]; \
            rows.push([text, px - half, py - size, px + half, py + size].join('\\t')); }; \
        drawLabels(); labelLayer.fillText = draw; \
        return [[camera.width, camera.height].join('\\t'), ...rows].join('\\n'); })()";
    let text = page.value(script);
    let mut rows = text.lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let size = rows.next().expect("a first row with the size");
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let name = |row: Vec<&str>| DrawnName { text: row[0].to_owned(), corners: [1, 2, 3, 4].map(|at| number(row[at])) };
    (rows.map(name).collect(), [number(size[0]), number(size[1])])
}

#[test]
fn names_beside_small_marks_are_in_the_picture_and_apart() {
    let Some(mut browser) = Browser::start() else { return };
    for (spec, least) in [
        ("random-regular:300,4,1", 20),
        ("torus:16x16", 30),
        ("torus:10x10x10", 60),
        ("cluster:nodes=4,gpus=8,nvlink=300GB/s,rails=8,nic=50GB/s", 20),
    ] {
        let topology: Topology = spec.parse().unwrap();
        let mut page = browser.open(&network_html(&topology, &facts(), &PageLimits::BROWSER));
        let (names, [width, height]) = drawn_names(&mut page);
        assert!(names.len() >= least, "{spec}: {} names", names.len());
        for (place, name) in names.iter().enumerate() {
            let [left, top, right, bottom] = name.corners;
            let is_inside = left >= 0.0 && top >= 0.0 && right <= width && bottom <= height;
            assert!(is_inside, "{spec}: '{}' at {:?} of {width} by {height}", name.text, name.corners);
            for other in &names[..place] {
                let [from, above, to, below] = other.corners;
                let is_apart = right < from || to < left || bottom < above || below < top;
                assert!(is_apart, "{spec}: '{}' covers '{}'", name.text, other.text);
            }
        }
        for switch in ["R0", "R7"].iter().filter(|_| spec.starts_with("cluster")) {
            assert!(names.iter().any(|name| name.text == *switch), "{spec}: {switch} has no name");
        }
    }
}

#[test]
fn names_of_a_circle_are_outside_of_it() {
    let Some(mut browser) = Browser::start() else { return };
    let topology: Topology = "circulant:300,1,7".parse().unwrap();
    let mut page = browser.open(&network_html(&topology, &facts(), &PageLimits::BROWSER));
    let circle = "(() => { const xs = network.marks.map(mark => camera.x + mark.x * camera.scale); \
        const ys = network.marks.map(mark => camera.y + mark.y * camera.scale); \
        return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)].join(' '); })()";
    let circle: Vec<f64> = page.value(circle).split(' ').map(|number| number.parse().unwrap()).collect();
    let (x, y, radius) =
        (f64::midpoint(circle[0], circle[2]), f64::midpoint(circle[1], circle[3]), (circle[2] - circle[0]) / 2.0);
    for name in drawn_names(&mut page).0 {
        let [left, top, right, bottom] = name.corners;
        let distance = (f64::midpoint(left, right) - x).hypot(f64::midpoint(top, bottom) - y);
        assert!(distance > radius + 4.0, "'{}' is {distance} from the middle; the radius is {radius}", name.text);
    }
}
