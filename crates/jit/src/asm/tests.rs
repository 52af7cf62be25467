//! Every row of the table against an independent decoder.

use super::check::row_mnemonic;
use super::objdump::Judge;
use super::op::{Prefix, TABLE, Tuple, VOp};
use super::{Alu, Assembler, Condition, Evex, Len, Mem, Rm, Shift, Size, Unary};
use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, NasmFormatter};
use pyro_random::Random;

fn decode(bytes: &[u8]) -> (Instruction, String) {
    let mut decoder = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE);
    let instruction = decoder.decode();
    let mut text = String::new();
    NasmFormatter::new().format(&instruction, &mut text);
    (instruction, text)
}

/// Rows whose ModRM.reg is part of the opcode, with an extension to try in this round.
fn extension(name: &str, round: usize) -> Option<(u8, &'static str)> {
    Some(match name {
        "VPSHIFT_W_IMM" => (6, "vpsllw"),
        "VPSHIFT_D_IMM" => (4, "vpsrad"),
        "VPSHIFT_Q_IMM" => (2, "vpsrlq"),
        "VPSRA_VPROL_Q_IMM" => [(1, "vprolq"), (4, "vpsraq")][round % 2],
        "VPROL_D_IMM" => (1, "vprold"),
        "VPSRLDQ_IMM" => (3, "vpsrldq"),
        _ => return None,
    })
}

/// Rows that end in an immediate byte.
fn takes_immediate(op: &VOp, name: &str) -> bool {
    op.map == 3
        || name.ends_with("_IMM")
        || name.starts_with("VCMP")
        || matches!(name, "VPSHUFD" | "VPEXTRW" | "VPINSRW" | "VPERMILPS" | "VSHUFPS")
}

/// An instruction of a row of the table with random operands, of every length that the row has.
fn random_instruction(random: &mut Random, name: &str, op: VOp, round: usize) -> Evex {
    let reg_only = matches!(op.prefix, Prefix::Vex(_)) || name.ends_with("_GPR") || name == "VPEXTRW";
    let gather = name.contains("GATHER") || name.contains("SCATTER");
    let long = matches!(
        op.tuple,
        Tuple::Full | Tuple::FullMem | Tuple::Half | Tuple::HalfMem | Tuple::QuarterMem | Tuple::EighthMem
    );
    let len = match name {
        "VEXTRACTF64X4" | "VINSERTF64X4" => Len::Z,
        "VEXTRACTF32X4" | "VINSERTF32X4" | "VBROADCASTSD" | "VBROADCASTF32X4" | "VSHUFF64X2" | "VPERMD"
        | "VPERMQ" => [Len::Y, Len::Z][round % 2],
        _ if gather || (name.starts_with("VPBROADCAST")) || name == "VBROADCASTSS" => {
            [Len::X, Len::Y, Len::Z][round % 3]
        }
        _ if long && !matches!(op.prefix, Prefix::Vex(_)) => [Len::X, Len::Y, Len::Z][round % 3],
        _ => Len::X,
    };
    let limit = if matches!(op.prefix, Prefix::Vex(_)) { 8 } else { 16 };
    let wide = if matches!(op.prefix, Prefix::Vex(_)) { 8 } else { 32 };
    let mask_result = name.starts_with("VCMP")
        || name.starts_with("VPCMP")
        || name.starts_with("VPTEST")
        || name.ends_with("2M");
    let reg = random.below(if mask_result {
        8
    } else if name == "VPEXTRW" {
        16
    } else {
        wide
    }) as u8;
    let is_general = name.contains("GPR")
        || ["VMOVD_", "VMOVQ_", "VPEXTR", "VPINSR"].iter().any(|start| name.starts_with(start));
    let is_general = is_general && name != "VPEXTRW";
    let rm_limit = if is_general { limit } else { wide };
    let rm_limit = if name.starts_with("VPMOVM2") { 8 } else { rm_limit };
    let memory = (gather
        || name == "KMOVQ_STORE"
        || name == "VBROADCASTF32X4"
        || name.starts_with("VMOVNT")
        || name.starts_with("VMOVHPS")
        || (!reg_only && random.below(2) == 0))
        && !name.ends_with("2M")
        && !name.starts_with("VPMOVM2")
        && (!name.ends_with("_IMM") || matches!(op.prefix, Prefix::Evex));
    let bases = [0u8, 3, 4, 5, 7, 12, 13, 15];
    let index = if gather {
        Some(loop {
            let index = random.below(32) as u8;
            if index != reg {
                break index;
            }
        })
    } else {
        [None, Some(1), Some(9), Some(13)][random.below(4) as usize]
    };
    let displacement = [0, 4, 64, 128, -64, 1000, 4096, -100_000][random.below(8) as usize];
    let rm = if memory {
        Rm::Mem(Mem::Base {
            base: bases[random.below(8) as usize],
            index,
            shift: random.below(4) as u8,
            displacement,
        })
    } else {
        Rm::Reg(random.below(rm_limit) as u8)
    };
    let mut inst = Evex::new(op, len, reg, 0, rm);
    if let Some((extension, _)) = extension(name, round) {
        inst.reg = extension;
        inst.vvvv = random.below(32) as u8;
    }
    if takes_immediate(&op, name) {
        inst.imm = Some(0);
    }
    if gather {
        inst.mask = 1;
    }
    inst
}

/// Whether a decoder's mnemonic is another name of the one that is expected.
fn is_name_of(found: &str, expected: &str) -> bool {
    found == expected
        || matches!(expected, "shl" | "shr" | "sar")
        || (found.starts_with(expected))
        || found.replace("eq", "") == expected
        || (expected.starts_with("vcmp") && found.starts_with("vcmp"))
        || (expected.starts_with("vpcmp") && found.starts_with("vpcmp"))
        || expected[..expected.len() - 1] == *found
        // The decoder knows only one name for a move of a word.
        || (expected == "vmovq" && found.starts_with("vmov"))
}

#[test]
fn table_decodes_to_the_names() {
    let mut random = Random::new(1);
    let mut judge = Judge::default();
    for &(name, op) in TABLE.iter().filter(|(_, op)| op.prefix != Prefix::VexOnly) {
        for round in 0..200 {
            let inst = random_instruction(&mut random, name, op, round);
            let mut asm = Assembler::new();
            asm.vector(&inst);
            let (bytes, len) = asm.finish();
            let (decoded, text) = decode(&bytes[..len]);
            assert!(!decoded.is_invalid(), "{name} {inst:?}: {:02x?}", &bytes[..len]);
            assert_eq!(decoded.len(), len, "{name} {inst:?}: {text}");
            judge.add(&bytes[..len], &text);
            let expected =
                extension(name, round).map_or_else(|| row_mnemonic(name), |(_, text)| text.to_owned());
            let found = text.split(' ').next().unwrap().to_owned();
            assert!(is_name_of(&found, &expected), "{name}: decoded as {text}");
            if let Rm::Mem(Mem::Base { displacement, .. }) = inst.rm {
                assert_eq!(
                    decoded.memory_displacement64() as i64 as i32,
                    displacement,
                    "{name} {inst:?}: {text}"
                );
            }
        }
    }
    judge.agrees();
}

/// Which operands a row of AVX takes beside ModRM.reg and ModRM.rm.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// None.
    Two,
    /// vvvv.
    Three,
    /// vvvv and a fourth register.
    Four,
    /// vvvv is a mask, memory has an index of lanes.
    Gather,
}

/// A register's number in encodings.
fn number_of(register: iced_x86::Register) -> u8 {
    let name = format!("{register:?}").to_lowercase();
    let old = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
    match old.iter().position(|old| name.len() == 3 && name.ends_with(old)) {
        Some(number) => number as u8,
        None => {
            let digits: String = name.chars().filter(char::is_ascii_digit).collect();
            digits.trim_end_matches('d').parse().unwrap()
        }
    }
}

#[test]
fn avx_rows_decode_to_the_operands() {
    let mut random = Random::new(2);
    let mut judge = Judge::default();
    for &(name, op) in TABLE.iter().filter(|(_, op)| op.prefix == Prefix::VexOnly) {
        let shape = match name {
            _ if name.contains("GATHER") => Shape::Gather,
            _ if name.contains("BLENDV") => Shape::Four,
            "VROUNDPS" | "VROUNDPD" | "VEXTRACTI128" | "VPERMQ_IMM" => Shape::Two,
            _ if name.contains("MOVMSK") => Shape::Two,
            _ => Shape::Three,
        };
        let mnemonic = name.split('_').next().unwrap().to_lowercase();
        for round in 0..200 {
            let scalar =
                name.contains("SS_") || name.contains("SD_") || name.ends_with("SS") || name.ends_with("SD");
            let long_only = name.contains("128") || name == "VPERMQ_IMM";
            let len = match round % 2 {
                _ if long_only => Len::Y,
                0 if !scalar => Len::Y,
                _ => Len::X,
            };
            let register = |random: &mut Random| random.below(16) as u8;
            let (reg, mut vvvv) = (register(&mut random), register(&mut random));
            if shape == Shape::Two {
                vvvv = 0;
            }
            let index = loop {
                let index = register(&mut random);
                if index != reg && index != vvvv {
                    break index;
                }
            };
            if shape == Shape::Gather && vvvv == reg {
                continue;
            }
            let displacement = [0, 4, 127, 128, -128, -129, 100_000][random.below(7) as usize];
            let base = register(&mut random);
            let general_index = [None, Some(1), Some(13)][random.below(3) as usize];
            let memory = Mem::Base {
                base,
                index: if shape == Shape::Gather { Some(index) } else { general_index },
                shift: random.below(4) as u8,
                displacement,
            };
            let takes_memory = shape == Shape::Gather || name.contains("MASKMOV") || random.below(2) == 0;
            let rm_register = register(&mut random);
            let memory_only = takes_memory && !name.contains("MOVMSK");
            let rm = if memory_only { Rm::Mem(memory) } else { Rm::Reg(rm_register) };
            let fourth = (shape == Shape::Four).then(|| register(&mut random));
            let imm = takes_immediate(&op, name) && fourth.is_none() && !name.starts_with("VPCMP");
            let inst = Evex { fourth, imm: imm.then_some(3), ..Evex::new(op, len, reg, vvvv, rm) };
            assert!(inst.is_avx2());
            let mut asm = Assembler::new();
            asm.vector(&inst);
            let (bytes, len) = asm.finish();
            let (decoded, text) = decode(&bytes[..len]);
            assert!(!decoded.is_invalid() && decoded.len() == len, "{name} {inst:?}: {text}");
            judge.add(&bytes[..len], &text);
            // Comparisons are called by what they ask.
            let found = text.split(' ').next().unwrap();
            let alike =
                found == mnemonic || (found.starts_with("vcmp") && found[found.len() - 2..] == mnemonic[4..]);
            assert!(alike, "{name}: decoded as {text}");
            let reversed = name.ends_with("_STORE") || name == "VEXTRACTI128";
            let rm = match rm {
                Rm::Reg(register) => Some(register),
                Rm::Mem(_) => None,
            };
            let mut expected = match (shape, reversed) {
                (Shape::Two, false) => vec![Some(reg), rm],
                (Shape::Two, true) => vec![rm, Some(reg)],
                (Shape::Gather, _) => vec![Some(reg), rm, Some(vvvv)],
                (_, false) => vec![Some(reg), Some(vvvv), rm],
                (_, true) => vec![rm, Some(vvvv), Some(reg)],
            };
            expected.extend(fourth.map(Some));
            for (position, expected) in expected.into_iter().enumerate() {
                let found = decoded.op_register(position as u32);
                let number = (found != iced_x86::Register::None).then(|| number_of(found));
                assert_eq!(number, expected, "{name} {inst:?}: {text}, operand {position}");
            }
            if rm.is_none() {
                assert_eq!(number_of(decoded.memory_base()), base, "{name}: {text}");
                assert_eq!(decoded.memory_displacement64() as i32, displacement, "{name}: {text}");
                if shape == Shape::Gather {
                    assert_eq!(number_of(decoded.memory_index()), index, "{name}: {text}");
                }
            }
        }
    }
    judge.agrees();
}

/// Rows without VEX: the same names without their first letter, the same operands without the first source.
#[test]
fn sse_rows_decode_to_the_operands() {
    let mut random = Random::new(3);
    let mut judge = Judge::default();
    let rows = TABLE.iter().filter(|(_, op)| op.is_sse41());
    let mut seen = 0;
    for &(name, op) in rows {
        seen += 1;
        for round in 0..100 {
            let mut inst = random_instruction(&mut random, name, op, round);
            (inst.len, inst.reg) = (Len::X, inst.reg & if op.has_extension() { 7 } else { 15 });
            if let Rm::Reg(register) = &mut inst.rm {
                *register &= 15;
            }
            if name == "VPEXTRW" || name.starts_with("VMOVMSK") || name == "VPMOVMSKB" {
                inst.rm = Rm::Reg(random.below(16usize) as u8);
            }
            inst.vvvv =
                if let (true, Rm::Reg(register)) = (op.has_extension(), inst.rm) { register } else { 0 };
            if takes_immediate(&op, name) {
                inst.imm = Some(3);
            }
            let mut asm = Assembler::new();
            asm.without_vex();
            asm.record();
            asm.vector(&inst);
            // `check` compares the operands.
            let (bytes, len) = asm.finish_checked().unwrap_or_else(|error| panic!("{name}: {error}"));
            let (decoded, text) = decode(&bytes[..len]);
            assert!(!decoded.is_invalid() && decoded.len() == len, "{name} {inst:?}: {text}");
            judge.add(&bytes[..len], &text);
        }
    }
    assert!(seen > 100);
    judge.agrees();
}

#[test]
fn operands_are_where_they_belong() {
    use super::op::*;
    let text = |inst: &Evex| {
        let mut asm = Assembler::new();
        asm.vector(inst);
        let (bytes, len) = asm.finish();
        decode(&bytes[..len]).1
    };
    let reg = |op, len, a, b, c| Evex::new(op, len, a, b, Rm::Reg(c));
    assert_eq!(text(&reg(VADDPS, Len::Z, 17, 30, 5)), "vaddps zmm17,zmm30,zmm5");
    assert_eq!(text(&reg(VADDPS, Len::Y, 1, 2, 3)), "vaddps ymm1,ymm2,ymm3");
    assert_eq!(text(&reg(VADDPS, Len::X, 1, 2, 16)), "vaddps xmm1,xmm2,xmm16");
    let masked = Evex { mask: 3, zero: true, ..reg(VPADDD, Len::Z, 1, 2, 3) };
    assert_eq!(text(&masked), "vpaddd zmm1{k3}{z},zmm2,zmm3");
    let mem = |base, index, shift, displacement| Rm::Mem(Mem::Base { base, index, shift, displacement });
    let load = Evex::new(VMOVUPS, Len::Z, 20, 0, mem(13, Some(12), 2, 128));
    assert_eq!(text(&load), "vmovups zmm20,[r13+r12*4+80h]");
    let broadcast = Evex { broadcast: true, ..Evex::new(VMULPS, Len::Z, 1, 2, mem(4, None, 0, 8)) };
    assert_eq!(text(&broadcast), "vmulps zmm1,zmm2,[rsp+8]{1to16}");
    let gather = Evex { mask: 2, ..Evex::new(VPGATHERDD, Len::Z, 3, 0, mem(8, Some(25), 0, 4)) };
    assert_eq!(text(&gather), "vpgatherdd zmm3{k2},[r8+zmm25+4]");
    assert_eq!(text(&reg(KANDNQ, Len::X, 1, 2, 3)), "kandnq k1,k2,k3");
    assert_eq!(text(&reg(SHLX64, Len::X, 8, 9, 10)), "shlx r8,r10,r9");
    assert_eq!(text(&reg(VPMOVQD, Len::Z, 1, 0, 2)), "vpmovqd ymm2,zmm1");
}

#[test]
fn general_instructions_decode() {
    let judge = std::cell::RefCell::new(Judge::default());
    let check = |expected: &str, make: &dyn Fn(&mut Assembler)| {
        let mut asm = Assembler::new();
        make(&mut asm);
        let (bytes, len) = asm.finish();
        let (decoded, text) = decode(&bytes[..len]);
        assert_eq!((text.as_str(), decoded.len()), (expected, len));
        judge.borrow_mut().add(&bytes[..len], &text);
    };
    let rsp = Mem::base(4, 16);
    let rbp = Mem::Base { base: 13, index: Some(9), shift: 3, displacement: 0 };
    check("mov r9,rsi", &|asm| asm.mov(Size::S64, 9, 6));
    check("mov eax,12345678h", &|asm| asm.mov_imm(0, 0x1234_5678));
    check("mov r8,0FFFFFFFFFFFFFFFFh", &|asm| asm.mov_imm(8, u64::MAX));
    check("mov r8,123456789ABCDEFh", &|asm| asm.mov_imm(8, 0x0123_4567_89ab_cdef));
    check("xor r11d,r11d", &|asm| asm.mov_imm(11, 0));
    check("add r10,rdi", &|asm| asm.alu(Alu::Add, Size::S64, 10, Rm::Reg(7)));
    check("cmp ecx,7", &|asm| asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg(1), 7));
    check("and rcx,0FFFFFFFFFFFFFC00h", &|asm| asm.alu_imm(Alu::And, Size::S64, Rm::Reg(1), -1024));
    check("test r8d,r9d", &|asm| asm.test(Size::S32, 9, 8));
    check("imul eax,r15d", &|asm| asm.imul(Size::S32, 0, Rm::Reg(15)));
    check("imul rax,r15,0FFFFFFFFFFFFFFFDh", &|asm| asm.imul_imm(Size::S64, 0, Rm::Reg(15), -3));
    check("neg r12", &|asm| asm.unary(Unary::Neg, Size::S64, 12));
    check("shl edx,5", &|asm| asm.shift_imm(Shift::Shl, Size::S32, 2, 5));
    check("shr r12,cl", &|asm| asm.shift_cl(Shift::Shr, Size::S64, 12));
    check("bsr eax,r9d", &|asm| asm.bsr(Size::S32, 0, 9));
    check("bsf r9,rcx", &|asm| asm.bsf(Size::S64, 9, 1));
    check("lea rax,[rsp+10h]", &|asm| asm.lea(Size::S64, 0, rsp));
    check("mov ecx,[r13+r9*8]", &|asm| asm.load(Size::S32, 1, rbp));
    check("movzx esi,sil", &|asm| asm.movzx(8, 6, Rm::Reg(6)));
    check("movsxd rax,ecx", &|asm| asm.movsx(32, Size::S64, 0, Rm::Reg(1)));
    check("movsx eax,r9w", &|asm| asm.movsx(16, Size::S32, 0, Rm::Reg(9)));
    check("mov [rsp+10h],dil", &|asm| asm.store(8, rsp, 7));
    check("mov [rsp+10h],r9w", &|asm| asm.store(16, rsp, 9));
    check("mov [rsp+10h],r9", &|asm| asm.store(64, rsp, 9));
    check("cmovne r9,rax", &|asm| asm.cmov(Condition::NotEqual, Size::S64, 9, Rm::Reg(0)));
    check("setb sil", &|asm| asm.setcc(Condition::Below, 6));
    check("tzcnt rax,r9", &|asm| asm.tzcnt(Size::S64, 0, Rm::Reg(9)));
    check("lzcnt eax,ecx", &|asm| asm.lzcnt(Size::S32, 0, Rm::Reg(1)));
    check("bswap r9", &|asm| asm.bswap(Size::S64, 9));
    check("blsr r9,r10", &|asm| asm.blsr(Size::S64, 9, 10));
    check("lock add [rsp+10h],ecx", &|asm| asm.alu_store(Alu::Add, Size::S32, true, rsp, 1));
    check("xor [rsp+10h],r9", &|asm| asm.alu_store(Alu::Xor, Size::S64, false, rsp, 9));
    check("lock xadd [rsp+10h],ecx", &|asm| asm.xadd(32, true, rsp, 1));
    check("cmpxchg [rsp+10h],r9", &|asm| asm.cmpxchg(64, false, rsp, 9));
    check("xchg cl,[rsp+10h]", &|asm| asm.xchg(8, rsp, 1));
    check("push r12", &|asm| asm.push(12));
    check("call qword [rax]", &|asm| asm.call(Rm::Mem(Mem::base(0, 0))));
    check("prefetcht0 [rsp+10h]", &|asm| asm.prefetch(rsp));
    check("sfence", &|asm| asm.sfence());
    judge.borrow().agrees();
}

#[test]
fn jumps_and_constants_reach_their_targets() {
    let mut asm = Assembler::new();
    let (back, ahead) = (asm.label(), asm.label());
    asm.bind(back);
    let constant = asm.constant(&[1, 2, 3, 4]);
    assert_eq!(constant, asm.constant(&[1, 2, 3, 4]));
    asm.load(Size::S32, 0, Mem::Pool(constant));
    asm.jump_if(Condition::Equal, ahead);
    asm.jump(back);
    asm.bind(ahead);
    asm.ret();
    let (bytes, len) = asm.finish();
    let mut decoder = Decoder::with_ip(64, &bytes[..len], 0, DecoderOptions::NONE);
    let load = decoder.decode();
    let at = load.memory_displacement64() as usize;
    assert_eq!(bytes[at..at + 4], [1, 2, 3, 4]);
    assert_eq!(decoder.decode().near_branch64(), len as u64 - 1);
    assert_eq!(decoder.decode().near_branch64(), 0);
}
