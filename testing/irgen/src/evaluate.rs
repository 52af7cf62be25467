//! A plain evaluator of mask form: no decoding, no tricks, one lane after the other, every memory access
//! checked. It exists to be compared with, so it follows the words of the IR's documentation.

use crate::run::{Arena, Image, Region};
use pyro_abi::Exit;
use pyro_ir::{
    Block, BlockCall, Function, InstData, MemoryOp, Opcode, Scalar, Signature, Terminator, Value, eval,
};
use pyro_util::SecondaryMap;

struct Evaluator<'f> {
    function: &'f Function,
    /// Each value's lanes; one for uniform values.
    values: SecondaryMap<Value, Vec<u64>>,
    memory: Vec<(u64, Vec<u8>)>,
    args: [u64; 2],
}

/// Runs a function on a copy of an arena's image, and gives what it left.
///
/// # Errors
/// When it accesses anything else, does something that [`crate::generate()`] does not make, or runs for more
/// than `step_limit` instructions.
pub fn evaluate(function: &Function, arena: &Arena, step_limit: u64) -> Result<(Exit, Image), String> {
    let mut evaluator =
        Evaluator { function, values: SecondaryMap::new(), memory: arena.memory(), args: arena.args() };
    let exit = evaluator.run(step_limit)?;
    let mut after = arena.image().clone();
    for (region, (_, bytes)) in after.regions.iter_mut().zip(&evaluator.memory) {
        for (word, bytes) in region.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        }
    }
    Ok((exit, after))
}

impl Evaluator<'_> {
    fn run(&mut self, step_limit: u64) -> Result<Exit, String> {
        let function = self.function;
        let mut block = function.entry();
        let mut steps = 0;
        loop {
            for &inst in &function.blocks[block].insts {
                let data = &function.insts[inst];
                self.inst(data)
                    .map_err(|error| format!("{error} in `{}`", pyro_ir::print::inst_text(function, inst)))?;
            }
            steps += function.blocks[block].insts.len() as u64 + 1;
            if steps > step_limit {
                return Err(format!("no end after {step_limit} steps"));
            }
            block = match &function.blocks[block].terminator {
                Terminator::Jump(call) => self.take(call),
                Terminator::Branch { condition, then, otherwise } => {
                    self.take(if self.values[*condition][0] != 0 { then } else { otherwise })
                }
                Terminator::Switch { selector, cases, default } => {
                    let selector = self.values[*selector][0];
                    let case = cases.iter().find(|case| case.0 == selector);
                    self.take(case.map_or(default, |case| &case.1))
                }
                Terminator::Return(code) => {
                    return Exit::from_code(*code).ok_or_else(|| format!("exit code {code}"));
                }
                Terminator::Unreachable | Terminator::None => return Err(format!("{block} is the end")),
            };
        }
    }

    fn take(&mut self, call: &BlockCall) -> Block {
        let args: Vec<Vec<u64>> = call.args.iter().map(|&arg| self.values[arg].clone()).collect();
        for (&param, arg) in self.function.blocks[call.block].params.iter().zip(args) {
            self.values[param] = arg;
        }
        call.block
    }

    /// The bytes at an address, among the first `regions`.
    fn bytes(&mut self, address: u64, count: u32, regions: usize) -> Result<&mut [u8], String> {
        for (start, bytes) in &mut self.memory[..regions] {
            let offset = address.wrapping_sub(*start);
            if offset < bytes.len() as u64 {
                let offset = offset as usize;
                let range = offset..offset + count as usize;
                return bytes.get_mut(range).ok_or_else(|| format!("{address:#x} runs past its region"));
            }
        }
        Err(format!("{address:#x} is in no region"))
    }

    fn load(&mut self, address: u64, scalar: Scalar) -> Result<u64, String> {
        let bytes = self.bytes(address, scalar.bytes(), self.memory.len())?;
        Ok(bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
    }

    fn store(&mut self, address: u64, scalar: Scalar, bits: u64) -> Result<(), String> {
        let bytes = self.bytes(address, scalar.bytes(), Region::ALL.len())?;
        bytes.copy_from_slice(&bits.to_le_bytes()[..scalar.bytes() as usize]);
        Ok(())
    }

    /// A value's bits in a lane.
    fn lane(&self, value: Value, lane: usize) -> u64 {
        let lanes = &self.values[value];
        if lanes.len() == 1 { lanes[0] } else { lanes[lane] }
    }

    fn inst(&mut self, data: &InstData) -> Result<(), String> {
        let function = self.function;
        let lanes = function.lanes as usize;
        let result = data.result.expand();
        let ty = result.map(|value| function.ty(value));
        let count = if ty.is_some_and(|ty| ty.is_uniform()) { 1 } else { lanes };
        let scalar = ty.map_or(Scalar::I1, |ty| ty.scalar);
        let arg = |index: usize| data.args[index];
        let number = |value: Value| {
            self.values[value].iter().enumerate().fold(0, |bits, (lane, &set)| bits | set << lane)
        };
        let results: Vec<u64> = match data.op.signature() {
            Signature::Const => vec![data.imm],
            Signature::Arg => vec![self.args[data.imm as usize]],
            Signature::LaneId => (0..lanes as u64).collect(),
            Signature::Splat => vec![self.lane(arg(0), 0); lanes],
            Signature::MaskReduce => vec![(number(arg(0)) != 0).into()],
            Signature::MaskToBits => vec![number(arg(0))],
            Signature::MaskFromBits => {
                let bits = self.lane(arg(0), 0);
                (0..lanes).map(|lane| bits >> lane & 1).collect()
            }
            Signature::LaneRead => {
                let from = self.lane(arg(1), 0) as usize % lanes;
                vec![self.lane(arg(0), from)]
            }
            Signature::Shuffle => {
                let from = |lane| self.lane(arg(1), lane) as usize % lanes;
                (0..lanes).map(|lane| self.lane(arg(0), from(lane))).collect()
            }
            Signature::Effect if data.op == Opcode::Fence => vec![],
            _ if data.op.is_memory() => self.memory_inst(data, scalar)?,
            _ => {
                let from = function.ty(arg(data.args.len().checked_sub(1).ok_or("not generated")?)).scalar;
                let lane = |lane: usize| {
                    let args: Vec<u64> = data.args.iter().map(|&arg| self.lane(arg, lane)).collect();
                    eval::pure(data.op, from, scalar, &args, data.imm).ok_or("not generated")
                };
                (0..count).map(lane).collect::<Result<_, _>>()?
            }
        };
        if let Some(result) = result {
            self.values[result] = results;
        }
        Ok(())
    }

    fn memory_inst(&mut self, data: &InstData, scalar: Scalar) -> Result<Vec<u64>, String> {
        let function = self.function;
        let predicate = data.args[data.args.len() - 1];
        let count = if function.ty(predicate).is_uniform() { 1 } else { function.lanes as usize };
        let displacement = i64::from(MemoryOp::from_imm(data.imm).displacement) as u64;
        let mut results = vec![0; count];
        for (lane, result) in results.iter_mut().enumerate() {
            if self.lane(predicate, lane) == 0 {
                continue;
            }
            let [base, offset] = [0, 1].map(|index| self.lane(data.args[index], lane));
            let address = base.wrapping_add(offset).wrapping_add(displacement);
            if data.op == Opcode::Store {
                let value = self.lane(data.args[2], lane);
                self.store(address, function.ty(data.args[2]).scalar, value)?;
                continue;
            }
            *result = self.load(address, scalar)?;
            if data.op == Opcode::Load {
                continue;
            }
            if address % u64::from(scalar.bytes()) != 0 {
                return Err(format!("{address:#x} is not aligned"));
            }
            let value = self.lane(data.args[data.args.len() - 2], lane);
            let new = match data.op {
                Opcode::AtomicCompareExchange if *result != self.lane(data.args[2], lane) => *result,
                Opcode::AtomicCompareExchange => value,
                op => eval::atomic(op, scalar, *result, value).ok_or("not generated")?,
            };
            self.store(address, scalar, new)?;
        }
        Ok(results)
    }
}
