//! The calls of generated code around an address. Runs in a signal handler.

use super::CALLERS_MAX;
use crate::fault::region;
use crate::fault::unwind::prologue_bytes;

/// Words of the stack that are searched for the call by which generated code came to other code.
const SEARCHED_WORDS: u64 = 256;

/// What a walk begins with.
pub(super) struct Registers {
    pub(super) rip: u64,
    pub(super) rsp: u64,
    pub(super) rbp: u64,
}

/// Return addresses in generated code, innermost first. `is_generated`: generated code is under way, so where
/// the program counter is elsewhere, it has called a helper.
///
/// # Safety
/// The registers are those of the calling thread; the memory from `rsp` to `top` is its stack, or `top` is
/// not above `rsp`.
pub(super) unsafe fn callers(registers: &Registers, top: u64, is_generated: bool) -> [u64; CALLERS_MAX] {
    let mut found = [0; CALLERS_MAX];
    let &Registers { rip, rsp, rbp } = registers;
    if !is_generated || top <= rsp {
        return found;
    }
    let is_stack =
        |at: u64| at >= rsp && at.is_multiple_of(8) && at.checked_add(16).is_some_and(|end| end <= top);
    // SAFETY: only addresses between `rsp` and `top` are read, which are the thread's stack.
    let word = |at: u64| unsafe { std::ptr::with_exposed_provenance::<u64>(at as usize).read() };
    let is_code = |address: u64| region::start_of(address as usize).is_some();
    let mut count = 0;
    let is_before_frame = |start: usize| {
        // SAFETY: registered code is readable.
        let prologue = unsafe { prologue_bytes(start) };
        prologue.is_none_or(|bytes| (rip as usize) < start + bytes)
    };
    match region::start_of(rip as usize) {
        Some(start) if is_before_frame(start) => {
            // Its frame is not there yet: the caller's is.
            if rip as usize == start && is_stack(rsp) && is_code(word(rsp)) {
                found[0] = word(rsp);
                count = 1;
            }
        }
        Some(_) => {}
        None => {
            let first = rsp.next_multiple_of(8);
            let words = (0..SEARCHED_WORDS).map(|index| first + 8 * index).take_while(|&at| is_stack(at));
            if let Some(address) = words.map(word).find(|&word| is_code(word)) {
                found[0] = address;
            }
            // Code of Rust does not keep the frame register.
            return found;
        }
    }
    let mut frame = rbp;
    while count < CALLERS_MAX && is_stack(frame) {
        let address = word(frame + 8);
        if !is_code(address) {
            break;
        }
        found[count] = address;
        count += 1;
        let next = word(frame);
        if next <= frame {
            break;
        }
        frame = next;
    }
    found
}
