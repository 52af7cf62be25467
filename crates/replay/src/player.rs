//! The records of a capture, made again one after the other.

use crate::adapt;
use crate::driver::{Driver, Lookup};
use crate::images::{Image, Texels};
use crate::memory::Memories;
use crate::present::{Picture, Swapchain, Swapchains};
use crate::{Difference, ReplayError};
use pyro_capture::decode::{self, Handles, Parameters};
use pyro_capture::host;
use pyro_capture::record::{Call, Digest, Note, Record, digest};
use pyro_capture::schema::{self, Kind, Returns};
use std::collections::HashMap;
use vulkanalia_sys::{self as vk, Handle};

/// What waits take at most, in nanoseconds: what ended in the capture ends here.
const WAIT_NS: u64 = 60_000_000_000;
/// `VK_PIPELINE_COMPILE_REQUIRED`
const COMPILE_REQUIRED: i32 = 1_000_297_000;
/// Bytes of a payload of an execution graph, at most.
const PAYLOAD_BYTES_MAX: usize = 1 << 20;
/// Bytes of an argument of a kernel, at most: those of all its parameters.
const ARGUMENT_BYTES_MAX: usize = 1 << 15;
/// What is said where shader modules cannot be replaced.
const NO_RELOAD: &str = "a debugger has replaced a shader module here, which this replay cannot do";
/// Differences that are kept; others are counted.
const DIFFERENCES_MAX: usize = 64;

/// What is special about a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    No,
    /// It is not made again.
    Skip,
    CreateSwapchain,
    DestroySwapchain,
    GetSwapchainImages,
    Acquire,
    Acquire2,
    Present,
    AllocateMemory,
    FreeMemory,
    WaitFences,
    WaitSemaphores,
    CreateImage,
    DestroyImage,
    BindImageMemory2,
    NameObject,
    GetQueue,
    RayPipelines,
    /// Its result is an address that must be the same.
    Address,
    GroupHandles,
    Submit,
    DestroyInstance,
    /// Graphics and compute pipelines.
    Pipelines,
    /// It reads memory of the program that captures do not hold.
    HostMemory,
    /// It reads payloads that are in the record behind it.
    Graph,
    /// It reads arguments that are in the record behind it.
    CudaLaunch,
    /// It reads constants that are in the record behind it.
    DataGraphs,
}

fn special(name: &str) -> Special {
    match name {
        "vkCreateSwapchainKHR" => Special::CreateSwapchain,
        "vkDestroySwapchainKHR" => Special::DestroySwapchain,
        "vkGetSwapchainImagesKHR" => Special::GetSwapchainImages,
        "vkAcquireNextImageKHR" => Special::Acquire,
        "vkAcquireNextImage2KHR" => Special::Acquire2,
        "vkQueuePresentKHR" => Special::Present,
        "vkAllocateMemory" => Special::AllocateMemory,
        "vkFreeMemory" => Special::FreeMemory,
        "vkWaitForFences" => Special::WaitFences,
        "vkWaitSemaphores" => Special::WaitSemaphores,
        "vkCreateImage" => Special::CreateImage,
        "vkDestroyImage" => Special::DestroyImage,
        "vkBindImageMemory2" => Special::BindImageMemory2,
        "vkSetDebugUtilsObjectNameEXT" | "vkSetDebugUtilsObjectTagEXT" => Special::NameObject,
        "vkGetDeviceQueue" | "vkGetDeviceQueue2" => Special::GetQueue,
        "vkCreateRayTracingPipelinesKHR" => Special::RayPipelines,
        "vkGetBufferDeviceAddress" | "vkGetAccelerationStructureDeviceAddressKHR" => Special::Address,
        "vkGetRayTracingShaderGroupHandlesKHR" => Special::GroupHandles,
        "vkQueueSubmit" | "vkQueueSubmit2" => Special::Submit,
        "vkDestroyInstance" => Special::DestroyInstance,
        "vkCreateGraphicsPipelines" | "vkCreateComputePipelines" => Special::Pipelines,
        "vkBuildAccelerationStructuresKHR"
        | "vkBuildMicromapsEXT"
        | "vkConvertCooperativeVectorMatrixNV"
        | "vkCopyAccelerationStructureToMemoryKHR"
        | "vkCopyImageToMemory"
        | "vkCopyMemoryToAccelerationStructureKHR"
        | "vkCopyMemoryToMicromapEXT"
        | "vkCopyMicromapToMemoryEXT"
        | "vkCopyMemoryToImage" => Special::HostMemory,
        "vkCmdDispatchGraphAMDX" => Special::Graph,
        "vkCmdCudaLaunchKernelNV" => Special::CudaLaunch,
        "vkCreateDataGraphPipelinesARM" => Special::DataGraphs,
        // Binaries are of the machine that made them.
        "vkCreatePipelineBinariesKHR" | "vkReleaseCapturedPipelineDataKHR" => Special::Skip,
        "vkImportFenceFdKHR" | "vkImportSemaphoreFdKHR" | "vkSetHdrMetadataEXT" => Special::Skip,
        _ if name.contains("Surface") && !name.contains("Acceleration") => Special::Skip,
        _ if name.starts_with("vkReleaseSwapchainImages") => Special::Skip,
        _ => Special::No,
    }
}

/// What a captured handle is now.
#[derive(Clone, Copy)]
struct Live {
    handle: u64,
    /// The dispatchable object that it was made by, and its instance.
    parent: u64,
    instance: u64,
    order: u64,
}

/// Captured handles and what they are now.
#[derive(Default)]
struct Objects {
    live: HashMap<(u16, u64), Live>,
    /// The instance of each dispatchable handle.
    instances: HashMap<u64, u64>,
    order: u64,
    /// Uses of handles that the capture did not make.
    unknown: u64,
    /// The types of handles that stay as they were.
    virtual_types: [Option<u16>; 2],
}

impl Handles for Objects {
    fn translate(&mut self, handle_type: u16, captured: u64) -> u64 {
        if self.virtual_types.contains(&Some(handle_type)) {
            return captured;
        }
        match self.live.get(&(handle_type, captured)) {
            Some(live) => live.handle,
            None => {
                self.unknown += 1;
                0
            }
        }
    }
}

/// How far a replay is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls made.
    pub calls: u64,
    /// Submissions of command buffers.
    pub submissions: u64,
    /// Images presented, or calls that present.
    pub frames: u64,
    /// Contents that were compared: ranges of memory and images.
    pub compared: u64,
    /// Contents that differ.
    pub different: u64,
}

/// A layer of an image, by its number, and its texels.
pub type Layer = (Image, u32, Texels);

/// A replay.
pub struct Player {
    driver: Driver,
    specials: Vec<Special>,
    objects: Objects,
    memories: Memories,
    swapchains: Swapchains,
    families: HashMap<u64, u32>,
    parameters: Parameters,
    /// What the next call presents: swapchain, image, digest.
    presented: Vec<(u64, u32, Digest)>,
    counts: Counts,
    differences: Vec<Difference>,
    pictures: Vec<Picture>,
    /// Live images by captured handle, if they are to be read.
    images: Option<HashMap<u64, Image>>,
    /// What the image under way is made of.
    image_info: Option<vk::ImageCreateInfo>,
    images_made: u64,
    /// Layers of images that were destroyed.
    last_texels: Vec<Layer>,
    /// What the dispatch of an execution graph under way reads.
    graph_inputs: GraphInputs,
    reload: Option<Reload>,
}

/// Puts a shader module of these words in the place of the one with a digest, in all pipelines; how many were
/// made again, or why that cannot be.
pub type Reload = fn(u64, &[u32]) -> std::result::Result<u32, String>;

/// The dispatches of a list, and the bytes of their payloads.
#[derive(Default)]
struct GraphInputs {
    infos: Vec<vk::DispatchGraphInfoAMDX>,
    payloads: Vec<Vec<u8>>,
    /// Addresses of the arguments of a kernel, which are the payloads.
    arguments: Vec<u64>,
}

type Result<T> = std::result::Result<T, ReplayError>;

impl Player {
    /// A replay on the driver, or the loader, of this `vkGetInstanceProcAddr`.
    ///
    /// # Safety
    /// The lookup gives the commands of a Vulkan implementation.
    pub unsafe fn new(lookup: Lookup) -> Player {
        let objects = Objects {
            virtual_types: ["SwapchainKHR", "SurfaceKHR"].map(schema::handle_type),
            ..Objects::default()
        };
        Player {
            driver: Driver::new(lookup),
            specials: schema::commands().iter().map(|command| special(command.name)).collect(),
            objects,
            memories: Memories::default(),
            swapchains: Swapchains::default(),
            families: HashMap::new(),
            parameters: Parameters::default(),
            presented: Vec::new(),
            counts: Counts::default(),
            differences: Vec::new(),
            pictures: Vec::new(),
            images: None,
            image_info: None,
            images_made: 0,
            last_texels: Vec::new(),
            graph_inputs: GraphInputs::default(),
            reload: None,
        }
    }

    /// Says how the driver puts a shader module in the place of another; without it captures in which a
    /// debugger did that cannot be replayed.
    pub fn set_reload(&mut self, reload: Reload) {
        self.reload = Some(reload);
    }

    /// Lets images be read, from the next one that is made on.
    pub fn keep_images(&mut self) {
        self.images.get_or_insert_default();
    }

    /// The layers of images that draws and shaders write to: of those that were destroyed since the last call
    /// of this, as they were then, and of those that are alive; then what cannot be read, and why.
    ///
    /// # Errors
    /// When the replay cannot wait for the device.
    pub fn take_images(&mut self) -> Result<(Vec<Layer>, Vec<String>)> {
        self.wait_idle()?;
        let mut alive: Vec<u64> = self.images.iter().flatten().map(|(captured, _)| *captured).collect();
        alive.sort_unstable();
        let mut refused = Vec::new();
        for captured in alive {
            refused.extend(self.read_image(captured).err());
        }
        let mut all = std::mem::take(&mut self.last_texels);
        all.sort_by_key(|(image, layer, _)| (image.number, *layer));
        Ok((all, refused))
    }

    /// Reads the layers of an image.
    fn read_image(&mut self, captured: u64) -> std::result::Result<(), String> {
        let image = self.images.as_ref().and_then(|images| images.get(&captured)).copied();
        let Some(image) = image.filter(Image::is_target) else { return Ok(()) };
        let queue = self.queue_of(image.device).ok_or("its device has no queue")?;
        let family = self.families.get(&queue).copied().unwrap_or(0);
        for layer in 0..image.layers {
            let texels = image.read(&mut self.driver, queue, family, layer)?;
            self.last_texels.push((image, layer, texels));
        }
        Ok(())
    }

    /// How far it is.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// So many submissions are before what is replayed from now on: more than were replayed, where some were
    /// left out.
    pub fn set_submissions(&mut self, submissions: u64) {
        self.counts.submissions = submissions;
    }

    /// What differed so far, the first of it.
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }

    /// Uses of handles that the capture did not make; they are null in the replay.
    pub fn unknown_handles(&self) -> u64 {
        self.objects.unknown
    }

    /// The pictures that were presented since the last call of this.
    pub fn take_pictures(&mut self) -> Vec<Picture> {
        std::mem::take(&mut self.pictures)
    }

    /// What is in memory, without what is zero: the handle in the capture, an offset, bytes. The device is
    /// idle then.
    ///
    /// # Errors
    /// When memory cannot be mapped.
    pub fn snapshot(&mut self) -> Result<Vec<(u64, u64, Vec<u8>)>> {
        self.wait_idle()?;
        let contents = self.memories.contents(&mut self.driver);
        contents.map_err(|what| self.own(what))
    }

    /// Writes contents at an address of the program's memory. The device is idle.
    ///
    /// # Errors
    /// When no memory is there.
    pub fn write_at(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        let written = self.memories.write_at(&mut self.driver, address, bytes);
        written.map_err(|what| self.own(what))
    }

    /// Makes the next record. `following` are the records behind it, in which its notes are looked for.
    ///
    /// # Errors
    /// When it cannot be made, or fails where it did not fail in the capture. Differences are no errors.
    pub fn play<'r>(
        &mut self,
        record: &Record<'_>,
        following: &mut dyn Iterator<Item = Record<'r>>,
    ) -> Result<()> {
        match record {
            Record::Call(call) => {
                let played = self.call(call, following);
                self.parameters.clear();
                self.counts.calls += 1;
                played
            }
            Record::Write { memory, offset, bytes } => {
                let written = self.memories.write(&mut self.driver, *memory, *offset, bytes);
                written.map_err(|what| self.own(what))
            }
            Record::Seen { memory, offset, size, digest } => {
                let found = self.memories.digest(&mut self.driver, *memory, *offset, *size);
                let found = found.map_err(|what| self.own(what))?;
                self.compare(found == *digest, || {
                    format!("{size} bytes at {offset} of memory {memory:#x} are not those of the capture")
                });
                Ok(())
            }
            Record::Presented { swapchain, image, digest } => {
                self.presented.push((*swapchain, *image, *digest));
                Ok(())
            }
            Record::Note(Note::Idle) => self.wait_idle(),
            Record::Reload { digest, words } => {
                let reload = self.reload.ok_or_else(|| self.own(NO_RELOAD.to_owned()))?;
                let words = words.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word));
                reload(*digest, &words.collect::<Vec<u32>>()).map(|_| ()).map_err(|why| self.own(why))
            }
            Record::Note(_) | Record::Groups { .. } | Record::Host(_) | Record::Text(..) => Ok(()),
        }
    }

    fn own(&self, what: String) -> ReplayError {
        ReplayError::Own { call: self.counts.calls, what }
    }

    fn compare(&mut self, is_same: bool, what: impl FnOnce() -> String) {
        self.counts.compared += 1;
        if is_same {
            return;
        }
        self.counts.different += 1;
        if self.differences.len() < DIFFERENCES_MAX {
            let Counts { calls, submissions, frames, .. } = self.counts;
            let difference = Difference { call: calls, submission: submissions, frame: frames, what: what() };
            self.differences.push(difference);
        }
    }

    /// The live devices with their instances.
    fn devices(&self) -> Vec<(u64, u64)> {
        let device = schema::handle_type("Device");
        let live = self.objects.live.iter().filter(|((ty, _), _)| Some(*ty) == device);
        live.map(|(_, live)| (live.handle, live.instance)).collect()
    }

    fn wait_idle(&mut self) -> Result<()> {
        for (device, instance) in self.devices() {
            // SAFETY: the device is alive.
            unsafe { self.driver.call_by_name(instance, "vkDeviceWaitIdle", &[device]) };
        }
        Ok(())
    }

    fn call<'r>(&mut self, call: &Call<'_>, following: &mut dyn Iterator<Item = Record<'r>>) -> Result<()> {
        let number = usize::from(call.command);
        let command = schema::commands().get(number).ok_or(ReplayError::Command(self.counts.calls))?;
        let captured = if command.returns == Returns::Result { call.result as u32 as i32 } else { 0 };
        // What failed has made nothing, but for some pipelines of several.
        if captured < 0 && !command.name.ends_with("Pipelines") && !command.name.ends_with("PipelinesKHR") {
            return Ok(());
        }
        decode::parameters(command, call.parameters, &mut self.objects, &mut self.parameters).map_err(
            |source| ReplayError::Decode { call: self.counts.calls, command: command.name, source },
        )?;
        let special = self.specials[number];
        if special == Special::DestroyImage && self.images.is_some() {
            let captured = call.parameters.get(8..16).and_then(|bytes| bytes.first_chunk());
            let captured = captured.map_or(0, |bytes| u64::from_le_bytes(*bytes));
            self.wait_idle()?;
            let _ = self.read_image(captured);
            self.images.as_mut().and_then(|images| images.remove(&captured));
        }
        if self.stand_in(special, call)? {
            return Ok(());
        }
        if special == Special::Graph && !self.graph_payloads(following.next()) {
            return Err(self.own(format!("{} reads payloads that are not in the capture", command.name)));
        }
        if special == Special::CudaLaunch && !self.kernel_arguments(following) {
            return Err(self.own(format!("{} reads arguments that are not in the capture", command.name)));
        }
        if special == Special::DataGraphs && !self.graph_constants(following) {
            return Err(self.own(format!("{} reads constants that are not in the capture", command.name)));
        }
        let size = self.adapt(special, call.command, following);
        let first = self.parameters.slots.first().copied().unwrap_or(0);
        let is_global = command.name == "vkCreateInstance";
        let instance = if is_global { 0 } else { self.objects.instances.get(&first).copied().unwrap_or(0) };
        if instance == 0 && !is_global {
            // Nothing that is alive: the driver could not tell.
            return Err(self.own(format!("{} is called for an object that does not exist", command.name)));
        }
        let expected = (special == Special::GroupHandles).then(|| self.output_bytes());
        // SAFETY: parameters of the decoder are valid, handles are alive or null.
        let result = unsafe { self.driver.call(instance, call.command, &self.parameters.slots) };
        let result = result.ok_or(ReplayError::Missing { call: self.counts.calls, command: command.name })?;
        let code = if command.returns == Returns::Result { result as u32 as i32 } else { 0 };
        if code < 0 && captured >= 0 {
            let (call, command) = (self.counts.calls, command.name);
            return Err(ReplayError::Failed { call, command, result: code, captured });
        }
        self.learn(instance, first, is_global);
        self.finish_call(special, call, result, size, instance, expected);
        Ok(())
    }

    /// Bytes that `vkGetRayTracingShaderGroupHandlesKHR` gave.
    fn output_bytes(&self) -> Vec<u8> {
        let (place, size) = (self.parameters.pointer(5), self.parameters.slots[4] as usize);
        if place.is_null() {
            return Vec::new();
        }
        // SAFETY: the decoder made so many bytes, as the parameter's length is `dataSize`.
        unsafe { std::slice::from_raw_parts(place, size) }.to_vec()
    }

    /// Takes over the handles that a call made.
    fn learn(&mut self, instance: u64, parent: u64, is_instance: bool) {
        for output in &self.parameters.outputs {
            let handle = self.parameters.written(output);
            if handle == 0 || output.captured == 0 {
                continue;
            }
            let instance = if is_instance { handle } else { instance };
            if schema::handle_types()[usize::from(output.handle_type)].is_dispatchable {
                self.objects.instances.insert(handle, instance);
            }
            self.objects.order += 1;
            let live = Live { handle, parent, instance, order: self.objects.order };
            self.objects.live.insert((output.handle_type, output.captured), live);
        }
    }

    /// Forgets the handle that a call destroyed.
    fn forget(&mut self, call: &Call<'_>) {
        let command = &schema::commands()[usize::from(call.command)];
        let is_end = command.name.starts_with("vkDestroy") || command.name == "vkFreeMemory";
        let slot = usize::from(command.parameters.len() > 2);
        let Some(Kind::Handle(handle_type)) = command.parameters.get(slot).map(|one| one.kind) else {
            return;
        };
        if !is_end {
            return;
        }
        let bytes = call.parameters.get(8 * slot..8 * slot + 8).and_then(|bytes| bytes.first_chunk());
        if let Some(captured) = bytes.map(|bytes| u64::from_le_bytes(*bytes)) {
            self.objects.live.remove(&(handle_type, captured));
        }
    }

    /// Does what the replay does instead of a call; whether there is something.
    fn stand_in(&mut self, special: Special, call: &Call<'_>) -> Result<bool> {
        let slots = self.parameters.slots.clone();
        match special {
            Special::Skip => {}
            Special::CreateSwapchain => {
                let info = self.parameters.pointer(1).cast::<vk::SwapchainCreateInfoKHR>();
                let captured = self.parameters.outputs.first().map(|output| output.captured);
                let instance = self.objects.instances.get(&slots[0]).copied().unwrap_or(0);
                // SAFETY: the info was decoded.
                if let (Some(info), Some(captured)) = (unsafe { info.as_ref() }, captured) {
                    self.swapchains.insert(captured, Swapchain::new(instance, slots[0], info));
                }
            }
            Special::DestroySwapchain => {
                self.wait_idle()?;
                if let Some(swapchain) = self.swapchains.remove(&slots[1]) {
                    swapchain.destroy(&mut self.driver);
                }
            }
            Special::GetSwapchainImages => self.swapchain_images(slots[1])?,
            Special::Acquire => self.signal(slots[0], slots[3], slots[4])?,
            Special::Acquire2 => {
                let info = self.parameters.pointer(1).cast::<vk::AcquireNextImageInfoKHR>();
                // SAFETY: the info was decoded.
                if let Some(info) = unsafe { info.as_ref() } {
                    self.signal(slots[0], info.semaphore.as_raw(), info.fence.as_raw())?;
                }
            }
            Special::Present => self.present(slots[0])?,
            Special::NameObject => return Ok(!self.name_object()),
            Special::HostMemory => {
                let name = schema::commands()[usize::from(call.command)].name;
                return Err(self.own(format!("{name} reads memory of the program that is not in captures")));
            }
            // Nothing was made, as nothing was to be compiled.
            Special::Pipelines | Special::RayPipelines if call.result as u32 as i32 == COMPILE_REQUIRED => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Changes parameters; the size of memory that is allocated.
    fn adapt<'r>(
        &mut self,
        special: Special,
        number: u16,
        following: &mut dyn Iterator<Item = Record<'r>>,
    ) -> u64 {
        let parameters = &mut self.parameters;
        // SAFETY: the parameters were decoded for these commands.
        unsafe {
            match special {
                Special::AllocateMemory => {
                    let captured = parameters.outputs.first().map(|output| output.captured);
                    let address = following.take_while(|record| !matches!(record, Record::Call(_))).find_map(
                        |record| match record {
                            Record::Note(Note::MemoryAddress(memory, address))
                                if Some(memory) == captured =>
                            {
                                Some(address)
                            }
                            _ => None,
                        },
                    );
                    return adapt::allocation(parameters, address);
                }
                Special::CreateImage => self.image_info = adapt::image(parameters, self.images.is_some()),
                Special::BindImageMemory2 => adapt::image_bindings(parameters, &self.swapchains),
                Special::RayPipelines => {
                    let mut all = Vec::new();
                    let captured: Vec<u64> =
                        parameters.outputs.iter().map(|output| output.captured).collect();
                    for record in following {
                        let Record::Groups { pipeline, handles } = record else { break };
                        all.push((pipeline, handles));
                    }
                    let of = |pipeline: &u64| {
                        all.iter().find(|(of, _)| of == pipeline).map_or(&[][..], |one| one.1)
                    };
                    let handles: Vec<&[u8]> = captured.iter().map(of).collect();
                    adapt::ray_pipelines(parameters, &handles);
                    adapt::compile_always::<vk::RayTracingPipelineCreateInfoKHR>(parameters, 3);
                }
                Special::Pipelines if parameters.slots.len() == 6 => {
                    let name = schema::command_number("vkCreateGraphicsPipelines");
                    if name == Some(number) {
                        adapt::compile_always::<vk::GraphicsPipelineCreateInfo>(parameters, 2);
                    } else {
                        adapt::compile_always::<vk::ComputePipelineCreateInfo>(parameters, 2);
                    }
                }
                Special::WaitFences => parameters.slots[4] = WAIT_NS,
                Special::WaitSemaphores => parameters.slots[2] = WAIT_NS,
                _ => {}
            }
        }
        0
    }

    /// What follows from a successful call.
    fn finish_call(
        &mut self,
        special: Special,
        call: &Call<'_>,
        result: u64,
        size: u64,
        instance: u64,
        expected: Option<Vec<u8>>,
    ) {
        self.forget(call);
        match special {
            Special::AllocateMemory => {
                let made = self.parameters.outputs.first();
                if let Some((captured, handle)) = made.map(|one| (one.captured, self.parameters.written(one)))
                {
                    self.memories.add(captured, instance, self.parameters.slots[0], handle, size);
                }
            }
            Special::FreeMemory => {
                let bytes = call.parameters.get(8..16).and_then(|bytes| bytes.first_chunk());
                if let Some(bytes) = bytes {
                    self.memories.remove(u64::from_le_bytes(*bytes));
                }
            }
            Special::GetQueue => self.queue_family(),
            Special::CreateImage => {
                let made = self.parameters.outputs.first();
                let made = made.map(|one| (one.captured, self.parameters.written(one)));
                if let (Some(images), Some(info), Some((captured, handle))) =
                    (&mut self.images, self.image_info.take(), made)
                {
                    let owner = [instance, self.parameters.slots[0]];
                    images.insert(captured, Image::new(self.images_made, owner, handle, &info));
                    self.images_made += 1;
                }
            }
            Special::Submit => self.counts.submissions += 1,
            Special::Address => {
                let captured = call.result;
                self.compare(result == captured, || {
                    format!("the device address is {result:#x}, {captured:#x} in the capture")
                });
            }
            Special::GroupHandles => {
                let (found, expected) = (self.output_bytes(), expected.unwrap_or_default());
                self.compare(found == expected, || {
                    "shader group handles are not those of the capture".to_owned()
                });
            }
            Special::DestroyInstance => self.driver.forget(instance),
            _ => {}
        }
    }

    /// Remembers the family of a queue.
    fn queue_family(&mut self) {
        let slots = &self.parameters.slots;
        let family = match slots.len() {
            4 => slots[1] as u32,
            _ => {
                let info = self.parameters.pointer(1).cast::<vk::DeviceQueueInfo2>();
                // SAFETY: the info was decoded.
                unsafe { info.as_ref() }.map_or(0, |info| info.queue_family_index)
            }
        };
        if let Some(output) = self.parameters.outputs.first() {
            self.families.insert(self.parameters.written(output), family);
        }
    }

    /// Translates the object that a name is for; whether it is alive.
    fn name_object(&mut self) -> bool {
        // Names and tags begin with the same members.
        let info = self.parameters.pointer(1).cast::<vk::DebugUtilsObjectNameInfoEXT>();
        // SAFETY: the info was decoded.
        let Some(info) = (unsafe { info.as_mut() }) else { return false };
        let handle_type = schema::handle_type_of(info.object_type.as_raw());
        let live = handle_type.and_then(|ty| self.objects.live.get(&(ty, info.object_handle)));
        info.object_handle = live.map_or(0, |live| live.handle);
        live.is_some()
    }

    /// Gives a swapchain's images their handles.
    fn swapchain_images(&mut self, captured: u64) -> Result<()> {
        let outputs: Vec<(u16, u64)> =
            self.parameters.outputs.iter().map(|output| (output.handle_type, output.captured)).collect();
        let Some(swapchain) = self.swapchains.get_mut(&captured) else { return Ok(()) };
        let made = swapchain.make_images(&mut self.driver, outputs.len());
        let images: Vec<u64> = swapchain.images.iter().map(|image| image.image.as_raw()).collect();
        for (key, handle) in outputs.into_iter().zip(images) {
            // They are destroyed with the swapchain: an order of zero.
            self.objects.live.insert(key, Live { handle, parent: 0, instance: 0, order: 0 });
        }
        made.map_err(|what| self.own(what))
    }

    /// Gives the dispatch of an execution graph the payloads of the record behind it; whether it has them.
    fn graph_payloads(&mut self, following: Option<Record<'_>>) -> bool {
        let Some(Record::Host(bytes)) = following else { return false };
        let Some(all) = host::read(bytes) else { return false };
        let inputs = &mut self.graph_inputs;
        // A payload is as large as the node's shader says, whatever the capture does.
        let room = [0; PAYLOAD_BYTES_MAX];
        inputs.payloads = all.iter().map(|one| [one.bytes, &room].concat()).collect();
        let info = |(one, bytes): (&host::Payloads<'_>, &Vec<u8>)| vk::DispatchGraphInfoAMDX {
            node_index: one.node,
            payload_count: one.count,
            payloads: vk::DeviceOrHostAddressConstAMDX { host_address: bytes.as_ptr().cast() },
            payload_stride: one.size() as u64,
        };
        inputs.infos = all.iter().zip(&inputs.payloads).map(info).collect();
        let list = self.parameters.pointer(3).cast::<vk::DispatchGraphCountInfoAMDX>();
        // SAFETY: the info was decoded.
        let Some(list) = (unsafe { list.as_mut() }) else { return false };
        list.count = inputs.infos.len() as u32;
        list.infos = vk::DeviceOrHostAddressConstAMDX { host_address: inputs.infos.as_ptr().cast() };
        list.stride = size_of::<vk::DispatchGraphInfoAMDX>() as u64;
        true
    }

    /// Gives the launch of a kernel the arguments of the record behind it, if it has any; whether it has
    /// what it needs.
    fn kernel_arguments<'r>(&mut self, following: &mut dyn Iterator<Item = Record<'r>>) -> bool {
        let info = self.parameters.pointer(1).cast::<vk::CudaLaunchInfoNV>();
        // SAFETY: the info was decoded.
        let Some(info) = (unsafe { info.as_mut() }) else { return false };
        (info.extra_count, info.extras) = (0, std::ptr::null());
        if info.param_count == 0 {
            info.params = std::ptr::null();
            return true;
        }
        let Some(Record::Host(bytes)) = following.next() else { return false };
        let Some(all) = host::read(bytes) else { return false };
        if all.len() != info.param_count {
            return false;
        }
        let inputs = &mut self.graph_inputs;
        // An argument is as large as the kernel says, whatever the capture does.
        let room = [0; ARGUMENT_BYTES_MAX];
        inputs.payloads = all.iter().map(|one| [one.bytes, &room].concat()).collect();
        let address = |bytes: &Vec<u8>| bytes.as_ptr().expose_provenance() as u64;
        inputs.arguments = inputs.payloads.iter().map(address).collect();
        info.params = inputs.arguments.as_ptr().cast();
        true
    }

    /// Gives data graphs the constants of the record behind them, if there is one; whether they have what
    /// they need. Graphs without constants have no such record, and what follows is another call's.
    fn graph_constants<'r>(&mut self, following: &mut dyn Iterator<Item = Record<'r>>) -> bool {
        let contents = match following.next() {
            Some(Record::Host(bytes)) => bytes,
            _ => &[],
        };
        // SAFETY: the parameters are that command's.
        unsafe { adapt::graph_constants(&mut self.parameters, contents) }
    }

    /// Some queue of a device.
    fn queue_of(&self, device: u64) -> Option<u64> {
        let queue = schema::handle_type("Queue");
        let of_device = |((ty, _), live): &(&(u16, u64), &Live)| Some(*ty) == queue && live.parent == device;
        self.objects.live.iter().filter(of_device).map(|(_, live)| live.handle).min()
    }

    /// Signals what the acquisition of an image signals.
    fn signal(&mut self, device: u64, semaphore: u64, fence: u64) -> Result<()> {
        let Some(queue) = self.queue_of(device) else {
            return Err(self.own("an image is acquired on a device without queues".to_owned()));
        };
        let submit = vk::SubmitInfo {
            signal_semaphore_count: u32::from(semaphore != 0),
            signal_semaphores: (&raw const semaphore).cast(),
            ..Default::default()
        };
        self.submit(queue, &submit, fence)
    }

    fn submit(&mut self, queue: u64, info: &vk::SubmitInfo, fence: u64) -> Result<()> {
        let instance = self.objects.instances.get(&queue).copied().unwrap_or(0);
        let slots = [queue, 1, (&raw const *info).expose_provenance() as u64, fence];
        // SAFETY: the info is valid, what it names is alive or null.
        match unsafe { self.driver.call_by_name(instance, "vkQueueSubmit", &slots) } {
            Some(0) => Ok(()),
            _ => Err(self.own("vkQueueSubmit failed for a swapchain".to_owned())),
        }
    }

    /// Waits as a presentation does, and compares what it shows.
    fn present(&mut self, queue: u64) -> Result<()> {
        let info = self.parameters.pointer(1).cast::<vk::PresentInfoKHR>();
        // SAFETY: the info was decoded, with valid arrays and chain.
        let (waits, fences) = unsafe {
            let Some(info) = info.as_ref() else { return Ok(()) };
            let count = if info.wait_semaphores.is_null() { 0 } else { info.wait_semaphore_count as usize };
            let waits: Vec<vk::Semaphore> =
                (0..count).map(|index| *info.wait_semaphores.add(index)).collect();
            let mut next = info.next;
            let mut fences = Vec::new();
            while let Some(structure) = next.cast::<vk::BaseInStructure>().as_ref() {
                if structure.s_type == vk::StructureType::SWAPCHAIN_PRESENT_FENCE_INFO_KHR {
                    let info = &*next.cast::<vk::SwapchainPresentFenceInfoKHR>();
                    let count = if info.fences.is_null() { 0 } else { info.swapchain_count as usize };
                    fences.extend((0..count).map(|index| *info.fences.add(index)));
                }
                next = structure.next.cast();
            }
            (waits, fences)
        };
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let submit = vk::SubmitInfo {
            wait_semaphore_count: waits.len() as u32,
            wait_semaphores: waits.as_ptr(),
            wait_dst_stage_mask: stages.as_ptr(),
            ..Default::default()
        };
        self.submit(queue, &submit, 0)?;
        for fence in fences.iter().filter(|fence| !fence.is_null()) {
            self.submit(queue, &vk::SubmitInfo::default(), fence.as_raw())?;
        }
        self.wait_idle()?;
        let family = self.families.get(&queue).copied().unwrap_or(0);
        for (captured, image, expected) in std::mem::take(&mut self.presented) {
            let Some(swapchain) = self.swapchains.get(&captured) else { continue };
            if !swapchain.has_images() {
                // The program never asked for them, so nothing was drawn to them.
                continue;
            }
            let picture = swapchain.read(&mut self.driver, queue, family, image);
            let picture = picture.map_err(|what| self.own(what))?;
            self.compare(digest(&picture.texels) == expected, || {
                format!("image {image} of swapchain {captured:#x} is not that of the capture")
            });
            self.pictures.push(picture);
        }
        self.counts.frames += 1;
        Ok(())
    }

    /// Destroys what is left, in the reverse order of creation.
    pub fn finish(&mut self) {
        let _ = self.wait_idle();
        for (_, swapchain) in self.swapchains.drain() {
            swapchain.destroy(&mut self.driver);
        }
        let mut left: Vec<((u16, u64), Live)> =
            self.objects.live.drain().filter(|(_, live)| live.order > 0).collect();
        left.sort_by_key(|(_, live)| std::cmp::Reverse(live.order));
        let is_alive: std::collections::HashSet<u64> = left.iter().map(|(_, live)| live.handle).collect();
        for ((handle_type, _), live) in left {
            let name = schema::handle_types()[usize::from(handle_type)].name;
            let (command, slots) = match name {
                "Instance" | "Device" => (format!("vkDestroy{name}"), vec![live.handle, 0]),
                "DeviceMemory" => ("vkFreeMemory".to_owned(), vec![live.parent, live.handle, 0]),
                _ => (format!("vkDestroy{name}"), vec![live.parent, live.handle, 0]),
            };
            if name == "Instance" || is_alive.contains(&live.parent) {
                // SAFETY: the object and its parent are alive, and nobody uses it any more.
                unsafe { self.driver.call_by_name(live.instance, &command, &slots) };
            }
        }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.finish();
    }
}
