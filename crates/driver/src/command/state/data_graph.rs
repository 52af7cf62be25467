//! The bind point of data graphs, and how graphs run.

use super::bind_point::{DynamicBuffers, no_dynamic_buffers};
use super::sets::Sets;
use super::{CommandProcessor, Outcome};
use crate::execution::unsafe_engine;
use crate::objects::memory::mapped::Range;
use crate::objects::tensor::packed_runs;
use crate::pipeline::data_graph::{DataGraphPipeline, DataGraphSession, Place};
use crate::report::Severity;
use pyro_abi::tensor::TensorRecord;
use pyro_engine::Engine;
use pyro_tosa::{TensorType, Tensors, Threads};
use pyro_util::sync::Mutex;
use std::ops;
use std::sync::Arc;

/// What is bound to the bind point of data graphs.
pub(in crate::command) struct DataGraphState {
    pub(in crate::command) pipeline: Option<Arc<DataGraphPipeline>>,
    pub(in crate::command) sets: Sets,
    pub(in crate::command) dynamic: DynamicBuffers,
}

/// A tensor that a descriptor names.
struct BoundTensor {
    /// From its first element to its last; none for a null descriptor.
    range: Option<Range>,
    /// Elements along each dimension, and how many bytes they are apart, with as many dimensions as its type.
    dims: Vec<(u32, u32)>,
    /// Bytes of an element.
    element: u32,
}

/// The threads of an engine.
struct EngineThreads<'e>(&'e Engine);

impl Threads for EngineThreads<'_> {
    fn count(&self) -> usize {
        self.0.thread_count()
    }

    fn for_each(&self, count: usize, part: &(dyn Fn(usize) + Sync)) {
        self.0.for_each_part(count as u64, &|number| part(number as usize));
    }
}

/// The tensors of a run.
struct Bound {
    inputs: Vec<BoundTensor>,
    outputs: Vec<BoundTensor>,
}

/// Bytes that a thread copies at a time.
const PIECE_BYTES: usize = 1 << 18;

impl BoundTensor {
    /// Bytes of packed elements that are copied at a time: whole rows, or a part of what is one row.
    fn piece_bytes(&self) -> usize {
        let (run, outer) = packed_runs(self.element, &self.dims);
        if outer.is_empty() { PIECE_BYTES } else { run * (PIECE_BYTES / run).max(1) }
    }

    /// Calls `copy` for the rows of a piece of packed elements: with the place of each in the tensor, and
    /// where it is in the piece.
    fn rows(&self, piece: usize, length: usize, mut copy: impl FnMut(u64, ops::Range<usize>)) {
        let (run, outer) = packed_runs(self.element, &self.dims);
        let first = piece * self.piece_bytes();
        if outer.is_empty() {
            return copy(first as u64, 0..length);
        }
        for row in 0..length / run {
            let (mut rest, mut at) = (first / run + row, 0);
            for &(count, stride) in outer.iter().rev() {
                at += (rest % count as usize) as u64 * u64::from(stride);
                rest /= count as usize;
            }
            copy(at, row * run..(row + 1) * run);
        }
    }
}

impl Tensors for Bound {
    fn read(&self, input: usize, bytes: &mut [u8], threads: &dyn Threads) {
        let tensor = &self.inputs[input];
        let Some(range) = &tensor.range else {
            bytes.fill(0);
            return;
        };
        let pieces: Vec<_> = bytes.chunks_mut(tensor.piece_bytes()).map(Mutex::new).collect();
        threads.for_each(pieces.len(), &|number| {
            let mut piece = pieces[number].lock();
            tensor.rows(number, piece.len(), |place, to| range.read(place, &mut piece[to]));
        });
    }

    fn write(&self, output: usize, bytes: &[u8], threads: &dyn Threads) {
        let tensor = &self.outputs[output];
        let Some(range) = &tensor.range else { return };
        let pieces: Vec<_> = bytes.chunks(tensor.piece_bytes()).collect();
        threads.for_each(pieces.len(), &|number| {
            let piece = pieces[number];
            tensor.rows(number, piece.len(), |place, from| range.write(place, &piece[from]));
        });
    }
}

impl CommandProcessor<'_> {
    /// The bind point of data graphs.
    pub(in crate::command) fn data_graph(&mut self) -> &mut DataGraphState {
        self.data_graph.get_or_insert_with(|| {
            Box::new(DataGraphState { pipeline: None, sets: Sets::default(), dynamic: no_dynamic_buffers() })
        })
    }

    /// The tensors that a pipeline finds in the sets that are bound; an error says which is none of its own.
    fn data_graph_tensors(&mut self, pipeline: &DataGraphPipeline) -> Option<Result<Bound, String>> {
        let alive = self.alive;
        let addresses: Option<Vec<u64>> = self.data_graph().sets.addresses(pipeline.layout()).collect();
        let addresses = addresses?;
        let tensor = |what: &str, number: usize, (place, ty): (&Place, &TensorType)| {
            let address = addresses.get(place.set).copied().unwrap_or(0);
            let record = unsafe_engine::tensor_record(alive, address, place.offset);
            let element = ty.element().bytes() as u32;
            let Some(record) = record else {
                return Ok(BoundTensor { range: None, dims: vec![(1, element)], element });
            };
            if !fits(&record, ty) {
                let TensorRecord { dimensions, .. } = record;
                return Err(format!(
                    "the {what} {number} is {ty}, the tensor bound has {dimensions:?} elements"
                ));
            }
            let dims: Vec<(u32, u32)> =
                record.dimensions.into_iter().zip(record.strides).take(ty.rank()).collect();
            let last = dims.iter().map(|&(size, stride)| u64::from(size - 1) * u64::from(stride));
            let bytes = last.sum::<u64>() + u64::from(element);
            Ok(BoundTensor { range: Some(alive.memory().range(record.address, bytes)), dims, element })
        };
        let all = |what: &'static str, places: &[Place], types: &mut dyn Iterator<Item = &TensorType>| {
            let places = places.iter().zip(types).enumerate();
            places.map(|(number, one)| tensor(what, number, one)).collect::<Result<Vec<_>, String>>()
        };
        let inputs = all("input", pipeline.inputs(), &mut pipeline.program().inputs());
        let outputs = all("output", pipeline.outputs(), &mut pipeline.program().outputs());
        Some(inputs.and_then(|inputs| Ok(Bound { inputs, outputs: outputs? })))
    }

    /// Runs the graph that is bound, in the memory of a session of its.
    pub(in crate::command) fn run_data_graph(&mut self, session: &DataGraphSession) -> Outcome {
        // Recording has reported a missing pipeline.
        let Some(pipeline) = self.data_graph().pipeline.clone() else { return Outcome::Done };
        let dropped = |processor: &Self, message: &str| {
            let message = format!("a data graph is dropped: {message}");
            processor.device.reporter().report(Severity::Error, &message, None);
            Outcome::Done
        };
        let tensors = match self.data_graph_tensors(&pipeline) {
            None => return self.lose(),
            Some(Err(message)) => return dropped(self, &message),
            Some(Ok(tensors)) => tensors,
        };
        let engine = self.engine();
        let ran = unsafe_engine::with_session_memory(self.alive, session, |memory| {
            engine.with_float_state(|| pipeline.program().run(memory, &tensors, &EngineThreads(engine)));
        });
        match ran {
            Some(()) => Outcome::Done,
            None => dropped(self, "its session has no memory (VUID-vkCmdDispatchDataGraphARM-session-09796)"),
        }
    }

    /// The addresses of what a graph reads and of what it writes.
    pub(in crate::command) fn data_graph_ranges(
        &mut self,
        session: &DataGraphSession,
    ) -> (Vec<ops::Range<u64>>, Vec<ops::Range<u64>>) {
        let Some(pipeline) = self.data_graph().pipeline.clone() else { return Default::default() };
        let Some(Ok(tensors)) = self.data_graph_tensors(&pipeline) else { return Default::default() };
        let bytes = |range: &Range| range.address()..range.address() + range.size();
        let of = |tensors: &[BoundTensor]| -> Vec<_> {
            tensors.iter().filter_map(|tensor| tensor.range.as_ref()).map(bytes).collect()
        };
        let mut writes = of(&tensors.outputs);
        writes.extend(session.memory().map(bytes));
        (of(&tensors.inputs), writes)
    }
}

/// Whether a tensor is of a type, as far as its record says.
fn fits(record: &TensorRecord, ty: &TensorType) -> bool {
    let (rank, element) = (ty.rank(), ty.element().bytes() as u32);
    record.dimensions[..rank] == *ty.shape()
        && record.dimensions[rank..].iter().all(|&size| size == 0)
        && rank.checked_sub(1).is_none_or(|last| record.strides[last] == element)
}
