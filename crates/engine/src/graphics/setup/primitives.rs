//! The primitives of a chunk, from whatever stage they come, on their way to clipping and set-up.

use crate::graphics::assembly::stream::PrimitiveKind;
use crate::graphics::assembly::vertices::Shaded;
use crate::graphics::draw::{MeshProgram, PolygonMode};
use crate::graphics::raster::binning::ChunkOutput;
use crate::graphics::setup::prepare::Prepared;
use crate::graphics::setup::primitive_setup::{Assembled, Setup};
use crate::graphics::setup::projected_vertices::VertexRecords;
use crate::graphics::setup::small_triangles::Triangles;
use crate::graphics::simd::multiversion::vectorize;

/// `PrimitiveId`s.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ids<'a> {
    /// Consecutive numbers from the first on; after so many primitives they begin with it again, as those of instances do.
    Numbers {
        /// The first.
        first: u32,
        /// How many there are.
        count: u32,
    },
    /// Each primitive has its own.
    Each(&'a [u32]),
}

impl Ids<'_> {
    /// That of the primitive with this number among the chunk's.
    #[inline(always)]
    pub(crate) fn id(&self, number: u32) -> u32 {
        match *self {
            Ids::Numbers { first, count } => first + if number < count { number } else { number % count },
            Ids::Each(ids) => ids[number as usize],
        }
    }
}

/// The assembled primitives of a chunk: those of the topology, or those that the last stage before rasterization made.
pub(crate) struct Primitives<'a, P> {
    pub(crate) kind: PrimitiveKind,
    /// The number of each corner's vertex among the shaded ones; one, two or three for each primitive.
    pub(crate) corners: &'a [u32],
    pub(crate) ids: Ids<'a>,
    /// The corner that is the provoking vertex of all, or what gives that of a primitive from its id.
    pub(crate) provoking: Result<u32, P>,
    /// Whether the line with this number among the chunk's begins a strip: there its stipple begins anew.
    pub(crate) starts_strip: &'a dyn Fn(u32) -> bool,
}

impl<P: Fn(u32) -> u32> Primitives<'_, P> {
    /// Clips primitives and sets them up. `vertex_count`: how many vertices there are.
    pub(crate) fn set_up(
        self,
        prepared: &Prepared,
        view_index: u32,
        shaded: &mut Shaded,
        vertex_count: usize,
        records: &mut VertexRecords,
        output: &mut ChunkOutput,
    ) {
        let (draw, layout) = (&prepared.draw, &prepared.draw.stages.outputs);
        let names_viewports = draw.stages.mesh.as_ref().is_some_and(MeshProgram::names_viewports);
        if !draw.raster.swizzles.is_empty() && layout.viewport_mask.is_none() && !names_viewports {
            shaded.swizzle(draw, vertex_count);
        }
        let projected = !names_viewports
            && self.kind == PrimitiveKind::Triangle
            && layout.viewport_index.is_none()
            && layout.viewport_mask.is_none()
            && draw.raster.w_scalings.is_empty()
            && draw.raster.polygon_mode == PolygonMode::Fill;
        if projected {
            shaded.project(prepared, vertex_count, prepared.takes_groups(), records);
        }
        let mut setup = Setup {
            prepared,
            shading: shaded,
            records,
            output,
            view_index,
            stipple_counter: 0.0,
            viewport: None,
        };
        let Primitives { kind, corners, ids, provoking, starts_strip } = self;
        if projected {
            vectorize(Triangles { setup: &mut setup, corners, ids, provoking });
        } else {
            for (number, corners) in (0..).zip(corners.chunks_exact(kind.corner_count())) {
                let id = ids.id(number);
                let mut vertices = [0; 3];
                vertices[..corners.len()].copy_from_slice(corners);
                let corner = match &provoking {
                    Ok(corner) => *corner,
                    Err(of) => of(id),
                };
                let assembled = Assembled { vertices, provoking: vertices[corner as usize % 3], id };
                if draw.raster.line_stipple.is_some() && starts_strip(number) {
                    setup.stipple_counter = 0.0;
                }
                setup.for_each_viewport(assembled, |setup| match kind {
                    PrimitiveKind::Point => setup.point(assembled),
                    PrimitiveKind::Line => setup.line(assembled),
                    PrimitiveKind::Triangle => setup.triangle(assembled),
                });
            }
        }
        if !output.triangles.is_empty() {
            std::mem::swap(records, &mut output.records);
        }
    }
}
