//! Why a benchmark gave no number.

use ash::vk;

/// A client's failure, told apart since only one kind of it is the driver's fault.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The driver lacks something that the benchmark needs, and says so.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// A Vulkan call returned an error.
    #[error("Vulkan error: {0:?}")]
    Vulkan(vk::Result),
    /// The commands ran and left a result that differs from the reference.
    #[error("wrong result: {0}")]
    Wrong(String),
}

impl From<vk::Result> for Failure {
    fn from(result: vk::Result) -> Self {
        Self::Vulkan(result)
    }
}

impl From<pyro_test_loader::Error> for Failure {
    fn from(error: pyro_test_loader::Error) -> Self {
        match error {
            pyro_test_loader::Error::Missing(text) => Self::Unsupported(text),
            pyro_test_loader::Error::Vulkan(result) => Self::Vulkan(result),
        }
    }
}
