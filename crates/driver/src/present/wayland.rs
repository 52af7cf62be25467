//! Surfaces of a Wayland compositor, over the application's own connection: a surface is known there alone.
//! Its events come to a queue of our own, so that neither waits for the other.
//!
//! libwayland is loaded when the first surface is made, which the application has done before. Pixels go
//! through memory that is shared with the compositor (`wl_shm`), which says when it has read them.
#![allow(unsafe_code)] // pointers that the application has of libwayland

use super::{PresentMode, SharedMemory, copy_bgrx};
use crate::error::{Error, Result};
use crate::objects::image::Image;
use crate::objects::memory::mapped::Block;
use core::ffi::c_void;
use pyro_util::sync::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use vulkanalia_sys as vk;
use wayland_client::backend::{Backend, ObjectId, WaylandError};
use wayland_client::protocol::{
    wl_buffer::{self, WlBuffer},
    wl_callback::{self, WlCallback},
    wl_registry::{self, WlRegistry},
    wl_shm::{self, WlShm},
    wl_shm_pool::WlShmPool,
    wl_surface::WlSurface,
};
use wayland_client::{Connection, Dispatch, DispatchError, EventQueue, Proxy, QueueHandle, delegate_noop};

/// How long an image waits for the compositor: for the frame before it to be shown (`FIFO`; compositors show
/// none of a surface that nobody sees), or for memory that the compositor has read.
const PATIENCE: Duration = Duration::from_secs(1);
/// The most copies of images that are with the compositor at a time.
const BUFFERS_MAX: usize = 4;

/// A `wl_surface`.
pub struct Window {
    /// None when the `VkSurfaceKHR` is destroyed: the application may close its connection then.
    link: Mutex<Option<Link>>,
    is_lost: AtomicBool,
}

/// The connection, and what is ours there.
struct Link {
    /// What the compositor has said. Before `connection`: its buffers are destroyed first.
    state: State,
    queue: EventQueue<State>,
    surface: WlSurface,
    connection: Connection,
}

/// What the compositor has said.
#[derive(Default)]
struct State {
    shm: Option<WlShm>,
    buffers: Vec<Buffer>,
    /// The compositor has not said yet that the last frame is shown.
    waits_for_frame: bool,
}

/// A copy of an image.
struct Buffer {
    object: WlBuffer,
    block: Block,
    extent: vk::Extent2D,
    has_alpha: bool,
    /// The compositor reads it.
    is_read: bool,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.object.destroy();
    }
}

impl Dispatch<WlRegistry, ()> for State {
    fn event(
        state: &mut State,
        registry: &WlRegistry,
        event: wl_registry::Event,
        _: &(),
        _: &Connection,
        queue: &QueueHandle<State>,
    ) {
        if let wl_registry::Event::Global { name, interface, .. } = event
            && interface == WlShm::interface().name
        {
            state.shm = Some(registry.bind(name, 1, queue, ()));
        }
    }
}

impl Dispatch<WlBuffer, ()> for State {
    fn event(
        state: &mut State,
        object: &WlBuffer,
        event: wl_buffer::Event,
        _: &(),
        _: &Connection,
        _: &QueueHandle<State>,
    ) {
        if let wl_buffer::Event::Release = event
            && let Some(buffer) = state.buffers.iter_mut().find(|buffer| buffer.object == *object)
        {
            buffer.is_read = false;
        }
    }
}

impl Dispatch<WlCallback, ()> for State {
    fn event(
        state: &mut State,
        _: &WlCallback,
        event: wl_callback::Event,
        _: &(),
        _: &Connection,
        _: &QueueHandle<State>,
    ) {
        if let wl_callback::Event::Done { .. } = event {
            state.waits_for_frame = false;
        }
    }
}

// All compositors take the two formats that are used here: which others they take does not matter.
delegate_noop!(State: ignore WlShm);
delegate_noop!(State: WlShmPool);

fn lost(error: impl core::fmt::Display) -> Error {
    Error::new(vk::Result::ERROR_SURFACE_LOST_KHR, format!("the Wayland compositor is gone: {error}"))
}

fn cannot_start(reason: impl core::fmt::Display) -> Error {
    Error::new(vk::Result::ERROR_INITIALIZATION_FAILED, format!("no Wayland surface: {reason}"))
}

impl Window {
    /// A surface of a connection.
    ///
    /// # Errors
    /// When the compositor is gone or cannot share memory.
    ///
    /// # Safety
    /// `display` is null or a `wl_display`, `surface` null or a `wl_surface` of it, both of the libwayland
    /// that is loaded; they live until [`Window::close`].
    pub(super) unsafe fn new(display: *mut c_void, surface: *mut c_void) -> Result<Window> {
        if display.is_null() || surface.is_null() {
            return Err(Error::misuse(
                "display or surface is null (VUID-VkWaylandSurfaceCreateInfoKHR-display-01304, -surface-01305)",
            ));
        }
        if !wayland_sys::client::is_lib_available() {
            return Err(cannot_start("libwayland-client.so.0 cannot be loaded"));
        }
        // SAFETY: it is a `wl_display` that outlives the backend, by the contract.
        let backend = unsafe { Backend::from_foreign_display(display.cast()) };
        let connection = Connection::from_backend(backend);
        // SAFETY: it is a proxy of libwayland, by the contract; that it is a surface's is checked.
        let id = unsafe { ObjectId::from_ptr(WlSurface::interface(), surface.cast()) };
        let id = id.map_err(cannot_start)?;
        let surface = WlSurface::from_id(&connection, id).map_err(cannot_start)?;
        let mut queue = connection.new_event_queue();
        let mut state = State::default();
        connection.display().get_registry(&queue.handle(), ());
        queue.roundtrip(&mut state).map_err(cannot_start)?;
        if state.shm.is_none() {
            return Err(cannot_start("the compositor has no wl_shm"));
        }
        let link = Link { state, queue, surface, connection };
        Ok(Window { link: Mutex::new(Some(link)), is_lost: AtomicBool::new(false) })
    }

    /// Whether the compositor can still be reached.
    ///
    /// # Errors
    /// `VK_ERROR_SURFACE_LOST_KHR` when it cannot.
    pub(super) fn check(&self) -> Result<()> {
        if self.is_lost.load(Ordering::Acquire) { Err(lost("the connection is closed")) } else { Ok(()) }
    }

    /// Gives back what the compositor has of ours. Nothing is shown from now on.
    pub(super) fn close(&self) {
        let link = self.link.lock().take();
        if let Some(Link { state, connection, .. }) = link {
            drop(state);
            let _ = connection.flush();
        }
    }

    /// Shows an image. Where the compositor is gone, later commands say so.
    pub(super) fn show(&self, image: &Image, mode: PresentMode, has_alpha: bool) {
        if let Some(link) = &mut *self.link.lock()
            && link.show(image, mode, has_alpha).is_err()
        {
            self.is_lost.store(true, Ordering::Release);
        }
    }
}

impl Link {
    fn show(&mut self, image: &Image, mode: PresentMode, has_alpha: bool) -> Result<()> {
        let extent = image.info().extent;
        let extent = vk::Extent2D { width: extent.width, height: extent.height };
        self.queue.dispatch_pending(&mut self.state).map_err(lost)?;
        if mode == PresentMode::Paced {
            self.wait(|state| !state.waits_for_frame)?;
        }
        let Some(index) = self.buffer(extent, has_alpha)? else { return Ok(()) };
        let buffer = &mut self.state.buffers[index];
        copy_bgrx(image, &buffer.block);
        buffer.is_read = true;
        self.surface.attach(Some(&buffer.object), 0, 0);
        // All of it: since version 4 in pixels of the buffer, before in those of the surface.
        if self.surface.version() >= 4 {
            self.surface.damage_buffer(0, 0, i32::MAX, i32::MAX);
        } else {
            self.surface.damage(0, 0, i32::MAX, i32::MAX);
        }
        if mode == PresentMode::Paced {
            self.surface.frame(&self.queue.handle(), ());
            self.state.waits_for_frame = true;
        }
        self.surface.commit();
        self.flush()
    }

    /// A buffer that the compositor does not read; none when it reads all and gives none back.
    fn buffer(&mut self, extent: vk::Extent2D, has_alpha: bool) -> Result<Option<usize>> {
        let fits = move |buffer: &Buffer| buffer.extent == extent && buffer.has_alpha == has_alpha;
        let is_free = move |buffer: &Buffer| fits(buffer) && !buffer.is_read;
        // Those of another size or kind are of no use when they come back.
        self.state.buffers.retain(|buffer| fits(buffer) || buffer.is_read);
        if let Some(free) = self.state.buffers.iter().position(is_free) {
            return Ok(Some(free));
        }
        if self.state.buffers.iter().filter(|buffer| fits(buffer)).count() < BUFFERS_MAX {
            let buffer = self.new_buffer(extent, has_alpha)?;
            self.state.buffers.push(buffer);
            return Ok(Some(self.state.buffers.len() - 1));
        }
        self.wait(move |state| state.buffers.iter().any(is_free))?;
        Ok(self.state.buffers.iter().position(is_free))
    }

    fn new_buffer(&self, extent: vk::Extent2D, has_alpha: bool) -> Result<Buffer> {
        let size = u64::from(extent.width) * u64::from(extent.height) * 4;
        let [bytes, width, height, stride] =
            [size, extent.width.into(), extent.height.into(), u64::from(extent.width) * 4]
                .map(|value| i32::try_from(value).map_err(|_| Error::out_of_host_memory()));
        let SharedMemory { file, block } = SharedMemory::new(size, "Wayland")?;
        let shm = self.state.shm.as_ref().ok_or_else(|| lost("no wl_shm"))?;
        let format = if has_alpha { wl_shm::Format::Argb8888 } else { wl_shm::Format::Xrgb8888 };
        let queue = self.queue.handle();
        let pool = shm.create_pool(file.as_fd(), bytes?, &queue, ());
        let object = pool.create_buffer(0, width?, height?, stride?, format, &queue, ());
        pool.destroy();
        Ok(Buffer { object, block, extent, has_alpha, is_read: false })
    }

    /// Sends what was asked for. What a full socket does not take goes with later requests.
    fn flush(&self) -> Result<()> {
        match self.connection.flush() {
            Err(WaylandError::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(()),
            result => result.map_err(lost),
        }
    }

    /// Waits for something that the compositor says, as long as there is patience.
    fn wait(&mut self, is_so: impl Fn(&State) -> bool) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.queue.dispatch_pending(&mut self.state).map_err(lost)?;
            if is_so(&self.state) {
                return Ok(());
            }
            self.flush()?;
            // None: events are there that another thread has read.
            let Some(read) = self.queue.prepare_read() else { continue };
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).map_err(lost)?;
            let descriptor = read.connection_fd();
            let is_ready = match poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], Some(&timeout)) {
                Ok(count) => count > 0,
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(lost(error)),
            };
            if !is_ready {
                return Ok(());
            }
            match read.read().map_err(DispatchError::Backend) {
                Err(DispatchError::Backend(WaylandError::Io(error)))
                    if error.kind() == std::io::ErrorKind::WouldBlock => {}
                result => drop(result.map_err(lost)?),
            }
        }
    }
}
