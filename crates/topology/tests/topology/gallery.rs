//! The detection of formats, and the files in `data/topologies`.

use std::fs;
use std::path::Path;

use expect_test::expect;
use lockstep_topology::{GraphFormat, Quantity, ReadOptions, Topology, read_graph_file, write_graph};

#[test]
fn texts_of_unknown_extension_are_recognised() {
    let recognise = |text| GraphFormat::recognise("network.dump", text);
    assert_eq!(recognise("router 0 node 0 router 1\n"), Some(GraphFormat::BookSim));
    assert_eq!(recognise("0,1\n1,0\n"), Some(GraphFormat::Csv));
    assert_eq!(recognise("0 1 {}\n"), Some(GraphFormat::NxEdges));
    assert_eq!(recognise("0 1 2.5\n"), Some(GraphFormat::NxEdges));
    assert_eq!(recognise("0,0 1,0\n"), Some(GraphFormat::GraphGolf));
    assert_eq!(recognise("graph [\n  node [\n    id 0 ] ]"), Some(GraphFormat::Gml));
    assert_eq!(recognise("topology: [ Ring ]\nnpus_count: [ 8 ]\n"), Some(GraphFormat::AstraSim));
    assert_eq!(recognise("Ca\t1 \"H-1\" # \"x\"\n"), Some(GraphFormat::IbNetDiscover));
    assert_eq!(recognise("== Link Type between two GPUs ==\n"), Some(GraphFormat::RocmSmi));
    assert_eq!(recognise("a\tb\nb\tc\n"), None);
    assert_eq!(recognise("a b\nb c\n"), None);
    assert_eq!(recognise("a b\nb c capacity=2\n"), Some(GraphFormat::EdgeList));
    assert_eq!(recognise("Nodes 8\nTiers 2\n"), Some(GraphFormat::Htsim));
    assert_eq!(GraphFormat::recognise("a.edgelist", "0 1 {}\n"), Some(GraphFormat::NxEdges));
    assert_eq!(GraphFormat::recognise("a.edges", "0 1\n"), Some(GraphFormat::EdgeList));
    for format in GraphFormat::ALL {
        assert_eq!(GraphFormat::from_name(format.name()), Some(format));
    }
}

#[test]
fn files_of_other_programs_are_recognised() {
    for file in fs::read_dir(gallery()).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let by_name = GraphFormat::recognise(name, &text);
        assert!(by_name.is_some(), "{name}");
        // An edge list is recognised by its extension.
        if by_name != Some(GraphFormat::EdgeList) {
            assert_eq!(GraphFormat::recognise("unknown.ending", &text), by_name, "{name}");
        }
    }
}

fn gallery() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/topologies"))
}

/// The properties of each file of the gallery, without those of `amp`.
#[test]
fn the_gallery() {
    let mut rows = Vec::new();
    for file in fs::read_dir(gallery()).unwrap() {
        let path = file.unwrap().path();
        let (text, name) = (fs::read_to_string(&path).unwrap(), path.file_name().unwrap().to_str().unwrap());
        let format = GraphFormat::detect(name, &text);
        let file = read_graph_file(&text, format, "given", &ReadOptions::default()).unwrap();
        let topology = file.topology;
        let capacities: Vec<u32> = topology.channels().map(|channel| topology.capacity(channel)).collect();
        let unit = topology.unit_bytes_per_second().map_or("-".to_owned(), |unit| Quantity::Bandwidth.format(unit));
        rows.push(format!(
            "{name}: {format}, {} terminals, {} switches, {} channels, capacities {} to {} of {unit}, {} notes",
            topology.terminal_count(),
            topology.switch_count(),
            topology.channel_count(),
            capacities.iter().min().unwrap(),
            capacities.iter().max().unwrap(),
            file.notes.len(),
        ));
    }
    rows.retain(|row| !row.starts_with("amp"));
    rows.sort_unstable();
    expect![[r"
        dgx-1.edges: edges, 8 terminals, 0 switches, 48 channels, capacities 1 to 1 of -, 0 notes
        dgx-1.nvidia-smi.txt: nvidia-smi, 8 terminals, 0 switches, 32 channels, capacities 1 to 2 of -, 3 notes
        dgx-a100.nccl.xml: nccl-topo, 8 terminals, 23 switches, 154 channels, capacities 16 to 40 of 1GB/s, 1 notes
        fat-tree.ibnetdiscover.txt: ibnetdiscover, 8 terminals, 4 switches, 32 channels, capacities 1 to 1 of 12.5GB/s, 3 notes
        four-dies.amd-smi.txt: amd-smi, 4 terminals, 0 switches, 8 channels, capacities 1 to 4 of 50GB/s, 2 notes
        four-gpus.hwloc.xml: hwloc, 4 terminals, 6 switches, 22 channels, capacities 44 to 126 of 500MB/s, 2 notes
        grid-2x3.graph-golf.edges: graph-golf, 6 terminals, 0 switches, 18 channels, capacities 1 to 1 of -, 0 notes
        grid-2x3.nx.edgelist: nx-edges, 6 terminals, 0 switches, 14 channels, capacities 1 to 2 of -, 1 notes
        mesh-2x2.anynet: booksim, 8 terminals, 4 switches, 24 channels, capacities 1 to 1 of -, 0 notes
        petersen.gml: gml, 10 terminals, 0 switches, 30 channels, capacities 1 to 1 of -, 0 notes
        rings-and-switches.astra-sim.yml: astra-sim, 32 terminals, 8 switches, 128 channels, capacities 1 to 4 of 25GB/s, 1 notes
        star.simgrid.xml: simgrid, 4 terminals, 1 switches, 8 channels, capacities 1 to 1 of 1.25GB/s, 1 notes
        three-gpus.csv: csv, 3 terminals, 0 switches, 6 channels, capacities 1 to 2 of 25GB/s, 0 notes
        three-tiers.topo: htsim, 8 terminals, 12 switches, 64 channels, capacities 1 to 2 of 12.5GB/s, 1 notes
        triangle.edge-table.csv: csv, 3 terminals, 0 switches, 6 channels, capacities 1 to 2 of 25GB/s, 1 notes
        two-level.topology.conf: slurm, 64 terminals, 6 switches, 144 channels, capacities 1 to 4 of -, 2 notes
        xgmi-8.rocm-smi.txt: rocm-smi, 8 terminals, 0 switches, 56 channels, capacities 1 to 1 of -, 1 notes
    "]]
    .assert_eq(&(rows.join("\n") + "\n"));
}

#[test]
fn the_links_of_a_dgx_1_are_the_same_from_nvidia_smi() {
    let read = |name: &str| {
        let text = fs::read_to_string(gallery().join(name)).unwrap();
        read_graph_file(&text, GraphFormat::detect(name, &text), "given", &ReadOptions::default()).unwrap().topology
    };
    let bandwidths = |topology: &Topology| {
        let mut sums = vec![vec![0; topology.node_count()]; topology.node_count()];
        for channel in topology.channels() {
            sums[topology.tail(channel).index()][topology.head(channel).index()] += topology.capacity(channel);
        }
        sums
    };
    assert_eq!(bandwidths(&read("dgx-1.edges")), bandwidths(&read("dgx-1.nvidia-smi.txt")));
}

#[test]
fn formats_of_other_programs_are_only_read() {
    let ring = lockstep_topology::ring(4).unwrap();
    for format in GraphFormat::ALL.into_iter().filter(|format| !GraphFormat::WRITTEN.contains(format)) {
        let error = write_graph(&ring, format).unwrap_err().to_string();
        assert_eq!(error, format!("{format} is only read; write json, edges, dot, graphml or node-link"));
    }
}
