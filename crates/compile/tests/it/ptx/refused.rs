//! What is wrong with texts is said with its line and rule; nothing panics.

use super::support::{kernel, map};
use pyro_compile::Backend;
use pyro_compile::ptx::{KernelRequest, compile_kernel_for};
use pyro_ptx::{ErrorKind, Launch, Module, PtxError, lower};
use pyro_util::sanitize::KindSet;

const LAUNCH: Launch =
    Launch { block: [64, 1, 1], dynamic_shared_bytes: 0, sanitize: KindSet::NONE, trace: false };

/// Reads a text and lowers its kernel `k`.
fn error_of(text: &str) -> Option<PtxError> {
    match Module::parse(text.as_bytes()) {
        Ok(module) => lower(&module, "k", &LAUNCH).err(),
        Err(error) => Some(error),
    }
}

#[test]
fn errors_say_what_and_where() {
    let cases: &[(&str, ErrorKind, &str)] = &[
        ("frob.u32 %r1, %r2;", ErrorKind::Invalid, "is not an instruction"),
        ("add.u32 %r1, %r2;", ErrorKind::Invalid, "takes 3 operands"),
        ("add.u32 %r1, %r2, %rd1;", ErrorKind::Invalid, "a register of .b64 is used as .u32"),
        ("add.u32 %r1, %r2, 0f3F800000, 4;", ErrorKind::Invalid, "takes 3 operands"),
        ("add.u32 %r99, %r2, %r3;", ErrorKind::Invalid, "%r99 is not declared"),
        ("bra NOWHERE;", ErrorKind::Invalid, "\"NOWHERE\" is not declared"),
        ("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", ErrorKind::Unsupported, "textures"),
        ("wmma.mma.sync.foo %r1, %r2;", ErrorKind::Unsupported, "wmma"),
        ("add.rz.f64 %fd1, %fd2, %fd3;", ErrorKind::Unsupported, "not rounded to nearest"),
        ("add.frob.u32 %r1, %r2, %r3;", ErrorKind::Unsupported, ".frob in add"),
        ("st.const.u32 [%rd1], %r1;", ErrorKind::Invalid, "only read"),
        ("call vprintf, (%rd1, %rd1);", ErrorKind::Unsupported, "no body"),
        ("call.uni itself, ();", ErrorKind::Unsupported, "calls itself"),
        ("bar.arrive 1, 64;", ErrorKind::Unsupported, "bar.arrive"),
        ("bar.sync 1, 32;", ErrorKind::Unsupported, "some of the block's warps"),
        ("@%r1 add.u32 %r1, %r2, %r3;", ErrorKind::Invalid, "not a predicate"),
        ("X: add.u32 %r1, %r2, %r3; X: ret;", ErrorKind::Invalid, "declared twice"),
        ("mov.u32 %r1, %cluster_ctaid.x;", ErrorKind::Unsupported, "%cluster_ctaid"),
        ("{ { ret; }", ErrorKind::Invalid, "end"),
    ];
    let outside = ".extern .func vprintf(.param .b64 a, .param .b64 b);\n.func itself()\n{\ncall.uni itself, ();\nret;\n}";
    for (line, kind, message) in cases {
        let text = kernel(1, outside, line);
        let error = error_of(&text).unwrap_or_else(|| panic!("{line} is accepted"));
        let all = error.to_string();
        assert!(all.contains(message), "{line}: {all}");
        assert_eq!(error.kind, *kind, "{line}: {all}");
        assert!(!error.rule.is_empty() && all.contains(&format!("line {}", error.line)), "{all}");
        let own = text.lines().position(|other| other.contains(line)).unwrap() as u32 + 1;
        let last = text.lines().count() as u32;
        assert!((own..=last).contains(&error.line) || line.contains("itself"), "{line}: {all}");
    }
}

#[test]
fn headers() {
    let texts = [
        ("", "does not begin with .version"),
        (".version 99.0\n.target sm_50\n.address_size 64", "version 99.0"),
        (".version 7.0\n.target sm_100\n.address_size 64", "sm_100"),
        (".version 7.0\n.target sm_50\n.address_size 32", "32 bits"),
        (".version 7.0\n.target frob\n.address_size 64", "not a target"),
        (".version 7.0\n.target sm_50\n.address_size 64\n.global .b128 x;", ".b128"),
        (".version 7.0\n.target sm_50\n.address_size 64\n.global .u32 x[2] = {1, 2, 3};", "more values"),
        (".version 7.0\n.target sm_50\n.address_size 64\n.global .u32 x[99999999999];", "bytes"),
        (".version 7.0\n.target sm_50\n.address_size 64\n.extern .global .u32 x;", "another module"),
    ];
    for (text, message) in texts {
        let error = Module::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn blocks_that_kernels_do_not_allow() {
    let text = ".version 7.0\n.target sm_50\n.address_size 64\n.entry k() .reqntid 32, 2, 1 { ret; }\n\
        .entry m() .maxntid 64 { ret; }";
    let module = Module::parse(text.as_bytes()).unwrap();
    let block = |x, y, z| Launch { block: [x, y, z], ..Launch::default() };
    assert!(lower(&module, "k", &block(32, 2, 1)).is_ok());
    assert!(lower(&module, "k", &block(64, 1, 1)).is_err());
    assert!(lower(&module, "m", &block(64, 1, 1)).is_ok());
    assert!(lower(&module, "m", &block(65, 1, 1)).is_err());
    assert!(lower(&module, "m", &block(0, 1, 1)).is_err());
    assert!(lower(&module, "m", &block(u32::MAX, u32::MAX, u32::MAX)).is_err());
    assert!(lower(&module, "z", &block(1, 1, 1)).is_err());
}

/// A text in which everything is used.
fn rich_text() -> String {
    let body = ".local .align 8 .b8 mine[64];\nmov.u64 %rd5, mine;\nst.local.u32 [%rd5+4], %r1;\nld.local.u32 %r10, [%rd5+4];\n\
        setp.lt.and.u32 %p1|%p2, %r10, 40, %p3;\n@%p1 bra A;\nmul.wide.u32 %rd6, %r10, 4;\nbar.sync 0;\n\
        A: shfl.sync.down.b32 %r11|%p4, %r10, 1, 31, -1;\natom.shared.inc.u32 %r12, [cells], 7;\n\
        { .param .b32 param0; st.param.b32 [param0], %r11; .param .b32 retval0; call.uni (retval0), f, (param0);\n\
        ld.param.b32 %r13, [retval0]; }\n\
        @%p4 bra A;\nadd.s64 %rd6, %rd1, %rd6;\nst.global.v2.u32 [%rd6], {%r12, %r13};\nfma.rm.f32 %f1, %f2, %f3, 0f3F800000;\n\
        cvt.rni.sat.s8.f32 %r14, %f1;\nT: .branchtargets B, C;\nbrx.idx %r14, T;\nB: prmt.b32 %r1, %r2, %r3, 0x1234;\nC:";
    let outside = ".shared .u32 cells[4];\n.const .f32 c[2] = {1.0, 0f00000000};\n.global .u64 p = c+4;\n\
        .func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<3>; ld.param.u32 %r1, [a]; st.param.b32 [r], %r1; ret; }";
    kernel(1, outside, body)
}

/// Texts that are damaged are refused, or mean something; they neither panic nor take for ever.
#[test]
fn damaged_texts() {
    let text = rich_text();
    assert_eq!(error_of(&text), None);
    let mut random = pyro_random::Random::new(11);
    let words: Vec<&str> = text.split_inclusive([' ', ',', ';', '.']).collect();
    let mut accepted = 0;
    for round in 0..3000 {
        let damaged = if round % 2 == 0 {
            let mut words = words.clone();
            for _ in 0..=random.below(3u32) {
                let (at, other) = (random.below(words.len()), random.below(words.len()));
                match random.below(3u32) {
                    0 => drop(words.remove(at)),
                    1 => words[at] = words[other],
                    _ => words.insert(at, words[other]),
                }
            }
            words.concat()
        } else {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=random.below(3u32) {
                let at = random.below(bytes.len());
                bytes[at] = random.pick(b" {}[]();:,.%0x19@!|-+_\"/\0\xff");
            }
            match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(error) => {
                    assert!(Module::parse(error.as_bytes()).is_err());
                    continue;
                }
            }
        };
        let Ok(module) = Module::parse(damaged.as_bytes()) else { continue };
        let Ok(lowered) = lower(&module, "k", &LAUNCH) else { continue };
        accepted += 1;
        if let Err(errors) = pyro_ir::verify::verify(&lowered.function) {
            panic!("{errors}\n{damaged}");
        }
        if accepted % 40 == 0 {
            let request = KernelRequest { module: &module, kernel: "k", launch: LAUNCH };
            drop(compile_kernel_for(&request, Backend::best(), None));
        }
    }
    assert!(accepted > 50, "{accepted} of the damaged texts were accepted");
}

#[test]
fn deep_texts() {
    let deep = [
        "{".repeat(100_000),
        format!("add.u32 %r1, {}1, %r2;", "-".repeat(100_000)),
        format!("call f, {};", "(".repeat(100_000)),
        format!("mov.u32 %r1, %r{};", "1".repeat(300_000)),
        format!("mov.b64 %rd1, {};", "{".repeat(100_000)),
        (0..1000).map(|at| format!("L{at}: @%p1 bra L{};\n", 1000 - at)).collect::<String>() + "L1000: ret;",
        // Loops in loops.
        (0..300).map(|at| format!("L{at}:\n")).collect::<String>()
            + &(0..300).rev().map(|at| format!("add.u32 %r1, %r1, 1; @%p1 bra L{at};\n")).collect::<String>(),
    ];
    for body in deep {
        drop(error_of(&kernel(1, "", &body)));
    }
    let many: String = (0..40)
        .map(|at| {
            let calls =
                if at == 0 { String::new() } else { format!("call f{0}, (); call f{0}, ();", at - 1) };
            format!(".func f{at}() {{ {calls} ret; }}\n")
        })
        .collect();
    let error = error_of(&kernel(1, &many, "call f39, ();")).expect("it is too large");
    assert_eq!(error.kind, ErrorKind::Limit, "{error}");
}

#[test]
fn names_of_many_registers() {
    let found = map(
        "",
        &vec![vec![3]; 32],
        1,
        ".reg .b32 %x1<4>; .reg .b32 %x<9>; .reg .b32 y;\n\
        mov.u32 %x12, 5; mov.u32 %x2, 6; mov.u32 y, 7; add.u32 y, y, %x12; add.u32 y, y, %x2; st.global.u32 [%rd4], y;",
    );
    assert!(found.iter().all(|words| words == &[18]));
    let error = error_of(&kernel(0, "", ".reg .b32 %x<4000000000>;")).expect("it is too large");
    assert_eq!(error.kind, ErrorKind::Limit);
}
