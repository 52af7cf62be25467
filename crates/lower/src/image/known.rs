//! Operations on images that are known: their code is part of the shader.
//!
//! A pipeline layout may say of a descriptor what it will be ([`pyro_abi::layout::KnownImage`]). Whoever runs
//! the code sees to it that it is so, and that the records stay where they are while it runs.

use super::Records;
use crate::context::Lowerer;
use pyro_abi::KnownImage;
use pyro_abi::image::ImageOp;
use pyro_image::access::{self, Operands};
use pyro_image::{SamplerKey, ViewKey};
use pyro_ir::Value;
use rustc_hash::FxHashMap;

/// Instructions of a function that takes no more code of images.
const INSTRUCTIONS_MAX: usize = 20_000;

/// The image operation at hand, and what is known of records.
#[derive(Debug, Default)]
pub(crate) struct ImageState {
    /// Rows of the call record and their values; whether they are in the record.
    operands: Vec<(u32, Value, bool)>,
    /// What the operation gave, if it was no call.
    results: Option<Vec<(u32, Value)>>,
    views: FxHashMap<Value, ViewKey>,
    samplers: FxHashMap<Value, SamplerKey>,
    /// Set and binding of records that are single descriptors'.
    places: FxHashMap<Value, (u32, u32)>,
    /// Those that operations use.
    used: Vec<(u32, u32)>,
}

impl ImageState {
    /// Forgets the last operation.
    pub(super) fn begin(&mut self) {
        self.operands.clear();
        self.results = None;
    }

    pub(super) fn set_operand(&mut self, row: u32, value: Value) {
        self.operands.retain(|&(number, ..)| number != row);
        self.operands.push((row, value, false));
    }

    /// The operands that are not in the call record yet; from now on they are.
    pub(super) fn take_unstored(&mut self) -> Vec<(u32, Value)> {
        let unstored = self.operands.iter_mut().filter(|(.., stored)| !*stored);
        unstored
            .map(|operand| {
                operand.2 = true;
                (operand.0, operand.1)
            })
            .collect()
    }

    /// A result of an operation that was no call; none inside if it has no such result.
    pub(super) fn result(&self, row: u32) -> Option<Option<Value>> {
        let results = self.results.as_ref()?;
        Some(results.iter().find(|&&(number, _)| number == row).map(|&(_, value)| value))
    }

    /// Notes the records of a single descriptor, and what they are.
    pub(super) fn note(&mut self, place: (u32, u32), records: [Value; 2], known: Option<KnownImage>) {
        let [image, sampler] = records;
        for record in records {
            self.places.insert(record, place);
        }
        let known = known.unwrap_or_default();
        if let Some(view) = ViewKey::from_code(known.view) {
            self.views.insert(image, view);
        }
        if let Some(key) = SamplerKey::from_code(known.sampler) {
            self.samplers.insert(sampler, key);
        }
    }

    /// Whether it is known what an image record is, which so is there.
    pub(super) fn is_known(&self, image: Value) -> bool {
        self.views.contains_key(&image)
    }

    /// Set and binding of the single descriptors that operations use.
    pub(crate) fn used(&self) -> Vec<(u32, u32)> {
        self.used.clone()
    }

    fn note_use(&mut self, record: Value) {
        if let Some(&place) = self.places.get(&record)
            && !self.used.contains(&place)
        {
            self.used.push(place);
        }
    }
}

impl Lowerer<'_, '_> {
    /// Puts an operation's code here, if all is known that decides it, and gives whether it did.
    pub(super) fn inline_operation(&mut self, records: Records, op: ImageOp) -> bool {
        self.image.results = None;
        if matches!(op, ImageOp::Atomic(_)) {
            return false;
        }
        let sampler = records.sampler.filter(|_| op.uses_sampler());
        self.image.note_use(records.image);
        if let Some(sampler) = sampler {
            self.image.note_use(sampler);
        }
        let Some(&view) = self.image.views.get(&records.image) else { return false };
        let key = sampler.and_then(|sampler| self.image.samplers.get(&sampler).copied());
        if op.uses_sampler() && key.is_none()
            || !access::is_inlined(&view, key.as_ref(), op)
            || self.b.function.insts.len() > INSTRUCTIONS_MAX
        {
            return false;
        }
        let rows: Vec<(u32, Value)> =
            self.image.operands.iter().map(|&(row, value, _)| (row, value)).collect();
        let operands =
            Operands { image: records.image, sampler: sampler.unwrap_or(records.image), rows: &rows };
        match access::inline(&mut self.b, &view, key.as_ref(), op, operands) {
            Ok(results) => {
                self.image.results = Some(results);
                true
            }
            // The call says what is wrong.
            Err(_) => false,
        }
    }
}
