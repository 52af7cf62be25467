//! The checked-in tables are those that the registry's facts and the driver's list of extensions make.

use pyro_registry::{EXPOSED, EXTRACT, Registry, bodies, read, tables};

#[test]
fn tables_are_current() {
    let registry = Registry::parse(&read(EXTRACT).unwrap()).unwrap();
    assert!(registry.commands.len() > 700 && registry.structs.len() > 350, "the extract is cut");
    for table in tables(&registry, &read(EXPOSED).unwrap(), &bodies().unwrap()) {
        let checked_in = read(table.path).unwrap();
        assert!(
            checked_in == table.text,
            "{} is not what `cargo run -p pyro-registry -- generate` makes",
            table.path
        );
    }
}

/// What the driver exposes is in the registry, for what it is exposed as, and in no later version than the
/// registry has.
#[test]
fn exposed_extensions_exist() {
    let registry = Registry::parse(&read(EXTRACT).unwrap()).unwrap();
    let source = read(EXPOSED).unwrap();
    let devices_begin = source.find("DEVICE_EXTENSIONS").unwrap();
    let mut seen = 0;
    for (at, _) in source.match_indices("    extension(\"") {
        let (name, rest) = source[at..].trim_start_matches("    extension(\"").split_once("\", ").unwrap();
        let version: u32 = rest.split_once(')').unwrap().0.parse().unwrap();
        let known = registry.extensions.iter().find(|one| one.name == name);
        let known = known.unwrap_or_else(|| panic!("{name} is not in the registry"));
        assert_eq!(known.is_for_instances, at < devices_begin, "{name}");
        assert!(version <= known.version, "{name} {version}");
        seen += 1;
    }
    assert!(seen > 200, "{seen}");
}
