//! Unwinding of generated frames. Runs in a signal handler.

use super::region;

/// Registers by their number in instructions: `rax`, `rcx`, `rdx`, `rbx`, `rsp`, `rbp`, `rsi`, `rdi`, `r8`…
const RSP: usize = 4;
const RBP: usize = 5;

/// What unwinding changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Registers {
    /// General registers by number.
    pub(super) general: [u64; 16],
    /// The program counter.
    pub(super) rip: u64,
}

/// The registers that a function's first instructions push, in order.
struct Prologue {
    /// Bytes.
    len: usize,
    pushed: [u8; 16],
    count: usize,
}

/// Decodes `push rbp; mov rbp, rsp` and the pushes behind it.
///
/// # Safety
/// `start` is the address of a function, whose code is readable.
unsafe fn prologue(start: usize) -> Option<Prologue> {
    // SAFETY: only bytes up to the end of the first instruction that is no push are read.
    let byte = |at: usize| unsafe { std::ptr::with_exposed_provenance::<u8>(start + at).read() };
    // The two encodings of `mov rbp, rsp`.
    if byte(0) != 0x55 || byte(1) != 0x48 || !matches!((byte(2), byte(3)), (0x89, 0xe5) | (0x8b, 0xec)) {
        return None;
    }
    let mut found = Prologue { len: 4, pushed: [0; 16], count: 0 };
    while found.count < found.pushed.len() {
        let (register, bytes) = match byte(found.len) {
            code @ 0x50..=0x57 => (code - 0x50, 1),
            0x41 if matches!(byte(found.len + 1), 0x50..=0x57) => (byte(found.len + 1) - 0x50 + 8, 2),
            _ => return Some(found),
        };
        found.pushed[found.count] = register;
        found.count += 1;
        found.len += bytes;
    }
    None
}

/// Bytes of the instructions after which a function's frame is there; `None` if it has another one.
///
/// # Safety
/// `start` is the address of a function, whose code is readable.
#[cfg_attr(windows, allow(dead_code))] // for samples, which there are none of
pub(crate) unsafe fn prologue_bytes(start: usize) -> Option<usize> {
    // SAFETY: the caller's contract.
    unsafe { prologue(start) }.map(|prologue| prologue.len)
}

/// The registers as they are when the outermost of the generated frames has returned. `None` where the
/// program counter is not in registered code, or the frame is not complete.
///
/// # Safety
/// The registers are those of a thread that runs, and registered code keeps to the layout of frames.
pub(super) unsafe fn unwind(mut registers: Registers) -> Option<Registers> {
    let mut start = region::start_of(registers.rip as usize)?;
    loop {
        // SAFETY: registered code is readable.
        let prologue = unsafe { prologue(start) }?;
        if (registers.rip as usize) < start + prologue.len {
            return None;
        }
        let frame = registers.general[RBP];
        // SAFETY: `rbp` is the frame's; below it are the pushed registers, at it the caller's `rbp`, above
        // it the return address.
        let word = |offset: i64| unsafe {
            std::ptr::with_exposed_provenance::<u64>(frame.wrapping_add_signed(offset) as usize)
                .read_unaligned()
        };
        for (index, &register) in prologue.pushed[..prologue.count].iter().enumerate() {
            registers.general[usize::from(register)] = word(-8 * (index as i64 + 1));
        }
        registers.general[RBP] = word(0);
        registers.general[RSP] = frame.wrapping_add(16);
        registers.rip = word(8);
        // A call is behind its prologue, so a caller's frame is complete.
        match region::start_of(registers.rip as usize) {
            Some(caller) => start = caller,
            None => return Some(registers),
        }
    }
}
