//! What ids are, in a few words: modules without names say only numbers.

use pyro_spirv::spirv::Op;
use pyro_spirv::{Id, Instruction, Module, Type, short_name, type_name};

/// What a number is, when it fits 32 bits.
fn number(module: &Module, constant: Instruction<'_>) -> Option<String> {
    let word = (constant.operand_words().len() == 1).then(|| constant.word(0))?;
    Some(match module.ty(constant.result_type()?) {
        Type::Int { signed: true, .. } => (word as i32).to_string(),
        Type::Int { .. } => word.to_string(),
        Type::Float { width: 32, .. } => f32::from_bits(word).to_string(),
        _ => return None,
    })
}

/// What an id is, in a few words; none for what defines nothing, and for strings and imports.
pub fn describe(module: &Module, id: Id) -> Option<String> {
    let inst = module.definition(id)?;
    let ty = || inst.result_type().map_or_else(String::new, |ty| type_name(module, ty));
    let what = match inst.op() {
        Op::String | Op::ExtInstImport | Op::DecorationGroup => return None,
        Op::Function => "a function".to_owned(),
        Op::FunctionParameter => format!("a parameter of type {}", ty()),
        Op::Label => "a block".to_owned(),
        Op::Variable => match inst.result_type().and_then(|ty| module.pointer(ty)) {
            Some((class, pointee)) => {
                format!("a variable in {class:?}: {}", type_name(module, pointee))
            }
            None => "a variable".to_owned(),
        },
        Op::Constant | Op::SpecConstant => match number(module, inst) {
            Some(number) => format!("the {} {number}", ty()),
            None => format!("a constant of type {}", ty()),
        },
        Op::ConstantTrue | Op::SpecConstantTrue => "true".to_owned(),
        Op::ConstantFalse | Op::SpecConstantFalse => "false".to_owned(),
        Op::Undef => format!("an undefined {}", ty()),
        op => match inst.info().class {
            pyro_spirv::grammar::OpClass::Type => format!("the type {}", type_name(module, id)),
            pyro_spirv::grammar::OpClass::Constant => format!("a constant of type {}", ty()),
            _ if inst.result_type().is_some() => format!("the {} of Op{op:?}", ty()),
            _ => return None,
        },
    };
    Some(match short_name(module, id) {
        // Types say their names themselves.
        Some(name) if inst.result_type().is_some() || inst.op() == Op::Label => format!("'{name}', {what}"),
        _ => what,
    })
}

/// The ids of an instruction, each with what it is: its result where that is a variable or a type, then its
/// result type and operands.
pub(crate) fn ids_of(module: &Module, inst: Instruction<'_>) -> Vec<(Id, String)> {
    const COUNT_MAX: usize = 8;
    let own = inst.result().filter(|_| matches!(inst.op(), Op::Variable | Op::UntypedVariableKHR));
    let mut found: Vec<(Id, String)> = Vec::new();
    for id in own.into_iter().chain(inst.used_ids()) {
        if found.len() == COUNT_MAX {
            break;
        }
        if found.iter().all(|(known, _)| *known != id) {
            found.extend(describe(module, id).map(|text| (id, text)));
        }
    }
    found
}
