//! `pyroclast asm`: a shader at every step from SPIR-V to what runs; with the checks of `PYROCLAST_SANITIZE`.

use crate::sources::{self, Decoded, Request};
use anyhow::{Context, Result, anyhow, bail};
use pyro_abi::{Kernel, PipelineLayout};
use pyro_compile::graphics::{
    FragmentRequest, GraphicsShader, Variant, VertexRequest, compile_fragment, compile_vertex,
};
use pyro_compile::ptx::{KernelRequest, compile_kernel_for};
use pyro_compile::reflect::{fragment_key_of, layout_of, vertex_input_of};
use pyro_compile::{
    Backend, CompileError, ComputeRequest, SubgroupSize, Tracer, VaryingLayout, compile_compute_for,
};
use pyro_spirv::spirv::ExecutionModel;
use pyro_spirv::{Module, disassemble};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// What to show.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A shader in a language that `pyroclast check` takes, or a .ptx file.
    shader: PathBuf,
    /// The entry point; of PTX the kernel, the first unless named.
    #[arg(long, default_value = "main")]
    entry: String,
    /// Of PTX, the threads of a block.
    #[arg(long, default_value_t = 128)]
    threads: u32,
    /// Lanes of a subgroup.
    #[arg(long, default_value_t = pyro_abi::DEFAULT_SUBGROUP_SIZE)]
    lanes: u32,
    /// Of a fragment shader the variant in which each quad has its own primitive.
    #[arg(long)]
    packed: bool,
    /// Of a fragment shader the variant that draws whole blocks.
    #[arg(long, conflicts_with = "packed")]
    block: bool,
    /// The machine that code is made for, which this one need not be: avx512, avx2, sse4.1, neon or
    /// interpreter; a level may have further extensions after plus signs: popcount, gfni, vnni, vbmi,
    /// fp16 [default: what runs shaders here].
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    cpu: Option<Backend>,
    /// Only these steps: spirv, lower, a pass's name, or result.
    #[arg(long, value_delimiter = ',')]
    steps: Vec<String>,
}

fn level(name: &str) -> Result<Backend, String> {
    Backend::named(name).ok_or_else(|| {
        "must be avx512, avx2, sse4.1, neon or interpreter, with extensions such as avx512+vnni".to_owned()
    })
}

impl Arguments {
    fn backend(&self) -> Backend {
        self.cpu.unwrap_or_else(Backend::from_environment)
    }
}

/// Prints the steps, and how long compiling takes without printing.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if arguments.shader.extension().is_some_and(|ending| ending == "ptx") {
        return run_ptx(arguments);
    }
    let wanted = Request { version: Request::NEWEST, ..Request::TO_RUN };
    let Decoded { words, module, .. } = sources::decode(&arguments.shader, &wanted)?;
    let mut layout = layout_of(&module)?;
    layout.options.sanitize = pyro_util::config::get().sanitize;
    let wanted = |step: &str| arguments.steps.is_empty() || arguments.steps.iter().any(|name| name == step);
    if wanted("spirv") {
        println!("; ---- spirv\n{}", disassemble(&module));
    }
    let backend = arguments.backend();
    let compile = Compile { arguments, words: &words, module: &module, layout: &layout, backend };
    show(&wanted, backend, |tracer| compile.run(tracer))
}

/// The same of a kernel in PTX.
fn run_ptx(arguments: &Arguments) -> Result<()> {
    let name = arguments.shader.display();
    let text = std::fs::read(&arguments.shader).with_context(|| format!("cannot read {name}"))?;
    let module = pyro_ptx::Module::parse(&text).map_err(|error| anyhow!("{name}: {error}"))?;
    let first = module.functions.iter().find(|function| function.is_entry);
    let kernel = match module.kernel(&arguments.entry).or(first) {
        Some(kernel) => kernel.name.as_str(),
        None => bail!("{name} has no kernel"),
    };
    let launch = pyro_ptx::Launch {
        block: [arguments.threads, 1, 1],
        dynamic_shared_bytes: 0,
        sanitize: pyro_util::config::get().sanitize,
        trace: false,
    };
    let request = KernelRequest { module: &module, kernel, launch };
    let backend = arguments.backend();
    let wanted = |step: &str| arguments.steps.is_empty() || arguments.steps.iter().any(|name| name == step);
    show(&wanted, backend, |tracer| compile_kernel_for(&request, backend, tracer))
}

/// Prints the steps of what `compile` does, and how long it takes without printing.
fn show(
    wanted: &dyn Fn(&str) -> bool,
    backend: Backend,
    compile: impl Fn(Option<Tracer<'_>>) -> Result<Arc<dyn Kernel>, CompileError>,
) -> Result<()> {
    let mut number = 0;
    let mut print = |step: &'static str, function: &pyro_ir::Function| {
        number += 1;
        if wanted(step) {
            println!("; ---- {number} {step}\n{function}");
        }
    };
    let kernel = compile(Some(&mut print)).map_err(|error| anyhow!("{error}"))?;
    if wanted("result") {
        for (name, text) in kernel.representations().iter().filter(|(name, _)| name != "IR") {
            println!("; ---- {name}\n{text}");
        }
        println!("; ---- statistics");
        for (name, value) in kernel.statistics() {
            println!("; {name}: {value}");
        }
    }
    let start = Instant::now();
    compile(None)?;
    eprintln!("{:?}, compiled by {backend:?} in {:.2?}", kernel.info(), start.elapsed());
    Ok(())
}

/// What is compiled, and with what.
struct Compile<'a> {
    arguments: &'a Arguments,
    words: &'a [u32],
    module: &'a Module,
    layout: &'a PipelineLayout,
    backend: Backend,
}

impl Compile<'_> {
    /// Compiles the entry point for its stage, which the module says. Pipeline state that shapes code is made
    /// up: attributes and attachments of 32-bit components, no tests, no blending.
    fn run(&self, tracer: Option<Tracer<'_>>) -> Result<Arc<dyn Kernel>, CompileError> {
        let entry = self.arguments.entry.as_str();
        let subgroup_size = SubgroupSize::Required(self.arguments.lanes);
        let layout = self.layout;
        let has = |model| self.module.entry_point(entry, model).is_some();
        if has(ExecutionModel::Vertex) {
            let shader = &GraphicsShader::new(self.words, entry, &[])?;
            let input = &vertex_input_of(self.module, entry)?;
            let outputs = &shader.outputs(ExecutionModel::Vertex, None)?;
            let request = VertexRequest { shader, layout, subgroup_size, input, outputs };
            return compile_vertex(&request, self.backend, tracer);
        }
        if has(ExecutionModel::Fragment) {
            let shader = Some(&GraphicsShader::new(self.words, entry, &[])?);
            let mut key = fragment_key_of(self.module, entry)?;
            key.sample_shading = shader
                .map_or(Ok(false), |shader| shader.fragment_info().map(|facts| facts.sample_shading))?;
            let from = &VaryingLayout::default();
            let variant = match (self.arguments.packed, self.arguments.block) {
                (true, _) => Variant::of_several(&key, self.arguments.lanes).0,
                (_, true) => Variant::FullBlock,
                _ => Variant::SinglePrimitive,
            };
            let key = &key;
            let request = FragmentRequest { shader, layout, subgroup_size, key, variant, from };
            return compile_fragment(&request, self.backend, tracer).map(|found| found.kernel);
        }
        let request = ComputeRequest {
            module: &pyro_compile::ShaderModule::new(self.words),
            entry_point: entry,
            specialization: &[],
            layout,
            subgroup_size,
        };
        compile_compute_for(&request, self.backend, tracer)
    }
}
