//! Components of vectors that lie side by side in memory: whole registers are moved and taken apart, instead of one
//! gather or scatter for each component.
//!
//! Of lanes with a stride of two, three or four words, component `c` of lane `i` is word `i * words + c`. So as
//! many registers as there are words hold all of it, one behind the other.

use super::address::{Pattern, Use};
use super::vector::{Memory, Source, Spec};
use super::{Registers, Selector};
use crate::asm::op::{
    KMOVQ_TO, PDEP64, VINSERTF64X4, VMOVDQU32, VMOVDQU32_STORE, VMOVUPS, VMOVUPS_STORE, VPERMI2D,
};
use crate::asm::{Len, Size};
use crate::cpu::Level;
use crate::machine::Kind;
use crate::machine::inst::{GENERAL, MASK};
use pyro_ir::{Effect, Inst, MemoryOp, Opcode, Scalar, Space, Type, Value};
use regalloc2::{Operand, VReg};
use std::collections::HashMap;

/// Lanes of the registers that this is written for.
const LANES: u32 = 16;

/// Accesses that happen together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Words from one lane to the next.
    pub words: u32,
    /// Displacement of the first component.
    displacement: i32,
    /// The access of each component.
    pub members: [Option<Inst>; 4],
}

/// Where an access stands that belongs to a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The whole group happens here.
    Here(usize),
    /// It happens elsewhere.
    Elsewhere,
}

/// What accesses of one group have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    base: Value,
    offset: Value,
    predicate: Value,
    space: u8,
    is_store: bool,
}

/// A group that may still grow.
struct Open {
    words: u32,
    members: Vec<(i32, Inst)>,
}

impl Selector<'_> {
    /// Finds the groups of a block.
    pub(super) fn find_interleaved(&mut self, insts: &[Inst]) {
        let short = self.features.level == Level::Avx2 && self.lanes == 8;
        if self.lanes != LANES && !short {
            return;
        }
        let function = self.function;
        let mut open: HashMap<Key, Open> = HashMap::new();
        for &inst in insts {
            let data = &function.insts[inst];
            let effect = data.op.effect();
            let member = self.component(inst);
            // What may touch the same memory ends the groups that it must keep its place against.
            let conflicts = |key: &Key, writes: bool| {
                let same = match effect {
                    Effect::Barrier => true,
                    Effect::Read | Effect::Write => {
                        MemoryOp::from_imm(data.imm).space as u8 == key.space && (writes || key.is_store)
                    }
                    _ => false,
                };
                same && member.is_none_or(|(own, _)| own != *key)
            };
            let writes = matches!(effect, Effect::Write | Effect::Barrier);
            if matches!(effect, Effect::Read | Effect::Write | Effect::Barrier) {
                let closed: Vec<Key> = open.keys().copied().filter(|key| conflicts(key, writes)).collect();
                for key in closed {
                    let group = open.remove(&key).expect("it is there");
                    self.close(&group, key.is_store);
                }
            }
            if let Some((key, words)) = member {
                let place = MemoryOp::from_imm(data.imm).displacement;
                let group = open.entry(key).or_insert_with(|| Open { words, members: Vec::new() });
                group.members.push((place, inst));
            }
        }
        for (key, group) in open {
            self.close(&group, key.is_store);
        }
    }

    /// Whether an access may belong to a group, and how many words apart its lanes are.
    fn component(&self, inst: Inst) -> Option<(Key, u32)> {
        let data = &self.function.insts[inst];
        let (value, is_store) = match data.op {
            Opcode::Load => (data.result.expand()?, false),
            Opcode::Store => (data.args[2], true),
            _ => return None,
        };
        let (base, offset) = (data.args[0], data.args[1]);
        let predicate = data.args[data.args.len() - 1];
        let memory = MemoryOp::from_imm(data.imm);
        let ty = self.ty(value);
        let fits = ty.is_varying()
            && ty.scalar.bits() == 32
            && !memory.volatile
            && (is_store || self.uses[value] > 0)
            && self.ty(base).is_uniform()
            && self.ty(offset) == Type::varying(Scalar::I32);
        let stride = fits.then(|| self.stride(offset))??;
        let words = matches!(stride, 8 | 12 | 16).then_some(stride / 4)?;
        Some((Key { base, offset, predicate, space: memory.space as u8, is_store }, words))
    }

    /// Makes groups of the accesses that were found: runs of components within one stride.
    fn close(&mut self, open: &Open, is_store: bool) {
        let mut members = open.members.clone();
        members.sort_by_key(|&(place, _)| place);
        let span = open.words as i32 * 4;
        // A store further away than the stride may hit what another one of the next lane hits: order matters.
        let (first, last) = (members[0].0, members[members.len() - 1].0);
        if is_store && last >= first.saturating_add(span) {
            return;
        }
        let mut rest = members.as_slice();
        while let Some(&(first, _)) = rest.first() {
            let mut group = Group { words: open.words, displacement: first, members: [None; 4] };
            let mut insts: Vec<Inst> = Vec::new();
            // At least the first itself, also at the greatest displacement.
            let end = i64::from(first) + i64::from(span);
            let len = rest.iter().take_while(|&&(place, _)| i64::from(place) < end).count();
            let mut sound = true;
            for &(place, inst) in &rest[..len] {
                let component = (place - first) as usize;
                sound &= component.is_multiple_of(4) && group.members[component / 4].is_none();
                if sound {
                    group.members[component / 4] = Some(inst);
                    insts.push(inst);
                }
            }
            rest = &rest[len..];
            if !sound || insts.len() < 2 {
                continue;
            }
            // In the order of the program: loads happen at the first, stores at the last.
            let order = |inst: &Inst| open.members.iter().position(|(_, other)| other == inst);
            insts.sort_by_key(order);
            let here = if is_store { *insts.last().expect("two at least") } else { insts[0] };
            let number = self.groups.len();
            self.groups.push(group);
            for inst in insts {
                self.roles.insert(inst, if inst == here { Role::Here(number) } else { Role::Elsewhere });
            }
        }
    }

    /// Does the accesses of a group.
    pub(super) fn interleaved(&mut self, group: usize) {
        let group = self.groups[group].clone();
        let first = group.members.iter().flatten().next().copied().expect("groups have members");
        let data = self.function.insts[first].clone();
        let op = MemoryOp::from_imm(data.imm).at(group.displacement);
        let Pattern::Strided(memory, _) =
            self.pattern(data.args[0], data.args[1], op, Scalar::I32, Use::Lanes)
        else {
            unreachable!("the stride is known");
        };
        let predicate = data.args[data.args.len() - 1];
        if self.features.level == Level::Avx2 {
            return match data.op {
                Opcode::Load => self.load_interleaved_avx2(&group, memory, op.space, predicate),
                _ => self.store_interleaved_avx2(&group, memory, predicate),
            };
        }
        let full = (0..group.words as usize).all(|word| group.members[word].is_some());
        let masks = match self.constant(predicate) {
            Some(1) if full => None,
            _ => Some(self.word_masks(predicate, &group)),
        };
        if data.op == Opcode::Load {
            self.load_interleaved(&group, memory, op.space, masks.as_ref());
        } else {
            self.store_interleaved(&group, memory, masks.as_ref());
        }
    }

    /// For each register of words, the mask of those that are accessed.
    fn word_masks(&mut self, predicate: Value, group: &Group) -> Registers {
        let lanes = match self.constant(predicate) {
            Some(1) => self.imm(0xffff),
            _ => {
                let mask = self.one(predicate);
                self.mask_bits(mask)
            }
        };
        // A lane's bit goes to its first word, and from there to each component that is a member.
        let spread: u64 = (0..LANES).map(|lane| 1u64 << (lane * group.words)).sum();
        let components: u64 =
            (0..4).filter(|&word| group.members[word].is_some()).map(|word| 1u64 << word).sum();
        let spread = self.imm(spread);
        let first = self.vector(Spec::binary(PDEP64, Len::X, lanes, spread).class(GENERAL));
        let words = self.general();
        let operands = [Operand::reg_def(words), Operand::reg_use(first)];
        self.push(Kind::ImulImm(Size::S64, components as i32), &operands);
        let all = self.vector(Spec::unary(KMOVQ_TO, Len::X, words).class(MASK));
        (0..group.words).map(|register| self.mask_piece(all, register, LANES)).collect()
    }

    fn load_interleaved(&mut self, group: &Group, memory: Memory, space: Space, masks: Option<&Registers>) {
        let words: Vec<VReg> = (0..group.words as usize)
            .map(|register| {
                let memory = memory.plus(register as i32 * 64);
                let source = Source::Memory(memory);
                match masks {
                    None => self.v1(VMOVUPS, Len::Z, source),
                    Some(masks) => {
                        self.announce(memory, space);
                        self.vector(Spec::unary(VMOVDQU32, Len::Z, source).zeroing(masks[register]))
                    }
                }
            })
            .collect();
        for (component, member) in group.members.iter().enumerate() {
            let Some(inst) = *member else { continue };
            let result = self.function.insts[inst].result.unwrap();
            let from = |lane: u32| lane * group.words + component as u32;
            let register = self.pick(&words, from);
            self.define(result, [register]);
        }
    }

    fn store_interleaved(&mut self, group: &Group, memory: Memory, masks: Option<&Registers>) {
        let members: Vec<Option<VReg>> = group
            .members
            .iter()
            .map(|member| member.map(|inst| self.used(self.function.insts[inst].args[2])[0]))
            .collect();
        let any = members.iter().flatten().next().copied().expect("groups have members");
        let values: Vec<VReg> =
            members[..group.words as usize].iter().map(|value| value.unwrap_or(any)).collect();
        for register in 0..group.words {
            // Word `w` of this register is component `w % words` of lane `w / words`.
            let from = |word: u32| {
                let word = register * LANES + word;
                word % group.words * LANES + word / group.words
            };
            let value = self.pick(&values, from);
            let to = memory.plus(register as i32 * 64);
            match masks {
                None => self.store_vector(VMOVUPS_STORE, Len::Z, value, to, None),
                Some(masks) => {
                    let mask = masks[register as usize];
                    self.store_vector(VMOVDQU32_STORE, Len::Z, value, to, Some(mask));
                }
            }
        }
    }

    /// One register whose word `w` is word `from(w)` of two to four registers, counted through.
    fn pick(&mut self, registers: &[VReg], from: impl Fn(u32) -> u32) -> VReg {
        let index = |this: &mut Self, of: &dyn Fn(u32) -> u32| {
            let bytes: Vec<u8> = (0..LANES).flat_map(|word| of(word).to_le_bytes()).collect();
            let source = this.pool_vector(&bytes);
            this.v1(VMOVUPS, Len::Z, source)
        };
        let pair = |this: &mut Self, index: VReg, low: VReg, high: VReg| {
            this.vector(Spec::binary(VPERMI2D, Len::Z, low, high).tied(index))
        };
        if let &[low, high] = registers {
            let index = index(self, &from);
            return pair(self, index, low, high);
        }
        // The first two registers give what they have; what the others have goes over it.
        let first = index(self, &|word| from(word) % 32);
        let low = pair(self, first, registers[0], registers[1]);
        let second = index(self, &|word| from(word).saturating_sub(32) % 32);
        let high = pair(self, second, registers[2], *registers.get(3).unwrap_or(&registers[2]));
        let upper: Vec<bool> = (0..LANES).map(|word| from(word) >= 32).collect();
        if upper[..8].iter().all(|&upper| !upper) && upper[8..].iter().all(|&upper| upper) {
            let tail = self.extract(high, 32, 32);
            return self.vector(Spec::binary(VINSERTF64X4, Len::Z, low, tail).imm(1));
        }
        let bits = (0..LANES as usize).filter(|&word| upper[word]).map(|word| 1u64 << word).sum();
        let bits = self.imm(bits);
        let mask = self.mask_from_bits(bits);
        self.vector(Spec::binary(crate::asm::op::VPBLENDMD, Len::Z, low, high).masked(mask))
    }
}
