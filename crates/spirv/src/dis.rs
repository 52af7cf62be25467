//! Modules to SPIR-V assembly.

use crate::grammar::{self, Operand, OperandKind};
use crate::id::Id;
use crate::instruction::Instruction;
use crate::module::Module;
use crate::number::number_text;
use crate::string::literal_string;
use crate::types::Type;
use spirv::Op;
use std::collections::HashSet;
use std::fmt::Write as _;

/// A module as assembly with numeric ids, which [`assemble`](crate::asm::assemble) reads back to the same
/// words.
pub fn disassemble(module: &Module) -> String {
    text(module, &|id| id.to_string())
}

/// A module as assembly in which ids have the names that its debug information gives them, made unique by
/// their number where needed.
pub fn disassemble_named(module: &Module) -> String {
    let mut taken = HashSet::new();
    let mut names: Vec<Option<String>> = vec![None; module.bound()];
    for inst in module.insts() {
        let Some(id) = inst.result() else { continue };
        let name = module.name(id).map(|name| identifier(&name)).filter(|name| !name.is_empty());
        let Some(mut name) = name else { continue };
        if !taken.insert(name.clone()) {
            let _ = write!(name, "_{}", id.as_u32());
            if !taken.insert(name.clone()) {
                continue;
            }
        }
        names[id.as_u32() as usize] = Some(name);
    }
    text(module, &|id| match names.get(id.as_u32() as usize) {
        Some(Some(name)) => format!("%{name}"),
        _ => id.to_string(),
    })
}

/// One instruction as assembly with numeric ids, without indentation: for messages.
pub fn instruction_text(inst: Instruction<'_>) -> String {
    let mut out = String::new();
    write_instruction(&mut out, inst, &|id| id.to_string());
    out
}

/// A name of which the assembler reads back every character; never numeric.
fn identifier(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

fn text(module: &Module, name: &dyn Fn(Id) -> String) -> String {
    let header = module.header();
    let mut out = format!(
        "; SPIR-V\n; Version: {}.{}\n; Generator: {}\n; Bound: {}\n; Schema: {}\n",
        header.major, header.minor, header.generator, header.bound, header.schema
    );
    for inst in module.insts() {
        let result = inst.result().map(name);
        // Results end where the column of opcodes begins.
        let indent = 14usize.saturating_sub(result.map_or(0, |result| result.chars().count() + 3));
        out.extend(std::iter::repeat_n(' ', indent));
        write_instruction(&mut out, inst, name);
        out.push('\n');
    }
    out
}

fn write_instruction(out: &mut String, inst: Instruction<'_>, name: &dyn Fn(Id) -> String) {
    if let Some(result) = inst.result() {
        let _ = write!(out, "{} = ", name(result));
    }
    let _ = write!(out, "Op{}", inst.info().name);
    if let Some(ty) = inst.result_type() {
        let _ = write!(out, " {}", name(ty));
    }
    for operand in inst.operands() {
        out.push(' ');
        write_operand(out, inst, operand, name);
    }
}

fn write_operand(out: &mut String, inst: Instruction<'_>, operand: Operand<'_>, name: &dyn Fn(Id) -> String) {
    let word = operand.words[0];
    let module = inst.module();
    let _ = match operand.kind {
        _ if operand.id().is_some() => write!(out, "{}", name(Id::from_u32(word))),
        OperandKind::LiteralString => {
            out.push('"');
            for character in literal_string(operand.words).chars() {
                if matches!(character, '"' | '\\') {
                    out.push('\\');
                }
                out.push(character);
            }
            out.push('"');
            Ok(())
        }
        OperandKind::LiteralContextDependentNumber => {
            let ty = match inst.op() {
                Op::Switch => module.type_of(inst.id(0)),
                _ => inst.result_type(),
            };
            let ty = ty.map_or(Type::Void, |ty| module.ty(ty));
            let bits = u64::from(word) | u64::from(operand.words.get(1).copied().unwrap_or(0)) << 32;
            // Bits above a narrow number's width are its sign's or zero; others can be given only raw.
            match number_text(bits, ty).filter(|_| is_properly_extended(bits, ty)) {
                Some(text) => out.write_str(&text),
                None => operand.words.iter().enumerate().try_for_each(|(index, word)| {
                    write!(out, "{}!{word:#x}", if index == 0 { "" } else { " " })
                }),
            }
        }
        OperandKind::LiteralExtInstInteger => {
            let set = module.ext_inst_set(inst.id(0));
            match set.and_then(|set| set.instruction_name(word)) {
                Some(name) => out.write_str(name),
                None => write!(out, "{word}"),
            }
        }
        OperandKind::LiteralSpecConstantOpInteger => match Op::from_u32(word) {
            Some(op) => out.write_str(grammar::table().get(op).name),
            None => write!(out, "{word}"),
        },
        OperandKind::LiteralFloat => {
            let text = number_text(u64::from(word), Type::Float { width: 32, encoding: None });
            out.write_str(&text.unwrap_or_default())
        }
        kind => match grammar::enumerant_name(kind, word) {
            Some(text) => out.write_str(&text),
            None => write!(out, "{word}"),
        },
    };
}

fn is_properly_extended(bits: u64, ty: Type<'_>) -> bool {
    match ty {
        Type::Int { width, signed } if width < 32 => {
            let shift = 32 - width;
            let word = bits as u32;
            if signed {
                ((word << shift) as i32 >> shift) as u32 == word
            } else {
                word << shift >> shift == word
            }
        }
        Type::Float { width, .. } if width < 32 => bits >> width == 0,
        _ => true,
    }
}
