//! Ray queries of shaders: what generated code calls ([`function`]) for the lanes that come to one of their
//! instructions.
// Called by generated code with the address of a call record.
#![allow(unsafe_code)]

use crate::traverse::{Step, confirm, generate, initialize, proceed, terminate};
use pyro_abi::ray::query::{Operation, element_slot_offset, variable_slot_offset};
use pyro_abi::ray::{HEAD_WORDS, RayHit, RayState, STATE_WORDS, phase};
use pyro_abi::{Callable, Memory, image::record};
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::with_exposed_provenance_mut;

/// The function's address, for `DispatchContext::ray_query`.
pub fn function() -> u64 {
    static FUNCTION: Callable = Callable { entry, context: 0 };
    (&raw const FUNCTION).expose_provenance() as u64
}

pyro_abi::code_abi! {
    /// # Safety
    /// `record` is the address of a call record as `pyro_abi::ray::query` describes it, in memory that nobody
    /// else accesses meanwhile; the structures in it meet the contract of [`initialize`].
    unsafe fn entry(_callable: u64, record: u64) -> u32 {
        let result = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the caller's contract.
            let memory = unsafe { Memory::new() };
            run(memory, record);
        }));
        result.is_err().into()
    }
}

/// A run of consecutive words of a [`RayState`].
struct Words<const N: usize> {
    first: usize,
}

impl<const N: usize> Words<N> {
    /// The words of the fields from the byte offset `start` to `end`.
    const fn between(start: usize, end: usize) -> Words<N> {
        assert!(end - start == 4 * N);
        Words { first: start / 4 }
    }
}

/// Words of a [`RayHit`].
const HIT_WORDS: usize = size_of::<RayHit>() / 4;

/// The ray: what the shader wrote for `Initialize`.
const RAY: Words<12> = Words::between(0, offset_of!(RayState, phase));
/// Where the traversal is, but for its stack.
const PROGRESS: Words<6> = Words::between(offset_of!(RayState, phase), offset_of!(RayState, candidate));
const CANDIDATE: Words<HIT_WORDS> =
    Words::between(offset_of!(RayState, candidate), offset_of!(RayState, committed));
const COMMITTED: Words<HIT_WORDS> =
    Words::between(offset_of!(RayState, committed), offset_of!(RayState, content));
/// Where the ray ends: the parameter of what is committed.
const LIMIT: Words<1> =
    Words { first: (offset_of!(RayState, committed) + offset_of!(RayHit, t)) / size_of::<u32>() };
const CONTENT: Words<2> = Words::between(offset_of!(RayState, content), offset_of!(RayState, stack));
const PHASE: Words<1> = Words { first: offset_of!(RayState, phase) / 4 };

/// One lane's ray query. Its words are interleaved with those of the other lanes:
/// word `n` is at `address + n * pitch`.
///
/// A state has some four hundred words, of which each operation reads and writes a few: copying all of those
/// before the stack took a third of the time of short rays.
#[derive(Clone, Copy)]
struct LaneState {
    memory: Memory,
    address: u64,
    pitch: u32,
}

impl LaneState {
    // Inlined where the pitch is known, so that each word has an address of its own.
    #[inline(always)]
    fn load<const N: usize>(self, state: &mut RayState, part: &Words<N>) {
        if let Some(to) = words(state)[part.first..].first_chunk_mut::<N>() {
            self.memory.gather((self.start(part.first), &self.offsets()), u64::MAX, to);
        }
    }

    #[inline(always)]
    fn store<const N: usize>(self, state: &mut RayState, part: &Words<N>) {
        if let Some(from) = words(state)[part.first..].first_chunk::<N>() {
            self.memory.scatter((self.start(part.first), &self.offsets()), u64::MAX, from);
        }
    }

    #[inline(always)]
    fn start(self, word: usize) -> u64 {
        self.address + word as u64 * u64::from(self.pitch)
    }

    #[inline(always)]
    fn offsets<const N: usize>(self) -> [u32; N] {
        let mut offsets = [0; N];
        for (number, offset) in (0..).zip(&mut offsets) {
            *offset = number * self.pitch;
        }
        offsets
    }

    /// Reads the entries of the stack that `state.stack_len` says.
    fn load_stack(self, state: &mut RayState) {
        let count = stack_words(state);
        for (number, word) in words(state)[HEAD_WORDS..][..count].iter_mut().enumerate() {
            *word = self.memory.load(self.start(HEAD_WORDS + number));
        }
    }

    /// Writes the entries of the stack.
    fn store_stack(self, state: &mut RayState) {
        let count = stack_words(state);
        for (number, &word) in words(state)[HEAD_WORDS..][..count].iter().enumerate() {
            self.memory.store(self.start(HEAD_WORDS + number), word);
        }
    }
}

/// Words of the stack's entries.
fn stack_words(state: &RayState) -> usize {
    (state.stack_len as usize * 2).min(STATE_WORDS - HEAD_WORDS)
}

/// The words of a state.
fn words(state: &mut RayState) -> &mut [u32; STATE_WORDS] {
    // SAFETY: a state is so many words without padding, all of whose values are sound.
    unsafe { &mut *std::ptr::from_mut(state).cast() }
}

/// What is asked for, and of which lanes.
struct Call {
    memory: Memory,
    /// Address of the call record.
    record: u64,
    operation: Operation,
    /// Bit `i` is set where lane `i` takes part.
    active: u64,
    /// Byte offsets in the slot: of the variable's first query and of the last that fits.
    first: u32,
    last: u32,
}

fn run(memory: Memory, record: u64) {
    let number = memory.load::<u64>(record + u64::from(record::IMAGE)) as usize;
    let shape = memory.load::<u64>(record + u64::from(record::SAMPLER));
    let active = memory.load::<u64>(record + u64::from(record::ACTIVE_LANES));
    let (slot_bytes, lanes) = ((shape >> 32) as u32, shape as u32);
    let Some(&operation) = Operation::ALL.get(number) else { return };
    let first = variable_slot_offset(lanes);
    let Some(last) = slot_bytes.checked_sub(STATE_BYTES).filter(|&last| last >= first) else {
        return;
    };
    let call = Call { memory, record, operation, active, first, last };
    // A number of lanes that the compiler knows makes the words' offsets constants.
    match lanes {
        8 => call.run(8),
        16 => call.run(16),
        32 => call.run(32),
        64 => call.run(64),
        _ => call.run(lanes),
    }
}

/// Bytes of a query in the slot, for one lane.
const STATE_BYTES: u32 = 4 * STATE_WORDS as u32;

impl Call {
    #[inline(always)]
    fn run(&self, lanes: u32) {
        if self.operation == Operation::Clear {
            return self.clear(lanes);
        }
        let elements = self.record + u64::from(element_slot_offset(lanes)) * u64::from(lanes);
        let mut state = RayState::default();
        let mut left = self.active & (u64::MAX >> (64 - lanes.clamp(1, 64)));
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            let offset = self.memory.load::<u32>(elements + 4 * u64::from(lane));
            let offset = offset.clamp(self.first, self.last) - self.first;
            // Queries begin where those before end.
            let offset = self.first + offset / STATE_BYTES * STATE_BYTES;
            let address = self.record + u64::from(offset) * u64::from(lanes) + 4 * u64::from(lane);
            let lane = LaneState { memory: self.memory, address, pitch: 4 * lanes };
            self.operate(lane, &mut state);
        }
    }

    /// All queries of the variable become those that have no ray and have met nothing.
    fn clear(&self, lanes: u32) {
        let all = u64::MAX >> (64 - lanes.clamp(1, 64));
        let columns = PROGRESS.first..CONTENT.first;
        for offset in (self.first..=self.last).step_by(STATE_BYTES as usize) {
            let address = self.record + u64::from(offset) * u64::from(lanes);
            if self.active & all == all && lanes <= 64 {
                let start = address + (columns.start as u32 * 4 * lanes) as u64;
                let bytes = columns.len() * 4 * lanes as usize;
                // SAFETY: these columns, whose words are of all lanes, lie inside of the record, which nobody
                // else accesses meanwhile (the contract of `entry`).
                unsafe { std::ptr::write_bytes(with_exposed_provenance_mut::<u8>(start as usize), 0, bytes) };
                continue;
            }
            for lane in (0..lanes.min(64)).filter(|lane| self.active >> lane & 1 != 0) {
                for column in columns.clone() {
                    let word = address + (column as u32 * 4 * lanes + 4 * lane) as u64;
                    self.memory.store(word, 0u32);
                }
            }
        }
    }

    /// Does what is asked for with one lane's query. `state` may hold anything: only its words that were
    /// loaded here count.
    #[inline(always)]
    fn operate(&self, lane: LaneState, state: &mut RayState) {
        match self.operation {
            Operation::Clear => {}
            Operation::Initialize => {
                lane.load(state, &PHASE);
                let is_new = state.phase == phase::NONE;
                lane.load(state, &RAY);
                // SAFETY: the caller's contract.
                unsafe { initialize(state) };
                lane.store(state, &PROGRESS);
                lane.store(state, &CONTENT);
                lane.store_stack(state);
                if is_new {
                    // Both hits are still zero.
                    lane.store(state, &LIMIT);
                } else {
                    lane.store(state, &CANDIDATE);
                    lane.store(state, &COMMITTED);
                }
            }
            Operation::Proceed => {
                lane.load(state, &PROGRESS);
                if !matches!(state.phase, phase::ACTIVE | phase::CANDIDATE) {
                    return;
                }
                lane.load(state, &RAY);
                lane.load(state, &LIMIT);
                lane.load(state, &CONTENT);
                lane.load_stack(state);
                state.committed.kind = UNCHANGED;
                // SAFETY: the state's words are those that were stored here: a shader writes a query's only
                // for `Initialize`, and its variable was cleared before it could read them.
                let step = unsafe { proceed(state) };
                if state.committed.kind != UNCHANGED {
                    lane.store(state, &COMMITTED);
                }
                if step == Step::Done {
                    lane.store(state, &PHASE);
                } else {
                    lane.store(state, &PROGRESS);
                    lane.store(state, &CANDIDATE);
                    lane.store_stack(state);
                }
            }
            Operation::Terminate => {
                lane.load(state, &PHASE);
                terminate(state);
                lane.store(state, &PHASE);
            }
            Operation::Confirm | Operation::Generate => {
                lane.load(state, &PHASE);
                if state.phase != phase::CANDIDATE {
                    return;
                }
                lane.load(state, &RAY);
                lane.load(state, &CANDIDATE);
                lane.load(state, &LIMIT);
                state.committed.kind = UNCHANGED;
                if self.operation == Operation::Confirm {
                    confirm(state);
                } else {
                    generate(state, state.candidate.t);
                }
                if state.committed.kind != UNCHANGED {
                    lane.store(state, &COMMITTED);
                }
                lane.store(state, &PHASE);
            }
        }
    }
}

/// No kind of intersection: nothing was committed.
const UNCHANGED: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Placement;
    use crate::node::{GEOMETRY_OPAQUE, Triangle};
    use crate::{AccelerationStructure, Content, OneThread};
    use std::sync::Arc;

    /// A call record of a variable with `queries` queries.
    struct Record {
        words: Vec<u64>,
        lanes: u32,
        bytes: u32,
    }

    impl Record {
        fn new(lanes: u32, queries: u32) -> Record {
            let bytes = variable_slot_offset(lanes) + queries * STATE_BYTES;
            let words = vec![0x5a5a_5a5a_5a5a_5a5a; (bytes * lanes / 8) as usize];
            Record { words, lanes, bytes }
        }

        fn address(&mut self) -> u64 {
            self.words.as_mut_ptr().expose_provenance() as u64
        }

        fn call(&mut self, operation: Operation, active: u64, query: u32) {
            // SAFETY: the record is alive, and the test's structures live until its end.
            let memory = unsafe { Memory::new() };
            let (lanes, address) = (self.lanes, self.address());
            memory.store(address + u64::from(record::IMAGE), operation as u64);
            let shape = pyro_abi::ray::query::shape(self.bytes, lanes);
            memory.store(address + u64::from(record::SAMPLER), shape);
            memory.store(address + u64::from(record::ACTIVE_LANES), active);
            for lane in 0..lanes {
                let element = address + u64::from(element_slot_offset(lanes) * lanes + 4 * lane);
                memory.store(element, variable_slot_offset(lanes) + query * STATE_BYTES);
            }
            run(memory, address);
        }

        fn word(&mut self, query: u32, lane: u32, word: usize) -> u64 {
            let column = variable_slot_offset(self.lanes) + query * STATE_BYTES + 4 * word as u32;
            self.address() + u64::from(column * self.lanes + 4 * lane)
        }

        fn set(&mut self, query: u32, lane: u32, first: usize, values: &[u32]) {
            for (number, &value) in values.iter().enumerate() {
                let address = self.word(query, lane, first + number);
                // SAFETY: the word is the record's.
                unsafe { Memory::new() }.store(address, value);
            }
        }

        fn get(&mut self, query: u32, lane: u32, words: std::ops::Range<usize>) -> Vec<u32> {
            words
                .map(|word| {
                    let address = self.word(query, lane, word);
                    // SAFETY: the word is the record's.
                    unsafe { Memory::new() }.load(address)
                })
                .collect()
        }
    }

    /// Sheets of two triangles at z = 1, 2, 3 ...: all but the fifth let a ray through unless it is
    /// confirmed.
    fn sheets() -> Arc<AccelerationStructure> {
        let corners = [[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]];
        let triangles = (0..6u32).flat_map(|sheet| {
            [[0, 1, 2], [0, 2, 3]].map(|at| Triangle {
                vertices: at.map(|at: usize| [corners[at][0], corners[at][1], 1.0 + sheet as f32]),
                primitive: sheet,
                geometry: if sheet == 4 { GEOMETRY_OPAQUE } else { 0 },
            })
        });
        let structure = |content| {
            let structure = AccelerationStructure::new(0);
            structure.set_content(Arc::new(content));
            structure
        };
        let bottom = structure(Content::of_triangles(triangles.collect(), &OneThread));
        let transform = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let placement = Placement {
            index: 0,
            transform,
            custom_index: 7,
            mask: 0xff,
            sbt_offset: 0,
            flags: 0,
            structure: bottom,
            motion: None,
        };
        structure(Content::of_instances(vec![placement], &OneThread))
    }

    const HITS: std::ops::Range<usize> = CANDIDATE.first..CONTENT.first;

    /// Queries of lanes give what their states give by themselves, whatever the number of lanes, for lanes
    /// that take part, and leave the others alone; also where a query is used again.
    #[test]
    fn queries_of_lanes_are_those_of_states() {
        let top = sheets();
        for (lanes, active) in
            [(8, 0xff), (8, 0x35), (16, 0xffff), (16, 0x8001), (24, 0x0f_0f0f), (64, u64::MAX)]
        {
            let mut record = Record::new(lanes, 2);
            record.call(Operation::Clear, active, 0);
            for round in 0..2 {
                let mut states = Vec::new();
                for lane in 0..lanes {
                    let x = 0.1 + 0.2 * lane as f32;
                    let mut state = RayState {
                        structure: top.record_address(),
                        flags: 0,
                        cull_mask: 0xff,
                        origin: [x - 4.0, 0.05, round as f32 * 0.5],
                        direction: [0.0, if lane % 5 == 4 { 1.0 } else { 0.0 }, 1.0 - (lane % 5 / 4) as f32],
                        t_max: 100.0,
                        ..RayState::default()
                    };
                    if active >> lane & 1 != 0 {
                        record.set(1, lane, 0, &words(&mut state)[..PROGRESS.first]);
                    }
                    // SAFETY: the structures live until the end.
                    unsafe { initialize(&mut state) };
                    states.push(state);
                }
                record.call(Operation::Initialize, active, 1);
                for step in 0..9 {
                    record.call(Operation::Proceed, active, 1);
                    for (lane, state) in (0..).zip(&mut states) {
                        // SAFETY: as above.
                        unsafe { proceed(state) };
                        if active >> lane & 1 == 0 {
                            let untouched = record.get(1, lane, 0..STATE_WORDS);
                            assert!(untouched.iter().all(|&word| word == 0x5a5a_5a5a), "{lanes} {lane}");
                            continue;
                        }
                        let is_candidate = state.phase == phase::CANDIDATE;
                        assert_eq!(record.get(1, lane, PHASE.first..PHASE.first + 1), [state.phase]);
                        let visible = if is_candidate { HITS } else { COMMITTED.first..HITS.end };
                        assert_eq!(
                            record.get(1, lane, visible.clone()),
                            words(state)[visible],
                            "{lanes} {lane}"
                        );
                    }
                    if step == 3 {
                        record.call(Operation::Confirm, active, 1);
                        states.iter_mut().for_each(confirm);
                    }
                    if step == 7 && round == 0 {
                        record.call(Operation::Terminate, active, 1);
                        states.iter_mut().for_each(terminate);
                    }
                }
                assert!(states.iter().all(|state| state.phase == phase::DONE));
                assert!(states.iter().any(|state| state.committed.kind != 0));
                // A query that was not used has met nothing, and its addresses are null.
                let lane = active.trailing_zeros();
                assert!(record.get(0, lane, PHASE.first..CONTENT.first).iter().all(|&word| word == 0));
            }
        }
    }
}
