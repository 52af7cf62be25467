//! The `run` directive: a case's function on every executor, on the memory that the case gives.

use crate::case::{BUFFER_COUNT, Case, Region};
use crate::data::Data;
use pyro_abi::image::record;
use pyro_abi::{Callable, DispatchContext, Exit, Kernel, KernelInfo, Memory, SubgroupContext};
use pyro_interp::Interpreter;
use pyro_ir::{Form, Function};
use std::collections::BTreeMap;

/// Makes a kernel, or says why it cannot.
pub type Compile = fn(&Function, KernelInfo) -> Result<Box<dyn Kernel>, String>;

/// Every executor that runs here, with a name.
pub fn executors() -> Vec<(&'static str, Compile)> {
    fn interpret(function: &Function, info: KernelInfo) -> Result<Box<dyn Kernel>, String> {
        match Interpreter::new(function.clone(), info) {
            Ok(kernel) => Ok(Box::new(kernel)),
            Err(error) => Err(error.to_string()),
        }
    }
    fn assemble(
        features: Option<pyro_jit::Features>,
        function: &Function,
        info: KernelInfo,
    ) -> Result<Box<dyn Kernel>, String> {
        let features = features.ok_or("this processor lacks the level")?;
        match pyro_jit::compile(function, info, features) {
            Ok(kernel) => Ok(Box::new(kernel)),
            Err(error) => Err(error.to_string()),
        }
    }
    let mut all: Vec<(&'static str, Compile)> = vec![("interpreter", interpret)];
    {
        use pyro_jit::Features;
        if Features::avx2().is_some() {
            all.push(("avx2", |function, info| assemble(Features::avx2(), function, info)));
        }
        if Features::sse41().is_some() {
            all.push(("sse4.1", |function, info| assemble(Features::sse41(), function, info)));
        }
        if Features::neon().is_some() {
            all.push(("neon", |function, info| assemble(Features::neon(), function, info)));
        }
        if Features::avx512().is_some() {
            all.push(("avx512", |function, info| assemble(Features::avx512(), function, info)));
        }
    }
    all
}

/// Bytes of a region that its directives do not mention.
const REGION_BYTES: usize = 256;

pub(crate) fn check(case: &Case, names: &[String]) -> Result<(), String> {
    let pipeline = ["pipeline".to_owned()];
    let mut lists = vec![names];
    if case.function.form == Form::Lane && names != pipeline {
        lists.push(&pipeline);
    }
    for names in lists {
        let mut case = case.clone();
        case.function = crate::passes::apply_all(&case, names)?;
        pyro_ir::verify::verify_executable(&case.function).map_err(|errors| errors.to_string())?;
        for (name, compile) in executors() {
            check_one(&case, compile)
                .map_err(|error| format!("{name}, passes {names:?}: {error}\n{}", case.function))?;
        }
    }
    Ok(())
}

fn check_one(case: &Case, compile: Compile) -> Result<(), String> {
    let function = &case.function;
    let mut memory = regions(case);
    let bytes = |memory: &BTreeMap<Region, Vec<u64>>, region| memory[&region].len() as u32 * 8;
    let info = KernelInfo {
        subgroup_size: function.lanes,
        workgroup_size: [function.lanes, 1, 1],
        shared_bytes: bytes(&memory, Region::Shared),
        zero_shared: false,
        scratch_bytes: bytes(&memory, Region::Scratch),
        frame_bytes: bytes(&memory, Region::Frame),
        has_barriers: case.exits().contains(&Exit::Barrier),
        loops_over_workgroups: false,
        ..KernelInfo::default()
    };
    let kernel = compile(function, info)?;
    call(case, kernel.as_ref(), &mut memory)?;
    for (region, data) in &case.directives.after {
        let found: Vec<u8> = memory[region].iter().flat_map(|word| word.to_le_bytes()).collect();
        if let Some(difference) = data.difference(&found) {
            return Err(format!("{region:?}: {difference}"));
        }
    }
    Ok(())
}

impl Case {
    fn exits(&self) -> &[Exit] {
        &self.directives.exits
    }
}

/// All regions as 64-bit words, large enough for what the case says of them.
fn regions(case: &Case) -> BTreeMap<Region, Vec<u64>> {
    let mut memory = BTreeMap::new();
    let names = (0..BUFFER_COUNT).map(Region::Buffer).chain([Region::Shared, Region::Scratch, Region::Frame]);
    for region in names {
        let own = match region {
            Region::Scratch => case.function.scratch_bytes as usize,
            Region::Frame => case.function.frame_bytes as usize,
            _ => 0,
        };
        let mentions = case.directives.before.iter().chain(&case.directives.after);
        let said = mentions.filter(|(other, _)| *other == region).map(|(_, data)| data.bytes().len()).max();
        let bytes = said.unwrap_or(0).max(own).max(REGION_BYTES);
        memory.insert(region, vec![0u64; bytes.div_ceil(8)]);
    }
    for (region, data) in &case.directives.before {
        fill(memory.get_mut(region).expect("all regions are there"), data);
    }
    memory
}

fn fill(words: &mut [u64], data: &Data) {
    for (word, bytes) in words.iter_mut().zip(data.bytes().chunks(8)) {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_le_bytes(padded);
    }
}

pyro_abi::code_abi! {
    /// What functions call: adds the low word of the record's first field to the words of the record's first
    /// column, in the lanes that take part. For at most 16 lanes.
    #[allow(unsafe_code)]
    unsafe fn add_image(_: u64, argument: u64) -> u32 {
        // SAFETY: the argument is the address of a call record, which is exposed and that nobody else uses
        // now.
        let memory = unsafe { Memory::new() };
        let addend: u32 = memory.load(argument + u64::from(record::IMAGE));
        let lanes: u64 = memory.load(argument + u64::from(record::ACTIVE_LANES));
        for lane in (0..16).filter(|lane| lanes >> lane & 1 != 0) {
            let at = argument + u64::from(record::HEADER_MIN_BYTES) + 4 * lane;
            memory.store(at, memory.load::<u32>(at).wrapping_add(addend));
        }
        0
    }
}

static ADD_IMAGE: Callable = Callable { entry: add_image, context: 0 };

/// Calls the kernel as often as the case says.
#[allow(unsafe_code)]
fn call(case: &Case, kernel: &dyn Kernel, memory: &mut BTreeMap<Region, Vec<u64>>) -> Result<(), String> {
    let address = |words: &mut [u64]| words.as_mut_ptr().expose_provenance() as u64;
    let addresses: BTreeMap<Region, u64> =
        memory.iter_mut().map(|(&region, words)| (region, address(words))).collect();
    let mut abort = [0u64];
    let mut dispatch =
        DispatchContext { abort: address(&mut abort), num_workgroups: [1; 3], ..DispatchContext::default() };
    for (buffer, word) in dispatch.push_constants.chunks_exact_mut(8).take(BUFFER_COUNT).enumerate() {
        word.copy_from_slice(&addresses[&Region::Buffer(buffer)].to_le_bytes());
    }
    let callable = (&raw const ADD_IMAGE).expose_provenance() as u64;
    dispatch.push_constants[8 * BUFFER_COUNT..][..8].copy_from_slice(&callable.to_le_bytes());
    let mut subgroup = SubgroupContext {
        subgroup_id: case.directives.subgroup,
        active_lanes: case.directives.active & (u64::MAX >> (64 - case.function.lanes)),
        shared: addresses[&Region::Shared],
        scratch: addresses[&Region::Scratch],
        frame: addresses[&Region::Frame],
        ..SubgroupContext::default()
    };
    for (call, &expected) in case.exits().iter().enumerate() {
        // SAFETY: the addresses are those of the regions, which live on and are not used during the call;
        // that functions stay inside them is what whoever writes a test has to see to.
        let exit = unsafe { kernel.run(&dispatch, &mut subgroup) };
        if exit != expected {
            return Err(format!("call {call} leaves with {exit:?}, expected {expected:?}"));
        }
    }
    Ok(())
}
