//! Where the command puts the driver, what it gives to programs, and output that nobody reads.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn pyroclast(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pyroclast")).args(arguments).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pyroclast-it-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

#[test]
fn chromiums_own_files_come_back() {
    let browser = folder("browser");
    let name = browser.to_str().expect("a readable path");
    let (library, manifest) = (browser.join("libvk_swiftshader.so"), browser.join("vk_swiftshader_icd.json"));
    assert!(!pyroclast(&["install", "--chromium", name]).status.success(), "there is no SwiftShader");
    std::fs::write(&library, "the library").expect("a file");
    std::fs::write(&manifest, "the manifest").expect("a file");
    // Twice: the second time, the files there are the driver's.
    for _ in 0..2 {
        let output = pyroclast(&["install", "--chromium", name]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let bytes = std::fs::read(&library).expect("a library");
        assert!(bytes.len() > 1 << 20);
        let (renamed, _) = pyroclast_icd::EXPORTED;
        assert!(!bytes.windows(renamed.len()).any(|name| name == renamed), "the function has its own name");
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&manifest).expect("a manifest")).expect("JSON");
        assert_eq!(json["ICD"]["library_path"], "./libvk_swiftshader.so");
    }
    assert!(pyroclast(&["uninstall", "--chromium", name]).status.success());
    assert_eq!(std::fs::read(&library).expect("a file"), b"the library");
    assert_eq!(std::fs::read(&manifest).expect("a file"), b"the manifest");
    assert_eq!(std::fs::read_dir(&browser).expect("a folder").count(), 2, "nothing else is left");
    assert!(!pyroclast(&["uninstall", "--chromium", name]).status.success(), "nothing was put aside");
    std::fs::remove_dir_all(browser).expect("the folder");
}

#[test]
fn exec_sets_the_conformance_version_unless_it_is_set() {
    let version = |set: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
        command.env_remove("PYROCLAST_CONFORMANCE_VERSION");
        command.envs(set.map(|value| ("PYROCLAST_CONFORMANCE_VERSION", value)));
        command.args(["exec", "--", "sh", "-c", "echo $PYROCLAST_CONFORMANCE_VERSION"]);
        text(&command.output().expect("it runs").stdout)
    };
    assert_eq!(version(None), "1.3.0.0\n");
    assert_eq!(version(Some("1.4.1.0")), "1.4.1.0\n");
    assert!(text(&pyroclast(&["exec", "--help"]).stdout).contains("PYROCLAST_CONFORMANCE_VERSION"));
}

/// Every command that prints, with a reader that takes one byte or none and goes away.
#[test]
fn no_command_panics_when_its_reader_goes() {
    let shader = folder("pipe").join("shader.wgsl");
    std::fs::write(&shader, "@compute @workgroup_size(1) fn main() {}").expect("a file");
    let picture = shader.with_file_name("picture.png");
    let (shader, picture) = (shader.to_str().expect("a path"), picture.to_str().expect("a path"));
    let commands: [&[&str]; 14] = [
        &["--help"],
        &["info"],
        &["info", "--json"],
        &["doctor"],
        &["doctor", "--json", "--programs"],
        &["manifest"],
        &["run", shader],
        &["check", shader],
        &["check", shader, "--sarif"],
        &["reflect", shader],
        &["asm", shader],
        &["completions", "bash"],
        &["exec", "--", "true"],
        &["demo", "--width", "16", "--height", "16", "--frames", "1", "--output", picture],
    ];
    for arguments in commands {
        for bytes in [0, 1] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
            command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().expect("it runs");
            let mut output = child.stdout.take().expect("a pipe");
            let _ = output.read(&mut [0; 1][..bytes]);
            drop(output);
            let mut errors = String::new();
            let _ = child.stderr.take().expect("a pipe").read_to_string(&mut errors);
            let status = child.wait().expect("its end");
            assert_ne!(status.code(), Some(101), "{arguments:?}: {errors}");
            assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
        }
    }
}

#[test]
fn manual_and_completions_name_the_commands() {
    let pages = folder("man");
    assert!(pyroclast(&["man", pages.to_str().expect("a path")]).status.success());
    let page = std::fs::read_to_string(pages.join("pyroclast-doctor.1")).expect("a page of doctor");
    assert!(page.contains(".TH"), "{page}");
    std::fs::remove_dir_all(pages).expect("the folder");
    for shell in ["bash", "zsh", "fish"] {
        assert!(text(&pyroclast(&["completions", shell]).stdout).contains("doctor"), "{shell}");
    }
}
