//! Shaders as assembly.

use crate::{Interpolation, Pair, Scalar, Stage, Variable};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The vertices of a patch or primitive.
const VERTICES: u32 = 3;

/// The primitives of a mesh.
const PRIMITIVES: u32 = 2;

/// Which stages the pipeline has, with what each reads and writes.
pub(crate) fn stages(pair: &Pair) -> Vec<(Stage, String)> {
    let all: &[Stage] = match pair.stages {
        (Stage::Vertex, Stage::Fragment) => &[Stage::Vertex, Stage::Fragment],
        (Stage::Task, _) => &[Stage::Task, Stage::Mesh, Stage::Fragment],
        (Stage::Mesh, _) => &[Stage::Mesh, Stage::Fragment],
        (_, Stage::Geometry) | (Stage::Geometry, _) => &[Stage::Vertex, Stage::Geometry, Stage::Fragment],
        _ => &[Stage::Vertex, Stage::Control, Stage::Evaluation, Stage::Fragment],
    };
    let of = |stage: &Stage| {
        let inputs = if *stage == pair.stages.1 { &pair.inputs[..] } else { &[] };
        let outputs = if *stage == pair.stages.0 { &pair.outputs[..] } else { &[] };
        match pair.stages.0 {
            Stage::Task => {
                (*stage, shader(*stage, &[], &[], if *stage == Stage::Task { outputs } else { inputs }))
            }
            _ => (*stage, shader(*stage, inputs, outputs, &[])),
        }
    };
    all.iter().map(of).collect()
}

/// Types are declared once each.
#[derive(Default)]
struct Types {
    known: BTreeMap<String, String>,
    text: String,
}

impl Types {
    fn declare(&mut self, instruction: String) -> String {
        if let Some(name) = self.known.get(&instruction) {
            return name.clone();
        }
        let name = format!("%t{}", self.known.len());
        let _ = writeln!(self.text, "{name} = {instruction}");
        self.known.insert(instruction, name.clone());
        name
    }

    fn array(&mut self, element: &str, count: u32) -> String {
        let uint = self.declare("OpTypeInt 32 0".into());
        let len = self.declare(format!("OpConstant {uint} {count}"));
        self.declare(format!("OpTypeArray {element} {len}"))
    }

    /// The type of a variable, without its interface's array level.
    fn of(&mut self, variable: &Variable) -> String {
        let mut ty = self.declare(
            match variable.scalar {
                Scalar::Float => "OpTypeFloat 32",
                Scalar::Int => "OpTypeInt 32 1",
                Scalar::Uint => "OpTypeInt 32 0",
                Scalar::Double => "OpTypeFloat 64",
            }
            .into(),
        );
        if variable.components > 1 {
            ty = self.declare(format!("OpTypeVector {ty} {}", variable.components));
        }
        if variable.columns > 1 {
            ty = self.declare(format!("OpTypeMatrix {ty} {}", variable.columns));
        }
        match variable.elements {
            Some(count) => self.array(&ty, count),
            None => ty,
        }
    }
}

impl Types {
    /// The type of a payload; none for one without members.
    fn payload(&mut self, members: &[Variable]) -> Option<String> {
        let types: Vec<String> = members
            .iter()
            .map(|member| {
                let ty = self.of(member);
                if member.is_block { self.declare(format!("OpTypeStruct {ty}")) } else { ty }
            })
            .collect();
        match &types[..] {
            [] => None,
            [one] => Some(one.clone()),
            _ => Some(self.declare(format!("OpTypeStruct {}", types.join(" ")))),
        }
    }
}

/// Whether a stage sees one element for each vertex.
fn is_arrayed(stage: Stage, class: &str, variable: &Variable) -> bool {
    !variable.is_patch
        && match stage {
            Stage::Control => true,
            Stage::Evaluation | Stage::Geometry => class == "Input",
            Stage::Mesh => true,
            Stage::Vertex | Stage::Task | Stage::Fragment => false,
        }
}

/// A stage's execution model, and its modes.
fn model_and_modes(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::Vertex => ("Vertex", ""),
        Stage::Control => ("TessellationControl", "OpExecutionMode %main OutputVertices 3"),
        Stage::Evaluation => (
            "TessellationEvaluation",
            "OpExecutionMode %main Triangles\nOpExecutionMode %main SpacingEqual\nOpExecutionMode %main VertexOrderCcw",
        ),
        Stage::Geometry => (
            "Geometry",
            "OpExecutionMode %main Triangles\nOpExecutionMode %main Invocations 1\n\
             OpExecutionMode %main OutputTriangleStrip\nOpExecutionMode %main OutputVertices 3",
        ),
        Stage::Task => ("TaskEXT", "OpExecutionMode %main LocalSize 1 1 1"),
        Stage::Mesh => (
            "MeshEXT",
            "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionMode %main OutputTrianglesEXT\n\
             OpExecutionMode %main OutputVertices 3\nOpExecutionMode %main OutputPrimitivesEXT 2",
        ),
        Stage::Fragment => ("Fragment", "OpExecutionMode %main OriginUpperLeft"),
    }
}

fn shader(stage: Stage, inputs: &[Variable], outputs: &[Variable], payload: &[Variable]) -> String {
    let mut types = Types::default();
    let (mut decorations, mut variables, mut interface) = (String::new(), String::new(), String::new());
    let mut body = String::new();
    if stage == Stage::Mesh {
        let uint = types.declare("OpTypeInt 32 0".into());
        let vertices = types.declare(format!("OpConstant {uint} {VERTICES}"));
        let primitives = types.declare(format!("OpConstant {uint} {PRIMITIVES}"));
        let _ = writeln!(body, "OpSetMeshOutputsEXT {vertices} {primitives}");
    }
    let sides = [("Input", inputs), ("Output", outputs)];
    let all = sides.iter().flat_map(|(class, side)| side.iter().map(move |variable| (*class, variable)));
    for (number, (class, variable)) in all.enumerate() {
        let name = format!("%v{number}");
        let mut ty = types.of(variable);
        if variable.is_block {
            // Each block is a type of its own.
            let block = format!("%block{number}");
            let _ = writeln!(types.text, "{block} = OpTypeStruct {ty}");
            let _ = writeln!(decorations, "OpDecorate {block} Block");
            ty = block;
        }
        let target = if variable.is_block {
            format!("OpMemberDecorate %block{number} 0")
        } else {
            format!("OpDecorate {name}")
        };
        let _ = writeln!(decorations, "{target} Location {}", variable.location);
        if variable.component != 0 {
            let _ = writeln!(decorations, "{target} Component {}", variable.component);
        }
        let interpolation = match variable.interpolation {
            None => "",
            Some(Interpolation::Flat) => "Flat",
            Some(Interpolation::NoPerspective) => "NoPerspective",
            Some(Interpolation::Centroid) => "Centroid",
            Some(Interpolation::Sample) => "Sample",
        };
        let marks = [
            (interpolation, !interpolation.is_empty()),
            ("Patch", variable.is_patch),
            ("PerPrimitiveEXT", variable.is_per_primitive),
            ("RelaxedPrecision", variable.is_relaxed),
        ];
        for (mark, _) in marks.iter().filter(|(_, is_on)| *is_on) {
            let _ = writeln!(decorations, "{target} {mark}");
        }
        if is_arrayed(stage, class, variable) {
            ty = types.array(&ty, if variable.is_per_primitive { PRIMITIVES } else { VERTICES });
        }
        // Each is used: checkers may pass over what is only listed.
        if class == "Input" {
            let _ = writeln!(body, "%l{number} = OpLoad {ty} {name}");
        } else {
            let value = types.declare(format!("OpConstantNull {ty}"));
            let _ = writeln!(body, "OpStore {name} {value}");
        }
        let pointer = types.declare(format!("OpTypePointer {class} {ty}"));
        let _ = writeln!(variables, "{name} = OpVariable {pointer} {class}");
        interface += &format!(" {name}");
    }
    let mut end = "OpReturn".to_owned();
    if stage == Stage::Task {
        let uint = types.declare("OpTypeInt 32 0".into());
        let one = types.declare(format!("OpConstant {uint} 1"));
        let given = if payload.is_empty() { "" } else { " %payload" };
        end = format!("OpEmitMeshTasksEXT {one} {one} {one}{given}");
    }
    if let Some(ty) = types.payload(payload) {
        let pointer = types.declare(format!("OpTypePointer TaskPayloadWorkgroupEXT {ty}"));
        let _ = writeln!(variables, "%payload = OpVariable {pointer} TaskPayloadWorkgroupEXT");
        let _ = match stage {
            Stage::Task => {
                let value = types.declare(format!("OpConstantNull {ty}"));
                writeln!(body, "OpStore %payload {value}")
            }
            _ => writeln!(body, "%given = OpLoad {ty} %payload"),
        };
        interface += " %payload";
    }
    let (model, modes) = model_and_modes(stage);
    let own = match stage {
        Stage::Control | Stage::Evaluation => "OpCapability Tessellation\n",
        Stage::Geometry => "OpCapability Geometry\n",
        _ => "",
    };
    let used = || inputs.iter().chain(outputs).chain(payload);
    let has_doubles = used().any(|variable| variable.scalar == Scalar::Double);
    let has_samples = used().any(|variable| variable.interpolation == Some(Interpolation::Sample));
    let is_mesh =
        matches!(stage, Stage::Task | Stage::Mesh) || used().any(|variable| variable.is_per_primitive);
    let (version, meshes) = match is_mesh {
        true => ("1.4", "OpCapability MeshShadingEXT\nOpExtension \"SPV_EXT_mesh_shader\"\n"),
        false => ("1.0", ""),
    };
    format!(
        "; Version: {version}\nOpCapability Shader\n{own}{}{}{meshes}OpMemoryModel Logical GLSL450\nOpEntryPoint {model} %main \"main\"{interface}\n\
         {modes}\n{decorations}%void = OpTypeVoid\n%fn = OpTypeFunction %void\n{}{variables}\
         %main = OpFunction %void None %fn\n%entry = OpLabel\n{body}{end}\nOpFunctionEnd\n",
        if has_doubles { "OpCapability Float64\n" } else { "" },
        if has_samples { "OpCapability SampleRateShading\n" } else { "" },
        types.text
    )
}
