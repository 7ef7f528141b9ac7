//! What is read, what is refused, and what is said.

use lockstep_schedule::Ports;
use lockstep_topology::Topology;
use proptest::prelude::*;

use super::{Communicator, TableError, TableReading};
use crate::library::Library;
use crate::network::{Network, RoundCosts};
use crate::rule_time;
use crate::table::write;
use crate::tuning::{TuneOptions, Tuning, tune};

const EIGHT: Communicator = Communicator { ranks: 8, hosts: 1 };

fn read(text: &str, communicator: Communicator) -> Result<TableReading, TableError> {
    TableReading::read(text, TableReading::detect(text).unwrap(), communicator)
}

/// Returns the algorithms and places of a collective for some sizes.
fn fired(reading: &TableReading, name: &str, sizes: &[u64]) -> Vec<String> {
    let of = reading.collectives.iter().find(|read| read.of.name == name).unwrap();
    let text = |&bytes: &u64| match of.rule(bytes) {
        None => "none".to_owned(),
        Some(rule) => format!("{} at {}", rule.algorithm.as_deref().unwrap_or("built-in"), rule.place),
    };
    sizes.iter().map(text).collect()
}

fn has_note(reading: &TableReading, part: &str) {
    assert!(reading.notes.iter().any(|note| note.contains(part)), "{part}: {:?}", reading.notes);
}

fn error(text: &str, communicator: Communicator) -> String {
    read(text, communicator).unwrap_err().to_string()
}

#[test]
fn nccl_takes_the_first_row_that_fits() {
    let table = "\
# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks
allreduce,0,65536,tree,ll,4,1,8
allreduce,65537,1048576,ring,ll128,-1,1,8,-1,-1
allreduce,0,1000,ring,ll,2,1,8
allgather,0,131072,tree,ll,4,1,8
allgather,0,131072,ring,ll,4,-1,-1
reduce,0,9,ring,ll,4,2,16
";
    let reading = read(table, EIGHT).unwrap();
    assert_eq!(reading.library, Library::Nccl);
    let sizes = [0, 65536, 65537, 1_048_577];
    assert_eq!(fired(&reading, "allreduce", &sizes), ["tree at line 2", "tree at line 2", "ring at line 3", "none"]);
    assert_eq!(fired(&reading, "allgather", &[5]), ["ring at line 6"]);
    for note in [
        "allreduce: no row fits 1048577 to",
        "line 3: channels are -1, so NCCL uses one channel",
        "line 4: the row never counts",
        "line 5: allgather has no algorithm tree",
        "broadcast, reduce, reducescatter: no row fits these ranks; NCCL then uses one channel",
        "1 row(s) are for other numbers of nodes or ranks",
    ] {
        has_note(&reading, note);
    }
}

/// Rows for registered buffers or several operations do not count in the usual call.
#[test]
fn rows_for_other_calls_are_told() {
    let table = "\
allreduce,0,65536,tree,simple,2,-1,-1,-1,1
allreduce,0,65536,tree,simple,2,-1,-1,4,0
allreduce,0,65536,ring,ll,2,-1,-1,1,0
allreduce,65537,131072,ring,ll,2,-1,-1,-1,
allreduce,0,65536,tree,ll,2,2,16,-1,1
";
    let reading = TableReading::read(table, Library::Rccl, EIGHT).unwrap();
    assert_eq!(fired(&reading, "allreduce", &[8, 65537]), ["ring at line 3", "ring at line 4"]);
    has_note(&reading, "line 1: regBuff is 1, and a call of one operation without registered buffers has 0");
    has_note(&reading, "line 2: numPipeOps is 4, and a call of one operation without registered buffers has 1");
    has_note(&reading, "1 row(s) are for other numbers of nodes or ranks");
}

#[test]
fn the_variable_of_ucc_stands_in_scripts() {
    for text in [
        "export UCC_TL_UCP_TUNE=allreduce:0-inf:@1:inf # of a test\n",
        "UCC_TLS=ucp UCC_TL_UCP_TUNE=allreduce:0-inf:@1:inf \\\n./a.out\n",
        "mpirun -np 8 -x UCC_TL_UCP_TUNE=allreduce:0-inf:@1:inf ./a.out\n",
        "mpirun -np 8 -x \"UCC_TL_UCP_TUNE=allreduce:0-inf:@1:inf\" ./a.out\n",
        "# UCC_TL_UCP_TUNE=allreduce:@0\n  UCC_TL_UCP_TUNE = 'allreduce:0-inf:@1:inf'\n",
    ] {
        let reading = read(text, EIGHT).unwrap();
        let fired = fired(&reading, "allreduce", &[8]);
        assert!(fired[0].starts_with("sra_knomial at line "), "{text}: {fired:?}");
    }
    assert_eq!(TableReading::detect("MY_UCC_TL_UCP_TUNE=allreduce:@0\n"), None);
}

#[test]
fn compositions_of_mpich_are_leaves() {
    let table = r#"{"collective=allreduce": {"comm_type=intra": {
  "avg_msg_size<=4096": {"composition=MPIDI_Allreduce_intra_composition_alpha": {}},
  "avg_msg_size=any": {"composition=MPIDI_Allreduce_intra_composition_beta": {}}}}}"#;
    let reading = read(table, EIGHT).unwrap();
    let names: Vec<String> = fired(&reading, "allreduce", &[4096, 4097]);
    assert!(names[0].starts_with("MPIDI_Allreduce_intra_composition_alpha at "), "{names:?}");
    assert!(names[1].starts_with("MPIDI_Allreduce_intra_composition_beta at "), "{names:?}");
    has_note(&reading, "the file is for MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE");
}

/// The plugin replaces unknown words, RCCL skips their rows.
#[test]
fn unknown_words_are_named() {
    let table = "allreduce,0,8,tree,ll,4,1,8\nalltoall,9,20,bruck,fast,4,1,8\nallreduce,5,4,ring,ll,1,1,8\nx\n";
    let reading = TableReading::read(table, Library::Nccl, EIGHT).unwrap();
    assert_eq!(fired(&reading, "allreduce", &[9]), ["ring at line 2"]);
    has_note(&reading, "line 2: unknown collective 'alltoall'; the plugin reads allreduce without a message");
    has_note(&reading, "line 3: min_bytes 5 exceeds max_bytes 4");
    has_note(&reading, "line 4: 1 fields; expected 8 to 10");
    let reading = TableReading::read(table, Library::Rccl, EIGHT).unwrap();
    assert_eq!(fired(&reading, "allreduce", &[9]), ["none"]);
    has_note(&reading, "line 2: unknown collective 'alltoall'; the row is ignored");
}

#[test]
fn torchcomms_has_intervals_of_bytes_per_rank() {
    let table = "allreduce,[0,8192],tree,ll,4,1,8,0\nallreduce,(8192,),ring,simple,16,1,8,0\nallgather,*,ring,simple,-1,*,*,0\n";
    let reading = read(table, EIGHT).unwrap();
    assert_eq!(reading.library, Library::Torchcomms);
    // 8192 bytes per rank are 65536 bytes of eight ranks, and what is rounded down to them.
    let sizes = [0, 65536, 65543, 65544];
    let expected = ["tree at line 1", "tree at line 1", "tree at line 1", "ring at line 2"];
    assert_eq!(fired(&reading, "allreduce", &sizes), expected);
    assert_eq!(fired(&reading, "allgather", &[7]), ["ring at line 3"]);
    let spoiled = |from: &str, to: &str| error(&table.replace(from, to), EIGHT);
    assert_eq!(spoiled("(8192,)", "(8192"), "line 2: 2 fields; expected 7 or 8; torchcomms creates no communicator");
    assert!(spoiled("simple,16", "fast,16").starts_with("line 2: unknown protocol 'fast'"));
    assert!(spoiled("[0,8192]", "[0;8192]").starts_with("line 1: '[0;8192]' is no interval"));
}

const RULES: &str = "\
3            # collectives
0            # allgather
2            # communicator sizes
0            # any size below the next: the built-in decision
1
0 0 0 0
8            # 8 ranks and more
3            # message sizes, bytes of the whole result
0 2 0 0
65536 5 0 0
1048576 4 0 0
2            # allreduce
1
2
2
0 3 0 0
131072 5 0 65536
7            # bcast
1
2
2
0 6 0 0
262144 2 4 32768
";

#[test]
fn open_mpi_takes_the_rules_of_the_last_size() {
    let reading = read(RULES, EIGHT).unwrap();
    assert_eq!(reading.library, Library::OpenMpi);
    // 4 KiB, 16 KiB and 256 KiB of each rank.
    let sizes = [8 << 12, 8 << 14, 8 << 18];
    let expected = ["bruck at line 9", "neighbor at line 10", "ring at line 11"];
    assert_eq!(fired(&reading, "allgather", &sizes), expected);
    assert_eq!(fired(&reading, "bcast", &[262_143, 262_144]), ["binomial at line 22", "chain at line 23"]);
    let chain = reading.collectives[2].rule(1 << 20).unwrap();
    assert_eq!((chain.fan_out, chain.segment_bytes), (Some(4), Some(32768)));
    let four = read(RULES, Communicator { ranks: 4, hosts: 1 }).unwrap();
    assert_eq!(fired(&four, "allgather", &sizes[..1]), ["built-in at line 6"]);
    let one = read(RULES, Communicator { ranks: 1, hosts: 1 }).unwrap();
    assert_eq!(fired(&one, "allreduce", &[0]), ["recursive_doubling at line 16"]);
    has_note(&one, "line 14: smaller communicators than 2 ranks use these rules, too");
    has_note(
        &read(RULES, Communicator { ranks: 9, hosts: 1 }).unwrap(),
        "neighbor does not support 9 ranks; Open MPI uses ring",
    );
}

#[test]
fn a_fault_drops_the_rules_of_open_mpi() {
    let spoiled = |from: &str, to: &str| error(&RULES.replace(from, to), EIGHT);
    let dropped = "Open MPI drops the whole file without a message";
    assert_eq!(spoiled("0 2 0 0", "1 2 0 0"), format!("line 9: the first message size is 1, not 0; {dropped}"));
    assert_eq!(spoiled("7            # bcast", "99"), format!("line 18: 99 is no collective; {dropped}"));
    assert_eq!(
        spoiled("262144 2 4 32768\n", "262144 2\n"),
        format!("end of the file: a fan-out is missing; {dropped}")
    );
    assert_eq!(spoiled("0 6 0 0", "0 17 0 0"), "line 22: bcast has the algorithms 1 to 9, not 17; the job aborts");
    assert_eq!(spoiled("0 2 0 0", "0 7 0 0"), "line 9: allgather has the algorithms 1 to 6, not 7; the job aborts");
    assert_eq!(spoiled("0 2 0 0", "0 6 0 0"), "line 9: two_proc is for 2 ranks, not 8; the job aborts");
    let text = RULES.replace("65536 5 0 0", "65536 x 0 0");
    let error = TableReading::read(&text, Library::OpenMpi, EIGHT).unwrap_err().to_string();
    assert_eq!(error, format!("line 10: an algorithm is 'x'; expected a number; {dropped}"));
}

#[test]
fn open_mpi_6_names_algorithms() {
    let table = r#"{"rule_file_version": 3, "module": "tuned", "collectives": {"allgather": [
        {"comm_size_min": 8, "comm_size_max": 8, "comm_rank_distribution": "any", "rules": [
          {"msg_size_min": 0, "msg_size_max": 65535, "alg": "bruck", "faninout": 2},
          {"msg_size_min": 70000, "msg_size_max": 80000, "alg": "best"},
          {"msg_size_min": 65536, "msg_size_max": "inf", "alg": 4}]}], "barrier": []}}"#;
    let reading = read(table, EIGHT).unwrap();
    assert_eq!(reading.library, Library::OpenMpi6);
    let expected = ["bruck at allgather, communicator 1, rule 1", "ring at allgather, communicator 1, rule 3"];
    assert_eq!(fired(&reading, "allgather", &[65535, 75000]), expected);
    has_note(&reading, "rule 2: the algorithm is unknown, so Open MPI ignores the rule");
    has_note(&reading, "the collective 'barrier' is left out");
    assert!(read(table, Communicator { ranks: 4, hosts: 1 }).unwrap().collectives.is_empty());
    assert!(error(&table.replace("\"inf\"", "\"all\""), EIGHT).contains("msg_size_max is no number and not \"inf\""));
    assert!(error(&table.replace("]}}", ""), EIGHT).contains("this is no JSON"));
}

#[test]
fn mpich_takes_the_first_true_test() {
    let table = r#"{"collective=allgather": {
        "comm_type=intra": {
          "comm_size=pow2": {
            "total_msg_size<=65536": {"algorithm=MPIR_Allgather_intra_recursive_doubling": {}},
            "total_msg_size=any": {"algorithm=MPIR_Allgather_intra_ring": {}}},
          "comm_size=any": {
            "total_msg_size<8192": {"algorithm=MPIR_Allgather_intra_brucks": {}},
            "total_msg_size=any": {"algorithm=MPIR_Allgather_intra_ring": {}}}},
        "comm_type=inter": {"algorithm=MPIR_Allgather_inter_local_gather_remote_bcast": {}}}}"#;
    let reading = read(table, EIGHT).unwrap();
    assert_eq!(reading.library, Library::Mpich);
    let rule = |bytes: u64| reading.collectives[0].rule(bytes).unwrap();
    assert_eq!(rule(65536).place, "allgather, comm_type=intra, comm_size=pow2, total_msg_size<=65536");
    assert_eq!(rule(65537).algorithm.as_deref(), Some("MPIR_Allgather_intra_ring"));
    has_note(&reading, "a job that calls allgatherv, allreduce, alltoall,");
    let six = read(table, Communicator { ranks: 6, hosts: 1 }).unwrap();
    assert_eq!(six.collectives[0].ranges[0].to, 8191);
    let unguarded = table.replace("comm_size=pow2", "comm_size<=6");
    has_note(
        &read(&unguarded, Communicator { ranks: 6, hosts: 1 }).unwrap(),
        "recursive doubling does not support 6 ranks",
    );
    let spoiled = |from: &str, to: &str| error(&table.replace(from, to), EIGHT);
    assert_eq!(
        spoiled("\"total_msg_size=any\"", "\"total_msg_size<=99999\""),
        "allgather, comm_type=intra, comm_size=pow2: sizes have no last test '=any'; MPICH aborts the job"
    );
    assert!(spoiled("comm_size=pow2", "ranks=8").contains("MPICH has no such test"));
    assert!(error(&table.replace("}}}}", ""), EIGHT).contains("this is no table of MPICH"));
}

#[test]
fn ucc_takes_the_highest_score() {
    let table = "export UCC_TL_UCP_TUNE=\"allreduce:0-16k:[2-64]:@knomial:inf#allreduce,bcast:16k-inf:@1:inf#reduce_scatter:host:0-1k:@ring:5\"\n";
    let reading = read(table, EIGHT).unwrap();
    assert_eq!(reading.library, Library::Ucc);
    let expected = ["knomial at line 1, token 1", "sra_knomial at line 1, token 2"];
    assert_eq!(fired(&reading, "allreduce", &[16383, 16384]), expected);
    assert_eq!(fired(&reading, "bcast", &[0, 16384]), ["none", "sag_knomial at line 1, token 2"]);
    assert_eq!(fired(&reading, "reduce_scatter", &[8191, 8192]), ["ring at line 1, token 3", "none"]);
    has_note(&reading, "only inf is always chosen");
    assert_eq!(
        error(&table.replace("0-16k", "0+16k"), EIGHT),
        "line 1, token 1: '0+16k' is no collective, size range, team, score or algorithm; UCC fails to parse the token"
    );
}

#[test]
fn other_texts_are_no_tables() {
    for text in ["", "{}", "# a", "0 1\n1 2\nx y\n", "a,b,c\n", "collective,size,time\n", "{\"collectives\": 3}"] {
        assert_eq!(TableReading::detect(text), None, "{text}");
    }
}

fn tuned(library: Library, spec: &str, start_up_ps: u64) -> Tuning {
    let topology: Topology = spec.parse().unwrap();
    let topology = topology.with_times(10_000_000_000, 1_000_000).unwrap_or(topology);
    let costs = RoundCosts { start_up_ps, ports: Ports::All };
    let network = Network::new(&topology, topology.terminals(), costs).unwrap();
    let options = TuneOptions { library, collectives: Vec::new(), sizes: [1 << 10, 1 << 28], root: 0, channels: 16 };
    let tuning = tune(&network, &options).unwrap();
    // Each choice has the time of its rule.
    let text = write(&tuning);
    let communicator = Communicator { ranks: tuning.ranks, hosts: tuning.hosts };
    let reading = TableReading::read(&text, library, communicator).unwrap();
    for (table, read) in tuning.tables.iter().zip(&reading.collectives) {
        for range in &table.ranges {
            let bytes = range.from.next_multiple_of(tuning.ranks.into());
            let rule = read.rule(bytes).unwrap();
            let time = rule_time(&network, &options, read.of, rule).unwrap();
            assert_eq!(
                time.picoseconds(bytes),
                table.best(bytes).time.picoseconds(bytes),
                "{library} {}",
                read.of.name
            );
        }
    }
    tuning
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A written table is read as the choices that it was written from, for all sizes that are multiples of the ranks.
    #[test]
    fn written_tables_are_read_as_their_choices(
        library in prop::sample::select(Library::ALL.to_vec()), spec in prop::sample::select(vec!["ring:4", "mesh:2x3", "torus:2x4", "dgx-a100:1", "fat-tree:3,2"]),
        start_up_ps in 0u64..3_000_000, sizes in prop::collection::vec(0u32..28, 1..20),
    ) {
        let tuning = tuned(library, spec, start_up_ps);
        let text = write(&tuning);
        prop_assert_eq!(TableReading::detect(&text), Some(library));
        let communicator = Communicator { ranks: tuning.ranks, hosts: tuning.hosts };
        let reading = TableReading::read(&text, library, communicator).unwrap();
        prop_assert_eq!(reading.collectives.len(), tuning.tables.len());
        for (table, read) in tuning.tables.iter().zip(&reading.collectives) {
            prop_assert_eq!(table.of.name, read.of.name);
            for power in &sizes {
                let bytes = (1u64 << power).max(1 << 10) / u64::from(tuning.ranks) * u64::from(tuning.ranks);
                let (choice, rule) = (table.best(bytes), read.rule(bytes).unwrap());
                prop_assert_eq!(Some(choice.algorithm), rule.algorithm.as_deref(), "{} of {} bytes", table.of.name, bytes);
                prop_assert_eq!((choice.fan_out, choice.segment_bytes), (rule.fan_out, rule.segment_bytes));
                prop_assert_eq!(choice.protocol, rule.protocol.as_deref().zip(rule.channels));
            }
        }
    }

    #[test]
    fn no_text_crashes_a_reader(text in "[a-z0-9,\\[\\]{}:\"=<#\n -]{0,80}", place in 0usize..400, ranks in 1u32..70) {
        let spoiled = |table: &str| {
            let place = place.min(table.len());
            format!("{}{text}{}", &table[..place], &table[place..])
        };
        for library in Library::ALL {
            for table in ["", RULES, "{\"collective=bcast\": {\"count<pow2\": {}}}", "allreduce,[0,8192],tree,ll,4,1,8,0\n"] {
                let _ = TableReading::read(&spoiled(table), library, Communicator { ranks, hosts: 1 });
            }
        }
    }
}

#[test]
fn large_numbers_do_not_overflow() {
    let huge = u64::MAX;
    let ranks = Communicator { ranks: u32::MAX, hosts: 1 };
    for table in [
        format!("allreduce,0,{huge},tree,ll,{huge},1,-1\n"),
        format!("allreduce,[{huge},{huge}],tree,ll,4,*,*,0\n"),
        format!("{huge}\n0\n{huge}\n{huge}\n1\n0 1 {huge} {huge}\n"),
        format!("UCC_TL_UCP_TUNE=reduce_scatter:{huge}g-{huge}t:@ring:inf"),
        format!("{{\"collective=allreduce\": {{\"total_msg_size<={huge}\": {{}}, \"any\": {{}}}}}}"),
    ] {
        let library = TableReading::detect(&table).unwrap();
        let _ = TableReading::read(&table, library, ranks);
    }
}
