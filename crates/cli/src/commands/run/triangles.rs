//! Triangles for vertex inputs and acceleration structures: of a Wavefront OBJ file, or built in.

use anyhow::{Context, Result, bail};
use std::path::Path;

/// Three corners of each triangle, one behind the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Triangles {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) coordinates: Vec<[f32; 2]>,
}

/// Corners of a file, at most.
const CORNERS_MAX: usize = 1 << 24;

/// The normal of a triangle whose corners go around it against the clock.
fn normal([a, b, c]: [[f32; 3]; 3]) -> [f32; 3] {
    let side = |to: [f32; 3]| [to[0] - a[0], to[1] - a[1], to[2] - a[2]];
    let ([x, y, z], [u, v, w]) = (side(b), side(c));
    let across = [y * w - z * v, z * u - x * w, x * v - y * u];
    let length = across.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 { across.map(|value| value / length) } else { [0.0, 0.0, 1.0] }
}

impl Triangles {
    fn add(&mut self, corners: [[f32; 3]; 3]) {
        self.positions.extend(corners);
        self.normals.extend([normal(corners); 3]);
        self.coordinates.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    }

    /// One triangle in the middle of a picture, for vertex shaders that pass positions on.
    pub(super) fn one() -> Triangles {
        Triangles {
            positions: vec![[-0.8, 0.8, 0.0], [0.8, 0.8, 0.0], [0.0, -0.8, 0.0]],
            normals: vec![[0.0, 0.0, 1.0]; 3],
            coordinates: vec![[0.0, 1.0], [1.0, 1.0], [0.5, 0.0]],
        }
    }

    /// A cube of side 1 about the origin, on a floor of side 4.
    pub(super) fn cube_on_floor() -> Triangles {
        let mut all = Triangles::default();
        let mut square = |corners: [[f32; 3]; 4]| {
            let [a, b, c, d] = corners;
            all.add([a, b, c]);
            all.add([a, c, d]);
        };
        for axis in 0..3 {
            for side in [-0.5_f32, 0.5] {
                // Around the axis, so that the normal points outwards.
                let turn: [[f32; 2]; 4] = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
                let corner = |[u, v]: [f32; 2]| {
                    let mut at = [0.0; 3];
                    at[axis] = side;
                    let (first, second) = if side > 0.0 { (u, v) } else { (v, u) };
                    (at[(axis + 1) % 3], at[(axis + 2) % 3]) = (first, second);
                    at
                };
                square(turn.map(corner));
            }
        }
        square([[-2.0, -0.5, 2.0], [2.0, -0.5, 2.0], [2.0, -0.5, -2.0], [-2.0, -0.5, -2.0]]);
        all
    }

    /// The least and the greatest corner of a box around each triangle.
    pub(super) fn boxes(&self) -> Vec<[f32; 3]> {
        let (all, _) = self.positions.as_chunks::<3>();
        let corner = |[a, b, c]: &[[f32; 3]; 3], pick: fn(f32, f32) -> f32| -> [f32; 3] {
            std::array::from_fn(|axis| pick(pick(a[axis], b[axis]), c[axis]))
        };
        all.iter().flat_map(|corners| [corner(corners, f32::min), corner(corners, f32::max)]).collect()
    }

    /// Reads an OBJ file: its polygons become fans of triangles, all else but vertices is passed over.
    ///
    /// # Errors
    /// When the file cannot be read, a line is not as it should be, or there are no polygons.
    pub(super) fn read(path: &Path) -> Result<Triangles> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> Result<Triangles> {
        let (mut all, mut file) = (Triangles::default(), Vertices::default());
        for (number, line) in (1..).zip(text.lines()) {
            file.line(line, &mut all).with_context(|| format!("line {number}"))?;
            if all.positions.len() > CORNERS_MAX {
                bail!("it has more than {CORNERS_MAX} corners");
            }
        }
        if all.positions.is_empty() {
            bail!("it has no faces (lines that begin with `f`)");
        }
        Ok(all)
    }
}

/// What a file has before its faces.
#[derive(Default)]
struct Vertices {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    coordinates: Vec<[f32; 2]>,
}

/// The first numbers of a line.
fn numbers<const COUNT: usize>(rest: &str) -> Result<[f32; COUNT]> {
    let mut out = [0.0; COUNT];
    let mut words = rest.split_whitespace();
    for value in &mut out {
        let word = words.next().with_context(|| format!("there are not {COUNT} numbers"))?;
        *value = word.parse().ok().with_context(|| format!("`{word}` is not a number"))?;
    }
    Ok(out)
}

/// The element of a number that counts from one, or backwards from the end.
fn element<T: Copy>(all: &[T], text: &str) -> Result<T> {
    let index: i64 = text.parse().ok().with_context(|| format!("`{text}` is not the number of a vertex"))?;
    let place = if index < 0 { all.len() as i64 + index } else { index - 1 };
    let found = usize::try_from(place).ok().and_then(|place| all.get(place)).copied();
    found.with_context(|| format!("there is no vertex {index}"))
}

impl Vertices {
    fn line(&mut self, line: &str, all: &mut Triangles) -> Result<()> {
        let (kind, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        match kind {
            "v" => self.positions.push(numbers(rest)?),
            "vn" => self.normals.push(numbers(rest)?),
            "vt" => self.coordinates.push(numbers(rest)?),
            "f" => self.face(rest, all)?,
            _ => {}
        }
        Ok(())
    }

    fn face(&self, rest: &str, all: &mut Triangles) -> Result<()> {
        let mut corners = Vec::new();
        for word in rest.split_whitespace() {
            let mut parts = word.split('/');
            let position = element(&self.positions, parts.next().unwrap_or_default())?;
            let given = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
            let (coordinate, normal) = (given(parts.next()), given(parts.next()));
            let coordinate = coordinate.map(|text| element(&self.coordinates, &text)).transpose()?;
            let normal = normal.map(|text| element(&self.normals, &text)).transpose()?;
            corners.push((position, coordinate, normal));
        }
        if corners.len() < 3 {
            bail!("a face has at least three corners");
        }
        for place in 1..corners.len() - 1 {
            let own = [corners[0], corners[place], corners[place + 1]];
            let flat = normal(own.map(|(position, ..)| position));
            for (position, coordinate, normal) in own {
                all.positions.push(position);
                // Pictures begin at the top, coordinates of such files at the bottom.
                all.coordinates.push(coordinate.map_or([0.0; 2], |[u, v]| [u, 1.0 - v]));
                all.normals.push(normal.unwrap_or(flat));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_become_triangles() {
        let text = "# a square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nf 1/1 2/2 3/2 -1/1\n";
        let read = Triangles::parse(text).expect("well formed");
        assert_eq!(read.positions.len(), 6);
        assert_eq!(read.positions[5], [0.0, 1.0, 0.0]);
        assert_eq!(read.coordinates[1], [1.0, 1.0]);
        assert_eq!(read.normals[0], [0.0, 0.0, 1.0]);
        assert_eq!(read.boxes()[..2], [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, part) in [
            ("v 0 0\n", "line 1"),
            ("v 0 0 x\n", "`x`"),
            ("v 0 0 0\nf 1 2 3\n", "no vertex 2"),
            ("v 0 0 0\nf 1 1\n", "three corners"),
            ("v 0 0 0\nf 0 1 1\n", "no vertex 0"),
            ("v 0 0 0\nf 1 -9223372036854775808 1\n", "no vertex"),
            ("v 0 0 0\n", "no faces"),
        ] {
            let error = format!("{:#}", Triangles::parse(text).expect_err(text));
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }

    #[test]
    fn the_cube_looks_outwards() {
        let built_in = Triangles::cube_on_floor();
        assert_eq!(built_in.positions.len(), 3 * 14);
        for (corner, normal) in built_in.positions.iter().zip(&built_in.normals).take(36) {
            let outwards: f32 = corner.iter().zip(normal).map(|(a, b)| a * b).sum();
            assert!((outwards - 0.5).abs() < 1e-6, "{corner:?} {normal:?}");
        }
        assert_eq!(built_in.normals[40], [0.0, 1.0, 0.0]);
    }
}
