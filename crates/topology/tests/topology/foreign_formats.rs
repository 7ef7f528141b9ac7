//! Files of other programs: the networks that they describe, and what their readers assume.

use expect_test::{Expect, expect};
use lockstep_topology::{ChannelId, GraphFormat, Quantity, ReadOptions, Topology, read_graph_file};

/// Nodes with switches in brackets, links with capacities, the unit, and the notes.
fn show(text: &str, format: GraphFormat) -> String {
    let file = read_graph_file(text, format, "given", &ReadOptions::default())
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let topology = &file.topology;
    let nodes: Vec<String> = topology.nodes().map(|node| name(topology, topology.node_name(node), node)).collect();
    let mut lines = vec![nodes.join(" "), edges(topology)];
    lines.extend(topology.unit_bytes_per_second().map(|unit| format!("unit {}", Quantity::Bandwidth.format(unit))));
    lines.extend(file.notes.iter().map(ToString::to_string));
    lines.join("\n") + "\n"
}

fn name(topology: &Topology, name: &str, node: lockstep_topology::NodeId) -> String {
    if topology.is_terminal(node) { name.to_owned() } else { format!("[{name}]") }
}

fn edges(topology: &Topology) -> String {
    let links = topology.links();
    let of = |channel: ChannelId| {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        let [tail, head] = [tail, head].map(|node| topology.node_name(node));
        let back = links.iter().any(|link| link[0] == channel);
        if links.iter().any(|link| link[1] == channel) {
            return None;
        }
        let capacity = match topology.capacity(channel) {
            1 => String::new(),
            capacity => format!("*{capacity}"),
        };
        let latency = match topology.latency_ps(channel) {
            0 => String::new(),
            latency => format!("@{}", Quantity::Time.format(latency)),
        };
        let shared =
            topology.channels().any(|other| other != channel && topology.resource(other) == topology.resource(channel));
        let arrow = if back { "-" } else { "->" };
        Some(format!("{tail}{arrow}{head}{capacity}{latency}{}", if shared { "!" } else { "" }))
    };
    topology.channels().filter_map(of).collect::<Vec<_>>().join(" ")
}

/// Checks the network of a file and the notes of its reader.
#[track_caller]
pub(crate) fn check(format: GraphFormat, text: &str, expected: &Expect) {
    expected.assert_eq(&show(text, format));
}

#[test]
fn nccl_topologies() {
    let pci = |bus: &str, class: &str, inside: &str| {
        format!("<pci busid='{bus}' class='{class}' link_speed='16.0 GT/s PCIe' link_width='16'>{inside}</pci>")
    };
    let gpu = |bus: &str, dev: u32, links: &str| {
        pci(bus, "0x030200", &format!("<gpu dev='{dev}' sm='70' rank='{dev}' gdr='1'>{links}</gpu>"))
    };
    let link = |target: &str, count: u32| format!("<nvlink target='{target}' count='{count}' tclass='0x030200'/>");
    let net = "<nic><net name='mlx5_0' dev='0' speed='100000' latency='1.5' guid='0x1'/><net name='mlx5_0' dev='1' speed='-1'/></nic>";
    // The file lists the GPU of rank 1 first, and names bus ids in both cases.
    let switch = [
        gpu("0000:0B:00.0", 1, &link("0000:0a:00.0", 2)),
        gpu("0000:0a:00.0", 0, &link("0000:0b:00.0", 2)),
        pci("0000:0c:00.0", "0x020700", net),
    ];
    let text = format!(
        "<?xml version='1.0'?>\n<!DOCTYPE system SYSTEM 'x'>\n<system version='1'><cpu numaid='0' arch='x86_64' vendor='GenuineIntel' \
         familyid='6' modelid='85' affinity='ff'>{}</cpu></system>",
        pci("0000:09:00.0", "0x060400", &switch.concat())
    );
    check(
        GraphFormat::NcclTopo,
        &text,
        &expect![[r"
            gpu0 gpu1 [cpu0] [pci-0000:09:00.0] [nic-0000:0c:00.0] [mlx5_0] [mlx5_0.1]
            pci-0000:09:00.0-cpu0*96 gpu1-pci-0000:09:00.0*96 gpu0-pci-0000:09:00.0*96 nic-0000:0c:00.0-pci-0000:09:00.0*96 nic-0000:0c:00.0-mlx5_0*50@1.5us nic-0000:0c:00.0-mlx5_0.1*5 gpu1-gpu0*160
            unit 250MB/s
            assumed: network devices of unknown speed have 10 Gbit/s, as in NCCL
            ignored attributes: cpu affinity, gpu gdr, net guid, system version
        "]],
    );
}

#[test]
fn nccl_topologies_of_two_hosts_share_the_nvlink_switch() {
    let cpu = |host: &str, rank: u32| {
        format!(
            "<cpu host_hash='{host}' numaid='0' arch='arm64'><pci busid='0008:01:00.0' class='0x030200' link_speed='32.0 GT/s PCIe' link_width='0'>\
             <gpu dev='0' sm='100' rank='{rank}'><nvlink target='' count='18' tclass='0x068000'/><c2c bw='25781' count='10'/></gpu></pci></cpu>"
        )
    };
    let text = format!("<system>{}{}</system>", cpu("0xb", 1), cpu("0xa", 0));
    check(
        GraphFormat::NcclTopo,
        &text,
        &expect![[r"
        host1.gpu0 host0.gpu0 [host0.cpu0] [host1.cpu0] [nvswitch]
        host0.gpu0-host0.cpu0*240 host1.gpu0-host1.cpu0*240 host0.gpu0-nvswitch*3609 host0.gpu0-host0.cpu0*1289 host1.gpu0-nvswitch*3609 host1.gpu0-host1.cpu0*1289
        unit 200MB/s
        assumed: bandwidths are rounded to 0.1GB/s
    "]],
    );
}

#[test]
fn nccl_topologies_without_gpu_elements() {
    let text = "<system version='1'><cpu numaid='0' arch='x86_64' vendor='AuthenticAMD'>
        <pci busid='1' class='0x060400' link_speed='16 GT/s' link_width='16'>
          <pci busid='2' class='0x030200' link_speed='16 GT/s' link_width='16'/>
          <pci busid='3' class='0x020700' link_speed='5 GT/s' link_width='8'/><pcilink target='9'/></pci></cpu>
        <cpu numaid='1' arch='x86_64' vendor='AuthenticAMD'><nic><net name='eth0' dev='0'/><net name='eth1'/></nic></cpu></system>";
    check(
        GraphFormat::NcclTopo,
        text,
        &expect![[r"
            gpu-2 [cpu0] [cpu1] [pci-1] [nic-3] [nic-cpu1] [eth0]
            pci-1-cpu0*96 gpu-2-pci-1*96 nic-3-pci-1*12 nic-cpu1-cpu1*20000 nic-cpu1-eth0*5 cpu0-cpu1*64
            unit 250MB/s
            assumed: network devices of unknown speed have 10 Gbit/s, as in NCCL
            left out: network devices without 'dev', which NCCL does not use
            left out: PCIe links to switches that the file does not list
            assumed: PCI devices of the classes 0x03 and 0x120000 without <gpu> are GPUs
            left out: NVLink and XGMI: a file without <gpu> is an input of NCCL (NCCL_TOPO_FILE), and NCCL adds these links when it runs; dump the topology there with NCCL_TOPO_DUMP_FILE, or use a spec that fits, such as dgx-a100:1 or dgx-h100:1
            ignored attributes: system version
        "]],
    );
}

#[test]
fn nvidia_smi_matrices() {
    let bridges = "$ nvidia-smi topo -m
\t\u{1b}[4mGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\tNUMA Affinity\u{1b}[0m
GPU0\t X \tNV4\tSYS\tSYS\tPXB\t0-31\t0
GPU1\tNV4\t X \tSYS\tSYS\tPXB\t0-31\t0
GPU2\tSYS\tSYS\t X \tNV4\tSYS\t32-63\t1
GPU3\tSYS\tSYS\tNV4\t X \tSYS\t32-63\t1
NIC0\tPXB\tPXB\tSYS\tSYS\t X \t\t
";
    check(
        GraphFormat::NvidiaSmi,
        bridges,
        &expect![[r"
        GPU0 GPU1 GPU2 GPU3 [NIC0] [pcie-tree0] [system0]
        GPU0-GPU1*4 GPU2-GPU3*4 GPU0-pcie-tree0 GPU1-pcie-tree0 NIC0-pcie-tree0 GPU2-system0 GPU3-system0 pcie-tree0-system0
        assumed: NV# is a link of capacity #, the number of NVLinks
        assumed: a PCIe path has capacity 1; devices of one class share a switch
        ignored attributes: device affinity
    "]],
    );
    let switch = "  GPU0 GPU1 GPU2 CPU Affinity\nGPU0 X NV12 NV12 0-31\nGPU1 NV12 X NV12 0-31\nGPU2 NV12 NV12 X 0-31\n";
    check(
        GraphFormat::NvidiaSmi,
        switch,
        &expect![[r"
            GPU0 GPU1 GPU2 [nvswitch0]
            GPU0-nvswitch0*12 GPU1-nvswitch0*12 GPU2-nvswitch0*12
            assumed: NV# is a link of capacity #, the number of NVLinks
            assumed: GPUs with more than 18 NVLinks in their line are on an NVLink switch; a GPU has NV# links to it
            ignored attributes: device affinity
        "]],
    );
    let host = "GPU0 GPU1 CPU Affinity NUMA Affinity GPU NUMA ID\nGPU0 X PHB 0-7 0 N/A\nGPU1 PHB X 0-7 0 N/A\n";
    check(
        GraphFormat::NvidiaSmi,
        host,
        &expect![[r"
        GPU0 GPU1 [host-bridge0]
        GPU0-host-bridge0 GPU1-host-bridge0
        assumed: a PCIe path has capacity 1; devices of one class share a switch
        ignored attributes: device affinity
    "]],
    );
}

#[test]
fn slurm_trees() {
    let text = "# a comment\nSwitchName=s0 Nodes=tux[08-10] LinkSpeed=50\nswitchname=s1 \\\n  nodes=login,gpu[0-1] LinkSpeed=50 # leaf\n\
                SwitchName=top Switches=s[0-1] LinkSpeed=200 Vendor=x\n";
    check(
        GraphFormat::Slurm,
        text,
        &expect![[r"
        tux08 tux09 tux10 login gpu0 gpu1 [s0] [s1] [top]
        tux08-s0 tux09-s0 tux10-s0 login-s1 gpu0-s1 gpu1-s1 s0-top*4 s1-top*4
        assumed: a switch has one link to each of its children
        assumed: LinkSpeed is the speed of the links to the children; 50 is one unit of capacity
        ignored attributes: switch Vendor
    "]],
    );
    check(
        GraphFormat::Slurm,
        "SwitchName=s Nodes=a,b\n",
        &expect![[r"
        a b [s]
        a-s b-s
        assumed: a switch has one link to each of its children
    "]],
    );
}

#[test]
fn rocm_smi_tables() {
    let table = |title: &str, rows: [&str; 4]| {
        let line = |(gpu, row): (usize, &&str)| format!("GPU{gpu}   {row}   \n");
        let rows: String = rows.iter().enumerate().map(line).collect();
        format!("=============== {title} ===============\n       GPU0 GPU1 GPU2 GPU3\n{rows}\n")
    };
    let weights = table("Weight between two GPUs", ["0 15 30 15", "15 0 15 30", "30 15 0 15", "15 30 15 0"]);
    let hops = table("Hops between two GPUs", ["0 1 2 1", "1 0 1 2", "2 1 0 1", "1 2 1 0"]);
    let ring = ["0 XGMI XGMI XGMI", "XGMI 0 XGMI XGMI", "XGMI XGMI 0 XGMI", "XGMI XGMI XGMI 0"];
    let ring =
        format!("= ROCm System Management Interface =\n{weights}{hops}{}", table("Link Type between two GPUs", ring));
    check(
        GraphFormat::RocmSmi,
        &ring,
        &expect![[r"
            GPU0 GPU1 GPU2 GPU3
            GPU0-GPU1 GPU0-GPU3 GPU1-GPU2 GPU2-GPU3
            left out: XGMI paths over other GPUs: one link has the weight 15, a path over two links 30; hops do not tell, because they are 1 for all
            assumed: an XGMI link has capacity 1; the file does not tell its bandwidth
        "]],
    );
    let pairs = ["0 XGMI PCIE PCIE", "XGMI 0 PCIE PCIE", "PCIE PCIE 0 PCIE", "PCIE PCIE PCIE 0"];
    let numa = "== Numa Nodes ==\nGPU[0]\t\t: (Topology) Numa Node: 0\nGPU[0]\t\t: (Topology) Numa Affinity: 0\n\
                GPU[1]\t\t: (Topology) Numa Node: 0\nGPU[2]\t\t: (Topology) Numa Node: 1\nGPU[3]\t\t: (Topology) Numa Node: 1\n== End of ROCm SMI Log ==\n";
    check(
        GraphFormat::RocmSmi,
        &(table("Link Type between two GPUs", pairs) + numa),
        &expect![[r"
            GPU0 GPU1 GPU2 GPU3 [numa-node0] [numa-node1] [system0]
            GPU0-GPU1 GPU0-numa-node0 GPU1-numa-node0 GPU2-numa-node1 GPU3-numa-node1 numa-node0-system0 numa-node1-system0
            assumed: all XGMI paths of one hop are links, because the file has no weights; print all tables with rocm-smi --showtopo
            assumed: an XGMI link has capacity 1; the file does not tell its bandwidth
            assumed: a path over PCIe has capacity 1; GPUs of a NUMA node share a switch
        "]],
    );
}

#[test]
fn infiniband_fabrics() {
    let text =
        "#\n# Topology file: generated on Mon Nov  2 10:00:00 2026\n#\nvendid=0x2c9\ndevid=0xd2f0\nswitchguid=0x1(1)
Switch\t40 \"S-1\"\t\t# \"MF0;leaf1:MQM8700/U1\" enhanced port 0 lid 6 lmc 0
[2]\t\"H-b\"[1](b1) \t\t# \"node02 mlx5_0\" lid 5 4xHDR
[1]\t\"H-a\"[1](a1) \t\t# \"node01 mlx5_0\" lid 4 4xHDR
[39]\t\"S-2\"[1]\t\t# \"spine\" lid 7 4xNDR
[40][ext 40]\t\"S-2\"[2][ext 2]\t\t# \"spine\" lid 7 4xNDR
[41]\t\"H-x\"[1](x) \t\t# \"Mellanox Technologies Aggregation Node\" lid 9 4xHDR
\nSwitch\t40 \"S-2\"\t\t# \"spine\" base port 0 lid 7 lmc 0
[1]\t\"S-1\"[39]\t\t# \"MF0;leaf1:MQM8700/U1\" lid 6 4xNDR
[2]\t\"S-1\"[40]\t\t# \"MF0;leaf1:MQM8700/U1\" lid 6 4xNDR
\nCa\t1 \"H-x\"\t\t# \"Mellanox Technologies Aggregation Node\"
[1](x) \t\"S-1\"[41]\t\t# lid 9 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 6 4xHDR
\nCa\t1 \"H-a\"\t\t# \"node01 mlx5_0\"
[1](a1) \t\"S-1\"[1]\t\t# lid 4 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 6 4xHDR
\nCa\t1 \"H-b\"\t\t# \"node02 mlx5_0\"
[1](b1) \t\"S-1\"[2]\t\t# lid 5 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 6 4xHDR\n";
    check(
        GraphFormat::IbNetDiscover,
        text,
        &expect![[r"
        node01 mlx5_0 node02 mlx5_0 [MF0;leaf1:MQM8700/U1] [spine]
        node01 mlx5_0-MF0;leaf1:MQM8700/U1 node02 mlx5_0-MF0;leaf1:MQM8700/U1 MF0;leaf1:MQM8700/U1-spine*2 MF0;leaf1:MQM8700/U1-spine*2
        unit 25GB/s
        left out: aggregation nodes inside of switches, because the model has no reduction in switches
        assumed: the first word of the description of an adapter is its host
        assumed: links carry the data rate of their InfiniBand generation: 1GB/s for 4xSDR, 12.5GB/s for 4xEDR
        ignored attributes: node devid, node switchguid, node vendid
    "]],
    );
    let unnamed = "Switch 2 \"S-1\" # \"switch\"\n[1] \"H-a\"[1]\n[2] \"H-b\"[1]\nCa 1 \"H-a\" # \"hca\"\nCa 1 \"H-b\" # \"hca\"\n";
    check(
        GraphFormat::IbNetDiscover,
        unnamed,
        &expect![[r"
        H-a H-b [S-1]
        H-a-S-1 H-b-S-1
    "]],
    );
}

#[test]
fn booksim_networks() {
    check(
        GraphFormat::BookSim,
        "router 0 node 0 node 1 router 1\nrouter 1 node 2 router 0\nnode 3 router 1\n",
        &expect![[r"
            node0 node1 node2 node3 [router0] [router1]
            node0-router0 node1-router0 node2-router1 node3-router1 router0-router1
        "]],
    );
    check(
        GraphFormat::BookSim,
        "router 0 node 0 5 router 1 15 router 2\nrouter 1 node 1\nrouter 2 node 2\n",
        &expect![[r"
            node0 node1 node2 [router0] [router1] [router2]
            node0-router0@5ns node1-router1@1ns node2-router2@1ns router0->router1@15ns router0-router2@1ns router1->router0@1ns
            assumed: a cycle takes 1 ns; channels without a latency take one cycle
        "]],
    );
}

#[test]
fn astra_sim_networks() {
    let two = "# two dimensions\ntopology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]  # NPUs\nbandwidth: [ 50.0, 25.0 ]  # GB/s\nlatency: [ 500.0, 0.7e3 ]  # ns\n";
    check(
        GraphFormat::AstraSim,
        two,
        &expect![[r"
        0 1 2 3 4 5 6 7 [switch1.0] [switch1.1] [switch1.2] [switch1.3]
        0-1*2@500ns 1-2*2@500ns 2-3*2@500ns 3-0*2@500ns 4-5*2@500ns 5-6*2@500ns 6-7*2@500ns 7-4*2@500ns 0-switch1.0@700ns 4-switch1.0@700ns 1-switch1.1@700ns 5-switch1.1@700ns 2-switch1.2@700ns 6-switch1.2@700ns 3-switch1.3@700ns 7-switch1.3@700ns
        unit 25GB/s
        assumed: 1 GB/s is 10^9 bytes per second, and the bandwidth is that of each link in each direction
    "]],
    );
    let blocks = "---\nnpus_count:\n  - 3\n  - 2\ntopology:\n  - \"FullyConnected\"\n  - Ring\nname: x\n";
    check(
        GraphFormat::AstraSim,
        blocks,
        &expect![[r"
            0 1 2 3 4 5
            0-1 0-2 1-2 3-4 3-5 4-5 0-3 1-4 2-5
            ignored attributes: network name
        "]],
    );
}

#[test]
fn simgrid_platforms() {
    let platform = |zone: &str| {
        format!(
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n\
             <zone id=\"z\" routing=\"Full\">\n{zone}</zone></platform>"
        )
    };
    let check = |zone: &str, expected| check(GraphFormat::SimGrid, &platform(zone), &expected);
    let hosts = "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/><host id='c' speed='1Gf'/>";
    let link = |id: &str, policy: &str| {
        format!("<link id='{id}' bandwidth='125MBps' latency='50us' sharing_policy='{policy}'/>")
    };
    let route = |from: &str, to: &str, links: &str| format!("<route src='{from}' dst='{to}'>{links}</route>");
    let wire = |id: &str| format!("<link_ctn id='{id}'/>");
    let directed = |id: &str, direction: &str| format!("<link_ctn id='{id}' direction='{direction}'/>");
    // A link per pair: half duplex, full duplex, and an unshared one.
    let pairs = [
        hosts.to_owned(),
        link("x", "SHARED") + &link("y", "SPLITDUPLEX") + &link("z", "FATPIPE"),
        route("a", "b", &wire("x")) + &route("b", "c", &directed("y", "UP")) + &route("a", "c", &wire("z")),
    ];
    check(
        &pairs.concat(),
        expect![[r"
        a b c
        a-b@50us! b-c@50us a-c@50us
        unit 125MB/s
        ignored attributes: host speed
    "]],
    );
    // A star: every host has a split duplex link to a backbone.
    let up_down = |from: &str, to: &str| {
        let path = directed(&format!("l{from}"), "UP") + &wire("bb") + &directed(&format!("l{to}"), "DOWN");
        route(from, to, &path)
    };
    let links: String = ["la", "lb", "lc"].iter().map(|id| link(id, "SPLITDUPLEX")).collect();
    let star = hosts.to_owned()
        + &links
        + &link("bb", "SHARED")
        + &up_down("a", "b")
        + &up_down("a", "c")
        + &up_down("b", "c");
    check(
        &star,
        expect![[r"
        a b c [la_UP.out] [la_DOWN.in]
        a->la_UP.out@50us la_DOWN.in->a@50us b->la_UP.out@50us la_DOWN.in->b@50us c->la_UP.out@50us la_DOWN.in->c@50us la_UP.out->la_DOWN.in@50us
        unit 125MB/s
        ignored attributes: host speed
    "]],
    );
    let clusters = "<cluster id='k' prefix='n-' radical='0-1,7' suffix='.x' speed='1Gf' bw='125MBps' lat='50us' bb_bw='2.25GBps' bb_lat='500us'/>
        <zone id='y' routing='Floyd'><host id='h'/><router id='r'/><link id='hr' bandwidth='1Gbps' sharing_policy='SPLITDUPLEX'/>
          <route src='h' dst='r'><link_ctn id='hr' direction='UP'/></route></zone>
        <link id='wan' bandwidth='1GBps' latency='1ms'/>
        <zoneRoute src='k' dst='y' gw_src='n-k_router.x' gw_dst='r'><link_ctn id='wan'/></zoneRoute>";
    check(
        clusters,
        expect![[r"
        [n-k_router.x] [k_backbone.in] [k_backbone.out] n-0.x n-1.x n-7.x h [r]
        k_backbone.in->k_backbone.out*18@500us k_backbone.out->n-k_router.x*18 n-k_router.x->k_backbone.in*18 n-0.x->k_backbone.in@50us k_backbone.out->n-0.x@50us n-1.x->k_backbone.in@50us k_backbone.out->n-1.x@50us n-7.x->k_backbone.in@50us k_backbone.out->n-7.x@50us h-r n-k_router.x-r*8@1ms!
        unit 125MB/s
        ignored attributes: cluster speed
    "]],
    );
}
