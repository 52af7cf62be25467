//! The tables by which calls are recorded and replayed, as Rust sources of `pyro-capture`.

use crate::registry::{Call, Command, Layout, Place, Registry};
use crate::tables::{body_name, header};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// When a pointer may be followed, where the registry says so only in words: structure, member, condition.
/// `member in VALUES`; `member without BITS`; `readable`: often garbage where it is ignored, so it is
/// followed only where it points at readable memory that begins with the right `sType`.
const CONDITIONS: &[(&str, &str, &str)] = &[
    ("BufferCreateInfo", "pQueueFamilyIndices", "sharingMode in 1"),
    ("CommandBufferBeginInfo", "pInheritanceInfo", "readable"),
    ("DescriptorSetLayoutBinding", "pImmutableSamplers", "descriptorType in 0 1"),
    ("FramebufferCreateInfo", "pAttachments", "flags without 1"),
    ("GraphicsPipelineCreateInfo", "pColorBlendState", "readable"),
    ("GraphicsPipelineCreateInfo", "pDepthStencilState", "readable"),
    ("GraphicsPipelineCreateInfo", "pInputAssemblyState", "readable"),
    ("GraphicsPipelineCreateInfo", "pMultisampleState", "readable"),
    ("GraphicsPipelineCreateInfo", "pRasterizationState", "readable"),
    ("GraphicsPipelineCreateInfo", "pTessellationState", "readable"),
    ("GraphicsPipelineCreateInfo", "pVertexInputState", "readable"),
    ("GraphicsPipelineCreateInfo", "pViewportState", "readable"),
    ("ImageCreateInfo", "pQueueFamilyIndices", "sharingMode in 1"),
    ("PipelineColorBlendStateCreateInfo", "pAttachments", "readable"),
    ("PipelineViewportStateCreateInfo", "pScissors", "readable"),
    ("PipelineViewportStateCreateInfo", "pViewports", "readable"),
    ("SwapchainCreateInfoKHR", "pQueueFamilyIndices", "imageSharingMode in 1"),
    ("TensorCreateInfoARM", "pQueueFamilyIndices", "sharingMode in 1"),
    ("WriteDescriptorSet", "pBufferInfo", "descriptorType in 6 7 8 9"),
    ("WriteDescriptorSet", "pImageInfo", "descriptorType in 0 1 2 3 10 1000440000 1000440001"),
    ("WriteDescriptorSet", "pTexelBufferView", "descriptorType in 4 5"),
];

/// Everything that rows refer to by number.
struct Numbers<'a> {
    registry: &'a Registry,
    handles: BTreeMap<&'a str, usize>,
    layouts: BTreeMap<&'a str, (usize, &'a Layout)>,
}

/// Where a row stands: what lengths and selectors may name.
struct Scope<'a> {
    owner: &'a str,
    members: &'a [Place],
}

/// The structures that commands and the chains of exposed structures reach.
fn reached<'a>(
    registry: &'a Registry,
    calls: &[&'a Call],
    is_exposed: &dyn Fn(&Layout) -> bool,
) -> BTreeSet<&'a str> {
    let by_name: BTreeMap<&str, &Layout> =
        registry.layouts.iter().map(|layout| (layout.name.as_str(), layout)).collect();
    let mut open: Vec<&Place> = calls.iter().flat_map(|call| &call.parameters).collect();
    let mut seen = BTreeSet::new();
    for layout in registry.layouts.iter().filter(|layout| layout.s_type >= 0 && is_exposed(layout)) {
        seen.insert(layout.name.as_str());
        open.extend(&layout.members);
    }
    while let Some(place) = open.pop() {
        if let Some(layout) = target(&place.kind).and_then(|name| by_name.get(name))
            && seen.insert(&layout.name)
        {
            open.extend(&layout.members);
        }
    }
    seen
}

/// The structure or union in a kind.
fn target(kind: &str) -> Option<&str> {
    let kind = kind.trim_start_matches(['>', '<']);
    let name = kind.strip_prefix(['s', 'u'])?;
    Some(&name[..name.find([':', '*', '?']).unwrap_or(name.len())])
}

/// The structures of the tables that the bindings have, for a test.
fn bound(registry: &Registry, reached: &BTreeSet<&str>) -> String {
    let mut text = header("The structures that the bindings have too.");
    text.push_str(
        "/// Runs a macro with their names.\n#[rustfmt::skip]\nmacro_rules! for_each_bound_struct {\n    ($with:ident) \
         => {\n        $with! {\n",
    );
    let unbound: BTreeSet<&str> = registry.unbound.iter().map(|one| one.name.as_str()).collect();
    let names = registry.members.iter().map(|one| one.name.as_str());
    let names: Vec<&str> = names.filter(|name| reached.contains(name) && !unbound.contains(name)).collect();
    for row in names.chunks(3) {
        let _ = writeln!(text, "            {}", row.join(" "));
    }
    text.push_str("        }\n    };\n}\npub(crate) use for_each_bound_struct;\n");
    text
}

/// The sources: structures, commands, signatures, and the structures of the bindings.
pub(crate) fn schema(
    registry: &Registry,
    commands: &[&Command],
    is_exposed: &dyn Fn(&Layout) -> bool,
) -> [String; 4] {
    let names: BTreeSet<&str> = commands.iter().map(|command| command.name.as_str()).collect();
    let calls: Vec<&Call> =
        registry.calls.iter().filter(|call| names.contains(call.command.as_str())).collect();
    let reached = reached(registry, &calls, is_exposed);
    let layouts: Vec<&Layout> =
        registry.layouts.iter().filter(|one| reached.contains(one.name.as_str())).collect();
    let numbers = Numbers {
        registry,
        handles: registry.handles.iter().enumerate().map(|(at, one)| (one.name.as_str(), at)).collect(),
        layouts: layouts.iter().enumerate().map(|(at, one)| (one.name.as_str(), (at, *one))).collect(),
    };
    let structures = structures(&numbers, &layouts);
    let commands = command_rows(&numbers, &calls);
    let fingerprint = fingerprint(&[&structures, &commands]);
    let constant = format!(
        "\n/// Changes with every change of the tables.\npub(super) const FINGERPRINT: u64 = {fingerprint:#018x};\n"
    );
    [structures, commands + &constant, signatures(registry, &calls), bound(registry, &reached)]
}

/// FNV-1a of texts.
fn fingerprint(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn structures(numbers: &Numbers, layouts: &[&Layout]) -> String {
    let mut text =
        header("Handle types, structures and unions: where their members are and what they point at.");
    text.push_str(
        "use super::Kind::*;\nuse super::Length::*;\nuse super::When::*;\nuse super::{HandleType, Structure, \
         choice, item, row, value};\n\n/// Handle types, by their numbers.\n#[rustfmt::skip]\npub(super) const \
         HANDLE_TYPES: &[HandleType] = &[\n",
    );
    for one in &numbers.registry.handles {
        let _ = writeln!(
            text,
            "    HandleType {{ name: \"{}\", object_type: {}, is_dispatchable: {} }},",
            one.name, one.object_type, one.is_dispatchable
        );
    }
    text.push_str(
        "];\n\n/// Structures and unions, by their numbers, sorted by name.\n#[rustfmt::skip]\npub(super) static \
         STRUCTURES: &[Structure] = &[\n",
    );
    for layout in layouts {
        let scope = Scope { owner: &layout.name, members: &layout.members };
        let rows: Vec<String> = layout.members.iter().map(|member| numbers.row(member, &scope)).collect();
        let make = if layout.is_union { "choice" } else { "row" };
        let _ = writeln!(
            text,
            "    {make}(\"{}\", {}, {}, &[{}]),",
            layout.name,
            layout.s_type,
            layout.size,
            rows.join(", ")
        );
    }
    text.push_str("];\n");
    text
}

fn command_rows(numbers: &Numbers, calls: &[&Call]) -> String {
    let mut text = header("The commands: their parameters, in slots of eight bytes, and other names.");
    text.push_str(
        "use super::Kind::*;\nuse super::Length::*;\nuse super::When::*;\nuse super::{Command, Returns, value};\n\
         \n/// The commands, by their numbers, sorted by name.\n#[rustfmt::skip]\npub(super) static COMMANDS: &[Command] \
         = &[\n",
    );
    for call in calls {
        let scope = Scope { owner: &call.command, members: &call.parameters };
        let rows: Vec<String> = call.parameters.iter().map(|one| numbers.row(one, &scope)).collect();
        let aliases =
            numbers.registry.commands.iter().filter(|one| one.alias.as_deref() == Some(&call.command));
        let aliases: Vec<String> = aliases.map(|one| format!("\"{}\"", one.name)).collect();
        let is_result = call.result == "b4" && {
            let signature = numbers.registry.signatures.iter().find(|one| one.command == call.command);
            signature.is_some_and(|one| one.result == "Result")
        };
        let returns = match call.result.as_str() {
            "-" => "Nothing",
            _ if is_result => "Result",
            "b4" => "Word",
            _ => "Long",
        };
        let _ = writeln!(
            text,
            "    Command {{ name: \"{}\", aliases: &[{}], returns: Returns::{returns}, parameters: &[{}] }},",
            call.command,
            aliases.join(", "),
            rows.join(", ")
        );
    }
    text.push_str("];\n");
    text
}

/// The types by which parameters are passed.
fn passed(kind: &str, registry: &Registry) -> &'static str {
    let is_pointer = kind.starts_with(['>', '<', 'o', 'f']);
    let handle = kind.strip_prefix('h').and_then(|name| registry.handles.iter().find(|one| one.name == name));
    match kind {
        _ if is_pointer => "*const c_void",
        "r4" => "f32",
        "b4" => "u32",
        _ if handle.is_some_and(|one| one.is_dispatchable) => "usize",
        _ => "u64",
    }
}

fn signatures(registry: &Registry, calls: &[&Call]) -> String {
    let mut text = header("How commands are called.");
    text.push_str(
        "/// Runs a macro with all commands: number, name, body's name, parameters and result by their machine \
         types.\n#[macro_export]\n#[rustfmt::skip]\nmacro_rules! for_each_signature {\n    ($with:ident) => {\n        \
         $with! {\n",
    );
    for (number, call) in calls.iter().enumerate() {
        let parameters: Vec<String> = (call.parameters.iter().enumerate())
            .map(|(at, one)| format!("p{at}: {}", passed(&one.kind, registry)))
            .collect();
        let result = match call.result.as_str() {
            "-" => "()",
            "b4" => "i32",
            _ => "u64",
        };
        let _ = writeln!(
            text,
            "            {number} {} {} ({}) -> {result};",
            call.command,
            body_name(&call.command),
            parameters.join(", ")
        );
    }
    text.push_str("        }\n    };\n}\n");
    text
}

impl Numbers<'_> {
    /// The row of a member.
    fn row(&self, member: &Place, scope: &Scope) -> String {
        let (kind, count) = match member.kind.rsplit_once('*') {
            Some((kind, count)) => (kind, count),
            None => (member.kind.as_str(), "1"),
        };
        let kind = self.kind(kind, member, scope);
        if member.selections.is_empty() {
            format!("value(\"{}\", {}, {count}, {kind})", member.name, member.offset)
        } else {
            let values: Vec<String> = member.selections.iter().map(i64::to_string).collect();
            format!("item(\"{}\", {count}, {kind}, &[{}])", member.name, values.join(", "))
        }
    }

    fn kind(&self, kind: &str, member: &Place, scope: &Scope) -> String {
        if let Some(direction) = kind.strip_prefix("chain") {
            return format!("Chain({})", direction == "<");
        }
        let head = kind.chars().next().unwrap_or('o');
        let rest = &kind[head.len_utf8()..];
        match head {
            'b' => format!("Bytes({rest})"),
            'r' => format!("Real({rest})"),
            'h' => match self.handles.get(rest) {
                Some(number) => format!("Handle({number})"),
                None => "Bytes(8)".to_owned(),
            },
            's' => match self.layouts.get(rest) {
                Some((number, _)) => format!("Struct({number})"),
                None => "Opaque".to_owned(),
            },
            'u' => self.union(rest, scope),
            '>' | '<' => self.pointer(head == '<', rest, member, scope),
            'f' => "Function".to_owned(),
            _ => "Opaque".to_owned(),
        }
    }

    /// A union: its bytes where nothing selects a member.
    fn union(&self, rest: &str, scope: &Scope) -> String {
        let (name, selector) = rest.split_once('?').unwrap_or((rest, ""));
        let selector = scope.members.iter().position(|member| member.name == selector);
        match (self.layouts.get(name), selector) {
            (Some((number, _)), Some(selector)) => format!("Union({number}, {selector})"),
            (Some((_, layout)), None) => format!("Bytes({})", layout.size),
            _ => "Opaque".to_owned(),
        }
    }

    fn pointer(&self, is_output: bool, rest: &str, member: &Place, scope: &Scope) -> String {
        let Some((to, length)) = rest.rsplit_once(':') else { return "Opaque".to_owned() };
        let to = self.kind(to, member, scope);
        let Some(length) = self.length(length, scope) else { return "Opaque".to_owned() };
        if to == "Opaque" && !is_output {
            return to;
        }
        format!("Pointer({is_output}, &{to}, {length}, {})", condition(member, scope))
    }

    fn length(&self, length: &str, scope: &Scope) -> Option<String> {
        let by_name = |name: &str| scope.members.iter().position(|member| member.name == name);
        if let Ok(count) = length.parse::<u32>() {
            return Some(format!("Constant({count})"));
        }
        if length == "z" {
            return Some("String".to_owned());
        }
        if length == "?" {
            // `vkCmdBuildAccelerationStructuresKHR` and its relatives: as many as the info of the same index
            // has.
            let infos = by_name("pInfos")?;
            return Some(format!("EachOf({infos})"));
        }
        if let Some((name, divisor)) = length.split_once('/').filter(|(name, _)| !name.starts_with('(')) {
            return Some(format!("Divided({}, {divisor})", by_name(name)?));
        }
        if let Some(name) = length.strip_prefix('(').and_then(|rest| rest.strip_suffix("+31)/32")) {
            return Some(format!("Mask({})", by_name(name)?));
        }
        if let Some((parameter, field)) = length.split_once("->") {
            let number = by_name(parameter)?;
            let (_, layout) = self.layouts.get(target(&scope.members[number].kind)?)?;
            let field = layout.members.iter().find(|member| member.name == field)?;
            return Some(format!("Through({number}, {})", field.offset));
        }
        Some(format!("Member({})", by_name(length)?))
    }
}

/// The condition of a pointer.
fn condition(member: &Place, scope: &Scope) -> String {
    let known = CONDITIONS.iter().find(|(owner, name, _)| *owner == scope.owner && *name == member.name);
    let Some((.., condition)) = known else { return "Always".to_owned() };
    let words: Vec<&str> = condition.split(' ').collect();
    let number = scope.members.iter().position(|other| other.name == words[0]);
    match (number, words.get(1)) {
        (Some(number), Some(&"in")) => format!("OneOf({number}, &[{}])", words[2..].join(", ")),
        (Some(number), Some(&"without")) => format!("Without({number}, {})", words[2]),
        _ => "Readable".to_owned(),
    }
}
