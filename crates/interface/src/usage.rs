//! Static use: which module-scope variables an entry point's call tree names.

use pyro_spirv::{Id, Inst, Module};
use std::collections::BTreeSet;

/// The module-scope variables that an instruction in the call tree of `function` names, initializers of these
/// included.
///
/// Today's meaning of static use adds the variables that the entry point lists; the meaning of Vulkan 1.1's time
/// counts only variables that a memory or image instruction reaches, which differs for variables that are
/// named and then not accessed.
pub fn used_globals(module: &Module, function: Id) -> BTreeSet<Id> {
    let mut used = BTreeSet::new();
    let mut seen = vec![false; module.functions().len()];
    let mut pending: Vec<_> = module.function_of(function).into_iter().collect();
    while let Some(function) = pending.pop() {
        if std::mem::replace(&mut seen[function.as_u32() as usize], true) {
            continue;
        }
        let range = module.function(function).inst.as_u32()..module.function(function).end.as_u32();
        for index in range {
            let inst = module.inst(Inst::from_u32(index));
            if inst.ext_inst().is_some_and(|(set, _)| set.is_non_semantic()) {
                continue;
            }
            used.extend(inst.id_operands().filter(|&id| module.global(id).is_some()));
        }
        pending.extend(module.callees(function).filter_map(|id| module.function_of(id)));
    }
    let mut initializers: Vec<Id> = used.iter().copied().collect();
    while let Some(id) = initializers.pop() {
        let initializer = module.global(id).and_then(|variable| variable.initializer);
        let variable = initializer.filter(|&id| module.global(id).is_some());
        initializers.extend(variable.filter(|&id| used.insert(id)));
    }
    used
}
