//! The reference: lane form run lane by lane, with lanes meeting as the block order says.
//!
//! Each lane has a place: its next block, with the iteration counts of the loops around it. The lanes with
//! the least place in execution order run one block together; so lanes of later places wait for them.

use super::{DISPATCH, Memory, SUBGROUP, from_type, pure};
use pyro_ir::{Block, Function, InstData, MemoryOp, Merge, Opcode, Signature, Terminator};

/// Runs a function in lane form; `false` when it takes more than `limit` block visits.
pub fn run(function: &Function, memory: &mut Memory, active: u64, limit: u32) -> bool {
    let lanes = function.lanes as usize;
    let mut values = vec![[0u64; 64]; function.values.len()];
    let mut slots: Vec<Vec<Vec<u8>>> =
        function.slots.values().map(|slot| vec![vec![0; slot.bytes as usize]; lanes]).collect();
    let position = |block: Block| function.block_order.iter().position(|&b| b == block).unwrap();
    // Loops around each position: (header, end).
    let loops: Vec<(usize, usize)> = function
        .block_order
        .iter()
        .enumerate()
        .filter_map(|(index, &block)| match function.blocks[block].merge {
            Some(Merge::Loop { merge, .. }) => Some((index, position(merge))),
            _ => None,
        })
        .collect();
    // A place: header position and iteration for each loop around, then the block's position.
    let mut places: Vec<Option<Vec<usize>>> =
        (0..lanes).map(|lane| (active >> lane & 1 != 0).then(|| enter(&loops, &[], 0))).collect();
    for _ in 0..limit {
        let Some(place) = places.iter().flatten().min().cloned() else { return true };
        let here: Vec<usize> = (0..lanes).filter(|&lane| places[lane].as_ref() == Some(&place)).collect();
        let block = function.block_order[*place.last().unwrap()];
        let data = &function.blocks[block];
        for &inst in &data.insts {
            step(function, &function.insts[inst], &here, &mut values, &mut slots, memory);
        }
        let mut moves = Vec::new();
        for &lane in &here {
            let call = match &data.terminator {
                Terminator::Jump(call) => Some(call),
                Terminator::Branch { condition, then, otherwise } => {
                    Some(if values[condition.as_u32() as usize][lane] != 0 { then } else { otherwise })
                }
                Terminator::Switch { selector, cases, default } => {
                    let bits = values[selector.as_u32() as usize][lane];
                    Some(cases.iter().find(|case| case.0 == bits).map_or(default, |case| &case.1))
                }
                Terminator::Return(_) => None,
                other => panic!("{other:?}"),
            };
            moves.push((lane, call));
        }
        for (lane, call) in moves {
            places[lane] = call.map(|call| {
                let args: Vec<u64> =
                    call.args.iter().map(|arg| values[arg.as_u32() as usize][lane]).collect();
                for (param, bits) in function.blocks[call.block].params.iter().zip(args) {
                    values[param.as_u32() as usize][lane] = bits;
                }
                enter(&loops, &place, position(call.block))
            });
        }
    }
    false
}

/// The place of a lane that goes from `from` to the block at `to`.
fn enter(loops: &[(usize, usize)], from: &[usize], to: usize) -> Vec<usize> {
    let mut place = Vec::new();
    let mut same = true;
    let back = from.last().is_some_and(|&last| to <= last);
    for &(header, end) in loops {
        if !(header..end).contains(&to) {
            continue;
        }
        let depth = place.len();
        let inside = same && from.len() > depth + 1 && from[depth] == header;
        let iteration = match (inside, back && header == to) {
            (true, true) => from[depth + 1] + 1,
            (true, false) => from[depth + 1],
            (false, _) => 0,
        };
        same = inside;
        place.extend([header, iteration]);
    }
    place.push(to);
    place
}

fn step(
    function: &Function,
    data: &InstData,
    here: &[usize],
    values: &mut [[u64; 64]],
    slots: &mut [Vec<Vec<u8>>],
    memory: &mut Memory,
) {
    use Signature as S;
    let arg =
        |values: &[[u64; 64]], index: usize, lane: usize| values[data.args[index].as_u32() as usize][lane];
    let result = data.result.expand();
    let scalar = result.map(|value| function.ty(value).scalar);
    let is_here = |lane: usize| here.contains(&lane);
    // Operations on other lanes see what every lane holds, so compute all results first.
    let mut out: Vec<(usize, u64)> = Vec::new();
    for lane in 0..function.lanes as usize {
        // Pure operations run in every lane; others where lanes are.
        let bits = match data.op.signature() {
            S::Const => data.imm,
            S::Arg => [DISPATCH, SUBGROUP, 0][data.imm as usize],
            S::LaneId => lane as u64,
            S::Active => u64::from(is_here(lane)),
            // Front ends combine the operand with `active`, so lanes elsewhere count as false.
            S::MaskReduce => here.iter().map(|&other| arg(values, 0, other)).max().unwrap(),
            S::MaskToBits => here.iter().fold(0, |bits, &other| bits | arg(values, 0, other) << other),
            S::MaskFromBits => arg(values, 0, lane) >> lane & 1,
            S::LaneRead | S::Shuffle => {
                arg(values, 0, (arg(values, 1, lane) % u64::from(function.lanes)) as usize)
            }
            S::Effect | S::Call | S::SlotCall => return,
            S::Load => {
                if !is_here(lane) || arg(values, 2, lane) == 0 {
                    0
                } else {
                    memory.load(address(data, values, lane), scalar.unwrap())
                }
            }
            S::Store => {
                if is_here(lane) && arg(values, 3, lane) != 0 {
                    let at = address(data, values, lane);
                    memory.store(at, function.ty(data.args[2]).scalar, arg(values, 2, lane));
                }
                continue;
            }
            S::Atomic => {
                if !is_here(lane) || arg(values, 3, lane) == 0 {
                    0
                } else {
                    let (at, scalar) = (address(data, values, lane), scalar.unwrap());
                    let old = memory.load(at, scalar);
                    let new = match data.op {
                        Opcode::AtomicAdd => old.wrapping_add(arg(values, 2, lane)),
                        Opcode::AtomicExchange => arg(values, 2, lane),
                        other => panic!("{other:?}"),
                    };
                    memory.store(at, scalar, new);
                    old
                }
            }
            S::SlotLoad | S::SlotStore => {
                if !is_here(lane) {
                    continue;
                }
                let at = arg(values, 0, lane) as usize;
                let slot = &mut slots[data.imm as usize][lane];
                if data.op == Opcode::SlotStore {
                    let size = function.ty(data.args[1]).scalar.bytes() as usize;
                    slot[at..at + size].copy_from_slice(&arg(values, 1, lane).to_le_bytes()[..size]);
                    continue;
                }
                let size = scalar.unwrap().bytes() as usize;
                slot[at..at + size].iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
            }
            _ => {
                let args: Vec<u64> = (0..data.args.len()).map(|index| arg(values, index, lane)).collect();
                pure(data.op, from_type(function, &data.args), scalar.unwrap(), &args)
            }
        };
        out.push((lane, bits));
    }
    if let Some(result) = result {
        for (lane, bits) in out {
            // A lane that is elsewhere keeps its own.
            if is_here(lane) {
                values[result.as_u32() as usize][lane] = bits;
            }
        }
    }
}

fn address(data: &InstData, values: &[[u64; 64]], lane: usize) -> u64 {
    let displacement = MemoryOp::from_imm(data.imm).displacement;
    values[data.args[0].as_u32() as usize][lane]
        .wrapping_add(values[data.args[1].as_u32() as usize][lane])
        .wrapping_add(displacement as i64 as u64)
}
