//! What the driver asks the operating system.

use std::fs::File;

/// Bytes of memory in the machine.
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
pub fn memory_available_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kibibytes.map_or_else(memory_bytes, |count| count << 10)
}

/// A file of `size` bytes that lives in memory only.
pub fn memory_file(size: u64) -> Option<File> {
    #[cfg(target_os = "linux")]
    {
        let flags = rustix::fs::MemfdFlags::CLOEXEC;
        let file = File::from(rustix::fs::memfd_create("pyroclast", flags).ok()?);
        file.set_len(size).ok()?;
        Some(file)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = size;
        None
    }
}

/// Nanoseconds of the monotonic clock: what timestamp queries write.
pub fn monotonic_ns() -> u64 {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }
    #[cfg(not(unix))]
    {
        use std::sync::LazyLock;
        static START: LazyLock<std::time::Instant> = LazyLock::new(std::time::Instant::now);
        START.elapsed().as_nanos() as u64
    }
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
