//! From facts to the driver's tables, as Rust sources.

use crate::pointer_tables;
use crate::registry::{Command, Extension, Provider, Registry, Struct};
use crate::schema_tables;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A source file.
pub struct Table {
    /// Its path in the repository.
    pub path: &'static str,
    /// What is in it.
    pub text: String,
}

/// The sources, for a driver that exposes the extensions of this source (lines with `extension("NAME",
/// VERSION)`), with these sources of the commands' bodies.
pub fn tables(registry: &Registry, exposed: &str, bodies: &str) -> Vec<Table> {
    let exposed = exposed_extensions(exposed);
    let is_exposed = |providers: &[Provider]| !exposed_providers(registry, providers, &exposed).is_empty();
    let commands_of: Vec<&Command> =
        registry.commands.iter().filter(|command| is_exposed(&command.providers)).collect();
    let reals: Vec<&Command> = commands_of
        .iter()
        .map(|command| {
            let name = command.alias.as_deref().unwrap_or(&command.name);
            registry.commands.iter().find(|one| one.name == name).unwrap_or(command)
        })
        .collect();
    let [structures, calls, signatures, bound] =
        schema_tables::schema(registry, &reals, &|layout| is_exposed(&layout.providers));
    vec![
        Table { path: "crates/capture/src/schema/structures.rs", text: structures },
        Table { path: "crates/capture/src/schema/commands.rs", text: calls },
        Table { path: "crates/capture/src/schema/signatures.rs", text: signatures },
        Table { path: "crates/capture/tests/it/sizes.rs", text: bound },
        Table { path: "crates/icd/src/registry/commands.rs", text: commands(registry, &exposed) },
        Table { path: "crates/icd/src/registry/parent_rules.rs", text: parent_rules(registry, &exposed) },
        Table {
            path: "crates/icd/src/registry/parameters.rs",
            text: pointer_tables::parameters(registry, &reals, bodies),
        },
        Table { path: "crates/icd/src/registry/members.rs", text: pointer_tables::members(registry, bodies) },
        Table { path: "crates/driver/src/caps/feature_table.rs", text: features(registry) },
        Table { path: "crates/driver/src/caps/required_features.rs", text: required(registry, &exposed) },
        Table { path: "crates/icd/tests/api/property_structs.rs", text: properties(registry, &exposed) },
    ]
}

/// The header of each source.
pub(crate) fn header(what: &str) -> String {
    format!(
        "//! {what}\n//!\n//! Made by `cargo run -p pyro-registry -- generate` from `testing/registry/registry.tsv`; do \
         not edit.\n\n"
    )
}

/// The names in the driver's lists of extensions.
fn exposed_extensions(source: &str) -> BTreeSet<String> {
    let quoted = |line: &str| Some(line.trim().strip_prefix("extension(\"")?.split_once('"')?.0.to_owned());
    source.lines().filter_map(quoted).collect()
}

/// The name of a command's body: the command's without `vk`, in snake case.
pub(crate) fn body_name(command: &str) -> String {
    const TAGS: &[&str] = &[
        "KHR", "EXT", "NVX", "NV", "ARM", "AMDX", "AMD", "HUAWEI", "QCOM", "VALVE", "INTEL", "IMG", "GOOGLE",
    ];
    let name = command.trim_start_matches("vk");
    let tag = TAGS.iter().find(|tag| name.ends_with(**tag)).copied().unwrap_or_default();
    let letters: Vec<char> = name.trim_end_matches(tag).chars().collect();
    let mut snake = String::new();
    for (at, c) in letters.iter().enumerate() {
        let after_lower = at > 0 && !letters[at - 1].is_ascii_uppercase();
        let before_lower = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        if c.is_ascii_uppercase() && at > 0 && (after_lower || before_lower) {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    if tag.is_empty() { snake } else { format!("{snake}_{}", tag.to_ascii_lowercase()) }
}

/// Those who bring a command or structure, of the core versions and exposed extensions. Where an extension
/// brings it with another and was taken up by a version, that version brings it with the other one.
fn exposed_providers<'a>(
    registry: &Registry,
    providers: &'a [Provider],
    exposed: &BTreeSet<String>,
) -> Vec<&'a str> {
    let is_core = |owner: &str| {
        let extension = registry.extensions.iter().find(|one| one.name == owner);
        let promoted = extension.and_then(|extension| extension.promoted_to.as_deref());
        promoted.is_some_and(|by| by.starts_with("VK_VERSION_"))
    };
    let is_there = |name: &str| name.starts_with("VK_VERSION_") || exposed.contains(name);
    let holds =
        |condition: &str| conjunction(condition).iter().all(|names| names.iter().any(|name| is_there(name)));
    let there =
        providers.iter().filter(|by| is_there(&by.owner) && by.condition.as_deref().is_none_or(holds));
    let mut names = BTreeSet::new();
    for by in there {
        names.insert(by.owner.as_str());
        if is_core(&by.owner) {
            let is_of_devices = |other: &&str| {
                let is_it = |one: &Extension| one.name == *other && !one.is_for_instances;
                exposed.contains(*other) && registry.extensions.iter().any(is_it)
            };
            names.extend(by.condition.as_deref().filter(is_of_devices));
        }
    }
    names.into_iter().collect()
}

/// The commands of the core versions and of exposed extensions.
fn commands(registry: &Registry, exposed: &BTreeSet<String>) -> String {
    // Other names of a command stand with it; the last in a chain of aliases has the body.
    let by_name: BTreeMap<&str, &Command> =
        registry.commands.iter().map(|command| (command.name.as_str(), command)).collect();
    let mut bodies: BTreeMap<&str, Vec<&Command>> = BTreeMap::new();
    for command in registry
        .commands
        .iter()
        .filter(|command| !exposed_providers(registry, &command.providers, exposed).is_empty())
    {
        let mut real = command;
        while let Some(next) = real.alias.as_deref().and_then(|alias| by_name.get(alias)) {
            real = next;
        }
        bodies.entry(&real.name).or_default().push(command);
    }
    let mut providers = BTreeSet::new();
    let mut rows = String::new();
    for (name, names) in &bodies {
        let real = by_name[name];
        let _ = write!(rows, "            {} {} PFN_{name} {{", real.level, body_name(name));
        // The command's own name first, as messages have it, if it is exposed.
        let own = names.iter().filter(|command| command.name == *name);
        for command in own.chain(names.iter().filter(|command| command.name != *name)) {
            // What Vulkan 1.0 has is always there.
            let mut by = exposed_providers(registry, &command.providers, exposed);
            if by.contains(&"VK_VERSION_1_0") {
                by.clear();
            }
            providers.extend(by.iter().copied());
            let space = if by.is_empty() { "" } else { " " };
            let _ = write!(rows, " {}:{space}{};", command.name, by.join(" "));
        }
        rows.push_str(" }\n");
    }
    let mut text = header("The commands that have bodies, and which core version or extension brings them.");
    text.push_str(
        "/// Runs a macro with all commands: level, body, type of the pointer, and names, each with who brings it\n/// (none: Vulkan 1.0).\n#[rustfmt::skip]\nmacro_rules! for_each_command {\n    ($with:ident) => {\n        $with! {\n",
    );
    text.push_str(&rows);
    text.push_str("        }\n    };\n}\npub(crate) use for_each_command;\n\n");
    text.push_str(
        "/// Runs a macro with all core versions and extensions that bring commands.\n#[rustfmt::skip]\nmacro_rules! \
         for_each_provider {\n    ($with:ident) => {\n        $with! {\n",
    );
    for provider in providers {
        let number = provider.strip_prefix("VK_VERSION_").map(|number| number.replace('_', ", "));
        let what = number.map_or(format!("Extension(\"{provider}\")"), |number| format!("Version({number})"));
        let _ = writeln!(text, "            {provider} {what}");
    }
    text.push_str("        }\n    };\n}\npub(crate) use for_each_provider;\n");
    text
}

/// The rules on handles of other devices and instances, of the commands that have bodies. Of the rules of a
/// command for an object type, only the first stands: it is the one that is reported.
fn parent_rules(registry: &Registry, exposed: &BTreeSet<String>) -> String {
    /// What commands begin with: it says which device or instance the others must be of.
    const FIRST: &[&str] = &["DEVICE", "INSTANCE", "PHYSICAL_DEVICE", "QUEUE"];
    /// What the bindings lack, by the name in `registry_supplement`.
    const UNBOUND: &[(&str, &str)] =
        &[("SHADER_INSTRUMENTATION_ARM", "registry_supplement::OBJECT_TYPE_SHADER_INSTRUMENTATION_ARM")];
    let has_body = |name: &str| {
        let names =
            registry.commands.iter().filter(|one| one.name == name || one.alias.as_deref() == Some(name));
        names.into_iter().any(|one| !exposed_providers(registry, &one.providers, exposed).is_empty())
    };
    let mut text = header("The rules on handles of other devices and instances, by command and rule.");
    text.push_str(
        "use pyro_driver::registry_supplement;\nuse vulkanalia_sys::ObjectType as Type;\n\n/// Command, VUID, types \
         of the objects.\n#[rustfmt::skip]\npub(super) const RULES: &[(&str, &str, &[Type])] = &[\n",
    );
    let mut seen = BTreeSet::new();
    for one in registry.parents.iter().filter(|one| has_body(&one.command)) {
        let by = one.providers.as_deref();
        if by.is_some_and(|by| exposed_providers(registry, by, exposed).is_empty()) {
            continue;
        }
        let mut is_new = |ty: &str| !FIRST.contains(&ty) && seen.insert((&one.command, ty.to_owned()));
        let types: Vec<String> = one
            .types
            .iter()
            .filter(|ty| is_new(ty))
            .map(|ty| match UNBOUND.iter().find(|(name, _)| name == ty) {
                Some((_, path)) => (*path).to_owned(),
                None => format!("Type::{ty}"),
            })
            .collect();
        if !types.is_empty() {
            let _ = writeln!(text, "    (\"{}\", \"{}\", &[{}]),", one.command, one.rule, types.join(", "));
        }
    }
    text.push_str("];\n");
    text
}

/// The structures of features.
fn features(registry: &Registry) -> String {
    let mut text = header(
        "The fields of every feature structure of the registry, in their order.\n//!\n//! A structure is its `sType`, \
         its `pNext` and one `VkBool32` for each field, so its names say all of its\n//! layout; which of them are on \
         is [`super::features`]'s matter. Where the bindings have a structure, the\n//! layout is checked against \
         them at compile time.",
    );
    text.push_str(
        "use super::features::FeatureStruct;\nuse vulkanalia_sys as vk;\n\n/// Every structure that may extend \
         `VkPhysicalDeviceFeatures2`.\n#[rustfmt::skip]\npub(super) const FEATURE_STRUCTS: &[FeatureStruct] = &[\n",
    );
    let structs: Vec<&Struct> = registry.structs.iter().filter(|one| one.is_of_features).collect();
    for one in &structs {
        let fields: Vec<String> = one.fields.iter().map(|field| format!("\"{}\"", field.name)).collect();
        let _ = writeln!(
            text,
            "    FeatureStruct {{ s_type: || vk::StructureType::from_raw({}), name: \"{}\", fields: &[{}] }},",
            one.s_type,
            one.name,
            fields.join(", ")
        );
    }
    text.push_str(
        "];\n\n/// Checks that a structure of the bindings is laid out as its fields say.\nmacro_rules! check {\n    \
         ($($name:ident $s_type:literal { $($field:ident)* })*) => {$(\n        const _: () = {\n            let mut \
         offset = 16;\n            $(\n                assert!(core::mem::offset_of!(vk::$name, $field) == offset);\n\
         \x20               offset += 4;\n            )*\n            assert!(size_of::<vk::$name>() == offset.next_multiple_of(8));\n        };\n    )*};\n}\n\n\
         #[rustfmt::skip]\ncheck! {\n",
    );
    for one in structs.iter().filter(|one| one.is_bound) {
        let fields: Vec<&str> = one.fields.iter().map(|field| field.name.as_str()).collect();
        let _ = writeln!(text, "    {} {} {{ {} }}", one.name, one.s_type, fields.join(" "));
    }
    text.push_str("}\n");
    text
}

/// A condition as alternatives of which one must hold, all of them.
fn conjunction(expression: &str) -> Vec<Vec<String>> {
    let mut parser = Parser { rest: expression };
    parser.alternatives()
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    /// `a+b,c`: both operators have the same precedence in the registry, which puts parentheses where it
    /// matters.
    fn alternatives(&mut self) -> Vec<Vec<String>> {
        let mut left = self.atom();
        while let Some(operator) = self.rest.chars().next().filter(|c| ['+', ','].contains(c)) {
            self.rest = &self.rest[1..];
            let right = self.atom();
            left = if operator == '+' { [left, right].concat() } else { either(&left, &right) };
        }
        left
    }

    fn atom(&mut self) -> Vec<Vec<String>> {
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            let inner = self.alternatives();
            self.rest = self.rest.strip_prefix(')').unwrap_or(self.rest);
            return inner;
        }
        let end = self.rest.find(['(', ')', '+', ',']).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        vec![vec![name.to_owned()]]
    }
}

/// What holds where one of two conditions holds.
fn either(left: &[Vec<String>], right: &[Vec<String>]) -> Vec<Vec<String>> {
    left.iter().flat_map(|one| right.iter().map(move |other| [&one[..], &other[..]].concat())).collect()
}

/// A Rust expression for a condition.
fn nested(condition: &[Vec<String>]) -> String {
    let inner = condition.iter().map(|names| {
        let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        format!("&[{}]", names.join(", "))
    });
    format!("&[{}]", inner.collect::<Vec<_>>().join(", "))
}

/// What versions and extensions promise and need.
fn required(registry: &Registry, exposed: &BTreeSet<String>) -> String {
    let mut text = header(
        "What versions and exposed extensions promise and need. A condition is a list of alternatives (versions,\n//! \
         extensions, features), of each of which one must hold.",
    );
    text.push_str(
        "/// Lists of alternatives: versions, extensions, features.\ntype Condition = &'static [&'static [&'static \
         str]];\n\n/// Features that must be on, one at least, with a version or an extension, under a condition.\n\
         #[rustfmt::skip]\npub(super) const REQUIRED_FEATURES: &[(&str, Condition, &[&str])] = &[\n",
    );
    let is_there = |name: &str| name.starts_with("VK_VERSION_") || exposed.contains(name);
    for one in registry.requirements.iter().filter(|one| is_there(&one.owner)) {
        let condition = one.condition.as_deref().map_or(Vec::new(), conjunction);
        let features: Vec<String> = one.one_of.iter().map(|name| format!("\"{name}\"")).collect();
        let _ =
            writeln!(text, "    (\"{}\", {}, &[{}]),", one.owner, nested(&condition), features.join(", "));
    }
    text.push_str(
        "];\n\n/// What extensions need.\n#[rustfmt::skip]\npub(super) const DEPENDENCIES: &[(&str, Condition)] = \
         &[\n",
    );
    for one in registry.extensions.iter().filter(|one| exposed.contains(&one.name)) {
        if let Some(depends) = &one.depends {
            let _ = writeln!(text, "    (\"{}\", {}),", one.name, nested(&conjunction(depends)));
        }
    }
    text.push_str("];\n");
    text
}

/// The structures of properties that the device must fill, for tests.
fn properties(registry: &Registry, exposed: &BTreeSet<String>) -> String {
    let mut text =
        header("The property structures of the core versions and of exposed extensions, for tests.");
    text.push_str(
        "/// Runs a macro with all: the structure, its `sType`, its fields, and the application's pointers in it.\n\
         #[rustfmt::skip]\nmacro_rules! for_each_property_struct {\n    ($with:ident) => {\n        $with! {\n",
    );
    let wanted = |one: &&Struct| {
        !one.is_of_features
            && one.is_bound
            && !exposed_providers(registry, &one.providers, exposed).is_empty()
    };
    for one in registry.structs.iter().filter(wanted) {
        let names = |pointers| {
            let fields = one.fields.iter().filter(move |field| field.is_pointer == pointers);
            fields.map(|field| format!(" {}", field.name)).collect::<String>()
        };
        let _ = writeln!(
            text,
            "            {} {} {{{} }} {{{} }}",
            one.name,
            one.s_type,
            names(false),
            names(true)
        );
    }
    text.push_str("        }\n    };\n}\npub(crate) use for_each_property_struct;\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_named_as_commands() {
        assert_eq!(body_name("vkCmdBindDescriptorSets"), "cmd_bind_descriptor_sets");
        assert_eq!(body_name("vkCmdSetViewportWScalingNV"), "cmd_set_viewport_w_scaling_nv");
        assert_eq!(body_name("vkGetPhysicalDeviceFeatures2KHR"), "get_physical_device_features2_khr");
        assert_eq!(body_name("vkGetDescriptorEXT"), "get_descriptor_ext");
    }

    #[test]
    fn conditions_are_alternatives() {
        let strings = |condition: Vec<Vec<String>>| {
            condition.iter().map(|names| names.join("|")).collect::<Vec<_>>().join(" & ")
        };
        assert_eq!(strings(conjunction("A")), "A");
        assert_eq!(strings(conjunction("A,B+C")), "A|B & C");
        assert_eq!(strings(conjunction("((A+B),C)+D")), "A|C & B|C & D");
    }
}
