//! How fast common operations run: nanoseconds for one instruction of a 16-lane subgroup. An argument names
//! the only one to run.

use pyro_abi::{DispatchContext, Kernel, KernelInfo, SubgroupContext};
use pyro_interp::Interpreter;
use pyro_ir::Function;
use std::time::Instant;

const ROUNDS: u32 = 20_000;
const COPIES: u32 = 20;

/// A loop over copies of `line`, in which `D` is the result, `A` the last one and `B` a parameter.
fn function(ty: &str, line: &str) -> Function {
    let shape = if ty == "i64" { "v3" } else { "v4" };
    let mut body = String::new();
    for copy in 0..COPIES {
        let (last, next) = (30 + copy, 31 + copy);
        let text =
            line.replace('D', &format!("v{next}")).replace('A', &format!("v{last}")).replace('B', "v30");
        body += &format!("{text}\n");
    }
    let text = format!(
        "shader \"throughput\" mask lanes=16 scratch=1024 frame=0 {{
         block0:
            v0: i32 = const 0
            v1: i32 = const 1
            v2: i32 = const {ROUNDS}
            v12: i1 = const 1
            v13: i64 = arg 1
            v14: i64 = load.context v13, v0, v12 +40
            v15: <i1> = splat v12
            v16: <i32> = lane_id
            v17: i32 = const 2
            v18: <i32> = splat v17
            v19: <i32> = shl v16, v18
            v3: i64 = const 12345
            v5: {scalar} = const 0x3f800001
            v4: <{scalar}> = splat v5
            jump block1(v0, {shape})
         block1(v7: i32, v30: {ty}):
            {body}
            v8: i32 = iadd v7, v1
            v9: i1 = ult v8, v2
            branch v9, block1(v8, v{end}), block2
         block2:
            return 0
         }}",
        scalar = ty.trim_matches(['<', '>']),
        end = 30 + COPIES,
    );
    pyro_ir::parse::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[allow(unsafe_code)]
fn main() {
    let cases = [
        ("iadd", "<i32>", "D: <i32> = iadd A, B"),
        ("imul", "<i32>", "D: <i32> = imul A, B"),
        ("fadd", "<f32>", "D: <f32> = fadd A, B"),
        ("fma", "<f32>", "D: <f32> = fma A, B, B"),
        ("ffloor", "<f32>", "D: <f32> = ffloor A"),
        ("fdiv", "<f32>", "D: <f32> = fdiv A, B"),
        ("iadd 64", "<i64>", "D: <i64> = iadd A, B"),
        ("uniform iadd", "i64", "D: i64 = iadd A, B"),
        ("shuffle", "<i32>", "D: <i32> = shuffle A, v16"),
        ("select", "<i32>", "D: <i32> = select v15, A, B"),
        ("load", "<i32>", "D: <i32> = load.scratch v14, v19, v15"),
        ("store", "<i32>", "store.scratch v14, v19, B, v15\n D: <i32> = iadd A, B"),
    ];
    let only = std::env::args().nth(1);
    for (name, ty, line) in cases {
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let function = function(ty, line);
        pyro_ir::verify::verify_executable(&function).unwrap();
        let info = KernelInfo { subgroup_size: 16, scratch_bytes: 1024, ..KernelInfo::default() };
        let kernel = Interpreter::new(function, info).unwrap();
        let mut scratch = vec![0u64; 128];
        let dispatch = DispatchContext { num_workgroups: [1; 3], ..DispatchContext::default() };
        let mut subgroup = SubgroupContext {
            scratch: scratch.as_mut_ptr().expose_provenance() as u64,
            ..SubgroupContext::default()
        };
        let start = Instant::now();
        // SAFETY: the function accesses nothing but its scratch memory and the context.
        unsafe { kernel.run(&dispatch, &mut subgroup) };
        let nanoseconds = start.elapsed().as_nanos() as f64 / f64::from(ROUNDS * COPIES);
        println!("{name:<14} {nanoseconds:6.2} ns");
    }
}
