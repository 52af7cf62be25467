//! A compute shader: breakpoints, steps in both directions, values.

use super::client::Client;
use super::{Folder, capture};
use serde_json::json;

/// In invocation 2 of the first workgroup.
fn target() -> serde_json::Value {
    json!({ "workgroup": [0, 0, 0], "local": [2, 0, 0] })
}

#[test]
fn lines_stop_and_steps_go_both_ways() {
    let folder = Folder::new("steps");
    let file = capture(&folder.0);
    let mut client = Client::start(&[]);
    let stop = client.launch(json!({ "capture": file, "target": target() }), |client| {
        let set = client.break_at(json!([{ "line": 17 }]));
        assert_eq!(
            (&set["breakpoints"][0]["verified"], &set["breakpoints"][0]["line"]),
            (&json!(true), &json!(17))
        );
    });
    assert_eq!(stop["reason"], "breakpoint");
    assert_eq!(client.line(), 17);
    assert_eq!(client.value("item.weight"), "3.0");
    assert_eq!(client.value("item.count"), "3");
    client.go("next");
    assert_eq!((client.line(), client.value("both")), (18, "(3.0, 1.0)".to_owned()));
    client.go("next");
    client.go("next");
    assert_eq!((client.line(), client.value("both.x")), (21, "6.0".to_owned()));
    client.go("stepBack");
    assert_eq!((client.line(), client.value("both.x")), (19, "3.0".to_owned()));
    client.go("reverseContinue");
    assert_eq!(client.line(), 17);
    // Nothing before: the beginning.
    assert_eq!(client.go("reverseContinue")["reason"], "entry");
    assert_eq!(client.go("continue")["reason"], "breakpoint");
    assert_eq!(client.go("continue")["description"], "the end of the invocation");
    assert_eq!(client.value("result"), "73.0");
    client.go("stepBack");
    assert_eq!((client.line(), client.value("data[2]")), (26, "3.0".to_owned()));
    client.request("continue", json!({}));
    client.event("stopped");
    client.request("continue", json!({}));
    client.event("terminated");
    client.end();
}

#[test]
fn calls_are_entered_and_left() {
    let folder = Folder::new("calls");
    let file = capture(&folder.0);
    let mut client = Client::start(&[]);
    client.launch(json!({ "capture": file, "target": target() }), |client| {
        client.break_at(json!([{ "line": 24 }]));
    });
    client.go("stepIn");
    let frames = client.frames();
    let names: Vec<&str> = frames.iter().map(|frame| frame["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["scale", "main"]);
    assert_eq!(frames[1]["line"], 24);
    assert_eq!(client.value("n"), "3");
    assert_eq!(client.value("x"), "12.0");
    // Names of the caller are those of its frame.
    let caller =
        client.request("evaluate", json!({ "expression": "item.count", "frameId": frames[1]["id"] }));
    assert_eq!((&caller["result"], &caller["type"]), (&json!("3"), &json!("uint")));
    client.go("stepOut");
    assert_eq!(client.frames().len(), 1);
    client.go("next");
    assert_eq!((client.line(), client.value("result")), (25, "72.0".to_owned()));
    client.go("stepBack");
    assert_eq!(client.line(), 24);
    client.go("next");
    assert_eq!(client.line(), 25);
    client.end();
}

#[test]
fn instructions_are_stepped_and_disassembled() {
    let folder = Folder::new("instructions");
    let file = capture(&folder.0);
    let mut client = Client::start(&[]);
    client.launch(json!({ "capture": file, "target": target(), "stopOnEntry": true }), |_| {});
    let reference = |client: &mut Client| {
        let frame = client.frames()[0].clone();
        frame["instructionPointerReference"].as_str().expect("a reference").to_owned()
    };
    let first = reference(&mut client);
    client.request("next", json!({ "granularity": "instruction" }));
    client.event("stopped");
    let second = reference(&mut client);
    assert_ne!(first, second);
    client.request("stepBack", json!({ "granularity": "instruction" }));
    client.event("stopped");
    assert_eq!(reference(&mut client), first);
    let arguments = json!({ "memoryReference": first, "instructionCount": 2, "instructionOffset": -1 });
    let lines = client.request("disassemble", arguments);
    let texts = lines["instructions"].as_array().expect("instructions");
    assert_eq!((texts.len(), &texts[1]["address"]), (2, &json!(first)));
    assert!(texts[1]["instruction"].as_str().is_some_and(|text| text.contains("Op")));
    // A breakpoint on the instruction behind.
    let set = json!({ "breakpoints": [{ "instructionReference": second }] });
    client.request("setInstructionBreakpoints", set);
    assert_eq!(client.go("continue")["reason"], "breakpoint");
    assert_eq!(reference(&mut client), second);
    client.end();
}

#[test]
fn conditions_hits_and_logs() {
    let folder = Folder::new("conditions");
    let file = capture(&folder.0);
    let mut client = Client::start(&[]);
    let stop = client.launch(json!({ "capture": file, "target": target() }), |client| {
        client.break_at(json!([
            { "line": 7, "condition": "i == 1u && sum > 10.0" },
            { "line": 25, "logMessage": "result {result} of {item.count * 2u}" },
        ]));
    });
    assert_eq!(stop["reason"], "breakpoint");
    assert_eq!((client.value("i"), client.value("sum")), ("1".to_owned(), "12.0".to_owned()));
    assert_eq!(client.go("continue")["description"], "the end of the invocation");
    assert_eq!(client.event("output")["output"], "result 72.0 of 6\n");
    client.break_at(json!([{ "line": 7, "hitCondition": "3" }]));
    client.go("reverseContinue");
    assert_eq!((client.line(), client.value("i")), (7, "2".to_owned()));
    client.end();
}

#[test]
fn functions_and_writes_stop() {
    let folder = Folder::new("writes");
    let file = capture(&folder.0);
    let mut client = Client::start(&[]);
    let stop = client.launch(json!({ "capture": file, "target": target() }), |client| {
        let set = json!({ "breakpoints": [{ "name": "scale" }, { "name": "nothing" }] });
        let set = client.request("setFunctionBreakpoints", set);
        assert_eq!(set["breakpoints"][0]["verified"], true);
        assert_eq!(set["breakpoints"][1]["message"], "no shader has a function \"nothing\"");
    });
    assert_eq!(stop["reason"], "breakpoint");
    assert_eq!(client.frames()[0]["name"], "scale");
    let frame = client.frames()[0]["id"].clone();
    let info = client.request("dataBreakpointInfo", json!({ "name": "sum", "frameId": frame }));
    client.request("setDataBreakpoints", json!({ "breakpoints": [{ "dataId": info["dataId"] }] }));
    let mut sums = Vec::new();
    loop {
        let stop = client.go("continue");
        if stop["reason"] != "data breakpoint" {
            break;
        }
        sums.push(client.value("sum"));
    }
    // Where it is initialized first, if that is a store.
    assert_eq!(sums[sums.len() - 3..], ["12.0", "36.0", "72.0"]);
    // A place in a buffer, backwards.
    let info = client.request("dataBreakpointInfo", json!({ "name": "data[2]" }));
    client.request("setFunctionBreakpoints", json!({ "breakpoints": [] }));
    client.request("setDataBreakpoints", json!({ "breakpoints": [{ "dataId": info["dataId"] }] }));
    assert_eq!(client.go("reverseContinue")["reason"], "data breakpoint");
    assert_eq!(client.value("data[2]"), "73.0");
    client.end();
}

#[test]
fn variables_have_types_and_parts() {
    let folder = Folder::new("variables");
    let file = capture(&folder.0);
    let mut client = Client::start(&[]);
    client.launch(json!({ "capture": file, "target": target() }), |client| {
        client.break_at(json!([{ "line": 23 }]));
    });
    let locals = client.scope("Locals");
    let find = |name: &str| {
        locals.iter().find(|one| one.0 == name).unwrap_or_else(|| panic!("{name}: {locals:?}")).clone()
    };
    assert_eq!(find("both"), ("both".into(), "(6.0, 2.0)".into(), "vec2".into()));
    assert_eq!(find("item").1, "{weight = 3.0, count = 3}");
    let item = client.request("evaluate", json!({ "expression": "item" }));
    let parts = client.variables(&item["variablesReference"]);
    assert_eq!(parts[0], ("weight".into(), "3.0".into(), "float".into()));
    assert_eq!(parts[1], ("count".into(), "3".into(), "uint".into()));
    // Workgroup memory: what the invocation has written of it.
    assert_eq!(client.value("part[2]"), "6.0");
    // The buffer, by reflection, as it was when the invocation began.
    let buffer = client.request("evaluate", json!({ "expression": "data" }));
    assert_eq!((&buffer["result"], &buffer["indexedVariables"]), (&json!("float[16]"), &json!(16)));
    let reference = buffer["variablesReference"].clone();
    let page =
        client.request("variables", json!({ "variablesReference": reference, "start": 14, "count": 5 }));
    let page = page["variables"].as_array().expect("variables");
    assert_eq!((page.len(), &page[0]["name"], &page[1]["value"]), (2, &json!("[14]"), &json!("16.0")));
    let inputs = client.scope("Inputs");
    assert!(inputs.iter().any(|one| one.1 == "(2, 0, 0)" && one.2 == "uvec3"), "{inputs:?}");
    assert!(!client.scope("Ids").is_empty());
    assert_eq!(client.value("(item.count + 1u) * 2u == 8u ? both.yx : both"), "(2.0, 6.0)");
    assert_eq!(client.value("sqrt(item.weight * 12.0)"), "6.0");
    client.end();
}

#[test]
fn neighbours_of_the_subgroup_are_threads() {
    let folder = Folder::new("subgroup");
    let file = capture(&folder.0);
    let mut client = Client::start(&[]);
    client.launch(json!({ "capture": file, "target": target() }), |client| {
        client.break_at(json!([{ "line": 19 }]));
    });
    // Two of eight go in there.
    let values = client.request("pyroclast/subgroup", json!({ "expression": "item.weight" }));
    let values = values["values"].as_array().expect("values").clone();
    let active: Vec<(&str, bool)> =
        values.iter().map(|one| (one["value"].as_str().expect("a value"), one["active"] == true)).collect();
    let expected: Vec<(String, bool)> =
        (1..=8).map(|number: u32| (format!("{number}.0"), number.is_multiple_of(3))).collect();
    let expected: Vec<(&str, bool)> =
        expected.iter().map(|(text, active)| (text.as_str(), *active)).collect();
    assert_eq!(active, expected);
    let threads = client.request("threads", json!({}));
    let names: Vec<&str> = threads["threads"]
        .as_array()
        .expect("threads")
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 8);
    assert_eq!(names[2], "compute workgroup (0, 0, 0) local (2, 0, 0)");
    assert_eq!(names[0], "compute workgroup (0, 0, 0) local (0, 0, 0) (not active)");
    // Another thread is stepped from where it is.
    client.request("next", json!({ "threadId": 6 }));
    assert_eq!(client.event("stopped")["threadId"], 6);
    assert_eq!((client.line(), client.value("both.x")), (21, "12.0".to_owned()));
    client.end();
}

#[test]
fn a_whole_workgroup_is_followed() {
    let folder = Folder::new("workgroup");
    let file = capture(&folder.0);
    let mut client = Client::start(&[]);
    let arguments = json!({ "capture": file, "target": { "workgroup": [1, 0, 0] } });
    client.launch(arguments, |client| {
        client.break_at(json!([{ "line": 26, "condition": "id.x == 13u" }]));
    });
    assert_eq!(client.value("result"), "133.0");
    client.end();
}

/// From the first line to the barrier, to the end, and back.
#[test]
fn barriers_are_steps_in_both_directions() {
    let folder = Folder::new("barrier");
    let file = capture(&folder.0);
    let mut client = Client::start(&[]);
    let arguments = json!({ "capture": file, "target": { "workgroup": [0, 0, 0] } });
    client.launch(arguments, |client| {
        client.break_at(json!([{ "line": 14 }]));
    });
    client.go("pyroclast/barrier");
    assert_eq!(client.line(), 22);
    let stop = client.go("pyroclast/barrier");
    assert_eq!(stop["description"], "the end of the invocation");
    client.request("pyroclast/barrier", json!({ "backwards": true }));
    client.event("stopped");
    assert_eq!(client.line(), 22);
    client.end();
}

#[test]
fn without_a_target_the_first_that_comes_there() {
    let folder = Folder::new("first");
    let file = capture(&folder.0);
    let mut client = Client::start(&[]);
    client.launch(json!({ "capture": file }), |client| {
        client.break_at(json!([{ "line": 19 }]));
    });
    assert_eq!((client.line(), client.value("local")), (19, "2".to_owned()));
    client.end();
}

#[test]
fn values_are_changed_and_it_goes_on_with_them() {
    let folder = Folder::new("change");
    let file = capture(&folder.0);
    let mut client = Client::start(&[]);
    client.launch(json!({ "capture": file, "target": target() }), |client| {
        client.break_at(json!([{ "line": 7, "hitCondition": "2" }, { "line": 26 }]));
    });
    assert_eq!(client.value("sum"), "12.0");
    let frame = client.frames()[0]["id"].clone();
    let scopes = client.request("scopes", json!({ "frameId": frame }));
    let locals = scopes["scopes"][0]["variablesReference"].clone();
    client.request("setVariable", json!({ "variablesReference": locals, "name": "sum", "value": "1000.0" }));
    client.event("stopped");
    assert_eq!((client.line(), client.value("i"), client.value("sum")), (7, "1".into(), "1000.0".into()));
    client.go("next");
    assert_eq!(client.value("sum"), "1024.0");
    client.go("continue");
    assert_eq!((client.line(), client.value("result")), (26, "1061.0".to_owned()));
    // A vector, by an expression; then without changes.
    client.request("setExpression", json!({ "expression": "both", "value": "7.0, 8.0" }));
    client.event("stopped");
    client.go("continue");
    assert_eq!(client.value("both"), "(7.0, 8.0)");
    let wrong = client.try_request("setExpression", json!({ "expression": "data[0]", "value": "1.0" }));
    assert_eq!(wrong, Err("the invocation has ended".to_owned()));
    client.request("restart", json!({}));
    client.event("stopped");
    client.go("continue");
    assert_eq!((client.line(), client.value("result")), (26, "73.0".to_owned()));
    client.end();
}

/// An element of a buffer is changed before the submission, so every invocation finds it.
#[test]
fn buffers_are_changed_and_it_goes_on_with_them() {
    let folder = Folder::new("change-buffer");
    let file = capture(&folder.0);
    let mut client = Client::start(&[]);
    client.launch(json!({ "capture": file, "target": target() }), |client| {
        client.break_at(json!([{ "line": 7, "hitCondition": "1" }, { "line": 26 }]));
    });
    let (before, element) = (client.value("data[5]"), client.value("data[1]"));
    client.request("setExpression", json!({ "expression": "data[5]", "value": "1000.0" }));
    client.event("stopped");
    assert_eq!((client.line(), client.value("data[5]")), (7, "1000.0".to_owned()));
    assert_eq!(client.value("data[1]"), element);
    client.go("continue");
    // Invocation 5 loads it and doubles it; this one sums six times that, and 1.
    assert_eq!((client.line(), client.value("result")), (26, "12001.0".to_owned()));
    client.request("restart", json!({}));
    client.event("stopped");
    assert_eq!(client.value("data[5]"), before);
    client.go("continue");
    assert_eq!((client.line(), client.value("result")), (26, "73.0".to_owned()));
    for (expression, value) in [("data[0]", "1.0, 2.0"), ("data[99999999]", "1.0"), ("data", "1.0")] {
        let wrong = client.try_request("setExpression", json!({ "expression": expression, "value": value }));
        assert!(wrong.is_err(), "{expression}");
    }
    client.end();
}

#[test]
fn shaders_are_reloaded_from_their_source() {
    let folder = Folder::new("reload");
    let file = capture(&folder.0);
    let mut client = Client::start(&[]);
    client.launch(json!({ "capture": file, "target": target() }), |client| {
        client.break_at(json!([{ "line": 26 }]));
    });
    assert_eq!(client.value("result"), "73.0");
    let path = folder.path("fine.wgsl");
    let source = std::fs::read_to_string(&path).expect("the source");
    std::fs::write(&path, source.replace("both.y * 0.5", "both.y * 50.0")).expect("written");
    client.request("pyroclast/reload", json!({ "path": path }));
    client.event("stopped");
    assert_eq!((client.line(), client.value("result")), (26, "172.0".to_owned()));
    std::fs::write(&path, source.replace("both.y * 0.5", "both.y * nothing")).expect("written");
    let wrong =
        client.try_request("pyroclast/reload", json!({ "path": path })).expect_err("it does not compile");
    assert!(wrong.contains("nothing"), "{wrong}");
    assert_eq!(client.value("result"), "172.0");
    client.end();
}
