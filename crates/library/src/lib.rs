//! Shader functions written once against the IR builder: GLSL.std.450, wide arithmetic, group operations.
#![forbid(unsafe_code)]
