//! Triangles: culling, clipping, projection, and the planes that fragments interpolate.
//!
//! Lines and points are in `lines`, small triangles in `triangles`.

use crate::graphics::assembly::vertices::Shaded;
use crate::graphics::raster::shape::{Edge, GUARD_PIXELS, Point, Shape, UNIT, double_area, pixel_range};
use crate::graphics::setup::binning::ChunkOutput;
use crate::graphics::setup::clip::{Polygon, Weights, is_outside, weigh};
use crate::graphics::setup::prepare::{Prepared, Transform};
use crate::graphics::setup::projected_vertices::{ProjectedVertex, VertexRecords, side};
use crate::graphics::state::{Conservative, DepthBiasUnit, PolygonMode, Rect};
use pyro_abi::graphics::{Interpolation, MeshLayout, Plane, PrimitiveSetup, Rate};

/// Turns the primitives of a chunk into shapes and setup data.
pub(crate) struct Setup<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) shading: &'a Shaded,
    /// Its vertices projected, for triangles that are filled.
    pub(crate) records: &'a VertexRecords,
    pub(crate) output: &'a mut ChunkOutput,
    pub(crate) view_index: u32,
    /// Length of the line strip up to here: in pixels, or in fragments of Bresenham lines.
    pub(crate) stipple_counter: f64,
    /// The viewport that is drawn to, where a mask names several.
    pub(crate) viewport: Option<u32>,
}

/// An assembled primitive: numbers of its shaded vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assembled {
    pub(crate) vertices: [u32; 3],
    pub(crate) provoking: u32,
    pub(crate) id: u32,
}

/// A vertex in the window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WindowVertex {
    pub(crate) point: Point,
    /// The same before it was rounded, in pixels.
    pub(crate) exact: [f64; 2],
    /// Depth.
    pub(crate) z: f64,
    pub(crate) inverse_w: f64,
    /// Weights of original vertices 1 and 2, in clip space.
    pub(crate) weights: [f64; 2],
    /// The same in the window.
    pub(crate) linear: [f64; 2],
}

/// Where a primitive goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) layer: u32,
    pub(crate) layer_built_in: u32,
    pub(crate) viewport_index: u32,
}

/// Depth bias and its range, for a triangle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bias(pub(crate) f64);

/// Over which depths a shape goes.
#[derive(Clone, Copy, Debug)]
enum Extent<'a> {
    /// From one of these to another.
    Depths([f64; 3]),
    /// Those of its planes at these points.
    Outline(&'a [Point; 4]),
}

/// A triangle that is to be drawn.
#[derive(Clone, Copy, Debug)]
struct Visible {
    /// Twice its area; not 0.
    area: i64,
    front: bool,
    bounds: Rect,
}

/// Planes over a triangle in the window, from values at its vertices.
struct Planes {
    /// Edge vectors over the area, and from the first vertex to the reference point, all in pixels.
    e1: (f64, f64),
    e2: (f64, f64),
    to_ref: (f64, f64),
}

impl Planes {
    fn new(p: [Point; 3], area: i64, ref_x: i32, ref_y: i32) -> Planes {
        let unit = f64::from(UNIT);
        let pixels = |value: i32| f64::from(value) / unit;
        let scale = unit * unit / area as f64;
        let half = UNIT / 2;
        Planes {
            e1: (pixels(p[1].x - p[0].x) * scale, pixels(p[1].y - p[0].y) * scale),
            e2: (pixels(p[2].x - p[0].x) * scale, pixels(p[2].y - p[0].y) * scale),
            to_ref: (pixels(ref_x * UNIT + half - p[0].x), pixels(ref_y * UNIT + half - p[0].y)),
        }
    }

    /// Value at the reference point, and changes.
    fn exact(&self, q: [f64; 3]) -> [f64; 3] {
        let (d1, d2) = (q[1] - q[0], q[2] - q[0]);
        let dx = d1 * self.e2.1 - d2 * self.e1.1;
        let dy = d2 * self.e1.0 - d1 * self.e2.0;
        [q[0] + dx * self.to_ref.0 + dy * self.to_ref.1, dx, dy]
    }

    /// [`Planes::exact`] of several quantities: their values, changes in x, and changes in y.
    #[inline(always)]
    fn exact_many(&self, q0: &Quantities, q1: &Quantities, q2: &Quantities) -> [Quantities; 3] {
        let (mut values, mut dx, mut dy) = ([0.0; 8], [0.0; 8], [0.0; 8]);
        for at in 0..8 {
            let (d1, d2) = (q1[at] - q0[at], q2[at] - q0[at]);
            dx[at] = d1 * self.e2.1 - d2 * self.e1.1;
            dy[at] = d2 * self.e1.0 - d1 * self.e2.0;
            values[at] = q0[at] + dx[at] * self.to_ref.0 + dy[at] * self.to_ref.1;
        }
        [values, dx, dy]
    }
}

/// The vertex in whose pixel planes start, whatever the order of the three: the uppermost, of those the
/// leftmost.
#[inline(always)]
fn reference([p, q, r]: [Point; 3]) -> Point {
    let upper = |a: Point, b: Point| if (b.y, b.x) < (a.y, a.x) { b } else { a };
    upper(upper(p, q), r)
}

/// Depth, 1 / w, perspective and linear coordinates; two are unused.
pub(crate) const QUANTITIES: usize = 8;

/// What planes are made of.
pub(crate) type Quantities = [f64; QUANTITIES];

/// Those of a vertex.
#[inline(always)]
pub(crate) fn quantities(vertex: &WindowVertex) -> Quantities {
    let (w, weights, linear) = (vertex.inverse_w, &vertex.weights, &vertex.linear);
    [vertex.z, w, weights[0] * w, weights[1] * w, linear[0], linear[1], 0.0, 0.0]
}

impl Prepared {
    /// Where primitives of a layer and viewport go; none when there is no such layer or viewport.
    #[inline(always)]
    pub(crate) fn target(&self, layer_built_in: u32, viewport_index: u32, view_index: u32) -> Option<Target> {
        let draw = &self.draw;
        if viewport_index as usize >= self.transforms.len() {
            return None;
        }
        if draw.view_mask != 0 {
            return Some(Target { layer: view_index, layer_built_in, viewport_index });
        }
        (layer_built_in < draw.layers.max(1)).then_some(Target {
            layer: layer_built_in,
            layer_built_in,
            viewport_index,
        })
    }

    /// Depth bias of a polygon whose depth is a plane, with the depths of its vertices.
    #[inline(always)]
    pub(crate) fn bias(&self, depth: [f64; 3], depths: [f64; 3]) -> Bias {
        let Some(bias) = &self.draw.raster.depth_bias else { return Bias::default() };
        let slope = depth[1].abs().max(depth[2].abs());
        let unit = match bias.unit {
            DepthBiasUnit::Constant(unit) => f64::from(unit),
            DepthBiasUnit::FloatExponent => {
                let greatest = depths.iter().fold(0.0f64, |most, z| most.max(z.abs())) as f32;
                let exponent = (greatest.to_bits() >> 23) as i32 - 127;
                // Two to the power of what is 23 less.
                f64::from_bits(((exponent - 23 + 1023) as u64) << 52)
            }
        };
        let value = slope * f64::from(bias.slope) + unit * f64::from(bias.constant);
        let clamp = f64::from(bias.clamp);
        let value = if clamp > 0.0 {
            value.min(clamp)
        } else if clamp < 0.0 {
            value.max(clamp)
        } else {
            value
        };
        Bias(if value.is_finite() { value } else { 0.0 })
    }
}

impl Setup<'_> {
    /// The layer and viewport of a primitive; none when there is no such layer or viewport.
    #[inline(always)]
    pub(crate) fn target(&self, assembled: &Assembled) -> Option<Target> {
        let layout = &self.prepared.draw.stages.outputs;
        let read = |of_vertices, of_primitives: fn(&MeshLayout) -> Option<u32>| {
            self.built_in(assembled, of_vertices, of_primitives)
        };
        let viewport = self.viewport.unwrap_or_else(|| match self.prepared.draw.per_view_viewports {
            true => self.view_index,
            false => read(layout.viewport_index, |mesh| mesh.viewport_index),
        });
        let mut layer = read(layout.layer, |mesh| mesh.layer);
        if layout.layer_is_relative {
            layer = layer.wrapping_add(viewport);
        }
        self.prepared.target(layer, viewport, self.view_index)
    }

    /// What a primitive has of a built-in: its provoking vertex's, or of mesh shaders its own; zero where
    /// nobody says it.
    #[inline(always)]
    fn built_in(
        &self,
        assembled: &Assembled,
        of_vertices: Option<u32>,
        of_primitives: impl Fn(&MeshLayout) -> Option<u32>,
    ) -> u32 {
        match &self.prepared.draw.stages.mesh {
            None => of_vertices.map_or(0, |column| self.shading.bits(assembled.provoking, column)),
            Some(mesh) => {
                of_primitives(&mesh.layout).map_or(0, |column| self.output.values.get(assembled.id, column))
            }
        }
    }

    /// Draws a primitive with `draw` to its viewport, or to all that its mask names.
    pub(crate) fn for_each_viewport(&mut self, assembled: Assembled, mut draw: impl FnMut(&mut Self)) {
        let stages = &self.prepared.draw.stages;
        let of_mesh = stages.mesh.as_ref().map(|mesh| &mesh.layout);
        let mut mask =
            if stages.outputs.viewport_mask.or(of_mesh.and_then(|mesh| mesh.viewport_mask)).is_some() {
                self.built_in(&assembled, stages.outputs.viewport_mask, |mesh| mesh.viewport_mask)
            } else if of_mesh.is_some_and(|mesh| mesh.viewport_index.is_some())
                && !self.prepared.draw.raster.swizzles.is_empty()
            {
                // Vertices of mesh shaders have no viewport whose swizzle they could have had.
                1u32.checked_shl(self.built_in(&assembled, None, |mesh| mesh.viewport_index)).unwrap_or(0)
            } else {
                return draw(self);
            };
        let (counter, mut last) = (self.stipple_counter, self.stipple_counter);
        while mask != 0 {
            self.viewport = Some(mask.trailing_zeros());
            self.stipple_counter = counter;
            mask &= mask - 1;
            draw(self);
            last = self.stipple_counter;
        }
        self.stipple_counter = last;
    }

    /// A vertex's position, swizzled for the viewport that a mask names.
    #[inline(always)]
    pub(crate) fn position(&self, vertex: u32) -> [f32; 4] {
        let position = self.shading.position(vertex);
        let swizzles = &self.prepared.draw.raster.swizzles;
        match self.viewport.and_then(|viewport| swizzles.get(viewport as usize)) {
            Some(swizzle) => swizzle.map(|(source, negated)| {
                let value = position[usize::from(source & 3)];
                if negated { -value } else { value }
            }),
            None => position,
        }
    }

    #[inline]
    fn wide_position(&self, vertex: u32) -> [f64; 4] {
        let [x, y, z, w] = self.position(vertex);
        [f64::from(x), f64::from(y), f64::from(z), f64::from(w)]
    }

    /// Some cull distance is negative at all vertices.
    #[inline(always)]
    pub(crate) fn culled_by_distance(&self, vertices: &[u32]) -> bool {
        let (first, count) = self.prepared.draw.stages.outputs.cull_distance;
        (first..first + count)
            .any(|column| vertices.iter().all(|&vertex| self.shading.float(vertex, column) < 0.0))
    }

    /// Calls `f` with the distances of the vertices to near plane, far plane, and clip distances.
    #[inline(always)]
    pub(crate) fn clip_planes(
        &self,
        vertices: [u32; 3],
        positions: &[[f64; 4]; 3],
        mut f: impl FnMut([f64; 3]),
    ) {
        let raster = &self.prepared.draw.raster;
        if raster.depth_clip {
            if raster.negative_one_to_one {
                f(positions.map(|p| p[2] + p[3]));
            } else {
                f(positions.map(|p| p[2]));
            }
            f(positions.map(|p| p[3] - p[2]));
        }
        let (first, count) = self.prepared.draw.stages.outputs.clip_distance;
        for column in first..first + count {
            f(vertices.map(|vertex| f64::from(self.shading.float(vertex, column))));
        }
    }

    /// A clip-space position in window coordinates times w.
    #[inline(always)]
    pub(crate) fn window(transform: &Transform, p: [f64; 4]) -> [f64; 4] {
        let w = p[3] + transform.w_scaling[0] * p[0] + transform.w_scaling[1] * p[1];
        let axis = |at: usize| p[at] * transform.scale[at] + w * transform.offset[at];
        [axis(0), axis(1), axis(2), w]
    }

    /// A triangle whose vertices have been projected ([`super::projected_vertices::project`]), to be filled.
    #[inline(always)]
    pub(crate) fn projected_triangle(&mut self, assembled: Assembled) {
        let [a, b, c] = assembled.vertices;
        let (a, b, c) = (self.records.corner(a), self.records.corner(b), self.records.corner(c));
        let any = a.sides | b.sides | c.sides;
        let prepared = self.prepared;
        if any & side::CLIPPED != 0 {
            return self.triangle(assembled);
        }
        self.output.statistics.clipping_invocations += 1;
        if any & side::NOT_FINITE != 0 || self.culled_by_distance(&assembled.vertices) {
            return;
        }
        let Some(target) = self.target(&assembled) else { return };
        if a.sides & b.sides & c.sides & side::OUTSIDE != 0 {
            return;
        }
        self.output.statistics.clipping_primitives += 1;
        let transform = &prepared.transforms[0];
        // Most small triangles end here.
        let Some(visible) = self.visible([a.point, b.point, c.point], transform) else { return };
        let vertex = |corner: ProjectedVertex, weights: [f64; 2]| WindowVertex {
            point: corner.point,
            // For lines only.
            exact: [0.0; 2],
            z: corner.z,
            inverse_w: corner.inverse_w,
            weights,
            linear: weights,
        };
        let corners = [vertex(a, [0.0, 0.0]), vertex(b, [1.0, 0.0]), vertex(c, [0.0, 1.0])];
        let area = visible.area;
        self.visible_triangle(assembled, target, transform, corners, visible, (corners, area));
    }

    /// A triangle, from assembly to setup data.
    pub(crate) fn triangle(&mut self, assembled: Assembled) {
        self.output.statistics.clipping_invocations += 1;
        let [a, b, c] = assembled.vertices;
        let positions = [self.wide_position(a), self.wide_position(b), self.wide_position(c)];
        // No sum of finite floats overflows a double.
        let sum = |p: &[f64; 4]| p[0] + p[1] + p[2] + p[3];
        if !(sum(&positions[0]) + sum(&positions[1]) + sum(&positions[2])).is_finite() {
            return;
        }
        if self.culled_by_distance(&assembled.vertices) {
            return;
        }
        let Some(target) = self.target(&assembled) else { return };
        // Wholly outside one side of the view volume.
        for axis in 0..2 {
            if positions.iter().all(|p| p[axis] > p[3]) || positions.iter().all(|p| p[axis] < -p[3]) {
                return;
            }
        }
        let prepared = self.prepared;
        let transform = &prepared.transforms[target.viewport_index as usize];
        let [a, b, c] = positions;
        let window = [Self::window(transform, a), Self::window(transform, b), Self::window(transform, c)];
        let mut polygon = Polygon::triangle();
        let mut clipped = false;
        let mut is_guarded = window.iter().all(|p| p[3] > 0.0);
        let mut clip = |plane: [f64; 3]| {
            if plane.iter().any(|&distance| is_outside(distance)) {
                clipped = true;
                polygon.clip(&plane);
            }
        };
        self.clip_planes(assembled.vertices, &positions, &mut clip);
        for axis in 0..2 {
            for plane in
                [window.map(|p| GUARD_PIXELS * p[3] - p[axis]), window.map(|p| GUARD_PIXELS * p[3] + p[axis])]
            {
                is_guarded &= !plane.iter().any(|&distance| is_outside(distance));
                clip(plane);
            }
        }
        let mut corners = [WindowVertex::default(); 20];
        let count = polygon.corners().len();
        for (corner, weights) in corners.iter_mut().zip(polygon.corners()) {
            match project(&window, weights, clipped) {
                Some(vertex) => *corner = vertex,
                None => return,
            }
        }
        let corners = &corners[..count];
        if count < 3 {
            return;
        }
        match self.prepared.draw.raster.polygon_mode {
            PolygonMode::Fill | PolygonMode::FillRectangle => {}
            PolygonMode::Line | PolygonMode::Point => return self.unfilled(assembled, target, corners),
        }
        // Planes of what clipping leaves are those of the triangle: whatever its vertices' order, and
        // wherever it was cut, its depths are the same.
        let whole = if clipped && is_guarded { Self::whole(&window) } else { None };
        if self.prepared.draw.raster.polygon_mode == PolygonMode::FillRectangle {
            return self.rectangle(assembled, target, transform, corners, whole);
        }
        for at in 1..count - 1 {
            self.output.statistics.clipping_primitives += 1;
            let part = [corners[0], corners[at], corners[at + 1]];
            let Some(visible) = self.visible(part.map(|corner| corner.point), transform) else { continue };
            let from = whole.unwrap_or((part, visible.area));
            self.visible_triangle(assembled, target, transform, part, visible, from);
        }
    }

    /// The box around a polygon (`VK_POLYGON_MODE_FILL_RECTANGLE_NV`), whose planes go on beyond the polygon.
    fn rectangle(
        &mut self,
        assembled: Assembled,
        target: Target,
        transform: &Transform,
        corners: &[WindowVertex],
        whole: Option<([WindowVertex; 3], i64)>,
    ) {
        self.output.statistics.clipping_primitives += 1;
        // The polygon is flat: any part of it that has an area gives its planes.
        let parts = (1..corners.len() - 1).map(|at| [corners[0], corners[at], corners[at + 1]]);
        let parts = parts.map(|part| (part, double_area(part.map(|corner| corner.point))));
        let Some(part) = parts.max_by_key(|(_, area)| area.abs()).filter(|(_, area)| *area != 0) else {
            return;
        };
        let Some(front) = self.facing(part.1) else { return };
        let points = || corners.iter().map(|corner| corner.point);
        let axis = |at: fn(Point) -> i32| {
            let (least, most) = (points().map(at).min(), points().map(at).max());
            (least.unwrap_or_default(), most.unwrap_or_default())
        };
        let ((x0, x1), (y0, y1)) = (axis(|point| point.x), axis(|point| point.y));
        let raster = &self.prepared.draw.raster;
        let multisampled = raster.samples > 1 || raster.conservative != Conservative::Disabled;
        let (columns, rows) = (pixel_range(x0, x1, multisampled), pixel_range(y0, y1, multisampled));
        let bounds =
            Rect { x0: columns.0, y0: rows.0, x1: columns.1, y1: rows.1 }.intersect(transform.inside);
        if bounds.is_empty() {
            return;
        }
        let mut outline = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)].map(|(x, y)| Point { x, y });
        if double_area([outline[0], outline[1], outline[2]]) < 0 {
            outline.reverse();
        }
        let edge = |at: usize| Edge::between(outline[at], outline[(at + 1) % 4]);
        let edges = [edge(0), edge(1), edge(2), edge(3)];
        self.convex(
            assembled,
            target,
            transform,
            (edges, 4, bounds, front),
            whole.unwrap_or(part),
            Extent::Outline(&outline),
        );
    }

    /// A triangle's vertices, none of which needs clipping to be projected, and twice its area, unless that
    /// is 0.
    fn whole(window: &[[f64; 4]; 3]) -> Option<([WindowVertex; 3], i64)> {
        let corner = |weights| project(window, &weights, false);
        let corners = [corner([1.0, 0.0, 0.0])?, corner([0.0, 1.0, 0.0])?, corner([0.0, 0.0, 1.0])?];
        let area = double_area(corners.map(|corner| corner.point));
        (area != 0).then_some((corners, area))
    }

    /// Whether a triangle of this area faces forward; none when it is culled.
    fn facing(&self, area: i64) -> Option<bool> {
        let raster = &self.prepared.draw.raster;
        let front = if raster.front_clockwise { area > 0 } else { area < 0 };
        let culled = if front { raster.cull.front } else { raster.cull.back };
        (!culled).then_some(front)
    }

    /// What is to be drawn of a triangle, if anything.
    #[inline(always)]
    fn visible(&self, points: [Point; 3], transform: &Transform) -> Option<Visible> {
        let area = double_area(points);
        if area == 0 {
            return None;
        }
        let front = self.facing(area)?;
        let raster = &self.prepared.draw.raster;
        let multisampled = raster.samples > 1 || raster.conservative != Conservative::Disabled;
        let [p, q, r] = points;
        let (x0, x1) = pixel_range(p.x.min(q.x).min(r.x), p.x.max(q.x).max(r.x), multisampled);
        let (y0, y1) = pixel_range(p.y.min(q.y).min(r.y), p.y.max(q.y).max(r.y), multisampled);
        let bounds = Rect { x0, y0, x1, y1 }.intersect(transform.inside);
        (!bounds.is_empty()).then_some(Visible { area, front, bounds })
    }

    /// A triangle whose bounds hold pixels, and the triangle, with twice its area, whose planes it has.
    #[inline(always)]
    fn visible_triangle(
        &mut self,
        assembled: Assembled,
        target: Target,
        transform: &Transform,
        corners: [WindowVertex; 3],
        visible: Visible,
        (from, from_area): ([WindowVertex; 3], i64),
    ) {
        let Visible { area, front, bounds } = visible;
        let points = [corners[0].point, corners[1].point, corners[2].point];
        let (a, b, c) =
            if area > 0 { (points[0], points[1], points[2]) } else { (points[0], points[2], points[1]) };
        let edges = [Edge::between(a, b), Edge::between(b, c), Edge::between(c, a), Edge::default()];
        let depths = [corners[0].z, corners[1].z, corners[2].z];
        let shape = (edges, 3, bounds, front);
        self.convex(assembled, target, transform, shape, (from, from_area), Extent::Depths(depths));
    }

    /// A convex shape of so many edges within bounds, and whether it faces forward; and the triangle, with
    /// twice its area, whose planes it has.
    #[inline(always)]
    fn convex(
        &mut self,
        assembled: Assembled,
        target: Target,
        transform: &Transform,
        (mut edges, edge_count, bounds, front): ([Edge; 4], u8, Rect, bool),
        (from, from_area): ([WindowVertex; 3], i64),
        extent: Extent<'_>,
    ) {
        let conservative = self.prepared.draw.raster.conservative;
        if conservative != Conservative::Disabled {
            for edge in &mut edges[..usize::from(edge_count)] {
                *edge = edge.conservative(conservative == Conservative::Overestimate);
            }
        }
        let from_points = [from[0].point, from[1].point, from[2].point];
        let reference = reference(from_points);
        let (ref_x, ref_y) = (reference.x.div_euclid(UNIT), reference.y.div_euclid(UNIT));
        let planes = Planes::new(from_points, from_area, ref_x, ref_y);
        let [c0, c1, c2] = &from;
        let [values, dx, dy] = planes.exact_many(&quantities(c0), &quantities(c1), &quantities(c2));
        let depth = [values[0], dx[0], dy[0]];
        let (mut setup, bias) = match extent {
            Extent::Depths(depths) => {
                let bias = self.prepared.bias(depth, depths);
                (self.header(assembled, target, transform, &depths, bias), bias)
            }
            Extent::Outline(points) => {
                let bias = self.prepared.bias(depth, from.map(|corner| corner.z));
                let pixels =
                    |at: i32, reference: i32| f64::from(at - reference * UNIT - UNIT / 2) / f64::from(UNIT);
                let at = |point: &Point| {
                    depth[0] + depth[1] * pixels(point.x, ref_x) + depth[2] * pixels(point.y, ref_y)
                };
                let depths = [at(&points[0]), at(&points[1]), at(&points[2]), at(&points[3])];
                (self.header(assembled, target, transform, &depths, bias), bias)
            }
        };
        setup.ref_x = ref_x;
        setup.ref_y = ref_y;
        setup.front_facing = front.into();
        setup.depth = Plane { value: (depth[0] + bias.0) as f32, dx: depth[1] as f32, dy: depth[2] as f32 };
        let plane = |at: usize| Plane { value: values[at] as f32, dx: dx[at] as f32, dy: dy[at] as f32 };
        setup.inverse_w = plane(1);
        (setup.perspective_i, setup.perspective_j) = (plane(2), plane(3));
        (setup.linear_i, setup.linear_j) = (plane(4), plane(5));
        let words = self.output.push(bounds, Shape::Convex(edges, edge_count), &setup);
        self.components(words, assembled, 3);
    }

    /// A header with all but the planes.
    #[inline(always)]
    pub(crate) fn header(
        &self,
        assembled: Assembled,
        target: Target,
        transform: &Transform,
        depths: &[f64],
        bias: Bias,
    ) -> PrimitiveSetup {
        let [clamp_least, clamp_greatest] = transform.depth_range;
        let draw = &self.prepared.draw;
        let rate = draw.shading_rate.as_ref().map_or(Rate::PIXEL, |rate| {
            let of_vertices = draw.stages.outputs.shading_rate;
            let bits = match of_vertices {
                None if draw.stages.mesh.is_none() => self.output.shading_rate,
                _ => self.built_in(&assembled, of_vertices, |mesh| mesh.shading_rate),
            };
            rate.of_primitive(bits, draw.raster.samples)
        });
        let least = depths.iter().fold(f64::INFINITY, |least, &z| least.min(z)) + bias.0;
        let greatest = depths.iter().fold(f64::NEG_INFINITY, |most, &z| most.max(z)) + bias.0;
        let clamp = |depth: f64| {
            let depth = depth as f32;
            let depth = if self.prepared.draw.raster.depth_clamp {
                depth.max(clamp_least).min(clamp_greatest)
            } else {
                depth
            };
            if self.prepared.draw.raster.depth_unrestricted {
                return depth;
            }
            // `depthClampZeroOne`. Where it is not enabled, depths outside are undefined.
            depth.clamp(0.0, 1.0)
        };
        PrimitiveSetup {
            layer: target.layer,
            layer_built_in: target.layer_built_in,
            viewport_index: target.viewport_index,
            primitive_id: self.prepared.primitive_id(assembled.id, &self.output.values),
            front_facing: 1,
            view_index: self.view_index,
            depth_least: clamp(least),
            depth_greatest: clamp(greatest),
            clamp_least,
            clamp_greatest,
            shading_rate: rate.bits(),
            ..PrimitiveSetup::default()
        }
    }

    /// Writes the words behind a header. `vertex_count`: how many of the vertices count; the others' parts
    /// are zero.
    #[inline(always)]
    pub(crate) fn components(&mut self, first: usize, assembled: Assembled, vertex_count: usize) {
        let Some(fragment) = &self.prepared.draw.fragment else { return };
        let mut at = first;
        let [a, b, c] = assembled.vertices;
        let places = [self.shading.first_word(a), self.shading.first_word(b), self.shading.first_word(c)];
        let provoking = self.shading.first_word(assembled.provoking);
        for varying in fragment.setup.varyings() {
            let words = varying.interpolation.words() as usize;
            let Some(column) = varying.column else {
                (at..at + words).for_each(|at| self.output.setup.set(at, 0));
                at += words;
                continue;
            };
            match varying.interpolation {
                // No vertex has it.
                Interpolation::SmoothLine => {}
                Interpolation::PerPrimitive => {
                    let bits = self.output.values.get(assembled.id, column);
                    self.output.setup.set(at, bits);
                }
                Interpolation::Flat => {
                    let bits = self.shading.column_bits(provoking, column);
                    self.output.setup.set(at, bits);
                }
                Interpolation::PerVertex => {
                    for corner in 0..3 {
                        // Missing vertices are like the last that there is.
                        let place = places[corner.min(vertex_count - 1)];
                        let bits = self.shading.column_bits(place, column);
                        self.output.setup.set(at + corner, bits);
                    }
                }
                Interpolation::Perspective | Interpolation::Linear => {
                    let float =
                        |corner: usize| f32::from_bits(self.shading.column_bits(places[corner], column));
                    let base = float(0);
                    let difference =
                        |corner: usize| if corner < vertex_count { float(corner) - base } else { 0.0 };
                    self.output.setup.set(at, base.to_bits());
                    self.output.setup.set(at + 1, difference(1).to_bits());
                    self.output.setup.set(at + 2, difference(2).to_bits());
                }
            }
            at += words;
        }
    }

    /// Outlines or corners of a polygon.
    fn unfilled(&mut self, assembled: Assembled, target: Target, corners: &[WindowVertex]) {
        let area: i64 = (1..corners.len() - 1)
            .map(|at| double_area([corners[0].point, corners[at].point, corners[at + 1].point]))
            .sum();
        let Some(front) = self.facing(area) else { return };
        self.output.statistics.clipping_primitives += 1;
        let transform = self.prepared.transforms[target.viewport_index as usize];
        let bias = if area == 0 {
            Bias::default()
        } else {
            // The polygon is flat: any part of it that has an area gives its slope.
            let parts = (1..corners.len() - 1).map(|at| [corners[0], corners[at], corners[at + 1]]);
            let part = parts.max_by_key(|part| double_area(part.map(|corner| corner.point)).abs());
            part.map_or(Bias::default(), |part| {
                let points = part.map(|corner| corner.point);
                let planes = Planes::new(points, double_area(points), 0, 0);
                let depths = part.map(|corner| corner.z);
                self.prepared.bias(planes.exact(depths), depths)
            })
        };
        for (at, &corner) in corners.iter().enumerate() {
            if self.prepared.draw.raster.polygon_mode == PolygonMode::Point {
                self.window_point(assembled, target, &transform, corner, front, bias);
            } else {
                let next = corners[(at + 1) % corners.len()];
                self.window_line(assembled, target, &transform, [corner, next], front, bias, 3);
            }
        }
    }
}

/// A coordinate within the guard band in sub-pixel units, halves to even.
#[inline(always)]
pub(crate) fn to_fixed(pixels: f64) -> i32 {
    // The sum's last place is that of integers.
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    ((pixels * UNIT as f64 + MAGIC) - MAGIC) as i32
}

/// A vertex of weights over a triangle to the window; none when it lies behind the eye.
#[inline(always)]
pub(crate) fn project(window: &[[f64; 4]; 3], weights: &Weights, clipped: bool) -> Option<WindowVertex> {
    let coordinate = |at: usize| weigh(weights, &[window[0][at], window[1][at], window[2][at]]);
    let w = coordinate(3);
    if w.is_nan() || w <= 0.0 {
        return None;
    }
    let inverse_w = 1.0 / w;
    let exact = [0, 1].map(|axis| {
        // Rounding errors of clipping may leave the guard band by little.
        let limit = GUARD_PIXELS + 1.0;
        (coordinate(axis) * inverse_w).clamp(-limit, limit)
    });
    let linear = |at: usize| {
        if clipped { weights[at] * window[at][3] * inverse_w } else { weights[at] }
    };
    Some(WindowVertex {
        point: Point { x: to_fixed(exact[0]), y: to_fixed(exact[1]) },
        exact,
        z: coordinate(2) * inverse_w,
        inverse_w,
        weights: [weights[1], weights[2]],
        linear: [linear(1), linear(2)],
    })
}
