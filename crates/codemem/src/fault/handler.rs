//! The signal handler, on Linux and x86-64.

use super::file;
use super::unwind::{Registers, unwind};
use super::{EXIT, FAULTS, Fault};
use libc::{c_int, c_void, siginfo_t, ucontext_t};
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// The signals that instructions raise.
const SIGNALS: [c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE];

/// `ucontext_t`'s number of each general register, by the number that instructions use.
const GENERAL: [c_int; 16] = [
    libc::REG_RAX,
    libc::REG_RCX,
    libc::REG_RDX,
    libc::REG_RBX,
    libc::REG_RSP,
    libc::REG_RBP,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_R8,
    libc::REG_R9,
    libc::REG_R10,
    libc::REG_R11,
    libc::REG_R12,
    libc::REG_R13,
    libc::REG_R14,
    libc::REG_R15,
];
const RAX: usize = 0;

/// The handlers that were there before, in the order of [`SIGNALS`].
static FORMER: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

/// Who resolves writes to memory that is mapped read-only.
static RESOLVE: OnceLock<fn(u64) -> bool> = OnceLock::new();

/// `si_code` of an access that the protection of a mapping forbids.
const SEGV_ACCERR: c_int = 2;

/// Has writes resolved; the first call counts.
pub(super) fn resolve_writes(resolve: fn(u64) -> bool) {
    let _ = RESOLVE.set(resolve);
}

/// Whether somebody has made the access possible.
///
/// # Safety
/// The information is that of a signal handler.
unsafe fn is_resolved(signal: c_int, info: *mut siginfo_t) -> bool {
    // SAFETY: the information is valid, by this function's contract.
    let code = unsafe { (*info).si_code };
    if signal != libc::SIGSEGV || code != SEGV_ACCERR {
        return false;
    }
    // SAFETY: as above; a `SIGSEGV` of the kernel has an address.
    let address = unsafe { (*info).si_addr() } as u64;
    RESOLVE.get().is_some_and(|resolve| resolve(address))
}

/// `si_code` of an access to what a file does not have.
const BUS_ADRERR: c_int = 2;
/// Bytes of a page on this architecture.
const PAGE_BYTES: u64 = 4096;

/// Whether the access was to a truncated file's memory, which has zeros now.
///
/// # Safety
/// The information is that of a signal handler.
unsafe fn is_replaced(signal: c_int, info: *mut siginfo_t) -> bool {
    // SAFETY: the information is valid, by this function's contract.
    let code = unsafe { (*info).si_code };
    if signal != libc::SIGBUS || code != BUS_ADRERR {
        return false;
    }
    // SAFETY: as above; a `SIGBUS` of the kernel has an address.
    let address = unsafe { (*info).si_addr() } as u64;
    let zeros = || {
        let page = std::ptr::with_exposed_provenance_mut((address & !(PAGE_BYTES - 1)) as usize);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: the page is of memory that its owner has given to be replaced, and has no bytes to lose.
        let mapped = unsafe {
            libc::mmap(page, PAGE_BYTES as usize, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        mapped != libc::MAP_FAILED
    };
    file::replace(address, zeros)
}

/// Installs the handler, once.
pub(super) fn install() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        crate::keep_loaded(handle as *const ());
        let mut former = [MaybeUninit::<libc::sigaction>::zeroed(); SIGNALS.len()];
        for (former, signal) in former.iter_mut().zip(SIGNALS) {
            // SAFETY: a query of the present handler.
            unsafe { libc::sigaction(signal, std::ptr::null(), former.as_mut_ptr()) };
        }
        // SAFETY: filled in, or zeros, which are the default action.
        let _ = FORMER.set(former.map(|former| unsafe { former.assume_init() }));
        for signal in SIGNALS {
            // SAFETY: zeros are a valid `sigaction`, and the mask is emptied below.
            let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
            action.sa_sigaction = handle as *const () as usize;
            // Without `SA_NODEFER` the signal would stay blocked where a chained handler jumps away.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            // SAFETY: `action` is valid and the handler keeps to what signal handlers may do.
            unsafe {
                libc::sigemptyset(&mut action.sa_mask);
                libc::sigaction(signal, &action, std::ptr::null_mut());
            }
        }
    });
}

extern "C" fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel calls with a valid signal information and context.
    unsafe {
        if is_resolved(signal, info) {
            return;
        }
        // Codes above zero are of the kernel: others were sent by a process.
        let is_own = (*info).si_code > 0
            && (recover(signal, info, context.cast()).is_some() || is_replaced(signal, info));
        if !is_own {
            chain(signal, info, context);
        }
    }
}

/// Makes the thread go on behind the call of generated code. `None`, and nothing is changed, if it does not
/// run such code.
///
/// # Safety
/// The arguments are those of a signal handler.
unsafe fn recover(signal: c_int, info: *mut siginfo_t, context: *mut ucontext_t) -> Option<()> {
    // SAFETY: the context is valid, by this function's contract.
    let gregs = unsafe { &mut (*context).uc_mcontext.gregs };
    let before = Registers {
        general: GENERAL.map(|number| gregs[number as usize] as u64),
        rip: gregs[libc::REG_RIP as usize] as u64,
    };
    // SAFETY: the registers are the interrupted thread's.
    let mut after = unsafe { unwind(before) }?;
    // SAFETY: the information is of one of `SIGNALS`, which all have an address.
    let address = unsafe { (*info).si_addr() } as u64;
    let number = FAULTS.put(Fault { signal, address, instruction: before.rip });
    after.general[RAX] = u64::from(number) << 32 | u64::from(EXIT);
    for (number, value) in GENERAL.into_iter().zip(after.general) {
        gregs[number as usize] = value as i64;
    }
    gregs[libc::REG_RIP as usize] = after.rip as i64;
    Some(())
}

/// Does what would happen without the handler.
///
/// # Safety
/// The arguments are those of a signal handler.
unsafe fn chain(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let index = SIGNALS.iter().position(|&known| known == signal);
    let former = FORMER.get().zip(index).map(|(former, index)| &former[index]);
    match former {
        Some(former) if !matches!(former.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN) => {
            if former.sa_flags & libc::SA_SIGINFO != 0 {
                // SAFETY: with this flag the handler has three arguments.
                let call: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                    unsafe { std::mem::transmute(former.sa_sigaction) };
                call(signal, info, context);
            } else {
                // SAFETY: without the flag the handler has one argument.
                let call: extern "C" fn(c_int) = unsafe { std::mem::transmute(former.sa_sigaction) };
                call(signal);
            }
        }
        former => {
            // The instruction runs again, and the system does the rest. One that a process sent is raised
            // again.
            let default = MaybeUninit::<libc::sigaction>::zeroed();
            let action = former.map_or(default.as_ptr(), std::ptr::from_ref);
            // SAFETY: a valid action: what was there before, or zeros, the default.
            unsafe {
                libc::sigaction(signal, action, std::ptr::null_mut());
                if (*info).si_code <= 0 {
                    libc::raise(signal);
                }
            }
        }
    }
}

/// An alternate signal stack.
#[derive(Debug)]
pub(super) struct Stack {
    pages: crate::Pages,
}

/// Bytes for the handlers themselves; the frame that the kernel saves registers in comes on top.
const STACK_BYTES: usize = 32 << 10;

impl Stack {
    /// For the calling thread; `None` if it has one, or there is no memory.
    pub(super) fn new() -> Option<Stack> {
        let mut present = MaybeUninit::<libc::stack_t>::zeroed();
        // SAFETY: a query; all zeros are a valid `stack_t`.
        let present = unsafe {
            libc::sigaltstack(std::ptr::null(), present.as_mut_ptr());
            present.assume_init()
        };
        if present.ss_flags & libc::SS_DISABLE == 0 {
            return None;
        }
        // SAFETY: a query of the auxiliary vector, which gives zero where there is no such entry.
        let frame = unsafe { libc::getauxval(libc::AT_MINSIGSTKSZ) } as usize;
        let pages = crate::Pages::new(STACK_BYTES + frame.max(libc::MINSIGSTKSZ)).ok()?;
        let stack = libc::stack_t { ss_sp: pages.start.as_ptr().cast(), ss_flags: 0, ss_size: pages.len };
        // SAFETY: the pages live until this is dropped, on the same thread, which ends their use.
        (unsafe { libc::sigaltstack(&stack, std::ptr::null_mut()) } == 0).then_some(Stack { pages })
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let none = libc::stack_t {
            ss_sp: self.pages.start.as_ptr().cast(),
            ss_flags: libc::SS_DISABLE,
            ss_size: self.pages.len,
        };
        // SAFETY: ends the use of pages that are freed afterwards.
        unsafe { libc::sigaltstack(&none, std::ptr::null_mut()) };
    }
}
