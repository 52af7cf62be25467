//! Text tests: SPIR-V assembly, and the lane form that lowering makes of it.
//!
//! Each file under `tests/text` starts with `; lanes: N`, then holds a module, then a line `; gives` and the
//! function with what lowering says of it. `PYRO_BLESS=1` writes what comes out into the files.

use pyro_spirv::{Module, Specialization, asm};
use std::path::Path;

const GIVES: &str = "; gives\n";

fn check(path: &Path, bless: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let (input, expected) = text.split_once(GIVES).unwrap_or((&text, ""));
    let lanes = input.lines().next().and_then(|line| line.strip_prefix("; lanes: "));
    let lanes = lanes.and_then(|lanes| lanes.parse().ok()).ok_or("the first line gives the lanes")?;
    let words = asm::assemble(input).map_err(|error| error.to_string())?;
    let module = Module::decode(&words).map_err(|error| error.to_string())?;
    let layout = crate::support::layout::layout_of(&module);
    let lowered = crate::support::checked::lower_compute(
        &crate::support::checked::check(&module, &Specialization::new())?,
        &layout,
        lanes,
    )
    .map_err(|error| error.to_string())?;
    pyro_ir::verify::verify(&lowered.function).map_err(|error| error.to_string())?;
    let info = lowered.info;
    let mut actual = format!("; shared bytes: {}, barriers: {}\n", info.shared_bytes, info.has_barriers);
    for (number, location) in lowered.locations.sources.iter().enumerate() {
        if let Some(location) = location {
            let file = module.source_file(location.source).unwrap_or_default();
            actual += &format!("; @{number}: {file}:{}:{}\n", location.line, location.column);
        }
    }
    actual += &lowered.function.to_string();
    if bless {
        let text = format!("{}\n{GIVES}{actual}", input.trim_end());
        return std::fs::write(path, text).map_err(|error| error.to_string());
    }
    if actual == expected { Ok(()) } else { Err(format!("it gives\n{actual}")) }
}

#[test]
fn texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/text");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let bless = pyro_test_environment::bless();
    let mut failures = Vec::new();
    for path in paths {
        if let Err(message) = check(&path, bless) {
            failures.push(format!("{}: {message}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
