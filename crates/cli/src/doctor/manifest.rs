//! Manifests of drivers: whether the loader can read them, and load the libraries that they name.

use super::search::Search;
use super::{Finding, Severity};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The start of a library's file name by which this driver is known.
pub(crate) const LIBRARY_STEM: &str = "pyroclast_icd";

/// What is wrong with a library's file: not readable, not a library of Windows, of another architecture
/// ("PE Format" of Microsoft's documentation).
#[cfg(windows)]
fn library_fault(path: &Path) -> Option<String> {
    use std::io::{Seek as _, SeekFrom};
    /// Where a file says where its header is.
    const HEADER_PLACE: u64 = 0x3c;
    let machine_here = match std::env::consts::ARCH {
        "x86_64" => 0x8664,
        _ => 0xaa64,
    };
    let read = |path: &Path| -> std::io::Result<[u8; 6]> {
        let (mut place, mut header) = ([0; 4], [0; 6]);
        let mut file = std::fs::File::open(path)?;
        file.seek(SeekFrom::Start(HEADER_PLACE))?;
        file.read_exact(&mut place)?;
        file.seek(SeekFrom::Start(u32::from_le_bytes(place).into()))?;
        file.read_exact(&mut header)?;
        Ok(header)
    };
    let name = path.display();
    match read(path) {
        Err(error) => Some(format!("{name}: {error}")),
        Ok(header) if &header[..4] != b"PE\0\0" => Some(format!("{name} is not a library")),
        Ok(header) => {
            let machine = u16::from_le_bytes([header[4], header[5]]);
            (machine != machine_here).then(|| format!("{name} is for another architecture ({machine:#x})"))
        }
    }
}

/// `e_machine` of this processor in an ELF file (`/usr/include/elf.h`), where it is known.
#[cfg(unix)]
fn machine_here() -> Option<u16> {
    match std::env::consts::ARCH {
        "x86_64" => Some(62),
        "aarch64" => Some(183),
        "riscv64" => Some(243),
        "loongarch64" => Some(258),
        _ => None,
    }
}

/// What is wrong with a library's file: not readable, not an ELF file, of another architecture.
#[cfg(unix)]
fn library_fault(path: &Path) -> Option<String> {
    let mut header = [0_u8; 20];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    if let Err(error) = read {
        return Some(format!("{}: {error}", path.display()));
    }
    if &header[..4] != b"\x7fELF" {
        return Some(format!("{} is not a shared library", path.display()));
    }
    let machine = u16::from_le_bytes([header[18], header[19]]);
    let is_64_bit = header[4] == 2;
    let fits = is_64_bit && machine_here().is_none_or(|here| here == machine);
    (!fits).then(|| {
        let bits = if is_64_bit { 64 } else { 32 };
        let here = std::env::consts::ARCH;
        format!(
            "{} is for another architecture ({bits} bits, ELF machine {machine}), not {here}",
            path.display()
        )
    })
}

/// The library of a manifest: as a path where the loader would open a path, or as a bare name that it
/// searches like any library.
pub(crate) fn library_of(manifest: &Path) -> Result<PathBuf, String> {
    let text = std::fs::read_to_string(manifest).map_err(|error| error.to_string())?;
    let json: Value = serde_json::from_str(&text).map_err(|error| format!("it is not JSON: {error}"))?;
    if !json["file_format_version"].is_string() {
        return Err("it has no 'file_format_version'".into());
    }
    let library = json["ICD"]["library_path"].as_str().ok_or("it has no 'ICD.library_path'")?;
    if json["ICD"]["api_version"].as_str().is_none() {
        return Err("it has no 'ICD.api_version'".into());
    }
    if library.contains(std::path::is_separator) {
        // Relative paths count from the manifest's folder.
        return Ok(manifest.parent().unwrap_or(Path::new("/")).join(library));
    }
    Ok(PathBuf::from(library))
}

/// Whether the manifest's text names this driver's library, even if the rest of it is broken.
pub(crate) fn is_ours(manifest: &Path) -> bool {
    std::fs::read_to_string(manifest).is_ok_and(|text| text.contains(LIBRARY_STEM))
}

/// What is to be said of one manifest.
fn examine_one(manifest: &Path) -> Finding {
    let name = manifest.display();
    let fix = if is_ours(manifest) {
        "write it anew: pyroclast install"
    } else {
        "remove it, or install the package that it belongs to again"
    };
    let fault = match library_of(manifest) {
        Err(fault) => Some(fault),
        Ok(library) if library.components().count() > 1 => library_fault(&library),
        Ok(_) => None,
    };
    match fault {
        None => Finding::good("manifest", format!("{name}")),
        Some(fault) if is_ours(manifest) => Finding::problem("manifest", format!("{name}: {fault}"), fix),
        // Another driver's fault hides that driver alone.
        Some(fault) => Finding::note("manifest", format!("{name}: {fault}")).with_fix(fix),
    }
}

/// A manifest that others may write to can make every program load any library.
#[cfg(unix)]
fn writable_by_others(manifest: &Path) -> Option<Finding> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = std::fs::metadata(manifest).ok()?;
    (metadata.mode() & 0o002 != 0).then(|| {
        let text = format!("{} can be written by every user", manifest.display());
        Finding::note("permission", text).with_fix(format!("chmod o-w {}", manifest.display()))
    })
}

/// Findings about all manifests that the loader reads.
pub(crate) fn examine(search: &Search, manifests: &[PathBuf]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = manifests.iter().map(|path| examine_one(path)).collect();
    #[cfg(unix)]
    findings.extend(manifests.iter().filter_map(|path| writable_by_others(path)));
    if !manifests.iter().any(|path| is_ours(path)) {
        let finding = match search.replaced_by {
            Some(variable) => Finding::problem(
                "manifest",
                format!("{variable} names no manifest of Pyroclast, and replaces the search path"),
                format!("unset {variable}, or set it to the output of: pyroclast manifest > FILE"),
            ),
            None => Finding::problem(
                "manifest",
                "the loader's search path has no manifest of Pyroclast",
                "pyroclast install (for this user), or start the program by: pyroclast exec -- PROGRAM",
            ),
        };
        findings.push(finding);
    }
    findings.sort_by_key(|finding| finding.severity == Severity::Problem);
    findings
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A manifest of this text in a folder of its own.
    fn manifest(name: &str, text: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pyroclast-doctor-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("icd.json");
        std::fs::write(&path, text).expect("a file");
        path
    }

    fn of_library(library: &str) -> String {
        let icd = format!(r#"{{"library_path": "{library}", "api_version": "1.4.0"}}"#);
        format!(r#"{{"file_format_version": "1.0.1", "ICD": {icd}}}"#)
    }

    #[test]
    fn broken_manifests_are_found() {
        let bad = examine_one(&manifest("json", "{ libpyroclast_icd.so"));
        assert!(bad.severity == Severity::Problem && bad.text.contains("is not JSON"), "{bad:?}");
        let bad = examine_one(&manifest("missing", &of_library("/no/such/libpyroclast_icd.so")));
        assert!(bad.severity == Severity::Problem && bad.text.contains("No such file"), "{bad:?}");
        let bad = examine_one(&manifest("other", &of_library("/no/such/other.so")));
        assert_eq!(bad.severity, Severity::Note, "another driver's fault hides that driver alone");
        assert!(examine_one(Path::new("/no/such.json")).text.contains("No such file"));
    }

    #[test]
    fn libraries_of_other_architectures_are_found() {
        let path = manifest("machine", &of_library("./libpyroclast_icd.so"));
        let library = path.with_file_name("libpyroclast_icd.so");
        let mut header = std::fs::read(std::env::current_exe().expect("this program")).expect("its bytes");
        header.truncate(64);
        std::fs::write(&library, &header).expect("a file");
        assert_eq!(examine_one(&path).severity, Severity::Good, "relative to the manifest");
        header[18] = 40; // EM_ARM
        std::fs::write(&library, &header).expect("a file");
        assert!(examine_one(&path).text.contains("another architecture"));
        std::fs::write(&library, "text").expect("a file");
        assert_eq!(examine_one(&path).severity, Severity::Problem);
    }

    #[test]
    fn a_search_path_without_this_driver_is_a_problem() {
        let search = Search { replaced_by: Some("VK_DRIVER_FILES"), places: Vec::new() };
        let findings = examine(&search, &[]);
        assert!(findings[0].text.contains("VK_DRIVER_FILES"), "{findings:?}");
        let ours = manifest("ours", &of_library("libpyroclast_icd.so"));
        assert!(examine(&search, &[ours]).iter().all(|finding| finding.severity == Severity::Good));
    }
}
