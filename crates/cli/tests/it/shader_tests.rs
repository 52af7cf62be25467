//! `pyroclast test` and `pyroclast compare`.

use crate::support::Folder;
use std::path::Path;
use std::process::{Command, Output};

const DOUBLE: &str = "@group(0) @binding(0) var<storage, read_write> data: array<f32>;
const factor: f32 = 2.0;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] = data[id.x] * factor;
}
";

const GRADIENT: &str = "@fragment fn main(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
    return vec4(uv, 0.25, 1.0);
}
";

const CASES: &str = "[[case]]
name = \"doubles\"
buffers = [{ at = \"0\", data = \"f32:1,2,3,4\", expect = \"f32:2,4,6,8\" }]

[[case]]
name = \"is nearly\"
buffers = [{ at = \"0\", data = \"f32:1,2,3,4\", expect = \"f32:2.001,4,6,8\", tolerance = 0.01 }]

[[case]]
name = \"triples\"
buffers = [{ at = \"0\", data = \"f32:1,2,3,4\", expect = \"f32:2,4,6,9\" }]

[[case]]
name = \"later\"
skip = \"not written\"
";

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn cases_pass_fail_and_are_left_out() {
    let folder = Folder::new("cases");
    folder.write("double.wgsl", DOUBLE).write("double.wgsl.test.toml", CASES);
    let output = folder.run(&["test", ".", "--junit", "j.xml"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let shown = text(&output);
    for part in [
        "ok      ./double.wgsl.test.toml::doubles",
        "ok      ./double.wgsl.test.toml::is nearly",
        "FAILED  ./double.wgsl.test.toml::triples",
        "buffer 0[3] is 8, expected 9",
        "skipped ./double.wgsl.test.toml::later: not written",
        "2 passed, 1 failed, 1 left out",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(folder.read("j.xml").contains("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\""));
    let output = folder.run(&[
        "test",
        "double.wgsl.test.toml",
        "--filter",
        "nearly",
        "--filter",
        "::doubles",
        "--json",
    ]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &json["passed"], &json["failed"]), (Some(0), &2.into(), &0.into()));
    let output = folder.run(&["test", ".", "--list"]);
    assert_eq!(text(&output).lines().count(), 4);
    let output = folder.run(&["test", ".", "--filter", "nothing"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there are no such tests"));
}

#[test]
fn pictures_are_blessed_and_compared() {
    let folder = Folder::new("pictures");
    let case = "[[case]]\nname = \"gradient\"\nsize = [32, 16]\npicture = \"gradient.png\"\n";
    folder.write("gradient.wgsl", GRADIENT).write("gradient.wgsl.test.toml", case);
    let output = folder.run(&["test", "."]);
    assert!(text(&output).contains("--bless writes it"), "{output:?}");
    assert_eq!(folder.run(&["test", ".", "--bless"]).status.code(), Some(0));
    let output = folder.run(&["test", "."]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    folder.write("gradient.wgsl", &GRADIENT.replace("uv, 0.25", "uv.x, uv.y * 0.5, 0.25"));
    let output = folder.run(&["test", ".", "--html", "p.html"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("the picture differs from"), "{output:?}");
    assert_eq!(folder.read("p.html").matches("data:image/png;base64").count(), 3);
    folder.write("gradient.wgsl.test.toml", &format!("{case}tolerance = 128\n"));
    assert_eq!(folder.run(&["test", "."]).status.code(), Some(0));
}

#[test]
fn cases_give_constants_by_name() {
    let folder = Folder::new("named-constants");
    let shader = DOUBLE.replace("const factor: f32 = 2.0;", "override factor: f32 = 2.0;");
    let case = "[[case]]\nname = \"triples\"\nspec = { factor = \"3\" }\nbuffers = [{ at = \"0\", \
                data = \"f32:1,2,3,4\", expect = \"f32:3,6,9,12\" }]\n";
    folder.write("triple.wgsl", &shader).write("triple.wgsl.test.toml", case);
    let output = folder.run(&["test", "."]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    folder.write("triple.wgsl.test.toml", &case.replace("factor =", "other ="));
    let output = folder.run(&["test", "."]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("no specialization constant is `other`"), "{output:?}");
}

#[test]
fn assertions_of_shaders_and_findings_fail_cases() {
    if Command::new("glslangValidator").arg("--version").output().is_err() {
        pyro_test_environment::skip!(pyro_test_environment::Need::Package("glslang-tools"));
    }
    let folder = Folder::new("assertions");
    let shader = "#version 450
#extension GL_EXT_debug_printf : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { int values[]; };
void main() {
    int value = values[gl_GlobalInvocationID.x];
    if (value < 0) debugPrintfEXT(\"assertion failed: value is %d\", value);
    values[0] = 7 / value;
}
";
    let case = |name: &str, data: &str, rest: &str| {
        format!(
            "[[case]]\nname = \"{name}\"\nbuffers = [{{ at = \"0.0\", data = \"i32:{data}\" }}]\n{rest}\n"
        )
    };
    let cases = case("good", "1,1,1,1,1,1,1,1", "")
        + &case("bad", "1,1,-5,1,1,1,1,1", "")
        + &case("zero", "1,0,1,1,1,1,1,1", "sanitize = \"divide-by-zero\"");
    folder.write("check.comp", shader).write("check.comp.test.toml", &cases);
    let output = folder.run(&["test", "."]);
    let shown = text(&output);
    assert!(shown.contains("ok      ./check.comp.test.toml::good"), "{shown}");
    assert!(shown.contains("assertion failed: value is -5"), "{shown}");
    assert!(shown.contains("FAILED  ./check.comp.test.toml::zero"), "{shown}");
    assert!(shown.contains("check.comp:8"), "{shown}");
}

#[test]
fn broken_shaders_and_endless_ones_fail_alone() {
    let folder = Folder::new("broken");
    let endless = DOUBLE.replace(
        "data[id.x] = data[id.x] * factor;",
        "loop { data[id.x] += factor; if data[0] < 0.0 { break; } }",
    );
    let case = "[[case]]\nname = \"a\"\nbuffers = [{ at = \"0\", data = \"f32:1,2,3,4\" }]\n";
    folder.write("broken.wgsl", "fn nothing(").write("broken.wgsl.test.toml", case);
    folder.write("endless.wgsl", &endless).write("endless.wgsl.test.toml", case);
    folder.write("good.wgsl", DOUBLE).write("good.wgsl.test.toml", case);
    let output = folder.run(&["test", ".", "--timeout", "5"]);
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(shown.contains("ok      ./good.wgsl.test.toml::a"), "{shown}");
    assert!(shown.contains("it did not end within 5 s"), "{shown}");
    assert!(shown.contains("FAILED  ./broken.wgsl.test.toml::a"), "{shown}");
    assert!(shown.contains("1 passed, 2 failed"), "{shown}");
}

fn write_png(path: &Path, change: Option<(usize, u8)>) {
    let file = std::fs::File::create(path).expect("created");
    let mut encoder = png::Encoder::new(file, 16, 16);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut bytes = vec![100; 16 * 16 * 3];
    if let Some((pixel, value)) = change {
        bytes[3 * pixel] = value;
    }
    encoder.write_header().expect("header").write_image_data(&bytes).expect("pixels");
}

#[test]
fn pictures_differ_somewhere() {
    let folder = Folder::new("compare");
    write_png(&folder.0.join("a.png"), None);
    write_png(&folder.0.join("b.png"), Some((5 * 16 + 3, 130)));
    let output = folder.run(&["compare", "a.png", "b.png", "--diff", "d.png"]);
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output);
    assert!(shown.contains("1 of 256 pixels differ"), "{shown}");
    assert!(shown.contains("worst pixel (3, 5): [100, 100, 100, 255] and [130, 100, 100, 255]"), "{shown}");
    assert!(shown.contains("region at (3, 5), 1 × 1: 1 pixels, by up to 30"), "{shown}");
    assert!(folder.0.join("d.png").exists());
    assert_eq!(folder.run(&["compare", "a.png", "b.png", "--tolerance", "30"]).status.code(), Some(0));
    assert_eq!(folder.run(&["compare", "a.png", "b.png", "--pixels", "1"]).status.code(), Some(0));
    let output = folder.run(&["compare", "a.png", "a.png"]);
    assert_eq!((output.status.code(), &text(&output)[..]), (Some(0), "the pictures are equal\n"));
    assert_eq!(folder.run(&["compare", "a.png", "no.png"]).status.code(), Some(2));
}

/// Why pictures differ is said: here one is bright at one pixel, and the other at another.
#[test]
fn pictures_differ_for_a_reason() {
    let folder = Folder::new("compare-why");
    write_png(&folder.0.join("a.png"), Some((5 * 16 + 3, 130)));
    write_png(&folder.0.join("b.png"), Some((6 * 16 + 5, 130)));
    write_png(&folder.0.join("c.png"), Some((5 * 16 + 3, 131)));
    let shown = text(&folder.run(&["compare", "a.png", "b.png"]));
    assert!(shown.contains("why: the second is the first moved by (2, 1) pixels"), "{shown}");
    let shown = text(&folder.run(&["compare", "a.png", "c.png"]));
    assert!(shown.contains("why: no channel differs by more than 1 of 255: rounding"), "{shown}");
    let shown = folder.run(&["compare", "a.png", "b.png", "--json"]);
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).expect("JSON");
    assert_eq!(shown["reason"]["name"], "offset");
    let file = std::fs::File::create(folder.0.join("small.png")).expect("created");
    let mut encoder = png::Encoder::new(file, 8, 8);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().expect("header").write_image_data(&[7; 64]).expect("pixels");
    let output = folder.run(&["compare", "small.png", "a.png"]);
    assert_eq!(output.status.code(), Some(1));
    let sizes = "the sizes differ: 8x8 and 16x16 pixels; the second is twice as large";
    assert!(text(&output).contains(sizes), "{}", text(&output));
    let output = folder.run(&["compare", "small.png", "a.png", "--json"]);
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(shown["reason"]["name"], "size");
}

const CORNERS: &str = "struct Out { @builtin(position) at: vec4<f32>, @location(0) color: vec3<f32> }
@vertex fn main(
    @location(0) at: vec3<f32>, @location(1) color: vec3<f32>, @builtin(instance_index) instance: u32,
) -> Out {
    return Out(vec4(at.xy + vec2(f32(instance), 0.0), at.z, 1.0), color);
}
";

const COLORED: &str = "@fragment fn main(@location(0) color: vec3<f32>) -> @location(0) vec4<f32> {
    return vec4(color, 0.5);
}
";

/// A quarter of the picture for each instance, from indices; the second triangle list is behind the first.
const DRAWN: &str = "[[case]]
name = \"rectangles\"
size = [8, 8]
stages = { vert = \"corners.wgsl\" }
attributes = [
    { location = 0, components = 3, data = \"f32:-1,-1,0.5, 0,-1,0.5, -1,0,0.5, 0,0,0.5\" },
    { location = 1, components = 3, data = \"u8:255,0,0, 255,0,0, 255,0,0, 255,0,0\" },
]
indices = \"u16:0,1,2,3\"
topology = \"triangle_strip\"
instances = 2
clear = [0.0, 0.0, 1.0, 1.0]
picture = \"rectangles.png\"

[[case]]
name = \"nearest\"
size = [8, 8]
stages = { vert = \"corners.wgsl\" }
attributes = [
    { location = 0, components = 3, data = \"f32:-1,-1,0.2, 3,-1,0.2, -1,3,0.2, -1,-1,0.7, 3,-1,0.7, -1,3,0.7\" },
    { location = 1, components = 3, data = \"f32:0,1,0, 0,1,0, 0,1,0, 1,0,0, 1,0,0, 1,0,0\" },
]
depth = true
picture = \"nearest.png\"

[[case]]
name = \"blended\"
size = [8, 8]
stages = { vert = \"corners.wgsl\" }
attributes = [
    { location = 0, components = 3, data = \"f32:-1,-1,0.2, 3,-1,0.2, -1,3,0.2\" },
    { location = 1, components = 3, data = \"f32:1,1,1, 1,1,1, 1,1,1\" },
]
clear = [0.0, 0.0, 1.0, 1.0]
blend = \"alpha\"
picture = \"blended.png\"
";

/// The red, green and blue of a pixel.
fn pixel(folder: &Folder, name: &str, x: usize, y: usize) -> Vec<u8> {
    let file = std::fs::File::open(folder.0.join(name)).expect("a picture");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a header");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    let channels = info.line_size / info.width as usize;
    let at = y * info.line_size + x * channels;
    pixels[at..at + 3].to_vec()
}

#[test]
fn vertices_are_drawn_with_their_states() {
    let folder = Folder::new("vertices");
    folder.write("corners.wgsl", CORNERS).write("colored.wgsl", COLORED);
    folder.write("colored.wgsl.test.toml", DRAWN);
    let output = folder.run(&["test", ".", "--bless"]);
    assert!(output.status.success(), "{}", text(&output));
    // Both instances are in the upper half.
    for x in [0, 3, 4, 7] {
        assert_eq!(pixel(&folder, "rectangles.png", x, 3), [255, 0, 0], "{x}");
        assert_eq!(pixel(&folder, "rectangles.png", x, 4), [0, 0, 255], "{x}");
    }
    assert_eq!(pixel(&folder, "nearest.png", 5, 5), [0, 255, 0]);
    assert_eq!(pixel(&folder, "blended.png", 5, 5), [128, 128, 255]);
    assert!(folder.run(&["test", "."]).status.success());
    // Another order of the corners is another picture.
    folder.write("colored.wgsl.test.toml", &DRAWN.replace("u16:0,1,2,3", "u16:0,1,2,2"));
    let output = folder.run(&["test", "."]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("2 passed, 1 failed"), "{}", text(&output));
    for (from, to, what) in [
        ("triangle_strip", "triangles", "there is no topology `triangles`"),
        ("u16:0", "f32:0", "indices are u16 or u32"),
        ("vert = \"corners.wgsl\"", "vert = \"corners.wgsl\", hull = \"a.wgsl\"", "no stage `hull`"),
        ("f32:-1,-1,0.5, 0", "f32:-1,-1, 0", "no whole elements"),
    ] {
        folder.write("colored.wgsl.test.toml", &DRAWN.replace(from, to));
        let shown = text(&folder.run(&["test", ".", "--filter", "rectangles"]));
        assert!(shown.contains(what), "{what}: {shown}");
    }
}
