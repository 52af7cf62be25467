//! Where the Vulkan loader looks for manifests of drivers, in its order (the loader's document
//! "Driver interface to the Vulkan Loader", sections "Driver Discovery on Linux" and "Driver Discovery on
//! Windows").

use super::{Variables, text};
use std::path::{Path, PathBuf};

/// Which paths the loader looks at, and why these.
pub(crate) struct Search {
    /// The variable that replaces the search path, where one does.
    pub(crate) replaced_by: Option<&'static str>,
    /// Folders, and files that a variable names, in order.
    pub(crate) places: Vec<PathBuf>,
}

/// Paths of a list with colons, on Windows semicolons, between them.
fn paths(list: &str) -> Vec<PathBuf> {
    std::env::split_paths(list).filter(|path| !path.as_os_str().is_empty()).collect()
}

/// Manifests of a kind (`icd.d`, `implicit_layer.d`, `explicit_layer.d`) that the registry names; folders are
/// not searched.
#[cfg(windows)]
pub(crate) fn places(_: Variables<'_>, kind: &str) -> Vec<PathBuf> {
    let key = match kind {
        "icd.d" => "Drivers",
        "implicit_layer.d" => "ImplicitLayers",
        _ => "ExplicitLayers",
    };
    crate::system::registered(key)
}

/// The folders of a kind of manifest (`icd.d`, `implicit_layer.d`, `explicit_layer.d`), those that come first
/// first.
#[cfg(unix)]
pub(crate) fn places(variables: Variables<'_>, kind: &str) -> Vec<PathBuf> {
    let below_home = |rest: &str| text(variables, "HOME").map(|home| Path::new(&home).join(rest));
    let one = |name: &str, rest: &str| text(variables, name).map(PathBuf::from).or_else(|| below_home(rest));
    let many = |name: &str, default: &str| paths(&text(variables, name).unwrap_or_else(|| default.into()));
    let mut roots: Vec<PathBuf> = Vec::new();
    roots.extend(one("XDG_CONFIG_HOME", ".config"));
    roots.extend(many("XDG_CONFIG_DIRS", "/etc/xdg"));
    roots.push("/usr/local/etc".into());
    roots.push("/etc".into());
    roots.extend(one("XDG_DATA_HOME", ".local/share"));
    roots.extend(many("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
    let mut found: Vec<PathBuf> = Vec::new();
    for root in roots {
        let folder = root.join("vulkan").join(kind);
        if !found.contains(&folder) {
            found.push(folder);
        }
    }
    found
}

/// The JSON files of a folder, by name; the path itself where it is a file.
pub(crate) fn json_files(place: &Path) -> Vec<PathBuf> {
    if !place.is_dir() {
        return vec![place.to_owned()];
    }
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    files
}

impl Search {
    /// The search path that these variables mean.
    pub(crate) fn new(variables: Variables<'_>) -> Search {
        for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            if let Some(list) = text(variables, name) {
                return Search { replaced_by: Some(name), places: paths(&list) };
            }
        }
        let mut places = text(variables, "VK_ADD_DRIVER_FILES").map(|list| paths(&list)).unwrap_or_default();
        places.extend(self::places(variables, "icd.d"));
        Search { replaced_by: None, places }
    }

    /// The manifests, in order; files that a variable names are among them even if they do not exist.
    pub(crate) fn manifests(&self) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = self.places.iter().flat_map(|place| json_files(place)).collect();
        // A folder of the search path that does not exist is not a manifest.
        found.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn search(set: &[(&str, &str)]) -> Search {
        Search::new(&|name| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    #[cfg(unix)]
    fn the_loaders_order_is_kept() {
        let found = search(&[("HOME", "/h"), ("VK_ADD_DRIVER_FILES", "/a.json:/b")]);
        let text: Vec<String> = found.places.iter().map(|path| path.display().to_string()).collect();
        let expected = [
            "/a.json",
            "/b",
            "/h/.config/vulkan/icd.d",
            "/etc/xdg/vulkan/icd.d",
            "/usr/local/etc/vulkan/icd.d",
            "/etc/vulkan/icd.d",
            "/h/.local/share/vulkan/icd.d",
            "/usr/local/share/vulkan/icd.d",
            "/usr/share/vulkan/icd.d",
        ];
        assert_eq!(text, expected);
        assert_eq!(found.replaced_by, None);
    }

    #[test]
    #[cfg(unix)]
    fn a_variable_replaces_the_search_path() {
        let found = search(&[("HOME", "/h"), ("VK_ICD_FILENAMES", "/x.json:/y.json")]);
        assert_eq!(found.places, [PathBuf::from("/x.json"), PathBuf::from("/y.json")]);
        assert_eq!(found.replaced_by, Some("VK_ICD_FILENAMES"));
        assert_eq!(found.manifests().len(), 2);
        let found = search(&[("VK_ICD_FILENAMES", "/x.json"), ("VK_DRIVER_FILES", "/n.json")]);
        assert_eq!(found.places, [PathBuf::from("/n.json")]);
    }
}
