//! Shapes of control flow.

use crate::line;
use crate::text::Text;

/// Conditionals inside one another. SPIR-V allows 1,023 levels.
pub(crate) fn nested_ifs(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    for level in 0..n {
        line!(text.body, "%c_{level} = OpUGreaterThan %bool %x %k{level}");
        line!(text.body, "OpSelectionMerge %merge{level} None");
        line!(text.body, "OpBranchConditional %c_{level} %then{level} %merge{level}");
        line!(text.body, "%then{level} = OpLabel");
    }
    line!(text.body, "OpStore %place %c1");
    for level in (0..n).rev() {
        line!(text.body, "OpBranch %merge{level}\n%merge{level} = OpLabel");
    }
    text
}

/// Loops inside one another, each with a counter.
pub(crate) fn nested_loops(n: usize) -> Text {
    let mut text = Text::new();
    for level in 0..n {
        let from = if level == 0 { "entry".to_owned() } else { format!("body{}", level - 1) };
        line!(text.body, "OpBranch %head{level}\n%head{level} = OpLabel");
        line!(text.body, "%i{level} = OpPhi %uint %c0 %{from} %j{level} %next{level}");
        line!(text.body, "%c_{level} = OpULessThan %bool %i{level} %x");
        line!(text.body, "OpLoopMerge %merge{level} %next{level} None");
        line!(text.body, "OpBranchConditional %c_{level} %body{level} %merge{level}");
        line!(text.body, "%body{level} = OpLabel");
    }
    line!(text.body, "OpStore %place %c1");
    for level in (0..n).rev() {
        line!(text.body, "OpBranch %next{level}\n%next{level} = OpLabel");
        line!(text.body, "%j{level} = OpIAdd %uint %i{level} %c1");
        line!(text.body, "OpBranch %head{level}\n%merge{level} = OpLabel");
    }
    text
}

/// What a switch's cases do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// Store.
    Store,
    /// Give a phi its value.
    Phi,
    /// Fall through to the next.
    FallThrough,
}

/// A switch on this id of as many cases.
pub(crate) fn switch_on(n: usize, selector: &str, case: Case, scattered: bool) -> Text {
    let mut text = Text::new();
    text.words(n);
    let mut phi = String::from("%x %entry");
    let literal = |at: usize| if scattered { (at as u32).wrapping_mul(0x9e37_79b1) } else { at as u32 };
    let cases: Vec<String> = (0..n).map(|at| format!("{} %case{at}", literal(at))).collect();
    line!(text.body, "OpSelectionMerge %merge None");
    line!(text.body, "OpSwitch %{selector} %merge {}", cases.join(" "));
    for at in 0..n {
        line!(text.body, "%case{at} = OpLabel");
        line!(text.body, "%v{at} = OpIMul %uint %x %k{at}");
        if case == Case::Phi {
            phi += &format!(" %v{at} %case{at}");
        } else {
            line!(text.body, "%p{at} = OpAccessChain %p_storage_uint %data %c0 %k{at}");
            line!(text.body, "OpStore %p{at} %v{at}");
        }
        let next =
            if case == Case::FallThrough && at + 1 < n { format!("case{}", at + 1) } else { "merge".into() };
        line!(text.body, "OpBranch %{next}");
    }
    line!(text.body, "%merge = OpLabel");
    if case == Case::Phi {
        line!(text.body, "%result = OpPhi %uint {phi}");
        return text.storing("result");
    }
    text
}

/// A switch with as many cases that store.
pub(crate) fn switch(n: usize) -> Text {
    switch_on(n, "x", Case::Store, false)
}

/// A switch whose literals are in no order.
pub(crate) fn switch_scattered(n: usize) -> Text {
    switch_on(n, "x", Case::Store, true)
}

/// A switch that gives a phi its value.
pub(crate) fn switch_phi(n: usize) -> Text {
    switch_on(n, "x", Case::Phi, false)
}

/// A switch whose cases fall through.
pub(crate) fn switch_fall_through(n: usize) -> Text {
    switch_on(n, "x", Case::FallThrough, false)
}

/// A switch on a value that is the same for all invocations.
pub(crate) fn switch_uniform(n: usize) -> Text {
    let mut text = switch_on(n, "u", Case::Store, false);
    text.body.insert_str(0, "%pu = OpAccessChain %p_storage_uint %data %c0 %c0\n%u = OpLoad %uint %pu\n");
    text
}

/// Cases of many that go to a few targets.
pub(crate) fn switch_few_targets(n: usize) -> Text {
    let mut text = Text::new();
    let cases: Vec<String> = (0..n).map(|at| format!("{at} %case{}", at % 4)).collect();
    line!(text.body, "OpSelectionMerge %merge None");
    line!(text.body, "OpSwitch %x %merge {}", cases.join(" "));
    for at in 0..4 {
        line!(text.body, "%case{at} = OpLabel\nOpStore %place %c{at}\nOpBranch %merge");
    }
    line!(text.body, "%merge = OpLabel");
    text
}

/// Conditionals one after the other, each with a phi.
pub(crate) fn sequential_ifs(n: usize) -> Text {
    ifs(n, "x")
}

/// The same on conditions that all invocations share.
pub(crate) fn sequential_uniform_ifs(n: usize) -> Text {
    let mut text = ifs(n, "u");
    text.body.insert_str(0, "%pu = OpAccessChain %p_storage_uint %data %c0 %c0\n%u = OpLoad %uint %pu\n");
    text
}

fn ifs(n: usize, selector: &str) -> Text {
    let mut text = Text::new();
    text.words(n);
    line!(text.body, "OpBranch %merge0\n%merge0 = OpLabel");
    for at in 1..=n {
        let before = at - 1;
        let value = if before == 0 { "x".to_owned() } else { format!("v{before}") };
        line!(text.body, "%c_{at} = OpUGreaterThan %bool %{selector} %k{before}");
        line!(text.body, "OpSelectionMerge %merge{at} None");
        line!(text.body, "OpBranchConditional %c_{at} %then{at} %merge{at}");
        line!(text.body, "%then{at} = OpLabel");
        line!(text.body, "%pt{at} = OpAccessChain %p_storage_uint %data %c0 %k{before}");
        line!(text.body, "%t{at} = OpLoad %uint %pt{at}");
        line!(text.body, "OpBranch %merge{at}\n%merge{at} = OpLabel");
        line!(text.body, "%v{at} = OpPhi %uint %{value} %merge{before} %t{at} %then{at}");
    }
    text.storing(format!("v{n}"))
}

/// Loops one after the other.
pub(crate) fn sequential_loops(n: usize) -> Text {
    let mut text = Text::new();
    line!(text.body, "OpBranch %merge0\n%merge0 = OpLabel");
    for at in 1..=n {
        let before = at - 1;
        let value = if before == 0 { "x".to_owned() } else { format!("v{before}") };
        line!(text.body, "OpBranch %head{at}\n%head{at} = OpLabel");
        line!(text.body, "%i{at} = OpPhi %uint %c0 %merge{before} %j{at} %next{at}");
        line!(text.body, "%v{at} = OpPhi %uint %{value} %merge{before} %w{at} %next{at}");
        line!(text.body, "%c_{at} = OpULessThan %bool %i{at} %x");
        line!(text.body, "OpLoopMerge %merge{at} %next{at} None");
        line!(text.body, "OpBranchConditional %c_{at} %next{at} %merge{at}");
        line!(text.body, "%next{at} = OpLabel");
        line!(text.body, "%w{at} = OpIMul %uint %v{at} %c7");
        line!(text.body, "%j{at} = OpIAdd %uint %i{at} %c1");
        line!(text.body, "OpBranch %head{at}\n%merge{at} = OpLabel");
    }
    text.storing(format!("v{n}"))
}

/// A loop with as many conditional breaks, or continues.
fn leaving(n: usize, target: &str) -> Text {
    let mut text = Text::new();
    text.words(n);
    line!(text.body, "OpBranch %head\n%head = OpLabel");
    line!(text.body, "%i = OpPhi %uint %c0 %entry %j %next");
    line!(text.body, "%c_ = OpULessThan %bool %i %x");
    line!(text.body, "OpLoopMerge %merge %next None");
    line!(text.body, "OpBranchConditional %c_ %body0 %merge\n%body0 = OpLabel");
    for at in 0..n {
        let after = at + 1;
        line!(text.body, "%p{at} = OpAccessChain %p_storage_uint %data %c0 %k{at}");
        line!(text.body, "%v{at} = OpLoad %uint %p{at}");
        line!(text.body, "%w{at} = OpIAdd %uint %v{at} %x");
        line!(text.body, "%c_{at} = OpIEqual %bool %w{at} %i");
        line!(text.body, "OpSelectionMerge %body{after} None");
        line!(text.body, "OpBranchConditional %c_{at} %{target} %body{after}");
        line!(text.body, "%body{after} = OpLabel");
    }
    line!(text.body, "OpBranch %next\n%next = OpLabel\n%j = OpIAdd %uint %i %c1\nOpBranch %head");
    line!(text.body, "%merge = OpLabel");
    text
}

/// A loop with as many conditional breaks.
pub(crate) fn breaks(n: usize) -> Text {
    leaving(n, "merge")
}

/// A loop with as many conditional continues.
pub(crate) fn continues(n: usize) -> Text {
    leaving(n, "next")
}

/// Returns behind conditions.
pub(crate) fn returns(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    for at in 0..n {
        line!(text.body, "%p{at} = OpAccessChain %p_storage_uint %data %c0 %k{at}");
        line!(text.body, "%v{at} = OpLoad %uint %p{at}");
        line!(text.body, "%c_{at} = OpIEqual %bool %v{at} %x");
        line!(text.body, "OpSelectionMerge %merge{at} None");
        line!(text.body, "OpBranchConditional %c_{at} %then{at} %merge{at}");
        line!(text.body, "%then{at} = OpLabel\nOpStore %place %k{at}\nOpReturn\n%merge{at} = OpLabel");
    }
    text
}

/// Kills of a fragment shader behind conditions.
pub(crate) fn kills(n: usize) -> Text {
    let mut text = Text::new().storing("first");
    text.stage = crate::text::Stage::Fragment;
    text.locations = 1;
    text.words(n);
    for at in 0..n {
        line!(text.body, "%v{at} = OpIAdd %uint %x %k{at}");
        line!(text.body, "%c_{at} = OpIEqual %bool %v{at} %c7");
        line!(text.body, "OpSelectionMerge %merge{at} None");
        line!(text.body, "OpBranchConditional %c_{at} %then{at} %merge{at}");
        line!(text.body, "%then{at} = OpLabel\nOpKill\n%merge{at} = OpLabel");
    }
    text
}

/// Blocks that nothing reaches.
pub(crate) fn unreachable_blocks(n: usize) -> Text {
    let mut text = Text::new();
    for at in 0..n {
        line!(text.functions, "%call{at} = OpFunction %void None %fn\n%l{at} = OpLabel");
        line!(text.functions, "OpReturn\n%u{at} = OpLabel\nOpUnreachable\nOpFunctionEnd");
    }
    line!(text.body, "OpBranch %rest\n");
    for at in 0..n {
        line!(text.body, "%dead{at} = OpLabel\n%v{at} = OpIAdd %uint %x %c1\nOpBranch %rest");
    }
    line!(text.body, "%rest = OpLabel");
    text
}

/// A loop that rotates as many values.
pub(crate) fn phi_web(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    for at in 0..n {
        line!(text.body, "%start{at} = OpIMul %uint %x %k{at}");
    }
    line!(text.body, "OpBranch %head\n%head = OpLabel");
    line!(text.body, "%i = OpPhi %uint %c0 %entry %j %next");
    for at in 0..n {
        line!(text.body, "%v{at} = OpPhi %uint %start{at} %entry %v{} %next", (at + 1) % n);
    }
    line!(text.body, "%c_ = OpULessThan %bool %i %x");
    line!(text.body, "OpLoopMerge %merge %next None");
    line!(text.body, "OpBranchConditional %c_ %next %merge");
    line!(text.body, "%next = OpLabel\n%j = OpIAdd %uint %i %c1\nOpBranch %head\n%merge = OpLabel");
    for at in 0..n {
        let before = if at == 0 { "c0".to_owned() } else { format!("s{}", at - 1) };
        line!(text.body, "%t{at} = OpIMul %uint %{before} %c7");
        line!(text.body, "%s{at} = OpIAdd %uint %t{at} %v{at}");
    }
    text.storing(format!("s{}", n - 1))
}

/// A conditional with as many phis.
pub(crate) fn if_phis(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    line!(
        text.body,
        "OpSelectionMerge %merge None\nOpBranchConditional %condition %then %else\n%then = OpLabel"
    );
    for at in 0..n {
        line!(text.body, "%a{at} = OpIMul %uint %x %k{at}");
    }
    line!(text.body, "OpBranch %merge\n%else = OpLabel");
    for at in 0..n {
        line!(text.body, "%b{at} = OpBitwiseXor %uint %x %k{at}");
    }
    line!(text.body, "OpBranch %merge\n%merge = OpLabel");
    for at in 0..n {
        line!(text.body, "%v{at} = OpPhi %uint %a{at} %then %b{at} %else");
    }
    for at in 0..n {
        let before = if at == 0 { "c0".to_owned() } else { format!("s{}", at - 1) };
        line!(text.body, "%t{at} = OpIMul %uint %{before} %c7");
        line!(text.body, "%s{at} = OpIAdd %uint %t{at} %v{at}");
    }
    text.storing(format!("s{}", n - 1))
}

/// Functions that are called once each.
pub(crate) fn functions(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    line!(text.types, "%fn_uint = OpTypeFunction %uint %uint");
    for at in 0..n {
        let before = if at == 0 { "x".to_owned() } else { format!("v{}", at - 1) };
        line!(text.body, "%v{at} = OpFunctionCall %uint %call{at} %{before}");
        line!(
            text.functions,
            "%call{at} = OpFunction %uint None %fn_uint\n%a{at} = OpFunctionParameter %uint"
        );
        line!(text.functions, "%l{at} = OpLabel\n%r{at} = OpIMul %uint %a{at} %k{at}");
        line!(text.functions, "OpReturnValue %r{at}\nOpFunctionEnd");
    }
    text.storing(format!("v{}", n - 1))
}

/// Functions that each call the next so many times.
fn call_chain(depth: usize, calls: usize) -> Text {
    let mut text = Text::new();
    text.words(depth);
    line!(text.types, "%fn_uint = OpTypeFunction %uint %uint");
    line!(text.body, "%result = OpFunctionCall %uint %call0 %x");
    for at in 0..depth {
        line!(
            text.functions,
            "%call{at} = OpFunction %uint None %fn_uint\n%a{at} = OpFunctionParameter %uint"
        );
        line!(text.functions, "%l{at} = OpLabel\n%r{at}_0 = OpIMul %uint %a{at} %k{at}");
        let mut result = format!("r{at}_0");
        if at + 1 < depth {
            for call in 1..=calls {
                line!(text.functions, "%r{at}_{call} = OpFunctionCall %uint %call{} %{result}", at + 1);
                result = format!("r{at}_{call}");
            }
        }
        line!(text.functions, "OpReturnValue %{result}\nOpFunctionEnd");
    }
    text.storing("result")
}

/// Functions that each call the next.
pub(crate) fn call_depth(n: usize) -> Text {
    call_chain(n, 1)
}

/// Functions that each call the next twice: `n` calls in all.
pub(crate) fn call_fan_out(n: usize) -> Text {
    call_chain(n.ilog2() as usize, 2)
}

/// Barriers of the workgroup, with values that live across them.
pub(crate) fn barriers(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    line!(
        text.types,
        "%shared_type = OpTypeArray %uint %c16\n%p_shared = OpTypePointer Workgroup %shared_type"
    );
    line!(text.types, "%shared = OpVariable %p_shared Workgroup\n%c264 = OpConstant %uint 264");
    text.interface += " %shared";
    for at in 0..n {
        let before = if at == 0 { "x".to_owned() } else { format!("v{}", at - 1) };
        line!(text.body, "%p{at} = OpAccessChain %p_workgroup_uint %shared %c{}", at % 4);
        line!(text.body, "OpStore %p{at} %{before}\nOpControlBarrier %c2 %c2 %c264");
        line!(text.body, "%l{at} = OpLoad %uint %p{at}");
        line!(text.body, "%v{at} = OpIAdd %uint %l{at} %x");
    }
    text.storing(format!("v{}", n - 1))
}

/// Conditionals that each assign a variable of their own, all of which are read in the end.
pub(crate) fn assigned_variables(n: usize) -> Text {
    let mut text = Text::new();
    text.words(n);
    for at in 0..n {
        line!(text.locals, "%var{at} = OpVariable %p_function_uint Function");
    }
    for at in 0..n {
        line!(text.body, "OpStore %var{at} %x");
        line!(text.body, "%c_{at} = OpUGreaterThan %bool %x %k{at}");
        line!(text.body, "OpSelectionMerge %merge{at} None");
        line!(text.body, "OpBranchConditional %c_{at} %then{at} %merge{at}\n%then{at} = OpLabel");
        line!(text.body, "OpStore %var{at} %k{at}\nOpBranch %merge{at}\n%merge{at} = OpLabel");
    }
    for at in 0..n {
        let before = if at == 0 { "c0".to_owned() } else { format!("s{}", at - 1) };
        line!(text.body, "%l{at} = OpLoad %uint %var{at}\n%t{at} = OpIMul %uint %{before} %c7");
        line!(text.body, "%s{at} = OpIAdd %uint %t{at} %l{at}");
    }
    text.storing(format!("s{}", n - 1))
}
