//! Bytes to parameters in memory: what [`crate::encode`] wrote, rebuilt with valid pointers.
//!
//! The bytes are untrusted. Lengths follow from the decoded members themselves, and every element's bytes are
//! in the input, so no input needs more memory than a small multiple of its length; what does not fit is an
//! error. Handles of the capture become those of the replay ([`Handles`]), where they are read; where the
//! command writes them, the caller is told the place ([`Output`]).
#![allow(unsafe_code)] // structures in memory

use crate::schema::{self, Command, Kind, Length, Member, Structure, When};
use crate::walk;
use thiserror::Error;

/// Structures in structures at most; Vulkan's have few.
const DEPTH_MAX: u32 = 24;

/// Why bytes are not the parameters of a call.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum DecodeError {
    /// There are fewer bytes than the members need.
    #[error("the parameters end at byte {0}, inside a value")]
    Truncated(usize),
    /// There are more bytes.
    #[error("{0} bytes are left behind the parameters")]
    Trailing(usize),
    /// A presence word is neither 0 nor 1.
    #[error("the pointer at byte {0} is neither present nor absent")]
    Presence(usize),
    /// An `sType` in a chain that is not in the registry.
    #[error("a chain has a structure of the unknown type {0}")]
    StructureType(i32),
    /// A string without its zero, or with one inside.
    #[error("the string at byte {0} does not end in its first zero")]
    String(usize),
    /// Structures lie too deep in each other.
    #[error("structures lie deeper in each other than {DEPTH_MAX} levels")]
    Depth,
}

/// From handles of the capture to those of the replay.
pub trait Handles {
    /// The handle to use instead of a captured one that is not null; 0 if there is none.
    fn translate(&mut self, handle_type: u16, captured: u64) -> u64;
}

/// Handles as they were captured.
pub struct Same;

impl Handles for Same {
    fn translate(&mut self, _: u16, captured: u64) -> u64 {
        captured
    }
}

/// A place in the parameters where the command writes a handle.
#[derive(Debug)]
pub struct Output {
    /// The handle's type.
    pub handle_type: u16,
    /// What was captured.
    pub captured: u64,
    place: *mut u64,
}

/// Parameters in memory.
#[derive(Default)]
pub struct Parameters {
    /// The slots.
    pub slots: Vec<u64>,
    /// Where handles will be.
    pub outputs: Vec<Output>,
    // What the slots point at. Moving the vectors does not move their elements.
    chunks: Vec<Vec<u64>>,
    used: usize,
    // The structures of chains: `sType`, place and bytes.
    chained: Vec<(i32, *const u8, usize)>,
}

/// Bytes of a chunk of memory at least.
const CHUNK_BYTES: usize = 16 << 10;

impl Parameters {
    /// Zeroed memory that lives as long as the parameters, aligned to eight bytes.
    pub fn allocate(&mut self, size: usize) -> *mut u8 {
        let words = size.div_ceil(8).max(1);
        if self.chunks.last().is_none_or(|chunk| chunk.len() - self.used < words) {
            self.chunks.push(vec![0; words.max(CHUNK_BYTES / 8)]);
            self.used = 0;
        }
        let at = self.used;
        self.used += words;
        let chunk = self.chunks.last_mut().expect("one was pushed");
        chunk[at..at + words].as_mut_ptr().cast()
    }

    /// Makes room for another call, whose parameters use the same memory.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.outputs.clear();
        self.chained.clear();
        self.chunks.truncate(1);
        if let Some(chunk) = self.chunks.first_mut() {
            chunk.fill(0);
        }
        self.used = 0;
    }

    /// What the command wrote where a handle was expected.
    pub fn written(&self, output: &Output) -> u64 {
        // SAFETY: the place is in a chunk that lives.
        unsafe { output.place.read_unaligned() }
    }

    /// Makes the handles null that are where the command writes some.
    pub fn clear_outputs(&mut self) {
        for output in &self.outputs {
            // SAFETY: the place is in a chunk that lives.
            unsafe { output.place.write_unaligned(0) };
        }
    }

    /// The bytes of the first structure of this type in a chain.
    pub fn chained(&self, s_type: i32) -> Option<&[u8]> {
        let (_, place, size) = self.chained.iter().find(|(ty, ..)| *ty == s_type)?;
        // SAFETY: the structure is in a chunk that lives.
        Some(unsafe { std::slice::from_raw_parts(*place, *size) })
    }

    /// The structure of a number that the pointer in a slot points at, as bytes; the slot is one of a pointer
    /// to
    /// such a structure.
    pub fn structure(&self, command: &Command, slot: usize) -> Option<(&'static Structure, &[u8])> {
        let Kind::Pointer(_, &Kind::Struct(number), Length::Constant(1), _) =
            command.parameters.get(slot)?.kind
        else {
            return None;
        };
        let (structure, place) = (schema::structure(number), self.pointer(slot));
        // SAFETY: the decoder made the structure of this type, by the parameter's kind.
        (!place.is_null())
            .then(|| (structure, unsafe { std::slice::from_raw_parts(place, structure.size as usize) }))
    }

    /// A pointer to what the pointer in a slot points at, for reading and writing members by hand: null, or
    /// valid for a structure of the parameter's type.
    pub fn pointer(&self, slot: usize) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.slots.get(slot).copied().unwrap_or(0) as usize)
    }
}

/// Decodes the parameters of a call into cleared parameters.
///
/// # Errors
/// When the bytes are not parameters of this command.
pub fn parameters(
    command: &'static Command,
    bytes: &[u8],
    handles: &mut dyn Handles,
    parameters: &mut Parameters,
) -> Result<()> {
    let count = command.parameters.len();
    let place = parameters.allocate(8 * count);
    let mut decoder = Decoder { bytes, at: 0, parameters, handles, depth: 0, is_output: false };
    decoder.copy(place, 8 * count)?;
    decoder.check_presence(command.parameters, place)?;
    let owner = Owner { members: command.parameters, base: place };
    decoder.members(owner, false)?;
    let (at, length) = (decoder.at, bytes.len());
    if at != length {
        return Err(DecodeError::Trailing(length - at));
    }
    // SAFETY: the slots are in memory of the parameters.
    parameters.slots = (0..count).map(|slot| unsafe { place.cast::<u64>().add(slot).read() }).collect();
    Ok(())
}

#[derive(Clone, Copy)]
struct Owner {
    members: &'static [Member],
    base: *mut u8,
}

struct Decoder<'a> {
    bytes: &'a [u8],
    at: usize,
    parameters: &'a mut Parameters,
    handles: &'a mut dyn Handles,
    depth: u32,
    /// Whether the command writes what is decoded.
    is_output: bool,
}

type Result<T> = std::result::Result<T, DecodeError>;

/// Memory of [`Parameters`] stays valid while it is decoded into, and everything here is at a place in it
/// that was allocated with its size; that is the reason of the unsafe blocks below.
impl Decoder<'_> {
    fn take(&mut self, size: usize) -> Result<&[u8]> {
        let end = self.at.checked_add(size).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or(DecodeError::Truncated(self.bytes.len()))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    /// Copies bytes to memory of the parameters that has room for them.
    fn copy(&mut self, place: *mut u8, size: usize) -> Result<()> {
        let bytes = self.take(size)?;
        // SAFETY: the place has room for `size` bytes.
        unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), size) };
        Ok(())
    }

    /// A length may name a pointer among the parameters, which must not look like an address yet.
    fn check_presence(&self, parameters: &[Member], place: *const u8) -> Result<()> {
        for parameter in parameters.iter().filter(|one| matches!(one.kind, Kind::Pointer(..))) {
            // SAFETY: the slots are at the place.
            if unsafe { walk::value(place, parameter) } > 1 {
                return Err(DecodeError::Presence(parameter.offset as usize));
            }
        }
        Ok(())
    }

    fn word(&mut self) -> Result<u32> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn members(&mut self, owner: Owner, is_chained: bool) -> Result<()> {
        if self.depth == DEPTH_MAX {
            return Err(DecodeError::Depth);
        }
        self.depth += 1;
        for member in owner.members.iter().filter(|member| !schema::is_plain(member.kind)) {
            if is_chained && matches!(member.kind, Kind::Chain(_)) {
                continue;
            }
            let stride = schema::size(member.kind) as usize;
            for index in 0..member.count as usize {
                // SAFETY: the elements of the member lie in the structure.
                let place = unsafe { owner.base.add(member.offset as usize + index * stride) };
                self.one(member.kind, owner, place, 0)?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn one(&mut self, kind: Kind, owner: Owner, place: *mut u8, element: usize) -> Result<()> {
        let word = place.cast::<u64>();
        match kind {
            Kind::Bytes(_) | Kind::Real(_) => {}
            // SAFETY: a handle has eight bytes.
            Kind::Handle(handle_type) => unsafe { self.handle(handle_type, word) },
            Kind::Struct(number) => {
                let members = schema::structure(number).members;
                self.members(Owner { members, base: place }, false)?;
            }
            Kind::Union(number, selector) => {
                // SAFETY: the owner's members are decoded.
                let member = unsafe { walk::selected(owner.base, owner.members, number, selector) };
                match member {
                    Some(member) => self.one(member.kind, owner, place, 0)?,
                    // SAFETY: the union has so many bytes.
                    None => unsafe { place.write_bytes(0, schema::size(kind) as usize) },
                }
            }
            // SAFETY: a pointer has eight bytes.
            Kind::Opaque | Kind::Function => unsafe { word.write_unaligned(0) },
            Kind::Chain(_) => self.chain(word)?,
            Kind::Pointer(is_output, target, length, when) => {
                // SAFETY: as above.
                let present = unsafe { word.read_unaligned() };
                // While it is decoded, it must not look like an address.
                // SAFETY: as above.
                unsafe { word.write_unaligned(0) };
                match present {
                    0 => return Ok(()),
                    1 => {}
                    _ => return Err(DecodeError::Presence(self.at)),
                }
                let was_output = self.is_output;
                self.is_output |= is_output;
                let address = self.target(*target, owner, length, when, element)?;
                self.is_output = was_output;
                // SAFETY: as above.
                unsafe { word.write_unaligned(address) };
            }
        }
        Ok(())
    }

    /// # Safety
    /// The place is one of a handle.
    unsafe fn handle(&mut self, handle_type: u16, place: *mut u64) {
        // SAFETY: the contract of this function.
        let captured = unsafe { place.read_unaligned() };
        if self.is_output {
            self.parameters.outputs.push(Output { handle_type, captured, place });
        } else if captured != 0 {
            let handle = self.handles.translate(handle_type, captured);
            // SAFETY: as above.
            unsafe { place.write_unaligned(handle) };
        }
    }

    /// What a pointer points at; its address.
    fn target(
        &mut self,
        kind: Kind,
        owner: Owner,
        length: Length,
        when: When,
        element: usize,
    ) -> Result<u64> {
        // SAFETY: members before this one are decoded, others are null or plain.
        let (count, holds) = unsafe {
            (
                walk::length(owner.base, owner.members, length, element),
                walk::holds(owner.base, owner.members, when),
            )
        };
        let Some(count) = count else { return self.string() };
        if !holds {
            return Err(DecodeError::Presence(self.at));
        }
        let stride = schema::size(kind) as usize;
        let size = usize::try_from(count).ok().and_then(|count| count.checked_mul(stride));
        let rest = self.bytes.len() - self.at;
        let size = size.filter(|size| *size <= rest).ok_or(DecodeError::Truncated(self.bytes.len()))?;
        let place = self.parameters.allocate(size);
        self.copy(place, size)?;
        if !schema::is_plain(kind) {
            for index in 0..count as usize {
                // SAFETY: the elements lie in the memory.
                self.one(kind, owner, unsafe { place.add(index * stride) }, index)?;
            }
        }
        Ok(place.expose_provenance() as u64)
    }

    fn string(&mut self) -> Result<u64> {
        let at = self.at;
        let length = self.word()? as usize;
        let bytes = self.take(length)?;
        if bytes.iter().position(|&byte| byte == 0) != length.checked_sub(1) {
            return Err(DecodeError::String(at));
        }
        self.at = at + 4;
        let place = self.parameters.allocate(length);
        self.copy(place, length)?;
        Ok(place.expose_provenance() as u64)
    }

    /// The structures of a chain, whose number is in the `pNext` at this place.
    fn chain(&mut self, mut place: *mut u64) -> Result<()> {
        // SAFETY: a pointer has eight bytes.
        let count = unsafe { place.read_unaligned() };
        // SAFETY: as above.
        unsafe { place.write_unaligned(0) };
        for _ in 0..count {
            let s_type = self.word()? as i32;
            let number = schema::chained(s_type).ok_or(DecodeError::StructureType(s_type))?;
            let structure = schema::structure(number);
            let base = self.parameters.allocate(structure.size as usize);
            self.copy(base, structure.size as usize)?;
            self.parameters.chained.push((s_type, base, structure.size as usize));
            // SAFETY: a structure of a chain begins with `sType` and `pNext`.
            unsafe {
                base.cast::<i32>().write(s_type);
                let next = base.add(8).cast::<u64>();
                next.write(0);
                place.write_unaligned(base.expose_provenance() as u64);
                place = next;
            }
            self.members(Owner { members: structure.members, base }, true)?;
        }
        Ok(())
    }
}
