//! Outputs of nvidia-smi: matrices in logs, NVLinks, and outputs that are no networks.

use expect_test::expect;
use lockstep_topology::{GraphFormat, read_graph};

use crate::foreign_errors::check as refuse;
use crate::foreign_formats::check;

const MATRIX: &str =
    " GPU0 GPU1 mlx5_0 CPU Affinity NUMA Affinity\nGPU0 X NV4 SYS 0-31 0\nGPU1 NV4 X SYS 0-31 0\nmlx5_0 SYS SYS X\n";

#[test]
fn lines_of_nvidia_smi_may_have_prefixes() {
    let expected = read_graph(MATRIX, GraphFormat::NvidiaSmi, "").unwrap();
    for prefix in ["node01: ", "[1,0]<stdout>:", "2026-11-28T10:00:00.123Z ", "> ", "(GPU-pool) gpu-7 | "] {
        let text: String = MATRIX.lines().map(|line| [prefix, line, "\n"].concat()).collect();
        assert_eq!(GraphFormat::recognise("x.log", &text), Some(GraphFormat::NvidiaSmi), "{prefix}");
        assert_eq!(read_graph(&text, GraphFormat::NvidiaSmi, "").unwrap(), expected, "{prefix}");
    }
    assert_eq!(GraphFormat::recognise("x.log", "joins GPU0 and GPU1\n"), None);
}

#[test]
fn other_outputs_of_nvidia_smi_are_refused() {
    refuse(
        GraphFormat::NvidiaSmi,
        &[
            &format!("node-a:\n{MATRIX}\nnode-b:\n{MATRIX}"),
            &format!("{MATRIX}\n        GPU0    GPU1\n GPU0   X  OK\n GPU1   OK  X\n"),
            " GPU0 GPU1\nGPU0 X OK\nGPU1 OK X\n",
            "GPU 0: A (UUID: GPU-0)\n\t Link 0: 26.562 GB/s\n",
            &nvlinks(&[(0, &[(0, "FFFFFFFF:FF:FF.F", 0)])]),
            &nvlinks(&[(0, &[(0, "00000000:0A:00.0", 0)])]),
            &nvlinks(&[(0, &[(0, "0A", 0)]), (0, &[(0, "07", 0)])]),
            &nvlinks(&[(0, &[(0, "0A", 0), (0, "0A", 1)]), (1, &[(0, "07", 0)])]),
            // The ends of the link contradict each other.
            &nvlinks(&[(0, &[(0, "0A", 1)]), (1, &[(0, "07", 0)])]),
            &nvlinks(&vec![(0, &[(0, "0A", 1)][..]); 1025]),
        ],
        &expect![[r"
            line 8: found a second matrix, expected the matrix of one machine; put each matrix into a file of its own
            line 6: found a second matrix, expected the matrix of one machine; put each matrix into a file of its own
            line 2: found 'OK' between GPU0 and GPU1, expected X, NV# (such as NV4), PIX, PXB, PHB, NODE or SYS; print the matrix with nvidia-smi topo -m
            line 2: found '26.562 GB/s', expected 'Remote Device 00000000:0A:00.0: Link 2'; print the ends of the links with nvidia-smi nvlink -R
            line 2: the driver does not know the remote device; start the fabric manager, and print the links again
            line 1: found GPU 0 with links to 00000000:0a:00.0, expected links to the other GPUs in the order of their bus ids, or to switches that all GPUs have in common; print nvidia-smi nvlink -R of all GPUs, or the matrix of nvidia-smi topo -m
            line 3: found GPU 0 a second time, expected the NVLinks of one machine; put each machine into a file of its own
            line 3: found link 0 a second time, expected each link of a GPU once
            line 1: found GPU 0 with links to 0a, expected links to the other GPUs in the order of their bus ids, or to switches that all GPUs have in common; print nvidia-smi nvlink -R of all GPUs, or the matrix of nvidia-smi topo -m
            line 2049: more than 1024 GPUs; read the links of one machine
        "]],
    );
}

/// A link: its number, the bus id of the device at the far end, and the number of the link there.
type Link<'a> = (u32, &'a str, u32);

/// The output of `nvidia-smi nvlink -R`: the links of GPUs with their far ends.
fn nvlinks(gpus: &[(u32, &[Link<'_>])]) -> String {
    let link = |&(number, bus, end): &Link<'_>| format!("\t Link {number}: Remote Device {bus}: Link {end}\n");
    let gpu = |&(number, links): &(u32, &[(u32, &str, u32)])| {
        format!("GPU {number}: Some GPU (UUID: GPU-0)\n{}", links.iter().map(link).collect::<String>())
    };
    gpus.iter().map(gpu).collect()
}

#[test]
fn nvlinks_between_gpus_are_links() {
    let triangle = nvlinks(&[
        (0, &[(0, "00000000:0A:00.0", 0), (1, "00000000:0A:00.0", 1), (2, "00000000:47:00.0", 0)]),
        (1, &[(0, "00000000:07:00.0", 0), (1, "00000000:07:00.0", 1), (2, "00000000:47:00.0", 1)]),
        (2, &[(0, "00000000:07:00.0", 2), (1, "00000000:0A:00.0", 2)]),
    ]);
    assert_eq!(GraphFormat::recognise("x.txt", &triangle), Some(GraphFormat::NvidiaSmi));
    check(
        GraphFormat::NvidiaSmi,
        &triangle,
        &expect![[r"
            GPU0 GPU1 GPU2
            GPU0-GPU1 GPU0-GPU1 GPU0-GPU2 GPU1-GPU2
            assumed: GPUs are numbered in the order of their bus ids; both ends of each NVLink confirm it
        "]],
    );
    check(
        GraphFormat::NvidiaSmi,
        &(MATRIX.to_owned() + &triangle),
        &expect![[r"
            GPU0 GPU1
            GPU0-GPU1*4
            left out: the lines of nvidia-smi nvlink, because the file has the matrix of nvidia-smi topo -m, too
            assumed: NV# is a link of capacity #, the number of NVLinks
            left out: PCIe paths and NICs, because NVLinks join all GPUs
            ignored attributes: device affinity
        "]],
    );
    // An inactive link, and a GPU without links.
    let odd = nvlinks(&[(0, &[(0, "0A", 1)]), (1, &[(1, "07", 0)]), (2, &[])]) + "\t Link 0: <inactive>\n";
    check(
        GraphFormat::NvidiaSmi,
        &odd,
        &expect![[r"
            GPU0 GPU1 GPU2
            GPU0-GPU1
            left out: inactive NVLinks
            assumed: GPUs are numbered in the order of their bus ids; both ends of each NVLink confirm it
            left out: PCIe paths of GPUs without NVLinks, which nvidia-smi topo -m prints
            no node is a switch, but 2 nodes have only one neighbor; mark the switches if there are any, such as 'GPU2'
        "]],
    );
}

#[test]
fn devices_with_nvlinks_of_all_gpus_are_a_switch() {
    let text = nvlinks(&[
        (0, &[(0, "c4", 7), (1, "c5", 8), (2, "c5", 9)]),
        (1, &[(0, "c5", 1), (1, "c4", 2), (2, "c5", 3)]),
        (2, &[(0, "c6", 1)]),
        (3, &[(0, "c6", 2)]),
    ]);
    check(
        GraphFormat::NvidiaSmi,
        &text,
        &expect![[r"
            GPU0 GPU1 GPU2 GPU3 [nvswitch0] [nvswitch1]
            GPU0-nvswitch0*3 GPU1-nvswitch0*3 GPU2-nvswitch1 GPU3-nvswitch1
            assumed: devices to which all GPUs have links are NVLink switches, and become one; a GPU has a link to it whose capacity is its number of NVLinks
        "]],
    );
}
