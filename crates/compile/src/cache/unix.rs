//! Files that only this user can read or write, as Unix systems have them: by owner and mode.

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// Fills bytes with random ones; false where the system has none.
pub(super) fn fill_random(bytes: &mut [u8]) -> bool {
    let mut filled = 0;
    while filled < bytes.len() {
        match rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty()) {
            Ok(count) => filled += count,
            Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
    true
}

/// Creates a directory, and those around it, that only this user can use.
pub(super) fn create_directory(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Gives a file another name. It replaces none: that one exists is an error.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) => rustix::fs::linkat(CWD, from, CWD, to, AtFlags::empty()),
        result => result,
    }
    .map_err(io::Error::from)
}

/// Opens an operator's file, which only this user, or only root, can read. Links are followed.
pub(super) fn open_of_operator(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let found = file.metadata()?;
    let user = rustix::process::geteuid().as_raw();
    if !found.is_file() || ![0, user].contains(&found.uid()) || found.mode() & 0o077 != 0 {
        let why = "the key file is not a regular file that its owner alone can read";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(file)
}

/// Whether nobody but its owner can read or write a file.
pub(super) fn is_of_owner_only(file: &File) -> io::Result<bool> {
    Ok(file.metadata()?.mode() & 0o077 == 0)
}

/// Whether the environment is the user's: in a set-user-ID program it is somebody else's.
pub(super) fn is_own_program() -> bool {
    rustix::process::getuid() == rustix::process::geteuid()
        && rustix::process::getgid() == rustix::process::getegid()
}

/// Whether a directory is this user's and nobody else may write into it.
pub(super) fn is_writable_by_owner_only(directory: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    std::fs::metadata(directory).is_ok_and(|found| found.uid() == user && found.mode() & 0o022 == 0)
}

/// Opens a file for reading. Links are refused, and opening does not wait for another process.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// Opens a regular file of this user for reading. Links, FIFOs, devices and files of others are refused, and
/// opening does not wait for another process.
pub(super) fn open_own(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "not a regular file of this user"));
    }
    Ok(file)
}

fn create(path: &Path, mode: Mode) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(File::from(rustix::fs::open(path, flags, mode)?))
}

/// Creates a file that only this user can read.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    create(path, Mode::RUSR | Mode::WUSR)
}

/// Creates a file that others can read, and those whom the folder's rights let replace.
pub(super) fn create_shared(path: &Path) -> io::Result<File> {
    create(path, Mode::from_bits_truncate(0o644))
}
