//! What commands and structures take by pointer: from `vk.xml` (`len`, `optional`, `noautovalidity`) and the
//! bindings' types to lines of facts.
//!
//! A pointer whose valid usage is implicit ("must be a valid pointer to ...") has a kind that says all that a
//! reader needs; one with `noautovalidity` is valid under a condition that only the reader of the structure
//! knows, and its kind says so by a question mark in front. [`EXPLICIT`] lists those whose explicit rule is
//! unconditional. A pointer that the registry does not describe is `raw`.

use crate::extract::{attribute, children, declaration, plain, text_of, within};
use roxmltree::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Pointers with `noautovalidity` only since elements may be null handles or have a type of several, by the
/// command or structure, the member, and the rule that says that the pointer is valid.
const EXPLICIT: &[(&str, &str, &str)] = &[
    ("vkCmdBeginTransformFeedbackEXT", "pCounterBuffers", "counterBufferCount-02607"),
    ("vkCmdBindTransformFeedbackBuffersEXT", "pSizes", "pSize-02361"),
    ("vkCmdClearColorImage", "pColor", "pColor-04961"),
    ("vkCmdDrawMultiEXT", "pVertexInfo", "drawCount-04935"),
    ("vkCmdDrawMultiIndexedEXT", "pIndexInfo", "drawCount-04940"),
    ("vkCmdEndTransformFeedbackEXT", "pCounterBuffers", "counterBufferCount-02608"),
    ("vkFreeCommandBuffers", "pCommandBuffers", "pCommandBuffers-00048"),
    ("vkFreeDescriptorSets", "pDescriptorSets", "pDescriptorSets-00310"),
    ("VkDescriptorGetInfoEXT", "data", "pSampler-parameter"),
    ("VkRenderPassBeginInfo", "pClearValues", "clearValueCount-04962"),
];

/// A parameter or member: its name in the bindings, and its Rust type there.
type Bound = Vec<(String, String)>;

/// The parameters of the bindings' commands, and the fields of their structures and unions, by name. The last
/// parameter of a command is named `->` and is what it returns.
fn bound_types(bindings: &str) -> BTreeMap<String, Bound> {
    let mut types: BTreeMap<String, Bound> = BTreeMap::new();
    let mut current: Option<&str> = None;
    // Long fields have their type in a line of its own.
    let joined = bindings.replace(":\n        ", ": ");
    for line in joined.lines() {
        if let Some(rest) = line.strip_prefix("pub struct ").or(line.strip_prefix("pub union ")) {
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
        let Some((_, rest)) = rest.split_once("fn(").or(rest.split_once("fn (")) else { continue };
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

/// A member or parameter: its node, and its name and type in the bindings.
struct Item<'a> {
    node: Node<'a, 'a>,
    member: &'a str,
    name: &'a str,
    ty: &'a str,
}

/// The members or parameters of a node beside those of the bindings, or none where the two differ.
fn items<'a>(node: Node<'a, 'a>, tag: &'static str, bound: &'a Bound) -> Option<Vec<Item<'a>>> {
    let nodes: Vec<_> = children(node, tag).collect();
    let is_same = |item: &Item| {
        let name = item.member;
        let stem = name.trim_start_matches("pp").trim_start_matches("pfn");
        let names = [name, stem, stem.strip_prefix('p').unwrap_or(stem)];
        // Where an array and an array of pointers have one name, the bindings tell them apart.
        let bound = item.name.strip_prefix("pointer_").filter(|_| name.starts_with("pp"));
        names.iter().any(|one| plain(one) == plain(item.name) || Some(plain(one)) == bound.map(plain))
    };
    let all: Vec<Item> = nodes
        .iter()
        .zip(bound)
        .map(|(node, (name, ty))| Item { node: *node, member: text_of(*node, "name"), name, ty })
        .collect();
    (nodes.len() == bound.len() && all.iter().all(is_same)).then_some(all)
}

/// The members by the parameters' types, for counts in structures (`pInfo->count`).
struct Context<'a> {
    owner: &'a str,
    items: &'a [Item<'a>],
    types: &'a BTreeMap<String, Bound>,
}

impl Context<'_> {
    /// The name in the bindings of what counts: a sibling, or a member of the structure at a sibling.
    fn count(&self, len: &str) -> Option<String> {
        let sibling = |name: &str| self.items.iter().find(|item| item.member == name);
        let Some((pointer, member)) = len.split_once("->") else {
            return sibling(len).map(|item| item.name.to_owned());
        };
        let pointer = sibling(pointer)?;
        let members = self.types.get(pointer.ty.trim_start_matches("*const "))?;
        let (name, _) = members.iter().find(|(name, _)| plain(name) == plain(member))?;
        Some(format!("{}.{name}", pointer.name))
    }

    /// What a pointer points at, without its condition.
    fn pointer_kind(&self, node: Node, ty: &str, pointee: &str) -> String {
        let is_nullable = attribute(node, "optional").split(',').next() == Some("true");
        if let Some((_, count)) = declaration(node).split_once('[') {
            let count = count.trim_end_matches(']');
            return if count.parse::<u32>().is_ok() { format!("fixed/{count}") } else { "raw".to_owned() };
        }
        // What follows the last comma is about what the elements point at.
        let (len, of_elements) =
            attribute(node, "len").split_once(',').unwrap_or((attribute(node, "len"), ""));
        let len = if node.has_attribute("altlen") { attribute(node, "altlen") } else { len };
        if let Some(stride) = node.attribute("stride") {
            let place = self.count(len).zip(self.count(stride));
            return place.map_or("raw".to_owned(), |(count, stride)| format!("strided/{count}/{stride}"));
        }
        let counted = |prefix: &str, len: &str| {
            self.count(len).map_or("raw".to_owned(), |count| format!("{prefix}{count}"))
        };
        match (len, of_elements) {
            ("null-terminated", _) if is_nullable => "nullable_string".to_owned(),
            ("null-terminated", _) => "string".to_owned(),
            ("2*VK_UUID_SIZE", _) => "fixed/32".to_owned(),
            ("", _) if pointee == "c_void" => "raw".to_owned(),
            ("", _) if pointee.starts_with('*') && ty.starts_with("*const") => "raw".to_owned(),
            ("" | "1", _) if is_nullable => "nullable".to_owned(),
            ("" | "1", _) => "one".to_owned(),
            (_, "null-terminated") => counted("strings/", len),
            (_, "1") => counted("pointers/", len),
            _ => match len.strip_suffix(" / 4") {
                Some(bytes) => counted("words/", bytes),
                None => counted("", len),
            },
        }
    }

    /// `name:type:kind`, where the kind is `-` for a value, `one` or `nullable` for a pointer to one value,
    /// `string` or `nullable_string`, `fixed/NUMBER` for a known number of values, `strided/COUNT/STRIDE` for
    /// values that lie so many bytes apart as a parameter says, `raw`, or the parameter or
    /// member that has the count of elements; with `strings/` or `pointers/` before it where these are what
    /// the elements are, with `words/` where it counts bytes.
    fn fact(&self, item: &Item) -> String {
        let (node, ty) = (item.node, item.ty);
        let pointee = ty.strip_prefix("*const ").or(ty.strip_prefix("*mut "));
        let kind = match pointee {
            None => "-".to_owned(),
            Some(pointee) => self.pointer_kind(node, ty, pointee),
        };
        let is_explicit =
            EXPLICIT.iter().any(|(owner, member, _)| *owner == self.owner && *member == item.member);
        let is_unchecked = attribute(node, "noautovalidity") == "true" && !is_explicit;
        let mark = if is_unchecked && !["-", "raw"].contains(&kind.as_str()) { "?" } else { "" };
        format!("{}:{}:{mark}{kind}", item.name, ty.replace(' ', "~"))
    }
}

/// An enumerant's name in the bindings: without its type's prefix, and without the type's tag.
fn enumerant(name: &str, ty: &str) -> String {
    let tag_at = ty.rfind(|c: char| !c.is_ascii_uppercase()).map_or(0, |at| at + 1);
    let (stem, tag) = ty.split_at(tag_at);
    let mut prefix = String::from("VK");
    for c in stem.chars() {
        if c.is_ascii_uppercase() {
            prefix.push('_');
        }
        prefix.push(c.to_ascii_uppercase());
    }
    let name = name.strip_prefix(&format!("{prefix}_")).unwrap_or(name);
    name.strip_suffix(&format!("_{tag}")).unwrap_or(name).to_owned()
}

/// The members of a structure's union that its selector says, one line: structure, member, selector, its
/// type, and `name:type:kind:VALUES` for each member of the union.
fn selected(context: &Context, item: &Item, unions: &BTreeMap<&str, Node>, is_valid: bool) -> Option<String> {
    let selector = attribute(item.node, "selector");
    let selector = context.items.iter().find(|other| other.member == selector)?;
    let node = unions.get(format!("Vk{}", item.ty).as_str())?;
    let members = items(*node, "member", context.types.get(item.ty)?)?;
    let inner = Context { owner: attribute(*node, "name"), items: &members, types: context.types };
    let rows = members.iter().filter(|_| is_valid).filter_map(|member| {
        let values = attribute(member.node, "selection").split(',').filter(|value| !value.is_empty());
        let values: Vec<_> = values.map(|value| enumerant(value, selector.ty)).collect();
        (!values.is_empty()).then(|| format!("{}:{}", inner.fact(member), values.join(",")))
    });
    let rows: Vec<_> = rows.collect();
    let owner = context.owner.trim_start_matches("Vk");
    let line = [owner, item.name, selector.name, selector.ty, &rows.join(" ")].join("\t");
    (!rows.is_empty()).then(|| format!("selected\t{line}"))
}

/// The parameters of all commands and the pointers of all structures that the bindings have.
pub(crate) fn pointers(root: Node, bindings: &str) -> Vec<String> {
    let types = bound_types(bindings);
    let mut lines = Vec::new();
    for node in
        within(root, "commands", "command").into_iter().filter(|node| node.attribute("alias").is_none())
    {
        let Some(proto) = children(node, "proto").next() else { continue };
        let owner = text_of(proto, "name");
        let Some((result, parameters)) = types.get(owner).and_then(|bound| bound.split_last()) else {
            continue;
        };
        let parameters = parameters.to_vec();
        let Some(items) = items(node, "param", &parameters) else { continue };
        let context = Context { owner, items: &items, types: &types };
        let fact = |item: &Item| format!("{}={}", item.member, context.fact(item));
        let facts: Vec<_> = items.iter().map(fact).collect();
        lines.push(format!("parameters\t{owner}\t{}\t{}", result.1.replace(' ', "~"), facts.join(" ")));
    }
    lines.extend(structures(root, &types));
    lines.sort();
    lines
}

/// A structure's facts while they are gathered.
struct Structure {
    is_chained: bool,
    pointers: Vec<String>,
    /// Name and type of the members that are values.
    values: Vec<(String, String)>,
}

/// The pointers of structures, the structures within them that have some, and the unions with a selector.
fn structures(root: Node, types: &BTreeMap<String, Bound>) -> Vec<String> {
    let nodes = within(root, "types", "type");
    let of = |category: &'static str| {
        nodes.iter().filter(move |node| attribute(**node, "category") == category).copied()
    };
    let unions: BTreeMap<&str, Node> = of("union").map(|node| (attribute(node, "name"), node)).collect();
    let (mut lines, mut all) = (Vec::new(), BTreeMap::new());
    for node in of("struct") {
        let owner = attribute(node, "name");
        let name = owner.trim_start_matches("Vk");
        let Some(items) = types.get(name).and_then(|bound| items(node, "member", bound)) else { continue };
        let context = Context { owner, items: &items, types };
        let is_explicit = |item: &Item| EXPLICIT.iter().any(|one| one.0 == owner && one.1 == item.member);
        let is_valid = |item: &Item| attribute(item.node, "noautovalidity") != "true" || is_explicit(item);
        lines.extend(items.iter().filter_map(|item| selected(&context, item, &unions, is_valid(item))));
        let is_pointer = |item: &&Item| item.ty.starts_with('*') && item.name != "next";
        let pointers = items.iter().filter(is_pointer).map(|item| context.fact(item));
        let values = items.iter().filter(|item| !item.ty.starts_with('*'));
        let s_type = items.iter().find(|item| item.member == "sType");
        let structure = Structure {
            is_chained: s_type.is_some_and(|item| item.node.has_attribute("values")),
            pointers: pointers.filter(|fact| !fact.ends_with(":raw")).collect(),
            values: values.map(|item| (item.name.to_owned(), item.ty.to_owned())).collect(),
        };
        all.insert(name.to_owned(), structure);
    }
    lines.extend(lines_of(&all));
    lines
}

fn lines_of(all: &BTreeMap<String, Structure>) -> Vec<String> {
    // Chains are pointers too.
    let has_pointers = |one: &&String| all[*one].is_chained || !all[*one].pointers.is_empty();
    let mut interesting: BTreeSet<&String> = all.keys().filter(has_pointers).collect();
    loop {
        let leads = |one: &&String| all[*one].values.iter().any(|(_, ty)| interesting.contains(ty));
        let more: Vec<_> = all.keys().filter(|one| !interesting.contains(one)).filter(leads).collect();
        if more.is_empty() {
            break;
        }
        interesting.extend(more);
    }
    let line = |(name, one): (&String, &Structure)| {
        let within = one.values.iter().filter(|(_, ty)| interesting.contains(ty));
        let within = within.map(|(name, ty)| format!("{name}:{ty}:within"));
        let facts: Vec<_> = one.pointers.iter().cloned().chain(within).collect();
        let mark = if one.is_chained { "chained" } else { "-" };
        (one.is_chained || !facts.is_empty()).then(|| format!("members\t{name}\t{mark}\t{}", facts.join(" ")))
    };
    all.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enumerants_lose_what_their_type_says() {
        assert_eq!(enumerant("VK_DESCRIPTOR_TYPE_TENSOR_ARM", "DescriptorType"), "TENSOR_ARM");
        assert_eq!(enumerant("VK_GEOMETRY_TYPE_AABBS_KHR", "GeometryTypeKHR"), "AABBS");
        let name = "VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT";
        assert_eq!(enumerant(name, "DescriptorMappingSourceEXT"), "HEAP_WITH_PUSH_INDEX");
    }
}
