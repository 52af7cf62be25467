//! The device that hostile input is given to, and what it draws of working scenes.

use pyro_digests::stages;
use pyro_random::Random;
use pyro_test_kit::scene::{Lab, Picture, Scene, With};
use std::ffi::CStr;
use vulkanalia::vk;

/// Loops that do not end are stopped; signals end the process, so that no access out of bounds goes unseen.
pub const ENVIRONMENT: [(&str, &str); 4] = [
    ("PYROCLAST_WATCHDOG_SECONDS", "2"),
    ("PYROCLAST_COMPILE_SECONDS", "30"),
    ("PYROCLAST_FAULT_HANDLER", "0"),
    ("PYROCLAST_THREADS", "2"),
];

/// Scenes of all stages that are drawn now and then.
const KNOWN: u64 = 6;

/// What the device has: mesh shaders, and libraries of pipelines.
const EXTENSIONS: [&CStr; 3] =
    [stages::EXTENSIONS[0], c"VK_KHR_pipeline_library", c"VK_EXT_graphics_pipeline_library"];

/// A device whose accesses of buffers are robust.
pub struct Victim {
    /// The device.
    pub lab: Lab,
    expected: Vec<Picture>,
}

fn known(lab: &Lab) -> Vec<Picture> {
    let picture = |seed| {
        let (scene, with, groups) = stages::scene(&mut Random::new(seed));
        let mut picture = stages::draw_scene(lab, &scene, with, groups).expect("a picture");
        // Of any order.
        picture.words.clear();
        picture
    };
    (1..=KNOWN).map(picture).collect()
}

impl Default for Victim {
    fn default() -> Victim {
        let lab = Lab::robust(&EXTENSIONS);
        let expected = known(&lab);
        Victim { lab, expected }
    }
}

impl Victim {
    /// Draws a scene; makes another device when this one is lost.
    pub fn draw(&mut self, scene: &Scene, with: With, groups: Option<[u32; 3]>) -> Outcome {
        let outcome = stages::draw_scene(&self.lab, scene, with, groups).map(|_| ()).into();
        if outcome == Outcome::Lost {
            self.renew();
        }
        outcome
    }

    /// Makes another device, as this one is lost.
    pub fn renew(&mut self) {
        self.lab = Lab::robust(&EXTENSIONS);
    }

    /// Draws the working scenes.
    ///
    /// # Panics
    /// When one is another picture than before.
    pub fn check(&self) {
        assert!(known(&self.lab) == self.expected, "a working scene is drawn otherwise");
    }
}

/// What became of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran to its end.
    Drawn,
    /// The device was lost.
    Lost,
    /// The driver refused it.
    Refused,
}

impl From<Result<(), vk::ErrorCode>> for Outcome {
    fn from(done: Result<(), vk::ErrorCode>) -> Outcome {
        match done {
            Ok(()) => Outcome::Drawn,
            Err(vk::ErrorCode::DEVICE_LOST) => Outcome::Lost,
            Err(_) => Outcome::Refused,
        }
    }
}

/// How many rounds came to what.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    /// Rounds that ran to their ends.
    pub drawn: u64,
    /// Those after which the device was lost.
    pub lost: u64,
    /// Those that the driver refused.
    pub refused: u64,
}

impl Tally {
    /// Counts a round.
    pub fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Drawn => self.drawn += 1,
            Outcome::Lost => self.lost += 1,
            Outcome::Refused => self.refused += 1,
        }
    }
}
