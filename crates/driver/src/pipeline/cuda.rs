//! CUDA modules and functions, and their launches (`VK_NV_cuda_kernel_launch`).

use crate::caps::limits;
use crate::error::{Error, Result};
use crate::objects::memory::mapped::Block;
use crate::pipeline::cache::{self, Digest, PipelineCache};
use pyro_abi::{DispatchContext, Kernel};
use pyro_compile::Backend;
use pyro_compile::ptx::{KernelRequest, compile_kernel_cached};
use pyro_engine::ComputeDispatch;
use pyro_ptx::{IMAGE_OFFSET, Launch, Module, PARAMETERS_OFFSET};
use pyro_sanitizer::LiveRange;
use pyro_sanitizer::trace::Recorder;
use pyro_util::sanitize::Kind;
use pyro_util::sync::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// What a module's cache begins with, behind the bytes of its header.
const MAGIC: &[u8; 12] = b"PyroclastPTX";
/// Bytes of that, of themselves, and of the length of the text.
const HEADER_BYTES: usize = 24;

/// A `VkCudaModuleNV`: a text in PTX, and what its kernels were compiled to.
pub struct CudaModule {
    module: Module,
    text: Vec<u8>,
    digest: Digest,
    cache: PipelineCache,
    backend: Backend,
    /// The variables of the module, with what they start with.
    memory: Block,
    /// The debugger that follows its kernels.
    debugger: Option<Arc<Recorder>>,
    /// The sanitizer finds them by it.
    #[expect(dead_code, reason = "keeps the range known")]
    live: Option<LiveRange>,
}

impl CudaModule {
    /// Reads a text, or what [`CudaModule::data`] gave; kernels are compiled for `backend`, and traced
    /// where a debugger follows the device.
    ///
    /// # Errors
    /// `VK_ERROR_INITIALIZATION_FAILED` when it breaks a rule of PTX, or needs what there is not; the message
    /// says where.
    pub fn new(data: &[u8], backend: Backend, debugger: Option<Arc<Recorder>>) -> Result<CudaModule> {
        let (text, artifacts) = split(data)?;
        let module = Module::parse(text).map_err(refused)?;
        let image = module.image();
        // Accesses of the last variable may be of a whole register.
        let memory = Block::zeroed(image.bytes.max(1).next_multiple_of(64), 64).ok_or_else(|| {
            Error::new(vk::Result::ERROR_OUT_OF_HOST_MEMORY, "no memory for a module's variables")
        })?;
        memory.write(0, &module.initial_image(&image, memory.address()));
        let is_followed = pyro_util::config::get().sanitize.contains(Kind::BoundsAddress);
        let live = is_followed.then(|| LiveRange::new(memory.address(), image.bytes));
        Ok(CudaModule {
            digest: Digest::of(text),
            text: text.to_vec(),
            cache: PipelineCache::new(artifacts),
            backend,
            module,
            memory,
            debugger,
            live,
        })
    }

    /// The text and the code that there is of its kernels, for [`CudaModule::new`]
    /// (`vkGetCudaModuleCacheNV`).
    pub fn data(&self) -> Vec<u8> {
        let mut data = (HEADER_BYTES as u32).to_le_bytes().to_vec();
        data.extend(MAGIC);
        data.extend((self.text.len() as u64).to_le_bytes());
        data.extend(&self.text);
        data.extend(self.cache.data());
        data
    }
}

/// The text, and the artifacts behind it if it is a module's cache.
fn split(data: &[u8]) -> Result<(&[u8], &[u8])> {
    let Some((header, rest)) = data.split_first_chunk::<HEADER_BYTES>() else { return Ok((data, &[])) };
    if header[4..16] != MAGIC[..] {
        return Ok((data, &[]));
    }
    let length = u64::from_le_bytes(header[16..].try_into().expect("eight bytes"));
    let parts = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
    parts.ok_or_else(|| {
        Error::new(vk::Result::ERROR_INITIALIZATION_FAILED, "a CUDA module's cache is cut short")
    })
}

fn refused(error: pyro_ptx::PtxError) -> Error {
    Error::new(vk::Result::ERROR_INITIALIZATION_FAILED, format!("PTX: {error}"))
}

/// A `VkCudaFunctionNV`: a kernel of a module, with the code for each way that it was launched.
pub struct CudaFunction {
    module: Arc<CudaModule>,
    name: String,
    kernels: Mutex<HashMap<Launch, Arc<dyn Kernel>>>,
}

/// What `vkCmdCudaLaunchKernelNV` is told but for the arguments.
#[derive(Clone, Copy, Debug)]
pub struct LaunchSize {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
}

impl CudaFunction {
    /// The kernel of this name. All of its instructions are looked at.
    ///
    /// # Errors
    /// `VK_ERROR_INITIALIZATION_FAILED` when there is none, or it needs what there is not.
    pub fn new(module: Arc<CudaModule>, name: &str) -> Result<CudaFunction> {
        let function = module.module.kernel(name).ok_or_else(|| {
            let message = format!(
                "the CUDA module has no kernel \"{name}\" (VUID-VkCudaFunctionCreateInfoNV-pName-parameter)"
            );
            Error::new(vk::Result::ERROR_INITIALIZATION_FAILED, message)
        })?;
        let block = function.required_block.unwrap_or([1, 1, 1]);
        let launch = Launch { block, dynamic_shared_bytes: 0, ..Launch::default() };
        pyro_ptx::lower(&module.module, name, &launch).map_err(refused)?;
        Ok(CudaFunction { module, name: name.to_owned(), kernels: Mutex::default() })
    }

    /// Bytes of each argument in order.
    pub fn argument_bytes(&self) -> Vec<usize> {
        let function = self.module.module.kernel(&self.name);
        let parameters = function.map_or(&[][..], |function| &function.parameters);
        parameters.iter().map(|parameter| parameter.bytes as usize).collect()
    }

    /// A launch with these arguments, each as long as [`CudaFunction::argument_bytes`] says; the kernel is
    /// compiled for blocks of this size unless it was.
    ///
    /// # Errors
    /// When a size is beyond a limit, or the kernel cannot be launched with such blocks.
    pub fn launch(&self, size: LaunchSize, arguments: &[&[u8]]) -> Result<KernelLaunch> {
        for (axis, ((&count, most), number)) in
            ["X", "Y", "Z"].iter().zip(size.grid.iter().zip(limits::WORKGROUP_COUNT_MAX).zip(9406..))
        {
            if count > most {
                return Err(Error::misuse(format!(
                    "a grid of {count} blocks in {axis} (VUID-VkCudaLaunchInfoNV-gridDim{axis}-0{number})"
                )));
            }
        }
        let launch = Launch {
            block: size.block,
            dynamic_shared_bytes: size.shared_bytes,
            sanitize: pyro_util::config::get().sanitize,
            trace: self.module.debugger.is_some(),
        };
        let module = &self.module.module;
        let shared = pyro_ptx::shared_bytes(module, &self.name, &launch).map_err(refused)?;
        if shared > limits::SHARED_BYTES_MAX {
            return Err(Error::misuse(format!(
                "{shared} bytes of shared memory are more than maxComputeSharedMemorySize"
            )));
        }
        let (offsets, bytes) =
            module.kernel(&self.name).map(|function| function.parameter_layout()).unwrap_or_default();
        // Structures may be read to the end of their last word.
        let memory = Block::zeroed(u64::from(bytes) + 64, 64).ok_or_else(|| {
            Error::new(vk::Result::ERROR_OUT_OF_HOST_MEMORY, "no memory for a kernel's arguments")
        })?;
        for (offset, argument) in offsets.into_iter().zip(arguments) {
            memory.write(offset.into(), argument);
        }
        Ok(KernelLaunch {
            kernel: self.kernel(launch)?,
            grid: size.grid,
            arguments: memory,
            module: Arc::clone(&self.module),
        })
    }

    fn kernel(&self, launch: Launch) -> Result<Arc<dyn Kernel>> {
        let mut kernels = self.kernels.lock();
        if let Some(kernel) = kernels.get(&launch) {
            return Ok(Arc::clone(kernel));
        }
        let request = KernelRequest { module: &self.module.module, kernel: &self.name, launch };
        let session = cache::session(Some(&self.module.cache), self.module.backend);
        let kernel = compile_kernel_cached(&request, self.module.digest, &session).map_err(|error| {
            let message = format!("the kernel \"{}\" was not compiled: {error}", self.name);
            Error::new(vk::Result::ERROR_INITIALIZATION_FAILED, message)
        })?;
        let table = kernel.info().sites.as_ref().and_then(|sites| sites.trace.as_ref());
        if let (Some(debugger), Some(table)) = (&self.module.debugger, table) {
            debugger.learn(&table.words);
        }
        kernels.insert(launch, Arc::clone(&kernel));
        Ok(kernel)
    }
}

/// A recorded launch. It keeps what it needs.
pub struct KernelLaunch {
    kernel: Arc<dyn Kernel>,
    grid: [u32; 3],
    arguments: Block,
    module: Arc<CudaModule>,
}

impl KernelLaunch {
    /// Blocks in x, y, z.
    pub(crate) fn grid(&self) -> [u32; 3] {
        self.grid
    }

    /// As a dispatch; the context is that of any.
    pub(crate) fn dispatch(&self, context: DispatchContext) -> ComputeDispatch {
        let mut context = DispatchContext { num_workgroups: self.grid, base_workgroup: [0; 3], ..context };
        let mut push = |at: u32, address: u64| {
            context.push_constants[at as usize..][..8].copy_from_slice(&address.to_le_bytes());
        };
        push(PARAMETERS_OFFSET, self.arguments.address());
        push(IMAGE_OFFSET, self.module.memory.address());
        ComputeDispatch { kernel: Arc::clone(&self.kernel), context }
    }
}
