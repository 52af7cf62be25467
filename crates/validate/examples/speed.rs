//! How long checking takes, beside spirv-val where that is installed: `cargo run --release -p pyro-validate
//! --example speed -- [FILE…]`. Without files, modules of three sizes are made up: functions with loops,
//! branches, arithmetic, memory accesses and calls. `--repeat decode FILE…`, or `check` or `strict`, does
//! nothing but that for two seconds, for a profiler.

use pyro_spirv::Module;
use pyro_spirv::asm::assemble;
use pyro_validate::{Device, Environment, check};
use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

/// A module of about this many bytes.
fn generate(bytes: usize) -> Vec<u8> {
    let mut text = String::from(
        "; Version: 1.3\nOpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %gid\n\
         OpExecutionMode %main LocalSize 8 1 1\nOpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %floats ArrayStride 4\n\
         OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0\nOpDecorate %data DescriptorSet 0\n\
         OpDecorate %data Binding 0\n%void = OpTypeVoid\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n\
         %float = OpTypeFloat 32\n%uint3 = OpTypeVector %uint 3\n%float4 = OpTypeVector %float 4\n\
         %floats = OpTypeRuntimeArray %float\n%Block = OpTypeStruct %floats\n%p_block = OpTypePointer StorageBuffer %Block\n\
         %p_float = OpTypePointer StorageBuffer %float\n%p_in = OpTypePointer Input %uint3\n\
         %p_local = OpTypePointer Function %float\n%data = OpVariable %p_block StorageBuffer\n\
         %gid = OpVariable %p_in Input\n%c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n%c9 = OpConstant %uint 9\n\
         %one = OpConstant %float 1\n%fn = OpTypeFunction %float %uint\n%fn_main = OpTypeFunction %void\n",
    );
    // One function has about 400 bytes of words.
    let count = (bytes / 436).max(1);
    for f in 0..count {
        let _ = write!(
            text,
            "%f{f} = OpFunction %float None %fn\n%n{f} = OpFunctionParameter %uint\n%a{f} = OpLabel\n\
             %v{f} = OpVariable %p_local Function\nOpStore %v{f} %one\nOpBranch %head{f}\n%head{f} = OpLabel\n\
             %i{f} = OpPhi %uint %c0 %a{f} %next{f} %cont{f}\nOpLoopMerge %exit{f} %cont{f} None\nOpBranch %test{f}\n\
             %test{f} = OpLabel\n%less{f} = OpULessThan %bool %i{f} %c9\nOpBranchConditional %less{f} %body{f} %exit{f}\n\
             %body{f} = OpLabel\n%at{f} = OpIAdd %uint %i{f} %n{f}\n%p{f} = OpAccessChain %p_float %data %c0 %at{f}\n\
             %x{f} = OpLoad %float %p{f}\n%y{f} = OpFMul %float %x{f} %x{f}\n%z{f} = OpFAdd %float %y{f} %one\n\
             %big{f} = OpFOrdGreaterThan %bool %z{f} %one\nOpSelectionMerge %join{f} None\n\
             OpBranchConditional %big{f} %then{f} %join{f}\n%then{f} = OpLabel\n%w{f} = OpLoad %float %v{f}\n\
             %s{f} = OpFAdd %float %w{f} %z{f}\nOpStore %v{f} %s{f}\nOpBranch %join{f}\n%join{f} = OpLabel\n\
             %vec{f} = OpCompositeConstruct %float4 %x{f} %y{f} %z{f} %one\n%dot{f} = OpDot %float %vec{f} %vec{f}\n\
             OpStore %p{f} %dot{f}\nOpBranch %cont{f}\n%cont{f} = OpLabel\n%next{f} = OpIAdd %uint %i{f} %c1\n\
             OpBranch %head{f}\n%exit{f} = OpLabel\n%r{f} = OpLoad %float %v{f}\nOpReturnValue %r{f}\nOpFunctionEnd\n"
        );
    }
    text += "%main = OpFunction %void None %fn_main\n%entry = OpLabel\n%id = OpLoad %uint3 %gid\n\
             %first = OpCompositeExtract %uint %id 0\n";
    for f in 0..count {
        let _ = writeln!(text, "%call{f} = OpFunctionCall %float %f{f} %first");
    }
    text += "OpReturn\nOpFunctionEnd\n";
    assemble(&text).expect("the text is well formed").into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Time that this thread has run, which other load on the machine does not add to; none where the system does
/// not say.
fn thread_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// Processor time of a run: the least mean of three batches, each long enough for the system's counter.
fn best(mut run: impl FnMut()) -> Duration {
    let times = (0..3).map(|_| {
        let (begin, before, mut runs) = (Instant::now(), thread_time(), 0);
        loop {
            run();
            runs += 1;
            let spent = before.zip(thread_time()).map_or(begin.elapsed(), |(before, after)| after - before);
            if spent > Duration::from_millis(200) {
                return spent / runs;
            }
        }
    });
    times.min().unwrap_or_default()
}

/// Processor time of the programs that this one has run and waited for, in steps of a hundredth of a second.
fn children_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name, in parentheses, may hold anything.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |place: usize| fields.get(place)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(13)? + ticks(14)?)))
}

/// Processor time of runs of another program that take a tenth of a second together; the least of three
/// means.
fn best_of_program(mut run: impl FnMut()) -> Duration {
    let times = (0..3).map(|_| {
        let (begin, before, mut runs) = (Instant::now(), children_time(), 0);
        loop {
            run();
            runs += 1;
            let spent = before.zip(children_time()).map_or(begin.elapsed(), |(before, after)| after - before);
            // Where it cannot be run, nothing is spent.
            if spent >= Duration::from_millis(100) || begin.elapsed() > Duration::from_secs(5) {
                return spent / runs;
            }
        }
    });
    times.min().unwrap_or_default()
}

/// The most memory that this process has had, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

fn measure(name: &str, path: &str, bytes: &[u8]) {
    let default = Environment::default();
    let strict = Environment { strict: true, device: Some(Device::version(1, 3)), ..Environment::default() };
    let before = peak_memory();
    let decode = best(|| drop(Module::decode_bytes(bytes)));
    let module = match Module::decode_bytes(bytes) {
        Ok(module) => module,
        Err(error) => return println!("{name}: {error}"),
    };
    let base = best(|| drop(check(&module, &default)));
    let all = best(|| drop(check(&module, &strict)));
    let grown = peak_memory().saturating_sub(before);
    let is_fine = check(&module, &strict).is_ok();
    let theirs = best_of_program(|| {
        let _ = Command::new("spirv-val").args(["--target-env", "vulkan1.3", path]).output();
    });
    let total = decode + all;
    println!(
        "{name}: {} bytes, decode {decode:.1?}, check {base:.1?}, strict {all:.1?} (clean: {is_fine}), memory {:.1}x; \
         spirv-val {theirs:.1?}, {:.1} times as long as decoding and strict checking",
        bytes.len(),
        grown as f64 / bytes.len() as f64,
        theirs.as_secs_f64() / total.as_secs_f64()
    );
}

/// One step on some files for two seconds.
fn repeat(step: &str, files: &[String]) {
    let default = Environment::default();
    let strict = Environment { strict: true, device: Some(Device::version(1, 3)), ..Environment::default() };
    let read = |file: &String| std::fs::read(file).expect("a file");
    let contents: Vec<Vec<u8>> = files.iter().map(read).collect();
    let modules: Vec<Module> = contents.iter().filter_map(|bytes| Module::decode_bytes(bytes).ok()).collect();
    let (begin, mut runs) = (Instant::now(), 0);
    while begin.elapsed() < Duration::from_secs(2) {
        match step {
            "decode" => contents.iter().for_each(|bytes| drop(Module::decode_bytes(bytes))),
            "check" => modules.iter().for_each(|module| drop(check(module, &default))),
            _ => modules.iter().for_each(|module| drop(check(module, &strict))),
        }
        runs += 1;
    }
    println!("{step}: {:.1?} a round", thread_time().unwrap_or(begin.elapsed()) / runs);
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if let [option, step, files @ ..] = &files[..]
        && option == "--repeat"
    {
        return repeat(step, files);
    }
    if files.is_empty() {
        for bytes in [64 << 10, 1 << 20, 4 << 20] {
            let module = generate(bytes);
            let path = std::env::temp_dir().join(format!("pyroclast-speed-{}.spv", std::process::id()));
            std::fs::write(&path, &module).expect("a file in the temporary folder");
            // In a process of its own, whose memory is that of checking alone.
            let program = std::env::current_exe().expect("a program has a path");
            let _ = Command::new(program).arg(&path).status();
            let _ = std::fs::remove_file(path);
        }
    }
    for file in &files {
        measure(file, file, &std::fs::read(file).expect("a file"));
    }
}
