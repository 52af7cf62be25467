//! Every benchmark runs once, at next to no size, on every driver of this machine; sweeps on ours alone.

use pyro_test_environment::{Need, skip};
use std::process::Command;

fn bench(arguments: &[&str]) -> (bool, serde_json::Value, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pyro-bench"))
        .args(["--tiny", "--rounds", "1", "--json"])
        .args(arguments)
        .output()
        .expect("the binary was built for this test");
    let noise = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.success(), report, noise)
}

/// Runs so many benchmarks or more on one driver, and checks that each gave a figure or an honest no.
fn all_of(driver: &'static str, arguments: &[&str], least: usize) {
    let (success, report, noise) = bench(&[&["--only", driver], arguments].concat());
    if noise.contains(&format!("skipped: {driver}")) {
        skip!(Need::Package(driver));
    }
    assert!(success, "{driver}: {noise}\n{report:#}");
    let results = report["results"].as_array().expect("a report holds results");
    assert!(results.len() >= least, "{report:#}");
    for result in results {
        let samples = &result["drivers"][driver];
        let name = &result["benchmark"];
        if samples["unsupported"] == true {
            println!("{driver} does not support {name}: {}", samples["trouble"]);
        } else {
            assert!(samples["median"].as_f64().is_some_and(|value| value > 0.0), "{name}: {samples}");
        }
    }
}

#[test]
fn pyroclast() {
    all_of("pyroclast", &["--sweeps"], 100);
}

#[test]
fn cells() {
    all_of("pyroclast", &["--cells", "--filter", "cell_100_,cell_10k_"], 60);
}

#[test]
fn lavapipe() {
    all_of("lavapipe", &[], 36);
}

#[test]
fn swiftshader() {
    all_of("swiftshader", &[], 36);
}

#[test]
fn a_driver_that_cannot_be_loaded_fails_by_name() {
    let path = std::env::temp_dir().join(format!("pyro-bench-absent-{}.so", std::process::id()));
    std::fs::write(&path, "not a library").expect("the folder takes files");
    let icd = format!("broken={}", path.display());
    let (success, report, _) = bench(&["--icd", &icd, "--only", "broken", "--filter", "submit"]);
    std::fs::remove_file(&path).expect("it was just written");
    let samples = &report["results"][0]["drivers"]["broken"];
    assert!(!success && samples["median"].is_null() && samples["trouble"].is_string(), "{report:#}");
}
