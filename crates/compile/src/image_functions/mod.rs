//! Image functions, compiled at first use.
//!
//! Shaders call image operations through tables (see [`pyro_abi::image`]): one table for each distinct static
//! state of views, in it one row for each subgroup size and sampler state, in it one entry for each
//! operation. At first all entries are *resolvers*: callables that compile the function for the records they
//! are called with, put it into its row, and go on as that function. Equal states share everything.
//!
//! A [`ImageFunctionCache`] belongs to a device. [`ViewFunctions`] and [`SamplerState`] are held by the
//! device's views and samplers; while one is alive, what it stands for stays where it is. States that nobody
//! holds are kept for some time, since applications make the same ones again.

mod entry;
mod record;
mod state;

pub use record::Record;

use crate::{Backend, CompileError};
use pyro_abi::image::{ImageOp, SAMPLER_STATES_MAX};
use pyro_abi::{ImageRecord, KnownImage, SamplerRecord};
use pyro_image::{PlanarView, SamplerKey, ViewKey, access};
use pyro_ir::Function;
use pyro_passes::pipeline;
use state::Shared;
use std::sync::Arc;

/// Called with a message when a function cannot be compiled; shaders see zeros instead.
pub type Report = Box<dyn Fn(&str) + Send + Sync>;

/// The image functions of a device. Cheap to clone.
#[derive(Clone)]
pub struct ImageFunctionCache {
    shared: Arc<Shared>,
}

/// What an image view or texel buffer view holds of the cache: goes into its [`ImageRecord`].
pub struct ViewFunctions {
    shared: Arc<Shared>,
    view: u32,
    functions: u64,
    /// What the view is, for debuggers.
    described: u32,
    /// The same for code that is made of it; zero where its operations are not part of any.
    code: u32,
    published: Option<u64>,
    /// The memory of the records that descriptors name.
    records: Vec<Arc<[ImageRecord]>>,
}

/// What a sampler holds of the cache: goes into its [`SamplerRecord`].
pub struct SamplerState {
    shared: Arc<Shared>,
    row: u32,
    code: u32,
    published: Option<u64>,
    /// The memory of the record that descriptors name.
    record: Option<Arc<[SamplerRecord]>>,
}

/// There are too many different samplers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {} different sampler states at a time", SAMPLER_STATES_MAX - 1)]
pub struct TooManySamplers;

impl ImageFunctionCache {
    /// An empty cache.
    pub fn new(backend: Backend, report: Report) -> ImageFunctionCache {
        ImageFunctionCache { shared: Shared::new(backend, report) }
    }

    /// What runs the functions.
    pub fn backend(&self) -> Backend {
        self.shared.backend()
    }

    /// The functions for views of this state.
    pub fn view(&self, key: &ViewKey) -> ViewFunctions {
        let (view, functions) = self.shared.hold_view(key);
        let code = record::view_code(key);
        ViewFunctions {
            shared: self.shared.clone(),
            view,
            functions,
            described: key.code().or_else(|| Some(PlanarView::of(key)?.code())).unwrap_or(0),
            code,
            published: None,
            records: Vec::new(),
        }
    }

    /// The row for samplers of this state.
    ///
    /// # Errors
    /// When too many different states are in use.
    pub fn sampler(&self, key: &SamplerKey) -> Result<SamplerState, TooManySamplers> {
        let row = self.shared.hold_sampler(key)?;
        let code = record::sampler_code(key);
        Ok(SamplerState { shared: self.shared.clone(), row, code, published: None, record: None })
    }

    /// Address of the record that stands in for null images, as long as the cache lives.
    pub fn null_image(&self) -> u64 {
        self.shared.null_image()
    }

    /// Address of the record that stands in for null samplers, as long as the cache lives.
    pub fn null_sampler(&self) -> u64 {
        self.shared.null_sampler()
    }

    /// What the pairs of addresses in image descriptors are, by the codes of their keys, where they are
    /// records that were published and whose operations can be part of a shader. What was found goes into
    /// `keep`.
    pub fn known(
        &self,
        descriptors: impl Iterator<Item = [u64; 2]>,
        keep: &mut Vec<Record>,
    ) -> Vec<KnownImage> {
        self.shared.records.known(descriptors, keep)
    }

    /// How many functions have been compiled.
    pub fn compiled_count(&self) -> usize {
        self.shared.compiled_count()
    }
}

impl ViewFunctions {
    /// Puts what shaders need into the view's record.
    pub fn fill(&self, record: &mut ImageRecord) {
        record.functions = self.functions;
        record.view = u64::from(self.view) | u64::from(self.described) << 32;
    }

    /// Gives filled records a place, which descriptors name by its address. When this is dropped, null
    /// records are there; other holders of the place must be gone then.
    pub fn place(&mut self, records: &[ImageRecord]) -> Arc<[ImageRecord]> {
        let records = self.shared.records.images.place(records);
        self.records.push(Arc::clone(&records));
        records
    }

    /// The same, and makes the records known to [`ImageFunctionCache::known`] until this is dropped.
    pub fn publish(&mut self, records: &[ImageRecord]) -> Arc<[ImageRecord]> {
        let records = self.place(records);
        let record = Record::Image(Arc::clone(&records));
        self.published = Some(self.shared.records.publish(record, self.code));
        records
    }
}

impl Drop for ViewFunctions {
    fn drop(&mut self) {
        self.published.inspect(|&address| self.shared.records.forget(address));
        for records in self.records.drain(..) {
            self.shared.records.images.retire(records, self.shared.null_record().clone());
        }
        self.shared.release_view(self.view);
    }
}

impl SamplerState {
    /// Puts what shaders need into the sampler's record.
    pub fn fill(&self, record: &mut SamplerRecord) {
        record.row = self.row;
    }

    /// Gives a filled record a place, which descriptors name by its address, and makes it known to
    /// [`ImageFunctionCache::known`]. When this is dropped, a null record is there; other holders of the
    /// place must be gone then.
    pub fn publish(&mut self, record: SamplerRecord) -> Arc<[SamplerRecord]> {
        let record = self.shared.records.samplers.place(&[record]);
        self.record = Some(Arc::clone(&record));
        let published = Record::Sampler(Arc::clone(&record));
        self.published = Some(self.shared.records.publish(published, self.code));
        record
    }

    /// The row, never 0.
    pub fn row(&self) -> u32 {
        self.row
    }
}

impl Drop for SamplerState {
    fn drop(&mut self) {
        self.published.inspect(|&address| self.shared.records.forget(address));
        if let Some(record) = self.record.take() {
            self.shared.records.samplers.retire(record, SamplerRecord::default());
        }
        self.shared.release_sampler(self.row);
    }
}

/// An image function in finished mask form for a backend.
///
/// # Errors
/// When Vulkan does not allow the combination, or by a mistake of the compiler.
pub fn image_function(
    view: Option<&ViewKey>,
    sampler: Option<&SamplerKey>,
    op: ImageOp,
    lanes: u32,
    backend: Backend,
) -> Result<Function, CompileError> {
    let function = access::build(view, sampler, op, lanes).map_err(|error| {
        CompileError::Unsupported(format!("{op:?} of {view:?} with {sampler:?}: {error}"))
    })?;
    finish(function, backend)
}

/// Lane form to finished mask form.
fn finish(mut function: Function, backend: Backend) -> Result<Function, CompileError> {
    let options = pipeline::Options { rounds_twice: backend.rounds_twice(), ..Default::default() };
    pipeline::run(&mut function, &options, None)?;
    if function.scratch_bytes != 0 || function.frame_bytes != 0 {
        return Err(CompileError::Internal(format!("the image function {} needs memory", function.name)));
    }
    Ok(function)
}

#[cfg(test)]
mod tests;
