//! From `vk.xml` to lines of facts.

use crate::layouts::layouts;
use crate::parents::parents;
use crate::pointers::pointers;
use crate::supplement::Supplement;
use roxmltree::{Document, Node};
use std::collections::{BTreeMap, BTreeSet};

/// The extract of a registry, with the names and types that the bindings (`vulkanalia-sys`: `structs.rs`,
/// `unions.rs`, `commands.rs` and `extensions.rs`) give to fields and parameters.
///
/// # Errors
/// When the registry is not XML.
pub fn extract(registry: &str, bindings: &str) -> Result<String, String> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = Document::parse_with_options(registry, options).map_err(|error| error.to_string())?;
    let root = document.root_element();
    let fields = bound_fields(bindings);
    let mut lines = vec![
        "# Facts of the Vulkan registry (vk.xml, https://github.com/KhronosGroup/Vulkan-Docs), made by `extract`; \
         do not edit."
            .to_owned(),
        format!("version\t{}", header_version(root)),
    ];
    let providers = providers(root);
    lines.extend(extensions(root));
    lines.extend(commands(root, &providers));
    lines.extend(structs(root, &providers, &fields));
    lines.extend(required_features(root, &fields));
    lines.extend(parents(root, &providers));
    lines.extend(layouts(root));
    let supplement = Supplement::new(root, bindings);
    lines.extend(supplement.lines);
    lines.extend(pointers(root, &format!("{bindings}\n{}", supplement.bindings)));
    Ok(lines.join("\n") + "\n")
}

/// Whether an element belongs to Vulkan, and not only to one of its relatives (Vulkan SC).
fn is_vulkan(node: Node) -> bool {
    node.attribute("api").is_none_or(|api| api.split(',').any(|api| api == "vulkan"))
}

pub(crate) fn children<'a>(node: Node<'a, 'a>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(tag) && is_vulkan(*child))
}

/// All elements of a tag that stand directly within elements of another.
pub(crate) fn within<'a>(root: Node<'a, 'a>, outer: &'static str, tag: &'static str) -> Vec<Node<'a, 'a>> {
    children(root, outer).flat_map(|group| children(group, tag)).collect()
}

fn header_version(root: Node) -> String {
    let is_it = |node: &Node| {
        node.has_tag_name("type")
            && is_vulkan(*node)
            && node
                .children()
                .any(|name| name.has_tag_name("name") && name.text() == Some("VK_HEADER_VERSION"))
    };
    let text = root.descendants().find(is_it).and_then(|node| node.last_child()?.text());
    text.unwrap_or_default().trim().to_owned()
}

/// The name of a core version, from that of one of its parts (`VK_BASE_VERSION_1_1` and so on).
fn version(name: &str) -> String {
    let number = name.split_once("VERSION_").map_or(name, |(_, number)| number);
    format!("VK_VERSION_{number}")
}

/// The core versions' parts and the extensions that exist.
pub(crate) fn owners<'a>(root: Node<'a, 'a>) -> Vec<(String, Node<'a, 'a>)> {
    let features = children(root, "feature").map(|feature| (version(attribute(feature, "name")), feature));
    let supported = |node: &Node| attribute(*node, "supported").split(',').any(|api| api == "vulkan");
    let extensions = within(root, "extensions", "extension").into_iter().filter(supported);
    features.chain(extensions.map(|node| (attribute(node, "name").to_owned(), node))).collect()
}

/// The text of the first element of a tag in another.
pub(crate) fn text_of<'a>(node: Node<'a, 'a>, tag: &'static str) -> &'a str {
    children(node, tag).next().and_then(|child| child.text()).unwrap_or_default()
}

/// The text of a member's or parameter's declaration, without its comment.
pub(crate) fn declaration(item: Node) -> String {
    let is_code = |text: &Node| text.is_text() && !text.parent().is_some_and(|of| of.has_tag_name("comment"));
    item.descendants().filter(is_code).filter_map(|text| text.text()).collect()
}

/// Whether a member or parameter is a pointer.
pub(crate) fn is_pointer(item: Node) -> bool {
    declaration(item).contains('*')
}

pub(crate) fn attribute<'a>(node: Node<'a, 'a>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_default()
}

/// Who brings each command and each type.
pub(crate) fn providers(root: Node) -> BTreeMap<String, BTreeSet<String>> {
    let mut providers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (owner, node) in owners(root) {
        for require in children(node, "require") {
            // With a condition: `owner?condition`.
            let depends = attribute(require, "depends");
            let owner = if depends.is_empty() { owner.clone() } else { format!("{owner}?{depends}") };
            for item in
                require.children().filter(|item| item.has_tag_name("command") || item.has_tag_name("type"))
            {
                providers.entry(attribute(item, "name").to_owned()).or_default().insert(owner.clone());
            }
        }
    }
    providers
}

fn extensions(root: Node) -> Vec<String> {
    let mut lines = Vec::new();
    for (owner, node) in owners(root).into_iter().filter(|(_, node)| node.has_tag_name("extension")) {
        let is_version = |item: &Node| attribute(*item, "name").ends_with("_SPEC_VERSION");
        let version = children(node, "require")
            .flat_map(|require| require.children())
            .find(is_version)
            .map(|item| attribute(item, "value"));
        let or_none = |name| if attribute(node, name).is_empty() { "-" } else { attribute(node, name) };
        let (kind, depends, promoted) = (or_none("type"), or_none("depends"), or_none("promotedto"));
        lines.push(format!("extension\t{owner}\t{kind}\t{}\t{depends}\t{promoted}", version.unwrap_or("-")));
    }
    lines.sort();
    lines
}

fn commands(root: Node, providers: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let nodes = within(root, "commands", "command");
    let name = |node: Node| -> String {
        let proto = node.children().find(|child| child.has_tag_name("proto"));
        let name = proto.and_then(|proto| proto.children().find(|child| child.has_tag_name("name")));
        name.and_then(|name| name.text()).unwrap_or(attribute(node, "name")).to_owned()
    };
    let level = |node: Node| -> &'static str {
        let first = node.children().find(|child| child.has_tag_name("param") && is_vulkan(*child));
        let ty = first.and_then(|param| param.children().find(|child| child.has_tag_name("type")));
        match ty.and_then(|ty| ty.text()).unwrap_or_default() {
            "VkDevice" | "VkQueue" | "VkCommandBuffer" | "VkExternalComputeQueueNV" => "Device",
            "VkPhysicalDevice" => "PhysicalDevice",
            _ => "Instance",
        }
    };
    let real: BTreeMap<String, Node> = nodes.iter().map(|node| (name(*node), *node)).collect();
    let mut lines = Vec::new();
    for (name, node) in &real {
        let Some(by) = providers.get(name) else { continue };
        let alias = attribute(*node, "alias");
        let level = level(*real.get(alias).unwrap_or(node));
        let by: Vec<&str> = by.iter().map(String::as_str).collect();
        let alias = if alias.is_empty() { "-" } else { alias };
        lines.push(format!("command\t{name}\t{level}\t{alias}\t{}", by.join(" ")));
    }
    lines
}

/// The fields of the bindings' structures, by structure.
fn bound_fields(bindings: &str) -> BTreeMap<String, Vec<String>> {
    let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut current: Option<&str> = None;
    for line in bindings.lines() {
        if let Some(rest) = line.strip_prefix("pub struct ") {
            current = rest.strip_suffix(" {");
        } else if line == "}" {
            current = None;
        } else if let Some(rest) = line.strip_prefix("pub type ")
            && let Some((alias, real)) = rest.trim_end_matches(';').split_once(" = ")
            && let Some(known) = fields.get(real).cloned()
        {
            fields.insert(alias.to_owned(), known);
        } else if let (Some(name), Some(rest)) = (current, line.trim_start().strip_prefix("pub "))
            && let Some((field, _)) = rest.split_once(':')
        {
            fields.entry(name.to_owned()).or_default().push(field.trim_start_matches("r#").to_owned());
        }
    }
    fields
}

/// A name without what the bindings' spelling changes.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}

/// A member's name in the bindings, or one that is made alike.
pub(crate) fn bound_name(member: &str, known: Option<&Vec<String>>) -> String {
    let bound = known.and_then(|fields| fields.iter().find(|field| plain(field) == plain(member)));
    bound.cloned().unwrap_or_else(|| {
        let letters: Vec<char> = member.chars().collect();
        let mut made = String::new();
        for (at, c) in letters.iter().enumerate() {
            // Letters of an abbreviation stay together.
            let begins = at > 0 && letters[at - 1] != '_' && {
                let before_lower = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
                !letters[at - 1].is_ascii_uppercase() || before_lower
            };
            if c.is_ascii_uppercase() && begins {
                made.push('_');
            }
            made.push(c.to_ascii_lowercase());
        }
        made
    })
}

/// The value of an enumerant, also of one that an extension adds to an enumeration, unless it is another name
/// of one.
pub(crate) fn enumerant_value(item: Node, owner: Node) -> Option<i64> {
    let number = |node: Node, name| node.attribute(name).and_then(|text| text.parse::<i64>().ok());
    let bit = || number(item, "bitpos").map(|bit| 1 << bit);
    let added = || {
        let extension = number(item, "extnumber").or(number(owner, "number"))?;
        Some(1_000_000_000 + (extension - 1) * 1000 + number(item, "offset")?)
    };
    let sign = if attribute(item, "dir") == "-" { -1 } else { 1 };
    number(item, "value").or_else(bit).or_else(added).map(|value| value * sign)
}

/// The value of each enumerant of an enumeration, or of all.
pub(crate) fn enumerants(root: Node, enumeration: Option<&str>) -> BTreeMap<String, i64> {
    let is_wanted = |name: &str| enumeration.is_none_or(|wanted| name == wanted);
    let mut values = BTreeMap::new();
    let mut add = |item: Node, owner: Node| {
        values.extend(enumerant_value(item, owner).map(|value| (attribute(item, "name").to_owned(), value)));
    };
    for group in children(root, "enums").filter(|group| is_wanted(attribute(*group, "name"))) {
        children(group, "enum").for_each(|item| add(item, group));
    }
    for (_, owner) in owners(root) {
        for item in children(owner, "require").flat_map(|require| require.children()) {
            if item.has_tag_name("enum") && is_wanted(attribute(item, "extends")) {
                add(item, owner);
            }
        }
    }
    values
}

/// Whether a structure holds features of an extension, by its name.
fn is_of_features(name: &str) -> bool {
    name.starts_with("VkPhysicalDevice") && name.contains("Features")
}

/// The structures that extend those of features and properties.
fn structs(
    root: Node,
    providers: &BTreeMap<String, BTreeSet<String>>,
    fields: &BTreeMap<String, Vec<String>>,
) -> Vec<String> {
    let values = enumerants(root, Some("VkStructureType"));
    let mut lines = Vec::new();
    for node in
        within(root, "types", "type").into_iter().filter(|node| attribute(*node, "category") == "struct")
    {
        let extends = attribute(node, "structextends");
        let kind = match extends {
            // One extends another structure of features, in whose chain it stands.
            _ if extends.split(',').any(|of| of == "VkPhysicalDeviceFeatures2" || is_of_features(of)) => {
                "features"
            }
            _ if extends.split(',').any(|of| of == "VkPhysicalDeviceProperties2") => "properties",
            _ => continue,
        };
        let name = attribute(node, "name");
        let Some(by) = providers.get(name) else { continue };
        let short = name.trim_start_matches("Vk");
        let (mut members, mut s_type) = (Vec::new(), None);
        for member in children(node, "member") {
            let text = |tag: &str| {
                let found = member.children().find(|child| child.has_tag_name(tag));
                found.and_then(|found| found.text()).unwrap_or_default()
            };
            match text("name") {
                "sType" => s_type = values.get(attribute(member, "values")),
                "pNext" => {}
                field => {
                    let is_pointer = is_pointer(member);
                    let mark = if is_pointer { "*" } else { "" };
                    // The bindings leave the first letter of pointers' names out.
                    let stem = field.strip_prefix('p').filter(|_| is_pointer).unwrap_or(field);
                    members.push(format!("{field}={}{mark}", bound_name(stem, fields.get(short))));
                }
            }
        }
        let Some(s_type) = s_type else { continue };
        let bound = if fields.contains_key(short) { "bound" } else { "unbound" };
        let by: Vec<&str> = by.iter().map(String::as_str).collect();
        lines.push(format!(
            "struct\t{short}\t{kind}\t{s_type}\t{bound}\t{}\t{}",
            by.join(" "),
            members.join(" ")
        ));
    }
    lines.sort();
    lines
}

/// The name of a structure's field in the bindings.
fn field(structure: &str, member: &str, fields: &BTreeMap<String, Vec<String>>) -> String {
    bound_name(member, fields.get(structure.trim_start_matches("Vk")))
}

/// A condition, in which features (`Structure::member`) have become names of fields in the bindings.
fn condition(depends: &str, fields: &BTreeMap<String, Vec<String>>) -> String {
    if depends.is_empty() {
        return "-".to_owned();
    }
    let pieces = depends.split_inclusive(['(', ')', '+', ',']).map(|piece| {
        let word = piece.trim_end_matches(['(', ')', '+', ',']);
        match word.split_once("::") {
            Some((structure, member)) => piece.replace(word, &field(structure, member, fields)),
            None => piece.to_owned(),
        }
    });
    pieces.collect()
}

/// The features that versions and extensions promise, with the condition of each.
fn required_features(root: Node, fields: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let mut lines = Vec::new();
    for (owner, node) in owners(root) {
        for require in children(node, "require") {
            let depends = condition(attribute(require, "depends"), fields);
            for feature in children(require, "feature") {
                let structure = attribute(feature, "struct");
                let names = attribute(feature, "name").split(',');
                let names: Vec<String> = names.map(|name| field(structure, name, fields)).collect();
                lines.push(format!("requires\t{owner}\t{depends}\t{}", names.join(" ")));
            }
        }
    }
    lines.sort();
    lines.dedup();
    lines
}
