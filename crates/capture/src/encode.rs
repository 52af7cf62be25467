//! Parameters in memory to bytes.
//!
//! A command's parameters are an array of slots of eight bytes. They are written as they are, but that a
//! pointer is 1, or 0 where it is null or not to be followed, and a `pNext` the number of structures of its
//! chain. Behind the slots follow, for each pointer in the order of the members, what it points at, likewise:
//! all elements, then what these point at. A string is its length in four bytes, then its characters with the
//! zero. A structure of a chain has its `sType` before it; structures with functions of the application and
//! unknown ones are left out.
#![allow(unsafe_code)] // the application's structures

use crate::schema::{self, Command, Kind, Member, When};
use crate::walk;
use std::ptr::with_exposed_provenance;

/// Structures of a chain at most: a chain that is a ring would not end.
const CHAIN_MAX: usize = 256;

/// Encodes the parameters of a call behind `bytes`. Handles stay as the application has them.
///
/// # Safety
/// The slots are those of a valid call of the command: pointers are valid as the registry says.
pub unsafe fn parameters(command: &'static Command, slots: &[u64], bytes: &mut Vec<u8>) {
    // SAFETY: the contract of this function.
    unsafe { encode(command, slots, bytes, false) };
}

/// The same with zeros between members and behind the last one, where the application may have left anything:
/// equal parameters have equal bytes.
///
/// # Safety
/// As of [`parameters`].
pub unsafe fn parameters_without_padding(command: &'static Command, slots: &[u64], bytes: &mut Vec<u8>) {
    // SAFETY: the contract of this function.
    unsafe { encode(command, slots, bytes, true) };
}

/// # Safety
/// As of [`parameters`].
unsafe fn encode(command: &'static Command, slots: &[u64], bytes: &mut Vec<u8>, clears_padding: bool) {
    debug_assert_eq!(slots.len(), command.parameters.len());
    let start = bytes.len();
    bytes.extend(slots.iter().flat_map(|slot| slot.to_le_bytes()));
    let owner = Owner { members: command.parameters, base: slots.as_ptr().cast() };
    // SAFETY: the slots are the parameters; the contract of this function.
    unsafe { Encoder { bytes, clears_padding }.members(owner, start, false) };
}

/// The structure, or the parameters, whose members lengths and selectors name.
#[derive(Clone, Copy)]
struct Owner {
    members: &'static [Member],
    base: *const u8,
}

struct Encoder<'a> {
    bytes: &'a mut Vec<u8>,
    clears_padding: bool,
}

impl Encoder<'_> {
    fn patch(&mut self, at: usize, word: u64) {
        self.bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }

    /// Makes the bytes of a structure zero in which no member is, if that is wanted.
    fn clear_padding(&mut self, structure: &schema::Structure, at: usize) {
        let mut end = 0;
        for member in structure.members.iter().filter(|_| self.clears_padding && !structure.is_union) {
            let offset = member.offset as usize;
            self.bytes[at + end.min(offset)..at + offset].fill(0);
            end = end.max(offset + (member.count * schema::size(member.kind)) as usize);
        }
        if end > 0 {
            self.bytes[at + end..at + structure.size as usize].fill(0);
        }
    }

    /// Appends what the members of a structure point at, whose bytes are at `at` already.
    ///
    /// # Safety
    /// The structure is valid as the registry says.
    unsafe fn members(&mut self, owner: Owner, at: usize, is_chained: bool) {
        let is_wanted = |member: &&Member| {
            let is_link = is_chained && matches!(member.kind, Kind::Chain(_));
            !is_link && !schema::is_plain(member.kind)
        };
        for member in owner.members.iter().filter(is_wanted) {
            let stride = schema::size(member.kind) as usize;
            for index in 0..member.count as usize {
                let offset = member.offset as usize + index * stride;
                // SAFETY: the elements of the member lie in the structure.
                unsafe { self.one(member.kind, owner, owner.base.add(offset), at + offset, 0) };
            }
        }
    }

    /// Appends what one value at `place` points at, the `element`th of an array.
    ///
    /// # Safety
    /// As of [`Encoder::members`].
    unsafe fn one(&mut self, kind: Kind, owner: Owner, place: *const u8, at: usize, element: usize) {
        let Owner { members, base } = owner;
        // SAFETY: the contract of this function.
        unsafe {
            match kind {
                Kind::Bytes(_) | Kind::Real(_) | Kind::Handle(_) => {}
                Kind::Struct(number) => {
                    let structure = schema::structure(number);
                    self.clear_padding(structure, at);
                    self.members(Owner { members: structure.members, base: place }, at, false);
                }
                Kind::Union(number, selector) => match walk::selected(base, members, number, selector) {
                    Some(member) => self.one(member.kind, owner, place, at, 0),
                    None => self.bytes[at..at + schema::size(kind) as usize].fill(0),
                },
                Kind::Opaque | Kind::Function => self.patch(at, 0),
                Kind::Chain(_) => self.chain(place.cast::<u64>().read_unaligned(), at),
                Kind::Pointer(_, target, length, when) => {
                    let address = place.cast::<u64>().read_unaligned();
                    let none = address == 0;
                    let count = if none { Some(0) } else { walk::length(base, members, length, element) };
                    let follows = address != 0
                        && count != Some(0)
                        && walk::holds(base, members, when)
                        && (when != When::Readable || is_readable(address, *target, count.unwrap_or(1)));
                    self.patch(at, u64::from(follows));
                    if follows {
                        self.target(*target, owner, with_exposed_provenance(address as usize), count);
                    }
                }
            }
        }
    }

    /// Appends what a pointer points at: so many elements, or a string.
    ///
    /// # Safety
    /// The pointer is valid for that.
    unsafe fn target(&mut self, kind: Kind, owner: Owner, pointer: *const u8, count: Option<u64>) {
        let Some(count) = count else {
            // SAFETY: a string that ends in zero, by the contract of this function.
            let text = unsafe { std::ffi::CStr::from_ptr(pointer.cast()) }.to_bytes_with_nul();
            self.bytes.extend((text.len() as u32).to_le_bytes());
            return self.bytes.extend(text);
        };
        let (start, stride) = (self.bytes.len(), schema::size(kind) as usize);
        // SAFETY: so many elements are valid, by the contract of this function.
        unsafe { self.append(pointer, stride * count as usize) };
        if schema::is_plain(kind) {
            return;
        }
        for index in 0..count as usize {
            let offset = index * stride;
            // SAFETY: as above. The length of a pointer to pointers is that of members of the same owner.
            unsafe { self.one(kind, owner, pointer.add(offset), start + offset, index) };
        }
    }

    /// # Safety
    /// `pointer` is valid for reads of `size` bytes, which may be uninitialized.
    unsafe fn append(&mut self, pointer: *const u8, size: usize) {
        self.bytes.reserve(size);
        let end = self.bytes.len();
        // SAFETY: the room was reserved, and is another allocation than what is read.
        unsafe {
            pointer.copy_to_nonoverlapping(self.bytes.as_mut_ptr().add(end), size);
            self.bytes.set_len(end + size);
        }
    }

    /// Appends the structures of a chain.
    ///
    /// # Safety
    /// The chain is valid.
    unsafe fn chain(&mut self, mut address: u64, at: usize) {
        let mut count = 0;
        for _ in 0..CHAIN_MAX {
            if address == 0 {
                break;
            }
            let pointer = with_exposed_provenance::<u8>(address as usize);
            // SAFETY: every structure of a chain begins with `sType` and `pNext`.
            let (s_type, next) = unsafe {
                (pointer.cast::<i32>().read_unaligned(), pointer.add(8).cast::<u64>().read_unaligned())
            };
            address = next;
            let known = schema::chained(s_type).map(schema::structure);
            let Some(structure) = known.filter(|structure| !schema::has_functions(structure)) else {
                continue;
            };
            count += 1;
            self.bytes.extend(s_type.to_le_bytes());
            let start = self.bytes.len();
            // SAFETY: a structure of this type, by its `sType`.
            unsafe {
                self.append(pointer, structure.size as usize);
                self.clear_padding(structure, start);
                self.patch(start + 8, 0);
                self.members(Owner { members: structure.members, base: pointer }, start, true);
            }
        }
        self.patch(at, count);
    }
}

/// Copies memory of this process, all of which may not be mapped; whether it is.
#[cfg(unix)]
fn read_if_mapped(address: u64, bytes: &mut [u8]) -> bool {
    let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: bytes.len() };
    // SAFETY: the system checks both ranges; the local one is the slice's.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
    usize::try_from(read) == Ok(bytes.len())
}

/// Copies memory of this process, all of which may not be mapped; whether it is.
#[cfg(windows)]
fn read_if_mapped(address: u64, bytes: &mut [u8]) -> bool {
    use windows_sys::Win32::System::Diagnostics::Debug::ReadProcessMemory;
    use windows_sys::Win32::System::Threading::GetCurrentProcess;
    let from = std::ptr::with_exposed_provenance(address as usize);
    let mut count = 0;
    // SAFETY: the system checks both ranges; the local one is the slice's.
    let is_read = unsafe {
        ReadProcessMemory(GetCurrentProcess(), from, bytes.as_mut_ptr().cast(), bytes.len(), &mut count)
    };
    is_read != 0 && count == bytes.len()
}

/// Whether memory is readable, and begins with the `sType` of its structure if it has one.
fn is_readable(address: u64, kind: Kind, count: u64) -> bool {
    let size = u64::from(schema::size(kind)).saturating_mul(count).min(1 << 16);
    let mut bytes = vec![0_u8; size as usize];
    let is_read = read_if_mapped(address, &mut bytes);
    let s_type = match kind {
        Kind::Struct(number) => schema::structure(number).s_type,
        _ => -1,
    };
    let begins = |bytes: &[u8]| bytes.first_chunk().is_some_and(|first| i32::from_le_bytes(*first) == s_type);
    is_read && (s_type < 0 || begins(&bytes))
}
