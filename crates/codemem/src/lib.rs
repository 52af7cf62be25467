//! Executable memory for generated code: written first, executable then, never both.
//!
//! [`Code::new`] copies machine code into pages of its own, makes them executable and read-only, and frees
//! them when it is dropped. Profilers learn the code's name by [`profile`], debuggers by `gdb`.
// Mapping pages and calling into them is what this crate is for; the contracts are on the functions.
#![allow(unsafe_code)]

mod gdb;
pub mod profile;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
use std::ptr::NonNull;

/// Why there is no executable memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// No code at all.
    #[error("there is no code")]
    Empty,
    /// The system gives no pages.
    #[error("no memory for code: {0}")]
    Map(rustix::io::Errno),
    /// The system does not let pages become executable.
    #[error("pages may not become executable: {0}")]
    Protect(rustix::io::Errno),
}

/// A private mapping.
#[derive(Debug)]
struct Pages {
    start: NonNull<u8>,
    len: usize,
}

impl Pages {
    /// At least `len` writable bytes, there at once, since all of them are written.
    fn new(len: usize) -> Result<Pages, CodeError> {
        let len = len.next_multiple_of(rustix::param::page_size());
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new private mapping; nobody else's memory is touched.
        let start = unsafe {
            mmap_anonymous(std::ptr::null_mut(), len, access, MapFlags::PRIVATE | MapFlags::POPULATE)
        };
        let start = NonNull::new(start.map_err(CodeError::Map)?.cast());
        Ok(Pages { start: start.ok_or(CodeError::Map(rustix::io::Errno::NOMEM))?, len })
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: our own mapping, and nobody uses it any more. A failure would leak it, which is harmless.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.len) };
    }
}

/// Machine code in executable pages.
#[derive(Debug)]
pub struct Code {
    /// First, so that debuggers forget the code before its pages go.
    registration: Option<gdb::Registration>,
    pages: Pages,
    len: usize,
    _named: profile::Name,
}

// SAFETY: after construction the pages are only read and executed.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// Copies `bytes` (position-independent machine code, aligned to at most a page) into executable pages.
    /// `name` is what profilers show.
    ///
    /// # Errors
    /// [`CodeError`] when the system refuses.
    pub fn new(bytes: &[u8], name: &str) -> Result<Code, CodeError> {
        if bytes.is_empty() {
            return Err(CodeError::Empty);
        }
        let pages = Pages::new(bytes.len())?;
        // SAFETY: the pages are ours, writable, and at least as long as `bytes`.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), pages.start.as_ptr(), bytes.len()) };
        let access = MprotectFlags::READ | MprotectFlags::EXEC;
        // SAFETY: the pages are ours; nothing refers to them as writable any more.
        unsafe { mprotect(pages.start.as_ptr().cast(), pages.len, access) }.map_err(CodeError::Protect)?;
        let mut code = Code { registration: None, pages, len: bytes.len(), _named: profile::Name::default() };
        code._named = profile::register(code.bytes(), name);
        code.registration = gdb::register(code.bytes(), name);
        Ok(code)
    }

    /// The machine code.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: mapped, readable and never written as long as `self` lives.
        unsafe { std::slice::from_raw_parts(self.pages.start.as_ptr(), self.len) }
    }

    /// Where the byte at `offset` lies.
    ///
    /// # Panics
    /// When `offset` is past the end.
    pub fn address(&self, offset: usize) -> *const u8 {
        &raw const self.bytes()[offset]
    }

    /// The function that starts at `offset`.
    ///
    /// # Safety
    /// There is one of this type at `offset`. It may be called only as long as `self` lives, with arguments
    /// that its maker allows.
    pub unsafe fn function(&self, offset: usize) -> Function {
        // SAFETY: by the caller's contract there is a function of this type at the address.
        unsafe { std::mem::transmute::<*const u8, Function>(self.address(offset)) }
    }
}

/// A function of two integer arguments in the platform's C calling convention.
pub type Function = unsafe extern "C" fn(u64, u64) -> u32;

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(target_arch = "x86_64", not(windows)))]
    #[test]
    fn runs_code() {
        // lea eax, [rdi + rsi]; ret
        let code = Code::new(&[0x8d, 0x04, 0x37, 0xc3], "sum").unwrap();
        // SAFETY: the function above.
        assert_eq!(unsafe { code.function(0)(40, 2) }, 42);
    }

    #[test]
    fn no_code_is_an_error() {
        assert_eq!(Code::new(&[], "nothing").unwrap_err(), CodeError::Empty);
    }

    #[test]
    fn pages_are_given_back() {
        for round in 0..20_000 {
            let code = Code::new(&[0xc3; 10_000], "round").unwrap();
            assert_eq!(code.bytes()[round % 10_000], 0xc3);
        }
    }
}
