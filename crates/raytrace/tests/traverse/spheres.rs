//! Where rays meet spheres and linear swept spheres, beside the distance to these.

use pyro_random::Random;
use pyro_raytrace::sphere::Sphere;

type Vector = [f64; 3];

fn along(a: Vector, t: f64, b: Vector) -> Vector {
    [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]]
}

fn length(a: Vector) -> f64 {
    a.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// The distance from a place, negative inside, and the weight of the second end where it is the nearest: a
/// convex function of the weight.
fn distance(sphere: &Sphere, place: Vector) -> (f64, f64) {
    let ends = sphere.centers.map(|end| end.map(f64::from));
    let radii = sphere.radii.map(f64::from);
    let at = |weight: f64| {
        let center = along(ends[0], weight, along(ends[1], -1.0, ends[0]));
        length(along(place, -1.0, center)) - (radii[0] + weight * (radii[1] - radii[0]))
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(left) < at(right) {
            high = right;
        } else {
            low = left;
        }
    }
    let all = [0.0, 0.5 * (low + high), 1.0].map(|weight| (at(weight), weight));
    all.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("three")
}

fn point(random: &mut Random, size: f32) -> [f32; 3] {
    [0; 3].map(|_| random.float(-size, size))
}

/// Each hit lies on the surface, outside of caps that are not there, with the weight of the nearest sphere;
/// and where both ends have caps, nothing in the ray's range before it does, nor anything of a ray without
/// one.
#[test]
fn hits_are_the_first_places_of_surfaces() {
    let mut random = Random::new(5);
    let (mut hits, mut inside) = (0, 0);
    for round in 0..4000_u32 {
        let (first, second) = (point(&mut random, 3.0), point(&mut random, 3.0));
        let radii = [random.float(0.0, 1.0), random.float(0.0, 1.0)];
        let is_sphere = round % 4 == 0;
        let sphere = Sphere {
            centers: if is_sphere { [first; 2] } else { [first, second] },
            radii: if is_sphere { [radii[0]; 2] } else { radii },
            caps: if is_sphere { [true; 2] } else { [round & 4 != 0, round & 8 != 0] },
            primitive: 0,
            geometry: 0,
        };
        let target = [0, 1, 2].map(|axis| 0.5 * (sphere.centers[0][axis] + sphere.centers[1][axis]));
        let (direction, offset) = (point(&mut random, 1.0), point(&mut random, 0.7));
        // Some begin inside, some far away.
        let back = [0.0, 4.0, 1e4][random.below(3)];
        let origin = [0, 1, 2].map(|axis| target[axis] + offset[axis] - back * direction[axis]);
        let found = sphere.meet(origin, direction, (0.0, 1e6));
        let ray = (origin.map(f64::from), direction.map(f64::from));
        let tolerance = 1e-4 + 1e-6 * f64::from(back);
        if let Some(hit) = found {
            hits += 1;
            inside += u32::from(!hit.front);
            let place = along(ray.0, hit.t.into(), ray.1);
            let (distance, weight) = distance(&sphere, place);
            assert!(distance.abs() < tolerance, "round {round}: {distance} from {sphere:?}, {hit:?}");
            if !is_sphere {
                assert!(
                    (weight - f64::from(hit.weight)).abs() < 0.05,
                    "round {round}: {weight}, {hit:?}, {sphere:?}"
                );
            }
        }
        if sphere.caps != [true; 2] {
            continue;
        }
        let end = found.map_or(f64::from(back) + 20.0, |hit| f64::from(hit.t));
        let start = if back == 0.0 { 0.0 } else { (end - 12.0).max(0.0) };
        let is_inside = found.is_some_and(|hit| !hit.front);
        for step in 1..200 {
            let t = start + (end - start) * f64::from(step) / 200.0;
            let (distance, _) = distance(&sphere, along(ray.0, t, ray.1));
            let is_clear = if is_inside { distance < tolerance } else { distance > -tolerance };
            assert!(is_clear, "round {round}: {distance} at {t}, {found:?}");
        }
    }
    assert!(hits > 1000 && inside > 200, "{hits} hits, {inside} from inside");
}
