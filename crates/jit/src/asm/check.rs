//! Machine code against what was asked for: every emitted byte is decoded and compared.
//!
//! Problem: an encoding that does not exist, or that means another instruction, is found only when a
//! processor with that extension runs it, perhaps on a path that few shaders take. So with
//! [`super::Assembler::record`] the assembler keeps a *journal*: for each instruction its offset and what was
//! asked for (an [`Evex`], or mnemonic and operands). [`check`] decodes the finished bytes with `iced-x86`,
//! which shares no table with this assembler, and compares instruction boundaries, mnemonics, registers,
//! memory operands, immediates, write masks, broadcasts and jump targets.
//!
//! It needs no processor with the extensions, so code for AVX-512 is checked on any machine.

use super::op::{TABLE, VOp};
use super::{Constant, Evex, Gpr, Label, Len, Mem, Rm, Rounding};
use iced_x86::{Decoder, DecoderOptions, Instruction, OpKind, Register, RoundingControl};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::OnceLock;

/// An operand of an instruction on general registers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg {
    /// The low so many bits of a register.
    Gpr(Gpr, u32),
    /// Memory.
    Mem(Mem),
    /// An immediate of which so many bits count.
    Imm(i64, u32),
    /// A jump's target.
    Label(Label),
}

impl Arg {
    /// A register or memory operand.
    pub(super) fn rm(rm: Rm, bits: u32) -> Arg {
        match rm {
            Rm::Reg(register) => Arg::Gpr(register, bits),
            Rm::Mem(mem) => Arg::Mem(mem),
        }
    }
}

/// The first byte of the EVEX prefix.
const EVEX: u8 = 0x62;

/// What was asked for.
#[derive(Clone, Debug)]
enum Intent {
    /// A VEX or EVEX encoded instruction.
    Vector(Evex),
    /// Another one.
    General {
        /// In two pieces, the second for a condition.
        mnemonic: [&'static str; 2],
        is_locked: bool,
        operands: SmallVec<[Arg; 3]>,
    },
}

/// The instructions of a function in their order, each with its offset.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal(Vec<(u32, Intent)>);

impl Journal {
    pub(super) fn vector(&mut self, at: u32, inst: Evex) {
        self.0.push((at, Intent::Vector(inst)));
    }

    pub(super) fn general(
        &mut self,
        at: u32,
        mnemonic: [&'static str; 2],
        is_locked: bool,
        operands: &[Arg],
    ) {
        self.0.push((at, Intent::General { mnemonic, is_locked, operands: SmallVec::from_slice(operands) }));
    }
}

/// Where labels and constants ended up.
pub(super) struct Places<'a> {
    /// By label.
    pub(super) labels: &'a [Option<u32>],
    /// Offset of the pool.
    pub(super) pool: u32,
    /// Whether vector instructions have no VEX prefix.
    pub(super) is_legacy: bool,
}

impl Places<'_> {
    fn constant(&self, Constant(offset): Constant) -> u64 {
        u64::from(self.pool + offset)
    }
}

/// Compares code with the journal of its assembler.
///
/// # Errors
/// The first instruction that is not what was asked for.
pub(super) fn check(code: &[u8], journal: &Journal, places: &Places<'_>) -> Result<(), String> {
    let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
    for (index, (at, intent)) in journal.0.iter().enumerate() {
        let start = u64::from(*at);
        let end = journal.0.get(index + 1).map_or(code.len() as u64, |&(next, _)| next.into());
        let bytes = &code[start as usize..end as usize];
        let fail =
            |found: &str| Err(format!("at {start:#x}: asked for {intent:?}, {found}; bytes {bytes:02x?}"));
        if decoder.ip() != start {
            return fail(&format!("but the instruction before it ends at {:#x}", decoder.ip()));
        }
        let found = decoder.decode();
        if found.is_invalid() {
            return fail("which has no such encoding");
        }
        if found.next_ip() != end {
            return fail(&format!("found {found:?}, which ends at {:#x}", found.next_ip()));
        }
        let difference = match intent {
            Intent::Vector(inst) => vector(inst, bytes[0] != EVEX, &found, places),
            Intent::General { mnemonic, is_locked, operands } => {
                general(&mnemonic.concat(), *is_locked, operands, &found, places)
            }
        };
        if let Some(difference) = difference {
            return fail(&format!("found another {difference} in {found:?}"));
        }
    }
    Ok(())
}

/// The decoder's name of an instruction.
fn mnemonic(found: &Instruction) -> String {
    format!("{:?}", found.mnemonic()).to_lowercase()
}

/// What differs from an instruction on general registers, if anything does.
fn general(
    expected: &str,
    is_locked: bool,
    operands: &[Arg],
    found: &Instruction,
    places: &Places<'_>,
) -> Option<&'static str> {
    if mnemonic(found) != expected {
        return Some("mnemonic");
    }
    if is_locked != found.has_lock_prefix() {
        return Some("lock prefix");
    }
    // The length of a no-operation does not matter.
    if expected == "nop" {
        return None;
    }
    if found.op_count() as usize != operands.len() {
        return Some("number of operands");
    }
    for (position, operand) in operands.iter().enumerate() {
        let position = position as u32;
        let is_same = match *operand {
            Arg::Gpr(number, bits) => {
                Class::of(found.op_register(position)) == Some((Class::General(bits), number))
            }
            Arg::Mem(mem) => found.op_kind(position) == OpKind::Memory && memory(mem, found, places),
            Arg::Imm(value, bits) => {
                let mask = u64::MAX >> (64 - bits);
                is_immediate(found.op_kind(position))
                    && found.immediate(position) & mask == value as u64 & mask
            }
            Arg::Label(Label(label)) => {
                found.op_kind(position) == OpKind::NearBranch64
                    && places.labels[label as usize].is_some_and(|to| found.near_branch64() == to.into())
            }
        };
        if !is_same {
            return Some("operand");
        }
    }
    None
}

fn is_immediate(kind: OpKind) -> bool {
    use OpKind as K;
    matches!(
        kind,
        K::Immediate8
            | K::Immediate8to16
            | K::Immediate8to32
            | K::Immediate8to64
            | K::Immediate16
            | K::Immediate32
            | K::Immediate32to64
            | K::Immediate64
    )
}

/// Whether a memory operand is the expected one.
fn memory(expected: Mem, found: &Instruction, places: &Places<'_>) -> bool {
    match expected {
        Mem::Pool(constant) => {
            found.is_ip_rel_memory_operand() && found.ip_rel_memory_address() == places.constant(constant)
        }
        Mem::Base { base, index, shift, displacement } => {
            let has_base = Class::of(found.memory_base()) == Some((Class::General(64), base));
            let found_index = Class::of(found.memory_index()).map(|(_, number)| number);
            has_base
                && found_index == index
                && (index.is_none() || found.memory_index_scale() == 1 << shift)
                && found.memory_displacement64() as i32 == displacement
        }
    }
}

/// The class of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// General, of so many bits.
    General(u32),
    Vector(Len),
    Mask,
}

impl Class {
    /// Class and number of the decoder's register, if it is one that this assembler has.
    fn of(register: Register) -> Option<(Class, u8)> {
        let number = register as u32;
        let within = |first: Register, count: u32| {
            let first = first as u32;
            (first..first + count).contains(&number).then(|| (number - first) as u8)
        };
        // `ah`, `ch`, `dh` and `bh` lie between the first four byte registers and the others.
        let low = within(Register::AL, 4);
        let byte = low.or_else(|| within(Register::SPL, 12).map(|number| number + 4));
        let classes = [
            (Class::General(8), byte),
            (Class::General(16), within(Register::AX, 16)),
            (Class::General(32), within(Register::EAX, 16)),
            (Class::General(64), within(Register::RAX, 16)),
            (Class::Vector(Len::X), within(Register::XMM0, 32)),
            (Class::Vector(Len::Y), within(Register::YMM0, 32)),
            (Class::Vector(Len::Z), within(Register::ZMM0, 32)),
            (Class::Mask, within(Register::K0, 8)),
        ];
        classes.into_iter().find_map(|(class, number)| Some((class, number?)))
    }
}

/// What a row of the table promises.
struct Row {
    /// The decoder's name, unless an opcode extension decides.
    mnemonic: String,
    /// The same under VEX, where bitwise operations have no element size.
    vex_mnemonic: String,
    order: Order,
    is_scalar: bool,
}

/// The order of an instruction's operands, by where their numbers are in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// ModRM.reg, vvvv if there are three, ModRM.rm.
    Normal,
    /// ModRM.rm, vvvv if there are three, ModRM.reg.
    Reversed,
    /// ModRM.reg, ModRM.rm, vvvv.
    CountLast,
}

/// Row names by row. Rows that differ in nothing share one.
fn rows() -> &'static HashMap<VOp, Row> {
    static ROWS: OnceLock<HashMap<VOp, Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let row = |name: &str| {
            let reversed = name.ends_with("_STORE")
                || ["VMOVD_FROM", "VMOVQ_FROM", "VPEXTRB", "VPEXTRD", "VPEXTRQ", "VCVTPS2PH"].contains(&name)
                || ["VEXTRACT", "VPSCATTER"].iter().any(|start| name.starts_with(start))
                || is_narrowing_move(name);
            let count_last = ["SHLX", "SHRX", "SARX"].iter().any(|start| name.starts_with(start))
                || name.starts_with("VPGATHER") && name.ends_with("_AVX");
            let order = match () {
                () if reversed => Order::Reversed,
                () if count_last => Order::CountLast,
                () => Order::Normal,
            };
            let base = row_mnemonic(name);
            let is_scalar =
                !base.starts_with("vp") && ["ss", "sd", "sh"].iter().any(|end| base.ends_with(end));
            let is_bitwise = ["vpand", "vpandn", "vpor", "vpxor"].contains(&&base[..base.len() - 1]);
            let vex_mnemonic = if is_bitwise { base[..base.len() - 1].to_owned() } else { base.clone() };
            Row { mnemonic: base, vex_mnemonic, order, is_scalar }
        };
        TABLE.iter().map(|&(name, op)| (op, row(name))).collect()
    })
}

/// Whether a row is one of `vpmovwb` and its like, whose result is in ModRM.rm.
fn is_narrowing_move(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("VPMOV") else { return false };
    let rest = rest.strip_prefix("US").or(rest.strip_prefix('S')).unwrap_or(rest);
    ["WB", "DB", "QB", "DW", "QW", "QD"].contains(&rest)
}

/// The mnemonic that a row's name stands for.
pub(super) fn row_mnemonic(name: &str) -> String {
    let mut base = name;
    for end in ["_STORE", "_GPR", "_TO", "_FROM", "_VAR", "_IMM", "_COUNT", "_AVX"] {
        base = base.strip_suffix(end).unwrap_or(base);
    }
    if ["SHLX", "SHRX", "SARX", "PDEP", "ANDN"].iter().any(|start| base.starts_with(start)) {
        base = base.trim_end_matches(|c: char| c.is_ascii_digit());
    }
    base.to_lowercase()
}

/// The mnemonic of a row whose ModRM.reg is part of the opcode.
fn extended_mnemonic(op: VOp, extension: u8) -> Option<&'static str> {
    use super::op::{
        VPROL_D_IMM, VPSHIFT_D_IMM, VPSHIFT_Q_IMM, VPSHIFT_W_IMM, VPSRA_VPROL_Q_IMM, VPSRLDQ_IMM,
    };
    Some(match (op, extension) {
        (VPSHIFT_W_IMM, 2) => "vpsrlw",
        (VPSHIFT_W_IMM, 4) => "vpsraw",
        (VPSHIFT_W_IMM, 6) => "vpsllw",
        (VPSHIFT_D_IMM, 2) => "vpsrld",
        (VPSHIFT_D_IMM, 4) => "vpsrad",
        (VPSHIFT_D_IMM, 6) => "vpslld",
        (VPSHIFT_Q_IMM, 2) => "vpsrlq",
        (VPSHIFT_Q_IMM, 6) => "vpsllq",
        (VPSRA_VPROL_Q_IMM, 1) => "vprolq",
        (VPSRA_VPROL_Q_IMM, 4) => "vpsraq",
        (VPROL_D_IMM, 1) => "vprold",
        (VPSRLDQ_IMM, 3) => "vpsrldq",
        (VPSRLDQ_IMM, 7) => "vpslldq",
        _ => return None,
    })
}

/// What differs from a VEX or EVEX encoded instruction, if anything does.
fn vector(inst: &Evex, is_vex: bool, found: &Instruction, places: &Places<'_>) -> Option<&'static str> {
    let Some(row) = rows().get(&inst.op) else { return Some("row of the table") };
    let expected = if inst.op.has_extension() {
        extended_mnemonic(inst.op, inst.reg)
    } else {
        Some(if is_vex { row.vex_mnemonic.as_str() } else { row.mnemonic.as_str() })
    };
    // Without VEX names have no `v` in front.
    let expected = expected.map(|name| if places.is_legacy { &name[1..] } else { name });
    if expected != Some(mnemonic(found).as_str()) {
        return Some("mnemonic");
    }
    vector_operands(inst, row, found, places)
        .or_else(|| modifiers(inst, found))
        .or_else(|| length(inst, row, found))
}

/// The same for its operands.
fn vector_operands(inst: &Evex, row: &Row, found: &Instruction, places: &Places<'_>) -> Option<&'static str> {
    let count = found.op_count();
    let has_immediate = count > 0 && found.op_kind(count - 1) == OpKind::Immediate8;
    let operands = count - u32::from(has_immediate);
    let expected_immediate = if inst.fourth.is_some() { None } else { inst.imm };
    if has_immediate != expected_immediate.is_some() {
        return Some("immediate");
    }
    if has_immediate && found.immediate(count - 1) != u64::from(expected_immediate.unwrap_or(0)) {
        return Some("immediate");
    }
    let (reg, vvvv) = (Rm::Reg(inst.reg), Rm::Reg(inst.vvvv));
    let order: SmallVec<[Rm; 4]> = match (row.order, operands) {
        // The result's register is the first source.
        _ if places.is_legacy && inst.op.has_extension() => SmallVec::from_slice(&[inst.rm]),
        _ if inst.op.has_extension() => SmallVec::from_slice(&[vvvv, inst.rm]),
        (Order::Normal, 2) => SmallVec::from_slice(&[reg, inst.rm]),
        (Order::Normal, 3) => SmallVec::from_slice(&[reg, vvvv, inst.rm]),
        (Order::Normal, 4) => {
            let fourth = Rm::Reg(inst.fourth.unwrap_or(u8::MAX));
            SmallVec::from_slice(&[reg, vvvv, inst.rm, fourth])
        }
        (Order::Reversed, 2) => SmallVec::from_slice(&[inst.rm, reg]),
        (Order::Reversed, 3) => SmallVec::from_slice(&[inst.rm, vvvv, reg]),
        (Order::CountLast, 3) => SmallVec::from_slice(&[reg, inst.rm, vvvv]),
        _ => return Some("number of operands"),
    };
    if order.len() != operands as usize {
        return Some("number of operands");
    }
    if !order.contains(&vvvv) && inst.vvvv != 0 && !places.is_legacy {
        return Some("number of operands");
    }
    for (position, operand) in order.into_iter().enumerate() {
        let is_same = match operand {
            Rm::Reg(number) => {
                Class::of(found.op_register(position as u32)).is_some_and(|(_, found)| found == number)
            }
            Rm::Mem(mem) => found.op_kind(position as u32) == OpKind::Memory && memory(mem, found, places),
        };
        if !is_same {
            return Some("operand");
        }
    }
    None
}

/// The same for write mask, broadcast and rounding.
fn modifiers(inst: &Evex, found: &Instruction) -> Option<&'static str> {
    let mask = Class::of(found.op_mask()).map_or(0, |(_, number)| number);
    if mask != inst.mask {
        return Some("write mask");
    }
    if found.zeroing_masking() != inst.zero {
        return Some("zeroing");
    }
    if found.is_broadcast() != inst.broadcast {
        return Some("broadcast");
    }
    let rounding = match inst.rounding {
        Rounding::Default => RoundingControl::None,
        Rounding::TowardZero => RoundingControl::RoundTowardZero,
    };
    (found.rounding_control() != rounding).then_some("rounding")
}

/// The same for the vector length: that of the longest vector register.
fn length(inst: &Evex, row: &Row, found: &Instruction) -> Option<&'static str> {
    if row.is_scalar {
        return None;
    }
    let registers = (0..found.op_count()).map(|position| found.op_register(position));
    let longest = registers
        .chain([found.memory_index()])
        .filter_map(|register| match Class::of(register)?.0 {
            Class::Vector(len) => Some(len),
            Class::General(_) | Class::Mask => None,
        })
        .max();
    longest.is_some_and(|len| len != inst.len).then_some("vector length")
}

#[cfg(test)]
mod tests {
    use super::super::op::{VADDPS, VMOVUPS, VPADDD, VPSHIFT_Q_IMM, VPSRA_VPROL_Q_IMM};
    use super::super::{Alu, Assembler, Size};
    use super::*;

    #[test]
    fn rows_of_the_table_differ() {
        assert_eq!(rows().len(), TABLE.len());
    }

    fn checked(fill: impl FnOnce(&mut Assembler)) -> Result<(), String> {
        let mut asm = Assembler::new();
        asm.record();
        fill(&mut asm);
        asm.finish_checked().map(drop)
    }

    #[test]
    fn decoding_check_accepts_the_requested_instruction() {
        let memory = Rm::Mem(Mem::Base { base: 13, index: Some(9), shift: 2, displacement: 192 });
        let result = checked(|asm| {
            let constant = asm.constant(&[1, 2, 3, 4]);
            let label = asm.label();
            asm.vector(&Evex { mask: 3, zero: true, ..Evex::new(VPADDD, Len::Z, 17, 30, memory) });
            asm.vector(&Evex {
                broadcast: true,
                ..Evex::new(VADDPS, Len::Y, 1, 2, Rm::Mem(Mem::Pool(constant)))
            });
            asm.vector(&Evex { imm: Some(7), ..Evex::new(VPSRA_VPROL_Q_IMM, Len::X, 1, 2, Rm::Reg(3)) });
            asm.jump(label);
            asm.align(32, 31);
            asm.bind(label);
            asm.alu_imm(Alu::And, Size::S64, Rm::Reg(12), -64);
            asm.ret();
        });
        assert_eq!(result, Ok(()));
    }

    /// The rotation that this module was written for: opcode 73 has no extension 1.
    #[test]
    fn an_encoding_that_does_not_exist_is_found() {
        let rotation = Evex { imm: Some(7), ..Evex::new(VPSHIFT_Q_IMM, Len::Z, 1, 2, Rm::Reg(3)) };
        let error = checked(|asm| asm.vector(&rotation)).expect_err("there is no such instruction");
        assert!(error.contains("no such encoding"), "{error}");
    }

    #[test]
    fn decoding_check_finds_another_instruction() {
        let journal = |inst: Evex| {
            let mut journal = Journal::default();
            journal.vector(0, inst);
            journal
        };
        let places = Places { labels: &[], pool: 64, is_legacy: false };
        let memory = |displacement| Rm::Mem(Mem::base(3, displacement));
        let asked = Evex { mask: 1, ..Evex::new(VMOVUPS, Len::Z, 9, 0, memory(128)) };
        let mut asm = Assembler::new();
        asm.vector(&asked);
        let (code, len) = asm.finish();
        let code = &code[..len];
        assert_eq!(check(code, &journal(asked), &places), Ok(()));
        let others = [
            (Evex { mask: 2, ..asked }, "write mask"),
            (Evex { zero: true, ..asked }, "zeroing"),
            (Evex { broadcast: true, ..asked }, "broadcast"),
            (Evex { reg: 8, ..asked }, "operand"),
            (Evex { rm: memory(64), ..asked }, "operand"),
            (Evex { rm: Rm::Mem(Mem::base(2, 128)), ..asked }, "operand"),
            (Evex { len: Len::Y, ..asked }, "vector length"),
            (Evex { imm: Some(1), ..asked }, "immediate"),
            (Evex { op: VADDPS, ..asked }, "mnemonic"),
        ];
        for (other, difference) in others {
            let error = check(code, &journal(other), &places).expect_err(difference);
            assert!(error.contains(&format!("another {difference}")), "{error}");
        }
        let error = check(&code[..len - 1], &journal(asked), &places).expect_err("is cut");
        assert!(error.contains("no such encoding"), "{error}");
    }
}
