//! What a thread does, for samples.

use pyro_codemem::sample::{self, Scope};

/// What a thread does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Activity {
    /// The program itself.
    #[default]
    Application = 0,
    /// A call of the API.
    Api = 1,
    /// A queue that runs commands.
    Queue = 2,
    /// The engine: fixed functions, and what surrounds shaders.
    Engine = 3,
    /// The compiler. What it does it for is the number of a step ([`crate::commands::step`]).
    Compile = 4,
    /// A thread of the driver that waits for work while its processor runs.
    Waiting = 5,
    /// The profiler.
    Profiler = 6,
}

impl Activity {
    /// All, by their numbers.
    pub const ALL: [Activity; 7] = [
        Activity::Application,
        Activity::Api,
        Activity::Queue,
        Activity::Engine,
        Activity::Compile,
        Activity::Waiting,
        Activity::Profiler,
    ];

    /// The activity of this number; [`Activity::Application`] for others.
    pub fn of(number: u32) -> Activity {
        Activity::ALL.get(number as usize).copied().unwrap_or_default()
    }

    /// What it is called in reports.
    pub fn name(self) -> &'static str {
        match self {
            Activity::Application => "application",
            Activity::Api => "driver: API calls",
            Activity::Queue => "driver: commands",
            Activity::Engine => "engine",
            Activity::Compile => "compiler",
            Activity::Waiting => "waiting for work",
            Activity::Profiler => "profiler",
        }
    }
}

/// The calling thread does this until the result is dropped.
#[inline(always)]
pub fn enter(activity: Activity) -> Scope {
    sample::enter(activity as u32)
}

/// The calling thread calls the API, unless a call of the driver's own is made within another activity.
#[inline(always)]
pub fn enter_api() -> Scope {
    sample::enter_if(Activity::Application as u32, Activity::Api as u32)
}
