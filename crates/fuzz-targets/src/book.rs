//! Target: recovery books.

use lockstep::faults::{FaultKind, FaultSpace};
use lockstep::{
    BOOK_KIND, Budget, Collective, CommunicationModel, Plan, PlanOptions, RecoveryBook, SweepIdentity, SweepLog,
    Topology,
};
use lockstep_files::seal;

use crate::error_check::has_message;

/// A plan of a small network, and the first piece of its book.
struct Title {
    before: Plan,
    piece: Vec<u8>,
}

thread_local! {
    static TITLE: Title = {
        let network: Topology = "ring:3".parse().expect("a ring");
        let (collective, model) = (Collective::all_gather(), CommunicationModel::wormhole());
        let before = lockstep::plan(&network, &collective, &model, &Budget::evaluations(1)).expect("a plan");
        let mut piece = Vec::new();
        SweepLog::begin(&identity(&before), &mut piece).expect("memory takes all bytes");
        Title { before, piece }
    };
}

fn identity(before: &Plan) -> SweepIdentity<'_> {
    SweepIdentity { before, options: PlanOptions::auto(1), evaluations: 1, sets: "" }
}

/// Checks a recovery book: the bytes, and arbitrary pages and ends behind a correct title.
pub fn book(bytes: &[u8]) -> bool {
    TITLE.with(|Title { before, piece }| {
        let page = [&piece[..], &seal(BOOK_KIND.magic, BOOK_KIND.version, bytes)].concat();
        let with_end = |mut bytes: Vec<u8>| {
            let interrupted = identity(before).interrupted(&bytes).ok()?;
            bytes.truncate(interrupted.length);
            SweepLog::resume(&interrupted, &mut bytes).end().expect("memory takes all bytes");
            Some(bytes)
        };
        // A page that is not accepted is cut off, so the book with an end is always accepted.
        let ended = with_end(page.clone());
        let has_page = ended.as_ref().is_some_and(|ended| ended.starts_with(&page));
        for bytes in [Some(bytes.to_vec()), Some(page), ended].into_iter().flatten() {
            match RecoveryBook::read(&bytes) {
                Err(error) => has_message(&error),
                Ok(book) => {
                    for faults in FaultSpace::new(before.topology(), FaultKind::Channel, 1).iter() {
                        if let Err(error) = book.look_up(&faults) {
                            has_message(&error);
                        }
                    }
                }
            }
        }
        has_page
    })
}
