//! Broken modules never panic the checks, and take bounded time; what is accepted keeps what is promised.

use pyro_interface::Interface;
use pyro_interface::pipeline::{self, Pipeline, PipelineStage};
use pyro_random::Random;
use pyro_spirv::asm::assemble;
use pyro_spirv::spirv::Op;
use pyro_spirv::{ConstantValues, Module, Specialization};
use pyro_validate::{Device, Environment, check, validate};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Walks what an accepted module promises; panics when it does not hold.
fn rely_on(module: Module) {
    let Ok(checked) = validate(Arc::new(module), &Environment::default()) else { return };
    let module = checked.module();
    for function in module.functions() {
        let structure = checked.cfg(function);
        for block in module.function(function).blocks() {
            if !structure.is_reachable(block) {
                continue;
            }
            assert!(structure.order_of(block).is_some());
            if let Some(idom) = structure.idom(block) {
                assert!(idom < block && structure.dominates(idom, block));
            }
            for label in module.successors(block) {
                assert_eq!(module.block(module.block_of(label).unwrap()).function, function);
            }
            for inst in module.body(block) {
                if let Some(ty) = inst.result_type() {
                    assert!(module.definition(ty).is_some());
                }
                match inst.op() {
                    Op::Load => assert_eq!(
                        module.pointer(module.type_of(inst.id(0)).unwrap()).unwrap().1,
                        inst.result_type().unwrap()
                    ),
                    Op::FAdd | Op::FMul => assert_eq!(module.type_of(inst.id(1)), inst.result_type()),
                    Op::FunctionCall => assert!(module.function_of(inst.id(0)).is_some()),
                    _ => {}
                }
            }
        }
    }
}

fn originals() -> Vec<Vec<u32>> {
    [
        include_str!("../../../spirv/tests/compute.spvasm"),
        include_str!("../../../spirv/tests/debuginfo.spvasm"),
        include_str!("../control.spvasm"),
    ]
    .map(|text| assemble(text).unwrap())
    .into()
}

/// All rules, on a device with hardly anything in every second round.
fn strict(round: usize) -> Environment {
    let mut device = if round.is_multiple_of(2) { Device::everything() } else { Device::bare(1, 0) };
    for limit in ["maxComputeWorkGroupInvocations", "maxTexelOffset", "minTexelOffset", "maxVectorComponents"]
    {
        device.set_property(limit, 1);
    }
    Environment { strict: true, device: Some(device), ..Environment::default() }
}

/// Holds the interfaces of an accepted module's entry points against one another.
fn pair_with_itself(module: &Module) {
    if check(module, &Environment::default()).is_err() {
        return;
    }
    let constants = &ConstantValues::evaluate(module, &Specialization::new()).unwrap();
    let interfaces: Vec<_> =
        module.entry_points().filter_map(|entry| Interface::of(constants, &entry).ok()).collect();
    let stages = interfaces.iter().map(|interface| PipelineStage { constants, interface }).collect();
    let _ = pipeline::check(&Pipeline { stages, ..Pipeline::default() });
}

#[test]
fn random_words_never_panic() {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let mut decoded = 0;
    for round in 0..20_000 {
        let mut words = vec![0x0723_0203, 0x0001_0000 | (random.below(7) as u32) << 8, 0, 30, 0];
        // Instructions of plausible opcodes and lengths, with small operands.
        for _ in 0..1 + random.below(12) {
            let (opcode, len) = (random.below(330) as u32, 1 + random.below(6));
            words.push((len as u32) << 16 | opcode);
            words.extend((1..len).map(|_| random.below(34) as u32));
        }
        let Ok(module) = Module::decode(&words) else { continue };
        decoded += 1;
        let _ = check(&module, &Environment::default());
        let _ = check(&module, &strict(round));
    }
    assert!(decoded > 20, "{decoded} decoded");
}

#[test]
fn originals_are_accepted() {
    for words in originals() {
        let module = Module::decode(&words).unwrap();
        if let Err(found) = check(&module, &Environment::default()) {
            panic!("{}", found[0]);
        }
    }
}

#[test]
fn mutations_never_panic() {
    let originals = originals();
    let mut random = Random::new(0x853c_49e6_748f_ea9b);
    let (mut decoded, mut accepted) = (0, 0);
    let begin = Instant::now();
    for round in 0..12_000 {
        let mut words = originals[round % originals.len()].clone();
        let ids = words[3] as usize;
        for _ in 0..1 + random.below(3) {
            let place = 5 + random.below(words.len() - 5);
            match random.below(5) {
                0 => words[place] ^= 1 << random.below(32),
                // Another id, or another small number.
                1 | 2 => words[place] = random.below(ids) as u32,
                3 => words[place] = words[5 + random.below(words.len() - 5)],
                _ => {
                    let opcode = random.below(400) as u32;
                    words[place] = words[place] & 0xffff_0000 | opcode;
                }
            }
        }
        let Ok(module) = Module::decode(&words) else { continue };
        decoded += 1;
        accepted += usize::from(check(&module, &Environment::default()).is_ok());
        let _ = check(&module, &strict(round));
        pair_with_itself(&module);
        rely_on(module);
    }
    // Small changes often decode, and sometimes matter to no rule; otherwise this would show nothing.
    assert!(decoded > 1000 && accepted > 300, "{decoded} decoded, {accepted} accepted");
    assert!(begin.elapsed() < Duration::from_secs(60));
}

/// Time that this thread has run, which other load on the machine does not add to; none where the system does
/// not say.
fn thread_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// Time grows with size, not with its square.
#[test]
fn time_is_near_linear() {
    let chain = |count: usize| {
        let mut text =
            "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n\
            %void = OpTypeVoid\n%bool = OpTypeBool\n%int = OpTypeInt 32 1\n%yes = OpConstantTrue %bool\n\
            %one = OpConstant %int 1\n%fn = OpTypeFunction %void\n%main = OpFunction %void None %fn\n\
            %entry = OpLabel\nOpBranch %head\n%head = OpLabel\nOpLoopMerge %exit %next None\nOpBranch %b0\n"
                .to_owned();
        // Every block may leave the loop: a long chain of dominators, all of which meet in one block.
        for index in 0..count {
            text += &format!(
                "%b{index} = OpLabel\n%v{index} = OpIAdd %int %one %one\nOpBranchConditional %yes %b{} %exit\n",
                index + 1
            );
        }
        text += &format!(
            "%b{count} = OpLabel\nOpBranch %next\n%next = OpLabel\nOpBranch %head\n%exit = OpLabel\nOpReturn\n\
             OpFunctionEnd"
        );
        assemble(&text).unwrap()
    };
    let time = |words: &[u32], runs: u32| {
        let begin = (Instant::now(), thread_time());
        for _ in 0..runs {
            let module = Module::decode(words).unwrap();
            assert!(check(&module, &Environment::default()).is_ok());
        }
        begin.1.zip(thread_time()).map_or(begin.0.elapsed(), |(begin, end)| end - begin)
    };
    let (small, large) = (chain(2_000), chain(64_000));
    let best = |words: &[u32], runs: u32| (0..3).map(|_| time(words, runs)).min().unwrap();
    // As many instructions in all, so that a quadratic step would take 32 times as long, each time: what else
    // the machine does can only make one attempt look bad.
    let mut attempts = Vec::new();
    for _ in 0..6 {
        let (one, other) = (best(&small, 32), best(&large, 1));
        if other < one * 6 + Duration::from_millis(20) {
            return;
        }
        attempts.push((one, other));
    }
    panic!("{attempts:?}");
}
