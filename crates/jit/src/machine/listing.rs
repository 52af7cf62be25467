//! Machine code as text, before and after register allocation.
//!
//! ```text
//! block1(%v7, %g8): loop
//!   %v12 = vpaddd.512 %v7 %v9
//!   %v13 = vmulps.512 %v12 [pool+64]{broadcast}
//!   store 32 %g4, [%g2+%g5*4+16]
//!   jump block2(%v12)
//! ```
//!
//! What is defined stands first, then the instruction with its operands in the order of [`Kind`]. After
//! allocation registers have their names in assembly, and the moves that allocation added stand where they
//! are emitted.

use super::inst::{Address, AddressBase, Code, GENERAL, Kind, MASK, NONE, RmSlot, Slot, VECTOR, Vector};
use crate::asm::{Len, Rounding, op};
use crate::cpu::Level;
use regalloc2::{Allocation, Block, Edit, InstOrEdit, OperandKind, Output, VReg};
use std::fmt;

/// Machine code at some step; its text is made when it is displayed.
#[derive(Clone, Copy)]
pub struct Listing<'a> {
    code: &'a Code,
    output: Option<&'a Output>,
}

impl<'a> Listing<'a> {
    /// Code over virtual registers.
    pub(crate) fn virtual_registers(code: &'a Code) -> Listing<'a> {
        Listing { code, output: None }
    }

    /// Code with its registers.
    pub(crate) fn allocated(code: &'a Code, output: &'a Output) -> Listing<'a> {
        Listing { code, output: Some(output) }
    }

    fn inst(&self, f: &mut fmt::Formatter<'_>, block: Block, index: regalloc2::Inst) -> fmt::Result {
        let inst = &self.code.insts[index.index()];
        let operands = &self.code.operands[inst.start as usize..inst.end as usize];
        let name = |slot: Slot| match self.output {
            Some(output) => allocation(output.inst_allocs(index)[usize::from(slot)], self.code.level),
            None => {
                operands.get(usize::from(slot)).map_or("?".to_owned(), |operand| register(operand.vreg()))
            }
        };
        let is_def = |slot: &usize| operands[*slot].kind() == OperandKind::Def;
        let list = |slots: Vec<usize>| {
            slots.into_iter().map(|slot| name(slot as Slot)).collect::<Vec<_>>().join(", ")
        };
        let defs = list((0..operands.len()).filter(is_def).collect());
        let equals = if defs.is_empty() { "" } else { " = " };
        write!(f, "  {defs}{equals}")?;
        match &inst.kind {
            Kind::Vector(vector) => write_vector(f, vector, &name)?,
            Kind::Load(bits, address) => write!(f, "load {bits} {}", memory(*address, &name))?,
            Kind::Store(bits, address) => {
                write!(f, "store {bits} {}, {}", name(0), memory(*address, &name))?;
            }
            Kind::FetchAdd { bits, address, .. } => {
                write!(f, "fetch-add {bits} {}, {}", name(1), memory(*address, &name))?;
            }
            Kind::VectorLoad(bytes, address) => write!(f, "load vector {bytes} {}", memory(*address, &name))?,
            Kind::VectorStore(bytes, address) => {
                write!(f, "store vector {bytes} {}, {}", name(0), memory(*address, &name))?;
            }
            Kind::Neon(encoded) => {
                let uses = list((0..operands.len()).filter(|slot| !is_def(slot)).collect());
                write!(f, "{encoded:?} {uses}")?;
            }
            Kind::Lea(size, address) => write!(f, "lea {size:?} {}", memory(*address, &name))?,
            Kind::Prefetch(address) => write!(f, "prefetch {}", memory(*address, &name))?,
            Kind::Jump(_) | Kind::Branch(..) | Kind::BranchCompare(..) | Kind::BranchCompareImm(..) => {
                let text = format!("{:?}", inst.kind);
                let uses = list((0..operands.len()).collect());
                write!(f, "{} {uses}", text.split('(').next().unwrap_or(&text).to_lowercase())?;
                if let Kind::BranchCompare(condition, size, ..) = inst.kind {
                    write!(f, " {condition:?} {size:?}")?;
                }
                if let Kind::BranchCompareImm(condition, size, value, ..) = inst.kind {
                    write!(f, " {condition:?} {size:?} {value}")?;
                }
                let data = &self.code.blocks[block.index()];
                for (to, arguments) in data.successors.iter().zip(&data.arguments) {
                    let arguments: Vec<String> = arguments.iter().copied().map(register).collect();
                    write!(f, " block{}({})", to.index(), arguments.join(", "))?;
                }
            }
            other => {
                let uses = list((0..operands.len()).filter(|slot| !is_def(slot)).collect());
                write!(f, "{other:?} {uses}")?;
            }
        }
        writeln!(f)
    }
}

impl fmt::Debug for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, data) in self.code.blocks.iter().enumerate() {
            let params: Vec<String> = data.params.iter().copied().map(register).collect();
            let is_loop = if data.is_loop { " loop" } else { "" };
            writeln!(f, "block{index}({}):{is_loop}", params.join(", "))?;
            let block = Block::new(index);
            match self.output {
                None => {
                    for inst in data.start..data.end {
                        self.inst(f, block, regalloc2::Inst::new(inst as usize))?;
                    }
                }
                Some(output) => {
                    for step in output.block_insts_and_edits(self.code, block) {
                        match step {
                            InstOrEdit::Inst(inst) => self.inst(f, block, inst)?,
                            InstOrEdit::Edit(Edit::Move { from, to }) => {
                                let name = |place: Allocation| allocation(place, self.code.level);
                                writeln!(f, "  {} = move {}", name(*to), name(*from))?;
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// A virtual register: `v` vectors and `k` masks as in assembly, `g` general ones.
fn register(register: VReg) -> String {
    let class = match register.class() {
        GENERAL => 'g',
        VECTOR => 'v',
        MASK => 'k',
    };
    format!("%{class}{}", register.vreg())
}

/// A register or a spill slot.
fn allocation(place: Allocation, level: Level) -> String {
    const GENERALS: [&str; 16] = [
        "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
        "r14", "r15",
    ];
    if let Some(slot) = place.as_stack() {
        return format!("spill{}", slot.index());
    }
    match place.as_reg() {
        Some(register) if register.class() == GENERAL && level == Level::Neon => {
            format!("x{}", register.hw_enc())
        }
        Some(register) if register.class() == GENERAL => GENERALS[register.hw_enc()].to_owned(),
        Some(register) if register.class() == VECTOR => format!("v{}", register.hw_enc()),
        Some(register) => format!("k{}", register.hw_enc()),
        None => "none".to_owned(),
    }
}

fn memory(address: Address, name: &dyn Fn(Slot) -> String) -> String {
    let mut text = match address.base {
        AddressBase::Operand(slot) => name(slot),
        AddressBase::Frame => "frame".to_owned(),
        AddressBase::Pool(constant) => format!("pool{constant}"),
    };
    if address.index != NONE {
        text += &format!("+{}*{}", name(address.index), 1 << address.shift);
    }
    if address.displacement != 0 {
        text += &format!("{:+}", address.displacement);
    }
    format!("[{text}]")
}

fn write_vector(f: &mut fmt::Formatter<'_>, vector: &Vector, name: &dyn Fn(Slot) -> String) -> fmt::Result {
    let row = op::name(vector.op).unwrap_or("?").to_lowercase();
    let bits = match vector.len {
        Len::X => 128,
        Len::Y => 256,
        Len::Z => 512,
    };
    write!(f, "{row}.{bits}")?;
    if vector.reg == NONE {
        write!(f, "/{}", vector.extension)?;
    } else if vector.reg != 0 {
        write!(f, " {}", name(vector.reg))?;
    }
    if vector.vvvv != NONE && vector.vvvv != 0 {
        write!(f, " {}", name(vector.vvvv))?;
    }
    match vector.rm {
        RmSlot::Reg(0) => {}
        RmSlot::Reg(slot) => write!(f, " {}", name(slot))?,
        RmSlot::Mem(address) => write!(f, " {}", memory(address, name))?,
    }
    if vector.broadcast {
        f.write_str("{broadcast}")?;
    }
    if vector.fourth != NONE {
        write!(f, " {}", name(vector.fourth))?;
    }
    if let Some(imm) = vector.imm {
        write!(f, " {imm:#x}")?;
    }
    if vector.mask != NONE {
        write!(f, " mask {}{}", name(vector.mask), if vector.zero { "{z}" } else { "" })?;
    }
    if vector.rounding == Rounding::TowardZero {
        f.write_str(" {rz}")?;
    }
    Ok(())
}
