//! Graphs and matrices of other programs: the networks that they describe.

use expect_test::expect;
use lockstep_topology::{GraphFormat, ReadOptions, read_graph_file};

use crate::foreign_formats::check;

#[test]
fn csv_matrices() {
    let check = |text, expected| check(GraphFormat::Csv, text, &expected);
    check(
        "0,1,0\n1,0,2\n0,2,0\n",
        expect![[r"
        0 1 2
        0-1 1-2*2
        no node is a switch, but 2 nodes have only one neighbor; mark the switches if there are any, such as '1'
    "]],
    );
    check(
        "# bandwidths\nGB/s,a,\"b \"\"x\"\"\"\na,-,12.5\n\"b \"\"x\"\"\",25,0\n",
        expect![[r#"
        a b "x"
        a->b "x" b "x"->a*2
        unit 12.5GB/s
    "#]],
    );
    check(
        "a;b\n0;25GB/s\n200Gbit/s;0\n",
        expect![[r"
        a b
        a-b
        unit 25GB/s
    "]],
    );
    check(
        "\tx\ty\nx\t\t3.0\ny\t3.0\t9\n",
        expect![[r"
        x y
        x-y*3
        left out: entries of the diagonal, which are not channels
    "]],
    );
    check(
        "x,y\nx,0,1\ny,1,0\n",
        expect![[r"
        x y
        x-y
    "]],
    );
    check(
        ",0,1\n0,0,1\n1,0,0\n",
        expect![[r"
        0 1
        0->1
        no node is a switch, but a node has only one neighbor; mark the switches if there are any, such as '1'
    "]],
    );
}

#[test]
fn networkx_edge_lists() {
    let check = |text, expected| check(GraphFormat::NxEdges, text, &expected);
    check(
        "#comment\n0 1 {}\n1 2 {'weight': 3, 'capacity': 2, 'latency': '700ns', 'pos': [1, (2, 3)]}\n",
        expect![[r"
            0 1 2
            0-1 1-2*2@700ns
            assumed: an edge is a link in both directions; networkx does not write whether its graph is directed
            not used: edge weight; if it is a bandwidth, a number of links or a latency, rename it to 'bandwidth', 'capacity' or 'latency'
            ignored attributes: edge pos
            no node is a switch, but 2 nodes have only one neighbor; mark the switches if there are any, such as '1'
        "]],
    );
    check(
        "(0, 0) (0, 1) {}\n(0, 1) (1, 1) {\"color\": \"a, b\"}\n",
        expect![[r"
        (0, 0) (0, 1) (1, 1)
        (0, 0)-(0, 1) (0, 1)-(1, 1)
        assumed: an edge is a link in both directions; networkx does not write whether its graph is directed
        ignored attributes: edge color
        no node is a switch, but 2 nodes have only one neighbor; mark the switches if there are any, such as '(0, 1)'
    "]],
    );
    check(
        "0 1 3.5\n1 2 2 # weighted\n",
        expect![[r"
            0 1 2
            0-1 1-2
            assumed: an edge is a link in both directions; networkx does not write whether its graph is directed
            not used: edge weight; if it is a bandwidth, a number of links or a latency, rename it to 'bandwidth', 'capacity' or 'latency'
            no node is a switch, but 2 nodes have only one neighbor; mark the switches if there are any, such as '1'
        "]],
    );
}

#[test]
fn gml_graphs() {
    let check = |text, expected| check(GraphFormat::Gml, text, &expected);
    check(
        "Creator \"x\"\nVersion 1\n# c\ngraph [\n  directed 0\n  name \"g\"\n  unit \"25GB/s\"\n  node [ id 3 label \"a &quot;&amp;lt;\" type \"switch\" graphics [ x 1.0 ] ]\n  \
           node [ id 1 label \"c\" ]\n  edge [ source 3 target 1 capacity 2 value 1.5 ]\n]\n",
        expect![[r#"
            [a "&lt;] c
            a "&lt;-c*2
            unit 25GB/s
            not used: edge value; if it is a bandwidth, a number of links or a latency, rename it to 'bandwidth', 'capacity' or 'latency'
            ignored attributes: node graphics
        "#]],
    );
    check(
        "graph [ directed 1 hierarchic 1 node [ id 0 label \"same\" ] node [ id 1 label \"same\" ] edge [ source 1 target 0 ] ]",
        expect![[r"
            0 1
            1->0
            ignored attributes: graph hierarchic
            no node is a switch, but a node has only one neighbor; mark the switches if there are any, such as '0'
        "]],
    );
}

#[test]
fn graph_golf_graphs() {
    check(
        GraphFormat::GraphGolf,
        "0 1\n1 2\n2 0\n",
        &expect![[r"
        0 1 2
        0-1 1-2 2-0
    "]],
    );
    let grid = "0,0 1,0\n1,0 1,1\n";
    check(
        GraphFormat::GraphGolf,
        grid,
        &expect![[r"
        0,0 1,0 1,1
        0,0-1,0 1,0-1,1
        no node is a switch, but 2 nodes have only one neighbor; mark the switches if there are any, such as '1,0'
    "]],
    );
    let file = read_graph_file(grid, GraphFormat::GraphGolf, "grid", &ReadOptions::default()).unwrap();
    assert_eq!(file.topology.positions(), Some(&[[0.0, 0.0], [1.0, 0.0], [1.0, -1.0]][..]));
}
