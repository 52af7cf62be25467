//! Chunks: how the primitives of a command, over instances and views, are cut into work for one thread each.

use crate::aborted::Aborted;
use crate::graphics::assembly::stream::Stream;
use crate::graphics::geometry::mesh::MeshChunk;
use crate::graphics::geometry::tessellation::PatchBlock;
use crate::graphics::state::{Draw, DrawCommand, Topology};
use pyro_abi::Memory;
use std::sync::Arc;

/// Primitives of a chunk.
pub(super) const CHUNK_PRIMITIVES: u32 = 1024;
/// Primitives of a chunk of many: fewer vertices are shaded in two chunks.
pub(super) const LARGE_CHUNK_PRIMITIVES: u32 = 4096;
/// Patches of a chunk, whose vertices are shaded together.
const CHUNK_PATCHES: u32 = 256;

/// Where a chunk's command is.
#[derive(Clone)]
pub(super) enum CommandPlace {
    /// In its draw, by number.
    OfDraw(usize),
    /// Among those that a cluster culling function emitted, by number.
    Emitted(Arc<Vec<DrawCommand>>, usize),
}

impl CommandPlace {
    /// The command of a chunk of this draw.
    pub(super) fn of<'a>(&'a self, draw: &'a Draw) -> &'a DrawCommand {
        match self {
            CommandPlace::OfDraw(number) => &draw.commands[*number],
            CommandPlace::Emitted(commands, number) => &commands[*number],
        }
    }
}

/// Consecutive primitives of one instance and view of a command, or several whole instances.
#[derive(Clone)]
pub(super) struct Chunk {
    /// Its draw's number in the list.
    pub(super) draw: usize,
    pub(super) command: CommandPlace,
    pub(super) stream: Stream,
    pub(super) view_index: u32,
    /// Instances from this on, counted from the command's first.
    pub(super) first_instance: u32,
    pub(super) instance_count: u32,
    /// Primitives of each of the instances.
    pub(super) first: u32,
    pub(super) count: u32,
    /// Of mesh draws; the primitives are at most as many as these then.
    pub(super) mesh: Option<MeshChunk>,
    /// Of tessellated patches: where `first` counts from, and how many primitives they give.
    pub(super) patches: Option<(Arc<PatchBlock>, u64)>,
}

impl Chunk {
    pub(super) fn primitive_count(&self) -> u64 {
        match self.patches {
            Some((_, count)) => count,
            None => u64::from(self.count) * u64::from(self.instance_count),
        }
    }

    /// A chunk of one instance, of no primitives yet.
    pub(super) fn empty(draw: usize, command: CommandPlace, stream: Stream, view_index: u32) -> Chunk {
        Chunk {
            draw,
            command,
            stream,
            view_index,
            first_instance: 0,
            instance_count: 1,
            first: 0,
            count: 0,
            mesh: None,
            patches: None,
        }
    }
}

/// The views that a draw is for.
pub(super) fn views(draw: &Draw) -> impl Iterator<Item = u32> {
    let mask = draw.view_mask;
    (0..32).filter(move |view| mask >> view & 1 != 0).chain((mask == 0).then_some(0))
}

/// Primitives of a chunk, and how many are usual where there are several instances.
fn chunk_sizes(draw: &Draw, primitive_count: u32) -> (u32, u32) {
    let few = draw.stages.chunk_primitives();
    let size = if let Topology::PatchList(_) = draw.topology {
        CHUNK_PATCHES
    } else if let Some(few) = few {
        few
    } else if draw.raster.line_stipple.is_some() {
        // A stipple goes on along a strip: those stay whole.
        u32::MAX
    } else if primitive_count >= 8 * LARGE_CHUNK_PRIMITIVES {
        LARGE_CHUNK_PRIMITIVES
    } else {
        CHUNK_PRIMITIVES
    };
    (size, size.min(few.unwrap_or(CHUNK_PRIMITIVES)))
}

/// Calls `push` with the chunks of a command, in order.
pub(super) fn chunks_of(
    draw: &Draw,
    number: usize,
    place: &CommandPlace,
    mut push: impl FnMut(Chunk) -> Result<(), Aborted>,
) -> Result<(), Aborted> {
    let command = place.of(draw);
    if command.count == 0 || command.instance_count == 0 {
        return Ok(());
    }
    // SAFETY: of the addresses reachable from the draw, only the index buffer's are read.
    #[allow(unsafe_code)]
    let memory = unsafe { Memory::new() };
    let indices = draw.indices.as_ref().filter(|_| draw.primitive_restart);
    let stream = Stream::new(draw.topology, command, indices.map(|indices| (indices, memory)));
    if stream.primitive_count == 0 {
        return Ok(());
    }
    let (size, usual) = chunk_sizes(draw, stream.primitive_count);
    for view_index in views(draw) {
        let mut chunk = Chunk::empty(number, place.clone(), stream.clone(), view_index);
        if stream.primitive_count <= usual / 2 {
            // Whole instances.
            chunk.count = stream.primitive_count;
            let together = usual / stream.primitive_count;
            if command.instance_count <= together {
                chunk.instance_count = command.instance_count;
                push(chunk)?;
                continue;
            }
            while chunk.first_instance < command.instance_count {
                chunk.instance_count = together.min(command.instance_count - chunk.first_instance);
                push(chunk.clone())?;
                chunk.first_instance += chunk.instance_count;
            }
            continue;
        }
        for instance in 0..command.instance_count {
            chunk.first_instance = instance;
            chunk.first = 0;
            while chunk.first < stream.primitive_count {
                chunk.count = size.min(stream.primitive_count - chunk.first);
                push(chunk.clone())?;
                chunk.first += chunk.count;
            }
        }
    }
    Ok(())
}
