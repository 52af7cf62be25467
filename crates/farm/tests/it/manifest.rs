//! The manifest of Kubernetes against the API's own types.

use crate::house::House;
use k8s_openapi::api::batch::v1::Job;

#[test]
fn manifest_is_an_indexed_job_of_the_api() {
    let house = House::new("manifest");
    let text = house.expect(
        0,
        &[
            "run",
            "/data/Suite_A.toml",
            "--on",
            "k8s",
            "--out",
            "file:///farm/out",
            "--workers",
            "64",
            "--parallelism",
            "16",
            "--image",
            "registry.example/farm:1",
            "--namespace",
            "tests",
            "--volume",
            "farm-data:/farm",
            "--secret",
            "store",
        ],
    );
    let written: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    // The API's types leave out fields that they do not know: none may be lost.
    let job: Job = serde_json::from_value(written.clone()).expect("a Job");
    assert_eq!(serde_json::to_value(&job).expect("JSON"), written);
    let spec = job.spec.expect("a spec");
    assert_eq!((spec.completion_mode.as_deref(), spec.completions), (Some("Indexed"), Some(64)));
    assert_eq!((spec.parallelism, spec.backoff_limit_per_index), (Some(16), Some(3)));
    assert_eq!(job.metadata.name.as_deref(), Some("suite-a"));
    let pod = spec.template.spec.expect("a pod");
    assert_eq!(pod.restart_policy.as_deref(), Some("Never"), "backoffLimitPerIndex needs it");
    let command = pod.containers[0].command.clone().expect("a command");
    assert_eq!(command[..5], ["pyroclast-farm", "shard", "/data/Suite_A.toml", "--out", "file:///farm/out"]);
    let variables = pod.containers[0].env.clone().expect("variables");
    assert_eq!(
        (&variables[0].name[..], variables[0].value.as_deref()),
        ("PYROCLAST_FARM_SHARDS", Some("64"))
    );
    assert!(
        house.refuse(&["run", "a.toml", "--on", "k8s", "--out", "x", "--workers", "2"]).contains("--image")
    );
}
