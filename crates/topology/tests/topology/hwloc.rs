//! Topologies of hwloc: the networks of machines, what the reader assumes, and bad files.

use expect_test::expect;
use lockstep_topology::{GraphFormat, read_graph};

use crate::foreign_formats::check;

const SAMPLE: &str = include_str!("../../../../data/topologies/four-gpus.hwloc.xml");

#[test]
fn a_server_with_nvlinks_and_network_cards() {
    check(
        GraphFormat::Hwloc,
        SAMPLE,
        &expect![[r"
        cuda0 cuda1 cuda2 cuda3 [numa0] [numa1] [mlx5_0] [mlx5_1] [pci-0000:11:00.0] [pci-0000:91:00.0]
        cuda0-pci-0000:11:00.0*126 pci-0000:11:00.0-numa0*126 cuda1-pci-0000:11:00.0*126 cuda2-pci-0000:91:00.0*126 pci-0000:91:00.0-numa1*126 cuda3-pci-0000:91:00.0*126 mlx5_0-pci-0000:11:00.0*63 mlx5_1-pci-0000:91:00.0*63 cuda0-cuda1*100 cuda2-cuda3*100 numa0-numa1*44
        unit 500MB/s
        assumed: each pair of NUMA nodes has a link of 22GB/s, as in NCCL for this processor, because hwloc does not know it; write the network as an edge list to set another bandwidth
        assumed: bandwidths are rounded to 0.1GB/s
    "]],
    );
}

/// A PCI device with a class and a speed in GB/s.
fn device(bus: &str, class: &str, speed: &str, inside: &str) -> String {
    format!(
        "<object type='PCIDev' gp_index='{bus}' pci_busid='{bus}' pci_type='{class} [1:1] [1:1] 00 00' pci_link_speed='{speed}'>\
         {inside}</object>"
    )
}

fn bridge(kind: &str, bus: &str, speed: &str, inside: &str) -> String {
    format!("<object type='Bridge' bridge_type='{kind}' pci_busid='{bus}' pci_link_speed='{speed}'>{inside}</object>")
}

fn gpu(bus: &str, name: &str, speed: &str) -> String {
    device(bus, "0302", speed, &format!("<object type='OSDev' gp_index='9{bus}' name='{name}'/>"))
}

#[test]
fn nvlink_switches_and_processors_are_ends_of_links() {
    // The GPU of number 0 is on the second bus.
    let devices = [gpu("1", "nvml1", "15.753846"), gpu("2", "nvml0", "15.753846")].concat();
    let switch = "<object type='PCIDev' gp_index='3' subtype='NVSwitch' pci_busid='3' pci_type='0680'/>";
    let matrix = "<distances2hetero nbobjs='4' kind='25' name='NVLinkBandwidth'><indexes>OSDev:92 OSDev:91 </indexes>\
                  <indexes>PCIDev:3 Package:7</indexes><u64values>9 0 25000 20000 0 9 25000 0 </u64values>\
                  <u64values>25000 25000 9 0 20000 0 0 9</u64values></distances2hetero>";
    let text = format!(
        "<topology version='3.0'><object type='Machine' gp_index='0'><object type='Package' gp_index='7'>\
         <object type='NUMANode' os_index='0' gp_index='8'/><object type='NUMANode' os_index='1' subtype='HBM'/>{}</object></object>\
         {matrix}</topology>",
        bridge("0-1", "0", "0", &[devices, switch.to_owned()].concat())
    );
    check(
        GraphFormat::Hwloc,
        &text,
        &expect![[r"
        nvml0 nvml1 [numa0] [nvswitch-3]
        nvml0-numa0*79 nvml1-numa0*79 nvml0-nvswitch-3*125 nvml0-numa0*100 nvml1-nvswitch-3*125
        unit 200MB/s
        assumed: bandwidths are rounded to 0.1GB/s
    "]],
    );
}

#[test]
fn machines_without_names_of_gpus_speeds_and_matrices() {
    // Version 1: packages are inside of their NUMA node.
    let displays = [device("1", "0300", "0.25", ""), device("2", "0380", "0.000000", ""), device("3", "1200", "8", "")];
    let network = device("4", "0200", "1", "<object type='OSDev' name='eth0'/>");
    let inside = format!("<object type='Package'/>{}", bridge("0-1", "0", "0", &[displays.concat(), network].concat()));
    let text = format!(
        "<topology><info name='Architecture' value='x86_64'/><info name='CPUVendor' value='AuthenticAMD'/><object type='Machine'>\
         <object type='NUMANode' os_index='0'>{inside}</object><object type='NUMANode' os_index='4'/></object></topology>"
    );
    check(
        GraphFormat::Hwloc,
        &text,
        &expect![[r"
        gpu-2 gpu-3 [numa0] [numa4] [eth0]
        gpu-2-numa0*12 gpu-3-numa0*8 eth0-numa0 numa0-numa4*16
        unit 1GB/s
        assumed: each pair of NUMA nodes has a link of 16GB/s, as in NCCL for this processor, because hwloc does not know it; write the network as an edge list to set another bandwidth
        assumed: PCIe links without pci_link_speed have 12GB/s, as in NCCL; write the file as an administrator, or set pci_link_speed in GB/s
        assumed: PCI devices of the classes 0302, 0380 and 12 are GPUs, because the file has no names of GPUs
        assumed: GPUs are joined over PCIe only, because the file has no matrix of their bandwidths; write it with an lstopo that supports NVML, ROCm SMI or Level Zero
        left out: display controllers that are not GPUs of the network
    "]],
    );
}

#[test]
fn machines_without_gpus_have_numa_nodes_as_terminals() {
    let network = device(
        "4",
        "0207",
        "8",
        "<object type='OSDev' name='ib0'/><object type='OSDev' name='mlx5_0'><info name='NodeGUID' value='1'/></object>",
    );
    let package = |index: u32| format!("<object type='Package'><object type='NUMANode' os_index='{index}'/></object>");
    let text = format!(
        "<topology version='2.0'><object type='Machine'>{}{}{}</object></topology>",
        package(0),
        package(1),
        bridge("0-1", "0", "0", &network)
    );
    check(
        GraphFormat::Hwloc,
        &text,
        &expect![[r"
        numa0 numa1 [mlx5_0]
        mlx5_0-numa0 numa0-numa1*625
        unit 8GB/s
        assumed: each pair of NUMA nodes has a link of 5000GB/s, as in NCCL for this processor, because hwloc does not know it; write the network as an edge list to set another bandwidth
        assumed: devices that belong to several NUMA nodes are at the first of them
        assumed: NUMA nodes are the terminals, because the file has no GPU
    "]],
    );
}

#[test]
fn bad_topologies() {
    let machine =
        |inside: &str| format!("<topology version='2.0'>\n<object type='Machine'>{inside}</object></topology>");
    let gpus = |speed: &str| [gpu("1", "cuda0", speed), gpu("2", "cuda1", speed)].concat();
    let matrix = |inside: &str| {
        let text = machine(&gpus("8"));
        text.replace("</topology>", &format!("\n<distances2 {inside}</distances2></topology>"))
    };
    let nodes = "<object type='Group'><object type='NUMANode' os_index='1'/></object>";
    let cases = [
        "<topology/>".to_owned(),
        "<topology><object type='System'/></topology>".to_owned(),
        machine(""),
        machine("\n<object type='NUMANode'/>"),
        machine(&gpus("fast")),
        machine(&gpus("-1")),
        machine(&[gpu("1", "cuda0", "8"), gpu("2", "cuda0", "8")].concat()),
        machine(&format!("{}{nodes}{nodes}", gpus("8"))),
        machine(&nodes.repeat(577)),
        matrix("type='OSDev' name='NVLinkBandwidth'>"),
        matrix("type='OSDev' nbobjs='0' name='NVLinkBandwidth'>"),
        matrix("type='OSDev' nbobjs='2' name='NVLinkBandwidth'><indexes>91 93</indexes>"),
        matrix("type='OSDev' nbobjs='2' name='NVLinkBandwidth'><indexes>OSDev:91 OSDev:92</indexes>"),
        matrix("type='OSDev' nbobjs='2' name='NVLinkBandwidth'><indexes>91 92</indexes><u64values>0 1 1</u64values>"),
        matrix("type='OSDev' nbobjs='2' name='XGMIBandwidth'><indexes>91 92</indexes><u64values>0 -1 1 0</u64values>"),
    ];
    let messages: Vec<String> = cases
        .iter()
        .map(|text| {
            let error = read_graph(text, GraphFormat::Hwloc, "bad").expect_err(text).to_string();
            assert!(!error.contains(char::is_control), "{error}");
            error
        })
        .collect();
    expect![[r#"
        line 1: <topology> has no <object>; write it with lstopo
        line 1: expected one object of type Machine; write each machine with lstopo
        line 2: the file has no GPU and one NUMA node; write the topology of a machine with several of them, with its I/O devices
        line 3: found <object> without 'os_index', expected os_index="0"
        line 2: 'pci_link_speed': 'fastGB/s' does not begin with a number; write for example 25GB/s
        line 2: 'pci_link_speed': '-1GB/s' does not begin with a number; write for example 25GB/s
        line 2: node 'cuda0' already exists; give each node a unique name
        line 2: node 'numa1' already exists; give each node a unique name
        line 2: more than 576 NUMA nodes; remove some
        line 3: found <distances2> without 'nbobjs', expected nbobjs="8"
        line 3: 'nbobjs' is '0', expected a number of objects from 1 to 4096
        line 3: found index '93', expected the gp_index of an object of this type
        line 3: found index 'OSDev:91', expected TYPE:NUMBER, or numbers in a matrix with 'type'
        line 3: found 2 indexes and 3 values, expected as many indexes as 'nbobjs', and a value for each pair
        line 3: 'u64values' is '-1', expected MB/s, a whole number up to 10^9
    "#]].assert_eq(&(messages.join("\n") + "\n"));
}

/// Every changed number, and every missing element, gives a network or an error.
#[test]
fn spoiled_files_give_a_result() {
    for (at, _) in SAMPLE.match_indices(|c: char| c.is_ascii_digit()) {
        for wrong in ["", "9", "-", "18446744073709551616"] {
            let mut text = SAMPLE.to_owned();
            text.replace_range(at..=at, wrong);
            if let Err(error) = read_graph(&text, GraphFormat::Hwloc, "spoiled") {
                assert!(!error.to_string().contains(char::is_control), "{error}");
            }
        }
    }
    let lines: Vec<&str> = SAMPLE.lines().collect();
    for missing in 0..lines.len() {
        let text: Vec<&str> =
            lines.iter().enumerate().filter(|&(line, _)| line != missing).map(|(_, &text)| text).collect();
        _ = read_graph(&text.join("\n"), GraphFormat::Hwloc, "spoiled");
    }
}
