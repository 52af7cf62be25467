//! Rust's test harness as the program: this binary itself.

use crate::house::House;

/// Cases for the job below.
mod cases {
    fn is_case() -> bool {
        std::env::var_os("FARM_CASES").is_some()
    }

    #[test]
    fn passes() {}

    #[test]
    fn fails() {
        assert!(!is_case(), "asked for");
    }

    #[test]
    fn aborts() {
        if is_case() {
            std::process::abort();
        }
    }
}

#[test]
fn cases_of_a_libtest_binary_have_their_verdicts() {
    let house = House::new("libtest");
    let program = std::env::current_exe().expect("this binary");
    let names = ["aborts", "fails", "passes"].map(|name| format!("libtest::cases::{name}"));
    house.write("cases.txt", &names.join("\n"));
    house.write(
        "job.toml",
        &format!(
            "name = \"libtest\"\n[[units]]\nname = \"cases\"\nkind = \"cases\"\nlist = \"cases.txt\"\n\
             verdicts = \"libtest\"\nprogram = {:?}\n\
             arguments = [\"--exact\", \"--test-threads=1\", \"{{cases}}\"]\nenvironment = {{ FARM_CASES = \"1\" }}\n",
            program.display().to_string()
        ),
    );
    house.expect(1, &["run", "job.toml", "--out", "out", "--workers", "1", "--into", "into"]);
    let text = std::fs::read_to_string(house.path("into/results.txt")).expect("results");
    for part in ["aborts'..\n  Crash (SIGABRT)\n", "fails'..\n  FAILED (fail)\n", "passes'..\n  ok (pass)\n"]
    {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}
