//! The types that the bindings lack, as a Rust source.

use crate::registry::{Registry, Unbound, UnboundItem};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The columns of a line.
const WIDTH: usize = 110;

/// An enumerant's or a bit's constant: its name without `VK_`, a bit's without `BIT`.
pub(crate) fn constant(name: &str) -> String {
    name.trim_start_matches("VK_").replace("_BIT_", "_")
}

/// The items of each exposed extension that the bindings lack, in the bindings' spelling.
pub(crate) fn supplement(registry: &Registry, exposed: &BTreeSet<String>) -> String {
    let mut text = String::from(
        "//! What exposed extensions bring and the bindings do not have yet: handles, enumerants, structures\n\
         //! and commands' types.\n\
         //!\n\
         //! Names are those of the registry as the bindings would have them; constants keep the prefix of\n\
         //! their enumeration.\n\
         //!\n\
         //! Made by `cargo run -p pyro-registry -- generate` from `testing/registry/registry.tsv`; do\n\
         //! not edit.\n\
         #![allow(non_camel_case_types)]\n\
         #![allow(clippy::wildcard_imports)] // the bindings' types under their own names\n\n\
         use std::ffi::c_void;\nuse vulkanalia_sys::*;\n",
    );
    for one in registry.unbound.iter().filter(|one| exposed.contains(&one.owner)) {
        text.push('\n');
        item(&mut text, one);
    }
    text
}

fn item(text: &mut String, one: &Unbound) {
    let (owner, name) = (&one.owner, &one.name);
    let doc = |name: &str| {
        let line = format!("/// `{name}` (`{owner}`)\n");
        if line.len() > WIDTH { format!("/// `{name}`\n") } else { line }
    };
    match &one.item {
        UnboundItem::Handle => {
            let _ = writeln!(text, "{}pub type {name} = u64;", doc(&format!("Vk{name}")));
        }
        UnboundItem::Flags(ty) | UnboundItem::Enumeration(ty) => {
            let _ = writeln!(text, "{}pub type {name} = {ty};", doc(&format!("Vk{name}")));
        }
        UnboundItem::Enumerant(ty, value) => {
            text.push_str(&doc(name));
            let _ = declaration(
                text,
                &format!("pub const {}: {ty} =", constant(name)),
                &format!("{ty}::from_raw({value})"),
            );
        }
        UnboundItem::Value(ty, value) => {
            text.push_str(&doc(name));
            let _ = declaration(text, &format!("pub const {}: {ty} =", constant(name)), &value.to_string());
        }
        UnboundItem::Bit(ty, position) => {
            text.push_str(&doc(name));
            let _ = declaration(
                text,
                &format!("pub const {}: {ty} =", constant(name)),
                &format!("1 << {position}"),
            );
        }
        UnboundItem::Structure(s_type, fields) => {
            text.push_str(&doc(&format!("Vk{name}")));
            structure(text, name, s_type.as_deref(), fields);
        }
        UnboundItem::Command(result, parameters) => {
            text.push_str(&doc(name));
            command(text, name, result, parameters);
        }
    }
}

/// A declaration in one line, or in two where it is too long: before the value, or where that does not
/// suffice before the type.
fn declaration(text: &mut String, left: &str, right: &str) -> std::fmt::Result {
    if let (true, Some((name, ty))) = (left.len() > WIDTH, left.split_once(": ")) {
        return writeln!(text, "{name}:\n    {ty} {right};");
    }
    let space = if left.len() + right.len() + 2 > WIDTH { "\n    " } else { " " };
    writeln!(text, "{left}{space}{right};")
}

fn structure(text: &mut String, name: &str, s_type: Option<&str>, fields: &[[String; 3]]) {
    // Pointers have no default, and neither says a default which structure it is.
    let has_own = s_type.is_some() || fields.iter().any(|[_, _, ty]| ty.starts_with('*'));
    let derived = if has_own { "" } else { ", Default" };
    let _ = write!(text, "#[repr(C)]\n#[derive(Clone, Copy, Debug{derived})]\npub struct {name} {{\n");
    for [member, field, ty] in fields {
        let _ = write!(text, "    /// `{member}`\n    pub {field}: {ty},\n");
    }
    text.push_str("}\n");
    if !has_own {
        return;
    }
    let _ = write!(text, "\nimpl Default for {name} {{\n    fn default() -> {name} {{\n        {name} {{\n");
    for [member, field, ty] in fields {
        let value = match (s_type, ty) {
            (Some(s_type), _) if member == "sType" => constant(s_type),
            (_, ty) if ty.starts_with("*const ") => "std::ptr::null()".to_owned(),
            (_, ty) if ty.starts_with("*mut ") => "std::ptr::null_mut()".to_owned(),
            _ => "Default::default()".to_owned(),
        };
        let _ = writeln!(text, "            {field}: {value},");
    }
    text.push_str("        }\n    }\n}\n");
}

fn command(text: &mut String, name: &str, result: &str, parameters: &[[String; 3]]) {
    let parameters: Vec<_> = parameters.iter().map(|[_, name, ty]| format!("{name}: {ty}")).collect();
    let arrow = if result == "()" { String::new() } else { format!(" -> {result}") };
    let left = format!("pub type PFN_{name} =");
    let one_line = format!("unsafe extern \"system\" fn({}){arrow}", parameters.join(", "));
    if one_line.len() + 5 <= WIDTH {
        let _ = declaration(text, &left, &one_line);
    } else {
        // A name that leaves no room has the type in lines of its own.
        let first = format!("{left} unsafe extern \"system\" fn(");
        let (first, indent) = match first.len() + 2 <= WIDTH {
            true => (first, ""),
            false => (format!("{left}\n    unsafe extern \"system\" fn("), "    "),
        };
        let _ = writeln!(text, "{first}");
        for parameter in parameters {
            let _ = writeln!(text, "{indent}    {parameter},");
        }
        let _ = writeln!(text, "{indent}){arrow};");
    }
}
