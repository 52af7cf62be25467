//! The C header of shader tests and captures, by the example in `examples/c`.

use crate::support::{Folder, text};
use std::path::Path;
use std::process::{Command, Output};

const SHADER: &str = "@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] = data[id.x] * 2.0;
}
";

const CASES: &str = "[[case]]
name = \"doubles\"
buffers = [{ at = \"0\", data = \"f32:1,2,3,4\", expect = \"f32:2,4,6,8\" }]

[[case]]
name = \"triples (not)\"
buffers = [{ at = \"0\", data = \"f32:1,2,3,4\", expect = \"f32:2,4,6,9\" }]

[[case]]
name = \"later\"
skip = \"not: written\"
";

/// Compiles the example; C++ takes the header, too.
fn compile(folder: &Folder, compiler: &str, arguments: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = folder.path(&format!("tools-{compiler}"));
    let output = Command::new(compiler)
        .args(arguments)
        .args(["-Wall", "-Wextra", "-Werror", "-o", &program])
        .arg(format!("-I{}", root.join("crates/pyroclast/include").display()))
        .arg(root.join("examples/c/tools.c"))
        .output()
        .expect("the compiler runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    program
}

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().expect("it runs")
}

#[test]
fn shader_tests_and_captures_are_run_from_c() {
    let folder = Folder::new("c-header");
    let pyroclast = env!("CARGO_BIN_EXE_pyroclast");
    std::fs::create_dir_all(folder.path("shaders")).expect("a folder");
    std::fs::write(folder.path("shaders/double.wgsl"), SHADER).expect("written");
    std::fs::write(folder.path("shaders/double.wgsl.test.toml"), CASES).expect("written");
    let (shaders, capture) = (folder.path("shaders"), folder.path("run.pyro"));
    let shader = folder.path("shaders/double.wgsl");
    let arguments = [
        pyroclast,
        &shaders,
        &capture,
        pyroclast,
        "run",
        &shader,
        "--groups",
        "1",
        "--buffer",
        "0=f32:1,2,3,4",
    ];
    let strict = ["-std=c99", "-pedantic"];
    for (compiler, options) in [("cc", &strict[..]), ("c++", &["-xc++"])] {
        let program = compile(&folder, compiler, options);
        let output = run(&program, &arguments);
        let printed = text(&output.stdout);
        let lines: Vec<&str> = printed.lines().collect();
        let of = |case: &str| {
            let name = format!("double.wgsl.test.toml::{case}: ");
            let line = lines.iter().find(|line| line.contains(&name));
            line.unwrap_or_else(|| panic!("{case}: {printed}{}", text(&output.stderr)))
        };
        assert!(of("doubles").ends_with("passed []"), "{printed}");
        assert!(of("triples (not)").ends_with("failed [buffer 0[3] is 8, expected 9]"), "{printed}");
        assert!(of("later").ends_with("skipped [not: written]"), "{printed}");
        for line in ["1 of 3 failed", "captured: 0", "replayed: 0"] {
            assert!(lines.contains(&line), "{line}: {printed}{}", text(&output.stderr));
        }
        // Nothing to run, and nothing to replay.
        let output = run(&program, &[pyroclast, &folder.path("none"), &folder.path("none.pyro"), "true"]);
        let printed = text(&output.stdout);
        for line in ["-1 of 0 failed", "captured: 125"] {
            assert!(printed.lines().any(|one| one == line), "{line}: {printed}");
        }
        assert!(!printed.contains("replayed: 0"), "{printed}");
        assert!(
            text(&run("sh", &["-c", &format!("{program} missing a b c | head -1")]).stdout)
                .starts_with("-1 of 0")
        );
    }
}
