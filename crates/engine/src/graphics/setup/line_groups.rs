//! Set-up of lines whose vertices have been projected, sixteen at a time: of those that are rectangles.
//!
//! What needs clipping, or is so long that many tiles have it, goes through [`Setup::line`], one by one, in
//! the same order. Planes and components of the others become setup data when a tile is drawn
//! ([`deferred_setup`](crate::graphics::setup::deferred_setup)).
//!
//! The formulas are those of [`lines`](crate::graphics::setup::lines), so it does not matter which way a line
//! goes.

use crate::graphics::assembly::vertices::Shaded;
use crate::graphics::raster::shape::{Edge, Point, Shape, UNIT};
use crate::graphics::raster::small_triangle_coverage::Points;
use crate::graphics::setup::deferred_primitives::DeferredKind;
use crate::graphics::setup::lines::width_of;
use crate::graphics::setup::prepare::{Prepared, Transform};
use crate::graphics::setup::primitive_setup::Setup;
use crate::graphics::setup::vertex_lanes::{
    Bounds, DEFERRED_EXTENT_MAX, Depths, Identities, Sides, areas, points, signs,
};
use crate::graphics::simd::lanes::LANES;
use crate::graphics::simd::multiversion::Vectorized;
use crate::graphics::simd::plain::Plain;
use crate::graphics::simd::vector::{Vector, Widest, slot};
use crate::graphics::state::LineMode;

/// Up to so many of sixteen lines are set up one by one.
const FEW_LINES: u32 = 4;

/// The set-up of lines whose vertices have been projected.
pub(crate) struct Lines<'s, 'a> {
    pub(crate) setup: &'s mut Setup<'a>,
    /// The vertices of the lines, two and two.
    pub(crate) corners: &'s [u32],
    pub(crate) identities: Identities<'s>,
}

impl Prepared {
    /// This draw's lines are dealt with sixteen at a time.
    pub(crate) fn takes_line_groups(&self) -> bool {
        let raster = &self.draw.raster;
        raster.line_mode == LineMode::Rectangular && raster.line_stipple.is_none() && self.takes_groups()
    }
}

impl Vectorized for Lines<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<const WIDE: bool>(mut self) {
        self.setup.output.deferred.kind = DeferredKind::Lines;
        if WIDE {
            self.groups::<Widest>();
        } else {
            self.groups::<Plain>();
        }
    }
}

/// A place in the window in pixels, of sixteen vertices.
#[derive(Clone, Copy)]
pub(super) struct Exact<V: Vector> {
    x: V::Doubles,
    y: V::Doubles,
}

/// The corners of sixteen rectangles along lines, in an order that makes areas positive.
pub(super) struct Corners<V: Vector>(pub(super) [Points<V>; 4]);

/// The same as integers of each.
pub(super) struct StoredCorners([[[i32; LANES]; 2]; 4]);

impl StoredCorners {
    /// The shape of a lane's rectangle.
    #[inline(always)]
    pub(super) fn shape(&self, lane: usize) -> Shape {
        let point = |at: usize| Point { x: self.0[at][0][lane % LANES], y: self.0[at][1][lane % LANES] };
        let (a, b, c, d) = (point(0), point(1), point(2), point(3));
        let edges = [Edge::between(a, b), Edge::between(b, c), Edge::between(c, d), Edge::between(d, a)];
        Shape::Convex(edges, 4)
    }
}

impl<V: Vector> Corners<V> {
    /// The rectangles, and which lines have a length. `half`: half of their width.
    #[inline(always)]
    pub(super) fn new(from: Exact<V>, to: Exact<V>, half: f64) -> (Corners<V>, V::Mask) {
        let (dx, dy) = (V::minus(to.x, from.x), V::minus(to.y, from.y));
        let length = V::root(V::plus(V::times(dx, dx), V::times(dy, dy)));
        let (ux, uy) = (V::over(dx, length), V::over(dy, length));
        let (half, zero) = (V::doubles(half), V::doubles(0.0));
        let (nx, ny) = (V::minus(zero, V::times(uy, half)), V::times(ux, half));
        // Not `to`: rounded like that.
        let end = Exact::<V> { x: V::plus(from.x, dx), y: V::plus(from.y, dy) };
        let corners = Corners([
            point::<V>(V::minus(from.x, nx), V::minus(from.y, ny)),
            point::<V>(V::minus(end.x, nx), V::minus(end.y, ny)),
            point::<V>(V::plus(end.x, nx), V::plus(end.y, ny)),
            point::<V>(V::plus(from.x, nx), V::plus(from.y, ny)),
        ]);
        // Lengths whose floats are 0 give no area.
        (corners, V::less(V::ints(0), V::float_bits(V::to_floats(length))))
    }

    #[inline(always)]
    pub(super) fn stored(&self) -> StoredCorners {
        let [a, b, c, d] = &self.0;
        StoredCorners([a.stored(), b.stored(), c.stored(), d.stored()])
    }
}

/// A place in sub-pixel units, as `setup::to_fixed` has it.
#[inline(always)]
fn point<V: Vector>(x: V::Doubles, y: V::Doubles) -> Points<V> {
    // The sum's last place is that of integers; the low half of its bits is the integer.
    let (unit, magic) = (V::doubles(f64::from(UNIT)), V::doubles(6_755_399_441_055_744.0));
    let (x, y) = (V::plus(V::times(x, unit), magic), V::plus(V::times(y, unit), magic));
    Points { x: V::low(x), y: V::low(y), sides: V::ints(0) }
}

impl<V: Vector> Exact<V> {
    /// Where shaded vertices with these reciprocals of `w` are in the window.
    #[inline(always)]
    pub(super) fn new(
        shading: &Shaded,
        transform: &Transform,
        vertices: &[u32; LANES],
        inverse_w: V::Doubles,
    ) -> Exact<V> {
        let (mut x, mut y, mut w) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for (lane, &vertex) in vertices.iter().enumerate() {
            let position = shading.position(vertex);
            x[lane] = f64::from(position[0]);
            y[lane] = f64::from(position[1]);
            w[lane] = f64::from(position[3]);
        }
        let (x, y, w) = (V::doubles_of(&x), V::doubles_of(&y), V::doubles_of(&w));
        let ([scale_x, scale_y, _], [offset_x, offset_y, _]) = (transform.scale, transform.offset);
        let x = V::plus(V::times(x, V::doubles(scale_x)), V::times(w, V::doubles(offset_x)));
        let y = V::plus(V::times(y, V::doubles(scale_y)), V::times(w, V::doubles(offset_y)));
        Exact { x: V::times(x, inverse_w), y: V::times(y, inverse_w) }
    }
}

impl Lines<'_, '_> {
    #[inline(always)]
    fn groups<V: Vector>(&mut self) {
        let (groups, rest) = self.corners.as_chunks::<{ 2 * LANES }>();
        for (number, group) in (0..).step_by(LANES).zip(groups) {
            self.group::<V>(number, LANES, group);
        }
        if let Some(&first) = rest.first() {
            let mut group = [first; 2 * LANES];
            group[..rest.len()].copy_from_slice(rest);
            self.group::<V>((groups.len() * LANES) as u32, rest.len() / 2, &group);
        }
    }

    /// Sixteen lines, of which the first so many count, up to their entries in the output. `number`: the
    /// first one's among all.
    #[inline(always)]
    fn group<V: Vector>(&mut self, number: u32, count: usize, group: &[u32; 2 * LANES]) {
        let (prepared, records) = (self.setup.prepared, self.setup.records);
        let (raster, transform) = (&prepared.draw.raster, &prepared.transforms[0]);
        let mut ends = [[0; LANES]; 2];
        for (lane, line) in group.as_chunks::<2>().0.iter().enumerate() {
            (ends[0][lane], ends[1][lane]) = (line[0], line[1]);
        }
        let [from, to] = &ends;
        let place = V::ints(records.place(1) as i32);
        let (first, last) = (V::mul(V::load(from), place), V::mul(V::load(to), place));
        let (p, q) = (points::<V>(records, first), points::<V>(records, last));
        let there = u32::MAX >> (32 - count);
        let sides = Sides::new::<V>(V::or(p.sides, q.sides), V::and(p.sides, q.sides));
        let Sides { within, clipped } = sides.of(there);
        let width = width_of(raster);
        let inside = if width > 1.0 { transform.scissor } else { transform.inside };
        let shading = self.setup.shading;
        let from = Exact::new(shading, transform, from, Depths::<V>::new(records, first).inverse_w);
        let to = Exact::new(shading, transform, to, Depths::<V>::new(records, last).inverse_w);
        let (corners, long) = Corners::<V>::new(from, to, f64::from(width) / 2.0);
        let [a, b, c, _] = corners.0;
        let (positive, _) = signs::<V>(areas(&[a, b, c]));
        let bounds = Bounds::<V>::new(&corners.0, inside, raster.samples > 1);
        let Bounds { x0, y0, x1, y1, extent, .. } = bounds;
        let visible = V::both(V::both(positive, long), V::both(V::less(x0, x1), V::less(y0, y1)));
        let visible = within & !clipped & V::bits(visible);
        let large = visible & V::bits(V::less(V::ints(DEFERRED_EXTENT_MAX), extent));
        // A few are set up sooner one by one.
        let single = clipped | if visible.count_ones() <= FEW_LINES { visible } else { large };
        let drawn = visible & !single;
        let statistics = &mut self.setup.output.statistics;
        statistics.clipping_invocations += u64::from((there & !single).count_ones());
        statistics.clipping_primitives += u64::from((within & !single).count_ones());
        if single | drawn == 0 {
            return;
        }
        let list = &mut self.setup.output.deferred;
        let first = if drawn == 0 { 0 } else { self.identities.push::<V>(list, number, [first, last, last]) };
        let bounds = bounds.stored();
        let corners = corners.stored();
        let mut left = single | drawn;
        while left != 0 {
            let lane = left.trailing_zeros() as usize % LANES;
            left &= left - 1;
            if single >> lane & 1 != 0 {
                let (from, to) = (ends[0][lane], ends[1][lane]);
                let assembled = self.identities.assembled(number + lane as u32, [from, to, 0]);
                self.setup.rare_line(assembled);
                continue;
            }
            let number = first + slot(lane as u32);
            self.setup.output.push_deferred(bounds.of(lane), corners.shape(lane), number);
        }
    }
}
