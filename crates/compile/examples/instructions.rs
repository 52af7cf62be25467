//! Instructions of shaders' code for NEON beside those for AVX2: `instructions FILE.spv…` (compute, entry
//! point `main`). Made on every machine, without extensions beyond the level.
//!
//! All subgroups have 16 lanes, so the counts compare as instructions for each lane. Of NEON, code for
//! accesses that only some lanes take part in counts apart. The worst ratio stands first.
#![allow(clippy::print_stdout)] // what it is for

use pyro_compile::{Backend, ComputeRequest, SubgroupSize, compile_compute_for, reflect};

/// Instructions, and those for some lanes.
fn count(path: &str, backend: Backend) -> Option<(u64, u64)> {
    let bytes = std::fs::read(path).expect("a readable file");
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect();
    let module = pyro_spirv::Module::decode(&words).expect("SPIR-V");
    let layout = reflect::layout_of(&module).ok()?;
    let request = ComputeRequest {
        module: &pyro_compile::ShaderModule::new(&words),
        entry_point: "main",
        specialization: &[],
        layout: &layout,
        subgroup_size: SubgroupSize::Required(16),
    };
    let kernel = compile_compute_for(&request, backend, None).ok()?;
    let texts = kernel.representations();
    let (_, assembly) = texts.iter().find(|(name, _)| name == "assembly")?;
    let some = kernel.statistics().iter().find(|known| known.0 == "code bytes for some lanes")?.1 / 4;
    Some((assembly.lines().count() as u64 - some, some))
}

fn main() {
    let [avx2, neon] = ["avx2", "neon"].map(|name| Backend::named(name).expect("a level"));
    let mut rows: Vec<(f64, String)> = Vec::new();
    for path in std::env::args().skip(1) {
        if let (Some((short, _)), Some((long, some))) = (count(&path, avx2), count(&path, neon)) {
            let ratio = short as f64 / long as f64;
            let name = path.rsplit('/').next().unwrap_or(&path).trim_end_matches(".spv");
            rows.push((ratio, format!("| `{name}` | {short} | {long} | {ratio:.2} | {some} |")));
        }
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    println!(
        "| shader | AVX2 | NEON | AVX2 / NEON | NEON, for some lanes |\n| --- | --- | --- | --- | --- |"
    );
    rows.iter().for_each(|(_, row)| println!("{row}"));
    let mean = (rows.iter().map(|row| row.0.ln()).sum::<f64>() / rows.len().max(1) as f64).exp();
    let good = rows.iter().filter(|row| row.0 >= 0.5).count();
    println!("\n{} shaders, geometric mean {mean:.2}; {good} at 0.50 or more", rows.len());
}
