//! What was compiled lately, for pipelines without a cache: applications make many that differ only in state
//! that code does not depend on.

use super::{Artifact, Digest};
use pyro_util::sync::Mutex;
use std::any::Any;
use std::collections::VecDeque;

/// Artifacts at most: a few for each stage of a few pipelines.
const ARTIFACTS_MAX: usize = 128;

type Value = Box<dyn Any + Send + Sync>;

/// The artifacts that were used last.
pub struct RecentArtifacts(Mutex<VecDeque<(Digest, Value)>>);

impl RecentArtifacts {
    /// None.
    pub const fn new() -> RecentArtifacts {
        RecentArtifacts(Mutex::new(VecDeque::new()))
    }

    /// The artifact with this key, which counts as used.
    pub fn get<T: Artifact>(&self, key: Digest) -> Option<T> {
        let mut artifacts = self.0.lock();
        let index = artifacts.iter().rposition(|(other, _)| *other == key)?;
        let used = artifacts.remove(index)?;
        let found = used.1.downcast_ref::<T>().cloned();
        artifacts.push_back(used);
        found
    }

    /// Keeps an artifact, instead of the one whose last use is longest ago.
    pub fn put<T: Artifact>(&self, key: Digest, value: &T) {
        let mut artifacts = self.0.lock();
        artifacts.push_back((key, Box::new(value.clone())));
        let oldest = if artifacts.len() > ARTIFACTS_MAX { artifacts.pop_front() } else { None };
        drop(artifacts);
        drop(oldest);
    }
}

impl Default for RecentArtifacts {
    fn default() -> RecentArtifacts {
        RecentArtifacts::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Session, Words};
    use super::*;
    use crate::CompileError;

    #[test]
    fn recent_artifacts_are_not_made_again() {
        let recent = RecentArtifacts::new();
        let mut made = Vec::new();
        let mut artifact = |key: u32, must_not: bool| {
            let session = Session::uncached().with_recent(&recent).must_not_compile(must_not);
            let found = session.artifact(key, || {
                made.push(key);
                Ok(Words(vec![key].into()))
            });
            match found {
                Err(CompileError::Required) => None,
                found => Some(found.expect("an artifact")),
            }
        };
        let words = |key: u32| Some(Words(vec![key].into()));
        assert_eq!(artifact(7, false), words(7));
        assert_eq!(artifact(7, false), words(7));
        assert_eq!(artifact(7, true), None, "whoever must not compile does not depend on what others did");
        for key in 100..100 + ARTIFACTS_MAX as u32 - 1 {
            assert_eq!(artifact(key, false), words(key));
        }
        assert_eq!(artifact(7, false), words(7));
        assert_eq!(artifact(1, false), words(1));
        assert_eq!(artifact(7, false), words(7));
        assert_eq!(artifact(100, false), words(100));
        assert_eq!(made.iter().filter(|&&key| key == 7).count(), 1);
        assert_eq!(made.iter().filter(|&&key| key == 100).count(), 2);
    }
}
