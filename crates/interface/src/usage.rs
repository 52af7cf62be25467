//! Static use: which module-scope variables an entry point's call tree names, and which it reaches.

use pyro_spirv::facts::facts;
use pyro_spirv::spirv::{Capability, Decoration, Op};
use pyro_spirv::{Id, Module};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The module-scope variables that an instruction in the call tree of `function` names, initializers of these
/// included.
///
/// Today's meaning of static use adds the variables that the entry point lists; [`accessed_globals`] is the
/// meaning of Vulkan 1.1's time.
pub fn used_globals(module: &Module, function: Id) -> BTreeSet<Id> {
    let mut used = BTreeSet::new();
    module.each_in_call_tree(function, |inst| {
        if !inst.ext_inst().is_some_and(|(set, _)| set.is_non_semantic()) {
            used.extend(inst.id_operands().filter(|&id| module.global(id).is_some()));
        }
    });
    let mut initializers: Vec<Id> = used.iter().copied().collect();
    while let Some(id) = initializers.pop() {
        let initializer = module.global(id).and_then(|variable| variable.initializer);
        let variable = initializer.filter(|&id| module.global(id).is_some());
        initializers.extend(variable.filter(|&id| used.insert(id)));
    }
    used
}

/// Which variables values come from.
struct Origins<'m> {
    module: &'m Module,
    /// What is passed for a parameter, by any call of the tree.
    arguments: HashMap<Id, Vec<Id>>,
}

impl<'m> Origins<'m> {
    fn new(module: &'m Module, function: Id) -> Self {
        let mut arguments: HashMap<Id, Vec<Id>> = HashMap::new();
        module.each_in_call_tree(function, |inst| {
            let callee = (inst.op() == Op::FunctionCall).then(|| inst.get_id(0)).flatten();
            let Some(callee) = callee.and_then(|id| module.function_of(id)) else { return };
            for (parameter, argument) in module.parameters(callee).zip(inst.ids_from(1).iter()) {
                if let Some(parameter) = parameter.result() {
                    arguments.entry(parameter).or_default().push(argument);
                }
            }
        });
        Origins { module, arguments }
    }

    /// Adds the module-scope variables that pointers, images and samplers come from.
    fn trace(&self, pending: Vec<Id>, seen: &mut HashSet<Id>, into: &mut BTreeSet<Id>) {
        let mut pending = pending;
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            if self.module.global(id).is_some() {
                into.insert(id);
                continue;
            }
            let Some(inst) = self.module.definition(id) else { continue };
            match inst.op() {
                Op::FunctionParameter => pending.extend(self.arguments.get(&id).into_iter().flatten()),
                Op::CopyObject | Op::CopyLogical | Op::Load | Op::Image | Op::ImageTexelPointer => {
                    pending.push(inst.id(0));
                }
                Op::SampledImage | Op::Select | Op::Phi => pending.extend(inst.id_operands()),
                _ => pending.extend(inst.chain_base()),
            }
        }
    }
}

/// The module-scope variables that a memory or image instruction in the call tree of `function` reaches:
/// through chains, copies, selections and calls. This was the meaning of static use up to Vulkan 1.1;
/// variables that are named and then not accessed are not among them. Inputs and outputs were judged by the
/// entry point's list.
pub fn accessed_globals(module: &Module, function: Id) -> BTreeSet<Id> {
    let origins = Origins::new(module, function);
    let (mut seen, mut found) = (HashSet::new(), BTreeSet::new());
    module.each_in_call_tree(function, |inst| {
        if facts(inst.op()).accesses() {
            origins.trace(inst.id_operands().collect(), &mut seen, &mut found);
        }
    });
    found
}

/// The module-scope variables that a value decorated `NonUniform` comes from: their resources may differ
/// between invocations.
pub(crate) fn non_uniform_globals(module: &Module, function: Id) -> BTreeSet<Id> {
    let mut found = BTreeSet::new();
    // What the decoration needs.
    if !module.has_capability(Capability::ShaderNonUniform) {
        return found;
    }
    let mut marked = Vec::new();
    module.each_in_call_tree(function, |inst| {
        marked.extend(inst.result().filter(|id| module.has_decoration(*id, Decoration::NonUniform)));
    });
    if !marked.is_empty() {
        Origins::new(module, function).trace(marked, &mut HashSet::new(), &mut found);
    }
    found
}
