//! The processor's state of floating-point arithmetic, for the time that shaders run on a thread.
//!
//! Shaders expect rounding to nearest, denormals kept, and no traps: the state of a thread that Rust made. A
//! thread of the application may have another.

/// Puts a thread's state back when dropped.
pub(crate) struct Environment {
    #[cfg(target_arch = "x86_64")]
    old: u32,
}

/// All exceptions masked, rounding to nearest, denormals as they are.
#[cfg(target_arch = "x86_64")]
const DEFAULT: u32 = 0x1F80;
/// The flags that operations leave behind.
#[cfg(target_arch = "x86_64")]
const STATUS: u32 = 0x3F;

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
        #[cfg(target_arch = "x86_64")]
        {
            let old = control();
            if old & !STATUS != DEFAULT {
                set_control(DEFAULT);
            }
            Environment { old }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Environment {}
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        if self.old & !STATUS != DEFAULT {
            set_control(self.old);
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_put_back() {
        let flushing = DEFAULT | 0x8040;
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
