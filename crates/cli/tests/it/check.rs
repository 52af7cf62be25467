//! `pyroclast check` and `pyroclast reflect` as a person uses them.

use crate::support::Folder;
use serde_json::Value;
use std::process::{Command, Output};

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", out(output)))
}

/// A folder of this test's own with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(&format!("check-{name}"));
    for (name, text) in files {
        folder.write(name, text);
    }
    folder
}

const GOOD: &str = "@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(8, 4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] = 2.0;
}
";

const VERTEX: &str = "struct Out {
    @builtin(position) position: vec4<f32>,
    @location(0) color: vec4<f32>,
    @location(1) @interpolate(flat) index: i32,
}
@vertex fn main(@location(0) place: vec3<f32>) -> Out {
    return Out(vec4(place, 1.0), vec4(1.0), 7);
}
";

const FRAGMENT: &str =
    "@fragment fn main(@location(0) color: vec4<f32>, @location(1) @interpolate(flat) index: u32,
    @location(2) missing: vec2<f32>) -> @location(0) vec4<f32> {
    return color * f32(index) + missing.x;
}
";

fn shaders(name: &str) -> Folder {
    folder(name, &[("good.wgsl", GOOD), ("v.wgsl", VERTEX), ("f.wgsl", FRAGMENT)])
}

#[test]
fn good_shaders_have_no_findings() {
    let folder = shaders("good");
    let output = folder.run(&["check", "."]);
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    assert_eq!(out(&output), "3 files checked: no findings\n");
}

#[test]
fn source_that_does_not_compile_is_a_finding() {
    let folder = folder("broken", &[("broken.wgsl", "fn main() { oops(); }"), ("short.spv", "SPIR")]);
    let output = folder.run(&["check", "--json", "broken.wgsl", "short.spv"]);
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!(report["files"], 2);
    assert_eq!(report["findings"][0]["rule"], "WGSL");
    assert_eq!(report["findings"][0]["source"]["column"], 13);
    assert!(report["findings"][0]["message"].as_str().is_some_and(|text| text.contains("oops")));
    assert_eq!(report["findings"][1]["rule"], "SPIR-V");
    assert_eq!(report["findings"][1]["file"], "short.spv");
}

#[test]
fn assembly_has_lines() {
    let module = "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 8 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%one = OpConstant %float 1
%main = OpFunction %void None %fn
%entry = OpLabel
  %sum = OpIAdd %float %one %one
OpReturn
OpFunctionEnd
";
    let folder =
        folder("assembly", &[("a.spvasm", module), ("b.spvasm", "OpCapability Shader\n  OpNothing\n")]);
    let output = folder.run(&["check", "a.spvasm", "--stage", "comp=a.spvasm", "b.spvasm"]);
    assert_eq!(output.status.code(), Some(1));
    let text = out(&output);
    let shown = " --> a.spvasm:12:3";
    assert_eq!(text.matches(shown).count(), 2, "{text}");
    assert!(text.contains("12 |   %sum = OpIAdd %float %one %one\n   |   ^\n"), "{text}");
    assert!(text.contains("error[SPIR-V assembly]") && text.contains("--> b.spvasm:2:3"), "{text}");
}

/// What a compiler finds at an entry point as a whole is shown at its function; its fix hint is shown.
#[test]
fn wgsl_findings_have_places_and_hints() {
    let twice = "@vertex fn vs() -> @builtin(position) vec4<f32> { return vec4(1.0); }
@fragment fn fs(@location(0) a: vec4<f32>, @location(0) b: vec4<f32>) -> @location(0) vec4<f32> { return a; }
";
    let written = "@group(0) @binding(0) var<storage, read> a: array<f32>;
@compute @workgroup_size(8) fn main() { a[1] = 2.0; }
";
    let folder = folder("wgsl", &[("twice.wgsl", twice), ("written.wgsl", written)]);
    let report = json(&folder.run(&["check", "--json", "twice.wgsl", "written.wgsl"]));
    let [twice, written] = &report["findings"].as_array().expect("findings")[..] else { panic!("{report}") };
    assert_eq!((&twice["source"]["line"], &twice["source"]["column"]), (&2.into(), &14.into()), "{report}");
    assert!(written["hint"].as_str().is_some_and(|hint| hint.contains("read_write")), "{report}");
}

#[test]
fn misuse_is_exit_code_2() {
    let folder = shaders("misuse");
    for arguments in [
        &["check"][..],
        &["check", "--env", "vulkan9", "good.wgsl"],
        &["check", "--stage", "pixel=v.wgsl"],
        &["check", "--pipeline", "none.toml"],
        &["check", "no-such-folder/"],
        &["check", "good.wgsl", "none.frag"],
        &["check", "--stage", "vert=none.wgsl"],
    ] {
        let output = folder.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
    }
}

#[test]
fn stages_are_checked_together() {
    let folder = shaders("together");
    let output = folder.run(&["check", "--stage", "vert=v.wgsl", "--stage", "frag=f.wgsl:main"]);
    assert_eq!(output.status.code(), Some(1));
    let text = out(&output);
    assert!(text.contains("error[VUID-RuntimeSpirv-OpEntryPoint-07754]: 'index' at location 1"), "{text}");
    assert!(text.contains("error[VUID-RuntimeSpirv-OpEntryPoint-08743]: 'missing' at location 2"), "{text}");
    // The line of the source, and a caret under the name.
    assert!(text.contains("--> f.wgsl:2:18 (frag shader, against the vert shader)"), "{text}");
    let line = text.lines().position(|line| line.contains("| ") && line.contains("@location(2) missing"));
    let caret = text.lines().nth(line.expect("the line is shown") + 1).expect("a caret");
    let shown = text.lines().nth(line.expect("the line is shown")).expect("a line");
    assert_eq!(caret.find('^'), shown.find("missing"), "{text}");
    assert!(text.contains("= help: "), "{text}");
}

#[test]
fn pipelines_are_described() {
    let description = r#"
        [[stage]]
        stage = "vert"
        file = "v.wgsl"
        [[attribute]]
        location = 0
        format = "R32G32B32_UINT"
        [[stage]]
        stage = "comp"
        file = "good.wgsl"
        [[push_constants]]
        size = 4
    "#;
    let folder = shaders("described");
    std::fs::write(folder.0.join("p.toml"), description).expect("a file");
    let report = json(&folder.run(&["check", "--json", "--pipeline", "p.toml"]));
    let rules: Vec<_> =
        report["findings"].as_array().expect("a list").iter().map(|one| &one["rule"]).collect();
    assert_eq!(
        rules,
        ["VUID-VkComputePipelineCreateInfo-layout-07988", "VUID-VkGraphicsPipelineCreateInfo-Input-08733"]
    );
    std::fs::write(folder.0.join("p.toml"), format!("{description}\nwrong = 1")).expect("a file");
    assert_eq!(folder.run(&["check", "--pipeline", "p.toml"]).status.code(), Some(2));
}

#[test]
fn state_is_described() {
    let rules = |name: &str, description: &str| {
        let folder = shaders(name);
        std::fs::write(folder.0.join("p.toml"), description).expect("a file");
        let report = json(&folder.run(&["check", "--json", "--pipeline", "p.toml"]));
        let findings = report["findings"].as_array().expect("a list");
        findings.iter().map(|one| one["rule"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let stages = "[[stage]]\nstage = \"vert\"\nfile = \"v.wgsl\"";
    let g = |rest: &str| format!("VUID-VkGraphicsPipelineCreateInfo-{rest}");
    let of = |name: &str, state: &str| rules(name, &format!("{state}\n{stages}"));
    assert_eq!(of("state1", "topology = \"PATCH_LIST\""), [g("topology-08889")]);
    assert_eq!(
        of("state2", "topology = \"PATCH_LIST\"\ndynamic = [\"PRIMITIVE_TOPOLOGY\"]"),
        [] as [String; 0]
    );
    assert_eq!(of("state3", "shading_rate = { size = [3, 1] }"), [g("pDynamicState-04496")]);
    assert_eq!(
        of("state4", "parts = [\"PRE_RASTERIZATION_SHADERS\"]"),
        [g("flags-08899"), g("flags-08909"), g("flags-08909")]
    );
    assert_eq!(
        of("state5", "color_locations = [1, 1]"),
        ["VUID-VkRenderingAttachmentLocationInfo-pColorAttachmentLocations-09513"]
    );
    let object = "shader_objects = \"linked\"\n[[stage]]\nstage = \"vert\"\nfile = \"v.wgsl\"\n\
                  flags = [\"DISPATCH_BASE\"]\nnext_stages = [\"comp\"]";
    assert_eq!(
        rules("state6", object),
        ["VUID-VkShaderCreateInfoEXT-flags-08485", "VUID-VkShaderCreateInfoEXT-nextStage-08427"]
    );
}

#[test]
fn sarif_has_rules_and_places() {
    let folder = shaders("sarif");
    let output = folder.run(&["check", "--sarif", "--stage", "vert=v.wgsl", "--stage", "frag=f.wgsl"]);
    let report = json(&output);
    assert_eq!(report["version"], "2.1.0");
    let run = &report["runs"][0];
    let result = &run["results"][1];
    let rule = result["ruleIndex"].as_u64().expect("an index") as usize;
    assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "f.wgsl");
    assert_eq!(place["region"]["startLine"], 2);
}

#[test]
fn environments_matter() {
    let profile = serde_json::json!({
        "capabilities": { "small": { "properties": { "VkPhysicalDeviceProperties": { "limits": {
            "maxComputeWorkGroupSize": [4, 4, 4],
        } } } } },
        "profiles": { "VP_small": { "api-version": "1.1.0", "capabilities": ["small"] } },
    });
    let folder = shaders("environment");
    std::fs::write(folder.0.join("small.json"), profile.to_string()).expect("a file");
    let report = json(&folder.run(&["check", "--json", "--env", "small.json", "good.wgsl"]));
    let rules: Vec<_> =
        report["findings"].as_array().expect("a list").iter().map(|one| &one["rule"]).collect();
    assert_eq!(rules, ["VUID-RuntimeSpirv-x-06429"]);
    assert_eq!(folder.run(&["check", "--env", "driver", "good.wgsl"]).status.code(), Some(0));
}

#[test]
fn reflection_shows_interfaces() {
    let folder = shaders("reflect");
    let text = out(&folder.run(&["reflect", "good.wgsl"]));
    assert!(text.contains("comp 'main' of good.wgsl"), "{text}");
    assert!(text.contains("workgroup size  8 × 4 × 1"), "{text}");
    let report = json(&folder.run(&["reflect", "--json", "v.wgsl", "f.wgsl"]));
    assert_eq!(report["stages"][0]["stage"], "vert");
    assert_eq!(report["stages"][0]["outputs"][1]["type"], "int");
    assert_eq!(report["stages"][1]["inputs"][2]["location"], 2);
    assert_eq!(report["findings"], serde_json::json!([]));
    let output =
        folder.run(&["reflect", "--stage", "vert=v.wgsl", "--stage", "frag=f.wgsl", "--html", "p.html"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(folder.0.join("p.html")).expect("a page");
    assert!(page.contains("class=\"mismatch\"") && page.contains("class=\"line\""), "{page}");
    assert_eq!(page.matches("class=\"box\"").count(), 2);
    assert!(!folder.run(&["reflect", "none.wgsl"]).status.success());
}

#[test]
fn pictures_follow_descriptions_and_directions() {
    let description = r#"
        [[stage]]
        stage = "vert"
        file = "v.wgsl"
        [[stage]]
        stage = "frag"
        file = "g.wgsl"
        [[attribute]]
        location = 0
        format = "R32G32B32_UINT"
    "#;
    let folder = shaders("pictures");
    let fragment = "@fragment fn main(@location(0) @interpolate(flat) index: u32) -> @location(0) vec4<f32> {
        return vec4(f32(index));
    }";
    std::fs::write(folder.0.join("g.wgsl"), fragment).expect("a file");
    std::fs::write(folder.0.join("p.toml"), description).expect("a file");
    let output = folder.run(&["reflect", "--pipeline", "p.toml", "--html", "p.html"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(folder.0.join("p.html")).expect("a page");
    assert!(page.contains("VUID-VkGraphicsPipelineCreateInfo-Input-08733"), "the attribute's format: {page}");
    // The fragment shader's output is at a location where an input does not fit, but is fine itself.
    // Which begins at the right edge of the second box.
    let begins = |line: &&str| line.starts_with("<path") && line.contains("\"M820 ");
    let output = page.lines().find(begins).expect("a line");
    assert!(output.contains("class=\"line\""), "{output}");
}

/// A task shader that passes a payload of a type, and a mesh shader that reads a float.
fn task_and_mesh(passed: &str) -> [(&'static str, String); 2] {
    let shader = |model: &str, modes: &str, ty: &str, body: &str| {
        format!(
            "; Version: 1.4\nOpCapability MeshShadingEXT\nOpExtension \"SPV_EXT_mesh_shader\"\n\
             OpMemoryModel Logical GLSL450\nOpEntryPoint {model} %main \"main\" %payload\n\
             OpExecutionMode %main LocalSize 1 1 1\n{modes}OpName %payload \"given\"\n%void = OpTypeVoid\n\
             %fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n%uint = OpTypeInt 32 0\n%one = OpConstant %uint 1\n\
             %zero = OpConstant %uint 0\n%pointer = OpTypePointer TaskPayloadWorkgroupEXT {ty}\n\
             %payload = OpVariable %pointer TaskPayloadWorkgroupEXT\n%main = OpFunction %void None %fn\n\
             %entry = OpLabel\n{body}\nOpFunctionEnd\n"
        )
    };
    let modes = "OpExecutionMode %main OutputTrianglesEXT\nOpExecutionMode %main OutputVertices 3\n\
                 OpExecutionMode %main OutputPrimitivesEXT 1\n";
    let read = "%read = OpLoad %float %payload\nOpSetMeshOutputsEXT %zero %zero\nOpReturn";
    [
        ("t.spvasm", shader("TaskEXT", "", passed, "OpEmitMeshTasksEXT %one %one %one %payload")),
        ("m.spvasm", shader("MeshEXT", modes, "%float", read)),
    ]
}

#[test]
fn payloads_are_lines_between_the_stages_that_pass_them() {
    // The page of a pipeline of these stages.
    let page = |name: &str, files: &[(&str, &str)], stages: &[&str]| {
        let folder = folder(name, files);
        let mut arguments = vec!["reflect", "--html", "p.html"];
        stages.iter().for_each(|stage| arguments.extend(["--stage", stage]));
        let output = folder.run(&arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read_to_string(folder.0.join("p.html")).expect("a page")
    };
    let lines = |page: &str, class: &str| page.matches(&format!("<path class=\"{class} payload\"")).count();
    for (passed, class) in [("%float", "line"), ("%uint", "mismatch")] {
        let made = task_and_mesh(passed);
        let files: Vec<(&str, &str)> = made.iter().map(|(name, text)| (*name, &text[..])).collect();
        let both = page(&format!("payload{class}"), &files, &["task=t.spvasm", "mesh=m.spvasm"]);
        assert_eq!((lines(&both, class), both.matches("payload\"").count()), (1, 1), "{both}");
        assert_eq!(both.matches(">given</text>").count(), 2, "{both}");
        assert_eq!(both.contains("VUID-RuntimeSpirv-MeshEXT-12380"), class == "mismatch", "{both}");
        let said = "a payload of type uint, the mesh shader accesses one of type float";
        assert_eq!(both.contains(said), class == "mismatch", "{both}");
        // Nothing passes what the mesh shader reads.
        let alone = page(&format!("alone{class}"), &files, &["mesh=m.spvasm"]);
        assert_eq!((lines(&alone, "mismatch"), alone.matches("mismatch-text\"").count()), (1, 1), "{alone}");
    }
    let ray = |model: &str, class: &str, name: &str| {
        format!(
            "; Version: 1.4\nOpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\n\
             OpMemoryModel Logical GLSL450\nOpEntryPoint {model} %main \"main\" %payload\nOpName %payload \"{name}\"\n\
             %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n\
             %pointer = OpTypePointer {class} %float\n%payload = OpVariable %pointer {class}\n\
             %main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n"
        )
    };
    let files = [
        ("g.spvasm", ray("RayGenerationKHR", "RayPayloadKHR", "sent")),
        ("h.spvasm", ray("ClosestHitKHR", "IncomingRayPayloadKHR", "hit")),
        ("m.spvasm", ray("MissKHR", "IncomingRayPayloadKHR", "missed")),
        ("c.spvasm", ray("CallableKHR", "IncomingCallableDataKHR", "called")),
    ];
    let files = files.each_ref().map(|(name, text)| (*name, &text[..]));
    let all = page("rays", &files, &["rgen=g.spvasm", "rchit=h.spvasm", "rmiss=m.spvasm", "rcall=c.spvasm"]);
    // From ray generation to each of two; what is called is passed nothing.
    assert_eq!((lines(&all, "line"), lines(&all, "unread")), (3, 0), "{all}");
    for name in ["sent", "hit", "missed", "called"] {
        assert_eq!(all.matches(&format!(">{name}</text>")).count(), 1, "{name}: {all}");
    }
}

#[test]
fn shader_objects_are_checked_by_their_vuids() {
    let folder = shaders("objects");
    let text = "shader_objects = \"unlinked\"\n[[stage]]\nstage = \"frag\"\nfile = \"f.wgsl\"\n";
    std::fs::write(folder.0.join("o.toml"), text).expect("a file");
    assert_eq!(folder.run(&["check", "--pipeline", "o.toml"]).status.code(), Some(0));
    std::fs::write(folder.0.join("o.toml"), text.replace("unlinked", "joined")).expect("a file");
    assert_eq!(folder.run(&["check", "--pipeline", "o.toml"]).status.code(), Some(2));
}

#[test]
fn mismatch_reports_both_stages() {
    let folder = shaders("sides");
    let output = folder.run(&["check", "--json", "--stage", "vert=v.wgsl", "--stage", "frag=f.wgsl"]);
    let report = json(&output);
    let findings = report["findings"].as_array().expect("a list");
    let found = findings.iter().find(|one| !one["related"].is_null()).expect("a mismatch of two variables");
    assert_eq!(found["related"]["file"], "v.wgsl");
    let ids = found["instruction"]["ids"].as_object().expect("ids");
    assert!(
        ids.values().any(|what| what.as_str().is_some_and(|what| what.contains("variable in Input"))),
        "{ids:?}"
    );
}

/// Whether a compiler that is a program of its own is installed.
fn has(program: &str) -> bool {
    Command::new(program).arg("-v").output().is_ok()
}

const HLSL: &str = "Texture2D image : register(t0);
SamplerState filter : register(s1);
float4 shade(float2 at : TEXCOORD0) : SV_Target { return image.Sample(filter, at) * NAME; }
";

#[test]
fn hlsl_is_compiled_where_a_compiler_is_installed() {
    let good = HLSL.replace("NAME", "2.0");
    let folder = folder("hlsl", &[("a.frag.hlsl", HLSL), ("b.hlsl", &good), ("common.hlsl", "// nothing")]);
    let output = folder.run(&["check", "--json", "--stage", "frag=a.frag.hlsl:shade"]);
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    let found = json(&output);
    let finding = &found["findings"][0];
    if has("glslangValidator") {
        assert_eq!((&finding["rule"], &finding["source"]["line"]), (&"HLSL".into(), &3.into()), "{found}");
        assert!(finding["message"].as_str().is_some_and(|text| text.contains("NAME")), "{found}");
        assert_eq!(found["findings"].as_array().map(Vec::len), Some(1), "{found}");
        let output = folder.run(&["check", "--stage", "frag=b.hlsl:shade"]);
        assert_eq!(output.status.code(), Some(0), "{}", out(&output));
        // An attribute that no stage before writes, at its line.
        let vertex = "float4 main(float4 at : POSITION) : SV_Position { return at; }\n";
        std::fs::write(folder.0.join("v.vert.hlsl"), vertex).expect("a file");
        let output =
            folder.run(&["check", "--json", "--stage", "vert=v.vert.hlsl", "--stage", "frag=b.hlsl:shade"]);
        let found = json(&output);
        let finding = &found["findings"][0];
        assert_eq!(finding["rule"], "VUID-RuntimeSpirv-OpEntryPoint-08743", "{found}");
        assert!(finding["source"]["file"].as_str().is_some_and(|file| file.ends_with("b.hlsl")), "{found}");
    } else if !has("slangc") {
        assert!(finding["message"].as_str().is_some_and(|text| text.contains("glslangValidator")), "{found}");
    }
    // What others include is no shader; without a stage a file by itself cannot be one either.
    assert_eq!(folder.run(&["check", "common.hlsl"]).status.code(), Some(1));
    assert!(out(&folder.run(&["check", "common.hlsl"])).contains("say the stage"));
}

const SLANG: &str = "RWStructuredBuffer<float> data;
[shader(\"compute\")] [numthreads(8, 1, 1)]
void run(uint3 id : SV_DispatchThreadID) { data[id.x] = 2.0 * NAME; }
";

#[test]
fn slang_is_compiled_where_slangc_is_installed() {
    let good = SLANG.replace("NAME", "1.0");
    let import = "module other;\npublic float twice(float x) { return x + x; }\n";
    let folder = folder("slang", &[("a.slang", SLANG), ("b.slang", &good), ("other.slang", import)]);
    let output = folder.run(&["check", "--json", "a.slang"]);
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    let found = json(&output);
    let finding = &found["findings"][0];
    if has("slangc") {
        assert_eq!((&finding["rule"], &finding["source"]["line"]), (&"Slang".into(), &3.into()), "{found}");
        assert!(finding["message"].as_str().is_some_and(|text| text.contains("NAME")), "{found}");
        // Modules for import are none of a folder's shaders.
        std::fs::remove_file(folder.0.join("a.slang")).expect("the file");
        let output = folder.run(&["check", "--json", "."]);
        assert_eq!((output.status.code(), &json(&output)["files"]), (Some(0), &1.into()), "{}", out(&output));
    } else {
        assert!(finding["message"].as_str().is_some_and(|text| text.contains("slangc")), "{found}");
    }
}

#[test]
fn pipeline_description_configures_stages() {
    let folder = folder("flags", &[("a.wgsl", GOOD), ("f.wgsl", FRAGMENT)]);
    let check = |text: &str| {
        std::fs::write(folder.0.join("p.toml"), text).expect("a file");
        let output = folder.run(&["check", "--json", "--pipeline", "p.toml"]);
        let found = json(&output);
        let rules = found["findings"].as_array().into_iter().flatten();
        rules.filter_map(|finding| finding["rule"].as_str()).map(str::to_owned).collect::<Vec<_>>()
    };
    let stage = "[[stage]]\nstage = \"comp\"\nfile = \"a.wgsl\"\n";
    assert_eq!(check(stage), [] as [&str; 0]);
    let both = format!("{stage}flags = [\"ALLOW_VARYING_SUBGROUP_SIZE\"]\nrequired_subgroup_size = 16\n");
    assert_eq!(check(&both), ["VUID-VkPipelineShaderStageCreateInfo-pNext-02754"]);
    let mapping = format!("{stage}[[mapping]]\nset = 0\nfirst_binding = 0\nsource = \"PUSH_DATA\"\n");
    assert_eq!(check(&mapping), ["VUID-VkPipelineShaderStageCreateInfo-pNext-11315"]);
}

/// What is wrong with a pipeline as a whole is told of the file that describes it.
#[test]
fn descriptions_are_named() {
    let [(name, task), _] = task_and_mesh("%float");
    let description = format!("[[stage]]\nstage = \"task\"\nfile = \"{name}\"\n");
    let folder = folder("named", &[(name, &task), ("p.toml", &description)]);
    let report = json(&folder.run(&["check", "--json", "--pipeline", "p.toml"]));
    let [finding] = &report["findings"].as_array().expect("a list")[..] else { panic!("{report}") };
    assert_eq!(finding["rule"], "VUID-VkGraphicsPipelineCreateInfo-stage-02096");
    assert_eq!(finding["file"], "p.toml");
}
