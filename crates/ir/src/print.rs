//! Functions as text. [`crate::parse`] reads what this writes; see there for the grammar.
//!
//! Numbers of blocks, values and slots are kept, so text can be compared with what tools say about the same
//! function. Blocks and instructions that are not in the order (dead ones) are left out. Broken functions
//! print too, as far as they go: the verifier's messages quote instructions.

use crate::function::{Block, BlockCall, Form, Function, Inst, MemoryOp, Merge, Terminator, Value};
use crate::opcode::{Opcode, Signature};
use crate::types::{Scalar, Shape, Type};
use std::fmt::{self, Display, Formatter, Write};

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let form = match self.form {
            Form::Lane => "lane",
            Form::Mask => "mask",
        };
        writeln!(
            f,
            "shader {} {form} lanes={} scratch={} frame={} {{",
            Quoted(&self.name),
            self.lanes,
            self.scratch_bytes,
            self.frame_bytes
        )?;
        for (slot, data) in self.slots.iter() {
            let keeps = if data.keeps { " keeps" } else { "" };
            writeln!(f, "    {slot}: {}{keeps}", data.bytes)?;
        }
        for &block in &self.block_order {
            write_block(f, self, block)?;
        }
        f.write_str("}\n")
    }
}

/// One instruction as it appears in a function's text, without indentation or line end.
pub fn inst_text(function: &Function, inst: Inst) -> String {
    let mut text = String::new();
    write_inst(&mut text, function, inst).expect("strings take all text");
    text
}

/// A terminator as it appears in a function's text.
pub fn terminator_text(terminator: &Terminator) -> String {
    let mut text = String::new();
    write_terminator(&mut text, terminator).expect("strings take all text");
    text
}

/// A type as text: `<f32>` is varying and `f32` uniform; in lane form the brackets are left out.
pub fn type_text(form: Form, ty: Type) -> String {
    match (form, ty.shape) {
        (Form::Lane, _) | (Form::Mask, Shape::Uniform) => ty.scalar.name().to_owned(),
        (Form::Mask, Shape::Varying) => format!("<{}>", ty.scalar.name()),
    }
}

/// A string in quotes, with everything but printable ASCII escaped.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for character in self.0.chars() {
            match character {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                ' '..='~' => f.write_char(character)?,
                other => write!(f, "\\u{{{:x}}}", u32::from(other))?,
            }
        }
        f.write_char('"')
    }
}

fn write_value_def(out: &mut impl Write, function: &Function, value: Value) -> fmt::Result {
    match function.values.get(value) {
        Some(data) => write!(out, "{value}: {}", type_text(function.form, data.ty)),
        None => write!(out, "{value}: ?"),
    }
}

fn write_block(out: &mut impl Write, function: &Function, block: Block) -> fmt::Result {
    let Some(data) = function.blocks.get(block) else {
        return writeln!(out, "{block}: ; no such block");
    };
    write!(out, "{block}")?;
    if !data.params.is_empty() {
        out.write_char('(')?;
        for (index, &param) in data.params.iter().enumerate() {
            out.write_str(if index == 0 { "" } else { ", " })?;
            write_value_def(out, function, param)?;
        }
        out.write_char(')')?;
    }
    out.write_char(':')?;
    match data.merge {
        None => {}
        Some(Merge::Selection { merge }) => write!(out, " selection merge={merge}")?,
        Some(Merge::Loop { merge, continue_target }) => {
            write!(out, " loop merge={merge} continue={continue_target}")?;
        }
    }
    out.write_char('\n')?;
    for &inst in &data.insts {
        out.write_str("    ")?;
        write_inst(out, function, inst)?;
        out.write_char('\n')?;
    }
    out.write_str("    ")?;
    write_terminator(out, &data.terminator)?;
    out.write_char('\n')
}

fn write_inst(out: &mut impl Write, function: &Function, inst: Inst) -> fmt::Result {
    let Some(data) = function.insts.get(inst) else {
        return write!(out, "; no such instruction: {inst}");
    };
    if let Some(result) = data.result.expand() {
        write_value_def(out, function, result)?;
        out.write_str(" = ")?;
    }
    out.write_str(data.op.name())?;
    let mut comment = String::new();
    // What of the immediate the mnemonic and the operands have said; the rest follows as `imm=`.
    let mut said = 0;
    let mut memory = None;
    match data.op.signature() {
        Signature::Const => {
            said = data.imm;
            let scalar =
                data.result.expand().and_then(|value| function.values.get(value)).map(|data| data.ty.scalar);
            comment = write_constant(out, scalar, data.imm)?;
        }
        Signature::Arg | Signature::Effect => {
            said = data.imm;
            write!(out, " {}", data.imm)?;
        }
        Signature::SlotLoad | Signature::SlotStore | Signature::SlotCall => {
            said = data.imm & u64::from(u32::MAX);
            write!(out, " slot{said}")?;
        }
        Signature::FloatToFloat if data.imm == 1 => {
            said = 1;
            out.write_str(".rtz")?;
        }
        _ if data.op.takes_no_contraction() && data.imm == 1 => {
            said = 1;
            out.write_str(".nocontract")?;
        }
        _ if data.op.is_memory() => {
            let decoded = MemoryOp::from_imm(data.imm);
            write!(out, ".{}", decoded.space.name())?;
            if decoded.to_imm() == data.imm {
                said = data.imm;
                memory = Some(decoded);
            }
        }
        _ => {}
    }
    let names_slot = matches!(data.op, Opcode::SlotLoad | Opcode::SlotStore | Opcode::SlotCall);
    let mut separator = if names_slot { ", " } else { " " };
    for arg in &data.args {
        write!(out, "{separator}{arg}")?;
        separator = ", ";
    }
    if let Some(memory) = memory {
        if memory.displacement != 0 {
            write!(out, " {:+}", memory.displacement)?;
        }
        if memory.volatile {
            out.write_str(" volatile")?;
        }
        if memory.speculatable {
            out.write_str(" speculatable")?;
        }
        if memory.pairs {
            out.write_str(" pairs")?;
        }
        if memory.whole_pairs {
            out.write_str(" whole_pairs")?;
        }
        if memory.streaming {
            out.write_str(" streaming")?;
        }
        if memory.deferrable {
            out.write_str(" deferrable")?;
        }
        if memory.apart {
            out.write_str(" apart")?;
        }
    }
    if said != data.imm {
        write!(out, " imm={:#x}", data.imm)?;
    }
    if data.loc.0 != 0 {
        write!(out, " @{}", data.loc.0)?;
    }
    if !comment.is_empty() {
        write!(out, " ; {comment}")?;
    }
    Ok(())
}

/// Writes a constant's bits; gives the comment that makes them readable.
fn write_constant(out: &mut impl Write, scalar: Option<Scalar>, bits: u64) -> Result<String, fmt::Error> {
    let Some(scalar) = scalar else {
        write!(out, " {bits:#x}")?;
        return Ok(String::new());
    };
    match scalar {
        Scalar::F16 => write!(out, " {bits:#06x}")?,
        Scalar::F32 => write!(out, " {bits:#010x}")?,
        Scalar::F64 => write!(out, " {bits:#018x}")?,
        _ => write!(out, " {bits}")?,
    }
    Ok(match scalar {
        Scalar::F16 => format!("{:?}", half::f16::from_bits(bits as u16).to_f32()),
        Scalar::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Scalar::F64 => format!("{:?}", f64::from_bits(bits)),
        Scalar::I1 => String::new(),
        _ if bits >> (scalar.bits() - 1) == 1 => {
            let shift = 64 - scalar.bits();
            format!("{}", (bits << shift) as i64 >> shift)
        }
        _ => String::new(),
    })
}

fn write_terminator(out: &mut impl Write, terminator: &Terminator) -> fmt::Result {
    match terminator {
        Terminator::None => out.write_str("; no terminator"),
        Terminator::Jump(to) => write!(out, "jump {}", Call(to)),
        Terminator::Branch { condition, then, otherwise } => {
            write!(out, "branch {condition}, {}, {}", Call(then), Call(otherwise))
        }
        Terminator::Switch { selector, cases, default } => {
            write!(out, "switch {selector}")?;
            for (literal, to) in cases {
                write!(out, ", {literal}: {}", Call(to))?;
            }
            write!(out, ", default {}", Call(default))
        }
        Terminator::Return(code) => write!(out, "return {code}"),
        Terminator::Unreachable => out.write_str("unreachable"),
    }
}

struct Call<'a>(&'a BlockCall);

impl Display for Call<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.block)?;
        if self.0.args.is_empty() {
            return Ok(());
        }
        f.write_char('(')?;
        for (index, arg) in self.0.args.iter().enumerate() {
            write!(f, "{}{arg}", if index == 0 { "" } else { ", " })?;
        }
        f.write_char(')')
    }
}
