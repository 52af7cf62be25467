//! Entry points, signatures and calls (SPIR-V, 2.16.1 and 3.49.9).

use crate::context::{Context, Verdict, ensure};
use pyro_spirv::spirv::{Op, StorageClass};
use pyro_spirv::{EntryPoint, FunctionIndex, Id, Inst, Type};

/// Entry points name functions without parameters and result, and list variables.
pub(crate) fn entry_points(cx: &Context<'_, '_>) {
    let mut names: Vec<(u32, &[u32], Inst)> = Vec::new();
    for entry in cx.module.entry_points() {
        if cx.is_full() {
            return;
        }
        let words = entry.inst.operand_words();
        let name = &words[2..words.len() - entry.interface.len()];
        names.push((entry.model as u32, name, entry.inst.index()));
        if let Err(message) = entry_point(cx, &entry) {
            cx.report("OpEntryPoint", entry.inst.index(), message);
        }
    }
    names.sort_unstable();
    for pair in names.windows(2) {
        if pair[0].0 == pair[1].0 && pair[0].1 == pair[1].1 {
            let name = cx.module.inst(pair[1].2).string(2);
            cx.report("OpEntryPoint", pair[1].2, format!("a second entry point '{name}' of this stage"));
        }
    }
    let functions = entry_functions(cx);
    for inst in cx.module.global_insts() {
        let is_mode = matches!(inst.op(), Op::ExecutionMode | Op::ExecutionModeId);
        if is_mode && functions.binary_search(&inst.id(0)).is_err() {
            let message = format!("{} is not an entry point", inst.id(0));
            cx.report("OpExecutionMode", inst.index(), message);
        }
    }
}

/// The functions of entry points, sorted.
fn entry_functions(cx: &Context<'_, '_>) -> Vec<Id> {
    let mut functions: Vec<Id> = cx.module.entry_points().map(|entry| entry.function).collect();
    functions.sort_unstable();
    functions
}

fn entry_point(cx: &Context<'_, '_>, entry: &EntryPoint<'_>) -> Verdict {
    let Some(function) = cx.module.function_of(entry.function) else {
        return Err(format!("{} is not a function", entry.function));
    };
    let function = cx.module.function(function);
    ensure!(function.entry().is_some(), "the function has no body");
    let Type::Function { result, parameters } = cx.ty(function.function_type) else {
        return Err("the function's type is not a function type".to_owned());
    };
    ensure!(cx.ty(result) == Type::Void, "an entry point returns a value");
    ensure!(parameters.is_empty(), "an entry point has parameters");
    let lists_all = cx.module.header().version() >= (1, 4);
    if lists_all {
        let mut listed = entry.interface.words().to_vec();
        listed.sort_unstable();
        let twice = listed.windows(2).find(|pair| pair[0] == pair[1]);
        ensure!(twice.is_none(), "%{} is listed twice", twice.map_or(0, |pair| pair[0]));
    }
    for id in entry.interface.iter() {
        let Some(variable) = cx.module.global(id) else {
            return Err(format!("{id} is not a variable at module scope"));
        };
        // Compilers (IREE's) list all variables in modules of earlier versions, and other drivers take them:
        // what an entry point uses is not read from the list.
        let is_interface = matches!(variable.class, StorageClass::Input | StorageClass::Output);
        ensure!(
            lists_all || is_interface || !cx.environment.strict,
            "before SPIR-V 1.4, an interface lists inputs and outputs only"
        );
    }
    Ok(())
}

/// Functions are of their type, and have bodies.
pub(crate) fn signatures(cx: &Context<'_, '_>) {
    for function in cx.module.functions() {
        if cx.is_full() {
            return;
        }
        let inst = cx.module.function(function).inst;
        if let Err(message) = signature(cx, function) {
            cx.report("OpFunction", inst, message);
        }
    }
}

fn signature(cx: &Context<'_, '_>, index: FunctionIndex) -> Verdict {
    let function = cx.module.function(index);
    let Type::Function { result, parameters } = cx.ty(function.function_type) else {
        return Err(format!("{} is not a function type", function.function_type));
    };
    ensure!(result == function.result_type, "the result type is not that of the function's type");
    let mut count = 0;
    for parameter in cx.module.parameters(index) {
        ensure!(
            parameters.get(count) == parameter.result_type(),
            "parameter {} is not of the type that the function type declares",
            count + 1
        );
        count += 1;
    }
    ensure!(count == parameters.len(), "{} parameters are declared, of {}", count, parameters.len());
    ensure!(function.entry().is_some(), "the function has no body, and nothing to link it with");
    Ok(())
}

/// No function calls itself, directly or not; entry points are not called; and replacing calls by what
/// they call does not multiply code beyond the limit.
pub(crate) fn calls(cx: &Context<'_, '_>) {
    let entry_points = entry_functions(cx);
    let callees: Vec<Vec<u32>> = cx
        .module
        .functions()
        .map(|function| {
            let mut callees = Vec::new();
            for id in cx.module.callees(function) {
                if entry_points.binary_search(&id).is_ok() {
                    let message = format!("the entry point {id} is called");
                    cx.report("OpEntryPoint", cx.module.function(function).inst, message);
                }
                callees.extend(cx.module.function_of(id).map(FunctionIndex::as_u32));
            }
            callees
        })
        .collect();
    // Callees first; an edge to what is still open is recursion.
    let mut expanded: Vec<Option<u64>> = vec![None; callees.len()];
    let mut is_open = vec![false; callees.len()];
    let mut stack = Vec::new();
    for root in 0..callees.len() {
        stack.push((root, 0));
        while let Some((function, next)) = stack.last_mut() {
            let (function, place) = (*function, *next);
            if place == 0 {
                if expanded[function].is_some() {
                    stack.pop();
                    continue;
                }
                is_open[function] = true;
            }
            *next += 1;
            match callees[function].get(place) {
                Some(&callee) if is_open[callee as usize] => {
                    let inst = cx.module.function(FunctionIndex::from_u32(function as u32)).inst;
                    cx.report("Recursion", inst, "the function calls itself, directly or through others");
                    return;
                }
                Some(&callee) => stack.push((callee as usize, 0)),
                None => {
                    let range = cx.module.function(FunctionIndex::from_u32(function as u32));
                    let own = u64::from(range.end.as_u32() - range.inst.as_u32());
                    let called =
                        callees[function].iter().map(|&callee| expanded[callee as usize].unwrap_or(0));
                    expanded[function] = Some(called.fold(own, u64::saturating_add));
                    is_open[function] = false;
                    stack.pop();
                }
            }
        }
    }
    let limit = cx.environment.limits.inlined_instruction_count_max;
    for entry in cx.module.entry_points() {
        let function = cx.module.function_of(entry.function);
        let count = function.and_then(|function| expanded[function.as_u32() as usize]).unwrap_or(0);
        if count > limit {
            let message = format!("{count} instructions with all calls replaced are more than {limit}");
            cx.report("Limits", entry.inst.index(), message);
        }
    }
}
