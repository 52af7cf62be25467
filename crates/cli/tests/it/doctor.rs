//! `pyroclast doctor`, in environments in which a program would and would not see the device.

use pyro_test_environment::{Need, skip};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pyroclast-doctor-it-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

/// Whether the loader is installed: without it no program sees a device.
fn has_loader() -> bool {
    Command::new("vulkaninfo").arg("--help").output().is_ok()
}

/// `pyroclast` with a home folder, no variables of the loader, and no drivers of the system.
fn pyroclast(home: &std::path::Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
    for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "XDG_DATA_HOME"] {
        command.env_remove(name);
    }
    command.env("HOME", home).env("NODEVICE_SELECT", "1");
    command
}

/// The exit code, and the JSON.
fn doctor(command: &mut Command) -> (Option<i32>, Value) {
    let output = command.args(["doctor", "--json"]).output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let json = serde_json::from_str(&text);
    (output.status.code(), json.unwrap_or_else(|error| panic!("{error}: {text}")))
}

/// The texts of problems.
fn problems(json: &Value) -> String {
    let findings = json["findings"].as_array().expect("findings");
    let problems = findings.iter().filter(|finding| finding["severity"] == "problem");
    problems.map(|finding| format!("{}\n", finding["text"])).collect()
}

#[test]
fn an_installed_driver_is_seen_and_a_removed_one_is_not() {
    if !has_loader() {
        skip!(Need::Package("vulkan-tools"));
    }
    let home = folder("home");
    assert!(pyroclast(&home).arg("install").output().expect("it runs").status.success());
    let (code, json) = doctor(&mut pyroclast(&home));
    assert_eq!((code, &json["device_seen"]), (Some(0), &Value::Bool(true)), "{json:#}");
    assert!(json["programs"].as_array().is_some_and(|programs| programs.len() > 8));
    assert!(pyroclast(&home).arg("uninstall").output().expect("it runs").status.success());
    let (code, json) = doctor(&mut pyroclast(&home));
    assert_eq!((code, &json["device_seen"]), (Some(1), &Value::Bool(false)), "{json:#}");
    assert!(problems(&json).contains("no manifest of Pyroclast"), "{json:#}");
    std::fs::remove_dir_all(home).expect("the folder");
}

#[test]
fn what_hides_an_installed_driver_is_found() {
    if !has_loader() {
        skip!(Need::Package("vulkan-tools"));
    }
    let home = folder("hidden");
    assert!(pyroclast(&home).arg("install").output().expect("it runs").status.success());
    let (code, json) = doctor(pyroclast(&home).env("VK_ICD_FILENAMES", "/no/such.json"));
    assert_eq!(code, Some(1));
    assert!(problems(&json).contains("VK_ICD_FILENAMES"), "{json:#}");
    let (_, json) = doctor(pyroclast(&home).env("VK_LOADER_DRIVERS_DISABLE", "*pyroclast*"));
    assert!(problems(&json).contains("VK_LOADER_DRIVERS_DISABLE"), "{json:#}");
    let manifest = home.join(".local/share/vulkan/icd.d/pyroclast_icd.json");
    let text = std::fs::read_to_string(&manifest).expect("the manifest").replace(".so", "_moved.so");
    std::fs::write(&manifest, text).expect("the manifest");
    let (code, json) = doctor(&mut pyroclast(&home));
    assert_eq!(code, Some(1));
    assert!(problems(&json).contains("No such file"), "{json:#}");
    std::fs::remove_dir_all(home).expect("the folder");
}

#[test]
fn text_says_what_to_do() {
    let home = folder("text");
    let output = pyroclast(&home).args(["doctor", "--programs"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("-> ") && text.contains("do not see the device"), "{text}");
    assert!(text.contains("wgpu") && !text.contains('\x1b'), "no colours into a pipe: {text}");
    std::fs::remove_dir_all(home).expect("the folder");
}
