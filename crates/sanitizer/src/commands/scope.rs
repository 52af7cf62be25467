//! Synchronization scopes: masks of pipeline stages and accesses, as barriers name them (specification,
//! "Synchronization and Cache Control", "Synchronization Scopes", "Access Types").
//!
//! Masks have the bits of `VkPipelineStageFlags2` and `VkAccessFlags2`. They are expanded to single stages
//! and accesses before they are compared.

/// Stages: bits of `VkPipelineStageFlags2`.
pub mod stage {
    /// Reads of commands in memory.
    pub const DRAW_INDIRECT: u64 = 1 << 1;
    /// The task shader.
    pub const TASK: u64 = 1 << 19;
    /// The mesh shader.
    pub const MESH: u64 = 1 << 20;
    /// The vertex shader.
    pub const VERTEX: u64 = 1 << 3;
    /// The tessellation control shader.
    pub const TESSELLATION_CONTROL: u64 = 1 << 4;
    /// The tessellation evaluation shader.
    pub const TESSELLATION_EVALUATION: u64 = 1 << 5;
    /// The geometry shader.
    pub const GEOMETRY: u64 = 1 << 6;
    /// The fragment shader.
    pub const FRAGMENT: u64 = 1 << 7;
    /// Depth and stencil tests before the fragment shader, and loads of depth and stencil.
    pub const EARLY_TESTS: u64 = 1 << 8;
    /// Those behind it, and stores.
    pub const LATE_TESTS: u64 = 1 << 9;
    /// Blending, loads and stores of colour attachments, resolves.
    pub const COLOR_OUTPUT: u64 = 1 << 10;
    /// The compute shader.
    pub const COMPUTE: u64 = 1 << 11;
    /// The host.
    pub const HOST: u64 = 1 << 14;
    /// The ray tracing shaders.
    pub const RAY_TRACING: u64 = 1 << 21;
    /// Builds and copies of acceleration structures.
    pub const BUILD: u64 = 1 << 25;
    /// Builds and copies of micromaps (`VK_EXT_opacity_micromap`).
    pub const MICROMAP_BUILD: u64 = 1 << 30;
    /// Transform feedback.
    pub const TRANSFORM_FEEDBACK: u64 = 1 << 24;
    /// Conditional rendering.
    pub const CONDITIONAL: u64 = 1 << 18;
    /// Conversions of cooperative vectors' matrices.
    pub const CONVERT_MATRIX: u64 = 1 << 44;
    /// Decompression of memory.
    pub const DECOMPRESSION: u64 = 1 << 45;
    /// Copies.
    pub const COPY: u64 = 1 << 32;
    /// Resolves by commands.
    pub const RESOLVE: u64 = 1 << 33;
    /// Blits.
    pub const BLIT: u64 = 1 << 34;
    /// Clears and fills.
    pub const CLEAR: u64 = 1 << 35;
    /// Reads of copies in memory.
    pub const COPY_INDIRECT: u64 = 1 << 46;
    /// The same where the command may be one of `VK_NV_copy_memory_indirect`, which has no stage for it: any
    /// that names copies or indirect commands orders it.
    pub const COPY_COMMANDS: u64 = COPY_INDIRECT | COPY | DRAW_INDIRECT;
    /// Reads of indices.
    pub const INDEX_INPUT: u64 = 1 << 36;
    /// Reads of vertices.
    pub const VERTEX_INPUT: u64 = 1 << 37;
    /// Data graphs.
    pub const DATA_GRAPH: u64 = 1 << 42;
    /// No stage: what a layout transition does between two scopes.
    pub const TRANSITION: u64 = 1 << 63;

    pub(super) const TOP: u64 = 1;
    pub(super) const BOTTOM: u64 = 1 << 13;
    pub(super) const ALL_VERTEX_INPUT: u64 = 1 << 2;
    pub(super) const ALL_TRANSFER: u64 = 1 << 12;
    pub(super) const ALL_GRAPHICS: u64 = 1 << 15;
    /// All commands.
    pub const ALL_COMMANDS: u64 = 1 << 16;
    pub(super) const PRE_RASTERIZATION: u64 = 1 << 38;

    /// The stages of draws in their logical order, those of one step together.
    pub(super) const DRAW_ORDER: [u64; 13] = [
        DRAW_INDIRECT,
        INDEX_INPUT,
        VERTEX_INPUT,
        VERTEX,
        TESSELLATION_CONTROL,
        TESSELLATION_EVALUATION,
        GEOMETRY,
        TRANSFORM_FEEDBACK,
        EARLY_TESTS | 1 << 22 | 1 << 23,
        FRAGMENT,
        LATE_TESTS,
        COLOR_OUTPUT,
        0,
    ];
    pub(super) const MESH_ORDER: [u64; 7] =
        [DRAW_INDIRECT, TASK, MESH, EARLY_TESTS | 1 << 22 | 1 << 23, FRAGMENT, LATE_TESTS, COLOR_OUTPUT];
    pub(super) const GRAPHICS: u64 = DRAW_INDIRECT
        | INDEX_INPUT
        | VERTEX_INPUT
        | VERTEX
        | TESSELLATION_CONTROL
        | TESSELLATION_EVALUATION
        | GEOMETRY
        | TRANSFORM_FEEDBACK
        | TASK
        | MESH
        | EARLY_TESTS
        | FRAGMENT
        | LATE_TESTS
        | COLOR_OUTPUT
        | CONDITIONAL
        | 1 << 22
        | 1 << 23;
    pub(super) const TRANSFER: u64 = COPY | RESOLVE | BLIT | CLEAR | BUILD;
}

/// Accesses: bits of `VkAccessFlags2`.
pub mod access {
    /// Of commands in memory.
    pub const INDIRECT_READ: u64 = 1;
    /// Of indices.
    pub const INDEX_READ: u64 = 1 << 1;
    /// Of vertices.
    pub const VERTEX_READ: u64 = 1 << 2;
    /// Of uniform buffers.
    pub const UNIFORM_READ: u64 = 1 << 3;
    /// Of input attachments.
    pub const INPUT_ATTACHMENT_READ: u64 = 1 << 4;
    /// Of colour attachments.
    pub const COLOR_READ: u64 = 1 << 7;
    /// Of colour attachments.
    pub const COLOR_WRITE: u64 = 1 << 8;
    /// Of depth and stencil attachments.
    pub const DEPTH_STENCIL_READ: u64 = 1 << 9;
    /// Of depth and stencil attachments.
    pub const DEPTH_STENCIL_WRITE: u64 = 1 << 10;
    /// By transfers.
    pub const TRANSFER_READ: u64 = 1 << 11;
    /// By transfers.
    pub const TRANSFER_WRITE: u64 = 1 << 12;
    /// By the host.
    pub const HOST_READ: u64 = 1 << 13;
    /// By the host.
    pub const HOST_WRITE: u64 = 1 << 14;
    /// Of acceleration structures.
    pub const STRUCTURE_READ: u64 = 1 << 21;
    /// Of acceleration structures.
    pub const STRUCTURE_WRITE: u64 = 1 << 22;
    /// Of micromaps (`VK_EXT_opacity_micromap`).
    pub const MICROMAP_READ: u64 = 1 << 44;
    /// Of micromaps, by builds and copies.
    pub const MICROMAP_WRITE: u64 = 1 << 45;
    /// Of micromaps by builds of acceleration structures, whichever extension they are of.
    pub const GEOMETRY_MICROMAP_READ: u64 = MICROMAP_READ | STRUCTURE_READ;
    /// Of what clusters and partitioned structures are built from: the specification names the access of
    /// commands, and calls of what these lead to nothing but inputs.
    pub const CLUSTER_INPUT_READ: u64 = INDIRECT_READ | BUILD_INPUT_READ | STRUCTURE_READ;
    /// Of sampled images and uniform texel buffers.
    pub const SAMPLED_READ: u64 = 1 << 32;
    /// Of storage buffers, storage images and device addresses.
    pub const STORAGE_READ: u64 = 1 << 33;
    /// Of storage buffers, storage images and device addresses.
    pub const STORAGE_WRITE: u64 = 1 << 34;
    /// Of shader binding tables.
    pub const BINDING_TABLE_READ: u64 = 1 << 40;
    /// By data graphs.
    pub const DATA_GRAPH_READ: u64 = 1 << 47;
    /// By data graphs.
    pub const DATA_GRAPH_WRITE: u64 = 1 << 48;
    /// Of compressed data.
    pub const DECOMPRESSION_READ: u64 = 1 << 55;
    /// Of decompressed data.
    pub const DECOMPRESSION_WRITE: u64 = 1 << 56;
    /// What a layout transition does.
    pub const TRANSITION: u64 = 1 << 63;

    pub(super) const SHADER_READ: u64 = 1 << 5;
    /// Of what acceleration structures are built from; `SHADER_READ` names it.
    pub const BUILD_INPUT_READ: u64 = SHADER_READ;
    pub(super) const SHADER_WRITE: u64 = 1 << 6;
    pub(super) const TILE_ATTACHMENT_READ: u64 = 1 << 51;
    pub(super) const TILE_ATTACHMENT_WRITE: u64 = 1 << 52;
    pub(super) const MEMORY_READ: u64 = 1 << 15;
    pub(super) const MEMORY_WRITE: u64 = 1 << 16;
    /// Accesses that write.
    pub const WRITES: u64 = COLOR_WRITE
        | DEPTH_STENCIL_WRITE
        | TRANSFER_WRITE
        | HOST_WRITE
        | STRUCTURE_WRITE
        | MICROMAP_WRITE
        | STORAGE_WRITE
        | SHADER_WRITE
        | TRANSITION
        | TILE_ATTACHMENT_WRITE
        | DECOMPRESSION_WRITE
        | DATA_GRAPH_WRITE
        | 1 << 25
        | 1 << 27;
}

/// The first or second scope of a dependency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// `VkPipelineStageFlags2`.
    pub stages: u64,
    /// `VkAccessFlags2`.
    pub accesses: u64,
}

/// The stages that a mask names, one bit each. `first`: it is that of a first scope.
pub(super) fn named_stages(mask: u64, first: bool) -> u64 {
    use stage as s;
    let mut stages = mask & !(s::TOP | s::BOTTOM);
    // In the other scope they name no stage.
    let everything = if first { s::BOTTOM } else { s::TOP };
    if mask & (everything | s::ALL_COMMANDS) != 0 {
        return !(s::HOST | s::TRANSITION) | mask & s::HOST;
    }
    if !first && mask & s::EARLY_TESTS != 0 {
        // What comes behind the load of an attachment comes behind it at its store.
        stages |= s::LATE_TESTS;
    }
    for (name, meaning) in [
        (s::ALL_GRAPHICS, s::GRAPHICS),
        (s::ALL_TRANSFER, s::TRANSFER | s::COPY_INDIRECT),
        (s::ALL_VERTEX_INPUT, s::INDEX_INPUT | s::VERTEX_INPUT),
        (
            s::PRE_RASTERIZATION,
            s::VERTEX
                | s::TESSELLATION_CONTROL
                | s::TESSELLATION_EVALUATION
                | s::GEOMETRY
                | s::TASK
                | s::MESH,
        ),
    ] {
        if mask & name != 0 {
            stages |= meaning;
        }
    }
    stages
}

/// The stages of the execution dependency: with those before the named ones in a first scope, those behind
/// them in a second.
pub(super) fn ordered_stages(mask: u64, first: bool) -> u64 {
    let named = named_stages(mask, first);
    let mut stages = named;
    for order in [&stage::DRAW_ORDER[..], &stage::MESH_ORDER[..]] {
        let has = |&stages: &u64| named & stages != 0;
        let all = |part: &[u64]| part.iter().fold(0, |all, &one| all | one);
        if first {
            if let Some(last) = order.iter().rposition(has) {
                stages |= all(&order[..last]);
            }
        } else if let Some(start) = order.iter().position(has) {
            stages |= all(&order[start..]);
        }
    }
    // Commands in memory are read before dispatches and launches, too.
    if first && named & (stage::COMPUTE | stage::RAY_TRACING) != 0 {
        stages |= stage::DRAW_INDIRECT;
    }
    if !first && named & stage::DRAW_INDIRECT != 0 {
        stages |= stage::COMPUTE | stage::RAY_TRACING;
    }
    stages
}

/// The accesses that a mask names, one bit each.
pub(super) fn named_accesses(mask: u64) -> u64 {
    use access as a;
    let mut accesses = mask;
    if mask & a::SHADER_READ != 0 {
        accesses |= a::SAMPLED_READ | a::STORAGE_READ | a::BINDING_TABLE_READ;
    }
    // Barriers before builds name this one, too.
    if mask & a::STORAGE_READ != 0 {
        accesses |= a::BUILD_INPUT_READ;
    }
    if mask & a::SHADER_WRITE != 0 {
        accesses |= a::STORAGE_WRITE;
    }
    // Shaders access tile attachments as what their descriptors are.
    if mask & a::TILE_ATTACHMENT_READ != 0 {
        accesses |= a::SAMPLED_READ | a::STORAGE_READ | a::INPUT_ATTACHMENT_READ;
    }
    if mask & a::TILE_ATTACHMENT_WRITE != 0 {
        accesses |= a::STORAGE_WRITE;
    }
    if mask & a::MEMORY_READ != 0 {
        accesses |= !a::WRITES;
    }
    if mask & a::MEMORY_WRITE != 0 {
        accesses |= a::WRITES;
    }
    accesses & !a::TRANSITION
}

/// The names of stages, as barriers have them.
pub(super) fn stage_text(stage: u64) -> &'static str {
    match stage {
        stage::DRAW_INDIRECT => "DRAW_INDIRECT",
        stage::TASK => "TASK_SHADER",
        stage::MESH => "MESH_SHADER",
        stage::VERTEX => "VERTEX_SHADER",
        stage::TESSELLATION_CONTROL => "TESSELLATION_CONTROL_SHADER",
        stage::TESSELLATION_EVALUATION => "TESSELLATION_EVALUATION_SHADER",
        stage::GEOMETRY => "GEOMETRY_SHADER",
        stage::FRAGMENT => "FRAGMENT_SHADER",
        stage::EARLY_TESTS => "EARLY_FRAGMENT_TESTS",
        stage::LATE_TESTS => "LATE_FRAGMENT_TESTS",
        stage::COLOR_OUTPUT => "COLOR_ATTACHMENT_OUTPUT",
        stage::COMPUTE => "COMPUTE_SHADER",
        stage::RAY_TRACING => "RAY_TRACING_SHADER",
        stage::BUILD => "ACCELERATION_STRUCTURE_BUILD",
        stage::COPY => "COPY",
        stage::CONVERT_MATRIX => "CONVERT_COOPERATIVE_VECTOR_MATRIX",
        stage::DECOMPRESSION => "MEMORY_DECOMPRESSION",
        stage::COPY_INDIRECT | stage::COPY_COMMANDS => "COPY_INDIRECT",
        stage::RESOLVE => "RESOLVE",
        stage::BLIT => "BLIT",
        stage::CLEAR => "CLEAR",
        stage::INDEX_INPUT => "INDEX_INPUT",
        stage::VERTEX_INPUT => "VERTEX_ATTRIBUTE_INPUT",
        stage::DATA_GRAPH => "DATA_GRAPH",
        _ => "NONE",
    }
}

/// The names of accesses, as barriers have them.
pub(super) fn access_text(access: u64) -> &'static str {
    match access {
        access::INDIRECT_READ => "INDIRECT_COMMAND_READ",
        access::INDEX_READ => "INDEX_READ",
        access::VERTEX_READ => "VERTEX_ATTRIBUTE_READ",
        access::UNIFORM_READ => "UNIFORM_READ",
        access::INPUT_ATTACHMENT_READ => "INPUT_ATTACHMENT_READ",
        access::COLOR_READ => "COLOR_ATTACHMENT_READ",
        access::COLOR_WRITE => "COLOR_ATTACHMENT_WRITE",
        access::DEPTH_STENCIL_READ => "DEPTH_STENCIL_ATTACHMENT_READ",
        access::DEPTH_STENCIL_WRITE => "DEPTH_STENCIL_ATTACHMENT_WRITE",
        access::TRANSFER_READ => "TRANSFER_READ",
        access::TRANSFER_WRITE => "TRANSFER_WRITE",
        access::STRUCTURE_READ => "ACCELERATION_STRUCTURE_READ",
        access::STRUCTURE_WRITE => "ACCELERATION_STRUCTURE_WRITE",
        access::SAMPLED_READ => "SHADER_SAMPLED_READ",
        access::STORAGE_READ => "SHADER_STORAGE_READ",
        access::STORAGE_WRITE => "SHADER_STORAGE_WRITE",
        access::BINDING_TABLE_READ => "SHADER_BINDING_TABLE_READ",
        access::BUILD_INPUT_READ => "SHADER_READ",
        access::DECOMPRESSION_READ => "MEMORY_DECOMPRESSION_READ",
        access::DECOMPRESSION_WRITE => "MEMORY_DECOMPRESSION_WRITE",
        access::DATA_GRAPH_READ => "DATA_GRAPH_READ",
        access::DATA_GRAPH_WRITE => "DATA_GRAPH_WRITE",
        access::TRANSITION => "layout transition",
        _ => "access",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_expanded_to_single_stages() {
        assert_eq!(named_stages(stage::TOP, true), 0);
        assert_ne!(named_stages(stage::TOP, false) & stage::FRAGMENT, 0);
        assert_ne!(named_stages(stage::BOTTOM, true) & stage::COMPUTE, 0);
        assert_eq!(named_stages(stage::BOTTOM, false), 0);
        assert_eq!(named_stages(stage::ALL_TRANSFER, true) & stage::COPY, stage::COPY);
        // Fragments: what is before them in a first scope, what is behind them in a second.
        let first = ordered_stages(stage::FRAGMENT, true);
        assert!(first & stage::VERTEX != 0 && first & stage::COLOR_OUTPUT == 0 && first & stage::MESH != 0);
        let second = ordered_stages(stage::FRAGMENT, false);
        assert!(second & stage::COLOR_OUTPUT != 0 && second & stage::VERTEX == 0);
        assert_eq!(ordered_stages(stage::COMPUTE, false), stage::COMPUTE);
    }

    #[test]
    fn accesses_of_shaders_have_parts() {
        let read = named_accesses(access::SHADER_READ);
        assert!(read & access::STORAGE_READ != 0 && read & access::UNIFORM_READ == 0);
        assert_ne!(named_accesses(access::MEMORY_READ) & access::UNIFORM_READ, 0);
        assert_eq!(named_accesses(access::MEMORY_READ) & access::STORAGE_WRITE, 0);
        assert_ne!(named_accesses(access::MEMORY_WRITE) & access::COLOR_WRITE, 0);
    }
}
