//! Plans with altered certificates.

use std::collections::BTreeSet;

use lockstep::schedule::Routing;
use lockstep::{Budget, CollectiveName, CommunicationModel, LowerBound, Plan, PlanFile, PlanOptions, Planner, Problem};
use serde_json::Value;

use crate::network;

/// Collects the JSON pointers of all numbers in a value.
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

/// The maximum number of numbers that are altered per certificate.
const MOST: usize = 100;

/// Each number of a bound (a step, a count, a weight, a node) is changed by one, and the file is refused.
#[test]
fn no_number_of_a_certificate_can_be_altered() {
    let (wormhole, store) = (CommunicationModel::wormhole(), CommunicationModel::store_and_forward());
    let any = CommunicationModel { routing: Routing::Any, ..wormhole };
    let setups = [
        ("irregular.edges", wormhole, "oab oas aab aas gather reduce reduce-scatter all-reduce"),
        ("irregular.edges", store, "oab oas aab aas gather reduce reduce-scatter all-reduce"),
        ("irregular.edges", any, "oas aas"),
        ("directed.edges", wormhole, "oab oas aab aas"),
        ("directed.edges", store, "oas aab aas"),
        ("indirect.edges", wormhole, "aas"),
    ];
    let mut rules = BTreeSet::new();
    for (file, model, collectives) in setups {
        let topology = network(file);
        for collective in collectives.split(' ') {
            let name: CollectiveName = collective.parse().unwrap();
            let collective = name.with_root(name.has_root().then(|| topology.terminals()[1])).unwrap();
            let problem = Problem::new(&topology, &collective, model).unwrap();
            let plan = Planner::new(problem, PlanOptions::auto(1)).run(&Budget::evaluations(1 << 12), |_| {}).unwrap();
            for bound in lockstep::bounds::all(&problem) {
                rules.insert(bound.rule);
                refuse_all_changes(&plan, &bound);
            }
        }
    }
    assert!(rules.len() >= 8, "{rules:?}");
}

/// Changes each number of the bound by one, and checks that the plan file is refused.
fn refuse_all_changes(plan: &Plan, bound: &LowerBound) {
    let mut whole: Value = serde_json::from_str(&plan.to_file(None).to_json()).unwrap();
    whole["lower_bound"] = serde_json::to_value(bound).unwrap();
    let gap = plan.step_count() - bound.steps;
    whole["verdict"] = Value::from(if gap == 0 { "optimal".to_owned() } else { format!("gap {gap}") });
    assert!(PlanFile::from_json(&whole.to_string()).unwrap().check().is_ok(), "{bound}");
    let mut places = Vec::new();
    numbers(&whole["lower_bound"], "/lower_bound", &mut places);
    for place in places.iter().take(MOST) {
        for change in [1, -1] {
            let mut altered = whole.clone();
            let number = altered.pointer_mut(place).unwrap();
            *number = Value::from(number.as_i64().unwrap() + change);
            let is_accepted = PlanFile::from_json(&altered.to_string()).is_ok_and(|file| file.check().is_ok());
            // Another node with the same numbers is also a proof.
            let names_a_node = ["/source", "/node"].iter().any(|end| place.ends_with(end)) || place.contains("/nodes/");
            let is_node = names_a_node && same_numbers(bound, &altered["lower_bound"]);
            assert!(!is_accepted || is_node, "{bound}: {place} {change}");
        }
    }
}

/// Returns true if the altered bound claims the same number of steps.
fn same_numbers(bound: &LowerBound, altered: &Value) -> bool {
    serde_json::from_value::<LowerBound>(altered.clone()).is_ok_and(|altered| altered.steps == bound.steps)
}
