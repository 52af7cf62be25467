//! Generated code for GDB and LLDB: `PYROCLAST_GDB=1`.
//!
//! Debuggers set a breakpoint on `__jit_debug_register_code` and read `__jit_debug_descriptor`: a list of
//! object files in this process's memory (GDB's documentation, "JIT Interface"). Each of ours is a small ELF
//! file that names one function and says where its code lies.

use pyro_util::sync::{Mutex, MutexGuard};
use std::collections::BTreeMap;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use std::sync::OnceLock;

// Both symbols are hidden: other libraries in the process have their own, which must not take the place of
// these.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
std::arch::global_asm!(
    ".pushsection .text.__jit_debug_register_code,\"ax\",@progbits",
    ".globl __jit_debug_register_code",
    ".hidden __jit_debug_register_code",
    ".type __jit_debug_register_code,@function",
    "__jit_debug_register_code:",
    "ret",
    ".size __jit_debug_register_code, . - __jit_debug_register_code",
    ".popsection",
    ".pushsection .data.__jit_debug_descriptor,\"aw\",@progbits",
    ".globl __jit_debug_descriptor",
    ".hidden __jit_debug_descriptor",
    ".type __jit_debug_descriptor,@object",
    ".balign 8",
    "__jit_debug_descriptor:",
    ".long 1",
    ".long 0",
    ".quad 0",
    ".quad 0",
    ".size __jit_debug_descriptor, . - __jit_debug_descriptor",
    ".popsection",
);

/// `jit_code_entry`.
#[repr(C)]
struct Entry {
    next: *mut Entry,
    previous: *mut Entry,
    file: *const u8,
    file_bytes: u64,
}

/// `jit_descriptor`.
#[repr(C)]
struct Descriptor {
    version: u32,
    action: u32,
    relevant: *mut Entry,
    first: *mut Entry,
}

const REGISTER: u32 = 1;
const UNREGISTER: u32 = 2;

/// A list and how debuggers are told of its changes.
struct List {
    descriptor: *mut Descriptor,
    tell: unsafe extern "C" fn(),
    /// By the address of the entry, which they own.
    entries: BTreeMap<usize, (Box<Entry>, Box<[u8]>)>,
}

// SAFETY: the pointers are to a static and into boxes that the list owns.
unsafe impl Send for List {}

impl List {
    fn add(&mut self, file: Box<[u8]>) -> usize {
        // SAFETY: the descriptor is only accessed under the list's lock, and by debuggers while this stands
        // still.
        let first = unsafe { (*self.descriptor).first };
        let mut entry = Box::new(Entry {
            next: first,
            previous: std::ptr::null_mut(),
            file: file.as_ptr(),
            file_bytes: file.len() as u64,
        });
        let address = &raw mut *entry;
        // SAFETY: as above; entries of the list are alive.
        unsafe {
            if let Some(first) = first.as_mut() {
                first.previous = address;
            }
            (*self.descriptor).first = address;
        }
        self.entries.insert(address as usize, (entry, file));
        self.changed(REGISTER, address);
        address as usize
    }

    fn remove(&mut self, address: usize) {
        let Some((entry, _file)) = self.entries.get(&address) else { return };
        let (next, previous) = (entry.next, entry.previous);
        // SAFETY: as above.
        unsafe {
            match previous.as_mut() {
                Some(previous) => previous.next = next,
                None => (*self.descriptor).first = next,
            }
            if let Some(next) = next.as_mut() {
                next.previous = previous;
            }
        }
        self.changed(UNREGISTER, address as *mut Entry);
        self.entries.remove(&address);
    }

    fn changed(&mut self, action: u32, relevant: *mut Entry) {
        // SAFETY: as above; the function does nothing but stop debuggers.
        unsafe {
            (*self.descriptor).action = action;
            (*self.descriptor).relevant = relevant;
            (self.tell)();
        }
    }
}

/// The process's list, when debuggers are to be told.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn list() -> Option<&'static Mutex<List>> {
    unsafe extern "C" {
        fn __jit_debug_register_code();
        static mut __jit_debug_descriptor: Descriptor;
    }
    static LIST: OnceLock<Option<Mutex<List>>> = OnceLock::new();
    let make = || {
        if !pyro_util::config::get().gdb {
            return None;
        }
        let descriptor = &raw mut __jit_debug_descriptor;
        Some(Mutex::new(List { descriptor, tell: __jit_debug_register_code, entries: BTreeMap::new() }))
    };
    LIST.get_or_init(make).as_ref()
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn list() -> Option<&'static Mutex<List>> {
    None
}

fn lock(list: &Mutex<List>) -> MutexGuard<'_, List> {
    list.lock()
}

/// A registration; dropping it takes it back.
#[derive(Debug)]
pub(crate) struct Registration(usize);

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(list) = list() {
            lock(list).remove(self.0);
        }
    }
}

/// Tells debuggers that `code` is the function `name`, if they are to be told.
pub(crate) fn register(code: &[u8], name: &str) -> Option<Registration> {
    let list = list()?;
    let file = object_file(code.as_ptr() as u64, code.len() as u64, &format!("pyroclast.{name}"));
    Some(Registration(lock(list).add(file)))
}

/// An ELF file with one function symbol for code that lies at an address.
fn object_file(address: u64, bytes: u64, name: &str) -> Box<[u8]> {
    const HEADER: u64 = 64;
    const SECTION: u64 = 64;
    const SYMBOL: u64 = 24;
    const SECTION_NAMES: &[u8] = b"\0.text\0.symtab\0.strtab\0.shstrtab\0";
    const COUNT: u16 = 5;
    let strings: Vec<u8> = [b"\0", name.as_bytes(), b"\0"].concat();
    let symbols_at = HEADER;
    let strings_at = symbols_at + 2 * SYMBOL;
    let names_at = strings_at + strings.len() as u64;
    let sections_at = (names_at + SECTION_NAMES.len() as u64).next_multiple_of(8);

    let mut file: Vec<u8> = Vec::new();
    // 64 bits, little-endian, version 1; a relocatable file for x86-64.
    file.extend_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    file.extend(1_u16.to_le_bytes());
    file.extend(62_u16.to_le_bytes());
    file.extend(1_u32.to_le_bytes());
    [0, 0, sections_at].iter().for_each(|word: &u64| file.extend(word.to_le_bytes()));
    file.extend(0_u32.to_le_bytes());
    [HEADER as u16, 0, 0, SECTION as u16, COUNT, COUNT - 1]
        .iter()
        .for_each(|half| file.extend(half.to_le_bytes()));

    // No symbol, then a global function at the start of section 1.
    file.extend([0; SYMBOL as usize]);
    file.extend(1_u32.to_le_bytes());
    file.extend([0x12, 0]);
    file.extend(1_u16.to_le_bytes());
    [0, bytes].iter().for_each(|word| file.extend(word.to_le_bytes()));

    file.extend_from_slice(&strings);
    file.extend_from_slice(SECTION_NAMES);
    file.resize(sections_at as usize, 0);
    // Name, type; flags, address, place in the file, bytes; link, info; alignment, bytes of an entry.
    let mut section = |first: [u32; 2], words: [u64; 4], link: [u32; 2], last: [u64; 2]| {
        first.iter().for_each(|word| file.extend(word.to_le_bytes()));
        words.iter().for_each(|word| file.extend(word.to_le_bytes()));
        link.iter().for_each(|word| file.extend(word.to_le_bytes()));
        last.iter().for_each(|word| file.extend(word.to_le_bytes()));
    };
    section([0; 2], [0; 4], [0; 2], [0; 2]);
    // The code is not in the file (NOBITS); it is allocated and executable.
    section([1, 8], [6, address, 0, bytes], [0; 2], [16, 0]);
    section([7, 2], [0, 0, symbols_at, 2 * SYMBOL], [3, 1], [8, SYMBOL]);
    section([15, 3], [0, 0, strings_at, strings.len() as u64], [0; 2], [1, 0]);
    section([23, 3], [0, 0, names_at, SECTION_NAMES.len() as u64], [0; 2], [1, 0]);
    file.into_boxed_slice()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn word(file: &[u8], at: usize) -> u64 {
        u64::from_le_bytes(file[at..at + 8].try_into().unwrap())
    }

    #[test]
    fn files_name_the_code() {
        let file = object_file(0x1234_5000, 77, "pyroclast.main");
        let sections = word(&file, 40) as usize;
        assert_eq!(file.len(), sections + 5 * 64);
        let text = sections + 64;
        assert_eq!((word(&file, text + 16), word(&file, text + 32)), (0x1234_5000, 77));
        // The symbol's name, through the section of strings.
        let (symbols, strings) = (word(&file, sections + 2 * 64 + 24), word(&file, sections + 3 * 64 + 24));
        let symbol = symbols as usize + 24;
        let name =
            strings as usize + u32::from_le_bytes(file[symbol..symbol + 4].try_into().unwrap()) as usize;
        assert!(file[name..].starts_with(b"pyroclast.main\0"));
        assert_eq!(word(&file, symbol + 16), 77);
        let names = word(&file, sections + 4 * 64 + 24) as usize;
        for (index, expected) in [(1, ".text"), (2, ".symtab"), (3, ".strtab"), (4, ".shstrtab")] {
            let at = sections + index * 64;
            let name = names + u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
            assert!(file[name..].starts_with(format!("{expected}\0").as_bytes()), "{expected}");
        }
    }

    #[test]
    fn lists_are_linked_both_ways() {
        static TOLD: AtomicU32 = AtomicU32::new(0);
        unsafe extern "C" fn tell() {
            TOLD.fetch_add(1, Ordering::Relaxed);
        }
        let null = std::ptr::null_mut();
        let mut descriptor = Descriptor { version: 1, action: 0, relevant: null, first: null };
        let mut list = List { descriptor: &raw mut descriptor, tell, entries: BTreeMap::new() };
        let all: Vec<usize> = (0..3).map(|_| list.add(object_file(64, 1, "f"))).collect();
        let walk = |list: &List| {
            let mut found = Vec::new();
            // SAFETY: the list of this test.
            let mut at = unsafe { (*list.descriptor).first };
            let mut before: *mut Entry = null;
            while !at.is_null() {
                // SAFETY: as above.
                let entry = unsafe { &*at };
                assert_eq!(entry.previous, before);
                found.push(at as usize);
                (before, at) = (at, entry.next);
            }
            found
        };
        assert_eq!(walk(&list), [all[2], all[1], all[0]]);
        list.remove(all[1]);
        assert_eq!(walk(&list), [all[2], all[0]]);
        list.remove(all[2]);
        list.remove(all[0]);
        assert!(walk(&list).is_empty());
        list.remove(all[0]);
        assert_eq!(TOLD.load(Ordering::Relaxed), 6);
    }
}
