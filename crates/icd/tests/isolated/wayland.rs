//! Presentation to a Wayland compositor, one of our own that keeps what it is shown.
#![cfg(target_os = "linux")]

use pyro_test_environment::{Need, in_child, is_child, skip};
use pyro_test_kit::{Client, Gpu};
use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    KhrSurfaceExtensionInstanceCommands as _, KhrSwapchainExtensionDeviceCommands as _,
    KhrWaylandSurfaceExtensionInstanceCommands as _,
};
use wayland_client::Proxy as _;
use wayland_server::protocol::{
    wl_buffer, wl_callback, wl_compositor, wl_shm, wl_shm_pool, wl_surface,
    wl_surface::Request as SurfaceRequest,
};

const WIDTH: u32 = 20;
const HEIGHT: u32 = 10;

/// What was shown.
#[derive(Debug, PartialEq)]
struct Frame {
    size: (i32, i32),
    has_alpha: bool,
    /// The first texel and the last.
    texels: [[u8; 4]; 2],
}

/// What the compositor and the test both see.
#[derive(Default)]
struct Shared {
    frames: Mutex<Vec<Frame>>,
    /// Nobody sees the surface: no frame is said to be shown.
    is_hidden: AtomicBool,
    /// Buffers are kept until others take their place.
    keeps_buffers: AtomicBool,
    ends: AtomicBool,
}

#[derive(Default)]
struct Compositor {
    shared: Arc<Shared>,
    attached: Option<wl_buffer::WlBuffer>,
    kept: Option<wl_buffer::WlBuffer>,
    callbacks: VecDeque<wl_callback::WlCallback>,
}

/// What a buffer is made from.
struct Content {
    file: Arc<File>,
    offset: i32,
    size: (i32, i32),
    stride: i32,
    has_alpha: bool,
}

impl Content {
    fn frame(&self) -> Frame {
        let (width, height) = self.size;
        let texel = |x: i32, y: i32| {
            let mut bytes = [0; 4];
            let at = self.offset + y * self.stride + 4 * x;
            self.file.read_exact_at(&mut bytes, at as u64).expect("inside of the file");
            bytes
        };
        let texels = [texel(0, 0), texel(width - 1, height - 1)];
        Frame { size: self.size, has_alpha: self.has_alpha, texels }
    }
}

/// Implements `wayland_server::Dispatch` by a function of the state, the object's data and the request.
macro_rules! requests {
    ($($interface:path[$data:ty]: $request:path, $body:expr;)*) => { $(
        impl wayland_server::Dispatch<$interface, $data> for Compositor {
            fn request(
                state: &mut Compositor,
                _: &wayland_server::Client,
                object: &$interface,
                request: $request,
                data: &$data,
                _: &wayland_server::DisplayHandle,
                init: &mut wayland_server::DataInit<'_, Compositor>,
            ) {
                let body: fn(&mut Compositor, &$interface, $request, &$data, &mut wayland_server::DataInit<'_, Compositor>) = $body;
                body(state, object, request, data, init);
            }
        }
    )* };
}

requests! {
    wl_compositor::WlCompositor[()]: wl_compositor::Request, |_, _, request, (), init| {
        if let wl_compositor::Request::CreateSurface { id } = request {
            init.init(id, ());
        }
    };
    wl_shm::WlShm[()]: wl_shm::Request, |_, _, request, (), init| {
        if let wl_shm::Request::CreatePool { id, fd, .. } = request {
            init.init(id, Arc::new(File::from(fd)));
        }
    };
    wl_shm_pool::WlShmPool[Arc<File>]: wl_shm_pool::Request, |_, _, request, file, init| {
        if let wl_shm_pool::Request::CreateBuffer { id, offset, width, height, stride, format } = request {
            let has_alpha = format.into_result().expect("a format") == wl_shm::Format::Argb8888;
            let content = Content { file: Arc::clone(file), offset, size: (width, height), stride, has_alpha };
            init.init(id, content);
        }
    };
    wl_buffer::WlBuffer[Content]: wl_buffer::Request, |_, _, _, _, _| {};
    wl_callback::WlCallback[()]: wl_callback::Request, |_, _, _, (), _| {};
    wl_surface::WlSurface[()]: SurfaceRequest, |state, _, request, (), init| match request {
        SurfaceRequest::Attach { buffer, .. } => state.attached = buffer,
        SurfaceRequest::Frame { callback } => state.callbacks.push_back(init.init(callback, ())),
        SurfaceRequest::Commit => state.commit(),
        _ => {}
    };
}

impl<I> wayland_server::GlobalDispatch<I, ()> for Compositor
where
    I: wayland_server::Resource + 'static,
    Compositor: wayland_server::Dispatch<I, ()>,
{
    fn bind(
        _: &mut Compositor,
        _: &wayland_server::DisplayHandle,
        _: &wayland_server::Client,
        resource: wayland_server::New<I>,
        (): &(),
        init: &mut wayland_server::DataInit<'_, Compositor>,
    ) {
        init.init(resource, ());
    }
}

impl Compositor {
    fn commit(&mut self) {
        let Some(buffer) = self.attached.take() else { return };
        let content = wayland_server::Resource::data::<Content>(&buffer).expect("a buffer of ours");
        self.shared.frames.lock().expect("no panic").push(content.frame());
        let ended =
            if self.shared.keeps_buffers.load(SeqCst) { self.kept.replace(buffer) } else { Some(buffer) };
        if let Some(buffer) = ended {
            buffer.release();
        }
    }

    /// Serves one client until it goes, or until the test says so; then the connection closes.
    fn serve(stream: UnixStream, shared: Arc<Shared>) -> JoinHandle<()> {
        std::thread::spawn(move || {
            let mut display = wayland_server::Display::new().expect("a display");
            let mut handle = display.handle();
            handle.create_global::<Compositor, wl_compositor::WlCompositor, ()>(4, ());
            handle.create_global::<Compositor, wl_shm::WlShm, ()>(1, ());
            handle.insert_client(stream, Arc::new(())).expect("a client");
            let mut state = Compositor { shared, ..Default::default() };
            while !state.shared.ends.load(SeqCst) {
                display.dispatch_clients(&mut state).expect("requests that the protocol knows");
                if !state.shared.is_hidden.load(SeqCst) {
                    state.callbacks.drain(..).for_each(|callback| callback.done(0));
                }
                display.flush_clients().expect("sent");
                std::thread::sleep(Duration::from_millis(1));
            }
        })
    }
}

/// The application's side of the protocol: only a surface is asked for.
#[derive(Default)]
struct Application {
    compositor: Option<wayland_client::protocol::wl_compositor::WlCompositor>,
}

impl wayland_client::Dispatch<wayland_client::protocol::wl_registry::WlRegistry, ()> for Application {
    fn event(
        state: &mut Application,
        registry: &wayland_client::protocol::wl_registry::WlRegistry,
        event: wayland_client::protocol::wl_registry::Event,
        (): &(),
        _: &wayland_client::Connection,
        queue: &wayland_client::QueueHandle<Application>,
    ) {
        if let wayland_client::protocol::wl_registry::Event::Global { name, interface, .. } = event
            && interface == "wl_compositor"
        {
            state.compositor = Some(registry.bind(name, 4, queue, ()));
        }
    }
}

wayland_client::delegate_noop!(Application: wayland_client::protocol::wl_compositor::WlCompositor);
wayland_client::delegate_noop!(Application: ignore wayland_client::protocol::wl_surface::WlSurface);

/// An application with a surface.
struct Window {
    gpu: Gpu,
    surface: vk::SurfaceKHR,
    swapchain: vk::SwapchainKHR,
    images: Vec<vk::Image>,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
    connection: wayland_client::Connection,
}

impl Window {
    /// None without libwayland.
    fn new(mode: vk::PresentModeKHR, alpha: vk::CompositeAlphaFlagsKHR) -> Option<Window> {
        let (ours, theirs) = UnixStream::pair().expect("sockets");
        let connection = wayland_client::Connection::from_socket(ours).ok()?;
        let shared = Arc::new(Shared::default());
        let server = Compositor::serve(theirs, Arc::clone(&shared));
        let mut queue = connection.new_event_queue();
        let mut application = Application::default();
        connection.display().get_registry(&queue.handle(), ());
        queue.roundtrip(&mut application).expect("globals");
        let wl_surface = application.compositor.expect("a compositor").create_surface(&queue.handle(), ());

        let client = Client::new(vk::make_version(1, 3, 0), &[c"VK_KHR_surface", c"VK_KHR_wayland_surface"]);
        let gpu = client.device(&[c"VK_KHR_swapchain"], None, std::ptr::null_mut());
        let display = connection.backend().display_ptr().cast();
        let info = vk::WaylandSurfaceCreateInfoKHR::builder().display(display);
        let info =
            vk::WaylandSurfaceCreateInfoKHR { surface: wl_surface.id().as_ptr().cast(), ..info.build() };
        let (surface, swapchain, images) = unsafe {
            let supported = gpu.instance.get_physical_device_wayland_presentation_support_khr(
                gpu.physical_device,
                0,
                &mut *display,
            );
            assert_eq!(supported, vk::TRUE);
            let surface = gpu.instance.create_wayland_surface_khr(&info, None).expect("a surface");
            let capabilities =
                gpu.instance.get_physical_device_surface_capabilities_khr(gpu.physical_device, surface);
            let capabilities = capabilities.expect("capabilities");
            assert_eq!(capabilities.current_extent.width, u32::MAX, "a surface has the size of its images");
            assert!(capabilities.supported_composite_alpha.contains(alpha));
            let info = vk::SwapchainCreateInfoKHR::builder()
                .surface(surface)
                .min_image_count(3)
                .image_format(vk::Format::R8G8B8A8_UNORM)
                .image_extent(vk::Extent2D { width: WIDTH, height: HEIGHT })
                .image_array_layers(1)
                .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
                .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
                .composite_alpha(alpha)
                .present_mode(mode);
            let swapchain = gpu.device.create_swapchain_khr(&info, None).expect("a swapchain");
            (surface, swapchain, gpu.device.get_swapchain_images_khr(swapchain).expect("images"))
        };
        Some(Window { gpu, surface, swapchain, images, shared, server, connection })
    }

    /// Presents an image of one color.
    fn present(&self, color: [f32; 4]) {
        let device = &self.gpu.device;
        let null = vk::Semaphore::null();
        unsafe {
            let acquired = device.acquire_next_image_khr(self.swapchain, u64::MAX, null, vk::Fence::null());
            let index = acquired.expect("an image").0;
            let range = vk::ImageSubresourceRange::builder()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .level_count(1)
                .layer_count(1);
            self.gpu.run(|commands| {
                let color = vk::ClearColorValue { float32: color };
                let (image, layout) = (self.images[index as usize], vk::ImageLayout::GENERAL);
                device.cmd_clear_color_image(commands, image, layout, &color, &[range.build()]);
            });
            let info = vk::PresentInfoKHR::builder()
                .swapchains(slice::from_ref(&self.swapchain))
                .image_indices(slice::from_ref(&index));
            device.queue_present_khr(self.gpu.queue, &info).expect("presented");
        }
    }

    /// Waits until the compositor has so many frames.
    fn wait_for(&self, count: usize) {
        let start = Instant::now();
        while self.shared.frames.lock().expect("no panic").len() < count {
            assert!(start.elapsed() < Duration::from_secs(20), "{count} frames are shown");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn wait_idle(&self) {
        unsafe { self.gpu.device.device_wait_idle() }.expect("not lost");
    }

    /// Destroys all of Vulkan's, then the connection, which only then may go.
    fn close(self) -> Vec<Frame> {
        self.wait_idle();
        unsafe {
            self.gpu.device.destroy_swapchain_khr(self.swapchain, None);
            self.gpu.instance.destroy_surface_khr(self.surface, None);
        }
        self.connection.roundtrip().expect("the connection is in order");
        drop(self.connection);
        self.shared.ends.store(true, SeqCst);
        self.server.join().expect("the compositor has seen no error");
        std::mem::take(&mut *self.shared.frames.lock().expect("no panic"))
    }
}

/// Whether the test runs here, which is in a process of its own.
macro_rules! window {
    ($test:literal, $mode:ident, $alpha:ident) => {{
        if !is_child() {
            let _ = in_child(module_path!(), $test, &[]);
            return;
        }
        let window = Window::new(vk::PresentModeKHR::$mode, vk::CompositeAlphaFlagsKHR::$alpha);
        let Some(window) = window else { skip!(Need::Package("libwayland-client0")) };
        window
    }};
}

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const HALF_BLUE: [f32; 4] = [0.0, 0.0, 0.2, 0.2];

fn frame(has_alpha: bool, texel: [u8; 4]) -> Frame {
    Frame { size: (WIDTH as i32, HEIGHT as i32), has_alpha, texels: [texel; 2] }
}

#[test]
fn images_are_shown_in_order() {
    let window = window!("images_are_shown_in_order", FIFO, OPAQUE);
    for _ in 0..3 {
        window.present(RED);
        window.present(GREEN);
    }
    let frames = window.close();
    let expected = [frame(false, [0, 0, 255, 255]), frame(false, [0, 255, 0, 255])];
    assert_eq!(frames.len(), 6);
    assert!(frames.chunks(2).all(|two| two == expected), "{frames:?}");
}

#[test]
fn alpha_is_handed_on() {
    let window = window!("alpha_is_handed_on", MAILBOX, PRE_MULTIPLIED);
    window.shared.keeps_buffers.store(true, SeqCst);
    for _ in 0..20 {
        window.present(HALF_BLUE);
    }
    window.wait_idle();
    window.wait_for(20);
    assert!(window.close().iter().all(|shown| *shown == frame(true, [51, 0, 0, 51])));
}

/// `FIFO` waits for the frame before, `MAILBOX` does not; an application that nobody sees goes on slowly.
#[test]
fn fifo_waits_for_frames() {
    let window = window!("fifo_waits_for_frames", FIFO, OPAQUE);
    window.shared.is_hidden.store(true, SeqCst);
    window.present(RED);
    window.wait_idle();
    window.wait_for(1);
    let start = Instant::now();
    window.present(GREEN);
    window.wait_idle();
    let waited = start.elapsed();
    assert!(waited > Duration::from_millis(900), "waited {waited:?} for a frame that is not shown");
    window.wait_for(2);
    window.shared.is_hidden.store(false, SeqCst);
    assert_eq!(window.close().len(), 2);
}

#[test]
fn mailbox_does_not_wait_for_frames() {
    let window = window!("mailbox_does_not_wait_for_frames", MAILBOX, OPAQUE);
    window.shared.is_hidden.store(true, SeqCst);
    let start = Instant::now();
    for _ in 0..10 {
        window.present(RED);
    }
    window.wait_idle();
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(window.close().len(), 10);
}

/// The compositor closes the connection: later commands say that the surface is lost, and no SIGPIPE ends the
/// application.
#[test]
fn the_application_outlives_the_compositor() {
    let window = window!("the_application_outlives_the_compositor", MAILBOX, OPAQUE);
    window.present(RED);
    window.wait_idle();
    window.shared.ends.store(true, SeqCst);
    let Window { gpu, surface, swapchain, server, connection, .. } = window;
    server.join().expect("the compositor has seen no error");
    let lost = Some(vk::ErrorCode::SURFACE_LOST_KHR);
    unsafe {
        // The first presentation finds out.
        let start = Instant::now();
        loop {
            let (null, fence) = (vk::Semaphore::null(), vk::Fence::null());
            let acquired = gpu.device.acquire_next_image_khr(swapchain, u64::MAX, null, fence);
            let Ok((index, _)) = acquired else {
                assert_eq!(acquired.err(), lost);
                break;
            };
            let info = vk::PresentInfoKHR::builder()
                .swapchains(slice::from_ref(&swapchain))
                .image_indices(slice::from_ref(&index));
            let presented = gpu.device.queue_present_khr(gpu.queue, &info);
            assert!(presented.is_ok() || presented.err() == lost);
            assert!(start.elapsed() < Duration::from_secs(20), "the loss is found");
        }
        let capabilities =
            gpu.instance.get_physical_device_surface_capabilities_khr(gpu.physical_device, surface);
        assert_eq!(capabilities.err(), lost);
        gpu.device.device_wait_idle().expect("not lost");
        gpu.device.destroy_swapchain_khr(swapchain, None);
        gpu.instance.destroy_surface_khr(surface, None);
    }
    drop(connection);
}

/// Null pointers of the connection or the surface are refused.
#[test]
fn null_pointers_are_refused() {
    let client = Client::new(vk::make_version(1, 3, 0), &[c"VK_KHR_surface", c"VK_KHR_wayland_surface"]);
    let info = vk::WaylandSurfaceCreateInfoKHR::default();
    assert!(unsafe { client.instance.create_wayland_surface_khr(&info, None) }.is_err());
}
