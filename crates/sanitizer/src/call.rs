//! What generated code calls. The only `unsafe` of this crate: following the addresses that such calls bring.
//!
//! # Contract
//! The caller is generated code or an interpreter that follows [`pyro_abi::report`]: `callable` is the
//! address of a [`Hub`] that is alive, and the argument that of a call record with as many columns as its
//! site has.
//!
//! # Registers
//! Generated code expects that a report keeps all registers. [`keeping_entry`] saves those that a call of the
//! C ABI may change: general ones on the stack, vectors and masks by `xsave`.
#![allow(unsafe_code)]

use crate::report::Record;
use pyro_abi::image::CallableEntry;
use pyro_abi::{Callable, Memory};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::with_exposed_provenance;

/// Takes reports. Behind the callable that shaders know.
pub(crate) trait Receiver: Send + Sync {
    /// Takes one.
    fn receive(&self, record: &Record);
}

/// The callable, and who takes its reports; the callable is first.
#[repr(C)]
pub(crate) struct Hub {
    callable: Callable,
    receiver: Box<dyn Receiver>,
}

const _: () = assert!(core::mem::offset_of!(Hub, callable) == 0);

impl Hub {
    /// With the address of the targets of traces, or zero.
    pub(crate) fn new(receiver: Box<dyn Receiver>, targets: u64) -> Box<Hub> {
        Box::new(Hub { callable: Callable { entry: entry_here(), context: targets }, receiver })
    }

    /// The callable's address.
    pub(crate) fn address(&self) -> u64 {
        (&raw const *self).expose_provenance() as u64
    }
}

/// The entry for this processor: without AVX, reports come from the interpreter, which expects no more than
/// the C ABI.
#[cfg(target_arch = "x86_64")]
fn entry_here() -> CallableEntry {
    let can_save = std::arch::is_x86_feature_detected!("avx") && std::arch::is_x86_feature_detected!("xsave");
    if can_save { keeping_entry } else { entry }
}

#[cfg(not(target_arch = "x86_64"))]
fn entry_here() -> CallableEntry {
    entry
}

#[cfg(target_arch = "x86_64")]
pyro_abi::code_abi! {
    /// Calls [`entry`] and keeps all registers. The components that `xsave` is asked for are those of SSE,
    /// AVX and AVX-512 (bits 1, 2, 5, 6 and 7); those that the processor lacks are left out. They take less
    /// than 4 KiB in the standard format, whose header must be zero before.
    #[unsafe(naked)]
    unsafe fn keeping_entry(callable: u64, record: u64) -> u32 {
        core::arch::naked_asm!(
            "push rbp",
            "mov rbp, rsp",
            "push rax",
            "push rcx",
            "push rdx",
            "push rsi",
            "push rdi",
            "push r8",
            "push r9",
            "push r10",
            "push r11",
            "sub rsp, 4096",
            "and rsp, -64",
            "xor eax, eax",
            "mov [rsp + 512], rax",
            "mov [rsp + 520], rax",
            "mov [rsp + 528], rax",
            "mov [rsp + 536], rax",
            "mov [rsp + 544], rax",
            "mov [rsp + 552], rax",
            "mov [rsp + 560], rax",
            "mov [rsp + 568], rax",
            "xor edx, edx",
            "mov eax, 0xe6",
            "xsave64 [rsp]",
            "vzeroupper",
            "call {function}",
            "xor edx, edx",
            "mov eax, 0xe6",
            "xrstor64 [rsp]",
            "lea rsp, [rbp - 72]",
            "pop r11",
            "pop r10",
            "pop r9",
            "pop r8",
            "pop rdi",
            "pop rsi",
            "pop rdx",
            "pop rcx",
            "pop rax",
            "pop rbp",
            "ret",
            function = sym entry,
        )
    }
}

/// Stops where a debugger shows which shader runs. Without a debugger the process ends.
pub(crate) fn break_into_debugger() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction raises `SIGTRAP` and changes nothing.
    unsafe {
        core::arch::asm!("int3");
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::process::abort();
}

pyro_abi::code_abi! {
    /// # Safety
    /// The module's contract.
    unsafe fn entry(callable: u64, record: u64) -> u32 {
        let result = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: by the module's contract the callable is a live `Hub`, and nobody has it mutably.
            let hub = unsafe { &*with_exposed_provenance::<Hub>(callable as usize) };
            // SAFETY: by the module's contract the record's header and columns are readable during the call.
            let memory = unsafe { Memory::new() };
            if let Some(record) = Record::read(memory, record) {
                hub.receiver.receive(&record);
            }
        }));
        result.is_err().into()
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    struct Scribbler;

    impl Receiver for Scribbler {
        fn receive(&self, _: &Record) {}
    }

    /// All registers that the C ABI lets a call change, before and behind a report.
    #[test]
    fn reports_keep_registers() {
        if !std::arch::is_x86_feature_detected!("avx512f") {
            pyro_test_environment::skip_current_test(pyro_test_environment::Need::Avx512);
            return;
        }
        let hub = Hub::new(Box::new(Scribbler), 0);
        // A table that nobody knows: the record is looked at and dropped.
        let record = [u64::MAX; 64];
        let (callable, argument) = (hub.address(), (&raw const record).expose_provenance() as u64);
        let (mut general, mut vector, mut mask) = (0u64, [0u32; 16], 0u64);
        let pattern: [u32; 16] = std::array::from_fn(|index| 0x1357_9bdf_u32.wrapping_mul(index as u32 + 1));
        // SAFETY: the module's contract is kept: the hub is alive and the record is as long as a header. What
        // the assembly changes is declared; the stack is aligned by the entry itself.
        unsafe {
            core::arch::asm!(
                "vmovdqu32 zmm0, [{pattern}]",
                "vmovdqa32 zmm31, zmm0",
                "mov r10d, 0x5a5a",
                "kmovw k3, r10d",
                "mov r11, 0x1122334455667788",
                "call qword ptr [rdi]",
                "vpxord zmm31, zmm31, zmm0",
                "vpaddd zmm0, zmm0, zmm31",
                "vmovdqu32 [{vector}], zmm0",
                "kmovw r10d, k3",
                "mov [{mask}], r10",
                "mov [{general}], r11",
                pattern = in(reg) pattern.as_ptr(),
                vector = in(reg) vector.as_mut_ptr(),
                mask = in(reg) &raw mut mask,
                general = in(reg) &raw mut general,
                in("rdi") callable,
                in("rsi") argument,
                out("r10") _,
                out("r11") _,
                out("zmm0") _,
                out("zmm31") _,
                out("k3") _,
            );
        }
        assert_eq!((vector, mask, general), (pattern, 0x5a5a, 0x1122_3344_5566_7788));
    }
}
