//! Texts with lines and numbers changed at random are lowered to well-formed IR or refused.
//!
//! `PYRO_MUTATIONS` sets how many are tried (2,000), `PYRO_SEED` where to start.

use super::support::kernel;
use pyro_ptx::{Launch, Module, lower};
use pyro_random::Random;
use pyro_test_environment::number;

/// Kernels with loops, calls, memory of all kinds, and many types.
fn texts() -> Vec<String> {
    let outside = ".shared .align 4 .b8 tile[256];\n.global .align 4 .u32 table[4] = {1, 2, 3, 4};\n\
        .func (.param .b32 result) f(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\n\
        mad.lo.u32 %r2, %r1, 3, 7;\nst.param.b32 [result], %r2;\nret;\n}";
    let bodies = [
        "mov.u32 %r20, 0;\nmov.u32 %r11, 40;\n$L_body:\nadd.u32 %r20, %r20, %r11;\nsub.u32 %r11, %r11, 1;\n\
         setp.ne.u32 %p1, %r11, 0;\n@%p1 bra $L_body;\nst.global.u32 [%rd1], %r20;",
        "mov.u32 %r10, tile;\nshl.b32 %r11, %r3, 2;\nand.b32 %r11, %r11, 252;\nadd.u32 %r10, %r10, %r11;\n\
         st.shared.u32 [%r10], %r1;\nbar.sync 0;\nld.shared.u32 %r12, [%r10];\nst.global.u32 [%rd1], %r12;",
        "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\ncall.uni (y), f, (x);\n\
         ld.param.b32 %r12, [y];\n}\nst.global.u32 [%rd1], %r12;",
        "ld.global.f32 %f1, [%rd1];\nfma.rn.f32 %f2, %f1, %f1, 0f3F800000;\ncvt.rzi.s32.f32 %r10, %f2;\n\
         sqrt.rn.f32 %f3, %f2;\nld.global.v2.u32 {%r11, %r12}, [%rd2];\natom.global.add.u32 %r13, [%rd1], %r11;\n\
         shfl.sync.bfly.b32 %r14, %r13, 1, 31, -1;\nst.global.v2.u32 [%rd2], {%r14, %r10};",
    ];
    bodies.map(|body| kernel(2, outside, body)).to_vec()
}

fn mutate(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + random.below(3) {
        let (place, other) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(6) {
            0 => lines.swap(place, other),
            1 => lines[place] = lines[other].clone(),
            2 => drop(lines.remove(place)),
            // Another type, number or letter.
            3 => {
                let types = [".u8", ".u16", ".s32", ".u64", ".f16", ".f32", ".f64", ".b128", ".pred", ".v4"];
                lines[place] = lines[place].replacen(".u32", random.pick(&types), 1);
            }
            4 => {
                let number = random.pick(&["0", "-1", "4294967295", "99999999999999999999", "0x", "1e9"]);
                lines[place] = lines[place].replacen(|c: char| c.is_ascii_digit(), number, 1);
            }
            _ => {
                let mut bytes = std::mem::take(&mut lines[place]).into_bytes();
                if let Some(at) = (!bytes.is_empty()).then(|| random.below(bytes.len())) {
                    bytes[at] = 32 + random.below(95_u32) as u8;
                }
                lines[place] = String::from_utf8_lossy(&bytes).into_owned();
            }
        }
        if lines.len() < 2 {
            break;
        }
    }
    lines.join("\n")
}

#[test]
fn mutated_texts_are_lowered_or_refused() {
    let texts = texts();
    let (seed, count) = (number("PYRO_SEED", 1_u64), number("PYRO_MUTATIONS", 2_000_u64));
    let (mut lowered, mut refused) = (0, 0);
    for round in 0..count {
        let mut random = Random::new((seed + round).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let whole = &texts[random.below(texts.len())];
        let text = if round < texts.len() as u64 { whole.clone() } else { mutate(whole, &mut random) };
        let result = std::panic::catch_unwind(|| {
            let Ok(module) = Module::parse(text.as_bytes()) else { return false };
            let image = module.image();
            if image.bytes < 1 << 16 {
                assert_eq!(module.initial_image(&image, 1 << 32).len() as u64, image.bytes);
            }
            module.functions.iter().filter(|function| function.is_entry).all(|function| {
                let block = function.required_block.unwrap_or([40, 1, 1]);
                match lower(
                    &module,
                    &function.name,
                    &Launch { block, dynamic_shared_bytes: 64, ..Launch::default() },
                ) {
                    Ok(lowered) => {
                        pyro_ir::verify::verify(&lowered.function).expect("well formed");
                        true
                    }
                    Err(_) => false,
                }
            })
        });
        match result {
            Ok(true) => lowered += 1,
            Ok(false) => refused += 1,
            Err(_) => panic!("round {round} panicked:\n{text}"),
        }
    }
    assert!(lowered > 0 && (refused > 0 || count < 10), "{lowered} lowered, {refused} refused");
}
