//! The cluster culling stage (`SPV_HUAWEI_cluster_culling_shader`): workgroups as in compute
//! ([`crate::compute`]), whose invocations emit draws.
//!
//! Outputs are variables of the invocation. What they hold when a cluster is emitted goes to the workgroup's
//! list ([`pyro_abi::graphics::cluster`]), in the next place that an atomic addition gives. So places depend
//! on how many lanes there are: the engine puts clusters in the order of their invocations.

use crate::compute::Compute;
use crate::context::Lowerer;
use crate::error::{Result, check_lanes};
use crate::outputs::output_scalars;
use crate::stage::Stage;
use crate::value::Scalars;
use crate::varyings::interface_of;
use crate::{Lowered, Shader, mesh};
use pyro_abi::graphics::cluster::{
    CLUSTER_LIST_BYTES, CLUSTER_LIST_HEADER_BYTES, CLUSTERS_MAX, Cluster, ClusterInfo, cluster_offset as at,
};
use pyro_abi::graphics::mesh::{MESH_WORKGROUP_BYTES, mesh_offset};
use pyro_interface::Interface;
use pyro_ir::{Form, Function, MemoryOp, Opcode, Scalar, Space};
use pyro_spirv::Id;
use pyro_spirv::spirv::{BuiltIn, ExecutionModel, StorageClass};
use pyro_validate::Checked;

/// What must be known of a cluster culling entry point before it is lowered.
pub(crate) fn info(module: &Checked, name: &str) -> Result<ClusterInfo> {
    let interface = interface_of(module, name, ExecutionModel::ClusterCullingHUAWEI)?;
    let writes = |built_in| interface.built_in(built_in, StorageClass::Output).is_some();
    Ok(ClusterInfo {
        is_indexed: writes(BuiltIn::IndexCountHUAWEI),
        has_shading_rate: writes(BuiltIn::ClusterShadingRateHUAWEI),
    })
}

struct ClusterStage {
    compute: Compute,
    interface: Interface,
    info: ClusterInfo,
}

/// Lowers a cluster culling entry point.
pub(crate) fn lower(shader: &Shader<'_>, lanes: u32) -> Result<Lowered> {
    check_lanes(lanes)?;
    let Shader { checked: module, entry_point, layout, .. } = *shader;
    let interface = interface_of(module, entry_point, ExecutionModel::ClusterCullingHUAWEI)?;
    let entry = interface.function;
    let constants = module.constants_for(entry, 0)?;
    let compute = Compute::new(module, &constants, entry, lanes)?;
    let stage = ClusterStage { compute, interface, info: info(module, entry_point)? };
    let mut function = Function::new(entry_point, Form::Lane, lanes);
    let mut cx = Lowerer::new(module, entry, constants, layout, &stage, &mut function)?;
    cx.workgroup.bytes = MESH_WORKGROUP_BYTES;
    cx.lower_entry_point(entry)?;
    let mut info = stage.compute.info(&mut cx);
    info.payload_bytes = CLUSTER_LIST_BYTES;
    let locations = cx.locations.into_table();
    Ok(Lowered { function, info, locations, setup: Default::default() })
}

impl Stage for ClusterStage {
    fn model(&self) -> Option<ExecutionModel> {
        Some(ExecutionModel::ClusterCullingHUAWEI)
    }

    fn interface(&self) -> Option<&Interface> {
        Some(&self.interface)
    }

    fn built_in(&self, cx: &mut Lowerer<'_, '_>, variable: Id, built_in: BuiltIn) -> Result<Scalars> {
        match built_in {
            BuiltIn::NumWorkgroups => {
                let field = mesh_offset::NUM_WORKGROUPS;
                let words = [0, 4, 8].map(|byte| mesh::workgroup_field(cx, field + byte, Scalar::I32));
                words.into_iter().collect()
            }
            other => self.compute.built_in(cx, variable, other),
        }
    }

    /// `OpDispatchClusterHUAWEI`
    fn emit_vertex(&self, cx: &mut Lowerer<'_, '_>, _stream: u32) -> Result {
        let (count, first) = match self.info.is_indexed {
            true => (BuiltIn::IndexCountHUAWEI, BuiltIn::FirstIndexHUAWEI),
            false => (BuiltIn::VertexCountHUAWEI, BuiltIn::FirstVertexHUAWEI),
        };
        // What is not declared draws one instance, and is zero else.
        let fields = [
            (at::COUNT, count, 0),
            (at::INSTANCE_COUNT, BuiltIn::InstanceCountHUAWEI, 1),
            (at::FIRST, first, 0),
            (at::VERTEX_OFFSET, BuiltIn::VertexOffsetHUAWEI, 0),
            (at::FIRST_INSTANCE, BuiltIn::FirstInstanceHUAWEI, 0),
            (at::CLUSTER_ID, BuiltIn::ClusterIDHUAWEI, 0),
            (at::SHADING_RATE, BuiltIn::ClusterShadingRateHUAWEI, 0),
        ];
        let mut values = smallvec::SmallVec::<[_; 8]>::new();
        values.push((at::INVOCATION, self.compute.linear_index(cx)));
        for (field, built_in, default) in fields {
            let value = match self.interface.built_in(built_in, StorageClass::Output) {
                Some(found) => output_scalars(cx, found.variable, found.member)?.1[0],
                None => cx.b.i32(default),
            };
            values.push((field, cx.b.bitcast(value, Scalar::I32)));
        }
        let list = mesh::workgroup_field(cx, mesh_offset::PAYLOAD, Scalar::I64)?;
        let memory = MemoryOp::new(Space::Shared);
        let (zero, one, always) = (cx.b.i32(0), cx.b.i32(1), cx.b.bool(true));
        let place = cx.b.emit(Opcode::AtomicAdd, &[list, zero, one, always], memory.to_imm(), Scalar::I32);
        let place = place.expect("an atomic operation has a result");
        let most = cx.b.i32(CLUSTERS_MAX);
        let fits = cx.b.op(Opcode::ULt, &[place, most]);
        let offset = cx.scale(place, size_of::<Cluster>() as u64);
        for (field, value) in values {
            let memory = memory.at((CLUSTER_LIST_HEADER_BYTES + field) as i32);
            cx.b.store(memory, list, offset, value, fits);
        }
        Ok(())
    }

    fn workgroup_barrier(&self, cx: &mut Lowerer<'_, '_>, _: u64) -> Result {
        self.compute.workgroup_barrier(cx, 0)
    }
}
