//! Shader modules.

use crate::error::{Error, Result};
use crate::pipeline::cache::Digest;
use crate::pipeline::strict;
use crate::pipeline::validation_cache::ValidationCache;
use pyro_compile::cache::Words;
use std::sync::Arc;

/// A `VkShaderModule`. Its words are looked at when code is first compiled from them, and then decoded and
/// checked once.
pub struct ShaderModule {
    module: Arc<pyro_compile::ShaderModule>,
}

/// The first word of every SPIR-V module.
const MAGIC: u32 = 0x0723_0203;

impl ShaderModule {
    /// A module of these words.
    ///
    /// # Errors
    /// When they are not SPIR-V at all.
    pub fn new(words: &[u32]) -> Result<ShaderModule> {
        ShaderModule::with_cache(words, None, &|finding| crate::report::to_stderr(&finding))
    }

    /// A module of these words, not checked in strict mode when the cache knows that it keeps every rule.
    /// `report` gets the rules that it breaks.
    ///
    /// # Errors
    /// As of [`ShaderModule::new`].
    pub fn with_cache(
        words: &[u32],
        cache: Option<&ValidationCache>,
        report: &dyn Fn(&str),
    ) -> Result<ShaderModule> {
        let module = ShaderModule::unchecked(words)?;
        let digest = module.digest();
        if strict::is_on() && !cache.is_some_and(|cache| cache.knows(digest)) {
            let is_clean = strict::check(&module, report);
            if let Some(cache) = cache.filter(|_| is_clean) {
                cache.insert(digest);
            }
        }
        Ok(module)
    }

    /// A module of these words, not checked in strict mode either.
    ///
    /// # Errors
    /// As of [`ShaderModule::new`].
    pub fn unchecked(words: &[u32]) -> Result<ShaderModule> {
        if words.first() != Some(&MAGIC) {
            return Err(Error::new(
                vulkanalia_sys::Result::ERROR_INVALID_SHADER_NV,
                "the code does not start with SPIR-V's magic number (VUID-VkShaderModuleCreateInfo-pCode-08738)",
            ));
        }
        Ok(ShaderModule { module: Arc::new(pyro_compile::ShaderModule::new(words)) })
    }

    /// A module of which only the identifier is known (`VK_EXT_shader_module_identifier`): pipelines are made
    /// from it only when a cache has them.
    ///
    /// # Errors
    /// When it is not an identifier that [`ShaderModule::identifier`] gave.
    pub fn from_identifier(identifier: &[u8]) -> Result<ShaderModule> {
        let wrong = || {
            Error::new(
                vulkanalia_sys::Result::PIPELINE_COMPILE_REQUIRED,
                "the shader module's identifier is not one of this driver's",
            )
        };
        let bytes: [u8; 16] = identifier.try_into().map_err(|_| wrong())?;
        Ok(ShaderModule::of(pyro_compile::ShaderModule::of_digest(Digest::from_bytes(bytes))))
    }

    /// A module that a cache has.
    ///
    /// # Errors
    /// As of [`ShaderModule::new`].
    pub(crate) fn from_cache(module: pyro_compile::ShaderModule) -> Result<ShaderModule> {
        match module.words().first() {
            Some(&MAGIC) => Ok(ShaderModule::of(module)),
            _ => ShaderModule::unchecked(module.words()),
        }
    }

    fn of(module: pyro_compile::ShaderModule) -> ShaderModule {
        ShaderModule { module: Arc::new(module) }
    }

    /// The module as the compiler takes it.
    pub(crate) fn for_compiler(&self) -> &Arc<pyro_compile::ShaderModule> {
        &self.module
    }

    /// The words as caches keep them.
    pub(crate) fn kept(&self) -> &Words {
        self.module.shared_words()
    }

    /// Its identifier: the same for the same words, in every process of this build of the driver.
    pub fn identifier(&self) -> [u8; 16] {
        self.digest().to_bytes()
    }

    /// Whether the words are known, not only the identifier.
    pub fn has_words(&self) -> bool {
        !self.words().is_empty()
    }

    /// The words.
    pub fn words(&self) -> &[u32] {
        self.module.words()
    }

    /// Their digest.
    pub fn digest(&self) -> Digest {
        self.module.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_stand_for_words() {
        let one = ShaderModule::new(&[MAGIC, 1]).unwrap();
        let same = ShaderModule::new(&[MAGIC, 1]).unwrap();
        let other = ShaderModule::new(&[MAGIC, 2]).unwrap();
        assert_eq!(one.identifier(), same.identifier());
        assert_ne!(one.identifier(), other.identifier());
        let named = ShaderModule::from_identifier(&one.identifier()).unwrap();
        assert_eq!(named.digest(), one.digest());
        assert!(one.has_words() && !named.has_words());
        assert!(ShaderModule::from_identifier(&[1, 2, 3]).is_err());
        assert!(ShaderModule::new(&[1]).is_err());
    }
}
