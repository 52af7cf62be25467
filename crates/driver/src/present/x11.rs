//! Windows of an X server, reached over a connection of our own: windows are known to all of a server's
//! clients.
//!
//! Pixels go through memory that is shared with the server where it can, else through the connection.

use super::x11_stream::{self, Connection};
use super::{SharedMemory, copy_bgrx, rows_bgrx};
use crate::error::{Error, Result};
use crate::objects::image::Image;
use crate::objects::memory::mapped::Block;
use pyro_util::sync::Mutex;
use vulkanalia_sys as vk;
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::shm::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt as _, CreateGCAux, Gcontext, ImageFormat};

/// A window.
pub struct Window {
    connection: Connection,
    window: u32,
    depth: u8,
    context: Gcontext,
    /// The server can share memory by file descriptor.
    shares: bool,
    shared: Mutex<Option<Shared>>,
}

/// Memory that the server reads.
struct Shared {
    block: Block,
    segment: shm::Seg,
}

fn lost(error: impl core::fmt::Display) -> Error {
    Error::new(vk::Result::ERROR_SURFACE_LOST_KHR, format!("the window is gone: {error}"))
}

impl Window {
    /// A window of the server that `DISPLAY` names.
    pub(super) fn new(window: u32) -> Result<Window> {
        let connection = x11_stream::connect()
            .map_err(|error| Error::new(vk::Result::ERROR_INITIALIZATION_FAILED, error.to_string()))?;
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
        Ok(Window { connection, window, depth, context, shares, shared: Mutex::new(None) })
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
        let mut shared = self.shared.lock();
        if shared.as_ref().is_none_or(|shared| shared.block.size() < size) {
            if let Some(old) = shared.take() {
                self.connection.shm_detach(old.segment).map_err(lost)?;
            }
            *shared = Some(self.share(size)?);
        }
        let Some(shared) = &*shared else { return Ok(()) };
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
        // The server has read the memory when it answers what comes after.
        self.connection.get_input_focus().map_err(lost)?.reply().map_err(lost)?;
        Ok(())
    }

    fn share(&self, size: u64) -> Result<Shared> {
        let SharedMemory { file, block } = SharedMemory::new(size, "the X server")?;
        let segment = self.connection.generate_id().map_err(lost)?;
        let attached = self.connection.shm_attach_fd(segment, file, true).map_err(lost)?;
        attached.check().map_err(lost)?;
        Ok(Shared { block, segment })
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
