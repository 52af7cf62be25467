//! What threads ask of the frequency of the processors that they run on (Linux' utilization clamps).
#![allow(unsafe_code)]

use libc::{c_long, pid_t};

/// The utilization at which a processor is to run at its highest frequency.
pub const FULL: u32 = 1024;

/// `struct sched_attr` of the kernel, in its second version.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
    least: u32,
    most: u32,
}

/// Of the flags, those that leave all else as it is and set both bounds.
const KEEP_AND_CLAMP: u64 = 0x08 | 0x10 | 0x20 | 0x40;

/// The system's own bound.
const RESET: u32 = u32::MAX;

/// Has the processor of a thread of this process run as if the thread's utilization were between these
/// bounds, up to [`FULL`]; none: as the system likes. Whether the kernel does so.
pub fn clamp(thread: pid_t, bounds: Option<(u32, u32)>) -> bool {
    let (least, most) = bounds.unwrap_or((RESET, RESET));
    let size = size_of::<Attributes>() as u32;
    let attributes = Attributes { size, flags: KEEP_AND_CLAMP, least, most, ..Attributes::default() };
    // SAFETY: the kernel reads as many bytes as `size` says, and writes there at most its own size of the
    // structure, which is no other field of ours.
    let result = unsafe {
        libc::syscall(libc::SYS_sched_setattr, c_long::from(thread), &raw const attributes, c_long::from(0))
    };
    result == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_codemem::clock::this_thread;

    #[test]
    fn threads_are_clamped_where_the_kernel_can() {
        let can = clamp(this_thread(), Some((FULL / 2, FULL)));
        let missing = std::io::Error::last_os_error().raw_os_error();
        if can {
            assert!(clamp(this_thread(), Some((0, 0))) && clamp(this_thread(), None));
            // More than there is, and bounds the wrong way round.
            assert!(!clamp(this_thread(), Some((0, 2 * FULL))) && !clamp(this_thread(), Some((9, 8))));
        } else {
            // A kernel without clamps says so: all other fields are as it wants them.
            assert_eq!(missing, Some(libc::EOPNOTSUPP));
        }
        // No thread has this number.
        assert!(!clamp(pid_t::MAX, None));
    }
}
