//! What commands and structures take by pointer: from `vk.xml` (`len`, `optional`, `noautovalidity`) and the
//! bindings' types to lines of facts.
//!
//! Only pointers whose valid usage is implicit ("must be a valid pointer to ...") have a kind; one with
//! `noautovalidity` is valid under a condition that only the reader of the structure knows, and is `raw`.

use crate::extract::{attribute, children, plain, within};
use roxmltree::Node;
use std::collections::BTreeMap;

/// A parameter or member: its name in the bindings, and its Rust type there.
type Bound = Vec<(String, String)>;

/// The parameters of the bindings' commands, then the fields of their structures, by name. The last parameter
/// of a command is named `->` and is what it returns.
fn bound_types(bindings: &str) -> BTreeMap<String, Bound> {
    let mut types: BTreeMap<String, Bound> = BTreeMap::new();
    let mut current: Option<&str> = None;
    for line in bindings.lines() {
        if let Some(rest) = line.strip_prefix("pub struct ") {
            current = rest.strip_suffix(" {");
        } else if line == "}" {
            current = None;
        } else if let (Some(name), Some(rest)) = (current, line.trim_start().strip_prefix("pub "))
            && let Some((field, ty)) = rest.split_once(": ")
        {
            let field = field.trim_start_matches("r#").to_owned();
            types.entry(name.to_owned()).or_default().push((field, ty.trim_end_matches(',').to_owned()));
        }
    }
    for item in bindings.split("pub type PFN_").skip(1) {
        let Some((name, rest)) = item.split_once(" =") else { continue };
        let Some((_, rest)) = rest.split_once("fn(") else { continue };
        let Some((parameters, rest)) = rest.split_once(')') else { continue };
        let parameters = parameters.split(", ").flat_map(|part| part.split(",\n")).filter_map(|part| {
            let (name, ty) = part.trim().trim_end_matches(',').split_once(": ")?;
            Some((name.trim_start_matches('_').to_owned(), ty.to_owned()))
        });
        let mut parameters: Bound = parameters.collect();
        let result = rest.split(';').next().and_then(|text| text.trim().strip_prefix("-> "));
        parameters.push(("->".to_owned(), result.unwrap_or("()").to_owned()));
        types.insert(name.to_owned(), parameters);
    }
    types
}

fn text<'a>(node: Node<'a, 'a>, tag: &str) -> &'a str {
    let found = node.children().find(|child| child.has_tag_name(tag));
    found.and_then(|found| found.text()).unwrap_or_default()
}

/// `name:type:kind`, where the kind is `-` for a value, `one` or `nullable` for a pointer to one
/// value, `raw`, or the parameter or member that has the count of elements.
fn facts(node: Node, bound: (&str, &str), siblings: &[(&str, &str)]) -> String {
    let (name, ty) = bound;
    let pointee = ty.strip_prefix("*const ").or(ty.strip_prefix("*mut "));
    let is_first_optional = attribute(node, "optional").split(',').next() == Some("true");
    let is_array = node.children().any(|child| child.text().is_some_and(|text| text.contains('[')));
    let is_unchecked = is_array || attribute(node, "noautovalidity") == "true";
    let kind = match (pointee, attribute(node, "len")) {
        (None, _) => "-",
        _ if is_unchecked => "raw",
        (Some(pointee), "") if pointee.starts_with('*') && ty.starts_with("*const") => "raw",
        (Some("c_void"), "") => "raw",
        (Some(_), "") if is_first_optional => "nullable",
        (Some(_), "") => "one",
        (Some(pointee), _) if pointee.starts_with('*') => "raw",
        (Some(_), len) => siblings.iter().find(|(member, _)| *member == len).map_or("raw", |(_, name)| name),
    };
    format!("{name}:{}:{kind}", ty.replace(' ', "~"))
}

/// The members or parameters of a node beside those of the bindings, or none where the two differ.
fn items<'a>(node: Node<'a, 'a>, tag: &'static str, bound: &'a Bound) -> Option<Vec<String>> {
    let nodes: Vec<_> = children(node, tag).collect();
    let names: Vec<_> = nodes.iter().map(|node| text(*node, "name")).collect();
    let is_same = |(name, (bound, _)): (&&str, &(String, String))| {
        let stem = name.trim_start_matches("pp").trim_start_matches("pfn");
        [name, stem, stem.strip_prefix('p').unwrap_or(stem)].iter().any(|one| plain(one) == plain(bound))
    };
    if names.len() != bound.len() || !names.iter().zip(bound).all(is_same) {
        return None;
    }
    let siblings: Vec<_> = names.into_iter().zip(bound.iter().map(|(name, _)| name.as_str())).collect();
    let pairs = nodes.into_iter().zip(bound);
    Some(pairs.map(|(node, (name, ty))| facts(node, (name, ty), &siblings)).collect())
}

/// The parameters of all commands and the pointers of all structures that the bindings have.
pub(crate) fn pointers(root: Node, bindings: &str) -> Vec<String> {
    let types = bound_types(bindings);
    let mut lines = Vec::new();
    for node in
        within(root, "commands", "command").into_iter().filter(|node| node.attribute("alias").is_none())
    {
        let Some(proto) = children(node, "proto").next() else { continue };
        let name = text(proto, "name");
        let Some((result, parameters)) = types.get(name).and_then(|bound| bound.split_last()) else {
            continue;
        };
        let parameters = parameters.to_vec();
        let Some(items) = items(node, "param", &parameters) else { continue };
        lines.push(format!("parameters\t{name}\t{}\t{}", result.1.replace(' ', "~"), items.join(" ")));
    }
    let structs = within(root, "types", "type").into_iter();
    for node in structs.filter(|node| attribute(*node, "category") == "struct") {
        let name = attribute(node, "name").trim_start_matches("Vk");
        let Some(items) = types.get(name).and_then(|bound| items(node, "member", bound)) else { continue };
        let s_type = children(node, "member").find(|member| text(*member, "name") == "sType");
        let s_type = s_type.map_or("", |member| attribute(member, "values"));
        let is_chained = if s_type.is_empty() { "-" } else { "chained" };
        let is_pointer = |item: &&String| {
            !item.ends_with(":-")
                && !item.ends_with(":raw")
                && item.contains(":*const")
                && !item.starts_with("next:")
        };
        let pointers: Vec<_> = items.iter().filter(is_pointer).cloned().collect();
        if is_chained == "chained" || !pointers.is_empty() {
            lines.push(format!("members\t{name}\t{is_chained}\t{}", pointers.join(" ")));
        }
    }
    lines.sort();
    lines
}
