//! The numbers by which a profile names pipelines.

use pyro_abi::Kernel;
use pyro_profiler::commands;
use std::sync::{Arc, OnceLock};

/// A pipeline's number in the profile, once something asks.
#[derive(Debug, Default)]
pub(crate) struct ProfiledName {
    number: OnceLock<u32>,
    /// The application's name (`vkSetDebugUtilsObjectNameEXT`).
    given: OnceLock<String>,
}

impl ProfiledName {
    /// The application names the pipeline; what has run before keeps its name.
    pub(crate) fn give(&self, name: &str) {
        // Only the first name counts: a profile has one for each pipeline.
        let _ = self.given.set(name.to_owned());
    }

    /// The number; the name is the application's, and that of the pipeline's shaders.
    pub(crate) fn number(&self, kernels: impl FnOnce() -> Vec<Arc<dyn Kernel>>) -> u32 {
        *self.number.get_or_init(|| {
            let mut names: Vec<String> = Vec::new();
            for kernel in kernels() {
                let name = kernel.info().map.as_ref().map(|map| map.name());
                // A stage may have been compiled in several variants.
                names.extend(name.filter(|name| !names.contains(name)));
            }
            let name =
                if names.is_empty() { "a pipeline without shaders".to_owned() } else { names.join(" + ") };
            commands::pipeline(match self.given.get() {
                Some(given) => format!("{given}: {name}"),
                None => name,
            })
        })
    }
}
