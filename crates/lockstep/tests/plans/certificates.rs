//! Plans whose certificates were altered.

use lockstep::{Budget, CommunicationModel, PlanFile, PlanOptions, PlanViolation, Planner};
use serde_json::Value;

use crate::Question;

/// The places of all numbers in a value.
fn numbers(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(path.to_owned()),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(place, item)| numbers(item, &format!("{path}/{place}"), found));
        }
        Value::Object(fields) => fields.iter().for_each(|(name, item)| numbers(item, &format!("{path}/{name}"), found)),
        _ => {}
    }
}

/// Numbers more of a certificate are not tried.
const MOST: usize = 200;

/// One number of the bound changed by one, wherever it stands (a step, a count, a weight, a node): the file is refused.
#[test]
fn no_number_of_a_certificate_can_be_altered() {
    let (wormhole, store) = (CommunicationModel::wormhole(), CommunicationModel::store_and_forward());
    let any = CommunicationModel { routing: lockstep::schedule::Routing::Any, ..wormhole };
    let questions = [
        ("mesh:4x4", "aas", wormhole),
        ("kautz:3,2", "aas", wormhole),
        ("kautz:3,2", "aas", any),
        ("full-b-tree:15", "oab", wormhole),
        ("full-b-tree:15", "oas", wormhole),
        ("mesh:3x4", "oas", wormhole),
        ("mesh:3x4", "oas", store),
        ("mesh:3x4", "oab", wormhole),
        ("mesh:4x4", "aab", store),
        ("dragonfly:2,1,1", "aab", wormhole),
        ("random-regular:10,3,1", "aas", store),
        ("ring:7", "all-reduce", store),
        ("mesh:3x3", "gather", wormhole),
    ];
    for (spec, collective, model) in questions {
        let question = Question::new(spec, collective, model);
        let planner = Planner::new(question.problem(), PlanOptions::auto(1));
        let plan = planner.run(&Budget::evaluations(1 << 12), |_| {}).unwrap();
        let text = plan.to_file(None).to_json();
        let whole: Value = serde_json::from_str(&text).unwrap();
        let mut places = Vec::new();
        numbers(&whole["lower_bound"], "/lower_bound", &mut places);
        assert!(PlanFile::from_json(&text).unwrap().check().is_ok());
        for place in places.iter().take(MOST) {
            for change in [1, -1] {
                let mut altered = whole.clone();
                let number = altered.pointer_mut(place).unwrap();
                *number = Value::from(number.as_i64().unwrap() + change);
                let read = PlanFile::from_json(&altered.to_string());
                let refused = read.is_err()
                    || matches!(read.unwrap().check(), Err(PlanViolation::Bound(_) | PlanViolation::Verdict { .. }));
                assert!(refused, "{spec} {collective} {model}: {place} {change}");
            }
        }
    }
}
