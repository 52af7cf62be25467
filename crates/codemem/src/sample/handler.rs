//! The signal handler of samples.

use super::slots;
use super::walk::{Registers, callers};
use crate::clock;
use libc::{c_int, c_void, siginfo_t, ucontext_t};
use std::sync::atomic::Ordering;

/// Takes a sample of the thread that it interrupts.
pub(super) extern "C" fn handle(_signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel calls with a valid signal information; the thread's own error number.
    let (code, value, errno) = unsafe { ((*info).si_code, (*info).si_value(), libc::__errno_location()) };
    // SAFETY: as above.
    let error = unsafe { *errno };
    if code == libc::SI_TIMER {
        // SAFETY: the kernel calls with a valid context of the interrupted thread.
        unsafe { sample(value.sival_ptr as usize, context.cast()) };
    }
    // SAFETY: as above.
    unsafe { *errno = error };
}

/// # Safety
/// `context` is that of a signal handler of the calling thread.
unsafe fn sample(number: usize, context: *const ucontext_t) {
    let Some(slot) = slots::slot(number as u32) else { return };
    let Some(cpu) = clock::now_ns(libc::CLOCK_THREAD_CPUTIME_ID) else { return };
    let time = clock::now_ns(libc::CLOCK_MONOTONIC).unwrap_or_default();
    // SAFETY: the context is valid, by this function's contract.
    let gregs = unsafe { &(*context).uc_mcontext.gregs };
    let register = |number: c_int| gregs[number as usize] as u64;
    let registers = Registers {
        rip: register(libc::REG_RIP),
        rsp: register(libc::REG_RSP),
        rbp: register(libc::REG_RBP),
    };
    let top = slot.top.load(Ordering::Relaxed) as u64;
    // SAFETY: the registers are those of the thread that was interrupted, which is this one, and at `top` it
    // was on the same stack.
    let callers = unsafe { callers(&registers, top, slot.is_generated()) };
    slot.push(registers.rip, &callers, time, cpu);
}
