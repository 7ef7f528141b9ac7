//! Edits of sealed files, with right checksums: no verdict is believed that the plan and certificate of the file do not carry.

use std::ops::Range;

use lockstep::faults::{FaultKind, FaultSpace};
use lockstep::files::{HEADER_BYTES, seal};
use lockstep::{
    Budget, CommunicationModel, Consequence, EngineChoice, Event, FaultOutcome, IslandEvent, IslandPlanner, NoWorkers,
    Plan, PlanFile, PlanOptions, Planner, Problem, RecoveryBook, SweepIdentity, SweepLog, Verdict, sweep, verify,
};
use proptest::prelude::*;

use crate::Setup;

const EVALUATIONS: u64 = 1 << 12;

/// Checks a plan without the code that made it.
fn is_proved(plan: &Plan) {
    let problem = plan.problem();
    let verification = verify(&problem, plan.schedule()).unwrap();
    assert_eq!(plan.step_count() as usize, verification.steps);
    plan.lower_bound().check(&problem).unwrap();
    let gap = verification.width_sum - u64::from(plan.lower_bound().steps);
    assert_eq!(plan.verdict(), if gap == 0 { Verdict::Optimal } else { Verdict::Gap(gap) });
}

/// Checks the consequence of faults of a network.
fn is_carried(before: &Problem<'_>, Consequence { degradation, plan }: &Consequence) {
    let network = degradation.faults.apply_to(before.topology()).unwrap();
    match (&degradation.outcome, plan) {
        (FaultOutcome::Planned(figures), Some(plan)) => {
            is_proved(plan);
            let bound = plan.lower_bound();
            assert_eq!((figures.steps, figures.verdict), (plan.step_count(), plan.verdict()));
            assert_eq!((figures.bound, figures.rule), (bound.steps, bound.rule));
            assert_eq!((plan.topology().digest(), plan.model()), (network.digest(), before.model()));
            assert_eq!(plan.collective(), before.collective());
        }
        (FaultOutcome::Lost(_), None) => {
            assert!(Problem::new(&network, before.collective(), before.model()).is_err());
        }
        (outcome, _) => panic!("{outcome:?}"),
    }
}

/// The sealed pieces of a file, also those inside of other pieces, from the last one to the first.
fn pieces(bytes: &[u8]) -> Vec<Range<usize>> {
    const MAGICS: [&[u8; 8]; 5] = [b"lockbook", b"lockplan", b"lockschd", b"lockckpt", b"lockisls"];
    let payload = |start: usize| {
        let header = bytes.get(start..start + HEADER_BYTES)?;
        let is_piece = MAGICS.iter().any(|magic| header.starts_with(*magic));
        let length = u64::from_le_bytes(header[12..20].try_into().ok()?);
        let end = (start + HEADER_BYTES).checked_add(usize::try_from(length).ok()?)?;
        (is_piece && end <= bytes.len()).then_some(start + HEADER_BYTES..end)
    };
    (0..bytes.len()).rev().filter_map(payload).collect()
}

/// Writes the checksums of all pieces again.
fn reseal(bytes: &mut [u8], pieces: &[Range<usize>]) {
    for payload in pieces {
        let header = payload.start - HEADER_BYTES;
        let (magic, version) = (&bytes[header..header + 8], &bytes[header + 8..header + 12]);
        let version = u32::from_le_bytes(version.try_into().unwrap());
        let sealed = seal(magic.try_into().unwrap(), version, &bytes[payload.clone()]);
        bytes[header..payload.end].copy_from_slice(&sealed);
    }
}

/// An edit of one payload that keeps its length.
#[derive(Clone, Debug)]
enum Edit {
    /// Adds a number to one byte.
    Add(u8),
    /// Copies some bytes from the same place of another payload.
    Copy { other: prop::sample::Index, length: usize },
}

fn edits() -> impl Strategy<Value = Vec<(prop::sample::Index, prop::sample::Index, Edit)>> {
    let small = prop::sample::select(vec![1u8, 2, 4, 255, 254, 128]);
    let copy = (any::<prop::sample::Index>(), 1usize..400).prop_map(|(other, length)| Edit::Copy { other, length });
    let edit = prop_oneof![small.prop_map(Edit::Add), copy];
    prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), edit), 1..4)
}

/// Returns the edited file with right checksums.
fn forged(bytes: &[u8], edits: &[(prop::sample::Index, prop::sample::Index, Edit)]) -> Vec<u8> {
    let (pieces, mut forged) = (pieces(bytes), bytes.to_vec());
    for (piece, place, edit) in edits {
        let payload = &pieces[piece.index(pieces.len())];
        let Some(place) = (!payload.is_empty()).then(|| place.index(payload.len())) else { continue };
        match edit {
            Edit::Add(number) => {
                let byte = &mut forged[payload.start + place];
                *byte = byte.wrapping_add(*number);
            }
            Edit::Copy { other, length } => {
                let source = &pieces[other.index(pieces.len())];
                let length = (*length).min(payload.len() - place).min(source.len().saturating_sub(place));
                let copied = bytes[source.start..source.end][source.len().min(place)..][..length].to_vec();
                forged[payload.start + place..][..length].copy_from_slice(&copied);
            }
        }
    }
    reseal(&mut forged, &pieces);
    forged
}

fn planned(spec: &str) -> Plan {
    let setup = Setup::new(spec, "aab", CommunicationModel::wormhole());
    Planner::new(setup.problem(), PlanOptions::auto(1)).run(&Budget::evaluations(EVALUATIONS), |_| {}).unwrap()
}

fn identity(before: &Plan) -> SweepIdentity<'_> {
    SweepIdentity { before, options: PlanOptions::auto(1), evaluations: EVALUATIONS, sets: "every node" }
}

/// A plan, and the book of the failures of two nodes at once: some disconnect others.
fn book() -> (Plan, Vec<u8>) {
    let before = planned("ring:5");
    let sets = FaultSpace::new(before.topology(), FaultKind::Node, 2);
    let mut bytes = Vec::new();
    let mut log = SweepLog::begin(&identity(&before), &mut bytes).unwrap();
    let budget = Budget::evaluations(EVALUATIONS);
    sweep(&before, sets.iter(), PlanOptions::auto(1), &budget, |one| log.add(&one).unwrap()).unwrap();
    log.end().unwrap();
    (before, bytes)
}

thread_local! {
    static BOOK: (Plan, Vec<u8>) = book();
    static PLAN: Vec<u8> = planned("mesh:2x3").to_file(None).to_bytes();
    static CHECKPOINT: Vec<u8> = checkpoint();
    static ISLANDS: Vec<u8> = islands_checkpoint();
}

/// A search that needs several rounds.
fn searched() -> (Setup, PlanOptions<'static>, Budget) {
    let options = PlanOptions { engine: EngineChoice::Named("umda"), ..PlanOptions::auto(5) };
    (Setup::new("omega:8", "aas", CommunicationModel::wormhole()), options, Budget::evaluations(1 << 15))
}

fn checkpoint() -> Vec<u8> {
    let ((setup, options, budget), mut saved) = (searched(), Vec::new());
    let ended = Planner::new(setup.problem(), options).run(&budget, |event| match event {
        Event::Search(_) => budget.cancel(),
        Event::Stopped(checkpoint) => saved = checkpoint.write(),
        _ => {}
    });
    assert!(ended.is_err() || !saved.is_empty());
    saved
}

fn islands_checkpoint() -> Vec<u8> {
    let ((setup, options, budget), mut saved) = (searched(), Vec::new());
    let islands = IslandPlanner::new(setup.problem(), options, 3.try_into().unwrap());
    islands
        .run(&NoWorkers, &budget, |event| {
            if let IslandEvent::Finished { islands: 1, checkpoint, .. } = event {
                saved = checkpoint.write();
            }
        })
        .unwrap();
    assert!(!saved.is_empty());
    saved
}

#[test]
fn resealed_files_without_an_edit_are_read() {
    let (before, bytes) = book();
    assert_eq!(forged(&bytes, &[]), bytes);
    let book = RecoveryBook::read(&bytes).unwrap();
    let rows = book.rows().unwrap();
    assert!(rows.iter().any(|row| matches!(row.outcome, FaultOutcome::Lost(_))));
    assert!(rows.iter().any(|row| matches!(row.outcome, FaultOutcome::Planned(_))));
    book.faults().for_each(|faults| is_carried(&before.problem(), &book.look_up(faults).unwrap().unwrap()));
    let mut altered = bytes.clone();
    *altered.last_mut().unwrap() ^= 1;
    assert!(RecoveryBook::read(&altered).is_err());
    reseal(&mut altered, &pieces(&bytes));
    // The number of pages is wrong now, but not the checksum.
    assert_eq!(RecoveryBook::read(&altered), Err(lockstep::BookError::Order));
}

/// So the edits of the property tests reach the check, too.
#[test]
fn some_edits_of_a_page_are_readable_and_refused_by_its_check() {
    let (_, bytes) = book();
    // The last page, before the end.
    let page = pieces(&bytes)[1].clone();
    let (mut refused, mut kept) = (0, 0);
    for place in page {
        let mut forged = bytes.clone();
        forged[place] ^= 1;
        reseal(&mut forged, &pieces(&bytes));
        match RecoveryBook::read(&forged).and_then(|book| book.rows()) {
            Ok(_) => kept += 1,
            Err(lockstep::BookError::Page { .. }) => refused += 1,
            Err(_) => {}
        }
    }
    assert!(refused > 3 && kept > 3, "{refused} edits are refused, {kept} change no verdict");
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(256))]

    #[test]
    fn a_forged_book_has_no_verdict_that_its_plans_do_not_carry(edits in edits()) {
        let bytes = BOOK.with(|(_, bytes)| forged(bytes, &edits));
        let Ok(book) = RecoveryBook::read(&bytes) else { return Ok(()) };
        let before = book.before().schedule.problem();
        for faults in book.faults() {
            if let Ok(Some(consequence)) = book.look_up(faults) {
                is_carried(&before, &consequence);
                prop_assert_eq!(&consequence.degradation.faults, faults);
            }
        }
        if let Ok(rows) = book.rows() {
            for row in rows {
                prop_assert_eq!(&book.look_up(&row.faults).unwrap().unwrap().degradation, &row);
            }
        }
    }

    #[test]
    fn a_forged_log_has_no_row_that_its_plans_do_not_carry(edits in edits()) {
        BOOK.with(|(before, bytes)| {
            let Ok(logged) = identity(before).interrupted(&forged(bytes, &edits)) else { return Ok(()) };
            let sets = || FaultSpace::new(before.topology(), FaultKind::Node, 2);
            let honest = RecoveryBook::read(bytes).unwrap().rows().unwrap();
            let mut rows = Vec::new();
            if logged.check(before, sets().iter(), &Budget::unlimited(), |row| rows.push(row)).is_ok() {
                prop_assert_eq!(rows.len(), logged.page_count());
            }
            // The plans of this book are optimal, so nothing else can be proved.
            let figures = |row: &lockstep::Degradation| match &row.outcome {
                FaultOutcome::Planned(figures) => Some((figures.bound, u64::from(figures.steps) - u64::from(figures.bound))),
                FaultOutcome::Lost(_) => None,
            };
            for (row, honest) in rows.iter().zip(&honest) {
                prop_assert_eq!(&row.faults, &honest.faults);
                prop_assert_eq!(figures(row).is_some(), figures(honest).is_some());
                prop_assert!(figures(row).map(|(bound, _)| bound) <= figures(honest).map(|(bound, _)| bound));
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_forged_plan_file_has_no_verdict_that_its_schedule_does_not_carry(edits in edits()) {
        let bytes = PLAN.with(|bytes| forged(bytes, &edits));
        if let Ok(Ok(plan)) = PlanFile::read(&bytes).map(PlanFile::check) {
            is_proved(&plan);
        }
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(16))]

    #[test]
    fn a_forged_checkpoint_leads_to_no_verdict_without_proof(edits in edits()) {
        let (setup, options, budget) = searched();
        let bytes = CHECKPOINT.with(|bytes| forged(bytes, &edits));
        if let Ok(plan) = Planner::new(setup.problem(), options).from_checkpoint(bytes).run(&budget, |_| {}) {
            is_proved(&plan);
            prop_assert_eq!(plan.topology().digest(), setup.topology.digest());
        }
        let bytes = ISLANDS.with(|bytes| forged(bytes, &edits));
        let islands = IslandPlanner::new(setup.problem(), options, 3.try_into().unwrap());
        let resumed = islands.from_checkpoint(budget.evaluation_limit(), &bytes);
        if let Ok(Ok(plan)) = resumed.map(|islands| islands.run(&NoWorkers, &budget, |_| {})) {
            is_proved(&plan);
            prop_assert_eq!(plan.topology().digest(), setup.topology.digest());
        }
    }
}
