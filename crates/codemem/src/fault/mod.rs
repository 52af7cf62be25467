//! Signals that generated code raises become errors of its call.
//!
//! **Problem.** Generated code follows addresses that applications and shaders give it. Where nothing is
//! mapped at one, the processor raises a fault, which would end the process.
//!
//! **Approach.** One handler for `SIGSEGV`, `SIGBUS`, `SIGILL` and `SIGFPE`, on Windows a vectored one for
//! the exceptions that stand for them, looks whether the program counter is in registered code ([`Region`]).
//! If so it unwinds the frames of generated code to the Rust code that called the outermost of them, where
//! the call returns [`EXIT`] and the number of a [`Fault`]. Generated frames own nothing, so nothing else
//! has to be undone. All other signals go to the handler that was there before.
//!
//! **Frames.** A function that is unwound begins with `push rbp; mov rbp, rsp` and pushes of the other
//! registers that it must preserve, and keeps `rbp` until it returns. The handler decodes these instructions,
//! so there is no table that could disagree with the code. Signals within them go on to the former handler.
//!
//! **Invariants.** The handler takes no lock, allocates nothing and calls nothing that does; it uses no
//! thread-local variable. Between generated frames there is no Rust frame.
//!
//! **Writes that are resolved.** Before all this, the owner of memory that is mapped read-only may resolve a
//! write to it ([`resolve_writes`]); then the instruction runs again, whoever it belongs to. So it does after
//! an access to what is gone of a truncated file ([`FileMemory`]), outside of generated code. On Windows it
//! does so after accesses of any kind to what has no memory yet ([`OnDemand`], sparse resources).
//!
//! *Must not know* what the code is for.

pub(crate) mod file;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod handler;
#[cfg(all(target_arch = "x86_64", windows))]
#[path = "windows.rs"]
mod handler;
mod on_demand;
mod ranges;
pub(crate) mod region;
#[cfg(all(target_arch = "x86_64", any(target_os = "linux", windows)))]
mod slots;
#[cfg(all(target_arch = "x86_64", any(target_os = "linux", windows)))]
pub(crate) mod unwind;

pub(crate) use region::Region;

pub use file::{ANY_OWNER, FileMemory, truncated};
pub use on_demand::OnDemand;

/// Faults on their way to the callers of the functions that raised them.
#[cfg(all(target_arch = "x86_64", any(target_os = "linux", windows)))]
static FAULTS: slots::Faults = slots::Faults::new();

/// What the low half of a function's result is when it raised a signal.
pub(crate) const EXIT: u32 = 0xfa17_fa17;

/// A signal that generated code raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The signal's number.
    pub signal: i32,
    /// The address that was accessed, where the signal tells it.
    pub address: u64,
    /// The address of the instruction.
    pub instruction: u64,
}

impl Fault {
    /// The signal's name.
    pub fn signal_name(&self) -> &'static str {
        match self.signal {
            4 => "SIGILL",
            7 => "SIGBUS",
            8 => "SIGFPE",
            11 => "SIGSEGV",
            _ => "a signal",
        }
    }

    /// The name of the function that raised it, if its code is still there.
    pub fn function(&self) -> Option<String> {
        region::name(self.instruction as usize)
    }
}

/// Installs the handler, if it is wanted (`PYROCLAST_FAULT_HANDLER`) and there is one for this system.
pub(crate) fn install() {
    #[cfg(all(target_arch = "x86_64", any(target_os = "linux", windows)))]
    if pyro_util::config::get().fault_handler {
        handler::install();
    }
}

/// Asks `resolve`, with the address, whenever an access breaks the protection of mapped memory (on Windows:
/// or there is none), on any thread and in any code: true where it has changed the mapping, so that the
/// instruction runs again. It runs in a signal handler. False where there is no handler, and so nobody will
/// be asked.
pub fn resolve_writes(resolve: fn(u64) -> bool) -> bool {
    install();
    #[cfg(all(target_arch = "x86_64", any(target_os = "linux", windows)))]
    if pyro_util::config::get().fault_handler {
        handler::resolve_writes(resolve);
        return true;
    }
    let _ = resolve;
    false
}

/// The fault behind a function's result, if it raised a signal.
pub(crate) fn of_result(result: u64) -> Result<u32, Fault> {
    if result as u32 == EXIT { Err(taken((result >> 32) as u32)) } else { Ok(result as u32) }
}

#[cold]
fn taken(number: u32) -> Fault {
    #[cfg(all(target_arch = "x86_64", any(target_os = "linux", windows)))]
    if let Some(fault) = FAULTS.take(number) {
        return fault;
    }
    let _ = number;
    Fault { signal: 0, address: 0, instruction: 0 }
}

/// A stack for the calling thread's signal handlers, for as long as this lives: generated code may overflow
/// the thread's own.
#[derive(Debug)]
pub struct SignalStack {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    _stack: Option<handler::Stack>,
}

impl SignalStack {
    /// For the calling thread, unless it has one.
    #[allow(clippy::new_without_default, reason = "it changes the thread")]
    pub fn new() -> SignalStack {
        SignalStack {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            _stack: pyro_util::config::get().fault_handler.then(handler::Stack::new).flatten(),
        }
    }
}
