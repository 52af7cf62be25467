//! The threads that are sampled: their timers and slots.

use super::handler::handle;
use super::slots::{self, SLOT_COUNT, Slot};
use super::{IS_ON, Sample};
use crate::clock;
use libc::{c_int, pid_t};
use pyro_util::sync::Mutex;
use std::cell::Cell;
use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// What is only used with a lock.
#[derive(Default)]
struct State {
    interval: Duration,
    signal: c_int,
    /// Slot and timer by thread.
    threads: HashMap<pid_t, (u32, usize)>,
    /// Slots of threads that have ended, free when their samples have been taken.
    ended: Vec<u32>,
    /// Threads seen so far.
    seen: u32,
    /// Threads of which nobody was told yet, with their names.
    news: Vec<(u32, String)>,
    /// The process's processor time when sampling began.
    began_ns: u64,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// Which sampling session a thread's remembered slot belongs to; a child process has another one.
static PROCESS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// The process, and the slot's number from 1; zero: not known yet.
    static OWN: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
    /// Dropped when the thread ends.
    static END: End = const { End };
}

/// The end of a thread that has marked itself: the time since its last sample, which is long where the
/// thread's processor was taken away, becomes its last sample. Other threads lose it.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        let (process, number) = OWN.replace((0, 0));
        if number == 0 || process != std::process::id() || !super::is_on() {
            return;
        }
        let mut state = STATE.lock();
        let Some(state) = state.as_mut() else { return };
        if let Some((number, timer)) = state.threads.remove(&clock::this_thread()) {
            // From here on no signal writes to the ring.
            delete(timer);
            if let Some(slot) = slots::slot(number) {
                push_rest(slot, clock::now_ns(libc::CLOCK_THREAD_CPUTIME_ID));
            }
            state.ended.push(number);
        }
    }
}

/// The signal: `SIGPROF`, or a real-time signal where the program uses that itself.
fn free_signal() -> Option<c_int> {
    [libc::SIGPROF, libc::SIGRTMAX() - 3, libc::SIGRTMAX() - 4].into_iter().find(|&signal| {
        let mut present = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: a query of the present handler; zeros are a valid action.
        let present = unsafe {
            libc::sigaction(signal, std::ptr::null(), present.as_mut_ptr());
            present.assume_init()
        };
        present.sa_sigaction == libc::SIG_DFL
    })
}

/// Starts sampling all threads, each after every `interval` of its processor time (the system may not be able
/// to do so that often). False when that is not possible, or it was started before.
pub fn start(interval: Duration) -> bool {
    let mut state = STATE.lock();
    let Some(signal) = free_signal().filter(|_| state.is_none()) else { return false };
    crate::keep_loaded(handle as *const ());
    // SAFETY: zeros are a valid `sigaction`, whose mask is emptied; the handler does what handlers may.
    let installed = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(signal, &action, std::ptr::null_mut())
    };
    if installed != 0 {
        return false;
    }
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    let began_ns = clock::now_ns(libc::CLOCK_PROCESS_CPUTIME_ID).unwrap_or_default();
    *state = Some(State { interval, signal, began_ns, ..State::default() });
    drop(state);
    IS_ON.store(true, Ordering::Release);
    look(true);
    true
}

/// Takes no more samples; what is left of each thread's time becomes its last one. [`drain`] gives them.
pub fn stop() {
    if !IS_ON.swap(false, Ordering::AcqRel) {
        return;
    }
    if let Some(state) = STATE.lock().as_mut() {
        let threads = std::mem::take(&mut state.threads);
        for (tid, (number, timer)) in threads {
            delete(timer);
            if let Some(slot) = slots::slot(number) {
                finish(slot, clock::now_ns(clock::of_thread(tid)));
            }
        }
    }
}

/// The processor time of the process since sampling began, in nanoseconds.
pub fn process_ns() -> u64 {
    let began = STATE.lock().as_ref().map_or(0, |state| state.began_ns);
    clock::now_ns(libc::CLOCK_PROCESS_CPUTIME_ID).unwrap_or_default().saturating_sub(began)
}

/// Starts sampling threads that are new, and forgets those that have ended. Gives the numbers and names of
/// threads that were not given before.
pub fn scan() -> Vec<(u32, String)> {
    if super::is_on() && PROCESS.load(Ordering::Relaxed) == std::process::id() {
        look(false);
    }
    STATE.lock().as_mut().map(|state| std::mem::take(&mut state.news)).unwrap_or_default()
}

/// Takes the samples that wait. One thread at a time.
pub fn drain(each: &mut dyn FnMut(&Sample)) {
    for number in 0..SLOT_COUNT as u32 {
        match slots::slot(number) {
            Some(slot) => slot.take(each),
            None => return,
        }
    }
}

/// The addresses of the code of the library or program that this function is in.
pub fn own_text() -> Range<u64> {
    let own = own_text as *const () as u64;
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let ranges = maps.lines().filter_map(|line| {
        let (start, rest) = line.split_once('-')?;
        let (end, _) = rest.split_once(' ')?;
        let hexadecimal = |text| u64::from_str_radix(text, 16).ok();
        Some(hexadecimal(start)?..hexadecimal(end)?)
    });
    ranges.into_iter().find(|range| range.contains(&own)).unwrap_or(0..0)
}

/// Calls a function when the process exits.
pub fn at_exit(function: extern "C" fn()) {
    crate::keep_loaded(function as *const ());
    // SAFETY: the library stays loaded, so the function does.
    unsafe { libc::atexit(function) };
}

/// Finds threads that are new or gone. `is_first`: those that are there have run before sampling began.
fn look(is_first: bool) {
    // Locked first: a thread that adds itself behind the listing would count as gone.
    let mut state = STATE.lock();
    let Ok(entries) = std::fs::read_dir("/proc/self/task") else { return };
    let tids: Vec<pid_t> =
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    let Some(state) = state.as_mut() else { return };
    for slot in std::mem::take(&mut state.ended).into_iter().filter_map(slots::slot) {
        slot.tid.store(0, Ordering::Release);
    }
    for &tid in &tids {
        if !state.threads.contains_key(&tid) {
            add(state, tid, is_first);
        }
    }
    let gone: Vec<pid_t> = state.threads.keys().filter(|tid| !tids.contains(tid)).copied().collect();
    for tid in gone {
        if let Some((number, timer)) = state.threads.remove(&tid) {
            delete(timer);
            state.ended.push(number);
        }
    }
}

/// Gives a thread a slot and a timer.
fn add(state: &mut State, tid: pid_t, has_run: bool) -> Option<u32> {
    let before = clock::now_ns(clock::of_thread(tid))?;
    let is_free =
        |&number: &u32| slots::slot(number).is_none_or(|slot| slot.tid.load(Ordering::Acquire) == 0);
    let number = (0..SLOT_COUNT as u32).find(is_free)?;
    let slot = slots::slot_or_new(number)?;
    // Before there is a timer, whose first signal may come at once.
    slot.claim(tid, state.seen, if has_run { before } else { 0 });
    let Some(timer) = timer(tid, number, state) else {
        slot.tid.store(0, Ordering::Release);
        return None;
    };
    let name = std::fs::read_to_string(format!("/proc/self/task/{tid}/comm")).unwrap_or_default();
    state.news.push((state.seen, name.trim_end().to_owned()));
    state.seen += 1;
    state.threads.insert(tid, (number, timer));
    Some(number)
}

fn timer(tid: pid_t, number: u32, state: &State) -> Option<usize> {
    // SAFETY: zeros are a valid `sigevent`.
    let mut event: libc::sigevent = unsafe { std::mem::zeroed() };
    event.sigev_notify = libc::SIGEV_THREAD_ID;
    event.sigev_signo = state.signal;
    event.sigev_notify_thread_id = tid;
    event.sigev_value.sival_ptr = std::ptr::without_provenance_mut(number as usize);
    let mut timer: libc::timer_t = std::ptr::null_mut();
    // SAFETY: a valid event, and a place for the timer.
    if unsafe { libc::timer_create(clock::of_thread(tid), &mut event, &mut timer) } != 0 {
        return None;
    }
    let time = libc::timespec {
        tv_sec: state.interval.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(state.interval.subsec_nanos()),
    };
    let every = libc::itimerspec { it_interval: time, it_value: time };
    // SAFETY: a timer that was just made, and a valid time.
    unsafe { libc::timer_settime(timer, 0, &every, std::ptr::null_mut()) };
    Some(timer.expose_provenance())
}

fn delete(timer: usize) {
    // SAFETY: a timer of `timer_create` that is deleted once.
    unsafe { libc::timer_delete(std::ptr::with_exposed_provenance_mut(timer)) };
}

/// Frees the slot of a thread that takes no samples any more.
fn finish(slot: &Slot, cpu_ns: Option<u64>) {
    push_rest(slot, cpu_ns);
    slot.tid.store(0, Ordering::Release);
}

/// Writes what is left of a thread's time, which takes no samples any more.
fn push_rest(slot: &Slot, cpu_ns: Option<u64>) {
    if let Some(cpu_ns) = cpu_ns {
        slot.push_rest(|| clock::now_ns(libc::CLOCK_MONOTONIC).unwrap_or_default(), cpu_ns);
    }
}

/// The calling thread's slot, and its number; the thread is on its own stack.
pub(super) fn own_slot() -> Option<(u32, &'static Slot)> {
    let process = PROCESS.load(Ordering::Relaxed);
    let (known, number) = OWN.get();
    let number = if known == process && number != 0 { number - 1 } else { find_own(process)? };
    let slot = slots::slot(number)?;
    let here = 0_u64;
    slot.touch((&raw const here).addr());
    Some((number, slot))
}

#[cold]
fn find_own(process: u32) -> Option<u32> {
    if process != std::process::id() {
        return None;
    }
    let tid = clock::this_thread();
    let mut state = STATE.lock();
    let state = state.as_mut()?;
    let number = match state.threads.get(&tid) {
        Some(&(number, _)) => number,
        None => add(state, tid, false)?,
    };
    OWN.set((process, number + 1));
    // Refused while the thread ends: nothing more is to be done then.
    let _ = END.try_with(|_| ());
    Some(number)
}
