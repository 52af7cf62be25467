//! Whether an entry point writes a built-in output.

use pyro_interface::pipeline::PipelineStage;
use pyro_spirv::facts::is_access_chain;
use pyro_spirv::spirv::{BuiltIn, Op, StorageClass};
use pyro_spirv::{FunctionIndex, Id, Instruction};
use std::collections::BTreeSet;

/// What is known of writes to a built-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// No instruction writes it.
    Never,
    /// An instruction may, such as a call that is given a pointer to it, or a store to a whole block.
    Perhaps,
    /// An instruction of the call tree writes just it.
    Yes,
}

/// The instructions of an entry point's call tree.
pub(super) fn code<'a>(stage: &PipelineStage<'a>) -> Vec<Instruction<'a>> {
    let module = stage.module();
    let mut seen = BTreeSet::new();
    let mut pending: Vec<FunctionIndex> = module.function_of(stage.interface.function).into_iter().collect();
    let mut found = Vec::new();
    while let Some(function) = pending.pop() {
        if !seen.insert(function.as_u32()) {
            continue;
        }
        found.extend(module.function(function).blocks().flat_map(|block| module.body(block)));
        pending.extend(module.callees(function).filter_map(|id| module.function_of(id)));
    }
    found
}

/// Whether an entry point writes a built-in.
pub(super) fn written(stage: &PipelineStage<'_>, built_in: BuiltIn) -> Written {
    let outputs = stage.interface.built_ins.iter();
    let outputs: Vec<_> = outputs
        .filter(|found| (found.built_in, found.class) == (built_in, StorageClass::Output))
        .map(|found| (found.variable, found.member))
        .collect();
    if outputs.is_empty() {
        return Written::Never;
    }
    let module = stage.module();
    // An initializer writes too.
    let has_initializer = |id: Id| module.global(id).is_some_and(|variable| variable.initializer.is_some());
    let mut found = Written::Never;
    if outputs.iter().any(|(variable, _)| has_initializer(*variable)) {
        found = Written::Perhaps;
    }
    let target = |pointer: Id| target(stage, &outputs, pointer);
    for inst in code(stage) {
        let at = match inst.op() {
            Op::Store | Op::CopyMemory | Op::CopyMemorySized => inst.get_id(0).map_or(Written::Never, target),
            Op::FunctionCall => {
                let is_given = inst.ids_from(1).iter().any(|id| target(id) != Written::Never);
                if is_given { Written::Perhaps } else { Written::Never }
            }
            _ => Written::Never,
        };
        match at {
            Written::Yes => return Written::Yes,
            Written::Perhaps => found = Written::Perhaps,
            Written::Never => {}
        }
    }
    found
}

/// Whether a pointer is to one of some outputs: surely, or to a block that holds it.
fn target(stage: &PipelineStage<'_>, outputs: &[(Id, Option<u32>)], pointer: Id) -> Written {
    let module = stage.module();
    let mut indices = Vec::new();
    let mut base = pointer;
    while let Some(chain) = module.definition(base) {
        match chain.op() {
            op if is_access_chain(op) => {
                let mut own: Vec<Id> = chain.ids_from(1).iter().collect();
                own.append(&mut indices);
                indices = own;
            }
            Op::CopyObject => {}
            _ => break,
        }
        match chain.get_id(0) {
            Some(next) => base = next,
            None => break,
        }
    }
    let Some((_, member)) = outputs.iter().find(|(variable, _)| *variable == base) else {
        return Written::Never;
    };
    let Some(member) = member else { return Written::Yes };
    // The block may lie in an array, of one element for each vertex.
    let is_array = module
        .global(base)
        .and_then(|variable| variable.value_type)
        .is_some_and(|ty| matches!(module.ty(ty), pyro_spirv::Type::Array { .. }));
    match indices.get(usize::from(is_array)) {
        None => Written::Perhaps,
        Some(index) if stage.constants.unsigned(*index) == Some(*member) => Written::Yes,
        Some(_) => Written::Never,
    }
}
