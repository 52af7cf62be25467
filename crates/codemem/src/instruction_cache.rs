//! Instruction caches that do not see what is written.
//!
//! On 64-bit ARM new code may lie in the data cache while the processor reads old instructions from memory: lines
//! of the one are written back, those of the other given up ("Concurrent modification and execution of
//! instructions", Arm Architecture Reference Manual, B2.3). On x86-64 caches do that by themselves.

/// Makes the processor forget the instructions that were in a range, which holds new ones.
#[cfg(target_arch = "aarch64")]
pub(crate) fn forget(start: *const u8, bytes: usize) {
    use std::arch::asm;
    let sizes: u64;
    // SAFETY: a register that programs may read.
    unsafe { asm!("mrs {}, ctr_el0", out(reg) sizes, options(nomem, nostack, preserves_flags)) };
    let line = |log_of_words: u64| 4usize << (log_of_words & 15);
    let (data, instructions) = (line(sizes >> 16), line(sizes));
    let (first, end) = (start.addr(), start.addr() + bytes);
    let lines = |bytes: usize| (first / bytes * bytes..end).step_by(bytes);
    for address in lines(data) {
        // SAFETY: the address is in a line of the range, which the caller owns; no data change.
        unsafe { asm!("dc cvau, {}", in(reg) address, options(nostack, preserves_flags)) };
    }
    // SAFETY: a barrier.
    unsafe { asm!("dsb ish", options(nostack, preserves_flags)) };
    for address in lines(instructions) {
        // SAFETY: as above.
        unsafe { asm!("ic ivau, {}", in(reg) address, options(nostack, preserves_flags)) };
    }
    // SAFETY: barriers.
    unsafe { asm!("dsb ish", "isb", options(nostack, preserves_flags)) };
}

/// There is nothing to forget.
#[cfg(not(target_arch = "aarch64"))]
pub(crate) fn forget(_: *const u8, _: usize) {}
