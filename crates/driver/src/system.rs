//! What the driver asks the operating system.

#[cfg(unix)]
use std::fs::File;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::{View, mappings_max, unmap_view};
#[cfg(windows)]
pub use windows::{
    memory_available_bytes, memory_bytes, memory_file, monotonic_ns, monotonic_step_ns, performance_counter,
    process_ns,
};

/// Bytes of memory in the machine.
#[cfg(unix)]
pub fn memory_bytes() -> u64 {
    #[cfg(target_os = "linux")]
    {
        let info = rustix::system::sysinfo();
        u64::from(info.mem_unit) * info.totalram as u64
    }
    #[cfg(not(target_os = "linux"))]
    {
        8 << 30
    }
}

/// Bytes of memory that could be used without swapping.
#[cfg(unix)]
pub fn memory_available_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kibibytes.map_or_else(memory_bytes, |count| count << 10)
}

/// A file of `size` bytes that lives in memory only. Its size is sealed: whoever has its descriptor may rely
/// on all of it, since nobody can cut off what others have mapped (they would die of SIGBUS).
#[cfg(unix)]
pub fn memory_file(size: u64) -> Option<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{MemfdFlags, SealFlags};
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = File::from(rustix::fs::memfd_create("pyroclast", flags).ok()?);
        file.set_len(size).ok()?;
        rustix::fs::fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL).ok()?;
        Some(file)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = size;
        None
    }
}

/// Whether memory can be bound to sparse resources, by pages of memory files. On Windows not without the
/// handler of signals, which puts zeros where nothing is bound.
pub fn binds_sparsely() -> bool {
    cfg!(target_os = "linux") || cfg!(windows) && sees_faults()
}

/// Whether what is not bound of a sparse resource reads as zeros to all commands after one that writes there:
/// where a signal handler sees the writes.
pub fn drops_unbound_writes() -> bool {
    binds_sparsely() && sees_faults()
}

/// Whether there is a handler of signals, or of exceptions.
fn sees_faults() -> bool {
    cfg!(target_arch = "x86_64") && pyro_util::config::get().fault_handler
}

/// How many mappings the process may have.
#[cfg(unix)]
pub(crate) fn mappings_max() -> u64 {
    let mappings = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
    mappings.trim().parse().unwrap_or(65_530)
}

/// Nanoseconds of the monotonic clock: what timestamp queries write.
#[cfg(unix)]
pub fn monotonic_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Nanoseconds of its steps, at most.
#[cfg(unix)]
pub fn monotonic_step_ns() -> u64 {
    1
}

/// Nanoseconds of processor time of all threads of the process; zero where the system does not say.
#[cfg(unix)]
pub fn process_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Nanoseconds of the monotonic clock that no time adjustment slews.
pub fn monotonic_raw_ns() -> u64 {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::MonotonicRaw);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }
    #[cfg(not(target_os = "linux"))]
    {
        monotonic_ns()
    }
}

/// Has `call` called in each process that this one makes of itself, before anything else there. False: it
/// will not be.
#[allow(unsafe_code)] // a function of the C library
pub fn after_fork(call: extern "C" fn()) -> bool {
    #[cfg(target_os = "linux")]
    {
        unsafe extern "C" {
            fn pthread_atfork(
                prepare: Option<extern "C" fn()>,
                parent: Option<extern "C" fn()>,
                child: Option<extern "C" fn()>,
            ) -> core::ffi::c_int;
        }
        // SAFETY: declared as POSIX has it; the function stays as long as this library, which takes it back.
        unsafe { pthread_atfork(None, None, Some(call)) == 0 }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = call;
        false
    }
}

/// Whether the C library knows that the process has one thread only. False: it has more, or that is not
/// known.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)] // a variable of the C library
fn is_known_to_be_alone() -> bool {
    use core::ffi::{c_char, c_void};
    use std::sync::atomic::{AtomicU8, Ordering};
    unsafe extern "C" {
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    // SAFETY: declared as POSIX has it; a null library is all that the process has loaded.
    let known = unsafe { dlsym(core::ptr::null_mut(), c"__libc_single_threaded".as_ptr()) };
    // SAFETY: a byte that the library changes when threads start (its manual, "Single-Threaded"); null where
    // it has none.
    unsafe { known.cast::<AtomicU8>().as_ref() }.is_some_and(|known| known.load(Ordering::Relaxed) != 0)
}

/// Prepares [`barrier`], if that takes no time: in a process of one thread. False: there are no such
/// barriers.
pub fn prepare_barrier() -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{MembarrierCommand, membarrier};
        // The folder of the process's threads has a link for each, and two more.
        let is_alone = || rustix::fs::stat("/proc/self/task").is_ok_and(|folder| folder.st_nlink == 3);
        (is_known_to_be_alone() || is_alone())
            && membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        false
    }
}

/// A fence in every thread of the process: what each wrote before some point of its way is there when this
/// returns, and what it reads after that point is no older than the call. False when there is none.
pub fn barrier() -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{MembarrierCommand, membarrier};
        membarrier(MembarrierCommand::PrivateExpedited).is_ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_membarrier_registration_is_skipped() {
        assert!(!std::thread::spawn(prepare_barrier).join().unwrap());
    }
}
