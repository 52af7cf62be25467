//! Skipped tests: counted, and refused where the tests must be complete.

use std::io::Write;

/// What a test needs and a machine may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A processor with AVX2 and the extensions that the JIT compiler uses beside it.
    Avx2,
    /// A processor with AVX-512 F, BW, DQ, VL and CD.
    Avx512,
    /// A processor with AVX512-FP16.
    Avx512Fp16,
    /// A processor with tiles for bytes (AMX), a system that keeps them, and no `PYROCLAST_CPU` that forbids
    /// them.
    Tiles,
    /// Machine code: the JIT compiler's target, not disabled by `PYROCLAST_CPU=interpreter`.
    MachineCode,
    /// A kernel (Linux 6.3 or later) whose `PR_SET_MDWE` refuses executable memory.
    RefusedExecutableMemory,
    /// An installed program or library of others, by its name.
    Package(&'static str),
}

/// What the machine or the configuration of this run says of a [`Need`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It is there: the test's own detection is wrong.
    Present,
    /// It is missing, and `testing/run` accepts machines without it.
    MayLack,
    /// It is missing, and a complete run of the tests needs it.
    Required,
}

impl Need {
    fn verdict(self) -> Verdict {
        let lacks = |present| if present { Verdict::Present } else { Verdict::MayLack };
        match self {
            // Every x86-64 processor that this project supports has AVX2: without it most tests would test
            // nothing.
            Need::Avx2 if has_avx2() => Verdict::Present,
            Need::Avx2 | Need::Package(_) => Verdict::Required,
            Need::Avx512 => lacks(has_avx512()),
            Need::Avx512Fp16 => lacks(has_avx512() && has_fp16()),
            Need::Tiles => lacks(has_tiles()),
            Need::MachineCode if is_interpreter_selected() => Verdict::MayLack,
            Need::MachineCode => Need::Avx2.verdict(),
            Need::RefusedExecutableMemory => lacks(kernel_version() >= (6, 3)),
        }
    }
}

/// Prints the line `skipped: TEST: needs NEED` past the test harness's capture, so that `testing/run` counts
/// it.
///
/// # Panics
/// When the machine has what the test found missing. When `PYRO_NO_SKIP` is set (`testing/run --ci`), unless
/// the processor or kernel lacks the feature and the tests accept such machines.
#[track_caller]
pub fn skip_current_test(need: Need) {
    match need.verdict() {
        Verdict::Present => panic!("this machine has {need:?}, but the test did not find it"),
        Verdict::Required if crate::flag("PYRO_NO_SKIP") => {
            panic!("{need:?} is missing, and PYRO_NO_SKIP forbids to skip the test")
        }
        Verdict::MayLack | Verdict::Required => {}
    }
    let thread = std::thread::current();
    print(&format!("skipped: {}: needs {need:?}", thread.name().unwrap_or("a test")));
}

/// Writes a line to the standard error stream, where `eprintln!` would be captured by the test harness.
pub(crate) fn print(line: &str) {
    // A line that cannot be written is one that nobody reads.
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

fn is_interpreter_selected() -> bool {
    std::env::var("PYROCLAST_CPU").is_ok_and(|name| name == "interpreter")
}

/// The version of the running Linux kernel; (0, 0) on other systems.
fn kernel_version() -> (u32, u32) {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(['.', '-', '\n']).map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("bmi2")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512cd")
}

#[cfg(target_arch = "x86_64")]
fn has_fp16() -> bool {
    is_x86_feature_detected!("avx512fp16")
}

/// Linux names the instructions where it keeps their registers.
fn has_tiles() -> bool {
    let allowed = std::env::var("PYROCLAST_CPU").map_or(true, |name| name.is_empty() || name == "amx");
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    allowed && text.split_whitespace().any(|flag| flag == "amx_int8")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_fp16() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::{Need, Verdict, kernel_version, skip_current_test};
    use std::process::Command;

    /// Skips in a process of its own with `PYRO_NO_SKIP` set or not; gives whether it passed, and what it
    /// printed.
    fn child(need: &str, no_skip: bool) -> (bool, String) {
        let mut command = Command::new(std::env::current_exe().expect("this test"));
        command.args(["--exact", "skip::tests::skips_in_a_child"]).env("PYRO_TEST_CHILD", need);
        command.env_remove("PYRO_NO_SKIP");
        if no_skip {
            command.env("PYRO_NO_SKIP", "1");
        }
        let output = command.output().expect("this test runs");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// What [`child`] runs.
    #[test]
    fn skips_in_a_child() {
        match crate::text("PYRO_TEST_CHILD").as_deref() {
            Some("package") => skip_current_test(Need::Package("nothing")),
            Some("avx512") => skip_current_test(Need::Avx512),
            _ => {}
        }
    }

    #[test]
    fn missing_packages_are_counted_and_fail_complete_runs() {
        let (passed, printed) = child("package", false);
        assert!(passed);
        let line = "skipped: skip::tests::skips_in_a_child: needs Package(\"nothing\")\n";
        assert_eq!(printed, line, "printed although the harness captures");
        assert!(!child("package", true).0);
    }

    /// With AVX-512 the skip is a mistake of the test; without, even complete runs accept it.
    #[test]
    fn processor_features_are_skipped_only_where_the_processor_lacks_them() {
        let has = Need::Avx512.verdict() == Verdict::Present;
        assert_eq!([false, true].map(|no_skip| child("avx512", no_skip).0), [!has; 2]);
    }

    #[test]
    fn kernel_version_matches_uname() {
        let Ok(output) = Command::new("uname").arg("-r").output() else {
            crate::skip!(Need::Package("uname"));
        };
        let release = String::from_utf8_lossy(&output.stdout).into_owned();
        let (major, minor) = kernel_version();
        assert!(release.starts_with(&format!("{major}.{minor}")), "{release}");
    }
}
