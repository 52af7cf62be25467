//! Text tests: SPIR-V assembly, and the lane form that lowering makes of it.
//!
//! Each file under `tests/text` starts with `; lanes: N`, then holds a module, then a line `; gives` and the
//! function with what lowering says of it. `PYRO_BLESS=1` writes what comes out into the files.

use pyro_spirv::{Module, Specialization, asm};
use pyro_test_environment::check_outputs;
use std::path::Path;

const GIVES: &str = "; gives\n";

fn output(input: &str) -> Result<String, String> {
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
    Ok(actual)
}

#[test]
fn texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/text");
    check_outputs(&folder, GIVES, output);
}
