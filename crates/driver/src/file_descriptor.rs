//! File descriptors that the application shares with others; handles on Windows, whose functions for
//! descriptors have nothing to do.

#[cfg(unix)]
#[path = "file_descriptor/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "file_descriptor/windows.rs"]
mod system;

pub use system::{ARE_THERE, BorrowedFd, OwnedFd, borrow, give, of_file, take, to_file, try_clone};
#[cfg(windows)]
pub use system::{borrow_handle, give_handle};
