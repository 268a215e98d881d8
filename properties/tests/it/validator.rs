//! The part of JSON Schema (draft 2020-12) that the published schema uses.
//!
//! A crate for the whole of it costs two minutes of a cold build. What is not known here
//! panics, so that nothing in the schema can go unchecked.

use serde_json::{Map, Value};

/// Whether `value` satisfies `schema`, which stands within `root`.
pub fn is_valid(root: &Value, schema: &Value, value: &Value) -> bool {
    let keywords = schema.as_object().expect("a schema is a table");
    keywords.iter().all(|(keyword, operand)| {
        let each = |test: &dyn Fn(&Value) -> bool| operand.as_array().unwrap().iter().all(test);
        let satisfied = || {
            let schemas = operand.as_array().unwrap().iter();
            schemas.filter(|schema| is_valid(root, schema, value)).count()
        };
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let pointer = operand.as_str().unwrap().strip_prefix('#').unwrap();
                is_valid(root, root.pointer(pointer).expect(pointer), value)
            }
            "const" => value == operand,
            "enum" => operand.as_array().unwrap().contains(value),
            "type" if operand.is_array() => !each(&|name| !has_type(name, value)),
            "type" => has_type(operand, value),
            "oneOf" => satisfied() == 1,
            "anyOf" => satisfied() > 0,
            "allOf" => each(&|schema| is_valid(root, schema, value)),
            "not" => !is_valid(root, operand, value),
            "pattern" => value.as_str().is_none_or(|text| matches(operand, text)),
            "minimum" => value.as_i64().is_none_or(|number| number >= operand.as_i64().unwrap()),
            "maximum" => value.as_i64().is_none_or(|number| number <= operand.as_i64().unwrap()),
            "minItems" => length(value).is_none_or(|length| length >= operand.as_u64().unwrap()),
            "maxItems" => length(value).is_none_or(|length| length <= operand.as_u64().unwrap()),
            "minProperties" => size(value).is_none_or(|size| size >= operand.as_u64().unwrap()),
            "maxProperties" => size(value).is_none_or(|size| size <= operand.as_u64().unwrap()),
            "items" => value
                .as_array()
                .is_none_or(|items| items.iter().all(|item| is_valid(root, operand, item))),
            _ => value.as_object().is_none_or(|table| of_table(root, keywords, keyword, table)),
        }
    })
}

/// The keywords that say something about tables.
fn of_table(
    root: &Value,
    keywords: &Map<String, Value>,
    keyword: &str,
    table: &Map<String, Value>,
) -> bool {
    let operand = &keywords[keyword];
    let has_all =
        |keys: &Value| keys.as_array().unwrap().iter().all(|key| has(table, key.as_str().unwrap()));
    let of_present = |test: &dyn Fn(&Value) -> bool| {
        let mut rules = operand.as_object().unwrap().iter();
        rules.all(|(key, rule)| !has(table, key) || test(rule))
    };
    match keyword {
        "required" => has_all(operand),
        "properties" => {
            let mut properties = operand.as_object().unwrap().iter();
            properties
                .all(|(key, rule)| table.get(key).is_none_or(|value| is_valid(root, rule, value)))
        }
        "additionalProperties" if operand == &Value::Bool(false) => {
            let declared = keywords["properties"].as_object().unwrap();
            table.keys().all(|key| has(declared, key))
        }
        "additionalProperties" => {
            assert!(!has(keywords, "properties"), "both at once are not known here");
            table.values().all(|value| is_valid(root, operand, value))
        }
        "propertyNames" => {
            table.keys().all(|key| is_valid(root, operand, &Value::String(key.clone())))
        }
        "dependentRequired" => of_present(&has_all),
        "dependentSchemas" => {
            of_present(&|rule| is_valid(root, rule, &Value::Object(table.clone())))
        }
        _ => panic!("the keyword {keyword} is not known here"),
    }
}

fn has(table: &Map<String, Value>, key: &str) -> bool {
    table.contains_key(key)
}

fn length(value: &Value) -> Option<u64> {
    value.as_array().map(|items| items.len() as u64)
}

fn size(value: &Value) -> Option<u64> {
    value.as_object().map(|table| table.len() as u64)
}

fn has_type(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("the type {other} is not known here"),
    }
}

/// The one pattern that the schema has.
fn matches(pattern: &Value, text: &str) -> bool {
    assert_eq!(pattern, "^[A-Za-z][A-Za-z0-9_-]*$");
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
