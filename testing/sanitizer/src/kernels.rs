//! Cases in CUDA kernels: PTX, each line of which has the number that it has in the case's file.

use crate::case::{Case, Line, Variant};
use pyro_test_kit::kernels::KernelDevice;

/// What stands before a case, in the first line: `%d0` is the buffer's address, `%r0` and `%r1` its first
/// words, `%r2` the thread; `tile` has 64 bytes.
const HEAD: &str = ".version 7.0 .target sm_50 .address_size 64 .visible .entry k(.param .u64 words) { \
    .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<16>; .shared .align 4 .b8 tile[64]; \
    ld.param.u64 %d0, [words]; ld.global.u32 %r0, [%d0]; ld.global.u32 %r1, [%d0+4]; mov.u32 %r2, %tid.x;";

/// What stands behind it: each thread stores `%r3`.
const END: &str = "mul.wide.u32 %d1, %r2, 4; add.s64 %d1, %d1, %d0; st.global.u32 [%d1+256], %r3; ret; }";

/// The text of a variant of a case.
pub fn text(case: &Case, variant: Variant) -> String {
    let mut text = HEAD.to_owned();
    let mut at = 1;
    for Line { number, text: line } in case.body(variant) {
        text += &"\n".repeat((number - at) as usize);
        at = *number;
        text += line;
        text += if line.ends_with(':') { "" } else { ";" };
    }
    format!("{text}\n{END}\n")
}

/// Runs a case's kernel; gives the buffer's words.
pub fn run(device: &KernelDevice, case: &Case, text: &str) -> Vec<u32> {
    let found = device.run(text, &case.input, case.groups, case.size);
    found.unwrap_or_else(|error| panic!("{}: {error}\n{text}", case.name))
}
