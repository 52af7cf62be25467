//! Outputs that every path must write.

use crate::common::*;

/// A stage that writes a built-in, in a body that may branch.
fn writing(text: Text, built_in: &str, body: &str) -> Text {
    let ty = if built_in == "FragStencilRefEXT" { "%int" } else { "%float" };
    text.decorate(&format!("OpDecorate %out BuiltIn {built_in}"))
        .variable("out", "Output", ty)
        .variable("cell", "Private", "%bool")
        .body("%may = OpLoad %bool %cell")
        .body(&body.replace("VALUE", if ty == "%int" { "%i0" } else { "%f1" }))
}

const ALWAYS: &str = "OpStore %out VALUE";
const PERHAPS: &str = "OpSelectionMerge %next None\nOpBranchConditional %may %then %next\n%then = OpLabel\n\
                       OpStore %out VALUE\nOpBranch %next\n%next = OpLabel";

fn depth(body: &str) -> Text {
    writing(fragment().mode("OpExecutionMode %main DepthReplacing"), "FragDepth", body)
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    let stage = |number: &str| &*format!("VUID-VkPipelineShaderStageCreateInfo-stage-{number}").leak();
    let stencil = |body: &str| {
        let text = fragment().capability("StencilExportEXT");
        writing(text.mode("OpExecutionMode %main StencilRefReplacingEXT"), "FragStencilRefEXT", body)
    };
    let points = |body: &str| {
        let text = Text::stage("Geometry").capability("Geometry GeometryPointSize").mode(
            "OpExecutionMode %main InputPoints\nOpExecutionMode %main OutputPoints\n\
             OpExecutionMode %main OutputVertices 1\nOpExecutionMode %main Invocations 1",
        );
        writing(text, "PointSize", &format!("{body}\nOpEmitVertex"))
    };
    vec![
        pair(stage("06685"), depth(PERHAPS), depth(ALWAYS)),
        pair(stage("06686"), stencil(PERHAPS), stencil(ALWAYS)),
        pair(
            "VUID-RuntimeSpirv-maintenance5-09190",
            writing(vertex(), "PointSize", PERHAPS),
            writing(vertex(), "PointSize", ALWAYS),
        ),
        pair("VUID-RuntimeSpirv-maintenance5-10934", points(PERHAPS), points(ALWAYS)),
    ]
}

#[test]
fn paths_that_end_otherwise_do_not_count() {
    let rule = "VUID-VkPipelineShaderStageCreateInfo-stage-06685";
    let found = |body: &str| findings(&depth(body)).iter().any(|found| found == rule);
    let branch = |condition: &str, other: &str| {
        format!(
            "OpSelectionMerge %next None\nOpBranchConditional {condition} %then %else\n%then = OpLabel\n\
             OpStore %out VALUE\nOpBranch %next\n%else = OpLabel\n{other}\n%next = OpLabel"
        )
    };
    assert!(found(&branch("%may", "OpBranch %next")));
    assert!(!found(&branch("%may", "OpStore %out VALUE\nOpBranch %next")));
    // Fragments that are discarded, and ways that are never taken.
    assert!(!found(&branch("%may", "OpKill")));
    assert!(!found(&branch("%true", "OpBranch %next")));
    // A loop that writes is taken to run.
    let looping = "OpBranch %head\n%head = OpLabel\nOpLoopMerge %exit %again None\n\
                   OpBranchConditional %may %in %exit\n%in = OpLabel\nOpStore %out VALUE\nOpBranch %again\n\
                   %again = OpLabel\nOpBranch %head\n%exit = OpLabel";
    assert!(!found(looping));
}
