//! The end of legalization: registers get their final names, and dead instructions are removed.

use super::Legalizer;
use crate::machine::inst::{BlockData, RmSlot};
use crate::machine::{AddressBase, Code, Inst, Kind};
use regalloc2::{Operand, OperandKind, VReg};

/// Where a register comes from.
#[derive(Clone, Copy)]
enum Origin {
    None,
    Inst(u32),
    Param(u32, u32),
}

/// Whether an instruction does nothing but give its one result.
fn is_removable(kind: &Kind, operands: &[Operand]) -> bool {
    let results = operands.iter().filter(|operand| operand.kind() == OperandKind::Def).count();
    results == 1
        && match kind {
            Kind::Imm(_) | Kind::ShiftImm(..) | Kind::Alu(..) | Kind::AluImm(..) => true,
            Kind::Vector(inst) => match inst.rm {
                RmSlot::Reg(_) => true,
                RmSlot::Mem(address) => matches!(address.base, AddressBase::Pool(_) | AddressBase::Frame),
            },
            _ => false,
        }
}

impl Legalizer<'_> {
    /// The finished code.
    pub(super) fn finish(mut self) -> Code {
        self.rename();
        let live = self.live();
        let Legalizer { new: code, .. } = self;
        remove_dead(code, &live)
    }

    fn rename(&mut self) {
        for register in 0..self.replaced.len() {
            if let Some(by) = self.replaced[register] {
                self.replaced[register] = Some(self.known(by));
            }
        }
        let replaced = &self.replaced;
        let name = |register: VReg| match replaced.get(register.vreg()) {
            Some(&Some(by)) => by,
            _ => register,
        };
        for operand in &mut self.new.operands {
            let by = name(operand.vreg());
            if by != operand.vreg() {
                *operand = Operand::new(by, operand.constraint(), operand.kind(), operand.pos());
            }
        }
        for block in &mut self.new.blocks {
            for arguments in &mut block.arguments {
                for argument in arguments {
                    *argument = name(*argument);
                }
            }
        }
    }

    /// Which registers are needed, from what cannot be removed backwards.
    fn live(&self) -> Vec<bool> {
        let code = &self.new;
        let mut origins = vec![Origin::None; code.vreg_count];
        let mut incoming: Vec<Vec<(u32, u32)>> = vec![Vec::new(); code.blocks.len()];
        let operands_of = |inst: &Inst| &code.operands[inst.start as usize..inst.end as usize];
        let mut live = vec![false; code.vreg_count];
        let mut work: Vec<VReg> = Vec::new();
        let need = |register: VReg, live: &mut Vec<bool>, work: &mut Vec<VReg>| {
            if !std::mem::replace(&mut live[register.vreg()], true) {
                work.push(register);
            }
        };
        for (number, block) in code.blocks.iter().enumerate() {
            for (index, param) in block.params.iter().enumerate() {
                origins[param.vreg()] = Origin::Param(number as u32, index as u32);
            }
            for (index, successor) in block.successors.iter().enumerate() {
                incoming[successor.index()].push((number as u32, index as u32));
            }
        }
        for (number, inst) in code.insts.iter().enumerate() {
            let operands = operands_of(inst);
            let removable = is_removable(&inst.kind, operands);
            for operand in operands {
                if operand.kind() == OperandKind::Def {
                    origins[operand.vreg().vreg()] = Origin::Inst(number as u32);
                }
                if !removable {
                    need(operand.vreg(), &mut live, &mut work);
                }
            }
        }
        while let Some(register) = work.pop() {
            match origins[register.vreg()] {
                Origin::None => {}
                Origin::Inst(number) => {
                    for operand in operands_of(&code.insts[number as usize]) {
                        need(operand.vreg(), &mut live, &mut work);
                    }
                }
                Origin::Param(block, index) => {
                    for &(from, successor) in &incoming[block as usize] {
                        let arguments = &code.blocks[from as usize].arguments[successor as usize];
                        need(arguments[index as usize], &mut live, &mut work);
                    }
                }
            }
        }
        live
    }
}

/// The code without instructions and parameters that give nothing live.
fn remove_dead(code: Code, live: &[bool]) -> Code {
    let mut kept = Code {
        blocks: Vec::with_capacity(code.blocks.len()),
        insts: Vec::with_capacity(code.insts.len()),
        operands: Vec::with_capacity(code.operands.len()),
        ..code
    };
    let (insts, operands, blocks) = (code.insts, code.operands, code.blocks);
    for block in &blocks {
        let start = kept.insts.len() as u32;
        for inst in &insts[block.start as usize..block.end as usize] {
            let own = &operands[inst.start as usize..inst.end as usize];
            let needed = own
                .iter()
                .filter(|operand| operand.kind() == OperandKind::Def)
                .any(|operand| live[operand.vreg().vreg()]);
            if needed || !is_removable(&inst.kind, own) {
                kept.push(inst.kind.clone(), own, inst.loc);
            }
        }
        let end = kept.insts.len() as u32;
        let params = block.params.iter().copied().filter(|param| live[param.vreg()]).collect();
        let arguments = block
            .successors
            .iter()
            .zip(&block.arguments)
            .map(|(successor, arguments)| {
                let params = &blocks[successor.index()].params;
                let pairs = params.iter().zip(arguments);
                pairs.filter(|(param, _)| live[param.vreg()]).map(|(_, &argument)| argument).collect()
            })
            .collect();
        kept.blocks.push(BlockData { start, end, params, arguments, ..block.clone() });
    }
    kept
}
