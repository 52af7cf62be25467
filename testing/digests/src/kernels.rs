//! CUDA kernels: random PTX of integers and floats of 32 and 64 bits, predicates, forward branches, warps and
//! shared memory.

use pyro_random::Random;
use pyro_test_kit::kernels::KernelDevice;
use std::fmt::Write as _;

const BLOCKS: u32 = 2;
const THREADS: u32 = 64;
/// Words of input, from the buffer's first on; a power of two.
const INPUT_WORDS: u32 = 1024;
/// Words that a thread stores behind them.
const THREAD_WORDS: u32 = 16;

/// What registers are called in [`OPS`] where they are read (in lower case) and written, how the kernel calls
/// them, and how many there are.
const REGISTERS: [(char, &str, u32); 5] =
    [('r', "%r", 8), ('d', "%d", 4), ('f', "%f", 6), ('q', "%q", 4), ('p', "%p", 4)];

/// Operations: opcode and operands. `n` is a number below 32, `x` one of 32 bits. None shows the sign or the
/// payload of a NaN.
const OPS: [&str; 101] = [
    "add.s32 R,r,r",
    "sub.s32 R,r,r",
    "add.cc.u32 R,r,r",
    "mul.lo.u32 R,r,r",
    "mul.hi.u32 R,r,r",
    "mul.hi.s32 R,r,r",
    "mad.lo.s32 R,r,r,r",
    "mad.hi.u32 R,r,r,r",
    "mul.wide.u32 D,r,r",
    "mul.wide.s32 D,r,r",
    "mad.wide.u32 D,r,r,d",
    "add.u64 D,d,d",
    "sub.s64 D,d,d",
    "mul.lo.u64 D,d,d",
    "mul.hi.u64 D,d,d",
    "mul.hi.s64 D,d,d",
    "div.u32 R,r,r",
    "rem.u32 R,r,r",
    "div.s32 R,r,r",
    "rem.s32 R,r,r",
    "div.u64 D,d,d",
    "rem.s64 D,d,d",
    "min.s32 R,r,r",
    "max.u32 R,r,r",
    "min.u64 D,d,d",
    "max.s64 D,d,d",
    "and.b32 R,r,r",
    "or.b32 R,r,x",
    "xor.b32 R,r,r",
    "not.b32 R,r",
    "cnot.b32 R,r",
    "xor.b64 D,d,d",
    "shl.b32 R,r,r",
    "shr.u32 R,r,n",
    "shr.s32 R,r,r",
    "shl.b64 D,d,r",
    "shr.u64 D,d,n",
    "shr.s64 D,d,r",
    "shf.l.wrap.b32 R,r,r,r",
    "shf.r.clamp.b32 R,r,r,r",
    "lop3.b32 R,r,r,r,n",
    "popc.b32 R,r",
    "popc.b64 R,d",
    "clz.b32 R,r",
    "clz.b64 R,d",
    "brev.b32 R,r",
    "brev.b64 D,d",
    "bfind.u32 R,r",
    "bfind.shiftamt.s32 R,r",
    "bfe.u32 R,r,r,r",
    "bfe.s32 R,r,n,n",
    "bfi.b32 R,r,r,n,n",
    "prmt.b32 R,r,r,r",
    "sad.u32 R,r,r,r",
    "dp4a.s32.u32 R,r,r,r",
    "mul24.lo.u32 R,r,r",
    "abs.s32 R,r",
    "neg.s32 R,r",
    "cvt.u64.u32 D,r",
    "cvt.s64.s32 D,r",
    "cvt.u32.u64 R,d",
    "selp.b32 R,r,r,p",
    "selp.b64 D,d,d,p",
    "selp.f32 F,f,f,p",
    "slct.s32.s32 R,r,r,r",
    "setp.lt.s32 P,r,r",
    "setp.ge.u32 P,r,x",
    "setp.eq.u64 P,d,d",
    "setp.lt.f32 P,f,f",
    "setp.neu.f32 P,f,f",
    "setp.gtu.f64 P,q,q",
    "testp.subnormal.f32 P,f",
    "add.rn.f32 F,f,f",
    "add.rz.f32 F,f,f",
    "sub.rm.f32 F,f,f",
    "mul.rn.f32 F,f,f",
    "mul.rn.ftz.f32 F,f,f",
    "mul.rp.f32 F,f,f",
    "fma.rn.f32 F,f,f,f",
    "fma.rz.f32 F,f,f,f",
    "add.sat.f32 F,f,f",
    "div.rn.f32 F,f,f",
    "min.f32 F,f,f",
    "max.f32 F,f,f",
    "abs.f32 F,f",
    "sqrt.rn.f32 F,f",
    "rcp.rn.f32 F,f",
    "rsqrt.approx.f32 F,f",
    "ex2.approx.f32 F,f",
    "lg2.approx.f32 F,f",
    "sin.approx.f32 F,f",
    "cvt.rn.f32.s32 F,r",
    "cvt.rni.s32.f32 R,f",
    "cvt.rzi.u64.f32 D,f",
    "cvt.rmi.f32.f32 F,f",
    "cvt.f64.f32 Q,f",
    "cvt.rn.f32.f64 F,q",
    "cvt.rn.f64.u64 Q,d",
    "add.rn.f64 Q,q,q",
    "fma.rn.f64 Q,q,q,q",
    "div.rn.f64 Q,q,q",
];

/// Operations of a warp, all of whose threads must be there.
const WARP_OPS: [&str; 6] = [
    "shfl.sync.bfly.b32 R,r,n,31,-1",
    "shfl.sync.idx.b32 R,r,r,31,-1",
    "shfl.sync.up.b32 R,r,n,0,-1",
    "vote.sync.ballot.b32 R,p,-1",
    "redux.sync.add.u32 R,r,-1",
    "redux.sync.xor.b32 R,r,-1",
];

/// An operation with random registers.
fn operation(random: &mut Random, op: &str) -> String {
    let (name, operands) = op.split_once(' ').unwrap_or((op, ""));
    let mut text = format!("{name} ");
    for letter in operands.chars() {
        let register = REGISTERS.iter().find(|(known, ..)| *known == letter.to_ascii_lowercase());
        let written = match (letter, register) {
            (_, Some((_, name, count))) => write!(text, "{name}{}", random.below(*count)),
            ('n', _) => write!(text, "{}", random.below(32_u32)),
            ('x', _) => write!(text, "{:#x}", random.word()),
            _ => write!(text, "{letter}"),
        };
        written.expect("strings take text");
    }
    text + ";\n"
}

/// Numbers for all registers: integers, and floats of moderate size, infinite, not a number or any.
fn begin(text: &mut String, random: &mut Random) {
    let line = |text: &mut String, line: String| writeln!(text, "{line}").expect("strings take text");
    for number in 0..8 {
        line(text, format!("ld.global.u32 %r{number}, [%at+{}];", 4 * number));
    }
    for number in 0..4 {
        line(text, format!("mov.b64 %d{number}, {{%r{number}, %r{}}};", number + 4));
        line(text, format!("setp.lt.s32 %p{number}, %r{number}, %r{};", number + 1));
        line(text, format!("cvt.rn.f64.s64 %q{number}, %d{number};"));
    }
    for number in 0..6 {
        line(
            text,
            match random.below(4) {
                0 => format!("mov.b32 %f{number}, %r{number};"),
                1 => format!(
                    "mov.f32 %f{number}, 0f{};",
                    random.pick(&["7F800000", "80000000", "7FC00000", "00000001", "3F7FFFFF"])
                ),
                _ => format!(
                    "cvt.rn.f32.s32 %f{number}, %r{number};\nmul.f32 %f{number}, %f{number}, 0f33000001;"
                ),
            },
        );
    }
}

/// Stores all registers, floats that are no numbers as one NaN.
fn end(text: &mut String) {
    let mut line = |line: &str| writeln!(text, "{line}").expect("strings take text");
    for number in 0..6 {
        line(&format!("setp.nan.f32 %p5, %f{number}, %f{number};"));
        line(&format!("selp.f32 %f{number}, 0f7FC00000, %f{number}, %p5;\nmov.b32 %s{number}, %f{number};"));
    }
    for number in 0..4 {
        line(&format!("setp.nan.f64 %p5, %q{number}, %q{number};"));
        line(&format!("selp.f64 %q{number}, 0d7FF8000000000000, %q{number}, %p5;"));
        line(&format!("mov.b64 %e0, %q{number};\nxor.b64 %d{number}, %d{number}, %e0;"));
        line(&format!("mov.b64 {{%s6, %s7}}, %d{number};\nxor.b32 %r{number}, %r{number}, %s6;"));
        line(&format!("xor.b32 %r{}, %r{}, %s7;", number + 4, number + 4));
        line(&format!("selp.b32 %s7, 1, 0, %p{number};\nadd.s32 %r{number}, %r{number}, %s7;"));
    }
    for number in 0..8 {
        line(&format!("st.global.u32 [%to+{}], %r{number};", 4 * number));
    }
    for number in 0..6 {
        line(&format!("st.global.u32 [%to+{}], %s{number};", 32 + 4 * number));
    }
}

/// The kernel of a number.
fn text(random: &mut Random) -> String {
    let mut text = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 words)\n{{\n\
         .reg .pred %p<6>;\n.reg .b32 %r<8>;\n.reg .b32 %s<8>;\n.reg .b32 %t<4>;\n.reg .b64 %d<4>;\n\
         .reg .b64 %e<2>;\n.reg .f32 %f<6>;\n.reg .f64 %q<4>;\n.reg .b64 %words;\n.reg .b64 %at;\n\
         .reg .b64 %to;\n.shared .align 4 .b8 tile[{}];\n\
         ld.param.u64 %words, [words];\nmov.u32 %t0, %tid.x;\nmov.u32 %t1, %ctaid.x;\n\
         mad.lo.u32 %t1, %t1, {THREADS}, %t0;\nshl.b32 %t2, %t1, 3;\nand.b32 %t2, %t2, {};\n\
         mad.wide.u32 %at, %t2, 4, %words;\nmul.lo.u32 %t2, %t1, {THREAD_WORDS};\n\
         add.u32 %t2, %t2, {INPUT_WORDS};\nmad.wide.u32 %to, %t2, 4, %words;\n\
         mov.u32 %t3, tile;\nmad.lo.u32 %t0, %t0, 4, %t3;\n",
        4 * THREADS,
        INPUT_WORDS - 1,
    );
    begin(&mut text, random);
    for part in 0..3 + random.below(6) {
        match random.below(6) {
            0 => {
                let op = random.pick(&WARP_OPS);
                text += &operation(random, op);
            }
            1 => {
                let (from, to) = (random.below(8_u32), random.below(8_u32));
                let other = 4 * random.below(THREADS);
                write!(
                    text,
                    "st.shared.u32 [%t0], %r{from};\nbar.sync 0;\nsub.u32 %s0, %t0, %t3;\n\
                     xor.b32 %s0, %s0, {other};\nadd.u32 %s0, %s0, %t3;\nld.shared.u32 %r{to}, [%s0];\n\
                     bar.sync 0;\n"
                )
                .expect("strings take text");
            }
            2 => {
                let is_not = if random.one_in(2) { "!" } else { "" };
                writeln!(text, "@{is_not}%p{} bra $L{part};", random.below(4_u32)).expect("as above");
                for _ in 0..4 {
                    let op = random.pick(&OPS);
                    text += &operation(random, op);
                }
                writeln!(text, "$L{part}:").expect("as above");
            }
            _ => {}
        }
        for _ in 0..4 + random.below(12) {
            let op = random.pick(&OPS);
            if random.one_in(8) {
                write!(text, "@%p{} ", random.below(4_u32)).expect("as above");
            }
            text += &operation(random, op);
        }
    }
    end(&mut text);
    text + "ret;\n}\n"
}

/// What the threads of a number's kernel store.
pub(crate) fn launch(device: &KernelDevice, number: u64) -> Result<Vec<u8>, String> {
    let random = &mut Random::new(number ^ 0xc0da_0000_0000);
    let text = text(random);
    let input: Vec<u32> = (0..INPUT_WORDS)
        .map(|_| match random.below(4) {
            0 => random.below(64_u32),
            1 => 1 << random.below(32_u32),
            _ => random.word(),
        })
        .collect();
    let words = device.run(&text, &input, BLOCKS, [THREADS, 1, 1]).map_err(|error| format!("{error:?}"))?;
    Ok(words[INPUT_WORDS as usize..].iter().flat_map(|word| word.to_le_bytes()).collect())
}
