//! The driver's shared library, opened as a loader would open it: the other tests have the driver linked in.

use crate::one_shader;
use pyro_test_environment::in_child;
use pyro_test_kit::canvas::{Canvas, SIZE, rectangle, viewport};
use pyro_test_kit::compute::shader;
use pyro_test_kit::use_library;
use pyro_test_loader::Driver;
use std::path::{Path, PathBuf};
use vulkanalia::prelude::v1_3::*;

/// The library of the build that this test is of.
fn library() -> PathBuf {
    let program = std::env::current_exe().expect("this test's path");
    let name = format!("{}pyroclast_icd{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    program.with_file_name(name)
}

/// `vendorID`, `deviceID` and the name of the device of a library that is opened without a loader, and the
/// numbers in the header of its pipeline caches.
fn names_of_device(library: &Path) -> ((u32, u32), String, (u32, u32)) {
    let entry = pyro_test_loader::load_driver(library).expect("a driver that can be opened without a loader");
    let driver = Driver::of_version_1_3(entry).expect("an instance");
    // SAFETY: the device is the instance's.
    let properties = unsafe { driver.instance.get_physical_device_properties(driver.physical) };
    let device = driver.device(0, Default::default()).expect("a device");
    // SAFETY: the device and the cache live; nothing of the empty information is a pointer.
    let data = unsafe {
        let cache = device.create_pipeline_cache(&Default::default(), None).expect("a cache");
        device.get_pipeline_cache_data(cache).expect("the cache's data")
    };
    let word = |at: usize| u32::from_le_bytes(data[at..at + 4].try_into().expect("four bytes"));
    ((properties.vendor_id, properties.device_id), driver.name.clone(), (word(8), word(12)))
}

#[test]
fn in_the_place_of_swiftshader_the_library_has_its_numbers() {
    if !in_child(module_path!(), "in_the_place_of_swiftshader_the_library_has_its_numbers", &[]) {
        return;
    }
    let folder = std::env::temp_dir().join(format!("pyroclast-place-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let place = format!("{}vk_swiftshader{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let place = folder.join(place);
    // As `pyroclast install --chromium` does.
    let bytes = std::fs::read(library()).expect("the library");
    let bytes = pyroclast_icd::with_true_name(bytes).expect("the name that is replaced");
    std::fs::write(&place, bytes).expect("a copy");
    let found = names_of_device(&place);
    // It may be open still; then the system removes it later, or not.
    let _ = std::fs::remove_dir_all(&folder);
    let swiftshader = (0x1AE0, 0xC0DE);
    assert_eq!(found, (swiftshader, "Pyroclast".into(), swiftshader));
    // The library itself does not take the loader's calls in programs that are linked with both.
    assert!(pyro_test_loader::load_driver(&library()).is_err());
}

#[test]
fn the_shared_library_computes_and_draws() {
    if !in_child(module_path!(), "the_shared_library_computes_and_draws", &[]) {
        return;
    }
    use_library(&library()).expect("the driver's library");

    // Squares of the invocations' numbers.
    let text = shader(
        "%square = OpIMul %uint %gid %gid
         %place = OpAccessChain %word %buffer %uint_0 %gid
         OpStore %place %square",
    );
    let words = one_shader::words(&text, 0, 64);
    assert_eq!(words, (0..64).map(|number| number * number).collect::<Vec<u32>>());

    // The lower left half of a square of eight pixels.
    let canvas = Canvas::new();
    let pipeline = canvas.pipeline(vk::PrimitiveTopology::TRIANGLE_LIST, true);
    let corners = [[-1_f32, -1.0], [-1.0, 1.0], [1.0, 1.0]];
    let vertices: Vec<u32> = corners.iter().flat_map(|&[x, y]| [x, y, 0.0, 1.0].map(f32::to_bits)).collect();
    canvas.fill(0, &vertices);
    let covered = canvas.draw(pipeline, |commands| unsafe {
        canvas.device.cmd_set_viewport(commands, 0, &[viewport(0.0, 0.0, 8.0, 8.0)]);
        canvas.device.cmd_set_scissor(commands, 0, &[rectangle(0, 0, 8, 8)]);
        canvas.device.cmd_draw(commands, 3, 1, 0, 0);
    });
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        // Pixels' centers on the diagonal are on an edge that is neither a top nor a left one.
        assert_eq!(covered.at(x, y), x < y && y < 8, "{x} {y}");
    }
    unsafe { canvas.device.destroy_pipeline(pipeline, None) };
}
