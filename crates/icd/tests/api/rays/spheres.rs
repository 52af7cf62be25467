//! Spheres and linear swept spheres (`VK_NV_ray_tracing_linear_swept_spheres`) in ray queries, beside a
//! reference that goes towards surfaces by their distance.

use super::*;
use pyro_random::Random;

type Vector = [f64; 3];

fn along(a: Vector, t: f64, b: Vector) -> Vector {
    [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]]
}

fn length(a: Vector) -> f64 {
    a.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// A sphere, or a linear swept sphere, with the caps that it has.
#[derive(Clone, Copy, Debug)]
struct Solid {
    ends: [[f32; 3]; 2],
    radii: [f32; 2],
    caps: [bool; 2],
}

/// What a ray is to find.
#[derive(Clone, Copy, Debug)]
enum Reference {
    Miss,
    /// The parameter, the weight of the second end, and whether it comes from outside.
    Hit(f64, f64, bool),
    /// Too near to an edge to say.
    Unclear,
}

impl Solid {
    /// The distance from a place to the solid, negative inside, and the weight of the second end where it is
    /// the nearest.
    fn distance(&self, place: Vector) -> (f64, f64) {
        let ends = self.ends.map(|end| end.map(f64::from));
        let axis = along(ends[1], -1.0, ends[0]);
        let radii = self.radii.map(f64::from);
        let at = |weight: f64| {
            let center = along(ends[0], weight, axis);
            length(along(place, -1.0, center)) - (radii[0] + weight * (radii[1] - radii[0]))
        };
        // The distances to the spheres between the ends are a convex function.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..50 {
            let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if at(left) < at(right) { high = right } else { low = left }
        }
        let candidates = [0.0, 0.5 * (low + high), 1.0];
        let best = candidates.into_iter().min_by(|a, b| at(*a).total_cmp(&at(*b))).expect("three");
        (at(best), best)
    }

    /// Where a ray first comes to the surface on its way from a parameter, forwards or backwards: none where
    /// it passes by; and the least distance.
    fn march(&self, (origin, direction): (Vector, Vector), start: f64, sign: f64) -> (Option<f64>, f64) {
        let (mut t, mut least) = (start, f64::INFINITY);
        for _ in 0..4000 {
            let (distance, _) = self.distance(along(origin, t, direction));
            least = least.min(distance);
            if distance < 1e-7 {
                return (Some(t), 0.0);
            }
            t += sign * distance / length(direction);
            if (t - start).abs() > 400.0 {
                break;
            }
        }
        (None, least)
    }

    /// Whether a ray passes by at some distance.
    fn is_far_from(&self, (origin, direction): (Vector, Vector)) -> bool {
        let ends = self.ends.map(|end| end.map(f64::from));
        let middle = along(ends[0], 0.5, along(ends[1], -1.0, ends[0]));
        let reach = length(along(middle, -1.0, ends[0])) + f64::from(self.radii[0].max(self.radii[1]));
        let to_middle = along(middle, -1.0, origin);
        let dot: f64 = (0..3).map(|axis| to_middle[axis] * direction[axis]).sum();
        let nearest = dot / length(direction).powi(2);
        length(along(to_middle, -nearest, direction)) > reach + 0.1
    }

    /// What a ray finds in its range.
    fn meet(&self, ray: (Vector, Vector), (t_min, t_max): (f64, f64)) -> Reference {
        if self.is_far_from(ray) {
            return Reference::Miss;
        }
        let (enter, least) = self.march(ray, -200.0, 1.0);
        let Some(enter) = enter else {
            return if least < 1e-3 { Reference::Unclear } else { Reference::Miss };
        };
        let Some(exit) = self.march(ray, 200.0, -1.0).0 else { return Reference::Unclear };
        if (exit - enter) * length(ray.1) < 0.05 {
            return Reference::Unclear;
        }
        let is_sphere = self.ends[0] == self.ends[1];
        for (t, front) in [(enter, true), (exit, false)] {
            if (t - t_min).abs() < 1e-3 || (t - t_max).abs() < 1e-3 {
                return Reference::Unclear;
            }
            let (_, weight) = self.distance(along(ray.0, t, ray.1));
            let weight = if is_sphere { 0.0 } else { weight };
            let is_near = |end: f64| (weight - end).abs() < 1e-3;
            let (on_first, on_second) = (weight < 1e-6, weight > 1.0 - 1e-6);
            let lacks = self.caps.map(|cap| !cap);
            if !is_sphere && (is_near(0.0) && !on_first && lacks[0] || is_near(1.0) && !on_second && lacks[1])
            {
                return Reference::Unclear;
            }
            let is_missing = on_first && lacks[0] || on_second && lacks[1];
            if t > t_min && t < t_max && (is_sphere || !is_missing) {
                return Reference::Hit(t, weight, front);
            }
        }
        Reference::Miss
    }
}

/// How a geometry's data lies in memory.
#[derive(Clone, Copy, Debug)]
struct Layout {
    vertices: vk::Format,
    radii: vk::Format,
    indices: vk::IndexType,
    /// Words that lie between elements.
    gap: usize,
    on_host: bool,
}

/// How linear swept spheres are named; spheres have none.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Swept {
    successive: bool,
    caps: bool,
}

/// The bits of a number that 16 bits can hold.
fn half(value: f32) -> u32 {
    if value == 0.0 {
        return 0;
    }
    let bits = value.to_bits();
    let exponent = (bits >> 23 & 0xff) - 112;
    bits >> 16 & 0x8000 | exponent << 10 | bits >> 13 & 0x3ff
}

/// Elements of some components, with words between them; and the bytes from one to the next.
fn elements(elements: &[Vec<f32>], is_half: bool, gap: usize) -> (Vec<u32>, u64) {
    let words = |element: &Vec<f32>| -> Vec<u32> {
        let mut words: Vec<u32> = match is_half {
            true => element
                .chunks(2)
                .map(|pair| half(pair[0]) | pair.get(1).map_or(0, |&second| half(second) << 16))
                .collect(),
            false => element.iter().map(|value| value.to_bits()).collect(),
        };
        words.resize(words.len() + gap, f32::NAN.to_bits());
        words
    };
    let all: Vec<Vec<u32>> = elements.iter().map(words).collect();
    let stride = 4 * all[0].len() as u64;
    (all.concat(), stride)
}

fn packed(numbers: &[u32], ty: vk::IndexType) -> (Vec<u32>, u64) {
    match ty {
        vk::IndexType::UINT16 => {
            (numbers.chunks(2).map(|pair| pair[0] | pair.get(1).unwrap_or(&0) << 16).collect(), 2)
        }
        _ => (numbers.to_vec(), 4),
    }
}

impl Rays {
    fn of_spheres() -> Rays {
        let mut rays = Rays::new();
        rays.pipeline = rays.context.pipeline(rays.layout, include_str!("spheres.comp.spvasm"));
        rays
    }

    /// A structure of one geometry of these centers and radii.
    fn spheres(
        &self,
        (centers, radii): (&[[f32; 3]], &[f32]),
        numbers: &[u32],
        (layout, swept, opaque): (Layout, Option<Swept>, bool),
    ) -> Structure {
        let is_half = layout.vertices == vk::Format::R16G16B16A16_SFLOAT;
        let components = match layout.vertices {
            vk::Format::R32G32_SFLOAT => 2,
            vk::Format::R16G16B16A16_SFLOAT => 4,
            _ => 3,
        };
        let center = |center: &[f32; 3]| {
            let mut all = center.to_vec();
            all.resize(components, 0.0);
            all
        };
        let centers: Vec<Vec<f32>> = centers.iter().map(center).collect();
        let (vertices, vertex_stride) = elements(&centers, is_half, layout.gap);
        let radii: Vec<Vec<f32>> = radii.iter().map(|&radius| vec![radius]).collect();
        let (radius_words, radius_stride) =
            elements(&radii, layout.radii == vk::Format::R16_SFLOAT, 2 * layout.gap);
        let (indices, index_stride) = packed(numbers, layout.indices);
        let has_indices = layout.indices != vk::IndexType::NONE_KHR;
        let spheres = vk::AccelerationStructureGeometrySpheresDataNV {
            vertex_format: layout.vertices,
            vertex_data: at(self.data(&vertices)),
            vertex_stride,
            radius_format: layout.radii,
            radius_data: at(self.data(&radius_words)),
            radius_stride,
            index_type: layout.indices,
            index_data: at(if has_indices { self.data(&indices) } else { 0 }),
            index_stride: if has_indices { index_stride } else { 0 },
            ..Default::default()
        };
        let mut lss = vk::AccelerationStructureGeometryLinearSweptSpheresDataNV {
            vertex_format: spheres.vertex_format,
            vertex_data: spheres.vertex_data,
            vertex_stride,
            radius_format: spheres.radius_format,
            radius_data: spheres.radius_data,
            radius_stride,
            index_type: spheres.index_type,
            index_data: spheres.index_data,
            index_stride: spheres.index_stride,
            ..Default::default()
        };
        let mut count = if has_indices { numbers.len() } else { centers.len() };
        let mut geometry = vk::AccelerationStructureGeometryKHR {
            geometry_type: vk::GeometryTypeKHR::SPHERES_NV,
            next: (&raw const spheres).cast(),
            flags: if opaque { vk::GeometryFlagsKHR::OPAQUE } else { vk::GeometryFlagsKHR::empty() },
            ..Default::default()
        };
        if let Some(swept) = swept {
            if swept.successive {
                lss.indexing_mode = vk::RayTracingLssIndexingModeNV::SUCCESSIVE;
            } else {
                count /= 2;
            }
            if swept.caps {
                lss.end_caps_mode = vk::RayTracingLssPrimitiveEndCapsModeNV::CHAINED;
            }
            geometry.geometry_type = vk::GeometryTypeKHR::LINEAR_SWEPT_SPHERES_NV;
            geometry.next = (&raw const lss).cast();
        }
        let (geometries, ranges) = ([geometry], [range(count as u32)]);
        if !layout.on_host {
            return self.build(Type::BOTTOM_LEVEL, &geometries, &ranges);
        }
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder().geometries(&geometries);
        info.type_ = Type::BOTTOM_LEVEL;
        info.dst_acceleration_structure = self.empty(Type::BOTTOM_LEVEL, self.size(&info, &ranges));
        let device = &self.context.device;
        // Addresses of the device are those of the host.
        unsafe { device.build_acceleration_structures_khr(NO_OPERATION(), &[info], &[&ranges[..]]) }
            .expect("built");
        info.dst_acceleration_structure
    }
}

/// The solids that a geometry's data stands for.
fn solids(centers: &[[f32; 3]], radii: &[f32], numbers: &[u32], swept: Option<Swept>) -> Vec<Solid> {
    let solid = |[first, second]: [u32; 2], caps: [bool; 2]| Solid {
        ends: [centers[first as usize], centers[second as usize]],
        radii: [radii[first as usize], radii[second as usize]],
        caps,
    };
    match swept {
        None => numbers.iter().map(|&number| solid([number; 2], [true; 2])).collect(),
        Some(Swept { successive: false, caps }) => {
            numbers.chunks(2).map(|pair| solid([pair[0], pair[1]], [caps; 2])).collect()
        }
        Some(Swept { successive: true, caps }) => (0..numbers.len())
            .map(|place| {
                let goes_on = place > 0 && numbers[place] == numbers[place - 1] + 1;
                solid([numbers[place], numbers[place] + 1], [caps && !goes_on, caps])
            })
            .collect(),
    }
}

/// An eighth of a number below a bound, of either sign.
fn eighth(random: &mut Random, bound: usize) -> f32 {
    (random.below(16 * bound + 1) as f32 - 8.0 * bound as f32) / 8.0
}

/// Transforms from object to world, and back.
const TURNED: [[[f32; 4]; 3]; 2] = [
    [[0.0, -2.0, 0.0, 30.0], [0.5, 0.0, 0.0, -1.0], [0.0, 0.0, 1.5, 2.0]],
    [[0.0, 2.0, 0.0, 2.0], [-0.5, 0.0, 0.0, 15.0], [0.0, 0.0, 1.0 / 1.5, -2.0 / 1.5]],
];

fn apply(map: &[[f32; 4]; 3], point: Vector, w: f64) -> Vector {
    [0, 1, 2].map(|row| {
        let [x, y, z, offset] = map[row].map(f64::from);
        x * point[0] + y * point[1] + z * point[2] + w * offset
    })
}

/// What all solids of all instances say of a ray: instance, primitive, parameter, weight, front; none where
/// it is unclear.
type Nearest = Option<Option<(usize, usize, f64, f64, bool)>>;

fn nearest(solids: &[Solid], ray: &Ray) -> Nearest {
    let (origin, direction) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
    let mut found: Option<(usize, usize, f64, f64, bool)> = None;
    for (instance, back) in [IDENTITY, TURNED[1]].iter().enumerate() {
        let local = (apply(back, origin, 1.0), apply(back, direction, 0.0));
        for (primitive, solid) in solids.iter().enumerate() {
            match solid.meet(local, (ray.t_min.into(), ray.t_max.into())) {
                Reference::Unclear => return None,
                Reference::Miss => {}
                Reference::Hit(t, weight, front) => match found {
                    Some((.., best, _, _)) if (best - t).abs() < 1e-3 => return None,
                    Some((.., best, _, _)) if best < t => {}
                    _ => found = Some((instance, primitive, t, weight, front)),
                },
            }
        }
    }
    Some(found)
}

/// Rays towards the places of two instances, some of which start inside.
fn random_rays(random: &mut Random, count: usize) -> Vec<Ray> {
    let ray = |_| {
        let target = [eighth(random, 5), eighth(random, 5), eighth(random, 5)];
        let target = match random.below(2) {
            0 => target,
            _ => apply(&TURNED[0], target.map(f64::from), 1.0).map(|value| value as f32),
        };
        let mut direction = [0, 1, 2].map(|_| random.float(-1.0, 1.0));
        if direction.iter().all(|component| component.abs() < 0.1) {
            direction[0] = 0.5;
        }
        let distance = if random.below(4) == 0 { 0.0 } else { random.float(5.0, 30.0) };
        let origin = [0, 1, 2].map(|axis| target[axis] - distance * direction[axis]);
        Ray { origin, direction, t_max: 100.0, ..down(0.0, 0.0) }
    };
    (0..count).map(ray).collect()
}

/// Compares what rays find with the reference; says how many have hit, and how many from inside.
fn check(
    found: &[Found],
    expected: &[Nearest],
    solids: &[Solid],
    swept: Option<Swept>,
    what: &str,
) -> [usize; 2] {
    let (mut unclear, mut hits) = (0, [0; 2]);
    for (number, (found, expected)) in found.iter().zip(expected).enumerate() {
        let Some(expected) = *expected else {
            unclear += 1;
            continue;
        };
        let words = &found.0;
        let what = format!("{what}, ray {number}: {words:?}, expected {expected:?}");
        let Some((instance, primitive, t, weight, front)) = expected else {
            assert_eq!(words[4], 0.0, "{what}");
            continue;
        };
        hits[0] += 1;
        hits[1] += usize::from(!front);
        let solid = solids[primitive];
        // A triangle's type, the instance, the first geometry, the primitive.
        assert_eq!(words[4], 1.0, "{what}");
        assert_eq!(words[6..9], [instance as f32, 0.0, primitive as f32], "{what}");
        assert!((f64::from(words[5]) - t).abs() <= 2e-5 * t.abs().max(1.0), "{what}");
        assert_eq!(words[9] != 0.0, front, "{what}");
        let is_swept = swept.is_some();
        assert_eq!(words[12..14], [f32::from(u8::from(!is_swept)), f32::from(u8::from(is_swept))], "{what}");
        if is_swept {
            assert!((f64::from(words[10]) - weight).abs() < 2e-3, "{what}");
            assert_eq!((words[11], words[26]), (0.0, words[10]), "{what}");
            assert_eq!(words[18..24], *solid.ends.as_flattened(), "{what}");
            assert_eq!(words[24..26], solid.radii, "{what}");
        } else {
            assert_eq!(words[10..12], [0.0; 2], "{what}");
            assert_eq!(words[14..17], solid.ends[0], "{what}");
            assert_eq!(words[17], solid.radii[0], "{what}");
        }
    }
    assert!(unclear * 3 < expected.len(), "{what}: {unclear} unclear");
    hits
}

/// Kinds of geometries, and how their data lies in memory.
fn cases() -> Vec<(Layout, Option<Swept>)> {
    let formats = [vk::Format::R32G32B32_SFLOAT, vk::Format::R16G16B16A16_SFLOAT, vk::Format::R32G32_SFLOAT];
    let swept = |successive, caps| Some(Swept { successive, caps });
    let kinds = [None, swept(false, true), swept(false, false), swept(true, true), swept(true, false)];
    let mut cases = Vec::new();
    for (number, &kind) in kinds.iter().enumerate() {
        for (index, &vertices) in formats.iter().enumerate() {
            let index_types = [vk::IndexType::UINT32, vk::IndexType::UINT16, vk::IndexType::NONE_KHR];
            let mut indices = index_types[(number + index) % 3];
            if kind.is_some_and(|kind| kind.successive) && indices == vk::IndexType::NONE_KHR {
                indices = vk::IndexType::UINT16;
            }
            let radii = [vk::Format::R32_SFLOAT, vk::Format::R16_SFLOAT][(number + index) % 2];
            let on_host = (number + index) % 2 == 1;
            cases.push((Layout { vertices, radii, indices, gap: index, on_host }, kind));
        }
    }
    cases
}

/// Random spheres of all kinds, formats and indices, in two instances, built by the device and the host.
#[test]
fn spheres_are_met_where_their_surfaces_are() {
    let rays = Rays::of_spheres();
    let (mut random, mut from_inside) = (Random::new(77), 0);
    for (layout, swept) in cases() {
        let count = 12;
        let is_flat = layout.vertices == vk::Format::R32G32_SFLOAT;
        let centers: Vec<[f32; 3]> = (0..count)
            .map(|_| [0, 1, 2].map(|axis| if axis == 2 && is_flat { 0.0 } else { eighth(&mut random, 5) }))
            .collect();
        let radii: Vec<f32> = (0..count).map(|_| (1 + random.below(10)) as f32 / 8.0).collect();
        let numbers: Vec<u32> = match (layout.indices, swept) {
            (vk::IndexType::NONE_KHR, _) => (0..count as u32).collect(),
            // Two chains.
            (_, Some(Swept { successive: true, .. })) => vec![0, 1, 2, 3, 7, 8, 9],
            // Each once: of two equal ones either may be met first.
            _ => (0..10).map(|at| (5 * at + 1) % 12).collect(),
        };
        let opaque = random.below(2) == 0;
        let bottom = rays.spheres((&centers, &radii), &numbers, (layout, swept, opaque));
        let solids = solids(&centers, &radii, &numbers, swept);
        let all = random_rays(&mut random, 1500);
        // Candidates that are confirmed give what opaque ones give.
        let all: Vec<Ray> = all.into_iter().map(|ray| Ray { mode: CONFIRM, ..ray }).collect();
        let expected: Vec<Nearest> = all.iter().map(|ray| nearest(&solids, ray)).collect();
        let what = format!("{layout:?}, {swept:?}");
        let copy = rays.serialized_copy(bottom, |_| {});
        for (bottom, what) in [(bottom, what.clone()), (copy, format!("{what}, serialized"))] {
            let address = rays.structure_address(bottom);
            let instance = |map| Rays::instance(map, [0, 0xff, 0, 0], address);
            let top = rays.top(&[instance(IDENTITY), instance(TURNED[0])]);
            let found = rays.trace_one(top, &all);
            let [hits, inside] = check(&found, &expected, &solids, swept, &what);
            assert!(hits > 3, "{what}: {hits} hits");
            from_inside += inside;
            let confirmed: f32 = found.iter().map(|found| found.0[0]).sum();
            assert_eq!(confirmed == 0.0, opaque, "{what}: only what is not opaque is a candidate");
            let shape = if swept.is_some() { 2 } else { 1 };
            assert!(found.iter().all(|found| found.0[shape] == found.0[0]), "{what}");
        }
    }
    assert!(from_inside > 0, "no ray began inside");
}

const PLAIN: Layout = Layout {
    vertices: vk::Format::R32G32B32_SFLOAT,
    radii: vk::Format::R32_SFLOAT,
    indices: vk::IndexType::NONE_KHR,
    gap: 0,
    on_host: false,
};

/// Radii that are negative or no numbers, and centers that are no numbers, make primitives that nothing
/// meets; a radius of zero is one that a ray does not meet either, but for a swept sphere's tip.
#[test]
fn hostile_spheres_are_inactive() {
    let rays = Rays::of_spheres();
    let nan = f32::NAN;
    let centers = [
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [4.0, 0.0, nan],
        [6.0, f32::INFINITY, 0.0],
        [8.0, 0.0, 0.0],
        [10.0, 0.0, 0.0],
        [12.0, 0.0, 0.0],
        [14.0, 0.0, 0.0],
    ];
    let radii = [-1.0, nan, 1.0, 1.0, f32::INFINITY, 0.5, f32::NEG_INFINITY, 0.75];
    let bottom = rays.spheres((&centers, &radii), &[], (PLAIN, None, true));
    let all: Vec<Ray> = (0..8).map(|number| down(2.0 * number as f32, 0.125)).collect();
    let found = rays.trace_one(rays.single(bottom), &all);
    for (number, found) in found.iter().enumerate() {
        let expected = if matches!(number, 5 | 7) { 1.0 } else { 0.0 };
        assert_eq!(found.0[4], expected, "{number}");
    }
    // One of the ends is enough.
    let swept = Some(Swept { successive: false, caps: true });
    let bottom = rays.spheres((&centers, &radii), &[], (PLAIN, swept, true));
    let found = rays.trace_one(rays.single(bottom), &all);
    assert!(found.iter().all(|found| found.0[4] == 0.0), "no pair is sound");
    let ends = [
        [0.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [0.0, 8.0, 0.0],
        [0.0, 8.0, 0.0],
        [0.0, 16.0, 0.0],
        [1.0, 16.0, 0.0],
    ];
    let radii = [0.0, 1.0, 0.5, 1.0, 3.0, 0.5];
    let all = [down(0.0, 0.125), down(3.0, 0.25), down(0.0, 8.75), down(0.0, 18.0), down(0.0, 16.0)];
    // A tip; two spheres around one center; one inside of the other.
    for (caps, expected) in [(true, [0.0, 1.0, 1.0, 1.0, 1.0]), (false, [0.0, 1.0, 0.0, 0.0, 0.0])] {
        let swept = Some(Swept { successive: false, caps });
        let bottom = rays.spheres((&ends, &radii), &[], (PLAIN, swept, true));
        let found = rays.trace_one(rays.single(bottom), &all);
        let found: Vec<f32> = found.iter().map(|found| found.0[4]).collect();
        assert_eq!(found, expected, "caps: {caps}");
    }
}

/// Successive indices without any are refused, and rays that skip triangles skip spheres; compacted copies
/// are the same; what has changed bytes is refused or a structure that is sound.
#[test]
fn spheres_are_skipped_copied_and_refused() {
    let rays = Rays::of_spheres();
    let (centers, radii) = ([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [1.0, 0.5]);
    let swept = Some(Swept { successive: false, caps: true });
    for swept in [None, swept] {
        let bottom = rays.spheres((&centers, &radii), &[], (PLAIN, swept, true));
        let copy = rays.empty(Type::BOTTOM_LEVEL, 1 << 16);
        let device = &rays.context.device;
        let info = vk::CopyAccelerationStructureInfoKHR {
            src: bottom,
            dst: copy,
            mode: vk::CopyAccelerationStructureModeKHR::COMPACT,
            ..Default::default()
        };
        rays.context.run(|commands| unsafe { device.cmd_copy_acceleration_structure_khr(commands, &info) });
        for structure in [bottom, copy] {
            let all = [0, 0x100, 0x200, 0x10, 0x20].map(|flags| Ray { flags, ..down(0.25, 0.25) });
            let found = rays.trace_one(rays.single(structure), &all);
            let kinds: Vec<f32> = found.iter().map(|found| found.0[4]).collect();
            assert_eq!(kinds, [1.0, 0.0, 1.0, 1.0, 1.0], "faces are those of triangles");
        }
        let mut random = Random::new(4);
        for _ in 0..200 {
            let (pick, bits) = (random.below(1 << 16), 1 << random.below(32));
            let changed = rays.serialized_copy(bottom, |bytes| {
                let word = 14 + pick % (bytes.words().len() - 14);
                let before = bytes.words()[word];
                bytes.put(word, before ^ bits);
            });
            rays.trace_one(rays.single(changed), &[down(0.25, 0.25), down(1.5, 0.0)]);
        }
    }
}
