//! Draws: this pixel, this vertex, the history of a pixel.

use super::client::Client;
use super::stages::{MANY_DRAWS, capture_of, plain_draw};
use super::{Folder, script, text};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[test]
fn a_pixel_is_stopped_at() {
    let folder = Folder::new("pixel");
    let file = capture_of(&folder, "fragment");
    let mut client = Client::start(&[&file]);
    client.launch(json!({ "target": { "pixel": [5, 3] }, "stopOnEntry": true }), |_| {});
    let threads = client.request("threads", json!({}));
    let threads = threads["threads"].as_array().expect("threads").clone();
    assert!(threads.iter().any(|one| one["name"] == "fragment pixel (5, 3) primitive 0"), "{threads:?}");
    assert_eq!(client.value("gl_FragCoord.xy"), "(5.5, 3.5)");
    // The pixel at the right: a neighbour of the quad.
    let values = client.request("pyroclast/subgroup", json!({ "expression": "gl_FragCoord.x" }));
    let values = values["values"].as_array().expect("values").clone();
    assert!(values.iter().any(|one| one["value"] == "4.5"), "{values:?}");
    client.end();
}

/// Which draw leaves what one sees: found within two seconds where nothing else runs.
#[test]
fn a_pixel_among_ten_thousand_draws_is_found() {
    let folder = Folder::new("many");
    let file = capture_of(&folder, "many");
    let mut client = Client::start(&[&file]);
    client.request("initialize", json!({}));
    let start = Instant::now();
    client.request("launch", json!({ "target": { "pixel": [5, 3] }, "stopOnEntry": true }));
    client.request("configurationDone", json!({}));
    client.event("stopped");
    let time = start.elapsed();
    println!("a pixel among 10,000 draws: {time:?}");
    let events = client.request("pyroclast/events", json!({}));
    assert_eq!(events["events"].as_array().map(Vec::len), Some(MANY_DRAWS as usize));
    assert_eq!(client.frames()[0]["name"], "main");
    assert!(time < Duration::from_secs(60), "{time:?}");
    client.end();
}

#[test]
fn the_history_has_every_fragment_in_order() {
    let folder = Folder::new("history");
    let file = plain_draw(&folder);
    let mut client = Client::start(&[&file]);
    client.request("initialize", json!({}));
    client.request("launch", json!({}));
    let history = client.request("pyroclast/pixelHistory", json!({ "x": 5, "y": 3 }));
    let fragments = history["fragments"].as_array().expect("fragments").clone();
    let fates: Vec<&str> = fragments.iter().map(|one| one["fate"].as_str().expect("a fate")).collect();
    // Three triangles in a draw: far, near, and between them.
    assert_eq!(fates, ["passed", "passed", "failed"], "{fragments:#?}");
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().expect("components").iter().map(|one| one.as_f64().expect("a number")).collect()
    };
    let depths: Vec<f64> = fragments.iter().map(|one| one["depth"].as_f64().expect("a depth")).collect();
    assert_eq!(depths, [0.375, 0.125, 0.25]);
    let mut before = vec![0.0; 4];
    for (number, fragment) in fragments.iter().enumerate() {
        assert_eq!(fragment["primitive"], number);
        let color = &fragment["colors"][0];
        // What one leaves is what the next finds.
        assert_eq!(numbers(&color["before"]), before, "{fragment:#?}");
        before = numbers(&color["after"]);
        if fragment["fate"] == "passed" {
            // Sums: the blending of the pipeline.
            let sums: Vec<f64> =
                numbers(&color["before"]).iter().zip(numbers(&color["output"])).map(|(a, b)| a + b).collect();
            assert_eq!(before, sums);
        }
    }
    client.end();
    let output = script(&file, &[], "history 5 3\nhistory 1000 3\n");
    let printed = text(&output.stdout);
    assert_eq!(printed.matches("passed").count(), 2, "{printed}");
    assert!(printed.contains("no fragment touches pixel (1000, 3)"), "{printed}");
}

/// Two triangles meet within a pixel of four samples, in two layers: each sample has its own fragment.
#[test]
fn a_sample_and_a_layer_of_a_pixel_are_stopped_at() {
    let folder = Folder::new("samples");
    let file = capture_of(&folder, "samples");
    for (target, primitive, samples) in
        [(json!(0), 0, "samples (0, 2)"), (json!(3), 1, "samples (1, 3)"), (Value::Null, 1, "samples (1, 3)")]
    {
        let mut client = Client::start(&[&file]);
        let pixel = json!({ "pixel": [5, 3], "layer": 1, "sample": target });
        client.launch(json!({ "target": pixel, "stopOnEntry": true }), |_| {});
        let threads = client.request("threads", json!({}));
        let name = format!("fragment pixel (5, 3) primitive {primitive} layer 1 {samples}");
        let names = threads["threads"].as_array().expect("threads").iter().map(|one| &one["name"]);
        assert!(names.clone().any(|one| *one == *name), "{name}: {threads}");
        client.end();
    }
    let output = script(&file, &["--target", "pixel 5 3 layer 0 sample 1"], "run\nthreads\n");
    assert!(text(&output.stdout).contains("fragment pixel (5, 3) primitive 1 samples (1, 3)"));
    for (target, error) in [
        ("pixel 5 3 layer 2", "no such invocation runs in the capture"),
        ("pixel 5 3 sample 4", "no such invocation runs in the capture"),
    ] {
        let output = script(&file, &["--target", target], "run\n");
        assert!(text(&output.stdout).contains(error), "{target}: {}", text(&output.stdout));
    }
    for target in ["pixel 5 3 sample 32", "vertex 3 sample 1", "layer 1"] {
        assert_eq!(script(&file, &["--target", target], "").status.code(), Some(2), "{target}");
    }
}
