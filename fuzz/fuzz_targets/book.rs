//! Recovery books: any bytes, and arbitrary pages and ends behind a correct title.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lockstep::faults::{FaultKind, FaultSpace};
use lockstep::{
    Budget, Collective, CommunicationModel, Plan, PlanOptions, RecoveryBook, SweepIdentity, SweepLog, Topology, plan,
};
use lockstep_files::seal;

thread_local! {
    /// The plan of a small network, and the first piece of its book.
    static TITLE: (Plan, Vec<u8>) = {
        let network: Topology = "ring:3".parse().expect("a ring");
        let collective = Collective::all_gather();
        let model = CommunicationModel::wormhole();
        let before = plan(&network, &collective, &model, &Budget::evaluations(1)).expect("a plan");
        let mut title = Vec::new();
        SweepLog::begin(&identity(&before), &mut title).expect("memory takes all bytes");
        (before, title)
    };
}

fn identity(before: &Plan) -> SweepIdentity<'_> {
    SweepIdentity { before, options: PlanOptions::auto(1), evaluations: 1, sets: "", keeps_plans: true }
}

fuzz_target!(|bytes: &[u8]| TITLE.with(|(before, title)| {
    let page = [&title[..], &seal(*b"lockbook", 2, bytes)].concat();
    let with_end = |mut bytes: Vec<u8>| {
        let interrupted = identity(before).interrupted(&bytes).ok()?;
        bytes.truncate(interrupted.length);
        SweepLog::resume(&identity(before), &interrupted, &mut bytes).end().expect("memory takes all bytes");
        Some(bytes)
    };
    for bytes in [Some(bytes.to_vec()), Some(page.clone()), with_end(page)].into_iter().flatten() {
        match RecoveryBook::read(&bytes) {
            Err(error) => lockstep_fuzz::refusal(&error),
            Ok(book) => {
                for faults in FaultSpace::new(before.topology(), FaultKind::Channel, 1).iter() {
                    if let Err(error) = book.look_up(&faults) {
                        lockstep_fuzz::refusal(&error);
                    }
                }
            }
        }
    }
}));
