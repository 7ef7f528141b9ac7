//! Checkpoints of both searches: an accepted state can be written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep::{Collective, CommunicationModel, Problem};
use lockstep_files::seal;
use lockstep_evolve::{Algorithm, Evolution, HgsaOptions, SearchSpace, UmdaOptions, candidate_paths};

fuzz_target!(|bytes: &[u8]| {
    let network = "ring:4".parse().expect("a ring");
    let collective = Collective::all_gather();
    let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).expect("a problem");
    let table = candidate_paths(&problem).expect("a small table");
    let space = SearchSpace::new(problem, &table, 2).expect("a small space");
    check(&space, UmdaOptions::directed(1), bytes);
    check(&space, HgsaOptions::directed(1), bytes);
});

fn check<A: Algorithm>(space: &SearchSpace<'_>, algorithm: A, bytes: &[u8]) {
    for bytes in [bytes, &seal(A::CHECKPOINT_KIND.magic, A::CHECKPOINT_KIND.version, bytes)] {
        match Evolution::resume(space, algorithm, bytes) {
            Err(error) => lockstep_fuzz::refusal(&error),
            Ok(search) => {
                let again = Evolution::resume(space, algorithm, &search.checkpoint()).expect("its own words");
                assert_eq!(again.checkpoint(), search.checkpoint());
            }
        }
    }
}
