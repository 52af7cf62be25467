//! `OpAbortKHR` (`SPV_KHR_abort`): a site that always reports, and the end of the invocation.
//!
//! What is constant of the message, as its strings are, stands in the table of sites; the rest is the values
//! of the site. The reporter stops the engine, so that the device is lost.

use crate::context::Lowerer;
use crate::error::{LowerError, Result, invalid};
use crate::memory::Leaf;
use crate::pointer::MemoryLayout;
use crate::report::{Message, Reported};
use crate::types::memory_bytes;
use pyro_abi::report::{AbortMessage, AbortPlace, SiteKind, ValueType};
use pyro_ir::{Block, Scalar, Value};
use pyro_spirv::spirv::ExecutionModel;
use pyro_spirv::{Id, Instruction, Type};

/// Constants that are values of the site for who reads the message; of more, only the bytes are kept.
const SHOWN_MAX: usize = 64;

impl<'m> Lowerer<'m, '_> {
    /// Reports the message; gives the block in which the invocation ends, in stages that have one.
    pub(crate) fn abort(&mut self, inst: Instruction<'m>, ty: Id, message: Id) -> Result<Option<Block>> {
        let kind = SiteKind::Abort(self.reports.aborts.len() as u32);
        let (text, values, layout) = self.abort_message(ty, message)?;
        self.reports.aborts.push(layout);
        self.report_always(inst, &Message { kind, text, values })?;
        let stage = self.stage;
        if stage.model() == Some(ExecutionModel::Fragment) {
            // It writes no attachment.
            stage.demote(self)?;
        }
        Ok(self.end)
    }

    /// The format, the values of the site, and where they are in the message.
    fn abort_message(&mut self, ty: Id, message: Id) -> Result<(String, Vec<Reported>, AbortMessage)> {
        let leaves = self.leaves(ty, MemoryLayout::EXPLICIT)?;
        let scalars = self.scalars(message)?;
        let mut types = Vec::with_capacity(leaves.len());
        self.leaf_types(ty, &mut types);
        if scalars.len() != leaves.iter().map(|leaf| leaf.count as usize).sum::<usize>()
            || types.len() != leaves.len()
        {
            return invalid(format!("the message of {message} does not match its type {ty}"));
        }
        let size = leaves.iter().map(|leaf| leaf.offset.saturating_add(leaf.extent())).max().unwrap_or(0);
        if size > AbortMessage::BYTES_MAX {
            let max = AbortMessage::BYTES_MAX;
            return Err(LowerError::limit(format!("an abort message has {size} bytes, and {max} at most")));
        }
        let mut layout = AbortMessage { constant: vec![0; size as usize], places: Vec::new() };
        let (mut format, mut values): (Option<String>, Vec<Reported>) = (None, Vec::new());
        let mut rest = &scalars[..];
        let mut next = 0;
        while let Some(leaf) = leaves.get(next) {
            // A string is all that follows of an array of bytes.
            let string = self.string_at(&leaves[next..], &types[next..], rest);
            let bytes = string.as_ref().map_or(1, Vec::len);
            let (own, behind) = rest.split_at(string.as_ref().map_or(leaf.count as usize, Vec::len));
            let is_constant = self.put_constants(&leaves[next..next + bytes], own, &mut layout.constant);
            (rest, next) = (behind, next + bytes);
            if let Some(string) = string {
                let text = String::from_utf8_lossy(string.split(|&byte| byte == 0).next().unwrap_or(&[]));
                if next == bytes {
                    format = Some(text.into_owned());
                } else if values.len() < SHOWN_MAX {
                    let number = self.reports.string(&text);
                    let number = self.b.i32(number);
                    values.push(Reported::new("", ValueType::String, number));
                    layout.places.push(AbortPlace { offset: 0, stride: 0, bytes: 0 });
                }
                continue;
            }
            if is_constant && values.len() >= SHOWN_MAX {
                continue;
            }
            let ty = self.abort_type(leaf.scalar, types[next - 1]);
            values.push(Reported { name: String::new(), ty, scalars: own.into() });
            layout.places.push(AbortPlace {
                offset: leaf.offset as u32,
                stride: leaf.stride as u32,
                bytes: memory_bytes(leaf.scalar),
            });
        }
        let text = format.unwrap_or_else(|| vec!["%d"; values.len()].join(", "));
        Ok((text, values, layout))
    }

    /// The constant bytes from a leaf on that are one after the other, if they may be a string: more than
    /// one.
    fn string_at(&self, leaves: &[Leaf], types: &[Id], scalars: &[Value]) -> Option<Vec<u8>> {
        let first = leaves[0].offset;
        let bytes =
            leaves.iter().zip(types).zip(scalars).zip(first..).map_while(|(((leaf, &ty), &value), at)| {
                let is_byte =
                    leaf.scalar == Scalar::I8 && leaf.count == 1 && leaf.offset == at && ty == types[0];
                let bits = self.b.function.const_bits(value).filter(|_| is_byte)?;
                Some(bits as u8)
            });
        Some(bytes.collect::<Vec<u8>>()).filter(|bytes| bytes.len() > 1)
    }

    /// Writes what is constant of some leaves; whether all of it is.
    fn put_constants(&self, leaves: &[Leaf], scalars: &[Value], into: &mut [u8]) -> bool {
        let places = leaves.iter().flat_map(|leaf| {
            let offset = move |component| (leaf.offset + component * leaf.stride) as usize;
            (0..u64::from(leaf.count))
                .map(move |component| (offset(component), memory_bytes(leaf.scalar) as usize))
        });
        let mut are_all = true;
        for ((offset, bytes), &value) in places.zip(scalars) {
            match self.b.function.const_bits(value) {
                Some(bits) => into[offset..offset + bytes].copy_from_slice(&bits.to_le_bytes()[..bytes]),
                None => are_all = false,
            }
        }
        are_all
    }

    /// How a scalar of this type is reported.
    fn abort_type(&self, scalar: Scalar, ty: Id) -> ValueType {
        match self.reported_type(ty) {
            // Small floats that the IR has as integers.
            Some(ValueType::Float) if scalar.is_int() => ValueType::Unsigned,
            Some(known) => known,
            None if scalar.bits() == 64 => ValueType::Unsigned64,
            None => ValueType::Unsigned,
        }
    }

    /// The types of a type's leaves, in order: scalars and vectors.
    fn leaf_types(&self, ty: Id, into: &mut Vec<Id>) {
        match self.module.ty(ty) {
            Type::Struct { members } => members.iter().for_each(|member| self.leaf_types(member, into)),
            Type::Array { element, .. } => {
                let start = into.len();
                self.leaf_types(element, into);
                let of_element = into[start..].to_vec();
                let count = self.constants.element_count(ty).unwrap_or(0);
                (1..count).for_each(|_| into.extend_from_slice(&of_element));
            }
            Type::Matrix { column, count } => into.extend((0..count).map(|_| column)),
            _ => into.push(ty),
        }
    }
}
