//! What takes longer than it may is given up, and nothing remembers that.

use pyro_compile::cache::{MemoryCache, Session};
use pyro_compile::{
    CompileError, ComputeRequest, ShaderModule, SubgroupSize, compile_compute_cached, reflect,
};
use pyro_shapes::shape;
use pyro_util::budget::{self, Budget};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

fn module(name: &str, size: usize) -> ShaderModule {
    let text = (shape(name).expect("a shape").make)(size);
    ShaderModule::new(&pyro_spirv::asm::assemble(&text.assembly()).expect("it assembles"))
}

fn compile(module: &ShaderModule, cache: &MemoryCache, budget: &Budget) -> Result<(), CompileError> {
    let layout = reflect::layout_of(module.module()?)?;
    let request = ComputeRequest {
        module,
        entry_point: "main",
        specialization: &[],
        layout: &layout,
        subgroup_size: SubgroupSize::Default,
    };
    let session = Session::new(Some(cache));
    budget::within(budget, || compile_compute_cached(&request, &session)).map(drop)
}

#[test]
fn a_spent_budget_is_an_error_that_no_cache_keeps() {
    let module = module("straight", 1000);
    let cache = MemoryCache::default();
    let none = Budget { limit: Some(Duration::ZERO), cancel: None };
    let error = compile(&module, &cache, &none).expect_err("there is no time");
    assert!(matches!(error, CompileError::Budget(_)), "{error}");
    assert!(error.to_string().contains("PYROCLAST_COMPILE_SECONDS"), "{error}");
    compile(&module, &cache, &Budget::default()).expect("there is time");
    // The cache has it now.
    compile(&module, &cache, &none).expect("nothing is compiled");
}

#[test]
fn large_shaders_end_soon_after_their_deadline() {
    // Every step of compiling is long in one of these.
    for (name, size) in
        [("sequential_ifs", 40_000), ("local_arrays", 40_000), ("live_loads", 60_000), ("barriers", 40_000)]
    {
        let module = module(name, size);
        module.module().expect("it decodes");
        let start = Instant::now();
        let budget = Budget { limit: Some(Duration::from_millis(100)), cancel: None };
        let error = compile(&module, &MemoryCache::default(), &budget).expect_err("there is not enough time");
        assert!(matches!(error, CompileError::Budget(_)), "{name}: {error}");
        // No step takes longer than this, on a busy machine either.
        assert!(start.elapsed() < Duration::from_secs(20), "{name}: {:?}", start.elapsed());
    }
}

#[test]
fn cancelled_work_ends() {
    let cancel = Budget { limit: None, cancel: Some(Arc::new(AtomicBool::new(true))) };
    let error =
        compile(&module("selects", 500), &MemoryCache::default(), &cancel).expect_err("it is cancelled");
    assert!(matches!(error, CompileError::Budget(_)), "{error}");
}
