//! Widths of comments and documents, and words that no stranger understands.

use pyro_tidy::{count_lines, files, ratchet, sources};

/// Characters of a line.
const COLUMNS_MAX: usize = 110;

/// Phrases of a private language, with what to write instead.
const BANNED: &[(&str, &str)] = &[
    ("what is no ", "an invalid ..."),
    ("what is none", "an invalid ..."),
    ("is none that", "does not ..."),
    ("that there is not", "that does not exist"),
    ("made of what", "derived from ..."),
    ("what shaders see", "the descriptor"),
    ("a place of its own", "its own binding, slot or offset"),
    ("cannot be had", "is not available"),
];

fn is_wide(line: &str) -> bool {
    line.chars().count() > COLUMNS_MAX
}

#[test]
fn comments_fit_the_columns() {
    let wide = count_lines(&sources(), |line| is_wide(line) && line.trim_start().starts_with("//"));
    let rule = format!("comments have at most {COLUMNS_MAX} columns");
    ratchet("comment_columns", &rule, &wide).unwrap_or_else(|grown| panic!("{grown}"));
}

/// Rows of tables, headings and lines of links cannot be broken.
#[test]
fn documents_fit_the_columns() {
    let mut documents = files(&["docs", "crates", "testing", "benches", "README.md"], "md");
    documents.extend(files(&["CONTRIBUTING.md"], "md").into_iter().filter(|(_, text)| !text.is_empty()));
    let is_whole = |line: &str| line.starts_with(['|', '#']) || line.contains("://");
    let wide = count_lines(&documents, |line| is_wide(line) && !is_whole(line));
    let rule = format!("Markdown has at most {COLUMNS_MAX} columns");
    ratchet("document_columns", &rule, &wide).unwrap_or_else(|grown| panic!("{grown}"));
}

#[test]
fn banned_phrases_do_not_return() {
    let this = "testing/tidy/tests/it/text.rs";
    let mut texts = sources();
    texts.extend(files(&["docs", "README.md"], "md"));
    texts.remove(this).expect("this file");
    let breaks = |line: &str| BANNED.iter().any(|(phrase, _)| line.to_lowercase().contains(phrase));
    let rule = format!("phrases that name no subject or noun of the field: {BANNED:?}");
    ratchet("banned_phrases", &rule, &count_lines(&texts, breaks)).unwrap_or_else(|grown| panic!("{grown}"));
}
