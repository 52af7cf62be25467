//! Shader modules.

use crate::cache::Digest;
use crate::error::{Error, Result};

/// A `VkShaderModule`: its words. They are looked at when a pipeline is made.
pub struct ShaderModule {
    words: Box<[u32]>,
    digest: Digest,
}

/// The first word of every SPIR-V module.
const MAGIC: u32 = 0x0723_0203;

impl ShaderModule {
    /// A module of these words.
    ///
    /// # Errors
    /// When they are not SPIR-V at all.
    pub fn new(words: &[u32]) -> Result<ShaderModule> {
        if words.first() != Some(&MAGIC) {
            return Err(Error::new(
                vulkanalia_sys::Result::ERROR_INVALID_SHADER_NV,
                "the code does not start with SPIR-V's magic number (VUID-VkShaderModuleCreateInfo-pCode-08738)",
            ));
        }
        Ok(ShaderModule { digest: Digest::of(words), words: words.into() })
    }

    /// The words.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Their digest.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}
