//! Bad graph files: one line each that names the place, what is there, and what to do.

use expect_test::{Expect, expect};
use lockstep_topology::{GraphFormat, read_graph};

#[track_caller]
fn check(format: GraphFormat, cases: &[&str], expected: &Expect) {
    let messages: Vec<String> = cases
        .iter()
        .map(|text| {
            let error = read_graph(text, format, "bad").expect_err(text).to_string();
            assert!(!error.contains('\n'), "{error}");
            error
        })
        .collect();
    expected.assert_eq(&(messages.join("\n") + "\n"));
}

#[test]
fn bad_json() {
    let cases = [
        " \n",
        "\n[1, 2]",
        "{\"format\": \"lockstep-topology\", \"vers",
        "{\"format\": \"lockstep-topology\", \"version\": 1} {}",
        "{\"nodes\": [], \"edges\": []}",
        "{\"format\": 7}",
        "{\"format\": \"lockstep-schedule\", \"version\": 1}",
        "{\"format\": \"lockstep-plan\", \"version\": 1}",
        "{\"format\": \"line\\nbreak\", \"version\": 1}",
        "{\"format\": \"lockstep-topology\", \"version\": 2, \"nodes\": \"of another shape\"}",
        "{\"format\": \"lockstep-topology\", \"version\": \"1\"}",
        "{\"format\": \"lockstep-topology\", \"name\": \"\", \"nodes\": [], \"channels\": []}",
        "{\"format\": \"lockstep-topology\", \"version\": 1, \"name\": \"\", \"nodes\": [], \"channels\": []}",
        &topology("{\"name\": \"b\", \"terminal\":\n \"yes\"}", "[0, 1]", ""),
        &topology("{\"name\": \"b\", \"terminal\": true, \"colour\": 1}", "[0, 1]", ""),
        &topology("{\"name\": \"b\"}", "[0, 1]", ""),
        &topology("{\"name\": \"a\", \"terminal\": true}", "[0, 1]", ""),
        &topology("{\"name\": \"b\\nc\", \"terminal\": true}", "[1, 1]", ""),
        &topology("{\"name\": \"b\", \"terminal\": true}", "[0, 4000000000]", ""),
        &topology("{\"name\": \"b\", \"terminal\": true}", "[0, -1]", ""),
        &topology("{\"name\": \"b\", \"terminal\": true}", "[0, 99999999999]", ""),
        &topology("{\"name\": \"b\", \"terminal\": true}", "[0, 1, 2]", ""),
        &topology("{\"name\": \"b\", \"terminal\": true}", "[0, 1]", ", \"shared\": [[0, 9]]"),
        &topology("{\"name\": \"b\", \"terminal\": true}", "[0, 1]", ", \"positions\": [[0, 0]]"),
        &topology("{\"name\": \"b\", \"terminal\": true}", "[0, 1]", ", \"positions\": [[0, 1e999], [0, 0]]"),
        &topology(&format!("{{\"name\": {{\"{}\": 1}}}}", "x".repeat(1000)), "[0, 1]", ""),
        &topology(&format!("{{\"name\": \"b\", \"terminal\": \"{}\"}}", "x".repeat(1000)), "[0, 1]", ""),
        &"[".repeat(100_000),
        &format!("{{\"nodes\": {}", "[".repeat(100_000)),
    ];
    check(
        GraphFormat::Json,
        &cases,
        &expect![[r#"
            the file is empty; a network has at least one node
            line 2: found '[', expected '{', the start of a JSON object
            line 1: the file ends in the middle of a value; it is incomplete
            line 1: unexpected text behind the end of the value; remove it
            field 'format' is missing, expected 'lockstep-topology'; use the format node-link for a graph from networkx
            line 1, field 'format': invalid type: integer `7`, expected a string
            field 'format' is 'lockstep-schedule', a schedule, not a network; its field 'topology' is the network
            field 'format' is 'lockstep-plan', a plan, not a network; its field 'schedule.topology' is the network
            field 'format' is 'line\nbreak', expected 'lockstep-topology'
            field 'version' is 2, but only version 1 is known; use a newer lockstep
            line 1, field 'version': invalid type: string "1", expected a JSON number
            line 1: missing field `version`
            the network has no nodes; add at least one
            line 2, field 'nodes[1].terminal': invalid type: string "yes", expected a boolean
            line 1, field 'nodes[1].colour': unknown field `colour`, expected one of `name`, `terminal`, `routes`, `failed`, `host`
            line 1, field 'nodes[1]': missing field `terminal`
            nodes 0 and 1 are both named 'a'; give each node a unique name
            channel 0 leads from node 'b\nc' to itself; remove it
            channel 0 names node 4000000000, but the nodes are 0 to 1
            line 1, field 'channels[0][1]': invalid value: integer `-1`, expected u32
            line 1, field 'channels[0][1]': invalid value: integer `99999999999`, expected u32
            line 1, field 'channels[0]': unexpected text behind the end of the value; remove it
            shared group 0 names channel 9, but the channels are numbered below 1
            1 positions for 2 nodes; give one per node, or none
            line 1, field 'positions[0][1]': number out of range
            line 1, field 'nodes[1].name': invalid type: map, expected a string
            line 1, field 'nodes[1].terminal': invalid type: string "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", expected a boolean
            line 1: found '[', expected '{', the start of a JSON object
            line 1, field 'nodes': the file ends in the middle of a value; it is incomplete
        "#]],
    );
}

/// A topology of node `a`, another node and a channel.
fn topology(node: &str, channel: &str, more: &str) -> String {
    format!(
        "{{\"format\": \"lockstep-topology\", \"version\": 1, \"name\": \"\", \
         \"nodes\": [{{\"name\": \"a\", \"terminal\": true}}, {node}], \"channels\": [{channel}]{more}}}"
    )
}

#[test]
fn bad_edge_lists() {
    let cases = [
        "",
        "# nothing\n",
        "a b\nb c d\n",
        "a b\n\nlonely # why\n",
        "a ->\n",
        "-> a\n",
        "a -> b -> c\n",
        "a b -> c\n",
        "0 1 {\"weight\": 2}\n",
        "a b\nswitches: s\n",
        "nodes: a->b\n",
        "a\u{202e} b c\n",
        &format!("{}\n", "x".repeat(1000)),
    ];
    check(
        GraphFormat::EdgeList,
        &cases,
        &expect![[r#"
            the file is empty; a network has at least one node
            the network has no nodes; add at least one
            line 2: found 'b c d', expected 'u v' or 'u v bandwidth=25GB/s' for a link, 'u -> v' for a channel, 'switches: u v …', 'failed: u v …', 'nodes: u v …' or 'unit: 25GB/s'
            line 3: found 'lonely', expected 'u v' or 'u v bandwidth=25GB/s' for a link, 'u -> v' for a channel, 'switches: u v …', 'failed: u v …', 'nodes: u v …' or 'unit: 25GB/s'
            line 1: found 'a ->', expected 'u v' or 'u v bandwidth=25GB/s' for a link, 'u -> v' for a channel, 'switches: u v …', 'failed: u v …', 'nodes: u v …' or 'unit: 25GB/s'
            line 1: found '-> a', expected 'u v' or 'u v bandwidth=25GB/s' for a link, 'u -> v' for a channel, 'switches: u v …', 'failed: u v …', 'nodes: u v …' or 'unit: 25GB/s'
            line 1: found 'a -> b -> c', expected 'u v' or 'u v bandwidth=25GB/s' for a link, 'u -> v' for a channel, 'switches: u v …', 'failed: u v …', 'nodes: u v …' or 'unit: 25GB/s'
            line 1: found 'a b -> c', expected 'u v' or 'u v bandwidth=25GB/s' for a link, 'u -> v' for a channel, 'switches: u v …', 'failed: u v …', 'nodes: u v …' or 'unit: 25GB/s'
            line 1: found '0 1 {"weight": 2}', expected 'u v' or 'u v bandwidth=25GB/s' for a link, 'u -> v' for a channel, 'switches: u v …', 'failed: u v …', 'nodes: u v …' or 'unit: 25GB/s'
            line 2: there is no node 's'; correct the name, or add the node
            line 1: found 'a->b', expected node names separated by spaces
            line 1: found 'a\u{202e} b c', expected 'u v' or 'u v bandwidth=25GB/s' for a link, 'u -> v' for a channel, 'switches: u v …', 'failed: u v …', 'nodes: u v …' or 'unit: 25GB/s'
            line 1: found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…', expected 'u v' or 'u v bandwidth=25GB/s' for a link, 'u -> v' for a channel, 'switches: u v …', 'failed: u v …', 'nodes: u v …' or 'unit: 25GB/s'
        "#]],
    );
}

#[test]
fn bad_dot() {
    let cases = [
        "tree {}",
        "graph {}",
        "graph {\n a -- b",
        "graph {\n a -> b }",
        "digraph {\n a -- b }",
        "graph { a -- }",
        "graph { a [terminal=maybe] }",
        "graph { a [terminal] }",
        "graph { a [terminal=true, switch=true] }",
        "digraph { a -> b [dir=up] }",
        "graph { node }",
        "graph { a -- edge }",
        "graph {\n 10.0.0.1 -- b }",
        "graph { 2b }",
        "graph { a ! b }",
        "graph {\n \"a }",
        "graph {\n <a }",
        "graph {\n /* a }",
        "graph { a } graph { b }",
        "graph { \"a\" + b }",
        "graph { subgraph { a } [x=y] }",
        &format!("graph {}a{}", "{".repeat(100_000), "}".repeat(100_000)),
        &format!("digraph {{ {{{}}} -> {{{}}} }}", words('a', 1100), words('b', 1100)),
    ];
    check(
        GraphFormat::Dot,
        &cases,
        &expect![[r#"
            line 1: found 'tree', expected 'graph' or 'digraph'
            the network has no nodes; add at least one
            line 2: found the end of the file, expected a node, an edge, a subgraph or '}'
            line 2: found '->', expected '--', or 'digraph' in the first line
            line 2: found '--', expected '->', or 'graph' in the first line
            line 1: found '}', expected a node, an edge, a subgraph or '}'
            line 1: 'terminal' is 'maybe', expected true or false
            line 1: found ']', expected '=' and a value
            line 1: 'terminal' and 'switch' of node 'a' contradict each other; keep one of them
            line 1: 'dir' is 'up', expected forward, back, both or none
            line 1: found '}', expected '[' after 'node', 'edge' or 'graph'; put a node of that name in quotes
            line 1: found 'edge', expected a node, an edge, a subgraph or '}'
            line 2: found '10.0.0.1', expected an id; put it in double quotes if it is neither a word nor a number
            line 1: found '2b', expected an id; put it in double quotes if it is neither a word nor a number
            line 1: found '!', expected an id; put it in double quotes if it is neither a word nor a number
            line 2: the quoted string that starts here is not closed; close it with '"'
            line 2: the HTML string that starts here is not closed; close it with '>'
            line 2: the comment that starts here is not closed; close it with '*/'
            line 1: found 'graph', expected the end of the file after the graph
            line 1: found 'b', expected a quoted string after '+'
            line 1: found '[', expected a node, an edge, a subgraph or '}'
            line 1: subgraphs are nested more than 64 deep; flatten them
            line 1: subgraphs make more than 2^18 edges; write the edges one by one
        "#]],
    );
}

fn words(prefix: char, count: usize) -> String {
    (0..count).fold(String::new(), |words, number| words + &format!("{prefix}{number} "))
}

#[test]
fn bad_graphml() {
    let attributes = words('a', 2000).replace(' ', "='' ");
    let name_spaces = words('a', 2000).split(' ').map(|name| "<x xmlns:? = ''>".replace('?', name)).collect::<String>();
    let cases = [
        "graphml",
        "<svg/>",
        "<graphml/>",
        "<graphml>\n<graph>\n</graphml>",
        "<!DOCTYPE lolz [<!ENTITY lol \"lol\">]>\n<graphml/>",
        "<graphml><graph/>\n<graph/></graphml>",
        "<graphml><graph><node/></graph></graphml>",
        "<graphml><graph>\n<node id='a'/>\n<node id='a'/></graph></graphml>",
        "<graphml><graph><node id='a'>\n<graph/></node></graph></graphml>",
        "<graphml><graph><node id='a'/>\n<hyperedge/></graph></graphml>",
        "<graphml><graph><node id='a'/>\n<edge source='a'/></graph></graphml>",
        "<graphml><graph><node id='a'/>\n<edge source='a' target='b'/></graph></graphml>",
        "<graphml><graph edgedefault='both'/></graphml>",
        "<graphml><graph><node id='a'/><node id='b'/>\n<edge source='a' target='b' directed='no'/></graph></graphml>",
        "<graphml><key id='d0' attr.name='terminal'/><graph><node id='a'>\n<data key='d0'>?</data></node></graph></graphml>",
        "<graphml><key attr.name='terminal'/></graphml>",
        "<graphml><graph/></graphml>",
        &format!("<graphml>\n<graph {attributes}/></graphml>"),
        &format!("<graphml>\n{name_spaces}</graphml>"),
    ];
    check(
        GraphFormat::GraphMl,
        &cases,
        &expect![[r#"
            line 1: unknown token
            line 1: found <svg>, expected <graphml> as the root element
            line 1: the file has no <graph>; add one with the network
            line 3: expected 'graph' tag, not 'graphml'
            line 1: a document type is not supported, because it can define text of unlimited length; remove the DOCTYPE
            line 2: this is a second <graph>; write one graph per file
            line 1: found <node> without 'id', expected id="…"
            line 3: node 'a' already exists; give each node a unique name
            line 2: a graph inside a node is not supported; move its nodes to the outer graph
            line 2: hyperedges are not supported; write a switch with a link to each end
            line 2: found <edge> without 'target', expected target="…"
            line 2: there is no node 'b'; correct the name, or add the node
            line 1: 'edgedefault' is 'both', expected directed or undirected
            line 2: 'directed' is 'no', expected true or false
            line 1: 'terminal' is '?', expected true or false
            line 1: found <key> without 'id', expected id="…"
            the network has no nodes; add at least one
            line 2: more than 1024 attributes in a tag or 256 name spaces; remove some
            line 2: elements are nested more than 256 deep; flatten them
        "#]],
    );
}

#[test]
fn bad_node_link() {
    let cases = [
        "[]",
        "{\"edges\": []}",
        "{\"nodes\": []}",
        "{\"nodes\": [], \"edges\": [], \"links\": []}",
        "{\"nodes\": [], \"edges\": []}",
        "{\"nodes\": [{}], \"edges\": []}",
        "{\"nodes\": [{\"id\": null}], \"edges\": []}",
        "{\"nodes\": [{\"id\": 1}, {\"id\": \"1\"}], \"edges\": []}",
        "{\"nodes\": [{\"id\": 1, \"terminal\": \"maybe\"}], \"edges\": []}",
        "{\"nodes\": [{\"id\": 1, \"terminal\": true, \"switch\": true}], \"edges\": []}",
        "{\"nodes\": [{\"id\": 1}], \"links\": [{\"source\": 1}]}",
        "{\"nodes\": [{\"id\": 1}], \"links\": [{\"source\": 1, \"target\": 2}]}",
        "{\"nodes\": [{\"id\": 1}, {\"id\": 2}], \"multigraph\": false, \
         \"links\": [{\"source\": 1, \"target\": 2}, {\"source\": 2, \"target\": 1}]}",
        "{\"nodes\": [{\"id\": 1}",
    ];
    check(
        GraphFormat::NodeLink,
        &cases,
        &expect![[r"
            line 1: found '[', expected '{', the start of a JSON object
            line 1: missing field `nodes`
            field 'edges': found nothing, expected a list 'edges' or 'links'
            field 'edges': found 'links' as well, expected one of the two
            the network has no nodes; add at least one
            line 1, field 'nodes[0]': missing field `id`
            line 1, field 'nodes[0].id': invalid type: null, expected a string or a number
            field 'nodes[1]': node '1' already exists; give each node a unique name
            field 'nodes[0]': 'terminal' is 'maybe', expected true or false
            field 'nodes[0]': 'terminal' and 'switch' of node '1' contradict each other; keep one of them
            line 1, field 'links[0]': missing field `target`
            field 'links[0].target': there is no node '2'; correct the name, or add the node
            field 'links[1]': '2' and '1' are already joined; set 'multigraph' to true for parallel edges
            line 1, field 'nodes': the file ends in the middle of a value; it is incomplete
        "]],
    );
}

#[test]
fn bad_rates() {
    let cases = [
        "a b bandwidth=fast",
        "a b bandwidth=300GB",
        "a b bandwidth=0",
        "a b bandwidth=0GB/s\nb c bandwidth=1GB/s",
        "a b bandwidth=1GB/s\nb -> c",
        "a b bandwidth=1GB/s\nb c capacity=2",
        "a b bandwidth=300GB/s\nb c bandwidth=16.000000001GB/s",
        "unit: 0\na b bandwidth=1GB/s",
        "unit: slow\na b",
        "a b capacity=0",
        "a b capacity=-1",
        "a b capacity=1.5",
        "a b capacity=65537",
        "a b capacity=99999999999999999999",
        "a b latency=-1ns",
        "a b latency=0.5ps",
        "a b latency=1h",
        "a b latency",
    ];
    check(
        GraphFormat::EdgeList,
        &cases,
        &expect![[r"
            line 1: 'bandwidth': 'fast' does not begin with a number; write for example 25GB/s
            line 1: 'bandwidth': 'GB' is not a unit of bandwidth; the units are B/s and bit/s with the prefixes k, M, G, T, Ki, Mi, Gi, Ti, for example 25GB/s
            channel a->b has a bandwidth of 0B/s; give it a bandwidth above 0, or remove it
            channel a->b has a bandwidth of 0B/s; give it a bandwidth above 0, or remove it
            channel b->c has no bandwidth, but channel a->b has one; give every channel a bandwidth, or none
            channel b->c has a capacity and channel a->b has a bandwidth; use one of the two in all channels
            the greatest common divisor of the bandwidths of b->a (300GB/s) and b->c (16.000000001GB/s) is so small that a capacity exceeds 65536; round all bandwidths to multiples of a unit, for example by --unit 200MB/s
            one unit of capacity is 0B/s; choose a unit above 0
            line 1: 'unit': 'slow' does not begin with a number; write for example 25GB/s
            channel a->b has the capacity 0, but capacities are 1 to 65536
            line 1: 'capacity' is '-1', expected a whole number from 1 on
            line 1: 'capacity' is '1.5', expected a whole number from 1 on
            channel a->b has the capacity 65537, but capacities are 1 to 65536
            line 1: 'capacity' is '99999999999999999999', expected a whole number from 1 on
            line 1: 'latency': '-1ns' does not begin with a number; write for example 700ns
            line 1: 'latency': '0.5ps' is not a whole number of picoseconds; use fewer digits
            channel a->b has a latency of 3600s, more than 1000s; choose a shorter one
            line 1: found 'a b latency', expected 'u v' or 'u v bandwidth=25GB/s' for a link, 'u -> v' for a channel, 'switches: u v …', 'failed: u v …', 'nodes: u v …' or 'unit: 25GB/s'
        "]],
    );
    let json = [
        topology("{\"name\": \"b\", \"terminal\": true}", "[0, 1]", ", \"capacity\": [1, 1]"),
        topology("{\"name\": \"b\", \"terminal\": true}", "[0, 1]", ", \"capacity\": [0]"),
        topology("{\"name\": \"b\", \"terminal\": true}", "[0, 1]", ", \"capacity\": [-1]"),
        topology("{\"name\": \"b\", \"terminal\": true}", "[0, 1]", ", \"latency_ps\": [1000000000000001]"),
        topology("{\"name\": \"b\", \"terminal\": true}", "[0, 1]", ", \"unit_bytes_per_second\": 0"),
        topology(
            "{\"name\": \"b\", \"terminal\": true}",
            "[0, 1], [1, 0]",
            ", \"capacity\": [1, 2], \"shared\": [[0, 1]]",
        ),
    ];
    check(
        GraphFormat::Json,
        &json.each_ref().map(String::as_str),
        &expect![[r"
        2 entries in 'capacity' for 1 channels; give one per channel, or leave the field out
        channel a->b has the capacity 0, but capacities are 1 to 65536
        line 1, field 'capacity[0]': invalid value: integer `-1`, expected u64
        channel a->b has a latency of 1000.000000000001s, more than 1000s; choose a shorter one
        one unit of capacity is 0B/s; choose a unit above 0
        channels a->b and b->a share a resource, but their capacities differ (1 and 2)
    "]],
    );
}
