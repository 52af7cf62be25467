//! Modules to check, made of pieces.
#![allow(dead_code, missing_docs, unreachable_pub)] // each test uses some of it

use pyro_spirv::Module;
use pyro_spirv::asm::assemble;
use pyro_spirv::grammar::{OperandKind, enumerant_value};
use pyro_validate::{Device, Environment, check, extensions_of_value};

/// What a module is made of; each case changes some of it.
#[derive(Clone)]
pub struct Text {
    pub capabilities: String,
    pub addressing: &'static str,
    pub memory: &'static str,
    /// Leaves out the capabilities of groups.
    pub without_groups: bool,
    pub model: &'static str,
    pub interface: String,
    pub modes: String,
    pub decorations: String,
    pub declarations: String,
    pub body: String,
    /// What ends the entry point.
    pub end: &'static str,
}

impl Text {
    pub fn stage(model: &'static str) -> Text {
        Text {
            capabilities: String::new(),
            addressing: "Logical",
            memory: "GLSL450",
            without_groups: false,
            model,
            interface: String::new(),
            modes: match model {
                "GLCompute" | "MeshEXT" => "OpExecutionMode %main LocalSize 8 2 1",
                "Fragment" => "OpExecutionMode %main OriginUpperLeft",
                _ => "",
            }
            .to_owned(),
            decorations: String::new(),
            declarations: String::new(),
            body: String::new(),
            end: "OpReturn",
        }
    }

    pub fn capability(mut self, names: &str) -> Text {
        for name in names.split_whitespace() {
            self.capabilities += &format!("OpCapability {name}\n");
        }
        self
    }

    pub fn mode(mut self, text: &str) -> Text {
        self.modes += &format!("\n{text}");
        self
    }

    pub fn decorate(mut self, text: &str) -> Text {
        self.decorations += &format!("{text}\n");
        self
    }

    pub fn declare(mut self, text: &str) -> Text {
        self.declarations += &format!("{text}\n");
        self
    }

    /// Declares a variable of a class and a type and lists it.
    pub fn variable(mut self, name: &str, class: &str, ty: &str) -> Text {
        self.declarations +=
            &format!("%p_{name} = OpTypePointer {class} {ty}\n%{name} = OpVariable %p_{name} {class}\n");
        self.interface += &format!(" %{name}");
        self
    }

    pub fn body(mut self, text: &str) -> Text {
        self.body += &format!("{text}\n");
        self
    }

    /// What is not the same in every text.
    pub fn own(&self) -> String {
        let parts = [&self.capabilities, &self.modes, &self.decorations, &self.declarations, &self.body];
        format!("{} {}\n{}", self.model, self.interface, parts.map(String::as_str).join("\n"))
    }

    /// Two capabilities came with version 1.5, and by no extension.
    fn version(&self) -> &'static str {
        let mut capabilities = self.capabilities.lines();
        let is_late = |line: &str| line.ends_with(" ShaderLayer") || line.ends_with(" ShaderViewportIndex");
        if capabilities.any(is_late) { "1.5" } else { "1.4" }
    }

    /// What brings the capabilities.
    fn extensions(&self) -> String {
        let names = self.capabilities.lines().filter_map(|line| line.strip_prefix("OpCapability "));
        let first = names
            .filter_map(|name| extensions_of_value(enumerant_value(OperandKind::Capability, name)?).first());
        let mut found: Vec<&str> = first.copied().collect();
        let all = self.own();
        let of_others = [
            ("MaximallyReconvergesKHR", "SPV_KHR_maximal_reconvergence"),
            ("SubgroupUniformControlFlowKHR", "SPV_KHR_subgroup_uniform_control_flow"),
            ("EarlyAndLateFragmentTestsAMD", "SPV_AMD_shader_early_and_late_fragment_tests"),
        ];
        found.extend(of_others.iter().filter(|(used, _)| all.contains(used)).map(|(_, name)| *name));
        found.sort_unstable();
        found.dedup();
        found.iter().map(|name| format!("OpExtension \"{name}\"\n")).collect()
    }

    /// The module. All of them are written into the folder that `PYRO_CORPUS` names, for who runs them.
    pub fn text(&self) -> String {
        let text = self.whole();
        if let Some(folder) = pyro_test_environment::path("PYRO_CORPUS") {
            let mut hasher = std::hash::DefaultHasher::new();
            std::hash::Hash::hash(&text, &mut hasher);
            let name = format!("{:016x}.spvasm", std::hash::Hasher::finish(&hasher));
            std::fs::write(folder.join(name), &text).expect("the folder of PYRO_CORPUS");
        }
        text
    }

    fn whole(&self) -> String {
        format!(
            "; Version: {}\nOpCapability Shader\nOpCapability GroupNonUniform\nOpCapability GroupNonUniformBallot\n{}\
             {}OpMemoryModel {} {}\nOpEntryPoint {} %main \"main\"{}\n{}\n{}\n\
             %void = OpTypeVoid\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%int = OpTypeInt 32 1\n\
             %float = OpTypeFloat 32\n%int2 = OpTypeVector %int 2\n%float2 = OpTypeVector %float 2\n\
             %float3 = OpTypeVector %float 3\n%float4 = OpTypeVector %float 4\n%uint4 = OpTypeVector %uint 4\n\
             %true = OpConstantTrue %bool\n%c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n\
             %c2 = OpConstant %uint 2\n%c3 = OpConstant %uint 3\n%c4 = OpConstant %uint 4\n%c6 = OpConstant %uint 6\n\
             %relaxed = OpConstant %uint 0\n%acquire = OpConstant %uint 258\n%release = OpConstant %uint 260\n\
             %both = OpConstant %uint 264\n%f1 = OpConstant %float 1\n\
             %zeros = OpConstantComposite %int2 %i0 %i0\n%v2 = OpConstantComposite %float2 %f1 %f1\n{}\n\
             %fn = OpTypeFunction %void\n%main = OpFunction %void None %fn\n%entry = OpLabel\n{}\n{}\nOpFunctionEnd\n",
            self.version(), self.capabilities, self.extensions(), self.addressing, self.memory, self.model, self.interface, self.modes, self.decorations,
            self.declarations, self.body, self.end
        )
        .replace(if self.without_groups { "OpCapability GroupNonUniform\nOpCapability GroupNonUniformBallot\n" } else { "\0" }, "")
        .replace("%zeros =", "%i0 = OpConstant %int 0\n%i1 = OpConstant %int 1\n%zeros =")
    }
}

/// The rules that a module breaks in an environment.
pub fn findings_in(text: &Text, environment: &Environment) -> Vec<String> {
    let text = text.text();
    let words = match assemble(&text) {
        Ok(words) => words,
        Err(error) => return vec![format!("assembler: {error}")],
    };
    let module = match Module::decode(&words) {
        Ok(module) => module,
        Err(error) => return vec![format!("decoder: {error}")],
    };
    match check(&module, environment) {
        Ok(warnings) => warnings.iter().map(|diagnostic| diagnostic.rule.to_string()).collect(),
        Err(found) => found.iter().map(|diagnostic| diagnostic.rule.to_string()).collect(),
    }
}

/// The rules that a module breaks on every device.
pub fn findings(text: &Text) -> Vec<String> {
    findings_in(text, &Environment { strict: true, ..Environment::default() })
}

pub fn compute() -> Text {
    Text::stage("GLCompute")
}

pub fn fragment() -> Text {
    Text::stage("Fragment")
}

pub fn vertex() -> Text {
    Text::stage("Vertex")
}

/// Workgroup memory to do atomics on.
pub fn shared() -> Text {
    compute().variable("shared", "Workgroup", "%uint")
}

/// An image, with these `Dim Depth Arrayed MS Sampled Format`, and its value `%value`.
pub fn image(text: Text, image: &str) -> Text {
    text.capability("Sampled1D SampledBuffer InputAttachment ImageQuery")
        .decorate("OpDecorate %image DescriptorSet 0\nOpDecorate %image Binding 0")
        .declare(&format!("%type = OpTypeImage {image}"))
        .variable("image", "UniformConstant", "%type")
        .body("%value = OpLoad %type %image")
}

/// A user-defined variable with decorations.
pub fn user(text: Text, class: &str, ty: &str, decorations: &[&str]) -> Text {
    let text = text.variable("user", class, ty);
    decorations.iter().fold(text, |text, one| text.decorate(&format!("OpDecorate %user {one}")))
}

/// A uniform or storage block that is decorated as it must be.
pub fn buffer(class: &str, block: &str) -> Text {
    compute()
        .decorate(&format!("OpDecorate %Block {block}\nOpMemberDecorate %Block 0 Offset 0"))
        .decorate("OpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0")
        .declare("%Block = OpTypeStruct %float")
        .variable("buffer", class, "%Block")
        .declare(&format!("%p_float = OpTypePointer {class} %float"))
}

pub fn physical() -> Text {
    let mut text = compute()
        .capability("PhysicalStorageBufferAddresses Int64")
        .declare("%long = OpTypeInt 64 0\n%address = OpConstant %long 4096")
        .declare("%p_double = OpTypePointer PhysicalStorageBuffer %long");
    text.addressing = "PhysicalStorageBuffer64";
    text
}

pub fn with_double(text: Text) -> Text {
    text.capability("Float64").declare(
        "%double = OpTypeFloat 64\n%double2 = OpTypeVector %double 2\n%double3 = OpTypeVector %double 3",
    )
}

pub fn ray(model: &'static str) -> Text {
    Text::stage(model).capability("RayTracingKHR")
}

impl Text {
    pub fn listing(mut self, id: &str) -> Text {
        self.interface += &format!(" {id}");
        self
    }

    pub fn ending(self, end: &'static str) -> Text {
        Text { end, ..self }
    }

    pub fn second_entry_point(mut self, model: &str) -> Text {
        // The interface's end is where the first entry point's line ends.
        self.interface += &format!("\nOpEntryPoint {model} %main \"other\"");
        self
    }
}

/// A rule with what breaks and what keeps it.
pub struct Case {
    pub rule: &'static str,
    pub bad: (Text, Device),
    pub good: (Text, Device),
}

pub fn environment(device: &Device) -> Environment {
    Environment { strict: true, device: Some(device.clone()), ..Environment::default() }
}

/// A device without some features.
pub fn without(features: &[&str]) -> Device {
    let mut device = Device::everything();
    features.iter().for_each(|feature| device.set_feature(feature, false));
    device
}

/// A device with a limit or another property.
pub fn with(property: &str, value: i64) -> Device {
    let mut device = Device::everything();
    device.set_property(property, value);
    device
}

/// The same module on a device without features, and with all.
pub fn feature(rule: &'static str, text: Text, features: &[&str]) -> Case {
    Case { rule, bad: (text.clone(), without(features)), good: (text, Device::everything()) }
}

/// The same module on a device with two values of a limit.
pub fn limit(rule: &'static str, text: Text, name: &str, bad: i64, good: i64) -> Case {
    Case { rule, bad: (text.clone(), with(name, bad)), good: (text, with(name, good)) }
}

/// Two modules on any device.
pub fn pair(rule: &'static str, bad: Text, good: Text) -> Case {
    Case { rule, bad: (bad, Device::everything()), good: (good, Device::everything()) }
}
