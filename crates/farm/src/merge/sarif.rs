//! SARIF 2.1.0 (OASIS): the results of many files as one, equal results once.
//!
//! Results are equal when their rule, their places and the places related to them are; a result without a
//! region also needs the same message. Which of them came first tells its message, `occurrenceCount` how many
//! there were. *Must not know*: which tool wrote them.

use super::Results;
use crate::record::Verdict;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The version that is read and written.
const VERSION: &str = "2.1.0";

/// The rules that items break, by verdict.
const RULES: [(Verdict, &str); 4] = [
    (Verdict::Fail, "the item failed"),
    (Verdict::Crash, "the program ended before the item's verdict"),
    (Verdict::Timeout, "the item took longer than it may"),
    (Verdict::Missing, "the program ended without running the item"),
];

/// The items of a job that failed, as SARIF. The same results give the same bytes.
///
/// # Errors
/// None but what JSON cannot write.
pub fn failures(results: &Results) -> Result<String> {
    let rules =
        RULES.map(|(verdict, text)| json!({ "id": verdict.name(), "shortDescription": { "text": text } }));
    let mut failed = Vec::new();
    for section in &results.sections {
        for item in &section.items {
            let Some(rule) = RULES.iter().position(|(verdict, _)| *verdict == item.verdict) else { continue };
            let message = format!("{}: {} {}", item.name, item.status, item.detail);
            let name = format!("{}/{}", section.name, item.name);
            failed.push(json!({
                "ruleId": item.verdict.name(),
                "ruleIndex": rule,
                "level": "error",
                "message": { "text": message.trim() },
                "locations": [{ "logicalLocations": [{ "fullyQualifiedName": name, "kind": "function" }] }],
            }));
        }
    }
    let driver = json!({ "name": "pyroclast farm", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    let run = json!({
        "tool": { "driver": driver },
        "automationDetails": { "id": format!("{}/", results.job) },
        "results": failed,
    });
    Ok(serde_json::to_string_pretty(&json!({ "version": VERSION, "runs": [run] }))? + "\n")
}

/// The results of a tool.
struct Run {
    /// The tool's description, without rules.
    tool: Value,
    column_kind: Value,
    rules: BTreeMap<String, Value>,
    results: Vec<Value>,
    /// Results by what makes them equal.
    places: BTreeMap<String, usize>,
}

/// The results of many files.
#[derive(Default)]
pub(super) struct Joined {
    schema: Value,
    /// By the text of the tool's description.
    runs: BTreeMap<String, Run>,
}

/// What makes two results equal.
fn identity(result: &Value) -> String {
    let related = result["relatedLocations"].as_array().into_iter().flatten();
    let related: Vec<&Value> = related.map(|location| &location["physicalLocation"]).collect();
    let mut has_region = false;
    for location in result["locations"].as_array().into_iter().flatten() {
        has_region |= location["physicalLocation"].get("region").is_some();
    }
    let message = if has_region { &Value::Null } else { &result["message"] };
    json!([result["ruleId"], result["locations"], related, message]).to_string()
}

impl Joined {
    /// Adds the results of a file.
    ///
    /// # Errors
    /// When it is not SARIF of the version that is read.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<()> {
        let file: Value = serde_json::from_slice(bytes).context("it is not JSON")?;
        ensure!(file["version"] == VERSION, "it is not SARIF {VERSION}");
        let runs = file["runs"].as_array().context("it has no runs")?;
        if self.schema.is_null() {
            self.schema = file["$schema"].clone();
        }
        for run in runs {
            let mut tool = run["tool"].clone();
            let driver =
                tool.get_mut("driver").and_then(Value::as_object_mut).context("a run has no tool")?;
            let rules = driver.remove("rules");
            let known = self.runs.entry(tool.to_string()).or_insert_with(|| Run {
                tool,
                column_kind: run["columnKind"].clone(),
                rules: BTreeMap::new(),
                results: Vec::new(),
                places: BTreeMap::new(),
            });
            for rule in rules.iter().filter_map(Value::as_array).flatten() {
                let id = rule["id"].as_str().context("a rule has no id")?;
                known.rules.entry(id.to_owned()).or_insert_with(|| rule.clone());
            }
            for result in run["results"].as_array().context("a run has no results")? {
                known.add(result)?;
            }
        }
        Ok(())
    }

    /// As SARIF.
    ///
    /// # Errors
    /// None but what JSON cannot write.
    pub(super) fn render(self) -> Result<String> {
        let runs: Vec<Value> = self.runs.into_values().map(Run::json).collect();
        let mut file = json!({ "version": VERSION, "runs": runs });
        if !self.schema.is_null() {
            file["$schema"] = self.schema;
        }
        Ok(serde_json::to_string_pretty(&file)? + "\n")
    }
}

impl Run {
    fn add(&mut self, result: &Value) -> Result<()> {
        ensure!(result.is_object(), "a result is not an object");
        let count = |result: &Value| result["occurrenceCount"].as_u64().unwrap_or(1);
        match self.places.entry(identity(result)) {
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert(self.results.len());
                self.results.push(result.clone());
            }
            std::collections::btree_map::Entry::Occupied(place) => {
                let known = &mut self.results[*place.get()];
                known["occurrenceCount"] = json!(count(known).saturating_add(count(result)));
            }
        }
        Ok(())
    }

    fn json(mut self) -> Value {
        let indices: BTreeMap<&str, usize> = self.rules.keys().map(String::as_str).zip(0..).collect();
        for result in &mut self.results {
            let index = result["ruleId"].as_str().and_then(|id| indices.get(id)).copied();
            match (index, result.as_object_mut()) {
                (Some(index), Some(result)) => drop(result.insert("ruleIndex".to_owned(), json!(index))),
                (None, Some(result)) => drop(result.remove("ruleIndex")),
                (_, None) => {}
            }
        }
        self.tool["driver"]["rules"] = self.rules.into_values().collect();
        let mut run = json!({ "tool": self.tool, "results": self.results });
        if !self.column_kind.is_null() {
            run["columnKind"] = self.column_kind;
        }
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(rule: &str, line: u32, message: &str) -> String {
        json!({ "$schema": "s", "version": "2.1.0", "runs": [{
            "tool": { "driver": { "name": "t", "version": "1", "rules": [{ "id": rule }] } },
            "columnKind": "unicodeCodePoints",
            "results": [{ "ruleId": rule, "ruleIndex": 0, "level": "error", "message": { "text": message },
                "locations": [{ "physicalLocation": { "artifactLocation": { "uri": "a.comp" },
                    "region": { "startLine": line } } }] }],
        }] })
        .to_string()
    }

    #[test]
    fn equal_results_stand_once_with_their_number() {
        let mut joined = Joined::default();
        for text in [
            file("race", 7, "first"),
            file("bounds", 7, "b"),
            file("race", 7, "second"),
            file("race", 9, "c"),
        ] {
            joined.add(text.as_bytes()).expect("SARIF");
        }
        let merged: Value = serde_json::from_str(&joined.render().expect("text")).expect("JSON");
        let run = &merged["runs"][0];
        assert_eq!(merged["runs"].as_array().map(Vec::len), Some(1));
        assert_eq!(run["tool"]["driver"]["rules"], json!([{ "id": "bounds" }, { "id": "race" }]));
        let results = run["results"].as_array().expect("results");
        let told: Vec<_> = results
            .iter()
            .map(|result| {
                (
                    result["message"]["text"].as_str(),
                    result["ruleIndex"].as_u64(),
                    result["occurrenceCount"].as_u64(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [(Some("first"), Some(1), Some(2)), (Some("b"), Some(0), None), (Some("c"), Some(1), None)]
        );
    }

    #[test]
    fn failed_items_are_results() {
        use crate::merge::SectionResults;
        use crate::record::ItemResult;
        let item = |name: &str, verdict, detail: &str| ItemResult {
            name: name.to_owned(),
            verdict,
            status: "Status".to_owned(),
            detail: detail.to_owned(),
            outputs: Vec::new(),
        };
        let items = vec![
            item("a.b", Verdict::Pass, ""),
            item("a.c", Verdict::Crash, "SIGSEGV"),
            item("a.d", Verdict::Skip, ""),
            item("a.e", Verdict::Fail, ""),
        ];
        let section = SectionResults { name: "s".to_owned(), counts: BTreeMap::new(), items };
        let results = Results { job: "j".to_owned(), digest: String::new(), sections: vec![section] };
        let text = failures(&results).expect("text");
        let written: Value = serde_json::from_str(&text).expect("JSON");
        let run = &written["runs"][0];
        let told: Vec<_> = run["results"]
            .as_array()
            .expect("results")
            .iter()
            .map(|result| {
                let rule =
                    &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("a rule") as usize];
                assert_eq!(rule["id"], result["ruleId"]);
                let place = &result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"];
                [&result["ruleId"], &result["message"]["text"], place]
                    .map(|text| text.as_str().expect("a text"))
            })
            .collect();
        assert_eq!(told, [["crash", "a.c: Status SIGSEGV", "s/a.c"], ["fail", "a.e: Status", "s/a.e"]]);
        // What merging reports can read.
        Joined::default().add(text.as_bytes()).expect("SARIF");
    }

    #[test]
    fn what_is_not_sarif_is_refused() {
        for (text, part) in [
            ("[", "not JSON"),
            ("{}", "not SARIF 2.1.0"),
            (r#"{"version":"2.1.0"}"#, "no runs"),
            (r#"{"version":"2.1.0","runs":[{}]}"#, "no tool"),
            (r#"{"version":"2.1.0","runs":[{"tool":"x"}]}"#, "no tool"),
            (r#"{"version":"2.1.0","runs":[{"tool":{"driver":{}}}]}"#, "no results"),
            (r#"{"version":"2.1.0","runs":[{"tool":{"driver":{}},"results":[3]}]}"#, "not an object"),
        ] {
            let error = format!("{:#}", Joined::default().add(text.as_bytes()).expect_err(text));
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
