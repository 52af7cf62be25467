//! Ray queries of shaders: what generated code calls ([`function`]) for the lanes that come to one of their
//! instructions.
// Called by generated code with the address of a call record.
#![allow(unsafe_code)]

use crate::traverse::{confirm, generate, initialize, proceed, terminate};
use pyro_abi::ray::query::{Operation, element_slot_offset, variable_slot_offset};
use pyro_abi::ray::{HEAD_WORDS, RayState, STATE_WORDS, phase};
use pyro_abi::{Callable, Memory, image::record};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The function's address, for `DispatchContext::ray_query`.
pub fn function() -> u64 {
    static FUNCTION: Callable = Callable { entry, context: 0 };
    (&raw const FUNCTION).expose_provenance() as u64
}

/// # Safety
/// `record` is the address of a call record as `pyro_abi::ray::query` describes it, in memory that nobody
/// else accesses meanwhile; the structures in it meet the contract of [`initialize`].
unsafe extern "C" fn entry(_callable: u64, record: u64) -> u32 {
    let result = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the caller's contract.
        let memory = unsafe { Memory::new() };
        run(memory, record);
    }));
    result.is_err().into()
}

/// Where a ray query's words are: `address + word * pitch`.
#[derive(Clone, Copy)]
struct Place {
    memory: Memory,
    address: u64,
    pitch: u64,
}

impl Place {
    fn load(self, words: &mut [u32]) {
        for (number, word) in (0u64..).zip(words) {
            *word = self.memory.load(self.address + number * self.pitch);
        }
    }

    fn store(self, first: usize, words: &[u32]) {
        for (number, &word) in (first as u64..).zip(words) {
            self.memory.store(self.address + number * self.pitch, word);
        }
    }
}

/// The words of a state.
fn words(state: &mut RayState) -> &mut [u32; STATE_WORDS] {
    // SAFETY: a state is so many words without padding, all of whose values are sound.
    unsafe { &mut *std::ptr::from_mut(state).cast() }
}

const PHASE_WORD: usize = std::mem::offset_of!(RayState, phase) / 4;

fn run(memory: Memory, address: u64) {
    let number = memory.load::<u64>(address + u64::from(record::IMAGE)) as usize;
    let shape = memory.load::<u64>(address + u64::from(record::SAMPLER));
    let active = memory.load::<u64>(address + u64::from(record::ACTIVE_LANES));
    let (slot_bytes, lanes) = ((shape >> 32) as u32, shape as u32);
    let Some(&operation) = Operation::ALL.get(number) else { return };
    let first = variable_slot_offset(lanes);
    let Some(last) = slot_bytes.checked_sub(4 * STATE_WORDS as u32).filter(|&last| last >= first) else {
        return;
    };
    let elements = address + u64::from(element_slot_offset(lanes)) * u64::from(lanes);
    let place = |lane: u32, offset: u32| Place {
        memory,
        address: address + u64::from(offset) * u64::from(lanes) + 4 * u64::from(lane),
        pitch: 4 * u64::from(lanes),
    };
    let mut state = RayState::default();
    for lane in (0..lanes.min(64)).filter(|lane| active >> lane & 1 != 0) {
        if operation == Operation::Clear {
            let mut offset = first;
            while offset <= last {
                place(lane, offset).store(PHASE_WORD, &[phase::NONE]);
                offset += 4 * STATE_WORDS as u32;
            }
            continue;
        }
        let offset = memory.load::<u32>(elements + 4 * u64::from(lane)).clamp(first, last);
        // Queries begin where those before end.
        let offset = first + (offset - first) / (4 * STATE_WORDS as u32) * (4 * STATE_WORDS as u32);
        let place = place(lane, offset);
        place.load(&mut words(&mut state)[..HEAD_WORDS]);
        let had = state.stack_len as usize * 2;
        match operation {
            Operation::Clear => {}
            Operation::Initialize => {
                // SAFETY: the caller's contract.
                unsafe { initialize(&mut state) };
            }
            Operation::Proceed => {
                place.load_stack(&mut state, had);
                // SAFETY: the state's words are those that were stored here: a shader writes a query's only
                // for `Initialize`, and its variable was cleared before it could read them.
                unsafe { proceed(&mut state) };
            }
            Operation::Terminate => terminate(&mut state),
            Operation::Confirm => confirm(&mut state),
            Operation::Generate => {
                let t = state.candidate.t;
                generate(&mut state, t);
            }
        }
        place.store(0, &words(&mut state)[..HEAD_WORDS]);
        if state.phase != phase::DONE && matches!(operation, Operation::Initialize | Operation::Proceed) {
            let len = state.stack_len as usize * 2;
            place.store(HEAD_WORDS, &words(&mut state)[HEAD_WORDS..][..len]);
        }
    }
}

impl Place {
    /// Reads the stack's first words.
    fn load_stack(self, state: &mut RayState, count: usize) {
        let behind = Place { address: self.address + HEAD_WORDS as u64 * self.pitch, ..self };
        let count = count.min(STATE_WORDS - HEAD_WORDS);
        behind.load(&mut words(state)[HEAD_WORDS..][..count]);
    }
}
