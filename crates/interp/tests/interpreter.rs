//! What the interpreter does besides giving right results, which the text tests and generated functions
//! cover.
// To run kernels.
#![allow(unsafe_code)]

use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};
use pyro_interp::{InterpError, Interpreter};
use pyro_ir::{Block, Function, Value};

fn parse(text: &str) -> Function {
    text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn info(function: &Function) -> KernelInfo {
    KernelInfo {
        subgroup_size: function.lanes,
        scratch_bytes: function.scratch_bytes,
        frame_bytes: function.frame_bytes,
        ..KernelInfo::default()
    }
}

fn make(text: &str) -> Result<Interpreter, InterpError> {
    let function = parse(text);
    let info = info(&function);
    Interpreter::new(function, info)
}

fn dispatch() -> DispatchContext {
    DispatchContext { num_workgroups: [1; 3], ..DispatchContext::default() }
}

/// Counts to ten, then stores every lane's number times the count to scratch memory.
const COUNT: &str = r#"shader "count" mask lanes=16 scratch=64 frame=0 {
block0:
    v0: i64 = arg 1
    v1: i32 = const 0
    v2: i32 = const 1
    v3: i32 = const 10
    v4: i1 = const 1
    v5: <i1> = splat v4
    v6: i64 = load.context v0, v1, v4 +40
    jump block1(v1)
block1(v7: i32):
    v8: i32 = iadd v7, v2
    v9: i1 = ult v8, v3
    branch v9, block1(v8), block2
block2:
    v10: <i32> = lane_id
    v11: <i32> = splat v8
    v12: <i32> = imul v10, v11
    v13: i32 = const 2
    v14: <i32> = splat v13
    v15: <i32> = shl v10, v14
    store.scratch v6, v15, v12, v5
    return 0
}
"#;

/// Scratch memory afterwards.
fn run_with(run: impl FnOnce(&DispatchContext, &mut SubgroupContext)) -> Vec<u32> {
    let mut scratch = [0u64; 8];
    let address = scratch.as_mut_ptr().expose_provenance() as u64;
    run(&dispatch(), &mut SubgroupContext { scratch: address, ..SubgroupContext::default() });
    scratch.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect()
}

#[test]
fn stepping_is_running() {
    let kernel = make(COUNT).unwrap();
    let expected: Vec<u32> = (0..16).map(|lane| lane * 10).collect();
    let ran = run_with(|dispatch, subgroup| {
        // SAFETY: the function accesses its context and its scratch memory only, which are there.
        assert_eq!(unsafe { kernel.run(dispatch, subgroup) }, Exit::Done);
    });
    assert_eq!(ran, expected);
    let stepped = run_with(|dispatch, subgroup| {
        // SAFETY: the function accesses its context and its scratch memory only, which are there.
        let mut execution = unsafe { kernel.start(dispatch, subgroup) };
        let mut rounds = 0;
        let mut steps = 0;
        let exit = loop {
            let (block, place) = execution.position();
            if block == Block::from_u32(1) && place == 1 {
                rounds += 1;
                assert_eq!(execution.value(Value::from_u32(8)), [rounds]);
            }
            steps += 1;
            assert!(steps < 1000);
            if let Some(exit) = execution.step() {
                break exit;
            }
        };
        assert_eq!((exit, rounds), (Exit::Done, 10));
        assert_eq!(execution.position(), (Block::from_u32(2), 7));
        assert_eq!(execution.value(Value::from_u32(10)), (0..16).collect::<Vec<u64>>());
        assert_eq!(execution.value(Value::from_u32(5)), [1; 16]);
    });
    assert_eq!(stepped, expected);
    // From the middle on, all at once.
    let mixed = run_with(|dispatch, subgroup| {
        // SAFETY: the function accesses its context and its scratch memory only, which are there.
        let mut execution = unsafe { kernel.start(dispatch, subgroup) };
        for _ in 0..12 {
            assert_eq!(execution.step(), None);
        }
        assert_eq!(execution.run(1_000_000), Exit::Done);
    });
    assert_eq!(mixed, expected);
}

#[test]
fn runaway_loops_are_stopped() {
    let kernel = make(
        "shader \"\" mask lanes=4 scratch=0 frame=0 {
         block0: v0: i32 = const 1 jump block1(v0)
         block1(v1: i32): v2: i32 = iadd v1, v0 jump block1(v2) }",
    )
    .unwrap();
    // SAFETY: the function accesses its context and its scratch memory only, which are there.
    let exit = unsafe { kernel.run_limited(&dispatch(), &mut SubgroupContext::default(), 100_000) };
    assert_eq!(exit, Exit::Aborted);
}

#[test]
fn several_threads_run_one_kernel() {
    let kernel = make(COUNT).unwrap();
    let expected: Vec<u32> = (0..16).map(|lane| lane * 10).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let found = run_with(|dispatch, subgroup| {
                        // SAFETY: the function accesses its context and its scratch memory only, which are
                        // there.
                        unsafe { kernel.run(dispatch, subgroup) };
                    });
                    assert_eq!(found, expected);
                }
            });
        }
    });
}

#[test]
fn unfit_functions_are_refused() {
    let refuse = |text: &str| make(text).err().map(|error| error.to_string()).unwrap_or_default();
    let malformed = "shader \"\" mask lanes=4 scratch=0 frame=0 { block0: v0: i32 = not v0 return 0 }";
    assert!(refuse(malformed).contains("v0 is not defined on every way here"));
    let lane = "shader \"\" lane lanes=4 scratch=0 frame=0 { block0: return 0 }";
    assert!(refuse(lane).contains("executors run mask form"));
    let suspends = "shader \"\" mask lanes=4 scratch=0 frame=0 { block0: suspend 1 return 0 }";
    assert!(refuse(suspends).contains("the suspend pass has not run"));
    let code = "shader \"\" mask lanes=4 scratch=0 frame=0 { block0: return 99 }";
    assert_eq!(refuse(code), "the exit code 99 means nothing");
    let function = parse(COUNT);
    let small = KernelInfo { scratch_bytes: 63, ..info(&function) };
    assert_eq!(
        Interpreter::new(function.clone(), small).err(),
        Some(InterpError::Info("63 scratch bytes, and the function 64".to_owned()))
    );
    let other = KernelInfo { subgroup_size: 8, ..info(&function) };
    assert!(matches!(Interpreter::new(function, other), Err(InterpError::Info(_))));
}

#[test]
fn shows_its_text() {
    let kernel = make(COUNT).unwrap();
    assert_eq!(kernel.representations(), [("IR".to_owned(), COUNT.to_owned())]);
    assert_eq!(kernel.function().name, "count");
    assert_eq!(kernel.info().scratch_bytes, 64);
}
