//! Bad files of other programs: one line each that names the place, what is there, and what to do.

use expect_test::{Expect, expect};
use lockstep_topology::{GraphFormat, read_graph};

#[track_caller]
pub(crate) fn check(format: GraphFormat, cases: &[&str], expected: &Expect) {
    let messages: Vec<String> = cases
        .iter()
        .map(|text| {
            let error = read_graph(text, format, "bad").expect_err(text).to_string();
            assert!(!error.contains(char::is_control), "{error}");
            error
        })
        .collect();
    expected.assert_eq(&(messages.join("\n") + "\n"));
}

#[test]
fn bad_nccl_topologies() {
    let gpu = "<pci busid='9' class='0x03'/>";
    let cpu = |inside: &str| format!("<system>\n<cpu numaid='0'>{gpu}\n{inside}</cpu></system>");
    let nested = format!("{}{}", "<pci busid='1'>".repeat(300), "</pci>".repeat(300));
    let cases = [
        "<graphs/>",
        "<system>",
        "<system/>",
        "<system>\n<cpu numaid='0'/></system>",
        &format!("<system>\n<cpu>{gpu}</cpu></system>"),
        "<!DOCTYPE system [<!ENTITY a 'b'>]><system/>",
        &format!("<system>\n<cpu numaid='0'/>{gpu}</system>"),
        &cpu("<pci/>"),
        &cpu("<pci busid='1' class='0x03' link_width='x'/>"),
        &cpu("<pci busid='1' class='0x03'/>\n<pci busid='1' class='0x03'/>"),
        &cpu("<pci busid='1' class='0x03'><gpu rank='-1'/></pci>"),
        &cpu(
            "<pci busid='1' class='0x03'><gpu>\n<nvlink count='4' tclass='0x068000'/><nvlink tclass='0x068000'/></gpu></pci>",
        ),
        &cpu("<pci busid='1' class='0x03'><gpu>\n<nvlink count='99999' tclass='0x068000'/></gpu></pci>"),
        &cpu("<pci busid='1' class='0x02'><nic><net dev='0' speed='fast'/></nic></pci>"),
        &cpu("<pci busid='1' class='0x02'><nic><net dev='0' speed='1' latency='never'/></nic></pci>"),
        &cpu(&nested),
        &format!("<system>{}</system>", "<cpu numaid='0'/>".repeat(600)),
    ];
    check(
        GraphFormat::NcclTopo,
        &cases,
        &expect![[r#"
            this is a graph file of NCCL: the channels that NCCL chose (NCCL_GRAPH_DUMP_FILE); give the topology, which NCCL_TOPO_DUMP_FILE writes
            line 1: the root node was opened but never closed
            line 1: <system> has no <cpu>; dump the topology again
            line 1: the file has no GPU; NCCL adds GPUs when it runs: dump the topology there with NCCL_TOPO_DUMP_FILE
            line 2: found <cpu> without 'numaid', expected numaid="0"
            line 1: a document type is not supported, because it can define text of unlimited length; remove the DOCTYPE
            line 2: the element is not inside of a <cpu>; move it into one
            line 3: found <pci> without 'busid', expected a bus id such as 0000:07:00.0
            line 3: 'link_width' is 'x', expected a number of lanes from 0 to 64
            line 4: node '1' already exists; give each node a unique name
            line 3: 'rank' is '-1', expected a rank from 0 on
            line 4: found <nvlink> without 'count', expected count="4"
            line 4: 'count' is '99999', expected a number of links from 1 to 1000
            line 3: 'speed' is 'fast', expected Mbit/s, a whole number from 1 to 10^9
            line 3: 'latency': 'neverus' does not begin with a number; write for example 700ns
            line 3: elements are nested more than 256 deep; flatten them
            line 1: more than 576 <cpu> elements, the limit of NCCL; remove some
        "#]],
    );
}

#[test]
fn bad_nvidia_smi_matrices() {
    let cases = [
        "nothing here",
        "GPU0 GPU1 CPU Affinity\n",
        "GPU0 GPU1 CPU Affinity\nGPU0 X NV1\n",
        "GPU0 GPU1 CPU Affinity\nGPU1 X NV1\n",
        "GPU0 GPU1 CPU Affinity\nGPU0 X\n",
        "GPU0 GPU1 CPU Affinity\nGPU0 X FAST\nGPU1 FAST X\n",
        "GPU0 GPU1 CPU Affinity\nGPU0 X X\nGPU1 X X\n",
        "GPU0 GPU1 CPU Affinity\nGPU0 SYS SYS\nGPU1 SYS X\n",
        "GPU0 GPU1 CPU Affinity\n\nGPU0 X NV1\nGPU1 SYS X\n",
        "GPU0 GPU0 CPU Affinity\nGPU0 X NV1\nGPU0 NV1 X\n",
        "GPU0 GPU1 CPU Affinity\nGPU0 X NV99999999999999999999\nGPU1 NV1 X\n",
    ];
    check(
        GraphFormat::NvidiaSmi,
        &cases,
        &expect![[r"
            line 1: found no matrix, expected a line of device names such as 'GPU0 GPU1 CPU Affinity'; print it with nvidia-smi topo -m
            line 1: found no line of GPU0, expected a line per device; the matrix is incomplete
            line 2: found no line of GPU1, expected a line per device; the matrix is incomplete
            line 2: found 'GPU1' in the place of GPU0, expected the line of each device, in the order of the first line
            line 2: found 1 classes for 2 devices, expected a class per device
            line 2: found 'FAST' between GPU0 and GPU1, expected X, NV# (such as NV4), PIX, PXB, PHB, NODE or SYS; print the matrix with nvidia-smi topo -m
            line 2: found 'X' between GPU0 and GPU1, expected X, NV# (such as NV4), PIX, PXB, PHB, NODE or SYS; print the matrix with nvidia-smi topo -m
            line 2: found 'SYS' between GPU0 and GPU0, expected X, NV# (such as NV4), PIX, PXB, PHB, NODE or SYS; print the matrix with nvidia-smi topo -m
            line 4: found 'SYS', but the line of GPU0 says otherwise, expected the same class in both lines
            line 1: node 'GPU0' already exists; give each node a unique name
            line 2: found 'NV99999999999999999999' between GPU0 and GPU1, expected X, NV# (such as NV4), PIX, PXB, PHB, NODE or SYS; print the matrix with nvidia-smi topo -m
        "]],
    );
}

#[test]
fn bad_slurm_trees() {
    let cases = [
        "\n# nothing",
        "Nodes=a",
        "SwitchName=s",
        "SwitchName= Nodes=a",
        "SwitchName=s Nodes",
        "# tree\nSwitchName=s Nodes=a[3-1]",
        "SwitchName=s Nodes=a[0-9999999]",
        "SwitchName=s Nodes=a[0-40000]\nSwitchName=t Nodes=b[0-40000]",
        "SwitchName=s Nodes=a LinkSpeed=fast",
        "SwitchName=s Nodes=a LinkSpeed=1\nSwitchName=t Nodes=b LinkSpeed=99999",
        "SwitchName=s Switches=t",
        "SwitchName=s Nodes=a\nSwitchName=s Nodes=b",
        "BlockName=b Nodes=a",
    ];
    check(
        GraphFormat::Slurm,
        &cases,
        &expect![[r"
        the network has no nodes; add at least one
        line 1: found a line without SwitchName, expected SwitchName=NAME with Nodes=LIST or Switches=LIST
        line 1: found a switch without children, expected SwitchName=NAME with Nodes=LIST or Switches=LIST
        line 1: found 'SwitchName=', expected SwitchName=NAME with Nodes=LIST or Switches=LIST
        line 1: found 'Nodes', expected SwitchName=NAME with Nodes=LIST or Switches=LIST
        line 2: found 'a[3-1]', expected a host list such as node[001-064,070]
        line 1: the host list has more than 65536 names; split it over several lines, or correct its ranges
        line 2: the file has more than 65536 children of switches; read a part of it
        line 1: 'LinkSpeed' is 'fast', expected a whole number from 1 on
        channel b->t has the capacity 99999, but capacities are 1 to 65536
        line 1: there is no node 't'; correct the name, or add the node
        line 2: node 's' already exists; give each node a unique name
        line 1: blocks of topology/block have no links; describe the switches with SwitchName
    "]],
    );
}

#[test]
fn bad_rocm_smi_tables() {
    let types = "== Link Type between two GPUs ==\n";
    let cases = [
        "nothing",
        types,
        &format!("{types}GPU0 GPU1\nGPU0 0 XGMI\n"),
        &format!("{types}GPU0 GPU1\nGPU0 0\n"),
        &format!("{types}GPU0 GPU1\nGPU1 0 XGMI\n"),
        &format!("{types}GPU0 GPU1\nGPU0 0 XGMI\nGPU1 PCIE 0\n"),
        &format!("{types}GPU0 GPU1\nGPU0 0 XGMI\nGPU1 XGMI 0\nGPU2 XGMI 0\n"),
        &format!("{types}GPU0 GPU0\nGPU0 0 XGMI\nGPU0 XGMI 0\n"),
        &format!("{types}GPU0\nGPU0 0\n== Hops between two GPUs ==\nGPU1\nGPU1 0\n"),
    ];
    check(
        GraphFormat::RocmSmi,
        &cases,
        &expect![[r"
            line 1: found no link types, expected the table 'Link Type between two GPUs'; print it with rocm-smi --showtopo
            line 1: found no link types, expected the table 'Link Type between two GPUs'; print it with rocm-smi --showtopo
            line 2: found 1 lines for 2 GPUs, expected a line per GPU; the table is incomplete
            line 3: found 'GPU0 0', expected a line per GPU, in the order of the first line, with an entry per GPU
            line 3: found 'GPU1 0 XGMI', expected a line per GPU, in the order of the first line, with an entry per GPU
            line 2: found 'PCIE' between GPUs 1 and 0 in one direction only, expected the same in both directions
            line 5: found 'GPU2 XGMI 0', expected a line per GPU, in the order of the first line, with an entry per GPU
            line 2: node 'GPU0' already exists; give each node a unique name
            line 5: found other GPUs than the table of link types has, expected the same GPUs in all tables
        "]],
    );
}

#[test]
fn bad_infiniband_fabrics() {
    let cases = [
        "nothing",
        "[1] \"H-a\"[1]\n",
        "Switch 2 \"S-1\" # \"a\"\n[x] \"H-a\"[1]\n",
        "Switch 2 \"S-1\" # \"a\"\n[1] \"H-a\"[99999999999]\n",
        "Switch 2 \"S-1\" # \"a\"\n[1] \"H-a\"[1] # \"b\" lid 1 4xEDR\n",
        "Switch 2 \"S-1\" # \"a\"\n[1] \"H-a\"[1] # \"b\" lid 1 4xWARP\n",
        "Switch 2 \"S-1\" # \"a\"\n\nSwitch 2 \"S-1\" # \"a\"\n",
    ];
    check(
        GraphFormat::IbNetDiscover,
        &cases,
        &expect![[r#"
        the network has no nodes; add at least one
        line 1: a port comes before the first node; put it behind the line of its node
        line 2: found '[x] "H-a"[1]', expected a port such as '[1] "S-0002c90000000001"[2] # "leaf 1" lid 4 4xEDR'
        line 2: found '[1] "H-a"[99999999999]', expected a port such as '[1] "S-0002c90000000001"[2] # "leaf 1" lid 4 4xEDR'
        line 2: there is no node 'H-a'; correct the name, or add the node
        line 2: 'speed' is 'WARP', expected SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR
        line 3: node 'S-1' already exists; give each node a unique name
    "#]],
    );
}

#[test]
fn bad_booksim_networks() {
    let cases = [
        "\n\n",
        "router",
        "router 0 node",
        "router 0 5",
        "node 0 node 1",
        "switch 0 node 0",
        "router 0 node 0\nrouter 1 node 0",
        "router 0 node 0 -5",
        "router 0 node 0 99999999999",
        "router 0 node 99999999999",
    ];
    check(
        GraphFormat::BookSim,
        &cases,
        &expect![[r"
        the file is empty; a network has at least one node
        line 1: found 'router', expected a line such as 'router 0 node 0 node 1 router 1 2'
        line 1: found 'router 0 node', expected a line such as 'router 0 node 0 node 1 router 1 2'
        line 1: found '5' behind the first router0, expected 'router NUMBER' or 'node NUMBER'
        line 1: a node is linked to a node; link both to a router
        line 1: found 'switch 0 node 0', expected a line such as 'router 0 node 0 node 1 router 1 2'
        line 2: found router 1 for node 0, which is at router 0, expected one router per node; remove one
        line 1: 'latency' is '-5', expected a number of cycles from 1 to 1000000
        line 1: 'latency' is '99999999999', expected a number of cycles from 1 to 1000000
        line 1: found 'router 0 node 99999999999', expected a line such as 'router 0 node 0 node 1 router 1 2'
    "]],
    );
}

#[test]
fn bad_astra_sim_networks() {
    let cases = [
        "topology: [ Ring ]",
        "topology: [ Ring",
        "- Ring",
        "nothing",
        "topology: [ Ring ]\nnpus_count: [ 4, 4 ]",
        "topology: []\nnpus_count: []",
        "topology: [ Torus ]\nnpus_count: [ 4 ]",
        "topology: [ Ring ]\nnpus_count: [ four ]",
        "topology: [ Ring ]\nnpus_count: [ 0 ]",
        "topology: [ Ring, Ring ]\nnpus_count: [ 262144, 2 ]",
        "topology: [ FullyConnected ]\nnpus_count: [ 65536 ]",
        "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ fast ]",
        "topology: [ Ring ]\nnpus_count: [ 4 ]\nlatency: [ -1 ]",
        "topology: [ Ring ]\ntopology: [ Ring ]\nnpus_count: [ 4 ]",
    ];
    check(
        GraphFormat::AstraSim,
        &cases,
        &expect![[r"
        line 1: found no key 'npus_count', expected topology and npus_count
        line 1: found 'topology: [ Ring', expected a line such as 'topology: [ Ring ]'
        line 1: found '- Ring', expected a line such as 'topology: [ Ring ]'
        line 1: found 'nothing', expected a line such as 'topology: [ Ring ]'
        line 2: found 2 entries of npus_count, expected an entry per dimension of topology, at least one
        line 2: found 0 entries of npus_count, expected an entry per dimension of topology, at least one
        line 1: 'topology' is 'Torus', expected Ring, FullyConnected or Switch
        line 2: 'npus_count' is 'four', expected a whole number from 1 to 262144
        line 2: 'npus_count' is '0', expected a whole number from 1 to 262144
        line 2: the network has more than 2^18 NPUs or links; choose smaller numbers in npus_count
        line 2: the network has more than 2^18 NPUs or links; choose smaller numbers in npus_count
        line 3: 'bandwidth': 'fastGB/s' does not begin with a number; write for example 25GB/s
        line 3: 'latency': '-1ns' does not begin with a number; write for example 700ns
        line 2: this key is already there; remove one of them
    "]],
    );
}

#[test]
fn bad_csv_matrices() {
    let cases = [
        "# nothing",
        "0,1\n1",
        "0,1,1\n1,0,1\n",
        "a,b\n0,1\n",
        ",a,b\na,0,1\nc,1,0\n",
        "a,a\n0,1\n1,0\n",
        "0,12.5\n12.5,0\n",
        "0,-1\n1,0\n",
        "0,25parsecs\n1,0\n",
        "0,25GB/s\n1,0\n",
        "0,99999999\n1,0\n",
        "\"a,b\n0,1\n",
        "\"a\"b,c\n0,1\n",
    ];
    check(
        GraphFormat::Csv,
        &cases,
        &expect![[r#"
            the network has no nodes; add at least one
            line 2: found 1 entries in a row, expected as many entries as rows: a square matrix, optionally with names in the first row and column; a table of edges needs a header such as 'source,target'
            line 1: found 3 entries in a row, expected as many entries as rows: a square matrix, optionally with names in the first row and column; a table of edges needs a header such as 'source,target'
            line 2: found '0' in the place of 'b', expected the names of the first row, in its order, in the first column
            line 3: found 'c' in the place of 'b', expected the names of the first row, in its order, in the first column
            line 1: node 'a' already exists; give each node a unique name
            line 1: 'capacity' is '12.5', expected a whole number for a capacity; write bandwidths with their unit (12.5GB/s), or the unit in the corner
            line 1: 'capacity' is '-1', expected a whole number for a capacity; write bandwidths with their unit (12.5GB/s), or the unit in the corner
            line 1: 'bandwidth': 'parsecs' is not a unit of bandwidth; the units are B/s and bit/s with the prefixes k, M, G, T, Ki, Mi, Gi, Ti, for example 25GB/s
            channel 1->0 has a capacity and channel 0->1 has a bandwidth; use one of the two in all channels
            channel 0->1 has the capacity 99999999, but capacities are 1 to 65536
            line 1: the quotes are not closed; close them with '"' in the same line
            line 1: found 'b,c' behind quotes, expected a separator
        "#]],
    );
}

#[test]
fn bad_networkx_edge_lists() {
    let cases = [
        "# nothing",
        "0",
        "0 {}",
        "(0, 1",
        "0 1 two",
        "0 1 {",
        "0 1 {'a' 1}",
        "0 1 {'a': 1 'b': 2}",
        "0 1 {'capacity': 'many'}",
        "0 1 {'bandwidth': 'fast'}",
    ];
    check(
        GraphFormat::NxEdges,
        &cases,
        &expect![[r"
        the network has no nodes; add at least one
        line 1: found '0', expected a line such as '0 1 {}', '0 1 {'weight': 3}' or '0 1 3'
        line 1: found '0 {}', expected a line such as '0 1 {}', '0 1 {'weight': 3}' or '0 1 3'
        line 1: found '(0, 1', expected a line such as '0 1 {}', '0 1 {'weight': 3}' or '0 1 3'
        line 1: found 'two', expected data such as {'capacity': 2, 'latency': '700ns'}
        line 1: found '{', expected data such as {'capacity': 2, 'latency': '700ns'}
        line 1: found '{'a' 1}', expected data such as {'capacity': 2, 'latency': '700ns'}
        line 1: found '{'a': 1 'b': 2}', expected data such as {'capacity': 2, 'latency': '700ns'}
        line 1: 'capacity' is 'many', expected a whole number from 1 on
        line 1: 'bandwidth': 'fast' does not begin with a number; write for example 25GB/s
    "]],
    );
}

#[test]
fn bad_gml_graphs() {
    let cases = [
        "Version 1",
        "graph 1",
        "graph [",
        "graph [ ]",
        "graph [ ] ]",
        "graph [ ]\ngraph [ ]",
        "graph [ node ]",
        "graph [ \"node\" ]",
        "graph [ [ ] ]",
        "graph [\nnode [ label \"a ] ]",
        "graph [ node 3 ]",
        "graph [ node [ id 0 ]\nnode [ id 0 ] ]",
        "graph [ node [ id 0 ]\nedge [ source 0 ] ]",
        "graph [ node [ id 0 ]\nedge [ source 0 target 1 ] ]",
        "graph [ node [ id 0 terminal maybe ] ]",
        &format!("graph {}", "[ a ".repeat(100_000)),
    ];
    check(
        GraphFormat::Gml,
        &cases,
        &expect![[r#"
        line 1: found no graph, expected graph [ … ]
        line 1: found no graph, expected graph [ … ]
        line 1: found the end of the file, expected ']'
        the network has no nodes; add at least one
        line 1: found ']', expected a key such as graph
        line 2: this is a second graph; write one graph per file
        line 1: found 'node' without a value, expected a key and a value
        line 1: found '"node', expected a key such as node or edge
        line 1: found '[', expected a key such as node or edge
        line 2: the string that starts here is not closed; close it with '"'
        line 1: found node without 'id', expected node [ id 0 ]
        line 2: node '0' already exists; give each node a unique name
        line 2: found edge without 'target', expected edge [ source 0 target 1 ]
        line 2: there is no node '1'; correct the name, or add the node
        line 1: 'terminal' is 'maybe', expected true or false
        line 1: lists are nested more than 64 deep; flatten them
    "#]],
    );
}

#[test]
fn bad_graph_golf_graphs() {
    check(
        GraphFormat::GraphGolf,
        &["# nothing", "0", "0 1 2", "a b", "0,0 1,-1"],
        &expect![[r"
        the network has no nodes; add at least one
        line 1: found '0', expected two numbers such as '0 1', or two coordinates such as '0,0 1,0'
        line 1: found '0 1 2', expected two numbers such as '0 1', or two coordinates such as '0,0 1,0'
        line 1: found 'a', expected two numbers such as '0 1', or two coordinates such as '0,0 1,0'
        line 1: found '1,-1', expected two numbers such as '0 1', or two coordinates such as '0,0 1,0'
    "]],
    );
}

#[test]
fn bad_simgrid_platforms() {
    let zone =
        |inside: &str| format!("<platform version='4.1'>\n<zone id='z' routing='Full'>\n{inside}</zone></platform>");
    let hosts = "<host id='a'/><host id='b'/><link id='l' bandwidth='1GBps'/><link id='s' bandwidth='1GBps' sharing_policy='SPLITDUPLEX'/>\n";
    let route = |inside: &str| zone(&format!("{hosts}<route src='a' dst='b'>{inside}</route>"));
    let cluster = |more: &str| zone(&format!("<cluster id='k' prefix='n' suffix='' {more}/>"));
    let cases = [
        "<graph/>",
        "<platform>",
        &zone(""),
        &zone("<host/>"),
        &zone("<host id='a'/>\n<router id='a'/>"),
        &zone("<link id='l'/>"),
        &zone("<link id='l' bandwidth='fast'/>"),
        &zone("<link id='l' bandwidth='1GBps' latency='late'/>"),
        &zone("<link id='l' bandwidth='1GBps' sharing_policy='NONE'/>"),
        &zone("<link id='l' bandwidth='1GBps'/>\n<link id='l' bandwidth='1GBps'/>"),
        &zone("<peer id='p'/>"),
        &zone(&format!("{hosts}<route src='a' dst='x'/>")),
        &route("<link_ctn id='x'/>"),
        &route("<link_ctn id='s'/>"),
        &route("<link_ctn id='l'/><link_ctn id='l'/>"),
        &zone(&format!("{hosts}<route src='a' dst='b' symmetrical='maybe'><link_ctn id='l'/></route>")),
        &cluster("bw='1GBps' radical='0-99999999'"),
        &cluster("bw='1GBps' radical='x'"),
        &cluster("bw='1GBps' topology='TORUS' radical='0-3'"),
        &cluster("radical='0-3'"),
    ];
    check(
        GraphFormat::SimGrid,
        &cases,
        &expect![[r"
        line 1: found <graph>, expected <platform> as the root element
        line 1: the root node was opened but never closed
        the network has no nodes; add at least one
        line 3: found <host> without 'id', expected all attributes that SimGrid needs; add it
        line 4: node 'a' already exists; give each node a unique name
        line 3: found <link> without 'bandwidth', expected all attributes that SimGrid needs; add it
        line 3: 'bandwidth': 'fast' does not begin with a number; write for example 25GB/s
        line 3: 'latency': 'late' does not begin with a number; write for example 700ns
        line 3: 'sharing_policy' is 'NONE', expected SHARED, SPLITDUPLEX or FATPIPE
        line 4: node 'l' already exists; give each node a unique name
        line 3: this element is not supported; describe it by <host>, <router>, <link> and <route>
        line 4: there is no node 'x'; correct the name, or add the node
        line 4: there is no node 'x'; correct the name, or add the node
        line 4: 'direction' is 'NONE', expected UP or DOWN for a split duplex link
        line 4: found link 'l' twice, expected every link once in a route
        line 4: 'symmetrical' is 'maybe', expected true or false
        line 3: the host list has more than 65536 names; split it over several lines, or correct its ranges
        line 3: found 'x', expected a host list such as node[001-064,070]
        line 3: 'topology' is 'TORUS', expected FLAT; for others use a spec, such as torus:4x4 or dragonfly:4,2,2
        line 3: found <cluster> without 'bw', expected all attributes that SimGrid needs; add it
    "]],
    );
}
