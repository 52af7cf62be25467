//! Large functions in regions, each with a register allocation of its own.
//!
//! Problem: the time and memory that register allocation takes for an instruction grow with the function,
//! since its tables leave the caches.
//!
//! Approach: the blocks, in their order, are cut into regions of some thousand instructions. No value lives
//! in a register from one region to another: what others use is stored to a place on the stack right behind
//! its definition, and each block of theirs that uses it loads it. Arguments for a block of another region
//! are stored before the jump, which goes to an *entry block* that loads them. So a region is a function of
//! its own for the allocator; its first block stands for all that jumps to its entry blocks.
//!
//! Loops smaller than a region are not cut, so what they load again in each iteration is little beside what
//! they do.
//!
//! The time that allocation takes also grows with the values that live at once, each of which may be weighed
//! against all others. So functions where many live at once have smaller regions, and blocks with many
//! parameters take all of them from the stack, wherever they are jumped to from.

use super::emit::EmitError;
use super::inst::{
    Address, AddressBase, BlockData, Code, GENERAL, Inst, Kind, MASK, NONE, RmSlot, VECTOR, Vector,
};
use super::stack_slots::StackSlots;
use crate::asm::op::{KMOVQ, KMOVQ_STORE, VMOVAPS, VMOVAPS_STORE};
use crate::cpu::Level;
use pyro_abi::KERNEL_STACK_BYTES_MAX;
use pyro_ir::SourceLoc;
use pyro_util::ancestors::immediate_dominators;
use regalloc2::{Block, Operand, OperandKind, Output, ProgPoint, VReg};

/// The size of a region: about so many instructions.
pub const REGION_SIZE: usize = 4096;

/// How many values live at once, by an estimate, in functions whose regions are smaller.
const CROWDED_VALUE_COUNT: usize = 384;

/// The most instructions of a region of such functions.
const CROWDED_REGION_SIZE: usize = 512;

/// A block with more parameters than a region has instructions divided by this takes them from the stack.
const INSTRUCTIONS_PER_PARAM: usize = 64;

/// A block, or a part of a long one.
#[derive(Clone, Copy)]
struct Unit {
    block: u32,
    start: u32,
    end: u32,
}

/// Cuts `code` into regions of about `size` instructions; where it is smaller than two or cannot be cut,
/// there is one.
///
/// # Errors
/// [`EmitError::FrameTooLarge`] when what lives between regions does not fit the stack.
pub fn run(code: Code, size: usize) -> Result<Vec<Code>, EmitError> {
    let is_crowded =
        code.insts.len() >= 2 * CROWDED_REGION_SIZE && live_count_max(&code) > CROWDED_VALUE_COUNT;
    let size = if is_crowded { size.min(CROWDED_REGION_SIZE) } else { size };
    if code.insts.len() < 2 * size.max(1) {
        return Ok(vec![code]);
    }
    let (units, first_unit) = units(&code, size.max(1));
    let starts = cuts(&code, &units, &first_unit, size);
    if starts.len() < 2 {
        return Ok(vec![code]);
    }
    let splitter = Splitter::new(&code, units, first_unit, starts, size / INSTRUCTIONS_PER_PARAM);
    if splitter.frame_bytes > KERNEL_STACK_BYTES_MAX {
        return Err(EmitError::FrameTooLarge(splitter.frame_bytes));
    }
    Ok(splitter.run())
}

/// How many values live at once, as if each lived from where it is first named to where it is last named.
fn live_count_max(code: &Code) -> usize {
    let mut last = vec![0u32; code.vreg_count];
    let mut named = vec![0i32; code.insts.len() + 1];
    let mut first = vec![u32::MAX; code.vreg_count];
    let mut note = |value: VReg, at: u32| {
        let index = value.vreg();
        first[index] = first[index].min(at);
        last[index] = last[index].max(at);
    };
    for block in &code.blocks {
        block.params.iter().for_each(|&param| note(param, block.start));
        for at in block.start..block.end {
            let inst = &code.insts[at as usize];
            let operands = &code.operands[inst.start as usize..inst.end as usize];
            operands.iter().for_each(|operand| note(operand.vreg(), at));
        }
        block.arguments.iter().flatten().for_each(|&value| note(value, block.end - 1));
    }
    for (&first, &last) in first.iter().zip(&last).filter(|(first, _)| **first != u32::MAX) {
        named[first as usize] += 1;
        named[last as usize + 1] -= 1;
    }
    let (mut live, mut most) = (0, 0);
    for change in named {
        live += change;
        most = most.max(live);
    }
    most as usize
}

/// One function again of regions and their allocations. Its blocks have no edges any more, only its
/// instructions have.
pub fn join(regions: Vec<Code>, outputs: Vec<Output>) -> (Code, Output) {
    let mut pairs = regions.into_iter().zip(outputs);
    let (mut code, mut output) = pairs.next().expect("a region at least");
    for (mut region, found) in pairs {
        let (insts, operands) = (code.insts.len() as u32, code.operands.len() as u32);
        code.blocks.extend(region.blocks.into_iter().map(|block| BlockData {
            start: block.start + insts,
            end: block.end + insts,
            is_loop: block.is_loop,
            ..BlockData::default()
        }));
        code.insts.extend(region.insts.into_iter().map(|inst| Inst {
            start: inst.start + operands,
            end: inst.end + operands,
            ..inst
        }));
        code.operands.append(&mut region.operands);
        let allocs = output.allocs.len() as u32;
        output.inst_alloc_offsets.extend(found.inst_alloc_offsets.into_iter().map(|offset| offset + allocs));
        output.allocs.extend(found.allocs);
        let shifted = |point: ProgPoint| {
            let inst = regalloc2::Inst::new(point.inst().index() + insts as usize);
            ProgPoint::new(inst, point.pos())
        };
        output.edits.extend(found.edits.into_iter().map(|(point, edit)| (shifted(point), edit)));
        // What one region spills is gone in the next.
        output.num_spillslots = output.num_spillslots.max(found.num_spillslots);
    }
    (code, output)
}

/// The blocks, long ones in parts; and the first unit of each block, with one more at the end.
fn units(code: &Code, size: usize) -> (Vec<Unit>, Vec<u32>) {
    let (mut units, mut first_unit) = (Vec::new(), Vec::new());
    for (block, data) in (0..).zip(&code.blocks) {
        first_unit.push(units.len() as u32);
        let mut start = data.start;
        while (data.end - start) as usize > size + size / 2 {
            units.push(Unit { block, start, end: start + size as u32 });
            start += size as u32;
        }
        units.push(Unit { block, start, end: data.end });
    }
    first_unit.push(units.len() as u32);
    (units, first_unit)
}

/// The units that regions start with.
fn cuts(code: &Code, units: &[Unit], first_unit: &[u32], size: usize) -> Vec<u32> {
    // For each unit the last that goes back to it.
    let mut back = vec![0u32; units.len()];
    for (block, data) in code.blocks.iter().enumerate() {
        let last = first_unit[block + 1] - 1;
        for to in data.successors.iter().map(|to| first_unit[to.index()]).filter(|&to| to <= last) {
            back[to as usize] = back[to as usize].max(last);
        }
    }
    let insts = |from: u32, to: u32| (units[to as usize].end - units[from as usize].start) as usize;
    let mut starts = vec![0u32];
    // Headers of the small loops that the unit at hand is in.
    let mut open: Vec<u32> = Vec::new();
    for unit in 1..units.len() as u32 {
        let (before, start) = (unit - 1, starts[starts.len() - 1]);
        if back[before as usize] >= unit && insts(before, back[before as usize]) < size {
            open.push(before);
        }
        open.retain(|&header| back[header as usize] >= unit);
        if open.is_empty() && insts(start, before) >= size {
            starts.push(unit);
        }
    }
    starts
}

/// No place on the stack.
const NOWHERE: i32 = -1;
/// No region, no block.
const NO_BLOCK: u32 = u32::MAX;

struct Splitter<'c> {
    code: &'c Code,
    units: Vec<Unit>,
    first_unit: Vec<u32>,
    /// The units that regions start with, and one more at the end.
    starts: Vec<u32>,
    /// The region of each unit.
    region: Vec<u32>,
    /// The number of the block that each unit starts, or is in.
    number: Vec<u32>,
    /// The number of the block that other regions go to in order to come to each unit.
    entry: Vec<Option<u32>>,
    /// The number of each region's first block.
    first: Vec<u32>,
    /// Blocks that dominate one where their region is entered: what they define is not there on that way.
    passed_by: Vec<bool>,
    /// The region that defines each value; and the block, where others in the region may not rely on it.
    defined: Vec<(u32, Option<u32>)>,
    /// Where on the stack each value is that several regions use.
    homes: Vec<i32>,
    /// Where the arguments are for the parameters of blocks that other regions go to.
    arguments: Vec<Vec<i32>>,
    /// Blocks that take their parameters from the stack.
    in_memory: Vec<bool>,
    frame_bytes: u32,
    /// For each value its number in a region, and that region; for one of another region, the block that
    /// loaded it.
    local: Vec<(u32, u32)>,
}

impl<'c> Splitter<'c> {
    fn new(
        code: &'c Code,
        units: Vec<Unit>,
        first_unit: Vec<u32>,
        mut starts: Vec<u32>,
        param_count_max: usize,
    ) -> Splitter<'c> {
        starts.push(units.len() as u32);
        let mut splitter = Splitter {
            code,
            region: Vec::with_capacity(units.len()),
            number: Vec::with_capacity(units.len()),
            entry: vec![None; units.len()],
            first: Vec::new(),
            passed_by: vec![false; code.blocks.len()],
            defined: vec![(NO_BLOCK, None); code.vreg_count],
            homes: vec![NOWHERE; code.vreg_count],
            arguments: vec![Vec::new(); code.blocks.len()],
            in_memory: code.blocks.iter().map(|block| block.params.len() > param_count_max).collect(),
            frame_bytes: code.frame_bytes.next_multiple_of(64),
            local: vec![(u32::MAX, 0); code.vreg_count],
            units,
            first_unit,
            starts,
        };
        splitter.find_entries();
        splitter.find_passed_by();
        splitter.number_blocks();
        splitter.find_homes();
        splitter
    }

    /// Finds the units that are entered from other regions, or as if they were.
    fn find_entries(&mut self) {
        for (region, range) in (0..).zip(self.starts.windows(2)) {
            self.region.extend((range[0]..range[1]).map(|_| region));
        }
        for (block, &in_memory) in self.in_memory.iter().enumerate() {
            if in_memory {
                self.entry[self.first_unit[block] as usize] = Some(0);
            }
        }
        for unit in 0..self.units.len() {
            if !self.is_last(unit as u32) {
                if self.region[unit] != self.region[unit + 1] {
                    self.entry[unit + 1] = Some(0);
                }
                continue;
            }
            for to in &self.code.blocks[self.units[unit].block as usize].successors {
                let to = self.first_unit[to.index()] as usize;
                if self.region[unit] != self.region[to] {
                    self.entry[to] = Some(0);
                }
            }
        }
    }

    fn find_passed_by(&mut self) {
        let code = self.code;
        let idom = immediate_dominators(code.blocks.len(), |block| {
            code.blocks[block as usize].predecessors.iter().map(|pred| pred.index() as u32)
        });
        for unit in 0..self.units.len() {
            if self.entry[unit].is_none() || !self.is_first(unit as u32) {
                continue;
            }
            let mut block = self.units[unit].block;
            while block > 0 {
                block = match idom[block as usize] {
                    NO_BLOCK => 0,
                    above => above,
                };
                // A block that ends in the region may start in one before.
                let end = self.first_unit[block as usize + 1] as usize - 1;
                if self.region[end] != self.region[unit] || self.passed_by[block as usize] {
                    break;
                }
                self.passed_by[block as usize] = true;
            }
        }
    }

    /// Gives blocks their numbers: in each region the first block, those where it is entered, those of the
    /// code.
    fn number_blocks(&mut self) {
        let mut next = 0;
        for range in self.starts.clone().windows(2) {
            self.first.push(next);
            next += 1;
            // Those that enter come before those that are entered: the allocation's check wants such an
            // order.
            for entry in self.entry[range[0] as usize..range[1] as usize].iter_mut().flatten() {
                *entry = next;
                next += 1;
            }
            for unit in range[0]..range[1] {
                next += u32::from(unit == range[0] || self.is_first(unit));
                self.number.push(next - 1);
            }
        }
    }

    /// Whether an edge from `region` to a block stays in the region, with its arguments in registers.
    fn is_inside(&self, region: u32, block: u32) -> bool {
        self.region[self.first_unit[block as usize] as usize] == region && !self.in_memory[block as usize]
    }

    /// Whether a unit is the first of its block.
    fn is_first(&self, unit: u32) -> bool {
        self.first_unit[self.units[unit as usize].block as usize] == unit
    }

    /// Whether a unit is the last of its block.
    fn is_last(&self, unit: u32) -> bool {
        self.first_unit[self.units[unit as usize].block as usize + 1] == unit + 1
    }

    /// Bytes on the stack.
    fn bytes(&self, value: VReg) -> u32 {
        if value.class() == VECTOR { self.code.vector_len().bytes() } else { 8 }
    }

    /// Finds what crosses regions, and gives it places on the stack.
    fn find_homes(&mut self) {
        let code = self.code;
        let mut slots = StackSlots::default();
        for (unit, &Unit { block, start, end }) in self.units.iter().enumerate() {
            let region = self.region[unit];
            let here = (region, self.passed_by[block as usize].then_some(self.number[unit]));
            if self.is_first(unit as u32) {
                let params = &code.blocks[block as usize].params;
                let here = if self.in_memory[block as usize] { (region, Some(NO_BLOCK)) } else { here };
                params.iter().for_each(|param| self.defined[param.vreg()] = here);
                if self.entry[unit].is_some() {
                    let requests =
                        params.iter().map(|&param| slots.request(self.bytes(param), region) as i32);
                    self.arguments[block as usize] = requests.collect();
                }
            }
            for inst in &code.insts[start as usize..end as usize] {
                for operand in &code.operands[inst.start as usize..inst.end as usize] {
                    if operand.kind() == OperandKind::Def {
                        self.defined[operand.vreg().vreg()] = here;
                    }
                }
            }
        }
        let mut loop_end: Vec<u32> = (0..self.first.len() as u32).collect();
        for unit in 0..self.units.len() {
            let Unit { block, start, end } = self.units[unit];
            for inst in &code.insts[start as usize..end as usize] {
                for operand in &code.operands[inst.start as usize..inst.end as usize] {
                    if operand.kind() == OperandKind::Use {
                        self.note_use(&mut slots, unit, operand.vreg());
                    }
                }
            }
            if !self.is_last(unit as u32) {
                continue;
            }
            let (data, region) = (&code.blocks[block as usize], self.region[unit]);
            data.arguments.iter().flatten().for_each(|&value| self.note_use(&mut slots, unit, value));
            for to in data.successors.iter().map(|to| to.index()) {
                let target = self.first_unit[to] as usize;
                if target <= unit {
                    let end = &mut loop_end[self.region[target] as usize];
                    *end = region.max(*end);
                }
                if !self.is_inside(region, to as u32) {
                    self.arguments[to].iter().for_each(|&request| slots.extend(request as u32, region));
                }
            }
        }
        let (offsets, end) = slots.assign(self.frame_bytes, &loop_end);
        let requests = self.arguments.iter_mut().flatten().chain(&mut self.homes);
        for place in requests.filter(|place| **place != NOWHERE) {
            *place = offsets[*place as usize] as i32;
        }
        self.frame_bytes = end;
    }

    fn note_use(&mut self, slots: &mut StackSlots, unit: usize, value: VReg) {
        let region = self.region[unit];
        if self.is_own(value, region, self.number[unit]) {
            return;
        }
        let bytes = self.bytes(value);
        let home = &mut self.homes[value.vreg()];
        if *home == NOWHERE {
            // What nothing defines is never run.
            let (defined, _) = self.defined[value.vreg()];
            *home = slots.request(bytes, if defined == NO_BLOCK { region } else { defined }) as i32;
        }
        slots.extend(*home as u32, region);
    }

    /// Whether a value is in a register where this block of this region uses it.
    fn is_own(&self, value: VReg, region: u32, number: u32) -> bool {
        let (at, only) = self.defined[value.vreg()];
        at == region && only.is_none_or(|only| only == number)
    }

    fn run(mut self) -> Vec<Code> {
        (0..self.first.len() as u32).map(|region| self.make(region)).collect()
    }

    /// The number of the block that is made.
    fn number_made(&self, out: &Code, region: u32) -> u32 {
        self.first[region as usize] + out.blocks.len() as u32 - 1
    }

    /// A value that the block that is made defines.
    fn define(&mut self, out: &mut Code, region: u32, value: VReg) -> VReg {
        let (_, only) = self.defined[value.vreg()];
        let own = out.vreg(value.class());
        self.local[value.vreg()] = (only.map_or(region, |only| !only), own.vreg() as u32);
        own
    }

    /// A value that the block that is made uses; where it is not in a register there, it is loaded, once in
    /// each block.
    fn value(&mut self, out: &mut Code, region: u32, value: VReg) -> VReg {
        let index = value.vreg();
        let number = self.number_made(out, region);
        let is_own = self.is_own(value, region, number);
        // Blocks are counted from the other end.
        let scope = if is_own && self.defined[index].1.is_none() { region } else { !number };
        if self.local[index].0 != scope {
            let own = out.vreg(value.class());
            self.local[index] = (scope, own.vreg() as u32);
            if !is_own {
                load(out, own, self.homes[index]);
            }
        }
        VReg::new(self.local[index].1 as usize, value.class())
    }

    fn make(&mut self, region: u32) -> Code {
        let code = self.code;
        let mut out = Code { level: code.level, frame_bytes: self.frame_bytes, ..Code::default() };
        let range = self.starts[region as usize]..self.starts[region as usize + 1];
        self.make_first(&mut out, region);
        for unit in range.clone() {
            if self.entry[unit as usize].is_some() {
                self.make_entry(&mut out, region, unit);
            }
        }
        for unit in range.clone() {
            let Unit { block, start, end } = self.units[unit as usize];
            let data = &code.blocks[block as usize];
            if unit == range.start || self.is_first(unit) {
                out.blocks.push(BlockData { start: out.insts.len() as u32, ..BlockData::default() });
            }
            if self.is_first(unit) && self.in_memory[block as usize] {
                out.blocks.last_mut().expect("a block was made").is_loop = data.is_loop;
            } else if self.is_first(unit) {
                let params: Vec<VReg> =
                    data.params.iter().map(|&param| self.define(&mut out, region, param)).collect();
                let made = out.blocks.last_mut().expect("a block was made");
                made.is_loop = data.is_loop;
                made.params.clone_from(&params);
                for (&param, &own) in data.params.iter().zip(&params) {
                    self.store_home(&mut out, param, own);
                }
            }
            for index in start..end {
                let inst = &code.insts[index as usize];
                if inst.kind.is_branch() {
                    self.leave(&mut out, region, data);
                }
                self.copy(&mut out, region, inst);
            }
            if !self.is_last(unit) && unit + 1 == range.end {
                let next = self.entry[unit as usize + 1].expect("it is entered from here");
                out.push(Kind::Jump(next), &[], SourceLoc::default());
            }
            let count = out.insts.len() as u32;
            out.blocks.last_mut().expect("a block was made").end = count;
        }
        connect(&mut out);
        out
    }

    /// The region's first block. Nothing jumps there but the function's caller.
    fn make_first(&self, out: &mut Code, region: u32) {
        let first = self.first[region as usize];
        let range = self.starts[region as usize] as usize..self.starts[region as usize + 1] as usize;
        let entered = self.number[range.start];
        let function_entry = (region == 0).then_some(entered - first);
        let entries = self.entry[range].iter().flatten().map(|entry| entry - first);
        let successors: Vec<Block> =
            function_entry.into_iter().chain(entries).map(|block| Block::new(block as usize)).collect();
        out.push(Kind::Jump(entered), &[], SourceLoc::default());
        let arguments = vec![Vec::new(); successors.len()];
        out.blocks.push(BlockData { end: 1, successors, arguments, ..BlockData::default() });
    }

    /// The block through which other regions come to a unit: loads its arguments.
    fn make_entry(&self, out: &mut Code, region: u32, unit: u32) {
        let start = out.insts.len() as u32;
        let mut arguments = Vec::new();
        if self.is_first(unit) {
            let block = self.units[unit as usize].block as usize;
            for (&param, &at) in self.code.blocks[block].params.iter().zip(&self.arguments[block]) {
                if self.in_memory[block] && self.homes[param.vreg()] == NOWHERE {
                    continue;
                }
                let value = out.vreg(param.class());
                load(out, value, at);
                if self.in_memory[block] {
                    self.store_home(out, param, value);
                } else {
                    arguments.push(value);
                }
            }
        }
        let number = self.number[unit as usize];
        out.push(Kind::Jump(number), &[], SourceLoc::default());
        out.blocks.push(BlockData {
            start,
            end: out.insts.len() as u32,
            successors: vec![Block::new((number - self.first[region as usize]) as usize)],
            arguments: vec![arguments],
            ..BlockData::default()
        });
    }

    /// Before a block's last instruction: arguments for other regions are stored, those for its own are
    /// entered.
    fn leave(&mut self, out: &mut Code, region: u32, data: &BlockData) {
        for (to, arguments) in data.successors.iter().zip(&data.arguments) {
            let block = to.index() as u32;
            if self.is_inside(region, block) {
                let arguments: Vec<VReg> =
                    arguments.iter().map(|&argument| self.value(out, region, argument)).collect();
                let number =
                    self.number[self.first_unit[block as usize] as usize] - self.first[region as usize];
                let made = out.blocks.last_mut().expect("a block was made");
                made.successors.push(Block::new(number as usize));
                made.arguments.push(arguments);
            } else {
                for (index, &argument) in arguments.iter().enumerate() {
                    let value = self.value(out, region, argument);
                    store(out, value, self.arguments[block as usize][index]);
                }
            }
        }
    }

    /// Copies an instruction, and stores what it defines for other regions.
    fn copy(&mut self, out: &mut Code, region: u32, inst: &Inst) {
        let operands = &self.code.operands[inst.start as usize..inst.end as usize];
        let own: super::Operands = operands
            .iter()
            .map(|operand| {
                let value = match operand.kind() {
                    OperandKind::Def => self.define(out, region, operand.vreg()),
                    OperandKind::Use => self.value(out, region, operand.vreg()),
                };
                Operand::new(value, operand.constraint(), operand.kind(), operand.pos())
            })
            .collect();
        let to = |block: u32| {
            let unit = self.first_unit[block as usize] as usize;
            if self.is_inside(region, block) {
                self.number[unit]
            } else {
                self.entry[unit].expect("it is entered from here")
            }
        };
        let kind = match inst.kind {
            Kind::Jump(a) => Kind::Jump(to(a)),
            Kind::Branch(a, b) => Kind::Branch(to(a), to(b)),
            Kind::BranchCompare(condition, size, a, b) => Kind::BranchCompare(condition, size, to(a), to(b)),
            Kind::BranchCompareImm(condition, size, value, a, b) => {
                Kind::BranchCompareImm(condition, size, value, to(a), to(b))
            }
            ref other => other.clone(),
        };
        out.push(kind, &own, inst.loc);
        for (operand, own) in operands.iter().zip(&own) {
            if operand.kind() == OperandKind::Def {
                self.store_home(out, operand.vreg(), own.vreg());
            }
        }
    }

    fn store_home(&self, out: &mut Code, value: VReg, own: VReg) {
        let home = self.homes[value.vreg()];
        if home != NOWHERE {
            store(out, own, home);
        }
    }
}

/// Enters the predecessors.
fn connect(out: &mut Code) {
    for block in 0..out.blocks.len() {
        for index in 0..out.blocks[block].successors.len() {
            let to = out.blocks[block].successors[index].index();
            out.blocks[to].predecessors.push(Block::new(block));
        }
    }
}

fn address(at: i32) -> Address {
    Address { base: AddressBase::Frame, index: NONE, shift: 0, displacement: at }
}

/// Loads a value from its place.
fn load(out: &mut Code, value: VReg, at: i32) {
    let vector = |op, len| Kind::Vector(Vector::new(op, len, 0, NONE, RmSlot::Mem(address(at))));
    let len = out.vector_len();
    let kind = match value.class() {
        GENERAL => Kind::Load(64, address(at)),
        VECTOR if out.level == Level::Neon => Kind::VectorLoad(16, address(at)),
        VECTOR => vector(VMOVAPS, len),
        MASK => vector(KMOVQ, len),
    };
    out.push(kind, &[Operand::reg_def(value)], SourceLoc::default());
}

/// Stores a value to its place.
fn store(out: &mut Code, value: VReg, at: i32) {
    let vector = |op, len| Kind::Vector(Vector::new(op, len, 0, NONE, RmSlot::Mem(address(at))));
    let len = out.vector_len();
    let kind = match value.class() {
        GENERAL => Kind::Store(64, address(at)),
        VECTOR if out.level == Level::Neon => Kind::VectorStore(16, address(at)),
        VECTOR => vector(VMOVAPS_STORE, len),
        MASK => vector(KMOVQ_STORE, len),
    };
    out.push(kind, &[Operand::reg_use(value)], SourceLoc::default());
}
