//! The fixed-function tessellator: from the levels of a patch to points of its domain and primitives between
//! them (Vulkan, "Tessellation", and the rules of "Tessellation Invariance").
//!
//! Coordinates are whole multiples of 2^-24 while they are computed. So an edge's subdivision is symmetrical
//! exactly, the same for all edges of a level, and 1 - x of a coordinate x is exact.

use pyro_abi::graphics::{Domain, Spacing, TessellationModes};

/// `maxTessellationGenerationLevel`
pub const LEVEL_MAX: f32 = 64.0;
/// 1 as a coordinate.
const ONE: u32 = 1 << 24;

/// `TessLevelOuter` and `TessLevelInner` of a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Levels {
    pub(crate) outer: [f32; 4],
    pub(crate) inner: [f32; 2],
}

/// An edge's level: how many segments it has, and the level between that number and two less.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Level {
    clamped: f32,
    segments: u32,
}

impl Level {
    fn new(spacing: Spacing, level: f32) -> Level {
        let between = |least: f32, most: f32| level.max(least).min(most);
        let (clamped, odd) = match spacing {
            Spacing::Equal => {
                let clamped = between(1.0, LEVEL_MAX).ceil();
                return Level { clamped, segments: clamped as u32 };
            }
            Spacing::FractionalEven => (between(2.0, LEVEL_MAX), 0),
            Spacing::FractionalOdd => (between(1.0, LEVEL_MAX - 1.0), 1),
        };
        let segments = clamped.ceil() as u32;
        Level { clamped, segments: segments + ((segments % 2) ^ odd) }
    }

    /// An inner level of a patch that is subdivided. One is taken for the least above it; with odd numbers of
    /// segments the first and the last one have no length then, so that vertices inside lie on the edge.
    fn inner(spacing: Spacing, level: f32) -> Level {
        match Level::new(spacing, level) {
            Level { segments: 1, .. } if spacing == Spacing::Equal => Level::new(spacing, 2.0),
            Level { segments: 1, .. } => Level { clamped: 1.0, segments: 3 },
            level => level,
        }
    }

    /// Where the vertex of this number lies on the edge: with fractional spacing between the places that it
    /// has where the level is the number of segments, and where it is two less. There the vertex that comes
    /// with the additional segments is one with its neighbour; which one that is, counted from either end,
    /// goes up by twos as in Direct3D's reference tessellator, so that devices agree on the places.
    fn position(self, number: u32) -> u32 {
        let Level { clamped, segments } = self;
        if 2 * number > segments {
            return ONE - self.position(segments - number);
        }
        if 2 * number == segments {
            return ONE / 2;
        }
        // Vertices of half an edge, those of the additional segments left out.
        let fewer = segments.div_ceil(2) - 1;
        let split = match u32::saturating_sub(fewer, segments % 2) {
            0 => 0,
            rest => 2 * (rest - (1 << rest.ilog2())) + 1,
        };
        let before = f64::from(number - u32::from(number > split));
        let between = (f64::from(clamped) - f64::from(segments)) / 2.0 + 1.0;
        let after = f64::from(number) / f64::from(segments);
        let position = match segments.checked_sub(2) {
            Some(segments @ 1..) => before / f64::from(segments) * (1.0 - between) + after * between,
            _ => after,
        };
        (position * f64::from(ONE)).round() as u32
    }
}

/// The nodes of a binary heap of 32 from left to right: which of the vertices of half an edge come with how
/// many segments.
const IN_ORDER: [u8; 32] = {
    let (mut order, mut count) = ([0; 32], 0);
    // The path from the root to a node of the lowest full level and its parents, by counting: node by node
    // the next one in order.
    let mut place = 1;
    while place < 64 {
        // Of all 63 places of a full tree of six levels, those with the lowest level's nodes above 32 left
        // out.
        let level = 5 - (place as u32).trailing_zeros();
        let node = (1 << level) + (place >> (6 - level));
        if node <= 32 {
            order[count] = node as u8;
            count += 1;
        }
        place += 1;
    }
    order
};

/// Two chains of vertices with the area between them to fill, from their beginnings on.
struct Seam<'a> {
    corners: &'a mut Vec<u32>,
    outer: &'a [u32],
    inner: &'a [u32],
    at: usize,
    inside: usize,
}

impl Seam<'_> {
    fn step_outside(&mut self) {
        let Seam { outer, inner, at, inside, .. } = *self;
        self.corners.extend([outer[at], outer[at + 1], inner[inside]]);
        self.at += 1;
    }

    fn step_inside(&mut self) {
        let Seam { outer, inner, at, inside, .. } = *self;
        self.corners.extend([outer[at], inner[inside + 1], inner[inside]]);
        self.inside += 1;
    }
}

/// Whether a patch of such outer levels is: one is not above zero, as NaN is not.
fn is_discarded(relevant: &[f32]) -> bool {
    relevant.iter().any(|&level| level.is_nan() || level <= 0.0)
}

/// Vertices on a line, in order: their numbers.
type Chain = Vec<u32>;

/// What the tessellator has made of a patch.
#[derive(Default)]
pub(crate) struct Tessellated {
    /// `TessCoord` of each vertex, x. Of triangles z is 1 - x - y, which is exact.
    pub(crate) u: Vec<f32>,
    /// `TessCoord`, y.
    pub(crate) v: Vec<f32>,
    /// Vertices of the primitives: one, two or three of each.
    pub(crate) corners: Vec<u32>,
    /// What the above are of.
    run_geometry: Option<(TessellationModes, bool, [u32; 6])>,
    chains: [Chain; 8],
}

impl Tessellated {
    /// How many primitives a patch gives.
    pub(crate) fn primitive_count(modes: TessellationModes, levels: Levels) -> u64 {
        let relevant = &levels.outer[..modes.domain.outer_levels()];
        if is_discarded(relevant) {
            return 0;
        }
        let outer = relevant.iter().map(|&level| u64::from(Level::new(modes.spacing, level).segments));
        let [across, along] =
            levels.inner.map(|level| u64::from(Level::inner(modes.spacing, level).segments));
        let is_whole = |count: usize| {
            let levels = levels.inner[..count].iter().chain(relevant);
            levels.copied().all(|level| Level::new(modes.spacing, level).segments == 1)
        };
        match (modes.domain, modes.point_mode) {
            (Domain::Isolines, _) => {
                let lines = u64::from(Level::new(Spacing::Equal, levels.outer[0]).segments);
                let along = u64::from(Level::new(modes.spacing, levels.outer[1]).segments);
                lines * (along + u64::from(modes.point_mode))
            }
            (Domain::Triangles, true) if is_whole(1) => 3,
            (Domain::Triangles, false) if is_whole(1) => 1,
            // Rings of n - 2, n - 4, .. segments on each side.
            (Domain::Triangles, true) => outer.sum::<u64>() + (3 * (across - 1) * (across - 1) + 1) / 4,
            (Domain::Triangles, false) => {
                let rings = across / 2;
                let between = 6 * (rings * (across - 1) - rings * rings);
                outer.sum::<u64>() + between - if across % 2 == 1 { 2 } else { 0 }
            }
            (Domain::Quads, true) if is_whole(2) => 4,
            (Domain::Quads, false) if is_whole(2) => 2,
            (Domain::Quads, true) => outer.sum::<u64>() + (across - 1) * (along - 1),
            (Domain::Quads, false) => {
                outer.sum::<u64>() + 2 * ((across - 2) * (along - 2) + (across - 2) + (along - 2))
            }
        }
    }

    /// Subdivides a patch. `lower_left`: the domain's origin. Of a discarded patch nothing is left.
    pub(crate) fn subdivide(&mut self, modes: TessellationModes, lower_left: bool, levels: Levels) {
        let Levels { outer: [a, b, c, d], inner: [e, f] } = levels;
        let run_geometry = Some((modes, lower_left, [a, b, c, d, e, f].map(f32::to_bits)));
        if self.run_geometry == run_geometry {
            return;
        }
        self.run_geometry = run_geometry;
        self.u.clear();
        self.v.clear();
        self.corners.clear();
        if is_discarded(&levels.outer[..modes.domain.outer_levels()]) {
            return;
        }
        match modes.domain {
            Domain::Triangles => self.triangles(modes.spacing, levels),
            Domain::Quads => self.quads(modes.spacing, levels),
            Domain::Isolines => self.isolines(modes.spacing, levels),
        }
        if modes.point_mode {
            self.corners.clear();
            self.corners.extend(0..self.u.len() as u32);
        } else if modes.domain != Domain::Isolines && modes.clockwise == lower_left {
            // They are made clockwise for an origin in the upper left.
            self.corners.chunks_exact_mut(3).for_each(|triangle| triangle.swap(1, 2));
        }
    }

    fn vertex(&mut self, u: u32, v: u32) -> u32 {
        let float = |at: u32| at as f32 / ONE as f32;
        self.u.push(float(u));
        self.v.push(float(v));
        self.u.len() as u32 - 1
    }

    /// Fills the area between two chains of one level, the inner one to the left of the outer one, of which
    /// it may have a single vertex. Depends on nothing but how many vertices they have.
    fn stitch(corners: &mut Vec<u32>, outer: &[u32], inner: &[u32]) {
        let (outer_count, inner_count) = (outer.len() - 1, inner.len() - 1);
        let mut seam = Seam { corners, outer, inner, at: 0, inside: 0 };
        while seam.at < outer_count || seam.inside < inner_count {
            // Whose next segment's middle comes first.
            let steps_outside = seam.inside == inner_count
                || seam.at < outer_count
                    && (2 * seam.at + 1) * inner_count <= (2 * seam.inside + 1) * outer_count;
            if steps_outside {
                seam.step_outside();
            } else {
                seam.step_inside();
            }
        }
    }

    /// The same for an edge of the patch, whose level is its own: in the order of Direct3D's reference
    /// tessellator, so that devices agree on the triangles. Halves of chains are symmetrical; in a half,
    /// those places of [`IN_ORDER`] are steps that are there at that number of segments.
    fn stitch_edge(corners: &mut Vec<u32>, outer: &[u32], inner: &[u32]) {
        let (outer_count, inner_count) = (outer.len() - 1, inner.len() - 1);
        let (half_outside, half_inside) = (outer_count / 2, inner_count / 2 + 1);
        let mut seam = Seam { corners, outer, inner, at: 0, inside: 0 };
        if half_outside > 0 {
            seam.step_outside();
        }
        for place in IN_ORDER {
            if usize::from(place) < half_inside {
                seam.step_inside();
            }
            if usize::from(place) < half_outside {
                seam.step_outside();
            }
        }
        if inner_count % 2 == 1 {
            seam.step_inside();
        }
        if outer_count % 2 == 1 {
            seam.step_outside();
        }
        for place in IN_ORDER.into_iter().rev() {
            if usize::from(place) < half_outside {
                seam.step_outside();
            }
            if usize::from(place) < half_inside {
                seam.step_inside();
            }
        }
        if half_outside > 0 {
            seam.step_outside();
        }
    }

    /// Vertices of a closed ring of some chains. `chain`: the level of each and the place of the vertex of
    /// each number; the last vertex of a chain is the first one of the next.
    fn ring(
        &mut self,
        into: std::ops::Range<usize>,
        segments: &[u32],
        place: impl Fn(usize, u32) -> (u32, u32),
    ) {
        let count = into.len();
        for (edge, at) in into.clone().enumerate() {
            let mut chain = std::mem::take(&mut self.chains[at]);
            chain.clear();
            for number in 0..segments[edge] {
                let (u, v) = place(edge, number);
                chain.push(self.vertex(u, v));
            }
            self.chains[at] = chain;
        }
        for (edge, at) in into.clone().enumerate() {
            let next = self.chains[into.start + (edge + 1) % count][0];
            self.chains[at].push(next);
        }
    }

    fn triangles(&mut self, spacing: Spacing, levels: Levels) {
        // The edges v = 0, w = 0, u = 0, on the way from w = 1 to u = 1 to v = 1.
        let [left, bottom, right] = [0, 1, 2].map(|at| Level::new(spacing, levels.outer[at]));
        let outer = [bottom, right, left];
        let inner = Level::new(spacing, levels.inner[0]);
        // Coordinates of what lies `t` from an edge's first corner, `depth` away from it.
        let place = |edge: usize, t: u32, depth: u32| {
            let rest = ONE - t - depth;
            match edge {
                0 => (t, depth),
                1 => (rest, t),
                _ => (depth, rest),
            }
        };
        let outer_segments = outer.map(|level| level.segments);
        self.ring(0..3, &outer_segments, |edge, number| place(edge, outer[edge].position(number), 0));
        if inner.segments == 1 && outer_segments == [1; 3] {
            self.corners.extend([0, 1, 2]);
            return;
        }
        let inner = Level::inner(spacing, levels.inner[0]);
        let mut outside = 0;
        for ring in 1..=inner.segments / 2 {
            let inside = 3 - outside;
            let segments = inner.segments - 2 * ring;
            let third = (inner.position(ring) + 1) / 3;
            if segments == 0 {
                let third = ONE / 3;
                let center = self.vertex(third, third);
                for chain in &mut self.chains[inside..inside + 3] {
                    chain.clear();
                    chain.push(center);
                }
            } else {
                self.ring(inside..inside + 3, &[segments; 3], |edge, number| {
                    let t = match number {
                        0 => 2 * third,
                        _ => inner.position(ring + number) - third,
                    };
                    place(edge, t, 2 * third)
                });
            }
            for edge in 0..3 {
                let (outer, inner) = (&self.chains[outside + edge], &self.chains[inside + edge]);
                let stitch = if ring == 1 { Tessellated::stitch_edge } else { Tessellated::stitch };
                stitch(&mut self.corners, outer, inner);
            }
            if segments == 1 {
                let last = [0, 1, 2].map(|edge| self.chains[inside + edge][0]);
                self.corners.extend(last);
            }
            outside = inside;
        }
    }

    fn quads(&mut self, spacing: Spacing, levels: Levels) {
        // The edges v = 0, u = 1, v = 1, u = 0.
        let [left, bottom, right, top] = levels.outer.map(|level| Level::new(spacing, level));
        let outer = [bottom, right, top, left];
        let outer_segments = outer.map(|level| level.segments);
        self.ring(0..4, &outer_segments, |edge, number| {
            let t = outer[edge].position(number);
            [(t, 0), (ONE, t), (ONE - t, ONE), (0, ONE - t)][edge]
        });
        let is_whole = levels.inner.iter().all(|&level| Level::new(spacing, level).segments == 1);
        if is_whole && outer_segments == [1; 4] {
            // The diagonal of a single cell joins the corners where u + v = 1, as on other devices.
            self.corners.extend([0, 1, 3, 1, 2, 3]);
            return;
        }
        let [across, along] = levels.inner.map(|level| Level::inner(spacing, level));
        let (columns, rows) = (across.segments - 1, along.segments - 1);
        let first = self.u.len() as u32;
        for row in 1..=rows {
            for column in 1..=columns {
                self.vertex(across.position(column), along.position(row));
            }
        }
        let at = |column: u32, row: u32| first + row * columns + column;
        let (last_column, last_row) = (columns - 1, rows - 1);
        self.chains[4..].iter_mut().for_each(Vec::clear);
        self.chains[4].extend((0..columns).map(|column| at(column, 0)));
        self.chains[5].extend((0..rows).map(|row| at(last_column, row)));
        self.chains[6].extend((0..columns).rev().map(|column| at(column, last_row)));
        self.chains[7].extend((0..rows).rev().map(|row| at(0, row)));
        for edge in 0..4 {
            Tessellated::stitch_edge(&mut self.corners, &self.chains[edge], &self.chains[4 + edge]);
        }
        for row in 0..last_row {
            for column in 0..last_column {
                let [a, b] = [at(column, row), at(column + 1, row)];
                let [c, d] = [at(column, row + 1), at(column + 1, row + 1)];
                // As if rings were filled: diagonals lead to the middle. That of a cell in the middle is a
                // single cell's.
                let (left, low) = (2 * column < last_column, 2 * row + 1 < last_row);
                let triangles = if left == low { [a, b, d, a, d, c] } else { [a, b, c, b, d, c] };
                self.corners.extend(triangles);
            }
        }
    }

    fn isolines(&mut self, spacing: Spacing, levels: Levels) {
        let lines = Level::new(Spacing::Equal, levels.outer[0]);
        let along = Level::new(spacing, levels.outer[1]);
        for line in 0..lines.segments {
            let v = lines.position(line);
            for number in 0..=along.segments {
                let vertex = self.vertex(along.position(number), v);
                if number != 0 {
                    self.corners.extend([vertex - 1, vertex]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
