//! Where plans, claims, records and files of results are: a folder or an object store.
//!
//! Problem: workers on many machines write at once and die at any time. Approach: the `object_store` crate,
//! whose writes are atomic, and two ways to write only: what may be replaced (heartbeats, times), and what is
//! created once (all else), where the first writer wins. Files of results are *blobs*, named by their digest.
//! *Must not know*: jobs.

use crate::config;
use crate::digest::Digest;
use anyhow::{Context, Result, anyhow, bail};
use futures_util::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path as ObjectPath;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use std::path::Path;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};
use url::Url;

/// An object store, or a folder.
#[derive(Clone)]
pub struct Store {
    objects: Arc<dyn ObjectStore>,
    root: ObjectPath,
    runtime: Arc<Runtime>,
    url: String,
}

/// An object in a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// Its name behind the prefix.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

impl Store {
    /// Opens a folder (a path or `file:///…`, made where it does not exist), or an object store: `s3://…`,
    /// `gs://…`, `az://…` in builds with the feature `cloud`.
    ///
    /// # Errors
    /// URLs that are not understood, folders that cannot be made, and stores without configuration.
    pub fn open(url: &str) -> Result<Store> {
        let parsed = Url::parse(url).ok().filter(|_| url.contains("://"));
        let folder = match &parsed {
            Some(found) if found.scheme() == "file" => Some(
                found
                    .to_file_path()
                    .map_err(|()| anyhow!("{url}: a file URL has three slashes and an absolute path"))?,
            ),
            Some(_) => None,
            None => Some(Path::new(url).to_owned()),
        };
        let (objects, root): (Arc<dyn ObjectStore>, ObjectPath) = match (folder, parsed) {
            (Some(folder), _) => {
                std::fs::create_dir_all(&folder)
                    .with_context(|| format!("cannot make the folder {}", folder.display()))?;
                let objects = LocalFileSystem::new_with_prefix(&folder)
                    .with_context(|| format!("cannot open the folder {}", folder.display()))?;
                (Arc::new(objects), ObjectPath::default())
            }
            (None, Some(parsed)) => {
                if !cfg!(feature = "cloud") && parsed.scheme() != "memory" {
                    bail!(
                        "{url}: this build knows folders only; build it with `--features cloud` for S3, Google \
                         Cloud and Azure"
                    );
                }
                let (objects, root) = object_store::parse_url_opts(&parsed, config::cloud_variables())
                    .with_context(|| format!("cannot open {url}"))?;
                (Arc::from(objects), root)
            }
            (None, None) => bail!("{url}: not a URL"),
        };
        Ok(Store { objects, root, runtime: runtime()?, url: url.to_owned() })
    }

    /// A store in this process's memory, for tests and simulations.
    ///
    /// # Errors
    /// When the runtime of asynchronous calls cannot be made.
    pub fn memory() -> Result<Store> {
        let url = "memory:///".to_owned();
        let root = ObjectPath::default();
        Ok(Store { objects: Arc::new(InMemory::new()), root, runtime: runtime()?, url })
    }

    /// What was opened.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    fn path(&self, name: &str) -> ObjectPath {
        name.split('/').fold(self.root.clone(), |path, part| path.join(part))
    }

    /// An object's bytes; `None` when it does not exist.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let path = self.path(name);
        let found = self.runtime.block_on(async { self.objects.get(&path).await?.bytes().await });
        match found {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {name} in {}", self.url)),
        }
    }

    /// Whether an object exists.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub fn exists(&self, name: &str) -> Result<bool> {
        match self.runtime.block_on(self.objects.head(&self.path(name))) {
            Ok(_) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error).with_context(|| format!("cannot look for {name} in {}", self.url)),
        }
    }

    /// Writes an object, in the place of one that exists.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn put(&self, name: &str, bytes: Vec<u8>) -> Result<()> {
        let path = self.path(name);
        let put = self.objects.put(&path, PutPayload::from(bytes));
        self.runtime.block_on(put).with_context(|| format!("cannot write {name} in {}", self.url))?;
        Ok(())
    }

    /// Writes an object if it does not exist; whether it was this call that wrote it.
    ///
    /// # Errors
    /// As [`Store::put`].
    pub fn create(&self, name: &str, bytes: Vec<u8>) -> Result<bool> {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        let path = self.path(name);
        let put = self.objects.put_opts(&path, PutPayload::from(bytes), options);
        match self.runtime.block_on(put) {
            Ok(_) => Ok(true),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
            Err(error) => Err(error).with_context(|| format!("cannot write {name} in {}", self.url)),
        }
    }

    /// Removes an object, if it exists.
    ///
    /// # Errors
    /// As [`Store::put`].
    pub fn delete(&self, name: &str) -> Result<()> {
        match self.runtime.block_on(self.objects.delete(&self.path(name))) {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error).with_context(|| format!("cannot remove {name} in {}", self.url)),
        }
    }

    /// The objects whose names start with `prefix` and a slash, in the order of their names.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub fn list(&self, prefix: &str) -> Result<Vec<Listed>> {
        let path = self.path(prefix);
        let listed = self.runtime.block_on(self.objects.list(Some(&path)).try_collect::<Vec<_>>());
        let listed = match listed {
            Ok(listed) => listed,
            Err(Error::NotFound { .. }) => Vec::new(),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot list {prefix} in {}", self.url));
            }
        };
        let mut found: Vec<Listed> = listed
            .into_iter()
            .filter_map(|object| {
                let parts: Vec<String> =
                    object.location.prefix_match(&path)?.map(|part| part.as_ref().to_owned()).collect();
                Some(Listed { name: parts.join("/"), bytes: object.size })
            })
            .collect();
        found.sort();
        Ok(found)
    }

    /// Keeps bytes under their digest.
    ///
    /// # Errors
    /// As [`Store::put`].
    pub fn put_blob(&self, bytes: Vec<u8>) -> Result<Digest> {
        let digest = Digest::of(&bytes);
        self.create(&blob_name(digest), bytes)?;
        Ok(digest)
    }

    /// The bytes with this digest.
    ///
    /// # Errors
    /// When they are missing or damaged.
    pub fn get_blob(&self, digest: Digest, byte_count: u64) -> Result<Vec<u8>> {
        let name = blob_name(digest);
        let bytes = self.get(&name)?.with_context(|| format!("{name} is missing"))?;
        if bytes.len() as u64 != byte_count || Digest::of(&bytes) != digest {
            bail!("{name} is damaged: its contents do not have the digest of its name, or not their size");
        }
        Ok(bytes)
    }

    /// Removes a blob.
    ///
    /// # Errors
    /// As [`Store::put`].
    pub fn delete_blob(&self, digest: Digest) -> Result<()> {
        self.delete(&blob_name(digest))
    }
}

/// The name of the bytes with a digest.
#[must_use]
pub fn blob_name(digest: Digest) -> String {
    let text = digest.to_string();
    format!("blobs/{}/{}", &text[..2], &text[2..])
}

fn runtime() -> Result<Arc<Runtime>> {
    let runtime = Builder::new_current_thread().enable_all().build();
    Ok(Arc::new(runtime.context("cannot make a runtime for the store's calls")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(store: &Store) {
        assert_eq!(store.get("a/b").unwrap(), None);
        assert!(store.create("a/b", b"first".to_vec()).unwrap());
        assert!(!store.create("a/b", b"second".to_vec()).unwrap());
        assert_eq!(store.get("a/b").unwrap().unwrap(), b"first");
        store.put("a/c", b"one".to_vec()).unwrap();
        store.put("a/c", b"two".to_vec()).unwrap();
        let listed = store.list("a").unwrap();
        assert_eq!(listed.iter().map(|object| object.name.as_str()).collect::<Vec<_>>(), ["b", "c"]);
        assert!(store.list("none").unwrap().is_empty());
        let digest = store.put_blob(b"blob".to_vec()).unwrap();
        assert_eq!(store.put_blob(b"blob".to_vec()).unwrap(), digest);
        assert_eq!(store.get_blob(digest, 4).unwrap(), b"blob");
        store.put(&blob_name(digest), b"blub".to_vec()).unwrap();
        assert!(store.get_blob(digest, 4).unwrap_err().to_string().contains("damaged"));
        store.delete_blob(digest).unwrap();
        assert!(store.get_blob(digest, 4).unwrap_err().to_string().contains("missing"));
        store.delete("a/b").unwrap();
        store.delete("a/b").unwrap();
        assert!(!store.exists("a/b").unwrap() && store.exists("a/c").unwrap());
    }

    #[test]
    fn folders_and_memory_behave_alike() {
        check(&Store::memory().unwrap());
        let folder = std::env::temp_dir().join(format!("pyro-farm-store-{}", std::process::id()));
        check(&Store::open(folder.to_str().unwrap()).unwrap());
        let url = Url::from_file_path(&folder).unwrap();
        assert!(Store::open(url.as_str()).unwrap().exists("a/c").unwrap());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn stores_of_other_builds_are_named() {
        if cfg!(feature = "cloud") {
            return;
        }
        let error = Store::open("s3://bucket/path").err().unwrap().to_string();
        assert!(error.contains("--features cloud"), "{error}");
    }
}
