//! Executable memory for generated code: written first, executable then, never both.
//!
//! [`Code::new`] copies machine code into pages of its own, makes them executable and read-only, and frees
//! them when it is dropped. Profilers learn the code's name by [`profile`], debuggers by `gdb`. Signals that
//! the code raises become errors of its call ([`fault`]). [`sample`] tells where threads spend their time.
// Mapping pages and calling into them is what this crate is for; the contracts are on the functions.
#![allow(unsafe_code)]

#[cfg(target_os = "linux")]
pub mod clock;
pub mod fault;
mod gdb;
#[cfg(not(any(windows, target_os = "macos")))]
mod instruction_cache;
#[cfg(target_os = "macos")]
mod macos;
mod primitives;
pub mod profile;
pub mod sample;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as system;

use std::path::PathBuf;
use std::ptr::NonNull;

/// Keeps the library that a function is in loaded: loaders may unload drivers, and what was told of the
/// function stays told.
pub fn keep_loaded(function: *const ()) {
    system::keep_loaded(function);
}

/// The file of the library or program that a function is in, where the system says it.
pub fn library_of(function: *const ()) -> Option<PathBuf> {
    system::library_of(function)
}

/// An error of the system, by its number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SystemError(i32);

impl std::fmt::Display for SystemError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::io::Error::from_raw_os_error(self.0).fmt(f)
    }
}

impl std::fmt::Debug for SystemError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::io::Error::from_raw_os_error(self.0).fmt(f)
    }
}

/// Why there is no executable memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// No code at all.
    #[error("there is no code")]
    Empty,
    /// The system gives no pages.
    #[error("no memory for code: {0}")]
    Map(SystemError),
    /// The system does not let pages become executable.
    #[error("pages may not become executable: {0}")]
    Protect(SystemError),
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
        let len = len.next_multiple_of(system::page_bytes());
        Ok(Pages { start: system::map(len).map_err(CodeError::Map)?, len })
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: our own mapping, and nobody uses it any more.
        unsafe { system::unmap(self.start, self.len) };
    }
}

/// Machine code in executable pages.
#[derive(Debug)]
pub struct Code {
    /// First, so that debuggers forget the code before its pages go.
    registration: Option<gdb::Registration>,
    /// Before the pages, as other code may lie there when they are gone.
    region: Option<fault::Region>,
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
        unsafe { system::write(pages.start, bytes) };
        // SAFETY: the pages are ours; nothing refers to them as writable any more.
        unsafe { system::make_executable(pages.start, pages.len) }.map_err(CodeError::Protect)?;
        let mut code = Code {
            registration: None,
            region: None,
            pages,
            len: bytes.len(),
            _named: profile::Name::default(),
        };
        fault::install();
        code.region = Some(fault::Region::new(code.bytes(), name));
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

    /// Calls the function that starts at `offset`.
    ///
    /// # Errors
    /// The signal that it raised, where the handler is installed: see [`fault`].
    ///
    /// # Safety
    /// There is a function at `offset` whose result of 32 bits is extended with zeros to 64 bits. Its frame
    /// is as [`fault`] says, if it begins with `push rbp`. It is given arguments that its maker allows.
    pub unsafe fn call(&self, offset: usize, first: u64, second: u64) -> Result<u32, fault::Fault> {
        // SAFETY: by the caller's contract there is a function of this type at the address.
        let function = unsafe { std::mem::transmute::<*const u8, WideFunction>(self.address(offset)) };
        let _generated = sample::generated();
        // SAFETY: the caller vouches for the arguments.
        fault::of_result(unsafe { function(first, second) })
    }
}

pyro_abi::code_abi! {
    /// A function of two integer arguments.
    pub type Function = unsafe fn(u64, u64) -> u32;
}

pyro_abi::code_abi! {
    /// The same with all bits of its result.
    type WideFunction = unsafe fn(u64, u64) -> u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn runs_code() {
        // lea eax, [rdi + rsi]; ret
        let code = Code::new(&[0x8d, 0x04, 0x37, 0xc3], "sum").unwrap();
        // SAFETY: the function above.
        assert_eq!(unsafe { code.function(0)(40, 2) }, 42);
    }

    /// Faults of a function and of one that it calls end the outermost call, which preserves the registers
    /// that a function must.
    #[cfg(all(target_arch = "x86_64", any(target_os = "linux", windows)))]
    #[test]
    fn signals_end_calls() {
        // push rbp; mov rbp, rsp; push rbx; push r12; sub rsp, 1024; xor ebx, ebx; xor r12d, r12d;
        // mov eax, [rdi]; lea rsp, [rbp - 16]; pop r12; pop rbx; pop rbp; ret
        let load = Code::new(
            &[
                0x55, 0x48, 0x89, 0xe5, 0x53, 0x41, 0x54, 0x48, 0x81, 0xec, 0, 4, 0, 0, 0x31, 0xdb, 0x45,
                0x31, 0xe4, 0x8b, 0x07, 0x48, 0x8d, 0x65, 0xf0, 0x41, 0x5c, 0x5b, 0x5d, 0xc3,
            ],
            "load",
        )
        .unwrap();
        // push rbp; mov rbp, rsp; push r13; push r14; xor r13d, r13d; call rsi;
        // pop r14; pop r13; pop rbp; ret
        let outer = Code::new(
            &[
                0x55, 0x48, 0x8b, 0xec, 0x41, 0x55, 0x41, 0x56, 0x45, 0x31, 0xed, 0xff, 0xd6, 0x41, 0x5e,
                0x41, 0x5d, 0x5d, 0xc3,
            ],
            "outer",
        )
        .unwrap();
        // push rbp; mov rbp, rsp; ud2
        let illegal = Code::new(&[0x55, 0x48, 0x89, 0xe5, 0x0f, 0x0b], "illegal").unwrap();
        let word = 77_u32;
        let good = (&raw const word).expose_provenance() as u64;
        for round in 0..1000_u64 {
            let bad = 8 * (round + 1);
            // SAFETY: the functions above; bad addresses are handled.
            let called = unsafe {
                [load.call(0, good, 0), load.call(0, bad, 0), outer.call(0, bad, load.address(0) as u64)]
            };
            let at = |code: &Code, offset| code.address(offset) as u64;
            let fault = fault::Fault { signal: 11, address: bad, instruction: at(&load, 19) };
            assert_eq!(called, [Ok(77), Err(fault), Err(fault)]);
            assert_eq!((fault.function().as_deref(), fault.signal_name()), (Some("load"), "SIGSEGV"));
            // SAFETY: as above.
            let found = unsafe { illegal.call(0, 0, 0) }.unwrap_err();
            assert_eq!((found.signal_name(), found.instruction), ("SIGILL", at(&illegal, 4)));
        }
    }

    /// What is gone of a file reads as zeros and can be written, and its owner learns of it.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    #[test]
    fn truncated_files_read_as_zeros() {
        const BYTES: usize = 4 * 4096;
        let _turn = fault::file::TURN.lock();
        let path = std::env::temp_dir().join(format!("pyro-codemem-{}", std::process::id()));
        let file = std::fs::File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.unwrap();
        std::fs::remove_file(path).unwrap();
        file.set_len(BYTES as u64).unwrap();
        let (access, shared) =
            (rustix::mm::ProtFlags::READ | rustix::mm::ProtFlags::WRITE, rustix::mm::MapFlags::SHARED);
        // SAFETY: a new mapping that replaces none.
        let mapped = unsafe { rustix::mm::mmap(std::ptr::null_mut(), BYTES, access, shared, &file, 0) };
        let bytes = mapped.unwrap().cast::<u8>();
        let start = bytes.expose_provenance() as u64;
        let memory = fault::FileMemory::new(start..start + BYTES as u64, 77);
        // SAFETY: of the mapping, whose lost pages the handler replaces.
        let (kept, lost, written) = unsafe {
            bytes.write_volatile(5);
            bytes.add(3 * 4096).write_volatile(6);
            file.set_len(4096).unwrap();
            let lost = bytes.add(3 * 4096 + 8).read_volatile();
            bytes.add(2 * 4096 + 1).write_volatile(9);
            (bytes.read_volatile(), lost, bytes.add(2 * 4096 + 1).read_volatile())
        };
        assert_eq!((kept, lost, written), (5, 0, 9));
        assert_eq!((fault::truncated(77), fault::truncated(78)), (Some(start + 3 * 4096 + 8), None));
        drop(memory);
        assert_eq!(fault::truncated(77), None);
        // SAFETY: the mapping is this test's own.
        unsafe { rustix::mm::munmap(bytes.cast(), BYTES) }.unwrap();
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
