//! The machine: what runs shaders, whether pages may become executable, what a sandbox forbids, folders.

#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

use super::{Finding, Variables};
use crate::library;
use pyro_compile::Backend;

/// What runs shaders here, and why.
fn processor() -> Finding {
    let (used, best) = (Backend::from_environment(), Backend::best());
    let text = format!("shaders run on: {}", Backend::explanation());
    // Most processors with nothing more are virtual ones that hide what the host has.
    let hidden = "in a virtual machine, pass the host's processor through (-cpu host)";
    match used {
        _ if used != best => Finding::note("machine", text),
        Backend::Interpreter => Finding::note("machine", format!("{text}: slowly")).with_fix(hidden),
        _ if Some(used) == Backend::named("sse4.1") => {
            Finding::note("machine", format!("{text}; the processor shows no AVX2")).with_fix(hidden)
        }
        Backend::MachineCode(_) => Finding::good("machine", text),
    }
}

/// Whether this process may make executable pages, as the compiler does: written first, executable then.
fn executable_pages() -> Finding {
    let pages = memmap2::MmapMut::map_anon(4096).and_then(memmap2::MmapMut::make_exec);
    match pages {
        Ok(_) => Finding::good("sandbox", "pages may become executable"),
        Err(error) => Finding::problem(
            "sandbox",
            format!("pages may not become executable: {error}"),
            "allow it (SELinux: execmem; systemd: MemoryDenyWriteExecute=no), or PYROCLAST_CPU=interpreter",
        ),
    }
}

/// The driver's library beside this program, and its mount.
fn own_library() -> Finding {
    let path = match library::find() {
        Ok(path) => path,
        Err(error) => {
            let fix = "install the package again; in a chroot, mount /proc";
            return Finding::problem("machine", format!("{error:#}"), fix);
        }
    };
    system::mount_fault(&path)
        .unwrap_or_else(|| Finding::good("machine", format!("the driver is {}", path.display())))
}

/// Findings about the machine.
pub(crate) fn examine(variables: Variables<'_>) -> Vec<Finding> {
    let mut found = vec![processor(), own_library(), executable_pages()];
    found.extend(system::examine(variables));
    found
}
