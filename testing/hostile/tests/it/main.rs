//! Slightly wrong shaders, pipelines and launches are refused, or do something: nothing ends the process, no
//! memory is touched but that of resources, and what follows works as before.
#![allow(missing_docs, unsafe_code)] // the Vulkan API is foreign functions

mod infos;
mod rules;
mod shaders;

use pyro_digests::stages;
use pyro_random::Random;
use pyro_test_kit::scene::{Lab, Picture};
use vulkanalia::vk;

/// Loops that do not end are stopped; signals end the process, so that no access out of bounds goes unseen.
pub(crate) const ENVIRONMENT: [(&str, &str); 4] = [
    ("PYROCLAST_WATCHDOG_SECONDS", "2"),
    ("PYROCLAST_COMPILE_SECONDS", "30"),
    ("PYROCLAST_FAULT_HANDLER", "0"),
    ("PYROCLAST_THREADS", "2"),
];

/// A device whose accesses of buffers are robust, and what it draws of working scenes.
pub(crate) struct Victim {
    pub(crate) lab: Lab,
    expected: Vec<Picture>,
}

/// Scenes of all stages that are drawn now and then.
const KNOWN: u64 = 6;

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

impl Victim {
    pub(crate) fn new() -> Victim {
        let lab = Lab::robust(&stages::EXTENSIONS);
        let expected = known(&lab);
        Victim { lab, expected }
    }

    /// Another device, when this one is lost.
    pub(crate) fn replace_if_lost(&mut self, outcome: Result<Picture, vk::ErrorCode>) -> Outcome {
        match outcome {
            Ok(_) => Outcome::Drawn,
            Err(vk::ErrorCode::DEVICE_LOST) => {
                self.lab = Lab::robust(&stages::EXTENSIONS);
                Outcome::Lost
            }
            Err(_) => Outcome::Refused,
        }
    }

    /// Draws the working scenes.
    pub(crate) fn check(&self) {
        assert!(known(&self.lab) == self.expected, "a working scene is drawn otherwise");
    }
}

/// What became of a round.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Drawn,
    Lost,
    Refused,
}

/// How many rounds came to what.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) drawn: u64,
    lost: u64,
    refused: u64,
}

impl Tally {
    pub(crate) fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Drawn => self.drawn += 1,
            Outcome::Lost => self.lost += 1,
            Outcome::Refused => self.refused += 1,
        }
    }
}
