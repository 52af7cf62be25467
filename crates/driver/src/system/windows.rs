//! What the driver asks Windows.
#![allow(unsafe_code)] // functions of the system that fill structures in

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes};

fn memory() -> MEMORYSTATUSEX {
    let mut status = MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..Default::default() };
    // SAFETY: it fills the structure in, whose length it is told; on failure it stays zeros.
    unsafe { GlobalMemoryStatusEx(&mut status) };
    status
}

/// Bytes of memory in the machine.
pub fn memory_bytes() -> u64 {
    memory().ullTotalPhys
}

/// Bytes of memory that could be used without swapping.
pub fn memory_available_bytes() -> u64 {
    memory().ullAvailPhys
}

/// Nanoseconds of processor time of all threads of the process; zero where the system does not say.
pub fn process_ns() -> u64 {
    let mut times = [FILETIME::default(); 4];
    let [created, ended, kernel, user] = &mut times;
    // SAFETY: it fills the structures in; on failure they stay zeros.
    unsafe { GetProcessTimes(GetCurrentProcess(), created, ended, kernel, user) };
    // In steps of 100 nanoseconds.
    let ns = |time: &FILETIME| (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100;
    ns(kernel) + ns(user)
}
