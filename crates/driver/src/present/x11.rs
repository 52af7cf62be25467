//! Windows of an X server, reached over a connection of our own: windows are known to all of a server's
//! clients.
//!
//! Pixels go through memory that is shared with the server where it can, else through the connection. Nobody
//! waits for the server where a frame is acquired or presented: it tells when the window's size changes, and
//! while it reads one image, the next is copied to other memory.

use super::x11_stream::{self, Connection};
use super::{SharedMemory, copy_bgrx, rows_bgrx};
use crate::error::{Error, Result};
use crate::objects::image::Image;
use crate::objects::memory::mapped::Block;
use pyro_util::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use vulkanalia_sys as vk;
use x11rb::connection::{Connection as _, RequestConnection as _, SequenceNumber};
use x11rb::protocol::Event;
use x11rb::protocol::shm::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConnectionExt as _, CreateGCAux, EventMask, Gcontext, ImageFormat,
};

/// A window.
pub struct Window {
    connection: Connection,
    window: u32,
    depth: u8,
    context: Gcontext,
    /// The server can share memory by file descriptor.
    shares: bool,
    /// Used in turn, the next one first.
    shared: Mutex<[Option<Shared>; 2]>,
    /// The size that the server told last.
    size: Mutex<vk::Extent2D>,
    /// The window is destroyed.
    is_gone: AtomicBool,
}

/// Memory that the server reads.
struct Shared {
    block: Block,
    segment: shm::Seg,
    /// A request after the one that reads it: when the server answers, it has read the memory.
    reading: Option<SequenceNumber>,
}

fn lost(error: impl core::fmt::Display) -> Error {
    Error::new(vk::Result::ERROR_SURFACE_LOST_KHR, format!("the window is gone: {error}"))
}

impl Window {
    /// A window of the server that `DISPLAY` names.
    pub(super) fn new(window: u32) -> Result<Window> {
        let connection = x11_stream::connect()
            .map_err(|error| Error::new(vk::Result::ERROR_INITIALIZATION_FAILED, error.to_string()))?;
        // Before the size is asked for, so that no change between is missed.
        let events = ChangeWindowAttributesAux::new().event_mask(EventMask::STRUCTURE_NOTIFY);
        connection.change_window_attributes(window, &events).map_err(lost)?;
        let geometry = connection.get_geometry(window).map_err(lost)?.reply().map_err(lost)?;
        let context = connection.generate_id().map_err(lost)?;
        connection.create_gc(context, window, &CreateGCAux::new()).map_err(lost)?;
        let present = connection.extension_information(shm::X11_EXTENSION_NAME).ok().flatten().is_some();
        let version = if present {
            connection.shm_query_version().ok().and_then(|cookie| cookie.reply().ok())
        } else {
            None
        };
        // Attaching by file descriptor came with 1.2.
        let shares = version.is_some_and(|version| (version.major_version, version.minor_version) >= (1, 2));
        let depth = geometry.depth;
        let size = Mutex::new(vk::Extent2D { width: geometry.width.into(), height: geometry.height.into() });
        let (shared, is_gone) = (Mutex::default(), AtomicBool::new(false));
        Ok(Window { connection, window, depth, context, shares, shared, size, is_gone })
    }

    /// The window's size as far as the server has told, which is not asked.
    pub(super) fn told_extent(&self) -> Result<vk::Extent2D> {
        let mut size = self.size.lock();
        while let Some(event) = self.connection.poll_for_event().map_err(lost)? {
            match event {
                Event::ConfigureNotify(change) if change.window == self.window => {
                    *size = vk::Extent2D { width: change.width.into(), height: change.height.into() };
                }
                Event::DestroyNotify(event) if event.window == self.window => {
                    self.is_gone.store(true, Ordering::Relaxed);
                }
                _ => {}
            }
        }
        if self.is_gone.load(Ordering::Relaxed) { Err(lost("destroyed")) } else { Ok(*size) }
    }

    /// The window's size.
    pub(super) fn extent(&self) -> Result<vk::Extent2D> {
        let geometry = self.connection.get_geometry(self.window).map_err(lost)?.reply().map_err(lost)?;
        Ok(vk::Extent2D { width: geometry.width.into(), height: geometry.height.into() })
    }

    /// Puts an image into the window. A window that is gone shows nothing.
    pub(super) fn show(&self, image: &Image) {
        if !(self.shares && self.show_shared(image).is_ok()) {
            let _ = self.show_sent(image);
        }
    }

    fn show_shared(&self, image: &Image) -> Result<()> {
        let extent = image.info().extent;
        let size = u64::from(extent.width) * u64::from(extent.height) * 4;
        let mut turns = self.shared.lock();
        turns.swap(0, 1);
        let [shared, _] = &mut *turns;
        if let Some(shared) = shared
            && let Some(reading) = shared.reading.take()
        {
            self.connection.wait_for_reply(reading).map_err(lost)?;
        }
        if shared.as_ref().is_none_or(|shared| shared.block.size() < size) {
            if let Some(old) = shared.take() {
                self.connection.shm_detach(old.segment).map_err(lost)?;
            }
            *shared = Some(self.share(size)?);
        }
        let Some(shared) = shared else { return Ok(()) };
        copy_bgrx(image, &shared.block);
        let (width, height) = (extent.width as u16, extent.height as u16);
        self.connection
            .shm_put_image(
                self.window,
                self.context,
                width,
                height,
                0,
                0,
                width,
                height,
                0,
                0,
                self.depth,
                ImageFormat::Z_PIXMAP.into(),
                false,
                shared.segment,
                0,
            )
            .map_err(lost)?;
        let after = self.connection.get_input_focus().map_err(lost)?;
        shared.reading = Some(after.sequence_number());
        // Dropped, it would throw the answer away.
        core::mem::forget(after);
        self.connection.flush().map_err(lost)
    }

    fn share(&self, size: u64) -> Result<Shared> {
        let SharedMemory { file, block } = SharedMemory::new(size, "the X server")?;
        let segment = self.connection.generate_id().map_err(lost)?;
        let attached = self.connection.shm_attach_fd(segment, file, true).map_err(lost)?;
        attached.check().map_err(lost)?;
        Ok(Shared { block, segment, reading: None })
    }

    /// Sends the pixels in pieces that requests have room for.
    fn show_sent(&self, image: &Image) -> Result<()> {
        let extent = image.info().extent;
        let row_bytes = extent.width as usize * 4;
        let room = self.connection.maximum_request_bytes().saturating_sub(64);
        let rows_at_once = (room / row_bytes.max(1)).clamp(1, 1 << 15);
        let (mut piece, mut first, mut result) = (Vec::new(), 0_usize, Ok(()));
        let mut put = |piece: &mut Vec<u8>| {
            let rows = piece.len() / row_bytes.max(1);
            if rows == 0 || result.is_err() {
                return;
            }
            let sent = self.connection.put_image(
                ImageFormat::Z_PIXMAP,
                self.window,
                self.context,
                extent.width as u16,
                rows as u16,
                0,
                first as i16,
                0,
                self.depth,
                piece,
            );
            result = sent.map(|_| ()).map_err(lost);
            first += rows;
            piece.clear();
        };
        rows_bgrx(image, |row| {
            piece.extend_from_slice(row);
            if piece.len() >= rows_at_once * row_bytes {
                put(&mut piece);
            }
        });
        put(&mut piece);
        result?;
        self.connection.flush().map_err(lost)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.connection.free_gc(self.context);
        let _ = self.connection.flush();
    }
}
