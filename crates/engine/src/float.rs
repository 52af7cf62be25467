//! The processor's state of floating-point arithmetic, for the time that shaders run on a thread.
//!
//! Shaders expect rounding to nearest, denormals kept, and no traps: the state of a thread that Rust made. A
//! thread of the application may have another.

/// Puts a thread's state back when dropped.
pub(crate) struct Environment {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    old: Control,
}

/// The register that holds the state: MXCSR, FPCR.
#[cfg(target_arch = "x86_64")]
type Control = u32;
#[cfg(target_arch = "aarch64")]
type Control = u64;

/// All exceptions masked, rounding to nearest, denormals as they are.
#[cfg(target_arch = "x86_64")]
const DEFAULT: u32 = 0x1F80;
#[cfg(target_arch = "aarch64")]
const DEFAULT: u64 = 0;
/// The flags that operations leave behind.
#[cfg(target_arch = "x86_64")]
const STATUS: u32 = 0x3F;
/// They have a register of their own.
#[cfg(target_arch = "aarch64")]
const STATUS: u64 = 0;

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
fn control() -> u64 {
    let value: u64;
    // SAFETY: a register that programs may read.
    unsafe { core::arch::asm!("mrs {}, fpcr", out(reg) value, options(nomem, nostack, preserves_flags)) };
    value
}

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
fn set_control(value: u64) {
    // SAFETY: as on x86-64: the default state, or what foreign code had.
    unsafe { core::arch::asm!("msr fpcr, {}", in(reg) value, options(nostack, preserves_flags)) };
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn control() -> u32 {
    let mut value = 0_u32;
    // SAFETY: writes four bytes to a local variable.
    unsafe { core::arch::asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack, preserves_flags)) };
    value
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn set_control(value: u32) {
    // SAFETY: the value is [`DEFAULT`] or was the register's: no reserved bit is set. Code compiled by Rust
    // between two calls expects the default state, which this makes or, at the end, gives back to foreign
    // code.
    unsafe {
        core::arch::asm!("ldmxcsr [{}]", in(reg) &raw const value, options(nostack, preserves_flags, readonly));
    }
}

impl Environment {
    /// Makes this thread's state the one that shaders expect.
    pub(crate) fn enter() -> Environment {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        {
            let old = control();
            if old & !STATUS != DEFAULT {
                set_control(DEFAULT);
            }
            Environment { old }
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        Environment {}
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if self.old & !STATUS != DEFAULT {
            set_control(self.old);
        }
    }
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_put_back() {
        // Denormals become zero.
        let flushing = DEFAULT | if cfg!(target_arch = "x86_64") { 0x8040 } else { 1 << 24 };
        set_control(flushing);
        let environment = Environment::enter();
        let inside = control();
        drop(environment);
        let after = control();
        set_control(DEFAULT);
        assert_eq!(inside & !STATUS, DEFAULT);
        assert_eq!(after, flushing);
    }
}
