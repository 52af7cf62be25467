//! The Vulkan loader: which library it is, how old, and which devices it gives to a program.
#![allow(unsafe_code)] // Vulkan calls through the loader

use super::{Finding, Variables, text};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use vulkanalia::loader::{LIBRARY, LibloadingLoader};
use vulkanalia::prelude::v1_1::*;

/// The hidden option of `doctor` by which a process of its own asks the loader.
pub(crate) const PROBE_OPTION: &str = "--probe";
/// How long that process may take.
const PROBE_SECONDS: u64 = 20;
/// What this driver calls its device.
const DEVICE_NAME: &str = "Pyroclast";

/// The loader's library.
pub(crate) struct Library {
    pub(crate) path: PathBuf,
    /// Major, minor and patch, where the file's name says so.
    pub(crate) version: Option<[u32; 3]>,
}

/// The version in a file name such as `libvulkan.so.1.3.239`.
#[cfg(unix)]
fn version_of(path: &Path) -> Option<[u32; 3]> {
    let name = path.file_name()?.to_str()?;
    let mut numbers = name.split_once(".so.")?.1.split('.').map(|part| part.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

/// The library that programs get: of the system's folder.
#[cfg(windows)]
pub(crate) fn find(variables: Variables<'_>) -> Option<Library> {
    let path = PathBuf::from(text(variables, "SystemRoot")?).join("System32").join(LIBRARY);
    path.exists().then_some(Library { path, version: None })
}

/// The library that `dlopen` finds: by `LD_LIBRARY_PATH`, the dynamic linker's cache, or the usual folders.
#[cfg(unix)]
pub(crate) fn find(variables: Variables<'_>) -> Option<Library> {
    let mut folders: Vec<PathBuf> = text(variables, "LD_LIBRARY_PATH")
        .map(|list| list.split(':').map(PathBuf::from).collect())
        .unwrap_or_default();
    folders.extend(cached());
    let arch = std::env::consts::ARCH;
    let usual = [
        &format!("/lib/{arch}-linux-gnu"),
        &format!("/usr/lib/{arch}-linux-gnu"),
        "/lib64",
        "/usr/lib64",
        "/lib",
        "/usr/lib",
    ];
    folders.extend(usual.map(PathBuf::from));
    let path = folders.iter().map(|folder| folder.join(LIBRARY)).find(|path| path.exists())?;
    let version = path.canonicalize().ok().as_deref().and_then(version_of);
    Some(Library { path, version })
}

/// The folder in which the dynamic linker's cache has the loader.
#[cfg(unix)]
fn cached() -> Option<PathBuf> {
    let output = ["ldconfig", "/sbin/ldconfig", "/usr/sbin/ldconfig"]
        .iter()
        .find_map(|program| Command::new(program).arg("-p").output().ok())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_64_bit = |line: &&str| line.trim_start().starts_with(LIBRARY) && line.contains("64");
    let path = text.lines().find(is_64_bit)?.split_once("=> ")?.1;
    Path::new(path.trim()).parent().map(Path::to_owned)
}

/// How one gets a loader.
#[cfg(unix)]
const INSTALL: &str = "Debian, Ubuntu: apt install libvulkan1; Fedora: dnf install vulkan-loader; Arch: pacman -S \
                       vulkan-icd-loader; Alpine: apk add vulkan-loader";
/// As above.
#[cfg(windows)]
const INSTALL: &str = "install the Vulkan runtime (vulkan.lunarg.com), or a graphics driver, which brings it";

/// What is to be said of the library.
pub(crate) fn finding(library: Option<&Library>) -> Finding {
    match library {
        None => {
            Finding::problem("loader", format!("the Vulkan loader, {LIBRARY}, is not installed"), INSTALL)
        }
        Some(Library { path, version: Some([major, minor, patch]) }) => {
            Finding::good("loader", format!("{} (version {major}.{minor}.{patch})", path.display()))
        }
        Some(Library { path, version: None }) => Finding::good("loader", path.display().to_string()),
    }
}

/// The devices that the loader gives to this process, as JSON: `name` and `api_version` of each.
pub(crate) fn devices() -> Result<Value> {
    // SAFETY: the loader's library has no other initializers than any program runs that uses Vulkan.
    let loader =
        unsafe { LibloadingLoader::new(LIBRARY) }.with_context(|| format!("cannot load {LIBRARY}"))?;
    // SAFETY: the library is Vulkan's loader.
    let entry = unsafe { Entry::new(loader) }.map_err(|error| anyhow::anyhow!("{error}"))?;
    let application = vk::ApplicationInfo::builder()
        .application_name(b"pyroclast doctor\0")
        .api_version(vk::make_version(1, 1, 0));
    let info = vk::InstanceCreateInfo::builder().application_info(&application);
    // SAFETY: `info` and what it points at live through the call.
    let instance = unsafe { entry.create_instance(&info, None) }.context("vkCreateInstance")?;
    // SAFETY: the instance is alive until it is destroyed here, after the last use of its devices.
    unsafe {
        let devices = instance.enumerate_physical_devices().context("vkEnumeratePhysicalDevices");
        let described = devices.map(|devices| {
            let describe = |&device: &vk::PhysicalDevice| {
                let properties = instance.get_physical_device_properties(device);
                json!({ "name": properties.device_name.to_string(), "api_version": properties.api_version })
            };
            Value::Array(devices.iter().map(describe).collect())
        });
        instance.destroy_instance(None);
        described
    }
}

/// What a process of its own says that was started with [`PROBE_OPTION`]: its standard output and error.
fn probe() -> Result<(String, String)> {
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    let mut command = Command::new(program);
    command.args(["doctor", PROBE_OPTION]).stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().context("cannot start a process")?;
    let start = Instant::now();
    // Its output is far less than what a pipe holds.
    while child.try_wait()?.is_none() {
        if start.elapsed() > Duration::from_secs(PROBE_SECONDS) {
            child.kill()?;
            child.wait()?;
            anyhow::bail!("the loader gave no answer within {PROBE_SECONDS} seconds");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((text(output.stdout), text(output.stderr)))
}

/// The verdict: whether a program gets the device from the loader.
pub(crate) fn ask() -> (bool, Finding) {
    let (printed, errors) = match probe() {
        Ok(said) => said,
        Err(error) => {
            return (false, Finding::problem("device", format!("{error:#}"), "see VK_LOADER_DEBUG=all"));
        }
    };
    let devices: Value = serde_json::from_str(&printed).unwrap_or_default();
    let Some(devices) = devices.as_array() else {
        let last = errors.lines().last().unwrap_or("the process that asked it died without a word");
        let fix = "mend the problems above; VK_LOADER_DEBUG=all vulkaninfo says what the loader does";
        return (false, Finding::problem("device", format!("the loader gives no devices: {last}"), fix));
    };
    let names: Vec<&str> = devices.iter().filter_map(|device| device["name"].as_str()).collect();
    let list = names.join(", ");
    match names.iter().position(|name| name.starts_with(DEVICE_NAME)) {
        Some(0) => (true, Finding::good("device", format!("the loader gives: {list}"))),
        Some(_) => {
            let note = Finding::note(
                "device",
                format!("the loader gives {list}: programs that take the first get another"),
            );
            (true, note.with_fix("pyroclast exec -- PROGRAM, or VK_DRIVER_FILES"))
        }
        None => {
            let text = format!("the loader gives {}", if list.is_empty() { "no device" } else { &list });
            (false, Finding::problem("device", text, "mend the problems above"))
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_off_file_names() {
        assert_eq!(version_of(Path::new("/usr/lib/libvulkan.so.1.3.239")), Some([1, 3, 239]));
        assert_eq!(version_of(Path::new("/usr/lib/libvulkan.so.1")), None);
        assert_eq!(version_of(Path::new("/")), None);
    }

    #[test]
    fn a_missing_loader_is_a_problem_that_names_packages() {
        let fix = finding(None).fix.expect("what to do");
        assert!(fix.contains("libvulkan1"), "{fix}");
    }
}
