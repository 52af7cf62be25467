//! Files that only this user can read or write, as Windows has them: those in the user's folder for
//! data of applications, whose rights they inherit. Other places are not trusted, whatever rights they have.
#![allow(unsafe_code)] // a function of the system

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use windows_sys::Win32::Security::Cryptography::{BCRYPT_USE_SYSTEM_PREFERRED_RNG, BCryptGenRandom};
use windows_sys::Win32::Storage::FileSystem::FILE_FLAG_OPEN_REPARSE_POINT;

/// Fills bytes with random ones; false where the system has none.
pub(super) fn fill_random(bytes: &mut [u8]) -> bool {
    let Ok(count) = u32::try_from(bytes.len()) else { return false };
    let (none, flags) = (std::ptr::null_mut(), BCRYPT_USE_SYSTEM_PREFERRED_RNG);
    // SAFETY: it fills so many bytes.
    unsafe { BCryptGenRandom(none, bytes.as_mut_ptr(), count, flags) == 0 }
}

/// Creates a directory, and those around it.
pub(super) fn create_directory(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(directory)
}

/// Gives a file another name. It replaces none: that one exists is an error.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::hard_link(from, to)
}

/// Whether a file or directory lies in the user's folder for data of applications, which the system makes for
/// the user alone, with itself and administrators.
fn is_in_own_folder(path: &Path) -> bool {
    let Some(folder) = &pyro_util::config::get().data_home else { return false };
    let (folder, path) = (std::fs::canonicalize(folder), std::fs::canonicalize(path));
    folder.is_ok_and(|folder| path.is_ok_and(|path| path.starts_with(folder)))
}

fn refused(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

/// Opens an operator's file, which lies in the user's folder. Links are followed.
pub(super) fn open_of_operator(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() || !is_in_own_folder(path) {
        return Err(refused("the key file is not a regular file in a folder of this user"));
    }
    Ok(file)
}

/// Whether nobody but its owner can read or write a file: [`open_own`] has looked where it lies.
pub(super) fn is_of_owner_only(_: &File) -> io::Result<bool> {
    Ok(true)
}

/// Whether the environment is the user's: there are no set-user-ID programs.
pub(super) fn is_own_program() -> bool {
    true
}

/// Whether a directory is this user's and nobody else may write into it.
pub(super) fn is_writable_by_owner_only(directory: &Path) -> bool {
    is_in_own_folder(directory)
}

/// Opens a file for reading; a link itself, which is no regular file.
pub(super) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)
}

/// Opens a regular file of this user for reading. Links are refused.
pub(super) fn open_own(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    if !file.metadata()?.is_file() || !is_in_own_folder(path) {
        return Err(refused("not a regular file of this user"));
    }
    Ok(file)
}

/// Creates a file with the rights of its folder.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// Creates a file with the rights of its folder.
pub(super) fn create_shared(path: &Path) -> io::Result<File> {
    create_new(path)
}
