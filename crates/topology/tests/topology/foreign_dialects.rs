//! Features of public files: what their readers make of them, and what they refuse by name.

use expect_test::expect;
use lockstep_topology::{GraphFormat, ReadOptions, read_graph, read_graph_file};

use crate::foreign_formats::check;

/// The notes on a file, one per line.
fn notes(format: GraphFormat, text: &str) -> String {
    let file = read_graph_file(text, format, "given", &ReadOptions::default());
    let file = file.unwrap_or_else(|error| panic!("{error}\n{text}"));
    file.notes.iter().map(|note| note.to_string() + "\n").collect()
}

fn refused(file: &str, text: &str) -> String {
    read_graph(text, GraphFormat::detect(file, text), "bad").expect_err(text).to_string()
}

/// A graph as yEd writes it, with these edges in the form `source target arrow-at-source arrow-at-target`.
fn yed(edges: &[[&str; 4]]) -> String {
    let edge = |[source, target, at_source, at_target]: &[&str; 4]| {
        format!(
            "<edge source='{source}' target='{target}'><data key='d1'><y:PolyLineEdge><y:LineStyle/>\
             <y:Arrows source='{at_source}' target='{at_target}'/></y:PolyLineEdge></data></edge>"
        )
    };
    let edges: String = edges.iter().map(edge).collect();
    format!(
        "<graphml xmlns='http://graphml.graphdrawing.org/xmlns' xmlns:y='http://www.yworks.com/xml/graphml'>\
         <key for='node' id='d0' yfiles.type='nodegraphics'/><key for='edge' id='d1' yfiles.type='edgegraphics'/>\
         <graph edgedefault='directed'><node id='a'><data key='d0'><y:ShapeNode/></data></node><node id='b'/><node id='c'/>\
         {edges}</graph></graphml>"
    )
}

#[test]
fn arrows_of_yed_give_the_directions() {
    check(
        GraphFormat::GraphMl,
        &yed(&[["a", "b", "none", "none"], ["b", "c", "none", "standard"], ["c", "a", "delta", "none"]]),
        &expect![[r"
            a b c
            a-b b->c a->c
            assumed: arrows give the directions of edges, as in yEd; an edge without arrows is a link
        "]],
    );
    check(
        GraphFormat::GraphMl,
        &yed(&[["a", "b", "none", "none"], ["b", "c", "standard", "standard"]]),
        &expect![[r"
            a b c
            a-b b-c
            assumed: arrows give the directions of edges, as in yEd; an edge without arrows is a link
            no node is a switch, but 2 nodes have only one neighbor; mark the switches if there are any, such as 'b'
        "]],
    );
    let directed = yed(&[["a", "b", "none", "none"]]).replace("<edge ", "<edge directed='true' ");
    check(
        GraphFormat::GraphMl,
        &directed,
        &expect![[r"
        a b c
        a->b
        assumed: arrows give the directions of edges, as in yEd; an edge without arrows is a link
        no node is a switch, but a node has only one neighbor; mark the switches if there are any, such as 'b'
    "]],
    );
}

#[test]
fn speeds_of_the_topology_zoo_are_bandwidths_if_all_edges_have_one() {
    let zoo = |speeds: [&str; 2]| {
        let edge = |[source, target]: [&str; 2], speed: &str| {
            let raw = if speed.is_empty() { String::new() } else { format!("<data key='d1'>{speed}</data>") };
            format!("<edge source='{source}' target='{target}'><data key='d2'>10</data>{raw}</edge>")
        };
        format!(
            "<graphml><key attr.name='LinkSpeedRaw' for='edge' id='d1'/><key attr.name='LinkSpeed' for='edge' id='d2'/>\
             <graph><node id='a'/><node id='b'/><node id='c'/>{}{}</graph></graphml>",
            edge(["a", "b"], speeds[0]),
            edge(["b", "c"], speeds[1])
        )
    };
    check(
        GraphFormat::GraphMl,
        &zoo(["40000000000.0", "1e10"]),
        &expect![[r"
        a b c
        a-b*4 b-c
        unit 1.25GB/s
        no node is a switch, but 2 nodes have only one neighbor; mark the switches if there are any, such as 'b'
    "]],
    );
    check(
        GraphFormat::GraphMl,
        &zoo(["40000000000.0", ""]),
        &expect![[r"
        a b c
        a-b b-c
        left out: the bandwidths 'LinkSpeedRaw' of 1 of 2 edges, because the other edges have none; give every edge one
        not used: edge LinkSpeed; if it is a bandwidth, a number of links or a latency, rename it to 'bandwidth', 'capacity' or 'latency'
        no node is a switch, but 2 nodes have only one neighbor; mark the switches if there are any, such as 'b'
    "]],
    );
    let gml = "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 LinkSpeedRaw 155000000.0 ] ]";
    check(
        GraphFormat::Gml,
        gml,
        &expect![[r"
        0 1
        0-1
        unit 19.375MB/s
    "]],
    );
    let error = read_graph(&zoo(["fast", ""]), GraphFormat::GraphMl, "bad").unwrap_err().to_string();
    assert_eq!(error, "line 1: 'LinkSpeedRaw' is 'fast', expected a number of bit/s from 8 on");
}

#[test]
fn attributes_that_may_be_bandwidths_have_a_note_of_their_own() {
    let dot = "graph { a -- b [weight=3, LinkSpeed=\"10G\", link_bw=4, color=red, penwidth=2]; b -- c; c -- a }";
    expect![[r"
        not used: edge LinkSpeed, edge link_bw, edge weight; if it is a bandwidth, a number of links or a latency, rename it to 'bandwidth', 'capacity' or 'latency'
        ignored attributes: edge color, edge penwidth
    "]].assert_eq(&notes(GraphFormat::Dot, dot));
}

/// A network with one edge from a node to itself and one link, in each format that has names of nodes.
#[test]
fn edges_from_a_node_to_itself_are_left_out_by_all_readers() {
    let cases = [
        (GraphFormat::EdgeList, "a a\na b\n"),
        (GraphFormat::EdgeList, "a -> a\na b\n"),
        (GraphFormat::Dot, "graph { a -- a; a -- b }"),
        (
            GraphFormat::GraphMl,
            "<graphml><graph><node id='a'/><node id='b'/><edge source='a' target='a'/><edge source='a' target='b'/></graph></graphml>",
        ),
        (
            GraphFormat::NodeLink,
            "{\"nodes\": [{\"id\": \"a\"}, {\"id\": \"b\"}], \"edges\": [{\"source\": \"a\", \"target\": \"a\"}, {\"source\": \"a\", \"target\": \"b\"}]}",
        ),
        (
            GraphFormat::Gml,
            "graph [ node [ id 0 label \"a\" ] node [ id 1 label \"b\" ] edge [ source 0 target 0 ] edge [ source 0 target 1 ] ]",
        ),
        (GraphFormat::NxEdges, "a a {}\na b {}\n"),
        (GraphFormat::Csv, "source,target\na,a\na,b\n"),
    ];
    for (format, text) in cases {
        let file = read_graph_file(text, format, "given", &ReadOptions::default()).unwrap();
        assert_eq!((file.topology.node_count(), file.topology.channel_count()), (2, 2), "{format}");
        let notes: Vec<String> = file.notes.iter().map(ToString::to_string).collect();
        assert!(
            notes.contains(&"left out: an edge from a node to itself, such as 'a'".to_owned()),
            "{format}: {notes:?}"
        );
    }
    assert!(
        notes(GraphFormat::EdgeList, "a a\nb b\nb b\na b\n").contains("3 edges from a node to itself, such as 'a'")
    );
}

#[test]
fn nodes_of_slurm_are_sets() {
    check(
        GraphFormat::Slurm,
        "SwitchName=leaf0 Nodes=n[1-3,3-4]\nSwitchName=leaf1 Nodes=n[5-6],n6\nSwitchName=spine Switches=leaf[0-1],leaf1\n",
        &expect![[r"
            n1 n2 n3 n4 n5 n6 [leaf0] [leaf1] [spine]
            n1-leaf0 n2-leaf0 n3-leaf0 n4-leaf0 n5-leaf1 n6-leaf1 leaf0-spine leaf1-spine
            assumed: a switch has one link to each of its children
        "]],
    );
}

#[test]
fn old_netlists_of_infiniband_have_adapters_named_hca() {
    let netlist = "Switch\t8 \"Sw1\"\n[1]\t\"Host1\"[1]\tw=12\n[2]\t\"Host2\" [1]\n\nHca\t2 \"Host1\"\n[1]\t\"Sw1\"[1]\n\nHca\t2 \"Host2\"\n";
    assert_eq!(GraphFormat::recognise("net", netlist), Some(GraphFormat::IbNetDiscover));
    check(
        GraphFormat::IbNetDiscover,
        netlist,
        &expect![[r"
        Host1 Host2 [Sw1]
        Host1-Sw1 Host2-Sw1
        left out: widths of links such as 'w=12', because the file has no speeds
    "]],
    );
}

const LEAF_SPINE: &str = "# two tiers\nNodes 8\nTiers 2\nPodsize 8\n\nTier 0\nDownlink_speed_Gbps 200\nRadix_Down 4\nRadix_Up 2
Downlink_Latency_ns 500\nSwitch_Latency_ns 0\nOversubscribed 2\n\nTier 1\nDownlink_speed_Gbps 200\nRadix_Down 2\nDownlink_Latency_ns 500\n";

const FAT_TREE: &str = "Nodes 8\nTiers 3\nPodsize 4\nTier 0\ndownlink_speed_gbps 200\nRadix_Down 2\nRadix_Up 2\nQueue_Up 9
Tier 1\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 4\nSwitch_Latency_ns 7\nTier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\nBundle 2\n";

#[test]
fn fat_trees_of_htsim() {
    assert_eq!(GraphFormat::recognise("net", LEAF_SPINE), Some(GraphFormat::Htsim));
    check(
        GraphFormat::Htsim,
        LEAF_SPINE,
        &expect![[r"
        0 1 2 3 4 5 6 7 [tor0] [tor1] [agg0] [agg1]
        0-tor0@500ns 1-tor0@500ns 2-tor0@500ns 3-tor0@500ns 4-tor1@500ns 5-tor1@500ns 6-tor1@500ns 7-tor1@500ns tor0-agg0@500ns tor0-agg1@500ns tor1-agg0@500ns tor1-agg1@500ns
        unit 25GB/s
        assumed: the uplinks of a tier have the speed and the latency of the downlinks of the tier above, as in htsim
    "]],
    );
    check(
        GraphFormat::Htsim,
        FAT_TREE,
        &expect![[r"
        0 1 2 3 4 5 6 7 [tor0] [tor1] [tor2] [tor3] [agg0] [agg1] [agg2] [agg3] [core0] [core1] [core2] [core3]
        0-tor0*2 1-tor0*2 2-tor1*2 3-tor1*2 4-tor2*2 5-tor2*2 6-tor3*2 7-tor3*2 tor0-agg0*2 tor0-agg1*2 tor1-agg0*2 tor1-agg1*2 tor2-agg2*2 tor2-agg3*2 tor3-agg2*2 tor3-agg3*2 agg0-core0 agg0-core0 agg0-core2 agg0-core2 agg1-core1 agg1-core1 agg1-core3 agg1-core3 agg2-core0 agg2-core0 agg2-core2 agg2-core2 agg3-core1 agg3-core1 agg3-core3 agg3-core3
        unit 12.5GB/s
        left out: Switch_Latency_ns; add it to the latencies of the links to take it into account
        assumed: the uplinks of a tier have the speed and the latency of the downlinks of the tier above, as in htsim
        ignored attributes: tier Queue_Up
    "]],
    );
}

#[test]
fn spoiled_fat_trees_of_htsim_are_refused() {
    let cases = [
        (LEAF_SPINE, "Nodes 8\n", ""),
        (LEAF_SPINE, "Tiers 2", "Tiers 4"),
        (LEAF_SPINE, "Tiers 2", "Tiers"),
        (LEAF_SPINE, "Podsize 8", "Podsize 4"),
        (LEAF_SPINE, "Podsize 8", "Podsize 8\nRadix_Up 2"),
        (LEAF_SPINE, "Radix_Down 4", "Radix_Down 3"),
        (LEAF_SPINE, "Oversubscribed 2", "Oversubscribed 1"),
        (LEAF_SPINE, "Radix_Up 2\n", ""),
        (LEAF_SPINE, "Tier 1\nDownlink_speed_Gbps 200\nRadix_Down 2", "Tier 1\nDownlink_speed_Gbps 200\nRadix_Down 8"),
        (LEAF_SPINE, "Downlink_speed_Gbps 200", "Downlink_speed_Gbps fast"),
        (FAT_TREE, "Bundle 2", "Bundle 3"),
        (FAT_TREE, "Tier 1", "Bundle 2\nTier 1"),
        (FAT_TREE, "Tier 2", "Tier 3"),
        (
            "Nodes 4\nTiers 3\nPodsize 4\nTier 0\nRadix_Down 2\nRadix_Up 2\nDownlink_speed_Gbps 131072\n\
             Tier 1\nRadix_Down 2\nRadix_Up 262144\nDownlink_speed_Gbps 131072\nTier 2\nRadix_Down 1\nDownlink_speed_Gbps 1\n",
            "",
            "",
        ),
    ];
    let messages: Vec<String> = cases
        .iter()
        .map(|(text, old, new)| {
            let spoiled = text.replacen(old, new, 1);
            read_graph(&spoiled, GraphFormat::Htsim, "bad").expect_err(&spoiled).to_string()
        })
        .collect();
    expect![[r"
        line 1: 'Nodes' is 'missing', expected a line such as 'Nodes 8' before the first tier
        line 3: 'Tiers' is '4', expected 2 or 3
        line 3: found 'Tiers', expected a line such as 'Radix_Down 8'
        line 1: 'Podsize' is '4', expected a divisor of the number of nodes, and this number itself in two tiers
        line 5: found 'Radix_Up 2', expected 'Nodes', 'Tiers' and 'Podsize' before the first 'Tier'
        line 6: 'Radix_Down' is '3', expected a divisor of Podsize in tier 0
        line 6: 'Oversubscribed' is '1', expected the ratio of Radix_Down to Radix_Up in tier 0
        line 6: 'Radix_Up' is 'missing', expected a number in every tier
        line 14: 'Radix_Down' is '8', expected a number that fits the speeds, Oversubscribed and Radix_Up of the tier below, and Bundle
        line 7: 'Downlink_speed_Gbps' is 'fast', expected a whole number from 1 to 262144
        line 14: 'Radix_Down' is '4', expected a number that fits the speeds, Oversubscribed and Radix_Up of the tier below, and Bundle
        line 4: 'Bundle' is '2', expected 1 in tier 0, because a host has one link
        line 14: 'Tier' is '3', expected 0, 1 or 2
        line 1: the network has more than 2^18 links between switches; choose smaller numbers
    "]].assert_eq(&(messages.join("\n") + "\n"));
}

#[test]
fn tables_of_edges_have_a_header() {
    let check = |text, expected| {
        assert_eq!(GraphFormat::recognise("table.txt", text), Some(GraphFormat::Csv), "{text}");
        check(GraphFormat::Csv, text, &expected);
    };
    check(
        "source,target,weight\na,b,1\nb,c,1\nc,a,2\n",
        expect![[r"
        a b c
        a-b b-c c-a
        assumed: a row is a link in both directions; if it is a channel, add a column 'type' with the entries 'Directed'
        not used: edge weight; if it is a bandwidth, a number of links or a latency, rename it to 'bandwidth', 'capacity' or 'latency'
    "]],
    );
    check(
        ",src,dst,Bandwidth\n0,a,b,25GB/s\n1,b,a,50GB/s\n",
        expect![[r"
        a b
        a->b b->a*2
        unit 25GB/s
        assumed: a row is a channel, because every row has an opposite one
    "]],
    );
    check(
        "Source;Target;Type;Id\na;b;Directed;0\nb;c;Undirected;1\n",
        expect![[r"
        a b c
        a->b b-c
        ignored attributes: edge id
    "]],
    );
    check(
        "from to\n0 1\n1 2\n2 0\n",
        expect![[r"
        0 1 2
        0-1 1-2 2-0
        assumed: a row is a link in both directions; if it is a channel, add a column 'type' with the entries 'Directed'
    "]],
    );
    check(
        "# a comment\nFromNodeId\tToNodeId\n\"(0, 0)\"\t\"(0, 1)\"\n",
        expect![[r"
        (0, 0) (0, 1)
        (0, 0)-(0, 1)
        assumed: a row is a link in both directions; if it is a channel, add a column 'type' with the entries 'Directed'
    "]],
    );
    // Here the first line is an edge.
    assert_eq!(GraphFormat::recognise("x.edges", "from to\nto end\n"), Some(GraphFormat::EdgeList));
}

#[test]
fn spoiled_tables_of_edges_are_refused() {
    let messages: Vec<String> =
        ["source,target\na\n", "source,target\na,\n", "source,target,capacity\na,b,many\n", "0,1\n1,2\n2,0\n"]
            .iter()
            .map(|text| read_graph(text, GraphFormat::Csv, "bad").expect_err(text).to_string())
            .collect();
    expect![[r"
        line 2: found 1 entries in a row, expected an entry for each name of the first row
        line 2: found no 'target', expected the names of both ends
        line 2: 'capacity' is 'many', expected a whole number from 1 on
        line 1: found 2 entries in a row, expected as many entries as rows: a square matrix, optionally with names in the first row and column; a table of edges needs a header such as 'source,target'
    "]].assert_eq(&(messages.join("\n") + "\n"));
}

#[test]
fn matrices_with_blanks() {
    let check = |text, expected| {
        assert_eq!(GraphFormat::recognise("matrix.txt", text), Some(GraphFormat::Csv), "{text}");
        check(GraphFormat::Csv, text, &expected);
    };
    check(
        "0.000e+00 1.000e+00 1.000e+00\n1.000e+00 0.000e+00 0.000e+00\n1.000e+00 0.000e+00 0.000e+00\n",
        expect![[r"
            0 1 2
            0-1 0-2
            no node is a switch, but 2 nodes have only one neighbor; mark the switches if there are any, such as '0'
        "]],
    );
    check(
        "0 1 5\n1 0 0\n5 0 0\n",
        expect![[r"
        0 1 2
        0-1 0-2*5
        no node is a switch, but 2 nodes have only one neighbor; mark the switches if there are any, such as '0'
    "]],
    );
    check(
        "0 2 0 0\n2 0 0 0\n0 0 0 1\n0 0 1 0\n",
        expect![[r"
        0 1 2 3
        0-1*2 2-3
    "]],
    );
    check(
        "0. 3.\n3. 0.\n",
        expect![[r"
        0 1
        0-1*3
    "]],
    );
    // Three weighted edges of a ring, and two links.
    assert_eq!(GraphFormat::recognise("x.txt", "0 1 1\n1 2 1\n2 0 1\n"), Some(GraphFormat::NxEdges));
    assert_eq!(GraphFormat::recognise("x.txt", "0 1\n1 0\n"), None);
}

#[test]
fn lines_that_begin_with_percent_are_comments_in_lists_of_edges() {
    for (format, edge) in
        [(GraphFormat::EdgeList, "1 2"), (GraphFormat::NxEdges, "1 2 3"), (GraphFormat::GraphGolf, "1 2")]
    {
        let text = format!("% sym unweighted\n {edge}\n");
        assert_eq!(read_graph(&text, format, "given").unwrap().node_count(), 2, "{format}");
    }
}

#[test]
fn a_line_that_may_count_nodes_and_edges_is_refused() {
    let expected = "line 1: found '5 3' above 3 edges of 4 nodes, expected an edge; delete the line if it is the numbers of nodes and edges, otherwise put a line '# edges' above it";
    assert_eq!(refused("x.txt", "5 3\n1 2\n2 3\n3 4\n"), expected);
    for edges in [
        "# edges\n5 3\n1 2\n2 3\n3 4\n",
        "5 3\n1 2\n2 3\n3 4\n4 5\n",
        "5 2\n1 2\n2 -> 3\n",
        "2 3\n1 2\n2 3\n3 4\n",
        "3 1\nnodes: 0\n",
    ] {
        assert!(read_graph(edges, GraphFormat::EdgeList, "given").is_ok(), "{edges}");
    }
}

#[test]
fn links_that_are_listed_in_both_directions_have_a_note() {
    let note = "assumed: a line is a link, so a link that is listed in both directions is two links; if it is one, delete a line\n";
    for (format, listed) in
        [(GraphFormat::EdgeList, "1 2\n2 3\n3 1\n3 2\n1 3\n2 1\n"), (GraphFormat::NxEdges, "1 2 5\n2 1 5\n")]
    {
        assert!(notes(format, listed).contains(note), "{listed}");
        let title = format!("# x: 3 nodes, 12 channels\n{listed}");
        assert_eq!(notes(format, &title).contains(note), format == GraphFormat::NxEdges);
    }
    for text in ["1 2\n2 3\n3 1\n2 1\n", "1 2\n1 2\n", "1 -> 2\n2 -> 1\n", "1 2\n2 1\n1 -> 2\n", "1 1\n"] {
        assert!(!notes(GraphFormat::EdgeList, text).contains(note), "{text}");
    }
}

#[test]
fn only_a_mark_of_its_own_makes_a_text_an_edge_list() {
    for text in [
        "a -> b\n",
        "switches: s\n",
        "a b\nunit: 25GB/s\n",
        "a b latency=1us\n",
        "# ring:4: 4 nodes, 8 channels\n0 1\n",
    ] {
        assert_eq!(GraphFormat::recognise("x", text), Some(GraphFormat::EdgeList), "{text}");
    }
    for text in ["a b\n", "0 1\n1 2\n", "words of a letter\n", "# comment\na b\n"] {
        assert_eq!(GraphFormat::recognise("x.txt", text), None, "{text}");
        assert_eq!(GraphFormat::recognise("x.edges", text), Some(GraphFormat::EdgeList), "{text}");
    }
}

#[test]
fn files_of_other_kinds_say_what_they_are() {
    let cases = [
        ("ring.xml", "<graphs version=\"1\">\n<graph id=\"0\" pattern=\"4\"/></graphs>"),
        ("ring.xml", "<algo name=\"x\" ngpus=\"2\"/>"),
        ("x.gexf", "<?xml version='1.0'?><gexf version='1.2'/>"),
        ("x.json", "{\"name\": \"allgather\", \"gpus\": []}"),
        ("x.json", "{\"msccl_type\": \"algorithm\"}"),
        ("netq.json", "[{\"links\":[{\"id\":\"a-*-b\",\"compounded_links\":[]}],\"nodes\":[]}]"),
        ("hosts.json", "[{\"ssh\": \"m1\", \"ips\": [], \"rdma\": [null, \"rdma_en2\"]}]"),
        ("devices.json", "[[null, \"rdma_en2\"], [\"rdma_en2\", null]]"),
        ("topo.json", "{\"system\": {\"(Topology) Hops between DRM devices 0 and 1\": \"1\"}}"),
        ("neuron.json", "[{\"neuron_device\": 0, \"connected_to\": [1]}]"),
        ("neuron.txt", "| NEURON | NEURON | NEURON | CONNECTED     |\n| DEVICE | CORES  | MEMORY | DEVICES       |\n"),
        ("x.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n"),
        ("topology.yaml", "- topology: t\n  cluster_default: true\n  tree:\n    switches: []\n"),
        ("mesh.yml", "name: mesh\nendpoints:\n  - name: cluster\nrouters:\n  - name: router\n"),
        ("model.yaml", "switches:\n  s1: {}\nblocks:\n  - switch: s1\n"),
        ("x.textproto", "# a licence\nmesh_descriptors: {\n name: \"M\"\n}\n"),
        ("flows.cm", "Nodes 4\nConnections 1\n0->1 start 0 size 1\n"),
        ("x.goal", "num_ranks 2\nrank 0 {\n}\n"),
        ("x.col", "c a comment\np edge 3 2\ne 1 2\n"),
        ("x.net", "*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n1 2\n"),
        (
            "Mesh.py",
            "from topologies import *\nclass Mesh(Topology):\n    def makeTopology(self, options):\n        pass\n",
        ),
    ];
    let messages: String = cases.iter().map(|(file, text)| refused(file, text) + "\n").collect();
    expect![[r"
        this is a graph file of NCCL: the channels that NCCL chose (NCCL_GRAPH_DUMP_FILE); give the topology, which NCCL_TOPO_DUMP_FILE writes
        this is a program of MSCCL; lockstep judge compares it with the bound of a network, and writes its steps with -o steps.json
        this is a GEXF graph; convert it to GraphML, for example with networkx (read_gexf and write_graphml)
        this is a program of MSCCL++; lockstep judge compares it with the bound of a network, and writes its steps with -o steps.json
        this is a program of msccl-tools; lockstep judge compares it with the bound of a network, and writes its steps with -o steps.json
        this is a topology of NVIDIA NetQ; write an edge list: a line 'u v' per entry of compounded_links, and 'switches: ...'
        this is a list of hosts of JACCL (MLX); write an edge list: a line 'u v' per cable, or use complete:N or ring:N for N hosts
        this is a list of hosts of JACCL (MLX); write an edge list: a line 'u v' per cable, or use complete:N or ring:N for N hosts
        this is a topology of rocm-smi in JSON; print the tables with rocm-smi --showtopo, without --json, or the JSON of amd-smi topology --json
        this is a list of devices of neuron-ls; write an edge list: a line 'u v' per pair of connected devices; 16 devices with 4 neighbors each are torus:4x4
        this is a list of devices of neuron-ls; write an edge list: a line 'u v' per pair of connected devices; 16 devices with 4 neighbors each are torus:4x4
        this is a MatrixMarket file; in Python, Topology.from_matrix(scipy.io.mmread(FILE)) reads it, or write an edge list
        this is a topology.yaml of Slurm; write its tree as topology.conf, a line 'SwitchName=s1 Nodes=n[1-8]' per switch
        this is a network of FlooNoC; use a spec such as mesh:4x4, or write an edge list
        this is a model of topograph; write its tree as topology.conf of Slurm, a line 'SwitchName=s1 Nodes=n[1-8]' per switch
        this is a mesh graph descriptor of Tenstorrent; use a spec of the same dimensions: mesh:4x8 for LINE, torus:4x8 for RING
        this is a connection matrix of htsim; lockstep run executes it; the network is its .topo file
        this is a GOAL program; lockstep judge compares it with the bound of a network, and writes its steps with -o steps.json
        this is a DIMACS graph; remove the lines 'c' and 'p', and the first word of the others
        this is a Pajek graph; convert it to GraphML, for example with networkx (read_pajek and write_graphml)
        this is a Python program of gem5; print an edge list in its function makeTopology
    "]].assert_eq(&messages);
}

#[test]
fn names_of_nodes_do_not_make_a_file_one_of_another_kind() {
    let node_link = "{\"nodes\": [{\"id\": \"gpus\"}, {\"id\": \"rdma\"}], \"edges\": [{\"source\": \"gpus\", \"target\": \"rdma\"}]}";
    assert!(read_graph(node_link, GraphFormat::detect("x.json", node_link), "given").is_ok());
    assert!(read_graph("endpoints NEURON\nNEURON routers\n", GraphFormat::EdgeList, "given").is_ok());
}
