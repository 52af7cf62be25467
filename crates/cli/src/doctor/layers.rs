//! Layers between programs and the driver: those that variables ask for, and those that switch themselves on.

use super::{Finding, Variables, search, text};
use serde_json::Value;
use std::path::Path;

/// Names of the layers of a manifest.
fn names(manifest: &Path) -> Vec<String> {
    let json: Value = std::fs::read_to_string(manifest)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let one = std::iter::once(&json["layer"]);
    let all = one.chain(json["layers"].as_array().into_iter().flatten());
    all.filter_map(|layer| layer["name"].as_str()).map(str::to_owned).collect()
}

/// Names of all layers of a kind: `implicit_layer.d` or `explicit_layer.d`.
fn known(variables: Variables<'_>, kind: &str) -> Vec<String> {
    let places = search::places(variables, kind);
    let files = places.iter().filter(|place| place.exists()).flat_map(|place| search::json_files(place));
    files.flat_map(|file| names(&file)).collect()
}

/// Findings about layers.
pub(crate) fn examine(variables: Variables<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let implicit = known(variables, "implicit_layer.d");
    if !implicit.is_empty() {
        found.push(Finding::note("layer", format!("layers of every program: {}", implicit.join(", "))));
    }
    let is_off = text(variables, "NODEVICE_SELECT").is_some();
    if implicit.iter().any(|name| name == "VK_LAYER_MESA_device_select") && !is_off {
        let note = Finding::note("layer", "Mesa's device selection may put another device before this one");
        found.push(note.with_fix("NODEVICE_SELECT=1"));
    }
    // A folder of its own replaces the search path of explicit layers.
    if text(variables, "VK_LAYER_PATH").is_none() {
        let explicit = known(variables, "explicit_layer.d");
        let asked = text(variables, "VK_INSTANCE_LAYERS").unwrap_or_default();
        for name in asked.split(':').filter(|name| !name.is_empty()) {
            if !explicit.iter().chain(&implicit).any(|known| known == name) {
                let text = format!("VK_INSTANCE_LAYERS asks for {name}, which is not installed");
                found.push(
                    Finding::note("layer", text)
                        .with_fix("install it (vulkan-validationlayers), or unset the variable"),
                );
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    /// The layer looks whether its variable is there.
    #[cfg(unix)]
    #[test]
    fn a_layer_that_is_switched_off_is_no_trouble() {
        let home = std::env::temp_dir().join(format!("pyroclast-doctor-layers-{}", std::process::id()));
        let folder = home.join("vulkan/implicit_layer.d");
        std::fs::create_dir_all(&folder).expect("a folder");
        let manifest = r#"{ "layer": { "name": "VK_LAYER_MESA_device_select" } }"#;
        std::fs::write(folder.join("select.json"), manifest).expect("a manifest");
        let advice = |off: bool| {
            let set = |name: &str| match name {
                "XDG_DATA_HOME" => Some(OsString::from(&home)),
                "NODEVICE_SELECT" => off.then(|| OsString::from("1")),
                _ => None,
            };
            examine(&set).iter().filter(|finding| finding.text.contains("Mesa's device selection")).count()
        };
        assert_eq!((advice(false), advice(true)), (1, 0));
        std::fs::remove_dir_all(home).expect("the folder");
    }

    #[test]
    fn layers_that_are_not_installed_are_found() {
        let set = |name: &str| (name == "VK_INSTANCE_LAYERS").then(|| OsString::from("VK_LAYER_no_such"));
        assert!(examine(&set).iter().any(|finding| finding.text.contains("VK_LAYER_no_such")));
    }
}
