//! Replay of captures: makes the calls again, on any thread, and compares what the program could see.
//!
//! | module | holds |
//! | --- | --- |
//! | `call` | commands by function pointers: how each is called |
//! | `driver` | commands of a driver, by instance |
//! | `player` | the records, one after the other |
//! | `adapt` | what is changed in calls before they are made again |
//! | `images` | images of a replay, read as numbers |
//! | `memory` | memory of the replay, and its contents |
//! | `present` | swapchains without a window |
//! | [`compare`] | where two captures differ |
//! | [`edit`] | calls with some of their parameters changed |
//! | [`export`] | one draw, dispatch or launch of rays as a capture of its own |
//! | [`reduce`] | a smaller capture that still has a property |
//! | [`state`] | what is left of a capture behind its last record |
//! | `sync` | states of semaphores and fences |
//! | [`trim`] | a part of a capture as a capture of its own |
//!
//! Surfaces do not exist in a replay: a swapchain is images, presenting reads one of them. Memory is at the
//! addresses of the capture, as `bufferDeviceAddressCaptureReplay` allows.
//!
//! A capture is a program: what it does with valid handles and pointers is up to the driver, as with any
//! program. Handles that the capture does not make are null; pointers are of the decoder's making.
//!
//! *Must not know* a particular driver.
#![allow(unsafe_code)] // calls of the Vulkan API

mod adapt;
mod call;
pub mod compare;
mod driver;
pub mod edit;
pub mod export;
mod images;
mod memory;
mod player;
mod present;
pub mod reduce;
pub mod state;
mod sync;
pub mod trim;

pub use driver::Lookup;
pub use images::{Image, Texels};
pub use player::{Counts, Layer, Player, Reload};
pub use present::Picture;

use pyro_capture::decode::DecodeError;
use pyro_capture::file::ReadError;
use thiserror::Error;

/// Why a replay cannot go on.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The file.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The parameters of a call.
    #[error("call {call} ({command}) cannot be decoded: {source}")]
    Decode {
        /// The call's number, from zero.
        call: u64,
        /// Its command.
        command: &'static str,
        /// Why.
        source: DecodeError,
    },
    /// A command with a number that no table has.
    #[error("call {0} is of an unknown command")]
    Command(u64),
    /// The driver does not have a command.
    #[error("call {call}: the driver does not have {command}")]
    Missing {
        /// The call's number.
        call: u64,
        /// Its command.
        command: &'static str,
    },
    /// What was successful is not any more.
    #[error("call {call} ({command}) failed: VkResult {result}, {captured} in the capture")]
    Failed {
        /// The call's number.
        call: u64,
        /// Its command.
        command: &'static str,
        /// What it returned now.
        result: i32,
        /// What it returned in the capture.
        captured: i32,
    },
    /// Something that the replay does for itself.
    #[error("call {call}: {what}")]
    Own {
        /// The number of the call under way.
        call: u64,
        /// What failed.
        what: String,
    },
}

/// Something that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of the call behind which it was seen.
    pub call: u64,
    /// Submissions before it.
    pub submission: u64,
    /// Frames before it.
    pub frame: u64,
    /// What differs.
    pub what: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference { call, submission, frame, what } = self;
        write!(f, "frame {frame}, submission {submission}, call {call}: {what}")
    }
}
