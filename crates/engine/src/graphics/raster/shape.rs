//! Primitives as the rasterizer sees them: exact shapes in fixed-point window coordinates.
//!
//! Coordinates have 8 sub-pixel bits ([`SUB_PIXEL_BITS`]) and stay within [`GUARD_PIXELS`] of the origin, so
//! differences fit 25 bits, edge functions 52. Sample positions are multiples of 16 sub-pixel units, and from
//! one pixel to the next an edge function changes by a multiple of 256: its value shifted down by 8 keeps its
//! sign, and within a tile of 64 pixels it fits 32 bits wherever the edge passes through the tile.

use crate::graphics::state::shading_rate::CoarsePrimitive;
use crate::graphics::state::{Conservative, Rect};
use pyro_abi::graphics::SUB_PIXEL_BITS;

/// Sub-pixel units of a pixel.
pub(crate) const UNIT: i32 = 1 << SUB_PIXEL_BITS;
/// Where triangles are clipped, in pixels from the origin of the framebuffer.
pub(crate) const GUARD_PIXELS: f64 = 30_000.0;

/// A half plane: `a * x + b * y + c >= 0`. The fill rule is in `c`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) a: i32,
    pub(crate) b: i32,
    pub(crate) c: i64,
}

/// A point in sub-pixel units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Point {
    pub(crate) x: i32,
    pub(crate) y: i32,
}

/// Twice the signed area of a triangle: positive where it turns from x to y (clockwise on a screen).
#[inline(always)]
pub(crate) fn double_area(p: [Point; 3]) -> i64 {
    let wide = |value: i32| i64::from(value);
    let (x1, y1) = (wide(p[1].x) - wide(p[0].x), wide(p[1].y) - wide(p[0].y));
    let (x2, y2) = (wide(p[2].x) - wide(p[0].x), wide(p[2].y) - wide(p[0].y));
    x1 * y2 - x2 * y1
}

impl Edge {
    /// The inner side of an edge of a polygon whose area is positive. Of points on it, those of top and left
    /// edges are inside.
    #[inline(always)]
    pub(crate) fn between(from: Point, to: Point) -> Edge {
        let (a, b) = (from.y - to.y, to.x - from.x);
        let c = -(i64::from(a) * i64::from(from.x) + i64::from(b) * i64::from(from.y));
        let edge = Edge { a, b, c };
        Edge { c: if edge.is_top_left() { c } else { c - 1 }, ..edge }
    }

    /// Its value at a point of sub-pixel units.
    #[inline]
    pub(crate) fn at(&self, x: i32, y: i32) -> i64 {
        i64::from(self.a) * i64::from(x) + i64::from(self.b) * i64::from(y) + self.c
    }

    /// The edge that holds at the centres of all pixels which the half plane touches, or else of those that
    /// lie in it as a whole: moved by half a pixel's extent across it. A pixel that has only a point in
    /// common with the edge is touched, and does not lie inside as a whole: vertices have been rounded to the
    /// sub-pixel grid.
    pub(crate) fn conservative(self, overestimate: bool) -> Edge {
        let on_edge = if self.is_top_left() { self.c } else { self.c + 1 };
        let extent = self.half_extent();
        Edge { c: if overestimate { on_edge + extent } else { on_edge - extent - 1 }, ..self }
    }

    /// The edge that holds at the centres of pixels which lie in the half plane as a whole. `conservative`:
    /// what this edge has been made of the half plane's.
    pub(crate) fn within(self, conservative: Conservative) -> Edge {
        match conservative {
            Conservative::Disabled => self.conservative(false),
            Conservative::Overestimate => Edge { c: self.c - 2 * self.half_extent() - 1, ..self },
            Conservative::Underestimate => self,
        }
    }

    /// How much its value changes at most from a pixel's centre to its corners.
    fn half_extent(&self) -> i64 {
        (i64::from(self.a).abs() + i64::from(self.b).abs()) * i64::from(UNIT / 2)
    }

    #[inline(always)]
    fn is_top_left(&self) -> bool {
        self.a > 0 || self.a == 0 && self.b > 0
    }

    /// It holds everywhere in a rectangle of pixels.
    pub(crate) fn accepts(&self, rect: Rect) -> bool {
        let x = if self.a > 0 { rect.x0 } else { rect.x1 };
        let y = if self.b > 0 { rect.y0 } else { rect.y1 };
        self.at(x * UNIT, y * UNIT) >= 0
    }

    /// It cannot hold anywhere among the pixels of a rectangle.
    pub(crate) fn rejects(&self, rect: Rect) -> bool {
        let x = if self.a > 0 { rect.x1 } else { rect.x0 };
        let y = if self.b > 0 { rect.y1 } else { rect.y0 };
        self.at(x * UNIT, y * UNIT) < 0
    }
}

/// A line after the diamond-exit rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bresenham {
    pub(crate) from: Point,
    pub(crate) to: Point,
    /// Pixels across.
    pub(crate) width: i32,
}

/// What a primitive covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Where the first so many edges hold.
    Convex([Edge; 4], u8),
    Bresenham(Bresenham),
}

/// A primitive to rasterize.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RasterPrimitive {
    /// No pixel outside is covered.
    pub(crate) bounds: Rect,
    /// Byte offset of its setup data within the chunk's, where that has been made.
    pub(crate) setup: u32,
    pub(crate) shape: Shape,
    pub(crate) coarse: CoarsePrimitive,
}

const _: () = assert!(size_of::<RasterPrimitive>() == 96);

/// The pixels that may have a sample between the least and the greatest coordinate.
#[inline(always)]
pub(crate) fn pixel_range(least: i32, greatest: i32, multisampled: bool) -> (i32, i32) {
    let half = UNIT / 2;
    if multisampled {
        (least.div_euclid(UNIT), greatest.div_euclid(UNIT) + 1)
    } else {
        ((least + half - 1).div_euclid(UNIT), (greatest - half).div_euclid(UNIT) + 1)
    }
}

impl Bresenham {
    /// Coordinates along the line's major axis first.
    fn turned(&self, point: Point) -> (i32, i32) {
        if self.is_steep() { (point.y, point.x) } else { (point.x, point.y) }
    }

    fn is_steep(&self) -> bool {
        (self.to.y - self.from.y).abs() > (self.to.x - self.from.x).abs()
    }

    /// The pixel in the minor direction at a step of the major axis, if the line has one there.
    fn minor(&self, step: i32) -> Option<i32> {
        let ((from_major, from_minor), (to_major, to_minor)) = (self.turned(self.from), self.turned(self.to));
        // A wide line begins this far up.
        let up = (self.width - 1) * (UNIT / 2);
        let (from_minor, to_minor) = (from_minor - up, to_minor - up);
        let length = i64::from(to_major - from_major);
        if length == 0 {
            return None;
        }
        let center = step * UNIT + UNIT / 2;
        let along = i64::from(center - from_major) * i64::from(to_minor - from_minor);
        let minor = (i64::from(from_minor) * length.abs() + along * length.signum())
            .div_euclid(length.abs() * i64::from(UNIT)) as i32;
        let in_diamond = |major: i32, other: i32| {
            (major - center).abs() + (other - (minor * UNIT + UNIT / 2)).abs() < UNIT / 2
        };
        let started = if length > 0 { from_major <= center } else { from_major >= center };
        let ended = if length > 0 { to_major <= center } else { to_major >= center };
        let produced =
            (started || in_diamond(from_major, from_minor)) && !ended && !in_diamond(to_major, to_minor);
        produced.then_some(minor)
    }

    /// The steps of the major axis that have a pixel, up to the last one exclusive.
    fn major_steps(&self) -> (i32, i32) {
        let (from, to) = (self.turned(self.from).0, self.turned(self.to).0);
        let (mut first, mut end) = (from.min(to).div_euclid(UNIT), from.max(to).div_euclid(UNIT) + 1);
        // Only the pixels that hold the ends may be without.
        while first < end && self.minor(first).is_none() {
            first += 1;
        }
        while first < end && self.minor(end - 1).is_none() {
            end -= 1;
        }
        (first, end)
    }

    /// Steps of the line: fragments, for one of width 1.
    pub(crate) fn count(&self) -> u64 {
        let (first, end) = self.major_steps();
        (end - first) as u64
    }

    /// Where the steps from number `start` up to number `end` are, counted from where the line begins.
    pub(crate) fn steps(&self, start: u64, end: u64) -> Rect {
        let (first, last) = self.major_steps();
        let (start, end) = (start as i32, end as i32);
        let forward = self.turned(self.from).0 <= self.turned(self.to).0;
        let (least, most) = if forward { (first + start, first + end) } else { (last - end, last - start) };
        let (all, none) = (i32::MIN, i32::MAX);
        if self.is_steep() {
            Rect { x0: all, y0: least, x1: none, y1: most }
        } else {
            Rect { x0: least, y0: all, x1: most, y1: none }
        }
    }

    /// Calls `f` with each pixel of the line within a rectangle.
    pub(crate) fn pixels(&self, rect: Rect, mut f: impl FnMut(i32, i32)) {
        let steep = self.is_steep();
        let (first, last) = if steep { (rect.y0, rect.y1) } else { (rect.x0, rect.x1) };
        let (from, to) = (self.turned(self.from).0, self.turned(self.to).0);
        let (least, greatest) = (from.min(to).div_euclid(UNIT), from.max(to).div_euclid(UNIT));
        for step in first.max(least)..last.min(greatest + 1) {
            let Some(minor) = self.minor(step) else { continue };
            for other in minor..minor + self.width {
                let (x, y) = if steep { (other, step) } else { (step, other) };
                if (rect.x0..rect.x1).contains(&x) && (rect.y0..rect.y1).contains(&y) {
                    f(x, y);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_leave_their_last_pixel() {
        let all = Rect { x0: -100, y0: -100, x1: 100, y1: 100 };
        let pixels = |from: (i32, i32), to: (i32, i32)| {
            let point = |(x, y): (i32, i32)| Point { x: x * 128, y: y * 128 };
            let mut list = Vec::new();
            Bresenham { from: point(from), to: point(to), width: 1 }.pixels(all, |x, y| list.push((x, y)));
            list
        };
        // Half pixels: from the centre of pixel 0 to the centre of pixel 3.
        assert_eq!(pixels((1, 1), (7, 1)), [(0, 0), (1, 0), (2, 0)]);
        assert_eq!(pixels((7, 1), (1, 1)), [(1, 0), (2, 0), (3, 0)]);
        assert_eq!(pixels((1, 1), (1, 5)), [(0, 0), (0, 1)]);
        assert_eq!(pixels((1, 1), (5, 5)), [(0, 0), (1, 1)]);
        assert_eq!(pixels((-3, 1), (1, 1)), [(-2, 0), (-1, 0)]);
        assert!(pixels((1, 1), (1, 1)).is_empty());
    }

    #[test]
    fn steps_are_counted_from_the_start() {
        let point = |(x, y): (i32, i32)| Point { x: x * 128, y: y * 128 };
        let line = |from, to| Bresenham { from: point(from), to: point(to), width: 1 };
        assert_eq!(line((1, 1), (7, 1)).count(), 3);
        let rect = line((1, 1), (7, 1)).steps(1, 3);
        assert_eq!((rect.x0, rect.x1), (1, 3));
        let rect = line((1, 7), (1, 1)).steps(0, 1);
        assert_eq!((rect.y0, rect.y1), (3, 4));
        assert_eq!(line((1, 1), (1, 1)).count(), 0);
    }

    #[test]
    fn pixel_ranges_hold_all_samples() {
        assert_eq!(pixel_range(128, 128, false), (0, 1));
        assert_eq!(pixel_range(129, 383, false), (1, 1));
        assert_eq!(pixel_range(-129, 383, false), (-1, 1));
        assert_eq!(pixel_range(1, 257, true), (0, 2));
    }
}
