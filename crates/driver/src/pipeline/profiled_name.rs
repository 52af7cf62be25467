//! The numbers by which a profile names pipelines.

use pyro_abi::Kernel;
use pyro_profiler::commands;
use std::sync::{Arc, OnceLock};

/// A pipeline's number in the profile, once something asks.
#[derive(Debug, Default)]
pub(crate) struct ProfiledName(OnceLock<u32>);

impl ProfiledName {
    /// The number; the name is made of the pipeline's shaders.
    pub(crate) fn number(&self, kernels: impl FnOnce() -> Vec<Arc<dyn Kernel>>) -> u32 {
        *self.0.get_or_init(|| {
            let mut names: Vec<String> = Vec::new();
            for kernel in kernels() {
                let name = kernel.info().map.as_ref().map(|map| map.name());
                // A stage may have been compiled in several variants.
                names.extend(name.filter(|name| !names.contains(name)));
            }
            let name =
                if names.is_empty() { "a pipeline without shaders".to_owned() } else { names.join(" + ") };
            commands::pipeline(name)
        })
    }
}
