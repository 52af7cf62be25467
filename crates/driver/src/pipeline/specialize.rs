//! Code made again for the descriptors that it is used with.
//!
//! Shaders call image operations through descriptors. Of a pipeline that has run for a while, code is made on
//! the side in which these operations are part of the shader, for the static facts of the views and samplers
//! that it was used with; from then on it runs wherever descriptors have these facts, else the code that
//! calls. Both give the same bits.
//!
//! Descriptors are looked at when a dispatch or draw is about to run: those that it uses are valid then and
//! stay as they are. The records are looked up by address rather than followed, since a shader may leave
//! descriptors unused that name what is gone, and are held until the work is done.

use crate::objects::memory::mapped;
use crate::worker::Worker;
use pyro_abi::{KnownImage, PipelineLayout};
use pyro_compile::image_functions::{ImageFunctionCache, Record};
use pyro_util::config::{self, InlineImages};
use pyro_util::sync::Mutex;
use std::sync::Arc;

/// Different descriptors that code is made for.
const VARIANTS_MAX: usize = 4;

/// Invocations or pixels that a pipeline has run for before code is made: so many where vectors are long, and
/// fewer where each takes longer ([`pyro_compile::Backend::invocation_weight`]).
const WORK_BEFORE: u64 = 2 << 20;

/// A descriptor that a shader uses.
#[derive(Clone, Copy, Debug)]
struct Place {
    set: u32,
    binding: u32,
    /// Bytes from the start of the set's memory.
    offset: u32,
}

/// The code of one pipeline, by what its descriptors are.
pub(crate) struct Specialized<C> {
    places: Box<[Place]>,
    state: Mutex<State<C>>,
}

struct State<C> {
    /// What descriptors were, in the order of the places; and the code, once it is made.
    variants: Vec<(Vec<KnownImage>, Option<C>)>,
    /// Invocations or pixels so far, by weight.
    work: u64,
}

impl<C: Clone> Specialized<C> {
    /// For code that uses these descriptors, by set and binding.
    pub(crate) fn new(uses: &[(u32, u32)], layout: &PipelineLayout) -> Specialized<C> {
        let place = |&(set, binding): &(u32, u32)| {
            let offset = layout.binding(set, binding)?.offset;
            Some(Place { set, binding, offset })
        };
        let places = if config::get().inline_images == InlineImages::Never { &[] } else { uses };
        let state = State { variants: Vec::new(), work: 0 };
        Specialized { places: places.iter().filter_map(place).collect(), state: Mutex::new(state) }
    }

    /// Whether any descriptors matter.
    pub(crate) fn uses_images(&self) -> bool {
        !self.places.is_empty()
    }

    /// The code for the descriptors in these sets, if there is some; its records go into `keep`. `work` is
    /// how much the code is about to do; `make` is handed to the worker when it is time.
    pub(crate) fn choose(
        self: &Arc<Self>,
        sets: &[u64],
        textures: &ImageFunctionCache,
        worker: &Worker,
        work: u64,
        keep: &mut Vec<Record>,
        make: impl FnOnce(Made) -> Box<dyn FnOnce() -> Option<C> + Send>,
    ) -> Option<C>
    where
        C: Send + 'static,
    {
        if self.places.is_empty() {
            return None;
        }
        let descriptors =
            self.places.iter().map(|place| mapped::image_descriptor(sets[place.set as usize], place.offset));
        let before = keep.len();
        let known = textures.known(descriptors, keep);
        let work = work.saturating_mul(textures.backend().invocation_weight());
        let found = self.find(known, work, worker, make);
        if found.is_none() {
            keep.truncate(before);
        }
        found
    }

    fn find(
        self: &Arc<Self>,
        known: Vec<KnownImage>,
        work: u64,
        worker: &Worker,
        make: impl FnOnce(Made) -> Box<dyn FnOnce() -> Option<C> + Send>,
    ) -> Option<C>
    where
        C: Send + 'static,
    {
        let mut state = self.state.lock();
        state.work = state.work.saturating_add(work);
        if let Some((_, code)) = state.variants.iter().find(|(other, _)| *other == known) {
            return code.clone();
        }
        let is_time = config::get().inline_images == InlineImages::Always || state.work >= WORK_BEFORE;
        let is_something = known.iter().any(|one| *one != KnownImage::default());
        if !is_time || !is_something || state.variants.len() == VARIANTS_MAX {
            return None;
        }
        let number = state.variants.len();
        state.variants.push((known.clone(), None));
        drop(state);
        let places = self.places.iter().map(|place| (place.set, place.binding)).zip(known).collect();
        let make = make(Made { known: places });
        if config::get().inline_images == InlineImages::Always {
            let code = make();
            self.set(number, code.clone());
            return code;
        }
        let this = Arc::clone(self);
        worker.run(Box::new(move || this.set(number, make())));
        None
    }

    fn set(&self, number: usize, code: Option<C>) {
        let mut state = self.state.lock();
        state.variants[number].1 = code;
    }
}

/// What code is to be made for.
pub(crate) struct Made {
    known: Vec<((u32, u32), KnownImage)>,
}

impl Made {
    /// A pipeline's layout with what is known of its descriptors.
    pub(crate) fn layout(&self, layout: &PipelineLayout) -> PipelineLayout {
        let mut layout = layout.clone();
        for &((set, binding), known) in &self.known {
            let set = layout.sets.get_mut(set as usize);
            if let Some(binding) = set.and_then(|set| set.bindings.get_mut(&binding)) {
                binding.known = Some(known);
            }
        }
        layout
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::memory::mapped::Block;
    use pyro_abi::{BindingLayout, DescriptorKind, ImageRecord, SetLayout};
    use pyro_compile::Backend;
    use pyro_image::{Aspect, Format, ViewKey, ViewType};
    use std::time::{Duration, Instant};

    const OFFSET: u32 = 64;

    fn layout() -> PipelineLayout {
        let binding = BindingLayout {
            kind: DescriptorKind::SampledImage,
            offset: OFFSET,
            count: 1,
            stride: 16,
            dynamic_index: None,
            variable_count: false,
            known: None,
        };
        let bindings = [(3, binding)].into_iter().collect();
        PipelineLayout { sets: vec![SetLayout { bindings }], ..PipelineLayout::default() }
    }

    #[test]
    fn hot_pipeline_is_respecialized_for_bound_images() {
        if config::get().inline_images != InlineImages::Used {
            return;
        }
        let textures = ImageFunctionCache::new(Backend::Interpreter, Box::new(|message| panic!("{message}")));
        let view = |format: Format| {
            let mut functions = textures.view(&ViewKey::new(format, Aspect::Color, ViewType::D2, 1));
            let record = functions.publish(&[ImageRecord::default()]);
            let address = record.as_ptr().expose_provenance() as u64;
            (functions, address)
        };
        let (floats, float_address) = view(Format::R32_SFLOAT);
        let (_bytes, byte_address) = view(Format::R8G8B8A8_UNORM);
        let memory = Block::zeroed(256, 64).unwrap();
        let mut sets = [0; 1];
        sets[0] = memory.address();
        let worker = Worker::default();
        let specialized = Arc::new(Specialized::<u32>::new(&[(0, 3)], &layout()));
        let choose = |address: u64, work: u64| {
            memory.write(OFFSET.into(), &address.to_ne_bytes());
            let mut keep = Vec::new();
            let found = specialized.choose(&sets, &textures, &worker, work, &mut keep, |made| {
                let known = made.layout(&layout()).binding(0, 3).and_then(|binding| binding.known);
                Box::new(move || Some(known?.view))
            });
            assert_eq!(keep.len(), usize::from(found.is_some()), "what code is for is held");
            found
        };
        assert_eq!(choose(float_address, 1), None);
        assert_eq!(choose(0, WORK_BEFORE), None);
        let start = Instant::now();
        let wait = |address: u64| loop {
            match choose(address, 1) {
                Some(found) => break found,
                None => assert!(start.elapsed() < Duration::from_secs(60), "code is made"),
            }
            std::thread::yield_now();
        };
        let code = wait(float_address);
        assert_eq!(ViewKey::from_code(code).unwrap().format, Format::R32_SFLOAT);
        let code = wait(byte_address);
        assert_eq!(ViewKey::from_code(code).unwrap().format, Format::R8G8B8A8_UNORM);
        assert!(choose(float_address, 1).is_some());
        // Its address is that of nothing now.
        drop(floats);
        assert_eq!(choose(float_address, 1), None);
    }
}
