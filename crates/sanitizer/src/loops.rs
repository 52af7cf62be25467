//! Loops that seem to have no end: what has not changed from one iteration to the next.
//!
//! An invocation reports such a loop in two iterations, one after the other, with the values that its
//! condition compares and that it counts by.

use crate::finding::Finding;
use crate::store::Key;
use std::collections::BTreeMap;

/// Invocations whose second report is waited for.
const WAITING_COUNT_MAX: usize = 1 << 12;

/// The first reports, by place and invocation.
#[derive(Default)]
pub(crate) struct Loops(BTreeMap<(Key, String), Finding>);

impl Loops {
    /// Takes a report; gives the finding where it is an invocation's second one.
    pub(crate) fn follow(&mut self, key: Key, finding: Finding) -> Option<Finding> {
        let place = (key, finding.invocation.clone());
        let Some(first) = self.0.remove(&place) else {
            if self.0.len() < WAITING_COUNT_MAX {
                self.0.insert(place, finding);
            }
            return None;
        };
        // The first value is the number of iterations.
        let same = first.values.iter().zip(&finding.values).skip(1).filter(|(a, b)| a == b);
        let names: Vec<&str> = same.map(|((name, _), _)| name.as_str()).collect();
        let message = match names.is_empty() {
            true => finding.message.clone(),
            false => {
                format!("{}; {} did not change in the last iteration", finding.message, names.join(", "))
            }
        };
        Some(Finding { message, ..finding })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_util::sanitize::Kind;

    fn finding(iterations: &str, i: &str, n: &str) -> Finding {
        let value = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        Finding {
            kind: Kind::InfiniteLoop,
            message: "a loop".to_owned(),
            shader: String::new(),
            module: String::new(),
            stage: String::new(),
            place: Default::default(),
            pipeline: String::new(),
            invocation: "local (0, 0, 0)".to_owned(),
            values: vec![value("iterations", iterations), value("i", i), value("n", n)],
            other: None,
        }
    }

    #[test]
    fn second_report_says_what_did_not_change() {
        let mut loops = Loops::default();
        let key = (1, 2, 3, None);
        assert!(loops.follow(key, finding("100", "7", "9")).is_none());
        let found = loops.follow(key, finding("101", "8", "9")).expect("the second report");
        assert_eq!(found.message, "a loop; n did not change in the last iteration");
        assert!(loops.follow(key, finding("100", "7", "9")).is_none(), "of another dispatch");
    }
}
