//! Sweeps over fault sets, and recovery books.

use lockstep::faults::{Fault, FaultKind, FaultSet, FaultSpace, Faults};
use lockstep::schedule::{StopReason, Transport};
use lockstep::{
    BookError, Budget, Collective, Consequence, FaultOutcome, Loss, Plan, PlanOptions, Planner, Problem, RecoveryBook,
    SharedSweepError, SweepIdentity, SweepLog, Topology, WorkerError, Workers, sweep, sweep_with, verify,
};
use lockstep::{CommunicationModel, faults::disconnected_pairs};
use proptest::prelude::*;

use crate::Setup;
use crate::workers::OwnWorkers;

const BUDGET: u64 = 1 << 16;

fn planned(spec: &str, collective: &str) -> Plan {
    let setup = Setup::new(spec, collective, CommunicationModel::wormhole());
    Planner::new(setup.problem(), PlanOptions::auto(1)).run(&Budget::evaluations(BUDGET), |_| {}).unwrap()
}

fn swept(before: &Plan, kind: FaultKind, at_once: usize) -> Vec<Consequence> {
    let mut consequences = Vec::new();
    let space = FaultSpace::new(before.topology(), kind, at_once);
    let budget = Budget::evaluations(BUDGET);
    let ended = sweep(before, space.iter(), PlanOptions::auto(1), &budget, |one| consequences.push(one)).unwrap();
    assert_eq!(ended, None);
    consequences
}

#[test]
fn every_set_of_faults_has_its_row_in_order() {
    let before = planned("mesh:3x3", "aab");
    let space = FaultSpace::new(before.topology(), FaultKind::Link, 2);
    let consequences = swept(&before, FaultKind::Link, 2);
    assert!(consequences.iter().map(|one| one.degradation.faults.clone()).eq(space.iter()));
    let alone =
        |faults: &Faults| Consequence::of(faults, &before, PlanOptions::auto(1), &Budget::evaluations(BUDGET)).unwrap();
    assert!(consequences.iter().all(|one| *one == alone(&one.degradation.faults)), "threads change nothing");
    let mut cut_off = 0;
    for Consequence { degradation, plan } in &consequences {
        let network = degradation.faults.apply_to(before.topology()).unwrap();
        let is_connected =
            disconnected_pairs(&network, Transport::of(before.collective().pattern(), before.model())).next().is_none();
        match (&degradation.outcome, plan) {
            (FaultOutcome::Planned(planned), Some(plan)) => {
                assert!(is_connected);
                assert_eq!(verify(&plan.problem(), plan.schedule()).unwrap().steps, planned.steps as usize);
                assert_eq!(plan.topology().digest(), network.digest());
            }
            (FaultOutcome::Lost(Loss::Terminals(answer)), None) => {
                assert!(!is_connected && !answer.is_connected());
                cut_off += 1;
            }
            (outcome, _) => panic!("{outcome:?}"),
        }
    }
    assert_eq!(cut_off, 4, "the two links of each corner");
}

#[test]
fn a_failed_root_and_disconnected_terminals_are_results() {
    let words = |spec: &str, collective: &str, faults: FaultSet| {
        let before = planned(spec, collective);
        let faults = faults.of(before.topology()).unwrap();
        let budget = Budget::evaluations(BUDGET);
        match Consequence::of(&faults, &before, PlanOptions::auto(1), &budget).unwrap().degradation.outcome {
            FaultOutcome::Lost(loss) => loss.describe(before.topology()),
            FaultOutcome::Planned(planned) => format!("{} steps", planned.steps),
        }
    };
    assert_eq!(words("ring:4", "oab", FaultSet::new().node("0")), "the root 0 has failed");
    assert_eq!(words("ring:3", "aab", FaultSet::new().node("0").node("1")), "only one terminal is left");
    assert_eq!(
        words("ring:4", "aab", FaultSet::new().node("1").node("3")),
        "terminal 2 is cut off: there is no path from 0 to 2"
    );
    assert_eq!(words("ring:4", "aab", FaultSet::new().node("1")), "2 steps");
}

/// Blocks that are not one per terminal have no owner.
#[test]
fn an_all_reduce_in_blocks_survives_each_terminal() {
    let square: Topology = "ring:4".parse().unwrap();
    let blocks = Collective::all_reduce_in_blocks(&square, &[], 2.try_into().unwrap()).unwrap();
    let problem = Problem::new(&square, &blocks, CommunicationModel::wormhole()).unwrap();
    let before = Planner::new(problem, PlanOptions::auto(1)).run(&Budget::evaluations(BUDGET), |_| {}).unwrap();
    for Consequence { plan, .. } in swept(&before, FaultKind::Node, 1) {
        let plan = plan.expect("three terminals are left");
        assert_eq!((plan.step_count(), plan.is_optimal(), plan.problem().messages().len()), (3, true, 2));
    }
}

/// A book of all single channel faults of a small network, and the consequences of its sweep.
fn book() -> (Plan, Vec<Consequence>, Vec<u8>) {
    let before = planned("kautz:2,2", "aab");
    let consequences = swept(&before, FaultKind::Channel, 1);
    let mut bytes = Vec::new();
    let mut log = SweepLog::begin(&identity(&before), &mut bytes).unwrap();
    for one in &consequences {
        log.add(one).unwrap();
    }
    log.end().unwrap();
    (before, consequences, bytes)
}

fn identity(before: &Plan) -> SweepIdentity<'_> {
    let options = PlanOptions::auto(1);
    SweepIdentity { before, options, evaluations: BUDGET, sets: "every channel" }
}

#[test]
fn a_book_returns_every_plan() {
    let (before, consequences, bytes) = book();
    let book = RecoveryBook::read(&bytes).unwrap();
    assert_eq!((book.len(), book.sets()), (consequences.len(), "every channel"));
    assert!(!book.is_empty() && book.faults().eq(consequences.iter().map(|one| &one.degradation.faults)));
    assert!(book.rows().unwrap().iter().eq(consequences.iter().map(|one| &one.degradation)));
    assert_eq!(book.before().clone().check().unwrap(), before);
    for consequence in consequences {
        let faults = &consequence.degradation.faults;
        let schedule = book.schedule(faults).unwrap();
        assert_eq!(schedule.as_ref(), consequence.plan.as_ref().map(Plan::schedule));
        assert_eq!(book.look_up(faults).unwrap(), Some(consequence));
    }
    let unknown = Faults::from(Fault::Node(before.topology().terminals()[0]));
    assert_eq!(book.look_up(&unknown).unwrap(), None);
}

#[test]
fn a_book_of_nothing_is_empty() {
    let before = planned("ring:4", "aab");
    let mut bytes = Vec::new();
    SweepLog::begin(&identity(&before), &mut bytes).unwrap().end().unwrap();
    let book = RecoveryBook::read(&bytes).unwrap();
    assert_eq!((book.is_empty(), book.rows()), (true, Ok(Vec::new())));
}

/// The digest names the file of an interrupted sweep.
#[test]
fn another_sweep_has_another_digest() {
    let [ring, mesh] = ["ring:4", "mesh:2x2"].map(|spec| planned(spec, "aab"));
    let first = identity(&ring);
    let others = [
        identity(&mesh),
        SweepIdentity { options: PlanOptions::auto(2), ..first },
        SweepIdentity { evaluations: BUDGET + 1, ..first },
        SweepIdentity { sets: "every link", ..first },
    ];
    assert_eq!(identity(&ring).digest(), first.digest());
    let digests: std::collections::BTreeSet<u64> = others.iter().chain([&first]).map(SweepIdentity::digest).collect();
    assert_eq!(digests.len(), 5);
}

/// Several rounds of tasks for several workers.
#[test]
fn workers_share_a_long_sweep() {
    let setup = Setup::new("mesh:5x5", "oab", CommunicationModel::store_and_forward());
    let before = Planner::new(setup.problem(), PlanOptions::auto(1)).run(&Budget::evaluations(BUDGET), |_| {}).unwrap();
    let identity = identity(&before);
    let space = FaultSpace::new(before.topology(), FaultKind::Channel, 1);
    let log = |workers: usize| {
        let mut log = Vec::new();
        let mut writer = SweepLog::begin(&identity, &mut log).unwrap();
        let (workers, budget) = (OwnWorkers::new(workers), Budget::evaluations(BUDGET));
        let ended = sweep_with(&workers, &identity, 0, space.iter(), &budget, |page| writer.add_page(&page).unwrap());
        assert_eq!(ended, Ok(None));
        writer.end().unwrap();
        assert_eq!(identity.interrupted(&log).unwrap().page_count(), 80);
        log
    };
    let alone = log(0);
    for workers in [1, 2, 5] {
        assert!(log(workers) == alone, "{workers} workers");
    }
}

#[test]
fn the_log_is_the_same_for_any_number_of_workers() {
    let (before, consequences, bytes) = book();
    let pages = FaultSpace::new(before.topology(), FaultKind::Channel, 1).count().unwrap() as usize;
    assert_eq!(consequences.len(), pages);
    for (count, done) in [(0, 0), (0, 7), (1, 0), (2, 7), (3, 0), (9, pages - 1)] {
        let mut log = Vec::new();
        let mut writer = SweepLog::begin(&identity(&before), &mut log).unwrap();
        consequences[..done].iter().for_each(|one| writer.add(one).unwrap());
        let space = FaultSpace::new(before.topology(), FaultKind::Channel, 1);
        let (workers, budget) = (OwnWorkers::new(count), Budget::evaluations(BUDGET));
        let sets = space.iter().skip(done);
        let ended = sweep_with(&workers, &identity(&before), done, sets, &budget, |page| {
            writer.add_page(&page).unwrap();
        });
        assert_eq!(ended, Ok(None));
        writer.end().unwrap();
        assert!(log == bytes, "{count} workers, {done} pages before");
    }
}

#[test]
fn damaged_tasks_and_results_are_refused() {
    /// A worker that returns other bytes than its result.
    struct Damaged(OwnWorkers, Option<Vec<u8>>);
    impl Workers for Damaged {
        fn count(&self) -> usize {
            1
        }

        fn send(&self, worker: usize, mut task: Vec<u8>) {
            if self.1.is_none() {
                *task.last_mut().unwrap() ^= 1;
            }
            self.0.send(worker, task);
        }

        fn receive(&self, worker: usize, is_stopped: &dyn Fn() -> bool) -> Option<Vec<u8>> {
            let result = self.0.receive(worker, is_stopped);
            self.1.clone().or(result)
        }
    }
    let (before, ..) = book();
    let space = FaultSpace::new(before.topology(), FaultKind::Channel, 1);
    let error = |result: Option<Vec<u8>>| {
        let (workers, budget) = (Damaged(OwnWorkers::new(1), result), Budget::evaluations(BUDGET));
        sweep_with(&workers, &identity(&before), 0, space.iter(), &budget, |_| {}).unwrap_err()
    };
    assert!(matches!(error(None), SharedSweepError::Worker(WorkerError::Failed { worker: 0, .. })));
    assert!(matches!(error(Some(Vec::new())), SharedSweepError::Worker(WorkerError::Result { worker: 0, .. })));
}

#[test]
fn the_log_of_another_sweep_is_refused() {
    let (before, _, bytes) = book();
    let other = SweepIdentity { evaluations: BUDGET + 1, ..identity(&before) };
    assert_eq!(other.interrupted(&bytes), Err(BookError::OtherSweep));
    // The pages of other fault sets, behind the right title.
    let logged = identity(&before).interrupted(&bytes).unwrap();
    let links = FaultSpace::new(before.topology(), FaultKind::Channel, 1);
    let checked = |skipped: usize| {
        logged.check(&before, links.iter().skip(skipped), &Budget::unlimited(), |_| {}).map(|stopped| stopped.is_some())
    };
    assert_eq!((checked(0), checked(1)), (Ok(false), Err(BookError::OtherSweep)));
}

#[test]
fn a_cancelled_budget_stops_the_check_of_a_log() {
    let (before, _, bytes) = book();
    let (logged, budget) = (identity(&before).interrupted(&bytes).unwrap(), Budget::unlimited());
    let (sets, mut rows) = (FaultSpace::new(before.topology(), FaultKind::Channel, 1), 0);
    budget.cancel();
    assert_eq!(logged.check(&before, sets.iter(), &budget, |_| rows += 1), Ok(Some(StopReason::Cancelled)));
    assert_eq!(rows, 0);
}

#[test]
fn a_truncated_book_is_refused_and_its_sweep_resumes() {
    let (before, consequences, bytes) = book();
    let identity = identity(&before);
    let title = identity.interrupted(&bytes[..first_piece(&identity)]).unwrap().length;
    for cut in 0..bytes.len() {
        // Only behind the first piece there is something to resume.
        let error = RecoveryBook::read(&bytes[..cut]).expect_err("an unfinished book");
        assert_eq!(error.is_torn(), cut < title, "cut to {cut} bytes");
    }
    let sets = FaultSpace::new(before.topology(), FaultKind::Channel, 1);
    // Steps of 7 bytes reach every part of a page.
    for cut in (title..bytes.len()).step_by(7) {
        let interrupted = identity.interrupted(&bytes[..cut]).unwrap();
        assert!(!interrupted.is_ended && interrupted.length <= cut);
        let (done, mut rows) = (interrupted.page_count(), Vec::new());
        interrupted.check(&before, sets.iter(), &Budget::unlimited(), |row| rows.push(row)).unwrap();
        assert!(rows.iter().eq(consequences[..done].iter().map(|one| &one.degradation)));
        let mut resumed = bytes[..interrupted.length].to_vec();
        let mut log = SweepLog::resume(&interrupted, &mut resumed);
        for one in &consequences[done..] {
            log.add(one).unwrap();
        }
        log.end().unwrap();
        assert!(resumed == bytes, "cut to {cut} bytes");
    }
    assert!(identity.interrupted(&bytes).unwrap().is_ended);
}

/// The length of the first piece.
fn first_piece(identity: &SweepIdentity<'_>) -> usize {
    let mut title = Vec::new();
    SweepLog::begin(identity, &mut title).unwrap();
    title.len()
}

#[test]
fn pages_out_of_order_are_refused() {
    let (before, consequences, bytes) = book();
    let identity = identity(&before);
    let title = first_piece(&identity);
    let one_page = |number: usize| {
        let mut page = Vec::new();
        let interrupted = identity.interrupted(&bytes[..title]).unwrap();
        let mut log = SweepLog::resume(&interrupted, &mut page);
        log.add(&consequences[number]).unwrap();
        page
    };
    let twice = [&bytes[..title], &one_page(0), &one_page(0)].concat();
    assert_eq!(identity.interrupted(&twice), Err(BookError::Order));
    assert_eq!(identity.interrupted(&[&bytes[..title], &one_page(1)].concat()).unwrap().page_count(), 1);
}

#[test]
fn bytes_behind_the_end_of_a_book_are_refused() {
    let (before, _, bytes) = book();
    let identity = identity(&before);
    let pages = &bytes[first_piece(&identity)..];
    for more in [pages, &[0]] {
        let longer = [&bytes, more].concat();
        assert_eq!(RecoveryBook::read(&longer).err(), Some(BookError::Order));
        assert_eq!(identity.interrupted(&longer), Err(BookError::Order));
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(32))]

    #[test]
    fn a_flipped_bit_of_a_book_is_refused(place: prop::sample::Index, bit in 0..8u32) {
        thread_local!(static BOOK: Vec<u8> = book().2);
        let mut bytes = BOOK.with(Clone::clone);
        let place = place.index(bytes.len());
        bytes[place] ^= 1 << bit;
        prop_assert!(RecoveryBook::read(&bytes).is_err());
    }
}

#[test]
fn a_stopped_sweep_returns_its_reason() {
    let before = planned("mesh:3x3", "aab");
    let budget = Budget::evaluations(BUDGET);
    let space = FaultSpace::new(before.topology(), FaultKind::Link, 1);
    let mut rows = 0;
    let ended = sweep(&before, space.iter(), PlanOptions::auto(1), &budget, |_| {
        rows += 1;
        budget.cancel();
    });
    assert!(ended.unwrap().is_some());
    assert!((1..=space.faults().len()).contains(&rows));
}

/// Another run would find another plan, so the row is not one of the sweep.
#[test]
fn a_plan_that_was_cut_short_is_no_row() {
    let before = planned("mesh:3x3", "aas");
    let space = FaultSpace::new(before.topology(), FaultKind::Link, 1);
    let budget = Budget::evaluations(BUDGET);
    budget.cancel();
    let mut rows = 0;
    let ended = sweep(&before, space.iter(), PlanOptions::auto(1), &budget, |consequence| {
        rows += 1;
        assert_eq!(consequence.plan.and_then(|plan| plan.cut_short()), None);
    });
    assert_eq!(ended.unwrap(), Some(StopReason::Cancelled));
    assert_eq!(rows, 0);
}

#[test]
fn faults_of_another_network_are_refused() {
    let before = planned("ring:4", "aab");
    let ring: Topology = "ring:9".parse().unwrap();
    let foreign = FaultSet::new().node("8").of(&ring).unwrap();
    let error = Consequence::of(&foreign, &before, PlanOptions::auto(1), &Budget::evaluations(1)).unwrap_err();
    assert!(error.to_string().starts_with("the network has no node 8"), "{error}");
}
