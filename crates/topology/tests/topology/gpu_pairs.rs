//! Tables of rocm-smi and amd-smi: weights tell the links, and bandwidths are used.

use expect_test::{Expect, expect};
use lockstep_topology::{GraphFormat, read_graph};

use crate::foreign_errors::check as refuse;
use crate::foreign_formats::check;

/// A table of `rocm-smi --showtopo`.
fn rocm_table(title: &str, rows: &[&str]) -> String {
    let names: Vec<String> = (0..rows.len()).map(|gpu| format!("GPU{gpu}")).collect();
    let rows: String = names.iter().zip(rows).map(|(name, row)| [name, "   ", row, "\n"].concat()).collect();
    format!("===== {title} between two GPUs =====\n       {}\n{rows}\n", names.join("         "))
}

const XGMI_OF_FOUR: [&str; 4] = ["0 XGMI XGMI XGMI", "XGMI 0 XGMI XGMI", "XGMI XGMI 0 XGMI", "XGMI XGMI XGMI 0"];
const ONE_HOP: [&str; 4] = ["0 1 1 1", "1 0 1 1", "1 1 0 1", "1 1 1 0"];

#[test]
fn weights_tell_the_links_of_rocm_smi() {
    let tables = |weights: [&str; 4]| {
        rocm_table("Weight", &weights) + &rocm_table("Hops", &ONE_HOP) + &rocm_table("Link Type", &XGMI_OF_FOUR)
    };
    let of_weights = |weights: [&str; 4], expected: Expect| check(GraphFormat::RocmSmi, &tables(weights), &expected);
    of_weights(
        ["0 15 30 15", "15 0 15 30", "30 15 0 15", "15 30 15 0"],
        expect![[r"
            GPU0 GPU1 GPU2 GPU3
            GPU0-GPU1 GPU0-GPU3 GPU1-GPU2 GPU2-GPU3
            left out: XGMI paths over other GPUs: one link has the weight 15, a path over two links 30; hops do not tell, because they are 1 for all
            assumed: an XGMI link has capacity 1; the file does not tell its bandwidth
        "]],
    );
    of_weights(
        ["0 0 0 0"; 4],
        expect![[r"
            GPU0 GPU1 GPU2 GPU3
            GPU0-GPU1 GPU0-GPU2 GPU0-GPU3 GPU1-GPU2 GPU1-GPU3 GPU2-GPU3
            assumed: all XGMI paths of one hop are links, because the weights are 0 and say nothing, as on virtual machines
            assumed: an XGMI link has capacity 1; the file does not tell its bandwidth
        "]],
    );
    of_weights(
        ["0 30 45 30", "30 0 30 45", "45 30 0 30", "30 45 30 0"],
        expect![[r"
            GPU0 GPU1 GPU2 GPU3 [system0]
            GPU0-system0 GPU1-system0 GPU2-system0 GPU3-system0
            left out: XGMI paths over other GPUs: one link has the weight 15, a path over two links 30; hops do not tell, because they are 1 for all
            assumed: a path over PCIe has capacity 1; GPUs of a NUMA node share a switch
        "]],
    );
    of_weights(
        ["0 13 41 41", "13 0 41 41", "41 41 0 13", "41 41 13 0"],
        expect![[r"
            GPU0 GPU1 GPU2 GPU3
            GPU0-GPU1 GPU0-GPU2 GPU0-GPU3 GPU1-GPU2 GPU1-GPU3 GPU2-GPU3
            assumed: paths of the weights 13 and 41 are links between parts of GPUs, as in RCCL; in fact the parts of a GPU share links
            assumed: an XGMI link has capacity 1; the file does not tell its bandwidth
        "]],
    );
    check(
        GraphFormat::RocmSmi,
        &rocm_table("Link Type", &XGMI_OF_FOUR[..]),
        &expect![[r"
            GPU0 GPU1 GPU2 GPU3
            GPU0-GPU1 GPU0-GPU2 GPU0-GPU3 GPU1-GPU2 GPU1-GPU3 GPU2-GPU3
            assumed: all XGMI paths of one hop are links, because the file has no weights; print all tables with rocm-smi --showtopo
            assumed: an XGMI link has capacity 1; the file does not tell its bandwidth
        "]],
    );
    let prefixed = tables(["0 15 30 15", "15 0 15 30", "30 15 0 15", "15 30 15 0"]);
    let prefixed: String = prefixed.lines().map(|line| ["node-1: ", line, "\n"].concat()).collect();
    check(
        GraphFormat::RocmSmi,
        &prefixed,
        &expect![[r"
            GPU0 GPU1 GPU2 GPU3
            GPU0-GPU1 GPU0-GPU3 GPU1-GPU2 GPU2-GPU3
            left out: XGMI paths over other GPUs: one link has the weight 15, a path over two links 30; hops do not tell, because they are 1 for all
            assumed: an XGMI link has capacity 1; the file does not tell its bandwidth
        "]],
    );
    let weights = ["0 15 0 15", "15 0 15 30", "0 15 0 15", "15 30 15 0"];
    refuse(
        GraphFormat::RocmSmi,
        &[
            &tables(weights),
            &tables(["0 15 30 15", "15 0 15 30", "30 15 0 15", "15 30 30 0"]),
            &(tables(weights) + &tables(weights)),
        ],
        &expect![[r"
            line 16: found the weight '0' between GPU0 and GPU2, expected a weight from 1 on, as other XGMI paths have
            line 2: found '30' between GPUs 3 and 2 in one direction only, expected the same in both directions
            line 22: found a second table 'Weight between two GPUs', expected the tables of one machine; put each machine into a file of its own
        "]],
    );
}

#[test]
fn bandwidths_of_rocm_smi_tell_links_and_capacities() {
    let bandwidths = rocm_table("Bandwidth", &BANDWIDTHS).replace(" between two GPUs", "");
    let access = rocm_table("Link accessibility", &["True True True True"; 4]);
    let note = "Format: min-max; Units: mps\n\"0-0\" min-max bandwidth indicates devices are not connected directly\n";
    let tables =
        access + &rocm_table("Link Type", &XGMI_OF_FOUR) + &bandwidths + note + "=== End of ROCm SMI Log ===\n";
    check(
        GraphFormat::RocmSmi,
        &tables,
        &expect![[r"
            GPU0 GPU1 GPU2 GPU3
            GPU0-GPU1*4 GPU0-GPU2 GPU1-GPU3 GPU2-GPU3*4
            unit 50GB/s
            left out: XGMI paths without a bandwidth: they lead over other GPUs
            assumed: a link has the greatest bandwidth that the program prints for it, in each direction
        "]],
    );
    let disabled = ["True True True False", "True True True True", "True True True True", "False True True True"];
    check(
        GraphFormat::RocmSmi,
        &(rocm_table("Link accessibility", &disabled) + &rocm_table("Link Type", &XGMI_OF_FOUR)),
        &expect![[r"
            GPU0 GPU1 GPU2 GPU3
            GPU0-GPU1 GPU0-GPU2 GPU1-GPU2 GPU1-GPU3 GPU2-GPU3
            left out: XGMI paths without access to the memory of the other GPU
            assumed: all XGMI paths of one hop are links, because the file has no weights; print all tables with rocm-smi --showtopo
            assumed: an XGMI link has capacity 1; the file does not tell its bandwidth
        "]],
    );
}

#[test]
fn hops_over_pcie_tell_the_numa_nodes() {
    let types = ["0 PCIE PCIE PCIE", "PCIE 0 PCIE PCIE", "PCIE PCIE 0 PCIE", "PCIE PCIE PCIE 0"];
    let hops = ["0 2 3 3", "2 0 3 3", "3 3 0 2", "3 3 2 0"];
    check(
        GraphFormat::RocmSmi,
        &(rocm_table("Hops", &hops) + &rocm_table("Link Type", &types)),
        &expect![[r"
            GPU0 GPU1 GPU2 GPU3 [numa-node0] [numa-node1] [system0]
            GPU0-numa-node0 GPU1-numa-node0 GPU2-numa-node1 GPU3-numa-node1 numa-node0-system0 numa-node1-system0
            assumed: a path over PCIe has capacity 1; GPUs of a NUMA node share a switch
        "]],
    );
}

/// A table of `amd-smi topology` of four GPUs.
fn amd_table(title: &str, rows: [&str; 4]) -> String {
    let buses = ["0000:0c:00.0", "0000:22:00.0", "0000:38:00.0", "0000:5c:00.0"];
    let rows: String = buses.iter().zip(rows).map(|(bus, row)| [bus, " ", row, "\n"].concat()).collect();
    format!("{title} TABLE:\n             {}\n{rows}", buses.join(" "))
}

const WEIGHTS: [&str; 4] = ["0 15 15 30", "15 0 30 15", "15 30 0 15", "30 15 15 0"];
const BANDWIDTHS: [&str; 4] = [
    "N/A 50000-200000 50000-50000 0-0",
    "50000-200000 N/A 0-0 50000-50000",
    "50000-50000 0-0 N/A 50000-200000",
    "0-0 50000-50000 50000-200000 N/A",
];
const AMD_TYPES: [&str; 4] =
    ["SELF XGMI XGMI XGMI", "XGMI SELF XGMI XGMI", "XGMI XGMI SELF XGMI", "XGMI XGMI XGMI SELF"];

fn amd_tables(bandwidths: [&str; 4], types: [&str; 4]) -> String {
    let tables =
        [("WEIGHT", WEIGHTS), ("HOPS", ONE_HOP), ("LINK TYPE", types), ("NUMA BW", bandwidths), ("ATOMICS", ONE_HOP)];
    tables.map(|(title, rows)| amd_table(title, rows)).join("\n") + "\nLegend:\n SELF = Current GPU\n"
}

#[test]
fn amd_smi_tables() {
    check(
        GraphFormat::AmdSmi,
        &amd_tables(BANDWIDTHS, AMD_TYPES),
        &expect![[r"
            0000:0c:00.0 0000:22:00.0 0000:38:00.0 0000:5c:00.0
            0000:0c:00.0-0000:22:00.0*4 0000:0c:00.0-0000:38:00.0 0000:22:00.0-0000:5c:00.0 0000:38:00.0-0000:5c:00.0*4
            unit 50GB/s
            left out: XGMI paths over other GPUs: one link has the weight 15, a path over two links 30; hops do not tell, because they are 1 for all
            assumed: a link has the greatest bandwidth that the program prints for it, in each direction
            ignored attributes: table atomics
        "]],
    );
    let unknown = ["N/A 0-0 0-0 0-0", "0-0 N/A 0-0 0-0", "0-0 0-0 N/A 0-0", "0-0 0-0 0-0 N/A"];
    check(
        GraphFormat::AmdSmi,
        &amd_tables(unknown, AMD_TYPES),
        &expect![[r"
            0000:0c:00.0 0000:22:00.0 0000:38:00.0 0000:5c:00.0
            0000:0c:00.0-0000:22:00.0 0000:0c:00.0-0000:38:00.0 0000:22:00.0-0000:5c:00.0 0000:38:00.0-0000:5c:00.0
            left out: XGMI paths over other GPUs: one link has the weight 15, a path over two links 30; hops do not tell, because they are 1 for all
            assumed: an XGMI link has capacity 1; the file does not tell its bandwidth
            ignored attributes: table atomics
        "]],
    );
    let pairs = ["SELF XGMI PCIE PCIE", "XGMI SELF PCIE PCIE", "PCIE PCIE SELF XGMI", "PCIE PCIE XGMI SELF"];
    check(
        GraphFormat::AmdSmi,
        &amd_tables(BANDWIDTHS, pairs),
        &expect![[r"
            0000:0c:00.0 0000:22:00.0 0000:38:00.0 0000:5c:00.0 [system0]
            0000:0c:00.0-0000:22:00.0 0000:38:00.0-0000:5c:00.0 0000:0c:00.0-system0 0000:22:00.0-system0 0000:38:00.0-system0 0000:5c:00.0-system0
            assumed: capacities of XGMI links are in proportion to their bandwidths; those of paths over PCIe are unknown
            assumed: a path over PCIe has capacity 1; GPUs of a NUMA node share a switch
            ignored attributes: table atomics
        "]],
    );
    let access = [
        "ENABLED DISABLED ENABLED ENABLED",
        "DISABLED ENABLED ENABLED ENABLED",
        "ENABLED ENABLED ENABLED ENABLED",
        "ENABLED ENABLED ENABLED ENABLED",
    ];
    check(
        GraphFormat::AmdSmi,
        &(amd_table("ACCESS", access) + &amd_tables(BANDWIDTHS, AMD_TYPES)),
        &expect![[r"
            0000:0c:00.0 0000:22:00.0 0000:38:00.0 0000:5c:00.0
            0000:0c:00.0-0000:38:00.0 0000:22:00.0-0000:5c:00.0 0000:38:00.0-0000:5c:00.0*4
            unit 50GB/s
            left out: XGMI paths without access to the memory of the other GPU
            left out: XGMI paths over other GPUs: one link has the weight 15, a path over two links 30; hops do not tell, because they are 1 for all
            assumed: a link has the greatest bandwidth that the program prints for it, in each direction
            ignored attributes: table atomics
            no node is a switch, but 2 nodes have only one neighbor; mark the switches if there are any, such as '0000:38:00.0'
        "]],
    );
}

/// The tables as JSON: with `links`, or as old versions have them.
fn amd_json(is_old: bool) -> String {
    let entries = |rows: [&'static str; 4]| rows.map(|row| row.split(' ').collect::<Vec<_>>());
    let (types, weights, bandwidths) = (entries(AMD_TYPES), entries(WEIGHTS), entries(BANDWIDTHS));
    let bus = |gpu: usize| ["0000:0c:00.0", "0000:22:00.0", "0000:38:00.0", "0000:5c:00.0"][gpu];
    let object = |gpu: usize| {
        let row = |rows: &[Vec<&str>; 4], quote: &str| {
            let fields = (0..4).map(|other| format!("\"gpu_{other}\": {quote}{}{quote}", rows[gpu][other]));
            fields.collect::<Vec<_>>().join(", ")
        };
        let link = |other: usize| {
            let (kind, weight, bandwidth) = (types[gpu][other], weights[gpu][other], bandwidths[gpu][other]);
            format!(
                "{{\"gpu\": {other}, \"bdf\": \"{}\", \"weight\": {weight}, \"link_status\": \"ENABLED\", \"link_type\": \"{kind}\", \
                 \"num_hops\": 1, \"bandwidth\": \"{bandwidth}\", \"dma\": \"T\"}}",
                bus(other)
            )
        };
        let links = if is_old {
            let (types, weights, bandwidths) = (row(&types, "\""), row(&weights, ""), row(&bandwidths, "\""));
            format!("\"link_type\": {{{types}}}, \"weight\": {{{weights}}}, \"numa_bandwidth\": {{{bandwidths}}}")
        } else {
            // The order of the links does not matter.
            format!("\"links\": [{}]", [3, 1, 0, 2].map(link).join(","))
        };
        format!("{{\"gpu\": {gpu}, \"bdf\": \"{}\", {links}}}", bus(gpu))
    };
    format!("[{}]", [0, 1, 2, 3].map(object).join(",\n"))
}

#[test]
fn amd_smi_json_is_the_same_network_as_its_tables() {
    let tables = read_graph(&amd_tables(BANDWIDTHS, AMD_TYPES), GraphFormat::AmdSmi, "").unwrap();
    for is_old in [false, true] {
        let json = amd_json(is_old);
        assert_eq!(GraphFormat::recognise("x.json", &json), Some(GraphFormat::AmdSmi));
        assert_eq!(GraphFormat::recognise("x.txt", &json), Some(GraphFormat::AmdSmi));
        assert_eq!(read_graph(&json, GraphFormat::AmdSmi, "").unwrap(), tables);
    }
    check(
        GraphFormat::AmdSmi,
        &amd_json(false),
        &expect![[r"
            0000:0c:00.0 0000:22:00.0 0000:38:00.0 0000:5c:00.0
            0000:0c:00.0-0000:22:00.0*4 0000:0c:00.0-0000:38:00.0 0000:22:00.0-0000:5c:00.0 0000:38:00.0-0000:5c:00.0*4
            unit 50GB/s
            left out: XGMI paths over other GPUs: one link has the weight 15, a path over two links 30; hops do not tell, because they are 1 for all
            assumed: a link has the greatest bandwidth that the program prints for it, in each direction
            ignored attributes: link dma
        "]],
    );
}

#[test]
fn bad_amd_smi_files() {
    let tables = amd_tables(BANDWIDTHS, AMD_TYPES);
    let link = |gpu: u32| format!("{{\"gpu\": {gpu}, \"link_type\": \"XGMI\"}}");
    refuse(
        GraphFormat::AmdSmi,
        &[
            "nothing",
            "é TABLE:\n",
            "WEIGHT TABLE:\n",
            &(tables.clone() + &tables),
            "LINK TYPE TABLE:\n 0000:0c:00.0 0000:22:00.0\n0000:0c:00.0 SELF XGMI\n",
            "LINK TYPE TABLE:\n 0000:0c:00.0 0000:22:00.0\n0000:22:00.0 SELF XGMI\n",
            &amd_tables(["N/A x-y x-y x-y", "x-y N/A x-y x-y", "x-y x-y N/A x-y", "x-y x-y x-y N/A"], AMD_TYPES),
            "[]",
            "[{\"gpu\": 0}]",
            "[{\"gpu\": 0, \"bdf\": \"a\", \"links\": []}",
            &format!("[{{\"gpu\": 0, \"bdf\": \"a\", \"links\": [{}, {}]}}]", link(0), link(1)),
            &format!("[{{\"gpu\": 0, \"bdf\": \"a\", \"links\": [{}]}}]", link(7)),
            &format!("[{0}, {0}]", format_args!("{{\"gpu\": 0, \"bdf\": \"a\", \"links\": [{}]}}", link(0))),
        ],
        &expect![[r"
            line 1: found no link types, expected the LINK TYPE TABLE or 'link_type'; print all tables with amd-smi topology
            line 1: found no link types, expected the LINK TYPE TABLE or 'link_type'; print all tables with amd-smi topology
            line 1: found no link types, expected the LINK TYPE TABLE or 'link_type'; print all tables with amd-smi topology
            line 38: found a second WEIGHT TABLE, expected the tables of one machine; put each machine into a file of its own
            line 2: found 1 lines for 2 GPUs, expected a line per GPU; the table is incomplete
            line 3: found '0000:22:00.0 SELF XGMI', expected a line per GPU, in the order of the first line, with an entry per GPU
            line 16: 'bandwidth' is 'y', expected the least and the greatest one in MB/s, such as 50000-200000
            line 1: found no link types, expected the LINK TYPE TABLE or 'link_type'; print all tables with amd-smi topology
            line 1, field '[0]': missing field `bdf`
            line 1: the file ends in the middle of a value; it is incomplete
            field '[0]': found 'link_type' of 2 GPUs for GPU 0, expected a value for each GPU of the file; print all GPUs
            field '[0]': there is no node 'gpu 7'; correct the name, or add the node
            line 1: a GPU is in the file twice; put each machine into a file of its own
        "]],
    );
}
