//! A profile as a page that needs nothing else: flame graph, sources with heat, timeline, tables.

use super::{json, trace};
use pyro_profiler::profile::Profile;
use pyro_profiler::summary::Summary;
use serde_json::json;

/// Events that a page shows at most: the longest.
const EVENTS_MAX: usize = 20_000;

/// The page, whose data stands in it as JSON.
pub(crate) fn render(profiles: &[Profile], summary: &Summary) -> String {
    let mut shown: Vec<Profile> = profiles.to_vec();
    for profile in &mut shown {
        profile.events.sort_by_key(|event| std::cmp::Reverse(event.end_ns - event.begin_ns));
        profile.events.truncate(EVENTS_MAX);
    }
    let sources: Vec<_> =
        summary.sources.iter().map(|source| json!({ "name": source.name, "text": source.text })).collect();
    let data = json!({
        "summary": json::render(summary),
        "flame": json::frame(&summary.flame),
        "sources": sources,
        "timeline": trace::render(&shown)["traceEvents"],
    });
    // A script ends at the first `</script`, wherever it stands.
    let data = data.to_string().replace("</", "<\\/");
    include_str!("page.html").replace("/*DATA*/null", &data)
}
