//! File descriptors that the application shares with others. Systems without them have types of which there
//! is no value, so that nothing is to be done there.

#[cfg(unix)]
#[path = "file_descriptor/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "file_descriptor/windows.rs"]
mod system;

pub use system::{ARE_THERE, BorrowedFd, OwnedFd, borrow, give, of_file, take, to_file, try_clone};
