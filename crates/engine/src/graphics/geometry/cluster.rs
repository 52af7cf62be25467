//! Runs cluster culling functions: the draws that their workgroups emit.
//!
//! Workgroups run as those of tasks do, so many at a time that their lists take little memory; what they emit
//! is drawn in the order of workgroups, of invocations, and of what one invocation emits. The number of
//! clusters that a function says may be anything, and is limited to what there is room for.

use super::mesh::{MeshGroups, Tasks, group_count};
use crate::Engine;
use crate::aborted::Aborted;
use crate::graphics::state::{Draw, DrawCommand};
use pyro_abi::graphics::cluster::{
    CLUSTER_LIST_BYTES, CLUSTER_LIST_HEADER_BYTES, CLUSTERS_MAX, Cluster, cluster_offset as at,
};

/// Workgroups that run before their clusters are drawn.
const GROUPS_TOGETHER: u64 = 128;

/// A cluster of a workgroup's list.
fn cluster(groups: &MeshGroups, group: usize, number: u32) -> Cluster {
    let first = CLUSTER_LIST_HEADER_BYTES + number * size_of::<Cluster>() as u32;
    let word = |field: u32| groups.word(group, (first + field) / 4);
    Cluster {
        invocation: word(at::INVOCATION),
        count: word(at::COUNT),
        instance_count: word(at::INSTANCE_COUNT),
        first: word(at::FIRST),
        vertex_offset: word(at::VERTEX_OFFSET) as i32,
        first_instance: word(at::FIRST_INSTANCE),
        cluster_id: word(at::CLUSTER_ID),
        shading_rate: word(at::SHADING_RATE),
    }
}

/// Runs the cluster culling workgroups of a command, and calls `push` with the draws of some of them at a
/// time. Adds how many invocations there were.
///
/// # Safety
/// The contract of `Engine::draw`.
#[allow(unsafe_code)]
pub(crate) unsafe fn start(
    engine: &Engine,
    draw: &Draw,
    command: &DrawCommand,
    invocations: &mut u64,
    push: &mut dyn FnMut(Vec<DrawCommand>) -> Result<(), Aborted>,
) -> Result<(), Aborted> {
    let Some(program) = &draw.stages.cluster else { return Err(Aborted) };
    let kernel = &*program.kernel;
    let total = group_count(command.groups);
    let is_indexed = draw.indices.is_some();
    for first in (0..total).step_by(GROUPS_TOGETHER as usize) {
        let count = GROUPS_TOGETHER.min(total - first);
        let mut groups = MeshGroups::new(CLUSTER_LIST_BYTES, count as usize);
        (0..count as usize).for_each(|group| groups.set_first_word(group, 0));
        let tasks = Tasks { draw, kernel, command, view_index: 0, first, count };
        // SAFETY: the caller vouches for the draw's addresses.
        unsafe { tasks.run(engine, &groups)? };
        *invocations += count * u64::from(kernel.info().invocation_count());
        let mut commands = Vec::new();
        for group in 0..count as usize {
            let emitted = groups.word(group, 0).min(CLUSTERS_MAX);
            let mut clusters: Vec<Cluster> =
                (0..emitted).map(|number| cluster(&groups, group, number)).collect();
            // Stable: what one invocation emits stays in its order.
            clusters.sort_by_key(|cluster| cluster.invocation);
            commands.extend(clusters.into_iter().map(|cluster| DrawCommand {
                first: cluster.first,
                count: cluster.count,
                vertex_offset: if is_indexed { cluster.vertex_offset } else { 0 },
                first_instance: cluster.first_instance,
                instance_count: cluster.instance_count,
                draw_index: cluster.cluster_id,
                shading_rate: cluster.shading_rate,
                tag: command.tag,
                ..DrawCommand::default()
            }));
        }
        push(commands)?;
    }
    Ok(())
}
