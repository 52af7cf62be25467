//! How structures, unions and commands' parameters lie in memory: from `vk.xml` to lines of facts.
//!
//! The problem: whoever records or replays calls must walk every structure, follow its pointers as far as
//! they are valid and find its handles. The approach: one line per structure with the offset and kind of each
//! member, laid out by the rules of C on 64-bit systems (System V ABI for x86-64: each member is aligned to
//! its size, a structure to its largest member). Types that only other platforms have are left out, and so is
//! every structure that contains one.
//!
//! A kind is `b4` (four bytes; `r4`: a float), `hBuffer` (a handle), `sOffset2D` (a structure), `uClearValue`
//! (a union; `uX?type`: the member `type` selects), `chain` (`pNext`), `o` (a pointer that nobody may
//! follow), `f` (a function), or a pointer: `>` to constant or `<` to variable data, the kind pointed at, a
//! colon and the length (`1`, `z` for a string, a member, or an expression of members). `*4` behind it makes
//! an array.

use crate::extract::{attribute, children, enumerants, providers, within};
use roxmltree::Node;
use std::collections::{BTreeMap, BTreeSet};

/// A type as it lies in memory.
#[derive(Clone)]
struct Type {
    kind: String,
    size: u64,
    align: u64,
}

impl Type {
    fn plain(kind: &str, size: u64) -> Type {
        Type { kind: kind.to_owned(), size, align: size.max(1) }
    }
}

/// The types of C and of window systems that are used by value.
const PRIMITIVES: &[(&str, &str, u64)] = &[
    ("char", "b1", 1),
    ("int8_t", "b1", 1),
    ("uint8_t", "b1", 1),
    ("int16_t", "b2", 2),
    ("uint16_t", "b2", 2),
    ("int", "b4", 4),
    ("int32_t", "b4", 4),
    ("uint32_t", "b4", 4),
    ("float", "r4", 4),
    ("double", "r8", 8),
    ("int64_t", "b8", 8),
    ("uint64_t", "b8", 8),
    ("size_t", "b8", 8),
    ("Window", "b8", 8),
    ("VisualID", "b8", 8),
    ("xcb_window_t", "b4", 4),
    ("xcb_visualid_t", "b4", 4),
];

struct Layouts<'a> {
    nodes: BTreeMap<&'a str, Node<'a, 'a>>,
    constants: BTreeMap<String, u64>,
    wide: BTreeSet<&'a str>,
    enumerants: BTreeMap<String, i64>,
}

/// All lines: handles, structures and unions, commands.
pub(crate) fn layouts(root: Node) -> Vec<String> {
    let by = providers(root);
    let layouts = Layouts::new(root);
    let mut lines = Vec::new();
    for (name, node) in &layouts.nodes {
        let Some(by) = by.get(*name) else { continue };
        let by: Vec<&str> = by.iter().map(String::as_str).collect();
        let line = match attribute(*node, "category") {
            "handle" => layouts.handle(*node),
            "struct" | "union" => layouts.structure(*node).map(|(line, _)| line),
            _ => None,
        };
        lines.extend(line.map(|line| format!("{line}\t{}", by.join(" "))));
    }
    for node in within(root, "commands", "command") {
        lines.extend(layouts.command(node));
    }
    lines.sort();
    lines
}

fn text<'a>(node: Node<'a, 'a>, tag: &str) -> &'a str {
    let found = node.children().find(|child| child.has_tag_name(tag));
    found.and_then(|found| found.text()).unwrap_or_default()
}

/// The text of a member's declaration, without comments.
fn declaration(node: Node) -> String {
    let parts = node.children().filter(|child| !child.has_tag_name("comment"));
    parts
        .flat_map(|child| child.descendants())
        .filter_map(|part| part.is_text().then(|| part.text())?)
        .collect()
}

/// A type's name without `Vk`.
fn short(name: &str) -> &str {
    name.strip_prefix("Vk").unwrap_or(name)
}

impl<'a> Layouts<'a> {
    fn new(root: Node<'a, 'a>) -> Layouts<'a> {
        let name = |node: Node<'a, 'a>| match attribute(node, "name") {
            "" => match children(node, "proto").next() {
                Some(proto) => text(proto, "name"),
                None => text(node, "name"),
            },
            name => name,
        };
        let nodes = within(root, "types", "type").into_iter().map(|node| (name(node), node)).collect();
        let enums = || children(root, "enums");
        let constants = enums().filter(|group| attribute(*group, "name") == "API Constants");
        let constants = constants.flat_map(|group| children(group, "enum")).filter_map(|item| {
            Some((attribute(item, "name").to_owned(), attribute(item, "value").parse().ok()?))
        });
        let wide = enums().filter(|group| attribute(*group, "bitwidth") == "64");
        Layouts {
            nodes,
            constants: constants.collect(),
            wide: wide.map(|group| attribute(group, "name")).collect(),
            enumerants: enumerants(root, None),
        }
    }

    /// A type by its name, as a value; none where this system does not have it.
    fn named(&self, name: &str) -> Option<Type> {
        if let Some((_, kind, size)) = PRIMITIVES.iter().find(|(known, ..)| *known == name) {
            return Some(Type::plain(kind, *size));
        }
        let node = *self.nodes.get(name)?;
        let alias = attribute(node, "alias");
        if !alias.is_empty() {
            return self.named(alias);
        }
        match attribute(node, "category") {
            "basetype" | "bitmask" => match text(node, "type") {
                "" | "void" => None,
                "VkFlags" => Some(Type::plain("b4", 4)),
                "VkFlags64" => Some(Type::plain("b8", 8)),
                of => self.named(of),
            },
            "enum" if self.wide.contains(name) => Some(Type::plain("b8", 8)),
            "enum" => Some(Type::plain("b4", 4)),
            "handle" => Some(Type::plain(&format!("h{}", short(name)), 8)),
            "funcpointer" => Some(Type::plain("f", 8)),
            "struct" | "union" => self.structure(node).map(|(_, ty)| ty),
            _ => None,
        }
    }

    /// The product of a declaration's array bounds.
    fn count(&self, declaration: &str) -> Option<u64> {
        let mut count = 1;
        for bound in declaration.split('[').skip(1) {
            let bound = bound.split(']').next()?.trim();
            count *= bound.parse().ok().or_else(|| self.constants.get(bound).copied())?;
        }
        Some(count)
    }

    /// A pointer's kind.
    fn pointer(&self, node: Node, stars: usize, declaration: &str) -> String {
        let (ty, name) = (text(node, "type"), text(node, "name"));
        let direction = if declaration.trim_start().starts_with("const ") { '>' } else { '<' };
        if name == "pNext" {
            return format!("chain{direction}");
        }
        let len = match attribute(node, "altlen") {
            "" => attribute(node, "len"),
            altlen => altlen,
        };
        let mut lengths = len.split(',').map(|len| match len.trim() {
            "null-terminated" => "z".to_owned(),
            "2*VK_UUID_SIZE" => "32".to_owned(),
            len => len.replace(' ', ""),
        });
        let outer = lengths.next().filter(|len| !len.is_empty());
        let target = match ty {
            "void" if outer.is_some() => Some("b1".to_owned()),
            "AllocationCallbacks" | "VkAllocationCallbacks" | "void" => None,
            ty => self.named(ty).map(|ty| ty.kind),
        };
        match (target, stars) {
            (Some(target), 1) => format!("{direction}{target}:{}", outer.as_deref().unwrap_or("1")),
            // A pointer to pointers; where the registry has no length for the inner ones, nobody may follow.
            (Some(target), 2) => match (outer, lengths.next()) {
                (Some(outer), Some(inner)) => format!("{direction}>{target}:{inner}:{outer}"),
                (Some(outer), None) => format!("{direction}>{target}:?:{outer}"),
                _ => format!("{direction}o:1"),
            },
            (None, 2) if ty == "void" => format!("{direction}o:1"),
            _ => "o".to_owned(),
        }
    }

    /// The type of a member or parameter.
    fn member(&self, node: Node) -> Option<Type> {
        let declaration = declaration(node);
        let stars = declaration.matches('*').count();
        if stars > 0 {
            return Some(Type::plain(&self.pointer(node, stars, &declaration), 8));
        }
        let mut ty = self.named(text(node, "type"))?;
        let selector = attribute(node, "selector");
        if !selector.is_empty() {
            ty.kind += &format!("?{selector}");
        }
        let count = self.count(&declaration)?;
        if declaration.contains('[') {
            ty.kind += &format!("*{count}");
            ty.size *= count;
        }
        Some(ty)
    }

    fn handle(&self, node: Node) -> Option<String> {
        let ty = self.enumerants.get(attribute(node, "objtypeenum"))?;
        let kind = if text(node, "type") == "VK_DEFINE_HANDLE" { "dispatchable" } else { "opaque" };
        (!node.has_attribute("alias")).then(|| format!("handle\t{}\t{kind}\t{ty}", short(text(node, "name"))))
    }

    /// A structure or union: its line and its type.
    fn structure(&self, node: Node) -> Option<(String, Type)> {
        let name = attribute(node, "name");
        if node.has_attribute("alias") {
            return None;
        }
        let is_union = attribute(node, "category") == "union";
        let (mut offset, mut size, mut align, mut s_type) = (0_u64, 0, 1, -1);
        let mut bits = 0;
        let mut members = Vec::new();
        for member in children(node, "member") {
            let ty = self.member(member)?;
            align = align.max(ty.align);
            if let Some((_, width)) = declaration(member).rsplit_once(':') {
                // A bit field shares the word before it while it has room.
                let width: u64 = width.trim().parse().ok()?;
                let is_first = bits == 0 || bits + width > 8 * ty.size;
                bits = if is_first { width } else { bits + width };
                if !is_first {
                    continue;
                }
            } else {
                bits = 0;
            }
            let at = if is_union { 0 } else { offset.next_multiple_of(ty.align) };
            offset = at + ty.size;
            size = size.max(offset);
            let field = text(member, "name");
            if field == "sType" {
                s_type = self.enumerants.get(attribute(member, "values")).copied().unwrap_or(-1);
            }
            let selection = attribute(member, "selection");
            let selection = if selection.is_empty() { String::new() } else { format!("={selection}") };
            members.push(format!("{field}@{at}:{}{selection}", ty.kind));
        }
        let (size, kind) = (size.next_multiple_of(align), if is_union { "union" } else { "struct" });
        let prefix = if is_union { 'u' } else { 's' };
        let line = format!(
            "layout\t{}\t{kind}\t{s_type}\t{size}\t{}",
            short(name),
            self.selections(&members.join(" "))
        );
        Some((line, Type { kind: format!("{prefix}{}", short(name)), size, align }))
    }

    /// Members, with the values of the enumerants that select them.
    fn selections(&self, members: &str) -> String {
        let value = |name: &str| self.enumerants.get(name).copied().unwrap_or(-1).to_string();
        let one = |member: &str| match member.split_once('=') {
            Some((head, names)) => {
                format!("{head}={}", names.split(',').map(value).collect::<Vec<_>>().join("|"))
            }
            None => member.to_owned(),
        };
        members.split(' ').map(one).collect::<Vec<_>>().join(" ")
    }

    /// A command: its result and parameters, in slots of eight bytes.
    fn command(&self, node: Node) -> Option<String> {
        let proto = children(node, "proto").next()?;
        let result = match text(proto, "type") {
            "void" if declaration(proto).contains('*') => "b8".to_owned(),
            "void" => "-".to_owned(),
            ty => self.named(ty)?.kind,
        };
        let mut parameters = Vec::new();
        for (index, parameter) in children(node, "param").enumerate() {
            let declaration = declaration(parameter);
            let ty = match declaration.contains('[') {
                // An array parameter is a pointer.
                true => {
                    let ty = self.named(text(parameter, "type"))?;
                    Type::plain(&format!(">{}:{}", ty.kind, self.count(&declaration)?), 8)
                }
                false => self.member(parameter)?,
            };
            parameters.push(format!("{}@{}:{}", text(parameter, "name"), 8 * index, ty.kind));
        }
        Some(format!("call\t{}\t{result}\t{}", text(proto, "name"), parameters.join(" ")))
    }
}
