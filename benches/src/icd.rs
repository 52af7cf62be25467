//! Where the drivers are, and how the loader is made to load one of them alone.

use std::path::{Path, PathBuf};

/// One driver under measurement.
#[derive(Clone, Debug)]
pub(crate) struct Icd {
    /// Its column's heading.
    pub(crate) name: String,
    /// Its manifest, or its shared library.
    pub(crate) path: PathBuf,
}

impl Icd {
    /// Parses `NAME=PATH`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (name, path) = text.split_once('=').ok_or("expected NAME=PATH")?;
        let path = std::fs::canonicalize(path).map_err(|error| format!("{path}: {error}"))?;
        Ok(Self { name: name.to_owned(), path })
    }

    /// The manifest to give the loader: the path itself, or a new one in `folder` that names the library.
    pub(crate) fn manifest(&self, folder: &Path) -> std::io::Result<PathBuf> {
        if self.path.extension().is_some_and(|extension| extension == "json") {
            return Ok(self.path.clone());
        }
        let manifest = folder.join(format!("{}.json", self.name));
        let content = serde_json::json!({
            "file_format_version": "1.0.1",
            "ICD": { "library_path": self.path, "api_version": "1.4.0" },
        });
        std::fs::write(&manifest, content.to_string())?;
        Ok(manifest)
    }
}

/// The name under which our own driver is reported, and against which ratios are taken.
pub(crate) const OURS: &str = "pyroclast";

/// One driver's usual places; the variable overrides them.
struct Known {
    name: &'static str,
    variable: &'static str,
    places: &'static [&'static str],
}

const PEERS: &[Known] = &[
    Known {
        name: "lavapipe",
        variable: "LAVAPIPE_ICD",
        places: &[
            "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
            "/usr/share/vulkan/icd.d/lvp_icd.json",
            "/usr/local/share/vulkan/icd.d/lvp_icd.x86_64.json",
            "/etc/vulkan/icd.d/lvp_icd.x86_64.json",
        ],
    },
    Known {
        name: "swiftshader",
        variable: "SWIFTSHADER_ICD",
        places: &[
            "/usr/lib/chromium/libvk_swiftshader.so",
            "/usr/lib/chromium-browser/libvk_swiftshader.so",
            "/opt/google/chrome/libvk_swiftshader.so",
        ],
    },
];

/// Our driver and the peers that this machine has, and the names of those that it lacks.
pub(crate) fn find() -> (Vec<Icd>, Vec<&'static str>) {
    let mut found = Vec::new();
    let mut absent = Vec::new();
    let ours = std::env::var_os("PYROCLAST_ICD").map(PathBuf::from).or_else(built_beside);
    match ours {
        Some(path) => found.push(Icd { name: OURS.to_owned(), path }),
        None => absent.push(OURS),
    }
    for peer in PEERS {
        let named = std::env::var_os(peer.variable).map(PathBuf::from);
        let path = named.or_else(|| peer.places.iter().map(PathBuf::from).find(|path| path.exists()));
        match path {
            Some(path) => found.push(Icd { name: peer.name.to_owned(), path }),
            None => absent.push(peer.name),
        }
    }
    (found, absent)
}

/// The library that the same build left beside this binary.
fn built_beside() -> Option<PathBuf> {
    let mut folder = std::env::current_exe().ok()?;
    folder.pop();
    [folder.clone(), folder.join("..")]
        .iter()
        .map(|folder| folder.join("libpyroclast_icd.so"))
        .find(|path| path.exists())
        .and_then(|path| std::fs::canonicalize(path).ok())
}
