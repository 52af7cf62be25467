//! Bad input: what is said of it.

use super::client::Client;
use super::{Folder, capture, pyroclast, script, text};
use pyro_random::Random;
use pyro_test_environment::number;
use serde_json::{Value, json};

#[test]
fn captures_that_cannot_be_read_are_errors() {
    let folder = Folder::new("corrupt");
    let file = capture(&folder.0);
    let bytes = std::fs::read(&file).expect("the capture");
    let broken = folder.path("broken.pyro");
    for (name, bytes) in
        [("no capture", b"what is this".to_vec()), ("damaged", [&bytes[..64], &[0xff; 64]].concat())]
    {
        std::fs::write(&broken, bytes).expect("written");
        let output = script(&broken, &[], "run\n");
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(text(&output.stderr).contains("broken.pyro"), "{name}: {}", text(&output.stderr));
    }
    let mut client = Client::start(&[]);
    client.request("initialize", json!({}));
    let error = client.try_request("launch", json!({ "capture": folder.path("missing.pyro") }));
    assert!(error.as_ref().is_err_and(|error| error.contains("cannot open")), "{error:?}");
    client.event("terminated");
    let error = client.try_request("launch", json!({})).expect_err("nothing to debug");
    assert!(error.contains("nothing to debug"), "{error}");
    client.end();
    // A program without Vulkan.
    let output = pyroclast(&["debug", "--terminal", "--", "true"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no Vulkan instance"), "{}", text(&output.stderr));
}

#[test]
fn what_is_not_there_is_said() {
    let folder = Folder::new("missing");
    let file = capture(&folder.0);
    let mut client = Client::start(&[&file]);
    client.request("initialize", json!({}));
    assert!(client.try_request("threads", json!({})).is_err());
    assert!(client.try_request("next", json!({})).is_err());
    client.request("launch", json!({}));
    let set = |client: &mut Client, path: &str, line: u32| {
        let arguments = json!({ "source": { "path": path }, "breakpoints": [{ "line": line }] });
        client.request("setBreakpoints", arguments)["breakpoints"][0].clone()
    };
    let unknown = set(&mut client, "other.comp", 3);
    assert_eq!(unknown["verified"], false);
    assert!(
        unknown["message"]
            .as_str()
            .unwrap()
            .contains("no shader of the capture was compiled from other.comp")
    );
    let behind = set(&mut client, "fine.wgsl", 4000);
    assert_eq!(
        (&behind["verified"], &behind["message"]),
        (&json!(false), &json!("no shader has code in line 4000 or behind it"))
    );
    set(&mut client, "fine.wgsl", 15);
    client.request("configurationDone", json!({}));
    client.event("stopped");
    for (expression, error) in [
        ("nothing", "nothing here is named \"nothing\""),
        ("item.size", "\"item\" has no member \"size\""),
        ("both[7]", "\"both\" has 2 elements, and none with index 7"),
        ("1 +", "the expression ends too early"),
        ("1 / 0", "a division by zero"),
        ("both @", "\"@\" is not part of an expression"),
    ] {
        assert_eq!(client.value(expression), format!("error: {error}"));
    }
    assert!(client.try_request("source", json!({ "sourceReference": 99 })).is_err());
    assert!(client.try_request("variables", json!({ "variablesReference": 99 })).is_err());
    assert_eq!(client.try_request("undo", json!({})), Err("the request \"undo\" is not known".to_owned()));
    client.end();
}

#[test]
fn invocations_that_do_not_run_are_errors() {
    let folder = Folder::new("nobody");
    let file = capture(&folder.0);
    for (target, error) in [
        ("workgroup 7 0 0", "no such invocation runs in the capture"),
        ("pixel 1 1", "no such invocation runs in the capture"),
        ("local 1 0 0 event 5", "there is no event 5: the last is 0"),
    ] {
        let output = script(&file, &["--target", target], "run\n");
        assert_eq!(output.status.code(), Some(1), "{target}");
        assert!(text(&output.stdout).contains(error), "{target}: {}", text(&output.stdout));
    }
    for target in ["somewhere 3", "pixel 1", "stage paint"] {
        let output = script(&file, &["--target", target], "");
        assert_eq!(output.status.code(), Some(2), "{target}");
    }
}

/// Numbers and texts of all kinds.
fn anything(random: &mut Random) -> Value {
    match random.below(8) {
        0 => json!(random.int(-2, 40)),
        1 => json!(random.pick(&[i64::MIN, i64::MAX, -1, 0, 1 << 31, 1 << 32])),
        2 => json!(null),
        3 => json!([anything(random)]),
        4 => json!({ "path": "fine.wgsl", "line": anything(random) }),
        5 => json!(random.pick(&[
            "fine.wgsl",
            "",
            "both[",
            "a.b.c",
            "1 + 2 * (3",
            "item.size[0]",
            "\u{ffff}",
            "-1"
        ])),
        6 => json!(random.pick(&[1e300, -0.5, 3.0])),
        _ => json!(random.one_in(2)),
    }
}

/// Every request is answered, whatever its arguments are, and the adapter goes on.
#[test]
fn requests_of_any_form_are_answered() {
    const COMMANDS: [&str; 26] = [
        "breakpointLocations",
        "completions",
        "continue",
        "dataBreakpointInfo",
        "evaluate",
        "exceptionInfo",
        "goto",
        "gotoTargets",
        "loadedSources",
        "modules",
        "next",
        "pause",
        "restartFrame",
        "reverseContinue",
        "scopes",
        "setBreakpoints",
        "setDataBreakpoints",
        "setExceptionBreakpoints",
        "setFunctionBreakpoints",
        "setVariable",
        "source",
        "stackTrace",
        "stepBack",
        "stepIn",
        "threads",
        "variables",
    ];
    const ARGUMENTS: [&str; 16] = [
        "threadId",
        "frameId",
        "variablesReference",
        "expression",
        "source",
        "line",
        "endLine",
        "breakpoints",
        "start",
        "count",
        "name",
        "value",
        "sourceReference",
        "targetId",
        "levels",
        "filters",
    ];
    let folder = Folder::new("anything");
    let file = capture(&folder.0);
    let mut client = Client::start(&[&file]);
    client.launch(json!({ "stopOnEntry": true }), |_| {});
    let mut random = Random::new(number("PYRO_SEED", 1));
    for _ in 0..number("PYRO_MUTATIONS", 400) {
        let command = random.pick(&COMMANDS);
        let mut arguments = serde_json::Map::new();
        for _ in 0..random.below(6) {
            let name = random.pick(&ARGUMENTS);
            arguments.insert(name.to_owned(), anything(&mut random));
        }
        // `try_request` fails the test if there is no answer.
        let _ = client.try_request(command, arguments.into());
    }
    client.end();
}
