//! The primitives of a chunk, from whatever stage they come, on their way to clipping and set-up.

use crate::graphics::assembly::stream::{Ids, Stream};
use crate::graphics::assembly::vertices::Shaded;
use crate::graphics::setup::binning::ChunkOutput;
use crate::graphics::setup::line_groups::Lines;
use crate::graphics::setup::point_groups::Points;
use crate::graphics::setup::polygon_edges::Edges;
use crate::graphics::setup::prepare::Prepared;
use crate::graphics::setup::primitive_setup::{Assembled, Setup};
use crate::graphics::setup::projected_vertices::{VertexRecords, project};
use crate::graphics::setup::small_triangles::Triangles;
use crate::graphics::setup::vertex_lanes::Identities;
use crate::graphics::simd::multiversion::{Vectorized, vectorize};
use crate::graphics::state::{MeshProgram, PolygonMode, PrimitiveKind, Topology};

/// Which corner of a primitive is its provoking vertex.
#[derive(Clone, Copy)]
pub(crate) enum Provoking<'a> {
    /// This one of all primitives.
    Corner(u32),
    /// That of the topology's primitive with the same id; whether it is the last one by convention.
    OfStream(&'a Stream, Topology, bool),
}

impl Provoking<'_> {
    /// The corner, of the primitive with this id.
    #[inline(always)]
    pub(crate) fn corner(&self, id: u32) -> u32 {
        match *self {
            Provoking::Corner(corner) => corner,
            Provoking::OfStream(stream, topology, last) => {
                u32::from(stream.corners(topology, id, last).provoking)
            }
        }
    }
}

/// Which lines begin a strip: there their stipple begins anew.
#[derive(Clone, Copy)]
pub(crate) enum StripStarts<'a> {
    /// Each one.
    Each,
    /// Those with these numbers in the chunk, in ascending order.
    Listed(&'a [u32]),
    /// Those of the topology's lines with the same ids.
    OfStream(&'a Stream, Topology),
}

impl StripStarts<'_> {
    fn contains(&self, number: u32, id: u32) -> bool {
        match *self {
            StripStarts::Each => true,
            StripStarts::Listed(numbers) => numbers.binary_search(&number).is_ok(),
            StripStarts::OfStream(stream, topology) => stream.starts_strip(topology, id),
        }
    }
}

/// The assembled primitives of a chunk: those of the topology, or those that the last stage before
/// rasterization made.
#[derive(Clone, Copy)]
pub(crate) struct Primitives<'a> {
    pub(crate) kind: PrimitiveKind,
    /// The number of each corner's vertex among the shaded ones; one, two or three for each primitive.
    pub(crate) corners: &'a [u32],
    pub(crate) ids: Ids<'a>,
    pub(crate) provoking: Provoking<'a>,
    pub(crate) strip_starts: StripStarts<'a>,
}

impl Primitives<'_> {
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
        let may_be_projected = !names_viewports
            && !draw.per_view_viewports
            && layout.viewport_index.is_none()
            && layout.viewport_mask.is_none()
            && draw.raster.w_scalings.is_empty();
        let projected = may_be_projected
            && match self.kind {
                PrimitiveKind::Triangle => {
                    draw.raster.polygon_mode == PolygonMode::Fill || prepared.takes_edge_groups()
                }
                PrimitiveKind::Line => prepared.takes_line_groups(),
                PrimitiveKind::Point => prepared.takes_point_groups(),
            };
        if projected {
            project(shaded, prepared, vertex_count, prepared.takes_groups(), records);
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
        let Primitives { kind, corners, ids, provoking, .. } = self;
        let count = (corners.len() / kind.corner_count()) as u32;
        let (setup, identities) = (&mut setup, Identities { ids, provoking, count });
        match (projected, kind) {
            (true, PrimitiveKind::Triangle) if draw.raster.polygon_mode == PolygonMode::Line => {
                vectorize(Edges { setup, corners, identities });
            }
            (true, PrimitiveKind::Triangle) => vectorize(Triangles { setup, corners, identities }),
            (true, PrimitiveKind::Line) => vectorize(Lines { setup, corners, identities }),
            (true, PrimitiveKind::Point) => vectorize(Points { setup, corners, identities }),
            (false, _) => vectorize(OneByOne { setup, primitives: self }),
        }
        if !output.deferred.is_empty() {
            std::mem::swap(records, &mut output.records);
        }
    }
}

/// The set-up of lines, points, and triangles whose vertices have not been projected.
struct OneByOne<'s, 'a> {
    setup: &'s mut Setup<'a>,
    primitives: Primitives<'s>,
}

impl Vectorized for OneByOne<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<const WIDE: bool>(self) {
        let OneByOne { setup, primitives: Primitives { kind, corners, ids, provoking, strip_starts } } = self;
        let draw = &setup.prepared.draw;
        // Most lines: they are set up here, in vectors of the processor.
        let is_plain_line = kind == PrimitiveKind::Line
            && draw.stages.mesh.is_none()
            && draw.stages.outputs.viewport_mask.is_none();
        for (number, corners) in (0..).zip(corners.chunks_exact(kind.corner_count())) {
            let id = ids.id(number);
            let mut vertices = [0; 3];
            vertices[..corners.len()].copy_from_slice(corners);
            let corner = provoking.corner(id);
            let assembled = Assembled { vertices, provoking: vertices[corner as usize % 3], id };
            if draw.raster.line_stipple.is_some() && strip_starts.contains(number, id) {
                setup.stipple_counter = 0.0;
            }
            if is_plain_line {
                setup.line(assembled);
                continue;
            }
            setup.for_each_viewport(assembled, |setup| match kind {
                PrimitiveKind::Point => setup.point(assembled),
                PrimitiveKind::Line => setup.rare_line(assembled),
                PrimitiveKind::Triangle => setup.triangle(assembled),
            });
        }
    }
}
