//! Numbers in JSON values, by their places.

use serde_json::Value;

/// The path to a value in a JSON document.
pub(crate) type Place = Vec<String>;

/// Returns the places of all numbers.
pub(crate) fn numbers(value: &Value) -> Vec<Place> {
    let children: Vec<(String, &Value)> = match value {
        Value::Number(_) => return vec![Vec::new()],
        Value::Array(items) => items.iter().enumerate().map(|(place, item)| (place.to_string(), item)).collect(),
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), field)).collect(),
        _ => return Vec::new(),
    };
    let below = |(key, child): (String, &Value)| {
        numbers(child).into_iter().map(move |place| [vec![key.clone()], place].concat()).collect::<Vec<_>>()
    };
    children.into_iter().flat_map(below).collect()
}

/// Returns the value at a place.
pub(crate) fn at<'a>(value: &'a mut Value, place: &[String]) -> &'a mut Value {
    place.iter().fold(value, |value, key| match value {
        Value::Array(items) => &mut items[key.parse::<usize>().unwrap()],
        value => &mut value[key.as_str()],
    })
}
