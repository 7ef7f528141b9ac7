//! Laws of the fit.

use lockstep_measure::{Evidence, FitOptions, Sample, fit};
use lockstep_topology::NodeId;
use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::machines::{Conditions, FAMILIES, Machine, file, fitted};

const EXACT: Conditions = Conditions { noise: 0, degraded: 0 };
const NOISY: Conditions = Conditions { noise: 300, degraded: 5 };

fn machine() -> impl Strategy<Value = (usize, u64)> {
    (0..FAMILIES.len(), 0..1_000_000u64)
}

fn slower(sample: &Sample, samples: &[Sample]) -> Sample {
    let rate = |sample: &Sample| match sample.figure {
        lockstep_measure::Figure::BytesPerSecond(rate) => rate,
        lockstep_measure::Figure::Picoseconds(_) => u64::MAX,
    };
    let least = samples.iter().map(rate).min().unwrap_or(2);
    Sample { figure: lockstep_measure::Figure::BytesPerSecond((least / 2).max(1)), ..sample.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn exact_rates_give_exact_classes((family, seed) in machine()) {
        let machine = Machine::draw(family, seed, EXACT);
        let fit = fitted(&machine.topology, machine.measure(&machine.pairs(), seed, EXACT).samples);
        prop_assert!(fit.kinds[0].slow.is_empty() && fit.kinds[0].slow_transfers.is_empty());
        let classes = fit.kinds[0].classes.iter().filter(|class| class.evidence == Evidence::Identified);
        for class in classes {
            let truth = machine.bandwidth[machine.label[class.channels[0].index()]];
            // Rates are written in steps of 10,000 bytes per second.
            prop_assert_eq!(class.bandwidth / 10_000, truth / 10_000);
        }
    }

    #[test]
    fn the_order_of_terminals_changes_nothing((family, seed) in machine()) {
        let machine = Machine::draw(family, seed, NOISY);
        let samples = machine.measure(&machine.pairs(), seed, NOISY).samples;
        let fit_of = |network: &lockstep_topology::Topology, ranks: Vec<NodeId>| {
            fit(network, &[file(network, samples.clone())], &FitOptions { kind: None, ranks }).unwrap()
        };
        let plain = fit_of(&machine.topology, Vec::new());
        let mut place: Vec<NodeId> = machine.topology.nodes().collect();
        place.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let moved = machine.topology.relabelled(&place);
        let ranks = machine.topology.terminals().iter().map(|node| place[node.index()]).collect();
        let other = fit_of(&moved, ranks);
        let figures = |fit: &lockstep_measure::Fit| {
            let of = |class: &lockstep_measure::ClassFit| (class.bandwidth, class.lower_limit, class.evidence, class.visible);
            let slow = fit.kinds[0].slow.iter().filter(|link| link.or.is_empty());
            let mut slow: Vec<_> = slow.map(|link| (link.bandwidth, link.tests)).collect();
            slow.sort_unstable();
            (fit.kinds[0].classes.iter().map(of).collect::<Vec<_>>(), slow)
        };
        prop_assert_eq!(figures(&plain), figures(&other));
    }

    #[test]
    fn another_test_never_lowers_a_lower_limit((family, seed) in machine(), pick in any::<prop::sample::Index>()) {
        let machine = Machine::draw(family, seed, NOISY);
        let mut samples = machine.measure(&machine.pairs(), seed, NOISY).samples;
        let added = samples.swap_remove(pick.index(samples.len()));
        let limits = |samples: &[Sample]| -> Vec<u64> {
            fitted(&machine.topology, samples.to_vec()).kinds[0].classes.iter().map(|class| class.lower_limit).collect()
        };
        let before = limits(&samples);
        let slow = slower(&added, &samples);
        samples.push(added);
        let after = limits(&samples);
        prop_assert!(before.iter().zip(&after).all(|(before, after)| before <= after));
        // A test slower than all others never raises one.
        samples.push(slow);
        prop_assert_eq!(limits(&samples), after);
    }

    #[test]
    fn the_network_has_the_bandwidths_of_the_fit((family, seed) in machine()) {
        let machine = Machine::draw(family, seed, NOISY);
        let fit = fitted(&machine.topology, machine.measure(&machine.pairs(), seed, NOISY).samples);
        let unit = fit.network.unit_bytes_per_second().unwrap();
        for class in &fit.kinds[0].classes {
            for &channel in &class.channels {
                let slow = fit.kinds[0].slow.iter().find(|link| link.channels.contains(&channel));
                let expected = slow.map_or(class.bandwidth, |link| link.bandwidth);
                let found = u64::from(fit.network.capacity(channel)) * unit;
                prop_assert!(found.abs_diff(expected) as f64 <= 0.0101 * expected as f64, "{} {}", found, expected);
            }
        }
        let document = lockstep_topology::TopologyDocument::from(&fit.network).with_measured(fit.measured.clone());
        let read = lockstep_topology::read_graph(&lockstep_topology::write_document(&document), lockstep_topology::GraphFormat::Json, "machine").unwrap();
        prop_assert_eq!(read, fit.network);
    }

    #[test]
    fn no_values_make_the_fit_panic(
        (family, seed) in machine(), count in 0..40usize, rates in prop::collection::vec((any::<u64>(), 0..64u32), 40),
    ) {
        let machine = Machine::draw(family, seed, EXACT);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let terminals = machine.topology.terminals();
        let tests: Vec<Vec<[NodeId; 2]>> = (0..count)
            .map(|_| {
                let ends = || terminals[rng.random_range(0..terminals.len())];
                let mut ends = ends;
                (0..3).map(|_| [ends(), ends()]).filter(|[from, to]| from != to).collect()
            })
            .filter(|flows: &Vec<_>| !flows.is_empty())
            .collect();
        let mut samples = machine.measure(&tests, seed, EXACT).samples;
        for (sample, (rate, shift)) in samples.iter_mut().zip(rates) {
            sample.figure = lockstep_measure::Figure::BytesPerSecond(rate >> shift);
        }
        let options = FitOptions { kind: None, ranks: Vec::new() };
        let _ = fit(&machine.topology, &[file(&machine.topology, samples)], &options);
    }
}
