//! What kind of values a type has, as far as more than one family of instructions asks.

use crate::context::Lowerer;
use crate::error::Result;
use crate::node::Reader;
use pyro_spirv::spirv::FPEncoding;
use pyro_spirv::{Id, Type};

impl<'m> Lowerer<'m, '_> {
    /// Whether the scalars of a type are bfloat16.
    pub(crate) fn is_bfloat(&self, ty: Id) -> bool {
        let component = match self.module.ty(ty) {
            Type::Matrix { column, .. } => self.module.component(column),
            _ => self.module.component(ty),
        };
        let encoding = component.and_then(|component| match component.ty {
            Type::Float { encoding, .. } => encoding,
            _ => None,
        });
        encoding == Some(FPEncoding::BFloat16KHR)
    }

    /// Whether values of a type are spread over a subgroup or workgroup.
    pub(crate) fn is_cooperative_matrix(&self, ty: Id) -> bool {
        matches!(self.module.ty(ty), Type::CooperativeMatrixKhr { .. } | Type::CooperativeMatrixNv { .. })
    }

    /// Whether variables of a type hold ray queries.
    pub(crate) fn holds_ray_queries(&self, ty: Id) -> bool {
        self.module.ty(self.module.strip_arrays(ty)) == Type::RayQuery
    }

    /// Whether a type has a ray query somewhere.
    pub(crate) fn has_ray_query(&self, ty: Id) -> bool {
        match self.module.ty(self.module.strip_arrays(ty)) {
            Type::RayQuery => true,
            Type::Struct { members } => members.iter().any(|member| self.has_ray_query(member)),
            _ => false,
        }
    }

    /// The components of a vector type; a scalar has one.
    pub(crate) fn vector_count(&self, ty: Id) -> Option<u32> {
        self.constants.component_count(ty)
    }

    /// Bytes from one payload of an array to the next.
    pub(crate) fn payload_stride(&mut self, array: Id, payload: Id) -> Result<u64> {
        let reader = Reader { module: self.module, constants: &self.constants };
        reader.extent(array, payload).map(|(_, stride)| stride.into())
    }
}
