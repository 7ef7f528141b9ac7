//! Checkpoints of the search: what is accepted is a state that can be written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep::{Collective, CommunicationModel, Problem};
use lockstep_envelope::seal;
use lockstep_evolve::{SearchSpace, Umda, UmdaOptions, candidate_paths};

fuzz_target!(|bytes: &[u8]| {
    let network = "ring:4".parse().expect("a ring");
    let collective = Collective::all_to_all_broadcast();
    let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).expect("a problem");
    let table = candidate_paths(&problem).expect("a small table");
    let space = SearchSpace::new(problem, &table, 2).expect("a small space");
    for bytes in [bytes, &seal(*b"lockumda", 1, bytes)] {
        match Umda::resume(&space, UmdaOptions::directed(1), bytes) {
            Err(error) => lockstep_fuzz::refusal(&error),
            Ok(search) => {
                let again =
                    Umda::resume(&space, UmdaOptions::directed(1), &search.checkpoint()).expect("its own words");
                assert_eq!(again.checkpoint(), search.checkpoint());
            }
        }
    }
});
