//! Claims: which worker runs a unit, and whether that worker still lives.
//!
//! Problem: two workers should not run one unit, a worker that died must not keep it, and clocks of machines
//! differ. Approach: attempt `k` at a unit is claimed by creating the object `UNIT.k`, which only one worker
//! can. Who finds a claim whose worker is dead creates attempt `k + 1`. A worker of the same machine is dead
//! when its process is gone; any other when its heartbeat, an object that it writes anew again and again, has
//! not changed for the lease as *this* process's clock measures it. Claims only save work: records are right
//! when two workers run one unit. *Must not know*: what units are.

use crate::store::Store;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Attempts at a unit, at most: a bound for a store that answers nonsense.
const ATTEMPTS_MAX: u32 = 100_000;

/// A worker, by its machine and process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worker {
    /// The machine's boot and the process's namespace; empty where they are not known.
    host: String,
    process: u32,
    /// When the process started, in the kernel's ticks: numbers of processes are used again.
    started: u64,
    /// Tells apart workers of one process.
    serial: u64,
}

impl Worker {
    /// A new worker of this process.
    #[must_use]
    pub fn new() -> Worker {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        let process = std::process::id();
        let started = start_ticks(process).unwrap_or(0);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        Worker { host: host(), process, started, serial }
    }

    /// Its name in the store.
    #[must_use]
    pub fn name(&self) -> String {
        let host = blake3::hash(self.host.as_bytes()).to_hex();
        format!("{}-{}-{}-{}", &host[..12], self.process, self.started, self.serial)
    }

    /// Whether its process is gone; `None` on another machine.
    fn is_gone(&self) -> Option<bool> {
        (self.host == host() && !self.host.is_empty())
            .then(|| start_ticks(self.process) != Some(self.started))
    }
}

impl Default for Worker {
    fn default() -> Worker {
        Worker::new()
    }
}

fn host() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    if boot.is_empty() { String::new() } else { format!("{} {}", boot.trim(), namespace.display()) }
}

/// Field 22 of `/proc/PID/stat`; `None` when there is no such process, or only its unburied remains.
fn start_ticks(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may have anything in it.
    let mut fields = text.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// What became of an attempt to claim a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// The unit is this worker's; the number of the attempt.
    Own(u32),
    /// A worker that may live has it.
    Busy,
}

/// Claims of one job in a store.
pub struct Claims {
    store: Store,
    folder: String,
    worker: Worker,
    lease: Duration,
    /// The last heartbeat of other workers that was seen, and when.
    seen: Mutex<HashMap<String, (Vec<u8>, Instant)>>,
}

impl Claims {
    /// The claims below `folder` of a store, by one worker.
    #[must_use]
    pub fn new(store: Store, folder: String, worker: Worker, lease: Duration) -> Claims {
        Claims { store, folder, worker, lease, seen: Mutex::default() }
    }

    /// Claims a unit, if no worker that may live has it.
    ///
    /// # Errors
    /// Store errors.
    pub fn claim(&self, unit: &str) -> Result<Claimed> {
        let own = serde_json::to_vec(&self.worker)?;
        for attempt in 0..ATTEMPTS_MAX {
            let name = format!("{}/claims/{unit}.{attempt}", self.folder);
            if self.store.create(&name, own.clone())? {
                return Ok(Claimed::Own(attempt));
            }
            let Some(bytes) = self.store.get(&name)? else { return Ok(Claimed::Busy) };
            // A claim that cannot be read is nobody's.
            if let Ok(holder) = serde_json::from_slice::<Worker>(&bytes)
                && (holder == self.worker || !self.is_dead(&holder)?)
            {
                return Ok(Claimed::Busy);
            }
        }
        Ok(Claimed::Busy)
    }

    fn is_dead(&self, holder: &Worker) -> Result<bool> {
        if let Some(is_gone) = holder.is_gone() {
            return Ok(is_gone);
        }
        let name = holder.name();
        let beat = self.store.get(&self.heartbeat(&name))?.unwrap_or_default();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, since) = seen.entry(name).or_insert_with(|| (beat.clone(), Instant::now()));
        if *last != beat {
            (*last, *since) = (beat, Instant::now());
        }
        Ok(since.elapsed() >= self.lease)
    }

    fn heartbeat(&self, worker: &str) -> String {
        format!("{}/workers/{worker}", self.folder)
    }

    /// Beats until what it returns is dropped.
    ///
    /// # Errors
    /// When the first heartbeat cannot be written.
    pub fn beat(self: &Arc<Claims>) -> Result<Heartbeat> {
        let claims = Arc::clone(self);
        let name = claims.heartbeat(&claims.worker.name());
        claims.store.put(&name, b"0".to_vec()).context("the worker's first heartbeat")?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut beat = 0u64;
            loop {
                std::thread::park_timeout(claims.lease / 4);
                if stopped.load(Ordering::Acquire) {
                    return;
                }
                beat += 1;
                // A heartbeat that is not written costs no more than work done twice.
                let _ = claims.store.put(&name, beat.to_string().into_bytes());
            }
        });
        Ok(Heartbeat { stop, thread: Some(thread) })
    }
}

/// A worker's heartbeat, while it lives.
pub struct Heartbeat {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(store: &Store, worker: Worker, lease: u64) -> Arc<Claims> {
        Arc::new(Claims::new(store.clone(), "job".to_owned(), worker, Duration::from_millis(lease)))
    }

    #[test]
    fn one_of_two_workers_gets_a_unit() {
        let store = Store::memory().unwrap();
        let (one, other) = (claims(&store, Worker::new(), 50), claims(&store, Worker::new(), 50));
        assert_eq!(one.claim("u").unwrap(), Claimed::Own(0));
        assert_eq!(other.claim("u").unwrap(), Claimed::Busy);
        assert_eq!(one.claim("u").unwrap(), Claimed::Busy);
        assert_eq!(other.claim("v").unwrap(), Claimed::Own(0));
    }

    #[test]
    fn units_of_a_dead_process_are_free_at_once() {
        let store = Store::memory().unwrap();
        // Process 1 lives, but did not start then.
        let dead = Worker { process: 1, started: 123_456_789_000, ..Worker::new() };
        assert_eq!(claims(&store, dead, 3_600_000).claim("u").unwrap(), Claimed::Own(0));
        assert_eq!(claims(&store, Worker::new(), 3_600_000).claim("u").unwrap(), Claimed::Own(1));
    }

    #[test]
    fn units_of_another_machine_are_free_when_its_heart_stops() {
        let store = Store::memory().unwrap();
        let other = claims(&store, Worker { host: "elsewhere".to_owned(), ..Worker::new() }, 1500);
        let own = claims(&store, Worker::new(), 1500);
        let heartbeat = other.beat().unwrap();
        assert_eq!(other.claim("u").unwrap(), Claimed::Own(0));
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(2500) {
            assert_eq!(own.claim("u").unwrap(), Claimed::Busy);
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(heartbeat);
        let start = Instant::now();
        while own.claim("u").unwrap() == Claimed::Busy {
            assert!(start.elapsed() < Duration::from_secs(20), "the claim stays");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(start.elapsed() >= Duration::from_millis(500), "{:?}", start.elapsed());
    }
}
