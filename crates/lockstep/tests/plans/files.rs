//! Plan files.

use std::sync::Arc;

use lockstep::faults::{FaultKind, FaultSpace};
use lockstep::schedule::ScheduleFileError;
use lockstep::schedule::strategy::instance;
use lockstep::{
    Budget, CommunicationModel, CutShort, MadeBy, Plan, PlanFile, PlanFileError, PlanOptions, PlanViolation, Planner,
    RecoveryBook, Schedule, ScheduleFile, Verdict,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::Setup;

fn plan() -> Plan {
    let setup = Setup::new("omega:8", "aab", CommunicationModel::wormhole());
    Planner::new(setup.problem(), PlanOptions::auto(1)).run(&Budget::evaluations(1 << 20), |_| {}).unwrap()
}

/// A change of the JSON of a plan.
type Change = fn(&mut Value);

/// Reads the plan's JSON after a change.
fn changed(change: impl FnOnce(&mut Value)) -> Result<PlanFile, PlanFileError> {
    let mut value: Value = serde_json::from_str(&plan().to_file(None).to_json()).unwrap();
    change(&mut value);
    PlanFile::read(value.to_string().as_bytes())
}

fn made_by() -> MadeBy {
    MadeBy { version: "0.2.0".to_owned(), command: "lockstep plan mesh:2x3 -c all-gather".to_owned() }
}

fn message(result: Result<PlanFile, PlanFileError>) -> String {
    result.unwrap_err().to_string()
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(24))]

    #[test]
    fn both_forms_of_a_file_return_the_plan(instance in instance(7), seconds in prop::option::of(0.0..1.0e6f64)) {
        let plan = Planner::new(instance.problem(), PlanOptions::auto(1)).run(&Budget::evaluations(256), |_| {}).unwrap();
        let mut file = plan.to_file(seconds);
        file.made_by = seconds.map(|_| made_by());
        file.cut_short = [None, Some(CutShort::Deadline), Some(CutShort::Interrupt)][plan.schedule().step_count() % 3];
        prop_assert_eq!(&PlanFile::read(file.to_json().as_bytes()).unwrap(), &file);
        prop_assert_eq!(&PlanFile::read(&file.to_bytes()).unwrap(), &file);
        file.cut_short = None;
        prop_assert_eq!(file.check().unwrap(), plan);
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes: Vec<u8>) {
        prop_assert!(PlanFile::read(&bytes).is_err());
        prop_assert!(PlanFile::read(&[b"lockplan".as_slice(), &bytes].concat()).is_err());
    }

    #[test]
    fn an_altered_or_truncated_binary_is_refused(place: prop::sample::Index, flip in 1u8.., cut: bool) {
        let mut bytes = plan().to_file(None).to_bytes();
        let place = place.index(bytes.len());
        if cut {
            bytes.truncate(place);
        } else {
            bytes[place] ^= flip;
        }
        prop_assert!(PlanFile::from_bytes(&bytes).is_err());
    }

    #[test]
    fn truncated_json_is_refused(place: prop::sample::Index) {
        let text = plan().to_file(None).to_json();
        let end = place.index(text.trim_end().len());
        prop_assert!(PlanFile::from_json(&text[..end]).is_err());
    }
}

/// The documentation of the format lists these fields.
#[test]
fn the_file_holds_the_documented_fields() {
    let value: Value = serde_json::from_str(&plan().to_file(None).to_json()).unwrap();
    assert_eq!((&value["format"], &value["version"]), (&json!("lockstep-plan"), &json!(1)));
    assert_eq!((&value["steps"], &value["verdict"], &value["seed"]), (&json!(7), &json!("optimal"), &json!(1)));
    assert_eq!((&value["lower_bound"]["steps"], &value["lower_bound"]["rule"]), (&json!(7), &json!("ports")));
    assert_eq!(value["schedule"]["format"], json!("lockstep-schedule"));
    assert_eq!(value["schedule"]["steps"].as_array().map(Vec::len), Some(7));
    assert!(value["engine"].is_string());
    let absent = [value.get("seconds"), value.get("cut_short"), value.get("made_by")];
    assert_eq!(absent, [None; 3], "without a time the file is the same every time");
    let timed: Value = serde_json::from_str(&plan().to_file(Some(0.25)).to_json()).unwrap();
    assert_eq!(timed["seconds"], json!(0.25));
}

/// Older releases read files without the command.
#[test]
fn version_2_says_how_the_plan_was_made() {
    let file = PlanFile { made_by: Some(made_by()), ..plan().to_file(None) };
    let value: Value = serde_json::from_str(&file.to_json()).unwrap();
    assert_eq!(value["version"], json!(2));
    assert_eq!(value["made_by"], json!({"version": "0.2.0", "command": "lockstep plan mesh:2x3 -c all-gather"}));
    assert_eq!(file.check().unwrap(), plan());
    for version in [1, 2] {
        let wrong = changed(|value| {
            value["version"] = json!(version);
            value["seed"] = json!("one");
        });
        assert!(message(wrong).starts_with("field 'seed': "));
    }
}

#[test]
fn the_version_is_checked_before_everything_else() {
    let newer = changed(|value| {
        value["version"] = json!(3);
        value["more"] = json!("something new");
    });
    assert_eq!(message(newer), "field 'version' is 3, but only versions 1 and 2 are known; use a newer lockstep");
    let inner = message(changed(|value| value["schedule"]["version"] = json!(5)));
    assert!(inner.contains("field 'schedule': field 'version' is 5, but only versions 1 to 4 are known"), "{inner}");
}

/// Files of release 0.1.0, with lower bounds as JSON.
#[test]
fn binary_files_of_version_1_are_read() {
    let file = PlanFile::from_bytes(include_bytes!("../data/plan-0.1.0.lsb")).unwrap();
    assert_eq!(PlanFile::from_bytes(&file.to_bytes()).as_ref(), Ok(&file));
    // An all-reduce without a proof any more: its phases may share steps.
    let plan = file.check().unwrap();
    assert!(plan.lower_bound().steps <= plan.step_count());

    let book = RecoveryBook::read(include_bytes!("../data/book-0.1.0.lsb")).unwrap();
    assert_eq!(book.len(), 5);
    for faults in FaultSpace::new(book.topology(), FaultKind::Link, 1).iter() {
        let plan = book.look_up(&faults).unwrap().unwrap().plan.unwrap();
        assert_eq!(plan.step_count(), 4);
    }
}

/// The certificate cannot be checked any more. The plan has another bound, and the verdict that follows from it.
#[test]
fn a_bound_by_a_deleted_rule_is_replaced() {
    let setup = Setup::new("mesh:1x4", "all-reduce", CommunicationModel::wormhole());
    let plan = Planner::new(setup.problem(), PlanOptions::auto(1)).run(&Budget::evaluations(1 << 12), |_| {}).unwrap();
    let mut value: Value = serde_json::from_str(&plan.to_file(None).to_json()).unwrap();
    value["verdict"] = json!("optimal");
    let cheap = lockstep::bounds::all_within(&setup.problem(), &Budget::seconds(0), |_| {});
    for rule in ["phases", "source-cut", "broadcast-lp"] {
        value["lower_bound"] = json!({"steps": 99, "rule": rule, "certificate": {"kind": rule}});
        let read = PlanFile::read(value.to_string().as_bytes()).unwrap().check().unwrap();
        assert_eq!(read.schedule(), plan.schedule());
        assert_eq!(read.lower_bound(), &cheap[0]);
        assert!(!read.is_optimal() && cheap[0].steps < plan.step_count());
    }
}

#[test]
fn errors_name_the_field() {
    let cases: [(Change, &str); 7] = [
        (|value| value["format"] = json!("other"), "field 'format' is 'other', expected 'lockstep-plan'"),
        (|value| value["steps"] = json!("seven"), "field 'steps': invalid type: string \"seven\""),
        (|value| value["seed"] = json!(-1), "field 'seed': invalid value: integer `-1`"),
        (|value| value["verdict"] = json!("fine"), "field 'verdict': the verdict is 'fine', expected"),
        (|value| value["lower_bound"]["rule"] = json!("magic"), "field 'lower_bound.rule': unknown variant `magic`"),
        (
            |value| value["schedule"]["steps"][1][0]["path"][0] = json!(4_294_967_296_u64),
            "field 'schedule.steps[1][0].path[0]': invalid value: integer `4294967296`",
        ),
        (|value| value["extra"] = json!(1), "field 'extra': unknown field `extra`"),
    ];
    for (change, expected) in cases {
        let message = message(changed(change));
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn other_kinds_of_files_differ_from_damaged_plans() {
    let is_other_kind =
        |bytes: &[u8]| matches!(PlanFile::read(bytes), Err(PlanFileError::File(error)) if error.is_other_kind());
    let file = ScheduleFile::new(&plan().problem(), Schedule::new());
    for bytes in [file.to_json().into_bytes(), file.to_bytes()] {
        assert!(is_other_kind(&bytes));
    }
    let bytes = plan().to_file(None).to_bytes();
    assert!(!is_other_kind(&bytes[..60]));
}

#[test]
fn the_schedule_of_a_plan_file_is_read_without_its_claims() {
    let plan = plan().to_file(None);
    for bytes in [plan.to_json().into_bytes(), plan.to_bytes()] {
        assert_eq!(ScheduleFile::read(&bytes).as_ref(), Ok(&*plan.schedule));
        let cut = ScheduleFile::read(&bytes[..bytes.len() - 3]);
        assert!(matches!(cut, Err(ScheduleFileError::File(_))), "{cut:?}");
    }
    let of_version = |version: &str| {
        ScheduleFile::read(plan.to_json().replacen("\"version\": 1", &format!("\"version\": {version}"), 1).as_bytes())
    };
    assert_eq!(of_version("2").as_ref(), Ok(&*plan.schedule));
    let message = of_version("3").unwrap_err().to_string();
    assert_eq!(message, "field 'version' is 3, but only versions 1 and 2 are known; use a newer lockstep");
}

#[test]
fn wrong_claims_are_violations() {
    let spoiled = |spoil: fn(&mut PlanFile)| {
        let mut file = plan().to_file(None);
        spoil(&mut file);
        file.check().unwrap_err().to_string()
    };
    assert_eq!(spoiled(|file| file.steps = 6), "the plan claims 6 steps, but its schedule has 7");
    let too_many = |file: &mut PlanFile| (file.steps, file.verdict) = (8, Verdict::Gap(1));
    assert_eq!(spoiled(too_many), "the plan claims 8 steps, but its schedule has 7");
    assert_eq!(
        spoiled(|file| file.verdict = Verdict::Gap(1)),
        "the plan claims 'gap 1', but it has 7 steps and a lower bound of 7"
    );
    // Three steps of width 5 for what three steps of width 1 carry.
    let wide = |file: &mut PlanFile| {
        let mut schedule = Schedule::new();
        for (_, step) in file.schedule.schedule().steps() {
            schedule.begin_step_of_width(5.try_into().unwrap());
            step.iter().for_each(|transfer| schedule.push(transfer.message, transfer.path));
        }
        file.schedule = Arc::new(ScheduleFile::new(&file.schedule.problem(), schedule));
    };
    assert_eq!(
        spoiled(wide),
        "the plan claims 'optimal', but it has 7 steps of width 35 together and a lower bound of 7"
    );
    let mut file = plan().to_file(None);
    wide(&mut file);
    file.verdict = Verdict::Gap(28);
    let checked = file.check().unwrap();
    assert_eq!((checked.verdict(), checked.is_optimal()), (Verdict::Gap(28), false));
    assert!(spoiled(|file| file.lower_bound.steps = 8).starts_with("the lower bound is not proved: "));
    assert!(spoiled(|file| file.lower_bound.steps = 6).starts_with("the lower bound is not proved: "));
}

#[test]
fn a_plan_with_an_invalid_schedule_is_refused() {
    let plan = plan();
    let mut file = plan.to_file(None);
    let mut schedule = Schedule::new();
    for (place, step) in plan.schedule().steps() {
        schedule.begin_step();
        step.iter().skip(usize::from(place == 3)).for_each(|transfer| schedule.push(transfer.message, transfer.path));
    }
    file.schedule = Arc::new(ScheduleFile::new(&plan.problem(), schedule));
    assert!(matches!(file.check(), Err(PlanViolation::Schedule(_))));
}
