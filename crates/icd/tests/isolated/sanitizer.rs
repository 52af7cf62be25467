//! The sanitizer through the entry points: where findings go, what caches keep, and that nothing changes when
//! it is off. What it finds is tested by `testing/sanitizer`.

use crate::one_shader;
use pyro_test_environment::{in_child, output_of_child};
use pyro_test_kit::compute::{Compute, shader};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtDebugUtilsExtensionInstanceCommands as _;

/// Shifts by the first word of the buffer, in line 7 of a file.
const SHIFT: &str = "
    OpLine %file 7 3
    %first = OpAccessChain %word %buffer %uint_0 %uint_0
    %amount = OpLoad %uint %first
    %shifted = OpShiftLeftLogical %uint %uint_1 %amount
    %second = OpAccessChain %word %buffer %uint_0 %uint_1
    OpStore %second %shifted";

fn text() -> String {
    shader(SHIFT).replace("OpDecorate %id BuiltIn", "%file = OpString \"shift.comp\"\nOpDecorate %id BuiltIn")
}

/// Runs the shader on a buffer whose first word is 33; gives the second, and the data of a pipeline cache.
fn run() -> (u32, Vec<u8>) {
    one_shader::run(&text(), 33, 3)
}

/// Prints what the shader leaves and a digest of the cache's data, for the tests below.
#[test]
fn shift_for_other_tests() {
    if !pyro_test_environment::is_child() {
        return;
    }
    let (word, data) = run();
    let digest = data.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    println!("left {word} cache {} {digest:x}", data.len());
}

/// What the test above prints, and its standard error.
fn output(environment: &[(&str, &str)]) -> (String, String) {
    let output = output_of_child(module_path!(), "shift_for_other_tests", environment);
    let [printed, errors] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{errors}");
    // The test runner writes in front of it.
    let line = printed.lines().find_map(|line| line.find("left ").map(|at| line[at..].to_owned()));
    (line.expect("what the test prints"), errors)
}

#[test]
fn code_and_caches_are_the_same_when_it_is_off() {
    let (plain, _) = output(&[]);
    assert!(plain.starts_with("left 2 "), "{plain}");
    let (off, errors) = output(&[("PYROCLAST_SANITIZE", "none")]);
    assert_eq!(plain, off);
    assert!(!errors.contains("shift-width"));
    let (on, _) = output(&[("PYROCLAST_SANITIZE", "shift-width")]);
    assert_ne!(plain, on);
    // The result is the same.
    assert_eq!(on.split(' ').nth(1), Some("2"));
}

#[test]
fn findings_are_on_standard_error_once() {
    let (_, errors) = output(&[("PYROCLAST_SANITIZE", "undefined")]);
    assert_eq!(errors.matches("error[shift-width]").count(), 1, "{errors}");
    for part in ["shift.comp:7:3 (compute shader \"main\")", "shift: 33", "local (0, 0, 0)"] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    let (_, errors) = output(&[("PYROCLAST_SANITIZE", "undefined,-shift-width")]);
    assert!(!errors.contains("shift-width"), "{errors}");
    let (_, errors) = output(&[("PYROCLAST_SANITIZE", "shift-widths")]);
    assert!(errors.contains("\"shift-widths\" is not a kind of finding"), "{errors}");
}

#[test]
fn code_from_caches_knows_its_lines() {
    let folder = std::env::temp_dir().join(format!("pyroclast-sanitizer-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.display().to_string();
    for _ in 0..2 {
        let (_, errors) = output(&[("PYROCLAST_SANITIZE", "all"), ("PYROCLAST_CACHE_DIR", &path)]);
        assert!(errors.contains("shift.comp:7:3"), "{errors}");
    }
    // Code with checks is not what a process without them takes from the same folder.
    let (plain, errors) = output(&[("PYROCLAST_CACHE_DIR", &path)]);
    assert!(plain.starts_with("left 2 ") && !errors.contains("shift-width"), "{errors}");
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn counts_are_written_at_the_end() {
    let path = std::env::temp_dir().join(format!("pyroclast-findings-{}.json", std::process::id()));
    let file = path.display().to_string();
    let (_, errors) = output(&[("PYROCLAST_SANITIZE", "all"), ("PYROCLAST_SANITIZE_OUTPUT", &file)]);
    assert!(!errors.contains("shift-width"), "{errors}");
    let text = std::fs::read_to_string(&path).expect("findings");
    std::fs::remove_file(&path).expect("removed");
    // Besides, all invocations store to one word.
    let lines: Vec<_> = text.lines().collect();
    let finding = lines.iter().find(|line| line.contains("\"kind\": \"shift-width\"")).expect("the finding");
    let id = finding.split([':', ',']).nth(1).expect("its id").trim();
    assert!(lines.contains(&format!("{{\"id\": {id}, \"count\": 3}}").as_str()), "{text}");
    assert!(text.contains("\"kind\": \"race-buffer\""), "{text}");
}

#[test]
fn findings_are_told_to_messengers() {
    let environment = [("PYROCLAST_SANITIZE", "unreachable")];
    if !in_child(module_path!(), "findings_are_told_to_messengers", &environment) {
        return;
    }
    let mut client = pyro_test_kit::Client::new(vk::make_version(1, 2, 0), &[c"VK_EXT_debug_utils"]);
    let heard = client
        .listen(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR, vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION);
    let compute = Compute::from(client.device(&[], None, std::ptr::null_mut()));
    let pipeline = compute.pipeline(
        compute.layout(&[]),
        "OpCapability Shader
         OpMemoryModel Logical GLSL450
         OpEntryPoint GLCompute %main \"main\"
         OpExecutionMode %main LocalSize 1 1 1
         %void = OpTypeVoid
         %fn = OpTypeFunction %void
         %main = OpFunction %void None %fn
         %entry = OpLabel
         OpUnreachable
         OpFunctionEnd",
    );
    let name = vk::DebugUtilsObjectNameInfoEXT::builder()
        .object_type(vk::ObjectType::PIPELINE)
        .object_handle(pipeline.as_raw())
        .object_name(b"shading\0");
    unsafe { compute.instance.set_debug_utils_object_name_ext(compute.device.handle(), &name) }
        .expect("named");
    for _ in 0..2 {
        compute.run(|commands| unsafe {
            compute.device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
            compute.device.cmd_dispatch(commands, 5, 1, 1);
        });
    }
    let heard = heard.take();
    let [message] = &heard[..] else { panic!("one message: {heard:?}") };
    assert_eq!(message.id, "PYROCLAST-SANITIZER-unreachable");
    let text = &message.text;
    assert!(text.contains("OpUnreachable (word ") && text.contains("in function"), "{text}");
    assert!(text.contains("of the pipeline \"shading\""), "{text}");
}
