//! An X server that goes away while an application has a surface there.
#![cfg(target_os = "linux")]

use pyro_test_environment::{in_child, is_child};
use pyro_test_kit::Client;
use std::ffi::c_int;
use std::io::{Read, Result, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{KhrSurfaceExtensionInstanceCommands as _, KhrXcbSurfaceExtensionInstanceCommands as _};

const TEST: &str = "the_application_outlives_the_window_server";
const SIGPIPE: c_int = 13;
/// The default action of a signal; of SIGPIPE, to end the process.
const SIG_DFL: usize = 0;
const WIDTH: u16 = 640;

unsafe extern "C" {
    fn signal(number: c_int, action: usize) -> usize;
}

/// Serves a client of the X protocol until it asks for the size of a window the second time; then the
/// connection closes (X Window System Protocol, "Connection Setup" and "Requests").
fn serve(mut client: UnixStream) -> Result<()> {
    const GET_GEOMETRY: u8 = 14;
    const QUERY_EXTENSION: u8 = 98;
    let mut setup = [0; 12];
    client.read_exact(&mut setup)?;
    let padded = |at| usize::from(u16::from_le_bytes([setup[at], setup[at + 1]])).next_multiple_of(4);
    client.read_exact(&mut vec![0; padded(6) + padded(8)])?;
    // Accepted: version 11, a range of resources, requests up to 256 KiB, and one screen without depths.
    let mut answer = [0; 80];
    (answer[0], answer[2], answer[6]) = (1, 11, 18);
    answer[12..16].copy_from_slice(&0x20_0000_u32.to_le_bytes());
    answer[16..20].copy_from_slice(&0x1f_ffff_u32.to_le_bytes());
    answer[26..28].fill(0xff);
    (answer[28], answer[34], answer[35]) = (1, 8, 255);
    client.write_all(&answer)?;
    let mut seen = 0;
    for sequence in 1_u16.. {
        let mut head = [0; 4];
        client.read_exact(&mut head)?;
        let words = usize::from(u16::from_le_bytes([head[2], head[3]]));
        client.read_exact(&mut vec![0; 4 * words - 4])?;
        let mut reply = [0; 32];
        reply[0] = 1;
        reply[2..4].copy_from_slice(&sequence.to_le_bytes());
        match head[0] {
            GET_GEOMETRY if seen == 1 => break,
            GET_GEOMETRY => {
                seen += 1;
                reply[1] = 24;
                reply[16..18].copy_from_slice(&WIDTH.to_le_bytes());
                reply[18..20].copy_from_slice(&480_u16.to_le_bytes());
            }
            // There are no extensions.
            QUERY_EXTENSION => {}
            _ => continue,
        }
        client.write_all(&reply)?;
    }
    Ok(())
}

/// The server closes the connection between two commands; those after it fail, and no SIGPIPE ends the
/// application, which leaves the signal as it is.
#[test]
fn the_application_outlives_the_window_server() {
    if !is_child() {
        let number = 10_000 + std::process::id() % 50_000;
        let name = format!("/tmp/.X11-unix/X{number}");
        let address = SocketAddr::from_abstract_name(name).expect("an address");
        let listener = UnixListener::bind_addr(&address).expect("a socket");
        let server = std::thread::spawn(move || serve(listener.accept()?.0));
        let _ = in_child(module_path!(), TEST, &[("DISPLAY", &format!(":{number}"))]);
        server.join().expect("the server runs").expect("the client speaks the protocol");
        return;
    }
    unsafe { signal(SIGPIPE, SIG_DFL) };
    let client = Client::new(vk::make_version(1, 3, 0), &[c"VK_KHR_surface", c"VK_KHR_xcb_surface"]);
    let info = vk::XcbSurfaceCreateInfoKHR { window: 7, ..Default::default() };
    let surface = unsafe { client.instance.create_xcb_surface_khr(&info, None) }.expect("a surface");
    for _ in 0..3 {
        let lost = unsafe {
            client.instance.get_physical_device_surface_capabilities_khr(client.physical_device, surface)
        };
        assert_eq!(lost.err(), Some(vk::ErrorCode::SURFACE_LOST_KHR));
    }
    unsafe { client.instance.destroy_surface_khr(surface, None) };
}
