//! All formats of all collectives on small networks.

use expect_test::{Expect, expect};
use lockstep_export::{Connections, Export, ExportError, ExportOptions, FORMATS, Placement, Runtime, format_named};
use lockstep_schedule::strategy::{Instance, random_schedule};
use lockstep_schedule::{CollectiveName, CommunicationModel, Schedule};
use lockstep_topology::Topology;

const OPTIONS: ExportOptions = ExportOptions {
    placement: Placement::OutOfPlace,
    connections: Connections::Direct,
    runtime: Runtime::Rccl,
    bytes: 4096,
    sizes: [0, 0],
};

/// Returns a problem with a random schedule. Roots are the second terminal.
fn scheduled(topology: Topology, name: CollectiveName, model: CommunicationModel) -> (Instance, Schedule) {
    let root = name.has_root().then(|| topology.terminals()[1]);
    let instance = Instance { topology, collective: name.with_root(root).expect("a root where it is needed"), model };
    let schedule = random_schedule(&instance.problem(), 1);
    (instance, schedule)
}

fn network(spec: &str) -> Topology {
    spec.parse().expect("a network")
}

/// Returns the only file of an export as text.
fn text(format: &str, (instance, schedule): &(Instance, Schedule), options: ExportOptions) -> String {
    let format = format_named(format).expect("a format");
    let files = format.write(&Export { problem: instance.problem(), schedule, options }).expect("an export");
    let [file] = &files[..] else { panic!("{} files", files.len()) };
    String::from_utf8_lossy(&file.contents).into_owned()
}

#[test]
fn every_format_writes_every_collective() {
    let networks = [network("hypercube:3"), network("dgx-1"), network("torus:4x4"), network("ring:5").half_duplex()];
    for topology in networks {
        for name in CollectiveName::ALL {
            let (instance, schedule) = scheduled(topology.clone(), name, CommunicationModel::store_and_forward());
            for placement in [Placement::OutOfPlace, Placement::InPlace] {
                for format in FORMATS {
                    let options = ExportOptions { placement, ..OPTIONS };
                    let export = Export { problem: instance.problem(), schedule: &schedule, options };
                    match format.write(&export) {
                        Ok(files) => {
                            assert_eq!(files.len() == 1 && files[0].name.is_empty(), !format.is_folder());
                            assert!(files.iter().all(|file| !file.contents.is_empty()));
                            assert_eq!(format.write(&export), Ok(files), "the same bytes");
                        }
                        Err(ExportError::Limit { count, limit, .. }) => assert!(count > limit),
                        Err(ExportError::Collective { .. }) => assert!(!format.limits.is_empty()),
                        Err(error) => panic!("{} of {name} on {}: {error}", format.name, topology.name()),
                    }
                }
            }
        }
    }
}

#[test]
fn the_names_of_the_formats_differ() {
    for format in FORMATS {
        assert!(std::ptr::eq(format_named(format.name).expect("a format"), format));
    }
    assert!(format_named("xml").is_none());
}

fn check(format: &str, options: ExportOptions, name: CollectiveName, expected: &Expect) {
    let pair = scheduled(network("ring:2"), name, CommunicationModel::store_and_forward());
    expected.assert_eq(&text(format, &pair, options));
}

#[test]
fn small_exports() {
    check(
        "csv",
        OPTIONS,
        CollectiveName::AllGather,
        &expect![[r"
        rank,operation,step,action,peer,tag,from_buffer,from_offset,to_buffer,to_offset,count,waits_for
        0,0,0,copy,,,input,0,output,0,1,
        0,1,0,send,1,0,input,0,,,1,
        0,2,0,receive,1,1,,,output,1,1,
        1,0,0,copy,,,input,0,output,1,1,
        1,1,0,send,0,1,input,0,,,1,
        1,2,0,receive,0,0,,,output,0,1,
    "]],
    );
    check(
        "goal",
        OPTIONS,
        CollectiveName::AllGather,
        &expect![[r"
        // all-gather on ring:2, 2048 bytes per chunk
        num_ranks 2

        rank 0 {
        o0: calc 0
        o1: send 2048b to 1 tag 0 nic 0
        o2: recv 2048b from 1 tag 1 nic 0
        }

        rank 1 {
        o0: calc 0
        o1: send 2048b to 0 tag 1 nic 0
        o2: recv 2048b from 0 tag 0 nic 0
        }
    "]],
    );
    let in_place = ExportOptions { placement: Placement::InPlace, sizes: [1024, 4096], ..OPTIONS };
    check(
        "msccl-xml",
        in_place,
        CollectiveName::AllGather,
        &expect![[r#"
        <algo name="all-gather on ring:2" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="1" outofplace="0" minBytes="1024" maxBytes="4096">
          <gpu id="0" i_chunks="0" o_chunks="2" s_chunks="0">
            <tb id="0" send="1" recv="-1" chan="0">
              <step s="0" type="s" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
            </tb>
            <tb id="1" send="-1" recv="1" chan="0">
              <step s="0" type="r" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
            </tb>
          </gpu>
          <gpu id="1" i_chunks="0" o_chunks="2" s_chunks="0">
            <tb id="0" send="0" recv="-1" chan="0">
              <step s="0" type="s" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
            </tb>
            <tb id="1" send="-1" recv="0" chan="0">
              <step s="0" type="r" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
            </tb>
          </gpu>
        </algo>
    "#]],
    );
    check(
        "msccl-xml",
        OPTIONS,
        CollectiveName::AllReduce,
        &expect![[r#"
        <algo name="all-reduce on ring:2" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="0" outofplace="1" minBytes="0" maxBytes="0">
          <gpu id="0" i_chunks="2" o_chunks="2" s_chunks="0">
            <tb id="0" send="-1" recv="-1" chan="0">
              <step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
            </tb>
            <tb id="1" send="1" recv="-1" chan="0">
              <step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
              <step s="1" type="s" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="2" deps="0" hasdep="0"/>
            </tb>
            <tb id="2" send="-1" recv="1" chan="0">
              <step s="0" type="rrc" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="0" deps="0" hasdep="1"/>
              <step s="1" type="r" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
            </tb>
          </gpu>
          <gpu id="1" i_chunks="2" o_chunks="2" s_chunks="0">
            <tb id="0" send="-1" recv="-1" chan="0">
              <step s="0" type="cpy" srcbuf="i" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="1"/>
            </tb>
            <tb id="1" send="0" recv="-1" chan="0">
              <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
              <step s="1" type="s" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="2" deps="0" hasdep="0"/>
            </tb>
            <tb id="2" send="-1" recv="0" chan="0">
              <step s="0" type="rrc" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="0" deps="0" hasdep="1"/>
              <step s="1" type="r" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
            </tb>
          </gpu>
        </algo>
    "#]],
    );
}

/// Returns the file of this name.
fn file_of(format: &str, name: &str, (instance, schedule): &(Instance, Schedule), options: ExportOptions) -> Vec<u8> {
    let format = format_named(format).expect("a format");
    let files = format.write(&Export { problem: instance.problem(), schedule, options }).expect("an export");
    files.into_iter().find(|file| file.name == name).expect("a file of this name").contents
}

#[test]
fn small_exports_for_simulators_and_planners() {
    let model = CommunicationModel::store_and_forward();
    let path = scheduled(network("mesh:1x3"), CollectiveName::Broadcast, model);
    let far = scheduled(network("mesh:1x3"), CollectiveName::Gather, model);
    expect![[r"
        Nodes 3
        Connections 2
        Triggers 0
        0->1 id 1 start 0 size 1366
        2->1 id 2 start 0 size 1366
    "]]
    .assert_eq(&text("htsim", &far, OPTIONS));
    expect![[r#"
        {
          "msccl_type": "algorithm",
          "name": "broadcast on mesh:1x3",
          "instance": {
            "msccl_type": "instance",
            "steps": 1,
            "extra_rounds": 0,
            "chunks": 1,
            "pipeline": null,
            "extra_memory": null,
            "allow_exchange": false
          },
          "input_map": {
            "1": [0]
          },
          "output_map": {
            "0": [0],
            "1": [0],
            "2": [0]
          },
          "steps": [
            {"msccl_type": "step", "rounds": 1, "sends": [[0, 1, 0], [0, 1, 2]]}
          ],
          "collective": {
            "msccl_type": "collective",
            "name": "broadcast on mesh:1x3",
            "nodes": 3,
            "chunks": [{"msccl_type": "chunk", "pre": [1], "post": [0, 1, 2], "addr": 0}],
            "triggers": {},
            "runtime_name": "broadcast"
          },
          "topology": {
            "msccl_type": "topology",
            "name": "mesh:1x3",
            "switches": [],
            "links": [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
          }
        }
    "#]]
    .assert_eq(&text("msccl-json", &path, OPTIONS));
}

#[test]
fn a_table_has_a_row_per_step() {
    let gather = scheduled(network("mesh:1x3"), CollectiveName::Scatter, CommunicationModel::wormhole());
    expect![[r"
        % scatter on mesh:1x3. Needs \usepackage{booktabs,longtable}.
        \begin{longtable}{r l p{0.75\linewidth}}
        \toprule
        step & width & transfers (message: path) \\
        \midrule
        \endhead
        \bottomrule
        \endlastfoot
        1 & 1 & \raggedright 0: 01$\to$00, \allowbreak 1: 01$\to$02 \tabularnewline
        \end{longtable}
    "]]
    .assert_eq(&text("latex", &gather, OPTIONS));
}

#[test]
fn small_folders_for_simulators() {
    let model = CommunicationModel::store_and_forward();
    let far = scheduled(network("mesh:1x3"), CollectiveName::Gather, model);
    let file = |format: &str, name: &str| String::from_utf8_lossy(&file_of(format, name, &far, OPTIONS)).into_owned();
    expect![[r#"
        <?xml version="1.0"?>
        <!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
        <!-- gather on mesh:1x3, 1366 bytes per chunk: start run.sh in this directory -->
        <platform version="4.1">
          <config>
            <prop id="network/TCP-gamma" value="0"/>
            <prop id="network/crosstraffic" value="0"/>
            <prop id="smpi/simulate-computation" value="no"/>
          </config>
          <zone id="network" routing="Full">
            <host id="rank-0" speed="1Gf"/>
            <host id="rank-1" speed="1Gf"/>
            <host id="rank-2" speed="1Gf"/>
            <link id="link-0" bandwidth="1000000000Bps" latency="1000000ps"/>
            <link id="link-1" bandwidth="1000000000Bps" latency="1000000ps"/>
            <link id="link-2" bandwidth="1000000000Bps" latency="1000000ps"/>
            <link id="link-3" bandwidth="1000000000Bps" latency="1000000ps"/>
            <route src="rank-0" dst="rank-1" symmetrical="NO">
              <link_ctn id="link-0"/>
            </route>
            <route src="rank-2" dst="rank-1" symmetrical="NO">
              <link_ctn id="link-3"/>
            </route>
          </zone>
        </platform>
    "#]]
    .assert_eq(&file("simgrid", "platform.xml"));
    expect![[r"
        1 init
        1 irecv 0 0 1366
        1 irecv 2 1 1366
        1 waitall
        1 finalize
    "]]
    .assert_eq(&file("simgrid", "rank-1.txt"));
}

#[test]
fn titles_have_the_words_of_names_but_no_signs_that_end_a_comment() {
    let broken = network("ring:4").renamed("a */ \"ring\" without link 0-1");
    let schedule = scheduled(broken, CollectiveName::AllGather, CommunicationModel::store_and_forward());
    let title = "all-gather on a  ring without link 0-1";
    for format in ["mpi-c", "msccl-xml", "goal", "latex"] {
        assert!(text(format, &schedule, OPTIONS).contains(title), "{format}");
    }
}

#[test]
fn small_folders_for_programs() {
    let model = CommunicationModel::store_and_forward();
    let far = scheduled(network("mesh:1x3"), CollectiveName::Gather, model);
    let file = |format: &str, name: &str| String::from_utf8_lossy(&file_of(format, name, &far, OPTIONS)).into_owned();
    expect![[r#"
        {
          "title": "gather on mesh:1x3",
          "steps": 1,
          "ranks": [
            {
              "sizes": [
                1,
                0,
                0
              ],
              "inputs": [
                ["input", 0, 0]
              ],
              "results": [],
              "operations": [
                {"step": 0, "action": "send", "peer": 1, "from": ["input", 0], "count": 1}
              ]
            },
            {
              "sizes": [
                1,
                3,
                0
              ],
              "inputs": [
                ["input", 0, 2]
              ],
              "results": [
                ["output", 0, 0],
                ["output", 1, 2],
                ["output", 2, 1]
              ],
              "operations": [
                {"step": 0, "action": "copy", "from": ["input", 0], "to": ["output", 1], "count": 1},
                {"step": 0, "action": "receive", "peer": 0, "to": ["output", 0], "count": 1},
                {"step": 0, "action": "receive", "peer": 2, "to": ["output", 2], "count": 1}
              ]
            },
            {
              "sizes": [
                1,
                0,
                0
              ],
              "inputs": [
                ["input", 0, 1]
              ],
              "results": [],
              "operations": [
                {"step": 0, "action": "send", "peer": 1, "from": ["input", 0], "count": 1}
              ]
            }
          ]
        }
    "#]]
    .assert_eq(&file("torch", "plan.json"));
}

#[test]
fn a_network_with_two_paths_has_no_platform() {
    let topology = network("ring:4");
    let collective = lockstep_schedule::Collective::all_to_all().with_chunks(4.try_into().expect("more than 0"));
    let instance = Instance { topology, collective, model: CommunicationModel::wormhole() };
    let schedule = random_schedule(&instance.problem(), 1);
    let export = Export { problem: instance.problem(), schedule: &schedule, options: OPTIONS };
    let error = format_named("simgrid").expect("a format").write(&export).expect_err("two paths to the opposite node");
    expect!["the way from rank 1 to rank 3 needs 2 different paths, but SimGrid has at most 1; plan with --switching sf, or on a network with one path per pair"].assert_eq(&error.to_string());
}

/// A path of two ranks with a thousand chunks: 16 thread blocks of 64 steps in each direction.
#[test]
fn long_thread_blocks_are_split_up_to_the_limit() {
    let pair = |chunks: u32| {
        let topology = network("ring:2");
        let collective =
            lockstep_schedule::Collective::all_to_all().with_chunks(chunks.try_into().expect("more than 0"));
        let instance = Instance { topology, collective, model: CommunicationModel::store_and_forward() };
        let schedule = random_schedule(&instance.problem(), 1);
        (instance, schedule)
    };
    let xml = text("msccl-xml", &pair(1000), OPTIONS);
    let steps = |block: &str| block.matches("<step ").count();
    let blocks: Vec<usize> = xml.split("<tb ").skip(1).map(steps).collect();
    assert!(blocks.iter().all(|&steps| steps <= 64), "{blocks:?}");
    assert!(xml.contains("nchannels=\"16\""));
    let (instance, schedule) = pair(2100);
    let format = format_named("msccl-xml").expect("a format");
    let error =
        format.write(&Export { problem: instance.problem(), schedule: &schedule, options: OPTIONS }).unwrap_err();
    expect!["rank 0 needs 67 thread blocks, but RCCL has at most 64; use fewer chunks, fewer ranks, or a plan in which each rank has fewer peers; or export with --to mscclpp-json or --to nccl-c"].assert_eq(&error.to_string());
}

#[test]
fn a_binary_file_describes_itself() {
    let (instance, schedule) =
        scheduled(network("hypercube:3"), CollectiveName::AllReduce, CommunicationModel::store_and_forward());
    let format = format_named("goal-binary").expect("a format");
    let files = format
        .write(&Export { problem: instance.problem(), schedule: &schedule, options: OPTIONS })
        .expect("an export");
    let bytes = &files[0].contents;
    let u32_at = |place: usize| u32::from_le_bytes(bytes[place..place + 4].try_into().expect("4 bytes"));
    let u64_at = |place: usize| u64::from_le_bytes(bytes[place..place + 8].try_into().expect("8 bytes"));
    assert_eq!((u64_at(0), u32_at(8)), (4223, 8));
    let mut sends = 0;
    for rank in 0..8 {
        let [start, end] = [0, 8].map(|field| 8 + u64_at(14 + 16 * rank + field) as usize);
        let [nodes, roots] = [0, 4].map(|field| u32_at(start + field) as usize);
        let first = start + 8 + 4 * roots;
        let node = |index: usize| first + 39 * index;
        let is_root = |index: &usize| u32_at(node(*index)) == 0;
        let listed: Vec<usize> = (0..roots).map(|root| u32_at(start + 8 + 4 * root) as usize).collect();
        assert_eq!(listed, (0..nodes).filter(is_root).collect::<Vec<_>>());
        let dependants: u32 = (0..nodes).map(|index| u32_at(node(index) + 23)).sum();
        let dependencies: u32 = (0..nodes).map(|index| u32_at(node(index))).sum();
        assert_eq!((dependants, node(nodes) + 4 * dependants as usize), (dependencies, end));
        sends += (0..nodes).filter(|&index| bytes[node(index) + 4] == 1).count();
    }
    assert_eq!(sends, schedule.transfer_count());
}
