//! The matrices of the scene: columns, right-handed, y up, depth from 0 to 1.

/// Columns of a matrix.
pub(super) type Matrix = [[f32; 4]; 4];

pub(super) fn subtract(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn normalize(a: [f32; 3]) -> [f32; 3] {
    let length = dot(a, a).sqrt();
    a.map(|value| value / length)
}

/// The axes of a view that looks along `forward`: right, up, backward.
pub(super) fn axes(forward: [f32; 3]) -> [[f32; 3]; 3] {
    let forward = normalize(forward);
    let right = normalize(cross(forward, [0.0, 1.0, 0.0]));
    [right, cross(right, forward), forward.map(|value| -value)]
}

/// From the world to a view at `eye`.
pub(super) fn view(eye: [f32; 3], axes: [[f32; 3]; 3]) -> Matrix {
    let [x, y, z] = axes;
    [
        [x[0], y[0], z[0], 0.0],
        [x[1], y[1], z[1], 0.0],
        [x[2], y[2], z[2], 0.0],
        [-dot(x, eye), -dot(y, eye), -dot(z, eye), 1.0],
    ]
}

/// A perspective, by the tangent of half the vertical field of view.
pub(super) fn perspective(tangent: f32, aspect: f32, near: f32, far: f32) -> Matrix {
    let mut matrix = [[0.0; 4]; 4];
    matrix[0][0] = 1.0 / (tangent * aspect);
    matrix[1][1] = 1.0 / tangent;
    matrix[2][2] = far / (near - far);
    matrix[2][3] = -1.0;
    matrix[3][2] = near * far / (near - far);
    matrix
}

/// A box of `half` to each side and `far` deep.
pub(super) fn orthographic(half: f32, far: f32) -> Matrix {
    let mut matrix = [[0.0; 4]; 4];
    matrix[0][0] = 1.0 / half;
    matrix[1][1] = 1.0 / half;
    matrix[2][2] = -1.0 / far;
    matrix[3][3] = 1.0;
    matrix
}

/// `a` after `b`.
pub(super) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|column| std::array::from_fn(|row| (0..4).map(|k| a[k][row] * b[column][k]).sum()))
}
