//! The tables of what commands and structures take by pointer, as Rust sources.

use crate::registry::{Command, Kind, Members, Parameter, Registry, Signature};
use crate::tables::{body_name, header};
use std::collections::BTreeSet;
use std::fmt::Write;

const KEYWORDS: &[&str] = &["type", "in", "ref"];

/// The macros that make a body which is a safe function, named as their first argument.
const BODY_MACROS: &[&str] = &["destroy_command!", "with_memory!"];

/// Pointers that programs pass null for, which counts as nothing, though the registry demands them: by the
/// command and the parameter.
const NULL_IN_PRACTICE: &[(&str, &str)] = &[
    ("vkCmdBeginRenderPass2", "subpass_begin_info"),
    ("vkCmdEndRenderPass2", "subpass_end_info"),
    ("vkCmdNextSubpass2", "subpass_begin_info"),
    ("vkCmdNextSubpass2", "subpass_end_info"),
    ("vkCmdTraceRaysIndirectKHR", "callable_shader_binding_table"),
    ("vkCmdTraceRaysIndirectKHR", "hit_shader_binding_table"),
    ("vkCmdTraceRaysIndirectKHR", "miss_shader_binding_table"),
    ("vkCmdTraceRaysIndirectKHR", "raygen_shader_binding_table"),
    ("vkCmdTraceRaysKHR", "callable_shader_binding_table"),
    ("vkCmdTraceRaysKHR", "hit_shader_binding_table"),
    ("vkCmdTraceRaysKHR", "miss_shader_binding_table"),
    ("vkCmdTraceRaysKHR", "raygen_shader_binding_table"),
    ("vkGetPipelineBinaryDataKHR", "pipeline_binary_key"),
];

/// Arrays that may be null though their count is not zero, which the registry says (`optional`) and
/// `registry.tsv` does not keep: by the command and the parameter.
const NULLABLE_ARRAYS: &[(&str, &str)] = &[
    ("vkCmdBeginTransformFeedback2EXT", "counter_infos"),
    ("vkCmdBeginTransformFeedbackEXT", "counter_buffer_offsets"),
    ("vkCmdBeginTransformFeedbackEXT", "counter_buffers"),
    ("vkCmdBindShadersEXT", "shaders"),
    ("vkCmdBindTransformFeedbackBuffers2EXT", "binding_infos"),
    ("vkCmdBindTransformFeedbackBuffersEXT", "sizes"),
    ("vkCmdBindVertexBuffers2", "sizes"),
    ("vkCmdBindVertexBuffers2", "strides"),
    ("vkCmdEndTransformFeedback2EXT", "counter_infos"),
    ("vkCmdEndTransformFeedbackEXT", "counter_buffer_offsets"),
    ("vkCmdEndTransformFeedbackEXT", "counter_buffers"),
];

/// The data of descriptor update templates, which the registry does not describe: by the command and the
/// parameter.
const TEMPLATE_DATA: &[(&str, &str)] =
    &[("vkCmdPushDescriptorSetWithTemplate", "data"), ("vkUpdateDescriptorSetWithTemplate", "data")];

fn ident(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// Where the count of elements stands: in a parameter, or in the structure that one points at.
fn count_place(count: &str) -> String {
    match count.split_once('.') {
        Some((pointer, member)) => format!("(*{}).{member}", ident(pointer)),
        None => ident(count),
    }
}

/// How a parameter is handed to the body; none where another one's value holds it.
fn argument(one: &Parameter, all: &[Parameter], command: &str) -> Option<String> {
    let name = ident(&one.name);
    let is_nullable = NULL_IN_PRACTICE.contains(&(command, &one.name));
    let is_const = one.ty.starts_with("*const ");
    let counts = |other: &Parameter| {
        let is_it = |count: &String| *count == one.name;
        let counts = match &other.kind {
            Kind::Array(count) | Kind::Pointers(count) => is_it(count),
            Kind::Strided(count, stride) => is_it(count) || is_it(stride),
            _ => false,
        };
        counts && !other.is_conditional
    };
    if all.iter().any(counts) {
        // A count stands in the slices that it counts.
        return None;
    }
    Some(match &one.kind {
        _ if TEMPLATE_DATA.contains(&(command, &one.name)) => format!("pointers::template_data({name})"),
        _ if one.is_conditional => name,
        Kind::Value | Kind::Raw | Kind::Within | Kind::Words(_) | Kind::Strings(_) => name,
        Kind::One if is_const && !is_nullable => format!("pointers::input({name})"),
        Kind::One if !is_nullable => format!("pointers::output({name})"),
        Kind::One | Kind::Nullable if is_const => format!("pointers::nullable({name})"),
        Kind::One | Kind::Nullable => format!("pointers::nullable_output({name})"),
        Kind::String | Kind::NullableString => format!("pointers::string({name})"),
        Kind::Fixed(count) => format!("pointers::fixed::<{count}, _>({name})"),
        Kind::Strided(count, stride) => {
            format!("pointers::strided({name}, {}, {})", ident(count), ident(stride))
        }
        Kind::Array(count) | Kind::Pointers(count) => {
            let is_two_call = all.iter().any(|other| other.name == *count && other.ty.starts_with('*'));
            let is_pair_of = |other: &&Parameter| {
                is_two_call
                    && other.ty.starts_with("*mut ")
                    && matches!(&other.kind, Kind::Array(same) if same == count)
            };
            let pair: Vec<&Parameter> = all.iter().filter(is_pair_of).collect();
            let count = count_place(count);
            if let [first, second] = pair[..] {
                if first.name != one.name {
                    return None;
                }
                return Some(format!("pointers::enumeration_pair({name}, {}, {count})", ident(&second.name)));
            }
            match (is_const, one.ty.ends_with("c_void")) {
                (true, true) => format!("pointers::bytes({name}, {count})"),
                (true, false) => format!("pointers::array({name}, {count})"),
                (false, true) if is_two_call => format!("pointers::data({name}, {count})"),
                (false, false) if is_two_call => format!("pointers::enumeration({name}, {count})"),
                (false, true) => format!("pointers::memory({name}, {count})"),
                (false, false) => format!("pointers::outputs({name}, {count})"),
            }
        }
    })
}

/// The parameters that must not be null, each with the rule that says so; arrays with the count that must be
/// zero where they are.
fn required(one: &Signature) -> String {
    let names = |table: &[(&str, &str)], parameter: &Parameter| {
        table.contains(&(one.command.as_str(), parameter.name.as_str()))
    };
    let rows = one.parameters.iter().filter_map(|parameter| {
        let (name, member) = (ident(&parameter.name), &parameter.member);
        let count = match &parameter.kind {
            _ if parameter.is_conditional => return None,
            Kind::One if !names(NULL_IN_PRACTICE, parameter) => String::new(),
            Kind::Array(count) | Kind::Pointers(count)
                if parameter.ty.starts_with("*const ")
                    && !count.contains('.')
                    && !names(NULLABLE_ARRAYS, parameter) =>
            {
                format!(" if {}", ident(count))
            }
            _ => return None,
        };
        Some(format!("{name}{count} \"VUID-{}-{member}-parameter\"", one.command))
    });
    rows.collect::<Vec<_>>().join(", ")
}

/// Whether the body of a command is a safe function.
fn is_checked(body: &str, bodies: &str) -> bool {
    let is_function = |open: &&str| bodies.contains(&format!("\npub(crate) fn {body}{open}"));
    let is_made = |made_by: &&str| {
        ["", "\n    "].iter().any(|space| bodies.contains(&format!("{made_by}({space}{body}(")))
    };
    ["(", "<"].iter().any(is_function) || BODY_MACROS.iter().any(is_made)
}

/// The commands whose bodies are safe functions, with the conversion of each parameter and those that must
/// not be null.
pub(crate) fn parameters(registry: &Registry, commands: &[&Command], bodies: &str) -> String {
    let mut text = header("The commands whose bodies take checked parameters, and how each is converted.");
    let doc = "Runs a macro with all: body, parameters as the application passes them, and as the body gets them, \
               and\n/// the pointers that must not be null, with the rule.";
    begin_macro(&mut text, doc, "for_each_checked_command");
    let mut names: Vec<&str> = commands.iter().map(|command| command.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let body = body_name(name);
        if !is_checked(&body, bodies) {
            continue;
        }
        let Some(one) = registry.signatures.iter().find(|one| one.command == name) else { continue };
        let raw: Vec<_> =
            one.parameters.iter().map(|one| format!("{}: {}", ident(&one.name), one.ty)).collect();
        let checked: Vec<_> =
            one.parameters.iter().filter_map(|other| argument(other, &one.parameters, name)).collect();
        let result = if one.result == "()" { String::new() } else { format!(" -> {}", one.result) };
        let (raw, checked, required) = (raw.join(", "), checked.join(", "), required(one));
        let _ = writeln!(text, "            {body}({raw}){result} => ({checked}) requires ({required});");
    }
    end_macro(&mut text, "for_each_checked_command");
    text
}

/// The type that a pointer's type names.
fn pointee(ty: &str) -> &str {
    ty.trim_start_matches("*const ").trim_start_matches("*mut ")
}

/// A member as the tables have it: its kind, name, count and type.
fn row(member: &Parameter) -> Option<String> {
    let (name, ty) = (&member.name, pointee(&member.ty));
    let is_memory = ty == "c_void";
    if member.ty.starts_with("*mut ") {
        return Some(match &member.kind {
            Kind::One | Kind::Nullable if !is_memory => format!(" cell {name}: {ty};"),
            Kind::Array(count) if is_memory => format!(" memory {name}[{count}]: {ty};"),
            Kind::Array(count) => format!(" cells {name}[{count}]: {ty};"),
            _ => return None,
        });
    }
    let mark = if member.is_conditional { "conditional_" } else { "" };
    Some(match &member.kind {
        Kind::Within => format!(" within {name}: {};", member.ty),
        Kind::String | Kind::NullableString => format!(" string {name}: c_char;"),
        Kind::Strings(count) => format!(" strings {name}[{count}]: c_char;"),
        Kind::Array(count) if is_memory => format!(" {mark}bytes {name}[{count}]: {ty};"),
        Kind::Array(count) if !ty.starts_with('*') => format!(" {mark}array {name}[{count}]: {ty};"),
        Kind::Pointers(count) => format!(" pointers {name}[{count}]: {ty};"),
        Kind::Words(count) => format!(" words {name}[{count}]: {ty};"),
        Kind::Fixed(count) => format!(" fixed {name}[{count}]: {ty};"),
        Kind::One | Kind::Nullable if is_memory => return None,
        Kind::One | Kind::Nullable if member.is_conditional => format!(" conditional {name}: {ty};"),
        Kind::One => format!(" one {name}: {ty};"),
        Kind::Nullable => format!(" nullable {name}: {ty};"),
        Kind::Value | Kind::Raw | Kind::Array(_) | Kind::Strided(..) => return None,
    })
}

/// The structures that bodies name or that those lead to.
fn reached<'a>(registry: &'a Registry, bodies: &str) -> Vec<&'a Members> {
    let words: BTreeSet<&str> = bodies.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    // Bodies fill the property structures by a table of the driver's.
    let properties = registry.structs.iter().filter(|one| one.is_bound && !one.is_of_features);
    let mut names: BTreeSet<&str> = words;
    names.extend(properties.map(|one| one.name.as_str()));
    loop {
        let known = |name: &str| names.contains(name);
        let members = registry.members.iter().filter(|one| known(&one.name)).flat_map(|one| &one.pointers);
        let selections = registry.selections.iter().filter(|one| known(&one.structure));
        let variants = selections.flat_map(|one| &one.variants).map(|(variant, _)| variant);
        let more: Vec<&str> =
            members.chain(variants).map(|one| pointee(&one.ty)).filter(|ty| !known(ty)).collect();
        if more.is_empty() {
            break;
        }
        names.extend(more);
    }
    registry.members.iter().filter(|one| names.contains(one.name.as_str())).collect()
}

fn begin_macro(text: &mut String, doc: &str, name: &str) {
    let _ = write!(
        text,
        "/// {doc}\n#[rustfmt::skip]\nmacro_rules! {name} {{\n    ($with:ident) => {{\n        $with! {{\n"
    );
}

fn end_macro(text: &mut String, name: &str) {
    let _ = write!(text, "        }}\n    }};\n}}\npub(crate) use {name};\n");
}

/// The structures' members that are pointers, the members of unions with a selector, and the structures of
/// chains.
pub(crate) fn members(registry: &Registry, bodies: &str) -> String {
    let mut text = header("The pointers in the structures that commands' bodies name.");
    let structs = reached(registry, bodies);
    let doc = "Runs a macro with all: structure, and its pointers.";
    begin_macro(&mut text, doc, "for_each_pointer_member");
    for one in &structs {
        let rows: String = one.pointers.iter().filter_map(row).collect();
        if !rows.is_empty() {
            let _ = writeln!(text, "            {} {{{rows} }}", one.name);
        }
    }
    end_macro(&mut text, "for_each_pointer_member");
    text.push('\n');
    let doc = "Runs a macro with all unions that a member selects the value of: structure, union, selector, and\n/// \
               the accessor, place, type and values of each of its members.";
    begin_macro(&mut text, doc, "for_each_selected_member");
    for one in registry.selections.iter().filter(|one| structs.iter().any(|of| of.name == one.structure)) {
        let _ = write!(
            text,
            "            {}.{}[{}: {}] {{",
            one.structure, one.member, one.selector, one.selector_type
        );
        for (variant, values) in &one.variants {
            let is_pointer = matches!(variant.kind, Kind::One | Kind::Nullable);
            let kind = if is_pointer { "pointer" } else { "within" };
            let (name, ty) = (&variant.name, pointee(&variant.ty));
            let _ = write!(text, " {kind} {}_{name} {name}: {ty} = {};", one.member, values.join(" "));
        }
        text.push_str(" }\n");
    }
    end_macro(&mut text, "for_each_selected_member");
    text.push('\n');
    begin_macro(
        &mut text,
        "Runs a macro with all structures that begin with `sType`.",
        "for_each_chained_struct",
    );
    let names: Vec<_> = structs.iter().filter(|one| one.is_chained).map(|one| one.name.as_str()).collect();
    for row in names.chunks(3) {
        let _ = writeln!(text, "            {}", row.join(" "));
    }
    end_macro(&mut text, "for_each_chained_struct");
    text
}
