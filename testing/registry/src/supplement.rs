//! The types that the bindings lack: from `vk.xml` to lines of facts.
//!
//! The bindings are made from an older registry than the extract, so they lack whole extensions. All that
//! such an extension brings is a fact here: handles, flags, enumerants, structures and commands, with names
//! and types as the bindings would have them (`Type` for `VkType`, `snake_case` members without the `p` of
//! pointers). [`Supplement::bindings`] spells them as the bindings are spelled, so that what reads those
//! reads these too.

use crate::extract::{
    attribute, bound_name, children, declaration, enumerant_value, is_pointer, owners, text_of, within,
};
use roxmltree::Node;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A member or parameter: name in the registry, name and type as in the bindings.
struct Item {
    member: String,
    name: String,
    ty: String,
}

/// What the bindings lack.
#[derive(Default)]
pub(crate) struct Supplement {
    /// Facts, a line each.
    pub(crate) lines: Vec<String>,
    /// The structures and commands, spelled as in the bindings.
    pub(crate) bindings: String,
}

/// A type of C as in the bindings.
fn plain_type(ty: &str) -> String {
    let known = [
        ("void", "c_void"),
        ("char", "c_char"),
        ("float", "f32"),
        ("double", "f64"),
        ("size_t", "usize"),
        ("int", "c_int"),
        ("int8_t", "i8"),
        ("int16_t", "i16"),
        ("int32_t", "i32"),
        ("int64_t", "i64"),
        ("uint8_t", "u8"),
        ("uint16_t", "u16"),
        ("uint32_t", "u32"),
        ("uint64_t", "u64"),
    ];
    match known.iter().find(|(c, _)| *c == ty) {
        Some((_, rust)) => (*rust).to_owned(),
        None => ty.trim_start_matches("Vk").replace("FlagBits", "Flags"),
    }
}

/// A member's or parameter's type as in the bindings.
fn rust_type(node: Node) -> String {
    let text = declaration(node);
    let base = text_of(node, "type");
    let mut ty = plain_type(base);
    if let Some((_, rest)) = text.split_once('[') {
        let count = rest.split(']').next().unwrap_or_default().trim().trim_start_matches("VK_");
        return match base {
            "char" => format!("StringArray<{count}>"),
            "uint8_t" => format!("ByteArray<{count}>"),
            _ => format!("[{ty}; {count}]"),
        };
    }
    // Outermost last: what stands before a star says whether that star's value may change.
    for before in text.split('*').take(text.matches('*').count()) {
        let kind = if before.contains("const") { "const" } else { "mut" };
        ty = format!("*{kind} {ty}");
    }
    ty
}

fn items(node: Node, tag: &'static str) -> Vec<Item> {
    let members: Vec<&str> = children(node, tag).map(|node| text_of(node, "name")).collect();
    let item = |node| {
        let member = text_of(node, "name");
        let stem = if is_pointer(node) { member.trim_start_matches('p') } else { member };
        let name = match bound_name(stem, None) {
            // As the bindings do with keywords.
            name if name == "type" => "type_".to_owned(),
            // Where an array and an array of pointers would have one name.
            name if member.starts_with("pp") && members.contains(&&member[1..]) => format!("pointer_{name}"),
            name => name,
        };
        Item { member: member.to_owned(), name, ty: rust_type(node) }
    };
    children(node, tag).map(item).collect()
}

/// Enumerations that the bindings know by an alias only: of an extension that was there before.
fn bound_aliases(types: &BTreeMap<&str, Node>, bindings: &str) -> Vec<(String, String)> {
    let is_bound = |name: &str| bindings.contains(&format!("pub struct {name}("));
    let enumerations = types.iter().filter(|(_, node)| attribute(**node, "category") == "enum");
    let pairs = enumerations.filter_map(|(name, node)| {
        let (real, alias) = (plain_type(node.attribute("alias")?), plain_type(name));
        (!is_bound(&real) && is_bound(&alias)).then_some((real, alias))
    });
    pairs.collect()
}

/// What the bindings have with a mask of 32 bits where the registry has one of 64, and what lies behind it
/// elsewhere.
const MISLAID: [&str; 3] = [
    "unbound\tcommand\tVK_EXT_memory_decompression\tvkCmdDecompressMemoryEXT\t()\t\
     commandBuffer=command_buffer:CommandBuffer \
     pDecompressMemoryInfoEXT=decompress_memory_info_ext:*const~DecompressMemoryInfoEXT",
    "unbound\tenumerant\tVK_EXT_memory_decompression\tVK_STRUCTURE_TYPE_DECOMPRESS_MEMORY_INFO_EXT\t\
     StructureType\t1000550002",
    "unbound\tstruct\tVK_EXT_memory_decompression\tDecompressMemoryInfoEXT\t\
     VK_STRUCTURE_TYPE_DECOMPRESS_MEMORY_INFO_EXT\tsType=s_type:StructureType pNext=next:*const~c_void \
     decompressionMethod=decompression_method:u64 regionCount=region_count:u32 \
     pRegions=regions:*const~DecompressMemoryRegionEXT",
];

/// What later revisions of extensions have brought that the bindings know an earlier one of.
const LATER: [&str; 5] = [
    "vkCmdSetDispatchParametersARM",
    "VkDispatchParametersARM",
    "VkPhysicalDeviceSchedulingControlsDispatchParametersPropertiesARM",
    "VK_STRUCTURE_TYPE_DISPATCH_PARAMETERS_ARM",
    "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCHEDULING_CONTROLS_DISPATCH_PARAMETERS_PROPERTIES_ARM",
];

fn row(items: &[Item]) -> String {
    let one = |item: &Item| format!("{}={}:{}", item.member, item.name, item.ty.replace(' ', "~"));
    items.iter().map(one).collect::<Vec<_>>().join(" ")
}

impl Supplement {
    /// Of all extensions that the bindings lack.
    pub(crate) fn new(root: Node, bindings: &str) -> Supplement {
        let types: BTreeMap<&str, Node> = within(root, "types", "type")
            .into_iter()
            .map(|node| (node.attribute("name").unwrap_or_else(|| text_of(node, "name")), node))
            .collect();
        let commands = within(root, "commands", "command").into_iter().filter_map(|node| {
            let proto = children(node, "proto").next()?;
            Some((text_of(proto, "name"), node))
        });
        let commands: BTreeMap<&str, Node> = commands.collect();
        let enums: BTreeMap<&str, Node> =
            children(root, "enums").filter_map(|node| Some((node.attribute("name")?, node))).collect();
        let mut supplement = Supplement::default();
        for (owner, node) in owners(root) {
            if !node.has_tag_name("extension") {
                continue;
            }
            let is_bound = bindings.contains(&format!("\"{owner}\""));
            for item in children(node, "require").flat_map(|require| require.children()) {
                let name = attribute(item, "name");
                if is_bound && !LATER.contains(&name) {
                    continue;
                }
                match item.tag_name().name() {
                    "enum" => {
                        supplement.enumerant(&owner, node, item);
                        supplement.size(&owner, item, enums.get("API Constants").copied());
                    }
                    "type" => {
                        supplement.add_type(&owner, name, types.get(name).copied(), bindings);
                        supplement.values(&owner, enums.get(name).copied(), bindings);
                    }
                    "command" => supplement.command(&owner, name, commands.get(name).copied()),
                    _ => {}
                }
            }
        }
        for (real, alias) in bound_aliases(&types, bindings) {
            let own = format!("\t{real}\ti32\t-");
            supplement
                .lines
                .retain(|line| !line.starts_with("unbound\tenumeration") || !line.ends_with(&own));
            for line in supplement.lines.iter_mut().filter(|line| line.contains(&format!(":{real}"))) {
                let words = line.split_inclusive(' ').map(|word| match word.trim_end().split_once(':') {
                    Some((_, ty)) if ty == real => word.replace(&real, &alias),
                    _ => word.to_owned(),
                });
                *line = words.collect();
            }
        }
        supplement.lines.extend(MISLAID.map(str::to_owned));
        supplement.lines.sort();
        supplement.lines.dedup();
        supplement
    }

    fn enumerant(&mut self, owner: &str, extension: Node, item: Node) {
        let (name, extends) = (attribute(item, "name"), attribute(item, "extends"));
        let ty = plain_type(extends);
        if let Some(position) = item.attribute("bitpos") {
            let width = if extends.ends_with("FlagBits2") { 64 } else { 32 };
            self.lines.push(format!("unbound\tbit\t{owner}\t{name}\tu{width}\t{position}"));
        } else if let Some(value) = enumerant_value(item, extension).filter(|_| !extends.is_empty()) {
            self.lines.push(format!("unbound\tenumerant\t{owner}\t{name}\t{ty}\t{value}"));
        }
    }

    /// A size of arrays.
    fn size(&mut self, owner: &str, item: Node, constants: Option<Node>) {
        let name = attribute(item, "name");
        let is_said_here = item.attribute("value").or(item.attribute("extends")).is_some();
        let constant = constants.and_then(|all| {
            children(all, "enum").find(|one| one.attribute("name") == Some(name) && !is_said_here)
        });
        if let Some(value) = constant.and_then(|constant| constant.attribute("value")) {
            self.lines.push(format!("unbound\tvalue\t{owner}\t{name}\tusize\t{value}"));
        }
    }

    /// The values of an enumeration, or the bits of flags.
    fn values(&mut self, owner: &str, enumeration: Option<Node>, bindings: &str) {
        let Some(enumeration) = enumeration else { return };
        let bound = plain_type(attribute(enumeration, "name"));
        if ["pub struct {}(", "pub struct {}:"]
            .iter()
            .any(|form| bindings.contains(&form.replace("{}", &bound)))
        {
            return;
        }
        let width = if attribute(enumeration, "bitwidth") == "64" { "u64" } else { "u32" };
        for one in children(enumeration, "enum").filter(|one| one.attribute("alias").is_none()) {
            let name = attribute(one, "name");
            if let Some(position) = one.attribute("bitpos") {
                self.lines.push(format!("unbound\tbit\t{owner}\t{name}\t{width}\t{position}"));
            } else if let Some(value) = one.attribute("value").filter(|_| !bound.contains("Flags")) {
                self.lines.push(format!("unbound\tvalue\t{owner}\t{name}\ti32\t{value}"));
            }
        }
    }

    fn add_type(&mut self, owner: &str, name: &str, node: Option<Node>, bindings: &str) {
        let Some(node) = node.filter(|node| node.attribute("alias").is_none()) else { return };
        let rust = plain_type(name);
        if bindings.contains(&format!("pub struct {rust} {{")) {
            return;
        }
        match attribute(node, "category") {
            "handle" => self.lines.push(format!("unbound\thandle\t{owner}\t{rust}\tu64\t-")),
            "bitmask" => {
                let width = if text_of(node, "type") == "VkFlags64" { "u64" } else { "u32" };
                self.lines.push(format!("unbound\tflags\t{owner}\t{rust}\t{width}\t-"));
            }
            "enum" if !name.contains("FlagBits") && !bindings.contains(&format!("pub struct {rust}(")) => {
                self.lines.push(format!("unbound\tenumeration\t{owner}\t{rust}\ti32\t-"));
            }
            "struct" => {
                let items = items(node, "member");
                let s_type = children(node, "member").find(|member| text_of(*member, "name") == "sType");
                let s_type = s_type.and_then(|member| member.attribute("values")).unwrap_or("-");
                self.lines.push(format!("unbound\tstruct\t{owner}\t{rust}\t{s_type}\t{}", row(&items)));
                let _ = writeln!(self.bindings, "pub struct {rust} {{");
                for item in &items {
                    let _ = writeln!(self.bindings, "    pub {}: {},", item.name, item.ty);
                }
                self.bindings.push_str("}\n");
            }
            _ => {}
        }
    }

    fn command(&mut self, owner: &str, name: &str, node: Option<Node>) {
        let Some((node, proto)) = node.and_then(|node| Some((node, children(node, "proto").next()?))) else {
            return;
        };
        let result = match text_of(proto, "type") {
            "void" => "()".to_owned(),
            ty => plain_type(ty),
        };
        let items = items(node, "param");
        self.lines.push(format!("unbound\tcommand\t{owner}\t{name}\t{result}\t{}", row(&items)));
        let _ = writeln!(self.bindings, "pub type PFN_{name} = unsafe extern \"system\" fn(");
        for item in &items {
            let _ = writeln!(self.bindings, "    _{}: {},", item.name, item.ty);
        }
        let arrow = if result == "()" { String::new() } else { format!(" -> {result}") };
        let _ = writeln!(self.bindings, "){arrow};");
    }
}
