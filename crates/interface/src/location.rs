//! Locations and components that variables take (Vulkan, "Location and Component Assignment").
//!
//! A location is four words of 32 bits. Scalars and vectors of 16- and 32-bit components take one, as do 64-bit
//! scalars and vectors of two; longer 64-bit vectors take two. Arrays and matrices take their elements' one after
//! the other, structures their members'.

use pyro_spirv::{ConstantValues, Id, Type};

/// A scalar or vector at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// First location.
    pub location: u32,
    /// First component: a word of the location.
    pub component: u32,
    /// The type of a component: a numeric scalar.
    pub scalar: Id,
    /// Components.
    pub count: u32,
    /// Bits of a component.
    pub width: u32,
}

impl Leaf {
    /// The words that it takes, from the first of its location: 64-bit components take two, others one.
    pub fn words(&self) -> std::ops::Range<u32> {
        let words = self.count * if self.width == 64 { 2 } else { 1 };
        self.component..self.component + words
    }
}

/// Locations that a variable of a type takes, the array level of arrayed interfaces already removed; none for types
/// that have no locations.
pub fn location_count(constants: &ConstantValues<'_>, ty: Id) -> Option<u64> {
    let module = constants.module();
    match module.ty(ty) {
        Type::Int { .. } | Type::Float { .. } => Some(1),
        Type::Vector { component, count } => {
            Some(if module.ty(component).width()? == 64 && count > 2 { 2 } else { 1 })
        }
        Type::Matrix { column, count } => Some(location_count(constants, column)? * u64::from(count)),
        Type::Array { element, .. } => {
            location_count(constants, element)?.checked_mul(constants.array_len(ty)?)
        }
        // Without members nothing has a place, and sums would not grow.
        Type::Struct { members } if members.is_empty() => None,
        Type::Struct { members } => {
            // Structures may share members' types many times over; each member asks anew, but nothing that large
            // fits the limit on locations, which ends the sum early.
            let mut sum = 0u64;
            for member in members.iter() {
                sum = sum.checked_add(location_count(constants, member)?)?;
                if sum > LOCATION_COUNT_MAX {
                    return Some(sum);
                }
            }
            Some(sum)
        }
        // Pointers to physical storage are 64-bit scalars.
        Type::Pointer { class: pyro_spirv::spirv::StorageClass::PhysicalStorageBuffer, .. } => Some(1),
        _ => None,
    }
}

/// No stage of any device has more locations.
pub(crate) const LOCATION_COUNT_MAX: u64 = 4096;

/// The scalars and vectors of a type at a location; the next free location. None when the type has no locations or
/// takes more than the limit.
pub(crate) fn leaves(
    constants: &ConstantValues<'_>,
    ty: Id,
    location: u32,
    component: u32,
    into: &mut Vec<Leaf>,
) -> Option<u32> {
    if into.len() as u64 > LOCATION_COUNT_MAX {
        return None;
    }
    let module = constants.module();
    let scalar = |scalar: Id, count: u32, into: &mut Vec<Leaf>| {
        let width = module.ty(scalar).width()?;
        into.push(Leaf { location, component, scalar, count, width });
        location.checked_add(if width == 64 && count > 2 { 2 } else { 1 })
    };
    match module.ty(ty) {
        Type::Int { .. } | Type::Float { .. } => scalar(ty, 1, into),
        Type::Vector { component, count } => scalar(component, count, into),
        Type::Matrix { column, count } => {
            (0..count).try_fold(location, |location, _| leaves(constants, column, location, component, into))
        }
        Type::Array { element, .. } => {
            let len = constants.array_len(ty).filter(|&len| len <= LOCATION_COUNT_MAX)?;
            (0..len).try_fold(location, |location, _| leaves(constants, element, location, component, into))
        }
        Type::Struct { members } if members.is_empty() => None,
        Type::Struct { members } => members
            .iter()
            .try_fold(location, |location, member| leaves(constants, member, location, component, into)),
        _ => None,
    }
}
