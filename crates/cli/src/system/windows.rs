//! Windows.
#![allow(unsafe_code)] // functions of the system

use anyhow::{Context as _, Result, bail};
use std::os::windows::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::ptr::{null, null_mut};
use windows_sys::Win32::Foundation::{ERROR_FILE_NOT_FOUND, ERROR_SUCCESS};
use windows_sys::Win32::System::Console::{
    ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode, GetStdHandle, STD_OUTPUT_HANDLE, SetConsoleMode,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, TerminateJobObject,
};
use windows_sys::Win32::System::Registry::{
    HKEY, HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE, KEY_QUERY_VALUE, KEY_SET_VALUE, REG_DWORD,
    REG_OPTION_NON_VOLATILE, RegCloseKey, RegCreateKeyExW, RegDeleteValueW, RegEnumValueW, RegOpenKeyExW,
    RegSetValueExW,
};

/// No signals end processes: an exception is a process's exit code.
pub(crate) fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// A program without windows cannot be asked to end.
pub(crate) fn ask_to_end(_: &Child) -> bool {
    false
}

/// A process and those that it starts.
pub(crate) struct Group {
    pub(crate) child: Child,
    job: Option<OwnedHandle>,
}

impl Group {
    /// Starts it.
    pub(crate) fn spawn(command: &mut Command) -> std::io::Result<Group> {
        let child = command.spawn()?;
        // SAFETY: the function makes an object without name; its handle is the caller's.
        let job = unsafe { CreateJobObjectW(null(), null()) };
        // SAFETY: the handle is open, and nobody else's.
        let job = (!job.is_null()).then(|| unsafe { OwnedHandle::from_raw_handle(job) });
        // SAFETY: both handles are open. What the child has started before is not of the job.
        let job = job.filter(|job| unsafe {
            AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) != 0
        });
        Ok(Group { child, job })
    }

    /// Ends all of them, and waits for the first.
    pub(crate) fn kill(&mut self) {
        if let Some(job) = &self.job {
            // SAFETY: the handle is open.
            unsafe { TerminateJobObject(job.as_raw_handle(), 1) };
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An absolute path of a file. Not the form that begins with `\\?\`, which not every program takes.
pub(crate) fn resolve(path: &Path) -> std::io::Result<PathBuf> {
    std::path::absolute(path)
}

/// The folder for manifests: the user's, or the system's.
pub(crate) fn manifest_folder(system: bool) -> Result<PathBuf> {
    let variable = if system { "ProgramData" } else { "LOCALAPPDATA" };
    let folder = crate::config::variable(variable).with_context(|| format!("{variable} is not set"))?;
    Ok(PathBuf::from(folder).join("pyroclast"))
}

/// The key that the loader reads the paths of manifests from ("Driver interface to the Vulkan Loader",
/// section "Driver Discovery on Windows"); `kind` is `Drivers`, `ImplicitLayers` or `ExplicitLayers`.
fn key_name(kind: &str) -> Vec<u16> {
    wide(format!("SOFTWARE\\Khronos\\Vulkan\\{kind}").as_ref())
}

fn wide(text: &std::ffi::OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}

/// An open key of the registry.
struct Key(HKEY);

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: it is open, and nobody else's.
        unsafe { RegCloseKey(self.0) };
    }
}

fn root(system: bool) -> HKEY {
    if system { HKEY_LOCAL_MACHINE } else { HKEY_CURRENT_USER }
}

fn check(status: u32, what: &str) -> Result<()> {
    if status != ERROR_SUCCESS {
        bail!("{what}: {}", std::io::Error::from_raw_os_error(status as i32));
    }
    Ok(())
}

/// Tells the loader of a manifest: for this user, or for all.
pub(crate) fn register_manifest(path: &Path, system: bool) -> Result<()> {
    let mut key = null_mut();
    // SAFETY: the name ends in zero, and the key goes where the pointer is of.
    let status = unsafe {
        let (root, name) = (root(system), key_name("Drivers"));
        let (options, rights) = (REG_OPTION_NON_VOLATILE, KEY_SET_VALUE);
        RegCreateKeyExW(root, name.as_ptr(), 0, null(), options, rights, null(), &raw mut key, null_mut())
    };
    check(status, "the loader's key of the registry cannot be made")?;
    let key = Key(key);
    // Zero: the manifest is in force.
    let value = 0_u32.to_le_bytes();
    let name = wide(path.as_os_str());
    // SAFETY: the name ends in zero, and the value has four bytes.
    let status = unsafe { RegSetValueExW(key.0, name.as_ptr(), 0, REG_DWORD, value.as_ptr(), 4) };
    check(status, "the manifest cannot be registered")
}

/// Takes that back. A manifest that is not registered is none.
pub(crate) fn unregister_manifest(path: &Path, system: bool) -> Result<()> {
    let Some(key) = open("Drivers", system, KEY_SET_VALUE) else { return Ok(()) };
    let name = wide(path.as_os_str());
    // SAFETY: the key is open, and the name ends in zero.
    match unsafe { RegDeleteValueW(key.0, name.as_ptr()) } {
        ERROR_FILE_NOT_FOUND => Ok(()),
        status => check(status, "the manifest is still registered"),
    }
}

fn open(kind: &str, system: bool, rights: u32) -> Option<Key> {
    let mut key = null_mut();
    let name = key_name(kind);
    // SAFETY: the name ends in zero, and the key goes where the pointer is of.
    let status = unsafe { RegOpenKeyExW(root(system), name.as_ptr(), 0, rights, &raw mut key) };
    (status == ERROR_SUCCESS).then_some(Key(key))
}

/// The manifests of a kind that the loader reads, in its order.
pub(crate) fn registered(kind: &str) -> Vec<PathBuf> {
    /// Names of values are not longer.
    const NAME_MAX: usize = 16384;
    let mut found = Vec::new();
    for system in [true, false] {
        let Some(key) = open(kind, system, KEY_QUERY_VALUE) else { continue };
        let mut name = vec![0_u16; NAME_MAX];
        for index in 0.. {
            let (mut length, mut ty, mut value, mut bytes) = (NAME_MAX as u32, 0, [0_u8; 4], 4);
            // SAFETY: the key is open, and the lengths are those of the arrays.
            let status = unsafe {
                let (name, value) = (name.as_mut_ptr(), value.as_mut_ptr());
                let (length, ty, bytes) = (&raw mut length, &raw mut ty, &raw mut bytes);
                RegEnumValueW(key.0, index, name, length, null(), ty, value, bytes)
            };
            if status != ERROR_SUCCESS {
                break;
            }
            if ty == REG_DWORD && value == [0; 4] {
                let path = std::ffi::OsString::from_wide(&name[..length as usize]);
                found.push(PathBuf::from(path));
            }
        }
    }
    found
}

/// Whether the console at standard output knows escape sequences of colours: it is asked to.
pub(crate) fn shows_colours() -> bool {
    let mut mode = 0;
    // SAFETY: the functions check the handle, which is not closed; the mode goes where the pointer is of.
    unsafe {
        let console = GetStdHandle(STD_OUTPUT_HANDLE);
        GetConsoleMode(console, &raw mut mode) != 0
            && SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0
    }
}
