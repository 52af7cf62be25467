//! SPIR-V assembly of small test shaders: the declarations around a body.
//!
//! Problem: a test of one instruction needs forty lines of capabilities, decorations, types and constants
//! around it, which are the same in every test. Approach: a [`Shader`] is a body and what is special about
//! its module; [`Shader::text`] adds the rest. Types, pointers and constants that are used by their standard
//! names (module [`names`]) are declared when no other line declares them.
//!
//! Invariants: the text depends on nothing but the calls, and each declaration stands behind those that it
//! uses. The text is assembled by the caller; a name that nothing declares is the assembler's error.
//!
//! *Must not know*: the assembler, or any rule of SPIR-V but the order of a module's sections. Tests of
//! invalid modules rely on it: it checks nothing.

mod names;

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A module of one entry point, `%main`, whose function has the type `%fn`.
///
/// The methods that take `self` return the shader with something added.
#[derive(Clone, Debug, Default)]
pub struct Shader {
    version: Option<String>,
    capabilities: Vec<String>,
    extensions: Vec<String>,
    memory_model: String,
    model: String,
    modes: Vec<String>,
    mode_ids: Vec<String>,
    interface: Vec<String>,
    decorations: Vec<String>,
    declarations: Vec<String>,
    body: String,
    functions: String,
}

impl Shader {
    /// A shader of an execution model with the capability `Shader`; `body` is the code of its first block,
    /// and of further ones, up to the return.
    #[must_use]
    pub fn new(model: &str, body: &str) -> Shader {
        Shader {
            model: model.to_owned(),
            capabilities: vec!["Shader".to_owned()],
            memory_model: "Logical GLSL450".to_owned(),
            body: body.to_owned(),
            ..Shader::default()
        }
    }

    /// A compute shader with workgroups of this size.
    #[must_use]
    pub fn compute([x, y, z]: [u32; 3], body: &str) -> Shader {
        Shader::new("GLCompute", body).mode(&format!("LocalSize {x} {y} {z}"))
    }

    /// A fragment shader.
    #[must_use]
    pub fn fragment(body: &str) -> Shader {
        Shader::new("Fragment", body).mode("OriginUpperLeft")
    }

    /// A vertex shader that writes its position, `%position` (a `%float4`).
    #[must_use]
    pub fn vertex(body: &str) -> Shader {
        Shader::new("Vertex", body).output("position", "float4", "BuiltIn Position")
    }

    /// The SPIR-V version, as `1.4`; from there on the interface lists buffers too.
    #[must_use]
    pub fn version(mut self, version: &str) -> Shader {
        self.version = Some(version.to_owned());
        self
    }

    /// Capabilities, separated by spaces.
    #[must_use]
    pub fn capability(mut self, names: &str) -> Shader {
        self.capabilities.extend(names.split_whitespace().map(str::to_owned));
        self
    }

    /// An extension.
    #[must_use]
    pub fn extension(mut self, name: &str) -> Shader {
        self.extensions.push(name.to_owned());
        self
    }

    /// The Vulkan memory model, with its capability and extension.
    #[must_use]
    pub fn vulkan_memory_model(mut self) -> Shader {
        self.memory_model = "Logical Vulkan".to_owned();
        self.capability("VulkanMemoryModel").extension("SPV_KHR_vulkan_memory_model")
    }

    /// Addresses of 64 bits in the memory model, with their capability and extension.
    #[must_use]
    pub fn physical_addresses(mut self) -> Shader {
        self.memory_model = "PhysicalStorageBuffer64 GLSL450".to_owned();
        self.capability("PhysicalStorageBufferAddresses").extension("SPV_KHR_physical_storage_buffer")
    }

    /// An execution mode with its operands.
    #[must_use]
    pub fn mode(mut self, mode: &str) -> Shader {
        self.modes.push(mode.to_owned());
        self
    }

    /// An execution mode whose operands are ids (`OpExecutionModeId`).
    #[must_use]
    pub fn mode_by_ids(mut self, mode: &str) -> Shader {
        self.mode_ids.push(format!("OpExecutionModeId %main {mode}"));
        self
    }

    /// Ids of declared variables in the entry point's interface, as `%a %b`.
    #[must_use]
    pub fn interface(mut self, ids: &str) -> Shader {
        self.interface.extend(ids.split_whitespace().map(str::to_owned));
        self
    }

    /// Annotations: whole lines.
    #[must_use]
    pub fn decorate(mut self, lines: &str) -> Shader {
        self.decorations.push(lines.to_owned());
        self
    }

    /// Types, constants and variables: whole lines.
    #[must_use]
    pub fn declare(mut self, lines: &str) -> Shader {
        self.declarations.push(lines.to_owned());
        self
    }

    /// Functions behind the entry point's: whole lines.
    #[must_use]
    pub fn functions(mut self, lines: &str) -> Shader {
        self.functions += lines;
        self
    }

    /// An input variable of this type by its standard name, with decorations as `Location 0` or `BuiltIn
    /// VertexIndex`; several are separated by commas.
    #[must_use]
    pub fn input(self, name: &str, ty: &str, decorations: &str) -> Shader {
        self.variable(name, "Input", ty, decorations)
    }

    /// An output variable, likewise.
    #[must_use]
    pub fn output(self, name: &str, ty: &str, decorations: &str) -> Shader {
        self.variable(name, "Output", ty, decorations)
    }

    fn variable(mut self, name: &str, class: &str, ty: &str, decorations: &str) -> Shader {
        for decoration in decorations.split(',').map(str::trim).filter(|decoration| !decoration.is_empty()) {
            self.decorations.push(format!("OpDecorate %{name} {decoration}"));
        }
        let pointer = names::pointer(class, ty);
        self.interface.push(format!("%{name}"));
        self.declare(&format!("%{name} = OpVariable {pointer} {class}"))
    }

    /// Binds variables to set 0, in the order of their names, from binding 0 on.
    #[must_use]
    pub fn bind(mut self, names: &[&str]) -> Shader {
        for (binding, name) in names.iter().enumerate() {
            self.decorations.push(format!("OpDecorate %{name} DescriptorSet 0"));
            self.decorations.push(format!("OpDecorate %{name} Binding {binding}"));
        }
        self
    }

    /// Storage buffers at set 0 from binding 0 on: each a `%block` whose member 0 is the runtime array
    /// `%words` of `%uint`.
    #[must_use]
    pub fn buffers(self, names: &[&str]) -> Shader {
        self.buffers_of("uint", 4, names)
    }

    /// The same with elements of another type and stride in bytes.
    #[must_use]
    pub fn buffers_of(mut self, ty: &str, stride: u32, names: &[&str]) -> Shader {
        self = self.block(ty, stride).bind(names);
        let has_all = self.version.as_deref().is_some_and(|version| version >= "1.4");
        for name in names {
            if has_all {
                self.interface.push(format!("%{name}"));
            }
            self = self.declare(&format!("%{name} = OpVariable %buffer_block StorageBuffer"));
        }
        self
    }

    /// The type `%block` alone, a structure of the runtime array `%words` of these elements.
    #[must_use]
    pub fn block(self, ty: &str, stride: u32) -> Shader {
        self.decorate(&format!(
            "OpDecorate %words ArrayStride {stride}\nOpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0"
        ))
        .declare(&format!("%words = OpTypeRuntimeArray %{ty}\n%block = OpTypeStruct %words"))
    }

    /// Push constants `%push`: a structure of one word, whose type is `%params`.
    #[must_use]
    pub fn push_word(self) -> Shader {
        self.decorate("OpDecorate %params Block\nOpMemberDecorate %params 0 Offset 0")
            .declare("%params = OpTypeStruct %uint\n%push = OpVariable %push_params PushConstant")
    }

    /// The module as assembly.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |line: &str| writeln!(text, "{line}").expect("strings take text");
        if let Some(version) = &self.version {
            line(&format!("; Version: {version}"));
        }
        let mut seen = BTreeSet::new();
        for name in self.capabilities.iter().filter(|name| seen.insert(*name)) {
            line(&format!("OpCapability {name}"));
        }
        self.extensions.iter().for_each(|name| line(&format!("OpExtension \"{name}\"")));
        line(&format!("OpMemoryModel {}", self.memory_model));
        line(&format!("OpEntryPoint {} %main \"main\" {}", self.model, self.interface.join(" ")));
        self.modes.iter().for_each(|mode| line(&format!("OpExecutionMode %main {mode}")));
        self.mode_ids.iter().for_each(|mode| line(mode));
        self.decorations.iter().for_each(|lines| line(lines));
        let mut main = "%main = OpFunction %void None %fn\n%entry = OpLabel\n".to_owned();
        main += &self.body;
        main += "\nOpReturn\nOpFunctionEnd\n";
        main += &self.functions;
        let using = [&self.mode_ids.join("\n"), "\n", &self.decorations.join("\n"), "\n", &main].concat();
        line(names::declared(&self.declarations.join("\n"), &using).trim_end());
        text + &main
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_is_declared_once_and_in_order() {
        let shader = Shader::compute([4, 1, 1], "%p = OpAccessChain %buffer_uint %out %uint_0 %uint_3")
            .input("id", "uint3", "BuiltIn GlobalInvocationId")
            .buffers(&["in", "out"]);
        let text = shader.text();
        let at = |line: &str| {
            assert_eq!(text.matches(line).count(), 1, "{line} in\n{text}");
            text.find(line).expect("counted")
        };
        assert!(at("OpCapability Shader") < at("OpEntryPoint GLCompute %main \"main\" %id\n"));
        assert!(at("OpDecorate %out Binding 1") < at("%void = OpTypeVoid"));
        assert!(at("%uint = OpTypeInt 32 0") < at("%words = OpTypeRuntimeArray %uint"));
        assert!(
            at("%block = OpTypeStruct %words") < at("%buffer_block = OpTypePointer StorageBuffer %block")
        );
        assert!(at("%buffer_block = ") < at("%out = OpVariable %buffer_block StorageBuffer"));
        assert!(at("%uint_3 = OpConstant %uint 3") < at("%main = OpFunction %void None %fn"));
        assert!(!text.contains("%uint_1 "));
    }

    #[test]
    fn own_declarations_come_first() {
        let shader = Shader::compute([1; 3], "%x = OpIAdd %uint %uint_1 %uint_2")
            .declare("%uint_1 = OpSpecConstant %uint 9");
        let text = shader.text();
        assert!(text.contains("%uint_1 = OpSpecConstant %uint 9") && !text.contains("OpConstant %uint 1"));
        assert!(text.find("%uint = ").expect("the type") < text.find("%uint_1 =").expect("the constant"));
    }

    #[test]
    fn interfaces_list_buffers_from_version_1_4_on() {
        let shader = |version| Shader::compute([1; 3], "").version(version).buffers(&["out"]).text();
        assert!(shader("1.3").contains("\"main\" \n"));
        assert!(shader("1.4").starts_with("; Version: 1.4\n") && shader("1.4").contains("\"main\" %out\n"));
    }
}
