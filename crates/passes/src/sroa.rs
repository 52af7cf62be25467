//! Scalar replacement of private variables: slots accessed at constant offsets become SSA values. Lane form.
//!
//! Accesses that overlap have the same offset and size ([`pyro_ir::SlotData`]), so each offset of a slot is a
//! variable of its own, and [`Renamer`] finds the values that its reads see. Where reads and writes use
//! different types of one size, the variable has the type of the first access, and the others `bitcast`. A
//! read before any write is zero. Slots with a computed offset, and call records, are left to
//! [`crate::lower_slots`].

use crate::prune;
use crate::ssa_builder::Variable;
use crate::ssa_rename::Renamer;
use pyro_ir::{Form, Function, Opcode, Scalar, Signature, Slot, Type, ValueData, ValueDef};
use pyro_util::SecondaryMap;
use rustc_hash::FxHashMap;

/// Turns slots accessed only at constant offsets into SSA values. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Lane);
    if function.slots.is_empty() {
        return false;
    }
    prune::run(function);
    let Some(promotable) = find_promotable(function) else { return false };

    let mut renamer = Renamer::new();
    let mut variables = Variables::default();
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        renamer.enter_block(block);
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        insts.retain(|&inst| {
            let data = &function.insts[inst];
            let is_load = match data.op.signature() {
                Signature::SlotLoad => true,
                Signature::SlotStore => false,
                _ => return true,
            };
            let slot = Slot::from_u32(data.imm as u32);
            if !promotable[slot] {
                return true;
            }
            let at = function.const_bits(data.args[0]).expect("offsets are constant");
            let value = if is_load { data.expect_result() } else { data.args[1] };
            let scalar = function.ty(value).scalar;
            let (variable, holds) = variables.get(slot, at, scalar, &mut renamer);
            if holds == scalar {
                if is_load {
                    renamer.read_as(variable, value);
                } else {
                    renamer.write(variable, value);
                }
                return false;
            }
            // The access becomes the conversion.
            let from = if is_load { renamer.read(function, variable) } else { value };
            let result = if is_load {
                value
            } else {
                let ty = Type::varying(holds);
                let result = function.values.push(ValueData { ty, def: ValueDef::Inst(inst) });
                renamer.write(variable, result);
                result
            };
            let data = &mut function.insts[inst];
            data.op = Opcode::Bitcast;
            data.args = smallvec::smallvec![from];
            data.imm = 0;
            data.result = result.into();
            true
        });
        function.blocks[block].insts = insts;
    }
    renamer.finish(function);
    true
}

/// The variables that slots hold: each slot's first, and those at other offsets.
#[derive(Default)]
struct Variables {
    first: SecondaryMap<Slot, Option<(u64, Variable, Scalar)>>,
    others: FxHashMap<(Slot, u64), (Variable, Scalar)>,
}

impl Variables {
    /// The variable at an offset, and what it holds: `scalar`, where it is new.
    fn get(&mut self, slot: Slot, at: u64, scalar: Scalar, renamer: &mut Renamer) -> (Variable, Scalar) {
        match self.first[slot] {
            Some((offset, variable, holds)) if offset == at => (variable, holds),
            Some(_) => *self
                .others
                .entry((slot, at))
                .or_insert_with(|| (renamer.declare(Type::varying(scalar)), scalar)),
            None => {
                let variable = renamer.declare(Type::varying(scalar));
                self.first[slot] = Some((at, variable, scalar));
                (variable, scalar)
            }
        }
    }
}

/// The slots that every access addresses by a constant and no call uses; `None` when there are none, or no
/// access at all.
fn find_promotable(function: &Function) -> Option<SecondaryMap<Slot, bool>> {
    let mut promotable = SecondaryMap::with_capacity(true, function.slots.len());
    let mut accessed = SecondaryMap::with_capacity(false, function.slots.len());
    for &block in &function.block_order {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            match data.op.signature() {
                Signature::SlotLoad | Signature::SlotStore => {
                    let slot = Slot::from_u32(data.imm as u32);
                    accessed[slot] = true;
                    promotable[slot] &= function.const_bits(data.args[0]).is_some();
                }
                Signature::SlotCall => promotable[Slot::from_u32(data.imm as u32)] = false,
                _ => {}
            }
        }
    }
    function.slots.keys().any(|slot| accessed[slot] && promotable[slot]).then_some(promotable)
}
