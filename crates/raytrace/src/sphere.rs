//! Spheres and linear swept spheres (`VK_NV_ray_tracing_linear_swept_spheres`).
//!
//! A linear swept sphere is what a sphere covers whose center moves on a line, and whose radius changes
//! evenly, from one end to the other. Its surface is part of a cone that touches both end spheres, and, where
//! it has end caps, what these have outside of the cone. A ray meets a surface at the first place in the
//! ray's range, from outside or from inside; each primitive is met once.
//!
//! All is computed in double precision, from the place of the ray that is nearest to the middle of a
//! primitive, so that rays from far away meet thin ones. Where cap and cone join, both reach a little over
//! the seam, at which they have the same tangent.

use crate::acceleration_structure::{Content, Kind};
use crate::math::Bounds;
use pyro_abi::ray::{WIDTH, sphere_component};
use pyro_util::codec::{ByteCodec, Reader};

/// A sphere, or a linear swept sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The centers of the ends; of a sphere both are the same.
    pub centers: [[f32; 3]; 2],
    /// The radii of the ends.
    pub radii: [f32; 2],
    /// Which ends have caps; of a sphere both.
    pub caps: [bool; 2],
    /// Its place in its geometry.
    pub primitive: u32,
    /// See [`GEOMETRY_OPAQUE`](crate::node::GEOMETRY_OPAQUE).
    pub geometry: u32,
}

/// Rows of a block's numbers.
const ROWS: usize = 9;
/// The row that says which ends have caps: 1 for the first, 2 for the second, or their sum.
const CAPS: usize = 8;
const RADII: usize = sphere_component::RADII as usize;

/// Up to eight spheres.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
pub struct SphereBlock {
    /// Centers, radii ([`sphere_component`]) and caps; as many rows as triangles have, so that a shader that
    /// asks for vertices reads what is here.
    pub rows: [[f32; WIDTH]; ROWS],
    /// Their places in their geometries.
    pub primitives: [u32; WIDTH],
    /// Their geometries: see [`GEOMETRY_OPAQUE`](crate::node::GEOMETRY_OPAQUE).
    pub geometries: [u32; WIDTH],
}

impl SphereBlock {
    /// Of at most eight spheres.
    pub(crate) fn new<'s>(spheres: impl Iterator<Item = &'s Sphere>) -> SphereBlock {
        let mut block = SphereBlock {
            rows: [[f32::NAN; WIDTH]; ROWS],
            primitives: [u32::MAX; WIDTH],
            geometries: [u32::MAX; WIDTH],
        };
        for (lane, sphere) in spheres.take(WIDTH).enumerate() {
            let caps = f32::from(u8::from(sphere.caps[0]) + 2 * u8::from(sphere.caps[1]));
            let numbers = sphere.centers.as_flattened().iter().chain(&sphere.radii).chain([&caps]);
            for (row, &value) in block.rows.iter_mut().zip(numbers) {
                row[lane] = value;
            }
            block.primitives[lane] = sphere.primitive;
            block.geometries[lane] = sphere.geometry;
        }
        block
    }

    /// The sphere of a lane.
    #[inline]
    pub(crate) fn sphere(&self, lane: usize) -> Sphere {
        let row = |row: usize| self.rows[row][lane];
        let caps = row(CAPS);
        Sphere {
            centers: [[row(0), row(1), row(2)], [row(3), row(4), row(5)]],
            radii: [row(RADII), row(RADII + 1)],
            caps: [caps == 1.0 || caps == 3.0, caps >= 2.0],
            primitive: self.primitives[lane],
            geometry: self.geometries[lane],
        }
    }

    /// Its spheres.
    pub fn spheres(&self) -> impl Iterator<Item = Sphere> + '_ {
        (0..WIDTH).filter(|&lane| self.geometries[lane] != u32::MAX).map(|lane| self.sphere(lane))
    }
}

/// Where a ray meets a sphere.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SphereHit {
    /// The parameter along the ray.
    pub t: f32,
    /// The weight of the second end: where between the ends the sphere lies that is touched there.
    pub weight: f32,
    /// It was met from outside.
    pub front: bool,
}

type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a + t * b`.
fn along(a: Vector, t: f64, b: Vector) -> Vector {
    [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]]
}

/// By how much cap and cone reach over their seam.
const SEAM: f64 = 1e-9;

/// A ray that looks for the first place in its range.
struct Search {
    /// The parameter where the ray is nearest to the primitive's middle; others are counted from there.
    middle: f64,
    range: (f32, f32),
    found: Option<SphereHit>,
}

impl Search {
    /// Meets the surface at a parameter, where the ray goes to the outside or comes from there.
    fn meet(&mut self, t: f64, weight: f64, is_outward: bool) {
        let t = (self.middle + t) as f32;
        let is_nearer = self.found.is_none_or(|found| t < found.t);
        if t >= self.range.0 && t <= self.range.1 && is_nearer {
            self.found = Some(SphereHit { t, weight: weight as f32, front: !is_outward });
        }
    }
}

/// Where `k2 t² + 2 k1 t + k0` is zero; none where it is nowhere or everywhere.
fn roots(k2: f64, k1: f64, k0: f64) -> Option<[f64; 2]> {
    let discriminant = k1 * k1 - k2 * k0;
    if discriminant.is_nan() || discriminant < 0.0 {
        return None;
    }
    // The sum of two numbers of the same sign: neither root loses its digits.
    let sum = -(k1 + discriminant.sqrt().copysign(k1));
    let both = [sum / k2, k0 / sum];
    Some(both)
}

impl Sphere {
    /// A box that holds it.
    pub(crate) fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for (center, radius) in self.centers.iter().zip(self.radii) {
            let side = |value: f32| value.clamp(-f32::MAX, f32::MAX);
            // The difference may be rounded to the inside.
            bounds.add(&Bounds {
                lower: center.map(|value| side((value - radius).next_down())),
                upper: center.map(|value| side((value + radius).next_up())),
            });
        }
        bounds
    }

    /// Whether it may be met: its numbers are finite, its radii not negative.
    pub(crate) fn is_active(&self) -> bool {
        let centers = self.centers.as_flattened().iter().all(|value| value.is_finite());
        centers && self.radii.iter().all(|&radius| (0.0..=f32::MAX).contains(&radius))
    }

    /// Where a ray meets it first in a range of its parameter, the limits included.
    pub fn meet(&self, origin: [f32; 3], direction: [f32; 3], range: (f32, f32)) -> Option<SphereHit> {
        let [origin, direction] = [origin, direction].map(|vector| vector.map(f64::from));
        let [first, second] = self.centers.map(|center| center.map(f64::from));
        let [first_radius, second_radius] = self.radii.map(f64::from);
        let square = dot(direction, direction);
        let middle = along(first, 0.5, along(second, -1.0, first));
        let nearest = dot(along(middle, -1.0, origin), direction) / square;
        let origin = along(origin, nearest, direction);
        let mut search = Search { middle: nearest, range, found: None };
        let axis = along(second, -1.0, first);
        let length = dot(axis, axis).sqrt();
        let slope = (first_radius - second_radius) / length;
        // One end sphere holds the other, or there is but one: no cone.
        if slope.is_nan() || slope.abs() >= 1.0 {
            let larger = usize::from(second_radius > first_radius);
            if self.caps[larger] {
                let (center, radius) = ([first, second][larger], self.radii[larger].into());
                let weight = if self.centers[0] == self.centers[1] { 0.0 } else { larger as f64 };
                meet_end(&mut search, (origin, direction, square), center, radius, |_| Some(weight));
            }
            return search.found;
        }
        let axis = axis.map(|value| value / length);
        // From here on lengths along the axis count from where the cone begins on the first sphere.
        let cosine = (1.0 - slope) * (1.0 + slope);
        let offset = slope * first_radius;
        let extent = length * cosine;
        let weight_at = |place: Vector| (dot(along(place, -1.0, first), axis) - offset) / extent;
        let from_first = along(origin, -1.0, first);
        let (height, rise) = (dot(from_first, axis) - offset, dot(direction, axis));
        let cone = roots(
            cosine * square - rise * rise,
            cosine * dot(from_first, direction) - height * rise,
            cosine * (dot(from_first, from_first) - first_radius * first_radius) - height * height,
        );
        for t in cone.into_iter().flatten() {
            let place = along(origin, t, direction);
            let weight = weight_at(place);
            if (-SEAM..=1.0 + SEAM).contains(&weight) {
                let weight = weight.clamp(0.0, 1.0);
                let center = along(first, weight * length, axis);
                search.meet(t, weight, dot(along(place, -1.0, center), direction) > 0.0);
            }
        }
        let ray = (origin, direction, square);
        if self.caps[0] {
            meet_end(&mut search, ray, first, first_radius, |place| {
                (weight_at(place) <= SEAM).then_some(0.0)
            });
        }
        if self.caps[1] {
            meet_end(&mut search, ray, second, second_radius, |place| {
                (weight_at(place) >= 1.0 - SEAM).then_some(1.0)
            });
        }
        search.found
    }
}

/// Meets the sphere at an end, at the places that have a weight. The ray: origin, direction, and the square
/// of its length.
fn meet_end(
    search: &mut Search,
    (origin, direction, square): (Vector, Vector, f64),
    center: Vector,
    radius: f64,
    weight: impl Fn(Vector) -> Option<f64>,
) {
    let from_center = along(origin, -1.0, center);
    let nearest = -dot(from_center, direction) / square;
    let foot = along(from_center, nearest, direction);
    let half = ((radius * radius - dot(foot, foot)) / square).sqrt();
    // Not where the ray passes by: the root of a negative number is none.
    for (t, is_outward) in [(nearest - half, false), (nearest + half, true)] {
        if let Some(weight) = weight(along(origin, t, direction)) {
            search.meet(t, weight, is_outward);
        }
    }
}

/// Bytes of a sphere's serialized form.
pub(crate) const SERIALIZED_BYTES: u64 = 4 * 11;

/// A content's spheres, in the order of its leaves.
pub(crate) fn write(content: &Content, out: &mut Vec<u8>) {
    for sphere in content.spheres.iter().flat_map(SphereBlock::spheres) {
        let numbers = sphere.centers.as_flattened().iter().chain(&sphere.radii);
        numbers.for_each(|value| value.to_bits().write(out));
        let caps = u32::from(sphere.caps[0]) | u32::from(sphere.caps[1]) << 1;
        [sphere.primitive, sphere.geometry, caps].write(out);
    }
}

/// What [`write()`] has written of so many spheres; those that cannot be are left out.
pub(crate) fn read(reader: &mut Reader<'_>, kind: Kind, count: u64) -> Option<Vec<Sphere>> {
    let mut all = Vec::new();
    // Every primitive takes some bytes, so a count that is too large ends where the bytes do.
    for _ in 0..count {
        let [a, b, c, d, e, f, r, s] = reader.value::<[u32; 8]>()?.map(f32::from_bits);
        let [primitive, geometry, caps] = reader.value::<[u32; 3]>()?;
        let (centers, radii, caps) = match kind {
            Kind::Spheres => ([[a, b, c]; 2], [r; 2], [true; 2]),
            _ => ([[a, b, c], [d, e, f]], [r, s], [caps & 1 != 0, caps & 2 != 0]),
        };
        let sphere = Sphere { centers, radii, caps, primitive, geometry };
        if sphere.is_active() && geometry != u32::MAX {
            all.push(sphere);
        }
    }
    Some(all)
}
