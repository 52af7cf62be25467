//! Parts of captures by frame and label, of a program that presents.
#![allow(unsafe_code)] // Vulkan calls; each uses handles made here and kept until the end

use crate::support::{Folder, pyroclast, text};
use pyro_test_environment::{is_child, output_of_child};
use pyro_test_kit::graphics::{Context, GENERAL};
use serde_json::Value;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtDebugMarkerExtensionDeviceCommands as _, ExtHeadlessSurfaceExtensionInstanceCommands as _,
    KhrSurfaceExtensionInstanceCommands as _, KhrSwapchainExtensionDeviceCommands as _,
};

/// What each frame is cleared to.
const FRAMES: [[f32; 4]; 4] =
    [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]];

/// Not a test by itself: presents frames, each cleared below a label with its number.
#[test]
fn frames_for_other_tests() {
    if is_child() {
        present(&[]);
    }
}

/// The same; asks for two of the frames to be captured.
#[test]
fn frames_that_ask_for_other_tests() {
    if is_child() {
        present(&[1, 3]);
    }
}

/// Asks the process that has started this one for a frame, and waits until it has asked the driver.
fn ask() {
    let capture = std::env::var("PYROCLAST_CAPTURE").expect("a capture is made");
    // SAFETY: no memory is involved.
    assert_eq!(unsafe { libc::kill(libc::getppid(), libc::SIGUSR1) }, 0);
    let start = std::time::Instant::now();
    while !std::path::Path::new(&format!("{capture}.mark")).exists() {
        assert!(start.elapsed().as_secs() < 60, "nobody asks");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Presents the frames; asks for some of them.
fn present(wanted: &[usize]) {
    let context = Context::with(&[c"VK_EXT_debug_marker"]);
    let device = &context.device;
    // SAFETY: handles are made here and alive until the end, and structures live as long as their calls.
    unsafe {
        let info = vk::HeadlessSurfaceCreateInfoEXT::default();
        let surface = context.instance.create_headless_surface_ext(&info, None).expect("a surface");
        let gpu = context.instance.enumerate_physical_devices().expect("devices")[0];
        let format =
            context.instance.get_physical_device_surface_formats_khr(gpu, surface).expect("formats")[0];
        let info = vk::SwapchainCreateInfoKHR::builder()
            .surface(surface)
            .min_image_count(2)
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(vk::Extent2D { width: 16, height: 8 })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(vk::PresentModeKHR::FIFO);
        let swapchain = device.create_swapchain_khr(&info, None).expect("a swapchain");
        let images = device.get_swapchain_images_khr(swapchain).expect("images");
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        for (number, color) in FRAMES.into_iter().enumerate() {
            if wanted.contains(&number) {
                ask();
            }
            let (index, _) = device
                .acquire_next_image_khr(swapchain, u64::MAX, vk::Semaphore::null(), fence)
                .expect("an image");
            device.wait_for_fences(&[fence], true, u64::MAX).expect("waited");
            device.reset_fences(&[fence]).expect("reset");
            let label = std::ffi::CString::new(format!("frame {number}")).expect("a label");
            context.run(|commands| {
                let info = vk::DebugMarkerMarkerInfoEXT::builder().marker_name(label.to_bytes_with_nul());
                device.cmd_debug_marker_begin_ext(commands, &info);
                let range = vk::ImageSubresourceRange {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    level_count: 1,
                    layer_count: 1,
                    ..Default::default()
                };
                let color = vk::ClearColorValue { float32: color };
                let image = images[index as usize];
                device.cmd_clear_color_image(commands, image, GENERAL, &color, slice::from_ref(&range));
                device.cmd_debug_marker_end_ext(commands);
            });
            let info = vk::PresentInfoKHR::builder()
                .swapchains(slice::from_ref(&swapchain))
                .image_indices(slice::from_ref(&index));
            device.queue_present_khr(context.queue, &info).expect("presented");
        }
        device.device_wait_idle().expect("idle");
        device.destroy_fence(fence, None);
        device.destroy_swapchain_khr(swapchain, None);
        context.instance.destroy_surface_khr(surface, None);
    }
}

fn capture(folder: &Folder) -> String {
    let file = folder.path("frames.pyro");
    let output = output_of_child(module_path!(), "frames_for_other_tests", &[("PYROCLAST_CAPTURE", &file)]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    file
}

/// Trims, replays the part with the same results, and gives what `info` says of it.
fn part(folder: &Folder, arguments: &[&str]) -> (String, Value) {
    let (file, part) = (capture(folder), folder.path("part.pyro"));
    let output = pyroclast(&[&["trim", &file, "-o", &part][..], arguments].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = pyroclast(&["replay", "--json", &part]);
    let counts: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&counts["different"], &counts["unknownHandles"]), (&0.into(), &0.into()), "{counts}");
    let info = info(&part);
    (part, info)
}

/// What `info` says of a capture.
fn info(file: &str) -> Value {
    serde_json::from_slice(&pyroclast(&["info", "--json", file]).stdout).expect("JSON")
}

#[test]
fn frames_are_a_part() {
    let folder = Folder::new("frames");
    let (part, info) = part(&folder, &["--frames", "1..2"]);
    assert_eq!(info["facts"]["part"], "frames 1..2");
    assert_eq!(info["commands"]["vkCmdClearColorImage"], 2);
    let output = pyroclast(&["replay", &part, "--pixel", "3,4"]);
    assert!(text(&output.stdout).contains("pixel (3, 4): 0 0 255"), "{}", text(&output.stdout));
    let output = pyroclast(&["trim", &folder.path("frames.pyro"), "-o", &part, "--frames", "3..4"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("the capture has the frames 0..3, not 3..4"));
}

#[test]
fn what_has_a_label_is_a_part() {
    let folder = Folder::new("label");
    let (_, info) = part(&folder, &["--label", "frame 2"]);
    assert_eq!(info["facts"]["part"], "label \"frame 2\"");
    assert_eq!(info["commands"]["vkCmdClearColorImage"], 1);
    let file = folder.path("frames.pyro");
    let output = pyroclast(&["trim", &file, "-o", &folder.path("none.pyro"), "--label", "frame"]);
    assert_eq!(output.status.code(), Some(2));
    let labels = "the capture's labels: frame 0, frame 1, frame 2, frame 3";
    assert!(text(&output.stderr).contains(labels), "{}", text(&output.stderr));
}

/// `capture` with a part does both, and leaves no whole behind.
#[test]
fn a_part_is_captured_at_once() {
    let folder = Folder::new("at-once");
    let this = std::env::current_exe().expect("the path of this test binary");
    let test = "frames::frames_for_other_tests";
    for part in [["--frames", "2..3"], ["--label", "frame 2"]] {
        let file = folder.path("part.pyro");
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_pyroclast"))
            .args(["capture", "-o", &file])
            .args(part)
            .arg("--")
            .arg(&this)
            .args(["--exact", test, "--nocapture", "--test-threads=1"])
            .env("PYRO_TEST_CHILD", "1")
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        assert!(text(&output.stderr).contains(" results compared, 0 differ"), "{}", text(&output.stderr));
        assert_eq!(
            info(&file)["commands"]["vkCmdClearColorImage"],
            if part[0] == "--frames" { 2 } else { 1 }
        );
        assert!(!std::path::Path::new(&folder.path("part.whole.pyro")).exists());
    }
}

/// Frames in which a signal comes are files of their own.
#[test]
fn frames_are_captured_when_they_are_asked_for() {
    let folder = Folder::new("on-signal");
    let this = std::env::current_exe().expect("the path of this test binary");
    let run = |test: &str| {
        std::process::Command::new(env!("CARGO_BIN_EXE_pyroclast"))
            .args(["capture", "-o", &folder.path("asked.pyro"), "--on-signal", "--"])
            .arg(&this)
            .args(["--exact", test, "--nocapture", "--test-threads=1"])
            .env("PYRO_TEST_CHILD", "1")
            .output()
            .expect("the program runs")
    };
    let output = run("frames::frames_that_ask_for_other_tests");
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(text(&output.stderr).matches(" results compared, 0 differ").count(), 2);
    for (file, frame, color) in
        [("asked.pyro", "frames 1..1", "0 255 0"), ("asked-2.pyro", "frames 3..3", "255 255 255")]
    {
        let file = folder.path(file);
        let info = info(&file);
        assert_eq!(
            (&info["facts"]["part"], &info["commands"]["vkCmdClearColorImage"]),
            (&frame.into(), &1.into())
        );
        let shown = pyroclast(&["replay", &file, "--pixel", "3,4"]);
        assert!(text(&shown.stdout).contains(&format!("pixel (3, 4): {color}")), "{}", text(&shown.stdout));
    }
    let left: Vec<_> = std::fs::read_dir(&folder.0).expect("the folder").collect();
    assert_eq!(left.len(), 2, "{left:?}");
    // Nobody asks: there is no file, and that is said.
    let output = run("frames::frames_for_other_tests");
    assert_eq!(output.status.code(), Some(125));
    assert!(text(&output.stderr).contains("no frame was asked for"), "{}", text(&output.stderr));
    let output = pyroclast(&["capture", "--key", "Shift", "--", "true"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("is not F1 to F12"), "{}", text(&output.stderr));
}

#[test]
fn pictures_are_written_between_two_frames() {
    let folder = Folder::new("from-frame");
    let file = capture(&folder);
    let written = |name: &str, arguments: &[&str]| {
        let pictures = folder.path(name);
        std::fs::create_dir(&pictures).expect("a folder");
        let output = pyroclast(&[&["replay", &file, "--png", &pictures], arguments].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let entries = std::fs::read_dir(&pictures).expect("the folder");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let of = |numbers: std::ops::Range<u32>| numbers.map(|n| format!("frame-{n:06}.png")).collect::<Vec<_>>();
    assert_eq!(written("all", &[]), of(0..4));
    assert_eq!(written("late", &["--from-frame", "2"]), of(2..4));
    assert_eq!(written("middle", &["--from-frame", "1", "--to-frame", "1"]), of(1..2));
}
