//! Where generated code lies, for a signal handler: a table that is read without locks.

use pyro_util::sync::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Entries of a chunk.
const CHUNK: usize = 1024;
/// Chunks at most. Code beyond that is not found, so its signals are not handled.
const CHUNKS: usize = 1024;

/// An entry: the addresses from `start` up to `end`; a free one starts behind every address.
struct Entry {
    start: AtomicUsize,
    end: AtomicUsize,
}

impl Entry {
    const FREE: usize = usize::MAX;

    const fn free() -> Entry {
        Entry { start: AtomicUsize::new(Entry::FREE), end: AtomicUsize::new(0) }
    }

    /// Takes a free one for code. The end is there before a reader sees the start.
    fn take(&self, start: usize, end: usize) {
        self.end.store(end, Ordering::Release);
        self.start.store(start, Ordering::Release);
    }

    fn give_back(&self) {
        self.start.store(Entry::FREE, Ordering::Release);
    }

    /// The start, if the address lies in the code. The start is read twice: code that replaces this meanwhile
    /// has another end.
    fn start_of(&self, address: usize) -> Option<usize> {
        let start = self.start.load(Ordering::Acquire);
        let is_inside = address >= start && address < self.end.load(Ordering::Acquire);
        (is_inside && self.start.load(Ordering::Acquire) == start).then_some(start)
    }
}

type Chunk = [Entry; CHUNK];

/// Chunks are allocated one after the other and never freed. Reading one that is there is one atomic load.
static TABLE: [OnceLock<Box<Chunk>>; CHUNKS] = [const { OnceLock::new() }; CHUNKS];

/// No code lies below the first address, or at the second one and above; for a quick answer.
static LOWEST: AtomicUsize = AtomicUsize::new(usize::MAX);
static END: AtomicUsize = AtomicUsize::new(0);

/// What is only used with a lock.
#[derive(Default)]
struct State {
    /// Free entries below `used`.
    free: Vec<usize>,
    used: usize,
    /// By the code's first address.
    names: HashMap<usize, Arc<str>>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// The entry of this number, if its chunk is there.
fn entry(number: usize) -> Option<&'static Entry> {
    TABLE.get(number / CHUNK)?.get()?.get(number % CHUNK)
}

/// The first address of the registered code that an address lies in. Takes no lock.
pub(crate) fn start_of(address: usize) -> Option<usize> {
    if address < LOWEST.load(Ordering::Relaxed) || address >= END.load(Ordering::Relaxed) {
        return None;
    }
    let mut entries = TABLE.iter().map_while(OnceLock::get).flat_map(|chunk| chunk.iter());
    entries.find_map(|entry| entry.start_of(address))
}

/// The name of the code that an address lies in.
pub(super) fn name(address: usize) -> Option<String> {
    let start = start_of(address)?;
    STATE.lock().as_ref()?.names.get(&start).map(|name| name.to_string())
}

/// Code whose signals are handled, as long as this lives.
#[derive(Debug)]
pub(crate) struct Region {
    number: Option<usize>,
    start: usize,
}

impl Region {
    /// Registers code.
    pub(crate) fn new(code: &[u8], name: &str) -> Region {
        let start = code.as_ptr() as usize;
        let mut state = STATE.lock();
        let state = state.get_or_insert_with(State::default);
        let number = state.free.pop().unwrap_or_else(|| {
            state.used += 1;
            state.used - 1
        });
        let Some(chunk) = TABLE.get(number / CHUNK) else { return Region { number: None, start } };
        chunk.get_or_init(|| Box::new([const { Entry::free() }; CHUNK]));
        state.names.insert(start, name.into());
        LOWEST.fetch_min(start, Ordering::Relaxed);
        END.fetch_max(start + code.len(), Ordering::Relaxed);
        if let Some(entry) = entry(number) {
            entry.take(start, start + code.len());
        }
        Region { number: Some(number), start }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        let Some((number, entry)) = self.number.and_then(|number| Some((number, entry(number)?))) else {
            return;
        };
        entry.give_back();
        if let Some(state) = STATE.lock().as_mut() {
            state.names.remove(&self.start);
            state.free.push(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_while_it_is_registered() {
        let code: Vec<Vec<u8>> = (0..3000).map(|_| vec![0; 16]).collect();
        let address = |index: usize| code[index].as_ptr() as usize;
        let mut regions: Vec<_> =
            code.iter().enumerate().map(|(index, code)| Region::new(code, &format!("{index}"))).collect();
        for index in [0, 1023, 1024, 2999] {
            assert_eq!(start_of(address(index) + 15), Some(address(index)));
            assert_eq!(name(address(index)), Some(index.to_string()));
        }
        regions.truncate(1024);
        assert_eq!(start_of(address(1024)), None);
        assert_eq!(name(address(1024)), None);
        assert_eq!(start_of(address(1023)), Some(address(1023)));
        let again = Region::new(&code[2000], "again");
        assert!(again.number.is_some_and(|number| number < 3000 + 64));
    }
    /// Code that others add and remove is never taken for the code that is asked for.
    #[test]
    fn code_is_found_while_other_code_comes_and_goes() {
        let mut code: Vec<Vec<u8>> = (0..64).map(|_| vec![0; 16]).collect();
        code.sort_by_key(|code| code.as_ptr());
        // The others come first in the table, and lie behind.
        let others: Vec<_> = code[1..].iter().map(|code| Region::new(code, "other")).collect();
        let own = Region::new(&code[0], "own");
        drop(others);
        let is_done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    let regions: Vec<_> = code[1..].iter().map(|code| Region::new(code, "other")).collect();
                    drop(regions);
                }
            });
            let wrong = (0..200_000).filter(|_| start_of(own.start + 15) != Some(own.start)).count();
            is_done.store(true, Ordering::Relaxed);
            assert_eq!(wrong, 0);
        });
    }
}
