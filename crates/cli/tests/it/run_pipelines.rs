//! `pyroclast run` with pipelines of every kind and resources of every kind.
//!
//! The shaders are `run_pipelines/NAME.spvasm`, made of the GLSL in `NAME` beside it by `glslangValidator`
//! and `spirv-dis`; those in WGSL are here.

use crate::support::{Folder, pyroclast, text};
use std::path::Path;
use std::process::{Command, Output};

/// The path of a shader.
fn shader(name: &str) -> String {
    format!("{}/tests/it/run_pipelines/{name}.spvasm", env!("CARGO_MANIFEST_DIR"))
}

/// Runs the program on an executor; it has to succeed. What it prints.
fn run_on(executor: Option<&str>, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
    if let Some(executor) = executor {
        command.env("PYROCLAST_CPU", executor);
    }
    let output = command.arg("run").args(arguments).output().expect("the program runs");
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The pixels of a picture of four channels.
fn pixels(path: &str) -> (usize, Vec<[u8; 4]>) {
    let file = std::fs::File::open(path).expect("a picture");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a header");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("pixels");
    (info.width as usize, bytes.as_chunks().0.to_vec())
}

/// The picture that a pipeline draws, which is the same on machine code and the interpreter.
fn drawn(folder: &Folder, arguments: &[&str]) -> (usize, Vec<[u8; 4]>) {
    let (compiled, interpreted) = (folder.path("compiled.png"), folder.path("interpreted.png"));
    run_on(None, &[arguments, &["-o", &compiled]].concat());
    run_on(Some("interpreter"), &[arguments, &["-o", &interpreted]].concat());
    let found = pixels(&compiled);
    assert!(found == pixels(&interpreted), "{arguments:?}");
    found
}

fn refused(arguments: &[&str], why: &str) {
    let output: Output = pyroclast(&[&["run"], arguments].concat());
    let shown = text(&output.stderr);
    assert!(!output.status.success() && shown.contains(why), "{arguments:?}: {shown}");
}

fn write(folder: &Folder, name: &str, contents: &str) -> String {
    let path = folder.path(name);
    std::fs::write(&path, contents).expect("a file");
    path
}

const LIT: &str = "
struct Out { @builtin(position) at: vec4<f32>, @location(0) uv: vec2<f32> }
struct Frame { matrix: mat4x4<f32> }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var picture: texture_2d<f32>;
@group(0) @binding(2) var reader: sampler;
@vertex fn corner(@location(3) uv: vec2<f32>, @location(1) position: vec3<f32>) -> Out {
    return Out(frame.matrix * vec4(position, 1.0), uv);
}
struct Colors { @location(0) color: vec4<f32>, @location(2) place: vec2<u32> }
@fragment fn color(in: Out) -> Colors {
    return Colors(textureSample(picture, reader, in.uv), vec2<u32>(in.at.xy));
}
";

#[test]
fn vertices_and_pictures_become_a_picture() {
    let folder = Folder::new("run-draw");
    let lit = write(&folder, "lit.wgsl", LIT);
    // A square over the upper half: its corners by an OBJ file, its colors by literals.
    let square =
        "v -1 -1 0\nv 1 -1 0\nv 1 0 0\nv -1 0 0\nvt 0 1\nvt 1 1\nvt 1 0\nvt 0 0\nf 1/1 2/2 3/3 4/4\n";
    let square = write(&folder, "square.obj", square);
    let colors = "0.1=2x1:f32:1,0,0,1,0,1,0,1";
    let common = ["--image", colors, "--sampler", "0.2=nearest,clamp", "--size", "8x8"];
    let (width, found) =
        drawn(&folder, &[&[&lit, "--mesh", &square, "--clear", "0,0,1,1"], &common[..]].concat());
    assert_eq!(width, 8);
    for (index, pixel) in found.iter().enumerate() {
        let wanted = match (index / 8 < 4, index % 8 < 4) {
            (false, _) => [0, 0, 255, 255],
            (true, true) => [255, 0, 0, 255],
            (true, false) => [0, 255, 0, 255],
        };
        assert_eq!(*pixel, wanted, "{index}");
    }
    // Another output by its location, of integers; the inputs by literals.
    let (places, position) = (folder.path("places.png"), "1=f32:-1,-1,0,3,-1,0,-1,3,0");
    let second = format!("2={places}");
    let by_hand = [&lit, "--attribute", position, "--attribute", "3=f32:0,0,0,0,0,0", "-o", &second];
    run_on(None, &[&by_hand[..], &common].concat());
    let (_, found) = pixels(&places);
    assert_eq!((found[0][..2].to_vec(), found[63][..2].to_vec()), (vec![0, 0], vec![7, 7]));
    // A picture that was written is read, mirrored by a matrix that was given.
    let (first, mirrored) = (folder.path("first.png"), "0.0=f32:-1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1");
    run_on(None, &[&[&lit, "--mesh", &square, "-o", &first], &common[..]].concat());
    let from_file = format!("0.1={first}");
    let arguments = [&lit, "--mesh", &square, "--image", &from_file, "--uniform", mirrored, "--size", "8x8"];
    let (_, found) = drawn(&folder, &[&arguments[..], &["--sampler", "0.2=nearest,clamp"]].concat());
    assert_eq!((found[0], found[7]), ([0, 255, 0, 255], [255, 0, 0, 255]));
}

#[test]
fn tessellation_geometry_and_mesh_shaders_draw() {
    let folder = Folder::new("run-stages");
    let plain = "@vertex fn main(@location(0) position: vec2<f32>) -> @builtin(position) vec4<f32> {
        return vec4(position, 0.0, 1.0);
    }";
    let white = "@fragment fn main() -> @location(0) vec4<f32> { return vec4(1.0); }";
    let (plain, white) = (write(&folder, "plain.vert.wgsl", plain), write(&folder, "white.wgsl", white));
    let vertex = format!("vert={plain}");
    let count = |found: &[[u8; 4]]| found.iter().filter(|pixel| pixel[0] == 255).count();
    let (_, straight) = drawn(&folder, &["--stage", &vertex, &white, "--size", "32x32"]);
    let stages = [shader("main.tesc"), shader("main.tese"), shader("main.geom")];
    let [control, evaluation, geometry] = &stages;
    let whole = [&white, control, evaluation, geometry, "--stage", &vertex, "--size", "32x32"];
    let (_, turned) = drawn(&folder, &whole);
    // Upside down: the point is at the bottom. The same size, up to the edges.
    assert_eq!((straight[4 * 32 + 16][0], straight[27 * 32 + 5][0]), (255, 255));
    assert_eq!((turned[27 * 32 + 16][0], turned[4 * 32 + 5][0]), (255, 255));
    assert_eq!(turned[27 * 32 + 5][0], 0);
    assert!(count(&straight).abs_diff(count(&turned)) < 16);
    let mesh = shader("main.mesh");
    let (_, both) = drawn(&folder, &[&mesh, &white, "--groups", "2", "--size", "32x32"]);
    let (_, left) = drawn(&folder, &[&mesh, &white, "--size", "32x32"]);
    assert_eq!((left[0][0], left[16][0], both[0][0], both[16][0]), (255, 0, 255, 255));
    refused(&[control, &white], "needs a vertex shader");
    refused(&[control, &white, "--stage", &vertex], "both of its shaders");
    refused(&[&mesh, &white, "--stage", &vertex], "not both");
    refused(&[&mesh, &white, "-o", "1=a.png"], "no fragment shader with an output at location 1");
}

#[test]
fn rays_hit_triangles_and_boxes() {
    let folder = Folder::new("run-rays");
    let shaders = ["main.rgen", "main.rmiss", "main.rchit"].map(shader);
    let [generation, miss, hit] = shaders.each_ref().map(String::as_str);
    let size = ["--size", "32x32"];
    let (_, found) = drawn(&folder, &[&[generation, miss, hit], &size[..]].concat());
    // The sky, the cube, the floor.
    let at = |found: &[[u8; 4]], x: usize, y: usize| found[y * 32 + x];
    let (blue, red, green) = ([0, 0, 255, 255], [255, 0, 0, 255], [0, 255, 0, 255]);
    assert_eq!((at(&found, 16, 1), at(&found, 16, 18), at(&found, 2, 31)), (blue, red, red));
    assert_eq!(at(&found, 2, 16), blue);
    // A second hit group, of boxes: the sphere is before the cube.
    let sphere = shader("sphere.rint");
    let (_, found) = drawn(&folder, &[&[generation, miss, hit, hit, &sphere], &size[..]].concat());
    assert_eq!((at(&found, 16, 18), at(&found, 2, 31)), (green, red));
    // Triangles of a file, instead of the cube.
    let wall = write(&folder, "wall.obj", "v -9 0.2 0\nv 9 0.2 0\nv 0 99 0\nf 1 2 3\n");
    let (_, found) = drawn(&folder, &[&[generation, miss, hit, "--mesh", &wall], &size[..]].concat());
    assert_eq!((at(&found, 16, 12), at(&found, 16, 20)), (red, blue));
    refused(&[miss, hit], "one ray generation shader");
    refused(&[generation, miss, "-o", "1=a.png"], "only fragment shaders");
}

#[test]
fn resources_of_every_kind_are_given() {
    let path = shader("resources.comp");
    let given = [
        &path,
        "--buffer=0.0=f32:1,0,0,0",
        "--image=0.2[1]=1x1x6:f32:2,2,2,2,2,2",
        "--image=0.3=1x1:f32:0.5",
        "--image=0.4=1x1x2:f32:0,3",
        "--image=0.5=2x1:f32:0,0,0,4",
        "--image=0.6=1x1x2:u32:0,5",
        "--image=0.7=2x1:f32:6,7",
        "--sampler=0.8=nearest,repeat",
        "--buffer=0.12=zero:44",
        "--print=0.1=u32",
        "--print=0.12=f32",
    ];
    // Last: the distance of the cube, identities by default, zeros of several samples.
    let wanted = "0.12: 1.0 2.0 1.0 3.0 4.0 5.0 6.0 2.5 8.0 0.0 9.0";
    for executor in [None, Some("interpreter")] {
        let shown = run_on(executor, &given);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[0].starts_with("0.1: 7"), "{shown}");
        assert_eq!(lines[1], wanted, "{executor:?}");
    }
    // A sampler that repeats differently, and depth that is compared the other way.
    let mut other = given.to_vec();
    (other[3], other[8]) = ("--image=0.3=1x1:f32:0.125", "--sampler=0.8=nearest,clamp");
    assert!(run_on(None, &other).contains("0.12: 1.0 2.0 0.0 3.0 4.0 5.0 7.0"));
    refused(&[&path, "--image", "0.12=1x1"], "is a storage buffer");
    refused(&[&path, "--buffer", "0.7=f32:1"], "is a sampled image");
    refused(&[&path, "--sampler", "0.7=linear"], "is a sampled image");
    refused(&[&path, "--image", "0.2[2]=1x1"], "has 2 elements");
    refused(&[&path, "--image", "0.6=1x1:f32:1"], "are u32 here");
    refused(&[&path, "--image", "0.5=2x1:f32:1,2,3"], "for each of 2 texels");
    refused(&[&path, "--image", "0.11=1x1:i32:1"], "several samples cannot be filled");
    refused(&[&path, "--image", "0.2=2x1"], "faces of a cube");
    refused(&[&path, "--image", "1.2=2x1"], "no shader has an image or sampler at 1.2");
    refused(&[&path, "-o", "a.png"], "no storage image");
    refused(&[&path, "--print", "3.3=f32"], "no buffer or image at 3.3");
}

/// A compute shader that mirrors a picture: workgroups, sizes and the picture that is written come of the
/// images.
#[test]
fn a_compute_shader_writes_a_picture() {
    let folder = Folder::new("run-image");
    let mirror = write(
        &folder,
        "mirror.wgsl",
        "@group(0) @binding(0) var source: texture_2d<f32>;
         @group(1) @binding(0) var target_: texture_storage_2d<rgba8unorm, write>;
         @compute @workgroup_size(8, 4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             let size = textureDimensions(target_);
             if all(id.xy < size) {
                 let place = vec2(size.x - 1u - id.x, id.y);
                 textureStore(target_, id.xy, textureLoad(source, place, 0));
             }
         }",
    );
    let image = "0.0=3x2:f32:1,0,0,0,1,0,0,0,1,1,1,0,0,1,1,1,0,1";
    // Three values for each texel; alpha is 1.
    let (width, found) = drawn(&folder, &[&mirror, "--image", image, "--image", "1.0=3x2"]);
    let rows = [
        [[0, 0, 255, 255], [0, 255, 0, 255], [255, 0, 0, 255]],
        [[255, 0, 255, 255], [0, 255, 255, 255], [255, 255, 0, 255]],
    ];
    assert_eq!((width, found), (3, rows.concat()));
    // Texels are printed and saved as they are.
    let raw = folder.path("raw.bin");
    let save = format!("1.0={raw}");
    let shown = run_on(
        None,
        &[&mirror, "--image", image, "--image", "1.0=3x2", "--print", "1.0=u8", "--save", &save],
    );
    assert!(shown.starts_with("1.0: 0 0 255 255 0 255 0 255"), "{shown}");
    assert_eq!(std::fs::read(&raw).expect("texels").len(), 24);
    let exr = folder.path("out.exr");
    let report = run_on(None, &[&mirror, "--image", image, "--image", "1.0=3x2", "-o", &exr, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["pictures"][0], exr[..]);
    assert!(Path::new(&exr).exists());
    refused(&[&mirror, "-o", "out.jpg"], "does not end in .png or .exr");
    refused(&[&mirror, "--size", "0x4"], "not a number of pixels");
    refused(&[], "there is no shader");
}

#[test]
fn entry_points_are_chosen() {
    let folder = Folder::new("run-entries");
    let both = write(
        &folder,
        "both.wgsl",
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(1) fn one() { data[0] = 1u; }
         @compute @workgroup_size(1) fn two() { data[0] = 2u; }
         @fragment fn white() -> @location(0) vec4<f32> { return vec4(1.0); }",
    );
    assert_eq!(run_on(None, &[&both, "--entry", "two", "--print", "0.0=u32"]), "0.0: 2\n");
    refused(&[&both], "say which by --entry");
    refused(
        &[&both, "--entry", "one", "--entry", "two"],
        "several compute shaders: 'one' (comp), 'two' (comp)",
    );
    refused(&[&both, "--entry", "three"], "no such entry point; it has 'one' (comp)");
}

const OVERRIDES: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<f32>;
@id(7) override scale: f32 = 1.0;
override offset: i32;
override is_halved = false;
override size: u32 = 4;
@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let value = values[id.x] * scale + f32(offset);
    values[id.x] = select(value, value * 0.5, is_halved);
}
";

const CONSTANTS: &str = "
    OpCapability Shader
    OpCapability Float64
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\"
    OpExecutionMode %main LocalSize 1 1 1
    OpName %scale \"scale\"
    OpDecorate %scale SpecId 0
    OpDecorate %wide SpecId 1
    OpDecorate %flag SpecId 2
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %values DescriptorSet 0
    OpDecorate %values Binding 0
    %void = OpTypeVoid
    %bool = OpTypeBool
    %u32 = OpTypeInt 32 0
    %f32 = OpTypeFloat 32
    %f64 = OpTypeFloat 64
    %scale = OpSpecConstant %f32 1
    %wide = OpSpecConstant %f64 1
    %flag = OpSpecConstantFalse %bool
    %zero = OpConstant %u32 0
    %none = OpConstant %f32 0
    %block = OpTypeStruct %f32
    %pointer = OpTypePointer StorageBuffer %block
    %element = OpTypePointer StorageBuffer %f32
    %values = OpVariable %pointer StorageBuffer
    %function = OpTypeFunction %void
    %main = OpFunction %void None %function
    %start = OpLabel
    %narrow = OpFConvert %f32 %wide
    %product = OpFMul %f32 %scale %narrow
    %result = OpSelect %f32 %flag %product %none
    %place = OpAccessChain %element %values %zero
    OpStore %place %result
    OpReturn
    OpFunctionEnd
";

#[test]
fn overrides_of_wgsl_are_given_by_number_and_name() {
    let folder = Folder::new("overrides");
    let file = write(&folder, "scaled.wgsl", OVERRIDES);
    let run = |more: &[&str]| {
        let start = ["run", &file, "--buffer", "0=f32:1,2,3,4", "--print", "0=f32", "--spec", "offset=-3"];
        let output = pyroclast(&[&start[..], more].concat());
        (output.status.success(), format!("{}{}", text(&output.stdout), text(&output.stderr)))
    };
    let (runs, shown) = run(&[]);
    assert!(runs && shown.contains("-2.0 -1.0 0.0 1.0"), "{shown}");
    let (runs, shown) = run(&["--spec", "7=2", "--spec", "is_halved=true", "--spec", "size=2"]);
    assert!(runs && shown.contains("-0.5 0.5 3.0 4.0"), "{shown}");
    // One with a number has no name, as in WebGPU.
    for (given, why) in [
        ("scale=2", "no specialization constant is `scale`"),
        ("size=5000000000", "the override size: 5000000000 does not fit 32 bits"),
        ("is_halved=2", "the override is_halved: '2' is not a boolean"),
    ] {
        let (runs, shown) = run(&["--spec", given]);
        assert!(!runs && shown.contains(why), "{shown}");
    }
    // What has no value is an error where it runs, and not where it is checked.
    refused(&[&file], "Missing value for pipeline-overridable constant with identifier string: 'offset'");
    let output = pyroclast(&["check", &file]);
    assert!(output.status.success(), "{}", text(&output.stdout));
}

#[test]
fn specialization_constants_have_their_types() {
    let folder = Folder::new("constants");
    let file = write(&folder, "constants.spvasm", CONSTANTS);
    let given = ["--spec", "scale=3", "--spec", "1=0.5", "--spec", "2=true"];
    let shown = run_on(None, &[&[&file, "--buffer", "0=f32:9", "--print", "0=f32"], &given[..]].concat());
    assert!(shown.contains("1.5"), "{shown}");
    refused(&[&file, "--spec", "3=1"], "no specialization constant is `3`: the shaders have 0 (scale), 1, 2");
}
