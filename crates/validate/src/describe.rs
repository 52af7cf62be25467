//! What ids are, in a few words: modules without names say only numbers.

use pyro_spirv::spirv::{FPEncoding, Op};
use pyro_spirv::{Id, Instruction, Module, Type};

/// How deep types are written out.
const DEPTH_MAX: u32 = 4;

/// A type, as GLSL would write it, near enough.
fn type_name(module: &Module, ty: Id, depth: u32) -> String {
    if depth == 0 {
        return ty.to_string();
    }
    let inner = |ty: Id| type_name(module, ty, depth - 1);
    let prefix = |component: Id| match module.ty(component) {
        Type::Bool => "b".to_owned(),
        Type::Int { width: 32, signed } => if signed { "i" } else { "u" }.to_owned(),
        Type::Int { width, signed } => format!("{}{width}", if signed { "i" } else { "u" }),
        Type::Float { width: 32, .. } => String::new(),
        Type::Float { width: 64, .. } => "d".to_owned(),
        Type::Float { width, .. } => format!("f{width}"),
        _ => "?".to_owned(),
    };
    match module.ty(ty) {
        Type::Void => "void".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Int { width: 32, signed } => if signed { "int" } else { "uint" }.to_owned(),
        Type::Int { width, signed } => format!("{}int{width}", if signed { "" } else { "u" }),
        Type::Float { width: 32, encoding: None } => "float".to_owned(),
        Type::Float { width: 64, encoding: None } => "double".to_owned(),
        Type::Float { width, encoding: None } => format!("float{width}"),
        Type::Float { encoding: Some(FPEncoding::BFloat16KHR), .. } => "bfloat16".to_owned(),
        Type::Float { encoding: Some(encoding), .. } => format!("{encoding:?}"),
        Type::Vector { component, count } => format!("{}vec{count}", prefix(component)),
        Type::Matrix { column, count } => match module.ty(column) {
            Type::Vector { component, count: rows } => format!("{}mat{count}x{rows}", prefix(component)),
            _ => "matrix".to_owned(),
        },
        Type::Array { element, len } => {
            let len = module.definition(len).filter(|len| len.op() == Op::Constant);
            let len = len.map_or("n".to_owned(), |len| len.word(0).to_string());
            format!("{}[{len}]", inner(element))
        }
        Type::RuntimeArray { element } => format!("{}[]", inner(element)),
        Type::Struct { members } => match named(module, ty) {
            Some(name) => format!("struct {name}"),
            None => {
                let mut list: Vec<String> = members.iter().take(4).map(inner).collect();
                list.extend((members.len() > 4).then(|| "…".to_owned()));
                format!("struct {{ {} }}", list.join("; "))
            }
        },
        Type::Pointer { class, pointee } => format!("pointer to {} in {class:?}", inner(pointee)),
        Type::UntypedPointer { class } => format!("untyped pointer in {class:?}"),
        Type::Function { result, .. } => format!("function that returns {}", inner(result)),
        Type::Image(image) => {
            let dim = format!("{:?}", image.dim);
            let array = if image.arrayed { " array" } else { "" };
            let samples = if image.multisampled { " multisampled" } else { "" };
            let kind = match image.sampled {
                1 => "sampled",
                2 => "storage",
                _ => "any",
            };
            format!(
                "{kind} image {}{array}{samples} of {}",
                dim.trim_start_matches("Dim"),
                inner(image.sampled_type)
            )
        }
        Type::Sampler => "sampler".to_owned(),
        Type::SampledImage { image } => format!("sampler with {}", inner(image)),
        Type::AccelerationStructure => "acceleration structure".to_owned(),
        Type::RayQuery => "ray query".to_owned(),
        Type::Other(op) => format!("Op{op:?}"),
        _ => module.definition(ty).map_or_else(String::new, |found| found.info().full_name().to_string()),
    }
}

fn named(module: &Module, id: Id) -> Option<String> {
    let name = module.name(id).filter(|name| !name.is_empty())?;
    // Names are the application's: no line breaks, and no novels.
    Some(name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(60).collect())
}

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
    let ty = |depth| inst.result_type().map_or_else(String::new, |ty| type_name(module, ty, depth));
    let what = match inst.op() {
        Op::String | Op::ExtInstImport | Op::DecorationGroup => return None,
        Op::Function => "a function".to_owned(),
        Op::FunctionParameter => format!("a parameter of type {}", ty(DEPTH_MAX)),
        Op::Label => "a block".to_owned(),
        Op::Variable => match inst.result_type().and_then(|ty| module.pointer(ty)) {
            Some((class, pointee)) => {
                format!("a variable in {class:?}: {}", type_name(module, pointee, DEPTH_MAX))
            }
            None => "a variable".to_owned(),
        },
        Op::Constant | Op::SpecConstant => match number(module, inst) {
            Some(number) => format!("the {} {number}", ty(1)),
            None => format!("a constant of type {}", ty(DEPTH_MAX)),
        },
        Op::ConstantTrue | Op::SpecConstantTrue => "true".to_owned(),
        Op::ConstantFalse | Op::SpecConstantFalse => "false".to_owned(),
        Op::Undef => format!("an undefined {}", ty(DEPTH_MAX)),
        op => match inst.info().class {
            pyro_spirv::grammar::OpClass::Type => format!("the type {}", type_name(module, id, DEPTH_MAX)),
            pyro_spirv::grammar::OpClass::Constant => format!("a constant of type {}", ty(DEPTH_MAX)),
            _ if inst.result_type().is_some() => format!("the {} of Op{op:?}", ty(DEPTH_MAX)),
            _ => return None,
        },
    };
    Some(match named(module, id) {
        // Types say their names themselves.
        Some(name) if inst.result_type().is_some() || inst.op() == Op::Label => format!("'{name}', {what}"),
        _ => what,
    })
}

/// The ids of an instruction, each with what it is: its result where that is a variable or a type, then its result type
/// and operands.
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
