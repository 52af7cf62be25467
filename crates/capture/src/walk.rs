//! Reading the members of structures in memory, for whoever writes or rebuilds them.
#![allow(unsafe_code)] // members by address

use crate::schema::{self, Kind, Length, Member, When};

/// Addresses below are null, or a pointer of a capture that is not decoded yet.
const FIRST_PAGE: u64 = 4096;

/// A member's value of up to eight bytes.
///
/// # Safety
/// `base` is a structure with this member.
pub(crate) unsafe fn value(base: *const u8, member: &Member) -> u64 {
    let mut bytes = [0; 8];
    let size = (schema::size(member.kind) as usize).min(8);
    // SAFETY: the member lies in the structure.
    unsafe { base.add(member.offset as usize).copy_to_nonoverlapping(bytes.as_mut_ptr(), size) };
    u64::from_le_bytes(bytes)
}

/// A member's value as a count; that of a pointer is what it points at.
///
/// # Safety
/// `base` is a structure with this member; a pointer is null or valid.
unsafe fn count(base: *const u8, member: &Member) -> u64 {
    // SAFETY: the contract of this function.
    let raw = unsafe { value(base, member) };
    let Kind::Pointer(_, target, ..) = member.kind else { return raw };
    if raw < FIRST_PAGE {
        return 0;
    }
    let target = Member { name: "", offset: 0, count: 1, kind: *target, selections: &[] };
    // SAFETY: the pointer is valid.
    unsafe { value(std::ptr::with_exposed_provenance(raw as usize), &target) }
}

/// How many elements a pointer points at; none for a string. `element` is the index of the pointer in an
/// array of pointers.
///
/// # Safety
/// `base` is a structure, or an array of parameters, with these members; those that the length names are
/// valid or null.
pub(crate) unsafe fn length(
    base: *const u8,
    members: &[Member],
    length: Length,
    element: usize,
) -> Option<u64> {
    let member = |number: u16| &members[usize::from(number)];
    // SAFETY: the contract of this function.
    unsafe {
        Some(match length {
            Length::Constant(count) => u64::from(count),
            Length::String => return None,
            Length::Member(number) => count(base, member(number)),
            Length::Divided(number, divisor) => count(base, member(number)) / u64::from(divisor.max(1)),
            Length::Mask(number) => count(base, member(number)).div_ceil(32),
            Length::Through(number, offset) => word_at(value(base, member(number)), offset),
            Length::EachOf(number) => {
                let infos = member(number);
                let Kind::Pointer(_, &Kind::Struct(info), ..) = infos.kind else { return Some(0) };
                let info = schema::structure(info);
                let field = info.members.iter().find(|field| field.name == "geometryCount");
                let offset = element as u32 * info.size + field.map_or(0, |field| field.offset);
                word_at(value(base, infos), offset)
            }
        })
    }
}

/// The word of 32 bits at an offset behind an address, zero behind a null address.
///
/// # Safety
/// The address is null or that of a structure with the word.
unsafe fn word_at(address: u64, offset: u32) -> u64 {
    if address < FIRST_PAGE {
        return 0;
    }
    let pointer = std::ptr::with_exposed_provenance::<u8>(address as usize);
    // SAFETY: the contract of this function.
    u64::from(unsafe { pointer.add(offset as usize).cast::<u32>().read_unaligned() })
}

/// Whether other members say that a pointer is to be followed; [`When::Readable`] says nothing.
///
/// # Safety
/// `base` is a structure with these members.
pub(crate) unsafe fn holds(base: *const u8, members: &[Member], when: When) -> bool {
    // SAFETY: the contract of this function.
    let value = |number: u16| unsafe { value(base, &members[usize::from(number)]) } as u32;
    match when {
        When::Always | When::Readable => true,
        When::OneOf(number, values) => values.contains(&value(number)),
        When::Without(number, bits) => value(number) & bits == 0,
    }
}

/// The member of a union that its selector selects.
///
/// # Safety
/// `base` is a structure with these members.
pub(crate) unsafe fn selected(
    base: *const u8,
    members: &[Member],
    union: u16,
    selector: u16,
) -> Option<&'static Member> {
    // SAFETY: the contract of this function.
    let value = i64::from(unsafe { value(base, &members[usize::from(selector)]) } as u32 as i32);
    schema::structure(union).members.iter().find(|member| member.selections.contains(&value))
}
