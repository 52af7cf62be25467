//! Lines and points: clipping, projection, shapes and setup data.

use crate::graphics::raster::shape::{
    Bresenham, Edge, GUARD_PIXELS, Point, Shape, UNIT, double_area, pixel_range,
};
use crate::graphics::setup::clip::{clip_line, is_outside};
use crate::graphics::setup::prepare::Transform;
use crate::graphics::setup::primitive_setup::{
    Assembled, Bias, QUANTITIES, Quantities, Setup, Target, WindowVertex, project, quantities, to_fixed,
};
use crate::graphics::state::{LineMode, LineStipple, RasterState, Rect};
use pyro_abi::graphics::{
    CLIP_CULL_DISTANCES_MAX, Interpolation, Plane, PrimitiveSetup, SETUP_HEADER_BYTES, Varying,
};

/// Depth clipping, clip distances and the guard band.
const PLANES_MAX: usize = 2 + CLIP_CULL_DISTANCES_MAX + 4;

/// The widest points and lines, in pixels (`pointSizeRange`, `lineWidthRange`).
pub const WIDTH_MAX: f32 = 1024.0;

/// The width of lines.
#[inline(always)]
pub(crate) fn width_of(raster: &RasterState) -> f32 {
    if raster.line_width > 0.0 { raster.line_width.min(WIDTH_MAX) } else { 1.0 }
}

/// The size of points, from what a shader says.
#[inline(always)]
pub(super) fn point_size(size: f32) -> f32 {
    if size >= 1.0 { size.min(WIDTH_MAX) } else { 1.0 }
}

/// Half of the size of points in sub-pixel units, to nearest.
#[inline(always)]
pub(super) fn half_point(size: f32) -> i32 {
    // Exact but for the last step.
    (f64::from(size) * f64::from(UNIT / 2) + 0.5) as i32
}

/// The square of a point. Left and top sides belong to it, right and bottom ones do not.
#[inline(always)]
pub(super) fn point_shape(Point { x, y }: Point, half: i32) -> Shape {
    let edges = [
        Edge { a: 1, b: 0, c: i64::from(half - x) },
        Edge { a: 0, b: 1, c: i64::from(half - y) },
        Edge { a: -1, b: 0, c: i64::from(x + half - 1) },
        Edge { a: 0, b: -1, c: i64::from(y + half - 1) },
    ];
    Shape::Convex(edges, 4)
}

/// The length of a vector.
#[inline(always)]
fn length(dx: f64, dy: f64) -> f64 {
    (dx * dx + dy * dy).sqrt()
}

/// Planes that change along a line only, from their values at both ends.
#[inline(always)]
fn along(ends: &[WindowVertex; 2], reference: (i32, i32), values: &[Quantities; 2]) -> [Plane; QUANTITIES] {
    let pixels = |value: i32| f64::from(value) / f64::from(UNIT);
    let [from, to] = [&ends[0], &ends[1]].map(|end| (pixels(end.point.x), pixels(end.point.y)));
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let square = dx * dx + dy * dy;
    let to_ref = (f64::from(reference.0) + 0.5 - from.0, f64::from(reference.1) + 0.5 - from.1);
    let mut planes = [Plane::default(); QUANTITIES];
    for (at, plane) in planes.iter_mut().enumerate() {
        let change = if square > 0.0 { (values[1][at] - values[0][at]) / square } else { 0.0 };
        let (gx, gy) = (change * dx, change * dy);
        let value = values[0][at] + gx * to_ref.0 + gy * to_ref.1;
        *plane = Plane { value: value as f32, dx: gx as f32, dy: gy as f32 };
    }
    planes
}

/// What the parts of one line have in common.
struct LinePart<'a> {
    setup: &'a PrimitiveSetup,
    assembled: Assembled,
    vertex_count: usize,
    /// Where it may draw.
    inside: Rect,
}

/// The pixels that may have samples between the least and the greatest coordinates of some points.
#[inline(always)]
fn bounds(points: &[Point], multisampled: bool) -> Rect {
    let range = |coordinate: fn(&Point) -> i32| {
        let values = points.iter().map(coordinate);
        let least = values.clone().fold(i32::MAX, i32::min);
        pixel_range(least, values.fold(i32::MIN, i32::max), multisampled)
    };
    let ((x0, x1), (y0, y1)) = (range(|point| point.x), range(|point| point.y));
    Rect { x0, y0, x1, y1 }
}

impl LineStipple {
    /// Whether the pattern's bit of a counter is set.
    fn is_on(self, counter: u64) -> bool {
        self.pattern >> (counter / u64::from(self.factor.max(1)) % 16) & 1 != 0
    }

    /// Calls `f` with the runs of counters, from `first` up to `end`, that are drawn.
    fn runs(self, first: u64, end: u64, mut f: impl FnMut(u64, u64)) {
        let mut start = first;
        while start < end {
            let mut stop = start + 1;
            while stop < end && self.is_on(stop) == self.is_on(start) {
                stop += 1;
            }
            if self.is_on(start) {
                f(start, stop);
            }
            start = stop;
        }
    }
}

impl Setup<'_> {
    /// [`Setup::line`], which is large, where code for the best processor is not worth it.
    #[inline(never)]
    pub(crate) fn rare_line(&mut self, assembled: Assembled) {
        self.line(assembled);
    }

    /// A line, from assembly to setup data.
    #[inline(always)]
    pub(crate) fn line(&mut self, assembled: Assembled) {
        self.output.statistics.clipping_invocations += 1;
        let [first, last, _] = assembled.vertices;
        let vertices = [first, last, last];
        let positions = vertices.map(|vertex| self.position(vertex).map(f64::from));
        if positions.iter().flatten().any(|value| !value.is_finite()) {
            return;
        }
        if self.culled_by_distance(&vertices) {
            return;
        }
        let Some(target) = self.target(&assembled) else { return };
        let transform = self.prepared.transforms[target.viewport_index as usize];
        let window = positions.map(|p| Self::window(&transform, p));
        let (mut planes, mut plane_count) = ([[0.0; 2]; PLANES_MAX], 0);
        let mut add = |plane: [f64; 2]| {
            // Shaders have no more clip distances.
            if let Some(to) = planes.get_mut(plane_count) {
                *to = plane;
                plane_count += 1;
            }
        };
        self.clip_planes(vertices, &positions, |plane| add([plane[0], plane[1]]));
        for axis in 0..2 {
            // Lines wholly outside one side of the view volume are not drawn, however wide.
            if positions.iter().all(|p| p[axis] > p[3]) || positions.iter().all(|p| p[axis] < -p[3]) {
                return;
            }
            add([0, 1].map(|at| GUARD_PIXELS * window[at][3] - window[at][axis]));
            add([0, 1].map(|at| GUARD_PIXELS * window[at][3] + window[at][axis]));
        }
        let Some((start, end)) = clip_line(&planes[..plane_count]) else { return };
        let clipped = start > 0.0 || end < 1.0;
        let at = |t: f64| project(&window, &[1.0 - t, t, 0.0], clipped);
        let (Some(from), Some(to)) = (at(start), at(end)) else { return };
        self.output.statistics.clipping_primitives += 1;
        self.window_line(assembled, target, &transform, [from, to], true, Bias::default(), 2);
    }

    /// A line between two vertices in the window.
    #[allow(clippy::too_many_arguments)] // All of them are one primitive.
    #[inline(always)]
    pub(crate) fn window_line(
        &mut self,
        assembled: Assembled,
        target: Target,
        transform: &Transform,
        ends: [WindowVertex; 2],
        front: bool,
        bias: Bias,
        vertex_count: usize,
    ) {
        let raster = &self.prepared.draw.raster;
        let width = width_of(raster);
        let inside = if width > 1.0 { transform.scissor } else { transform.inside };
        let (front, line_mode, stipple) = (u32::from(front), raster.line_mode, raster.line_stipple);
        let [from, to] = ends.map(|end| end.point);
        let reference = (from.x.div_euclid(UNIT), from.y.div_euclid(UNIT));
        let depths = ends.map(|end| end.z);
        let mut setup = self.header(assembled, target, transform, &depths, bias);
        (setup.ref_x, setup.ref_y) = reference;
        setup.front_facing = front;
        let mut values = [quantities(&ends[0]), quantities(&ends[1])];
        values.iter_mut().for_each(|values| values[0] += bias.0);
        let [depth, inverse_w, perspective_i, perspective_j, linear_i, linear_j, ..] =
            along(&ends, reference, &values);
        (setup.depth, setup.inverse_w) = (depth, inverse_w);
        (setup.perspective_i, setup.perspective_j) = (perspective_i, perspective_j);
        (setup.linear_i, setup.linear_j) = (linear_i, linear_j);
        let part = LinePart { setup: &setup, assembled, vertex_count, inside };
        if line_mode == LineMode::Bresenham {
            let line = Bresenham { from, to, width: (width.round() as i32).max(1) };
            let Some(stipple) = stipple else { return self.bresenham_line(&part, line, inside) };
            let count = line.count();
            let first = self.stipple_counter as u64;
            self.stipple_counter += count as f64;
            stipple.runs(first, first + count, |start, end| {
                self.bresenham_line(&part, line, line.steps(start - first, end - first));
            });
            return;
        }
        let Some(stipple) = stipple else { return self.rectangular_line(&part, width, (0.0, 1.0), ends) };
        let [from, to] = ends.map(|end| end.exact);
        let length = length(to[0] - from[0], to[1] - from[1]);
        let first = self.stipple_counter;
        self.stipple_counter += length;
        stipple.runs(first.floor() as u64, (first + length).ceil() as u64, |start, end| {
            let at = |counter: u64| ((counter as f64 - first) / length).clamp(0.0, 1.0);
            self.stippled_line(&part, width, (at(start), at(end)), ends);
        });
    }

    /// [`Setup::rectangular_line`], which is large.
    #[inline(never)]
    fn stippled_line(&mut self, part: &LinePart<'_>, width: f32, range: (f64, f64), ends: [WindowVertex; 2]) {
        self.rectangular_line(part, width, range, ends);
    }

    /// Part of a line as the rectangle along it, between two fractions of its length.
    #[inline(always)]
    fn rectangular_line(
        &mut self,
        part: &LinePart<'_>,
        width: f32,
        (start, end): (f64, f64),
        ends: [WindowVertex; 2],
    ) {
        let [from, to] = ends.map(|end| end.exact);
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let length = length(dx, dy);
        if length == 0.0 {
            return;
        }
        let (ux, uy) = (dx / length, dy / length);
        let is_smooth = self.prepared.draw.raster.line_mode == LineMode::Smooth;
        // A smooth line reaches half a pixel further, and fades there.
        let reach = if is_smooth { 0.5 } else { 0.0 };
        let half = f64::from(width) / 2.0;
        let smooth = is_smooth.then(|| {
            let reference = [part.setup.ref_x, part.setup.ref_y].map(|pixel| f64::from(pixel) + 0.5);
            let middle = (start + end) / 2.0;
            let to_axis = [reference[0] - from[0], reference[1] - from[1]];
            let to_middle = [to_axis[0] - dx * middle, to_axis[1] - dy * middle];
            let across = to_axis[1] * ux - to_axis[0] * uy;
            let along = to_middle[0] * ux + to_middle[1] * uy;
            [across, -uy, ux, along, ux, uy, half, (end - start) * length / 2.0].map(|value| value as f32)
        });
        let (nx, ny) = (-uy * (half + reach), ux * (half + reach));
        let moved = |t: f64, sign: f64| {
            let out = if t == start { -reach } else { reach };
            Point {
                x: to_fixed(from[0] + dx * t + ux * out + sign * nx),
                y: to_fixed(from[1] + dy * t + uy * out + sign * ny),
            }
        };
        let corners = [moved(start, -1.0), moved(end, -1.0), moved(end, 1.0), moved(start, 1.0)];
        if double_area([corners[0], corners[1], corners[2]]) <= 0 {
            return;
        }
        let edges = [0, 1, 2, 3].map(|at| Edge::between(corners[at], corners[(at + 1) % 4]));
        let multisampled = self.prepared.draw.raster.samples > 1;
        let bounds = bounds(&corners, multisampled).intersect(part.inside);
        self.line_shape(part, Shape::Convex(edges, 4), bounds, smooth);
    }

    /// A line after the diamond-exit rule, as far as it is within a rectangle.
    fn bresenham_line(&mut self, part: &LinePart<'_>, line: Bresenham, within: Rect) {
        let reach = line.width * UNIT;
        let corner = |choose: fn(i32, i32) -> i32, reach: i32| Point {
            x: choose(line.from.x, line.to.x) + reach,
            y: choose(line.from.y, line.to.y) + reach,
        };
        let corners = [corner(i32::min, -reach), corner(i32::max, reach)];
        let bounds = bounds(&corners, true).intersect(part.inside).intersect(within);
        self.line_shape(part, Shape::Bresenham(line), bounds, None);
    }

    #[inline(always)]
    fn line_shape(&mut self, part: &LinePart<'_>, shape: Shape, bounds: Rect, smooth: Option<[f32; 8]>) {
        if bounds.is_empty() {
            return;
        }
        let words = self.output.push(bounds, shape, part.setup);
        self.components(words, part.assembled, part.vertex_count);
        let Some((fragment, smooth)) = self.prepared.draw.fragment.as_ref().zip(smooth) else { return };
        let is_smooth = |varying: &Varying| varying.interpolation == Interpolation::SmoothLine;
        let Some(index) = fragment.setup.varyings().iter().position(is_smooth) else { return };
        let first = words + (fragment.setup.offset(index) - SETUP_HEADER_BYTES) as usize / 4;
        for (at, value) in (first..).zip(smooth) {
            self.output.setup.set(at, value.to_bits());
        }
    }

    /// A point, from assembly to setup data.
    pub(crate) fn point(&mut self, assembled: Assembled) {
        self.output.statistics.clipping_invocations += 1;
        let vertex = assembled.vertices[0];
        let position = self.position(vertex).map(f64::from);
        let w = position[3];
        if position.iter().any(|value| !value.is_finite()) || w <= 0.0 {
            return;
        }
        if self.culled_by_distance(&[vertex]) || position[..2].iter().any(|value| value.abs() > w) {
            return;
        }
        let Some(target) = self.target(&assembled) else { return };
        let mut outside = false;
        self.clip_planes([vertex; 3], &[position; 3], |plane| outside |= is_outside(plane[0]));
        if outside {
            return;
        }
        let transform = self.prepared.transforms[target.viewport_index as usize];
        let window = Self::window(&transform, position);
        if (0..2).any(|axis| window[axis].abs() > GUARD_PIXELS * window[3]) {
            return;
        }
        let Some(at) = project(&[window; 3], &[1.0, 0.0, 0.0], false) else { return };
        self.output.statistics.clipping_primitives += 1;
        self.window_point(assembled, target, &transform, at, true, Bias::default());
    }

    /// A point in the window: of a polygon's corner, with the values of the first vertex but its own depth.
    pub(crate) fn window_point(
        &mut self,
        assembled: Assembled,
        target: Target,
        transform: &Transform,
        at: WindowVertex,
        front: bool,
        bias: Bias,
    ) {
        let draw = &self.prepared.draw;
        // The corner that the weights name, for a polygon's.
        let corner = match at.weights {
            [i, _] if i > 0.5 => 1,
            [_, j] if j > 0.5 => 2,
            _ => 0,
        };
        let vertex = assembled.vertices[corner];
        let size = draw.stages.outputs.point_size.map_or(1.0, |column| self.shading.float(vertex, column));
        let size = point_size(size);
        let half = half_point(size);
        let Point { x, y } = at.point;
        let shape = point_shape(at.point, half);
        let multisampled = draw.raster.samples > 1;
        let (x0, x1) = pixel_range(x - half, x + half, multisampled);
        let (y0, y1) = pixel_range(y - half, y + half, multisampled);
        let bounds = Rect { x0, y0, x1, y1 }.intersect(transform.scissor);
        if bounds.is_empty() {
            return;
        }
        let constant = |value: f64| Plane { value: value as f32, dx: 0.0, dy: 0.0 };
        let mut setup = self.header(assembled, target, transform, &[at.z], bias);
        (setup.ref_x, setup.ref_y) = (x.div_euclid(UNIT), y.div_euclid(UNIT));
        setup.front_facing = front.into();
        setup.is_point = 1;
        setup.depth = constant(at.z + bias.0);
        setup.inverse_w = constant(at.inverse_w);
        let step = 1.0 / f64::from(size);
        let coordinate = |center: i32, pixel: i32| {
            let distance = f64::from(pixel * UNIT + UNIT / 2 - center) / f64::from(UNIT);
            (0.5 + distance * step) as f32
        };
        setup.linear_i = Plane { value: coordinate(x, setup.ref_x), dx: step as f32, dy: 0.0 };
        setup.linear_j = Plane { value: coordinate(y, setup.ref_y), dx: 0.0, dy: step as f32 };
        let words = self.output.push(bounds, shape, &setup);
        let vertices = [vertex, vertex, vertex];
        self.components(words, Assembled { vertices, ..assembled }, 1);
    }
}
