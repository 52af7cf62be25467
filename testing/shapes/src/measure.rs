//! Compiling a module step by step, with the time of each step.

use crate::text::{Stage, Text};
use pyro_abi::{BindingLayout, DescriptorKind, SetLayout};
use pyro_compile::Backend;
use pyro_compile::reflect::{fragment_key_of, layout_of, vertex_input_of};
use pyro_fixed::Variant;
use pyro_interp::Interpreter;
use pyro_lower::{Lowered, Shader, StageRequest, VaryingLayout, lower};
use pyro_passes::pipeline;
use pyro_spirv::Module;
use pyro_spirv::spirv::ExecutionModel;
use pyro_validate::{Checked, Environment};
use std::sync::Arc;

/// Lanes of a subgroup.
const LANES: u32 = 16;

/// What compiling a module took.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Seconds of processor time of each step, in the order in which the steps first end. A pass that runs
    /// several times is one entry.
    pub steps: Vec<(String, f64)>,
    /// Why it was given up.
    pub error: Option<String>,
    /// Why it is interpreted though there is a backend for machine code.
    pub interpreted: Option<String>,
}

impl Measured {
    /// Seconds of all steps.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.steps.iter().map(|step| step.1).sum()
    }
}

struct Steps {
    found: Measured,
    last: f64,
}

impl Steps {
    fn step(&mut self, name: &str) {
        let now = now();
        let time = now - self.last;
        match self.found.steps.iter_mut().find(|step| step.0 == name) {
            Some(step) => step.1 += time,
            None => self.found.steps.push((name.to_owned(), time)),
        }
        self.last = now;
    }
}

/// Processor time of this thread in seconds.
fn now() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// A module in words, and the vertex shader in front of it or the fragment shader behind it, where it has
/// one.
#[derive(Clone, Debug)]
pub struct Words {
    stage: Stage,
    module: Vec<u32>,
    neighbour: Option<Vec<u32>>,
}

impl Words {
    /// How many instructions the module has.
    #[must_use]
    pub fn instructions(&self) -> usize {
        // Behind the header, each instruction begins with the number of its words.
        let mut rest = self.module.get(5..).unwrap_or_default();
        let mut count = 0;
        while let Some(&first) = rest.first() {
            rest = rest.get((first >> 16).max(1) as usize..).unwrap_or_default();
            count += 1;
        }
        count
    }
}

/// Makes words of a module.
///
/// # Panics
/// When the text is not assembly.
#[must_use]
pub fn assemble(text: &Text) -> Words {
    let words =
        |text: &Text| pyro_spirv::asm::assemble(&text.assembly()).unwrap_or_else(|error| panic!("{error}"));
    let neighbour = (text.locations > 0).then(|| match text.stage {
        Stage::Vertex => words(&Text { stage: Stage::Fragment, ..text.clone() }),
        _ => words(&Text { stage: Stage::Vertex, ..text.clone() }),
    });
    Words { stage: text.stage, module: words(text), neighbour }
}

/// Compiles a module for a backend.
#[must_use]
pub fn measure_for(words: &Words, backend: Backend) -> Measured {
    let mut steps = Steps { found: Measured::default(), last: now() };
    if let Err(error) = compile(words.stage, &words.module, words.neighbour.as_deref(), backend, &mut steps) {
        steps.step("failed");
        steps.found.error = Some(error);
    }
    steps.found
}

fn checked(words: &[u32]) -> Result<Checked, String> {
    let module = Module::decode(words).map_err(|error| error.to_string())?;
    check(module)
}

fn check(module: impl Into<Arc<Module>>) -> Result<Checked, String> {
    pyro_validate::validate(module.into(), &Environment::default())
        .map_err(|all| all.iter().take(3).map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

fn lowered(stage: Stage, checked: &Checked, neighbour: Option<&Checked>) -> Result<Lowered, String> {
    let mut layout = layout_of(checked).map_err(|error| error.to_string())?;
    if stage == Stage::RayGeneration {
        let set = SetLayout { bindings: [(0, scene_binding())].into() };
        layout.sets = vec![set];
    }
    let shader = Shader { checked, entry_point: "main", layout: &layout, tiles: false };
    let varyings = |vertex, fragment| {
        VaryingLayout::new((vertex, "main"), Some((fragment, "main"))).map_err(|error| error.to_string())
    };
    let result = match (stage, neighbour) {
        (Stage::Fragment, Some(vertex)) => {
            let inputs = varyings(vertex, checked)?;
            let key = fragment_key_of(checked, "main").map_err(|error| error.to_string())?;
            let variant = Variant::PackedQuads;
            lower(&shader, LANES, &StageRequest::Fragment { key: &key, variant, inputs: &inputs })
        }
        (Stage::Vertex, Some(fragment)) => {
            let outputs = varyings(checked, fragment)?;
            let input = vertex_input_of(checked, "main").map_err(|error| error.to_string())?;
            lower(&shader, LANES, &StageRequest::Vertex { input: &input, outputs: &outputs })
        }
        (Stage::RayGeneration, _) => {
            let lanes = pyro_abi::raytrace::RAY_LANES as u32;
            lower(&shader, lanes, &StageRequest::Ray(ExecutionModel::RayGenerationKHR))
        }
        _ => lower(&shader, LANES, &StageRequest::Compute),
    };
    result.map_err(|error| error.to_string())
}

/// Where the acceleration structure of ray generation shaders lies.
fn scene_binding() -> BindingLayout {
    BindingLayout {
        kind: DescriptorKind::AccelerationStructure,
        offset: 16,
        count: 1,
        stride: 16,
        dynamic_index: None,
        variable_count: false,
        known: None,
    }
}

fn compile(
    stage: Stage,
    words: &[u32],
    neighbour: Option<&[u32]>,
    backend: Backend,
    steps: &mut Steps,
) -> Result<(), String> {
    let module = Arc::new(Module::decode(words).map_err(|error| error.to_string())?);
    steps.step("decode");
    // What it finds does not matter: shapes need more than devices have.
    let environment =
        Environment { strict: true, diagnostic_count_max: usize::MAX, ..Environment::default() };
    let _ = pyro_validate::validate(Arc::clone(&module), &environment);
    steps.step("validate strictly");
    let shader = check(module)?;
    steps.step("validate");
    let neighbour = neighbour.map(checked).transpose()?;
    steps.last = now();
    let Lowered { mut function, mut info, .. } = lowered(stage, &shader, neighbour.as_ref())?;
    steps.step("lower");
    let options = pipeline::Options {
        verify: false,
        safepoints: pipeline::Safepoints::Plain,
        workgroup_loop: (stage == Stage::Compute).then(|| pyro_passes::workgroup_loop::WorkgroupShape {
            subgroup_count: info.subgroup_count(),
            last_lanes: info.active_lanes(info.subgroup_count() - 1),
        }),
        ..pipeline::Options::default()
    };
    let result = pipeline::run(&mut function, &options, Some(&mut |name, _| steps.step(name)));
    result.map_err(|error| error.to_string())?;
    info.scratch_bytes = function.scratch_bytes;
    info.frame_bytes = function.frame_bytes;
    let (Backend::MachineCode(features), Some(target)) = (backend, backend.target()) else {
        Interpreter::new(function, info).map_err(|error| error.to_string())?;
        steps.step("interpreter");
        return Ok(());
    };
    pipeline::run_for_target(&mut function, target, &options, Some(&mut |name, _| steps.step(name)))
        .map_err(|error| error.to_string())?;
    let options = pyro_jit::CompileOptions { verify: false, ..pyro_jit::CompileOptions::default() };
    match pyro_jit::compile_with(&function, info.clone(), features, &options, &mut |name, _| steps.step(name))
    {
        Ok(_) => steps.step("load"),
        Err(pyro_jit::JitError::Unsupported(reason)) => {
            steps.step("no code");
            steps.found.interpreted = Some(reason);
            Interpreter::new(function, info).map_err(|error| error.to_string())?;
            steps.step("interpreter");
        }
        Err(error) => return Err(error.to_string()),
    }
    Ok(())
}
