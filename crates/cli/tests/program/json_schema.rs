//! A validator for the JSON Schemas that the program prints: the keywords of draft 2020-12 that they use. It refuses all others.

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::{Map, Value};

/// Keywords that say nothing about a value.
const NOTES: [&str; 6] = ["$schema", "$defs", "title", "description", "default", "format"];

/// Checks a value. Returns the first rule that it breaks, with its place.
pub(crate) fn check(schema: &Value, value: &Value) -> Result<(), String> {
    Validator { root: schema }.check(schema, value, "").map(drop)
}

struct Validator<'a> {
    root: &'a Value,
}

/// The fields of an object that a schema describes.
type Described = BTreeSet<String>;

impl Validator<'_> {
    fn check(&self, schema: &Value, value: &Value, place: &str) -> Result<Described, String> {
        let keywords = match schema {
            Value::Bool(true) => return Ok(Described::new()),
            Value::Bool(false) => return Err(format!("'{place}' is not allowed")),
            Value::Object(keywords) => keywords,
            _ => panic!("a schema is an object or a boolean: {schema}"),
        };
        let mut described = Described::new();
        for (keyword, rule) in keywords {
            self.check_keyword([keyword, place], rule, value, keywords, &mut described)?;
        }
        if let (Some(rule), Some(object)) = (keywords.get("unevaluatedProperties"), value.as_object()) {
            for (name, field) in object {
                if !described.contains(name) {
                    self.check(rule, field, &format!("{place}/{name}"))?;
                }
            }
        }
        Ok(described)
    }

    fn check_keyword(
        &self,
        [keyword, place]: [&str; 2],
        rule: &Value,
        value: &Value,
        keywords: &Map<String, Value>,
        described: &mut Described,
    ) -> Result<(), String> {
        let rules = || rule.as_array().unwrap_or_else(|| panic!("'{keyword}' needs a list: {rule}"));
        let is_kept = match keyword {
            "$ref" => {
                let pointer = rule.as_str().and_then(|address| address.strip_prefix('#')).expect("a local reference");
                let target = self.root.pointer(pointer).unwrap_or_else(|| panic!("there is no {rule}"));
                described.extend(self.check(target, value, place)?);
                true
            }
            "type" => match rule {
                Value::Array(kinds) => kinds.iter().any(|kind| has_type(value, kind)),
                kind => has_type(value, kind),
            },
            "pattern" => value.as_str().is_none_or(|text| {
                let pattern = rule.as_str().expect("a regular expression");
                Regex::new(pattern).unwrap_or_else(|error| panic!("{error}")).is_match(text)
            }),
            "const" => value == rule,
            "enum" => rules().contains(value),
            "allOf" => {
                for rule in rules() {
                    described.extend(self.check(rule, value, place)?);
                }
                true
            }
            "anyOf" | "oneOf" => {
                let results: Vec<_> = rules().iter().map(|rule| self.check(rule, value, place)).collect();
                let count = results.iter().filter(|result| result.is_ok()).count();
                if count == 0 || (keyword == "oneOf" && count > 1) {
                    return Err(format!("'{place}' fits {count} of {keyword}: {results:?}"));
                }
                results.into_iter().flatten().for_each(|fields| described.extend(fields));
                true
            }
            "properties" | "additionalProperties" => {
                described.extend(self.check_fields(keywords, value, place, keyword == "properties")?);
                true
            }
            "required" => {
                let lacks = |name: &&Value| value.is_object() && value.get(name.as_str().expect("a name")).is_none();
                if let Some(name) = rules().iter().find(lacks) {
                    return Err(format!("'{place}' lacks the field {name}"));
                }
                true
            }
            "prefixItems" | "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    let first = keywords.get("prefixItems").and_then(|rules| rules.get(index));
                    let of_item = if keyword == "items" && first.is_none() { Some(rule) } else { first };
                    of_item.map_or(Ok(Described::new()), |rule| self.check(rule, item, &format!("{place}/{index}")))?;
                }
                true
            }
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= number(rule)),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= number(rule)),
            "uniqueItems" => value.as_array().is_none_or(|items| {
                let texts: BTreeSet<_> = items.iter().map(Value::to_string).collect();
                rule == false || texts.len() == items.len()
            }),
            "minimum" => value.as_f64().is_none_or(|value| rule.as_f64().is_some_and(|least| value >= least)),
            "maximum" => value.as_f64().is_none_or(|value| rule.as_f64().is_some_and(|most| value <= most)),
            "unevaluatedProperties" => true,
            note if NOTES.contains(&note) => true,
            unknown => {
                panic!("the schema has the keyword '{unknown}', which the validator of the tests does not support")
            }
        };
        if is_kept { Ok(()) } else { Err(format!("'{place}' breaks {keyword} {rule}: {value}")) }
    }

    /// Checks the fields of an object that `properties` lists, or all others. Returns their names.
    fn check_fields(
        &self,
        keywords: &Map<String, Value>,
        value: &Value,
        place: &str,
        are_listed: bool,
    ) -> Result<Described, String> {
        let mut described = Described::new();
        for (name, field) in value.as_object().into_iter().flatten() {
            let listed = keywords.get("properties").and_then(|rules| rules.get(name));
            let others = keywords.get("additionalProperties").filter(|_| listed.is_none());
            if let Some(rule) = if are_listed { listed } else { others } {
                self.check(rule, field, &format!("{place}/{name}"))?;
                described.insert(name.clone());
            }
        }
        Ok(described)
    }
}

fn number(rule: &Value) -> u64 {
    rule.as_u64().expect("a whole number")
}

fn has_type(value: &Value, kind: &Value) -> bool {
    match kind.as_str().expect("the name of a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        unknown => panic!("there is no type '{unknown}'"),
    }
}
