//! Branches, loops, calls.

use super::support::{Grid, kernel, map, run};

fn numbers(count: u32) -> Vec<Vec<u32>> {
    (0..count).map(|index| vec![index.wrapping_mul(0x9e37_79b9) >> 26]).collect()
}

/// Runs a body that makes `%r20` of `%r10`.
fn check(outside: &str, body: &str, expected: impl Fn(u32) -> u32) {
    let inputs = numbers(256);
    let body = format!("ld.global.u32 %r10, [%rd3];\n{body}\nst.global.u32 [%rd4], %r20;");
    let found = map(outside, &inputs, 1, &body);
    for (input, found) in inputs.iter().zip(&found) {
        assert_eq!(expected(input[0]), found[0], "of {}", input[0]);
    }
}

#[test]
fn lanes_leave_loops_one_by_one() {
    // Steps of the Collatz sequence.
    check(
        "",
        "add.u32 %r11, %r10, 1;\nmov.u32 %r20, 0;\n\
         bra.uni $L_test;\n\
         $L_body:\nand.b32 %r12, %r11, 1;\nsetp.eq.u32 %p2, %r12, 0;\n@%p2 bra $L_even;\n\
         mad.lo.u32 %r11, %r11, 3, 1;\nbra $L_next;\n\
         $L_even:\nshr.u32 %r11, %r11, 1;\n\
         $L_next:\nadd.u32 %r20, %r20, 1;\n\
         $L_test:\nsetp.ne.u32 %p1, %r11, 1;\n@%p1 bra $L_body;",
        |x| {
            let (mut x, mut steps) = (x + 1, 0);
            while x != 1 {
                x = if x.is_multiple_of(2) { x / 2 } else { 3 * x + 1 };
                steps += 1;
            }
            steps
        },
    );
}

#[test]
fn loops_in_loops_with_breaks() {
    check(
        "",
        "mov.u32 %r20, 0;\nmov.u32 %r11, 0;\n\
         A:\nmov.u32 %r12, 0;\n\
         B:\nadd.u32 %r20, %r20, %r12;\nadd.u32 %r12, %r12, 1;\n\
         setp.gt.u32 %p1, %r20, 500;\n@%p1 bra DONE;\n\
         setp.lt.u32 %p2, %r12, %r10;\n@%p2 bra B;\n\
         add.u32 %r11, %r11, 1;\nsetp.lt.u32 %p3, %r11, 5;\n@%p3 bra A;\n\
         DONE:",
        |x| {
            let mut sum = 0;
            'all: for _ in 0..5 {
                let mut inner = 0;
                loop {
                    sum += inner;
                    inner += 1;
                    if sum > 500 {
                        break 'all;
                    }
                    if inner >= x {
                        break;
                    }
                }
            }
            sum
        },
    );
}

#[test]
fn loops_with_two_entries() {
    // Odd numbers enter in the middle.
    check(
        "",
        "and.b32 %r11, %r10, 1;\nsetp.ne.u32 %p1, %r11, 0;\nmov.u32 %r20, 0;\nmov.u32 %r12, %r10;\n@%p1 bra MIDDLE;\n\
         TOP:\nadd.u32 %r20, %r20, 100;\n\
         MIDDLE:\nadd.u32 %r20, %r20, 1;\nsub.u32 %r12, %r12, 1;\nsetp.gt.s32 %p2, %r12, 3;\n@%p2 bra TOP;\n\
         setp.gt.s32 %p3, %r12, 0;\n@%p3 bra MIDDLE;",
        |x| {
            let (mut sum, mut left, mut top) = (0, x as i32, x.is_multiple_of(2));
            loop {
                sum += if top { 101 } else { 1 };
                left -= 1;
                top = left > 3;
                if !top && left <= 0 {
                    return sum;
                }
            }
        },
    );
}

#[test]
fn forward_branches_that_cross() {
    check(
        "",
        "mov.u32 %r20, 1;\nsetp.lt.u32 %p1, %r10, 20;\nsetp.gt.u32 %p2, %r10, 10;\nand.b32 %r11, %r10, 1;\n\
         setp.eq.u32 %p3, %r11, 0;\n\
         @%p1 bra X;\nadd.u32 %r20, %r20, 2;\n@%p2 bra Y;\nadd.u32 %r20, %r20, 4;\n\
         X: mul.lo.u32 %r20, %r20, 3;\n@%p3 bra Z;\n\
         Y: add.u32 %r20, %r20, 8;\n\
         Z: mul.lo.u32 %r20, %r20, 5;",
        |x| {
            let mut sum = 1;
            let (mut at_x, even) = (x < 20, x.is_multiple_of(2));
            if !at_x {
                sum += 2;
                if x <= 10 {
                    sum += 4;
                    at_x = true;
                }
            }
            let mut at_y = true;
            if at_x {
                sum *= 3;
                at_y = !even;
            }
            if at_y {
                sum += 8;
            }
            sum * 5
        },
    );
}

#[test]
fn tables_of_branches() {
    check(
        "",
        "and.b32 %r11, %r10, 3;\nmov.u32 %r20, 7;\n\
         TABLE: .branchtargets ONE, TWO, ONE, OUT;\n\
         brx.idx %r11, TABLE;\n\
         ONE: add.u32 %r20, %r20, 10;\n\
         TWO: mul.lo.u32 %r20, %r20, 2;\n\
         OUT:",
        |x| match x & 3 {
            0 | 2 => 34,
            1 => 14,
            _ => 7,
        },
    );
}

#[test]
fn predicates_and_exits() {
    check(
        "",
        "mov.u32 %r20, 5;\nsetp.lt.u32 %p1, %r10, 30;\n@%p1 add.u32 %r20, %r20, %r10;\n@!%p1 mov.u32 %r20, 77;\n\
         setp.eq.u32 %p2, %r10, 12;\n@%p2 st.global.u32 [%rd4], %r20;\n@%p2 exit;\nmul.lo.u32 %r20, %r20, 2;",
        |x| {
            let value = if x < 30 { 5 + x } else { 77 };
            if x == 12 { value } else { 2 * value }
        },
    );
}

/// Functions as compilers write them.
const FUNCTIONS: &str = "
.func (.param .b32 func_retval0) twice_plus(.param .b32 twice_plus_param_0, .param .b32 twice_plus_param_1);
.func (.param .b32 func_retval0) outer(.param .b32 outer_param_0)
{
  .reg .pred %p<3>; .reg .b32 %r<8>;
  ld.param.u32 %r1, [outer_param_0];
  setp.gt.u32 %p1, %r1, 40;
  @%p1 bra LARGE;
  { .param .b32 param0; st.param.b32 [param0+0], %r1;
    .param .b32 param1; st.param.b32 [param1+0], 1;
    .param .b32 retval0;
    call.uni (retval0), twice_plus, (param0, param1);
    ld.param.b32 %r2, [retval0+0]; }
  st.param.b32 [func_retval0+0], %r2;
  ret;
LARGE:
  mov.u32 %r3, 1000;
  st.param.b32 [func_retval0+0], %r3;
  ret;
}
.func (.param .b32 func_retval0) twice_plus(.param .b32 twice_plus_param_0, .param .b32 twice_plus_param_1)
{
  .reg .b32 %r<5>;
  ld.param.u32 %r1, [twice_plus_param_0];
  ld.param.u32 %r2, [twice_plus_param_1];
  mad.lo.u32 %r3, %r1, 2, %r2;
  st.param.b32 [func_retval0+0], %r3;
  ret;
}
.func (.param .align 8 .b8 func_retval0[16]) swapped(.param .align 8 .b8 swapped_param_0[16])
{
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [swapped_param_0];
  ld.param.v2.u32 {%r1, %r2}, [swapped_param_0+8];
  st.param.v2.b32 [func_retval0+0], {%r1, %r2};
  st.param.b64 [func_retval0+8], %rd1;
  ret;
}
.func (.reg .u32 out) old_style(.reg .u32 a, .reg .u32 b)
{
  add.u32 out, a, b;
  ret;
}";

#[test]
fn calls() {
    check(
        FUNCTIONS,
        "{ .param .b32 param0; st.param.b32 [param0+0], %r10; .param .b32 retval0;\n\
         call.uni (retval0), outer, (param0);\nld.param.b32 %r20, [retval0+0]; }\n\
         setp.gt.u32 %p4, %r10, 7;\n@%p4 call (%r20), old_style, (%r20, 5);",
        |x| {
            let value = if x > 40 { 1000 } else { 2 * x + 1 };
            if x > 7 { value + 5 } else { value }
        },
    );
}

#[test]
fn calls_with_structures() {
    check(
        FUNCTIONS,
        "mov.b64 %rd10, {%r10, 3};\n\
         { .param .align 8 .b8 param0[16]; st.param.b64 [param0+0], %rd10; st.param.b32 [param0+8], 11;\n\
         st.param.b32 [param0+12], 12; .param .align 8 .b8 retval0[16];\n\
         call.uni (retval0), swapped, (param0);\n\
         ld.param.b64 %rd11, [retval0+0]; ld.param.b32 %r12, [retval0+8]; ld.param.b32 %r13, [retval0+12]; }\n\
         mov.b64 {%r14, %r15}, %rd11;\nmad.lo.u32 %r20, %r14, 100, %r15;\nmad.lo.u32 %r20, %r20, 100, %r12;\n\
         mad.lo.u32 %r20, %r20, 100, %r13;",
        |x| ((11 * 100 + 12) * 100 + x) * 100 + 3,
    );
}

#[test]
fn threads_and_blocks_of_three_dimensions() {
    let body = "mov.u32 %r10, %tid.x; mov.u32 %r11, %tid.y; mov.u32 %r12, %tid.z;
        mov.u32 %r13, %ctaid.x; mov.u32 %r14, %ctaid.y; mov.u32 %r15, %ctaid.z;
        mov.u32 %r16, %ntid.y; mov.u32 %r17, %nctaid.x; mov.u32 %r18, %nctaid.y;
        mad.lo.u32 %r20, %r12, %r16, %r11; mad.lo.u32 %r20, %r20, %r2, %r10;
        mad.lo.u32 %r21, %r15, %r18, %r14; mad.lo.u32 %r21, %r21, %r17, %r13;
        mov.u32 %r22, %ntid.z; mul.lo.u32 %r23, %r2, %r16; mul.lo.u32 %r23, %r23, %r22;
        mad.lo.u32 %r24, %r21, %r23, %r20;
        mul.wide.u32 %rd2, %r24, 16; add.s64 %rd2, %rd1, %rd2;
        shl.b32 %r25, %r12, 16; shl.b32 %r26, %r11, 8; or.b32 %r25, %r25, %r26; or.b32 %r25, %r25, %r10;
        mov.u32 %r27, %laneid; mov.u32 %r28, %warpid; mov.u32 %r29, %nwarpid;
        shl.b32 %r28, %r28, 8; or.b32 %r27, %r27, %r28;
        st.global.v4.u32 [%rd2], {%r25, %r21, %r27, %r29};";
    let grid = Grid { blocks: [2, 3, 2], threads: [6, 5, 3], dynamic_shared_bytes: 0 };
    let threads = 6 * 5 * 3;
    let found = run(&kernel(1, "", body), grid, &[vec![0; threads * 12 * 4]]);
    for (index, found) in found[0].chunks(4).enumerate() {
        let (block, thread) = (index / threads, index % threads);
        let place = (thread / 30) << 16 | (thread / 6 % 5) << 8 | (thread % 6);
        let lane = ((thread / 32) << 8) | (thread % 32);
        assert_eq!(found, [place as u32, block as u32, lane as u32, 3], "{index}");
    }
}
