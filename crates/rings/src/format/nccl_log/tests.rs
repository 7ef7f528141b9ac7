//! Tests of the reader of logs.

use proptest::prelude::*;

use super::read;
use crate::format::order::Tree;

const TWO_RINGS: &str = "\
hosta:4100:4111 [0] NCCL INFO NCCL_GRAPH_FILE set by environment to g.xml
hosta:4100:4111 [0] NCCL INFO Search 0 : 2 channels loaded from XML graph
hosta:4100:4111 [0] NCCL INFO Channel 00/04 : 0 1 2 3
hosta:4100:4111 [0] NCCL INFO Channel 01/04 : 0 2 1 3
hosta:4100:4111 [0] NCCL INFO Channel 02/04 : 0 1 2 3
hosta:4100:4111 [0] NCCL INFO Channel 03/04 : 0 2 1 3
hosta:4100:4111 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->2 [2] 1/-1/-1->0->-1 [3] -1/-1/-1->0->2
hosta:4101:4112 [1] NCCL INFO Trees [0] 2/-1/-1->1->0 [1] 2/-1/-1->1->3 [2] 2/-1/-1->1->0 [3] 2/-1/-1->1->3
hosta:4102:4113 [2] NCCL INFO Trees [0] 3/-1/-1->2->1 [1] 0/-1/-1->2->1 [2] 3/-1/-1->2->1 [3] 0/-1/-1->2->1
hosta:4103:4114 [3] NCCL INFO Trees [0] -1/-1/-1->3->2 [1] 1/-1/-1->3->-1 [2] -1/-1/-1->3->2 [3] 1/-1/-1->3->-1
hosta:4100:4111 [0] NCCL INFO Ring 00 : 3 -> 0 -> 1
hosta:4100:4111 [0] NCCL INFO Ring 01 : 3 -> 0 -> 2
hosta:4101:4112 [1] NCCL INFO Ring 00 : 0 -> 1 -> 2
hosta:4101:4112 [1] NCCL INFO Ring 01 : 2 -> 1 -> 3
hosta:4100:4111 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
hosta:4100:4111 [0] NCCL INFO Connected all rings
";

fn error(text: &str) -> String {
    read(text, 1).unwrap_err().to_string()
}

#[test]
fn rings_and_trees_are_read_without_copies() {
    let (communicator, notes) = read(TWO_RINGS, 1).unwrap();
    assert_eq!((communicator.rank_count, communicator.channels), (4, 4));
    assert_eq!(communicator.rings, [[0, 1, 2, 3], [0, 2, 1, 3]]);
    let chain =
        |ranks: [u32; 4]| Tree { root: ranks[0], edges: ranks.windows(2).map(|pair| [pair[0], pair[1]]).collect() };
    assert_eq!(communicator.trees, [chain([0, 1, 2, 3]), chain([3, 1, 2, 0])]);
    assert_eq!(
        notes,
        [
            "4 channels for 2 rings: NCCL copies channels to use more threads",
            "NCCL loaded graph 0 from an NCCL_GRAPH_FILE",
        ]
    );
}

#[test]
fn the_lines_of_a_tree_have_the_other_order() {
    let rings = "x:1:2 [0] NCCL INFO Channel 00/01 : 0 1 2\n";
    let trees = "x:1:2 [0] NCCL INFO Tree 0 : -1 -> 0 -> 1/2/-1\nx:2:3 [1] NCCL INFO Tree 0 : 0 -> 1 -> -1/-1/-1\n\
                 x:3:4 [2] NCCL INFO Tree 0 : 0 -> 2 -> -1/-1/-1\n";
    let (communicator, _) = read(&(rings.to_owned() + trees), 1).unwrap();
    assert_eq!(communicator.trees, [Tree { root: 0, edges: vec![[0, 1], [0, 2]] }]);
    let (_, notes) = read(&(rings.to_owned() + trees.lines().next().unwrap()), 1).unwrap();
    assert_eq!(notes, ["no trees: the lines 'Trees' of all 3 ranks are needed, and the log has those of 1"]);
}

#[test]
fn a_cut_line_is_completed_by_the_lines_of_all_ranks() {
    let cut = "a:1:1 [0] NCCL INFO Channel 00/01 : 0 2 1...\n";
    let ring = |[previous, rank, next]: [u32; 3]| {
        format!("a:{rank}:9 [0] NCCL INFO Ring 00 : {previous} -> {rank} -> {next}\n")
    };
    let lines = [[3, 0, 2], [0, 2, 1], [2, 1, 3], [1, 3, 0]].map(ring);
    let whole = cut.to_owned() + &lines.concat();
    assert_eq!(read(&whole, 1).unwrap().0.rings, [[0, 2, 1, 3]]);
    assert_eq!(read(&lines.concat(), 1).unwrap().0.rings, [[0, 2, 1, 3]]);
    let error = error(&(cut.to_owned() + &lines[..3].concat()));
    assert!(error.starts_with("line 1: the ring of channel 0 is not complete: NCCL cuts the line"), "{error}");
    assert!(error.ends_with("log all ranks with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,GRAPH"), "{error}");
}

#[test]
fn spoiled_logs_are_refused() {
    let spoil = |from: &str, to: &str| error(&TWO_RINGS.replacen(from, to, 1));
    for (from, to, part) in [
        ("00/04 : 0 1 2 3", "00/04 : 0 1 2 2", "line 3: the ring of channel 0 has GPU 2 twice"),
        ("00/04 : 0 1 2 3", "00/04 : 0 1 2", "line 11: the ring of channel 0 at rank 0 contradicts"),
        ("00/04 : 0 1 2 3", "00/04 : 0 1 2 4", "line 3: rank 4 of the ring of channel 0 of 4 ranks contradicts"),
        ("01/04 : 0 2 1 3", "01/04 : 0 2 1", "line 4: the ring of channel 1 lacks GPU 3"),
        ("Ring 01 : 3 -> 0 -> 2", "Ring 01 : 1 -> 0 -> 2", "line 12: the ring of channel 1 at rank 0 contradicts"),
        ("02/04", "02/05", "line 5: a number of 5 channels contradicts"),
        ("INFO Channel 03/04 : 0 2 1 3", "INFO", "the ring of channel 3 is not complete: there is no line of it"),
        ("2/-1/-1->1->0", "3/-1/-1->1->0", "the tree of channel 0 at rank 1 contradicts"),
        ("[0] 1/-1/-1->0->-1", "[0] 1/1/1->0->-1", "the tree of channel 0 at rank 0 contradicts"),
        ("[0] 1/-1/-1->0->-1", "[0] -1/-1/-1->0->-1", "which is not connected, contradicts"),
        ("Trees [0] 1/-1/-1->0->-1 [1]", "Trees of all ranks [1]", "found 'of all ranks"),
    ] {
        let error = spoil(from, to);
        assert!(error.contains(part), "{from} as {to}: {error}");
    }
    let none = "the log has no line 'Channel 00/02 : 0 1 2 3', so no ring; run the program";
    assert!(error("a:1:2 [0] NCCL INFO Connected all rings\n").contains(none));
    assert!(error("").contains(none));
}

#[test]
fn communicators_are_told_apart() {
    let start = |process: u32, rank: u32, ranks: u32, id: &str| {
        format!(
            "h:{process}:7 [{rank}] NCCL INFO ncclCommInitRank comm 0x55 rank {rank} nranks {ranks} cudaDev 0 busId 7000 {id}- Init START\n"
        )
    };
    let ring =
        |process: u32, rank: u32, ring: &str| format!("h:{process}:8 [{rank}] NCCL INFO Channel 00/01 : {ring}\n");
    let named = [
        start(1, 0, 4, "commId 0xa "),
        start(2, 1, 4, "commId 0xa "),
        ring(1, 0, "0 1 2 3"),
        start(1, 0, 2, "commId 0xb "),
        ring(1, 0, "0 1"),
    ]
    .concat();
    let unnamed = [ring(1, 0, "0 1 2 3"), ring(1, 0, "0 1")].concat();
    for text in [named, unnamed] {
        let (first, notes) = read(&text, 1).unwrap();
        assert_eq!(first.rings, [[0, 1, 2, 3]]);
        assert_eq!(notes, ["communicator 1 of 2 in the log, in the order of their first lines"]);
        assert_eq!(read(&text, 2).unwrap().0.rings, [[0, 1]]);
        assert!(read(&text, 3).unwrap_err().to_string().contains("2 communicators with rings, but no number 3"));
        assert!(read(&text, 0).is_err());
    }
    let two_runs = [ring(1, 0, "0 1 2 3"), ring(2, 0, "0 2 1 3")].concat();
    assert!(error(&two_runs).contains("line 2: the ring of channel 0 contradicts an earlier line"));
}

#[test]
fn prefixes_of_launchers_and_old_releases_are_read() {
    for prefix in ["[1,0]<stdout>:hosta:41:42 [0] ", "0: hosta:41 [0] ", "2026-06-11 10:00:00 hosta:41:42 [0] ", ""] {
        let text = format!(
            "{prefix}NCCL INFO Channel 00/01 :    0   1\n{prefix}NCCL INFO Ring 00 : 1[c0] -> 0[80] via P2P/IPC\r\n"
        );
        assert_eq!(read(&text, 1).unwrap().0.rings, [[0, 1]], "{prefix}");
    }
}

/// The same tree in the words of all releases, and of RCCL.
#[test]
fn trees_of_all_releases_are_read() {
    let log = |[first, second]: [&str; 2]| {
        format!(
            "a:1:2 [0] NCCL INFO Channel 00/01 : 0 1\na:1:2 [0] NCCL INFO Trees [0] {first}\na:2:3 [1] NCCL INFO Trees [0] {second}\n"
        )
    };
    let chain = Tree { root: 0, edges: vec![[0, 1]] };
    for trees in [
        ["1/-1/-1->0->-1", "-1/-1/-1->1->0"],
        ["-1->0->1/-1/-1", "0->1->-1/-1/-1"],
        ["1/-1/-1->0->-1|-1->0->1/-1/-1", "-1/-1/-1->1->0|0->1->-1/-1/-1"],
        ["1/-1/-1->0->-1 comm 0x2ceb nRanks 02 busId c8000", "-1/-1/-1->1->0 comm 0x2c3d nRanks 02 busId c5000"],
    ] {
        assert_eq!(read(&log(trees), 1).unwrap().0.trees, std::slice::from_ref(&chain), "{trees:?}");
    }
}

#[test]
fn rings_of_old_releases_have_no_number_of_channels() {
    let text = "\
a:1:2 [0] NCCL INFO Channel 00 :    0   1   2
a:1:2 [0] NCCL INFO Channel 01 :    0   2   1
a:1:2 [0] NCCL INFO Channel 01 : 0[3e000] -> 2[40000] via P2P/IPC
a:1:2 [0] NCCL INFO Ring 00 : 2 -> 0 [receive] via NET/Socket/0
";
    let (communicator, _) = read(text, 1).unwrap();
    assert_eq!((communicator.rings, communicator.channels), (vec![vec![0, 1, 2], vec![0, 2, 1]], 2));
}

proptest! {
    #[test]
    fn any_line_is_read_or_refused(lines in prop::collection::vec("(Channel|Ring|Trees|Tree) [0-9/: \\[\\]>.-]{0,24}", 0..8)) {
        let text = lines.iter().map(|line| format!("h:1:2 [0] NCCL INFO {line}\n")).collect::<Vec<_>>().concat();
        if let Ok((communicator, _)) = read(&text, 1) {
            prop_assert!(communicator.rings.iter().all(|ring| ring.len() == communicator.rank_count as usize));
        }
    }
}

#[test]
fn lines_that_ray_shows_once_are_read() {
    let ring = "NCCL INFO Channel 00/01 : 0 2 1";
    let trees = "NCCL INFO Trees [0] 1/-1/-1->2->0";
    for [begin, end] in [["", ""], ["\u{1b}[36m", "\u{1b}[0m"], ["[36m", "[0m"]] {
        let prefix = format!("{begin}(RayWorker pid=7, ip=10.0.0.2){end} a:7:8 [0]");
        let repeated = format!("{} [repeated 2x across cluster]{end}", begin.replace("36", "32"));
        let log = format!("{prefix} {ring}{repeated}\n{prefix} {trees}{repeated}\n");
        let (communicator, notes) = read(&log, 1).unwrap();
        assert_eq!(communicator.rings, [[0, 2, 1]], "{log}");
        assert_eq!(
            notes,
            [
                "no trees: the lines 'Trees' of all 3 ranks are needed, and the log has those of 1",
                "Ray left out lines of the log; run the program with RAY_DEDUP_LOGS=0 to log the trees",
            ]
        );
    }
}
