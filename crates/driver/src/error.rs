//! Why a command failed.

use std::borrow::Cow;
use vulkanalia_sys as vk;

/// A failed command: what the application gets, and what its developer is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The code that the command returns, if it returns one.
    pub code: vk::Result,
    /// Why, for the debug messengers.
    pub message: Cow<'static, str>,
}

/// What a command's body gives.
pub type Result<T, E = Error> = core::result::Result<T, E>;

impl Error {
    /// An error with this code.
    pub fn new(code: vk::Result, message: impl Into<Cow<'static, str>>) -> Error {
        Error { code, message: message.into() }
    }

    /// The application broke a rule of the API.
    pub fn misuse(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(vk::Result::ERROR_VALIDATION_FAILED, message)
    }

    /// The host has no memory left.
    pub fn out_of_host_memory() -> Error {
        Error::new(vk::Result::ERROR_OUT_OF_HOST_MEMORY, "out of host memory")
    }

    /// Something that this device cannot do.
    pub fn unsupported(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(vk::Result::ERROR_FEATURE_NOT_PRESENT, message)
    }

    /// The device is lost.
    pub fn device_lost() -> Error {
        Error::new(vk::Result::ERROR_DEVICE_LOST, "the device is lost: a shader was stopped or failed")
    }
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} ({:?})", self.message, self.code)
    }
}

impl core::error::Error for Error {}
