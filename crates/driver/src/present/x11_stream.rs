//! The socket to the X server. Writing to a server that is gone is an error, never a SIGPIPE, which would end
//! an application that does not handle it: x11rb's own stream writes without `MSG_NOSIGNAL`, as a program
//! whose `main` is Rust's may, which ignores the signal.

use rustix::fd::AsFd;
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::io::{IoSlice, Result};
use std::mem::MaybeUninit;
use x11rb::errors::ConnectError;
use x11rb::reexports::x11rb_protocol::{parse_display::parse_display, xauth::get_auth};
use x11rb::rust_connection::{DefaultStream, PollMode, RustConnection, Stream};
use x11rb::utils::RawFdContainer;

/// A connection to the X server.
pub(super) type Connection = RustConnection<NoSignalStream>;

/// A stream whose writes raise no signal.
pub(super) struct NoSignalStream(DefaultStream);

/// Connects to the server that `DISPLAY` names, as [`RustConnection::connect`] does.
///
/// # Errors
/// When there is no such server, or it refuses.
pub(super) fn connect() -> std::result::Result<Connection, ConnectError> {
    let display = parse_display(None)?;
    let mut failed = None;
    for address in display.connect_instruction() {
        let (stream, (family, peer)) = match DefaultStream::connect(&address) {
            Ok(connected) => connected,
            Err(error) => {
                failed = Some(error);
                continue;
            }
        };
        // Without an entry the server may admit us all the same.
        let auth = get_auth(family, &peer, display.display).ok().flatten();
        let (name, data) = auth.unwrap_or_default();
        let (stream, screen) = (NoSignalStream(stream), display.screen.into());
        return RustConnection::connect_to_stream_with_auth_info(stream, screen, name, data);
    }
    Err(failed.map_or(ConnectError::UnknownError, ConnectError::from))
}

impl Stream for NoSignalStream {
    fn poll(&self, mode: PollMode) -> Result<()> {
        self.0.poll(mode)
    }

    fn read(&self, buffer: &mut [u8], fds: &mut Vec<RawFdContainer>) -> Result<usize> {
        self.0.read(buffer, fds)
    }

    fn write(&self, buffer: &[u8], fds: &mut Vec<RawFdContainer>) -> Result<usize> {
        self.write_vectored(&[IoSlice::new(buffer)], fds)
    }

    fn write_vectored(&self, buffers: &[IoSlice<'_>], fds: &mut Vec<RawFdContainer>) -> Result<usize> {
        let borrowed: Vec<_> = fds.iter().map(AsFd::as_fd).collect();
        let rights = SendAncillaryMessage::ScmRights(&borrowed);
        let mut space = vec![MaybeUninit::uninit(); if borrowed.is_empty() { 0 } else { rights.size() }];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !borrowed.is_empty() {
            ancillary.push(rights);
        }
        let sent = loop {
            match sendmsg(&self.0, buffers, &mut ancillary, SendFlags::NOSIGNAL) {
                Err(Errno::INTR) => {}
                other => break other?,
            }
        };
        // They went with the first byte.
        drop(borrowed);
        fds.clear();
        Ok(sent)
    }
}
