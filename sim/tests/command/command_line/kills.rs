//! `midturn faults`.

use serde_json::Value;

use super::midturn;

#[test]
fn a_fault_is_told_by_backend_with_its_token() {
    let ran = midturn(&["faults", "steer_in_two_sections", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let value: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    assert_eq!(value["faults"][0]["name"], "steer_in_two_sections");
    let backends = value["faults"][0]["backends"].as_object().expect("an object");
    let names: Vec<&str> = backends.keys().map(String::as_str).collect();
    assert_eq!(names, ["loom", "proptest", "sampling", "search", "soak"]);
    for (name, backend) in backends {
        assert_eq!(backend["caught"], true, "{name}: {backend}");
        assert!(backend["property"].is_string(), "{name}: {backend}");
    }
    let token = backends["search"]["token"].as_str().expect("a token");
    let replayed = midturn(&["replay", token]);
    assert_eq!(replayed.code, 1, "{}{}", replayed.out, replayed.err);
    assert!(replayed.out.contains("no_silent_loss"), "{}", replayed.out);
}

#[test]
fn blindness_has_a_reason() {
    let ran = midturn(&["faults", "done_is_not_remembered"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let why = "loom: needs the second branch of a race whose first is ready too\n";
    assert!(ran.out.contains(why), "{}", ran.out);
}

#[test]
fn a_fault_that_there_is_not_is_refused() {
    let ran = midturn(&["faults", "steer_in_two_section"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
    assert!(ran.err.contains("did you mean `steer_in_two_sections`?"), "{}", ran.err);
}
