//! Pictures of networks and schedules.

use expect_test::expect_file;
use lockstep_report::{DrawingLimits, schedule_svg, topology_svg};
use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule};
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder, strategy};
use proptest::prelude::*;
use roxmltree::{Document, Node, ParsingOptions};

const LIMITS: DrawingLimits = DrawingLimits::PAGE;

/// A table of the reproduced document, from `data/papers`.
fn table(name: &str) -> [[u32; 7]; 8] {
    let mut figures: serde_json::Value =
        serde_json::from_str(include_str!("../../../../data/papers/min.json")).expect("the figures are JSON");
    serde_json::from_value(figures[name]["rows"].take()).expect("seven steps of eight terminals")
}

fn parse(text: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn of_class<'a>(root: Node<'a, 'a>, class: &'a str) -> Vec<Node<'a, 'a>> {
    root.descendants().filter(|node| node.attribute("class") == Some(class)).collect()
}

fn texts<'a>(root: Node<'a, 'a>, element: &'a str) -> Vec<&'a str> {
    root.descendants().filter(|node| node.has_tag_name(element)).filter_map(|node| node.text()).collect()
}

fn has_element(root: Node<'_, '_>, name: &str) -> bool {
    root.descendants().any(|node| node.tag_name().name() == name)
}

/// The first shortest path in the order of channels.
fn path(topology: &Topology, source: NodeId, target: NodeId) -> Vec<ChannelId> {
    let mut entered: Vec<Option<ChannelId>> = vec![None; topology.node_count()];
    let mut queue = vec![source];
    let mut done = 0;
    while let Some(&node) = queue.get(done) {
        done += 1;
        let channels = topology.out_channels(node).iter().filter(|_| node == source || topology.routes(node));
        for &channel in channels {
            let head = topology.head(channel);
            if head != source && entered[head.index()].is_none() {
                entered[head.index()] = Some(channel);
                queue.push(head);
            }
        }
    }
    let mut path: Vec<ChannelId> =
        std::iter::successors(entered[target.index()], |&channel| entered[topology.tail(channel).index()]).collect();
    path.reverse();
    path
}

fn omega_8_all_gather(omega: &Topology) -> Schedule {
    let mut schedule = Schedule::new();
    for step in 0..7 {
        schedule.begin_step();
        for (source, destinations) in (0..).zip(table("table2")) {
            let route = path(omega, NodeId::new(source), NodeId::new(destinations[step]));
            schedule.push(MessageId::new(source), &route);
        }
    }
    schedule
}

/// A schedule with one message per step, sent directly to its first receiver.
fn one_by_one(problem: &Problem<'_>, steps: u32) -> Schedule {
    let mut schedule = Schedule::new();
    let messages = problem.messages();
    for message in messages.ids().take(steps as usize) {
        schedule.begin_step();
        let receiver = messages.receivers_iter(message).next().expect("every message has a receiver");
        schedule.push(message, &path(problem.topology(), messages.source(message), receiver));
    }
    schedule
}

#[test]
fn the_published_omega_schedule_has_seven_panels_of_eight_transfers() {
    let omega: Topology = "omega:8".parse().unwrap();
    let collective = Collective::all_gather();
    let problem = Problem::new(&omega, &collective, CommunicationModel::wormhole()).unwrap();
    let picture = schedule_svg(&problem, &omega_8_all_gather(&omega), &LIMITS);
    let document = parse(&picture);
    let panels = of_class(document.root(), "panel");
    assert_eq!(panels.len(), 7);
    for (place, panel) in panels.into_iter().enumerate() {
        let captions = texts(panel, "text");
        assert_eq!(captions[0], format!("step {} of 7 · 8 transfers", place + 1));
        assert_eq!(of_class(panel, "transfer").len(), 8);
    }
    let all_text = texts(document.root(), "text");
    assert!(all_text[0].starts_with("omega:8 · all-gather · wormhole"), "{}", all_text[0]);
    assert!(all_text.contains(&"messages from"));
    // Each terminal has two marks and a legend entry, each switch one mark.
    for (name, count) in [("5", 3), ("s1.2", 1)] {
        assert_eq!(all_text.iter().filter(|&&text| text == name).count(), count, "{name}");
    }
    assert!(texts(document.root(), "title").contains(&"0's message: 0 → s0.0 → s1.1 → s2.2 → 4"));
}

#[test]
fn the_picture_of_a_single_channel_is_pinned() {
    let mut builder = TopologyBuilder::new("one way");
    let [a, b] = ["a", "b"].map(|name| builder.terminal(name));
    builder.channel(a, b);
    builder.positions([[0.0, 0.0], [1.0, 0.0]]);
    let picture = topology_svg(&builder.build().unwrap(), &LIMITS);
    expect_file!["one_way.svg"].assert_eq(&picture);
}

#[test]
fn every_family_is_drawn_with_all_its_terminals() {
    for family in lockstep_topology::families() {
        let topology: Topology = family.example.parse().unwrap();
        let picture = topology_svg(&topology, &LIMITS);
        let document = parse(&picture);
        let names = texts(document.root(), "text");
        for &terminal in topology.terminals() {
            assert!(names.contains(&topology.node_name(terminal)), "{}", topology.name());
        }
    }
}

#[test]
fn steps_without_transfers_and_schedules_without_steps_are_drawn() {
    let ring: Topology = "ring:4".parse().unwrap();
    let collective = Collective::broadcast(NodeId::new(0));
    let problem = Problem::new(&ring, &collective, CommunicationModel::store_and_forward()).unwrap();
    let mut schedule = Schedule::new();
    let empty = schedule_svg(&problem, &schedule, &LIMITS);
    assert_eq!(of_class(parse(&empty).root(), "network").len(), 1);
    schedule.begin_step();
    let picture = schedule_svg(&problem, &schedule, &LIMITS);
    let document = parse(&picture);
    assert_eq!(of_class(document.root(), "panel").len(), 1);
    assert!(texts(document.root(), "text").contains(&"step 1 of 1 · 0 transfers"));
}

#[test]
fn what_the_limits_leave_out_is_said_in_the_picture() {
    let cube: Topology = "hypercube:3".parse().unwrap();
    let collective = Collective::all_to_all();
    let problem = Problem::new(&cube, &collective, CommunicationModel::wormhole()).unwrap();
    let schedule = one_by_one(&problem, 9);
    let limits = DrawingLimits { steps: 2, ..LIMITS };
    let text = schedule_svg(&problem, &schedule, &limits);
    assert_eq!(of_class(parse(&text).root(), "panel").len(), 2);
    assert!(text.contains("the first 2 of 9 steps; the others are omitted"));
    let limits = DrawingLimits { nodes: 7, ..LIMITS };
    for text in [topology_svg(&cube, &limits), schedule_svg(&problem, &schedule, &limits)] {
        parse(&text);
        assert!(text.contains("not drawn: 8 nodes and 24 channels; the limits are 7 and 8192"), "{text}");
    }
}

#[test]
fn hostile_names_stay_text() {
    let names = ["</text><script>alert(1)</script>", "\"'&<>]]>", "\u{0}\u{1b}[31m\u{ffff}\n", "", &"x".repeat(5000)];
    let mut builder = TopologyBuilder::new("</title></svg><script>");
    let nodes = names.map(|name| builder.terminal(name));
    for pair in nodes.windows(2) {
        builder.link(pair[0], pair[1]);
    }
    let topology = builder.build().unwrap();
    let collective = Collective::all_gather();
    let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
    let schedule = one_by_one(&problem, 5);
    for text in [topology_svg(&topology, &LIMITS), schedule_svg(&problem, &schedule, &LIMITS)] {
        assert!(!has_element(parse(&text).root(), "script"));
    }
}

#[test]
fn one_node_and_unconnected_nodes_are_drawn() {
    let mut single = TopologyBuilder::new("single");
    single.terminal("x");
    let mut parts = TopologyBuilder::new("parts");
    let [a, b, ..] = ["a", "b", "c", "d"].map(|name| parts.terminal(name));
    parts.channel(a, b);
    for builder in [single, parts] {
        let topology = builder.build().unwrap();
        let picture = topology_svg(&topology, &LIMITS);
        let drawn = texts(parse(&picture).root(), "text").len();
        assert!(drawn > topology.node_count(), "{picture}");
        assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
    }
}

#[test]
fn positions_of_any_size_and_coinciding_ones_are_drawn() {
    for positions in [[[0.0, 0.0]; 3], [[1e308, -1e308], [-1e308, 1e308], [0.0, 1e-300]], [[5.0, 5.0]; 3]] {
        let mut builder = TopologyBuilder::new("placed");
        let [a, b, c] = ["a", "b", "c"].map(|name| builder.terminal(name));
        builder.link(a, b);
        builder.link(b, c);
        builder.positions(positions);
        let picture = topology_svg(&builder.build().unwrap(), &LIMITS);
        let document = parse(&picture);
        let width: f64 = document.root_element().attribute("width").unwrap().parse().unwrap();
        assert!(width < 5000.0, "{positions:?} {width}");
        assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
    }
}

#[test]
fn a_conflict_is_dashed_and_what_does_not_exist_is_counted() {
    let ring: Topology = "ring:4".parse().unwrap();
    let collective = Collective::all_gather();
    let problem = Problem::new(&ring, &collective, CommunicationModel::store_and_forward()).unwrap();
    let mut schedule = Schedule::new();
    schedule.begin_step();
    let channel = ring.out_channels(NodeId::new(0))[0];
    for (message, path) in [(0, vec![channel]), (1, vec![channel]), (99, vec![channel]), (2, vec![])] {
        schedule.push(MessageId::new(message), &path);
    }
    schedule.push(MessageId::new(3), &[ChannelId::new(4_000_000_000)]);
    let picture = schedule_svg(&problem, &schedule, &LIMITS);
    let document = parse(&picture);
    let transfers = of_class(document.root(), "transfer");
    assert_eq!(transfers.len(), 2);
    let dashed = |node: &Node<'_, '_>| node.descendants().any(|part| part.attribute("stroke-dasharray") == Some("5 4"));
    assert_eq!(transfers.iter().map(dashed).collect::<Vec<_>>(), [false, true]);
    assert!(picture.contains("5 transfers, 3 of them"), "{picture}");
}

#[test]
fn sixteen_sources_have_a_legend_and_seventeen_have_none() {
    for (spec, entries) in [("mesh:4x4", Some(16)), ("ring:17", None)] {
        let topology: Topology = spec.parse().unwrap();
        let collective = Collective::all_to_all();
        let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
        let schedule = one_by_one(&problem, 1000);
        let picture = schedule_svg(&problem, &schedule, &LIMITS);
        let document = parse(&picture);
        let legend = of_class(document.root(), "legend");
        let lines = legend.first().map(|legend| legend.descendants().filter(|n| n.has_tag_name("line")).count());
        assert_eq!(lines, entries, "{spec}");
    }
}

/// Any transfers at all, most of them nonsense.
fn any_schedule() -> impl Strategy<Value = Vec<Vec<(u32, Vec<u32>)>>> {
    let transfer = (0u32..12, prop::collection::vec(0u32..40, 0..5));
    prop::collection::vec(prop::collection::vec(transfer, 0..6), 0..4)
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(64))]

    /// Each transfer that names only what exists is drawn once, in its step, and the text is the same every time.
    #[test]
    fn any_schedule_on_any_network_is_drawn(topology in strategy::any_topology(12), steps in any_schedule()) {
        let collective = Collective::all_gather();
        let Ok(problem) = Problem::new(&topology, &collective, CommunicationModel::wormhole()) else {
            return Ok(());
        };
        let mut schedule = Schedule::new();
        let mut drawable = Vec::new();
        for transfers in &steps {
            schedule.begin_step();
            let exists = |(message, path): &&(u32, Vec<u32>)| {
                (*message as usize) < problem.messages().len()
                    && !path.is_empty()
                    && path.iter().all(|&channel| topology.is_working(ChannelId::new(channel)))
            };
            drawable.push(transfers.iter().filter(exists).count());
            for (message, path) in transfers {
                let path: Vec<ChannelId> = path.iter().copied().map(ChannelId::new).collect();
                schedule.push(MessageId::new(*message), &path);
            }
        }
        let picture = schedule_svg(&problem, &schedule, &LIMITS);
        prop_assert_eq!(&picture, &schedule_svg(&problem, &schedule, &LIMITS));
        prop_assert!(!picture.contains("NaN") && !picture.contains("inf"));
        let document = parse(&picture);
        let drawn: Vec<usize> =
            of_class(document.root(), "panel").iter().map(|panel| of_class(*panel, "transfer").len()).collect();
        prop_assert_eq!(&drawn, &drawable);
    }
}
