//! Variables of the loader and of this driver that hide devices or change what programs get.

use super::loader::Library;
use super::manifest::is_ours;
use super::{Finding, Variables, text};
use std::path::PathBuf;

/// Whether a loader's filter matches a manifest's file name: `*` at the start, the end or both; case does not
/// matter.
fn matches(filter: &str, name: &str) -> bool {
    let (filter, name) = (filter.to_lowercase(), name.to_lowercase());
    match (filter.strip_prefix('*'), filter.strip_suffix('*')) {
        (Some(""), _) | (_, Some("")) => true,
        (Some(rest), Some(_)) => name.contains(rest.trim_end_matches('*')),
        (Some(rest), None) => name.ends_with(rest),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == filter,
    }
}

/// Filters that leave out every manifest of this driver.
fn filters(variables: Variables<'_>, manifests: &[PathBuf]) -> Vec<Finding> {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let ours: Vec<String> = manifests.iter().filter(|path| is_ours(path)).map(name).collect();
    let any = |list: &str, name: &str| list.split(',').any(|filter| matches(filter.trim(), name));
    let mut found = Vec::new();
    if let Some(list) = text(variables, "VK_LOADER_DRIVERS_SELECT")
        && !ours.iter().any(|name| any(&list, name))
    {
        let text = format!("VK_LOADER_DRIVERS_SELECT={list} selects no manifest of Pyroclast");
        found.push(Finding::problem("variable", text, "set it to *pyroclast*, or unset it"));
    }
    if let Some(list) = text(variables, "VK_LOADER_DRIVERS_DISABLE")
        && !ours.is_empty()
        && ours.iter().all(|name| any(&list, name))
    {
        let text = format!("VK_LOADER_DRIVERS_DISABLE={list} disables Pyroclast's manifest");
        found.push(Finding::problem("variable", text, "unset it"));
    }
    found
}

/// Variables that this loader is too old for.
fn unknown_to_loader(variables: Variables<'_>, loader: Option<&Library>) -> Vec<Finding> {
    const SINCE: [(&str, [u32; 3], &str); 4] = [
        ("VK_DRIVER_FILES", [1, 3, 207], "set VK_ICD_FILENAMES instead"),
        ("VK_ADD_DRIVER_FILES", [1, 3, 207], "put the manifest into ~/.local/share/vulkan/icd.d"),
        ("VK_LOADER_DRIVERS_SELECT", [1, 3, 234], "set VK_ICD_FILENAMES instead"),
        ("VK_LOADER_DRIVERS_DISABLE", [1, 3, 234], "set VK_ICD_FILENAMES instead"),
    ];
    let Some(version) = loader.and_then(|loader| loader.version) else { return Vec::new() };
    let unknown = SINCE.iter().filter(|(name, since, _)| text(variables, name).is_some() && version < *since);
    unknown
        .map(|(name, [major, minor, patch], fix)| {
            let text =
                format!("this loader ignores {name}, which is for loaders since {major}.{minor}.{patch}");
            Finding::problem("variable", text, *fix)
        })
        .collect()
}

/// What is to be said of this driver's own variables.
fn own(variables: Variables<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    match text(variables, "PYROCLAST_CONFORMANCE_VERSION") {
        Some(version) => {
            let text =
                format!("programs are told conformance version {version}, though no device is certified");
            found.push(Finding::note("variable", text));
        }
        None => found.push(
            Finding::note("variable", "wgpu hides this device: it is not certified, and reports so")
                .with_fix("PYROCLAST_CONFORMANCE_VERSION=1.3.0.0 for programs that use wgpu (exec sets it)"),
        ),
    }
    if text(variables, "PYROCLAST_CPU").is_some_and(|level| level == "interpreter") {
        let note =
            Finding::note("variable", "PYROCLAST_CPU=interpreter: no machine code, so shaders run slowly");
        found.push(note.with_fix("unset it"));
    }
    if text(variables, "PYROCLAST_ROUND_TWICE").is_some_and(|value| value != "0") {
        let effect = match pyro_compile::Backend::from_environment().rounds_twice() {
            true => "products that are added are rounded, too: results have other bits than elsewhere",
            false => "no effect, since this processor has fused operations, or shaders are interpreted",
        };
        found.push(Finding::note("variable", format!("PYROCLAST_ROUND_TWICE: {effect}")));
    }
    if text(variables, "VK_LOADER_DEBUG").is_none() {
        let note = Finding::note("variable", "the loader explains each step on request");
        found.push(note.with_fix("VK_LOADER_DEBUG=all PROGRAM"));
    }
    found
}

/// Findings about variables.
pub(crate) fn examine(
    variables: Variables<'_>,
    loader: Option<&Library>,
    manifests: &[PathBuf],
) -> Vec<Finding> {
    let mut found = filters(variables, manifests);
    found.extend(unknown_to_loader(variables, loader));
    found.extend(own(variables));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;
    use std::ffi::OsString;

    #[test]
    fn filters_match_as_the_loader_does() {
        assert!(matches("*", "pyroclast_icd.json") && matches("*pyro*", "pyroclast_icd.json"));
        assert!(matches("PYRO*", "pyroclast_icd.json") && matches("*icd.json", "pyroclast_icd.json"));
        assert!(!matches("pyro", "pyroclast_icd.json") && !matches("*lvp*", "pyroclast_icd.json"));
    }

    #[test]
    fn a_filter_that_leaves_the_driver_out_is_a_problem() {
        let set = |name: &str| (name == "VK_LOADER_DRIVERS_SELECT").then(|| OsString::from("*lvp*"));
        let found = examine(&set, None, &[]);
        assert!(found.iter().any(|finding| finding.severity == Severity::Problem), "{found:?}");
    }

    #[test]
    fn variables_that_the_loader_does_not_know_are_found() {
        let set = |name: &str| (name == "VK_DRIVER_FILES").then(|| OsString::from("/x.json"));
        let loader = |patch| Library { path: "/l".into(), version: Some([1, 3, patch]) };
        assert_eq!(unknown_to_loader(&set, Some(&loader(204))).len(), 1);
        assert!(unknown_to_loader(&set, Some(&loader(207))).is_empty());
    }
}
