//! The environment variables of the driver. Nothing else reads the environment (but tests and tools for their
//! own).
//!
//! * `PYROCLAST_CPU` (`amx`, `avx512`, `avx2`, `sse4.1`, `neon`, `interpreter`; default: the best one here):
//!   what shaders are compiled for, and the vector instructions of the driver's own loops.
//! * `PYROCLAST_THREADS` (a number; default: one for each core): threads that run shaders.
//! * `PYROCLAST_DEVICE_GROUP` (a number up to 32, or `numa`; default: 1): physical devices that the machine's
//!   cores are shared out to, or one for each NUMA node.
//! * `PYROCLAST_DETERMINISTIC` (anything but `0`; default: off): invocations that write memory run in a fixed
//!   order, so that results do not depend on the number of threads where the order of atomics decides.
//! * `PYROCLAST_ROUND_TWICE` (anything but `0`; default: off): on processors without fused operations
//!   (SSE4.1) products that are added are rounded, too, where shaders leave it open: faster, with other bits.
//! * `PYROCLAST_WATCHDOG_SECONDS` (a number; default: no limit): time that a dispatch may take before the
//!   device is lost.
//! * `PYROCLAST_COMPILE_SECONDS` (a number; default: no limit): time that compiling one shader may take
//!   before it fails.
//! * `PYROCLAST_STRICT` (anything but `0`; default: off): modules and pipelines are checked against
//!   Vulkan's rules; broken rules are reported.
//! * `PYROCLAST_MESSAGES` (anything; default: off): errors and warnings go to standard error.
//! * `PYROCLAST_CACHE_DIR` (a directory; default: none): compiled code is kept in files there.
//! * `PYROCLAST_CACHE_SIZE` (MiB; default: 256): how much these files may take.
//! * `PYROCLAST_CACHE_SHARED` (a directory; default: none): a second level of the cache, for many workers.
//! * `PYROCLAST_CACHE_SHARED_SIZE` (MiB; default: 4096): how much its files may take.
//! * `PYROCLAST_CACHE_SHARED_READ_ONLY` (anything but `0`; default: off): nothing is written there.
//! * `PYROCLAST_CACHE_KEY_FILE` (a file; default: none): the operator's key, without which it is not used.
//! * `PYROCLAST_INLINE_IMAGES` (`always`, `never`; default: after some use): when shaders are compiled
//!   again with their image operations inlined.
//! * `PYROCLAST_PRESENT_DIR` (a directory; default: none): presented images are written there as PNG files.
//! * `PYROCLAST_CAPTURE` (a file; default: none): all calls are recorded there.
//! * `PYROCLAST_CAPTURE_GATE` (a Unix socket; default: none): the process waits behind each submission until
//!   who listens there lets it go on.
//! * `PYROCLAST_CONFORMANCE_VERSION` (four numbers with dots; default: `0.0.0.0`):
//!   `VkPhysicalDeviceDriverProperties::conformanceVersion`.
//! * `PYROCLAST_PERF` (anything but `0`; default: off): names of generated code for `perf`.
//! * `PYROCLAST_GDB` (anything but `0`; default: off): symbols of generated code for GDB.
//! * `PYROCLAST_VERIFY` (anything but `0`; default: off): the IR is verified after each pass, and the
//!   register allocator's result is checked.
//! * `PYROCLAST_FAULT_HANDLER` (anything but `0`; default: on): signals that generated code raises lose the
//!   device instead of ending the process.
//! * `PYROCLAST_SANITIZE` (`all`, `none`, or kinds and groups with commas, `-` in front takes away; default:
//!   `none`): shaders are checked while they run; findings go to messengers and standard error.
//! * `PYROCLAST_SANITIZE_OUTPUT` (a file; default: none): findings are appended to it as lines of JSON, and
//!   not written to standard error.
//! * `PYROCLAST_PRINTF` (anything but `0`; default: off): what shaders print goes to standard error, not to
//!   messengers alone.
//! * `PYROCLAST_PROFILE` (a file; default: none): where its time goes is written there when the process ends.
//! * `PYROCLAST_PROFILE_INTERVAL` (microseconds; default: 1000): processor time between a thread's samples.
//! * `PYROCLAST_PROFILE_COUNTS` (anything but `0`; default: off): shaders count exactly, for the profile.
//! * `PYROCLAST_COVERAGE` (a file; default: none): which lines of shaders ran is added to it, as LCOV, when
//!   the process ends.
//! * `XDG_DATA_HOME`, `HOME`, on Windows `LOCALAPPDATA` (directories): where the key is that authenticates
//!   cached code (`pyroclast/cache-key`).
//!
//! The environment is read once, when something first asks.

use crate::sanitize::KindSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// MiB of `PYROCLAST_CACHE_SIZE`.
const CACHE_MIB: u64 = 256;

/// MiB of `PYROCLAST_CACHE_SHARED_SIZE`.
const SHARED_CACHE_MIB: u64 = 4096;

/// Microseconds of `PYROCLAST_PROFILE_INTERVAL`, and the fewest.
const PROFILE_INTERVAL_MICROSECONDS: u64 = 1000;
const PROFILE_INTERVAL_MICROSECONDS_MIN: u64 = 100;

/// When shaders are compiled again with their image operations inlined (`PYROCLAST_INLINE_IMAGES`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InlineImages {
    /// After some use, on a thread of its own.
    #[default]
    Used,
    /// At once, before the first use: for tests.
    Always,
    /// Never.
    Never,
}

/// The physical devices that the machine is (`PYROCLAST_DEVICE_GROUP`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceGroup {
    /// So many, each with a share of the threads.
    Count(usize),
    /// One for each NUMA node, with threads that stay on its cores.
    Numa,
}

impl Default for DeviceGroup {
    fn default() -> DeviceGroup {
        DeviceGroup::Count(1)
    }
}

/// Physical devices of a group: `VK_MAX_DEVICE_GROUP_SIZE`.
pub const DEVICE_GROUP_MAX: usize = 32;

impl DeviceGroup {
    /// What a value of the variable means; one device where it means nothing.
    fn parse(text: &str) -> DeviceGroup {
        match text.parse::<usize>() {
            Ok(count) => DeviceGroup::Count(count.clamp(1, DEVICE_GROUP_MAX)),
            Err(_) if text == "numa" => DeviceGroup::Numa,
            Err(_) => DeviceGroup::default(),
        }
    }
}

/// What the environment asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// `PYROCLAST_CPU`, as it stands there; `None` if it is empty.
    pub cpu: Option<String>,
    /// `PYROCLAST_THREADS`; zero: one for each core.
    pub threads: usize,
    /// `PYROCLAST_DEVICE_GROUP`
    pub device_group: DeviceGroup,
    /// `PYROCLAST_DETERMINISTIC`
    pub deterministic: bool,
    /// `PYROCLAST_ROUND_TWICE`
    pub round_twice: bool,
    /// `PYROCLAST_WATCHDOG_SECONDS`.
    pub watchdog: Option<Duration>,
    /// `PYROCLAST_COMPILE_SECONDS`
    pub compile_limit: Option<Duration>,
    /// `PYROCLAST_STRICT`
    pub strict: bool,
    /// `PYROCLAST_MESSAGES`
    pub messages: bool,
    /// `PYROCLAST_CACHE_DIR`
    pub cache_directory: Option<PathBuf>,
    /// `PYROCLAST_CACHE_SIZE` in bytes.
    pub cache_bytes: u64,
    /// `PYROCLAST_CACHE_SHARED`
    pub shared_cache: Option<PathBuf>,
    /// `PYROCLAST_CACHE_SHARED_SIZE` in bytes.
    pub shared_cache_bytes: u64,
    /// `PYROCLAST_CACHE_SHARED_READ_ONLY`
    pub shared_cache_read_only: bool,
    /// `PYROCLAST_CACHE_KEY_FILE`
    pub cache_key_file: Option<PathBuf>,
    /// `PYROCLAST_INLINE_IMAGES`
    pub inline_images: InlineImages,
    /// `PYROCLAST_PRESENT_DIR`
    pub present_directory: Option<PathBuf>,
    /// `PYROCLAST_CAPTURE`
    pub capture: Option<PathBuf>,
    /// `PYROCLAST_CAPTURE_GATE`
    pub capture_gate: Option<PathBuf>,
    /// `PYROCLAST_CONFORMANCE_VERSION`: major, minor, subminor, patch.
    pub conformance_version: [u8; 4],
    /// `PYROCLAST_PERF`
    pub perf: bool,
    /// `PYROCLAST_GDB`
    pub gdb: bool,
    /// `PYROCLAST_VERIFY`
    pub verify: bool,
    /// `PYROCLAST_FAULT_HANDLER`
    pub fault_handler: bool,
    /// `PYROCLAST_SANITIZE`
    pub sanitize: KindSet,
    /// Why `PYROCLAST_SANITIZE` cannot be read; nothing is checked then.
    pub sanitize_error: Option<String>,
    /// `PYROCLAST_SANITIZE_OUTPUT`
    pub sanitize_output: Option<PathBuf>,
    /// `PYROCLAST_SANITIZE_ITERATIONS`; zero: not said.
    pub sanitize_iterations: u32,
    /// `PYROCLAST_SANITIZE_STOP`
    pub sanitize_stop: bool,
    /// `PYROCLAST_PRINTF`
    pub printf: bool,
    /// `PYROCLAST_PROFILE`
    pub profile: Option<PathBuf>,
    /// `PYROCLAST_PROFILE_INTERVAL`
    pub profile_interval: Duration,
    /// `PYROCLAST_PROFILE_COUNTS`
    pub profile_counts: bool,
    /// `PYROCLAST_COVERAGE`
    pub coverage: Option<PathBuf>,
    /// The user's directory for data of applications: `$XDG_DATA_HOME`, else `$HOME/.local/share`; on Windows
    /// `%LOCALAPPDATA%`.
    pub data_home: Option<PathBuf>,
}

impl Config {
    /// The configuration that these variables mean. What cannot be read as a value counts as not set.
    pub fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Config {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let text = |name: &str| set(name).and_then(|value| value.into_string().ok());
        let is_on = |name: &str| variable(name).is_some_and(|value| value != "0");
        let seconds = |name: &str| {
            let seconds = text(name).and_then(|text| text.parse().ok());
            seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        };
        // The XDG base directory specification wants relative paths to be ignored.
        let absolute = |name: &str| set(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let version = text("PYROCLAST_CONFORMANCE_VERSION").unwrap_or_default();
        let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
        let bytes = |name: &str, default: u64| {
            let mebibytes = text(name).and_then(|text| text.parse().ok()).unwrap_or(default);
            mebibytes.saturating_mul(1 << 20)
        };
        let sanitize = KindSet::parse(&text("PYROCLAST_SANITIZE").unwrap_or_default());
        let (sanitize, sanitize_error) = match sanitize {
            Ok(kinds) => (kinds, None),
            Err(error) => (KindSet::NONE, Some(format!("PYROCLAST_SANITIZE: {error}"))),
        };
        Config {
            cpu: text("PYROCLAST_CPU"),
            threads: text("PYROCLAST_THREADS").and_then(|text| text.parse().ok()).unwrap_or(0),
            device_group: DeviceGroup::parse(&text("PYROCLAST_DEVICE_GROUP").unwrap_or_default()),
            deterministic: is_on("PYROCLAST_DETERMINISTIC"),
            round_twice: is_on("PYROCLAST_ROUND_TWICE"),
            watchdog: seconds("PYROCLAST_WATCHDOG_SECONDS"),
            compile_limit: seconds("PYROCLAST_COMPILE_SECONDS"),
            strict: is_on("PYROCLAST_STRICT"),
            messages: variable("PYROCLAST_MESSAGES").is_some(),
            cache_directory: set("PYROCLAST_CACHE_DIR").map(PathBuf::from),
            cache_bytes: bytes("PYROCLAST_CACHE_SIZE", CACHE_MIB),
            shared_cache: set("PYROCLAST_CACHE_SHARED").map(PathBuf::from),
            shared_cache_bytes: bytes("PYROCLAST_CACHE_SHARED_SIZE", SHARED_CACHE_MIB),
            shared_cache_read_only: is_on("PYROCLAST_CACHE_SHARED_READ_ONLY"),
            cache_key_file: set("PYROCLAST_CACHE_KEY_FILE").map(PathBuf::from),
            inline_images: match text("PYROCLAST_INLINE_IMAGES").as_deref() {
                Some("always") => InlineImages::Always,
                Some("never") => InlineImages::Never,
                _ => InlineImages::Used,
            },
            present_directory: set("PYROCLAST_PRESENT_DIR").map(PathBuf::from),
            capture: set("PYROCLAST_CAPTURE").map(PathBuf::from),
            capture_gate: set("PYROCLAST_CAPTURE_GATE").map(PathBuf::from),
            conformance_version: std::array::from_fn(|_| numbers.next().unwrap_or(0)),
            perf: is_on("PYROCLAST_PERF"),
            gdb: is_on("PYROCLAST_GDB"),
            verify: is_on("PYROCLAST_VERIFY"),
            fault_handler: variable("PYROCLAST_FAULT_HANDLER").is_none_or(|value| value != "0"),
            sanitize,
            sanitize_error,
            sanitize_output: set("PYROCLAST_SANITIZE_OUTPUT").map(PathBuf::from),
            sanitize_iterations: text("PYROCLAST_SANITIZE_ITERATIONS")
                .and_then(|text| text.parse().ok())
                .unwrap_or(0),
            sanitize_stop: is_on("PYROCLAST_SANITIZE_STOP"),
            printf: is_on("PYROCLAST_PRINTF"),
            profile: set("PYROCLAST_PROFILE").map(PathBuf::from),
            profile_interval: Duration::from_micros(
                text("PYROCLAST_PROFILE_INTERVAL")
                    .and_then(|text| text.parse().ok())
                    .unwrap_or(PROFILE_INTERVAL_MICROSECONDS)
                    .max(PROFILE_INTERVAL_MICROSECONDS_MIN),
            ),
            profile_counts: is_on("PYROCLAST_PROFILE_COUNTS"),
            coverage: set("PYROCLAST_COVERAGE").map(PathBuf::from),
            data_home: if cfg!(windows) {
                absolute("LOCALAPPDATA")
            } else {
                absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
            },
        }
    }
}

/// Whether the order of invocations is fixed whatever the environment says.
static FIXED_ORDER: AtomicBool = AtomicBool::new(false);

/// Fixes the order of invocations on devices that are made from now on, as `PYROCLAST_DETERMINISTIC` does.
pub fn fix_order() {
    FIXED_ORDER.store(true, Ordering::Relaxed);
}

/// Whether the order of invocations is fixed, by [`fix_order`] or the environment.
pub fn has_fixed_order() -> bool {
    FIXED_ORDER.load(Ordering::Relaxed) || get().deterministic
}

/// What the environment of this process asks for. Read once.
pub fn get() -> &'static Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    CONFIG.get_or_init(|| Config::from_variables(|name| std::env::var_os(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(variables: &[(&str, &str)]) -> Config {
        Config::from_variables(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn nothing_set_gives_the_defaults() {
        let defaults = Config {
            cache_bytes: 256 << 20,
            shared_cache_bytes: 4096 << 20,
            fault_handler: true,
            profile_interval: Duration::from_millis(1),
            ..Config::default()
        };
        assert_eq!(config(&[]), defaults);
        let empty = ["CPU", "THREADS", "CACHE_DIR", "CACHE_SIZE", "PRESENT_DIR", "WATCHDOG_SECONDS"];
        let empty: Vec<_> = empty.iter().map(|name| format!("PYROCLAST_{name}")).collect();
        let empty: Vec<_> = empty.iter().map(|name| (name.as_str(), "")).collect();
        assert_eq!(config(&empty), config(&[]));
    }

    #[test]
    fn values_are_read() {
        let found = config(&[
            ("PYROCLAST_CPU", "avx2"),
            ("PYROCLAST_THREADS", "3"),
            ("PYROCLAST_DEVICE_GROUP", "2"),
            ("PYROCLAST_WATCHDOG_SECONDS", "0.5"),
            ("PYROCLAST_COMPILE_SECONDS", "90"),
            ("PYROCLAST_DETERMINISTIC", "1"),
            ("PYROCLAST_ROUND_TWICE", "1"),
            ("PYROCLAST_STRICT", "1"),
            ("PYROCLAST_GDB", "0"),
            ("PYROCLAST_VERIFY", "1"),
            ("PYROCLAST_PERF", "yes"),
            ("PYROCLAST_MESSAGES", ""),
            ("PYROCLAST_CACHE_SIZE", "2"),
            ("PYROCLAST_CACHE_SHARED", "/shared/code"),
            ("PYROCLAST_CACHE_SHARED_SIZE", "3"),
            ("PYROCLAST_CACHE_SHARED_READ_ONLY", "1"),
            ("PYROCLAST_CACHE_KEY_FILE", "/etc/pyroclast.key"),
            ("PYROCLAST_INLINE_IMAGES", "never"),
            ("PYROCLAST_FAULT_HANDLER", "0"),
            ("PYROCLAST_CONFORMANCE_VERSION", "1.4.x"),
            ("PYROCLAST_PROFILE", "a.profile"),
            ("PYROCLAST_PROFILE_INTERVAL", "5"),
            ("PYROCLAST_PROFILE_COUNTS", "1"),
            ("PYROCLAST_COVERAGE", "a.info"),
            ("XDG_DATA_HOME", "relative"),
            ("HOME", "/home/somebody"),
        ]);
        assert_eq!(found.cpu.as_deref(), Some("avx2"));
        assert_eq!((found.threads, found.watchdog), (3, Some(Duration::from_millis(500))));
        assert_eq!(found.device_group, DeviceGroup::Count(2));
        let group = |text| config(&[("PYROCLAST_DEVICE_GROUP", text)]).device_group;
        let (one, most) = (DeviceGroup::Count(1), DeviceGroup::Count(DEVICE_GROUP_MAX));
        assert_eq!(["numa", "0", "99", "-1", "two"].map(group), [DeviceGroup::Numa, one, most, one, one]);
        assert_eq!(found.compile_limit, Some(Duration::from_secs(90)));
        assert!(!found.fault_handler);
        assert!(found.deterministic && !config(&[("PYROCLAST_DETERMINISTIC", "0")]).deterministic);
        assert!(found.round_twice && !config(&[("PYROCLAST_ROUND_TWICE", "0")]).round_twice);
        assert!(found.strict && found.perf && found.messages && found.verify && !found.gdb);
        assert_eq!(found.cache_bytes, 2 << 20);
        assert_eq!(found.shared_cache, Some(PathBuf::from("/shared/code")));
        assert_eq!((found.shared_cache_bytes, found.shared_cache_read_only), (3 << 20, true));
        assert_eq!(found.cache_key_file, Some(PathBuf::from("/etc/pyroclast.key")));
        assert_eq!(found.inline_images, InlineImages::Never);
        assert_eq!(found.conformance_version, [1, 4, 0, 0]);
        assert_eq!(found.profile, Some(PathBuf::from("a.profile")));
        assert_eq!(found.coverage, Some(PathBuf::from("a.info")));
        assert_eq!((found.profile_interval, found.profile_counts), (Duration::from_micros(100), true));
        assert_eq!(found.data_home, Some(PathBuf::from("/home/somebody/.local/share")));
        assert_eq!(config(&[("PYROCLAST_WATCHDOG_SECONDS", "-1")]).watchdog, None);
    }

    #[test]
    fn sanitizer_is_off_where_its_kinds_cannot_be_read() {
        let found = config(&[("PYROCLAST_SANITIZE", "bounds"), ("PYROCLAST_PRINTF", "1")]);
        assert_eq!(found.sanitize, KindSet::parse("bounds").unwrap());
        assert!(found.printf && found.sanitize_error.is_none());
        let found = config(&[("PYROCLAST_SANITIZE", "bounds,typo")]);
        assert!(found.sanitize.is_empty());
        assert!(found.sanitize_error.is_some_and(|error| error.contains("typo")));
    }
}
