//! Runs task and mesh functions: the workgroups that tasks start, and the vertices and primitives that these
//! write.
//!
//! A command's task workgroups run first, so many at a time that their payloads take little memory
//! ([`start`]). The mesh workgroups that they ask for are numbered through, in the order of the tasks and of
//! the workgroups of each; without a task function there is one row of them. Chunks are consecutive numbers,
//! so primitives come in the order of the API. What functions say of how much they have written may be
//! anything, and is limited to what there is room for.

use crate::Engine;
use crate::aborted::{Aborted, SharedParts};
use crate::graphics::assembly::vertices::Shaded;
use crate::graphics::geometry::primitive_values::PrimitiveValues;
use crate::graphics::simd::aligned_words::AlignedWords;
use crate::graphics::state::context::ContextMemory;
use crate::graphics::state::{Draw, DrawCommand, MeshProgram, Statistics};
use crate::pool::Work;
use crate::work_partition::WorkPartition;
use crate::workgroup::WorkgroupMemory;
use pyro_abi::graphics::{MeshIndices, MeshLayout, MeshWorkgroup};
use pyro_abi::{DrawContext, Kernel, Memory};
use pyro_util::sync::Mutex;
use pyro_util::thread_scratch::with_scratch;
use std::cell::RefCell;
use std::sync::Arc;

/// `maxTaskWorkGroupTotalCount` and `maxMeshWorkGroupTotalCount`: who asks for more gets none.
pub const MESH_GROUPS_MAX: u64 = 1 << 22;
/// Task workgroups that run before the mesh workgroups of these.
const TASK_GROUPS: u64 = 1024;
/// Task workgroups that a thread takes at a time.
const TASKS_TOGETHER: u64 = 4;
/// Primitives of a chunk, about.
const CHUNK_PRIMITIVES: u64 = 2048;
/// Bytes of a chunk's vertices, about.
const CHUNK_BYTES: u64 = 1 << 20;
/// Chunks for each thread, where there are so many workgroups.
const CHUNKS_PER_THREAD: u64 = 4;

/// How many workgroups these are; none where they are too many.
pub(super) fn group_count(groups: [u32; 3]) -> u64 {
    let count = groups.iter().map(|&count| u128::from(count)).product::<u128>();
    u64::try_from(count).ok().filter(|&count| count <= MESH_GROUPS_MAX).unwrap_or(0)
}

/// The place of a workgroup by its number, x first.
fn place([x, y, _]: [u32; 3], number: u64) -> [u32; 3] {
    let (x, y) = (u64::from(x.max(1)), u64::from(y.max(1)));
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

/// Mesh workgroups that tasks have started, or that a command starts.
#[derive(Default)]
pub(crate) struct MeshGroups {
    /// For each task, the workgroups that it starts, and the number of its first among all.
    tasks: Vec<(u64, [u32; 3])>,
    /// How many there are.
    pub(crate) count: u64,
    /// The first one's place in x.
    base: u32,
    /// The tasks' payloads, one behind the other.
    payloads: AlignedWords,
    payload_bytes: u64,
}

impl MeshGroups {
    /// No workgroups yet, with memory for the payloads of so many tasks.
    pub(super) fn new(payload_bytes: u32, tasks: usize) -> MeshGroups {
        let payload_bytes = payload_bytes.next_multiple_of(64) as usize;
        let mut payloads = AlignedWords::default();
        payloads.reserve(payload_bytes / 4 * tasks);
        MeshGroups { tasks: Vec::new(), count: 0, base: 0, payloads, payload_bytes: payload_bytes as u64 }
    }

    /// Adds the workgroups of the next task.
    fn push(&mut self, groups: [u32; 3]) {
        self.tasks.push((self.count, groups));
        self.count += group_count(groups);
    }

    fn payload(&self, task: usize) -> u64 {
        self.payloads.address() + self.payload_bytes * task as u64
    }

    /// The payload of a task.
    pub(super) fn word(&self, task: usize, word: u32) -> u32 {
        self.payloads.get(self.payload_bytes as usize / 4 * task + word as usize)
    }

    /// Writes the first word of a task's payload.
    pub(super) fn set_first_word(&mut self, task: usize, value: u32) {
        self.payloads.set(self.payload_bytes as usize / 4 * task, value);
    }

    /// The place of a workgroup, and its record as far as it is the task's.
    fn find(&self, number: u64) -> ([u32; 3], MeshWorkgroup) {
        let task = self.tasks.partition_point(|&(first, _)| first <= number).saturating_sub(1);
        let (first, groups) = self.tasks[task];
        let record =
            MeshWorkgroup { payload: self.payload(task), num_workgroups: groups, ..Default::default() };
        let [x, y, z] = place(groups, number - first);
        ([x.wrapping_add(self.base), y, z], record)
    }
}

/// Consecutive mesh workgroups.
#[derive(Clone)]
pub(crate) struct MeshChunk {
    groups: Arc<MeshGroups>,
    first: u64,
    count: u32,
}

/// Where a chunk's mesh functions leave what goes to setup beside vertices.
pub(crate) struct MeshOutput<'o> {
    pub(crate) view_index: u32,
    pub(crate) values: &'o mut PrimitiveValues,
    pub(crate) statistics: &'o mut Statistics,
}

/// A thread's memory for mesh functions, and what they have made.
#[derive(Default)]
pub(crate) struct MeshShading {
    workgroups: WorkgroupMemory,
    /// The columns of one workgroup's primitives.
    primitives: AlignedWords,
    /// The vertices of primitives.
    pub(crate) corners: Vec<u32>,
    /// How many places of vertices there are.
    pub(crate) vertex_count: usize,
}

impl MeshShading {
    /// Runs the workgroups of a chunk.
    ///
    /// # Safety
    /// The contract of `Kernel::run` for the addresses reachable from the draw.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(
        &mut self,
        draw: &Draw,
        context: &DrawContext,
        command: &DrawCommand,
        chunk: &MeshChunk,
        shaded: &mut Shaded,
        output: &mut MeshOutput<'_>,
    ) -> Result<(), Aborted> {
        let Some(MeshProgram { kernel, layout, .. }) = &draw.stages.mesh else { return Err(Aborted) };
        let info = kernel.info();
        let (pitch, primitive_pitch) = (layout.vertex_pitch() as usize, layout.primitive_pitch() as usize);
        let columns = draw.stages.outputs.columns;
        let vertices = shaded.start_blocks(columns, pitch, chunk.count as usize);
        let block_bytes = 4 * columns as u64 * pitch as u64;
        let primitives = self.primitives.reserve(layout.columns as usize * primitive_pitch);
        self.corners.clear();
        self.vertex_count = pitch * chunk.count as usize;
        output.values.start(layout);
        self.workgroups.prepare(info);
        (&raw const *context).expose_provenance();
        for block in 0..chunk.count {
            let (id, record) = chunk.groups.find(chunk.first + u64::from(block));
            if let Some(column) = layout.cull {
                // Who does not say so does not cull.
                let first = column as usize * primitive_pitch;
                (first..first + primitive_pitch).for_each(|word| self.primitives.set(word, 0));
            }
            let mut record = MeshWorkgroup {
                vertices: vertices + block_bytes * u64::from(block),
                primitives,
                draw_index: command.draw_index,
                view_index: output.view_index,
                // Where only primitives are counted, all vertices count.
                vertex_count: u32::MAX,
                ..record
            };
            // SAFETY: the caller vouches for the draw; columns and payload are as large as layout and
            // functions say.
            let exit = unsafe { self.workgroups.run_mesh(&**kernel, &context.dispatch, id, &mut record) };
            Aborted::unless_done(exit)?;
            self.assemble(layout, &record, block * pitch as u32, output);
        }
        let invocations = u64::from(info.invocation_count()) * u64::from(chunk.count);
        output.statistics.mesh_shader_invocations += invocations;
        Ok(())
    }

    /// Adds the primitives of a workgroup whose vertices have numbers from one on.
    fn assemble(
        &mut self,
        layout: &MeshLayout,
        record: &MeshWorkgroup,
        first_vertex: u32,
        output: &mut MeshOutput<'_>,
    ) {
        let vertex_count = record.vertex_count.min(layout.max_vertices);
        let primitive_count = record.primitive_count.min(layout.max_primitives) as usize;
        let (corner_count, pitch) = (layout.corners as usize, layout.primitive_pitch() as usize);
        output.statistics.mesh_primitives_generated += primitive_count as u64;
        for primitive in 0..primitive_count {
            if layout.cull.is_some_and(|column| self.primitives.get(column as usize * pitch + primitive) != 0)
            {
                continue;
            }
            let mut vertices = [0; 3];
            for (corner, vertex) in vertices[..corner_count].iter_mut().enumerate() {
                *vertex = self.primitives.get(match layout.indices {
                    MeshIndices::Columns => corner * pitch + primitive,
                    MeshIndices::List => primitive * corner_count + corner,
                });
            }
            let vertices = &mut vertices[..corner_count];
            if vertices.iter().any(|&vertex| vertex >= vertex_count) {
                continue;
            }
            vertices.iter_mut().for_each(|vertex| *vertex += first_vertex);
            self.corners.extend_from_slice(vertices);
            let columns = corner_count..layout.columns as usize;
            output.values.words.extend(columns.map(|column| self.primitives.get(column * pitch + primitive)));
        }
    }
}

/// Task workgroups of a command, from one on.
#[derive(Clone, Copy)]
pub(super) struct Tasks<'a> {
    pub(super) draw: &'a Draw,
    pub(super) kernel: &'a dyn Kernel,
    pub(super) command: &'a DrawCommand,
    pub(super) view_index: u32,
    pub(super) first: u64,
    pub(super) count: u64,
}

impl Tasks<'_> {
    /// Runs them, with payloads in `groups`; gives what each has started.
    ///
    /// # Safety
    /// The contract of `Engine::draw`.
    #[allow(unsafe_code)]
    pub(super) unsafe fn run(self, engine: &Engine, groups: &MeshGroups) -> Result<Vec<[u32; 3]>, Aborted> {
        let parts = self.count.div_ceil(TASKS_TOGETHER);
        let threads = engine.threads_for(parts, self.draw.writes_memory());
        let work = TaskWork {
            tasks: self,
            groups,
            started: (0..self.count).map(|_| Mutex::default()).collect(),
            parts: SharedParts::new(WorkPartition::new(threads, (0..parts as u32).map(|_| 1)), &engine.abort),
        };
        // SAFETY: the caller vouches for the draw's addresses, which are all that the work reaches.
        unsafe { engine.pool.share(&work, parts.min(threads as u64)) };
        work.parts.result()?;
        Ok(work.started.into_iter().map(Mutex::into_inner).collect())
    }
}

struct TaskWork<'a> {
    tasks: Tasks<'a>,
    /// Where the payloads lie.
    groups: &'a MeshGroups,
    /// What each starts.
    started: Vec<Mutex<[u32; 3]>>,
    parts: SharedParts,
}

/// A thread's memory for task functions.
#[derive(Default)]
struct TaskMemory {
    workgroups: WorkgroupMemory,
    context: ContextMemory,
}

thread_local! {
    static TASK: RefCell<TaskMemory> = RefCell::default();
}

impl TaskWork<'_> {
    /// Runs some of them.
    ///
    /// # Safety
    /// The contract of `Kernel::run` for the addresses reachable from the draw.
    #[allow(unsafe_code)]
    unsafe fn part(
        &self,
        part: u64,
        TaskMemory { workgroups, context }: &mut TaskMemory,
    ) -> Result<(), Aborted> {
        let Tasks { draw, kernel, command, view_index, first: first_task, count } = self.tasks;
        let context = context.of(draw, self.parts.abort_address(), None);
        (&raw const *context).expose_provenance();
        workgroups.prepare(kernel.info());
        let first = part * TASKS_TOGETHER;
        for number in first..(first + TASKS_TOGETHER).min(count) {
            let mut record = MeshWorkgroup {
                payload: self.groups.payload(number as usize),
                num_workgroups: command.groups,
                draw_index: command.draw_index,
                view_index,
                // Where only one number is written.
                task_groups: [0, 1, 1],
                ..Default::default()
            };
            let [x, y, z] = place(command.groups, first_task + number);
            let id = [x.wrapping_add(command.first), y, z];
            // SAFETY: the caller vouches for the draw; each workgroup has its own payload.
            let exit = unsafe { workgroups.run_mesh(kernel, &context.dispatch, id, &mut record) };
            Aborted::unless_done(exit)?;
            let started = &self.started[number as usize];
            *started.lock() = record.task_groups;
        }
        Ok(())
    }
}

impl Work for TaskWork<'_> {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        self.parts.run(|numbers| {
            with_scratch(&TASK, |memory| {
                memory.context.forget();
                for part in numbers {
                    // SAFETY: who shares the work vouches for the draw's addresses.
                    unsafe { self.part(part.into(), memory)? };
                }
                Ok(())
            })
        });
    }
}

/// Runs the task workgroups of a command for a view, if there are any, and calls `push` with chunks of the
/// mesh workgroups and about how many primitives each has. Adds how many task invocations there were.
///
/// # Safety
/// The contract of `Engine::draw`.
#[allow(unsafe_code)]
pub(crate) unsafe fn start(
    engine: &Engine,
    draw: &Draw,
    command: &DrawCommand,
    view_index: u32,
    task_invocations: &mut u64,
    push: &mut dyn FnMut(MeshChunk, u32) -> Result<(), Aborted>,
) -> Result<(), Aborted> {
    let Some(program) = &draw.stages.mesh else { return Err(Aborted) };
    let total = group_count(command.groups);
    let Some(task) = &program.task else {
        let mut groups = MeshGroups::new(program.payload_bytes(), 1);
        groups.base = command.first;
        if command.payload != 0 {
            // SAFETY: the caller vouches for the command's payload, of which no more than its bytes are read.
            let memory = unsafe { Memory::new() };
            let words = u64::from(command.payload_bytes).min(groups.payload_bytes) / 4;
            for word in 0..words {
                groups.payloads.set(word as usize, memory.load(command.payload + 4 * word));
            }
        }
        groups.push(command.groups);
        return chunks(engine, draw, program, groups, push);
    };
    for first in (0..total).step_by(TASK_GROUPS as usize) {
        let count = TASK_GROUPS.min(total - first);
        let mut groups = MeshGroups::new(program.payload_bytes(), count as usize);
        let tasks = Tasks { draw, kernel: &**task, command, view_index, first, count };
        // SAFETY: the caller vouches for the draw's addresses.
        let started = unsafe { tasks.run(engine, &groups)? };
        *task_invocations += count * u64::from(task.info().invocation_count());
        started.into_iter().for_each(|started| groups.push(started));
        chunks(engine, draw, program, groups, push)?;
    }
    Ok(())
}

/// Cuts workgroups into chunks.
fn chunks(
    engine: &Engine,
    draw: &Draw,
    program: &MeshProgram,
    groups: MeshGroups,
    push: &mut dyn FnMut(MeshChunk, u32) -> Result<(), Aborted>,
) -> Result<(), Aborted> {
    let most = u64::from(program.layout.max_primitives);
    let threads = engine.threads_for(u64::MAX, draw.writes_memory()) as u64;
    let wanted = (threads * CHUNKS_PER_THREAD).max(1);
    let vertex_bytes =
        4 * u64::from(draw.stages.outputs.columns.max(1)) * u64::from(program.layout.vertex_pitch());
    let room = (CHUNK_PRIMITIVES / most).min(CHUNK_BYTES / vertex_bytes);
    let together = room.min(groups.count.div_ceil(wanted)).max(1);
    let groups = Arc::new(groups);
    (0..groups.count).step_by(together as usize).try_for_each(|first| {
        let count = together.min(groups.count - first);
        push(MeshChunk { groups: Arc::clone(&groups), first, count: count as u32 }, (count * most) as u32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroups_are_numbered_through() {
        let mut groups = MeshGroups::new(20, 4);
        for started in [[2, 1, 2], [0, 5, 5], [u32::MAX, u32::MAX, u32::MAX], [1, 3, 1]] {
            groups.push(started);
        }
        assert_eq!(groups.count, 4 + 3);
        let found: Vec<_> = (0..groups.count).map(|number| groups.find(number)).collect();
        let places: Vec<_> = found.iter().map(|(place, _)| *place).collect();
        assert_eq!(places[..4], [[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]]);
        assert_eq!(places[4..], [[0, 0, 0], [0, 1, 0], [0, 2, 0]]);
        let of =
            |number: usize| (found[number].1.num_workgroups, found[number].1.payload - groups.payload(0));
        assert_eq!((of(3), of(4)), (([2, 1, 2], 0), ([1, 3, 1], 3 * 64)));
    }
}
