//! What ids are, in a few words: modules without names say only numbers.

use pyro_spirv::spirv::{Dim, FPEncoding, ImageFormat, Op};
use pyro_spirv::{Id, ImageType, Instruction, Module, Type};

/// How deep types are written out.
const DEPTH_MAX: u32 = 4;

/// A type, as GLSL would write it, near enough; `len` says how many elements an array type has, where that is known.
pub fn type_name(module: &Module, ty: Id, len: &dyn Fn(Id) -> Option<u64>) -> String {
    Namer { module, len }.name(ty, DEPTH_MAX)
}

/// How many elements an array has, as far as a plain constant says it.
fn literal_len(module: &Module, ty: Id) -> Option<u64> {
    let Type::Array { len, .. } = module.ty(ty) else { return None };
    let len = module.definition(len).filter(|len| len.op() == Op::Constant)?;
    Some(len.word(0).into())
}

struct Namer<'a> {
    module: &'a Module,
    len: &'a dyn Fn(Id) -> Option<u64>,
}

impl Namer<'_> {
    fn name(&self, ty: Id, depth: u32) -> String {
        let module = self.module;
        if depth == 0 {
            return ty.to_string();
        }
        let inner = |ty: Id| self.name(ty, depth - 1);
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
            Type::Vector { component, count } => format!("{}vec{count}", self.prefix(component)),
            Type::Matrix { column, count } => match module.ty(column) {
                Type::Vector { component, count: rows } => {
                    format!("{}mat{count}x{rows}", self.prefix(component))
                }
                _ => "matrix".to_owned(),
            },
            Type::Array { element, .. } => {
                let len = (self.len)(ty).map_or("n".to_owned(), |len| len.to_string());
                Self::array(inner(element), &len)
            }
            Type::RuntimeArray { element } => Self::array(inner(element), ""),
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
            Type::Image(image) => self.image(&image, if image.sampled == 2 { "image" } else { "texture" }),
            Type::Sampler => "sampler".to_owned(),
            Type::SampledImage { image } => match module.ty(image) {
                Type::Image(image) => self.image(&image, "sampler"),
                _ => "sampler".to_owned(),
            },
            Type::AccelerationStructure => "accelerationStructure".to_owned(),
            Type::RayQuery => "rayQuery".to_owned(),
            Type::Other(op) => format!("Op{op:?}"),
            _ => module.definition(ty).map_or_else(String::new, |found| found.info().full_name().to_string()),
        }
    }

    /// What the names of vectors, matrices and images of a type begin with.
    fn prefix(&self, component: Id) -> String {
        match self.module.ty(component) {
            Type::Bool => "b".to_owned(),
            Type::Int { width: 32, signed } => if signed { "i" } else { "u" }.to_owned(),
            Type::Int { width, signed } => format!("{}{width}", if signed { "i" } else { "u" }),
            Type::Float { width: 32, .. } => String::new(),
            Type::Float { width: 64, .. } => "d".to_owned(),
            Type::Float { width, .. } => format!("f{width}"),
            _ => "?".to_owned(),
        }
    }

    /// The outer length comes first.
    fn array(element: String, len: &str) -> String {
        // Structures without a name end in their members.
        match element.split_once('[').filter(|_| !element.ends_with('}')) {
            Some((base, rest)) if !base.contains(' ') || base.starts_with("struct ") => {
                format!("{base}[{len}][{rest}")
            }
            _ => format!("{element}[{len}]"),
        }
    }

    fn image(&self, image: &ImageType, kind: &str) -> String {
        let dim = format!("{:?}", image.dim);
        let mut name = match image.dim {
            Dim::DimSubpassData => format!("{}subpassInput", self.prefix(image.sampled_type)),
            _ => format!("{}{kind}{}", self.prefix(image.sampled_type), dim.trim_start_matches("Dim")),
        };
        if image.multisampled {
            name += "MS";
        }
        if image.arrayed {
            name += "Array";
        }
        if image.format != ImageFormat::Unknown {
            name += &format!(" {:?}", image.format);
        }
        name
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
    let len = |ty| literal_len(module, ty);
    let namer = Namer { module, len: &len };
    let ty = |depth| inst.result_type().map_or_else(String::new, |ty| namer.name(ty, depth));
    let what = match inst.op() {
        Op::String | Op::ExtInstImport | Op::DecorationGroup => return None,
        Op::Function => "a function".to_owned(),
        Op::FunctionParameter => format!("a parameter of type {}", ty(DEPTH_MAX)),
        Op::Label => "a block".to_owned(),
        Op::Variable => match inst.result_type().and_then(|ty| module.pointer(ty)) {
            Some((class, pointee)) => {
                format!("a variable in {class:?}: {}", namer.name(pointee, DEPTH_MAX))
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
            pyro_spirv::grammar::OpClass::Type => format!("the type {}", namer.name(id, DEPTH_MAX)),
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
