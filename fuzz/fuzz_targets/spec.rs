//! Spec strings, `Topology::from_str`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep_topology::Topology;

fuzz_target!(|spec: &str| {
    // Networks of legal size may take gigabytes; all rules already show in small ones and in those far too large.
    let numbers = || spec.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    let is_quick = |number: &str| matches!(number.parse(), Err(_) | Ok(0u64..=5 | 100_000_000..));
    if numbers().count() > 4 || !numbers().all(is_quick) {
        return;
    }
    match spec.parse::<Topology>() {
        Ok(network) => {
            let again: Topology = network.name().parse().expect("the name of a generated network is its spec");
            assert_eq!(network, again);
        }
        Err(error) => lockstep_fuzz::one_line_refusal(&error),
    }
});
