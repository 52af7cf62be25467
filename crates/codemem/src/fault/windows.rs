//! The vectored exception handler, on Windows and x86-64.

use super::unwind::{Registers, unwind};
use super::{EXIT, FAULTS, Fault, on_demand};
use std::sync::OnceLock;
use windows_sys::Win32::Foundation::{
    EXCEPTION_ACCESS_VIOLATION, EXCEPTION_FLT_DIVIDE_BY_ZERO, EXCEPTION_ILLEGAL_INSTRUCTION,
    EXCEPTION_IN_PAGE_ERROR, EXCEPTION_INT_DIVIDE_BY_ZERO,
};
use windows_sys::Win32::System::Diagnostics::Debug::{
    AddVectoredExceptionHandler, CONTEXT, EXCEPTION_POINTERS,
};

const CONTINUE_SEARCH: i32 = 0;
const CONTINUE_EXECUTION: i32 = -1;

/// Who resolves accesses to memory that is not there.
static RESOLVE: OnceLock<fn(u64) -> bool> = OnceLock::new();

/// Has writes resolved; the first call counts.
pub(super) fn resolve_writes(resolve: fn(u64) -> bool) {
    let _ = RESOLVE.set(resolve);
}

/// Installs the handler, once.
pub(super) fn install() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        crate::keep_loaded(handle as *const ());
        // The first question takes long, and may change registers.
        let _ = wide_registers::Saved::new();
        // SAFETY: the handler keeps to what exception handlers may do, and its library stays loaded.
        unsafe { AddVectoredExceptionHandler(1, Some(handle)) };
    });
}

unsafe extern "system" fn handle(pointers: *mut EXCEPTION_POINTERS) -> i32 {
    // SAFETY: the system calls with valid records of the exception and the thread.
    let (record, context) = unsafe { (&*(*pointers).ExceptionRecord, &mut *(*pointers).ContextRecord) };
    // The numbers of the signals that Linux has.
    let signal = match record.ExceptionCode {
        EXCEPTION_ACCESS_VIOLATION => 11,
        EXCEPTION_IN_PAGE_ERROR => 7,
        EXCEPTION_ILLEGAL_INSTRUCTION => 4,
        EXCEPTION_INT_DIVIDE_BY_ZERO | EXCEPTION_FLT_DIVIDE_BY_ZERO => 8,
        _ => return CONTINUE_SEARCH,
    };
    let instruction = context.Rip;
    let address = if matches!(signal, 7 | 11) { record.ExceptionInformation[1] as u64 } else { instruction };
    if signal == 11 {
        let registers = wide_registers::Saved::new();
        let is_resolved = || RESOLVE.get().is_some_and(|resolve| resolve(address));
        if on_demand::windows::commit(address) || is_resolved() {
            registers.restore();
            return CONTINUE_EXECUTION;
        }
    }
    let before = Registers { general: general(context).map(|register| *register), rip: instruction };
    // SAFETY: the registers are the interrupted thread's.
    let Some(mut after) = (unsafe { unwind(before) }) else { return CONTINUE_SEARCH };
    let number = FAULTS.put(Fault { signal, address, instruction });
    after.general[0] = u64::from(number) << 32 | u64::from(EXIT);
    for (register, value) in general(context).into_iter().zip(after.general) {
        *register = value;
    }
    context.Rip = after.rip;
    CONTINUE_EXECUTION
}

/// The registers of AVX-512, as they were where an instruction runs again. Windows brings them back itself;
/// Wine 8 those of AVX alone, so that what the handler calls would change masks of generated code.
mod wide_registers {
    use std::arch::x86_64::{__cpuid_count, _xrstor64, _xsave64};
    use std::sync::OnceLock;

    const AREA_BYTES: usize = 4096;
    /// Masks, upper halves of the first 16 vector registers, and the others: state components of `xsave`.
    const COMPONENTS: std::ops::RangeInclusive<u32> = 5..=7;
    const COMPONENT_BITS: u64 = 0b111 << 5;

    #[repr(C, align(64))]
    struct Area([u8; AREA_BYTES]);

    /// What they hold, where the processor has them.
    pub(super) struct Saved(Option<Area>);

    /// Whether the processor has them, and the area has room for them.
    fn is_there() -> bool {
        static IS_THERE: OnceLock<bool> = OnceLock::new();
        *IS_THERE.get_or_init(|| {
            let has = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("xsave");
            let fits = |component| {
                let about = __cpuid_count(0xd, component);
                about.ebx as usize + about.eax as usize <= AREA_BYTES
            };
            has && COMPONENTS.into_iter().all(fits)
        })
    }

    #[target_feature(enable = "xsave")]
    fn save(area: &mut Area) {
        // SAFETY: the area is aligned, has zeros for a header, and room for all components asked for.
        unsafe { _xsave64(area.0.as_mut_ptr(), COMPONENT_BITS) };
    }

    #[target_feature(enable = "xsave")]
    fn restore(area: &Area) {
        // SAFETY: `save` has filled the area. No code of the handler keeps anything in these registers.
        unsafe { _xrstor64(area.0.as_ptr(), COMPONENT_BITS) };
    }

    impl Saved {
        /// Those of the calling thread.
        pub(super) fn new() -> Saved {
            let mut area = is_there().then_some(Area([0; AREA_BYTES]));
            if let Some(area) = &mut area {
                // SAFETY: the processor has the instruction.
                unsafe { save(area) };
            }
            Saved(area)
        }

        /// Brings them back.
        pub(super) fn restore(&self) {
            if let Some(area) = &self.0 {
                // SAFETY: as above.
                unsafe { restore(area) };
            }
        }
    }
}

/// The general registers by the number that instructions use.
fn general(context: &mut CONTEXT) -> [&mut u64; 16] {
    [
        &mut context.Rax,
        &mut context.Rcx,
        &mut context.Rdx,
        &mut context.Rbx,
        &mut context.Rsp,
        &mut context.Rbp,
        &mut context.Rsi,
        &mut context.Rdi,
        &mut context.R8,
        &mut context.R9,
        &mut context.R10,
        &mut context.R11,
        &mut context.R12,
        &mut context.R13,
        &mut context.R14,
        &mut context.R15,
    ]
}
