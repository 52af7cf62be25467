//! Loads, stores, state spaces and addresses.

use super::support::{Grid, kernel, map, run};

#[test]
fn types_and_vectors() {
    let inputs: Vec<Vec<u32>> = (0..64u32)
        .map(|index| (0..4).map(|at| (index * 4 + at).wrapping_mul(0x9e37_79b9)).collect())
        .collect();
    let body = "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd3];\nst.global.v4.u32 [%rd4], {%r13, %r12, %r11, %r10};\n\
        ld.global.s8 %r14, [%rd3+1];\nst.global.u32 [%rd4+16], %r14;\nld.global.u8 %r14, [%rd3+2];\nst.global.u32 [%rd4+20], %r14;\n\
        ld.global.s16 %r14, [%rd3+6];\nst.global.u32 [%rd4+24], %r14;\nld.global.nc.v2.u16 {%rs1, %rs2}, [%rd3+8];\n\
        st.global.v2.u16 [%rd4+28], {%rs2, %rs1};\n\
        ld.global.v2.u8 {%rs3, %rs4}, [%rd3+12];\nst.global.u8 [%rd4+32], %rs4;\nst.global.u8 [%rd4+33], %rs3;\n\
        st.global.u16 [%rd4+34], %rs3;\n\
        ld.f64 %fd1, [%rd3+8];\nst.f64 [%rd4+40], %fd1;\nld.global.b64 %rd10, [%rd3];\nst.global.b64 [%rd4+48], %rd10;";
    let found = map("", &inputs, 14, body);
    for (input, found) in inputs.iter().zip(&found) {
        let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
        let expected = [
            input[3],
            input[2],
            input[1],
            input[0],
            i32::from(bytes[1] as i8) as u32,
            bytes[2].into(),
            i32::from(i16::from_le_bytes([bytes[6], bytes[7]])) as u32,
            input[2].rotate_left(16),
            u32::from(bytes[13]) | u32::from(bytes[12]) << 8 | u32::from(bytes[12]) << 16,
            0,
            input[2],
            input[3],
            input[0],
            input[1],
        ];
        assert_eq!(found, &expected);
    }
}

#[test]
fn variables_of_the_module() {
    let outside = ".const .align 4 .u32 table[8] = {10, 20, 30, 0x28, 50, 60, 70, -1};\n\
        .global .align 8 .u64 pointers[2] = {table+8, generic(counter)};\n\
        .global .align 4 .u32 counter = 5;\n.global .align 4 .f32 factors[3] = {0f3F000000, 1.5, -2.0};\n\
        .const .align 1 .b8 bytes[2][2] = {{1, 2}, {3}};";
    let outside = {
        // Names are declared before they are used.
        let (pointers, rest): (Vec<&str>, Vec<&str>) =
            outside.lines().partition(|line| line.contains("pointers"));
        [rest, pointers].concat().join("\n")
    };
    let inputs: Vec<Vec<u32>> = (0..32).map(|index| vec![index]).collect();
    let body = "ld.global.u32 %r10, [%rd3];\nand.b32 %r11, %r10, 7;\nmul.wide.u32 %rd5, %r11, 4;\nmov.u64 %rd6, table;\n\
        add.s64 %rd7, %rd6, %rd5;\nld.const.u32 %r12, [%rd7];\nst.global.u32 [%rd4], %r12;\n\
        ld.const.u32 %r13, [table+12];\nst.global.u32 [%rd4+4], %r13;\n\
        ld.global.u64 %rd8, [pointers];\nld.u32 %r14, [%rd8];\nst.global.u32 [%rd4+8], %r14;\n\
        ld.global.u64 %rd9, [pointers+8];\nred.add.u32 [%rd9], 1;\n\
        ld.global.f32 %f1, [factors+4];\nld.global.f32 %f2, [factors+8];\nmul.f32 %f1, %f1, %f2;\nst.global.f32 [%rd4+12], %f1;\n\
        ld.const.u8 %r15, [bytes+2];\nst.global.u32 [%rd4+16], %r15;\n\
        bar.warp.sync -1;\nld.volatile.global.u32 %r16, [counter];\nst.global.u32 [%rd4+20], %r16;";
    let found = map(&outside, &inputs, 6, body);
    let table = [10, 20, 30, 40, 50, 60, 70, u32::MAX];
    for (index, found) in found.iter().enumerate() {
        assert_eq!(found, &[table[index % 8], 40, 30, (-3.0f32).to_bits(), 3, 37], "{index}");
    }
}

#[test]
fn local_arrays() {
    // Each thread sorts eight words in an array of its own.
    let outside = "";
    let body = ".local .align 16 .b8 __local_depot0[32];\n.reg .b64 %SP;\n.reg .b64 %SPL;\n\
        mov.u64 %SPL, __local_depot0;\ncvta.local.u64 %SP, %SPL;\n\
        ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd3];\nst.local.v4.u32 [%SPL], {%r10, %r11, %r12, %r13};\n\
        ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd3+16];\nst.v4.u32 [%SP+16], {%r10, %r11, %r12, %r13};\n\
        mov.u32 %r20, 0;\n\
        OUTER:\nmov.u32 %r21, 0;\n\
        INNER:\nmul.wide.u32 %rd10, %r21, 4;\nadd.s64 %rd11, %SPL, %rd10;\nadd.s64 %rd12, %SP, %rd10;\n\
        ld.local.u32 %r22, [%rd11];\nld.u32 %r23, [%rd12+4];\nsetp.le.u32 %p1, %r22, %r23;\n@%p1 bra KEEP;\n\
        st.u32 [%rd12], %r23;\nst.local.u32 [%rd11+4], %r22;\n\
        KEEP:\nadd.u32 %r21, %r21, 1;\nsetp.lt.u32 %p2, %r21, 7;\n@%p2 bra INNER;\n\
        add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p3, %r20, 7;\n@%p3 bra OUTER;\n\
        ld.local.v4.u32 {%r10, %r11, %r12, %r13}, [%SPL];\nst.global.v4.u32 [%rd4], {%r10, %r11, %r12, %r13};\n\
        ld.local.v4.u32 {%r10, %r11, %r12, %r13}, [%SPL+16];\nst.global.v4.u32 [%rd4+16], {%r10, %r11, %r12, %r13};";
    let mut random = pyro_random::Random::new(5);
    let inputs: Vec<Vec<u32>> = (0..96).map(|_| (0..8).map(|_| random.word()).collect()).collect();
    let found = map(outside, &inputs, 8, body);
    for (input, found) in inputs.iter().zip(&found) {
        let mut sorted = input.clone();
        sorted.sort_unstable();
        assert_eq!(found, &sorted);
    }
    // The same without generic addresses.
    let body =
        body.replace("cvta.local.u64 %SP, %SPL", "mov.u64 %SP, %SPL").replace("ld.u32", "ld.local.u32");
    let body = body.replace("st.u32", "st.local.u32").replace("st.v4", "st.local.v4");
    assert_eq!(map(outside, &inputs, 8, &body), found);
}

#[test]
fn generic_addresses_of_shared_memory() {
    let outside = ".shared .align 8 .b8 cells[256];";
    let body = "shl.b32 %r10, %r3, 3;\nmov.u32 %r11, cells;\nadd.u32 %r11, %r11, %r10;\ncvt.u64.u32 %rd5, %r11;\n\
        cvta.shared.u64 %rd6, %rd5;\nst.shared.u32 [%r11], %r3;\nst.u32 [%rd6+4], %r1;\n\
        ld.u32 %r12, [%rd6];\nld.shared.u32 %r13, [%r11+4];\nisspacep.shared %p1, %rd6;\nisspacep.global %p2, %rd6;\n\
        isspacep.global %p3, %rd1;\ncvta.to.shared.u64 %rd7, %rd6;\nsetp.eq.u64 %p4, %rd7, %rd5;\n\
        selp.u32 %r14, 1, 0, %p1;\nselp.u32 %r15, 2, 0, %p2;\nselp.u32 %r16, 4, 0, %p3;\nselp.u32 %r17, 8, 0, %p4;\n\
        or.b32 %r14, %r14, %r15;\nor.b32 %r16, %r16, %r17;\nor.b32 %r14, %r14, %r16;\n\
        mul.wide.u32 %rd8, %r1, 16;\nadd.s64 %rd8, %rd1, %rd8;\nst.global.v4.u32 [%rd8], {%r12, %r13, %r14, %r3};";
    let found = run(&kernel(1, outside, body), Grid::new(2, 32), &[vec![0; 64 * 4]]);
    for (index, found) in found[0].chunks(4).enumerate() {
        let thread = index as u32 % 32;
        assert_eq!(found, [thread, index as u32, 13, thread], "{index}");
    }
}

#[test]
fn copies_to_shared_memory() {
    let outside = ".shared .align 16 .b8 buffer[512];";
    let body = "shl.b32 %r10, %r3, 4;\nmov.u32 %r11, buffer;\nadd.u32 %r11, %r11, %r10;\n\
        mul.wide.u32 %rd5, %r1, 16;\nadd.s64 %rd6, %rd1, %rd5;\nadd.s64 %rd7, %rd2, %rd5;\n\
        setp.gt.u32 %p1, %r3, 15;\n\
        @%p1 cp.async.cg.shared.global [%r11], [%rd6], 16;\n@!%p1 cp.async.ca.shared.global [%r11], [%rd6], 8, 4;\n\
        @!%p1 st.shared.v2.u32 [%r11+8], {%r3, %r1};\n\
        cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n\
        xor.b32 %r12, %r10, 16;\nmov.u32 %r13, buffer;\nadd.u32 %r13, %r13, %r12;\n\
        ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r13];\nst.global.v4.u32 [%rd7], {%r20, %r21, %r22, %r23};";
    let input: Vec<u32> = (0..64 * 4).map(|index: u32| index * 3 + 1).collect();
    let found = run(&kernel(2, outside, body), Grid::new(2, 32), &[input.clone(), vec![0; 64 * 4]]);
    for (index, found) in found[1].chunks(4).enumerate() {
        let from = index ^ 1;
        let words = &input[4 * from..][..4];
        let expected = match from % 32 {
            thread @ 0..16 => [words[0], 0, thread as u32, from as u32],
            _ => [words[0], words[1], words[2], words[3]],
        };
        assert_eq!(found, expected, "{index}");
    }
}

#[test]
fn out_of_bounds_shared_memory_reads_zero() {
    let outside = ".shared .align 4 .b8 cells[128];";
    let body = "mov.u32 %r10, cells;\nadd.u32 %r10, %r10, 0x00100000;\nst.shared.u32 [%r10], %r3;\nld.shared.u32 %r11, [%r10];\n\
        mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd5, %rd1, %rd5;\nst.global.u32 [%rd5], %r11;";
    let found = run(&kernel(1, outside, body), Grid::new(1, 32), &[vec![7; 32]]);
    assert_eq!(found[0], [0; 32]);
}

#[test]
fn structures_as_parameters() {
    let text = ".version 6.0\n.target sm_50\n.address_size 64\n\
        .visible .entry k(.param .u64 .ptr .global .align 4 k_param_0, .param .align 8 .b8 k_param_1[24], .param .f32 k_param_2)\n\
        {\n.reg .b64 %rd<6>; .reg .b32 %r<6>; .reg .f32 %f<3>;\n\
        ld.param.u64 %rd1, [k_param_0];\nmov.b64 %rd2, k_param_1;\nld.param.u32 %r1, [k_param_1+8];\n\
        ld.param.u32 %r2, [%rd2+12];\nld.param.f32 %f1, [k_param_2];\n\
        st.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], %r2;\nst.global.f32 [%rd1+8], %f1;\nret;\n}";
    let module = pyro_ptx::Module::parse(text.as_bytes()).unwrap();
    let (offsets, bytes) = module.kernel("k").unwrap().parameter_layout();
    assert_eq!((offsets, bytes), (vec![0, 8, 32], 36));
    let launch = pyro_ptx::Launch { block: [1, 1, 1], ..Default::default() };
    assert!(pyro_ptx::lower(&module, "k", &launch).is_ok());
}
