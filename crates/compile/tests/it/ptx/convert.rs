//! Conversions, comparisons and selections.

use super::support::{map, rows};

/// Instructions that read the word `%r10`, the same as float `%f10`, and write `%r20`.
fn check(instructions: &[(&str, &dyn Fn(u32) -> u32)]) {
    let inputs = rows(1);
    let mut body = "ld.global.u32 %r10, [%rd3];\nld.global.f32 %f10, [%rd3];\n".to_owned();
    for (index, (instruction, _)) in instructions.iter().enumerate() {
        body +=
            &format!("{}\nst.global.u32 [%rd4+{}], %r20;\n", instruction.replace("%d", "%r20"), 4 * index);
    }
    let found = map("", &inputs, instructions.len(), &body);
    for (input, found) in inputs.iter().zip(&found) {
        for (found, (instruction, expected)) in found.iter().zip(instructions) {
            let expected = expected(input[0]);
            assert_eq!(*found, expected, "{instruction} of {:x} ({:e})", input[0], f32::from_bits(input[0]));
        }
    }
}

fn float(x: u32) -> f32 {
    f32::from_bits(x)
}

#[test]
fn integers_to_integers() {
    check(&[
        ("cvt.u8.u32 %rs1, %r10;\ncvt.u32.u16 %d, %rs1;", &|x| x & 0xff),
        ("cvt.s8.s32 %rs1, %r10;\ncvt.s32.s16 %d, %rs1;", &|x| i32::from(x as i8) as u32),
        ("cvt.sat.u8.s32 %d, %r10;", &|x| (x as i32).clamp(0, 255) as u32),
        ("cvt.sat.s8.s32 %d, %r10;", &|x| (x as i32).clamp(-128, 127) as u32),
        ("cvt.sat.s16.u32 %d, %r10;", &|x| x.min(0x7fff)),
        ("cvt.sat.u32.s32 %d, %r10;", &|x| (x as i32).max(0) as u32),
        ("cvt.sat.s32.u32 %d, %r10;", &|x| x.min(0x7fff_ffff)),
        ("cvt.s64.s32 %rd10, %r10;\nshr.s64 %rd10, %rd10, 20;\ncvt.u32.u64 %d, %rd10;", &|x| {
            (i64::from(x as i32) >> 20) as u32
        }),
        ("cvt.u64.u32 %rd10, %r10;\nmov.b64 {%r21, %d}, %rd10;", &|_| 0),
    ]);
}

#[test]
fn floats_to_integers() {
    check(&[
        ("cvt.rzi.s32.f32 %d, %f10;", &|x| float(x) as i32 as u32),
        ("cvt.rni.s32.f32 %d, %f10;", &|x| float(x).round_ties_even() as i32 as u32),
        ("cvt.rmi.s32.f32 %d, %f10;", &|x| float(x).floor() as i32 as u32),
        ("cvt.rpi.u32.f32 %d, %f10;", &|x| float(x).ceil() as u32),
        ("cvt.rzi.u8.f32 %d, %f10;", &|x| u32::from(float(x) as u8)),
        ("cvt.rzi.s16.f32 %d, %f10;", &|x| i32::from(float(x) as i16) as u32),
        ("cvt.rzi.s64.f32 %rd10, %f10;\nmov.b64 {%r21, %d}, %rd10;", &|x| match float(x).is_nan() {
            true => 0x8000_0000,
            false => ((float(x) as i64) >> 32) as u32,
        }),
        ("cvt.f64.f32 %fd1, %f10;\ncvt.rzi.s32.f64 %d, %fd1;", &|x| match float(x).is_nan() {
            true => 0x8000_0000,
            false => float(x) as i32 as u32,
        }),
    ]);
}

#[test]
fn integers_to_floats() {
    let exact = |x: f64, up: bool| {
        let near = x as f32;
        match (f64::from(near) < x, f64::from(near) > x) {
            (true, _) if up => near.next_up(),
            (_, true) if !up => near.next_down(),
            _ => near,
        }
    };
    check(&[
        ("cvt.rn.f32.s32 %f11, %r10;\nmov.b32 %d, %f11;", &|x| (x as i32 as f32).to_bits()),
        ("cvt.rn.f32.u32 %f11, %r10;\nmov.b32 %d, %f11;", &|x| (x as f32).to_bits()),
        ("cvt.rm.f32.s32 %f11, %r10;\nmov.b32 %d, %f11;", &move |x| {
            exact((x as i32).into(), false).to_bits()
        }),
        ("cvt.rp.f32.u32 %f11, %r10;\nmov.b32 %d, %f11;", &move |x| exact(x.into(), true).to_bits()),
        ("cvt.rz.f32.u32 %f11, %r10;\nmov.b32 %d, %f11;", &move |x| exact(x.into(), false).to_bits()),
        ("cvt.rn.f64.s32 %fd1, %r10;\nmov.b64 {%r21, %d}, %fd1;", &|x| {
            (f64::from(x as i32).to_bits() >> 32) as u32
        }),
        ("mov.b64 %rd10, {%r10, %r10};\ncvt.rn.f32.u64 %f11, %rd10;\nmov.b32 %d, %f11;", &|x| {
            ((u64::from(x) << 32 | u64::from(x)) as f32).to_bits()
        }),
    ]);
}

#[test]
fn floats_to_floats() {
    let nan = |x: f32| if x.is_nan() { 0x7fff_ffff } else { x.to_bits() };
    let canonical =
        "testp.notanumber.f32 %p1, %f11;\nselp.f32 %f11, 0f7fffffff, %f11, %p1;\nmov.b32 %d, %f11;";
    let lines = [
        "cvt.rni.f32.f32 %f11, %f10;",
        "cvt.rmi.ftz.f32.f32 %f11, %f10;",
        "cvt.sat.f32.f32 %f11, %f10;",
        "cvt.f64.f32 %fd1, %f10;\nmul.f64 %fd1, %fd1, 0d3FB999999999999A;\ncvt.rn.f32.f64 %f11, %fd1;",
        "cvt.rn.bf16.f32 %rs1, %f10;\ncvt.f32.bf16 %f11, %rs1;",
        "cvt.rn.f16.f32 %rs1, %f10;\ncvt.f32.f16 %f11, %rs1;\nsub.f32 %f11, %f11, %f11;",
    ]
    .map(|line| format!("{line}\n{canonical}"));
    check(&[
        (&lines[0], &move |x| nan(float(x).round_ties_even())),
        (&lines[1], &move |x| {
            let x = float(x);
            nan(if x.is_subnormal() { 0f32.copysign(x) } else { x.floor() })
        }),
        (&lines[2], &move |x| if float(x).is_nan() { 0 } else { (float(x).clamp(0.0, 1.0) + 0.0).to_bits() }),
        (&lines[3], &move |x| nan((f64::from(float(x)) * 0.1) as f32)),
        (&lines[4], &move |x| {
            let rounded = x.wrapping_add(0x7fff + (x >> 16 & 1)) & 0xffff_0000;
            if float(x).is_nan() { 0x7fff_ffff } else { rounded }
        }),
        // Zero where a half can hold it.
        (&lines[5], &move |x| if float(x).abs() < 65520.0 { 0 } else { 0x7fff_ffff }),
    ]);
}

#[test]
fn comparisons() {
    let compare = |op: &str, ty: &str, second: &str| {
        let register = if ty == "f32" { "%f10" } else { "%r10" };
        format!("setp.{op}.{ty} %p1, {register}, {second};\nselp.u32 %d, 1, 0, %p1;")
    };
    let lines = [
        compare("lt", "s32", "5"),
        compare("hi", "u32", "5"),
        compare("ne", "f32", "0f3F800000"),
        compare("neu", "f32", "0f3F800000"),
        compare("ge", "f32", "0f00000000"),
        compare("ltu", "f32", "0f00000000"),
        compare("num", "f32", "0f00000000"),
        compare("nan", "f32", "%f10"),
    ];
    check(&[
        (&lines[0], &|x| u32::from((x as i32) < 5)),
        (&lines[1], &|x| u32::from(x > 5)),
        (&lines[2], &|x| u32::from(float(x) != 1.0 && !float(x).is_nan())),
        (&lines[3], &|x| u32::from(float(x) != 1.0)),
        (&lines[4], &|x| u32::from(float(x) >= 0.0)),
        (&lines[5], &|x| u32::from(float(x) < 0.0 || float(x).is_nan())),
        (&lines[6], &|x| u32::from(!float(x).is_nan())),
        (&lines[7], &|x| u32::from(float(x).is_nan())),
        (
            "setp.gt.u32 %p3, %r10, 100;\nsetp.lt.and.s32 %p1|%p2, %r10, 7, %p3;\n\
             selp.u32 %r21, 1, 0, %p1;\nselp.u32 %r22, 2, 0, %p2;\nor.b32 %d, %r21, %r22;",
            &|x| match (x > 100, (x as i32) < 7) {
                (false, _) => 0,
                (true, true) => 1,
                (true, false) => 2,
            },
        ),
        ("setp.gt.u32 %p3, %r10, 100;\nsetp.eq.xor.u32 %p1, %r10, 1, !%p3;\nselp.u32 %d, 3, 4, %p1;", &|x| {
            if (x == 1) ^ (x <= 100) { 3 } else { 4 }
        }),
        ("set.lt.u32.f32 %d, %f10, 0f40000000;", &|x| if float(x) < 2.0 { u32::MAX } else { 0 }),
        ("set.le.f32.s32 %f11, %r10, -1;\nmov.b32 %d, %f11;", &|x| {
            if (x as i32) <= -1 { 1f32.to_bits() } else { 0 }
        }),
        ("slct.u32.s32 %d, 8, 9, %r10;", &|x| if (x as i32) >= 0 { 8 } else { 9 }),
    ]);
}
