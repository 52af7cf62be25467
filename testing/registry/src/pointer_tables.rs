//! The tables of what commands and structures take by pointer, as Rust sources.

use crate::registry::{Command, Kind, Parameter, Registry};
use crate::tables::{body_name, header};
use std::collections::BTreeSet;
use std::fmt::Write;

const KEYWORDS: &[&str] = &["type", "in", "ref"];

fn ident(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// How a parameter is handed to the body; none where another one's value holds it.
fn argument(one: &Parameter, all: &[Parameter]) -> Option<String> {
    let name = ident(&one.name);
    let is_const = one.ty.starts_with("*const ");
    let by_name = |name: &str| all.iter().find(|other| other.name == name);
    let counted: Vec<_> =
        all.iter().filter(|other| matches!(&other.kind, Kind::Array(count) if *count == one.name)).collect();
    Some(match &one.kind {
        // A count stands in the slices that it counts.
        _ if !counted.is_empty() => return None,
        Kind::Value | Kind::Raw => name,
        Kind::One if is_const => format!("pointers::input({name})"),
        Kind::One => format!("pointers::output({name})"),
        Kind::Nullable if is_const => format!("pointers::nullable({name})"),
        Kind::Nullable => name,
        Kind::Array(count) => {
            let is_two_call = by_name(count).is_some_and(|count| count.ty.starts_with('*'));
            let count = ident(count);
            match (is_const, one.ty.ends_with("c_void")) {
                (true, true) => format!("pointers::bytes({name}, {count})"),
                (true, false) => format!("pointers::array({name}, {count})"),
                (false, true) if is_two_call => format!("pointers::data({name}, {count})"),
                (false, false) if is_two_call => format!("pointers::enumeration({name}, {count})"),
                (false, true) => format!("pointers::output_bytes({name}, {count})"),
                (false, false) => format!("pointers::outputs({name}, {count})"),
            }
        }
    })
}

/// The commands whose bodies are safe functions, with the conversion of each parameter.
pub(crate) fn parameters(registry: &Registry, commands: &[&Command], bodies: &str) -> String {
    let mut text = header("The commands whose bodies take checked parameters, and how each is converted.");
    text.push_str(
        "/// Runs a macro with all: body, parameters as the application passes them, and as the body gets them.\n\
         #[rustfmt::skip]\nmacro_rules! for_each_checked_command {\n    ($with:ident) => {\n        $with! {\n",
    );
    let mut names: Vec<&str> = commands.iter().map(|command| command.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let body = body_name(name);
        if !["(", "<"].iter().any(|open| bodies.contains(&format!("\npub(crate) fn {body}{open}"))) {
            continue;
        }
        let Some(one) = registry.signatures.iter().find(|one| one.command == name) else { continue };
        let raw: Vec<_> =
            one.parameters.iter().map(|one| format!("{}: {}", ident(&one.name), one.ty)).collect();
        let checked: Vec<_> =
            one.parameters.iter().filter_map(|other| argument(other, &one.parameters)).collect();
        let result = if one.result == "()" { String::new() } else { format!(" -> {}", one.result) };
        let _ = writeln!(text, "            {body}({}){result} => ({});", raw.join(", "), checked.join(", "));
    }
    text.push_str("        }\n    };\n}\npub(crate) use for_each_checked_command;\n");
    text
}

/// The structures' members that are pointers, and the structures of chains.
pub(crate) fn members(registry: &Registry, bodies: &str) -> String {
    let mut text = header("The pointers in the structures that commands' bodies name.");
    let words: BTreeSet<&str> = bodies.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    text.push_str(
        "/// Runs a macro with all: structure, and its pointers to constant values.\n#[rustfmt::skip]\nmacro_rules! \
         for_each_pointer_member {\n    ($with:ident) => {\n        $with! {\n",
    );
    let structs = || registry.members.iter().filter(|one| words.contains(one.name.as_str()));
    for one in structs() {
        let rows = one.pointers.iter().filter_map(|member| {
            let ty = member.ty.strip_prefix("*const ")?;
            Some(match &member.kind {
                Kind::One if ty != "c_void" => format!(" one {}: {ty};", member.name),
                Kind::Nullable if ty != "c_void" => format!(" nullable {}: {ty};", member.name),
                Kind::Array(count) if ty != "c_void" => format!(" array {}[{count}]: {ty};", member.name),
                Kind::Array(count) => format!(" bytes {}[{count}]: {ty};", member.name),
                _ => return None,
            })
        });
        let rows: String = rows.collect();
        if !rows.is_empty() {
            let _ = writeln!(text, "            {} {{{rows} }}", one.name);
        }
    }
    text.push_str("        }\n    };\n}\npub(crate) use for_each_pointer_member;\n\n");
    text.push_str(
        "/// Runs a macro with all structures that begin with `sType`.\n#[rustfmt::skip]\nmacro_rules! \
         for_each_chained_struct {\n    ($with:ident) => {\n        $with! {\n",
    );
    let names: Vec<_> = structs().filter(|one| one.is_chained).map(|one| one.name.as_str()).collect();
    for row in names.chunks(3) {
        let _ = writeln!(text, "            {}", row.join(" "));
    }
    text.push_str("        }\n    };\n}\npub(crate) use for_each_chained_struct;\n");
    text
}
