//! Coverage of shaders as LCOV: which lines, branches and functions ran, of all processes that wrote into a
//! file.
//!
//! A line has run as often as the block of it that ran most often. Where the module has no lines of source,
//! there is nothing to say.

use crate::counters::ShaderCounts;
use pyro_abi::shader_map::NO_FILE;
use pyro_lcov::Coverage;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// What shaders have counted.
pub fn of(shaders: &[ShaderCounts]) -> Coverage {
    let mut coverage = Coverage::default();
    for counts in shaders {
        coverage.add(&of_shader(counts));
    }
    coverage
}

fn of_shader(counts: &ShaderCounts) -> Coverage {
    let shader = &counts.shader;
    let mut coverage = Coverage::default();
    let name = |file: u32| shader.files.get(file as usize).map(|file| file.name.clone());
    let mut lines: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (block, of) in (0..).zip(&shader.blocks) {
        let ran = counts.invocations(block);
        for cost in of.lines.iter().filter(|cost| cost.line != 0 && cost.file != NO_FILE) {
            let known = lines.entry((cost.file, cost.line)).or_default();
            *known = ran.max(*known);
        }
    }
    for ((file, line), count) in lines {
        if let Some(name) = name(file) {
            coverage.files.entry(name).or_default().lines.insert(line, count);
        }
    }
    for function in shader.functions.iter().filter(|function| function.line != 0) {
        if let Some(name) = name(function.file) {
            let ran = counts.invocations(function.block);
            let known = coverage.files.entry(name).or_default();
            // Compilers wrap an entry point in another function of its name.
            let sum = known.functions.entry(function.name.clone()).or_insert((function.line, 0));
            sum.1 = ran.max(sum.1);
        }
    }
    let mut in_line: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (number, branch) in (0..).zip(&shader.branches).filter(|(_, branch)| branch.line != 0) {
        let Some(name) = name(branch.file) else { continue };
        let at = in_line.entry((branch.file, branch.line)).or_default();
        let file = coverage.files.entry(name).or_default();
        let ran = counts.invocations(branch.block) != 0;
        for (arm, &taken) in (0..).zip(counts.arms(number)) {
            file.branches.insert((branch.line, *at, arm), ran.then_some(taken));
        }
        *at += 1;
    }
    coverage
}

/// Adds what shaders have counted to a file, which other processes may do at the same time.
///
/// # Errors
/// When the file cannot be read or written, or is no LCOV.
pub fn merge_into(path: &Path, shaders: &[ShaderCounts]) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    file.lock()?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let mut coverage = Coverage::parse(&text).map_err(|line| {
        io::Error::new(io::ErrorKind::InvalidData, format!("line {line} is not an LCOV record"))
    })?;
    coverage.add(&of(shaders));
    let text = coverage.render();
    file.rewind()?;
    file.set_len(0)?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::{Block, Branch, CountedFunction, CountedShader, LineCost};
    use pyro_abi::shader_map::SourceFile;

    /// `main` on line 1 with a branch on line 2 to line 3, and a function on line 9 that nobody calls.
    fn counts(values: Vec<u64>) -> ShaderCounts {
        let line = |line| LineCost { line, ..LineCost::default() };
        let block =
            |function, lines: &[u32]| Block { function, lines: lines.iter().map(|&at| line(at)).collect() };
        let function =
            |name: &str, line, block| CountedFunction { name: name.to_owned(), file: 0, line, block };
        let shader = CountedShader {
            files: vec![SourceFile { name: "a.comp".to_owned(), text: String::new() }],
            functions: vec![function("main", 1, 0), function("unused", 9, 3)],
            blocks: vec![block(0, &[1, 2]), block(0, &[3]), block(0, &[4, 1]), block(1, &[9])],
            branches: vec![Branch { block: 0, file: 0, line: 2, arms: 2 }],
            ..CountedShader::default()
        };
        ShaderCounts { shader, values }
    }

    #[test]
    fn lines_branches_and_functions_are_written_and_read() {
        let coverage = of(&[counts(vec![64, 64, 0, 0, 64, 64, 0, 0, 0, 64])]);
        let text = coverage.render();
        for record in [
            "SF:a.comp",
            "DA:1,64",
            "DA:3,0",
            "DA:9,0",
            "FN:1,main",
            "FNDA:64,main",
            "FNDA:0,unused",
            "BRDA:2,0,0,0",
            "BRDA:2,0,1,64",
            "LF:5",
            "LH:3",
            "FNF:2",
            "FNH:1",
            "BRF:2",
            "BRH:1",
        ] {
            assert!(text.lines().any(|line| line == record), "{record}: {text}");
        }
        assert_eq!(Coverage::parse(&text), Ok(coverage.clone()));
        let never = of(&[counts(vec![0; 10])]);
        assert!(never.render().contains("BRDA:2,0,0,-"));
        let mut both = never;
        both.add(&coverage);
        both.add(&coverage);
        assert_eq!(both.files["a.comp"].lines[&1], 128);
        assert_eq!(both.files["a.comp"].branches[&(2, 0, 1)], Some(128));
        assert_eq!(Coverage::parse("SF:a\nDA:1"), Err(2));
        assert_eq!(Coverage::parse("DA:1,1"), Err(1));
    }

    #[test]
    fn processes_add_to_one_file() {
        let path = std::env::temp_dir().join(format!("pyroclast-coverage-test-{}", std::process::id()));
        for _ in 0..3 {
            merge_into(&path, &[counts(vec![1; 10])]).expect("written");
        }
        let text = std::fs::read_to_string(&path).expect("there");
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(Coverage::parse(&text).expect("LCOV").files["a.comp"].lines[&2], 3);
    }
}
