//! Threads by number, and clocks, of Linux.

use libc::{clockid_t, pid_t};

/// The number of the calling thread.
pub fn this_thread() -> pid_t {
    // SAFETY: it has no precondition.
    // (glibc has `gettid` from 2.30 on only, and packages are for 2.28.)
    unsafe { libc::syscall(libc::SYS_gettid) as pid_t }
}

/// The clock of the processor time of a thread of this process, as `pthread_getcpuclockid` makes it.
pub fn of_thread(thread: pid_t) -> clockid_t {
    // `CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED`, as the kernel's interface has it.
    (!thread << 3) | 6
}

/// What a clock shows, in nanoseconds; `None` where there is no such clock. Signal handlers may call it.
pub fn now_ns(clock: clockid_t) -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is written there, or an error is given for a clock that is not there.
    let failed = unsafe { libc::clock_gettime(clock, &mut time) } != 0;
    (!failed).then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}
