//! What Unix systems have besides: C libraries, mounts, sandboxes, owners of folders.

use crate::doctor::{Finding, Variables, text};
use std::path::{Path, PathBuf};

/// What of its mount keeps a library from being loaded.
pub(super) fn mount_fault(path: &Path) -> Option<Finding> {
    let flags = rustix::fs::statvfs(path).map(|status| status.f_flag);
    flags.is_ok_and(|flags| flags.contains(rustix::fs::StatVfsMountFlags::NOEXEC)).then(|| {
        let text = format!("{} is on a file system mounted with noexec: it cannot be loaded", path.display());
        Finding::problem("permission", text, "move it, or mount without noexec")
    })
}

/// Whether memory files can be made, which shared and exported memory needs.
fn memory_files() -> Finding {
    match rustix::fs::memfd_create("pyroclast-doctor", rustix::fs::MemfdFlags::CLOEXEC) {
        Ok(_) => Finding::good("sandbox", "memory files (memfd_create) can be made"),
        Err(error) => Finding::note("sandbox", format!("memory files cannot be made: {error}"))
            .with_fix("allow memfd_create in the sandbox's filter; without it memory cannot be exported"),
    }
}

/// Whether a filter of system calls is on.
fn system_call_filter() -> Option<Finding> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:"))?.trim().to_owned();
    (mode == "2")
        .then(|| Finding::note("sandbox", "a filter of system calls (seccomp) is on in this process"))
}

/// The folder of compiled code.
fn cache_folder(variables: Variables<'_>) -> Option<Finding> {
    use std::os::unix::fs::MetadataExt as _;
    let folder = PathBuf::from(text(variables, "PYROCLAST_CACHE_DIR")?);
    let name = folder.display();
    let metadata = match std::fs::metadata(&folder) {
        Ok(metadata) => metadata,
        Err(error) => {
            let note = Finding::note("permission", format!("PYROCLAST_CACHE_DIR={name}: {error}"));
            return Some(note.with_fix(format!("mkdir -m 700 {name}")));
        }
    };
    let here = rustix::process::geteuid().as_raw();
    if metadata.uid() != here || metadata.mode() & 0o022 != 0 {
        let text =
            format!("{name} belongs to somebody else or can be written by others: no code is kept there");
        return Some(Finding::note("permission", text).with_fix(format!("chmod 700 {name}")));
    }
    Some(Finding::good("permission", format!("compiled code is kept in {name}")))
}

/// Whether this system's C library is musl alone, for which the shared library is not built.
fn c_library() -> Finding {
    let arch = std::env::consts::ARCH;
    let has_musl = Path::new(&format!("/lib/ld-musl-{arch}.so.1")).exists();
    let has_glibc = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
        .iter()
        .any(|path| Path::new(path).exists());
    if has_musl && !has_glibc {
        return Finding::problem(
            "machine",
            "the C library is musl, and the packages are built for glibc",
            "build for musl: cargo build --release, or use an image with glibc",
        );
    }
    Finding::good("machine", if has_glibc { "the C library is glibc" } else { "the C library is unknown" })
}

/// Findings about the system.
pub(super) fn examine(variables: Variables<'_>) -> Vec<Finding> {
    let mut found = vec![c_library(), memory_files()];
    found.extend(system_call_filter());
    found.extend(cache_folder(variables));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;
    use std::ffi::OsString;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn cache_folders_that_others_may_write_are_found() {
        let folder = std::env::temp_dir().join(format!("pyroclast-doctor-cache-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let examine = |mode| {
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).expect("its mode");
            let value = OsString::from(&folder);
            let set = move |name: &str| (name == "PYROCLAST_CACHE_DIR").then(|| value.clone());
            cache_folder(&set).expect("a finding").severity
        };
        assert_eq!(examine(0o777), Severity::Note);
        assert_eq!(examine(0o700), Severity::Good);
        std::fs::remove_dir(&folder).expect("the folder");
        assert_eq!(
            cache_folder(&|_| Some(OsString::from("/no/such"))).map(|f| f.severity),
            Some(Severity::Note)
        );
    }
}
