//! The meaning of files from other programs.

use lockstep_topology::{GraphFormat, ReadOptions, Topology, read_graph, read_graph_file};

fn read(format: GraphFormat, text: &str) -> Topology {
    read_graph(text, format, "given").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Nodes, switches in brackets, then channels by name.
fn sketch(topology: &Topology) -> String {
    let node = |v| {
        let name = topology.node_name(v);
        if topology.is_terminal(v) { name.to_owned() } else { format!("[{name}]") }
    };
    let nodes: Vec<String> = topology.nodes().map(node).collect();
    let channels: Vec<String> = topology.channels().map(|e| topology.channel_name(e)).collect();
    format!("{}: {}", nodes.join(" "), channels.join(" "))
}

#[track_caller]
fn check(format: GraphFormat, text: &str, expected: &str) {
    assert_eq!(sketch(&read(format, text)), expected, "{text}");
}

#[test]
fn edge_list_lines() {
    let check = |text, expected| check(GraphFormat::EdgeList, text, expected);
    check("a b", "a b: a->b b->a");
    check("a -> b\r\nb->c # comment\n#comment\n\n", "a b c: a->b b->c");
    check("a b\nb a\na -> b", "a b: a->b b->a b->a a->b a->b");
    check("nodes: x y\ny#1 x", "x y y#1: y#1->x x->y#1");
    check("switches: s # one\nswitches:\nb s\ns a", "b [s] a: b->s s->b s->a a->s");
    check("a - b- \n\u{feff}".split('\n').next().unwrap().replace("a - b-", "a- -b").as_str(), "a- -b: a-->-b -b->a-");
}

#[test]
fn nodes_named_by_numbers_get_these_numbers() {
    let check_edges = |text, expected| check(GraphFormat::EdgeList, text, expected);
    check_edges("2 1\n1 -> 0", "0 1 2: 2->1 1->2 1->0");
    check_edges("3 1\n1 -> 0", "3 1 0: 3->1 1->3 1->0");
    check_edges("02 1\n1 0", "02 1 0: 02->1 1->02 1->0 0->1");
    check_edges("2 1\nnodes: 0\nswitches: 1", "0 [1] 2: 2->1 1->2");
    check(GraphFormat::Dot, "graph { 1 -- 0 }", "0 1: 1->0 0->1");
    check(GraphFormat::Json, JSON_WITH_NUMBERS, "1 0: 1->0");
}

const JSON_WITH_NUMBERS: &str = r#"{"format": "lockstep-topology", "version": 1, "name": "", "channels": [[0, 1]],
    "nodes": [{"name": "1", "terminal": true}, {"name": "0", "terminal": true}]}"#;

#[test]
fn dot_statements() {
    let check = |text, expected| check(GraphFormat::Dot, text, expected);
    check("graph { a; b }", "a b: ");
    check("DiGraph \"x\" { a -> b -> c; }", "a b c: a->b b->c");
    check("graph { a -- b a -- b }", "a b: a->b b->a a->b b->a");
    check("strict graph { a -- b; b -- a }", "a b: a->b b->a");
    check("strict digraph { a -> b; b -> a; a -> b }", "a b: a->b b->a");
    check("digraph { {a b a} -> c }", "a b c: a->c b->c");
    check("digraph { subgraph x { a -> b } -> subgraph { c { d } } }", "a b c d: a->b a->c a->d b->c b->d");
    check(
        "digraph { a -> b [dir=both] c -> d [dir=back] edge [dir=none] d -> e }",
        "a b c d e: a->b b->a d->c d->e e->d",
    );
    check("graph { a:n:sw -- b:port [label=x;weight=2][color=red] }", "a b: a->b b->a");
    check("graph { rankdir=LR; graph [size=3] edge [] x=y a }", "a: ");
}

#[test]
fn dot_default_attributes_apply_from_their_position_on() {
    let check = |text, expected| check(GraphFormat::Dot, text, expected);
    check("graph { a node [terminal=false] b; subgraph { node [terminal=TRUE] c } d a }", "a [b] c [d]: ");
    check("graph { node [switch=1, shape=box] s t [switch=0] }", "[s] t: ");
    let bus = read(GraphFormat::Dot, "graph { edge [resource=bus] a -- b b -- c edge [resource=\"\"] c -- d }");
    assert_eq!((bus.channel_count(), bus.resource_count()), (6, 2));
    let host = read(GraphFormat::Dot, "graph { s [terminal=false] a -- s; a [routes=true] b [routes=false] }");
    let routes: Vec<bool> = host.nodes().map(|v| host.routes(v)).collect();
    assert_eq!(routes, [true, true, false]);
}

#[test]
fn dot_ids() {
    let check = |text, expected| check(GraphFormat::Dot, text, expected);
    check("graph { _a1 é -.5 3. 4.25 }", "_a1 é -.5 3. 4.25: ");
    check(r#"graph { "a \"b\"" "c\n" "d\\" "node" }"#, r#"a "b" c\n d\\ node: "#);
    check("graph { \"a\\\nb\" + \"c\" }", "abc: ");
    check("graph { <b> b <<i>x</i>> }", "<b> b <<i>x</i>>: ");
    check("# 1 \"made by cpp\"\ngraph { /* a */ b // c\n}", "b: ");
    check("graph{1--2--1}", "1 2: 1->2 2->1 2->1 1->2");
}

#[test]
fn dot_positions_point_upwards() {
    let drawn = read(GraphFormat::Dot, "graph { a [pos=\"1,2.5!\"] b [pos=\"-1,0,7\"] }");
    assert_eq!(drawn.positions(), Some(&[[1.0, -2.5], [-1.0, 0.0]][..]));
    for partly in ["graph { a [pos=\"1,2\"] b }", "graph { a [pos=\"1,x\"] }", "graph { a [pos=\"1,inf\"] }"] {
        assert_eq!(read(GraphFormat::Dot, partly).positions(), None, "{partly}");
    }
}

#[test]
fn graphml_elements() {
    let check = |body: &str, expected| {
        let text = format!("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">{body}</graphml>");
        check(GraphFormat::GraphMl, &text, expected);
    };
    let nodes = "<node id=\"a\"><port name=\"p\"/></node><node id=\"b\"/>";
    check(&format!("<graph>{nodes}<edge source=\"a\" target=\"b\"/></graph>"), "a b: a->b b->a");
    check(
        &format!(
            "<graph edgedefault=\"directed\"><edge source=\"b\" sourceport=\"p\" target=\"a\"/>\
             <edge directed=\"false\" source=\"a\" target=\"b\"/>{nodes}</graph>"
        ),
        "a b: b->a a->b b->a",
    );
    check(
        "<key id=\"d0\" for=\"node\" attr.name=\"terminal\" attr.type=\"boolean\"><default>false</default></key>\
         <key id=\"d1\" for=\"edge\" attr.name=\"terminal\"/>\
         <graph><node id=\"s\"/><node id=\"t\"><data key=\"d0\"> True </data></node>\
         <edge source=\"s\" target=\"t\"><data key=\"d1\">5</data></edge></graph>",
        "[s] t: s->t t->s",
    );
    check("<graph><node id=\"a&#10;&lt;\"><data key=\"unknown\">1</data></node></graph>", "a\n<: ");
}

#[test]
fn graphml_data() {
    let text = "<graphml><key id=\"r\" for=\"edge\" attr.name=\"resource\"/><key id=\"x\" for=\"node\"/>\
                <key id=\"k\" for=\"node\" attr.name=\"y\"/><key id=\"n\" for=\"graph\" attr.name=\"name\"/>\
                <graph id=\"G\"><data key=\"n\">bus</data><node id=\"a\"><data key=\"x\">1</data><data key=\"k\">2</data></node>\
                <node id=\"b\"><data key=\"x\">3</data><data key=\"k\">-4</data></node>\
                <edge source=\"a\" target=\"b\"><data key=\"r\">1</data></edge></graph></graphml>";
    let bus = read(GraphFormat::GraphMl, text);
    assert_eq!((bus.name(), bus.channel_count(), bus.resource_count()), ("bus", 2, 1));
    assert_eq!(bus.positions(), Some(&[[1.0, -2.0], [3.0, 4.0]][..]));
}

#[test]
fn node_link_objects() {
    let check = |text, expected| check(GraphFormat::NodeLink, text, expected);
    check(r#"{"nodes": [{"id": 1}, {"id": 0}], "links": [{"source": 1, "target": 0, "key": 0}]}"#, "0 1: 1->0 0->1");
    check(
        r#"{"directed": true, "graph": [], "edges": [{"source": "a", "target": 2.5}], "nodes": [{"id": "a", "x": {}}, {"id": 2.5, "switch": true}]}"#,
        "a [2.5]: a->2.5",
    );
    check(
        r#"{"nodes": [{"id": [0, 1]}, {"id": ["a", [-1]]}], "edges": [{"source": [0, 1], "target": ["a", [-1]]}]}"#,
        "(0, 1) (a, (-1,)): (0, 1)->(a, (-1,)) (a, (-1,))->(0, 1)",
    );
}

#[test]
fn node_link_positions_and_names() {
    let text = r#"{"graph": {"name": "drawn"}, "nodes": [{"id": "a", "pos": [1, 2]}], "edges": []}"#;
    let drawn = read(GraphFormat::NodeLink, text);
    assert_eq!((drawn.name(), drawn.positions()), ("drawn", Some(&[[1.0, -2.0]][..])));
    let odd = r#"{"graph": {"name": 7}, "nodes": [{"id": "a", "pos": "here"}], "edges": []}"#;
    assert_eq!(
        (read(GraphFormat::NodeLink, odd).name(), read(GraphFormat::NodeLink, odd).positions()),
        ("given", None)
    );
}

/// The capacity and latency of each channel, and the unit.
fn rates(topology: &Topology) -> (Vec<(u32, u64)>, Option<u64>) {
    let of = |channel| (topology.capacity(channel), topology.latency_ps(channel));
    (topology.channels().map(of).collect(), topology.unit_bytes_per_second())
}

#[test]
fn bandwidths_become_capacities() {
    const GB: u64 = 1_000_000_000;
    let edges = "a b bandwidth=300GB/s latency=700ns\nb -> c bandwidth=2.4e10 # bytes per second\n";
    let dot = "digraph { edge [bandwidth=\"300GB/s\"]; a -> b [latency=\"0.7us\"]; b -> a [latency=\"7e-7\"]; b -> c [bandwidth=\"192Gbit/s\"] }";
    let node_link = r#"{"directed": true, "nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "edges": [
        {"source": "a", "target": "b", "bandwidth": 300e9, "latency": "700ns"},
        {"source": "b", "target": "a", "bandwidth": 300000000000, "latency": 7e-7},
        {"source": "b", "target": "c", "bandwidth": "24GB/s"}]}"#;
    let graphml = r#"<graphml><key id="d0" for="edge" attr.name="bandwidth"><default>300GB/s</default></key>
        <key id="d1" for="edge" attr.name="latency"/><graph edgedefault="directed"><node id="a"/><node id="b"/><node id="c"/>
        <edge source="a" target="b"><data key="d1">700ns</data></edge><edge source="b" target="a"><data key="d1">7e-7</data></edge>
        <edge source="b" target="c"><data key="d0">24GB/s</data></edge></graph></graphml>"#;
    let expected = (vec![(25, 700_000), (25, 700_000), (2, 0)], Some(12 * GB));
    let texts = [
        (GraphFormat::EdgeList, edges),
        (GraphFormat::Dot, dot),
        (GraphFormat::NodeLink, node_link),
        (GraphFormat::GraphMl, graphml),
    ];
    for (format, text) in texts {
        assert_eq!(rates(&read(format, text)), expected, "{format}");
        let options = ReadOptions::default().with_unit(50 * GB);
        let error = read_graph_file(text, format, "given", &options).unwrap_err().to_string();
        assert!(
            error.contains("channel b->c has a bandwidth of 24GB/s, but one unit of capacity is 50GB/s"),
            "{error}"
        );
        let rounded = read_graph_file(text, format, "given", &ReadOptions::default().with_unit(20 * GB)).unwrap();
        assert_eq!(rates(&rounded.topology), (vec![(15, 700_000), (15, 700_000), (1, 0)], Some(20 * GB)), "{format}");
    }
}

#[test]
fn capacities_are_read_as_they_are() {
    let edges = "unit: 25GB/s\na b capacity=4\nb c\n";
    assert_eq!(
        rates(&read(GraphFormat::EdgeList, edges)),
        (vec![(4, 0), (4, 0), (1, 0), (1, 0)], Some(25_000_000_000))
    );
    let dot = "graph { unit=\"25GB/s\"; a -- b [capacity=4]; b -- c }";
    assert_eq!(rates(&read(GraphFormat::Dot, dot)), rates(&read(GraphFormat::EdgeList, edges)));
    let node_link = r#"{"graph": {"unit": 25e9}, "nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 1, "capacity": 4.0}]}"#;
    assert_eq!(rates(&read(GraphFormat::NodeLink, node_link)), (vec![(4, 0), (4, 0)], Some(25_000_000_000)));
}

#[test]
fn switches_are_marked_in_the_words_of_other_programs() {
    for word in ["type", "kind", "role"] {
        let text = format!("graph {{ s [{word}=switch]; a [{word}=terminal]; s -- a; s -- b [{word}=fibre] }}");
        check(GraphFormat::Dot, &text, "[s] a b: s->a a->s s->b b->s");
        let file = read_graph_file(&text, GraphFormat::Dot, "given", &ReadOptions::default()).unwrap();
        let notes: Vec<String> = file.notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes, [format!("ignored attributes: edge {word}")]);
    }
}

#[test]
fn what_a_reader_ignores_is_told() {
    let notes = |format, text: &str| -> Vec<String> {
        let file = read_graph_file(text, format, "given", &ReadOptions::default()).unwrap();
        file.notes.iter().map(ToString::to_string).collect()
    };
    let hint =
        "no node is a switch, but 2 nodes have only one neighbor; mark the switches if there are any, such as 's'";
    assert_eq!(notes(GraphFormat::EdgeList, "s a\ns b\n"), [hint]);
    assert!(notes(GraphFormat::EdgeList, "a b\nb c\nc a\n").is_empty());
    assert!(notes(GraphFormat::EdgeList, "a b\n").is_empty());
    assert!(notes(GraphFormat::EdgeList, "s a\ns b\nswitches: s\n").is_empty());
    let attributes = "digraph { rankdir=LR; node [color=red, role=gpu]; a -> b [weight=3]; b -> a }";
    let weight = "not used: edge weight; if it is a bandwidth, a number of links or a latency, rename it to 'bandwidth', 'capacity' or 'latency'";
    let ignored = "ignored attributes: graph rankdir, node color, node role";
    assert_eq!(notes(GraphFormat::Dot, attributes), [weight, ignored]);
    let node_link = r#"{"graph": {"version": 1}, "nodes": [{"id": 0, "x": 1}, {"id": 1}], "edges": [{"source": 0, "target": 1, "key": 0, "weight": 3}]}"#;
    assert_eq!(notes(GraphFormat::NodeLink, node_link), [weight, "ignored attributes: graph version, node x"]);
}
