//! Shader modules: words, decoded and checked once.
//!
//! # Problem
//! Many pipelines are made from one module, most of them without compiling anything, since a cache has their
//! code. Decoding and checking are a good part of the time that a small shader takes.
//!
//! # Approach
//! A [`ShaderModule`] keeps its words and decodes them when something is first asked of their content. What
//! checking found ([`Checked`]) is kept by specialization, since the values of constants decide what is
//! valid.
//!
//! # Invariants
//! Nothing is lowered that is not [`Checked`]; nothing is decoded for code that a cache has.

use crate::cache::{Digest, Words};
use crate::{CompileError, rejected};
use pyro_spirv::{Module, Specialization};
use pyro_util::sync::Mutex;
use pyro_validate::{Checked, Environment};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Specializations whose checked modules are kept; applications that use more of them compile each once.
const CHECKED_COUNT_MAX: usize = 8;

/// A module's words, with what was found in them so far. An empty module stands for words that are not known,
/// only their digest is.
pub struct ShaderModule {
    words: Words,
    digest: Digest,
    module: OnceLock<Arc<Module>>,
    /// What checking found, the last used one at the end.
    checked: Mutex<Vec<Checked>>,
}

impl ShaderModule {
    /// A module of these words, which are looked at later.
    pub fn new(words: &[u32]) -> ShaderModule {
        ShaderModule::of_words(Words(words.into()))
    }

    /// A module of words that are shared.
    pub fn of_words(words: Words) -> ShaderModule {
        let digest = Digest::of(&words.0[..]);
        ShaderModule::with_digest(words, digest)
    }

    /// A module of which only the digest is known.
    pub fn of_digest(digest: Digest) -> ShaderModule {
        ShaderModule::with_digest(Words(Arc::new([])), digest)
    }

    fn with_digest(words: Words, digest: Digest) -> ShaderModule {
        ShaderModule { words, digest, module: OnceLock::new(), checked: Mutex::default() }
    }

    /// The words.
    pub fn words(&self) -> &[u32] {
        &self.words.0
    }

    /// The words as caches keep them.
    pub fn shared_words(&self) -> &Words {
        &self.words
    }

    /// The digest of the words.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The decoded module.
    ///
    /// # Errors
    /// [`CompileError::Invalid`] when the words are no module; [`CompileError::Required`] when they are not
    /// known.
    pub fn module(&self) -> Result<&Arc<Module>, CompileError> {
        if let Some(module) = self.module.get() {
            return Ok(module);
        }
        if self.words().is_empty() {
            return Err(CompileError::Required);
        }
        let module =
            Module::decode(self.words()).map_err(|error| CompileError::Invalid(error.to_string()))?;
        Ok(self.module.get_or_init(|| Arc::new(module)))
    }

    /// The module checked under a specialization.
    ///
    /// # Errors
    /// As of [`ShaderModule::module`], and [`CompileError::Invalid`] when it breaks a rule that compiling
    /// relies on.
    pub fn checked(&self, specialization: &Specialization) -> Result<Checked, CompileError> {
        let kept = || self.checked.lock();
        {
            let mut kept = kept();
            if let Some(at) = kept.iter().position(|checked| checked.specialization() == specialization) {
                let found = kept.remove(at);
                kept.push(found.clone());
                return Ok(found);
            }
        }
        pyro_util::steps::begin("validate");
        // Not under the lock: threads check different specializations at the same time.
        let environment = Environment { specialization: specialization.clone(), ..Environment::default() };
        let checked = pyro_validate::validate(Arc::clone(self.module()?), &environment).map_err(rejected)?;
        let mut kept = kept();
        if kept.len() >= CHECKED_COUNT_MAX {
            kept.remove(0);
        }
        kept.push(checked.clone());
        Ok(checked)
    }

    /// How many times it was checked and is still kept; for tests.
    #[cfg(test)]
    fn kept_count(&self) -> usize {
        self.checked.lock().len()
    }
}

impl fmt::Debug for ShaderModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShaderModule({:?}, {} words)", self.digest, self.words().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specialization(value: u64) -> Specialization {
        [(3, value)].into_iter().collect()
    }

    #[test]
    fn modules_are_decoded_once_and_checked_once_for_each_specialization() {
        let words = pyro_spirv::asm::assemble(
            "OpCapability Shader
             OpMemoryModel Logical GLSL450
             OpEntryPoint GLCompute %main \"main\"
             OpExecutionMode %main LocalSize 1 1 1
             OpDecorate %size SpecId 3
             %void = OpTypeVoid
             %fn = OpTypeFunction %void
             %uint = OpTypeInt 32 0
             %size = OpSpecConstant %uint 7
             %array = OpTypeArray %uint %size
             %main = OpFunction %void None %fn
             %entry = OpLabel
             OpReturn
             OpFunctionEnd",
        )
        .expect("assembles");
        let module = ShaderModule::new(&words);
        let first = module.checked(&specialization(2)).expect("is valid");
        let again = module.checked(&specialization(2)).expect("is valid");
        assert!(Arc::ptr_eq(first.shared_module(), again.shared_module()));
        assert_eq!(module.kept_count(), 1);
        let other = module.checked(&specialization(3)).expect("is valid");
        assert!(Arc::ptr_eq(first.shared_module(), other.shared_module()));
        assert_eq!((module.kept_count(), other.specialization()), (2, &specialization(3)));
        // An array without elements is invalid: that is of the specialization, not of the module.
        assert!(matches!(module.checked(&specialization(0)), Err(CompileError::Invalid(_))));
        for size in 10..30 {
            module.checked(&specialization(size)).expect("is valid");
        }
        assert_eq!(module.kept_count(), CHECKED_COUNT_MAX);
    }

    #[test]
    fn unknown_module_identifier_does_not_compile() {
        let named = ShaderModule::of_digest(Digest([1, 2]));
        assert!(matches!(named.module(), Err(CompileError::Required)));
        assert!(matches!(ShaderModule::new(&[1, 2, 3]).module(), Err(CompileError::Invalid(_))));
    }
}
