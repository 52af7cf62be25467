//! Results that the specification calls poison: what depends on them is poison too, and nothing else is.

use pyro_test_kit::compute::{Compute, shader};
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const INVOCATIONS: u32 = 40;
/// Words that an invocation writes.
const WORDS: u32 = 16;

/// Instructions whose results are poison: of `%zero`, `%large` and `%lowest`, which are known at run time
/// only.
const POISON: [&str; 7] = [
    "OpUndef %uint",
    "OpUDiv %uint %large %zero",
    "OpUMod %uint %large %zero",
    "OpSDiv %uint %lowest %ones",
    "OpShiftLeftLogical %uint %uint_1 %large",
    "OpVectorExtractDynamic %uint %ids %large",
    "OpBitFieldUExtract %uint %uint_1 %large %large",
];

/// Odd invocations choose poison, even ones do not, by selection and by control flow; and all make a vector
/// with poison in the middle and use another component.
fn text() -> String {
    let mut body = "%stride = OpIMul %uint %uint_4 %uint_4\n%first = OpIMul %uint %gid %stride\n\
         %zero = OpISub %uint %push %push\n%large = OpIAdd %uint %zero %stride\n%ones = OpNot %uint %zero\n\
         %half = OpShiftRightLogical %uint %ones %uint_1\n%lowest = OpNot %uint %half\n\
         %odd = OpBitwiseAnd %uint %gid %uint_1\n%chooses = OpINotEqual %bool %odd %zero\n\
         %hundred = OpIMul %uint %uint_4 %stride\n%far = OpIAdd %uint %large %large\n"
        .to_owned();
    for (number, poison) in POISON.iter().enumerate() {
        // Amounts of 32 and more are too large for shifts, and for vectors anyway.
        let poison = poison.replace("%large", "%far");
        let place = |index: usize| {
            let up = "%uint_1 ".repeat(index);
            up.split_whitespace().enumerate().fold(
                (String::new(), "%first".to_owned()),
                |(text, last), (step, one)| {
                    let name = format!("%place{number}_{index}_{step}");
                    (format!("{text}{name} = OpIAdd %uint {last} {one}\n"), name)
                },
            )
        };
        let (one, at) = place(number);
        let (other, beside) = place(8 + number);
        body += &format!(
            "%good{number} = OpIAdd %uint %hundred %gid\n%poison{number} = {poison}\n\
             %chosen{number} = OpSelect %uint %chooses %poison{number} %good{number}\n\
             OpSelectionMerge %merge{number} None\nOpBranchConditional %chooses %then{number} %else{number}\n\
             %then{number} = OpLabel\nOpBranch %merge{number}\n%else{number} = OpLabel\nOpBranch %merge{number}\n\
             %merge{number} = OpLabel\n\
             %flowed{number} = OpPhi %uint %poison{number} %then{number} %chosen{number} %else{number}\n{one}\
             %to{number} = OpAccessChain %word %buffer %uint_0 {at}\nOpStore %to{number} %flowed{number}\n\
             %vector{number} = OpCompositeConstruct %uint3 %good{number} %poison{number} %good{number}\n\
             %sound{number} = OpCompositeExtract %uint %vector{number} 2\n{other}\
             %next{number} = OpAccessChain %word %buffer %uint_0 {beside}\nOpStore %next{number} %sound{number}\n"
        );
    }
    shader(&body)
}

#[test]
fn poison_goes_no_further_than_what_depends_on_it() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (pipeline_layout, set) = (context.layout(&[layout]), context.set(layout));
    let pipeline = context.pipeline(pipeline_layout, &text());
    let target = context.buffer((INVOCATIONS * WORDS) as usize + 1);
    context.write(set, target.buffer);
    let device = &context.device;
    context.run(|commands| unsafe {
        device.cmd_bind_pipeline(commands, POINT, pipeline);
        device.cmd_bind_descriptor_sets(commands, POINT, pipeline_layout, 0, &[set], &[]);
        let stages = vk::ShaderStageFlags::COMPUTE;
        device.cmd_push_constants(commands, pipeline_layout, stages, 0, &12345_u32.to_le_bytes());
        device.cmd_dispatch(commands, INVOCATIONS, 1, 1);
    });
    let words = target.words();
    for invocation in 0..INVOCATIONS {
        let own = &words[(invocation * WORDS) as usize..][..WORDS as usize];
        for (number, poison) in POISON.iter().enumerate() {
            let good = 64 + invocation;
            assert_eq!(own[8 + number], good, "{poison}: beside it in a vector, of {invocation}");
            if invocation.is_multiple_of(2) {
                assert_eq!(own[number], good, "{poison}: where it is not chosen, of {invocation}");
            }
        }
        // Nothing else was written.
        assert_eq!((own[7], own[15]), (0, 0));
    }
}
