//! Artifacts through caches: what is found, what is refused.

use super::*;
use crate::graphics::{FragmentRequest, GraphicsShader, compile_fragment};
use crate::{Backend, CompileError, ComputeRequest, SpecConstant, SubgroupSize, compile_compute_for};
use pyro_abi::Kernel;
use pyro_fixed::FragmentOutputKey;
use pyro_lower::{FragmentInfo, VaryingLayout};
use std::sync::Arc;

const COMPUTE: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %words ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
OpDecorate %factor SpecId 3
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%c0 = OpConstant %uint 0
%factor = OpSpecConstant %uint 7
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%block_ptr = OpTypePointer StorageBuffer %block
%word_ptr = OpTypePointer StorageBuffer %uint
%buffer = OpVariable %block_ptr StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%place = OpAccessChain %word_ptr %buffer %c0 %factor
%old = OpLoad %uint %place
%new = OpIMul %uint %old %factor
OpStore %place %new
OpReturn
OpFunctionEnd";

const FRAGMENT: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %color Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%one = OpConstant %float 1
%white = OpConstantComposite %vec4 %one %one %one %one
%out = OpTypePointer Output %vec4
%color = OpVariable %out Output
%main = OpFunction %void None %fn
%entry = OpLabel
OpStore %color %white
OpReturn
OpFunctionEnd";

fn words(text: &str) -> Vec<u32> {
    pyro_spirv::asm::assemble(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Takes or makes the compute shader with this specialization constant.
fn compute(session: &Session<'_>, factor: u32) -> Result<Arc<dyn Kernel>, CompileError> {
    let constant = SpecConstant { id: 3, bytes: factor.to_le_bytes().to_vec() };
    specialized(session, &[constant])
}

fn specialized(session: &Session<'_>, constants: &[SpecConstant]) -> Result<Arc<dyn Kernel>, CompileError> {
    let words = words(COMPUTE);
    let module = pyro_spirv::Module::decode(&words).expect("decodes");
    let layout = crate::reflect::layout_of(&module).expect("has a layout");
    let request = ComputeRequest {
        words: &words,
        entry_point: "main",
        specialization: constants,
        layout: &layout,
        subgroup_size: SubgroupSize::Default,
    };
    let backend = Backend::best();
    let key = ("compute", backend, &words, request.specialization);
    session.artifact(key, || compile_compute_for(&request, backend, None))
}

fn portable(kernel: &Arc<dyn Kernel>) -> Vec<u8> {
    kernel.portable().expect("machine code")
}

/// Whether there is machine code on this processor; otherwise nothing has a form as bytes.
fn has_machine_code() -> bool {
    let has = Backend::best() != Backend::Interpreter;
    if !has {
        pyro_test_environment::skip_current_test(pyro_test_environment::Need::MachineCode);
    }
    has
}

#[test]
fn memory_gives_code_back_in_another_process() {
    if !has_machine_code() {
        return;
    }
    let first = MemoryCache::default();
    let session = Session::uncached().with_application(Some(&first));
    let made = compute(&session, 2).unwrap();
    assert_eq!((session.hit(), session.made()), (false, 1));
    compute(&session, 3).unwrap();
    let mut data = Vec::new();
    first.write(&mut data);

    let second = MemoryCache::default();
    second.read(&data);
    assert_eq!(second.len(), 2);
    let session = Session::uncached().with_application(Some(&second)).must_not_compile(true);
    let found = compute(&session, 2).unwrap();
    assert_eq!((session.hit(), session.made()), (true, 0));
    assert_eq!(portable(&found), portable(&made));
    assert_eq!(found.info(), made.info());
    // Found again it is the same one.
    assert!(Arc::ptr_eq(&found, &compute(&session, 2).unwrap()));
    assert!(matches!(compute(&session, 4), Err(CompileError::Required)));
    let mut again = Vec::new();
    second.write(&mut again);
    assert_eq!(again, data);

    let third = MemoryCache::default();
    third.merge(&second);
    assert_eq!(third.len(), 2);
}

#[test]
fn damaged_bytes_are_left_out() {
    if !has_machine_code() {
        return;
    }
    let whole = MemoryCache::default();
    let session = Session::uncached().with_application(Some(&whole));
    let made = compute(&session, 2).unwrap();
    let mut data = Vec::new();
    whole.write(&mut data);
    let finds = |data: &[u8]| {
        let memory = MemoryCache::default();
        memory.read(data);
        let session = Session::uncached().with_application(Some(&memory)).must_not_compile(true);
        compute(&session, 2).ok()
    };
    assert_eq!(portable(&finds(&data).unwrap()), portable(&made));
    for at in 0..data.len() {
        let mut damaged = data.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(finds(&damaged).is_none(), "byte {at} of {}", data.len());
    }
    for len in (0..data.len()).step_by(7) {
        assert!(finds(&data[..len]).is_none(), "{len} bytes");
    }
    // What is damaged does not hide what is behind it.
    let mut both = data.clone();
    *both.last_mut().unwrap() ^= 1;
    both.extend_from_slice(&data);
    assert!(finds(&both).is_some());
}

#[test]
fn fragments_and_facts_round_trip() {
    let memory = MemoryCache::default();
    let words = words(FRAGMENT);
    let shader = GraphicsShader::unchecked(&words, Digest::of(&words), "main", &[]);
    let outputs = VaryingLayout::default();
    let key = FragmentOutputKey { samples: 1, ..FragmentOutputKey::default() };
    let layout = pyro_abi::PipelineLayout::default();
    let request = FragmentRequest {
        shader: Some(&shader),
        layout: &layout,
        subgroup_size: SubgroupSize::Default,
        key: &key,
        variant: pyro_fixed::Variant::SinglePrimitive,
        from: &outputs,
    };
    let backend = Backend::best();
    let make = |session: &Session<'_>| {
        let facts = session.artifact(&shader, || shader.fragment_info()).unwrap();
        let compiled = session.artifact(request, || compile_fragment(&request, backend, None));
        (facts, compiled)
    };
    let session = Session::uncached().with_application(Some(&memory));
    let (facts, compiled) = make(&session);
    let compiled = compiled.unwrap();
    assert_eq!(session.made(), 2);
    let mut data = Vec::new();
    memory.write(&mut data);
    let loaded = MemoryCache::default();
    loaded.read(&data);
    let session = Session::uncached().with_application(Some(&loaded)).must_not_compile(true);
    let (found_facts, found) = make(&session);
    assert_eq!(found_facts, facts);
    if has_machine_code() {
        let found = found.unwrap();
        assert_eq!(found.setup, compiled.setup);
        assert_eq!(portable(&found.kernel), portable(&compiled.kernel));
        assert!(session.hit());
    }
}

/// A directory of its own for a test, removed at the end.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("pyroclast-cache-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Scratch(path)
    }

    fn files(&self) -> Vec<std::path::PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.0.join(BUILD)) else { return Vec::new() };
        entries.flatten().map(|entry| entry.path()).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn directories_keep_code_for_the_next_process() {
    if !has_machine_code() {
        return;
    }
    let scratch = Scratch::new("keep");
    let directory = DiskCache::open(&scratch.0, 1 << 20).unwrap();
    let session = Session::uncached().with_directory(Some(&directory));
    let made = compute(&session, 2).unwrap();
    let [file] = &scratch.files()[..] else { panic!("one file") };
    let next = DiskCache::open(&scratch.0, 1 << 20).unwrap();
    let session = Session::uncached().with_directory(Some(&next)).must_not_compile(true);
    let found = compute(&session, 2).unwrap();
    assert_eq!(portable(&found), portable(&made));
    // The application's cache had nothing to do with it.
    assert!(!session.hit());
    let whole = std::fs::read(file).unwrap();
    for (at, damage) in [(0, 1), (whole.len() / 2, 0x80), (whole.len() - 1, 1)] {
        let mut damaged = whole.clone();
        damaged[at] ^= damage;
        std::fs::write(file, &damaged).unwrap();
        assert!(matches!(compute(&session, 2), Err(CompileError::Required)), "byte {at}");
    }
    std::fs::write(file, &whole[..whole.len() - 1]).unwrap();
    assert!(matches!(compute(&session, 2), Err(CompileError::Required)));
    // A file under another key's name is not taken for it.
    std::fs::write(file, &whole).unwrap();
    let other = file.with_file_name("0123456789abcdef0123456789abcdef");
    std::fs::rename(file, &other).unwrap();
    assert!(matches!(compute(&session, 2), Err(CompileError::Required)));
}

#[test]
fn directories_stay_below_their_limit() {
    if !has_machine_code() {
        return;
    }
    let scratch = Scratch::new("limit");
    let limit = 20_000;
    let directory = DiskCache::open(&scratch.0, limit).unwrap();
    let foreign = scratch.0.join("notes.txt");
    std::fs::write(&foreign, [0; 50_000]).unwrap();
    let session = Session::uncached().with_directory(Some(&directory));
    for factor in 0..60 {
        compute(&session, factor).unwrap();
    }
    let total: u64 = scratch.files().iter().map(|file| file.metadata().unwrap().len()).sum();
    assert!(total > 0 && total <= limit + limit / 8 + 4096, "{total}");
    assert!(foreign.exists());
}

#[cfg(unix)]
#[test]
fn directories_that_others_can_write_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("shared");
    std::fs::create_dir_all(&scratch.0).unwrap();
    std::fs::set_permissions(&scratch.0, PermissionsExt::from_mode(0o777)).unwrap();
    assert!(DiskCache::open(&scratch.0, 1 << 20).is_err());
}

#[test]
fn several_threads_share_a_directory() {
    if !has_machine_code() {
        return;
    }
    let scratch = Scratch::new("threads");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let directory = DiskCache::open(&scratch.0, 4000).unwrap();
                let session = Session::uncached().with_directory(Some(&directory));
                for round in 0..20 {
                    let kernel = compute(&session, round % 5).unwrap();
                    assert_eq!(kernel.info().workgroup_size, [32, 1, 1]);
                }
            });
        }
    });
    assert!(scratch.files().iter().all(|file| file.extension().is_none()));
}

#[test]
fn facts_alone_decode_strictly() {
    let facts = FragmentInfo { sample_shading: true, ..FragmentInfo::default() };
    let bytes = facts.encode().unwrap();
    assert_eq!(FragmentInfo::decode(&mut Reader::new(&bytes)), Some(facts));
    assert_eq!(FragmentInfo::decode(&mut Reader::new(&[7, 0])), None);
}

/// Values of any size may be given for constants that the shader lacks.
#[test]
fn values_of_other_constants_are_not_used() {
    if !has_machine_code() {
        return;
    }
    let session = Session::uncached();
    let of_size = |id: u32, size: usize| SpecConstant { id, bytes: vec![7; size] };
    let factor = SpecConstant { id: 3, bytes: 2u32.to_le_bytes().to_vec() };
    let others = [of_size(0, 0), of_size(1, 3), factor, of_size(9, 16), of_size(10, 8)];
    let made = specialized(&session, &others).expect("compiles");
    assert_eq!(portable(&made), portable(&compute(&Session::uncached(), 2).unwrap()));
}
