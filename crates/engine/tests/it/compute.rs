//! Dispatches of kernels written in Rust: every workgroup runs once, barriers hold, runaways are stopped.
#![allow(unsafe_code)]

use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};
use pyro_engine::{ComputeDispatch, DispatchError, Engine, EngineOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// A kernel whose subgroups call a closure.
struct Closure<F> {
    info: KernelInfo,
    run: F,
}

impl<F: Fn(&DispatchContext, &mut SubgroupContext) -> Exit + Send + Sync> Kernel for Closure<F> {
    fn info(&self) -> &KernelInfo {
        &self.info
    }

    unsafe fn run(&self, dispatch: &DispatchContext, subgroup: &mut SubgroupContext) -> Exit {
        (self.run)(dispatch, subgroup)
    }
}

fn context(num_workgroups: [u32; 3], base_workgroup: [u32; 3]) -> DispatchContext {
    DispatchContext { num_workgroups, base_workgroup, ..DispatchContext::default() }
}

fn dispatch<F>(
    engine: &Engine,
    info: KernelInfo,
    context: DispatchContext,
    run: F,
) -> Result<(), DispatchError>
where
    F: Fn(&DispatchContext, &mut SubgroupContext) -> Exit + Send + Sync + 'static,
{
    let dispatch = ComputeDispatch { kernel: Arc::new(Closure { info, run }), context };
    // SAFETY: the closures use no address but those that the engine made.
    unsafe { engine.dispatch(&dispatch) }
}

#[test]
fn every_workgroup_runs_once() {
    for thread_count in [1, 2, 5] {
        let engine = Engine::new(thread_count);
        let (size, base) = ([7u32, 5, 300], [10u32, 20, 30]);
        let counts: Arc<Vec<AtomicU32>> = Arc::new((0..7 * 5 * 300).map(|_| AtomicU32::new(0)).collect());
        let seen = Arc::clone(&counts);
        let info = KernelInfo { subgroup_size: 16, workgroup_size: [16, 3, 1], ..KernelInfo::default() };
        dispatch(&engine, info, context(size, base), move |_, subgroup| {
            let id: Vec<u32> = (0..3).map(|axis| subgroup.workgroup_id[axis] - base[axis]).collect();
            seen[((id[2] * size[1] + id[1]) * size[0] + id[0]) as usize].fetch_add(1, Ordering::Relaxed);
            assert_eq!(subgroup.active_lanes, 0xffff);
            Exit::Done
        })
        .expect("finishes");
        assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 3));
    }
}

#[test]
fn a_barrier_waits_for_all_subgroups() {
    let engine = Engine::new(2);
    let info = KernelInfo {
        subgroup_size: 4,
        workgroup_size: [400, 1, 1],
        shared_bytes: 8,
        zero_shared: true,
        frame_bytes: 8,
        has_barriers: true,
        ..KernelInfo::default()
    };
    dispatch(&engine, info, context([64, 1, 1], [0; 3]), |_, subgroup| {
        // SAFETY: the engine made 8 bytes of shared memory, used by one thread at a time.
        let counter = unsafe { AtomicU64::from_ptr(subgroup.shared as *mut u64) };
        let round = u64::from(subgroup.resume_point);
        assert!(counter.load(Ordering::Relaxed) >= round * 100, "everybody came to the last barrier");
        counter.fetch_add(1, Ordering::Relaxed);
        subgroup.resume_point += 1;
        if round == 3 { Exit::Done } else { Exit::Barrier }
    })
    .expect("finishes");
}

#[test]
fn zero_workgroups_do_nothing() {
    let engine = Engine::new(2);
    let info = KernelInfo { subgroup_size: 16, workgroup_size: [1, 1, 1], ..KernelInfo::default() };
    dispatch(&engine, info, context([4, 0, 4], [0; 3]), |_, _| panic!("nothing to run")).expect("finishes");
}

#[test]
fn a_panic_or_an_abort_is_an_error_and_not_a_hang() {
    for exit in [None, Some(Exit::Aborted)] {
        let engine = Engine::new(2);
        let info = KernelInfo { subgroup_size: 16, workgroup_size: [64, 1, 1], ..KernelInfo::default() };
        let result = dispatch(&engine, info, context([1000, 1, 1], [0; 3]), move |_, subgroup| {
            if subgroup.workgroup_id[0] == 500 { exit.expect("a shader's mistake") } else { Exit::Done }
        });
        assert_eq!(result, Err(DispatchError::Aborted));
    }
}

#[test]
fn the_watchdog_stops_a_runaway() {
    let engine = Engine::with_options(EngineOptions {
        thread_count: 2,
        watchdog: Some(Duration::from_millis(50)),
        ..EngineOptions::default()
    });
    let info = KernelInfo { subgroup_size: 16, workgroup_size: [16, 1, 1], ..KernelInfo::default() };
    let result = dispatch(&engine, info, context([100, 1, 1], [0; 3]), |dispatch, _| {
        // SAFETY: the engine owns the flag for as long as the dispatch runs.
        let abort = unsafe { AtomicU32::from_ptr(dispatch.abort as *mut u32) };
        while abort.load(Ordering::Relaxed) == 0 {
            std::thread::yield_now();
        }
        Exit::Aborted
    });
    assert_eq!(result, Err(DispatchError::Aborted));
}

#[test]
fn several_threads_dispatch_at_once() {
    let engine = Engine::new(3);
    let total = Arc::new(AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let sum = Arc::clone(&total);
                    let info =
                        KernelInfo { subgroup_size: 16, workgroup_size: [16, 1, 1], ..KernelInfo::default() };
                    dispatch(&engine, info, context([100, 1, 1], [0; 3]), move |_, subgroup| {
                        sum.fetch_add(u64::from(subgroup.workgroup_id[0]), Ordering::Relaxed);
                        Exit::Done
                    })
                    .expect("finishes");
                }
            });
        }
    });
    assert_eq!(total.load(Ordering::Relaxed), 800 * 4950);
}
