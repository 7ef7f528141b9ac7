//! The fit of networks to measurements: recovery of known machines, and its laws.

mod cases;
mod laws;
mod lumi;
mod machines;

use machines::{Conditions, FAMILIES, HEAD, Machine, Score, fitted, pcie_tree};

/// Noise of 3 %, 5 % of the channels degraded.
const DEGRADED: Conditions = Conditions { noise: 300, degraded: 5 };

/// Noise of 3 %, no degraded channels.
const HEALTHY: Conditions = Conditions { noise: 300, degraded: 0 };

fn score(family: usize, seed: u64, conditions: Conditions) -> Score {
    let machine = Machine::draw(family, seed, conditions);
    let measurement = machine.measure(&machine.pairs(), seed, conditions);
    let fit = fitted(&machine.topology, measurement.samples);
    Score::new(&machine, &measurement.visible, &fit)
}

/// Machines per family.
const MACHINES: u64 = 20;

#[test]
fn classes_and_degraded_links_are_recovered_from_all_pairs() {
    let mut table = HEAD.to_owned();
    for (family, name) in FAMILIES.iter().enumerate() {
        let mut sum = Score::default();
        for seed in 0..MACHINES {
            let score = score(family, seed, DEGRADED);
            assert!(score.worst <= 0.02, "{name}, seed {seed}: {score:?}");
            assert_eq!(score.found + score.ambiguous, score.visible, "{name}, seed {seed}: {score:?}");
            assert_eq!(score.invented, 0, "{name}, seed {seed}: {score:?}");
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
    let mut measurement = machine.measure(&machine.pairs(), 1, exact);
    let fit = fitted(&machine.topology, measurement.samples.clone());
    let uplinks =
        fit.kinds[0].classes.iter().find(|class| class.channels.contains(&slow)).expect("the class of uplinks");
    assert!(fit.kinds[0].slow.is_empty());
    assert_eq!((uplinks.visible, uplinks.probes.len()), (0, uplinks.channels.len()));

    let probes: Vec<_> = uplinks.probes.iter().map(|probe| probe.flows.clone()).collect();
    measurement.samples.extend(machine.measure(&probes, 2, exact).samples);
    let fit = fitted(&machine.topology, measurement.samples);
    let [link] = &fit.kinds[0].slow[..] else { panic!("one slow link, found {:?}", fit.kinds[0].slow) };
    assert_eq!(link.channels, [slow]);
    assert!((link.part - 0.7).abs() < 0.03, "{link:?}");
}
