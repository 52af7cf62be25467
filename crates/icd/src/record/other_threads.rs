//! Whether threads of the program run while a submission does.
//!
//! **Problem.** What changes in mapped memory while the device works is the device's, unless another thread
//! of the program writes there meanwhile: decoders and streaming threads do. **Approach.** The processor time
//! of each thread that is not the driver's is read before and after; if that of another one than the caller
//! has grown, nobody knows who wrote. *Must not know* memory.

use pyro_codemem::clock;
use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

const TASKS: &str = "/proc/self/task";
/// What the names of the driver's threads begin with.
const OWN: &str = "pyro-";

/// How long a new thread has for giving itself a name, at most so often in a look, and so often in all.
const NAMING: Duration = Duration::from_micros(200);
const LOOKS: u32 = 5;
const WAITS_MAX: u32 = 1000;

/// The threads of the program, as far as they are known.
#[derive(Default)]
pub(super) struct OtherThreads {
    /// The folder of all threads; its links say how many there are. Kept open, as its path takes longer.
    folder: Option<File>,
    links: u64,
    threads: Vec<i32>,
    /// How often new threads were waited for.
    waits: u32,
    /// The caller and the times of the others, before.
    before: (i32, Vec<Option<u64>>),
}

/// Processor time that a thread of this process has used, in nanoseconds; `None` where there is no such
/// thread.
fn time_of(thread: i32) -> Option<u64> {
    clock::now_ns(clock::of_thread(thread))
}

/// The threads that are not the driver's, by number.
fn threads() -> Vec<i32> {
    let thread = |task: std::io::Result<std::fs::DirEntry>| {
        let path = task.ok()?.path();
        let name = std::fs::read_to_string(path.join("comm")).ok()?;
        let number = path.file_name()?.to_str()?.parse().ok()?;
        (!name.starts_with(OWN)).then_some(number)
    };
    let mut threads: Vec<i32> = std::fs::read_dir(TASKS).into_iter().flatten().filter_map(thread).collect();
    threads.sort_unstable();
    threads
}

impl OtherThreads {
    /// Looks for the threads again, if there are more or less than before; whether others of the program's
    /// are there now.
    fn look(&mut self) -> bool {
        if self.folder.is_none() {
            self.folder = File::open(TASKS).ok();
        }
        let folder = self.folder.as_ref().and_then(|folder| folder.metadata().ok());
        let links = folder.map_or(0, |folder| folder.nlink());
        if links == self.links && links != 0 {
            return false;
        }
        self.links = links;
        let mut threads = threads();
        // A thread gives itself its name, and has that of the one that made it until then.
        for _ in 0..LOOKS {
            if self.waits >= WAITS_MAX || threads.iter().all(|thread| self.threads.contains(thread)) {
                break;
            }
            self.waits += 1;
            std::thread::sleep(NAMING);
            threads = self::threads();
        }
        // One that has not run yet has no name of its own and has written nothing; it is looked at again.
        let found = threads.len();
        threads.retain(|thread| self.threads.contains(thread) || time_of(*thread) != Some(0));
        if threads.len() < found {
            self.links = 0;
        }
        let before = std::mem::replace(&mut self.threads, threads);
        before != self.threads
    }

    fn times(&self, caller: i32) -> Vec<Option<u64>> {
        self.threads.iter().filter(|thread| **thread != caller).map(|thread| time_of(*thread)).collect()
    }

    /// The calling thread is about to look at memory, and then to have the device write there.
    pub(super) fn begin(&mut self) {
        self.look();
        let caller = clock::this_thread();
        self.before = (caller, self.times(caller));
    }

    /// Whether others than the calling thread may have written since [`OtherThreads::begin`].
    pub(super) fn may_have_written(&mut self) -> bool {
        let caller = clock::this_thread();
        let known = std::mem::take(&mut self.before);
        // A thread that is new, or has ended, has run.
        self.look() || known != (caller, self.times(caller))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn threads_that_run_are_seen() {
        let (to, from) = channel::<()>();
        let (told, heard) = channel();
        let other = std::thread::spawn(move || {
            while from.recv().is_ok() {
                told.send(()).expect("heard");
            }
        });
        let mut threads = OtherThreads::default();
        threads.begin();
        to.send(()).expect("taken");
        heard.recv().expect("an answer");
        assert!(threads.may_have_written());
        threads.begin();
        drop(to);
        other.join().expect("the end");
        assert!(threads.may_have_written());
    }

    #[test]
    fn threads_of_the_driver_do_not_count() {
        let (to, from) = channel::<()>();
        let own = std::thread::Builder::new().name(format!("{OWN}test"));
        let own = own.spawn(move || from.recv()).expect("a thread");
        let mut threads = OtherThreads::default();
        threads.look();
        let caller = clock::this_thread();
        assert!(threads.threads.contains(&caller));
        let names =
            threads.threads.iter().map(|thread| std::fs::read_to_string(format!("{TASKS}/{thread}/comm")));
        assert!(names.flatten().all(|name| !name.starts_with(OWN)));
        drop(to);
        assert!(own.join().expect("the end").is_err());
    }
}
