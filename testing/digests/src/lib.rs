//! Digests of what the driver gives for random scenes and shaders.
//!
//! Problem: the driver promises the same bits for the same program on every processor, for every number of
//! threads, by every executor; and that they change with the *pixels epoch* only
//! ([`pyro_util::version::PIXELS_EPOCH`]). Approach: [`Maker::digest`] runs one case of a [`Kind`] by its
//! number in this process, whose environment says which executor and how many threads; [`mod@compare`] starts
//! processes of other environments and says where their digests differ; [`stored`] has those that the
//! repository keeps.
#![forbid(unsafe_op_in_unsafe_fn)]

pub mod compare;
pub mod float;
mod graphs;
#[allow(unsafe_code)] // the Vulkan API is foreign functions
mod images;
mod kernels;
#[allow(unsafe_code)] // the Vulkan API is foreign functions
pub mod launches;
#[allow(unsafe_code)] // the Vulkan API is foreign functions
mod matrices;
mod order;
mod raster;
#[allow(unsafe_code)] // the Vulkan API is foreign functions
mod rays;
#[allow(unsafe_code)] // the Vulkan API is foreign functions
pub mod stages;
pub mod stored;
#[allow(unsafe_code)] // the Vulkan API is foreign functions
mod tensors;
#[allow(unsafe_code)] // the Vulkan API is foreign functions
mod texels;
#[allow(unsafe_code)] // the Vulkan API is foreign functions
mod vectors;

use float::Nan;
use images::Images;
use pyro_oracle::Runner;
use pyro_random::Random;
use pyro_scenes::{Renderer, Scene};
use pyro_shadergen::program::{INPUT_WORDS, OUTPUT_WORDS};
use pyro_shadergen::{assembly, generate};
use pyro_test_kit::kernels::KernelDevice;
use pyro_test_kit::matrices::Bench;
use pyro_test_kit::scene::Lab;
use std::time::Duration;
use tensors::Tensors;
use texels::Blits;
use vectors::Vectors;
use vulkanalia::vk::ComponentTypeKHR;

/// What a digest is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, clap::ValueEnum)]
pub enum Kind {
    /// A scene of one defined answer.
    Scene,
    /// A scene that Vulkan leaves open.
    Free,
    /// A compute shader of integers, control flow and subgroup operations.
    Shader,
    /// A compute shader of floats.
    Float,
    /// A picture by tessellation, geometry, task and mesh shaders.
    Stages,
    /// A picture with all other state of rasterization and fragments.
    Raster,
    /// A blit between images of any two formats.
    Texels,
    /// Rays in acceleration structures.
    Rays,
    /// Launches of ray tracing pipelines.
    Launches,
    /// A product of cooperative matrices.
    Matrix,
    /// A product of cooperative vectors.
    Vectors,
    /// Reads, writes and copies of tensors.
    Tensors,
    /// A CUDA kernel.
    Kernels,
    /// Samples, loads and stores of images of any format by a shader.
    Images,
    /// A data graph.
    Graphs,
    /// Floats where the payloads of NaN are kept: the one exception from the promise.
    Nan,
    /// A shader whose results follow from the order of invocations: fixed with `PYROCLAST_DETERMINISTIC`
    /// only.
    Order,
}

impl Kind {
    /// Those that are the same everywhere.
    pub const SAME: [Kind; 15] = [
        Kind::Scene,
        Kind::Free,
        Kind::Shader,
        Kind::Float,
        Kind::Stages,
        Kind::Texels,
        Kind::Rays,
        Kind::Matrix,
        Kind::Launches,
        Kind::Images,
        Kind::Raster,
        Kind::Vectors,
        Kind::Tensors,
        Kind::Kernels,
        Kind::Graphs,
    ];

    /// Its name on command lines and in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Scene => "scene",
            Kind::Free => "free",
            Kind::Shader => "shader",
            Kind::Float => "float",
            Kind::Stages => "stages",
            Kind::Raster => "raster",
            Kind::Texels => "texels",
            Kind::Rays => "rays",
            Kind::Launches => "launches",
            Kind::Images => "images",
            Kind::Matrix => "matrix",
            Kind::Vectors => "vectors",
            Kind::Tensors => "tensors",
            Kind::Kernels => "kernels",
            Kind::Graphs => "graphs",
            Kind::Nan => "nan",
            Kind::Order => "order",
        }
    }
}

/// Workgroups of the shaders of integers.
const GROUPS: u32 = 3;

/// The types of a product's four matrices, and whether sums saturate.
pub(crate) type ProductTypes = ([ComponentTypeKHR; 4], bool);

/// The driver, as this process' environment configures it.
#[derive(Default)]
pub struct Maker {
    renderer: Option<Renderer>,
    runner: Option<Runner>,
    lab: Option<Lab>,
    blits: Option<Blits>,
    images: Option<Images>,
    vectors: Option<Vectors>,
    tensors: Option<Tensors>,
    kernels: Option<KernelDevice>,
    /// With the types that it lists, and how many products it has made.
    bench: Option<(Bench, Vec<ProductTypes>, u32)>,
    /// How long scenes and compute shaders may take: what takes longer is refused, and the next has a device
    /// of its own, since the work may be under way for ever.
    pub timeout: Option<Duration>,
}

/// Products of one bench, which keeps a pipeline of each.
const PRODUCTS: u32 = 200;

/// A word without the payload of a NaN, if it is one as `f32`.
fn canonical(word: u32) -> u32 {
    if f32::from_bits(word).is_nan() { f32::NAN.to_bits() } else { word }
}

/// The driver's entry point.
#[must_use]
#[allow(unsafe_code, reason = "the Vulkan API is foreign functions")]
pub fn entry() -> ash::Entry {
    // SAFETY: the function pointer is of the driver that is linked into this program.
    unsafe {
        ash::Entry::from_static_fn(ash::StaticFn {
            get_instance_proc_addr: std::mem::transmute::<
                pyroclast::GetInstanceProcAddr,
                ash::vk::PFN_vkGetInstanceProcAddr,
            >(pyroclast::get_instance_proc_addr),
        })
    }
}

impl Maker {
    /// Devices are made when they are first used.
    #[must_use]
    pub fn new() -> Maker {
        Maker::default()
    }

    /// The digest of a case, or why the driver refused it: 64 bits in hexadecimal digits.
    ///
    /// # Errors
    /// When there is no device.
    pub fn digest(&mut self, kind: Kind, number: u64) -> Result<String, String> {
        let bytes = match kind {
            Kind::Scene => self.picture(&Scene::new(number))?,
            Kind::Free => self.picture(&Scene::free(number))?,
            Kind::Stages => Ok(stages::draw(self.lab.get_or_insert_with(stages::lab), number)),
            Kind::Raster => raster::draw(self.lab.get_or_insert_with(stages::lab), number),
            Kind::Texels => Ok(self.blits.get_or_insert_with(Blits::new).blit(number)),
            Kind::Rays => Ok(rays::trace(number)),
            Kind::Launches => launches::launch(number),
            Kind::Images => {
                self.images.take_if(|images| images.is_full());
                Ok(self.images.get_or_insert_with(Images::new).access(number))
            }
            Kind::Matrix => self.product(number),
            Kind::Vectors => {
                self.vectors.take_if(|vectors| vectors.is_full());
                self.vectors.get_or_insert_with(Vectors::new).multiply(number)
            }
            Kind::Tensors => {
                self.tensors.take_if(|tensors| tensors.is_full());
                Ok(self.tensors.get_or_insert_with(Tensors::new).access(number))
            }
            Kind::Kernels => kernels::launch(self.kernels.get_or_insert_with(KernelDevice::new), number),
            Kind::Graphs => graphs::run(number),
            _ => self
                .words(kind, number)
                .map(|words| words.iter().flat_map(|word| word.to_le_bytes()).collect()),
        };
        Ok(match bytes {
            Ok(bytes) => blake3::hash(&bytes).to_hex()[..16].to_owned(),
            Err(why) => format!("refused: {}", why.replace('\n', " ")),
        })
    }

    fn product(&mut self, number: u64) -> Result<Vec<u8>, String> {
        self.bench.take_if(|(.., products)| *products >= PRODUCTS);
        let (bench, list, products) = self.bench.get_or_insert_with(|| {
            let bench = Bench::new();
            let list = matrices::listed(&bench);
            (bench, list, 0)
        });
        *products += 1;
        matrices::multiply(bench, list, number)
    }

    fn picture(&mut self, scene: &Scene) -> Result<Result<Vec<u8>, String>, String> {
        self.renderer.take_if(|renderer| renderer.has_failed());
        let mut renderer = match self.renderer.take() {
            Some(renderer) => renderer,
            None => Renderer::new(pyro_scenes::Device::open(entry())?)?,
        };
        if let Some(timeout) = self.timeout {
            renderer.set_timeout(timeout);
        }
        Ok(self.renderer.insert(renderer).draw(scene))
    }

    fn runner(&mut self) -> Result<&Runner, String> {
        self.runner.take_if(|runner| runner.has_failed());
        let mut runner = match self.runner.take() {
            Some(runner) => runner,
            None => Runner::open(entry())?,
        };
        if let Some(timeout) = self.timeout {
            runner.set_timeout(timeout);
        }
        Ok(self.runner.insert(runner))
    }

    /// The words that a compute shader writes.
    ///
    /// # Errors
    /// The refusal.
    pub fn words(&mut self, kind: Kind, number: u64) -> Result<Vec<u32>, String> {
        let runner = self.runner()?;
        let assembled = |text: &str| pyro_spirv::asm::assemble(text).map_err(|error| error.to_string());
        let (words, counter) = match kind {
            Kind::Order => {
                let words = assembled(order::SHADER)?;
                runner.run(&words, None, [order::GROUPS, 1, 1], &[], order::WORDS)?
            }
            Kind::Float | Kind::Nan => {
                let nan = if kind == Kind::Nan { Nan::Kept } else { Nan::Replaced };
                let (text, widths) = float::shader(number, nan);
                let count = float::word_count(&widths);
                runner.run(&assembled(&text)?, None, [float::GROUPS, 1, 1], &float::input(), count)?
            }
            _ => {
                let program = generate::program(number, 4 + (number % 60) as u32);
                let count = (program.workgroup_size * GROUPS * OUTPUT_WORDS) as usize;
                let lanes = [4, 8, 16, 32, 64][(number % 5) as usize];
                let mut random = Random::new(7);
                let input: Vec<u32> = (0..INPUT_WORDS)
                    .map(|index| if index % 3 == 0 { index } else { random.word() })
                    .collect();
                let words = assembled(&assembly::strict(&program))?;
                runner.run(&words, Some(lanes), [GROUPS, 1, 1], &input, count)?
            }
        };
        Ok([words, vec![counter]].concat())
    }
}
