//! Published results, and refusals.

use lockstep_faults::{
    CutOff, Fault, FaultClasses, FaultDiameter, FaultError, FaultKind, FaultSet, FaultSpace, Faults, Survivability,
};
use lockstep_schedule::Transport;
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};

/// Kautz networks of degree d and diameter D have d disjoint paths of at most D + 2 channels between any two nodes
/// (Reddy, Kuhl, Hosseini, Lee, 1982). So d - 1 faults leave a diameter of at most D + 2.
#[test]
fn kautz_networks_keep_a_small_diameter() {
    let found = |spec: &str, kind, at_once| {
        let kautz: Topology = spec.parse().unwrap();
        FaultDiameter::over(&kautz, Transport::Direct, FaultSpace::new(&kautz, kind, at_once).iter()).unwrap()
    };
    for kind in [FaultKind::Channel, FaultKind::Node] {
        for (degree, diameter) in [(2, 2), (2, 3), (2, 4), (3, 2), (4, 2)] {
            let after = found(&format!("kautz:{degree},{diameter}"), kind, (degree - 1).min(2));
            assert_eq!(after.disconnecting, 0);
            assert!((diameter..=diameter + 2).contains(&after.farthest.unwrap().distance));
        }
    }
    // One fault adds one channel, two add two. Three disconnect if they are all channels into or out of one of twelve nodes.
    let by_channels = (0..4).map(|at_once| found("kautz:3,2", FaultKind::Channel, at_once));
    let by_channels = by_channels.map(|found| (found.disconnecting, found.farthest.map(|pair| pair.distance)));
    assert!(by_channels.eq([(0, Some(2)), (0, Some(3)), (0, Some(4)), (24, Some(4))]));
}

#[test]
fn the_faults_of_another_network_are_refused() {
    let (mesh, ring): (Topology, Topology) = ("mesh:4x4".parse().unwrap(), "ring:4".parse().unwrap());
    let refused = |fault: Fault| Faults::from(fault).apply_to(&ring).unwrap_err();
    assert_eq!(refused(Fault::Node(NodeId::new(4))), FaultError::ForeignNode { node: NodeId::new(4) });
    assert_eq!(refused(Fault::Channel(ChannelId::new(8))), FaultError::ForeignChannel { channel: ChannelId::new(8) });
    let [first, second] = [0, 2].map(ChannelId::new);
    assert_eq!(refused(Fault::Link([second, first])), FaultError::ForeignLink { first, second });
    let links = FaultSpace::new(&mesh, FaultKind::Link, 1);
    assert!(FaultDiameter::over(&ring, Transport::Direct, links.iter()).is_err());
}

#[test]
fn samples_and_spaces_that_are_too_large_are_refused() {
    let large: Topology = "torus:64x64".parse().unwrap();
    let space = FaultSpace::new(&large, FaultKind::Channel, 1 << 10);
    assert_eq!((space.count(), space.get(0), space.index_of(&Faults::default())), (None, None, None));
    assert_eq!(space.iter().take(3).count(), 3);
    let sample = space.sample(3, 1).unwrap();
    assert!(sample.iter().all(|set| set.len() == 1 << 10) && sample.is_sorted_by(|one, other| one < other));
    assert_eq!(
        space.sample(1 << 15, 1).unwrap_err().to_string(),
        "32768 fault sets are too many, the maximum is 16384; sample fewer"
    );
    assert!(FaultClasses::new(&space, &[]).unwrap_err().to_string().starts_with("2^128 or more fault sets"));
    assert_eq!(FaultSpace::new(&large, FaultKind::Node, usize::MAX).count(), Some(0));
}

#[test]
fn samples_are_uniform() {
    let ring: Topology = "ring:6".parse().unwrap();
    let space = FaultSpace::new(&ring, FaultKind::Node, 2);
    let mut often = [0u32; 15];
    for seed in 0..1000 {
        for set in space.sample(5, seed).unwrap() {
            often[space.index_of(&set).unwrap() as usize] += 1;
        }
    }
    // A third of 1000, within six standard deviations of 15.
    assert!(often.iter().all(|times| times.abs_diff(333) < 90), "{often:?}");
}

#[test]
fn descriptions_name_the_terminals_that_are_cut_off() {
    let words = |spec: &str, faults: FaultSet, transport| {
        let broken = faults.apply_to(&spec.parse::<Topology>().unwrap()).unwrap();
        Survivability::of(&broken, transport).describe(&broken)
    };
    let direct = Transport::Direct;
    let none = FaultSet::new;
    assert_eq!(words("ring:4", none(), direct), "every pair of terminals is connected");
    assert_eq!(
        words("mesh:2x4", none().link("01", "02").link("11", "12").node("12"), direct),
        "terminals 02, 03 and 13 are cut off: there is no path from 00 to 02"
    );
    assert_eq!(words("ring:3", none().node("1").node("0"), direct), "only one terminal is left");
    assert_eq!(words("ring:2", none().node("1").node("0"), direct), "no terminal is left");
    // Store-and-forward messages cannot cross a switch.
    assert!(words("b-tree:4", none(), Transport::StoreAndForward).starts_with("terminals"));
    assert_eq!(words("b-tree:4", none(), direct), "every pair of terminals is connected");
}

/// Two planes of switches. Two terminals are on one plane each, the others on both.
#[test]
fn the_terminals_with_the_most_partners_remain() {
    let mut network = TopologyBuilder::new("planes");
    let terminals: Vec<NodeId> = (0..6).map(|terminal| network.terminal(terminal.to_string())).collect();
    let planes = ["left", "right"].map(|name| network.switch(name));
    for (place, &terminal) in terminals.iter().enumerate() {
        for (number, &plane) in planes.iter().enumerate() {
            if place != number {
                network.link(terminal, plane);
            }
        }
    }
    let planes = network.build().unwrap();
    let survivability = Survivability::of(&planes, Transport::Direct);
    let expected = CutOff { terminals: vec![terminals[1]], witness: [terminals[0], terminals[1]], pairs: 2 };
    assert_eq!(survivability, Survivability::CutOff(expected));
    assert!(Survivability::of(&planes, Transport::Relayed).is_connected());
}
