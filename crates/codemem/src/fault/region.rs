//! Where generated code lies, for a signal handler: a table that is read without locks.

use super::ranges::Table;
use pyro_util::sync::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Code that it has no place for is not found, so its signals are not handled.
static TABLE: Table<()> = Table::new();

/// No code lies below the first address, or at the second one and above; for a quick answer.
static LOWEST: AtomicUsize = AtomicUsize::new(usize::MAX);
static END: AtomicUsize = AtomicUsize::new(0);

/// Names by the code's first address.
static NAMES: Mutex<Option<HashMap<usize, Arc<str>>>> = Mutex::new(None);

/// The first address of the registered code that an address lies in. Takes no lock.
pub(crate) fn start_of(address: usize) -> Option<usize> {
    if address < LOWEST.load(Ordering::Relaxed) || address >= END.load(Ordering::Relaxed) {
        return None;
    }
    TABLE.find(address).map(|(start, ())| start)
}

/// The name of the code that an address lies in.
pub(super) fn name(address: usize) -> Option<String> {
    let start = start_of(address)?;
    NAMES.lock().as_ref()?.get(&start).map(|name| name.to_string())
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
        NAMES.lock().get_or_insert_default().insert(start, name.into());
        LOWEST.fetch_min(start, Ordering::Relaxed);
        END.fetch_max(start + code.len(), Ordering::Relaxed);
        Region { number: TABLE.insert(start, start + code.len(), |()| {}), start }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            TABLE.remove(number, |()| {});
        }
        if let Some(names) = NAMES.lock().as_mut() {
            names.remove(&self.start);
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
