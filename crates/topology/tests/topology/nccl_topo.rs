//! Dumps of NCCL and RCCL: what means a link or a bandwidth is used, or a note tells why it is not.

use expect_test::expect;
use lockstep_topology::{GraphFormat, ReadOptions, read_graph_file};

use crate::foreign_formats::check;

/// A `<system>` with one `<cpu>`.
fn system(devices: &str) -> String {
    format!("<system version='2'><cpu numaid='0' arch='x86_64' vendor='AuthenticAMD'>{devices}</cpu></system>")
}

/// The device of a GPU.
fn gpu(bus: &str, class: &str, gpu: &str) -> String {
    format!("<pci busid='{bus}' class='{class}' link_speed='32.0 GT/s PCIe' link_width='16'>{gpu}</pci>\n")
}

/// The links of a dump of RCCL with two GPUs of this architecture.
fn xgmi_pair(architecture: &str, count: u32) -> String {
    let side = |dev: u32, bus: &str, target: &str| {
        let xgmi = format!("<xgmi target='{target}' count='{count}' tclass='0x120000'/>");
        gpu(bus, "0x120000", &format!("<gpu dev='{dev}' sm='304' {architecture} rank='{dev}'>{xgmi}</gpu>"))
    };
    system(&(side(0, "0000:11:00.0", "0000:22:00.0") + &side(1, "0000:22:00.0", "0000:11:00.0")))
}

#[test]
fn xgmi_links_of_rccl_have_the_bandwidth_of_their_architecture() {
    check(
        GraphFormat::NcclTopo,
        &xgmi_pair("gcn='gfx942' arch='38911'", 1),
        &expect![[r"
            gpu0 gpu1 [cpu0]
            gpu0-cpu0 gpu1-cpu0 gpu0-gpu1
            unit 48GB/s
            ignored attributes: gpu arch, system version
        "]],
    );
    let bandwidth = |architecture: &str, count: u32| {
        let file = read_graph_file(&xgmi_pair(architecture, count), GraphFormat::NcclTopo, "", &ReadOptions::default());
        let topology = file.unwrap().topology;
        let [gpu0, gpu1] = ["gpu0", "gpu1"].map(|name| topology.node_named(name).unwrap());
        let link = |channel: &_| topology.tail(*channel) == gpu0 && topology.head(*channel) == gpu1;
        let capacity: u32 = topology.channels().filter(link).map(|channel| topology.capacity(channel)).sum();
        u64::from(capacity) * topology.unit_bytes_per_second().unwrap() / 1_000_000_000
    };
    assert_eq!(bandwidth("gcn='gfx90a'", 4), 4 * 36);
    assert_eq!(bandwidth("gcn='910'", 2), 2 * 36);
    assert_eq!(bandwidth("gcn='gfx942:sramecc+:xnack-'", 1), 48);
    assert_eq!(bandwidth("gcn='940'", 1), 48);
    assert_eq!(bandwidth("gcn='gfx950'", 1), 48);
    assert_eq!(bandwidth("gcn='908'", 3), 3 * 24);
    assert_eq!(bandwidth("gcn='gfx906'", 1), 24);
    assert_eq!(bandwidth("", 1), 24);
}

#[test]
fn links_of_unknown_kinds_are_notes() {
    let links = "<xgmi target='9' count='1'/><nvlink target='1' count='4' bw='50' tclass='0x030200'/><ualink target='2'/><color a='b'/>";
    check(
        GraphFormat::NcclTopo,
        &system(&gpu("1", "0x030200", &format!("<gpu dev='0' sm='80' rank='0'>{links}</gpu>"))),
        &expect![[r"
            gpu0 [cpu0]
            gpu0-cpu0
            unit 48GB/s
            assumed: XGMI links of a GPU without 'gcn' have 24GB/s, as in RCCL
            left out: XGMI links to GPUs that the file does not list
            left out: 'bw' of <nvlink>, which NCCL does not use
            left out: NVLinks from a GPU to itself: the file does not state their other ends
            left out: <ualink>, which may be a link of an unknown kind
            ignored attributes: element color, system version
        "]],
    );
}

#[test]
fn an_input_of_nccl_without_gpus_names_similar_specs() {
    let note = |gpus: usize, nics: usize, attributes: &str| {
        let pci = |bus: usize, class: &str| format!("<pci busid='{bus}' class='{class}' {attributes}/>");
        let devices =
            (0..gpus).map(|bus| pci(bus, "0x030200")).chain((gpus..gpus + nics).map(|bus| pci(bus, "0x020700")));
        let text = system(&devices.collect::<String>());
        let file = read_graph_file(&text, GraphFormat::NcclTopo, "", &ReadOptions::default()).unwrap();
        let note =
            file.notes.iter().map(ToString::to_string).find(|note| note.starts_with("left out: NVLink")).unwrap();
        note.rsplit_once(", or use ").unwrap().1.to_owned()
    };
    assert_eq!(note(8, 8, "link_speed='32.0 GT/s PCIe'"), "the spec dgx-h100:1");
    assert_eq!(note(8, 8, "link_speed='16 GT/s'"), "the spec dgx-a100:1");
    assert_eq!(note(8, 4, "link_speed='8 GT/s' vendor='0x10de' device='0x20b0'"), "the spec dgx-a100:1");
    assert_eq!(note(8, 8, "vendor='0x10de' device='0x2330'"), "the spec dgx-h100:1");
    assert_eq!(note(8, 1, "link_speed='16 GT/s'"), "the spec ndv2:1, dgx-1 or dgx-a100:1");
    assert_eq!(note(8, 1, "vendor='0x10de' device='0x1db5'"), "the spec ndv2:1 or dgx-1");
    assert_eq!(note(16, 8, "vendor='0x1002' device='0x740c'"), "the spec mi250:1");
    assert_eq!(note(2, 2, "link_speed='32.0 GT/s PCIe'"), "a spec that fits, such as dgx-a100:1 or dgx-h100:1");
    assert_eq!(note(8, 8, "vendor='0x1002' device='0x74a1'"), "a spec that fits, such as dgx-a100:1 or dgx-h100:1");
}

#[test]
fn pci_switches_of_one_bus_id_are_two_switches() {
    let switch = |gpu: &str| format!("<pci busid='c5' class='0x060400' link_width='16'>{gpu}</pci>");
    let side =
        |dev: u32| switch(&gpu(&format!("d{dev}"), "0x038000", &format!("<gpu dev='{dev}' gcn='908' rank='{dev}'/>")));
    check(
        GraphFormat::NcclTopo,
        &system(&(side(0) + &side(1) + "<pci busid='c5' class='0x020700'/>")),
        &expect![[r"
            gpu0 gpu1 [cpu0] [pci-c5] [pci-c5_2] [nic-c5_3]
            pci-c5-cpu0 gpu0-pci-c5*4 pci-c5_2-cpu0 gpu1-pci-c5_2*4 nic-c5_3-cpu0
            unit 12GB/s
            assumed: PCI devices of the same bus id are different devices, as in NCCL; the second one is named _2
            ignored attributes: system version
        "]],
    );
}

#[test]
fn complete_xgmi_of_mi200_is_doubted() {
    let die = |own: usize| {
        let links = (0..3)
            .filter(|&other| other != own)
            .map(|other| format!("<xgmi target='{other}' count='1' tclass='0x038000'/>"));
        let links: String = links.collect();
        gpu(&own.to_string(), "0x038000", &format!("<gpu dev='{own}' gcn='910' rank='{own}'>{links}</gpu>"))
    };
    check(
        GraphFormat::NcclTopo,
        &system(&[die(0), die(1), die(2)].concat()),
        &expect![[r"
            gpu0 gpu1 gpu2 [cpu0]
            gpu0-cpu0*4 gpu1-cpu0*4 gpu2-cpu0*4 gpu0-gpu1*3 gpu0-gpu2*3 gpu1-gpu2*3
            unit 12GB/s
            assumed: all pairs of gfx90a dies have an XGMI link, as the file states; old versions of RCCL also list paths over other dies: compare with rocm-smi --showtopo
            ignored attributes: system version
        "]],
    );
}
