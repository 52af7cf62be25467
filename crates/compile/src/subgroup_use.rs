//! Whether a shader can tell how its invocations are cut into subgroups.
//!
//! Compilers of WGSL declare what subgroups need wherever a program may use them, and pass the lane's number
//! and the subgroup's size from the entry point to the main function whether it reads them or not. So it
//! counts what instructions use:
//!
//! * an instruction on groups or subgroups, the scope of a subgroup, and capabilities for what follows from
//!   subgroups (quads, warps, cooperative matrices) show them;
//! * a built-in input of subgroups shows them where what is loaded from it is used, other than as an argument
//!   that the callee does not use.
//!
//! Each instruction is looked at once. Functions that nobody calls count, too.

use pyro_spirv::grammar::OperandKind;
use pyro_spirv::spirv::{BuiltIn, Decoration, Op, Scope};
use pyro_spirv::{Id, Instruction, Module};

/// Prefixes of capabilities for what follows from the size of subgroups.
const CAPABILITIES: [&str; 6] =
    ["Cooperative", "ComputeDerivative", "DerivativeGroup", "Quad", "ShaderSMBuiltins", "CoreBuiltins"];

/// Whether a shader of the module can tell.
pub(crate) fn sees_subgroups(module: &Module) -> bool {
    let shows = |capability: &_| {
        let name = format!("{capability:?}");
        CAPABILITIES.iter().any(|prefix| name.starts_with(prefix))
    };
    if module.capabilities().iter().any(shows) {
        return true;
    }
    // Nothing else is there without a capability of these.
    let may_see = |capability: &_| {
        let name = format!("{capability:?}");
        name.starts_with("Group") || name.starts_with("Subgroup")
    };
    let has_barriers = || module.insts().any(|inst| has_subgroup_scope(module, inst));
    if !module.capabilities().iter().any(may_see) {
        return has_barriers();
    }
    Uses::of(module).is_none_or(|uses| uses.are_read(module))
}

/// Who uses the built-in inputs.
struct Uses {
    /// By id: whether an instruction uses it that is neither a load, nor a call, nor without effect.
    is_read: Vec<bool>,
    /// Results of loads, and the pointers.
    loads: Vec<(Id, Id)>,
    /// Arguments of calls, sorted, and the parameters.
    arguments: Vec<(Id, Id)>,
    /// The inputs.
    inputs: Vec<Id>,
}

impl Uses {
    /// None where other instructions already show the subgroups.
    fn of(module: &Module) -> Option<Uses> {
        let is_read = vec![false; module.bound()];
        let mut uses = Uses { is_read, loads: Vec::new(), arguments: Vec::new(), inputs: Vec::new() };
        for inst in module.insts() {
            let op = inst.op();
            match op {
                Op::Decorate if is_subgroup_built_in(inst, 1) => uses.inputs.push(inst.id(0)),
                Op::MemberDecorate if is_subgroup_built_in(inst, 2) => return None,
                Op::EntryPoint | Op::Name | Op::Decorate | Op::MemberDecorate => {}
                Op::Load => uses.loads.push((inst.id(0), inst.result().expect("a load has a result"))),
                Op::FunctionCall => {
                    let function = module.function_of(inst.id(0))?;
                    let parameters = module.parameters(function).filter_map(Instruction::result);
                    uses.arguments.extend(inst.id_operands().skip(1).zip(parameters));
                }
                _ => {
                    if is_group_operation(op) || has_subgroup_scope(module, inst) {
                        return None;
                    }
                    for id in inst.id_operands() {
                        uses.is_read[id.as_u32() as usize] = true;
                    }
                }
            }
        }
        uses.loads.sort_unstable();
        uses.arguments.sort_unstable();
        Some(uses)
    }

    /// Whether an instruction reads one.
    fn are_read(&self, module: &Module) -> bool {
        let mut is_followed = vec![false; module.bound()];
        let mut left = self.inputs.clone();
        while let Some(id) = left.pop() {
            if std::mem::replace(&mut is_followed[id.as_u32() as usize], true) {
                continue;
            }
            if self.is_read[id.as_u32() as usize] {
                return true;
            }
            for list in [&self.loads, &self.arguments] {
                let start = list.partition_point(|&(from, _)| from < id);
                left.extend(list[start..].iter().take_while(|&&(from, _)| from == id).map(|&(_, to)| to));
            }
        }
        false
    }
}

/// Whether a decoration, whose kind is at a position, is a built-in of subgroups.
fn is_subgroup_built_in(inst: Instruction<'_>, position: usize) -> bool {
    inst.word(position) == Decoration::BuiltIn as u32
        && BuiltIn::from_u32(inst.word(position + 1))
            .is_none_or(|built_in| format!("{built_in:?}").contains("Subgroup"))
}

/// Whether an instruction is of those on groups, all of which are numbered behind the control flow's.
fn is_group_operation(op: Op) -> bool {
    (op as u32) > Op::Unreachable as u32 && {
        let name = format!("{op:?}");
        name.starts_with("Group") || name.starts_with("Subgroup")
    }
}

/// Whether an instruction takes the scope of a subgroup, or one that is not known.
fn has_subgroup_scope(module: &Module, inst: Instruction<'_>) -> bool {
    if !inst.info().operands.iter().any(|operand| operand.kind == OperandKind::IdScope) {
        return false;
    }
    let is_wider = |id: Id| {
        let constant = module.definition(id).filter(|inst| inst.op() == Op::Constant);
        constant.is_some_and(|inst| inst.word(0) != Scope::Subgroup as u32)
    };
    inst.operands().any(|operand| operand.kind == OperandKind::IdScope && !operand.id().is_some_and(is_wider))
}
