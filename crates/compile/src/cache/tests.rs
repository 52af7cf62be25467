//! Artifacts through caches: what is found, what is refused.

use super::*;
use crate::graphics::{FragmentRequest, GraphicsShader, compile_fragment};
use crate::{
    Backend, CompileError, ComputeRequest, ShaderModule, SpecConstant, SubgroupSize, compile_compute_for,
};
use pyro_abi::Kernel;
use pyro_fixed::FragmentOutputKey;
use pyro_lower::{FragmentInfo, VaryingLayout};
use pyro_shadertext::Shader;
use pyro_util::codec::Reader;
use std::sync::Arc;

fn compute_text() -> String {
    Shader::compute(
        [32, 1, 1],
        "%place = OpAccessChain %buffer_uint %buffer %uint_0 %factor
        %old = OpLoad %uint %place
        %new = OpIMul %uint %old %factor
        OpStore %place %new",
    )
    .buffers(&["buffer"])
    .decorate("OpDecorate %factor SpecId 3")
    .declare("%factor = OpSpecConstant %uint 7")
    .text()
}

fn fragment_text() -> String {
    Shader::fragment("OpStore %color %white")
        .output("color", "float4", "Location 0")
        .declare("%white = OpConstantComposite %float4 %float_1 %float_1 %float_1 %float_1")
        .text()
}

fn words(text: &str) -> Vec<u32> {
    pyro_spirv::asm::assemble(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Takes or makes the compute shader with this specialization constant.
pub(super) fn compute(session: &Session<'_>, factor: u32) -> Result<Arc<dyn Kernel>, CompileError> {
    let constant = SpecConstant { id: 3, bytes: factor.to_le_bytes().to_vec() };
    specialized(session, &[constant])
}

fn specialized(session: &Session<'_>, constants: &[SpecConstant]) -> Result<Arc<dyn Kernel>, CompileError> {
    let words = words(&compute_text());
    let module = pyro_spirv::Module::decode(&words).expect("decodes");
    let layout = crate::reflect::layout_of(&module).expect("has a layout");
    let request = ComputeRequest {
        module: &ShaderModule::new(&words),
        entry_point: "main",
        specialization: constants,
        layout: &layout,
        subgroup_size: SubgroupSize::Default,
    };
    let backend = Backend::best();
    let key = ("compute", backend, &words, request.specialization);
    session.artifact(key, || compile_compute_for(&request, backend, None))
}

pub(super) fn portable(kernel: &Arc<dyn Kernel>) -> Vec<u8> {
    kernel.portable().expect("machine code")
}

/// Whether there is machine code on this processor; otherwise nothing has a form as bytes.
pub(super) fn has_machine_code() -> bool {
    let has = Backend::best() != Backend::Interpreter;
    if !has {
        pyro_test_environment::skip_current_test(pyro_test_environment::Need::MachineCode);
    }
    has
}

#[test]
fn exported_cache_data_loads_in_another_process() {
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
    let words = words(&fragment_text());
    let shader = GraphicsShader::unchecked(Arc::new(ShaderModule::new(&words)), "main", &[]);
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
pub(super) struct Scratch(pub(super) std::path::PathBuf);

impl Scratch {
    pub(super) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("pyroclast-cache-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Scratch(path)
    }

    pub(super) fn files(&self) -> Vec<std::path::PathBuf> {
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

/// Code that somebody changed and sealed with a key of their own, as whoever can write the bytes can.
fn forged(data: &[u8]) -> Vec<u8> {
    let (mut reader, other) = (Reader::new(data), SealKey::random());
    let mut forged = Vec::new();
    while let Some((key, bytes)) = SealKey::of_user().unseal(&mut reader) {
        let mut bytes = bytes.expect("is ours").to_vec();
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
        other.seal(key, &bytes, &mut forged);
    }
    forged
}

#[test]
fn forged_code_is_not_used() {
    if !has_machine_code() {
        return;
    }
    let (whole, scratch) = (MemoryCache::default(), Scratch::new("forged"));
    let directory = DiskCache::open(&scratch.0, 1 << 20).unwrap();
    let session = Session::uncached().with_application(Some(&whole)).with_directory(Some(&directory));
    compute(&session, 2).unwrap();
    let mut data = Vec::new();
    whole.write(&mut data);
    let data = forged(&data);
    let memory = MemoryCache::default();
    memory.read(&data);
    assert!(!data.is_empty() && memory.is_empty());
    let [file] = &scratch.files()[..] else { panic!("one file") };
    let in_file = std::fs::read(file).unwrap();
    let session = Session::uncached().with_directory(Some(&directory)).must_not_compile(true);
    assert!(compute(&session, 2).is_ok());
    std::fs::write(file, forged(&in_file)).unwrap();
    assert!(matches!(compute(&session, 2), Err(CompileError::Required)));
    // Only regular files are opened: reading a FIFO would wait for a writer.
    std::fs::remove_file(file).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, file, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert!(matches!(compute(&session, 2), Err(CompileError::Required)));
    std::fs::remove_file(file).unwrap();
    let elsewhere = scratch.0.join("elsewhere");
    std::fs::write(&elsewhere, &in_file).unwrap();
    std::os::unix::fs::symlink(&elsewhere, file).unwrap();
    assert!(matches!(compute(&session, 2), Err(CompileError::Required)), "a link");
}

/// Another process with the same key file uses what this one has written; one with another key, or without
/// any, does not.
#[test]
fn processes_of_one_installation_share_artifacts() {
    const NAME: &str = "cache::tests::processes_of_one_installation_share_artifacts";
    let content = Words(Arc::from([1, 2, 3]));
    let digest = Digest::of(&content.0[..]);
    let path = std::env::var_os("PYRO_TEST_CACHE_DATA").map(std::path::PathBuf::from);
    if let Some(path) = path {
        // One of the processes that are started below.
        let cache = MemoryCache::default();
        let session = Session::uncached().with_application(Some(&cache));
        if let Ok(data) = std::fs::read(&path) {
            cache.read(&data);
            let module = session.shader_module(digest);
            println!("found: {}", module.is_some_and(|module| module.words() == &content.0[..]));
        } else {
            session.keep_words(digest, &content);
            let mut data = Vec::new();
            cache.write(&mut data);
            std::fs::write(&path, data).unwrap();
        }
        return;
    }
    let scratch = Scratch::new("processes");
    std::fs::create_dir_all(&scratch.0).unwrap();
    let data = scratch.0.join("data");
    let output = |variable: &str, home: &str| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", NAME, "--nocapture"]).env("PYRO_TEST_CACHE_DATA", &data);
        command.env_remove("HOME").env_remove("XDG_DATA_HOME").env(variable, scratch.0.join(home));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    output("HOME", "one");
    assert!(scratch.0.join("one/.local/share/pyroclast/cache-key").is_file());
    assert!(output("HOME", "one").contains("found: true"));
    assert!(output("XDG_DATA_HOME", "one/.local/share").contains("found: true"));
    assert!(output("HOME", "two").contains("found: false"));
    // No key can be made below a file.
    assert!(output("HOME", "data").contains("found: false"));
}

/// Every crate that the compiler is built from is part of the build's identity, as cargo sees them.
#[test]
fn the_build_identity_covers_all_crates() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tree = std::process::Command::new(cargo)
        .args(["tree", "--offline", "--package", "pyro-compile", "--edges", "normal,build"])
        .args(["--prefix", "depth", "--format", " {p}", "--no-dedupe"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8(tree.stdout).expect("text");
    // With features unified over the workspace, cargo shows the trees of all its packages.
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let of_compile =
        lines.skip_while(|(depth, package)| *depth != "0" || !package.starts_with("pyro-compile "));
    let below = of_compile.enumerate().take_while(|(index, (depth, _))| *index == 0 || *depth != "0");
    let names = below.filter_map(|(_, (_, package))| package.split(' ').next());
    let crates: std::collections::BTreeSet<&str> = names.filter(|name| name.starts_with("pyro-")).collect();
    assert!(crates.contains("pyro-ptx") && crates.contains("pyro-validate"));
    assert_eq!(build_crates(), crates.into_iter().collect::<Vec<_>>());
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

/// A file that is not a regular one is not an artifact: nobody waits for the other end of a FIFO, reads a
/// device, or follows a link. It is replaced by what is made anew.
#[test]
fn special_files_in_a_directory_are_replaced() {
    use rustix::fs::{CWD, FileType, Mode};
    let scratch = Scratch::new("special");
    let directory = DiskCache::open(&scratch.0, 1 << 20).expect("opens");
    let key = Digest::of("an artifact");
    directory.put(key, &FragmentInfo::default());
    let [file] = scratch.files().try_into().expect("one file");
    let whole = std::fs::read(&file).expect("reads");
    let elsewhere = scratch.0.join("elsewhere");
    std::fs::write(&elsewhere, &whole).expect("writes");
    let node = |ty| rustix::fs::mknodat(CWD, &file, ty, Mode::RUSR | Mode::WUSR, 0).map_err(Into::into);
    let kinds: [(&str, &dyn Fn() -> std::io::Result<()>); 5] = [
        ("a FIFO", &|| node(FileType::Fifo)),
        ("a socket", &|| node(FileType::Socket)),
        ("a link to a device", &|| std::os::unix::fs::symlink("/dev/zero", &file)),
        ("a terminal", &|| std::os::unix::fs::symlink("/dev/tty", &file)),
        ("a link to a whole artifact", &|| std::os::unix::fs::symlink(&elsewhere, &file)),
    ];
    for (kind, make) in kinds {
        std::fs::remove_file(&file).expect("removes");
        make().expect(kind);
        assert!(directory.get::<FragmentInfo>(key).is_none(), "{kind}");
        directory.put(key, &FragmentInfo::default());
        assert!(directory.get::<FragmentInfo>(key).is_some(), "{kind} is replaced");
        assert!(std::fs::symlink_metadata(&file).expect("metadata").is_file(), "{kind}");
    }
    // A directory cannot be replaced by a file: nothing is kept.
    std::fs::remove_file(&file).expect("removes");
    std::fs::create_dir(&file).expect("a directory");
    directory.put(key, &FragmentInfo::default());
    assert!(directory.get::<FragmentInfo>(key).is_none());
    assert_eq!(std::fs::read(&elsewhere).expect("reads"), whole);
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
fn code_of_other_specialization_constants_is_not_used() {
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
