//! Names of types for people.

use crate::constant::ConstantValues;
use crate::id::Id;
use crate::module::Module;
use crate::spirv::FPEncoding;
use crate::types::{ImageType, Type};
use spirv::{Dim, ImageFormat, Op};

/// How deep types are written out.
const DEPTH_MAX: u32 = 4;

/// A type, as GLSL would write it, near enough.
pub fn type_name(module: &Module, ty: Id) -> String {
    let len = |ty| {
        let Type::Array { len, .. } = module.ty(ty) else { return None };
        let len = module.definition(len).filter(|len| len.op() == Op::Constant)?;
        Some(len.word(0).into())
    };
    Namer { module, len: &len }.name(ty, DEPTH_MAX)
}

impl ConstantValues<'_> {
    /// A type, as GLSL would write it, near enough, its arrays as long as the constants say.
    pub fn type_name(&self, ty: Id) -> String {
        Namer { module: self.module(), len: &|ty| self.array_len(ty) }.name(ty, DEPTH_MAX)
    }
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
            Type::Struct { members } => match short_name(module, ty) {
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
        // Behind a structure's members, which may be arrays themselves.
        let start = element.rfind('}').map_or(0, |at| at + 1);
        match element[start..].find('[').filter(|_| !element.starts_with("pointer ")) {
            Some(at) => format!("{}[{len}]{}", &element[..start + at], &element[start + at..]),
            None => format!("{element}[{len}]"),
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

/// The name that a module gives an id, fit to be shown: none when it is empty.
pub fn short_name(module: &Module, id: Id) -> Option<String> {
    let name = module.name(id).filter(|name| !name.is_empty())?;
    // Names are the application's: no line breaks, and no novels.
    Some(name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(60).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::assemble;

    #[test]
    fn types_are_named() {
        let text = "OpName %S \"Light\"\n%float = OpTypeFloat 32\n%half = OpTypeFloat 16\n%uint = OpTypeInt 32 0\n\
                    %hvec = OpTypeVector %half 3\n%uvec = OpTypeVector %uint 2\n%vec = OpTypeVector %float 4\n\
                    %mat = OpTypeMatrix %vec 3\n%two = OpConstant %uint 2\n%five = OpConstant %uint 5\n\
                    %mats = OpTypeArray %mat %two\n%grid = OpTypeArray %mats %five\n%S = OpTypeStruct %vec\n\
                    %lights = OpTypeRuntimeArray %S\n%T = OpTypeStruct %vec %uint\n%Ts = OpTypeArray %T %two\n%held = OpTypeStruct %mats\n\
                    %helds = OpTypeArray %held %two\n\
                    %image = OpTypeImage %uint 2D 0 1 0 2 Rgba8ui\n%texture = OpTypeImage %float Cube 0 0 0 1 Unknown\n\
                    %sampled = OpTypeSampledImage %texture\n%many = OpTypeArray %sampled %five\n\
                    %pointer = OpTypePointer Uniform %mats";
        let module = Module::decode(&assemble(text).unwrap()).unwrap();
        let names: Vec<String> =
            module.insts().filter_map(|inst| inst.result()).map(|id| type_name(&module, id)).collect();
        let expected = [
            "float",
            "float16",
            "uint",
            "f16vec3",
            "uvec2",
            "vec4",
            "mat3x4",
            "",
            "",
            "mat3x4[2]",
            "mat3x4[5][2]",
            "struct Light",
            "struct Light[]",
            "struct { vec4; uint }",
            "struct { vec4; uint }[2]",
            "struct { mat3x4[2] }",
            "struct { mat3x4[2] }[2]",
            "uimage2DArray Rgba8ui",
            "textureCube",
            "samplerCube",
            "samplerCube[5]",
            "pointer to mat3x4[2] in Uniform",
        ];
        for (name, expected) in names.iter().zip(expected).filter(|(_, expected)| !expected.is_empty()) {
            assert_eq!(name, expected);
        }
        assert_eq!(names.len(), expected.len());
    }
}
