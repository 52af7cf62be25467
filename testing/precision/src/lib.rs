//! How far a device's floating-point operations are from the true results.
//!
//! Problem: a function that is right for some million arguments may be wrong for a few others. Approach: an
//! operation of one argument is run for all 2^32, others for as many samples as are asked for, on any Vulkan
//! device, by a compute shader of that one operation; the distances are taken from references in `f64`, on
//! all cores. [`results`] keeps what was found on several machines and devices, and [`table`] makes the page
//! of it. [`exact`] does the same for fixed functions. *Must not know*: our driver's library.

pub mod exact;
pub mod operations;
pub mod results;
pub mod table;

use operations::Operation;
use pyro_oracle::Runner;
use pyro_random::Random;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// Arguments of one dispatch.
pub const BATCH: usize = 1 << 18;
/// Batches of all `f32`.
const BATCHES: u32 = ((1_u64 << 32) / BATCH as u64) as u32;
/// Invocations of a workgroup.
const INVOCATIONS: usize = 256;

/// The largest error of an operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Worst {
    /// In units in the last place.
    pub distance: f64,
    /// The arguments.
    pub at: Vec<f32>,
    /// How many arguments, or tuples of them, were tried.
    pub count: u64,
}

impl Worst {
    /// Takes the larger of two errors, of those that are equal the one whose arguments have smaller bits, so
    /// that it does not matter who finds it first.
    pub fn merge(&mut self, other: &Worst) {
        let bits = |at: &[f32]| at.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let is_equal = other.distance == self.distance && !other.at.is_empty();
        let is_first = self.at.is_empty() || bits(&other.at) < bits(&self.at);
        if other.distance > self.distance || is_equal && is_first {
            (self.distance, self.at) = (other.distance, other.at.clone());
        }
        self.count += other.count;
    }
}

/// The shader of an operation.
fn shader(operation: &Operation) -> String {
    let mut loads = String::new();
    for (number, name) in ["x", "y", "z"].iter().enumerate().take(operation.arity) {
        loads += &format!(
            "%offset_{name} = OpIAdd %uint %gid %start{number}\n\
             %place_{name} = OpAccessChain %word_pointer %input %zero %offset_{name}\n\
             %bits_{name} = OpLoad %uint %place_{name}\n\
             %{name} = OpBitcast %f32 %bits_{name}\n"
        );
    }
    format!(
        "; Version: 1.3
OpCapability Shader
OpCapability SignedZeroInfNanPreserve
OpExtension \"SPV_KHR_float_controls\"
%glsl = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %global_id
OpExecutionMode %main SignedZeroInfNanPreserve 32
OpExecutionMode %main LocalSize {INVOCATIONS} 1 1
OpDecorate %global_id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpMemberDecorate %buffer 0 Offset 0
OpDecorate %buffer BufferBlock
OpDecorate %input DescriptorSet 0
OpDecorate %input Binding 0
OpDecorate %output DescriptorSet 0
OpDecorate %output Binding 1
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%one = OpConstant %f32 1
%zero = OpConstant %uint 0
%start0 = OpConstant %uint 0
%start1 = OpConstant %uint {BATCH}
%start2 = OpConstant %uint {}
%uint3 = OpTypeVector %uint 3
%words = OpTypeRuntimeArray %uint
%buffer = OpTypeStruct %words
%buffer_pointer = OpTypePointer Uniform %buffer
%word_pointer = OpTypePointer Uniform %uint
%in_uint3 = OpTypePointer Input %uint3
%main_type = OpTypeFunction %void
%global_id = OpVariable %in_uint3 Input
%input = OpVariable %buffer_pointer Uniform
%output = OpVariable %buffer_pointer Uniform
%main = OpFunction %void None %main_type
%entry = OpLabel
%ids = OpLoad %uint3 %global_id
%gid = OpCompositeExtract %uint %ids 0
{loads}%result = {}
%result_bits = OpBitcast %uint %result
%to = OpAccessChain %word_pointer %output %zero %gid
OpStore %to %result_bits
OpReturn
OpFunctionEnd
",
        2 * BATCH,
        operation.instruction
    )
}

/// Any `f32`, most of them numbers of moderate magnitude.
fn any(random: &mut Random) -> f32 {
    match random.below(4) {
        0 => f32::from_bits(random.word()),
        1 => random.float(-2.0, 2.0),
        _ => f32::from_bits(random.word() & 0x807f_ffff | (97 + random.below(60_u32)) << 23),
    }
}

/// A base above zero, half of them near 1, and an exponent for which the result is in range, or just outside.
fn power(random: &mut Random) -> [f32; 2] {
    let near_one = f32::from_bits(0x3f00_0000 + random.below(1_u32 << 24));
    let x = Some(any(random).abs()).filter(|x| x.is_normal() && random.one_in(2)).unwrap_or(near_one);
    let exponent = (random.bits() as f64 / u64::MAX as f64 - 0.5) * 310.0;
    let y = exponent / f64::from(x).log2();
    [x, if y.is_finite() { y as f32 } else { 3.0 }]
}

/// The arguments of a batch, one column behind the other: `f32` all over the range, which differ from those
/// of other batches in their low bits, or samples.
fn arguments(operation: &Operation, batch: u64, stride: u64) -> Vec<u32> {
    if operation.arity == 1 {
        // Within a stride the place changes from batch to batch, so that no bit is always zero.
        let inside = Random::new(batch).bits() % stride;
        let low = (batch * stride + inside) as u32 % BATCHES;
        return (0..BATCH as u32).map(|index| index * BATCHES + low).collect();
    }
    let mut random = Random::new(!batch);
    let mut words = vec![0; operation.arity * BATCH];
    for index in 0..BATCH {
        let values = if operation.name == "Pow" {
            let [x, y] = power(&mut random);
            [x, y, 0.0]
        } else {
            [0; 3].map(|_: u32| any(&mut random))
        };
        for (column, value) in values.iter().enumerate().take(operation.arity) {
            words[column * BATCH + index] = value.to_bits();
        }
    }
    words
}

/// The worst of a batch.
fn worst_of(operation: &Operation, words: &[u32], results: &[u32]) -> Worst {
    let mut worst = Worst { count: results.len() as u64, ..Worst::default() };
    for (index, &result) in results.iter().enumerate() {
        let mut values = [0.0f32; 3];
        for (column, value) in values.iter_mut().enumerate().take(operation.arity) {
            *value = f32::from_bits(words[column * BATCH + index]);
        }
        // Infinite arguments always count.
        if values.iter().any(|value| value.is_finite() && value.abs() > operation.limit) {
            continue;
        }
        let distance =
            pyro_ulp::distance(f32::from_bits(result), (operation.reference)(values.map(f64::from)));
        if distance > worst.distance {
            (worst.distance, worst.at) = (distance, values[..operation.arity].to_vec());
        }
    }
    worst
}

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Every how many-th argument, of operations with one.
    pub stride: u64,
    /// Samples, of operations with more.
    pub samples: u64,
    /// Batches at most: the first ones of the whole.
    pub batches_max: u64,
    /// Of the batches, those whose number leaves the first of these when it is divided by the second.
    pub part: (u64, u64),
    /// When no other batch is begun.
    pub end: Option<Instant>,
}

impl Extent {
    /// Batches of an operation, of all parts.
    #[must_use]
    pub fn batches(&self, operation: &Operation) -> u64 {
        let count = if operation.arity == 1 { (1 << 32) / self.stride.max(1) } else { self.samples };
        count.div_ceil(BATCH as u64).min(self.batches_max)
    }

    /// What there is to do: each operation's next batch by turns, so that an end in between is fair.
    #[must_use]
    pub fn work(&self, operations: &[&Operation]) -> Vec<(usize, u64)> {
        let most = operations.iter().map(|operation| self.batches(operation)).max().unwrap_or_default();
        let (number, parts) = self.part;
        let batches = (number..most).step_by(parts.max(1) as usize);
        let of = |batch: u64| {
            let has = move |&(_, operation): &(usize, &&Operation)| batch < self.batches(operation);
            operations.iter().enumerate().filter(has).map(move |(index, _)| (index, batch))
        };
        batches.flat_map(of).collect()
    }
}

/// Measures operations, on so many threads, each with a device of its own that `open` makes; calls `step`
/// after each batch. The outcome is the same for any number of threads.
///
/// # Errors
/// A device's refusal.
pub fn measure(
    open: &(dyn Fn() -> Result<Runner, String> + Sync),
    operations: &[&Operation],
    extent: &Extent,
    threads: usize,
    step: &(dyn Fn() + Sync),
) -> Result<Vec<Worst>, String> {
    let work = extent.work(operations);
    let next = AtomicUsize::new(0);
    let thread = || -> Result<Vec<Worst>, String> {
        let runner = open()?;
        let mut pipelines = Vec::new();
        for operation in operations {
            let words = pyro_spirv::asm::assemble(&shader(operation)).map_err(|error| error.to_string())?;
            pipelines.push(runner.pipeline(&words, None)?);
        }
        let mut all = vec![Worst::default(); operations.len()];
        while extent.end.is_none_or(|end| Instant::now() < end)
            && let Some(&(index, batch)) = work.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let words = arguments(operations[index], batch, extent.stride.max(1));
            let groups = [(BATCH / INVOCATIONS) as u32, 1, 1];
            let (results, _) = runner.run_pipeline(&pipelines[index], groups, &words, BATCH)?;
            all[index].merge(&worst_of(operations[index], &words, &results));
            step();
        }
        Ok(all)
    };
    let mut all = vec![Worst::default(); operations.len()];
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(thread)).collect();
        for thread in running {
            let found = thread.join().map_err(|_| "a thread panicked".to_owned())??;
            all.iter_mut().zip(&found).for_each(|(all, found)| all.merge(found));
        }
        Ok(all)
    })
}
