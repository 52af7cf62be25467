//! The rules of the specification on what the tessellator makes.

use super::*;
use std::collections::BTreeSet;

const SPACINGS: [Spacing; 3] = [Spacing::Equal, Spacing::FractionalEven, Spacing::FractionalOdd];

fn modes(domain: Domain, spacing: Spacing) -> TessellationModes {
    TessellationModes { domain, spacing, clockwise: true, output_vertices: 1, ..TessellationModes::default() }
}

fn made(modes: TessellationModes, levels: Levels) -> Tessellated {
    let mut made = Tessellated::default();
    made.subdivide(modes, false, levels);
    made
}

/// A sequence of levels, whole ones and others.
struct Random(u32);

impl Random {
    fn level(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let bits = self.0 >> 8;
        match bits % 5 {
            0 => 1.0,
            1 => (bits / 5 % 9) as f32 * 0.5 + 0.25,
            2 => (bits / 5 % 64 + 1) as f32,
            _ => (bits / 5 % 6400) as f32 / 97.0 + 0.001,
        }
    }

    fn levels(&mut self) -> Levels {
        Levels { outer: [0; 4].map(|_| self.level()), inner: [0; 2].map(|_| self.level()) }
    }
}

/// What a level is rounded to, said anew.
fn rounded(spacing: Spacing, level: f32) -> usize {
    let ceil = |level: f32| level.ceil() as usize;
    match spacing {
        Spacing::Equal => ceil(level.clamp(1.0, 64.0)),
        Spacing::FractionalEven => ceil(level.clamp(2.0, 64.0)).next_multiple_of(2),
        Spacing::FractionalOdd => ceil(level.clamp(1.0, 63.0)) / 2 * 2 + 1,
    }
}

/// Vertices and triangles of a triangle's or a quad's subdivision, by the specification's words.
fn counts(domain: Domain, spacing: Spacing, levels: Levels) -> (usize, usize) {
    let edges = domain.outer_levels();
    let outer: usize = levels.outer[..edges].iter().map(|&level| rounded(spacing, level)).sum();
    let inner_count = edges - 2;
    let inner = levels.inner.map(|level| rounded(spacing, level));
    if outer == edges && inner[..inner_count].iter().all(|&level| level == 1) {
        return (edges, edges - 2);
    }
    let subdivided = if spacing == Spacing::FractionalOdd { 3 } else { 2 };
    let inner = inner.map(|level| if level == 1 { subdivided } else { level });
    if domain == Domain::Quads {
        let [m, n] = inner;
        return (outer + (m - 1) * (n - 1), outer + 2 * (m - 2) * (n - 2) + 2 * (m - 2) + 2 * (n - 2));
    }
    let (mut vertices, mut triangles, mut ring) = (outer, outer, inner[0]);
    while ring > 1 {
        ring -= 2;
        vertices += if ring == 0 { 1 } else { 3 * ring };
        triangles += match ring {
            0 => 0,
            1 => 4,
            ring => 6 * ring,
        };
    }
    (vertices, triangles)
}

#[test]
fn primitives_are_counted_without_making_them() {
    let mut random = Random(5);
    for round in 0..1000 {
        let domain = [Domain::Triangles, Domain::Quads, Domain::Isolines][round % 3];
        let mut modes = modes(domain, SPACINGS[round / 3 % 3]);
        modes.point_mode = round / 9 % 2 == 1;
        let mut levels = random.levels();
        if round % 7 == 0 {
            levels = Levels { outer: [1.0; 4], inner: [1.0; 2] };
        } else if round % 11 == 0 {
            levels.outer[round % 4] = 0.0;
        }
        let corner_count = match (modes.point_mode, domain) {
            (true, _) => 1,
            (_, Domain::Isolines) => 2,
            _ => 3,
        };
        let count = made(modes, levels).corners.len() / corner_count;
        assert_eq!(Tessellated::primitive_count(modes, levels), count as u64, "{modes:?} {levels:?}");
    }
}

/// Twice the area of each triangle, in coordinates.
fn areas(made: &Tessellated) -> Vec<f64> {
    let point = |vertex: u32| (f64::from(made.u[vertex as usize]), f64::from(made.v[vertex as usize]));
    let area = |corners: &[u32]| {
        let [(u0, v0), (u1, v1), (u2, v2)] = [0, 1, 2].map(|corner| point(corners[corner]));
        u0 * v1 - u1 * v0 + u1 * v2 - u2 * v1 + u2 * v0 - u0 * v2
    };
    made.corners.chunks_exact(3).map(area).collect()
}

#[test]
fn triangles_cover_the_domain_once() {
    let mut random = Random(1);
    for round in 0..600 {
        let (domain, whole) = [(Domain::Triangles, 1.0), (Domain::Quads, 2.0)][round % 2];
        let (spacing, levels) = (SPACINGS[round / 2 % 3], random.levels());
        let made = made(modes(domain, spacing), levels);
        let (vertices, triangles) = counts(domain, spacing, levels);
        assert_eq!((made.u.len(), made.corners.len() / 3), (vertices, triangles), "{spacing:?} {levels:?}");
        let areas = areas(&made);
        // Those of segments that have just appeared are rounded.
        assert!(areas.iter().all(|&area| area > -1e-6), "{domain:?} {spacing:?} {levels:?}");
        assert!((areas.iter().sum::<f64>() - whole).abs() < 1e-9, "{domain:?} {spacing:?} {levels:?}");
        // An edge between two triangles has a direction in each; the others are the domain's edges.
        let mut edges = BTreeSet::new();
        for corners in made.corners.chunks_exact(3) {
            for at in 0..3 {
                assert!(edges.insert((corners[at], corners[(at + 1) % 3])), "an edge of two triangles");
            }
        }
        let outside = edges.iter().filter(|&&(from, to)| !edges.contains(&(to, from))).count();
        let wanted = levels.outer[..domain.outer_levels()].iter().map(|&level| rounded(spacing, level));
        assert_eq!(outside, wanted.sum::<usize>());
        assert_eq!(made.corners.iter().collect::<BTreeSet<_>>().len(), vertices, "each vertex is used");
    }
}

#[test]
fn coordinates_are_exact() {
    let mut random = Random(2);
    for round in 0..300 {
        let domain = [Domain::Triangles, Domain::Quads, Domain::Isolines][round % 3];
        let made = made(modes(domain, SPACINGS[round / 3 % 3]), random.levels());
        for (&u, &v) in made.u.iter().zip(&made.v) {
            let w = if domain == Domain::Triangles { 1.0 - u - v } else { 0.0 };
            for x in [u, v, w] {
                assert!((0.0..=1.0).contains(&x));
                assert_eq!(1.0 - (1.0 - x), x);
            }
            if domain == Domain::Triangles {
                assert_eq!((1.0 - f64::from(u) - f64::from(v)) as f32, w);
            }
        }
    }
}

/// The places along each outer edge, from its first to its last corner by coordinates.
fn on_edges(domain: Domain, made: &Tessellated) -> Vec<BTreeSet<u32>> {
    let mut edges = vec![BTreeSet::new(); domain.outer_levels()];
    for (&u, &v) in made.u.iter().zip(&made.v) {
        let w = 1.0 - u - v;
        let mut add = |edge: usize, x: f32| edges[edge].insert(x.to_bits());
        match domain {
            Domain::Triangles => {
                let _ = u == 0.0 && add(0, v);
                let _ = v == 0.0 && add(1, u);
                let _ = w == 0.0 && add(2, u);
            }
            _ => {
                let _ = u == 0.0 && add(0, v);
                let _ = v == 0.0 && add(1, u);
                let _ = u == 1.0 && add(2, v);
                let _ = v == 1.0 && add(3, u);
            }
        }
    }
    edges
}

#[test]
fn edges_depend_on_their_level_alone_and_are_symmetrical() {
    let mut random = Random(3);
    for round in 0..300 {
        let spacing = SPACINGS[round % 3];
        let level = random.level();
        let edge: BTreeSet<u32> = {
            let levels = Levels { outer: [1.0, level, 1.0, 1.0], ..Levels::default() };
            let made = made(modes(Domain::Isolines, spacing), levels);
            made.u.iter().map(|u| u.to_bits()).collect()
        };
        assert_eq!(edge.len(), rounded(spacing, level) + 1);
        for &x in &edge {
            assert!(edge.contains(&(1.0 - f32::from_bits(x)).to_bits()));
        }
        for domain in [Domain::Triangles, Domain::Quads] {
            for at in 0..domain.outer_levels() {
                // Inner vertices of fractional odd spacing may be on the edge: no level of one here.
                let mut levels = random.levels();
                levels.inner = levels.inner.map(|level| level.max(2.5));
                levels.outer[at] = level;
                let made = made(modes(domain, spacing), levels);
                assert_eq!(on_edges(domain, &made)[at], edge, "{domain:?} {spacing:?} {levels:?} {at}");
            }
        }
    }
}

/// The triangles as sets of coordinates.
fn triangles(made: &Tessellated, keep: impl Fn(f32, f32) -> bool) -> BTreeSet<[(u32, u32); 3]> {
    let point = |vertex: u32| (made.u[vertex as usize], made.v[vertex as usize]);
    let corners = made.corners.chunks_exact(3).map(|corners| [0, 1, 2].map(|at| point(corners[at])));
    let kept = corners.filter(|corners| corners.iter().all(|&(u, v)| keep(u, v)));
    kept.map(|corners| {
        let mut bits = corners.map(|(u, v)| (u.to_bits(), v.to_bits()));
        bits.sort_unstable();
        bits
    })
    .collect()
}

#[test]
fn triangles_do_not_depend_on_what_they_must_not() {
    let mut random = Random(4);
    for round in 0..200 {
        let domain = [Domain::Triangles, Domain::Quads][round % 2];
        let (modes, mut levels) = (modes(domain, SPACINGS[round / 2 % 3]), random.levels());
        // Above one, so that the inner levels are what they say.
        levels.inner = levels.inner.map(|level| level + 1.0);
        let first = made(modes, levels);
        // Rule 5: the order of vertices.
        let mut turned = Tessellated::default();
        turned.subdivide(modes, true, levels);
        assert_eq!(triangles(&first, |_, _| true), triangles(&turned, |_, _| true));
        assert!(areas(&turned).iter().all(|&area| area < 1e-6));
        turned.subdivide(TessellationModes { clockwise: false, ..modes }, true, levels);
        assert_eq!(turned.corners, first.corners);
        turned.subdivide(TessellationModes { clockwise: false, ..modes }, false, levels);
        assert!(areas(&turned).iter().all(|&area| area < 1e-6));
        // Rule 6: the interior does not depend on outer levels.
        let other = Levels { outer: random.levels().outer, ..levels };
        let inside = |u: f32, v: f32| {
            u != 0.0
                && v != 0.0
                && if domain == Domain::Quads { u != 1.0 && v != 1.0 } else { 1.0 - u - v != 0.0 }
        };
        assert_eq!(triangles(&first, inside), triangles(&made(modes, other), inside));
        // Rule 7: what connects an edge does not depend on the other edges. Triangles that touch v = 0 with
        // two vertices.
        let other =
            Levels { outer: [other.outer[0], levels.outer[1], other.outer[2], other.outer[3]], ..levels };
        let second = made(modes, other);
        let at_edge = |made: &Tessellated| {
            let all = triangles(made, |_, _| true);
            let touches = |corners: &[(u32, u32); 3]| corners.iter().filter(|&&(_, v)| v == 0).count() >= 2;
            all.into_iter().filter(touches).collect::<BTreeSet<_>>()
        };
        assert_eq!(at_edge(&first), at_edge(&second));
    }
}

#[test]
fn short_segments_grow_with_the_level() {
    for (spacing, start) in [(Spacing::FractionalEven, 6), (Spacing::FractionalOdd, 7)] {
        let mut last = 0.0;
        for step in 1..=20 {
            let level = start as f32 + step as f32 / 10.0;
            let levels = Levels { outer: [1.0, level, 0.0, 0.0], ..Levels::default() };
            let made = made(modes(Domain::Isolines, spacing), levels);
            let lengths: Vec<f32> = made.u.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert_eq!(lengths.len(), start + 2);
            // Between the fourth and the fifth vertex from each end, where both spacings have two at one
            // place for `start` segments.
            let (short, mirrored) = (3, lengths.len() - 4);
            assert_eq!(lengths[short], lengths[mirrored]);
            let long = (0..lengths.len()).filter(|&at| at != short && at != mirrored);
            assert!(long.into_iter().all(|at| (lengths[at] - lengths[0]).abs() < 1e-6));
            assert!(lengths[short] > last && lengths[short] <= lengths[0] + 1e-7);
            last = lengths[short];
        }
        assert!((last - 1.0 / (start + 2) as f32).abs() < 1e-6, "no longer short");
    }
}

#[test]
fn what_is_not_above_zero_discards() {
    for domain in [Domain::Triangles, Domain::Quads, Domain::Isolines] {
        for at in 0..4 {
            for level in [0.0, -1.0, -0.0, f32::NAN, f32::NEG_INFINITY] {
                let mut levels = Levels { outer: [2.0; 4], inner: [f32::NAN, -3.0] };
                levels.outer[at] = level;
                let made = made(modes(domain, Spacing::Equal), levels);
                assert_eq!(made.corners.is_empty(), at < domain.outer_levels(), "{domain:?} {at} {level}");
            }
        }
        let levels = Levels { outer: [f32::INFINITY; 4], inner: [f32::INFINITY; 2] };
        let modes = TessellationModes { point_mode: true, ..modes(domain, Spacing::FractionalOdd) };
        let made = made(modes, levels);
        let wanted = match domain {
            Domain::Triangles => 3 * (63 + 31 * 31),
            Domain::Quads => 4 * 63 + 62 * 62,
            Domain::Isolines => 64 * 64,
        };
        assert_eq!((made.u.len(), made.corners.len()), (wanted, wanted));
    }
}

#[test]
fn isolines_do_not_reach_the_end() {
    let levels = Levels { outer: [3.2, 2.0, 0.0, 0.0], ..Levels::default() };
    let made = made(modes(Domain::Isolines, Spacing::FractionalEven), levels);
    let rows: BTreeSet<u32> = made.v.iter().map(|v| v.to_bits()).collect();
    assert_eq!(rows.into_iter().map(f32::from_bits).collect::<Vec<_>>(), [0.0, 0.25, 0.5, 0.75]);
    assert_eq!(made.corners.len(), 2 * 2 * 4);
    assert_eq!(made.u[..3], [0.0, 0.5, 1.0]);
}
