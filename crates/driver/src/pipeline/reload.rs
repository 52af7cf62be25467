//! Shader modules that a debugger replaces while the program runs.
//!
//! **Problem.** A program makes its pipelines once, destroys the modules, and records command buffers that it
//! submits again and again; with another module all of that is to go on. **Approach.** Where modules may be
//! replaced, the device keeps what its pipelines and shader objects are made from. A reload makes each that
//! has a shader of the module again, and puts what it made behind the old one ([`Successor`]), where the next
//! bind of a command buffer finds it. Pipelines that are made later from the old module get the new one.
//!
//! **Invariants.** All of them are made again or none: when one cannot be, or breaks a rule on interfaces
//! that it did not break before, the old ones stay. Handles stay what they are, those of shader groups
//! included.
//!
//! *Must not know* command buffers and queues.

use super::compute::{ComputePipeline, ComputePipelineInfo};
use super::execution_graph::{GraphPipeline, GraphPipelineInfo};
use super::graphics::{GraphicsPipeline, GraphicsPipelineInfo, ShaderObject, ShaderObjectInfo};
use super::raytrace::{RayPipeline, RayPipelineInfo};
use super::shader::ShaderModule;
use super::stage::ShaderStage;
use super::strict;
use super::successor::{Placed, Successor};
use crate::error::{Error, Result};
use crate::objects::device_core::DeviceCore;
use crate::report::ObjectName;
use pyro_sanitizer::trace::module_digest;
use pyro_util::sync::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// Something that can be made again with another module.
pub trait Remade: Sized + Send + Sync + 'static {
    /// What it is made from.
    type Info: Clone + Send;

    /// The shaders among that.
    fn stages(info: &mut Self::Info) -> Vec<&mut ShaderStage>;

    /// Whether a part that it links was made again by this reload.
    fn links_one_of(_info: &Self::Info, _round: u64) -> bool {
        false
    }

    /// What has the handles that the old one has.
    fn keep_handles(&self, _info: &mut Self::Info) {}

    /// Makes it.
    ///
    /// # Errors
    /// As when it is first made.
    fn remake(info: Self::Info, device: &DeviceCore) -> Result<Self>;

    /// The rules on interfaces that it breaks.
    fn findings(info: &Self::Info) -> Vec<String>;

    /// The handle that messages name.
    fn object_name(&self) -> Option<&ObjectName>;

    /// Where its successor is.
    fn successor(&self) -> &Successor<Self>;
}

impl Remade for ComputePipeline {
    type Info = ComputePipelineInfo;

    fn stages(info: &mut ComputePipelineInfo) -> Vec<&mut ShaderStage> {
        vec![&mut info.stage]
    }

    fn remake(info: ComputePipelineInfo, device: &DeviceCore) -> Result<ComputePipeline> {
        Ok(ComputePipeline::new(info, None, Some(device))?.0)
    }

    fn findings(info: &ComputePipelineInfo) -> Vec<String> {
        strict::compute_findings(info)
    }

    fn object_name(&self) -> Option<&ObjectName> {
        Some(self.name())
    }

    fn successor(&self) -> &Successor<ComputePipeline> {
        &self.successor
    }
}

impl Remade for GraphicsPipeline {
    type Info = GraphicsPipelineInfo;

    fn stages(info: &mut GraphicsPipelineInfo) -> Vec<&mut ShaderStage> {
        info.stages.iter_mut().collect()
    }

    fn remake(info: GraphicsPipelineInfo, device: &DeviceCore) -> Result<GraphicsPipeline> {
        Ok(GraphicsPipeline::new(info, None, device)?.0)
    }

    fn findings(info: &GraphicsPipelineInfo) -> Vec<String> {
        strict::graphics_findings(info)
    }

    fn object_name(&self) -> Option<&ObjectName> {
        Some(self.name())
    }

    fn successor(&self) -> &Successor<GraphicsPipeline> {
        &self.successor
    }
}

impl Remade for RayPipeline {
    type Info = RayPipelineInfo;

    fn stages(info: &mut RayPipelineInfo) -> Vec<&mut ShaderStage> {
        info.stages.iter_mut().collect()
    }

    fn links_one_of(info: &RayPipelineInfo, round: u64) -> bool {
        info.libraries.iter().any(|library| library.successor.round() == round)
    }

    fn keep_handles(&self, info: &mut RayPipelineInfo) {
        if let Ok(handles) = self.handles(0, info.groups.len() as u32) {
            info.groups.iter_mut().zip(handles).for_each(|(group, handle)| group.handle = Some(handle));
        }
    }

    fn remake(info: RayPipelineInfo, _device: &DeviceCore) -> Result<RayPipeline> {
        Ok(RayPipeline::new(info, None)?.0)
    }

    fn findings(info: &RayPipelineInfo) -> Vec<String> {
        strict::ray_findings(info, strict::Api::Khr)
    }

    fn object_name(&self) -> Option<&ObjectName> {
        None
    }

    fn successor(&self) -> &Successor<RayPipeline> {
        &self.successor
    }
}

impl Remade for GraphPipeline {
    type Info = GraphPipelineInfo;

    fn stages(info: &mut GraphPipelineInfo) -> Vec<&mut ShaderStage> {
        info.nodes.iter_mut().flat_map(|node| node.stages_mut()).collect()
    }

    fn remake(info: GraphPipelineInfo, device: &DeviceCore) -> Result<GraphPipeline> {
        Ok(GraphPipeline::new(info, None, device)?.0)
    }

    /// Nodes are held against each other where they are compiled.
    fn findings(_info: &GraphPipelineInfo) -> Vec<String> {
        Vec::new()
    }

    fn object_name(&self) -> Option<&ObjectName> {
        None
    }

    fn successor(&self) -> &Successor<GraphPipeline> {
        &self.successor
    }
}

impl Remade for ShaderObject {
    type Info = ShaderObjectInfo;

    fn stages(info: &mut ShaderObjectInfo) -> Vec<&mut ShaderStage> {
        vec![&mut info.stage]
    }

    fn remake(info: ShaderObjectInfo, _device: &DeviceCore) -> Result<ShaderObject> {
        ShaderObject::new(info, None)
    }

    fn findings(info: &ShaderObjectInfo) -> Vec<String> {
        strict::shader_findings(&info.stage, &info.layout)
    }

    fn object_name(&self) -> Option<&ObjectName> {
        Some(self.name())
    }

    fn successor(&self) -> &Successor<ShaderObject> {
        &self.successor
    }
}

/// A module in the place of another.
struct Replacement<'d> {
    /// Of the other one's words, or of those that replaced them before.
    digest: u64,
    module: Arc<ShaderModule>,
    round: u64,
    device: &'d DeviceCore,
}

/// What an object was made from.
struct Kept<T: Remade> {
    object: Weak<T>,
    info: T::Info,
    /// The same before the reload that is under way, and the successor.
    before: Option<(T::Info, Placed<T>)>,
}

/// The same, of an object of some kind.
trait Reloadable: Send {
    fn is_alive(&self) -> bool;

    /// Makes it again, if it has a shader of the module; whether it does.
    fn reload(&mut self, with: &Replacement<'_>) -> Result<bool>;

    /// Puts back what was there before the reload that is under way, or has it stay.
    fn end(&mut self, stays: bool);
}

/// The first rule that is broken now and was not broken before.
fn first_new(before: &[String], now: Vec<String>) -> Option<String> {
    // What is around a rule's name has numbers of ids.
    let rule = |text: &str| {
        let start = text.find("VUID-")?;
        text[start..].split([' ', ')', ']', ',', ':']).next().map(str::to_owned)
    };
    let known: Vec<Option<String>> = before.iter().map(|text| rule(text)).collect();
    now.into_iter().find(|text| !known.contains(&rule(text)))
}

impl<T: Remade> Reloadable for Kept<T> {
    fn is_alive(&self) -> bool {
        self.object.strong_count() != 0
    }

    fn reload(&mut self, with: &Replacement<'_>) -> Result<bool> {
        let Some(object) = self.object.upgrade() else { return Ok(false) };
        let mut info = self.info.clone();
        let mut is_concerned = T::links_one_of(&info, with.round);
        for stage in T::stages(&mut info) {
            if stage.module.has_words() && module_digest(stage.module.words()) == with.digest {
                stage.module = Arc::clone(&with.module);
                stage.options.trace = with.device.trace(with.module.words());
                stage.options.needs_bindings = true;
                is_concerned = true;
            }
        }
        if !is_concerned {
            return Ok(false);
        }
        if let Some(finding) = first_new(&T::findings(&self.info), T::findings(&info)) {
            return Err(Error::new(
                vulkanalia_sys::Result::ERROR_INVALID_SHADER_NV,
                format!("the shader does not fit its pipeline: {}", finding.trim()),
            ));
        }
        let made = T::remake(info.clone(), with.device)?;
        if let (Some(name), Some((ty, handle))) =
            (made.object_name(), object.object_name().and_then(ObjectName::get))
        {
            name.set(ty, handle);
        }
        let before = object.successor().replace((Some(Arc::new(made)), with.round));
        self.before = Some((std::mem::replace(&mut self.info, info), before));
        Ok(true)
    }

    fn end(&mut self, stays: bool) {
        let Some((info, before)) = self.before.take().filter(|_| !stays) else { return };
        self.info = info;
        if let Some(object) = self.object.upgrade() {
            object.successor().replace(before);
        }
    }
}

#[derive(Default)]
struct State {
    /// In the order in which they were made: libraries before what links them.
    kept: Vec<Box<dyn Reloadable>>,
    /// So many were alive when dead ones were last looked for.
    alive: usize,
    /// What stands for modules that were replaced, by the digests of their words.
    modules: BTreeMap<u64, Arc<ShaderModule>>,
}

/// What a device's pipelines and shader objects were made from.
pub struct Reloads {
    device: Arc<DeviceCore>,
    state: Mutex<State>,
}

/// Those of all devices of the process.
static ALL: Mutex<Vec<Weak<Reloads>>> = Mutex::new(Vec::new());
/// Devices to come keep what their pipelines are made from.
static IS_WANTED: AtomicBool = AtomicBool::new(false);

/// Has devices that are made from now on keep what their pipelines are made from. Those of a program that is
/// debugged do so without it.
pub fn keep_for_reload() {
    IS_WANTED.store(true, Ordering::Relaxed);
}

impl Reloads {
    /// Of a device, where modules may be replaced.
    pub(crate) fn of(device: &Arc<DeviceCore>) -> Option<Arc<Reloads>> {
        if !IS_WANTED.load(Ordering::Relaxed) && pyro_util::config::get().capture_gate.is_none() {
            return None;
        }
        let reloads = Arc::new(Reloads { device: Arc::clone(device), state: Mutex::default() });
        let mut all = ALL.lock();
        all.retain(|one| one.strong_count() != 0);
        all.push(Arc::downgrade(&reloads));
        Some(reloads)
    }

    /// Keeps what an object is made from.
    pub(crate) fn keep<T: Remade>(&self, object: &Arc<T>, mut info: T::Info) {
        object.keep_handles(&mut info);
        let mut state = self.state.lock();
        if state.kept.len() > 2 * state.alive + 64 {
            state.kept.retain(|kept| kept.is_alive());
            state.alive = state.kept.len();
        }
        state.kept.push(Box::new(Kept { object: Arc::downgrade(object), info, before: None }));
    }

    /// What stands for a module.
    pub(crate) fn replacement(&self, module: &ShaderModule) -> Option<Arc<ShaderModule>> {
        let state = self.state.lock();
        if state.modules.is_empty() || !module.has_words() {
            return None;
        }
        state.modules.get(&module_digest(module.words())).cloned()
    }
}

impl State {
    /// Makes again what has a shader of the module; how many those are.
    fn reload(&mut self, with: &Replacement<'_>) -> Result<u32> {
        let mut count = 0;
        for kept in &mut self.kept {
            count += u32::from(kept.reload(with)?);
        }
        Ok(count)
    }

    fn end(&mut self, module: Option<(u64, &Arc<ShaderModule>)>) {
        self.kept.iter_mut().for_each(|kept| kept.end(module.is_some()));
        let Some((digest, module)) = module else { return };
        let is_older = |known: &&mut Arc<ShaderModule>| module_digest(known.words()) == digest;
        self.modules.values_mut().filter(is_older).for_each(|known| *known = Arc::clone(module));
        self.modules.insert(digest, Arc::clone(module));
    }
}

/// Puts a module in the place of another, which a digest of its words names, in all pipelines and shader
/// objects of the process; how many have been made again. No queue is to run meanwhile.
///
/// # Errors
/// Why one of them cannot be made with it: then the old ones stay, all of them.
pub fn reload(digest: u64, words: &[u32]) -> Result<u32> {
    static ROUND: AtomicU64 = AtomicU64::new(1);
    let module = Arc::new(ShaderModule::unchecked(words)?);
    let round = ROUND.fetch_add(1, Ordering::Relaxed);
    let all: Vec<Arc<Reloads>> = ALL.lock().iter().filter_map(Weak::upgrade).collect();
    let mut states: Vec<_> = all.iter().map(|reloads| (&reloads.device, reloads.state.lock())).collect();
    let counts: Result<Vec<u32>> = states
        .iter_mut()
        .map(|(device, state)| {
            let module = Arc::clone(&module);
            state.reload(&Replacement { digest, module, round, device })
        })
        .collect();
    let made = counts.is_ok().then_some((digest, &module));
    states.iter_mut().for_each(|(_, state)| state.end(made));
    Ok(counts?.iter().sum())
}
