//! The fit of networks to measurements: recovery of known machines, and its laws.

mod cases;
mod laws;
mod lumi;
mod machines;

use lockstep_measure::SlowLink;
use machines::{Conditions, FAMILIES, HEAD, Machine, Score, fitted, pcie_tree};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Noise of 3 %, 5 % of the channels degraded.
const DEGRADED: Conditions = Conditions { noise: 300, degraded: 5 };

/// Noise of 3 %, no degraded channels.
const HEALTHY: Conditions = Conditions { noise: 300, degraded: 0 };

/// Machines per family.
const MACHINES: u64 = 20;

#[test]
fn classes_and_degraded_links_are_recovered_from_pairs_and_probes() {
    let mut table = HEAD.to_owned();
    for (family, name) in FAMILIES.iter().enumerate() {
        let mut sum = Score::default();
        for seed in 0..MACHINES {
            let machine = Machine::draw(family, seed, DEGRADED);
            let (fit, measurement) = machine.study(seed, DEGRADED);
            let score = Score::new(&machine, &measurement, &fit);
            assert!(score.worst <= 0.02, "{name}, seed {seed}: {score:?}");
            assert_eq!((score.missed, score.invented), (0, 0), "{name}, seed {seed}: {score:?}");
            sum = sum.and(score);
        }
        table.extend(["\n", &sum.row(name, MACHINES)]);
    }
    let page = include_str!("../../../../../docs/guide/src/measured.md");
    assert!(page.contains(&table), "the guide has another table than:\n{table}");
}

#[test]
fn healthy_machines_have_no_alarm() {
    for seed in 0..200 {
        let family = seed as usize % FAMILIES.len();
        let machine = Machine::draw(family, seed, HEALTHY);
        let measurement = machine.measure(&machine.pairs(), seed, HEALTHY);
        let fit = fitted(&machine.topology, measurement.samples);
        assert_eq!(fit.kinds[0].below(0.9), 0, "{}, seed {seed}: {:?}", FAMILIES[family], fit.kinds[0].slow);
    }
}

#[test]
fn probes_show_degraded_links_that_pairs_cannot_fill() {
    let exact = Conditions { noise: 100, degraded: 0 };
    let (topology, label) = pcie_tree(2, 2, 4);
    let channels = topology.channel_bound();
    // Uplinks are twice as wide as GPUs. So a pair does not see that one of them has lost 30 %.
    let mut machine = Machine {
        topology,
        label,
        bandwidth: vec![24_000_000_000, 48_000_000_000, 60_000_000_000],
        percent: vec![100; channels],
    };
    let slow = machine.topology.channels().find(|channel| machine.label[channel.index()] == 1).expect("an uplink");
    machine.percent[slow.index()] = 70;
    let fit = fitted(&machine.topology, machine.measure(&machine.pairs(), 1, exact).samples);
    let uplinks =
        fit.kinds[0].classes.iter().find(|class| class.channels.contains(&slow)).expect("the class of uplinks");
    assert!(fit.kinds[0].slow.is_empty());
    assert_eq!((uplinks.visible, uplinks.probes.len()), (0, uplinks.channels.len()));

    let (fit, measurement) = machine.study(1, exact);
    let [link] = &fit.kinds[0].slow[..] else { panic!("one slow link, found {:?}", fit.kinds[0].slow) };
    assert_eq!((&link.channels[..], measurement.rounds <= 2), (&[slow][..], true));
    assert!((link.part - 0.7).abs() < 0.03, "{link:?}");
}

/// One directed channel of 28 at 40 to 90 %, from pairs and four concurrent tests, with noise of 1 %.
#[test]
fn one_sick_channel_of_a_server_is_named() {
    let conditions = Conditions { noise: 100, degraded: 0 };
    let (mut named, mut one_of_two, mut alarms) = (0, 0, 0);
    let mut trials = 0;
    for seed in 0..200 {
        let (topology, label) = pcie_tree(2, 2, 2);
        let channels: Vec<_> = topology.channels().collect();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut machine = Machine {
            percent: vec![100; topology.channel_bound()],
            topology,
            label,
            bandwidth: vec![24_000_000_000, 24_000_000_000, 16_000_000_000],
        };
        let terminals = machine.topology.terminals().to_vec();
        let test = |flows: [[usize; 2]; 2]| flows.map(|flow| flow.map(|place| terminals[place])).to_vec();
        let concurrent = [[[0, 2], [1, 3]], [[2, 0], [3, 1]], [[4, 6], [5, 7]], [[6, 4], [7, 5]]];
        let tests: Vec<_> = machine.pairs().into_iter().chain(concurrent.map(test)).collect();
        let healthy = fitted(&machine.topology, machine.measure(&tests, seed, conditions).samples);
        alarms += healthy.kinds[0].slow.len() + healthy.kinds[0].slow_transfers.len();

        let sick = channels[rng.random_range(0..channels.len())];
        machine.percent[sick.index()] = rng.random_range(40..90);
        // The two channels between the sockets have no other link of their class to compare with.
        if machine.label[sick.index()] == 2 {
            continue;
        }
        trials += 1;
        let fit = fitted(&machine.topology, machine.measure(&tests, seed, conditions).samples);
        let first = fit.kinds[0].slow.first();
        let is_other = |link: &SlowLink| link.or.iter().any(|(_, channels)| channels[..] == [sick]);
        named += u32::from(first.is_some_and(|link| link.channels == [sick]));
        one_of_two += u32::from(first.is_some_and(is_other));
    }
    assert_eq!(alarms, 0);
    // No test tells two channels apart that carry the transfers between the two switches of a socket, and no others at their rate.
    assert_eq!(named + one_of_two, trials);
    assert!(10 * named > 9 * trials, "{named} of {trials}");
}
