//! A page that shows shaders' interfaces: the pipeline as a picture, then a table for each kind of thing.

use super::Finding;
use super::picture::picture;
use crate::check::Reflected;
use crate::reflection;
use std::fmt::Write as _;

const STYLE: &str = "
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222; }
h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 2em; } h3 { font-size: 1em; margin-bottom: .3em; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .15em .9em .15em 0; }
th { font-weight: 600; border-bottom: 1px solid #999; } td { border-bottom: 1px solid #ddd; font-family: monospace; }
.bad { color: #b00020; } code { font-family: monospace; }
figure { margin: 0; } svg { max-width: 100%; height: auto; } svg text { font: 12px monospace; fill: #222; }
svg .box { fill: #f4f6f8; stroke: #345; } svg .name { font: 600 14px system-ui, sans-serif; }
svg .line { stroke: #345; fill: none; } svg .unread { stroke: #aaa; stroke-dasharray: 3 3; fill: none; }
svg .mismatch { stroke: #b00020; stroke-width: 2.5; fill: none; } svg .mismatch-text { fill: #b00020; }
";

/// The page.
pub(crate) fn page(shaders: &[Reflected<'_>], findings: &[Finding]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Shader interfaces</title>\n\
         <style>{STYLE}</style>\n<h1>Shader interfaces</h1>\n"
    );
    let _ = write!(out, "<figure>\n{}</figure>\n", picture(shaders, findings));
    if !findings.is_empty() {
        out += "<h2 class=\"bad\">Mismatches</h2>\n<ul>\n";
        for finding in findings {
            let stage = finding.stage.unwrap_or("pipeline");
            let _ = writeln!(
                out,
                "<li class=\"bad\">{}: {} (<code>{}</code>)</li>",
                escape(stage),
                escape(&finding.message),
                escape(&finding.rule)
            );
        }
        out += "</ul>\n";
    }
    for shader in shaders {
        let _ = writeln!(out, "<h2>{}</h2>", escape(&reflection::title(shader)));
        for table in reflection::tables(shader) {
            let _ = writeln!(out, "<h3>{}</h3>\n<table>", table.title);
            let header: String = table.columns.iter().map(|column| format!("<th>{column}</th>")).collect();
            let _ = writeln!(out, "<tr>{header}</tr>");
            for row in &table.rows {
                let cells: String = row.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
                let _ = writeln!(out, "<tr>{cells}</tr>");
            }
            out += "</table>\n";
        }
    }
    out + "</html>\n"
}

/// Text as HTML and SVG have it.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
