//! Looking for artifacts, and making them.

use super::{Claim, Digest, DiskCache, MemoryCache, RecentArtifacts, SharedCache};
use crate::graphics::CompiledFragment;
use crate::{Backend, CompileError, ShaderModule};
use pyro_abi::Kernel;
use pyro_abi::graphics::GeometryInfo;
use pyro_lower::{FragmentInfo, PatchVaryingLayout, VaryingLayout};
use pyro_profiler::Activity;
use pyro_util::budget::{self, Budget};
use pyro_util::codec::{ByteCodec, Reader};
use pyro_util::{config, steps};
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Something that the compiler makes and caches keep.
pub trait Artifact: Clone + Send + Sync + Sized + 'static {
    /// What it is: a part of its key.
    const KIND: &'static str;

    /// Its bytes; none when it exists in this process only.
    fn encode(&self) -> Option<Vec<u8>>;

    /// From its bytes, whose MAC has been found right.
    fn decode(reader: &mut Reader<'_>) -> Option<Self>;
}

/// Only machine code has a form as bytes.
impl Artifact for Arc<dyn Kernel> {
    const KIND: &'static str = "kernel";

    fn encode(&self) -> Option<Vec<u8>> {
        self.portable()
    }

    fn decode(reader: &mut Reader<'_>) -> Option<Self> {
        Some(Arc::new(pyro_jit::Compiled::from_portable(reader)?))
    }
}

/// Image functions.
impl Artifact for Arc<pyro_jit::Compiled> {
    const KIND: &'static str = "image function";

    fn encode(&self) -> Option<Vec<u8>> {
        self.portable()
    }

    fn decode(reader: &mut Reader<'_>) -> Option<Self> {
        pyro_jit::Compiled::from_portable(reader).map(Arc::new)
    }
}

impl Artifact for CompiledFragment {
    const KIND: &'static str = "fragment";

    fn encode(&self) -> Option<Vec<u8>> {
        let CompiledFragment { kernel, setup } = self;
        let mut bytes = Vec::new();
        setup.write(&mut bytes);
        bytes.extend(kernel.encode()?);
        Some(bytes)
    }

    fn decode(reader: &mut Reader<'_>) -> Option<Self> {
        let setup = reader.value()?;
        Some(CompiledFragment { setup, kernel: Artifact::decode(reader)? })
    }
}

macro_rules! infos {
    ($($name:ident $kind:literal),+) => { $(
        impl Artifact for $name {
            const KIND: &'static str = $kind;

            fn encode(&self) -> Option<Vec<u8>> {
                let mut bytes = Vec::new();
                self.write(&mut bytes);
                Some(bytes)
            }

            fn decode(reader: &mut Reader<'_>) -> Option<Self> {
                reader.value()
            }
        }
    )+ };
}

infos!(
    FragmentInfo "fragment info",
    GeometryInfo "geometry info",
    PatchVaryingLayout "patch varying layout",
    VaryingLayout "varying layout"
);

/// The words of a module, kept beside what was compiled from them where more may have to be, by
/// [`Session::keep_words`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(pub Arc<[u32]>);

impl Artifact for Words {
    const KIND: &'static str = "words";

    fn encode(&self) -> Option<Vec<u8>> {
        Some(self.0.iter().flat_map(|word| word.to_le_bytes()).collect())
    }

    fn decode(reader: &mut Reader<'_>) -> Option<Self> {
        let (words, rest) = reader.take(reader.left())?.as_chunks();
        rest.is_empty().then(|| Words(words.iter().map(|&word| u32::from_le_bytes(word)).collect()))
    }
}

/// How one pipeline's artifacts are found, by any number of threads.
#[derive(Default)]
pub struct Session<'c> {
    application: Option<&'c MemoryCache>,
    directory: Option<&'c DiskCache>,
    /// The cache of a fleet of workers.
    shared: Option<&'c SharedCache>,
    /// Used where there is no directory.
    recent: Option<&'c RecentArtifacts>,
    /// What artifacts are compiled for; `None`: what the environment asks for.
    backend: Option<Backend>,
    must_not_compile: bool,
    /// Artifacts that the application's cache had.
    hits: AtomicU32,
    /// Artifacts that it did not have.
    misses: AtomicU32,
    /// Artifacts that were made.
    made: AtomicU32,
}

impl<'c> Session<'c> {
    /// Without any cache.
    pub fn uncached() -> Session<'c> {
        Session::default()
    }

    /// With the application's cache, if there is one, the user's, and the fleet's.
    pub fn new(application: Option<&'c MemoryCache>) -> Session<'c> {
        let (directory, shared) = (DiskCache::from_environment(), SharedCache::from_environment());
        Session { application, directory, shared, ..Session::default() }
    }

    /// Uses this as the application's cache.
    #[must_use]
    pub fn with_application(self, application: Option<&'c MemoryCache>) -> Session<'c> {
        Session { application, ..self }
    }

    /// Uses this directory instead of the user's.
    #[must_use]
    pub fn with_directory(self, directory: Option<&'c DiskCache>) -> Session<'c> {
        Session { directory, ..self }
    }

    /// Uses this cache of a fleet of workers instead of the environment's.
    #[must_use]
    pub fn with_shared(self, shared: Option<&'c SharedCache>) -> Session<'c> {
        Session { shared, ..self }
    }

    /// Takes what was made lately, too, if there is no directory. It does not count as found in a cache.
    #[must_use]
    pub fn with_recent(self, recent: &'c RecentArtifacts) -> Session<'c> {
        Session { recent: Some(recent), ..self }
    }

    /// Compiles for this backend.
    #[must_use]
    pub fn with_backend(self, backend: Backend) -> Session<'c> {
        Session { backend: Some(backend), ..self }
    }

    /// What artifacts are compiled for.
    pub fn backend(&self) -> Backend {
        self.backend.unwrap_or_else(Backend::from_environment)
    }

    /// With or without leave to compile what no cache has, which is [`CompileError::Required`] without.
    #[must_use]
    pub fn must_not_compile(self, must_not: bool) -> Session<'c> {
        Session { must_not_compile: must_not, ..self }
    }

    /// Whether everything so far came from the application's cache.
    pub fn hit(&self) -> bool {
        self.hits.load(Ordering::Relaxed) > 0 && self.misses.load(Ordering::Relaxed) == 0
    }

    /// How many artifacts were made, because no cache had them.
    pub fn made(&self) -> u32 {
        self.made.load(Ordering::Relaxed)
    }

    /// Whether artifacts are kept in files.
    pub fn has_files(&self) -> bool {
        self.directory.is_some() || self.shared.is_some()
    }

    /// Finds the artifact of this key, if a cache has it. If none has, it counts as made, since whoever asks
    /// has it made then.
    ///
    /// # Errors
    /// [`CompileError::Required`] when it would have to be made and must not be.
    pub fn find<T: Artifact>(&self, key: impl Hash) -> Result<Option<T>, CompileError> {
        let key = Digest::of((T::KIND, key));
        if let Some(found) = self.application.and_then(|cache| cache.get(key)) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(Some(found));
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let shared = self.shared.filter(|_| self.backend() != Backend::Interpreter);
        let found = self.stored(key).or_else(|| shared.and_then(|shared| shared.get(key)));
        match (&found, self.application) {
            (Some(found), Some(cache)) => cache.put(key, found),
            (None, _) if self.must_not_compile => return Err(CompileError::Required),
            (None, _) => _ = self.made.fetch_add(1, Ordering::Relaxed),
            _ => {}
        }
        Ok(found)
    }

    /// What was made lately, where that counts.
    fn recent(&self) -> Option<&'c RecentArtifacts> {
        self.recent.filter(|_| self.directory.is_none() && !self.must_not_compile)
    }

    /// What the user's directory has, or was made lately.
    fn stored<T: Artifact>(&self, key: Digest) -> Option<T> {
        let stored = self.directory.and_then(|directory| directory.get(key));
        stored.or_else(|| self.recent().and_then(|recent| recent.get(key)))
    }

    /// Finds the artifact of this key, or makes it, in the time that `PYROCLAST_COMPILE_SECONDS` allows.
    ///
    /// # Errors
    /// Those of `make`, after which no cache has the artifact, and [`CompileError::Required`] when it would
    /// have to be made and must not be.
    pub fn artifact<T: Artifact>(
        &self,
        key: impl Hash,
        make: impl FnOnce() -> Result<T, CompileError>,
    ) -> Result<T, CompileError> {
        let recent = self.recent();
        let has_cache = self.application.is_some() || self.directory.is_some() || self.shared.is_some();
        if !has_cache && recent.is_none() {
            self.misses.fetch_add(1, Ordering::Relaxed);
            self.made.fetch_add(1, Ordering::Relaxed);
            return if self.must_not_compile { Err(CompileError::Required) } else { limited(make) };
        }
        let key = Digest::of((T::KIND, key));
        if let Some(found) = self.application.and_then(|cache| cache.get(key)) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(found);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let found = match self.stored(key) {
            Some(found) => found,
            None => {
                // Dropped when the artifact is in the fleet's cache.
                let (found, _claim) = self.shared_or_made(key, make)?;
                if let Some(directory) = self.directory {
                    directory.put(key, &found);
                }
                if let Some(recent) = recent {
                    recent.put(key, &found);
                }
                found
            }
        };
        if let Some(cache) = self.application {
            cache.put(key, &found);
        }
        Ok(found)
    }

    /// The fleet's artifact, or a new one, which the fleet gets.
    fn shared_or_made<T: Artifact>(
        &self,
        key: Digest,
        make: impl FnOnce() -> Result<T, CompileError>,
    ) -> Result<(T, Option<Claim>), CompileError> {
        // Interpreted code has no form as bytes: nobody should wait for it.
        let shared = self.shared.filter(|_| self.backend() != Backend::Interpreter);
        let found = match shared {
            Some(shared) if self.must_not_compile => shared.get(key).ok_or(None),
            Some(shared) => shared.get_or_claim(key),
            None => Err(None),
        };
        match found {
            Ok(found) => Ok((found, None)),
            Err(_) if self.must_not_compile => Err(CompileError::Required),
            Err(claim) => {
                self.made.fetch_add(1, Ordering::Relaxed);
                let made = limited(make)?;
                if let Some(shared) = shared {
                    shared.put(key, &made);
                }
                Ok((made, claim))
            }
        }
    }

    /// The module that is known by its digest, if a cache has its words; they are digested once, to check
    /// that they are those.
    pub fn shader_module(&self, digest: Digest) -> Option<ShaderModule> {
        let key = Digest::of((Words::KIND, digest));
        let found: Option<Words> = self.application.and_then(|cache| cache.get(key));
        let found = found.or_else(|| self.directory.and_then(|directory| directory.get(key)));
        found.map(ShaderModule::of_words).filter(|module| module.digest() == digest)
    }

    /// Keeps the words of a module in the caches, for [`Session::shader_module`].
    pub fn keep_words(&self, module: Digest, words: &Words) {
        let key = Digest::of((Words::KIND, module));
        if let Some(cache) = self.application
            && !cache.contains(key)
        {
            cache.put(key, words);
        }
        // The files have them if they have all else.
        if let Some(directory) = self.directory.filter(|_| self.made.load(Ordering::Relaxed) > 0) {
            directory.put(key, words);
        }
    }
}

/// Makes an artifact in the time that the environment allows for one.
fn limited<T>(make: impl FnOnce() -> T) -> T {
    let _activity = pyro_profiler::activity::enter(Activity::Compile);
    let made = budget::within(&Budget { limit: config::get().compile_limit, cancel: None }, make);
    steps::end();
    made
}
