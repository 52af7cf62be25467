//! The extract's lines as values.

/// A core version (`VK_VERSION_1_1`) or an extension that brings something.
pub struct Provider {
    /// The version or extension.
    pub owner: String,
    /// What must be there too: an expression as of [`Extension::depends`].
    pub condition: Option<String>,
}

/// A command.
pub struct Command {
    /// Its name.
    pub name: String,
    /// Its first parameter's level: `Instance` (or none), `PhysicalDevice` or `Device` (and what devices
    /// have).
    pub level: String,
    /// The command that it is another name of.
    pub alias: Option<String>,
    /// Core versions and extensions that bring it.
    pub providers: Vec<Provider>,
}

/// An extension.
pub struct Extension {
    /// Its name.
    pub name: String,
    /// Whether it is one for instances.
    pub is_for_instances: bool,
    /// The version of its specification.
    pub version: u32,
    /// What it needs, an expression of names, `+` (and), `,` (or) and parentheses.
    pub depends: Option<String>,
    /// The version or extension that took it up.
    pub promoted_to: Option<String>,
}

/// A field of a structure.
pub struct Field {
    /// Its name in the bindings.
    pub name: String,
    /// Whether it points at memory of the application.
    pub is_pointer: bool,
}

/// A structure that extends `VkPhysicalDeviceFeatures2` or `VkPhysicalDeviceProperties2`.
pub struct Struct {
    /// Its name, without `Vk`.
    pub name: String,
    /// Whether it holds features; otherwise it holds properties.
    pub is_of_features: bool,
    /// The value of its `sType`.
    pub s_type: i32,
    /// Whether the bindings have it.
    pub is_bound: bool,
    /// Core versions and extensions that bring it.
    pub providers: Vec<Provider>,
    /// Its fields behind `pNext`.
    pub fields: Vec<Field>,
}

/// Features that must be there, one of them at least, with a version or an extension.
pub struct Requirement {
    /// The version or extension.
    pub owner: String,
    /// When: an expression as of [`Extension::depends`], which may name features.
    pub condition: Option<String>,
    /// The features, by their fields' names in the bindings.
    pub one_of: Vec<String>,
}

/// A rule on a handle of another device or instance.
pub struct ParentRule {
    /// The command.
    pub command: String,
    /// The rule's VUID.
    pub rule: String,
    /// The object types of the handles, without `VK_OBJECT_TYPE_`.
    pub types: Vec<String>,
    /// Core versions and extensions that bring the structure whose rule it is; none for the command's own.
    pub providers: Option<Vec<Provider>>,
}

/// A parameter of a command or a member of a structure.
pub struct Parameter {
    /// Its name in the registry, for parameters.
    pub member: String,
    /// Its name in the bindings.
    pub name: String,
    /// Its Rust type in the bindings.
    pub ty: String,
    /// What it points at.
    pub kind: Kind,
    /// Whether it is valid only under a condition that the registry does not have as data.
    pub is_conditional: bool,
}

/// What a pointer points at, by its valid usage.
#[derive(PartialEq, Eq)]
pub enum Kind {
    /// It is not a pointer.
    Value,
    /// One value.
    One,
    /// One value, or it is null.
    Nullable,
    /// A string that ends in zero.
    String,
    /// A string that ends in zero, or it is null.
    NullableString,
    /// As many values as another parameter or member says; `pointer.member` for one at a pointer.
    Array(String),
    /// As many strings.
    Strings(String),
    /// As many pointers to one value each.
    Pointers(String),
    /// As many 32-bit words as fit in so many bytes.
    Words(String),
    /// As many values.
    Fixed(u32),
    /// As many values as one parameter says, as many bytes apart as another one says.
    Strided(String, String),
    /// It is a structure within this one, which has pointers.
    Within,
    /// The registry does not say it.
    Raw,
}

/// The members of a union in a structure, which another member selects.
pub struct Selection {
    /// The structure's name, without `Vk`.
    pub structure: String,
    /// The union's field.
    pub member: String,
    /// The field of the selector.
    pub selector: String,
    /// The enumeration of its values.
    pub selector_type: String,
    /// The members of the union, each with the values that select it.
    pub variants: Vec<(Parameter, Vec<String>)>,
}

/// What an extension brings that the bindings lack.
pub struct Unbound {
    /// The extension.
    pub owner: String,
    /// Its name in the registry for enumerants, bits and commands, else without `Vk`.
    pub name: String,
    /// What it is.
    pub item: UnboundItem,
}

/// A type, an enumerant or a command.
pub enum UnboundItem {
    /// A handle.
    Handle,
    /// Flags of this unsigned type.
    Flags(String),
    /// An enumeration of this signed type.
    Enumeration(String),
    /// An enumerant of an enumeration that the bindings have: that and its value.
    Enumerant(String, i32),
    /// A value of another enumeration, or a size of arrays: its type and value.
    Value(String, i32),
    /// A bit: the unsigned type of the flags, and its position.
    Bit(String, u32),
    /// A structure: the enumerant of its `sType`, and its fields: names in the registry and here, types.
    Structure(Option<String>, Vec<[String; 3]>),
    /// A command: what it returns, and its parameters: names in the registry and here, types.
    Command(String, Vec<[String; 3]>),
}

/// The parameters of a command.
pub struct Signature {
    /// The command.
    pub command: String,
    /// The Rust type that it returns.
    pub result: String,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
}

/// A structure that has pointers, or may stand in a `pNext` chain.
pub struct Members {
    /// Its name, without `Vk`.
    pub name: String,
    /// Whether it begins with `sType`.
    pub is_chained: bool,
    /// Its members that are pointers, but for `pNext`, and structures with pointers.
    pub pointers: Vec<Parameter>,
}

/// A handle type.
pub struct HandleType {
    /// Its name, without `Vk`.
    pub name: String,
    /// Whether it is dispatchable: a pointer.
    pub is_dispatchable: bool,
    /// The value of its `VkObjectType`.
    pub object_type: i64,
}

/// A member of a structure or a parameter, as it lies in memory; the kind is as `layouts` says.
pub struct Place {
    /// Its name in the registry.
    pub name: String,
    /// Bytes from the structure's start.
    pub offset: u32,
    /// What it is.
    pub kind: String,
    /// In a union, the selector's values for which it is the valid one.
    pub selections: Vec<i64>,
}

/// How a structure or union lies in memory.
pub struct Layout {
    /// Its name, without `Vk`.
    pub name: String,
    /// Whether it is a union.
    pub is_union: bool,
    /// The value of its `sType`, or -1.
    pub s_type: i64,
    /// Bytes.
    pub size: u32,
    /// Its members.
    pub members: Vec<Place>,
    /// Core versions and extensions that bring it.
    pub providers: Vec<Provider>,
}

/// A command's result and parameters.
pub struct Call {
    /// The command.
    pub command: String,
    /// The kind of what it returns; `-`: nothing.
    pub result: String,
    /// Its parameters, in slots of eight bytes.
    pub parameters: Vec<Place>,
}

/// All facts of an extract.
#[derive(Default)]
pub struct Registry {
    /// The commands, sorted.
    pub commands: Vec<Command>,
    /// The extensions, sorted.
    pub extensions: Vec<Extension>,
    /// The structures, sorted.
    pub structs: Vec<Struct>,
    /// Required features.
    pub requirements: Vec<Requirement>,
    /// Rules on handles of other devices and instances, sorted by command and rule.
    pub parents: Vec<ParentRule>,
    /// The parameters of commands, sorted.
    pub signatures: Vec<Signature>,
    /// The pointers of structures, sorted.
    pub members: Vec<Members>,
    /// The handle types, sorted.
    pub handles: Vec<HandleType>,
    /// The layouts of structures and unions, sorted.
    pub layouts: Vec<Layout>,
    /// The commands' parameters as they are passed, sorted.
    pub calls: Vec<Call>,
    /// The unions with a selector.
    pub selections: Vec<Selection>,
    /// What the bindings lack.
    pub unbound: Vec<Unbound>,
}

fn list(text: &str, separator: char) -> Vec<String> {
    text.split(separator).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

fn unless_dash(text: &str) -> Option<String> {
    (text != "-").then(|| text.to_owned())
}

impl Registry {
    /// Reads an extract: a fact is a line, its columns are separated by tabs, the first one says what it is.
    ///
    /// # Errors
    /// With the line that is not understood.
    pub fn parse(text: &str) -> Result<Registry, String> {
        let mut registry = Registry::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let bad = |_| format!("not a number: {line}");
            match line.split('\t').collect::<Vec<_>>()[..] {
                ["version", _] => {}
                ["command", name, level, alias, providers] => registry.commands.push(Command {
                    name: name.to_owned(),
                    level: level.to_owned(),
                    alias: unless_dash(alias),
                    providers: providers.split_whitespace().map(Provider::parse).collect(),
                }),
                ["extension", name, kind, version, depends, promoted_to] => {
                    registry.extensions.push(Extension {
                        name: name.to_owned(),
                        is_for_instances: kind == "instance",
                        version: version.parse().map_err(bad)?,
                        depends: unless_dash(depends),
                        promoted_to: unless_dash(promoted_to),
                    });
                }
                ["struct", name, kind, s_type, bound, providers, fields] => registry.structs.push(Struct {
                    name: name.to_owned(),
                    is_of_features: kind == "features",
                    s_type: s_type.parse().map_err(bad)?,
                    is_bound: bound == "bound",
                    providers: providers.split_whitespace().map(Provider::parse).collect(),
                    fields: fields.split_whitespace().map(Field::parse).collect(),
                }),
                ["requires", owner, condition, features] => registry.requirements.push(Requirement {
                    owner: owner.to_owned(),
                    condition: unless_dash(condition),
                    one_of: list(features, ' '),
                }),
                ["parent", command, rule, types, providers] => registry.parents.push(ParentRule {
                    command: command.to_owned(),
                    rule: rule.to_owned(),
                    types: list(types, ' '),
                    providers: unless_dash(providers)
                        .map(|by| by.split_whitespace().map(Provider::parse).collect()),
                }),
                ["parameters", command, result, parameters] => registry.signatures.push(Signature {
                    command: command.to_owned(),
                    result: result.replace('~', " "),
                    parameters: parameters.split(' ').map(Parameter::parse).collect(),
                }),
                ["members", name, chained, pointers] => registry.members.push(Members {
                    name: name.to_owned(),
                    is_chained: chained == "chained",
                    pointers: list(pointers, ' ').iter().map(|one| Parameter::parse(one)).collect(),
                }),
                ["handle", name, kind, object_type, _] => registry.handles.push(HandleType {
                    name: name.to_owned(),
                    is_dispatchable: kind == "dispatchable",
                    object_type: object_type.parse().map_err(bad)?,
                }),
                ["layout", name, kind, s_type, size, members, providers] => registry.layouts.push(Layout {
                    name: name.to_owned(),
                    is_union: kind == "union",
                    s_type: s_type.parse().map_err(bad)?,
                    size: size.parse().map_err(bad)?,
                    members: members.split_whitespace().map(Place::parse).collect::<Result<_, _>>()?,
                    providers: providers.split_whitespace().map(Provider::parse).collect(),
                }),
                ["call", command, result, parameters] => registry.calls.push(Call {
                    command: command.to_owned(),
                    result: result.to_owned(),
                    parameters: parameters.split_whitespace().map(Place::parse).collect::<Result<_, _>>()?,
                }),
                ["selected", structure, member, selector, selector_type, variants] => {
                    registry.selections.push(Selection {
                        structure: structure.to_owned(),
                        member: member.to_owned(),
                        selector: selector.to_owned(),
                        selector_type: selector_type.to_owned(),
                        variants: variants.split(' ').map(variant).collect(),
                    });
                }
                ["unbound", kind, owner, name, first, second] => registry.unbound.push(Unbound {
                    owner: owner.to_owned(),
                    name: name.to_owned(),
                    item: UnboundItem::parse(kind, first, second)
                        .ok_or_else(|| format!("not a fact: {line}"))?,
                }),
                _ => return Err(format!("not a fact: {line}")),
            }
        }
        Ok(registry)
    }
}

impl Provider {
    /// `owner`, or `owner?condition`.
    fn parse(text: &str) -> Provider {
        match text.split_once('?') {
            Some((owner, condition)) => {
                Provider { owner: owner.to_owned(), condition: Some(condition.to_owned()) }
            }
            None => Provider { owner: text.to_owned(), condition: None },
        }
    }
}

/// `name:type:kind:VALUES`.
fn variant(text: &str) -> (Parameter, Vec<String>) {
    let (parameter, values) = text.rsplit_once(':').unwrap_or((text, ""));
    (Parameter::parse(parameter), list(values, ','))
}

impl Parameter {
    /// `name:type:kind`, in whose type blanks are tildes; of a command, behind `member=`.
    fn parse(text: &str) -> Parameter {
        let (member, text) = text.split_once('=').unwrap_or(("", text));
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let (ty, kind) = rest.rsplit_once(':').unwrap_or((rest, "raw"));
        let is_conditional = kind.starts_with('?');
        let kind = match kind.trim_start_matches('?') {
            "-" => Kind::Value,
            "one" => Kind::One,
            "nullable" => Kind::Nullable,
            "string" => Kind::String,
            "nullable_string" => Kind::NullableString,
            "within" => Kind::Within,
            "raw" => Kind::Raw,
            other => match other.split_once('/') {
                Some(("strings", count)) => Kind::Strings(count.to_owned()),
                Some(("pointers", count)) => Kind::Pointers(count.to_owned()),
                Some(("words", count)) => Kind::Words(count.to_owned()),
                Some(("strided", rest)) => match rest.split_once('/') {
                    Some((count, stride)) => Kind::Strided(count.to_owned(), stride.to_owned()),
                    None => Kind::Raw,
                },
                Some(("fixed", count)) => count.parse().map_or(Kind::Raw, Kind::Fixed),
                _ => Kind::Array(other.to_owned()),
            },
        };
        Parameter {
            member: member.to_owned(),
            name: name.to_owned(),
            ty: ty.replace('~', " "),
            kind,
            is_conditional,
        }
    }
}

impl UnboundItem {
    fn parse(kind: &str, first: &str, second: &str) -> Option<UnboundItem> {
        let item = |text: &String| {
            let (member, rest) = text.split_once('=').unwrap_or((text, ""));
            let (name, ty) = rest.split_once(':').unwrap_or((rest, ""));
            [member.to_owned(), name.to_owned(), ty.replace('~', " ")]
        };
        let items = || list(second, ' ').iter().map(item).collect();
        Some(match kind {
            "handle" => UnboundItem::Handle,
            "flags" => UnboundItem::Flags(first.to_owned()),
            "enumeration" => UnboundItem::Enumeration(first.to_owned()),
            "value" => UnboundItem::Value(first.to_owned(), second.parse().ok()?),
            "enumerant" => UnboundItem::Enumerant(first.to_owned(), second.parse().ok()?),
            "bit" => UnboundItem::Bit(first.to_owned(), second.parse().ok()?),
            "struct" => UnboundItem::Structure(unless_dash(first), items()),
            "command" => UnboundItem::Command(first.to_owned(), items()),
            _ => return None,
        })
    }
}

impl Place {
    /// `name@offset:kind`, with `=value|value` behind it in a union.
    fn parse(text: &str) -> Result<Place, String> {
        let bad = || format!("not a member: {text}");
        let (name, rest) = text.split_once('@').ok_or_else(bad)?;
        let (offset, rest) = rest.split_once(':').ok_or_else(bad)?;
        let (kind, selections) = rest.split_once('=').unwrap_or((rest, ""));
        let selections = list(selections, '|').iter().map(|value| value.parse()).collect::<Result<_, _>>();
        Ok(Place {
            name: name.to_owned(),
            offset: offset.parse().map_err(|_| bad())?,
            kind: kind.to_owned(),
            selections: selections.map_err(|_| bad())?,
        })
    }
}

impl Field {
    /// `member=name`, with a star behind it where the member is a pointer.
    fn parse(text: &str) -> Field {
        let name = text.split_once('=').map_or(text, |(_, name)| name);
        Field { name: name.trim_end_matches('*').to_owned(), is_pointer: name.ends_with('*') }
    }
}
