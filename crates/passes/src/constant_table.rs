//! Private arrays that hold constants only become memory that the kernel owns.
//!
//! A table in a shader's source is, in SPIR-V, a private variable that is initialised with a constant array
//! and indexed dynamically. As a private variable it takes scratch memory in every lane, and stores to fill
//! it whenever a subgroup begins. A slot is such a table when
//!
//! * every store to it has a constant offset and a constant value, and
//! * stores to the same bytes agree.
//!
//! Then a load finds either what the table says, or, before the stores, nothing defined; so the table's bytes
//! are an answer in both cases. The loads become loads of read-only memory ([`Function::constants`]) and the
//! stores go away. A slot without any stores is a table of zeros.

use pyro_ir::{Form, Function, MemoryOp, Opcode, Scalar, Slot, SourceLoc, Space, Type, Value};
use pyro_util::SecondaryMap;
use std::sync::Arc;

/// Smaller tables are left to become selects or registers.
const BYTES_MIN: u32 = 16;

/// A slot's bytes, and which of them are known.
#[derive(Clone, Default)]
struct Table {
    bytes: Vec<u8>,
    known: Vec<bool>,
    loads: u32,
    refused: bool,
}

impl Table {
    /// Notes a store; whether it agrees with the others.
    fn store(&mut self, size: u32, offset: u64, width: u32, bits: u64) -> bool {
        let Ok(start) = usize::try_from(offset) else { return false };
        let end = start.saturating_add(width as usize);
        if end > size as usize {
            return false;
        }
        self.bytes.resize(size as usize, 0);
        self.known.resize(size as usize, false);
        for (index, byte) in (start..end).zip(bits.to_le_bytes()) {
            if self.known[index] && self.bytes[index] != byte {
                return false;
            }
            self.known[index] = true;
            self.bytes[index] = byte;
        }
        true
    }
}

/// Runs the pass on lane form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Lane);
    if function.slots.is_empty() {
        return false;
    }
    let Some(tables) = find(function) else { return false };
    let mut places: SecondaryMap<Slot, Option<u32>> = SecondaryMap::with_capacity(None, function.slots.len());
    // What earlier runs have made is referred to by offset.
    if function.constants.is_some() {
        return false;
    }
    let mut bytes: Vec<u8> = Vec::new();
    for slot in function.slots.keys() {
        let table = &tables[slot];
        if table.refused || table.loads == 0 || function.slots[slot].bytes < BYTES_MIN {
            continue;
        }
        bytes.resize(bytes.len().next_multiple_of(64), 0);
        places[slot] = Some(bytes.len() as u32);
        bytes.extend_from_slice(&table.bytes);
        bytes.resize(bytes.len() + function.slots[slot].bytes as usize - table.bytes.len(), 0);
    }
    if bytes.is_empty() {
        return false;
    }
    let words: Arc<[u64]> = bytes
        .chunks(8)
        .map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        })
        .collect();
    function.constants = Some(words);
    rewrite(function, &places);
    true
}

/// What each slot holds; `None` when no slot is addressed dynamically.
fn find(function: &Function) -> Option<SecondaryMap<Slot, Table>> {
    let mut tables: SecondaryMap<Slot, Table> =
        SecondaryMap::with_capacity(Table::default(), function.slots.len());
    let mut any = false;
    for &block in &function.block_order {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            if !matches!(data.op, Opcode::SlotLoad | Opcode::SlotStore | Opcode::SlotCall) {
                continue;
            }
            let slot = Slot::from_u32(data.imm as u32);
            let table = &mut tables[slot];
            match data.op {
                Opcode::SlotLoad => {
                    let holds_bool =
                        data.result.expand().is_some_and(|v| function.ty(v).scalar == Scalar::I1);
                    table.refused |= holds_bool;
                    table.loads += 1;
                    any |= function.const_bits(data.args[0]).is_none();
                }
                Opcode::SlotStore if !table.refused => {
                    let scalar = function.ty(data.args[1]).scalar;
                    let constants = (function.const_bits(data.args[0]), function.const_bits(data.args[1]));
                    let agrees = match constants {
                        (Some(offset), Some(bits)) if scalar != Scalar::I1 => {
                            table.store(function.slots[slot].bytes, offset, scalar.bytes(), bits)
                        }
                        _ => false,
                    };
                    table.refused |= !agrees;
                }
                Opcode::SlotStore => {}
                _ => table.refused = true,
            }
        }
    }
    any.then_some(tables)
}

/// Loads of tables at their places among the function's constants instead of slots.
fn rewrite(function: &mut Function, places: &SecondaryMap<Slot, Option<u32>>) {
    let mut prologue = Vec::new();
    let mut define = |function: &mut Function, op, scalar, imm| -> Value {
        let inst = function.make_inst(op, &[], imm, Some(Type::varying(scalar)), SourceLoc::default());
        prologue.push(inst);
        function.insts[inst].expect_result()
    };
    let base = define(function, Opcode::Arg, Scalar::I64, 2);
    let always = define(function, Opcode::Const, Scalar::I1, 1);
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        insts.retain(|&inst| {
            let data = &mut function.insts[inst];
            if !matches!(data.op, Opcode::SlotLoad | Opcode::SlotStore) {
                return true;
            }
            let Some(place) = places[Slot::from_u32(data.imm as u32)] else { return true };
            if data.op == Opcode::SlotStore {
                return false;
            }
            data.op = Opcode::Load;
            data.args = smallvec::smallvec![base, data.args[0], always];
            // Slot offsets are limited where they are computed, in every lane.
            data.imm = MemoryOp::new(Space::Constant).at(place as i32).speculatable().to_imm();
            true
        });
        function.blocks[block].insts = insts;
    }
    let entry = function.entry();
    function.blocks[entry].insts.splice(0..0, prologue);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function in lane form whose slot is filled by `stores` and read at a lane's own place.
    fn tables(stores: &str) -> (bool, Function) {
        let text = format!(
            "shader \"s\" lane lanes=8 scratch=0 frame=0 {{
    slot0: 32
block0:
    v0: i32 = lane_id
    v1: i32 = const 2
    v2: i32 = shl v0, v1
    v3: i32 = const 0
    v4: i32 = const 4
    v5: i32 = const 7
    v6: i32 = const 1065353216
{stores}
    v7: i32 = slot_load slot0, v2
    return 0
}}
"
        );
        let mut function = pyro_ir::parse::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let changed = run(&mut function);
        pyro_ir::verify::verify(&function).unwrap_or_else(|errors| panic!("{errors}"));
        (changed, function)
    }

    #[test]
    fn a_constant_slot_becomes_a_table() {
        let stores = "  slot_store slot0, v3, v5\n  slot_store slot0, v4, v6\n  slot_store slot0, v3, v5";
        let (changed, function) = tables(stores);
        assert!(changed);
        let table = function.constants.clone().expect("there is a table");
        assert_eq!(table[..], [0x3f80_0000_0000_0007, 0, 0, 0]);
        let text = function.to_string();
        assert!(!text.contains("slot_store") && !text.contains("slot_load"), "{text}");
        assert!(text.contains("load.constant"), "{text}");
    }

    #[test]
    fn other_slots_stay() {
        for stores in [
            // Two values at one place, a value or a place that is not constant, overlapping stores.
            "  slot_store slot0, v3, v5\n  slot_store slot0, v3, v4",
            "  slot_store slot0, v3, v0",
            "  slot_store slot0, v2, v5",
        ] {
            assert!(!tables(stores).0, "{stores}");
        }
    }
}
