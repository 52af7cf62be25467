//! Text tests: a function, the passes to run on it, and what comes out.
//!
//! Each file under `tests/text` starts with `; run: PASS PASS ...`, then holds a function, then a line `;
//! gives` and the function that the passes make of it. `PYRO_BLESS=1` writes what comes out into the files.

use pyro_ir::Function;
use pyro_ir::parse::parse;
use pyro_ir::verify::verify;
use pyro_passes::*;
use pyro_test_environment::check_outputs;
use std::path::Path;

const GIVES: &str = "; gives\n";

/// The workgroups of passes that need to know them.
const SHAPE: workgroup_loop::WorkgroupShape =
    workgroup_loop::WorkgroupShape { subgroup_count: 2, last_lanes: 0xff };

fn wide_vectors() -> target::Target {
    target::Target { wide_vectors: true, ..target::Target::default() }
}

fn run_pass(name: &str, function: &mut Function) {
    match name {
        "sroa" => drop(sroa::run(function)),
        "lower_slots" => lower_slots::run(function).expect("the slots fit"),
        "prune" => drop(prune::run(function)),
        "lcssa" => drop(lcssa::run(function)),
        "gvn" => drop(gvn::run(function)),
        "branch_fold" => drop(branch_fold::run(function)),
        "dce" => drop(dce::run(function)),
        "bounds_check_elim" => drop(bounds_check_elim::run(function)),
        "report_lowering" => drop(report_lowering::run(function)),
        "track_lowering" => drop(track_lowering::run(function)),
        "licm" => drop(licm::run(function)),
        "scalar_promotion" => drop(scalar_promotion::run(function)),
        "licm_uniform" => drop(licm::run_uniform(function)),
        "unroll" => drop(unroll::run(function)),
        "contract" => drop(contract::run(function)),
        "lerp" => drop(lerp::run(function)),
        "round_twice" => drop(round_twice::run(function)),
        "promote_f16" => drop(promote_f16::run(function)),
        "hoist_pow2_scale" => drop(hoist_pow2_scale::run(function)),
        "unmasked_loop" => drop(unmasked_loop::run(function)),
        "induction_split" => drop(induction_split::run(function)),
        "barrier_elim" => drop(barrier_elim::run(function, 2)),
        "barrier_order" => _ = barrier_order::run(function, 2),
        "first_subgroup" => {
            let subgroup = function.blocks[function.block_order[1]].params[0];
            first_subgroup::run(function, subgroup, 2);
        }
        "narrow_loads" => drop(first_subgroup::narrow(function)),
        "range_fold" => drop(range_fold::run(function)),
        "access_group" => drop(target::access_group::run(function, &target::RareBlocks::default())),
        "affine_guard" => drop(target::affine_guard::run(function, &target::RareBlocks::default())),
        "access_merge" => drop(target::access_merge::run(function)),
        "word_splat" => drop(target::word_splat::run(function, wide_vectors())),
        "distance_guard" => {
            target::distance_guard::run(function, wide_vectors(), &target::RareBlocks::default());
        }
        "spread_halves" => drop(target::spread_halves::run(function, wide_vectors())),
        "bounds_group" => drop(target::bounds_group::run(function, &target::RareBlocks::default())),
        "biased_conversion" => drop(target::biased_conversion::run(function, wide_vectors())),
        "flatten" => drop(target::flatten::run(function, wide_vectors())),
        "interior" => drop(target::interior::run(function, &mut target::RareBlocks::default())),
        "row_guard" => drop(target::row_guard::run(function, &target::RareBlocks::default())),
        "branch_sink" => drop(target::branch_sink::run(function)),
        "quad_loads" => drop(target::quad_loads::run(function, target::Target::default())),
        "double_quotient" => drop(target::double_quotient::run(function, target::Target::default())),
        "srgb_formula" => drop(target::srgb_formula::run(function, target::Target::default())),
        "exact_product" => drop(target::exact_product::run(function, target::Target::default())),
        "uniform_atomic" => drop(target::uniform_atomic::run(function)),
        "atomic_scan" => {
            let target = target::Target { fetch_adds: true, ..target::Target::default() };
            target::atomic_scan::run(function, target);
        }
        "load_sink" => drop(target::load_sink::run(function, target::Target::default())),
        "constant_params" => drop(constant_params::run(function)),
        "constant_table" => drop(constant_table::run(function)),
        "workgroup_loop" => workgroup_loop::run(function, SHAPE, false),
        "workgroup_unroll" => workgroup_unroll::run(function, SHAPE, true),
        "block_loop" => block_loop::run(function, block_loop::BlockList::Whole),
        "block_loop_covered" => block_loop::run(function, block_loop::BlockList::Covered),
        "quad_loop" => quad_loop::run(function, quad_loop::QuadList::Subgroups),
        "quad_loop_grouped" => quad_loop::run(function, quad_loop::QuadList::Grouped),
        "load_combine" => drop(load_combine::run(function)),
        "linearize" => linearize::run(function, false),
        "linearize_full" => linearize::run(function, true),
        "coroutine_split" => coroutine_split::run(function, None),
        "barrier_loop" => {
            let resume = barrier_loop::run(function, SHAPE, false);
            coroutine_split::run(function, Some(resume));
        }
        "barrier_loop_sink" => {
            let resume = barrier_loop::run(function, SHAPE, false);
            coroutine_split::run(function, Some(resume));
            sink::run(function, resume.header);
        }
        "safepoint" => drop(safepoint::run(function)),
        "safepoint_numbered" => drop(safepoint::run_numbered(function)),
        other => panic!("no pass is called {other}"),
    }
}

fn output(input: &str) -> Result<String, String> {
    let header = input.lines().next().and_then(|line| line.strip_prefix("; run: "));
    let passes = header.ok_or("the first line names the passes")?;
    let mut function = parse(input).map_err(|error| error.to_string())?;
    verify(&function).map_err(|error| format!("before: {error}"))?;
    for name in passes.split_whitespace() {
        run_pass(name, &mut function);
        verify(&function).map_err(|error| format!("after {name}: {error}\n{function}"))?;
    }
    Ok(function.to_string())
}

#[test]
fn texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/text");
    check_outputs(&folder, GIVES, output);
}
