//! The vectored exception handler, on Windows and x86-64.

use super::unwind::{Registers, unwind};
use super::{EXIT, FAULTS, Fault};
use std::sync::OnceLock;
use windows_sys::Win32::Foundation::{
    EXCEPTION_ACCESS_VIOLATION, EXCEPTION_FLT_DIVIDE_BY_ZERO, EXCEPTION_ILLEGAL_INSTRUCTION,
    EXCEPTION_IN_PAGE_ERROR, EXCEPTION_INT_DIVIDE_BY_ZERO,
};
use windows_sys::Win32::System::Diagnostics::Debug::{
    AddVectoredExceptionHandler, CONTEXT, EXCEPTION_POINTERS,
};

const CONTINUE_SEARCH: i32 = 0;
const CONTINUE_EXECUTION: i32 = -1;

/// Who resolves writes to memory that is mapped read-only.
static RESOLVE: OnceLock<fn(u64) -> bool> = OnceLock::new();

/// Has writes resolved; the first call counts.
pub(super) fn resolve_writes(resolve: fn(u64) -> bool) {
    let _ = RESOLVE.set(resolve);
}

/// Installs the handler, once.
pub(super) fn install() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        crate::keep_loaded(handle as *const ());
        // SAFETY: the handler keeps to what exception handlers may do, and its library stays loaded.
        unsafe { AddVectoredExceptionHandler(1, Some(handle)) };
    });
}

unsafe extern "system" fn handle(pointers: *mut EXCEPTION_POINTERS) -> i32 {
    // SAFETY: the system calls with valid records of the exception and the thread.
    let (record, context) = unsafe { (&*(*pointers).ExceptionRecord, &mut *(*pointers).ContextRecord) };
    // The numbers of the signals that Linux has.
    let signal = match record.ExceptionCode {
        EXCEPTION_ACCESS_VIOLATION => 11,
        EXCEPTION_IN_PAGE_ERROR => 7,
        EXCEPTION_ILLEGAL_INSTRUCTION => 4,
        EXCEPTION_INT_DIVIDE_BY_ZERO | EXCEPTION_FLT_DIVIDE_BY_ZERO => 8,
        _ => return CONTINUE_SEARCH,
    };
    let instruction = context.Rip;
    let address = if matches!(signal, 7 | 11) { record.ExceptionInformation[1] as u64 } else { instruction };
    if signal == 11 && RESOLVE.get().is_some_and(|resolve| resolve(address)) {
        return CONTINUE_EXECUTION;
    }
    let before = Registers { general: general(context).map(|register| *register), rip: instruction };
    // SAFETY: the registers are the interrupted thread's.
    let Some(mut after) = (unsafe { unwind(before) }) else { return CONTINUE_SEARCH };
    let number = FAULTS.put(Fault { signal, address, instruction });
    after.general[0] = u64::from(number) << 32 | u64::from(EXIT);
    for (register, value) in general(context).into_iter().zip(after.general) {
        *register = value;
    }
    context.Rip = after.rip;
    CONTINUE_EXECUTION
}

/// The general registers by the number that instructions use.
fn general(context: &mut CONTEXT) -> [&mut u64; 16] {
    [
        &mut context.Rax,
        &mut context.Rcx,
        &mut context.Rdx,
        &mut context.Rbx,
        &mut context.Rsp,
        &mut context.Rbp,
        &mut context.Rsi,
        &mut context.Rdi,
        &mut context.R8,
        &mut context.R9,
        &mut context.R10,
        &mut context.R11,
        &mut context.R12,
        &mut context.R13,
        &mut context.R14,
        &mut context.R15,
    ]
}
