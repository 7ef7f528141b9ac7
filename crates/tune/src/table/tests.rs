//! The tables of small networks, and their traps.

use expect_test::expect;
use lockstep_schedule::{CollectiveName, Ports};
use lockstep_topology::Topology;

use super::{MergeError, merge_into_mpich, write};
use crate::library::Library;
use crate::network::{Network, RoundCosts};
use crate::tuning::{TuneOptions, Tuning, tune};

fn tuned(library: Library, spec: &str, collectives: &[CollectiveName]) -> Tuning {
    let topology: Topology = spec.parse().unwrap();
    let topology = topology.with_times(10_000_000_000, 1_000_000).unwrap_or(topology);
    let costs = RoundCosts { start_up_ps: 500_000, ports: Ports::All };
    let network = Network::new(&topology, topology.terminals(), costs).unwrap();
    let (collectives, sizes) = (collectives.to_vec(), [1 << 10, 1 << 30]);
    tune(&network, &TuneOptions { library, collectives, sizes, root: 0, channels: 16 }).unwrap()
}

#[test]
fn open_mpi_reads_rules_for_one_communicator_size() {
    let text = write(&tuned(Library::OpenMpi, "ring:8", &[CollectiveName::AllGather]));
    expect![[r"
        1                    # collectives
        0                    # allgather
        3                    # communicator sizes: below, equal to and above that of the table
        1                    # ranks
        1                    # rules
        0 0 0 0
        8                    # ranks
        1                    # rules
        0 5 0 0              # neighbor
        9                    # ranks
        1                    # rules
        0 0 0 0
    "]]
    .assert_eq(&text);
}

#[test]
fn open_mpi_6_reads_json() {
    let text = write(&tuned(Library::OpenMpi6, "ring:4", &[CollectiveName::Gather]));
    expect![[r#"
        {
          "rule_file_version": 3,
          "module": "tuned",
          "collectives": {
            "gather": [
              {
                "comm_size_min": 4,
                "comm_size_max": 4,
                "comm_rank_distribution": "any",
                "rules": [
                  {"msg_size_min": 0, "msg_size_max": "inf", "alg": 1, "faninout": 0}
                ]
              }
            ]
          }
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn nccl_has_a_row_for_all_collectives_and_sizes() {
    let tuning = tuned(Library::Nccl, "dgx-h100:2", &[]);
    let text = write(&tuning);
    let mut covered: Vec<(String, u64)> = Vec::new();
    for row in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = row.split(',').collect();
        assert!(fields.len() == 10 && row.len() < 256, "{row}");
        let [first, last, channels] = [1, 2, 5].map(|place| fields[place].parse::<u64>().unwrap());
        assert!(channels > 0 && fields[6..8] == ["2", "16"], "{row}");
        if let Some((_, end)) = covered.iter_mut().find(|(name, _)| name == fields[0]) {
            assert_eq!(first, *end + 1, "{row}");
            *end = last;
        } else {
            assert_eq!(first, 0, "{row}");
            covered.push((fields[0].to_owned(), last));
        }
    }
    assert_eq!(covered.len(), 5);
    assert!(covered.iter().all(|&(_, end)| end == 1 << 60));
    let rccl = write(&Tuning { library: Library::Rccl, ..tuning });
    assert!(rccl.lines().skip(1).all(|row| row.split(',').count() == 12), "{rccl}");
}

#[test]
fn torchcomms_counts_bytes_per_rank() {
    let nccl = tuned(Library::Nccl, "dgx-h100:1", &[CollectiveName::AllReduce]);
    let text = write(&Tuning { library: Library::Torchcomms, ..nccl.clone() });
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(rows.len(), nccl.tables[0].ranges.len());
    for (row, range) in rows.iter().zip(&nccl.tables[0].ranges).skip(1) {
        let first = row.split(['[', ',']).nth(2).unwrap().parse::<u64>().unwrap();
        assert!(first * 8 >= range.from && (first - 1) * 8 < range.from, "{row}");
    }
    assert!(rows.last().unwrap().contains(",),"), "{text}");
}

#[test]
fn ucc_has_adjacent_ranges() {
    let text = write(&tuned(Library::Ucc, "ring:4", &[CollectiveName::AllReduce, CollectiveName::ReduceScatter]));
    expect![[r#"
        export UCC_TL_UCP_TUNE="allreduce:0-35001:[4]:@knomial:inf#allreduce:35001-inf:[4]:@sra_knomial:inf#reduce_scatter:0-inf:[4]:@knomial:inf"
    "#]]
    .assert_eq(&text);
}

#[test]
fn mpich_keeps_its_choices_for_other_communicators() {
    let tuning = tuned(Library::Mpich, "ring:4", &[CollectiveName::AllGather]);
    let table = r#"{"collective=allgather": {
        "comm_type=intra": {"any": {"algorithm=MPIR_Allgather_intra_brucks": {"k=2": {}}}},
        "comm_type=inter": {"algorithm=MPIR_Allgather_inter_local_gather_remote_bcast": {}}},
        "collective=barrier": {"any": {"algorithm=x": {}}}}"#;
    expect![[r#"
        {
          "collective=allgather": {
            "comm_type=intra": {
              "comm_size<=3": {
                "any": {
                  "algorithm=MPIR_Allgather_intra_brucks": {
                    "k=2": {}
                  }
                }
              },
              "comm_size<=4": {
                "total_msg_size=any": {
                  "algorithm=MPIR_Allgather_intra_brucks": {}
                }
              },
              "comm_size=any": {
                "any": {
                  "algorithm=MPIR_Allgather_intra_brucks": {
                    "k=2": {}
                  }
                }
              }
            },
            "comm_type=inter": {
              "algorithm=MPIR_Allgather_inter_local_gather_remote_bcast": {}
            }
          },
          "collective=barrier": {
            "any": {
              "algorithm=x": {}
            }
          }
        }
    "#]]
    .assert_eq(&merge_into_mpich(table, &tuning).unwrap());
}

/// Calls that an algorithm does not support would abort the job.
#[test]
fn mpich_keeps_its_choices_for_other_calls() {
    let collectives = [CollectiveName::AllReduce, CollectiveName::AllToAll, CollectiveName::ReduceScatter];
    let tuning = tuned(Library::Mpich, "ring:4", &collectives);
    let own = |name: &str| format!(r#""collective={name}": {{"comm_type=intra": {{"algorithm=own": {{}}}}}}"#);
    let names = ["allreduce", "alltoall", "reduce_scatter", "reduce_scatter_block"].map(own);
    let merged = merge_into_mpich(&format!("{{{}}}", names.join(",")), &tuning).unwrap();
    let merged: serde_json::Value = serde_json::from_str(&merged).unwrap();
    let at = |name: &str, tests: &[&str]| -> serde_json::Value {
        let intra = &merged[format!("collective={name}")]["comm_type=intra"];
        tests.iter().fold(intra["comm_size<=4"].clone(), |table, test| table[*test].clone())
    };
    let own = serde_json::json!({"algorithm=own": {}});
    assert_eq!(at("allreduce", &["is_op_built_in=no"]), own);
    assert_eq!(at("allreduce", &["is_op_built_in=yes", "count<pow2"]), own);
    assert_eq!(at("alltoall", &["is_sendbuf_inplace=yes"]), own);
    assert_eq!(at("reduce_scatter", &["is_commutative=no"]), own);
    let chosen = at("reduce_scatter_block", &["is_commutative=yes", "total_msg_size=any"]);
    assert!(chosen.to_string().contains("MPIR_Reduce_scatter_block_intra_"), "{chosen}");
    let chosen = at("allreduce", &["is_op_built_in=yes", "count=any", "avg_msg_size=any"]);
    assert!(chosen.to_string().contains("MPIR_Allreduce_intra_reduce_scatter_allgather"), "{chosen}");
}

#[test]
fn incomplete_tables_of_mpich_are_refused() {
    let tuning = tuned(Library::Mpich, "ring:4", &[CollectiveName::AllGather]);
    let error = |table: &str| merge_into_mpich(table, &tuning).unwrap_err();
    assert!(matches!(error("{"), MergeError::Json(_)));
    assert!(matches!(error("[]"), MergeError::Json(_)));
    assert!(matches!(error(r#"{"collective=allgather": 3}"#), MergeError::Json(_)));
    assert!(matches!(error(&"{\"a\":".repeat(100_000)), MergeError::Json(_)));
    let missing = |table: &str, expected: &str| {
        assert!(matches!(error(table), MergeError::Missing { key } if key == expected), "{table}");
    };
    missing("{}", "collective=allgather");
    missing(r#"{"collective=allgather": {}}"#, "collective=allgather, comm_type=intra");
}
