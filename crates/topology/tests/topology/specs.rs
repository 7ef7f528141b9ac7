//! Spec strings: refusals and their messages. The parser never panics and is fast.

use expect_test::expect;
use lockstep_topology::*;
use proptest::prelude::*;

/// One line per spec with its error. The list of all families is shortened.
fn refusals<'a>(specs: impl IntoIterator<Item = &'a str>) -> String {
    let all_families = families().iter().map(|family| family.name).collect::<Vec<_>>().join(", ");
    let lines = specs.into_iter().map(|spec| {
        let error = spec.parse::<Topology>().expect_err(spec).to_string();
        assert!(!error.contains(char::is_control), "{spec:?}: {error:?}");
        format!("{spec:?}: {error}").replace(&all_families, "<all families>")
    });
    lines.collect::<Vec<String>>().join("\n")
}

#[test]
fn malformed_specs_are_refused_in_one_line_with_a_remedy() {
    let specs = [
        "",
        ":",
        "omgea:8",
        "Hyprcube:3",
        "b-treee:8",
        "frobnicate:1",
        "path/to/file.json",
        "omega",
        "omega:",
        "mesh: ",
        "fat-tree:2",
        "fat-tree:2,3,4",
        "kautz:3",
        "octagon:8",
        "circulant:8",
        "ladder:2",
        "ladder:2x3x4",
        "omega:eight",
        "omega:-8",
        "omega:+8",
        "omega:8.5",
        "omega:٨",
        "omega:0x8",
        "torus:4,4",
        "torus:4x",
        "mesh:4xx4",
        "mesh:4\n4",
        "moore:eight",
        "ladder:twox4",
        "mesh:4x\u{1b}[31m",
        "random-regular:8,three,1",
        "circulant:8,1,,2",
        "amp:+sc",
        "amp:8+",
        "amp:8+cs",
        "amp:8,sc",
        "amp:8+sc+sc",
        "omega:99999999999",
        "random-regular:8,3,99999999999999999999",
    ];
    expect![[r#"
        "": there is no network family ''; choose one of <all families>
        ":": there is no network family ''; choose one of <all families>
        "omgea:8": there is no network family 'omgea'; did you mean 'omega'?
        "Hyprcube:3": there is no network family 'Hyprcube'; did you mean 'hypercube'?
        "b-treee:8": there is no network family 'b-treee'; did you mean 'b-tree'?
        "frobnicate:1": there is no network family 'frobnicate'; choose one of <all families>
        "path/to/file.json": there is no network family 'path/to/file.json'; choose one of <all families>
        "omega": 'omega' needs parameters; write omega:TERMINALS, for example omega:8
        "omega:": 'omega' needs parameters; write omega:TERMINALS, for example omega:8
        "mesh: ": 'mesh' needs parameters; write mesh:SIDExSIDE[x...], for example mesh:4x4
        "fat-tree:2": fat-tree takes 2 parameters, not 1; write fat-tree:ARITY,LEVELS, for example fat-tree:2,3
        "fat-tree:2,3,4": fat-tree takes 2 parameters, not 3; write fat-tree:ARITY,LEVELS, for example fat-tree:2,3
        "kautz:3": kautz takes 2 parameters, not 1; write kautz:DEGREE,DIAMETER, for example kautz:3,2
        "octagon:8": octagon takes no parameters; write 'octagon'
        "circulant:8": circulant takes 2 parameters or more, not 1; write circulant:NODES,CHORD[,CHORD...], for example circulant:8,1,4
        "ladder:2": ladder takes 2 parameters, not 1; write ladder:ROWSxRUNGS, for example ladder:2x4
        "ladder:2x3x4": ladder takes 2 parameters, not 3; write ladder:ROWSxRUNGS, for example ladder:2x4
        "omega:eight": TERMINALS of omega is 'eight', not a whole number; write omega:TERMINALS, for example omega:8
        "omega:-8": TERMINALS of omega is '-8', not a whole number; write omega:TERMINALS, for example omega:8
        "omega:+8": TERMINALS of omega is '+8', not a whole number; write omega:TERMINALS, for example omega:8
        "omega:8.5": TERMINALS of omega is '8.5', not a whole number; write omega:TERMINALS, for example omega:8
        "omega:٨": TERMINALS of omega is '٨', not a whole number; write omega:TERMINALS, for example omega:8
        "omega:0x8": TERMINALS of omega is '0x8', not a whole number; write omega:TERMINALS, for example omega:8
        "torus:4,4": SIDE of torus is '4,4', not a whole number; write torus:SIDExSIDE[x...], for example torus:4x4
        "torus:4x": SIDE of torus is '', not a whole number; write torus:SIDExSIDE[x...], for example torus:4x4
        "mesh:4xx4": SIDE of mesh is '', not a whole number; write mesh:SIDExSIDE[x...], for example mesh:4x4
        "mesh:4\n4": SIDE of mesh is '4\n4', not a whole number; write mesh:SIDExSIDE[x...], for example mesh:4x4
        "moore:eight": NODES of moore is 'eight', not a whole number; write moore:NODES, for example moore:8
        "ladder:twox4": ROWS of ladder is 'two', not a whole number; write ladder:ROWSxRUNGS, for example ladder:2x4
        "mesh:4x\u{1b}[31m": SIDE of mesh is '\u{1b}[31m', not a whole number; write mesh:SIDExSIDE[x...], for example mesh:4x4
        "random-regular:8,three,1": DEGREE of random-regular is 'three', not a whole number; write random-regular:NODES,DEGREE,SEED, for example random-regular:16,4,1
        "circulant:8,1,,2": CHORD of circulant is '', not a whole number; write circulant:NODES,CHORD[,CHORD...], for example circulant:8,1,4
        "amp:+sc": 'amp' needs parameters; write amp:NODES[+sc], for example amp:23
        "amp:8+": NODES of amp is '8+', not a whole number; write amp:NODES[+sc], for example amp:23
        "amp:8+cs": NODES of amp is '8+cs', not a whole number; write amp:NODES[+sc], for example amp:23
        "amp:8,sc": amp takes 1 parameter, not 2; write amp:NODES[+sc], for example amp:23
        "amp:8+sc+sc": NODES of amp is '8+sc', not a whole number; write amp:NODES[+sc], for example amp:23
        "omega:99999999999": TERMINALS of omega is 99999999999, but the largest number is 4294967295; choose a smaller one
        "random-regular:8,3,99999999999999999999": SEED of random-regular is 99999999999999999999, but the largest number is 18446744073709551615; choose a smaller one"#]].assert_eq(&refusals(specs));
}

#[test]
fn malformed_expansions_are_refused_with_a_remedy() {
    let specs = [
        "line:complete:4",
        "line:circulant:8,1",
        "line:1,",
        "line:1,rnig:4",
        "line",
        "expand:x,ring:4",
        "power:2",
        "product:",
        "product:ring:4",
        "product:ring:4*",
        "product:ring:4*(ring:3",
        "product:ring:4)*(ring:3",
        "product:(ring:4)(ring:3)*ring:2",
        "metacyclic:8,2,3",
        "line:1,line:1,line:1,line:1,line:1,line:1,line:1,line:1,line:1,complete:3",
    ];
    expect![[r#"
        "line:complete:4": line takes 2 parameters, not 1; write line:POWER,SPEC, for example line:1,complete:4
        "line:circulant:8,1": POWER of line is 'circulant:8', not a whole number; write line:POWER,SPEC, for example line:1,complete:4
        "line:1,": there is no network family ''; choose one of <all families>
        "line:1,rnig:4": there is no network family 'rnig'; did you mean 'ring'?
        "line": 'line' needs parameters; write line:POWER,SPEC, for example line:1,complete:4
        "expand:x,ring:4": COPIES of expand is 'x', not a whole number; write expand:COPIES,SPEC, for example expand:4,complete:2
        "power:2": power takes 2 parameters, not 1; write power:EXPONENT,SPEC, for example power:2,ring:4
        "product:": 'product' needs parameters; write product:SPEC*SPEC[*SPEC...], for example product:ring:4*complete:3
        "product:ring:4": product takes 2 factors or more, not 1; write product:SPEC*SPEC[*SPEC...], for example product:ring:4*complete:3
        "product:ring:4*": there is no network family ''; choose one of <all families>
        "product:ring:4*(ring:3": the parentheses in 'ring:4*(ring:3' of product do not match; close each one that is opened
        "product:ring:4)*(ring:3": the parentheses in 'ring:4)*(ring:3' of product do not match; close each one that is opened
        "product:(ring:4)(ring:3)*ring:2": NODES of ring is '4)(ring:3', not a whole number; write ring:NODES, for example ring:8
        "metacyclic:8,2,3": the number of generators is 0, but metacyclic needs 1 or more; try metacyclic:8,2,3,1
        "line:1,line:1,line:1,line:1,line:1,line:1,line:1,line:1,line:1,complete:3": 'complete:3' is inside 8 other specs, the most that are allowed; simplify the spec"#]].assert_eq(&refusals(specs));
}

#[test]
fn unsupported_parameters_are_refused_with_supported_ones() {
    let specs = "
        omega:12 omega:0 omega:1 butterfly:3 b-tree:6 full-b-tree:0 full-b-tree:8 clos:0,3,4 clos:3,3,0
        fat-tree:1,3 fat-tree:2,0 ring:0 complete:0 star:0 torus:0x4 mesh:3x0x0
        mesh:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1 ladder:3x4 ladder:2x0 hypercube:0
        folded-hypercube:1 circulant:2,1 circulant:8,5 circulant:8,0 circulant:8,3,4,3 k-ring:6 midimew:4
        moore:10 kautz:0,3 kautz:1,3 kautz:2,0 de-bruijn:1,2 de-bruijn:2,0 random-regular:1,0,1
        amp:0 amp:4 amp:4+sc amp:513
        random-regular:8,8,1 random-regular:8,1,1 random-regular:7,3,1 dragonfly:0,1,1 dragonfly:2,1,0
        jellyfish:3,2,1 jellyfish:8,2,1 jellyfish:8,8,1
        generalised-kautz:1,5 generalised-kautz:4,4 circulant-digraph:1,1 circulant-digraph:8,8 circulant-digraph:8,3,1,3
        metacyclic:0,2,1,1 metacyclic:1,1,1,1 metacyclic:8,3,3,1 metacyclic:8,2,9,1 metacyclic:8,2,3,16 metacyclic:8,2,3,1,1
        line:0,ring:4 line:33,circulant-digraph:4,1 line:1,complete:1 line:1,omega:8 line:9,complete:9
        expand:0,ring:4 expand:2,dgx-1 expand:100000,ring:4 power:0,ring:4 power:25,complete:1 power:9,complete:8
        product:ring:5000*ring:5000";
    expect![[r#"
        "omega:12": the number of terminals is 12, but omega needs a power of two from 2; try omega:8 or omega:16
        "omega:0": the number of terminals is 0, but omega needs a power of two from 2; try omega:2
        "omega:1": the number of terminals is 1, but omega needs a power of two from 2; try omega:2
        "butterfly:3": the number of terminals is 3, but butterfly needs a power of two from 2; try butterfly:2 or butterfly:4
        "b-tree:6": the number of terminals is 6, but b-tree needs a power of two from 2; try b-tree:4 or b-tree:8
        "full-b-tree:0": the number of nodes is 0, but full-b-tree needs one less than a power of two; try full-b-tree:1
        "full-b-tree:8": the number of nodes is 8, but full-b-tree needs one less than a power of two; try full-b-tree:7 or full-b-tree:15
        "clos:0,3,4": the number of inputs of a switch is 0, but clos needs 1 or more; try clos:1,3,4
        "clos:3,3,0": the number of input switches is 0, but clos needs 1 or more; try clos:3,3,1
        "fat-tree:1,3": the arity is 1, but fat-tree needs 2 or more; try fat-tree:2,3
        "fat-tree:2,0": the number of levels is 0, but fat-tree needs 1 or more; try fat-tree:2,1
        "ring:0": the number of nodes is 0, but ring needs 1 or more; try ring:3
        "complete:0": the number of nodes is 0, but complete needs 1 or more; try complete:1
        "star:0": the number of nodes is 0, but star needs 1 or more; try star:1
        "torus:0x4": the length of a side is 0, but torus needs 1 or more; try torus:1x4
        "mesh:3x0x0": the length of a side is 0, but mesh needs 1 or more; try mesh:3x1x1
        "mesh:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1": the number of sides is 25, but mesh needs 1 to 24; try mesh:4x4
        "ladder:3x4": the number of rows is 3, but ladder needs 2; try ladder:2x4 or mesh:3x4
        "ladder:2x0": the number of rungs is 0, but ladder needs 1 or more; try ladder:2x1
        "hypercube:0": the dimension is 0, but hypercube needs 1 or more; try hypercube:1
        "folded-hypercube:1": the dimension is 1, but folded-hypercube needs 2 or more; try folded-hypercube:2
        "circulant:2,1": the number of nodes is 2, but circulant needs 3 or more; try circulant:3,1
        "circulant:8,5": the chord is 5, but circulant needs 1 to 4 for 8 nodes; try circulant:8,3
        "circulant:8,0": the chord is 0, but circulant needs 1 to 4 for 8 nodes; try circulant:8,1
        "circulant:8,3,4,3": the repeated chord is 3, but circulant needs each once; try circulant:8,3,4
        "k-ring:6": the number of nodes is 6, but k-ring needs 7 or more; try k-ring:7
        "midimew:4": the number of nodes is 4, but midimew needs 5 or more; try midimew:5
        "moore:10": the number of nodes is 10, but moore needs 8; try moore:8
        "kautz:0,3": the degree is 0, but kautz needs 2 or more; try kautz:2,3
        "kautz:1,3": the degree is 1, but kautz needs 2 or more; try kautz:2,3
        "kautz:2,0": the diameter is 0, but kautz needs 1 or more; try kautz:2,1
        "de-bruijn:1,2": the degree is 1, but de-bruijn needs 2 or more; try de-bruijn:2,2
        "de-bruijn:2,0": the diameter is 0, but de-bruijn needs 1 or more; try de-bruijn:2,1
        "random-regular:1,0,1": the number of nodes is 1, but random-regular needs 2 or more; try random-regular:2,1,1
        "amp:0": the number of nodes is 0, but amp needs 5 to 512; try amp:5
        "amp:4": the number of nodes is 4, but amp needs 5 to 512; try amp:5
        "amp:4+sc": the number of nodes is 4, but amp needs 5 to 512; try amp:5
        "amp:513": the number of nodes is 513, but amp needs 5 to 512; try amp:512
        "random-regular:8,8,1": the degree is 8, but random-regular needs 2 to 7 for 8 nodes; try random-regular:8,7,1
        "random-regular:8,1,1": the degree is 1, but random-regular needs 2 to 7 for 8 nodes; try random-regular:8,2,1
        "random-regular:7,3,1": the degree is 3, but random-regular needs an even degree for 7 nodes; try random-regular:7,4,1
        "dragonfly:0,1,1": the number of routers in a group is 0, but dragonfly needs 1 or more; try dragonfly:1,1,1
        "dragonfly:2,1,0": the number of global links of a router is 0, but dragonfly needs 1 or more; try dragonfly:2,1,1
        "jellyfish:3,2,1": the number of routers is 3, but jellyfish needs 4 or more; try jellyfish:4,3,1
        "jellyfish:8,2,1": the number of ports is 2, but jellyfish needs 3 to 7 for 8 routers; try jellyfish:8,3,1
        "jellyfish:8,8,1": the number of ports is 8, but jellyfish needs 3 to 7 for 8 routers; try jellyfish:8,7,1
        "generalised-kautz:1,5": the degree is 1, but generalised-kautz needs 2 or more; try generalised-kautz:2,5
        "generalised-kautz:4,4": the number of nodes is 4, but generalised-kautz needs more than the degree, 4; try generalised-kautz:4,5
        "circulant-digraph:1,1": the number of nodes is 1, but circulant-digraph needs 2 or more; try circulant-digraph:2,1
        "circulant-digraph:8,8": the shift is 8, but circulant-digraph needs 1 to 7 for 8 nodes; try circulant-digraph:8,1
        "circulant-digraph:8,3,1,3": the repeated shift is 3, but circulant-digraph needs each once; try circulant-digraph:8,1,3
        "metacyclic:0,2,1,1": the number of rows is 0, but metacyclic needs 1 or more; try metacyclic:2,2,1,1
        "metacyclic:1,1,1,1": the number of rows is 1, but metacyclic needs 2 or more for 1 column; try metacyclic:2,1,1,1
        "metacyclic:8,3,3,1": the multiplier is 3, but metacyclic needs a number below the 8 rows whose power 3 is 1 modulo 8; try metacyclic:8,3,1,1
        "metacyclic:8,2,9,1": the multiplier is 9, but metacyclic needs a number below the 8 rows whose power 2 is 1 modulo 8; try metacyclic:8,2,1,1
        "metacyclic:8,2,3,16": the element is 16, but metacyclic needs 1 to 15 for 16 nodes; try metacyclic:8,2,3,1
        "metacyclic:8,2,3,1,1": the repeated element is 1, but metacyclic needs each once; try metacyclic:8,2,3,1
        "line:0,ring:4": the power is 0, but line needs 1 to 32; try line:1,ring:4
        "line:33,circulant-digraph:4,1": the power is 33, but line needs 1 to 32; try line:32,circulant-digraph:4,1
        "line:1,complete:1": the number of channels is 0, but line needs 1 or more; try line:1,complete:4
        "line:1,omega:8": the number of switches is 12, but line needs only terminals; try line:1,complete:4
        "line:9,complete:9": the network has 18874368 nodes, more than 16777216; choose a smaller one
        "expand:0,ring:4": the number of copies is 0, but expand needs 1 or more; try expand:1,ring:4
        "expand:2,dgx-1": the greatest capacity is 2, but expand needs channels of capacity 1; try expand:4,complete:2
        "expand:100000,ring:4": the network has 80000000000 channels, more than 67108864; choose a smaller one
        "power:0,ring:4": the exponent is 0, but power needs 1 to 24; try power:1,ring:4
        "power:25,complete:1": the exponent is 25, but power needs 1 to 24; try power:24,complete:1
        "power:9,complete:8": the network has 134217728 nodes, more than 16777216; choose a smaller one
        "product:ring:5000*ring:5000": the network has 25000000 nodes, more than 16777216; choose a smaller one"#]].assert_eq(&refusals(specs.split_whitespace()));
}

#[test]
fn networks_that_are_too_large_are_refused_before_construction() {
    let specs = "
        omega:4294967295 full-b-tree:4294967294 random-regular:4000000000,4,1 hypercube:40 hypercube:4294967295
        mesh:1000000x1000000 torus:4294967295x4294967295x4294967295 complete:16777216 ring:16777217
        kautz:4294967295,4294967295 clos:4294967295,4294967295,4294967295 fat-tree:4294967295,4294967295
        dragonfly:4294967295,4294967295,4294967295 jellyfish:1000000,3,1";
    expect![[r#"
        "omega:4294967295": the network has 4294967295 nodes, more than 16777216; choose a smaller one
        "full-b-tree:4294967294": the network has 4294967294 nodes, more than 16777216; choose a smaller one
        "random-regular:4000000000,4,1": the number of links is 8000000000, but random-regular needs 1048576 or fewer; try random-regular:64,4,1
        "hypercube:40": the network has 1099511627776 nodes, more than 16777216; choose a smaller one
        "hypercube:4294967295": the network has 2^64 or more nodes, more than 16777216; choose a smaller one
        "mesh:1000000x1000000": the network has 1000000000000 nodes, more than 16777216; choose a smaller one
        "torus:4294967295x4294967295x4294967295": the network has 2^64 or more nodes, more than 16777216; choose a smaller one
        "complete:16777216": the network has 281474959933440 channels, more than 67108864; choose a smaller one
        "ring:16777217": the network has 16777217 nodes, more than 16777216; choose a smaller one
        "kautz:4294967295,4294967295": the network has 2^64 or more nodes, more than 16777216; choose a smaller one
        "clos:4294967295,4294967295,4294967295": the network has 2^64 or more nodes, more than 16777216; choose a smaller one
        "fat-tree:4294967295,4294967295": the network has 2^64 or more nodes, more than 16777216; choose a smaller one
        "dragonfly:4294967295,4294967295,4294967295": the network has 2^64 or more nodes, more than 16777216; choose a smaller one
        "jellyfish:1000000,3,1": the number of links is 1500000, but jellyfish needs 1048576 or fewer; try jellyfish:64,4,1"#]].assert_eq(&refusals(specs.split_whitespace()));
}

#[test]
fn quotes_of_long_specs_are_shortened() {
    let long = "9".repeat(1_000_000);
    for spec in [
        long.clone(),
        format!("{long}:1"),
        format!("omega:{long}"),
        format!("omega:{long}x"),
        format!("mesh:{}", "1x".repeat(500_000)),
    ] {
        let error = spec.parse::<Topology>().unwrap_err().to_string();
        assert!(error.chars().count() < 500, "{error}");
    }
}

#[test]
fn case_white_space_and_leading_zeros_are_ignored() {
    for (spec, normal) in [
        (" Omega : 008 ", "omega:8"),
        ("MESH:4X04", "mesh:4x4"),
        ("clos:3, 3 ,4", "clos:3,3,4"),
        ("Octagon:", "octagon"),
        ("circulant:10,5,1", "circulant:10,1,5"),
    ] {
        let topology: Topology = spec.parse().unwrap();
        assert_eq!(topology.name(), normal);
        assert_eq!(topology, normal.parse().unwrap());
    }
}

#[test]
fn families_are_found_by_their_example_and_named_once() {
    let mut names: Vec<&str> = families().iter().map(|family| family.name).collect();
    for family in families() {
        let topology: Topology = family.example.parse().unwrap();
        assert_eq!(topology.name(), family.example);
        assert_eq!(topology, topology.name().parse().unwrap());
    }
    names.sort_unstable();
    assert!(names.array_windows().all(|[one, next]| one != next));
}

#[test]
fn a_nearly_right_name_finds_its_family() {
    for family in families() {
        let error = format!("{}z:1", family.name).parse::<Topology>().unwrap_err();
        let SpecError::UnknownFamily { nearest, .. } = error else { panic!("{error}") };
        assert!(nearest.contains(&family.name), "{} {nearest:?}", family.name);
    }
}

/// Parameters that make networks of a few thousand nodes at most, and impossible ones.
fn parameters() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        8 => (0..6u64).prop_map(|number| number.to_string()),
        2 => any::<u64>().prop_map(|number| number.to_string()),
        1 => "[ -~]{0,4}",
    ];
    let separator = prop_oneof![Just(","), Just("x"), Just(":")];
    prop::collection::vec((number, separator), 0..4)
        .prop_map(|parts| parts.into_iter().map(|(number, separator)| number + separator).collect())
}

proptest! {
    /// Random text is read or refused without a panic; what is read is read again from its own name.
    #[test]
    fn every_text_is_read_or_refused(
        family in prop::sample::select(families()),
        parameters in parameters(),
        trailing in prop::sample::select(vec!["", ",1", "x2", "x3,1"]),
    ) {
        let spec = format!("{}:{parameters}{trailing}", family.name);
        match spec.parse::<Topology>() {
            Ok(topology) => prop_assert_eq!(&topology, &topology.name().parse::<Topology>().unwrap()),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn arbitrary_text_never_panics(spec in any::<String>()) {
        let _ = spec.parse::<Topology>();
    }
}
