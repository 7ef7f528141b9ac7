//! Tests of the views of a plan in a real browser: directions, ranks, clocks, names in the address, saved files, paper and
//! two plans side by side. They are skipped where no Chromium is installed, and say so.

use lockstep_report::{PageLimits, PlanFacts, comparison_html, schedule_html};
use lockstep_schedule::{
    Collective, CollectiveSize, CommunicationModel, MessageId, Ports, Problem, Schedule, TransferSpeed,
};
use lockstep_topology::{NodeId, Topology};

use crate::browser::{Browser, Page};
use crate::browser_pages::{PROGRESS_IS_SHOWN, flood, one_receiver_per_step, reduce_and_flood};

/// The size of the collective that a page shows first.
const BYTES: u64 = 64 << 20;

fn page_of(problem: &Problem<'_>, schedule: &Schedule) -> String {
    schedule_html(problem, schedule, &PlanFacts::default(), &PageLimits::BROWSER)
}

fn number(page: &mut Page<'_>, expression: &str) -> f64 {
    page.value(&format!("({expression}).toString()")).parse().expect("a number")
}

fn count(page: &mut Page<'_>, expression: &str) -> usize {
    page.value(&format!("({expression}).toString()")).parse().expect("a count")
}

fn topology(spec: &str) -> Topology {
    spec.parse().expect("a spec")
}

fn problem<'a>(topology: &'a Topology, collective: &'a Collective, model: CommunicationModel) -> Problem<'a> {
    Problem::new(topology, collective, model).expect("a problem")
}

#[test]
fn a_terminal_shows_what_it_sends_receives_or_both() {
    let Some(mut browser) = Browser::start() else { return };
    let (mesh, all_gather) = (topology("mesh:4x4"), Collective::all_gather());
    let problem = problem(&mesh, &all_gather, CommunicationModel::wormhole());
    let schedule = one_receiver_per_step(&problem);
    let node = mesh.nodes().find(|&node| mesh.node_name(node) == "21").expect("a node 21");
    let mut page = browser.open_at(&page_of(&problem, &schedule), "#step=2&select=sender:21");
    let (mut sends, mut receives) = (0, 0);
    for transfer in schedule.step(1).iter() {
        sends += usize::from(mesh.tail(transfer.path[0]) == node);
        receives += usize::from(mesh.head(transfer.path[transfer.path.len() - 1]) == node);
    }
    let words = ["sends", "receives", "sends and receives"];
    for ((direction, expected), words) in
        [("sends", sends), ("receives", receives), ("both", sends + receives)].into_iter().zip(words)
    {
        page.click(&format!("[data-direction={direction}]"));
        assert_eq!(count(&mut page, "document.querySelectorAll('#list button').length"), expected, "{direction}");
        assert_eq!(page.text("#selected"), format!("Only what 21 {words}"));
    }
    assert!(page.value("location.hash").ends_with("select=sender:21"), "{}", page.value("location.hash"));
    assert!(page.value("location.hash").contains("show=both"), "{}", page.value("location.hash"));
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

#[test]
fn every_object_of_the_address_has_its_name() {
    let Some(mut browser) = Browser::start() else { return };
    let (mesh, all_gather) = (topology("mesh:3x3"), Collective::all_gather());
    let problem = problem(&mesh, &all_gather, CommunicationModel::wormhole());
    let mut page = browser.open(&page_of(&problem, &one_receiver_per_step(&problem)));
    for (kind, objects) in [("sender", mesh.node_count()), ("message", 9), ("link", mesh.resource_count())] {
        for id in 0..objects {
            let chosen = format!(
                "(() => {{ update({{ select: {{ kind: '{kind}', id: {id} }} }}); const change = readAddress(); \
                 return `${{change.select.kind}} ${{change.select.id}} ${{/select=[a-z]+:(\\d\\d|.*%)/.test(location.hash)}}`; }})()"
            );
            assert_eq!(page.value(&chosen), format!("{kind} {id} true"));
        }
    }
    // Numbers of objects without such a name are understood, and a wrong part of an address is ignored.
    let read = "(hash => { history.replaceState(null, '', hash); const { select } = readAddress(); return select ? select.kind + select.id : 'none'; })";
    for (hash, object) in
        [("#select=sender:4", "sender4"), ("#select=sender:99", "none"), ("#select=sender:%ff", "none")]
    {
        assert_eq!(page.value(&format!("{read}('{hash}')")), object);
    }
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

/// The page computes the times of transfers itself, because its size of the collective can change.
#[test]
fn the_clocks_are_those_of_the_library() {
    let Some(mut browser) = Browser::start() else { return };
    let [wormhole, store] = [CommunicationModel::wormhole(), CommunicationModel::store_and_forward()];
    let one_port = CommunicationModel { ports: Ports::limit(1).expect("a port"), ..wormhole };
    let chunks = Collective::broadcast(NodeId::new(0)).with_chunks(3.try_into().expect("not 0"));
    for (spec, collective, model) in [
        ("dgx-h100:2", Collective::all_gather(), wormhole),
        ("fat-tree:2,3", Collective::all_to_all(), one_port),
        ("torus:4x4", Collective::all_reduce(), store),
        ("hypercube:4", chunks, store),
    ] {
        let mut network = topology(spec);
        if network.unit_bytes_per_second().is_none() {
            network = network.with_times(25_000_000_000, 700_000).expect("a rate");
        }
        let problem = problem(&network, &collective, model);
        let schedule = match spec {
            "torus:4x4" => reduce_and_flood(&problem),
            "hypercube:4" => flood(&problem),
            _ => one_receiver_per_step(&problem),
        };
        let size = CollectiveSize::new(&problem, BYTES);
        let speed = TransferSpeed::of(&network, &collective, size.message_bytes).expect("a bandwidth");
        let mut page = browser.open(&page_of(&problem, &schedule));
        page.wait(PROGRESS_IS_SHOWN, "yes");
        let times = [speed.synchronous_time(&network, &schedule), speed.asynchronous_time(&problem, &schedule)];
        for (time, is_asynchronous) in times.into_iter().zip([false, true]) {
            let expected = time.number() as f64 * 1e-12;
            let shown = number(&mut page, &format!("clockOf(record.time.bytes, {is_asynchronous}).last"));
            assert!(
                (shown / expected - 1.0).abs() < 1e-6,
                "{spec}: {shown} s, expected {expected} s, {is_asynchronous}"
            );
        }
        // Each transfer of the critical path begins when the one before it in the path has ended, and the first one at 0.
        let path = "(times => times === null ? 'none' : criticalPath(times).reverse().every((transfer, place, path) => place === 0 ? times.begin[transfer] === 0 : \
            times.begin[transfer] >= times.sent[path[place - 1]] - 1e-12) ? 'yes' : 'no')(timesInTurns(record.time.bytes))";
        assert_eq!(page.value(path), "yes", "{spec}");
        assert!(page.errors().is_empty(), "{:?}", page.errors());
    }
}

#[test]
fn rows_are_links_or_ranks_and_the_curve_counts_busy_links() {
    let Some(mut browser) = Browser::start() else { return };
    let (mesh, all_gather) = (topology("mesh:3x3"), Collective::all_gather());
    let problem = problem(&mesh, &all_gather, CommunicationModel::wormhole());
    let schedule = one_receiver_per_step(&problem);
    let mut page = browser.open(&page_of(&problem, &schedule));
    page.wait(PROGRESS_IS_SHOWN, "yes");
    assert_eq!(count(&mut page, "rowOrder.length"), mesh.resource_count());
    page.value("(() => { const field = byId('row-kind'); field.value = 'ranks'; field.dispatchEvent(new Event('change')); return 'done'; })()");
    assert_eq!(count(&mut page, "rowOrder.length"), 2 * mesh.terminal_count());
    assert_eq!(page.value("ROWS.ranks.name(rowOrder[1])"), "00 receives");
    let ends = count(&mut page, "usesOf('ranks').transferOf.length");
    assert_eq!(ends, 2 * schedule.transfer_count());
    let mut used: Vec<_> = schedule.step(0).iter().flat_map(|transfer| transfer.path.to_vec()).collect();
    used.sort_unstable();
    used.dedup();
    let share = number(&mut page, "sharesOfBusyLinks()[0]");
    assert!((share - used.len() as f64 / mesh.channel_count() as f64).abs() < 1e-9, "{share}");
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

/// A step in which one channel carries two messages: each has dashes of its own.
#[test]
fn the_saved_picture_and_list_are_complete() {
    let Some(mut browser) = Browser::start() else { return };
    let (server, broadcast) =
        (topology("dgx-h100:2"), Collective::broadcast(NodeId::new(0)).with_chunks(2.try_into().expect("not 0")));
    let problem = problem(&server, &broadcast, CommunicationModel::wormhole());
    let mut schedule = Schedule::new();
    schedule.begin_step();
    let channels = server.out_channels(NodeId::new(0)).iter();
    let channel = channels.copied().max_by_key(|&channel| server.capacity(channel)).expect("a channel");
    for message in [0, 1] {
        schedule.push(MessageId::new(message), &[channel]);
    }
    let mut page = browser.open(&page_of(&problem, &schedule));
    page.wait(PROGRESS_IS_SHOWN, "yes");
    let picture = page.value("new XMLSerializer().serializeToString(pictureSvg())");
    let picture = roxmltree::Document::parse(&picture).expect("XML");
    let names: Vec<_> =
        picture.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
    for node in server.nodes() {
        assert!(names.contains(&server.node_name(node)), "{}: {names:?}", server.node_name(node));
    }
    let striped: Vec<_> = picture
        .descendants()
        .filter_map(|node| {
            Some((node.attribute("stroke-dasharray")?, node.attribute("stroke-dashoffset")?, node.attribute("stroke")?))
        })
        .collect();
    assert_eq!(striped.len(), 2, "{striped:?}");
    assert!(striped[0].1 != striped[1].1 && striped[0].2 != striped[1].2, "{striped:?}");
    let list = page.value("csvRows().map(csvLine).join('\\n')");
    assert_eq!(list.lines().next(), Some("step,message,source,sender,receiver,path,begin in s,end in s"));
    assert_eq!(list.lines().count(), 1 + schedule.transfer_count(), "{list}");
    assert_eq!(page.value("csvLine(['a\"b', 'c,d', 1])"), "\"a\"\"b\",\"c,d\",1");
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

#[test]
fn paper_is_light_and_has_pictures_without_pixels() {
    let Some(mut browser) = Browser::start() else { return };
    let (mesh, all_gather) = (topology("mesh:3x3"), Collective::all_gather());
    let problem = problem(&mesh, &all_gather, CommunicationModel::wormhole());
    let mut page = browser.open_at(&page_of(&problem, &one_receiver_per_step(&problem)), "#theme=dark");
    page.wait(PROGRESS_IS_SHOWN, "yes");
    let shown = "`${document.documentElement.dataset.theme} ${document.querySelectorAll('.paper path').length > 10} ${document.querySelectorAll('.paper').length}`";
    for (event, expected) in [("beforeprint", "light true 2"), ("afterprint", "dark false 0")] {
        page.value(&format!("(window.dispatchEvent(new Event('{event}')), 'done')"));
        assert_eq!(page.value(shown), expected, "{event}");
    }
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}

#[test]
fn two_plans_side_by_side_show_the_same_step() {
    let Some(mut browser) = Browser::start() else { return };
    let (mesh, all_gather) = (topology("mesh:3x3"), Collective::all_gather());
    let problem = problem(&mesh, &all_gather, CommunicationModel::wormhole());
    let [one, other] = [page_of(&problem, &one_receiver_per_step(&problem)), page_of(&problem, &flood(&problem))];
    let mut page = browser.open(&comparison_html([("before.json", &one), ("<b>after.json", &other)]));
    let status = |place: usize| {
        format!("boxes[{place}].contentWindow.document.getElementById('status').textContent.slice(0, 9)")
    };
    for place in [0, 1] {
        page.wait(
            &format!("boxes[{place}].contentWindow.document.getElementById('status') ? {} : ''", status(place)),
            "Step 1 of",
        );
    }
    for (from, to, step) in [(0, 1, 2), (1, 0, 3)] {
        page.value(&format!("(boxes[{from}].contentWindow.update({{ step: {step} }}), 'done')"));
        assert_eq!(page.value(&status(to)), format!("Step {step} of"));
    }
    assert_eq!(
        page.value("[...document.querySelectorAll('h2')].map(name => name.textContent).join(' ')"),
        "before.json <b>after.json"
    );
    assert!(page.errors().is_empty(), "{:?}", page.errors());
}
