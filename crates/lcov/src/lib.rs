//! LCOV, the text format of coverage: which lines, branches and functions of source files ran, and how often.
//!
//! Of the format's records those are read that are written: `SF`, `FN`, `FNDA`, `BRDA`, `DA` and the sums.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What is known of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage {
    /// How often each line ran.
    pub lines: BTreeMap<u32, u64>,
    /// Line and runs of each function, by its name.
    pub functions: BTreeMap<String, (u32, u64)>,
    /// How often each way of each branch was taken, by line, number of the branch in the line and way; `None`
    /// where the branch was never come to.
    pub branches: BTreeMap<(u32, u32, u32), Option<u64>>,
}

/// Coverage of files, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The files.
    pub files: BTreeMap<String, FileCoverage>,
}

/// Of `found` things how many are `hit`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many there are.
    pub found: u64,
    /// How many have run.
    pub hit: u64,
}

impl Share {
    fn of(counts: impl Iterator<Item = u64>) -> Share {
        counts.fold(Share::default(), |sum, count| Share {
            found: sum.found + 1,
            hit: sum.hit + u64::from(count > 0),
        })
    }

    /// As a percentage; 100 of nothing.
    #[must_use]
    pub fn percent(self) -> f64 {
        if self.found == 0 { 100.0 } else { 100.0 * self.hit as f64 / self.found as f64 }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Share) -> Share {
        Share { found: self.found + other.found, hit: self.hit + other.hit }
    }
}

impl FileCoverage {
    /// Of its lines.
    #[must_use]
    pub fn line_share(&self) -> Share {
        Share::of(self.lines.values().copied())
    }

    /// Of its functions.
    #[must_use]
    pub fn function_share(&self) -> Share {
        Share::of(self.functions.values().map(|function| function.1))
    }

    /// Of the ways of its branches.
    #[must_use]
    pub fn branch_share(&self) -> Share {
        Share::of(self.branches.values().map(|taken| taken.unwrap_or(0)))
    }

    fn add(&mut self, other: &FileCoverage) {
        for (&line, count) in &other.lines {
            let known = self.lines.entry(line).or_default();
            *known = known.saturating_add(*count);
        }
        for (name, &(line, count)) in &other.functions {
            let known = self.functions.entry(name.clone()).or_insert((line, 0));
            known.1 = known.1.saturating_add(count);
        }
        for (&key, &taken) in &other.branches {
            let known = self.branches.entry(key).or_default();
            *known = match (*known, taken) {
                (Some(a), Some(b)) => Some(a.saturating_add(b)),
                (a, b) => a.or(b),
            };
        }
    }
}

impl Coverage {
    /// Adds what another run or process has.
    pub fn add(&mut self, other: &Coverage) {
        for (name, file) in &other.files {
            self.files.entry(name.clone()).or_default().add(file);
        }
    }

    /// Reads LCOV: the records that [`Coverage::render`] writes; others are left out.
    ///
    /// # Errors
    /// When a record of those is not well formed: its line.
    pub fn parse(text: &str) -> Result<Coverage, usize> {
        let (mut files, mut name) = (BTreeMap::<String, FileCoverage>::new(), None);
        for (number, line) in (1_usize..).zip(text.lines()) {
            let (record, rest) = line.split_once(':').unwrap_or((line, ""));
            if record == "SF" {
                name = Some(rest.to_owned());
                files.entry(rest.to_owned()).or_default();
            }
            let mut file = name.as_ref().and_then(|name| files.get_mut(name));
            let mut read = || -> Option<()> {
                match record {
                    "DA" => {
                        let (line, count) = rest.split_once(',')?;
                        let known = file.as_mut()?.lines.entry(line.parse().ok()?).or_default();
                        *known = known.saturating_add(count.parse().ok()?);
                    }
                    "FN" => {
                        let (line, name) = rest.split_once(',')?;
                        let line = line.parse().ok()?;
                        file.as_mut()?.functions.entry(name.to_owned()).or_default().0 = line;
                    }
                    "FNDA" => {
                        let (count, name) = rest.split_once(',')?;
                        let count: u64 = count.parse().ok()?;
                        let known = file.as_mut()?.functions.entry(name.to_owned()).or_default();
                        known.1 = known.1.saturating_add(count);
                    }
                    "BRDA" => {
                        let mut parts = rest.splitn(4, ',');
                        let mut number = || parts.next()?.parse::<u32>().ok();
                        let key = (number()?, number()?, number()?);
                        let taken = match parts.next()? {
                            "-" => None,
                            count => Some(count.parse::<u64>().ok()?),
                        };
                        file.as_mut()?.branches.insert(key, taken);
                    }
                    _ => {}
                }
                Some(())
            };
            read().ok_or(number)?;
        }
        Ok(Coverage { files })
    }

    /// As LCOV.
    #[must_use]
    pub fn render(&self) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        for (name, file) in &self.files {
            let _ = writeln!(out, "TN:\nSF:{name}");
            for (function, (line, _)) in &file.functions {
                let _ = writeln!(out, "FN:{line},{function}");
            }
            for (function, (_, count)) in &file.functions {
                let _ = writeln!(out, "FNDA:{count},{function}");
            }
            let share = file.function_share();
            let _ = writeln!(out, "FNF:{}\nFNH:{}", share.found, share.hit);
            for ((line, branch, arm), taken) in &file.branches {
                let taken = taken.map_or("-".to_owned(), |count| count.to_string());
                let _ = writeln!(out, "BRDA:{line},{branch},{arm},{taken}");
            }
            let share = file.branch_share();
            let _ = writeln!(out, "BRF:{}\nBRH:{}", share.found, share.hit);
            for (line, count) in &file.lines {
                let _ = writeln!(out, "DA:{line},{count}");
            }
            let share = file.line_share();
            let _ = writeln!(out, "LF:{}\nLH:{}\nend_of_record", share.found, share.hit);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "TN:\nSF:a.comp\nFN:1,main\nFNDA:64,main\nFNF:1\nFNH:1\nBRDA:2,0,0,0\nBRDA:2,0,1,64\n\
        BRDA:3,0,0,-\nBRF:3\nBRH:1\nDA:1,64\nDA:3,0\nLF:2\nLH:1\nend_of_record\n";

    #[test]
    fn what_is_read_is_written_again() {
        let coverage = Coverage::parse(TEXT).expect("LCOV");
        assert_eq!(coverage.render(), TEXT);
        assert_eq!(coverage.files["a.comp"].branch_share(), Share { found: 3, hit: 1 });
    }

    #[test]
    fn counts_of_two_files_are_added() {
        let mut both = Coverage::parse(TEXT).expect("LCOV");
        both.add(&both.clone());
        let file = &both.files["a.comp"];
        assert_eq!((file.lines[&1], file.functions["main"]), (128, (1, 128)));
        assert_eq!((file.branches[&(2, 0, 1)], file.branches[&(3, 0, 0)]), (Some(128), None));
        let mut largest = Coverage::parse("SF:a\nDA:1,18446744073709551615\n").expect("LCOV");
        largest.add(&largest.clone());
        assert_eq!(largest.files["a"].lines[&1], u64::MAX, "counts end at the largest number");
    }

    #[test]
    fn records_that_are_not_well_formed_are_named() {
        for (text, line) in
            [("SF:a\nDA:1", 2), ("DA:1,1", 1), ("SF:a\nBRDA:1,2,x,-", 2), ("SF:a\nFNDA:-1,f", 2)]
        {
            assert_eq!(Coverage::parse(text), Err(line), "{text}");
        }
    }
}
