//! A profile: what is kept of a process, and its file.

use crate::activity::Activity;
use crate::code::{CodePlace, Function};
use crate::commands::{Command, Event, Pass, Step};
use crate::counters::ShaderCounts;
use pyro_util::codec::{ByteCodec, Reader};
use pyro_util::codec_struct;
use std::io;
use std::path::Path;

/// What files begin with; the digits are the format's version.
const MAGIC: &[u8; 16] = b"pyro-profile 003";

/// A thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// Its number, as samples have it.
    pub number: u32,
    /// Its name.
    pub name: String,
}

/// Time at one place, in one activity, for one command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stack {
    /// The thread's number.
    pub thread: u32,
    /// The number of an [`Activity`].
    pub activity: u32,
    /// Index of the command, or of the compiler's step.
    pub tag: u32,
    /// Functions of generated code, innermost first, with the numbers of places.
    pub frames: Vec<(u32, u32)>,
    /// The program counter was in the driver's library, or in generated code.
    pub is_driver: bool,
}

impl Stack {
    /// What the thread did.
    pub fn activity(&self) -> Activity {
        Activity::of(self.activity)
    }

    /// Functions and places, innermost first.
    pub fn places(&self) -> impl Iterator<Item = CodePlace> {
        self.frames.iter().map(|&(function, place)| CodePlace { function, place })
    }
}

/// A stack with its samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// Where.
    pub stack: Stack,
    /// How many samples.
    pub count: u64,
    /// Processor time in nanoseconds.
    pub ns: u64,
}

/// What is kept of a process.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// The program's name.
    pub program: String,
    /// The process's number.
    pub process: u32,
    /// When it began and ended, in nanoseconds of the monotonic clock.
    pub begin_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// Processor time of all its threads, in nanoseconds.
    pub cpu_ns: u64,
    /// Threads that run shaders at once.
    pub worker_count: u32,
    /// Threads, by number.
    pub threads: Vec<Thread>,
    /// Functions of generated code.
    pub functions: Vec<Function>,
    /// Commands; the first stands for none.
    pub commands: Vec<Command>,
    /// Passes; the first stands for none.
    pub passes: Vec<Pass>,
    /// Names of pipelines; the first stands for none.
    pub pipelines: Vec<String>,
    /// What ran when.
    pub events: Vec<Event>,
    /// Events that there was no room for.
    pub lost_events: u64,
    /// The compiler's steps; the first stands for what is not one step.
    pub steps: Vec<Step>,
    /// Samples.
    pub samples: Vec<Samples>,
    /// Exact counts, where they were asked for.
    pub counts: Vec<ShaderCounts>,
}

codec_struct!(Thread { number, name });
codec_struct!(Stack { thread, activity, tag, frames, is_driver });
codec_struct!(Samples { stack, count, ns });
codec_struct!(Function { name, map, code_bytes, spills });
codec_struct!(Profile {
    program,
    process,
    begin_ns,
    end_ns,
    cpu_ns,
    worker_count,
    threads,
    functions,
    commands,
    passes,
    pipelines,
    events,
    lost_events,
    steps,
    samples,
    counts,
});

impl Profile {
    /// Processor time in samples, in nanoseconds.
    pub fn sampled_ns(&self) -> u64 {
        self.samples.iter().map(|samples| samples.ns).sum()
    }

    /// Writes it to a file, whole or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut bytes = MAGIC.to_vec();
        self.write(&mut bytes);
        let mut partial = path.as_os_str().to_owned();
        partial.push(format!(".{}", self.process));
        std::fs::write(&partial, &bytes)?;
        std::fs::rename(&partial, path)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is no profile of this version.
    pub fn load(path: &Path) -> io::Result<Profile> {
        let bytes = std::fs::read(path)?;
        let bad = |text: &str| io::Error::new(io::ErrorKind::InvalidData, text.to_owned());
        let body = bytes.strip_prefix(MAGIC).ok_or_else(|| bad("it is not a profile of this version"))?;
        let mut reader = Reader::new(body);
        let profile: Profile = reader.value().ok_or_else(|| bad("the profile is damaged"))?;
        if reader.left() != 0 {
            return Err(bad("the profile is damaged: it has bytes behind its end"));
        }
        Ok(profile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_are_errors() {
        let path = std::env::temp_dir().join(format!("pyroclast-profile-test-{}", std::process::id()));
        let stack = Stack { thread: 1, activity: 3, tag: 7, frames: vec![(0, 4)], is_driver: true };
        let samples = vec![Samples { stack, count: 2, ns: 5_000_000 }];
        let profile = Profile { program: "a.out".to_owned(), samples, ..Profile::default() };
        profile.save(&path).expect("written");
        let again = Profile::load(&path).expect("read");
        assert_eq!((&again.samples, again.sampled_ns()), (&profile.samples, 5_000_000));
        let bytes = std::fs::read(&path).expect("there");
        for len in 0..bytes.len() {
            std::fs::write(&path, &bytes[..len]).expect("written");
            assert!(Profile::load(&path).is_err(), "{len} of {}", bytes.len());
        }
        std::fs::remove_file(&path).expect("removed");
    }
}
