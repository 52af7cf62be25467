//! What programs and libraries need to take this device: one table, for `doctor` and for `docs/programs.md`.

use serde_json::{Value, json};

/// Tab-separated: program, what it does, what to set. The first line names the columns.
const TABLE: &str = include_str!("programs.tsv");

/// The rows: program, what it does, what to set.
pub(crate) fn rows() -> impl Iterator<Item = [&'static str; 3]> {
    TABLE.lines().skip(1).filter_map(|line| {
        let mut cells = line.split('\t');
        Some([cells.next()?, cells.next()?, cells.next()?])
    })
}

/// The rows as objects.
pub(crate) fn to_json() -> Value {
    rows().map(|[program, behaviour, setting]| json!({ "program": program, "behaviour": behaviour, "setting": setting })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const START: &str = "| program | what it does | what to set |\n| --- | --- | --- |\n";

    #[test]
    fn every_line_has_three_cells() {
        assert_eq!(rows().count(), TABLE.lines().count() - 1);
        assert!(rows().flatten().all(|cell| !cell.is_empty()));
    }

    /// `docs/programs.md` has the same rows; `PYRO_BLESS=1` writes them.
    #[test]
    fn the_document_has_this_table() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/programs.md");
        let text = std::fs::read_to_string(&path).expect("docs/programs.md");
        let (before, rest) = text.split_once(START).expect("the head of the table");
        let after: String = rest.split_inclusive('\n').skip_while(|line| line.starts_with('|')).collect();
        let lines =
            rows().map(|[program, behaviour, setting]| format!("| {program} | {behaviour} | {setting} |\n"));
        let expected = format!("{before}{START}{}{after}", lines.collect::<String>());
        if pyro_test_environment::bless() {
            std::fs::write(&path, &expected).expect("docs/programs.md can be written");
        }
        assert!(
            text == expected || pyro_test_environment::bless(),
            "docs/programs.md differs from programs.tsv"
        );
    }
}
