//! A cache that many workers share: what is found, what is refused, who makes an artifact.

use crate::CompileError;
use crate::cache::tests::{Scratch, compute, has_machine_code, portable};
use crate::cache::{DiskCache, SealKey, Session, SharedCache};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

fn key(byte: u8) -> SealKey {
    SealKey([byte; 32])
}

fn open(root: &Path, byte: u8) -> SharedCache {
    SharedCache::open(root, key(byte), 1 << 20, false).expect("a folder")
}

#[test]
fn workers_with_the_operators_key_share_code() {
    if !has_machine_code() {
        return;
    }
    let (scratch, own) = (Scratch::new("fleet"), Scratch::new("fleet-own"));
    let first = open(&scratch.0, 1);
    let session = Session::uncached().with_shared(Some(&first));
    let made = compute(&session, 2).unwrap();
    assert_eq!(session.made(), 1);
    // Another worker finds it, and keeps it in its own directory.
    let (second, directory) = (open(&scratch.0, 1), DiskCache::open(&own.0, 1 << 20).unwrap());
    let session = Session::uncached().with_shared(Some(&second)).with_directory(Some(&directory));
    let found = compute(&session, 2).unwrap();
    assert_eq!((session.made(), portable(&found)), (0, portable(&made)));
    let session = Session::uncached().with_directory(Some(&directory)).must_not_compile(true);
    assert_eq!(portable(&compute(&session, 2).unwrap()), portable(&made));
    // A worker with another key does not use it, and makes its own.
    let other = open(&scratch.0, 2);
    let session = Session::uncached().with_shared(Some(&other)).must_not_compile(true);
    assert!(matches!(compute(&session, 2), Err(CompileError::Required)));
}

#[test]
fn damaged_and_forged_files_of_a_fleet_are_refused_and_made_again() {
    if !has_machine_code() {
        return;
    }
    let scratch = Scratch::new("fleet-forged");
    let shared = open(&scratch.0, 1);
    compute(&Session::uncached().with_shared(Some(&shared)), 2).unwrap();
    let [file] = &scratch.files()[..] else { panic!("one file, no claim") };
    let whole = std::fs::read(file).unwrap();
    let forged = {
        let mut reader = pyro_util::codec::Reader::new(&whole);
        let (digest, bytes) = key(1).unseal(&mut reader).expect("sealed");
        let mut bytes = bytes.expect("ours").to_vec();
        bytes[20] ^= 1;
        let mut forged = Vec::new();
        key(2).seal(digest, &bytes, &mut forged);
        forged
    };
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    for wrong in [forged, damaged, whole[..whole.len() - 1].to_vec(), Vec::new()] {
        std::fs::write(file, wrong).unwrap();
        let session = Session::uncached().with_shared(Some(&shared)).must_not_compile(true);
        assert!(matches!(compute(&session, 2), Err(CompileError::Required)));
        let session = Session::uncached().with_shared(Some(&shared));
        compute(&session, 2).unwrap();
        assert_eq!((session.made(), std::fs::read(file).unwrap()), (1, whole.clone()));
    }
    // Reading a FIFO or a link would wait, or lead elsewhere.
    std::fs::remove_file(file).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, file, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let session = Session::uncached().with_shared(Some(&shared)).must_not_compile(true);
    assert!(matches!(compute(&session, 2), Err(CompileError::Required)));
}

/// Eight workers that start with nothing make each artifact once.
#[test]
fn a_cold_fleet_makes_each_artifact_once() {
    if !has_machine_code() {
        return;
    }
    const SHADERS: u32 = 12;
    let scratch = Scratch::new("fleet-cold");
    let made = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let (scratch, made) = (&scratch, &made);
            scope.spawn(move || {
                let shared = open(&scratch.0, 1);
                let session = Session::uncached().with_shared(Some(&shared));
                for at in 0..SHADERS {
                    compute(&session, (at + worker * 5) % SHADERS).unwrap();
                }
                made.fetch_add(session.made(), Ordering::Relaxed);
            });
        }
    });
    assert_eq!(made.load(Ordering::Relaxed), SHADERS);
    assert_eq!(scratch.files().len(), SHADERS as usize, "no claims are left");
}

#[test]
fn claims_of_dead_workers_end() {
    if !has_machine_code() {
        return;
    }
    let scratch = Scratch::new("fleet-dead");
    let lease = Duration::from_millis(300);
    let shared = open(&scratch.0, 1).with_lease(lease);
    compute(&Session::uncached().with_shared(Some(&shared)), 2).unwrap();
    let [file] = &scratch.files()[..] else { panic!("one file") };
    // As a worker leaves it that was killed while it compiled.
    std::fs::rename(file, file.with_extension("claim-0")).unwrap();
    let start = Instant::now();
    let session = Session::uncached().with_shared(Some(&shared));
    compute(&session, 2).unwrap();
    assert!(session.made() == 1 && start.elapsed() >= lease, "{:?}", start.elapsed());
    assert!(file.exists());
}

#[test]
fn a_folder_that_is_only_read_stays_as_it_is() {
    if !has_machine_code() {
        return;
    }
    let scratch = Scratch::new("fleet-read");
    compute(&Session::uncached().with_shared(Some(&open(&scratch.0, 1))), 2).unwrap();
    let before = scratch.files();
    let shared = SharedCache::open(&scratch.0, key(1), 1 << 20, true).unwrap();
    let session = Session::uncached().with_shared(Some(&shared));
    compute(&session, 2).unwrap();
    compute(&session, 3).unwrap();
    assert_eq!((session.made(), scratch.files()), (1, before));
    assert!(SharedCache::open(&scratch.0.join("none"), key(1), 1 << 20, true).is_err());
}

#[test]
fn a_fleets_folder_stays_below_its_limit() {
    if !has_machine_code() {
        return;
    }
    let scratch = Scratch::new("fleet-limit");
    let limit = 20_000;
    let shared = SharedCache::open(&scratch.0, key(1), limit, false).unwrap();
    let session = Session::uncached().with_shared(Some(&shared));
    for factor in 0..60 {
        compute(&session, factor).unwrap();
    }
    let total: u64 = scratch.files().iter().map(|file| file.metadata().unwrap().len()).sum();
    assert!(total > 0 && total <= limit + limit / 8 + 4096, "{total}");
}

#[test]
fn operators_key_files_that_others_can_read_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("fleet-key");
    std::fs::create_dir_all(&scratch.0).unwrap();
    let file = scratch.0.join("key");
    let mode = |mode| std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
    std::fs::write(&file, [7; 40]).unwrap();
    mode(0o600);
    let SealKey(first) = SealKey::of_operator(&file).unwrap();
    // Kubernetes mounts secrets as links.
    let link = scratch.0.join("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert_eq!(SealKey::of_operator(&link).unwrap().0, first);
    mode(0o640);
    assert!(SealKey::of_operator(&file).is_err(), "readable by others");
    mode(0o600);
    std::fs::write(&file, [7; 31]).unwrap();
    assert!(SealKey::of_operator(&file).is_err(), "too short");
    assert!(SealKey::of_operator(&scratch.0).is_err(), "a folder");
}
