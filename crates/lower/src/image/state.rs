//! What lowering remembers of image operations and records.

use pyro_abi::KnownImage;
use pyro_image::{SamplerKey, ViewKey};
use pyro_ir::Value;
use rustc_hash::FxHashMap;

/// The image operation at hand, and what is known of records.
#[derive(Debug, Default)]
pub(crate) struct ImageState {
    /// The function is for whole blocks of fragments.
    pub(crate) lanes_are_block: bool,
    /// Columns of the call record and their values; whether they are in the record.
    pub(super) operands: Vec<(u32, Value, bool)>,
    /// What the operation gave, if it was no call.
    pub(super) results: Option<Vec<(u32, Value)>>,
    pub(super) views: FxHashMap<Value, ViewKey>,
    pub(super) samplers: FxHashMap<Value, SamplerKey>,
    /// Set and binding of records that are single descriptors'.
    pub(super) places: FxHashMap<Value, (u32, u32)>,
    /// Those that operations use.
    pub(super) used: Vec<(u32, u32)>,
}

impl ImageState {
    /// Forgets the last operation.
    pub(super) fn begin(&mut self) {
        self.operands.clear();
        self.results = None;
    }

    pub(super) fn set_operand(&mut self, column: u32, value: Value) {
        self.operands.retain(|&(number, ..)| number != column);
        self.operands.push((column, value, false));
    }

    /// The operand of a column.
    pub(crate) fn operand(&self, column: u32) -> Option<Value> {
        self.operands.iter().find(|&&(number, ..)| number == column).map(|&(_, value, _)| value)
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
    pub(super) fn result(&self, column: u32) -> Option<Option<Value>> {
        let results = self.results.as_ref()?;
        Some(results.iter().find(|&&(number, _)| number == column).map(|&(_, value)| value))
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

    pub(super) fn note_use(&mut self, record: Value) {
        if let Some(&place) = self.places.get(&record)
            && !self.used.contains(&place)
        {
            self.used.push(place);
        }
    }
}
