//! Round trips of all formats. Readers never panic.

use std::fs;
use std::path::Path;

use lockstep_topology::{
    ChannelId, GraphFormat, MAX_CAPACITY, MAX_LATENCY_PS, NodeId, Topology, TopologyBuilder, WriteError, families,
    read_graph, write_graph,
};
use proptest::prelude::*;
use proptest::sample::Index;

/// A network without node names.
#[derive(Clone, Debug)]
struct Parts {
    /// True for terminals; the routing override.
    nodes: Vec<(bool, Option<bool>)>,
    /// Ends; true for a link; the shared resource; the capacity, for channels that share no resource; the latency.
    edges: Vec<(Index, Index, bool, Option<u8>, u64, u64)>,
    /// Bandwidth of one unit of capacity.
    unit: Option<u64>,
    /// The host of each node, empty for none.
    hosts: Vec<String>,
    positions: Option<Vec<[f64; 2]>>,
}

impl Parts {
    fn named(&self, names: &[String]) -> Topology {
        let mut network = TopologyBuilder::new("some network");
        let nodes: Vec<NodeId> = names
            .iter()
            .zip(&self.nodes)
            .map(|(name, &(terminal, routes))| network.node(name, terminal, routes))
            .collect();
        let mut shared = vec![Vec::new(); 3];
        for (&node, host) in nodes.iter().zip(&self.hosts) {
            network.set_host(node, host);
        }
        if let Some(unit) = self.unit {
            network.set_unit(unit);
        }
        for &(u, v, is_link, resource, capacity, latency) in &self.edges {
            let (u, v) = (*u.get(&nodes), *v.get(&nodes));
            if u == v {
                continue;
            }
            let mut channels = vec![network.channel(u, v)];
            if is_link {
                channels.push(network.channel(v, u));
            }
            network.set_latency(channels.clone(), latency);
            if let Some(group) = resource {
                shared[usize::from(group)].extend(channels);
            } else {
                network.set_capacity(channels, capacity);
            }
        }
        for group in shared {
            network.share(group);
        }
        network.positions(self.positions.clone().unwrap_or_default());
        network.build().expect("names differ and no channel is a loop")
    }
}

/// Networks of up to 9 nodes. `exceptions` allows properties that an edge list does not support.
fn parts(exceptions: bool) -> impl Strategy<Value = Parts> {
    (1usize..10).prop_flat_map(move |node_count| {
        let routes = prop::option::weighted(0.3, any::<bool>()).prop_map(move |routes| routes.filter(|_| exceptions));
        let resource = prop::option::weighted(0.3, 0..3u8).prop_map(move |resource| resource.filter(|_| exceptions));
        let capacity = prop_oneof![3 => Just(1), 1 => 1..=MAX_CAPACITY];
        let latency = prop_oneof![3 => Just(0), 1 => 0..=MAX_LATENCY_PS, 1 => Just(700_000)];
        let edge = (any::<Index>(), any::<Index>(), any::<bool>(), resource, capacity, latency);
        let point = prop::array::uniform2(prop_oneof![-9.0..9.0, prop::num::f64::NORMAL, Just(0.0), Just(-0.0)]);
        (
            prop::collection::vec((prop::bool::weighted(0.7), routes), node_count),
            prop::collection::vec(edge, 0..24),
            prop::option::of(1..u64::MAX),
            prop_oneof![Just(vec![String::new(); node_count]), plain_names(node_count)],
            prop::option::of(prop::collection::vec(point, node_count)),
        )
            .prop_map(|(nodes, edges, unit, hosts, positions)| Parts { nodes, edges, unit, hosts, positions })
    })
}

/// Names that all formats support.
fn plain_names(count: usize) -> impl Strategy<Value = Vec<String>> {
    prop::sample::select(vec!["", "n", "00", "a-", "graph", "é", "<&\"]]>", "\\\\"])
        .prop_map(move |prefix| (0..count).map(|node| format!("{prefix}{node}")).collect())
}

/// Names of arbitrary characters, mostly special ones.
fn wild_names(count: usize) -> impl Strategy<Value = Vec<String>> {
    let special = prop::sample::select(
        " \t\n\r\0\\\"'<>&#-{}[];,=:+/*\u{1}\u{85}\u{a0}\u{feff}\u{fffe}é0".chars().collect::<Vec<_>>(),
    );
    let character = prop_oneof![4 => special, 1 => any::<char>()];
    let name = prop::collection::vec(character, 0..5).prop_map(String::from_iter);
    prop::collection::btree_set(name, count).prop_map(|names| names.into_iter().collect::<Vec<_>>()).prop_shuffle()
}

fn any_network(exceptions: bool) -> impl Strategy<Value = Topology> {
    parts(exceptions)
        .prop_flat_map(|parts| (plain_names(parts.nodes.len()), Just(parts)))
        .prop_map(|(names, parts)| parts.named(&names))
}

fn wild_network() -> impl Strategy<Value = Topology> {
    parts(true)
        .prop_flat_map(|parts| (wild_names(parts.nodes.len()), Just(parts)))
        .prop_map(|(names, parts)| parts.named(&names))
}

/// A node: its name, true if it is a terminal, true if it routes.
type Node<'a> = (&'a str, bool, bool);

/// The ends, capacity and latency of the channels of one resource.
type Resource = Vec<(NodeId, NodeId, u32, u64)>;

/// The properties that all formats keep: nodes in order, and the channels of each resource.
fn essence(topology: &Topology) -> (Vec<Node<'_>>, Vec<Resource>) {
    let nodes = topology.nodes().map(|v| (topology.node_name(v), topology.is_terminal(v), topology.routes(v)));
    let ends = |channel: ChannelId| {
        let (capacity, latency_ps) = (topology.capacity(channel), topology.latency_ps(channel));
        (topology.tail(channel), topology.head(channel), capacity, latency_ps)
    };
    let mut resources = vec![Vec::new(); topology.resource_count()];
    for channel in topology.channels() {
        resources[topology.resource(channel).index()].push(ends(channel));
    }
    for channels in &mut resources {
        channels.sort_unstable();
    }
    resources.sort_unstable();
    (nodes.collect(), resources)
}

/// Writes, reads and compares; `None` if the format does not support the network.
fn round_trip(topology: &Topology, format: GraphFormat) -> Result<Option<Topology>, TestCaseError> {
    let text = match write_graph(topology, format) {
        Ok(text) => text,
        Err(error) => {
            prop_assert!(is_one_line(&error), "{error}");
            return Ok(None);
        }
    };
    let again = read_graph(&text, format, "from elsewhere").map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
    prop_assert_eq!(essence(topology), essence(&again), "{}", text);
    prop_assert_eq!(GraphFormat::recognise("unknown.ending", &text), Some(format), "{}", text);
    prop_assert_eq!(again.unit_bytes_per_second(), topology.unit_bytes_per_second());
    if format == GraphFormat::EdgeList {
        prop_assert_eq!(again.name(), "from elsewhere");
        prop_assert_eq!(again.positions(), None);
    } else {
        prop_assert!(topology.nodes().all(|node| again.host(node) == topology.host(node)));
        prop_assert_eq!(again.name(), topology.name());
        prop_assert_eq!(again.positions(), topology.positions());
    }
    if format == GraphFormat::Json {
        prop_assert_eq!(topology, &again);
    } else {
        let second = write_graph(&again.clone().renamed(topology.name()), format);
        prop_assert_eq!(Ok(&text), second.as_ref(), "writing is not a fixed point");
    }
    Ok(Some(again))
}

proptest! {
    #[test]
    fn four_formats_support_every_network(topology in any_network(true)) {
        for format in GraphFormat::WRITTEN.into_iter().filter(|&format| format != GraphFormat::EdgeList) {
            prop_assert!(round_trip(&topology, format)?.is_some(), "{} refuses it", format);
        }
    }

    #[test]
    fn edge_lists_support_networks_without_shared_channels_and_routing_overrides(topology in any_network(false)) {
        prop_assert!(round_trip(&topology, GraphFormat::EdgeList)?.is_some());
    }

    #[test]
    fn names_are_kept_or_refused(topology in wild_network()) {
        for format in GraphFormat::WRITTEN {
            let held = round_trip(&topology, format)?.is_some();
            prop_assert!(held || !matches!(format, GraphFormat::Json | GraphFormat::NodeLink));
        }
    }

    #[test]
    fn any_text_is_read_without_panic(text in prop::collection::vec(any::<char>(), 0..200)) {
        read_all(&String::from_iter(text));
    }

    #[test]
    fn damaged_files_are_read_without_panic(
        topology in any_network(true),
        format in prop::sample::select(GraphFormat::WRITTEN.to_vec()),
        damages in prop::collection::vec((any::<Index>(), any::<Index>(), any::<Index>()), 1..4),
    ) {
        let Ok(mut text) = write_graph(&topology, format) else { return Ok(()) };
        for (at, length, kind) in damages {
            damage(&mut text, at, length, kind);
        }
        read_all(&text);
    }

    #[test]
    fn damaged_files_of_other_programs_are_read_without_panic(
        text in prop::sample::select(gallery()),
        damages in prop::collection::vec((any::<Index>(), any::<Index>(), any::<Index>()), 1..4),
    ) {
        let mut text = text;
        for (at, length, kind) in damages {
            damage(&mut text, at, length, kind);
        }
        read_all(&text);
    }
}

/// The texts of the gallery, in the order of their names.
fn gallery() -> Vec<String> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/topologies"));
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort_unstable();
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Cuts a part, doubles it, moves it to the end, or replaces it by unexpected text.
fn damage(text: &mut String, at: Index, length: Index, kind: Index) {
    const STRANGE: [&str; 14] =
        ["", "\"", "<", "-1", "1e999", "4000000000", "null", "[[[[", "{", "}", "->", "--", "\u{0}", "&#0;"];
    if text.is_empty() {
        return;
    }
    let boundary = |place: usize, text: &str| text.floor_char_boundary(place.min(text.len()));
    let start = boundary(at.index(text.len()), text);
    let end = boundary(start + 1 + length.index(30), text).max(start);
    let piece = text[start..end].to_owned();
    match kind.index(STRANGE.len() + 3) {
        0 => text.truncate(start),
        1 => text.insert_str(start, &piece),
        2 => {
            text.replace_range(start..end, "");
            text.push_str(&piece);
        }
        strange => text.replace_range(start..end, STRANGE[strange - 3]),
    }
}

fn read_all(text: &str) {
    for format in GraphFormat::ALL {
        match read_graph(text, format, "damaged") {
            Ok(topology) => {
                for format in GraphFormat::WRITTEN {
                    round_trip(&topology, format).expect("a network that was read is written and read again");
                }
            }
            Err(error) => assert!(is_one_line(&error), "{error}"),
        }
    }
}

fn is_one_line(error: &dyn std::error::Error) -> bool {
    let message = error.to_string();
    !message.is_empty() && !message.contains(char::is_control)
}

#[test]
fn every_format_keeps_every_family() {
    for family in families() {
        let topology: Topology = family.example.parse().unwrap();
        for format in GraphFormat::WRITTEN {
            round_trip(&topology, format).unwrap().unwrap_or_else(|| panic!("{format} refuses {}", family.example));
            assert_eq!(GraphFormat::detect("", &write_graph(&topology, format).unwrap()), format, "{}", family.example);
        }
    }
}

#[test]
fn full_duplex_networks_are_written_link_by_link() {
    let mesh: Topology = "mesh:2x2".parse().unwrap();
    let lines = |format| write_graph(&mesh, format).unwrap();
    assert_eq!(
        lines(GraphFormat::EdgeList),
        "# mesh:2x2: 4 nodes, 8 channels\nnodes: 00 01 10 11\n00 10\n00 01\n01 11\n10 11\n"
    );
    assert!(lines(GraphFormat::Dot).contains("\"00\" -- \"10\";"));
    assert!(lines(GraphFormat::GraphMl).contains("edgedefault=\"undirected\""));
    assert!(lines(GraphFormat::NodeLink).contains("\"directed\": false"));
}

#[test]
fn half_duplex_links_are_edges_with_a_resource() {
    let ring = lockstep_topology::ring(3).unwrap().half_duplex();
    for format in [GraphFormat::Dot, GraphFormat::GraphMl, GraphFormat::NodeLink] {
        let again = round_trip(&ring, format).unwrap().unwrap();
        assert_eq!((again.channel_count(), again.resource_count()), (6, 3));
    }
    let error = write_graph(&ring, GraphFormat::EdgeList).unwrap_err();
    assert_eq!(
        error.to_string(),
        "edges does not support channels that share a resource (half duplex), such as 0->1 and 1->0; write json"
    );
}

/// A reader that does not know the attribute `failed` takes a failed node for a switch, and must not conclude that
/// terminals do not route.
#[test]
fn files_with_failed_nodes_say_who_routes() {
    let ring = lockstep_topology::ring(4).unwrap();
    let broken = ring.with_failures([ring.terminals()[1]], []);
    let marks = [
        (GraphFormat::Json, "\"failed\":true", "\"routes\":true"),
        (GraphFormat::Dot, "failed=true", "routes=true"),
        (GraphFormat::GraphMl, "<data key=\"failed\">true</data>", "<data key=\"routes\">true</data>"),
        (GraphFormat::NodeLink, "\"failed\":true", "\"routes\":true"),
    ];
    for (format, failed, routes) in marks {
        let text = write_graph(&broken, format).unwrap().replace("\": ", "\":");
        assert_eq!((text.matches(failed).count(), text.matches(routes).count()), (1, 3), "{text}");
        let foreign = text.replace(failed, &failed.replace("true", "false"));
        let foreign = read_graph(&foreign, format, "").unwrap();
        assert!(ring.terminals().iter().all(|&node| foreign.routes(node) == broken.routes(node)), "{foreign:?}");
    }
    for format in GraphFormat::WRITTEN {
        let again = round_trip(&broken, format).unwrap().unwrap();
        assert_eq!(again.failed_nodes(), broken.failed_nodes());
        assert!(ring.terminals().iter().all(|&node| again.routes(node) == broken.routes(node)));
    }
}

#[test]
fn unsupported_properties_are_named() {
    let network = |name: &str, routes| {
        let mut network = TopologyBuilder::new("");
        network.node(name, true, routes);
        network.build().unwrap()
    };
    let message = |name, routes, format| write_graph(&network(name, routes), format).unwrap_err().to_string();
    assert_eq!(
        message("a", Some(false), GraphFormat::EdgeList),
        "edges cannot represent that node 'a' does not route; write json"
    );
    assert_eq!(
        message("a b", None, GraphFormat::EdgeList),
        "edges does not support the name 'a b' (a name is a word without white space and without '->' that does not begin \
         with '#', '%', 'nodes:', 'switches:', 'failed:' or 'unit:'); write json, or change the name"
    );
    assert_eq!(
        message("tail\\", None, GraphFormat::Dot),
        "dot does not support the name 'tail\\' (a name is text without NUL, and with backslashes in pairs before quotes, line \
         breaks and its end); write json, or change the name"
    );
    assert_eq!(
        message("\u{1}", None, GraphFormat::GraphMl),
        "graphml does not support the name '\\u{1}' (a name is text without control characters and other characters that XML \
         excludes); write json, or change the name"
    );
    for name in ["", "#x", "->", "a->b", "nodes:", "switches:", "a\tb"] {
        let error = write_graph(&network(name, None), GraphFormat::EdgeList).unwrap_err();
        assert!(matches!(error, WriteError::Name { .. }), "{name}: {error}");
    }
}

#[test]
fn names_and_extensions_of_formats() {
    for format in GraphFormat::ALL {
        assert_eq!(GraphFormat::from_name(format.name()), Some(format));
    }
    assert_eq!(GraphFormat::from_name("gexf"), None);
    assert_eq!(GraphFormat::from_extension("GV"), Some(GraphFormat::Dot));
    assert_eq!(GraphFormat::from_extension("png"), None);
}

#[test]
fn a_file_is_detected_by_extension_and_by_text() {
    let detect = |file_name, text| GraphFormat::detect(file_name, text);
    assert_eq!(detect("net/ring.edges", "graph {}"), GraphFormat::EdgeList);
    assert_eq!(detect("net/ring.txt", "graph {}"), GraphFormat::Dot);
    assert_eq!(detect("net/ring.txt", "a b\n"), GraphFormat::EdgeList);
    assert_eq!(detect("-", "graph a\n"), GraphFormat::EdgeList);
    assert_eq!(detect("-", "// drawn\nstrict digraph \"a\" {}"), GraphFormat::Dot);
    assert_eq!(detect("-", "\u{feff}<?xml version=\"1.0\"?><graphml/>"), GraphFormat::GraphMl);
    assert_eq!(detect("a.json", "{\"nodes\": [], \"edges\": []}"), GraphFormat::NodeLink);
    assert_eq!(detect("a.json", "{\"format\": \"lockstep-plan\", \"nodes\": 1, \"links\": 1}"), GraphFormat::Json);
    assert_eq!(detect("a.json", "{\"nodes\":"), GraphFormat::Json);
}

/// A fuzzer found the name of a node that made our own edge list a program of gem5.
#[test]
fn a_written_edge_list_is_read_whatever_its_names_are() {
    let braces = "{ n\ndef makeTopology(x:\nendpoints: routers:\n";
    let network = read_graph(braces, GraphFormat::EdgeList, "given").unwrap();
    let text = write_graph(&network, GraphFormat::EdgeList).unwrap();
    assert!(text.contains("\ndef makeTopology(x:"), "{text}");
    assert_eq!(read_graph(&text, GraphFormat::EdgeList, "given").unwrap().digest(), network.digest());
    assert_eq!(GraphFormat::detect("", &text), GraphFormat::EdgeList);
}
