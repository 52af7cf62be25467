//! Broken modules are an error or compile to something; they never panic, hang or use much memory.
//!
//! `PYRO_MUTATIONS` sets how many (default 4000), `PYRO_SEED` where to start. With `PYRO_CORPUS`, the modules
//! that are broken are the `.spv` files of that folder and of those in it, instead of generated ones.

use pyro_compile::{CompileError, ComputeRequest, SubgroupSize, compile_compute, reflect::layout_of};
use pyro_random::Random;
use pyro_shadergen::corpus::Corpus;
use pyro_shadergen::mutate::mutate;
use pyro_test_environment::number;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

fn compile(words: &[u32]) -> Result<(), CompileError> {
    let layout =
        pyro_spirv::Module::decode(words).ok().and_then(|module| layout_of(&module).ok()).unwrap_or_default();
    let request = ComputeRequest {
        module: &pyro_compile::ShaderModule::new(words),
        entry_point: "main",
        specialization: &[],
        layout: &layout,
        subgroup_size: SubgroupSize::Default,
    };
    compile_compute(&request).map(|_| ())
}

#[test]
fn mutated_modules_are_safe() {
    let (count, first) = (number("PYRO_MUTATIONS", 4000), number("PYRO_SEED", 0));
    let corpus = Corpus::from_environment();
    let (mut compiled, mut rejected, mut internal) = (0u64, 0u64, Vec::new());
    for seed in first..first + count {
        let mut words = corpus.module(seed);
        mutate(&mut words, &mut Random::new(seed ^ 0x5eed));
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| compile(&words)));
        // Much more than any takes on a machine that does nothing else.
        assert!(start.elapsed() < Duration::from_secs(60), "mutation {seed} took {:?}", start.elapsed());
        match result {
            Err(_) => panic!("mutation {seed} panicked the compiler"),
            Ok(Ok(())) => compiled += 1,
            Ok(Err(CompileError::Internal(message))) => internal.push((seed, message)),
            Ok(Err(_)) => rejected += 1,
        }
    }
    println!("{compiled} compiled, {rejected} rejected");
    assert!(internal.is_empty(), "blamed on the compiler: {internal:?}");
    let is_generated = matches!(corpus, Corpus::Generated);
    assert!(
        // Of a thousand, two to thirty are valid by chance.
        !is_generated || rejected > count / 4 && compiled > count / 400,
        "{compiled} compiled, {rejected} rejected"
    );
}

#[test]
fn absurd_modules_are_rejected() {
    let header = |bound| vec![0x0723_0203u32, 0x0001_0300, 0, bound, 0];
    assert!(compile(&[]).is_err());
    assert!(compile(&header(1 << 31)).is_err());
    assert!(compile(&header(u32::MAX)).is_err());
    let mut random = Random::new(3);
    for length in [1, 4, 5, 6, 100, 10_000] {
        let mut words = header(100);
        words.extend((0..length).map(|_| random.bits() as u32));
        assert!(compile(&words).is_err());
    }
    // An array of 2^40 bytes, in workgroup memory and as a private variable.
    for class in ["Workgroup", "Private", "Function"] {
        let variable = format!("%big_pointer = OpTypePointer {class} %big\n");
        let (global, local) = match class {
            "Function" => (String::new(), "%variable = OpVariable %big_pointer Function\n".to_owned()),
            _ => (format!("%variable = OpVariable %big_pointer {class}\n"), String::new()),
        };
        let text = format!(
            "; Version: 1.3\nOpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n\
             OpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n%uint = OpTypeInt 32 0\n\
             %large = OpConstant %uint 0x100000\n%row = OpTypeArray %uint %large\n%big = OpTypeArray %row %large\n\
             {variable}%type = OpTypeFunction %void\n%element = OpTypePointer {class} %uint\n%zero = OpConstant %uint 0\n{global}\
             %main = OpFunction %void None %type\n%entry = OpLabel\n{local}\
             %index = OpIAdd %uint %large %zero\n%pointer = OpAccessChain %element %variable %index %index\n\
             OpStore %pointer %index\nOpReturn\nOpFunctionEnd\n"
        );
        let words = pyro_spirv::asm::assemble(&text).expect("valid assembly");
        let error = compile(&words).expect_err("4 TiB of memory");
        assert!(!matches!(error, CompileError::Internal(_)), "{error}");
    }
}

#[test]
fn deep_nesting_is_an_error_or_compiles() {
    for depth in [100, 10_000] {
        let mut text = String::from(
            "; Version: 1.3\nOpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n\
             OpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n%bool = OpTypeBool\n%true = OpConstantTrue %bool\n\
             %type = OpTypeFunction %void\n%main = OpFunction %void None %type\n%b0 = OpLabel\n",
        );
        for level in 0..depth {
            let next = level + 1;
            text += &format!(
                "OpSelectionMerge %m{level} None\nOpBranchConditional %true %b{next} %m{level}\n%b{next} = OpLabel\n"
            );
        }
        for level in (0..depth).rev() {
            text += &format!("OpBranch %m{level}\n%m{level} = OpLabel\n");
        }
        text += "OpReturn\nOpFunctionEnd\n";
        let words = pyro_spirv::asm::assemble(&text).expect("valid assembly");
        match compile(&words) {
            Ok(()) => {}
            Err(error) => {
                assert!(!matches!(error, CompileError::Internal(_)) && depth > 100, "{depth}: {error}")
            }
        }
    }
}
